"""Exact comparison with powers of N.

Paper: thresholds are real numbers θ = N^ε (def:ivme_state) compared with degrees; the RAM model does not
compare reals, and floating point decides wrongly (ERRATA E8). For rational ε = p/q all of it is integers:

    d ≥ (u/v) · N^(p/q)   ⟺   (v·d)^q ≥ u^q · N^p.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational

from attrs import frozen

from ivme_spec.errors import EpsilonError, shown

LARGEST_DENOMINATOR = 1000
"""The powers above have `denominator` times as many digits as N: larger ones make comparisons slow."""

LONGEST_TEXT = 1000
LARGEST_EXPONENT = 1000
"""Limits on the digits and the decimal exponent of an ε, checked before computing with it."""

EXPONENT = re.compile(r"e([-+]?[\d_]+)\s*\Z", re.IGNORECASE)

HALF = Fraction(1, 2)
ONE = Fraction(1)
THREE_HALVES = Fraction(3, 2)


def parse_epsilon(epsilon: object) -> Fraction:
    """ε as an exact fraction, from "1/3", "0.25", a Fraction, Decimal or int, or a float as it prints.

    Bad input: an `EpsilonError`, quickly however many digits it has.

    >>> parse_epsilon(0.1)
    Fraction(1, 10)
    """
    value: Fraction | None = None
    if isinstance(epsilon, str | float | Decimal):
        value = _of_text(str(epsilon), epsilon)
    elif isinstance(epsilon, Rational) and not isinstance(epsilon, bool):
        value = _of_rational(epsilon)
    if value is None:
        raise EpsilonError(
            f"epsilon {shown(epsilon)} is not a rational number; "
            'give for example "1/2", 0.5 or Fraction(1, 2)'
        )
    if not 0 <= value <= 1:
        raise EpsilonError(f"epsilon {shown(epsilon)} is outside [0, 1]")
    if value.denominator > LARGEST_DENOMINATOR:
        near = value.limit_denominator(100)
        raise EpsilonError(
            f"epsilon {shown(epsilon)} has the denominator {shown(value.denominator)}; exact thresholds "
            f'allow at most {LARGEST_DENOMINATOR}: did you mean "{near}"?'
        )
    return value


def _of_text(text: str, epsilon: object) -> Fraction | None:
    """Parse a fraction, None if it is none; huge exponents are refused before they are computed."""
    if len(text) > LONGEST_TEXT:
        raise _too_long(epsilon)
    try:
        if (exponent := EXPONENT.search(text)) and abs(int(exponent[1])) > LARGEST_EXPONENT:
            raise _too_long(epsilon)
        return Fraction(text)
    except EpsilonError:
        raise
    except (ValueError, ZeroDivisionError):
        return None


def _of_rational(epsilon: Rational) -> Fraction:
    numerator, denominator = int(epsilon.numerator), int(epsilon.denominator)
    if max(numerator.bit_length(), denominator.bit_length()) > 4 * LONGEST_TEXT:
        raise _too_long(epsilon)
    return Fraction(numerator, denominator)


def _too_long(epsilon: object) -> EpsilonError:
    return EpsilonError(
        f"epsilon {shown(epsilon)} is too long a number: give at most {LONGEST_TEXT} digits and exponents of "
        f'at most {LARGEST_EXPONENT}, for example "1/2"'
    )


def reaches(count: int, factor: Fraction, base: int, exponent: Fraction) -> bool:
    """count ≥ factor · base^exponent, exactly; for count, factor, exponent ≥ 0 and base ≥ 1.

    >>> reaches(24, THREE_HALVES, 32, Fraction(4, 5))    # 32^(4/5) = 16; floats say 16.000000000000004
    True
    """
    q = exponent.denominator
    left = (factor.denominator * count) ** q
    return bool(left >= factor.numerator**q * base**exponent.numerator)


def least_reaching(factor: Fraction, base: int, exponent: Fraction) -> int:
    """The least count with `reaches(count, factor, base, exponent)`, by bisection.

    >>> least_reaching(THREE_HALVES, 32, Fraction(4, 5))
    24
    """
    high = 1
    while not reaches(high, factor, base, exponent):
        high *= 2
    low = high // 2
    while high - low > 1:
        low, high = narrowed(low, high, reaches(middle_of(low, high), factor, base, exponent))
    return high


def middle_of(low: int, high: int) -> int:
    """A number strictly between two that are not neighbours.

    pre: high - low > 1
    post: low < __return__ < high
    """
    return (low + high) // 2


def narrowed(low: int, high: int, middle_reaches: bool) -> tuple[int, int]:
    """One step of the bisection, which keeps: `high` reaches, `low` does not.

    pre: high - low > 1
    post: __return__[1] == (middle_of(low, high) if middle_reaches else high)
    post: __return__[0] == (low if middle_reaches else middle_of(low, high))
    post: 0 < __return__[1] - __return__[0] < high - low
    """
    return (low, middle_of(low, high)) if middle_reaches else (middle_of(low, high), high)


@frozen
class Threshold:
    """θ = N^ε as the three degrees that partitioning compares with.

    heavy       least degree ≥ ½θ: a heavy value below it must become light
    strict      least degree ≥ θ:  what a strict partition calls heavy
    light       least degree ≥ ³⁄₂θ: a light value that reaches it must become heavy
    """

    base: int
    epsilon: Fraction
    heavy: int
    strict: int
    light: int


def threshold(base: int, epsilon: Fraction) -> Threshold:
    """The threshold θ = base^epsilon (def:ivme_state).  Cost: O(log N) comparisons."""
    heavy, strict, light = (least_reaching(factor, base, epsilon) for factor in (HALF, ONE, THREE_HALVES))
    return Threshold(base, epsilon, heavy, strict, light)
