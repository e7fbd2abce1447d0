"""The kit catches each broken engine with a short trace, and says in one screen what is wrong."""

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from ivme.conformance import Capabilities, ConformanceFailure, Finding, machine_for, replay, run
from ivme.conformance.complexity import check_complexity, measure
from ivme.conformance.protocol import trace_of
from ivme.formats.traces import Step, Update, read_trace
from ivme_spec.relations import RelationName
from tests.support.broken_engines import BROKEN, AcceptsAnything, Quadratic, Right
from tests.support.own_engine import ViewEngine

REFUSES = Capabilities(refuses=True)
CRASH = "refused a valid update"
SYMPTOMS = {"StaleAfterRebalance": (CRASH, "duplicate row", "cannot answer")}
"""What else the kit may report of an engine whose state is stale: what comes first depends on the seed."""


@pytest.mark.parametrize("free", ["", "A", "AB", "ABC"])
@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: b.__name__)
def test_each_broken_engine_is_caught_with_a_short_trace(
    broken: type[Right], free: str, tmp_path: Path, seed: int
) -> None:
    capabilities = REFUSES if broken is AcceptsAnything else Capabilities()
    factory = partial(broken, free)
    with pytest.raises(ConformanceFailure) as caught:
        run(factory, free, capabilities=capabilities, seed=seed, folder=tmp_path)
    failure = caught.value
    assert failure.finding.kind in (BROKEN[broken], *SYMPTOMS.get(broken.__name__, (CRASH,)))
    assert len(failure.trace.updates) <= 12
    report = str(failure)
    assert report.startswith(failure.finding.kind)
    assert len(report.splitlines()) <= 40
    assert failure.path is not None
    assert failure.path in report
    # the saved trace replays: the broken engine fails again, and a right one passes
    saved = read_trace(failure.path)
    again = replay(saved, factory, capabilities)
    assert again is not None
    assert again.kind == failure.finding.kind
    assert replay(saved, partial(ViewEngine, free), REFUSES) is None


@pytest.mark.parametrize("free", ["", "CA"])
def test_right_engines_pass(free: str, seed: int) -> None:
    run(partial(Right, free), free, capabilities=REFUSES, examples=40, seed=seed, folder=None)
    run(partial(ViewEngine, free, "1/3"), free, capabilities=REFUSES, examples=15, seed=seed, folder=None)


class SetsOnly(Right):
    """Claims no multiplicities, and fails loudly when it gets one."""

    def update(self, relation: RelationName, x: object, y: object, multiplicity: int) -> None:
        assert abs(multiplicity) == 1
        assert not (multiplicity > 0 and y in self.view.relations["RST".index(relation)].row(x))
        super().update(relation, x, y, multiplicity)


class InsertsOnly(Right):
    def update(self, relation: RelationName, x: object, y: object, multiplicity: int) -> None:
        assert multiplicity > 0
        super().update(relation, x, y, multiplicity)


class SmallOnly(Right):
    def update(self, relation: RelationName, x: object, y: object, multiplicity: int) -> None:
        super().update(relation, x, y, multiplicity)
        assert all(m <= 100 for stored in self.view.relations for _, m in stored.items())


class BatchOnly(Right):
    def update(self, relation: RelationName, x: object, y: object, multiplicity: int) -> None:
        raise AssertionError("a single update")

    def batch(self, updates: list[Update]) -> None:
        for update in updates:
            super().update(*update)


@pytest.mark.parametrize(
    ("engine", "capabilities"),
    [
        (SetsOnly, Capabilities(multiplicities=False)),
        (InsertsOnly, Capabilities(deletes=False)),
        (SmallOnly, Capabilities(largest=100)),
        (BatchOnly, Capabilities(batch_only=True)),
    ],
)
def test_no_more_is_asked_than_was_claimed(
    engine: type[Right], capabilities: Capabilities, seed: int
) -> None:
    run(partial(engine, "AB"), "AB", capabilities=capabilities, examples=40, seed=seed, folder=None)
    with pytest.raises(ConformanceFailure):
        run(partial(engine, "AB"), "AB", examples=40, seed=seed, folder=None)


def test_an_engine_that_cannot_be_made_is_a_finding() -> None:
    def broken() -> Right:
        raise OSError("no such engine")

    with pytest.raises(ConformanceFailure, match="no such engine"):
        run(broken, "AB", folder=None)
    finding = replay(trace_of("AB", ()), broken, Capabilities())
    assert isinstance(finding, Finding)


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([((1,), 1)], "malformed row"),
        ([([1, 2], 1)], "malformed row"),
        ([((1, 2), "1")], "malformed row"),
        (["nonsense"], "malformed row"),
        ([((1, 2), 1)], "wrong answer"),
        (None, "cannot answer"),
    ],
)
def test_malformed_answers_are_findings(rows: object, kind: str) -> None:
    class Garbage(Right):
        def rows(self) -> list[tuple[tuple[object, ...], int]]:
            return rows  # type: ignore[return-value]  # on purpose

    with pytest.raises(ConformanceFailure) as caught:
        run(partial(Garbage, "AB"), "AB", folder=None)
    assert caught.value.finding.kind == kind


def test_the_machine_is_a_test_case_that_pytest_collects(tmp_path: Path) -> None:
    (tmp_path / "test_engines.py").write_text(
        "from functools import partial\n"
        "from ivme.conformance import machine_for\n"
        "from tests.support.broken_engines import ForgetsColumn, Right\n"
        "TestRight = machine_for(partial(Right, 'AB'), free='AB').TestCase\n"
        "TestBroken = machine_for(partial(ForgetsColumn, 'AB'), free='AB').TestCase\n"
    )
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert "1 failed, 1 passed" in result.stdout, result.stdout + result.stderr
    assert "wrong answer" in result.stdout
    assert issubclass(machine_for(partial(Right, ""), free="").TestCase, object)


# --- complexity -----------------------------------------------------------------------------------------


def test_our_engine_keeps_its_claim_and_classical_ivm_does_not() -> None:
    assert check_complexity(partial(ViewEngine, ""), claimed=0.5).exponent < 0.05
    with pytest.raises(ConformanceFailure, match="cost grows too fast"):
        check_complexity(partial(Right, ""), claimed=0.5)
    assert check_complexity(partial(Right, ""), claimed=1.0).counted


def test_a_quadratic_engine_is_refuted_though_its_answers_are_right(seed: int) -> None:
    run(partial(Quadratic, "A"), "A", examples=20, seed=seed, folder=None)
    with pytest.raises(ConformanceFailure, match=r"measured exponent (1\.9|2\.0)"):
        check_complexity(partial(Quadratic, "A"), claimed=1.0)


def test_wall_time_is_used_where_there_is_no_counter() -> None:
    class Uncounted:
        def __init__(self) -> None:
            self.right = Right("")

        def update(self, relation: RelationName, x: object, y: object, multiplicity: int) -> None:
            self.right.update(relation, x, y, multiplicity)

        def rows(self) -> list[tuple[tuple[object, ...], int]]:
            return list(self.right.rows())

    assert not measure(Uncounted, sizes=(100, 200)).counted


# --- what a trace says ----------------------------------------------------------------------------------


def test_a_trace_that_expects_the_wrong_answer_is_refused() -> None:
    steps = [Step("update", (("R", 0, 0, 1),)), Step("expect", answer={(): 7})]
    with pytest.raises(ValueError, match="by definition it is"):
        replay(trace_of("", steps), partial(Right, ""), Capabilities())
