"""The head map as a dict.

>>> head = DictHead((0, 2), {}, names := Names())
>>> a, b, c = (names.make(variable, name) for variable, name in enumerate("abc"))
>>> head.add(1, b, c, a, 5)    # a triangle of relation 1
>>> dict(head.rows())
{('a', 'c'): 5}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import itemgetter
from typing import TYPE_CHECKING, cast

from ivme.kernel.storage.dicts.lines import compacted
from ivme.kernel.storage.dicts.names import Names
from ivme.kernel.storage.dicts.relation import DictRelation
from ivme.kernel.storage.interface import HeadMap
from ivme_spec.relations import Row
from ivme_spec.rings import P

if TYPE_CHECKING:
    from mypy_extensions import i64

Triple = tuple[int, int, int]
Key = tuple[int, ...]


def key_builder(positions: tuple[int, ...]) -> Callable[[Triple], Key]:
    """A function from (x, y, z) to the tuple of the values at some positions."""
    if len(positions) == 0:
        return lambda _: ()
    if len(positions) == 1:
        position = positions[0]
        return lambda triple: (triple[position],)
    return cast("Callable[[Triple], Key]", itemgetter(*positions))


class DictHead(HeadMap[P]):
    """The head map as a dict of rows of ids; `order` lists their variables."""

    def __init__(self, order: tuple[int, ...], relations: dict[int, DictRelation[P]], names: Names) -> None:
        self.entries: dict[Key, P] = {}
        self.relations = relations
        self.order = order
        self.names = names
        self.keys = [key_builder(tuple((variable - i) % 3 for variable in order)) for i in range(3)]

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, row: Row) -> P | None:
        find = self.names.find
        key = tuple([find(variable, value) for variable, value in zip(self.order, row, strict=True)])
        return self.entries.get(key)

    def find(self, row: Key) -> P | None:
        return self.entries.get(row)

    def handles(self) -> Iterator[Key]:
        yield from self.entries

    def rows(self) -> Iterator[tuple[Row, P]]:
        value = self.names.value
        for key, m in self.entries.items():
            yield tuple([value(x) for x in key]), m

    def damage(self) -> Iterator[str]:
        for row, m in self.rows():
            if not m:
                yield f"the head map has {row!r} with multiplicity {m!r}"

    def add(self, i: int, x: i64, y: i64, z: i64, change: P) -> None:
        key = self.keys[i]((x, y, z))
        old = self.entries.get(key)
        new = change if old is None else old + change
        if new:
            self.entries[key] = new
        elif old is not None:
            del self.entries[key]
            self.entries = compacted(self.entries)

    def spread(self, i: int, x: i64, y: i64, second: i64, first: i64, multiplicity: P) -> int:
        row = self.relations[(i + 1) % 3].forward[second][y]
        column = self.relations[(i + 2) % 3].backward[first][x]
        common = row.keys() & column.keys()  # walks the smaller one
        for z in common:
            self.add(i, x, y, z, multiplicity * row[z] * column[z])
        return len(common)
