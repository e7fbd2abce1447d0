"""The kit withstands whatever an engine does to it from within the same process."""

import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ivme.conformance import Capabilities, ConformanceFailure, EngineProblem, Finding, replay, run
from ivme.conformance.protocol import trace_of
from ivme.conformance.shrink import shrink
from ivme.formats.traces import Step, Update
from ivme_spec.relations import RelationName
from tests.support.broken_engines import Right

INSERT = Step("update", (("R", 1, 2, 1),))
PanicException = type("PanicException", (BaseException,), {})  # as pyo3 has it


class Odd(Right):
    """Does something odd in one of its methods."""

    def __init__(self, **oddities: Any) -> None:
        super().__init__("AB")
        self.oddities = oddities

    def update(self, relation: RelationName, x: object, y: object, multiplicity: int) -> None:
        if "update" in self.oddities:
            raise self.oddities["update"]
        super().update(relation, x, y, multiplicity)

    def rows(self) -> Any:
        return self.oddities.get("rows", [])

    def close(self) -> None:
        if "close" in self.oddities:
            raise self.oddities["close"]


def found(*steps: Step, capabilities: Capabilities = Capabilities(), **oddities: Any) -> Finding | None:  # noqa: B008
    return replay(trace_of("AB", steps), partial(Odd, **oddities), capabilities)


def test_a_row_that_cannot_be_hashed_is_a_finding() -> None:
    finding = found(rows=[((1, [2]), 1)])
    assert finding is not None
    assert finding.kind == "malformed row"


def test_an_engine_in_rust_that_panics_is_a_finding() -> None:
    finding = found(INSERT, update=PanicException("index out of bounds"))
    assert finding is not None
    assert (finding.kind, finding.detail) == ("crash", "it panicked: index out of bounds")
    refused = Step("refused", (("R", 1, 2, -1),))
    finding = found(refused, capabilities=Capabilities(refuses=True), update=PanicException("overflow"))
    assert finding is not None
    assert finding.kind == "crash"


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit])
def test_what_is_not_the_engines_fault_passes_through(error: type[BaseException]) -> None:
    with pytest.raises(error):
        found(INSERT, update=error())


def test_an_engine_that_fails_to_close_does_no_harm() -> None:
    assert found(INSERT, close=OSError("busy")) is None


def test_any_kind_of_finding_can_be_saved(tmp_path: Path) -> None:
    with pytest.raises(ConformanceFailure) as caught:
        run(partial(Odd, update=EngineProblem("../odd kind: a/b", "…")), "AB", folder=tmp_path)
    assert caught.value.path == str(tmp_path / "AB-odd-kind-a-b.jsonl")


def test_batches_are_told_apart_in_a_report() -> None:
    pair: tuple[Update, ...] = (("R", 1, 2, 1), ("S", 2, 3, 1))
    trace = trace_of("AB", [Step("batch", pair), Step("batch", pair), Step("refused", (("T", 0, 0, -1),))])
    lines = str(ConformanceFailure(Finding("odd", "…", 5), trace)).splitlines()
    ends = [line.partition("  ")[2].split("  ")[-1] for line in lines if line.strip()[:1].isdigit()]
    assert ends == ["(batch 1)", "(batch 1)", "(batch 2)", "(batch 2)", "(must be refused)"]


def test_shrinking_ends_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    finding, now = Finding("hang", "…", 1), 0

    def slow(steps: object) -> Finding:
        nonlocal now
        now += 1
        return finding

    monkeypatch.setattr(sys.modules[shrink.__module__], "monotonic", lambda: now)
    steps, _ = shrink([INSERT] * 1000, finding, slow, seconds=1)
    assert (now, len(steps)) == (1, 0), "the first candidate is the empty trace"
    shrink([INSERT] * 1000, finding, lambda steps: slow(steps) and None, seconds=5)
    assert now == 1 + 5
    assert shrink([INSERT] * 10, finding, slow, replays=0)[0] == [INSERT] * 10


def test_values_are_those_that_are_claimed() -> None:
    integers, anything, python = (Capabilities(values=values) for values in ("integers", "any", "python"))
    assert all(c.handles(value) for c in (integers, anything, python) for value in (0, -1, 2**31 - 1))
    for value in ("1", None, 2**31, (1, ("x", None))):
        assert (integers.handles(value), anything.handles(value)) == (False, True)
    for odd in (True, 1.0, (1, 0.5)):
        assert (anything.handles(odd), python.handles(odd)) == (False, True)
    with pytest.raises(ValueError, match="values"):
        Capabilities(values="floats")
