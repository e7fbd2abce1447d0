"""Fitted exponents of counts and times. For reports and tests of tightness; no verdict rests on one."""

from __future__ import annotations

from collections.abc import Iterable
from math import log
from statistics import linear_regression


def slope(points: Iterable[tuple[float, float]]) -> float:
    """The exponent e of the power c · x^e that fits (x, y) best: least squares over logarithms.

    Bad input: a ValueError for fewer than two points, for equal x, and for numbers that are not positive.

    >>> round(slope([(10, 50), (100, 500), (1000, 5000)]), 6)
    1.0
    """
    xs, ys = zip(*((log(x), log(y)) for x, y in points), strict=True)
    return linear_regression(xs, ys).slope
