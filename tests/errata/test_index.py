"""spec/ERRATA.md and this folder name each other: every erratum has its tests, and every test its erratum."""

import ast
import os
import re
from pathlib import Path

import pytest

from ivme_reference.paper.repairs import Repair

ROOT = Path(__file__).resolve().parents[2]
ERRATA = (ROOT / "spec" / "ERRATA.md").read_text(encoding="utf-8")
TEX = Path(
    os.environ.get("IVME_PAPER_TEX")
    or ROOT.parent / "shared" / "paper" / "maintaining-triangle-queries.tex.txt"
)

SECTION = re.compile(r"^### (E\d+|Typos)\b(.*?)(?=^#|\Z)", flags=re.MULTILINE | re.DOTALL)
SECTIONS: dict[str, str] = dict(SECTION.findall(ERRATA))
LINK = re.compile(r"\[`(test_\w+)`\]\(\.\./(tests/[\w/]+\.py)\)")


def functions_of(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {
        node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def erratum_of(test: str) -> str | None:
    """E7 for test_e07_…, Typos for test_typo_…"""
    if test.startswith("test_typo_"):
        return "Typos"
    match = re.match(r"test_e(\d\d)_", test)
    return f"E{int(match[1])}" if match else None


def test_the_errata_are_numbered_without_gaps() -> None:
    assert list(SECTIONS) == [*(f"E{i}" for i in range(1, len(SECTIONS))), "Typos"]


@pytest.mark.parametrize("erratum", SECTIONS)
def test_every_erratum_links_to_its_tests(erratum: str) -> None:
    links = LINK.findall(SECTIONS[erratum])
    assert links
    for test, path in links:
        assert test in functions_of(ROOT / path)
        assert erratum_of(test) == erratum


def test_every_test_of_an_erratum_is_linked() -> None:
    linked = {test for body in SECTIONS.values() for test, _ in LINK.findall(body)}
    written = {
        test
        for path in Path(__file__).parent.glob("test_*.py")
        for test in functions_of(path)
        if erratum_of(test)
    }
    assert written == linked


def test_every_link_points_at_something() -> None:
    for test, path in LINK.findall(ERRATA):
        assert test in functions_of(ROOT / path)


def test_every_repair_has_its_erratum() -> None:
    for repair in Repair:
        assert f"Repair.{repair.name}" in SECTIONS[repair.value]
    assert set(re.findall(r"Repair\.(\w+)", ERRATA)) == {repair.name for repair in Repair}


@pytest.mark.skipif(not TEX.exists(), reason="the paper's TeX is not here")
def test_every_label_is_one_of_the_paper() -> None:
    labels = set(re.findall(r"\b(?:fig|def|lem|prop|sec|theo|conj|table):[\w-]+", ERRATA))
    assert labels
    assert labels <= set(re.findall(r"\\label\{([^}]+)\}", TEX.read_text(encoding="utf-8")))
