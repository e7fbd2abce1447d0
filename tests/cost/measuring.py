"""Shared by the cost tests: queries, views brought to the state under attack, counts, fitted slopes."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import pytest

from ivme import TriangleView
from ivme.workloads import Update, Workload
from ivme_spec import slopes
from ivme_spec.bounds import SMALLEST, QueryBounds, query_bounds
from ivme_spec.queries import Query

COUNT, DOUBLE, UNARY, BINARY, TERNARY = (
    Query(""),
    Query("", "double"),
    Query("A"),
    Query("AB"),
    Query("ABC"),
)
QUERIES = (COUNT, DOUBLE, UNARY, BINARY, TERNARY)
"""One for each of the five plans."""

EPSILONS = tuple(Fraction(text) for text in ("1/4", "1/3", "1/2", "2/3", "3/4"))

each_query = pytest.mark.parametrize("query", QUERIES)
each_epsilon = pytest.mark.parametrize("epsilon", EPSILONS, ids=str)

SLOPE_TOLERANCE = 0.07


def bounds_of(query: Query) -> QueryBounds:
    """The spec's bounds for a query."""
    return query_bounds(query.free, query.partitioning)


def most(epsilon: Fraction) -> Fraction:
    return max(epsilon, 1 - epsilon)


def least(epsilon: Fraction) -> Fraction:
    return min(epsilon, 1 - epsilon)


def loaded(query: Query, epsilon: object, workload: Workload) -> TriangleView[int]:
    """A view of the workload's database, brought to the state under attack."""
    view = TriangleView(query.free, epsilon, partitioning=query.partitioning, database=workload.database())
    base = view.threshold_base
    view.apply(workload.prepare())
    assert view.threshold_base == base >= SMALLEST
    return view


def maintenance(view: TriangleView[int]) -> int:
    """`view.costs.maintenance`, without copying all costs."""
    meter = view._engine.meter
    return meter.updates + meter.minor + meter.major


def steps_of(view: TriangleView[int], updates: Iterable[Update]) -> list[int]:
    """The counted steps of each update, rebalancing included."""
    found, before = [], maintenance(view)
    for update in updates:
        view.update(*update)
        after = maintenance(view)
        found.append(after - before)
        before = after
    return found


def update_steps(query: Query, epsilon: object, workload: Workload) -> tuple[int, int]:
    """N and the steps of the cheapest update of the attack: all of them have to be expensive."""
    view = loaded(query, epsilon, workload)
    steps = steps_of(view, workload.updates())
    assert bounds_of(query).update.allows(max(steps), view.threshold_base, view.epsilon)
    assert bounds_of(query).amortized.allows(
        math.ceil(sum(steps) / len(steps)), view.threshold_base, view.epsilon
    )
    return view.threshold_base, min(steps)


def entries(view: TriangleView[int]) -> int:
    """The entries of all materialized views: the head map; V̂ of summed trees; V, V̂ and root of kept ones."""
    engine = view._engine
    count = sum(1 for _ in engine.head.rows())
    count += sum(1 for summed in engine.summed.values() for _ in summed.entries())
    for kept in engine.kept.values():
        below = list(kept.entries())
        count += len(below) + len({(x, z) for x, _, z in below}) + len(kept.root_pairs())
    assert engine.entries() == count
    return count


def slope(points: Sequence[tuple[int, int]]) -> float:
    """The exponent e of the power c · N^e that fits best, by least squares over logarithms."""
    assert len(points) >= 4
    return slopes.slope(points)


def constant(count: int, base: int, exponent: Fraction) -> float:
    """count / base^exponent, for comparisons with a stated positive constant and for reports."""
    return count / math.pow(base, exponent)
