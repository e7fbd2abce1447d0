"""`ivme report`: the page again, from results.json."""

import json
import os
from pathlib import Path

import pytest

from ivme.verify.results import write_results
from tests.cli.conftest import Command
from tests.report.page import parse
from tests.report.sample import results


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("ivme-report")
    write_results(made / "results.json", results(broken=True))
    return made


def test_the_page_is_made_beside_the_results(ivme: Command, folder: Path) -> None:
    done = ivme("report", "--results", folder / "results.json")
    assert (done.code, done.out, done.err) == (0, f"{folder / 'index.html'}\n", "")
    page = parse((folder / "index.html").read_text(encoding="utf-8"))
    assert page.by_id("verdict").text == "✗ 2 problems"


def test_the_page_goes_where_it_is_wanted(ivme: Command, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "new" / "page.html"
    done = ivme("report", "--results", folder / "results.json", "--out", out, "--json")
    assert done.code == 0
    assert json.loads(done.out) == {"ivme-report": 1, "report": str(out), "ok": False, "problems": 2}
    (link,) = parse(out.read_text(encoding="utf-8")).by_id("problems").all("a")
    assert link.attributes["href"].startswith("./" + os.path.relpath(folder, out.parent))


@pytest.mark.parametrize(
    "content", [None, b"", b"{}", b"\xff", b'{"ivme-results": 99}', b'{"ivme-results": 1.0}']
)
def test_bad_results_are_one_line(ivme: Command, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "results.json").write_bytes(content)
    before = os.listdir(tmp_path)
    done = ivme("report", "--results", tmp_path / "results.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("ivme: error: ")
    assert done.err.count("\n") == 1
    assert os.listdir(tmp_path) == before


@pytest.mark.parametrize("place", ["runs", "exponents"])
def test_an_epsilon_that_takes_forever_is_refused_at_once(ivme: Command, folder: Path, place: str) -> None:
    given = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    given[place][0]["epsilon"] = "1e-10000000"
    (folder / "tiny.json").write_text(json.dumps(given), encoding="utf-8")
    done = ivme("report", "--results", folder / "tiny.json")
    assert (done.code, done.out) == (2, "")
    assert "epsilon '1e-10000000' is too long a number" in done.err
