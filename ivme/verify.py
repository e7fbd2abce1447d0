"""`python -m ivme.verify`: run adversarial workloads on every query and check all that the paper promises.

For each family of workloads, query and ε: maintain the view; compare the answer with the naive reference and
the state with the spec's predicates at regular points; hold the counted steps to the spec's bounds. Prints
what was checked, how close the costs came to their bounds, and the verdict; exit code 0 if all held, else 1.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from fractions import Fraction

from attrs import define

from ivme import workloads
from ivme.view import TriangleView
from ivme.workloads import Workload
from ivme_reference.naive import Naive
from ivme_spec.bounds import SMALLEST, query_bounds
from ivme_spec.queries import HEADS

QUERIES = [*((free, "single") for free in HEADS), ("", "double")]
EPSILONS = [Fraction(0), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1)]
CHECKPOINTS = 3
"""How often the answer and the state are compared with reference and spec in each run."""

SIZE = 520
"""Tuples that are loaded, so that N is large enough for the constants of the bounds to hold."""

FAMILIES: dict[str, Callable[[Fraction], Workload]] = {
    "hub": lambda epsilon: workloads.hub(SIZE, 40, everywhere=True),
    "view-upkeep": lambda epsilon: workloads.view_upkeep(SIZE, epsilon, updates=40),
    "intersection": lambda epsilon: workloads.intersection(SIZE, epsilon, side="column", updates=40),
    "threshold-thrash": lambda epsilon: workloads.threshold_thrash(
        SIZE, min(epsilon, Fraction(1, 2)), columns="both", cycles=1
    ),
    "size-thrash": lambda epsilon: workloads.size_thrash(SIZE, min(epsilon, Fraction(1, 2)), cycles=1),
    "agm": lambda epsilon: workloads.agm(SIZE, 20),
    "wide-views": lambda epsilon: workloads.wide_views(SIZE, epsilon),
    "delay-binary": lambda epsilon: workloads.delay_binary(SIZE, epsilon),
    "delay-unary": lambda epsilon: workloads.delay_unary(SIZE, epsilon),
    "uniform": lambda epsilon: workloads.uniform(400, 10, seed=1),
}


@define
class Tally:
    """What was checked for one family, over all queries and ε."""

    runs: int = 0
    updates: int = 0
    answers: int = 0
    minor: int = 0
    major: int = 0
    closest: float = 0.0
    """The largest ratio of a counted cost to a bound that grows; for the eye, not for the verdict."""


def check(family: str, free: str, partitioning: str, epsilon: Fraction, tally: Tally) -> Iterator[str]:
    """Run one workload on one query; yields what does not hold."""
    workload = FAMILIES[family](epsilon)
    database = workload.database()
    view = TriangleView(free, epsilon, partitioning=partitioning, database=database)
    reference: Naive[int] = Naive(free, database=database)
    updates = [*workload.prepare(), *workload.updates()]
    every = max(1, len(updates) // CHECKPOINTS)
    initial = largest = max(view.threshold_base, SMALLEST)
    for number, update in enumerate(updates):
        if number % every == 0:
            yield from compare(view, reference)
            tally.answers += 1
        view.update(*update)
        reference.update(*update)
        largest = max(largest, view.threshold_base)
    yield from compare(view, reference)
    costs, bounds = view.costs, query_bounds(free, partitioning)
    amortized = costs.maintenance // max(1, costs.update_count)
    for what, steps, bound, base in (
        ("preprocessing", costs.preprocessing, bounds.preprocessing, initial),
        ("one update", costs.largest_update, bounds.update, largest),
        ("one minor rebalancing", costs.largest_minor, bounds.minor, largest),
        ("one major rebalancing", costs.largest_major, bounds.major, largest),
        ("updates, amortized", amortized, bounds.amortized, largest),
        ("delay", costs.largest_delay, bounds.delay, largest),
    ):
        if bound.grows(epsilon):
            tally.closest = max(tally.closest, steps / bound.estimate(base, epsilon))
        if not bound.allows(steps, base, epsilon):
            stated = f"{bound.describe(epsilon)} ({bound.label})"
            yield f"{what}: {steps} steps; the bound for N = {base} is {stated}"
    tally.runs += 1
    tally.answers += 1
    tally.updates += len(updates)
    tally.minor += costs.minor_count
    tally.major += costs.major_count


def compare(view: TriangleView[int], reference: Naive[int]) -> Iterator[str]:
    """What is wrong with a view's answer or state."""
    rows = list(view)
    if len(dict(rows)) != len(rows):
        yield "a row was reported twice"
    if dict(rows) != dict(reference):
        yield "the answer differs from the reference's"
    yield from map(str, view.violations())


def main() -> int:
    """Check everything, print the table, return the exit code."""
    started = time.monotonic()
    problems: list[str] = []
    print(f"{len(QUERIES)} queries × ε ∈ {{{', '.join(map(str, EPSILONS))}}}: answers against the reference,")
    print("states against the spec, counted steps against the paper's bounds (closest: largest share used)\n")
    columns = "".join(f"{name:>9}" for name in ("runs", "updates", "answers", "minor", "major", "closest"))
    print(f"{'workload':17}{columns}  verdict")
    for family in FAMILIES:
        tally, found = Tally(), len(problems)
        for free, partitioning in QUERIES:
            for epsilon in EPSILONS:
                name = f"{family}, △({free}) {partitioning}, ε = {epsilon}"
                problems += (
                    f"{name}: {problem}" for problem in check(family, free, partitioning, epsilon, tally)
                )
        verdict = "ok" if len(problems) == found else f"{len(problems) - found} problems"
        print(
            f"{family:17}{tally.runs:9}{tally.updates:9}{tally.answers:9}{tally.minor:9}{tally.major:9}"
            f"{tally.closest:9.0%}  {verdict}",
            flush=True,
        )
    for problem in problems[:20]:
        print(problem)
    seconds = time.monotonic() - started
    print(f"\n{'everything holds' if not problems else f'{len(problems)} problems'} ({seconds:.0f} s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
