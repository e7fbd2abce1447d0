"""What the engine stores: relations indexed from both sides, and sets with a constant-time successor.

Paper: sec:computational_model asks for constant-time lookup, insert and delete, constant-delay enumeration,
and the size in constant time, for relations and for their indexes.

Whether x is heavy is one bit of x, so no part of a relation needs a copy of its own. Rows are split only by
the status of the second column and columns only by the status of the first:

    forward[status of y][x]  = {y: multiplicity}
    backward[status of x][y] = {x: multiplicity}

Every part and the whole relation is then reachable in O(1), each tuple is stored exactly twice, and degrees
are lengths of rows. A single-partitioned relation uses forward[LIGHT] for everything.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from ivme.plan import HEAVY, LIGHT, Status
from ivme_spec.rings import P

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Line = dict[Hashable, P]
"""A row or a column of a relation."""


def compacted(entries: dict[K, V]) -> dict[K, V]:
    """The same entries without the holes that deletes leave behind.  Cost: amortized O(1) for each delete.

    A dict does not shrink when entries are deleted, and walking one costs its capacity, not its length. What
    is mostly holes is copied; as many deletes as the copy has entries lie between two copies.
    """
    capacity = entries.__sizeof__()
    return dict(entries) if capacity > 640 and capacity > 128 * len(entries) else entries


class RelationIndex(Generic[P]):
    """A relation with its partition. Invariant: heavy[c] holds exactly the heavy values of column c."""

    __slots__ = ("backward", "double", "forward", "heavy")

    def __init__(self, double: bool) -> None:
        self.double = double
        self.forward: tuple[dict[Hashable, Line[P]], dict[Hashable, Line[P]]] = ({}, {})
        self.backward: tuple[dict[Hashable, Line[P]], dict[Hashable, Line[P]]] = ({}, {})
        self.heavy: tuple[set[Hashable], set[Hashable]] = (set(), set())

    def get(self, x: Hashable, y: Hashable) -> P | None:
        """The multiplicity of (x, y), or None.  Cost: O(1)."""
        row = self.forward[HEAVY if y in self.heavy[1] else LIGHT].get(x)
        return None if row is None else row.get(y)

    def degree(self, column: int, value: Hashable) -> int:
        """The number of tuples with a value in a column.  Cost: O(1)."""
        light, heavy = self.backward if column else self.forward
        return len(light.get(value, ())) + len(heavy.get(value, ()))

    def values(self, column: int) -> set[Hashable]:
        """All values of a column.  Cost: O(their number)."""
        light, heavy = self.backward if column else self.forward
        return light.keys() | heavy.keys()

    def tuples_of(self, column: int, value: Hashable) -> list[tuple[Hashable, Hashable, P]]:
        """A copy of the tuples with a value in a column.  Cost: O(degree)."""
        lines = self.backward if column else self.forward
        found = [entry for line in lines for entry in line.get(value, {}).items()]
        return [(other, value, m) if column else (value, other, m) for other, m in found]

    def tuples(self) -> Iterator[tuple[Hashable, Hashable, P]]:
        """All tuples.  Cost: O(|K|)."""
        for rows in self.forward:
            for x, row in rows.items():
                for y, multiplicity in row.items():
                    yield x, y, multiplicity

    def put(self, x: Hashable, y: Hashable, first: Status, second: Status, multiplicity: P) -> None:
        """Store a tuple in the part (first, second).  Cost: O(1)."""
        put_entry(self.forward[second], x, y, multiplicity)
        put_entry(self.backward[first], y, x, multiplicity)

    def remove(self, x: Hashable, y: Hashable, first: Status, second: Status) -> None:
        """Take a tuple out of the part (first, second).  Cost: amortized O(1)."""
        remove_entry(self.forward[second], x, y)
        remove_entry(self.backward[first], y, x)

    def compact(self) -> None:
        """Drop the holes of the outer indexes.  Cost: O(their capacity)."""
        self.forward = (compacted(self.forward[0]), compacted(self.forward[1]))
        self.backward = (compacted(self.backward[0]), compacted(self.backward[1]))


def put_entry(lines: dict[Hashable, dict[Hashable, V]], outer: Hashable, inner: Hashable, value: V) -> None:
    """lines[outer][inner] = value.  Cost: O(1)."""
    line = lines.get(outer)
    if line is None:
        lines[outer] = {inner: value}
    else:
        line[inner] = value


def remove_entry(lines: dict[Hashable, dict[Hashable, V]], outer: Hashable, inner: Hashable) -> None:
    """del lines[outer][inner], and the line if it is then empty.  Cost: amortized O(1)."""
    line = lines[outer]
    if len(line) == 1:
        del lines[outer]
    else:
        del line[inner]
        lines[outer] = compacted(line)


class DenseSet(Generic[K]):
    """A set as a list without gaps: the element after position p stands at p + 1.

    `add` takes only elements that are not in the set, `remove` only those that are: what a view keeps under
    a key appears and vanishes exactly once. Up to SMALL elements the list is searched; beyond, `index` knows
    the positions. Removing moves the last element into the gap: open iterators must not survive an update.
    """

    SMALL = 8

    __slots__ = ("index", "items")

    def __init__(self) -> None:
        self.items: list[K] = []
        self.index: dict[K, int] | None = None

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[K]:
        return iter(self.items)

    def position(self, item: K) -> int:
        """The position of an element that is in the set.  Cost: O(1)."""
        return self.items.index(item) if self.index is None else self.index[item]

    def add(self, item: K) -> None:
        """Add an element that is not in the set.  Cost: amortized O(1)."""
        if self.index is not None:
            self.index[item] = len(self.items)
        self.items.append(item)
        if self.index is None and len(self.items) > self.SMALL:
            self.index = {element: position for position, element in enumerate(self.items)}

    def remove(self, item: K) -> None:
        """Remove an element that is in the set.  Cost: amortized O(1)."""
        position = self.position(item)
        last = self.items.pop()
        if self.index is not None:
            del self.index[item]
        if position < len(self.items):
            self.items[position] = last
            if self.index is not None:
                self.index[last] = position
        if self.index is not None:
            self.index = compacted(self.index) if len(self.items) > self.SMALL // 2 else None
