"""Counted costs against bounds, problems, and the traces that show them: shared by all runs."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import chain
from pathlib import Path

from ivme.formats.traces import Answer, Header, Step, Update, write_trace
from ivme.verify.plan import Task
from ivme.verify.results import Cost, Problem
from ivme.view import TriangleView
from ivme_spec.bounds import SMALLEST, Bound, query_bounds
from ivme_spec.queries import Partitioning

ANSWERS = "answers equal the naive reference's"
SPARK = "answers of large runs equal Spark's"
JOIN = "answers of large runs equal a worst-case optimal join's"
ROWS = "no row is reported twice"
INVARIANTS = "states satisfy all invariants of the paper"
COSTS = "counted costs are within the paper's bounds"
FAULTS = "every valid update is accepted"

MOST = 5
"""How many problems of one run are told."""

TRACES = "traces"
"""The folder of the traces, beside results.json."""


def cost(name: str, steps: int, bound: Bound, base: int, epsilon: Fraction) -> Cost:
    """A counted cost with the exact verdict; value and ratio are for the eye."""
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
    partitioning: Partitioning,
    initial: int,
    largest: int,
    space: Iterable[tuple[int, int]],
) -> tuple[Cost, ...]:
    """All costs of a run.

    initial  N when the view was made, and `largest`, the largest N of the run
    space    entries of the views with the N of that moment; the worst of them is told
    """
    costs, bounds, epsilon = view.costs, query_bounds(view.free, partitioning), view.epsilon
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
    """What exceeds its bound."""
    return [
        Problem(COSTS, f"{c.name}: {c.steps} where N = {c.base}; the bound is {c.bound} ({c.label})")
        for c in costs
        if not c.holds
    ]


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
    """Write the trace of a problem; its name relative to `folder`, "" if there is no folder."""
    if folder is None:
        return ""
    header = Header(
        task.free,
        str(task.epsilon),
        seed=seed,
        note=note,
        partitioning=task.partitioning,
        loaded=load_count,
    )
    steps: Iterable[Step] = (Step("update", (update,)) for update in chain(loaded, updates))
    if answer is not None:
        steps = chain(steps, (Step("expect", answer=answer),))
    name = f"{TRACES}/{task.file_name}.jsonl"
    (folder / TRACES).mkdir(parents=True, exist_ok=True)
    write_trace(folder / name, header, steps)
    return name
