"""Relations over the lines of their values.

>>> from ivme.kernel.storage.compact.interning import Ids
>>> ids, lines = Ids(), Lines()
>>> xs, ys = Variable(ids, lines), Variable(ids, lines)
>>> relation = CompactRelation(1, lines, xs, ys)
>>> x, y = xs.handle("x"), ys.handle("y")
>>> relation.add(x, y, LIGHT, LIGHT, 5)
>>> relation.get(x, y), relation.degree(0, x), relation.watching(0)
(5, 1, 1)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mypy_extensions import i32, i64

from ivme.kernel.parts import HEAVY, LIGHT
from ivme.kernel.storage.compact.ids import IdSet
from ivme.kernel.storage.compact.lines import LAST, RECORD, Lines, line_of
from ivme.kernel.storage.compact.variables import Variable
from ivme.kernel.storage.interface import UNWATCHED, StoredRelation


class CompactRelation(StoredRelation[int]):
    """A relation over the values of its two variables."""

    def __init__(self, partitioned: int, lines: Lines, first: Variable, second: Variable) -> None:
        super().__init__(partitioned)
        self.lines = lines
        self.first = first
        self.second = second
        self.watched_first = IdSet()
        self.watched_second = IdSet()
        self.from_degree: i64 = i64(self.watch)
        """`watch` as a machine integer."""

    def status(self, column: i64, value: i64) -> i64:
        return (i64(self.lines.records[RECORD * value + LAST]) >> column) & 1  # HEAVY or LIGHT

    def mark(self, column: i64, value: i64, status: i64) -> None:
        records, bit = self.lines.records, i64(1) << column
        bits: i64 = i64(records[RECORD * value + LAST]) & ~bit
        if status == HEAVY:
            bits |= bit
        records[RECORD * value + LAST] = i32(bits)

    def length(self, column: i64, value: i64, other: i64) -> i64:
        return i64(self.lines.records[line_of(value, column, other) + 2])

    def members(self, column: i64, value: i64, other: i64) -> list[int]:
        return self.lines.keys(line_of(value, column, other))

    def get(self, x: i64, y: i64) -> int | None:
        return self.lines.get(line_of(x, 0, self.status(1, y)), y)

    def degree_of(self, column: i64, x: i64) -> i64:
        """`degree` as a machine integer.  Cost: O(1)."""
        records = self.lines.records
        line: i64 = RECORD * x + 6 * column
        return i64(records[line + 2]) + i64(records[line + 5])

    def degree(self, column: i64, value: i64) -> int:
        return int(self.degree_of(column, value))

    def values(self, column: int) -> list[int]:
        values = self.second if column else self.first
        return [x for x in values.live_ids() if self.degree_of(i64(column), x) > 0]

    def due(self, column: i64, value: i64, heavy: int, light: int) -> int:
        degree = self.degree_of(column, value)
        if self.status(column, value) == HEAVY:
            if degree < i64(heavy):
                return LIGHT
        elif degree >= i64(light):
            return HEAVY
        return -1

    def values_due(self, column: int, strict: int) -> list[int]:
        return [
            x
            for x in self.watched(column)
            if (self.degree(column, x) >= strict) != (self.status(column, x) == HEAVY)
        ]

    def watched(self, column: int) -> list[int]:
        """The watched values.  Cost: O(their number)."""
        watched = self.watched_second if column else self.watched_first
        return [int(watched.at(position)) for position in range(watched.size())]

    def watching(self, column: int) -> int:
        return (self.watched_second if column else self.watched_first).size()

    def watch_from(self, least: int) -> int:
        looked, limit = 0, i64(min(least, UNWATCHED))
        for column in range(self.partitioned):
            values, found = self.second if column else self.first, IdSet()
            for x in self.watched(column) if least >= self.watch else values.live_ids():
                degree = self.degree_of(i64(column), x)
                if degree > 0:  # else it is a value of the neighbouring relation alone
                    looked += 1
                if degree >= limit:
                    found.add(x)
            if column:
                self.watched_second = found
            else:
                self.watched_first = found
        self.watch, self.from_degree = least, limit
        return looked

    def tuples_of(self, column: int, value: i64) -> list[tuple[int, int, int]]:
        found: list[tuple[int, int, int]] = []
        for status in range(2):  # LIGHT, HEAVY
            for other, m in self.lines.items(line_of(value, column, status)):
                found.append((other, int(value), m) if column else (int(value), other, m))
        return found

    def tuples(self) -> Iterator[tuple[int, int, int]]:
        seat = 0
        while seat < len(self.first.live):  # ids are not copied: this is to take constant memory
            yield from self.tuples_of(0, i64(self.first.live[seat]))
            seat += 1

    def add(self, x: i64, y: i64, first: i64, second: i64, multiplicity: int) -> None:
        self.lines.add(line_of(x, 0, second), y, multiplicity)
        if self.degree_of(0, x) == self.from_degree:
            self.watched_first.add(x)
        self.lines.add(line_of(y, 1, first), x, multiplicity)
        if self.partitioned == 2 and self.degree_of(1, y) == self.from_degree:
            self.watched_second.add(y)

    def put(self, x: i64, y: i64, first: i64, second: i64, multiplicity: int) -> None:
        self.lines.put(line_of(x, 0, second), y, multiplicity)
        self.lines.put(line_of(y, 1, first), x, multiplicity)

    def remove(self, x: i64, y: i64, first: i64, second: i64) -> None:
        if self.degree_of(0, x) == self.from_degree:
            self.watched_first.remove_at(self.watched_first.find(x))
        if self.partitioned == 2 and self.degree_of(1, y) == self.from_degree:
            self.watched_second.remove_at(self.watched_second.find(y))
        self.lines.drop(line_of(x, 0, second), y)
        self.lines.drop(line_of(y, 1, first), x)

    def shift(self, column: int, x: i64, y: i64, old: i64, new: i64, multiplicity: int) -> None:
        outer, inner, other = x, y, 0
        if not column:
            outer, inner, other = y, x, 1
        self.lines.drop(line_of(outer, other, old), inner)
        self.lines.add(line_of(outer, other, new), inner, multiplicity)

    def compact(self) -> None:
        self.first.interner.compact()
        self.lines.compact()

    def damage(self) -> Iterator[str]:
        """As the interface says, and ids belong to their values."""
        forward: dict[tuple[Hashable, Hashable], int] = {}
        backward: dict[tuple[Hashable, Hashable], int] = {}
        for column, values, found in ((0, self.first, forward), (1, self.second, backward)):
            name = values.ids.value
            for seat, x in enumerate(values.live_ids()):
                if values.find(name(x)) != x or self.lines.records[RECORD * x + LAST] >> 2 != seat:
                    yield f"id {x} is not that of {name(x)!r}"
                if not self.degree_of(0, x) and not self.degree_of(1, x):
                    yield f"{name(x)!r} has an id and no tuple"
                if not self.degree(column, x) and self.status(column, x) == HEAVY:
                    yield f"stale bits of values without tuples: {name(x)!r}"
                for status in (LIGHT, HEAVY):
                    line = line_of(x, column, status)
                    if wrong := self.lines.damage(line):
                        yield wrong
                    for other, multiplicity in self.lines.items(line):
                        row = (name(other), name(x)) if column else (name(x), name(other))
                        found[row] = multiplicity
                        if status != self.status(1 - column, other):
                            yield f"{row!r} is in the wrong {'column' if column else 'row'} bucket"
        if forward != backward:
            yield "the rows and the columns differ"
        if int(self.from_degree) != self.watch:
            yield f"degrees are compared with {self.from_degree}, not with {self.watch}"
        for column in range(self.partitioned):
            values, watched = (
                (self.second, self.watched_second) if column else (self.first, self.watched_first)
            )
            ids = {int(watched.at(position)) for position in range(watched.size())}
            wanted = {x for x in values.live_ids() if self.degree(column, x) >= self.watch}
            if ids != wanted or watched.damage():
                yield f"wrongly watched, or not, from degree {self.watch} on: ids {ids ^ wanted}"
