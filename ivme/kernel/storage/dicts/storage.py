"""`DictStorage`: everything in dicts.

>>> storage = DictStorage()
>>> storage.dot({"z": 2, "u": 1}, {"z": 5}), storage.steps
(10, 2)
"""

from __future__ import annotations

from collections.abc import Hashable

from ivme.kernel.parts import LIGHT
from ivme.kernel.plan import TreePlan
from ivme.kernel.storage.dicts.head import DictHead
from ivme.kernel.storage.dicts.lines import DictLine
from ivme.kernel.storage.dicts.relation import DictRelation
from ivme.kernel.storage.dicts.trees import DictKept, DictSums
from ivme.kernel.storage.interface import UNWATCHED, Bulk, HeadMap, KeptTree, Storage, SummedTree
from ivme_spec.rings import P


class DictBulk(Bulk[P]):
    """Stores tuple by tuple."""

    def __init__(self, relation: DictRelation[P]) -> None:
        self.relation = relation
        relation.watch_from(UNWATCHED)
        self.count = 0

    def add(self, x: Hashable, y: Hashable, multiplicity: P) -> None:
        old = self.relation.get(x, y)
        if old is None:
            self.count += 1
            self.relation.add(x, y, LIGHT, LIGHT, multiplicity)
        else:
            self.relation.put(x, y, LIGHT, LIGHT, old + multiplicity)

    def finish(self) -> None:
        return


class DictStorage(Storage[Hashable, DictLine[P], P]):
    """Storage in dicts; values are their own handles."""

    def __init__(self) -> None:
        super().__init__()
        self.relations: dict[int, DictRelation[P]] = {}

    def relation(self, i: int, partitioned: int) -> DictRelation[P]:
        self.relations[i] = made = DictRelation[P](partitioned)
        return made

    def bulk(self, i: int, distinct: bool) -> Bulk[P]:
        return DictBulk(self.relations[i])

    def head_map(self, order: tuple[int, ...]) -> HeadMap[Hashable, DictLine[P], P]:
        return DictHead(order)

    def summed_tree(self, first: int) -> SummedTree[Hashable, DictLine[P], P]:
        return DictSums()

    def kept_tree(self, first: int, by_x: bool, by_z: bool) -> KeptTree[Hashable]:
        return DictKept(by_x, by_z)

    def columns(self, trees: tuple[TreePlan, ...]) -> None:
        return None

    def handle(self, variable: int, value: Hashable) -> Hashable:
        return value

    def knows(self, variable: int, value: Hashable) -> bool:
        return True

    def forget(self, variable: int, handle: Hashable) -> None:
        return

    def value(self, handle: Hashable) -> Hashable:
        return handle

    def prefetch(self, x: Hashable, y: Hashable, partners: bool) -> None:
        return

    def length(self, line: DictLine[P]) -> int:
        return len(line)

    def members(self, variable: int, line: DictLine[P]) -> list[Hashable]:
        return list(line)

    def common(self, variable: int, row: DictLine[P], column: DictLine[P]) -> list[Hashable]:
        return list(row.keys() & column.keys())

    def has(self, line: DictLine[P], handle: Hashable) -> bool:
        return handle in line

    def expect(self, variable: int, column: DictLine[P] | None) -> None:
        return

    def dot(self, row: DictLine[P], column: DictLine[P]) -> P | None:
        common = row.keys() & column.keys()  # walks the smaller one
        self.steps = min(len(row), len(column)) + len(common)
        total: P | None = None
        for z in common:
            product = row[z] * column[z]
            total = product if total is None else total + product
        return total
