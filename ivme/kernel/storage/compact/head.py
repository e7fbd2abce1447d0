"""The head map by ids.

>>> ids, lines = Ids(), Lines()
>>> variables = [Variable(ids, lines) for _ in range(3)]
>>> a, b = variables[0].handle("a"), variables[1].handle("b")
>>> head = CompactHead((0, 1), variables)
>>> head.add(0, a, b, 0, 5)
>>> dict(head.rows()), head.get(("a", "c"))
({('a', 'b'): 5}, None)
"""

from __future__ import annotations

from collections.abc import Iterator

from mypy_extensions import i64

from ivme.kernel.storage.compact.ids import IdRow
from ivme.kernel.storage.compact.lines import Lines as Lines
from ivme.kernel.storage.compact.lines import line_of
from ivme.kernel.storage.compact.trees import LOW, packed
from ivme.kernel.storage.compact.variables import Ids as Ids
from ivme.kernel.storage.compact.variables import Variable
from ivme.kernel.storage.interface import HeadMap
from ivme_spec.relations import Row


class CompactHead(HeadMap[int]):
    """The head map by ids: one sum, a row, a row of pairs, or for three variables a row for each pair."""

    def __init__(self, order: tuple[int, ...], variables: list[Variable]) -> None:
        self.order = list(order)
        self.arity = len(order)
        self.variables = variables
        self.ids, self.lines = variables[0].ids, variables[0].lines
        self.total = 0
        self.sums = IdRow()
        self.slots: list[IdRow | None] = []
        self.free: list[int] = []
        self.count = 0

    def __len__(self) -> int:
        if self.arity == 0:
            return 1 if self.total else 0
        return self.count if self.arity == 3 else self.sums.size()

    def get(self, row: Row) -> int | None:
        found: list[int] = []
        for place in range(self.arity):
            found.append(int(self.variables[self.order[place]].find(row[place])))
        return self.find(tuple(found)) if all(found) else None

    def find(self, row: tuple[int, ...]) -> int | None:
        if self.arity == 0:
            return self.total or None
        sums = self.sums
        key = i64(row[0]) if self.arity == 1 else packed(row[0], row[1])
        if self.arity == 3:
            at = self.sums.find(key)
            inner = None if at < 0 else self.slots[self.sums.value_at(at) - 1]
            if inner is None:
                return None
            sums, key = inner, i64(row[2])
        position = sums.find(key)
        return None if position < 0 else sums.value_at(position)

    def add(self, i: int, x: i64, y: i64, z: i64, change: int) -> None:
        if self.arity == 0:
            self.total += change
            return
        one = self.pick(0, i, x, y, z)
        if self.arity == 1:
            self.sums.change(one, change)
            return
        two = self.pick(1, i, x, y, z)
        if self.arity == 2:
            self.sums.change(packed(one, two), change)
        else:
            self.add_triple(packed(one, two), self.pick(2, i, x, y, z), change)

    def pick(self, place: int, i: int, x: i64, y: i64, z: i64) -> i64:
        """The id at a place of the row of a triangle of relation i.  Cost: O(1)."""
        turn = self.order[place] - i
        if turn == 0:
            return x
        if turn == 1 or turn == -2:
            return y
        return z

    def add_triple(self, pair: i64, third: i64, change: int) -> None:
        """Add to the entry of a pair and a third id.  Cost: amortized O(1)."""
        at = self.sums.find(pair)
        if at < 0:
            if change == 0:
                return
            inner: IdRow | None = IdRow()
            if self.free:
                slot = self.free.pop()
                self.slots[slot] = inner
            else:
                slot = len(self.slots)
                self.slots.append(inner)
            self.sums.append_entry(pair, slot + 1)
        else:
            slot = self.sums.value_at(at) - 1
            inner = self.slots[slot]
        assert inner is not None, "a slot in use has a row"
        self.count += inner.change(third, change)
        if not inner.size():
            self.sums.drop_at(self.sums.find(pair))
            self.slots[slot] = None
            self.free.append(slot)
            if not self.count:
                self.slots, self.free = [], []

    def spread(self, i: int, x: i64, y: i64, second: i64, first: i64, multiplicity: int) -> int:
        lines, left, right = self.lines, line_of(y, 0, second), line_of(x, 1, first)
        if lines.length(left) > lines.length(right):
            left, right = right, left
        found = 0
        cell, end = lines.start_of(left), lines.end_of(left)
        while cell < end:
            z: i64 = i64(lines.cells[cell])
            if z != 0:
                other = lines.find(right, z)
                if other >= 0:
                    found += 1
                    change = multiplicity * lines.value_at(left, cell) * lines.value_at(right, other)
                    self.add(i, x, y, z, change)
            cell += 1
        return found

    def rows(self) -> Iterator[tuple[Row, int]]:
        if self.arity == 0:
            if self.total:
                yield (), self.total
            return
        value = self.ids.value
        for position in range(self.sums.size()):
            key = self.sums.at(position)
            if self.arity == 1:
                yield (value(key),), self.sums.value_at(position)
                continue
            one, two = value(key >> 31), value(key & LOW)
            if self.arity == 2:
                yield (one, two), self.sums.value_at(position)
            else:
                inner = self.slots[self.sums.value_at(position) - 1]
                assert inner is not None, "a slot in use has a row"
                for below in range(inner.size()):
                    yield (one, two, value(inner.at(below))), inner.value_at(below)

    def handles(self) -> Iterator[tuple[int, ...]]:
        assert 1 <= self.arity <= 2, "what unions enumerate"
        for position in range(self.sums.size()):
            key = self.sums.at(position)
            yield (int(key),) if self.arity == 1 else (int(key >> 31), int(key & LOW))

    def damage(self) -> Iterator[str]:
        for row, m in self.rows():
            if not m or self.get(row) != m:
                yield f"the head map has {row!r} with multiplicity {m!r}"
        if wrong := self.sums.damage():
            yield f"the head map: {wrong}"
