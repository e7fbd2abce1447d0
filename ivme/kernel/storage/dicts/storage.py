"""`DictStorage`: everything in dicts.

>>> storage = DictStorage()
>>> x = storage.handle(0, "ada")
>>> storage.value(x), storage.find(0, "ada") == x, storage.find(1, "ada")
('ada', True, 0)
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from ivme.kernel.parts import LIGHT
from ivme.kernel.plan import TreePlan
from ivme.kernel.storage.dicts.head import DictHead
from ivme.kernel.storage.dicts.names import Names
from ivme.kernel.storage.dicts.relation import DictRelation
from ivme.kernel.storage.dicts.trees import DictKept, DictSums
from ivme.kernel.storage.interface import UNWATCHED, Bulk, HeadMap, KeptTree, Storage, SummedTree
from ivme_spec.rings import P

if TYPE_CHECKING:
    from mypy_extensions import i64


class DictBulk(Bulk[P]):
    """Stores tuple by tuple."""

    def __init__(self, storage: DictStorage[P], i: int) -> None:
        self.storage, self.i = storage, i
        self.relation = relation = storage.relations[i]
        relation.watch_from(UNWATCHED)
        self.count = 0

    def add(self, x: Hashable, y: Hashable, multiplicity: P) -> None:
        left, right = self.storage.handle(self.i, x), self.storage.handle((self.i + 1) % 3, y)
        old = self.relation.get(left, right)
        if old is None:
            self.count += 1
            self.relation.add(left, right, LIGHT, LIGHT, multiplicity)
        else:
            self.relation.put(left, right, LIGHT, LIGHT, old + multiplicity)

    def finish(self) -> None:
        return


class DictStorage(Storage[P]):
    """Storage in dicts. All but the first see ids only, which are hashed faster than most values."""

    def __init__(self) -> None:
        super().__init__()
        self.relations: dict[int, DictRelation[P]] = {}
        self.names = Names()

    def relation(self, i: int, partitioned: int) -> DictRelation[P]:
        self.relations[i] = made = DictRelation[P](partitioned, self.names)
        return made

    def bulk(self, i: int, distinct: bool) -> Bulk[P]:
        return DictBulk(self, i)

    def head_map(self, order: tuple[int, ...]) -> HeadMap[P]:
        return DictHead(order, self.relations, self.names)

    def summed_tree(self, first: int) -> SummedTree[P]:
        return DictSums(self.relations[first], self.relations[(first + 1) % 3])

    def kept_tree(self, first: int, by_x: bool, by_z: bool) -> KeptTree:
        return DictKept(by_x, by_z, self.names)

    def columns(self, trees: tuple[TreePlan, ...]) -> None:
        return None

    def handle(self, variable: int, value: Hashable) -> i64:
        found = self.names.ids[variable].get(value)
        return self.names.make(variable, value) if found is None else found

    def find(self, variable: int, value: Hashable) -> i64:
        return self.names.find(variable, value)

    def forget(self, variable: int, x: i64) -> None:
        own, previous = self.relations[variable], self.relations[variable - 1 if variable else 2]
        if not own.degree(0, x) and not previous.degree(1, x):
            self.names.drop(variable, x)

    def value(self, x: i64) -> Hashable:
        return self.names.value(x)

    def prefetch(self, x: i64, y: i64, partners: bool) -> None:
        return

    def common(self, i: int, x: i64, y: i64, second: i64, first: i64) -> list[int]:
        row, column = self.relations[(i + 1) % 3].row(y, second), self.relations[(i + 2) % 3].column(x, first)
        return [] if row is None or column is None else list(row.keys() & column.keys())

    def expect(self, i: int, x: i64) -> None:
        return

    def dot(self, i: int, x: i64, y: i64, second: i64, first: i64) -> P | None:
        row = self.relations[0 if i == 2 else i + 1].forward[second][y]
        column = self.relations[i - 1 if i else 2].backward[first][x]
        common = row.keys() & column.keys()  # walks the smaller one
        self.steps = min(len(row), len(column)) + len(common)
        total: P | None = None
        for z in common:
            product = row[z] * column[z]
            total = product if total is None else total + product
        return total
