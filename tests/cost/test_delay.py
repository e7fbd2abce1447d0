"""Delay and lookups: constant, N^min(ε,1−ε) and N^{2min(ε,1−ε)}, each reached and none exceeded."""

from fractions import Fraction
from itertools import islice

import pytest

from ivme import TriangleView
from ivme.workloads import Workload, agm, delay_binary, delay_unary, hub, intersection, wide_views
from ivme_spec.queries import Query
from ivme_spec.thresholds import threshold
from tests.cost.measuring import (
    BINARY,
    EPSILONS,
    QUERIES,
    SLOPE_TOLERANCE,
    TERNARY,
    UNARY,
    bounds_of,
    each_epsilon,
    each_query,
    least,
    loaded,
    slope,
)

HALF = Fraction(1, 2)


def delays(view: TriangleView[int], rows: int | None = None) -> int:
    """The largest gap of an enumeration, first and last included, or of a lookup of a row in or near it."""
    found = [row for row, _ in islice(view, rows)]
    for row in found[:200]:
        assert row in view
        assert (*row[:-1], -1) not in view if row else True
    return view.costs.largest_delay


def within(query: Query, view: TriangleView[int], rows: int | None = None) -> tuple[int, int]:
    steps = delays(view, rows)
    assert bounds_of(query).delay.allows(steps, view.threshold_base, view.epsilon)
    return view.threshold_base, steps


def attack(query: Query, size: int, epsilon: Fraction, loose: bool = False) -> Workload:
    return (delay_unary if query is UNARY else delay_binary)(size, epsilon, loose)


SIZES = {
    Fraction(1, 4): (800, 3_200, 12_800, 50_000),
    Fraction(1, 3): (800, 3_200, 12_800, 50_000),
    HALF: (500, 1_200, 3_000, 7_500),
}


@pytest.mark.parametrize("query", [UNARY, BINARY])
@pytest.mark.parametrize("epsilon", SIZES, ids=str)
def test_delays_reach_their_exponent(query: Query, epsilon: Fraction) -> None:
    points = [within(query, loaded(query, epsilon, attack(query, size, epsilon))) for size in SIZES[epsilon]]
    expected = (2 if query is UNARY else 1) * least(epsilon)
    assert abs(slope(points) - expected) <= SLOPE_TOLERANCE


@pytest.mark.parametrize(
    ("query", "epsilon"),
    [
        (BINARY, Fraction(2, 3)),
        (UNARY, Fraction(2, 3)),
        (BINARY, Fraction(3, 4)),
    ],
)
@pytest.mark.nightly
def test_delays_reach_their_exponent_for_large_epsilon(query: Query, epsilon: Fraction) -> None:
    """Few values can be heavy, with ½θ tuples each; at these sizes they are enough to show the exponent."""
    points = []
    for size in (5_000, 10_000, 20_000, 40_000) if query is BINARY else (20_000, 40_000, 80_000, 160_000):
        view = loaded(query, epsilon, attack(query, size, epsilon, loose=True))
        points.append(within(query, view, rows=20))
    expected = (2 if query is UNARY else 1) * least(epsilon)
    assert abs(slope(points) - expected) <= SLOPE_TOLERANCE


@pytest.mark.parametrize(("query", "share"), [(UNARY, 0.8), (BINARY, 0.67)], ids=["unary", "binary"])
@pytest.mark.parametrize("epsilon", EPSILONS[:2], ids=str)
def test_constants_of_delays_are_not_loose(query: Query, share: float, epsilon: Fraction) -> None:
    base, steps = within(query, loaded(query, epsilon, attack(query, 8_000, epsilon, loose=True)))
    assert steps >= share * bounds_of(query).delay.estimate(base, epsilon)


@pytest.mark.parametrize(("query", "share"), [(UNARY, 0.98), (BINARY, 0.93)], ids=["unary", "binary"])
def test_the_worst_theta_is_a_little_more_than_four_thirds(query: Query, share: float) -> None:
    """Light values have up to two partners there, ³⁄₂θ rounded up is 3: the most that rounding gives."""
    epsilon = Fraction(1, 24)
    base, steps = within(query, loaded(query, epsilon, attack(query, 500, epsilon, loose=True)))
    assert steps >= share * bounds_of(query).delay.estimate(base, epsilon)


def crowded(epsilon: Fraction, size: int) -> TriangleView[int]:
    """The attack on binary rows (0,b), and as many heavy c in T(c,0) that no S(b,c) has."""
    view = loaded(BINARY, epsilon, attack(BINARY, size, epsilon, loose=True))
    theta, far = threshold(view.threshold_base, epsilon), 10 * size
    for c in range(far, far + theta.light - 1):
        view.apply([("T", c, a) for a in range(theta.light)])
        view.apply([("T", c, a, -1) for a in range(theta.heavy, theta.light)])
    return view


def test_a_binary_row_is_looked_for_in_two_lines() -> None:
    """For the same θ: among the light c of T(c,0) and, all in vain, among the heavy ones."""
    epsilon = Fraction(1, 24)
    base, steps = within(BINARY, crowded(epsilon, 500))
    assert steps >= 0.99 * bounds_of(BINARY).delay.estimate(base, epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS[:2], ids=str)
def test_a_row_of_the_head_map_is_looked_for_besides_one_of_a_union(epsilon: Fraction) -> None:
    """Each row also has a triangle by a light c: the union finds one row, the head map reports another."""
    view = crowded(epsilon, 8_000)
    k = threshold(view.threshold_base, epsilon).light - 1
    for b in [b for (a, b), _ in view.tuples("R") if a == 0]:
        view.apply([("S", b, 0, -1), ("S", b, -1)])
    view.insert("T", -1, 0)
    _, steps = within(BINARY, view)
    assert 14 * k - 3 <= steps <= 14 * k - 1


@pytest.mark.parametrize("query", [UNARY, BINARY])
@pytest.mark.parametrize("epsilon", EPSILONS[1:3], ids=str)
def test_delays_at_full_size(query: Query, epsilon: Fraction) -> None:
    """The first rows and their lookups at N = 100,001."""
    base, _ = within(query, loaded(query, epsilon, attack(query, 50_000, epsilon)), rows=3)
    assert base > 100_000


@each_query
@each_epsilon
def test_delays_of_other_instances(query: Query, epsilon: Fraction) -> None:
    """Many rows from the head map and from the trees at once, rows in both, and empty results."""
    for workload in (
        agm(1_200),
        hub(1_200, everywhere=True),
        intersection(1_200, epsilon, "R", "row"),
        intersection(1_200, epsilon, "T", "column"),
        wide_views(1_200, epsilon),
        delay_unary(1_200, epsilon),
        delay_binary(1_200, epsilon),
    ):
        view = loaded(query, epsilon, workload)
        within(query, view)
        view.apply(list(islice(workload.updates(), 1)))
        within(query, view)


def test_the_ternary_delay_is_constant_at_full_size() -> None:
    """64,000 rows from the head map, 125,000 from the trees."""
    for workload, epsilon in (
        (agm(4_800), "1/3"),
        (delay_unary(50_000, "1/3"), "1/3"),
        (hub(50_000, 1), HALF),
    ):
        view = loaded(TERNARY, epsilon, workload)
        view.apply(workload.updates())
        assert delays(view) <= 7
    assert view.threshold_base > 100_000


@pytest.mark.parametrize("query", [QUERIES[0], QUERIES[1]])
def test_the_count_is_one_step(query: Query) -> None:
    view = loaded(query, "1/2", agm(1_200))
    assert view[()] == 20**3
    assert dict(view) == {(): 20**3}
    assert view.costs.largest_delay == 1
