"""The installation commands of the documentation name what exists, and work."""

import re
import shutil
import sys
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.packaging.building import ROOT, check_workflow, copy_checkout, run
from tests.packaging.clean import make_clean
from tests.packaging.test_extras import KNOWN

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
JOB = "ivme[cli,conformance] @ git+${{ vars.IVME }}"
SOURCE = r"(?:\.|ivme(?=.* @ git\+))"  # a clone, or git: ivme is on no index
FORM = re.compile(rf"""{SOURCE}(?:\[([a-z,]+)\])?(?: @ git\+(?:URL|\$\{{\{{ vars\.IVME \}}\}}))?""")


def typed(text: str) -> list[str]:
    """The arguments of `pip install` in a text."""
    found = re.finditer(r"""pip install\s+(?:(['"])(?P<quoted>.+?)\1|(?P<bare>[^\s`'"]+))""", text)
    return [match["quoted"] or match["bare"] for match in found]


def wrong(text: str) -> list[str]:
    """The arguments of `pip install` in a text that cannot work."""
    return [
        given
        for given in typed(text)
        if not (found := FORM.fullmatch(given)) or set((found[1] or "cli").split(",")) - set(KNOWN)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_pages_install_from_a_clone_or_from_git(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert wrong(text) == []
    assert len(typed(text)) == text.count("pip install")


def test_what_cannot_be_installed_is_found() -> None:
    good = "`pip install .` pip install '.[cli]'\npip install \"ivme[cli] @ git+URL\""
    assert (typed(good), wrong(good)) == ([".", ".[cli]", "ivme[cli] @ git+URL"], [])
    bad = ["ivme", "ivme[cli]", ".[nonsense]", "other", "ivme[cli] @ git+https://github.com/OWNER/ivme"]
    assert wrong(" ".join(f"pip install '{given}'" for given in bad)) == bad


def job() -> str:
    (text,) = re.findall(
        r"^```yaml \S+\n(.*?)^```$", (ROOT / "docs" / "ci.md").read_text(encoding="utf-8"), re.S | re.M
    )
    assert isinstance(text, str)
    return text


def test_the_job_is_a_workflow(tmp_path: Path) -> None:
    file = tmp_path / "job.yml"
    file.write_text(job(), encoding="utf-8")
    check_workflow(file)
    file.write_text(job().replace("runs-on", "run-on"), encoding="utf-8")
    check_workflow(file, code=1)


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[str]:
    """The URL of a git repository with the checkout as its only commit."""
    if not shutil.which("git"):
        pytest.skip("git is not installed")
    clone = copy_checkout(tmp_path / "clone")
    name = ["-c", "user.name=test", "-c", "user.email=test@example.org"]
    for command in (["init", "--quiet"], ["add", "."], [*name, "commit", "--quiet", "-m", "all"]):
        run("git", *command, cwd=clone)
    run("git", "clone", "--quiet", "--bare", clone, "served", cwd=tmp_path)
    run("git", "update-server-info", cwd=tmp_path / "served")
    handler = partial(QuietHandler, directory=str(tmp_path / "served"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *given: object) -> None:
        pass


@pytest.mark.slow
@pytest.mark.usefixtures("index")
@pytest.mark.skipif(sys.platform == "win32", reason="needs sh")
def test_the_step_of_the_job_installs(repository: str, tmp_path: Path) -> None:
    """With the pure kernel, which is quicker; `test_clean` runs the commands of the other pages."""
    (step,) = re.findall(r"- run: (pip install .*)", job())
    assert typed(step) == [JOB]
    made = make_clean(tmp_path / "venv")
    made.type(step.replace("${{ vars.IVME }}", repository), tmp_path, IVME_PURE="1", no_proxy="127.0.0.1")
    found = made.run("-m", "ivme", "oracle", "--engine", "nowhere:Engine", code=2).stderr
    assert found.endswith("ivme: error: engine 'nowhere:Engine': No module named 'nowhere'\n")
