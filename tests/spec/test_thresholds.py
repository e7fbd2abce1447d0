"""Thresholds: exact against fractions, where floating point decides wrongly, and ε as users give it."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme_spec.errors import EpsilonError, InputError
from ivme_spec.thresholds import (
    HALF,
    LARGEST_DENOMINATOR,
    ONE,
    THREE_HALVES,
    least_reaching,
    parse_epsilon,
    reaches,
    threshold,
)
from tests.strategies import EPSILONS

FACTORS = (HALF, ONE, THREE_HALVES)
small_epsilons = st.fractions(0, 1, max_denominator=12)


def by_fractions(count: int, factor: Fraction, base: int, exponent: Fraction) -> bool:
    """count ≥ factor · base^exponent, as (count / factor)^q ≥ base^p."""
    return (Fraction(count) / factor) ** exponent.denominator >= Fraction(base) ** exponent.numerator


@given(st.integers(0, 2000), st.sampled_from(FACTORS), st.integers(1, 2000), small_epsilons)
def test_reaches_is_exact(count: int, factor: Fraction, base: int, exponent: Fraction) -> None:
    assert reaches(count, factor, base, exponent) == by_fractions(count, factor, base, exponent)


@given(st.integers(1, 60), st.integers(1, 6), st.integers(1, 6), st.sampled_from(FACTORS))
def test_reaches_is_exact_around_perfect_powers(root: int, p: int, q: int, factor: Fraction) -> None:
    base, exponent = root**q, Fraction(p, q)
    value = factor * root**p
    for count in range(max(0, int(value) - 1), int(value) + 2):
        assert reaches(count, factor, base, exponent) == (count >= value)


@given(st.integers(1, 300), small_epsilons)
def test_thresholds_are_the_least_degrees_that_reach(base: int, epsilon: Fraction) -> None:
    theta = threshold(base, epsilon)
    assert (theta.base, theta.epsilon) == (base, epsilon)
    for found, factor in zip((theta.heavy, theta.strict, theta.light), FACTORS, strict=True):
        scanned = next(d for d in range(2 * base + 2) if by_fractions(d, factor, base, epsilon))
        assert found == scanned == least_reaching(factor, base, epsilon)
    assert 1 <= theta.heavy <= theta.strict <= theta.light


def test_the_extremes_make_everything_heavy_or_light() -> None:
    for base in range(1, 200):
        assert threshold(base, Fraction(0)).strict == 1
        assert threshold(base, Fraction(0)).heavy == 1
        assert threshold(base, Fraction(1)).strict == base


WRONG_IN_FLOATS = [
    ("4/5", 32, 24, THREE_HALVES),
    ("4/5", 32, 16, ONE),
    ("4/5", 32, 8, HALF),
    ("1/5", 3125, 5, ONE),
    ("2/5", 243, 9, ONE),
    ("5/6", 64, 48, THREE_HALVES),
    ("9/10", 1024, 256, HALF),
]


@pytest.mark.parametrize(("epsilon", "base", "degree", "factor"), WRONG_IN_FLOATS)
def test_floats_decide_these_wrongly(epsilon: str, base: int, degree: int, factor: Fraction) -> None:
    """ERRATA E8: the degree is exactly factor · base^ε, and the float is a little above it."""
    exact = parse_epsilon(epsilon)
    assert not degree >= float(factor) * base ** float(exact)
    assert reaches(degree, factor, base, exact)
    assert not reaches(degree - 1, factor, base, exact)


def test_flooring_a_float_is_wrong_too() -> None:
    """ERRATA E8: 64^(1/3) is 4 and its float is below."""
    assert int(64 ** (1 / 3)) == 3
    assert threshold(64, Fraction(1, 3)).strict == 4


GOOD = [
    ("1/2", Fraction(1, 2)),
    ("0.25", Fraction(1, 4)),
    (" 1/3 ", Fraction(1, 3)),
    ("0", Fraction(0)),
    ("1e-1", Fraction(1, 10)),
    (0.1, Fraction(1, 10)),
    (0.5, Fraction(1, 2)),
    (1e-3, Fraction(1, 1000)),
    (0, Fraction(0)),
    (1, Fraction(1)),
    (1.0, Fraction(1)),
    (Fraction(2, 3), Fraction(2, 3)),
    (Decimal("0.75"), Fraction(3, 4)),
    (Fraction(1, LARGEST_DENOMINATOR), Fraction(1, LARGEST_DENOMINATOR)),
]


@pytest.mark.parametrize(("given", "expected"), GOOD, ids=repr)
def test_good_epsilons(given: Any, expected: Fraction) -> None:
    found = parse_epsilon(given)
    assert found == expected
    assert type(found) is Fraction


BAD: list[tuple[Any, str]] = [
    (-1, "-1"),
    (2, "2"),
    (1.5, "1.5"),
    ("3/2", "'3/2'"),
    ("-1/2", "'-1/2'"),
    (-0.1, "-0.1"),
    ("half", "'half'"),
    ("", "''"),
    ("1/0", "'1/0'"),
    (None, "None"),
    (True, "True"),
    (False, "False"),
    ([1, 2], "[1, 2]"),
    (0.5j, "0.5j"),
    (float("nan"), "nan"),
    (float("inf"), "inf"),
    (Decimal("NaN"), "NaN"),
    (Decimal("Infinity"), "Infinity"),
    (1 / 3, "0.3333333333333333"),
    (Fraction(1, LARGEST_DENOMINATOR + 1), "1001"),
]


@pytest.mark.parametrize(("given", "shown"), BAD, ids=repr)
def test_bad_epsilons(given: Any, shown: str) -> None:
    with pytest.raises(EpsilonError) as caught:
        parse_epsilon(given)
    assert shown in str(caught.value)
    assert isinstance(caught.value, InputError)


HUGE = 10**1_000_000
COUNTED = f"integer of {HUGE.bit_length()} bits"
TOO_LONG: list[tuple[Any, str]] = [
    ("1e-10000000", "'1e-10000000'"),
    ("1e-1000000", "'1e-1000000'"),
    ("1E+99999999999", "'1E+99999999999'"),
    ("1e-10_000_000 ", "'1e-10_000_000 '"),
    ("1e-1٠٠٠٠٠٠٠", "'1e-1٠٠٠٠٠٠٠'"),
    ("0e99999999999", "'0e99999999999'"),
    ("0." + "3" * 10**7, "'0.3333"),
    ("1/" + "3" * 10**7, "'1/3333"),
    (Decimal("1e-10000000"), "Decimal('1E-10000000')"),
    (Decimal("1e10000000"), "Decimal('1E+10000000')"),
    (Decimal("0." + "3" * 10**6), "Decimal('0.3333"),
    (Fraction(1, HUGE), f"Fraction(1, an {COUNTED})"),
    (HUGE, f"an {COUNTED}"),
    (-HUGE, f"a negative {COUNTED}"),
]


@pytest.mark.parametrize(("given", "shown"), TOO_LONG, ids=range(len(TOO_LONG)))
def test_numbers_of_any_length_are_refused_at_once(given: Any, shown: str) -> None:
    """With a message of one short line; computing with any of them takes between ten seconds and forever."""
    with pytest.raises(EpsilonError, match=r"too long a number: give at most 1000 digits") as caught:
        parse_epsilon(given)
    assert shown in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("given", ["1e-999", 1e308, 5e-324, "1e+1000", "1e_", "1e-_1", "1/" + "9" * 900])
def test_what_is_just_short_enough_is_refused_for_what_it_is(given: Any) -> None:
    with pytest.raises(EpsilonError, match=r"denominator|outside \[0, 1\]|not a rational number") as caught:
        parse_epsilon(given)
    assert len(str(caught.value)) < 400


def test_the_parts_of_an_epsilon_are_plain_integers() -> None:
    """Powers of a NumPy integer would overflow."""
    numpy = pytest.importorskip("numpy")
    found = parse_epsilon(numpy.int64(1))
    assert (type(found.numerator), type(found.denominator)) == (int, int)


def test_a_third_as_a_float_is_refused_with_a_hint() -> None:
    with pytest.raises(EpsilonError, match='did you mean "1/3"'):
        parse_epsilon(1 / 3)


def test_the_shared_epsilons_parse() -> None:
    assert [parse_epsilon(str(epsilon)) for epsilon in EPSILONS] == list(EPSILONS)
