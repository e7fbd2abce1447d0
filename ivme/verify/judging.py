"""Shared by all runs: counted costs against bounds, answers against a witness, and traces of problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from pathlib import Path
from time import monotonic

from attrs import evolve

from ivme.formats.answers import difference
from ivme.formats.traces import Answer, Header, Step, Update, write_trace
from ivme.verify.plan import Task
from ivme.verify.results import Cost, Problem, Run
from ivme.view import TriangleView
from ivme.workloads import Definition
from ivme_spec.bounds import SMALLEST, Bound, query_bounds
from ivme_spec.queries import Query
from ivme_spec.relations import Row

ANSWERS = "answers equal the naive reference's"
SPARK = "answers of large runs equal Spark's"
JOIN = "answers of large runs equal a worst-case optimal join's"
ROWS = "no row is reported twice"
INVARIANTS = "states satisfy all invariants of the paper"
COSTS = "counted costs are within the paper's bounds"
FAULTS = "every valid update is accepted"

MOST = 5
"""How many problems of one run are reported."""

TRACES = "traces"
"""The folder of traces, beside results.json."""


def cost(name: str, steps: int, bound: Bound, base: int, epsilon: Fraction) -> Cost:
    """A counted cost with its exact verdict; value and ratio are approximate."""
    value = bound.estimate(base, epsilon)
    return Cost(
        name,
        steps,
        base,
        bound.describe(epsilon),
        value,
        steps / value,
        bound.label,
        bound.grows(epsilon),
        bound.allows(steps, base, epsilon),
    )


def entries(view: TriangleView[int]) -> int:
    """The entries of all views of a state.  Cost: O(size of the state)."""
    views = view.state()["views"]
    assert isinstance(views, dict)
    return sum(map(len, views.values()))


def counted(
    view: TriangleView[int],
    query: Query,
    initial: int,
    largest: int,
    space: Iterable[tuple[int, int]],
) -> tuple[Cost, ...]:
    """All costs of a run.

    initial  N when the view was made, and `largest`, the largest N of the run
    space    entries of the views with N at that moment; the worst is reported
    """
    costs, epsilon = view.costs, view.epsilon
    bounds = query_bounds(query.free, query.partitioning)
    base = max(largest, SMALLEST)
    amortized = -(-costs.maintenance // max(1, costs.update_count))
    found = [
        cost("preprocessing", costs.preprocessing, bounds.preprocessing, max(initial, SMALLEST), epsilon),
        cost("update", costs.largest_update, bounds.update, base, epsilon),
        cost("minor", costs.largest_minor, bounds.minor, base, epsilon),
        cost("major", costs.largest_major, bounds.major, base, epsilon),
        cost("amortized", amortized, bounds.amortized, base, epsilon),
        cost("delay", costs.largest_delay, bounds.delay, base, epsilon),
    ]
    spaces = [cost("space", count, bounds.space, n, epsilon) for count, n in space]
    if spaces:
        found.append(min(spaces, key=lambda one: (one.holds, -one.ratio)))
    return tuple(found)


def cost_problems(costs: Iterable[Cost]) -> list[Problem]:
    """The costs that exceed their bounds."""
    return [
        Problem(COSTS, f"{c.name}: {c.steps} where N = {c.base}; the bound is {c.bound} ({c.label})")
        for c in costs
        if not c.holds
    ]


def compared(
    rows: Sequence[tuple[Row, int]], right: Mapping[Row, int], check: str, done: int
) -> Iterator[Problem]:
    """What is wrong with the rows of an answer after `done` updates; `check` is the name for wrong values."""
    answer, after = dict(rows), f"after {done} updates: "
    if len(answer) != len(rows):
        yield Problem(ROWS, f"{after}{len(rows) - len(answer)} rows are repeated")
    if answer != right:
        yield Problem(check, after + difference(answer, right))


def fault(error: Exception, done: int) -> Problem:
    """An exception of the engine: a finding, not the end of the job."""
    return Problem(FAULTS, f"after {done} updates: {type(error).__name__}: {error}")


def save_trace(
    folder: Path | None,
    task: Task,
    loaded: Iterable[Update],
    updates: Iterable[Update],
    answer: Answer | None,
    seed: int,
    note: str,
    load_count: int = 0,
) -> str:
    """Write the trace of a problem; its name relative to `folder`, "" without a folder."""
    if folder is None:
        return ""
    header = Header(
        task.query.free,
        str(task.epsilon),
        seed=seed,
        note=note,
        partitioning=task.query.partitioning,
        loaded=load_count,
    )
    steps: Iterable[Step] = (Step("update", (update,)) for update in chain(loaded, updates))
    if answer is not None:
        steps = chain(steps, (Step("expect", answer=answer),))
    name = f"{TRACES}/{task.file_name}.jsonl"
    (folder / TRACES).mkdir(parents=True, exist_ok=True)
    write_trace(folder / name, header, steps)
    return name


def traced(problems: Sequence[Problem], trace: str) -> tuple[Problem, ...]:
    """The first `MOST` problems, with the trace that shows them."""
    return tuple(evolve(problem, trace=trace) for problem in problems[:MOST])


def parameters(definition: Definition) -> dict[str, str]:
    """The parameters of a workload as text, for results.json."""
    return {name: str(value) for name, value in definition.parameters.items()}


def recorded(
    task: Task,
    view: TriangleView[int] | None,
    *,
    kind: str,
    witness: str,
    source: str,
    updates: int,
    base: int,
    answers: int,
    rows: int,
    states: int,
    started: float,
    costs: tuple[Cost, ...],
    problems: Iterable[Problem],
) -> Run:
    """The record of a run; `view` is None if it could not be made, `started` a reading of `monotonic`."""
    return Run(
        kind=kind,
        family=task.definition.family,
        parameters=parameters(task.definition),
        free=task.query.free,
        partitioning=task.query.partitioning,
        epsilon=str(task.epsilon),
        witness=witness,
        source=source,
        updates=updates,
        size=view.size if view is not None else 0,
        base=base,
        answers=answers,
        rows=rows,
        states=states,
        minor=view.costs.minor_count if view is not None else 0,
        major=view.costs.major_count if view is not None else 0,
        seconds=round(monotonic() - started, 3),
        costs=costs,
        problems=tuple(problems),
    )
