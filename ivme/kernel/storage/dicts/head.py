"""The head map as a dict.

>>> head = DictHead((0, 2))
>>> head.add(1, "b", "c", "a", 5)    # a triangle of relation 1: b, c, a
>>> dict(head.rows())
{('a', 'c'): 5}
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from operator import itemgetter
from typing import cast

from ivme.kernel.storage.dicts.lines import DictLine, compacted
from ivme.kernel.storage.interface import HeadMap
from ivme_spec.relations import Row
from ivme_spec.rings import P

Triple = tuple[Hashable, Hashable, Hashable]


def key_builder(positions: tuple[int, ...]) -> Callable[[Triple], Row]:
    """A function from (x, y, z) to the tuple of the values at some positions."""
    if len(positions) == 0:
        return lambda _: ()
    if len(positions) == 1:
        position = positions[0]
        return lambda triple: (triple[position],)
    return cast("Callable[[Triple], Row]", itemgetter(*positions))


class DictHead(HeadMap[Hashable, DictLine[P], P]):
    """The head map as a dict of rows; `order` lists their variables."""

    def __init__(self, order: tuple[int, ...]) -> None:
        self.entries: dict[Row, P] = {}
        self.keys = [key_builder(tuple((variable - i) % 3 for variable in order)) for i in range(3)]

    def __len__(self) -> int:
        return len(self.entries)

    def get(self, row: Row) -> P | None:
        return self.entries.get(row)

    def find(self, row: Row) -> P | None:
        return self.entries.get(row)

    def handles(self) -> Iterator[Row]:
        yield from self.entries

    def rows(self) -> Iterator[tuple[Row, P]]:
        yield from self.entries.items()

    def damage(self) -> Iterator[str]:
        for row, m in self.entries.items():
            if not m:
                yield f"the head map has {row!r} with multiplicity {m!r}"

    def add(self, i: int, x: Hashable, y: Hashable, z: Hashable, change: P) -> None:
        key = self.keys[i]((x, y, z))
        old = self.entries.get(key)
        new = change if old is None else old + change
        if new:
            self.entries[key] = new
        elif old is not None:
            del self.entries[key]
            self.entries = compacted(self.entries)

    def spread(
        self, i: int, x: Hashable, y: Hashable, row: DictLine[P], column: DictLine[P], multiplicity: P
    ) -> int:
        common = row.keys() & column.keys()  # walks the smaller one
        for z in common:
            self.add(i, x, y, z, multiplicity * row[z] * column[z])
        return len(common)
