"""`ivme verify`: a healthy engine passes, and each planted fault is found by the check meant for it."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from ivme import TriangleView
from ivme.formats.traces import read_trace
from ivme.replay.replay import open_replay
from ivme.verify import checks, size_of, summary, verify
from ivme.verify.judging import ANSWERS, COSTS, FAULTS, INVARIANTS, JOIN, ROWS, TRACES
from ivme.verify.large import judge, maintain
from ivme.verify.plan import SMALL, WORST, Task, full_plan, quick_plan
from ivme.verify.small import small_run
from ivme.verify.witness import joined_answers
from ivme.workloads import define
from ivme_reference.naive import Naive
from ivme_spec.bounds import query_bounds
from ivme_spec.queries import HEADS, QUERIES, Query
from tests.support import broken_views
from tests.support.plans import HALF, everything, tiny_plan


def test_a_healthy_engine_passes(tmp_path: Path) -> None:
    plan = tiny_plan()
    done: list[int] = []
    results = verify(plan, tmp_path, spark=False, jobs=1, advance=done.append)
    assert results.ok
    assert sum(done) == size_of(plan)
    assert [check.name for check in results.checks] == [ANSWERS, JOIN, ROWS, INVARIANTS, COSTS, FAULTS]
    assert list(tmp_path.iterdir()) == []
    assert [(run.kind, run.witness, run.answers) for run in results.runs] == [
        ("small", "naive", 4),
        ("large", "leapfrog", 2),
    ]
    assert {one.cost for one in results.exponents} == {"update", "space", "delay"}
    assert results.timeline is not None
    assert summary.verdict(results).startswith("everything holds")
    assert "Spark was not asked for" in results.notes[0]


def test_worker_processes_find_the_same() -> None:
    here, there = (verify(tiny_plan(), spark=False, jobs=jobs) for jobs in (1, 2))

    def findings(results: Any) -> Any:
        return [(run.family, run.free, run.rows, run.minor, run.costs) for run in results.runs]

    assert findings(here) == findings(there)
    assert here.exponents == there.exponents
    assert here.timeline == there.timeline


FAULTY = [
    (broken_views.WrongAnswer, ANSWERS, JOIN),
    (broken_views.MissingRow, ANSWERS, JOIN),
    (broken_views.RowTwice, ROWS, ROWS),
    (broken_views.Violated, INVARIANTS, INVARIANTS),
    (broken_views.Slow, COSTS, COSTS),
    (broken_views.TooLarge, COSTS, COSTS),
    (broken_views.Raises, FAULTS, None),
]


@pytest.mark.parametrize(("engine", "check", "of_large"), FAULTY)
def test_a_planted_fault_is_found_in_a_small_run(
    engine: type[TriangleView[int]],
    check: str,
    of_large: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ivme.verify.small.TriangleView", engine)
    results = verify(tiny_plan(large=()), tmp_path, spark=False, jobs=1)
    assert not results.ok
    assert {one.name for one in results.checks if one.problems} == {check}
    (run,) = results.runs
    assert {problem.check for problem in run.problems} == {check}
    assert {problem.trace for problem in run.problems} == {f"{TRACES}/uniform-AB-single-1-over-2.jsonl"}
    assert "problem" in summary.verdict(results)
    assert any("uniform (small), △(a, b), ε = 1/2: " in line for line in summary.problem_lines(results))


@pytest.mark.parametrize(("engine", "of_small", "check"), FAULTY)
def test_a_planted_fault_is_found_in_a_large_run(
    engine: type[TriangleView[int]],
    of_small: str,
    check: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if check is None:
        monkeypatch.setattr(engine, "apply", raising)
        check = FAULTS
    monkeypatch.setattr("ivme.verify.large.TriangleView", engine)
    results = verify(tiny_plan(small=()), tmp_path, spark=False, jobs=1)
    assert {one.name for one in results.checks if one.problems} == {check}
    (run,) = results.runs
    (trace,) = {problem.trace for problem in run.problems}
    assert (tmp_path / trace).is_file()


def raising(self: object, updates: object) -> int:
    raise KeyError("planted")


def test_the_trace_of_a_fault_shows_it_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole run up to the wrong answer, from the loaded database on; right for a healthy engine."""
    task = Task(define("hub", size=60, updates=91), Query("AB"), HALF)
    monkeypatch.setattr("ivme.verify.small.TriangleView", broken_views.WrongAnswer)
    (problem, *_) = small_run(task, tmp_path, 7).problems
    path = tmp_path / problem.trace
    trace = read_trace(path)
    assert (trace.header.loaded, trace.header.seed, trace.header.epsilon) == (60, 7, "1/2")
    assert list(trace.updates) == everything(task)[: len(trace.updates)]
    assert trace.steps[-1].kind == "expect"
    with open_replay(path, debug=True) as healthy:
        assert not any(change.problem for change in healthy)
    monkeypatch.setattr("ivme.replay.replay.TriangleView", broken_views.WrongAnswer)
    with open_replay(path) as faulty:
        assert [change.kind for change in faulty if change.problem] == ["expect"]


def test_an_engine_that_cannot_be_made_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuses(*given: object, **named: object) -> None:
        raise RuntimeError("planted")

    monkeypatch.setattr("ivme.verify.small.TriangleView", refuses)
    run = small_run(tiny_plan().small[0], None, 1)
    assert [problem.check for problem in run.problems] == [FAULTS]
    assert "RuntimeError: planted" in run.problems[0].text


def test_a_wrong_update_at_any_place_of_a_large_run_is_found(rng: Any, seed: int) -> None:
    """One multiplicity is off by one, in an engine that is otherwise right."""
    plan = tiny_plan()
    (large,) = plan.large
    task = Task(large.definition, Query(""), HALF)
    right = joined_answers(large.definition, large.prefixes, [""])
    expected = {prefix: answers[""] for prefix, answers in right.items()}
    found = maintain(task, None, large.prefixes, False)
    assert not judge(found, expected, "leapfrog", JOIN, None, None, seed).problems
    prefix = rng.choice(large.prefixes)
    ((row, m),) = found.answers[prefix]
    found.answers[prefix] = ((row, m + rng.choice((-1, 1))),)  # type: ignore[index]  # a dict in fact
    judged = judge(found, expected, "leapfrog", JOIN, None, None, seed)
    assert [problem.check for problem in judged.problems] == [JOIN]
    assert f"after {prefix} updates" in judged.problems[0].text


def test_the_join_gives_the_answers_of_the_definition() -> None:
    definition = define("zipf", updates=120, values=5, seed=2)
    updates = list(definition.workload())
    found = joined_answers(definition, (50, 120))
    for prefix in (50, 120):
        for free in HEADS:
            naive: Naive[int] = Naive(free)
            for update in updates[:prefix]:
                naive.update(*update)
            assert found[prefix][free] == dict(naive)


def test_a_check_that_was_not_made_is_no_verdict() -> None:
    results = verify(tiny_plan(small=()), spark=False, jobs=1)
    assert not results.ok
    assert results.problems == 0
    assert summary.verdict(results).startswith("no verdict")
    assert "not made" in {line[-1] for line in summary.check_lines(results)}
    assert not next(checks((), (), JOIN)).ok


def test_the_full_plan_has_every_query_and_family() -> None:
    plan = full_plan(5)
    assert len(plan.small) == (len(SMALL) * 6 + len(WORST) * 4) * len(QUERIES)
    assert {task.query for task in plan.small} == set(QUERIES)
    assert set(HEADS) == {query.free for query in plan.large_queries}
    assert len(plan.large) >= 5
    for large in plan.large:
        count = len(large.definition.workload())
        assert 10_000 <= count == large.prefixes[-1]
        assert list(large.prefixes) == sorted(set(large.prefixes))
    assert {large.prefixes for large in plan.large} != {large.prefixes for large in full_plan(6).large}
    assert HALF in plan.large_epsilons
    assert len(plan.large_epsilons) >= 2
    assert {task.epsilon for task in quick_plan().small} == {Fraction(1, 2)}


MEASURED = {
    ("update", "AB"): "11",
    ("update", "ABC"): "9",
    ("major", "A"): "3/4",
    ("major", "AB"): "3/4",
    ("major", "ABC"): "5/4",
}
"""Constants that the spec once had from ordinary states. They are false."""


@pytest.mark.parametrize(("cost", "free"), MEASURED)
def test_a_constant_that_only_ordinary_states_keep_is_refuted(
    cost: str, free: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by the quick plan; and the spec's own constant is not."""
    tasks = [
        task
        for task in quick_plan().small
        if (task.query.free, task.definition.family) == (free, f"worst-{cost}")
    ]
    true = query_bounds(free)
    (power,) = getattr(true, cost).powers(HALF)
    false = evolve(power, constant=Fraction(MEASURED[cost, free]))
    planted_bounds = evolve(true, **{cost: evolve(getattr(true, cost), powers=lambda epsilon: (false,))})
    assert [small_run(task, None, 1).problems for task in tasks] == [()]
    monkeypatch.setattr("ivme.verify.judging.query_bounds", lambda *query: planted_bounds)
    (problem,) = (problem for task in tasks for problem in small_run(task, None, 1).problems)
    assert problem.check == COSTS
    assert problem.text.startswith(f"{cost}: ")


def test_without_java_one_line_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setattr("ivme.spark.java.packaged_java", lambda: None)
    results = verify(tiny_plan(small=()), jobs=1)
    (note,) = results.notes
    assert "no Spark: Spark needs Java 17 or later" in note
    assert "\n" not in note
    assert [run.witness for run in results.runs] == ["leapfrog"]
    assert [run.source for run in results.runs] == ["built-in"]
