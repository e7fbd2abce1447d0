"""What the pages for contributors name exists: paths, make targets, names in code, folders, markers."""

import re
from pathlib import Path

import pytest
from hypothesis import settings

from tests.packaging.building import CONFIG, ROOT

PAGES = ["CONTRIBUTING.md", "RELEASING.md", "tests/README.md", ".github/PULL_REQUEST_TEMPLATE.md"]
MADE = ("build/docs", ".venv", "NAME_")
"""What commands create, and placeholders."""
TARGETS = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
SOURCES = [
    path
    for folder in ("ivme", "spec", "tests", "proofs", "bench", "tools", "examples")
    for path in (ROOT / folder).rglob("*.py")
]


def wrong(text: str, folder: Path = ROOT) -> list[str]:
    """What a page names and does not exist: links relative to its folder, paths relative to the root."""
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    words = [word.rstrip(".") for word in re.findall(r"[\w./-]+", re.sub(r"\]\([^)]*\)", "", text))]
    paths = [
        word
        for word in words
        if ("/" in word.strip("/") or word.endswith((".py", ".md", ".sh", ".toml", ".yaml")))
        and not word.startswith(MADE)
    ]
    made = re.findall(r"`make ([a-z ]+)", text) + re.findall(r"^    make ([a-z]+)", text, re.MULTILINE)
    return [
        *(path for path in paths if not (ROOT / path).exists()),
        *(link for link in links if not (folder / link).exists()),
        *(target for given in made for target in given.split() if target not in TARGETS),
    ]


@pytest.mark.parametrize("page", PAGES)
def test_what_the_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert wrong(text, (ROOT / page).parent) == []


@pytest.mark.parametrize(
    "planted",
    [
        "see `tests/nowhere`",
        "(`tests/ivme/test_gone.py` complains)",
        "[page](docs/gone.md)",
        "`make tset`",
        "`make lint typos`, then",
        "`GONE.md`",
        "tools/gone.sh",
    ],
)
def test_what_is_missing_is_found(planted: str) -> None:
    good = "`make lint types`: tests/ivme, `tools/test.sh`, [x](README.md), `ivme run`"
    assert wrong(good) == []
    assert len(wrong(f"{good} {planted}")) == 1


def test_names_of_code_in_contributing_exist() -> None:
    """Constants, classes and functions, in some source."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    code = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    names = set(re.findall(r"`([A-Z]{5,}|[A-Z][a-z]+[A-Za-z]*|[a-z]+_[a-z_]+)`", text))
    assert names >= {"CATALOGUE", "Decomposition", "ring_named"}
    assert [
        name for name in sorted(names) if not re.search(rf"(?:class|def|from|^) ?{name}\b", code, re.M)
    ] == []


def test_every_folder_of_tests_is_listed() -> None:
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    folders = {
        path.parent.relative_to(ROOT / "tests").parts[0] for path in (ROOT / "tests").glob("*/**/test_*.py")
    }
    assert sorted(listed) == sorted(folders)


def test_markers_and_profiles_are_the_existing_ones() -> None:
    text = (ROOT / "tests" / "README.md").read_text(encoding="utf-8")
    markers, profiles = (
        re.search(rf"\*\*{word}\*\*.*?\n\n", text, re.DOTALL) for word in ("Markers.", "Profiles")
    )
    assert markers
    assert profiles
    known = [marker.partition(":")[0] for marker in CONFIG["tool"]["pytest"]["markers"]]
    assert re.findall(r"`(\w+)`: ", markers[0]) == known
    said = {
        name: int(count.replace(",", ""))
        for name, count in re.findall(r"`(\w+)`\s+with\s+([\d,]+)", profiles[0])
    }
    assert said == {name: settings.get_profile(name).max_examples for name in ("dev", "ci", "nightly")}
