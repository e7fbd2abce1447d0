"""Space of all views, and preprocessing: within the bounds of theorem and propositions, and reached."""

from fractions import Fraction

import pytest

from ivme import TriangleView
from ivme.workloads import Workload, agm, delay_binary, delay_unary, hub, intersection, wide_views
from ivme_spec.queries import Query
from ivme_spec.relations import RelationName
from tests.agreement.harness import DICTS
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
    each_epsilon,
    each_query,
    entries,
    least,
    loaded,
    slope,
)
from tests.support.inside import dict_engine, dict_sums

HALF = Fraction(1, 2)


def space(query: Query, epsilon: Fraction, workload: Workload) -> tuple[int, int]:
    """N and the entries of all views, which are asserted to be within the bound."""
    view = loaded(query, epsilon, workload)
    found = entries(view)
    assert bounds_of(query).space.allows(found, view.threshold_base, epsilon)
    assert bounds_of(query).preprocessing.allows(view.costs.preprocessing, view.threshold_base, epsilon)
    return view.threshold_base, found


def widest(query: Query, epsilon: Fraction, size: int, loose: bool = False) -> Workload:
    """The views that take the most space for a query."""
    if query is DOUBLE:
        return wide_views(size, epsilon, "R", "double", loose)
    if query is BINARY:
        kind = "heavy" if epsilon <= Fraction(1, 4) else "light"
        return wide_views(size, epsilon, "R" if kind == "heavy" else "S", kind, loose)
    return wide_views(size, epsilon, "R", "light", loose)


@each_query
@each_epsilon
def test_space_stays_within_its_bound(query: Query, epsilon: Fraction) -> None:
    for workload in (
        agm(1_200),
        hub(1_200, everywhere=True),
        intersection(1_200, epsilon, "R", "row"),
        intersection(1_200, epsilon, "T", "column"),
        delay_unary(1_200, epsilon),
        delay_binary(1_200, epsilon),
        *(wide_views(600, epsilon, relation, kind) for relation, kind in KINDS),
        *(wide_views(512, epsilon, relation, kind, loose=True) for relation, kind in KINDS[2:]),
    ):
        space(query, epsilon, workload)


KINDS: tuple[tuple[RelationName, str], ...] = (
    ("R", "light"),
    ("S", "light"),
    ("T", "light"),
    ("R", "heavy"),
    ("T", "double"),
)


@pytest.mark.parametrize("query", [COUNT, BINARY, TERNARY])
@pytest.mark.parametrize("epsilon", EPSILONS[:2], ids=str)
def test_wide_views_reach_the_exponent(query: Query, epsilon: Fraction) -> None:
    """N^{1+ε}, also for the ternary query, which has N^{3/2} for its results."""
    relation: RelationName = "S" if query is BINARY else "R"
    points = [
        space(query, epsilon, wide_views(size, epsilon, relation)) for size in (600, 1_800, 5_400, 16_200)
    ]
    assert abs(slope(points) - (1 + least(epsilon))) <= SLOPE_TOLERANCE


@pytest.mark.parametrize(
    ("query", "epsilon"),
    [
        (COUNT, HALF),
        (TERNARY, HALF),
        pytest.param(COUNT, Fraction(2, 3), marks=pytest.mark.nightly),
        pytest.param(BINARY, Fraction(2, 3), marks=pytest.mark.nightly),
    ],
)
def test_wide_views_reach_the_exponent_from_one_half_on(query: Query, epsilon: Fraction) -> None:
    """N^{2−ε}, N^{3/2} at ε = ½."""
    sizes = (500, 1_000, 2_000, 4_000) if epsilon == HALF else (5_000, 10_000, 20_000, 40_000)
    relation: RelationName = "S" if query is BINARY else "R"
    points = [space(query, epsilon, wide_views(size, epsilon, relation, loose=True)) for size in sizes]
    assert abs(slope(points) - (1 + least(epsilon))) <= SLOPE_TOLERANCE


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(1, 3), Fraction(2, 5)], ids=str)
def test_double_partitioning_reaches_its_exponent(epsilon: Fraction) -> None:
    """N^min(1+ε, 2−2ε): the maximum 4/3 at ε = ⅓."""
    sizes = (500, 1_500, 4_500, 13_500)
    points = [space(DOUBLE, epsilon, wide_views(size, epsilon, "R", "double", loose=True)) for size in sizes]
    assert abs(slope(points) - min(1 + epsilon, 2 - 2 * epsilon)) <= SLOPE_TOLERANCE


def test_double_partitioning_is_linear_from_one_half_on() -> None:
    """prop:tighter-upper-bound-space-nullary at N = 100,001, where single partitioning takes N^{3/2}."""
    workload = wide_views(50_000, "1/2")
    base, single = space(COUNT, Fraction(1, 2), workload)
    _, double = space(DOUBLE, Fraction(1, 2), workload)
    assert base > 100_000
    assert single > 10 * base
    assert double <= 1


@pytest.mark.parametrize(
    ("query", "epsilon", "share"),
    [
        (COUNT, "1/4", 0.95),
        (COUNT, "1/2", 0.85),
        (DOUBLE, "1/4", 0.7),
        (DOUBLE, "1/3", 0.65),
        (UNARY, "1/4", 0.7),
        (UNARY, "1/2", 0.6),
        (BINARY, "1/4", 0.7),
        (TERNARY, "9/20", 0.75),
    ],
)
def test_constants_of_space_are_not_loose(query: Query, epsilon: str, share: float) -> None:
    """A loose partition at its limits: the views are nearly as large as the inequalities allow."""
    exact = Fraction(epsilon)
    base, found = space(query, exact, widest(query, exact, 2_048, loose=True))
    assert found >= share * bounds_of(query).space.estimate(base, exact)


# --- preprocessing --------------------------------------------------------------------------------------


def preprocessing(query: Query, epsilon: Fraction, size: int) -> tuple[int, int]:
    view = loaded(query, epsilon, agm(size))
    base, steps = view.threshold_base, view.costs.preprocessing
    assert bounds_of(query).preprocessing.allows(steps, base, epsilon)
    return base, steps


@each_query
def test_preprocessing_reaches_its_exponent(query: Query) -> None:
    """N^{3/2} on the complete tripartite instance; what tuples cost anyway is taken off before the fit."""
    epsilon, points = Fraction(1, 3), []
    for size in (3 * side**2 for side in (24, 36, 54, 80)):
        base, steps = preprocessing(query, epsilon, size)
        apart = {
            name: [(x + far, y - far) for x, y in pairs]
            for far, (name, pairs) in enumerate(agm(size).database().items(), start=1 << 20)
        }
        alone = TriangleView(query.free, epsilon, partitioning=query.partitioning, database=apart)
        points.append((base, steps - alone.costs.preprocessing))
    assert abs(slope(points) - 1.5) <= SLOPE_TOLERANCE


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.nightly
def test_preprocessing_at_full_size(query: Query) -> None:
    base, _ = preprocessing(query, Fraction(1, 2), 50_000)
    assert base > 100_000


def test_views_that_shrink_give_their_space_back() -> None:
    """V loses nearly all of its entries; its rows must not keep the capacity that they had."""
    workload = wide_views(2000, "1/2")
    view = TriangleView("", "1/2", database=workload.database(), ring=DICTS)
    sums = dict_sums(dict_engine(view))[0].sums

    def capacity() -> int:
        return sum(row.__sizeof__() for row in sums.values())

    before = capacity()
    tuples = [(b, c) for name, b, c, m in workload if name == "S" and m > 0]
    for b, c in tuples[:-1]:
        view.delete("S", b, c)
    assert sums
    assert capacity() < before // 10
