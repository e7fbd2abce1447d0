"""The constants of the time bounds from both sides: the costliest known states come close, none exceeds them.

The suprema are those of the linear programs over line lengths (`ivme_spec.bounds.Constants`), by hand.
"""

import random
from collections.abc import Iterable
from fractions import Fraction
from itertools import product

import pytest

from ivme.workloads import Workload, worst_major, worst_minor, worst_update
from ivme.workloads.worst import Crossing, Lines, crossed, toggled
from ivme_spec.bounds import SMALLEST, Bound
from ivme_spec.queries import Query
from ivme_spec.thresholds import reaches
from tests.cost.measuring import (
    BINARY,
    COUNT,
    DOUBLE,
    TERNARY,
    UNARY,
    bounds_of,
    each_query,
    loaded,
    most,
    steps_of,
)

HALF = Fraction(1, 2)
SIZES = (500, 1_024, 2_048)
"""N = 1,001, 2,049, 4,097."""

SUPREMA = {
    Fraction(2, 5): {COUNT: "8", DOUBLE: "5", UNARY: "10", BINARY: "10", TERNARY: "8"},
    HALF: {COUNT: "17/2", DOUBLE: "13/2", UNARY: "10", BINARY: "25/2", TERNARY: "25/2"},
    Fraction(2, 3): {COUNT: "6", DOUBLE: "3", UNARY: "15/2", BINARY: "15/2", TERNARY: "6"},
}
"""Of the steps of an update divided by N^max(ε,1−ε), as N grows: for ε < ½, = ½ and > ½."""

FIXED = {COUNT: 15, DOUBLE: 19, UNARY: 19, BINARY: 15, TERNARY: 13}
"""Steps that do not grow, in the update that has the supremum at ε = ½."""

SHARES = {Fraction(2, 5): Fraction(17, 20), HALF: Fraction(9, 10), Fraction(2, 3): Fraction(9, 10)}
"""The share reached. Below ½ heavy values have ⌈½θ⌉ + 1 tuples, a tenth more than ½θ at these sizes."""


def worst_updates(query: Query, epsilon: Fraction, size: int) -> tuple[int, int]:
    """N and the cheapest update of the attack; the costliest is asserted to be within the bound."""
    workload = worst_update(size, epsilon, query.free, query.partitioning, updates=6)
    view = loaded(query, epsilon, workload)
    if size == SIZES[0]:
        assert view.violations() == []
    steps = steps_of(view, workload.updates())
    base = view.threshold_base
    assert bounds_of(query).update.allows(max(steps), base, epsilon)
    assert bounds_of(query).amortized.allows(-(-sum(steps) // len(steps)), base, epsilon)
    return base, min(steps)


@each_query
@pytest.mark.parametrize("epsilon", SUPREMA, ids=str)
def test_updates_reach_the_supremum_and_stay_within_the_bound(query: Query, epsilon: Fraction) -> None:
    least = SHARES[epsilon] * Fraction(SUPREMA[epsilon][query])
    for size in SIZES:
        base, steps = worst_updates(query, epsilon, size)
        assert reaches(steps, least, base, most(epsilon)), f"{steps} steps where N = {base}"


@each_query
@pytest.mark.nightly
def test_updates_reach_the_supremum_at_full_size(query: Query) -> None:
    base, steps = worst_updates(query, HALF, 50_000)
    assert base > 100_000
    assert reaches(steps, Fraction(95, 100) * Fraction(SUPREMA[HALF][query]), base, HALF)


@pytest.mark.parametrize("free", ["B", "C", "BC", "CA"])
def test_rotated_heads_have_the_same_worst_updates(free: str) -> None:
    turned, canonical = Query(free), UNARY if len(free) == 1 else BINARY
    assert worst_updates(turned, HALF, 500) == worst_updates(canonical, HALF, 500)


@each_query
def test_the_constant_is_the_supremum_and_the_fixed_steps_at_the_smallest_base(query: Query) -> None:
    """sup + fixed/√N ≤ c from N = SMALLEST on, and not by ¼ less."""
    (power,) = bounds_of(query).update.powers(HALF)
    supremum = Fraction(SUPREMA[HALF][query])
    assert reaches_fixed(power.constant - supremum, FIXED[query])
    assert not reaches_fixed(power.constant - Fraction(1, 4) - supremum, FIXED[query])


def reaches_fixed(more: Fraction, fixed: int) -> bool:
    return more >= 0 and more**2 * SMALLEST >= fixed**2


# --- rebalancing ----------------------------------------------------------------------------------------


def costliest(query: Query, epsilon: Fraction, workload: Workload, kind: str) -> tuple[int, int]:
    """N after the attack, and the steps of its costliest rebalancing, asserted to be within the bound."""
    view = loaded(query, epsilon, workload)
    meter = view._engine.meter
    meter.largest_minor = meter.largest_major = 0
    view.apply(workload.updates())
    steps, base = getattr(meter, f"largest_{kind}"), view.threshold_base
    bound: Bound = getattr(bounds_of(query), kind)
    assert bound.allows(steps, base, epsilon), f"{steps} steps where N = {base}"
    return base, steps


MINOR = [
    (COUNT, "23/50", 500, "11/2"),
    (DOUBLE, "9/20", 1_024, "4"),
    (UNARY, "23/50", 1_024, "15/2"),
    (BINARY, "2/5", 2_048, "13"),
    (TERNARY, "23/50", 500, "11"),
    pytest.param(BINARY, "1/3", 12_000, "29/2", marks=pytest.mark.nightly),
]
MAJOR = [
    (COUNT, "9/20", 500, "3/5"),
    (DOUBLE, "47/100", 500, "4/5"),
    (UNARY, "47/100", 500, "9/10"),
    (BINARY, "47/100", 500, "8/5"),
    (TERNARY, "9/20", 500, "5/3"),
]


def shown(value: object) -> str:
    return getattr(value, "name", str(value))


@pytest.mark.parametrize(("query", "epsilon", "size", "least"), MINOR, ids=shown)
def test_minor_rebalancing_comes_close_to_its_constant(
    query: Query, epsilon: str, size: int, least: str
) -> None:
    exact = Fraction(epsilon)
    base, steps = costliest(query, exact, worst_minor(size, exact, query.free, query.partitioning), "minor")
    assert reaches(steps, Fraction(least), base, exact + most(exact))


@pytest.mark.parametrize(("query", "epsilon", "size", "least"), MAJOR, ids=shown)
def test_major_rebalancing_comes_close_to_its_constant(
    query: Query, epsilon: str, size: int, least: str
) -> None:
    exact = Fraction(epsilon)
    base, steps = costliest(query, exact, worst_major(size, exact, query.free, query.partitioning), "major")
    assert base == 4 * size + 2
    assert reaches(steps, Fraction(least), base, Fraction(3, 2))


@each_query
@pytest.mark.parametrize("epsilon", ["1/10", "1/4", "2/5", "1/2", "3/5", "9/10"])
def test_rebalancing_stays_within_its_bounds_at_every_epsilon(query: Query, epsilon: str) -> None:
    exact = Fraction(epsilon)
    costliest(query, exact, worst_minor(500, exact, query.free, query.partitioning), "minor")
    costliest(query, exact, worst_major(500, exact, query.free, query.partitioning), "major")


COLUMNS = {COUNT: 6, DOUBLE: 3 + 3, UNARY: 6 + 6, BINARY: 12 + 6, TERNARY: 12}
"""The minor rebalancings of a relation's partitioned columns, divided by N, as argued in the spec."""


@each_query
def test_the_amortized_constant_pays_for_its_parts(query: Query) -> None:
    update, major, amortized = (
        bound.powers(HALF)[0].constant
        for bound in (bounds_of(query).update, bounds_of(query).major, bounds_of(query).amortized)
    )
    parts = update + 2 * (COLUMNS[query] + HALF) + 4 * major
    assert parts <= amortized <= parts + HALF


# --- a search over all shapes ---------------------------------------------------------------------------

LINES = [
    Lines(relation, heavy, light, column, row, meets, capped)
    for relation, heavy, light, (column, row), meets, capped in product(
        range(3),
        ((), (0,), (1,), (0, 1)),
        (False, True),
        [(Fraction(tenths, 10), 1 - Fraction(tenths, 10)) for tenths in (0, 2, 5, 8, 10)],
        ((False, False), (False, True), (True, False), (True, True)),
        (False, True),
    )
]
CROSSINGS = [
    Crossing(relation, *flags)
    for relation, flags in product(range(3), product((False, True), repeat=6))
    if (flags[0] or not flags[2]) and (flags[3] or flags[4])  # y has partners, there are heavy z
]


def search_updates(query: Query, shapes: Iterable[Lines]) -> None:
    """No shape at ε = ½ is beyond the bound, nor beyond the catalogue's by more than the fixed steps."""
    _, worst = worst_updates(query, HALF, 500)
    for lines in shapes:
        workload = toggled(500, HALF, query.free, query.partitioning, lines, 2)
        view = loaded(query, HALF, workload)
        steps = max(steps_of(view, workload.updates()))
        assert bounds_of(query).update.allows(steps, view.threshold_base, HALF), lines
        assert steps <= worst + FIXED[query], lines


def search_minor(query: Query, epsilon: Fraction, shapes: Iterable[Crossing]) -> int:
    """The most that a shape costs; none is beyond the bound."""
    largest = 0
    for crossing in shapes:
        workload = crossed(500, epsilon, query.free, query.partitioning, crossing)
        largest = max(largest, costliest(query, epsilon, workload, "minor")[1])
    return largest


WORST_EPSILON = Fraction(23, 50)
"""Where minor rebalancing costs the most of its bound at N = 1,001, but for the binary query."""


def catalogued(query: Query) -> int:
    workload = worst_minor(500, WORST_EPSILON, query.free, query.partitioning)
    return costliest(query, WORST_EPSILON, workload, "minor")[1]


@each_query
def test_no_shape_of_a_short_search_costs_more(query: Query) -> None:
    rng = random.Random(1)
    search_updates(query, rng.sample(LINES, 25))
    assert search_minor(query, WORST_EPSILON, rng.sample(CROSSINGS, 12)) <= 1.1 * catalogued(query)


@each_query
@pytest.mark.nightly
def test_no_shape_at_all_costs_more(query: Query) -> None:
    search_updates(query, LINES)
    assert search_minor(query, WORST_EPSILON, CROSSINGS) <= 1.1 * catalogued(query)
    for epsilon in ("2/5", "1/2"):
        search_minor(query, Fraction(epsilon), CROSSINGS)
