"""The documentation is true: the blocks of a page run, in order, in an empty folder; links have targets."""

import re
from pathlib import Path

import pytest

from tests.packaging.pages import run_page, run_text
from tests.packaging.test_paper_index import anchors_of

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

# Pages with a test of their own.
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


def test_pages_with_a_test_of_their_own_have_one() -> None:
    for page, test in ELSEWHERE.items():
        assert (DOCS / page).is_file()
        assert page in (ROOT / test).read_text(encoding="utf-8")


# --- links and paths ---

GUIDES = ["README.md", "ivme/README.md", "CONTRIBUTING.md", "CHANGELOG.md", "RELEASING.md", "tests/README.md"]
MARKDOWN = [*GUIDES, *sorted(page.relative_to(ROOT).as_posix() for page in DOCS.rglob("*.md"))]
FOLDERS = "bench|docs|examples|ivme|proofs|reference|spec|tests|tools"


def dangling(text: str, page: Path) -> list[str]:
    """The links and the paths in backticks that have no target; anchors must exist too."""
    links = re.findall(r"\]\(([^):]+)\)", text)
    paths = re.findall(rf"`((?:{FOLDERS})/[\w./-]*)`", text)
    return [link for link in links if not leads_somewhere(link, page)] + [
        path for path in paths if not (ROOT / path).exists()
    ]


def leads_somewhere(link: str, page: Path) -> bool:
    path, _, anchor = link.partition("#")
    target = page.parent / path if path else page
    return target.exists() and (not anchor or anchor in anchors_of(target))


@pytest.mark.parametrize("page", MARKDOWN)
def test_links_and_paths_lead_somewhere(page: str) -> None:
    assert dangling((ROOT / page).read_text(encoding="utf-8"), ROOT / page) == []


@pytest.mark.parametrize(
    "planted", ["[x](docs/gone.md)", "[x](docs/api.md#gone)", "[x](#gone)", "`ivme/gone.py`", "`spec/gone/`"]
)
def test_a_dangling_link_is_found(planted: str) -> None:
    good = "[x](docs/api.md#tables) [y](#a-view) `ivme/view.py` `spec/` `ivme run` `a/b`"
    assert dangling(good, ROOT / "README.md") == []
    assert len(dangling(f"{good} {planted}", ROOT / "README.md")) == 1


# Where a reader looks first, and what must be one click behind it.
MAP = [
    "kernel/engine.py",
    "kernel/rebalancing.py",
    "kernel/loading.py",
    "kernel/enumeration.py",
    "kernel/storage/interface.py",
    "kernel/storage/compact/relation.py",
    "formats/snapshots.py",
]


def test_the_map_leads_to_the_kernel_in_two_steps() -> None:
    readme, inside = ((ROOT / page).read_text(encoding="utf-8") for page in GUIDES[:2])
    assert "(ivme/README.md)" in readme
    for target in MAP:
        assert f"(ivme/{target})" in readme
        assert f"({target})" in inside
    assert "(spec/SNAPSHOTS.md)" in readme


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
