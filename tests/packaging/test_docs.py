"""The pages of docs/ do what they say: every block runs, in order, in a folder of its own."""

import re
from pathlib import Path

import pytest

from tests.packaging.pages import run_page, run_text

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

# Pages that a test of their own follows.
ELSEWHERE = {
    "streaming.md": "tests/spark/test_streaming.py",
    "test-your-engine.md": "tests/conformance/test_docs.py",
    "workloads.md": "tests/spark/test_docs.py",
}
PAGES = sorted(page.name for page in DOCS.glob("*.md") if page.name not in ELSEWHERE)


@pytest.mark.parametrize("page", PAGES)
def test_every_block_of_the_page_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    assert run_page(DOCS / page, tmp_path, monkeypatch) > 0 or "```" not in text


def test_pages_that_are_followed_elsewhere_are() -> None:
    for page, test in ELSEWHERE.items():
        assert (DOCS / page).is_file()
        assert page in (ROOT / test).read_text(encoding="utf-8")


@pytest.mark.parametrize("page", sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")))
def test_the_links_lead_somewhere(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        assert (DOCS / page).parent.joinpath(target).exists(), target


def test_every_decision_is_listed() -> None:
    folder = DOCS / "decisions"
    listed = re.findall(r"\]\(([^)]+)\)", (folder / "README.md").read_text(encoding="utf-8"))
    assert listed == sorted(page.name for page in folder.glob("0*.md"))


# --- the runner on planted pages ---


def run(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    return run_text(text, "planted.md", folder, monkeypatch)


def test_blocks_share_a_folder_and_a_namespace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "```csv data/a.csv\n1,2\n```\n```console\n$ cat data/a.csv\n1,2\n$ false # exit code 1\n```\n"
        "```python\nfrom pathlib import Path\nx = Path('data/a.csv').read_text()\n```\n"
        "```python\n>>> x\n'1,2\\n'\n>>> y = 1\n```\n"
        "```python\n>>> y\n1\n```\n```text\n<anything>\n```\n"
    )
    assert run(text, tmp_path, monkeypatch) == 6


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("```console\n$ echo 1\n2\n```\n", "got:\n1"),
        ("\n```console\n$ false\n```\n", r"line 3: \$ false\nexit code 1"),
        ("```console\n$ true # exit code 2\n```\n", "exit code 0"),
        ("```console\necho 1\n```\n", "must start with a command"),
        ("```python\n>>> 1 + 1\n3\n```\n", "Got:\n    2"),
        ("```python\nassert 1 == 2, 7\n```\n", "7"),
        ("```\n>>> 1\n```\n", "nothing runs"),
        ("```bash\necho\n```\n", "nothing runs"),
        ("```yaml ci.yml\n  - run: ivme nonsense\n```\n", "exit code 2"),
        ("  ```python\n```\n", "not closed, or is indented"),
    ],
)
def test_what_is_wrong_is_found(
    text: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(AssertionError, match=problem):
        run(text, tmp_path, monkeypatch)
