"""Update time N^max(ε,1−ε): reached on every attacked update, and exceeded by none."""

import math
from fractions import Fraction

import pytest

from ivme import TriangleView
from ivme.workloads import Workload, hub, intersection, view_upkeep
from ivme_reference import Classical
from ivme_spec.queries import Query
from ivme_spec.relations import RELATIONS, RelationName
from tests.cost.measuring import (
    BINARY,
    COUNT,
    DOUBLE,
    EPSILONS,
    QUERIES,
    SLOPE_TOLERANCE,
    TERNARY,
    UNARY,
    bounds_of,
    constant,
    each_epsilon,
    each_query,
    loaded,
    most,
    slope,
    steps_of,
    update_steps,
)

SIZES = (800, 2_400, 7_200, 20_000)
FULL_SIZE = 50_000
"""Loaded tuples: N = 2·size + 1 goes up to 100,001."""


def worst(query: Query, epsilon: Fraction, size: int, loose: bool = False) -> Workload:
    """A costly single update of a query, for its exponent: see `intersection`; constants: test_worst.py."""
    if epsilon > Fraction(1, 2) or (epsilon == Fraction(1, 2) and not loose):
        relation: RelationName = "S" if query in (UNARY, BINARY) else "R"
        return intersection(size, epsilon, relation, "row", loose, updates=20)
    relation = "S" if query is UNARY else "T" if query is BINARY else "R"
    side = "split" if query is DOUBLE else "column"
    return intersection(size, epsilon, relation, side, loose, updates=20)


@each_query
@each_epsilon
def test_updates_reach_their_exponent_within_their_constant(query: Query, epsilon: Fraction) -> None:
    """`update_steps` asserts the bounds, at ε = ½ up to N = 100,001; the slope shows that they are tight."""
    sizes = (*SIZES, FULL_SIZE) if epsilon == Fraction(1, 2) else SIZES
    points = [update_steps(query, epsilon, worst(query, epsilon, size)) for size in sizes]
    assert abs(slope(points) - most(epsilon)) <= SLOPE_TOLERANCE


LEAST = {COUNT: 5.4, DOUBLE: 2.8, UNARY: 6.6, BINARY: 6.6, TERNARY: 5.4}


@each_query
@pytest.mark.parametrize("epsilon", EPSILONS[:4], ids=str)
def test_limits_of_a_loose_partition_are_costly(query: Query, epsilon: Fraction) -> None:
    """On each update of the attack; what the constants allow at most is in test_worst.py."""
    base, steps = update_steps(query, epsilon, worst(query, epsilon, 2_048, loose=True))
    rounding = 0.75 if epsilon == Fraction(1, 4) else 1  # θ = 8: ½θ + 1 tuples for each heavy value
    assert constant(steps, base, most(epsilon)) >= LEAST[query] * rounding


@each_query
@pytest.mark.nightly
def test_limits_of_a_loose_partition_at_full_size(query: Query) -> None:
    epsilon = Fraction(1, 2)
    base, steps = update_steps(query, epsilon, worst(query, epsilon, FULL_SIZE, loose=True))
    assert base > 100_000
    assert constant(steps, base, epsilon) >= 1.25 * LEAST[query]


@pytest.mark.parametrize("query", [query for query in QUERIES if query is not DOUBLE])
@each_epsilon
def test_view_upkeep_alone_reaches_the_exponent(query: Query, epsilon: Fraction) -> None:
    """δV without any triangle. In the count query with double partitions V stays small instead."""
    side = "row" if epsilon >= Fraction(1, 2) else "column"
    relation: RelationName = "R"
    if query in (UNARY, BINARY):
        relation = "T" if query is BINARY and side == "column" else "S"
    points = [
        update_steps(query, epsilon, view_upkeep(size, epsilon, relation, side, updates=4))
        for size in (781, 1_562, 6_250, 12_500)
    ]
    assert abs(slope(points) - most(epsilon)) <= SLOPE_TOLERANCE


@pytest.mark.parametrize("everywhere", [False, True], ids=["one hub", "hubs everywhere"])
@each_query
def test_hubs_cost_constant_time_where_classical_ivm_is_linear(query: Query, everywhere: bool) -> None:
    """The toggled tuple has linear degrees on both sides: IVM^ε looks up what classical IVM intersects."""
    ours, classical = [], []
    for size in (540, 1_200, 3_000, 7_500):
        for relation in RELATIONS:
            workload = hub(size, 10, relation, everywhere)
            view = loaded(query, "1/2", workload)
            ours.append((view.threshold_base, max(steps_of(view, workload.updates()))))
        other: Classical[int] = Classical(query.free, database=workload.database())
        before = other.steps
        for update in workload.updates():
            other.update(*update)
        classical.append((view.threshold_base, (other.steps - before) // 10))
    assert abs(slope(ours)) <= 0.05
    assert max(steps for _, steps in ours) <= 30
    assert abs(slope(classical) - 1) <= 0.05
    assert classical[-1][1] > 100 * ours[-1][1]


def test_at_the_ends_of_epsilon_hubs_cost_what_classical_ivm_costs() -> None:
    """sec:classicalIVM: the lookups above are bought by the views, which ε = 0 and ε = 1 keep empty."""
    for epsilon in (0, 1):
        points = []
        for size in (540, 1_620, 4_860, 14_580):
            workload = hub(size, 10)
            view = TriangleView("", epsilon, database=workload.database())
            points.append((view.threshold_base, max(steps_of(view, workload.updates()))))
        assert abs(slope(points) - 1) <= 0.05


def test_slopes_and_bounds_notice_a_slow_engine() -> None:
    """A count that grows with N^(ε + 0.1), or is 1.4 times the constant, is noticed."""
    points = [(n, math.ceil(8 * n**0.6)) for n in (1_000, 4_000, 16_000, 64_000)]
    assert abs(slope(points) - 0.5) > SLOPE_TOLERANCE
    bound = bounds_of(COUNT).update
    assert bound.allows(2_840, 100_000, Fraction(1, 2))
    assert not bound.allows(4_000, 100_000, Fraction(1, 2))
    assert constant(4_000, 100_000, Fraction(1, 2)) > 12
