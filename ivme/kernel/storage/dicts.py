"""What the engine stores: relations indexed from both sides, and sets with a constant-time successor.

Paper: sec:computational_model asks for constant-time lookup, insert and delete, constant-delay enumeration,
and the size in constant time, for relations and for their indexes.

Whether x is heavy is one bit of x, so no part of a relation needs a copy of its own. Rows are split only by
the status of the second column and columns only by the status of the first:

    forward[status of y][x]  = {y: multiplicity}
    backward[status of x][y] = {x: multiplicity}

Every part and the whole relation is then reachable in O(1), each tuple is stored exactly twice, and degrees
are lengths of rows. A single-partitioned relation uses forward[LIGHT] for everything.

Values of a partitioned column are *watched* from some degree on, less than any heavy value has, so that a
major rebalance finds those that change class without a look at all the others.

The engine never looks into a row itself. What it holds of a value is a *handle*: here the value itself, in
the compact storage (`ivme.kernel.storage.compact.views`) the value's node; rows and columns are opaque to it
(`Line`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from operator import itemgetter
from typing import Final, Generic, TypeVar, cast

from ivme.kernel.status import HEAVY, LIGHT, Status
from ivme_spec.relations import Row
from ivme_spec.rings import P

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

Line = object
"""A row or a column of a relation, as the engine sees it: only the storage that made it looks inside."""

DictLine = dict[Hashable, P]
"""A row or a column as a dict: {y: multiplicity} or {x: multiplicity}."""

Triple = tuple[Hashable, Hashable, Hashable]


def compacted(entries: dict[K, V]) -> dict[K, V]:
    """The same entries without the holes that deletes leave behind.  Cost: amortized O(1) for each delete.

    A dict does not shrink when entries are deleted, and walking one costs its capacity, not its length. What
    is mostly holes is copied; as many deletes as the copy has entries lie between two copies.
    """
    capacity = entries.__sizeof__()
    return dict(entries) if capacity > 640 and capacity > 128 * len(entries) else entries


UNWATCHED: Final = (1 << 31) - 1
"""No degree is larger: who watches from it on watches nobody."""


class RelationIndex(Generic[P]):
    """A relation with its partition. Invariant, for each column c that is partitioned:

    heavy[c] holds exactly the heavy values, watched[c] exactly those of degree `watch` and more.
    """

    __slots__ = ("backward", "double", "forward", "heavy", "watch", "watched")

    def __init__(self, double: bool) -> None:
        self.double = double
        self.watch = 1
        self.watched: list[set[Hashable]] = [set(), set()]
        self.forward: tuple[dict[Hashable, DictLine[P]], dict[Hashable, DictLine[P]]] = ({}, {})
        self.backward: tuple[dict[Hashable, DictLine[P]], dict[Hashable, DictLine[P]]] = ({}, {})
        self.heavy: tuple[set[Hashable], set[Hashable]] = (set(), set())

    def status(self, column: int, value: Hashable) -> Status:
        """Whether a value of a column is heavy.  Cost: O(1)."""
        return HEAVY if value in self.heavy[column] else LIGHT

    def mark(self, column: int, value: Hashable, status: Status) -> None:
        """Set a value's bit; its tuples are not touched.  Cost: O(1)."""
        if status == HEAVY:
            self.heavy[column].add(value)
        else:
            self.heavy[column].discard(value)

    def row(self, x: Hashable, second: Status) -> Line | None:
        """The y-values of status `second` with their multiplicities, or None.  Cost: O(1)."""
        return self.forward[second].get(x)

    def column(self, y: Hashable, first: Status) -> Line | None:
        """The x-values of status `first` with their multiplicities, or None.  Cost: O(1)."""
        return self.backward[first].get(y)

    def get(self, x: Hashable, y: Hashable) -> P | None:
        """The multiplicity of (x, y), or None.  Cost: O(1)."""
        row = self.forward[self.status(1, y)].get(x)
        return None if row is None else row.get(y)

    def degree(self, column: int, value: Hashable) -> int:
        """The number of tuples with a value in a column.  Cost: O(1)."""
        light, heavy = self.backward if column else self.forward
        return len(light.get(value, ())) + len(heavy.get(value, ()))

    def due(self, column: int, value: Hashable, least_heavy: int, too_heavy: int) -> int:
        """The status that a value's degree asks for, −1 if it may stay as it is.  Cost: O(1)."""
        degree = self.degree(column, value)
        if value in self.heavy[column]:
            return LIGHT if degree < least_heavy else -1
        return HEAVY if degree >= too_heavy else -1

    def values_due(self, column: int, strict: int) -> list[Hashable]:
        """The watched values that a strict partition puts into the other class.  Cost: O(`watching`)."""
        watched, heavy = self.watched[column], self.heavy[column]
        return [value for value in watched if (self.degree(column, value) >= strict) != (value in heavy)]

    def watching(self, column: int) -> int:
        """The number of watched values.  Cost: O(1)."""
        return len(self.watched[column])

    def watch_from(self, least: int) -> int:
        """Watch the values of degree `least` and more from now on; how many were looked at.

        Cost: O(those watched until now), and O(all values) if `least` is less than until now.
        """
        looked = 0
        for column in range(2 if self.double else 1):
            values = self.watched[column] if least >= self.watch else self.values(column)
            looked += len(values)
            self.watched[column] = {value for value in values if self.degree(column, value) >= least}
        self.watch = least
        return looked

    def values(self, column: int) -> list[Hashable]:
        """All values of a column.  Cost: O(their number)."""
        light, heavy = self.backward if column else self.forward
        return list(light.keys() | heavy.keys())

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

    def salvaged(self) -> Iterator[tuple[Hashable, Hashable, P]]:
        """All tuples that stand in a row or in a column, most of them twice.  Cost: O(|K|)."""
        yield from self.tuples()
        for value in self.values(1):
            yield from self.tuples_of(1, value)

    def damage(self) -> Iterator[str]:
        """Rows and columns hold the same tuples, in the buckets of their statuses; nothing is empty or stale.

        Yields what is not so.  Cost: O(|K|).
        """
        forward = {
            (x, y): (m, s) for s in (0, 1) for x, row in self.forward[s].items() for y, m in row.items()
        }
        backward = {
            (x, y): (m, f)
            for f in (0, 1)
            for y, column in self.backward[f].items()
            for x, m in column.items()
        }
        if {row: m for row, (m, _) in forward.items()} != {row: m for row, (m, _) in backward.items()}:
            yield "the rows and the columns differ"
        for (x, y), (_, second) in forward.items():
            if second != self.status(1, y):
                yield f"{(x, y)!r} stands in the wrong row bucket"
        for (x, y), (_, first) in backward.items():
            if first != self.status(0, x):
                yield f"{(x, y)!r} stands in the wrong column bucket"
        for column, lines in enumerate((self.forward, self.backward)):
            if any(not line for by_status in lines for line in by_status.values()):
                yield "there is an empty row"
            if stale := self.heavy[column].difference(self.values(column)):
                yield f"there are bits for values that are gone: {stale!r}"
            if self.double or not column:
                wanted = {value for value in self.values(column) if self.degree(column, value) >= self.watch}
                if wrong := self.watched[column] ^ wanted:
                    yield f"wrongly watched, or not, from degree {self.watch} on: {wrong!r}"

    def add(self, x: Hashable, y: Hashable, first: Status, second: Status, multiplicity: P) -> None:
        """Store a tuple that is not there in the part (first, second).  Cost: O(1)."""
        self.put(x, y, first, second, multiplicity)
        for column in range(2 if self.double else 1):
            value = y if column else x
            if self.degree(column, value) == self.watch:
                self.watched[column].add(value)

    def put(self, x: Hashable, y: Hashable, first: Status, second: Status, multiplicity: P) -> None:
        """Change the multiplicity of a tuple in the part (first, second).  Cost: O(1)."""
        put_entry(self.forward[second], x, y, multiplicity)
        put_entry(self.backward[first], y, x, multiplicity)

    def remove(self, x: Hashable, y: Hashable, first: Status, second: Status) -> None:
        """Take a tuple out of the part (first, second).  Cost: amortized O(1)."""
        remove_entry(self.forward[second], x, y)
        remove_entry(self.backward[first], y, x)
        for column in range(2 if self.double else 1):
            value = y if column else x
            if self.degree(column, value) == self.watch - 1:
                self.watched[column].remove(value)

    def shift(self, column: int, x: Hashable, y: Hashable, old: Status, new: Status, multiplicity: P) -> None:
        """The value of a tuple in a column changes its class: the other value's line is split by it.

        Cost: amortized O(1).
        """
        lines, outer, inner = (self.forward, x, y) if column else (self.backward, y, x)
        remove_entry(lines[old], outer, inner)
        put_entry(lines[new], outer, inner, multiplicity)

    def compact(self) -> None:
        """Drop the holes of the outer indexes and of the sets.  Cost: O(their capacity)."""
        self.heavy = (set(self.heavy[0]), set(self.heavy[1]))
        self.watched = [set(watched) for watched in self.watched]
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


def key_builder(positions: tuple[int, ...]) -> Callable[[Triple], Row]:
    """A function from (x, y, z) to the tuple of the values at some positions."""
    if len(positions) == 0:
        return lambda _: ()
    if len(positions) == 1:
        position = positions[0]
        return lambda triple: (triple[position],)
    return cast("Callable[[Triple], Row]", itemgetter(*positions))


class HeadMap(Generic[P]):
    """The head map: rows of the result with their sums over all triangles that no kept tree covers.

    `order` lists the free variables of the rows; a triangle of relation i is (x, y, z), its values of the
    variables i, i+1, i+2. Zero sums are not stored.
    """

    __slots__ = ("entries", "keys")

    def __init__(self, order: tuple[int, ...]) -> None:
        self.entries: dict[Row, P] = {}
        self.keys = [key_builder(tuple((variable - i) % 3 for variable in order)) for i in range(3)]

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, row: Row) -> P | None:
        """The sum of a row, or None for zero.  Cost: O(1)."""
        return self.entries.get(row)

    def rows(self) -> Iterator[tuple[Row, P]]:
        """All rows with their sums.  Delay: O(1)."""
        yield from self.entries.items()

    def damage(self) -> Iterator[str]:
        """Stored zeros: the head map is enumerated as it stands.  Cost: O(its size)."""
        for row, m in self.entries.items():
            if not m:
                yield f"the head map has {row!r} with multiplicity {m!r}"

    def add(self, i: int, x: Hashable, y: Hashable, z: Hashable, change: P) -> None:
        """Add to the row of a triangle; z is not looked at where it is bound.  Cost: amortized O(1)."""
        key = self.keys[i]((x, y, z))
        old = self.entries.get(key)
        new = change if old is None else old + change
        if new:
            self.entries[key] = new
        elif old is not None:
            del self.entries[key]
            self.entries = compacted(self.entries)

    def spread(self, i: int, x: Hashable, y: Hashable, row: Line, column: Line, multiplicity: P) -> int:
        """Add multiplicity · row(z) · column(z) for every common z; how many.  Cost: O(the smaller one)."""
        left, right = cast("DictLine[P]", row), cast("DictLine[P]", column)
        common = left.keys() & right.keys()  # walks the smaller one
        for z in common:
            self.add(i, x, y, z, multiplicity * left[z] * right[z])
        return len(common)


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

    def damage(self) -> str:
        """What is wrong with the positions, or nothing.  Cost: O(size)."""
        positions = {item: position for position, item in enumerate(self.items)}
        if not positions or len(positions) != len(self) or self.index not in (None, positions):
            return f"{self.items!r} with the positions {self.index!r}"
        return ""

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
