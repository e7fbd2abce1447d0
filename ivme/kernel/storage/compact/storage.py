"""`CompactStorage`: all lines in one arena, values by ids.

>>> storage = CompactStorage()
>>> x = storage.handle(0, "ada")
>>> storage.value(x), storage.find(0, "ada") == x, storage.find(1, "ada")
('ada', True, 0)
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from ivme.kernel.parts import LIGHT
from ivme.kernel.plan import TreePlan
from ivme.kernel.storage.compact.bulk import CompactBulk
from ivme.kernel.storage.compact.columns import CompactColumns
from ivme.kernel.storage.compact.head import CompactHead
from ivme.kernel.storage.compact.interning import FAR, Ids
from ivme.kernel.storage.compact.lines import RECORD, Lines, line_of
from ivme.kernel.storage.compact.product import Product
from ivme.kernel.storage.compact.relation import CompactRelation
from ivme.kernel.storage.compact.trees import CompactKept, CompactSums
from ivme.kernel.storage.compact.variables import Variable
from ivme.kernel.storage.interface import AHEAD, Bulk, Columns, Storage

CACHED: Final = 1 << 16
"""So many cells need not be loaded ahead."""


class CompactStorage(Storage[int]):
    """Storage in lines of ids, for integers."""

    def __init__(self) -> None:
        super().__init__()
        self.ids = Ids()
        self.lines = Lines()
        self.variables = [Variable(self.ids, self.lines) for _ in range(3)]
        self.relations: dict[int, CompactRelation] = {}
        self.head = CompactHead((), self.variables)
        self.kept: dict[int, CompactKept] = {}
        self.product = Product(self.lines)
        self.coming: vec[i64] = vec[i64]([0] * (2 * AHEAD))
        self.many: i64 = 0
        """How many of the ids that are coming are known."""
        self.sink: i64 = 0
        """So that the compiler does not leave loads out."""

    def relation(self, i: int, partitioned: int) -> CompactRelation:
        made = CompactRelation(partitioned, self.lines, self.variables[i], self.variables[(i + 1) % 3])
        self.relations[i] = made
        return made

    def bulk(self, i: int, distinct: bool) -> Bulk[int]:
        return CompactBulk(self.relations[i], distinct)

    def head_map(self, order: tuple[int, ...]) -> CompactHead:
        self.head = CompactHead(order, self.variables)
        return self.head

    def summed_tree(self, first: int) -> CompactSums:
        return CompactSums(self.lines, self.variables[first])

    def kept_tree(self, first: int, by_x: bool, by_z: bool) -> CompactKept:
        made = CompactKept(by_x, by_z, self.ids)
        self.kept[first] = made
        return made

    def columns(self, trees: tuple[TreePlan, ...]) -> Columns:
        found = CompactColumns(self.lines, self.variables)
        found.add_head(self.head)
        for plan in trees:
            found.add_tree(plan, self.kept[plan.first])
        return found

    def handle(self, variable: int, value: Hashable) -> i64:
        return self.variables[variable].handle(value)

    def find(self, variable: int, value: Hashable) -> i64:
        return self.variables[variable].find(value)

    def forget(self, variable: int, x: i64) -> None:
        records, line = self.lines.records, RECORD * x
        if records[line + 2] | records[line + 5] | records[line + 8] | records[line + 11] == 0:
            self.variables[variable].drop(x)

    def value(self, x: i64) -> Hashable:
        return self.ids.value(x)

    def prefetch(self, x: i64, y: i64, partners: bool) -> None:
        """Load a word of each line but the one used first, so that the cache misses overlap."""
        records, cells = self.lines.records, self.lines.cells
        seen: i64 = i64(cells[4 * i64(records[RECORD * y + 6])])
        if partners:
            seen += i64(cells[4 * i64(records[RECORD * x + 6])]) + i64(cells[4 * i64(records[RECORD * y])])
        self.sink = seen

    def is_far(self) -> bool:
        return self.lines.top > CACHED

    def ahead(self, i: int, x: Hashable, y: Hashable) -> None:
        self.note(i, x)
        self.note(0 if i == 2 else i + 1, y)

    def note(self, variable: int, value: Hashable) -> None:
        """Note a value that is coming: an integer with its variable, or its id below zero.  Cost: O(1)."""
        at: i64 = self.many
        self.many = at + 1
        if type(value) is int:
            number: int = value
            if 0 <= number < FAR:
                self.coming[at] = 4 * i64(number) + i64(variable)
                return
        self.coming[at] = -self.variables[variable].interner.find(value)

    def fetch(self) -> None:
        """All ids first, then all lines: each loop waits for memory once."""
        first, second = self.variables[0].interner.places, self.variables[1].interner.places
        third, coming, many = self.variables[2].interner.places, self.coming, self.many
        at: i64 = 0
        x: i64
        while at < many:
            place: i64 = coming[at] >> 2
            variable: i64 = coming[at] & 3
            x = 0
            if coming[at] < 0:
                x = -coming[at]
            elif variable == 0 and place < i64(len(first)):
                x = i64(first[place])
            elif variable == 1 and place < i64(len(second)):
                x = i64(second[place])
            elif variable == 2 and place < i64(len(third)):
                x = i64(third[place])
            coming[at] = x
            at += 1
        records, cells = self.lines.records, self.lines.cells
        seen: i64 = 0
        at = 0
        while at < many:
            line: i64 = RECORD * coming[at]
            seen += i64(cells[4 * i64(records[line])]) + i64(cells[4 * i64(records[line + 6])])
            at += 1
        self.sink = seen
        self.many = 0

    def common(self, i: int, x: i64, y: i64, second: i64, first: i64) -> list[int]:
        lines, left, right = self.lines, line_of(y, 0, second), line_of(x, 1, first)
        if lines.length(left) > lines.length(right):
            left, right = right, left
        return [z for z in lines.keys(left) if lines.find(right, z) >= 0]

    def expect(self, i: int, x: i64) -> None:
        self.product.mark(line_of(x, 1, LIGHT) if x > 0 else 0, len(self.ids.numbers))

    def dot(self, i: int, x: i64, y: i64, second: i64, first: i64) -> int | None:
        product = self.product
        product.of(line_of(y, 0, second), line_of(x, 1, first))
        self.steps = product.steps
        return product.total if product.matches > 0 else None
