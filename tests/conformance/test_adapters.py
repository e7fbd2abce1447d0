"""Real engines through the kit, with the adapters of examples/engines; skipped where not installed.

    pip install 'ivme[adapters]'    # DuckDB, Turso and Pathway; Pathway alone brings more than a gigabyte

What the kit found in them is in docs/findings/, and is looked for again here.
"""

import importlib.util
import warnings
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from ivme.conformance import ConformanceFailure, replay, run, run_corpus
from ivme.formats.traces import read_trace
from tests.support.broken_engines import Right

ROOT = Path(__file__).resolve().parents[2]
FINDINGS = ROOT / "docs" / "findings"
ENGINES = {
    "sqlite_engine": ("SQLiteEngine", "sqlite3", 25),
    "duckdb_engine": ("DuckDBEngine", "duckdb", 4),
    "pathway_engine": ("PathwayEngine", "pathway", 6),
    "turso_engine": ("TursoEngine", "turso", 25),
}
"""Adapter -> its class, what it needs, and how many examples it gets by default."""
NO_FINDINGS = ["sqlite_engine", "duckdb_engine", "pathway_engine"]

pytestmark = pytest.mark.filterwarnings("ignore")  # of the engines and their dependencies


@cache
def module(name: str) -> Any:
    """The adapter; skips the test where its engine is not installed."""
    needed = ENGINES[name][1]
    if importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed: pip install 'ivme[adapters]'")
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / "engines" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        spec.loader.exec_module(made)
    return made


def test_every_adapter_is_tested_here() -> None:
    assert {path.stem for path in (ROOT / "examples" / "engines").glob("*_engine.py")} == set(ENGINES)


def factory(name: str, free: str, *arguments: str) -> Any:
    return partial(getattr(module(name), ENGINES[name][0]), free, *arguments)


@pytest.mark.parametrize("free", ["", "AB"])
@pytest.mark.parametrize("name", NO_FINDINGS)
def test_the_kit_finds_nothing(name: str, free: str, seed: int) -> None:
    made = factory(name, free)
    capabilities, examples = module(name).CAPABILITIES, ENGINES[name][2]
    run(made, free, capabilities=capabilities, examples=examples, seed=seed, folder=None)


@pytest.mark.parametrize("name", ["sqlite_engine"])
def test_the_corpus_finds_nothing(name: str) -> None:
    assert run_corpus(factory(name, "CA"), "CA", capabilities=module(name).CAPABILITIES) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("free", ["", "A", "AB", "ABC", "CA"])
@pytest.mark.parametrize("name", NO_FINDINGS)
def test_the_kit_finds_nothing_in_long_runs(name: str, free: str, seed: int) -> None:
    made, capabilities = factory(name, free), module(name).CAPABILITIES
    run(made, free, capabilities=capabilities, examples=60, seed=seed, folder=None)
    assert run_corpus(made, free, capabilities=capabilities) == {}


# --- Turso ----------------------------------------------------------------------------------------------

SEEN_IN = "0.8.3"
TURSO = {
    "turso-emptied-group": ("rst", 5),
    "turso-lost-rows": ("rst", 19),
    "turso-names-in-capitals": ("RST", 4),
}
"""Trace -> names of the tables, and the update after which the answer is wrong."""


def test_the_page_tells_every_finding() -> None:
    page = (FINDINGS / "README.md").read_text(encoding="utf-8")
    assert {path.stem for path in FINDINGS.glob("*.jsonl")} == set(TURSO)
    assert all(f"{name}.jsonl" in page for name in TURSO)


@pytest.mark.parametrize("finding", TURSO)
def test_a_right_engine_passes_the_traces_of_the_findings(finding: str) -> None:
    trace = read_trace(FINDINGS / f"{finding}.jsonl")
    assert trace.header.note.startswith(f"pyturso {SEEN_IN}: ")
    assert replay(trace, partial(Right, trace.header.free)) is None


def needs_the_version() -> None:
    module("turso_engine")
    if (installed := version("pyturso")) != SEEN_IN:
        pytest.skip(f"the findings were made with pyturso {SEEN_IN}; this is {installed}")


@pytest.mark.parametrize("finding", TURSO)
def test_the_findings_are_found_again(finding: str) -> None:
    needs_the_version()
    names, position = TURSO[finding]
    trace = read_trace(FINDINGS / f"{finding}.jsonl")
    found = replay(trace, factory("turso_engine", trace.header.free, names))
    assert found is not None
    assert (found.kind, found.position) == ("wrong answer", position)


def test_the_kit_finds_them(seed: int) -> None:
    needs_the_version()
    capabilities = module("turso_engine").CAPABILITIES
    with pytest.raises(ConformanceFailure):
        run(factory("turso_engine", "A"), "A", capabilities=capabilities, seed=seed, folder=None)
    assert "group-returns" in run_corpus(factory("turso_engine", "A"), "A", capabilities=capabilities)
