"""A relation whose tuples stand in parts, indexed from both sides.

Invariant: `rows[x]` and `columns[y]` hold the same tuples, with their multiplicities; a row is split by where
its y stand in the second column, a column by where its x stand in the first. A value has a class besides,
`heavy`; its tuples are moved to where it says by `shift` only.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic

from ivme_spec.rings import P

Line = dict[Hashable, P]
Split = tuple[Line[P], Line[P]]
"""A row or column: its light and its heavy part."""


class PartedRelation(Generic[P]):
    """K(X,Y) with one or two partitioned columns."""

    def __init__(self, partitioned: int) -> None:
        self.partitioned = partitioned
        self.rows: dict[Hashable, Split[P]] = {}
        self.columns: dict[Hashable, Split[P]] = {}
        self.heavy: tuple[set[Hashable], set[Hashable]] = (set(), set())
        """The classes of the values of each column."""
        self.standing: tuple[set[Hashable], set[Hashable]] = (set(), set())
        """The values of each column whose tuples stand heavy."""

    def row(self, x: Hashable) -> Split[P]:
        """The y-values of x.  Cost: O(1)."""
        return self.rows.get(x) or ({}, {})

    def column(self, y: Hashable) -> Split[P]:
        """The x-values of y.  Cost: O(1)."""
        return self.columns.get(y) or ({}, {})

    def get(self, x: Hashable, y: Hashable) -> P | None:
        """The multiplicity of a tuple, None if it is absent.  Cost: O(1)."""
        found = self.rows.get(x)
        return None if found is None else found[y in self.standing[1]].get(y)

    def degree(self, column: int, value: Hashable) -> int:
        """The number of tuples with a value in a column.  Cost: O(1)."""
        light, heavy = self.column(value) if column else self.row(value)
        return len(light) + len(heavy)

    def partners(self, column: int, value: Hashable) -> list[Hashable]:
        """The other values of the tuples with a value in a column.  Cost: O(degree)."""
        light, heavy = self.column(value) if column else self.row(value)
        return [*light, *heavy]

    def put(self, x: Hashable, y: Hashable, m: P | None) -> None:
        """Set the multiplicity of a tuple; None removes it.  Cost: O(1)."""
        _put(self.rows, x, y in self.standing[1], y, m)
        _put(self.columns, y, x in self.standing[0], x, m)

    def shift(self, column: int, value: Hashable) -> None:
        """Move the tuples with a value in a column to the other part.  Cost: O(degree)."""
        lines, old = self.rows if column else self.columns, value in self.standing[column]
        for other in self.partners(column, value):
            lines[other][not old][value] = lines[other][old].pop(value)
        (self.standing[column].discard if old else self.standing[column].add)(value)

    def items(self) -> Iterator[tuple[Hashable, Hashable, P]]:
        """All tuples.  Cost: O(1) for each."""
        for x, split in self.rows.items():
            for line in split:
                for y, m in line.items():
                    yield x, y, m


def _put(lines: dict[Hashable, Split[P]], outer: Hashable, heavy: bool, inner: Hashable, m: P | None) -> None:
    split = lines.setdefault(outer, ({}, {}))
    if m is not None:
        split[heavy][inner] = m
    else:
        del split[heavy][inner]
        if not split[0] and not split[1]:
            del lines[outer]
