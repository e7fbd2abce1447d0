"""Relations in dicts.

    forward[status of y][x]  = {y: multiplicity}
    backward[status of x][y] = {x: multiplicity}

A single-partitioned relation uses forward[LIGHT] for everything.

>>> relation = DictRelation(partitioned=1)
>>> relation.add(1, 2, LIGHT, LIGHT, 5)
>>> relation.forward[LIGHT], relation.backward[LIGHT]
({1: {2: 5}}, {2: {1: 5}})
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ivme.kernel.parts import HEAVY, LIGHT
from ivme.kernel.storage.dicts.lines import DictLine, compacted, put_entry, remove_entry
from ivme.kernel.storage.dicts.names import Names
from ivme.kernel.storage.interface import StoredRelation
from ivme_spec.rings import P

if TYPE_CHECKING:
    from mypy_extensions import i64


class DictRelation(StoredRelation[P]):
    """A relation with its partition. Invariant, for each partitioned column c:

    heavy[c] holds exactly the heavy values, watched[c] exactly those of degree `watch` and more. `names`
    is for messages.
    """

    def __init__(self, partitioned: int, names: Names | None = None) -> None:
        super().__init__(partitioned)
        self.names = Names() if names is None else names
        self.watched: list[set[int]] = [set(), set()]
        self.forward: tuple[dict[int, DictLine[P]], dict[int, DictLine[P]]] = ({}, {})
        self.backward: tuple[dict[int, DictLine[P]], dict[int, DictLine[P]]] = ({}, {})
        self.heavy: tuple[set[int], set[int]] = (set(), set())

    def status(self, column: i64, value: i64) -> i64:
        return HEAVY if value in self.heavy[column] else LIGHT

    def mark(self, column: i64, value: i64, status: i64) -> None:
        if status == HEAVY:
            self.heavy[column].add(value)
        else:
            self.heavy[column].discard(value)

    def row(self, x: i64, second: i64) -> DictLine[P] | None:
        """The y-values of status `second` with their multiplicities, or None.  Cost: O(1)."""
        return self.forward[second].get(x)

    def column(self, y: i64, first: i64) -> DictLine[P] | None:
        """The x-values of status `first` with their multiplicities, or None.  Cost: O(1)."""
        return self.backward[first].get(y)

    def length(self, column: i64, value: i64, other: i64) -> i64:
        line = self.backward[other].get(value) if column else self.forward[other].get(value)
        return 0 if line is None else len(line)

    def members(self, column: i64, value: i64, other: i64) -> list[int]:
        return list(self.backward[other].get(value, ()) if column else self.forward[other].get(value, ()))

    def get(self, x: i64, y: i64) -> P | None:
        row = self.forward[self.status(1, y)].get(x)
        return None if row is None else row.get(y)

    def degree(self, column: i64, value: i64) -> int:
        light, heavy = self.backward if column else self.forward
        return len(light.get(value, ())) + len(heavy.get(value, ()))

    def due(self, column: i64, value: i64, heavy: int, light: int) -> int:
        degree = self.degree(column, value)
        if value in self.heavy[column]:
            return LIGHT if degree < heavy else -1
        return HEAVY if degree >= light else -1

    def values_due(self, column: int, strict: int) -> list[int]:
        watched, heavy = self.watched[column], self.heavy[column]
        return [value for value in watched if (self.degree(column, value) >= strict) != (value in heavy)]

    def watching(self, column: int) -> int:
        return len(self.watched[column])

    def watch_from(self, least: int) -> int:
        looked = 0
        for column in range(self.partitioned):
            values = self.watched[column] if least >= self.watch else self.values(column)
            looked += len(values)
            self.watched[column] = {value for value in values if self.degree(column, value) >= least}
        self.watch = least
        return looked

    def values(self, column: int) -> list[int]:
        light, heavy = self.backward if column else self.forward
        return list(light.keys() | heavy.keys())

    def tuples_of(self, column: int, value: i64) -> list[tuple[int, int, P]]:
        lines = self.backward if column else self.forward
        found = [entry for line in lines for entry in line.get(value, {}).items()]
        return [(other, value, m) if column else (value, other, m) for other, m in found]

    def tuples(self) -> Iterator[tuple[int, int, P]]:
        for rows in self.forward:
            for x, row in rows.items():
                for y, multiplicity in row.items():
                    yield x, y, multiplicity

    def damage(self) -> Iterator[str]:
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
                yield f"{(self.names.value(x), self.names.value(y))!r} is in the wrong row bucket"
        for (x, y), (_, first) in backward.items():
            if first != self.status(0, x):
                yield f"{(self.names.value(x), self.names.value(y))!r} is in the wrong column bucket"
        for column, lines in enumerate((self.forward, self.backward)):
            if any(not line for by_status in lines for line in by_status.values()):
                yield "there is an empty row"
            if stale := self.heavy[column].difference(self.values(column)):
                yield f"stale bits of values without tuples: {set(map(self.names.value, stale))!r}"
            if column < self.partitioned:
                wanted = {value for value in self.values(column) if self.degree(column, value) >= self.watch}
                if wrong := self.watched[column] ^ wanted:
                    named = set(map(self.names.value, wrong))
                    yield f"wrongly watched, or not, from degree {self.watch} on: {named!r}"

    def add(self, x: i64, y: i64, first: i64, second: i64, multiplicity: P) -> None:
        self.put(x, y, first, second, multiplicity)
        for column in range(self.partitioned):
            value = y if column else x
            if self.degree(column, value) == self.watch:
                self.watched[column].add(value)

    def put(self, x: i64, y: i64, first: i64, second: i64, multiplicity: P) -> None:
        put_entry(self.forward[second], x, y, multiplicity)
        put_entry(self.backward[first], y, x, multiplicity)

    def remove(self, x: i64, y: i64, first: i64, second: i64) -> None:
        remove_entry(self.forward[second], x, y)
        remove_entry(self.backward[first], y, x)
        for column in range(self.partitioned):
            value = y if column else x
            if self.degree(column, value) == self.watch - 1:
                self.watched[column].remove(value)

    def shift(self, column: int, x: i64, y: i64, old: i64, new: i64, multiplicity: P) -> None:
        lines, outer, inner = (self.forward, x, y) if column else (self.backward, y, x)
        remove_entry(lines[old], outer, inner)
        put_entry(lines[new], outer, inner, multiplicity)

    def compact(self) -> None:
        self.heavy = (set(self.heavy[0]), set(self.heavy[1]))
        self.watched = [set(watched) for watched in self.watched]
        self.forward = (compacted(self.forward[0]), compacted(self.forward[1]))
        self.backward = (compacted(self.backward[0]), compacted(self.backward[1]))
