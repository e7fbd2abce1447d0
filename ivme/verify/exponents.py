"""How update time, space and delay grow with N: counted on the workload that is tight for each query and ε.

The paper's trade-off (table:complexities_triangle) has an exponent of each for every query and ε. Here each
is the slope of log(count) over log(N) over a few sizes. The slopes are informative; the verdict is that every
count is within its bound, exactly. Space is reported including the tuples of the database, which dominate at
ε = 0 and 1; the bound is on the entries of the views alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from attrs import evolve, frozen

from ivme import workloads
from ivme.verify.judging import COSTS, cost, cost_problems, entries
from ivme.verify.results import Exponent, Problem
from ivme.view import TriangleView
from ivme.workloads import Workload
from ivme_spec.bounds import SMALLEST, Bound, query_bounds
from ivme_spec.queries import Query, canonical
from ivme_spec.relations import RELATIONS, RelationName
from ivme_spec.slopes import slope

HALF = Fraction(1, 2)
COST_NAMES = ("update", "space", "delay")


def tight(name: str, query: Query, epsilon: Fraction, size: int) -> Workload:
    """The workload on which a cost of a canonical query approaches its bound; see docs/workloads.md."""
    arity = len(query.free)
    if name == "update":
        if epsilon >= HALF:
            return workloads.intersection(size, epsilon, "S" if arity in (1, 2) else "R", "row", updates=10)
        side = "split" if query.partitioning == "double" else "column"
        return workloads.intersection(size, epsilon, ("R", "S", "T", "R")[arity], side, updates=10)
    if name == "space":
        if arity == 3:
            return workloads.agm(size)
        if query.partitioning == "double":
            return workloads.wide_views(size, epsilon, "R", "double", loose=epsilon < HALF)
        loose = HALF < epsilon < 1
        return workloads.wide_views(size, epsilon, "S" if arity == 2 else "R", "light", loose)
    if arity == 2:
        return workloads.delay_binary(size, epsilon)
    return workloads.delay_unary(size, epsilon) if arity == 1 else workloads.agm(size)


def factor(name: str, epsilon: Fraction) -> int:
    """The factor for the sizes: where counts are small, rounding hides the slope."""
    if name == "delay" and Fraction(3, 4) <= epsilon < 1:
        return 8
    return 1 if name == "space" else 2


@frozen
class Counted:
    """A cost on one workload: N, |D|, and the count that the bound is about."""

    base: int
    size: int
    count: int


def count(name: str, query: Query, epsilon: Fraction, workload: Workload) -> Counted:
    """The counted cost, on a workload that is rotated from the canonical head to this one."""
    turns = canonical(query.free)[1]

    def turned(relation: RelationName) -> RelationName:
        return RELATIONS[(RELATIONS.index(relation) + turns) % 3]

    database = {turned(relation): rows for relation, rows in workload.database().items()}
    view = TriangleView(query.free, epsilon, partitioning=query.partitioning, database=database)
    view.apply((turned(relation), x, y, m) for relation, x, y, m in workload.prepare())
    if name == "space":
        found = entries(view)
    elif name == "delay":
        for _ in view:
            pass
        found = view.costs.largest_delay
    else:
        before = view.costs.updates
        taken = view.apply((turned(relation), x, y, m) for relation, x, y, m in workload.updates())
        found = -(-(view.costs.updates - before) // max(1, taken))
    return Counted(view.threshold_base, view.size, found)


def exponent(name: str, query: Query, epsilon: Fraction, sizes: Sequence[int]) -> Exponent:
    """The growth of one cost of one query.  Cost: builds a view for each size."""
    bound: Bound = getattr(query_bounds(query.free, query.partitioning), name)
    points: list[tuple[int, int]] = []
    problems: list[Problem] = []
    family = "none"
    base = evolve(query, free=canonical(query.free)[0])
    try:
        for size in sizes:
            size *= factor(name, epsilon)
            workload = tight(name, base, epsilon, size)
            family = workload.family
            found = count(name, query, epsilon, workload)
            points.append((found.base, found.count + (found.size if name == "space" else 0)))
            one = cost(name, found.count, bound, max(found.base, SMALLEST), epsilon)
            problems += (Problem(COSTS, f"size {size}: {problem.text}") for problem in cost_problems([one]))
    except Exception as error:  # a fault of the engine is a finding, not the end of the job
        problems.append(Problem(COSTS, f"{type(error).__name__}: {error}"))
    return Exponent(
        cost=name,
        free=query.free,
        partitioning=query.partitioning,
        epsilon=str(epsilon),
        claimed=str(min(power.exponent for power in bound.powers(epsilon))),
        measured=round(slope((base, max(1, count)) for base, count in points), 4) if len(points) > 1 else 0.0,
        points=tuple(points),
        family=family,
        problems=tuple(problems),
    )
