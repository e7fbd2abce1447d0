"""Views broken by design: what `ivme verify` must find.

Each is a `TriangleView` with one defect that shows late, after some updates.
"""

from collections.abc import Hashable, Iterator

from attrs import evolve

from ivme import Costs, TriangleView
from ivme_spec.partitions import Violation
from ivme_spec.relations import RelationName, Row

LATE = 25
"""The number of updates before a defect shows."""


class Faulty(TriangleView[int]):
    """A view that goes wrong late."""

    @property
    def late(self) -> bool:
        return super().costs.update_count > LATE


class WrongAnswer(Faulty):
    def __iter__(self) -> Iterator[tuple[Row, int]]:
        for row, multiplicity in super().__iter__():
            yield row, multiplicity + self.late


class MissingRow(Faulty):
    def __iter__(self) -> Iterator[tuple[Row, int]]:
        rows = super().__iter__()
        if self.late:
            next(rows, None)
        return rows


class RowTwice(Faulty):
    def __iter__(self) -> Iterator[tuple[Row, int]]:
        rows = list(super().__iter__())
        return iter([*rows, *rows] if self.late else rows)


class Violated(Faulty):
    def violations(self) -> list[Violation]:
        return [Violation("def:planted", "planted", "it does not hold")] if self.late else []


class Slow(Faulty):
    @property
    def costs(self) -> Costs:
        return evolve(super().costs, largest_update=10**6)


class Raises(Faulty):
    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: object) -> None:
        super().update(relation, x, y, multiplicity)
        if self.late:
            raise KeyError("planted")


class TooLarge(Faulty):
    """Its views have far more entries than the bound on space allows."""

    def state(self) -> dict[str, object]:
        return {**super().state(), "views": {"v": {(number,): 1 for number in range(200_000)}}}
