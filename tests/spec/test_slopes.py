"""Fitted exponents of known powers."""

import pytest

from ivme_spec.slopes import slope


def test_slopes() -> None:
    assert slope([(10, 7), (100, 70), (1000, 700)]) == pytest.approx(1)
    assert slope([(16, 12), (64, 24), (256, 48)]) == pytest.approx(0.5)
    assert slope([(10, 3), (100, 3)]) == pytest.approx(0)


NOTHING = [[], [(10, 3)], [(10, 3), (10, 4)], [(10, 3), (100, 0)], [(0, 3), (10, 3)]]


@pytest.mark.parametrize("points", NOTHING)
def test_no_line_fits_these(points: list[tuple[int, int]]) -> None:
    with pytest.raises(ValueError, match=r"domain|expected|constant|two data points|not enough values"):
        slope(points)
