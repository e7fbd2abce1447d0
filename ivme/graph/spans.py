"""Times and spans, exactly: what a time is, how long a window is, and what "1h" means.

A time is a number or a datetime. Floats and decimals are taken as the fractions that they are, so that
differences are never rounded; datetimes with a zone become those of UTC, since Python subtracts two of one
zone by their wall clock, across a change to summer time too.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Integral, Rational

from ivme_spec.errors import InputError, shown

Number = int | Fraction
Time = int | Fraction | datetime
Span = int | Fraction | timedelta

UNITS = {
    "ms": timedelta(milliseconds=1),
    "s": timedelta(seconds=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
    "w": timedelta(weeks=1),
}
_SPAN = re.compile(rf"([0-9]{{1,15}}(?:\.[0-9]{{1,15}})?) ?({'|'.join(UNITS)})")

LARGEST_EXPONENT = 1000
"""Of a decimal; beyond it, the fraction has more digits than anybody can use."""


def parse_span(text: str) -> timedelta:
    """A span that is written as a number and a unit.  Cost: O(1).  Bad input: an `InputError`.

    >>> parse_span("1.5h"), parse_span("90 s")
    (datetime.timedelta(seconds=5400), datetime.timedelta(seconds=90))
    """
    found = _SPAN.fullmatch(text.strip())
    if found is None:
        raise InputError(
            f"span {shown(text)}: give a number and one of the units {', '.join(UNITS)}, such as 90s or 1.5h"
        )
    exact = Fraction(found[1]) * microseconds(UNITS[found[2]])
    if exact.denominator > 1:
        raise InputError(f"span {shown(text)} is no whole number of microseconds")
    try:
        return timedelta(microseconds=int(exact))
    except OverflowError as error:
        raise InputError(f"span {shown(text)} is too long: {error}") from error


def microseconds(span: timedelta) -> int:
    """A span as a number.  Cost: O(1)."""
    return span // timedelta(microseconds=1)


def exact_number(value: object) -> Number | None:
    """The number that a value is, exactly; None if it is not one, or not finite.  Cost: O(its digits)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Rational):
        return _plain(Fraction(int(value.numerator), int(value.denominator)))
    if isinstance(value, Decimal):
        if not value.is_finite() or abs(int(value.as_tuple().exponent)) > LARGEST_EXPONENT:
            return None
    elif not isinstance(value, float) or not isfinite(value):
        return None
    return _plain(Fraction(value))


def _plain(exact: Fraction) -> Number:
    return exact.numerator if exact.denominator == 1 else exact


def exact_time(value: object) -> Time:
    """A time: a number, or a datetime, in UTC if it has a zone.  Cost: O(1).  Bad input: an `InputError`."""
    if isinstance(value, datetime) and value == value:  # pandas.NaT is a datetime, and equals nothing
        return value if value.utcoffset() is None else value.astimezone(UTC)
    number = exact_number(value)
    if number is None:
        raise InputError(f"time {shown(value)} is neither a finite number nor a datetime")
    return number
