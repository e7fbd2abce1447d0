"""Bounds: compared exactly, and with the exponents of the paper's theorem."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme_spec.bounds import HEAVY_JOIN, JOIN, Bound, Power, QueryBounds, query_bounds
from tests.strategies import ALL_HEADS, EPSILONS

exponents = st.fractions(0, 2, max_denominator=8)
constants = st.fractions(Fraction(1, 8), 64, max_denominator=8)


@given(st.integers(0, 5000), st.integers(1, 500), constants, exponents)
def test_powers_are_compared_exactly(count: int, base: int, constant: Fraction, exponent: Fraction) -> None:
    """count ≤ c · N^(p/q)  ⟺  (count / c)^q ≤ N^p."""
    left, right = (count / constant) ** exponent.denominator, Fraction(base) ** exponent.numerator
    power = Power(constant, exponent)
    assert power.allows(count, base) == (left <= right)
    assert power.meets(count, base) == (left == right)


@given(st.integers(1, 40), st.integers(0, 6), st.integers(1, 5), st.integers(1, 9), st.integers(1, 4))
def test_powers_at_and_around_equality(root: int, p: int, q: int, over: int, under: int) -> None:
    power, base = Power(Fraction(over, under), Fraction(p, q)), root**q
    value = Fraction(over, under) * root**p
    for count in range(max(0, int(value) - 2), int(value) + 3):
        assert power.allows(count, base) == (count <= value)
        assert power.meets(count, base) == (count == value)


def test_some_equalities_that_floats_miss() -> None:
    """ERRATA E8, for bounds."""
    assert Power(Fraction(1), Fraction(1, 3)).allows(4, 64)
    assert not 4 <= 64 ** (1 / 3)
    assert not Power(Fraction(1), Fraction(1, 3)).allows(5, 64)
    assert Power(Fraction(3, 2), Fraction(4, 5)).allows(24, 32)
    assert not Power(Fraction(3, 2), Fraction(4, 5)).allows(25, 32)
    assert Power(Fraction(0), Fraction(1)).allows(0, 10)
    assert not Power(Fraction(0), Fraction(1)).allows(1, 10)


def test_a_bound_is_the_least_of_its_powers() -> None:
    half = Fraction(1, 2)
    low, high = Power(Fraction(2), half), Power(Fraction(1), Fraction(1))
    bound = Bound("label", lambda epsilon: (low, high))
    assert [bound.allows(count, 100, half) for count in (20, 21, 100)] == [True, False, False]
    assert [bound.allows(count, 1, half) for count in (1, 2)] == [True, False]
    assert bound.estimate(100, half) == pytest.approx(20)
    assert bound.describe(half) == "2·N^1/2 and 1·N^1"


def test_sizes_of_joins() -> None:
    """prop:space_complexity: min{N^(1+ε), N^(2-ε)}; with two heavy ends moreover N^(2-2ε)."""
    for epsilon in EPSILONS:
        assert [power.exponent for power in JOIN.powers(epsilon)] == [1 + epsilon, 2 - epsilon]
        assert [power.exponent for power in HEAVY_JOIN.powers(epsilon)][2:] == [2 - 2 * epsilon]


def exponent(bound: Bound, epsilon: Fraction) -> Fraction:
    (power,) = bound.powers(epsilon)
    return power.exponent


@pytest.mark.parametrize("free", ALL_HEADS)
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_exponents_are_those_of_the_theorem(free: str, epsilon: Fraction) -> None:
    """theo:main_result_triangle, its table of space and delay, and the propositions on rebalancing."""
    bounds, least, most = query_bounds(free), min(epsilon, 1 - epsilon), max(epsilon, 1 - epsilon)
    assert exponent(bounds.update, epsilon) == exponent(bounds.amortized, epsilon) == most
    assert exponent(bounds.minor, epsilon) == epsilon + most
    assert exponent(bounds.major, epsilon) == exponent(bounds.preprocessing, epsilon) == Fraction(3, 2)
    assert exponent(bounds.space, epsilon) == (Fraction(3, 2) if len(free) == 3 else 1 + least)
    assert exponent(bounds.delay, epsilon) == {0: 0, 1: 2 * least, 2: least, 3: 0}[len(free)]


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_double_partitioning_saves_space_in_the_count_query_alone(epsilon: Fraction) -> None:
    """prop:tighter-upper-bound-space-nullary: N^max{1, min{1+ε, 2-2ε}}."""
    double = query_bounds("", "double")
    assert exponent(double.space, epsilon) == max(1, min(1 + epsilon, 2 - 2 * epsilon))
    assert exponent(double.space, epsilon) <= exponent(query_bounds("").space, epsilon)
    assert query_bounds("AB", "double").space.label == query_bounds("AB").space.label


def labels(bounds: QueryBounds) -> list[str]:
    return [bounds.update.label, bounds.preprocessing.label, bounds.space.label, bounds.delay.label]


def test_bounds_name_their_proposition() -> None:
    assert labels(query_bounds("")) == [
        "prop:single_step_time",
        "prop:preprocessing_step",
        "prop:space_complexity",
        "theo:main_result_triangle",
    ]
    assert labels(query_bounds("", "double")) == [
        "prop:single_step_time_double_partition",
        "prop:preprocessing_step_space_double_partition",
        "prop:tighter-upper-bound-space-nullary",
        "theo:main_result_triangle",
    ]
    assert labels(query_bounds("CA")) == [
        "prop:single_step_time_binary",
        "prop:preprocessing_step_binary",
        "prop:space_complexity_binary",
        "prop:delay_binary",
    ]
    assert query_bounds("B").delay.label == "prop:delay_unary"
    assert query_bounds("ABC").delay.label == "prop:delay_full"
