"""Medians, ratios and exponents of raw results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import median

from attrs import define, field, frozen

from bench.contenders import OURS, rank
from bench.results import Measurement, Results
from ivme_spec.slopes import slope

Key = tuple[str, str, str]
"""Contender, free variables, quantity."""


@frozen
class Figure:
    """A median, with minimum and maximum."""

    middle: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Figure:
        """The figure of one or more values."""
        kept = sorted(values)
        return cls(median(kept), kept[0], kept[-1])


@define
class Figures:
    """Results, indexed."""

    results: Results
    _found: dict[tuple[str, int, str, str, str], Measurement] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self._found = {
            (entry.case, entry.size, entry.free, entry.contender, entry.quantity): entry
            for entry in self.results.measurements
        }

    def values(
        self, contender: str, case: str, size: int, free: str = "", quantity: str = "update"
    ) -> tuple[float, ...]:
        """The values of a measurement, a value a round; () if there is none."""
        found = self._found.get((case, size, free, contender, quantity))
        return () if found is None else found.values

    def figure(
        self, contender: str, case: str, size: int, free: str = "", quantity: str = "update"
    ) -> Figure | None:
        """Median and spread of a measurement."""
        values = self.values(contender, case, size, free, quantity)
        return Figure.of(values) if values else None

    def ratio(self, above: str, below: str, case: str, size: int, free: str = "") -> Figure | None:
        """How many times the time of `below` an update of `above` takes.

        The ratio of the medians of the rounds that both had; the spread is that of the ratios within a round.
        """
        return _quotient(self.values(above, case, size, free), self.values(below, case, size, free))

    def gain(self, case: str, size: int, free: str = "", way: str = "insert") -> Figure | None:
        """How many times longer a database takes one by one, in a way, than loaded at once; ours."""
        one, bulk = (self.values(OURS, case, size, free, what) for what in (way, "bulk"))
        return _quotient(one, bulk)

    def between(self, case: str, size: int, over: Key, under: Key) -> Figure | None:
        """How many times one measurement of a case is another, as `ratio`."""
        above, below = (self.values(who, case, size, free, what) for who, free, what in (over, under))
        return _quotient(above, below)

    def sizes(self, contender: str, case: str, free: str = "", quantity: str = "update") -> list[int]:
        """The sizes at which a contender was measured, ascending."""
        wanted = (case, free, contender, quantity)
        return sorted(
            size for (name, size, head, who, what) in self._found if (name, head, who, what) == wanted
        )

    def common(self, first: str, second: str, case: str, free: str = "") -> int | None:
        """The largest size at which both were measured."""
        both = set(self.sizes(first, case, free)) & set(self.sizes(second, case, free))
        return max(both, default=None)

    def exponent(self, contender: str, case: str, free: str = "", quantity: str = "update") -> float | None:
        """The slope of log(median) over log(size), by least squares, over three sizes or more."""
        points = [
            (size, median(self.values(contender, case, size, free, quantity)))
            for size in self.sizes(contender, case, free, quantity)
        ]
        if len(points) < 3 or any(value <= 0 for _, value in points):
            return None
        return slope(points)

    @property
    def contenders(self) -> list[str]:
        """The contenders with measured updates, in the order of tables: `bench.contenders.rank`."""
        seen = (entry.contender for entry in self.results.measurements if entry.quantity == "update")
        return sorted(dict.fromkeys([OURS, *seen]), key=rank)

    @property
    def cases(self) -> list[str]:
        """The cases with updates, in the order of the results."""
        seen = (entry.case for entry in self.results.measurements if entry.quantity == "update")
        return list(dict.fromkeys(seen))


def _quotient(over: Sequence[float], under: Sequence[float]) -> Figure | None:
    rounds = min(len(over), len(under))
    over, under = over[:rounds], under[:rounds]
    if not rounds or min(under) <= 0:
        return None
    within = [a / b for a, b in zip(over, under, strict=True)]
    return Figure(median(over) / median(under), min(within), max(within))


def number(value: float) -> str:
    """Three digits, with separators for thousands.

    >>> number(2.3456), number(123456.7)
    ('2.35', '123,457')
    """
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def short(size: int) -> str:
    """A size, abbreviated.

    >>> short(300_000), short(1_000_000), short(1_234)
    ('300k', '1M', '1234')
    """
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if size and size % unit == 0:
            return f"{size // unit}{letter}"
    return str(size)
