"""The head map by ids.

>>> nodes = [Nodes(), Nodes(), Nodes()]
>>> a, b = nodes[0].make("a"), nodes[1].make("b")
>>> head = CompactHead((0, 1), nodes)
>>> head.add(0, a, b, None, 5)
>>> dict(head.rows()), head.get(("a", "c"))
({('a', 'b'): 5}, None)
"""

from __future__ import annotations

from collections.abc import Iterator

from mypy_extensions import i64

from ivme.kernel.storage.compact.ids import IdRow
from ivme.kernel.storage.compact.nodes import LOW, Node, Nodes, packed
from ivme.kernel.storage.interface import HeadMap
from ivme_spec.relations import Row


class CompactHead(HeadMap[Node, IdRow, int]):
    """The head map by ids: one sum, a row, a row of pairs, or for three variables a row for each pair."""

    def __init__(self, order: tuple[int, ...], nodes: list[Nodes]) -> None:
        self.order = list(order)
        self.arity = len(order)
        self.nodes = nodes
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
        found: list[Node] = []
        for place in range(self.arity):
            node = self.nodes[self.order[place]].find(row[place])
            if node is None:
                return None
            found.append(node)
        return self.find(tuple(found))

    def find(self, row: tuple[Node, ...]) -> int | None:
        if self.arity == 0:
            return self.total or None
        sums = self.sums
        key = row[0].id if self.arity == 1 else packed(row[0], row[1])
        if self.arity == 3:
            at = self.sums.find(key)
            inner = None if at < 0 else self.slots[self.sums.value_at(at) - 1]
            if inner is None:
                return None
            sums, key = inner, row[2].id
        position = sums.find(key)
        return None if position < 0 else sums.value_at(position)

    def add(self, i: int, x: Node, y: Node, z: Node | None, change: int) -> None:
        if self.arity == 0:
            self.total += change
            return
        one = self.pick(0, i, x, y, z)
        if self.arity == 1:
            self.sums.change(one.id, change)
            return
        two = self.pick(1, i, x, y, z)
        if self.arity == 2:
            self.sums.change(packed(one, two), change)
        else:
            self.add_triple(packed(one, two), self.pick(2, i, x, y, z).id, change)

    def pick(self, place: int, i: int, x: Node, y: Node, z: Node | None) -> Node:
        """The node at a place of the row of a triangle of relation i.  Cost: O(1)."""
        turn = self.order[place] - i
        if turn == 0:
            return x
        if turn == 1 or turn == -2:
            return y
        assert z is not None, "z is free"
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

    def spread(self, i: int, x: Node, y: Node, row: IdRow, column: IdRow, multiplicity: int) -> int:
        left, right = (column, row) if row.size() > column.size() else (row, column)
        nodes, found = self.nodes[(i + 2) % 3], 0
        for position in range(left.size()):
            key = left.at(position)
            other = right.find(key)
            if other >= 0:
                found += 1
                change = multiplicity * left.value_at(position) * right.value_at(other)
                self.add(i, x, y, nodes.at(key), change)
        return found

    def rows(self) -> Iterator[tuple[Row, int]]:
        if self.arity == 0:
            if self.total:
                yield (), self.total
            return
        first = self.nodes[self.order[0]]
        if self.arity == 1:
            for position in range(self.sums.size()):
                yield (first.at(self.sums.at(position)).value,), self.sums.value_at(position)
            return
        second = self.nodes[self.order[1]]
        for position in range(self.sums.size()):
            key = self.sums.at(position)
            one, two = first.at(key >> 31).value, second.at(key & LOW).value
            if self.arity == 2:
                yield (one, two), self.sums.value_at(position)
            else:
                inner, third = self.slots[self.sums.value_at(position) - 1], self.nodes[self.order[2]]
                assert inner is not None, "a slot in use has a row"
                for below in range(inner.size()):
                    yield (one, two, third.at(inner.at(below)).value), inner.value_at(below)

    def handles(self) -> Iterator[tuple[Node, ...]]:
        assert 1 <= self.arity <= 2, "what unions enumerate"
        first, second = self.nodes[self.order[0]], self.nodes[self.order[-1]]
        for position in range(self.sums.size()):
            key = self.sums.at(position)
            yield (first.at(key),) if self.arity == 1 else (first.at(key >> 31), second.at(key & LOW))

    def damage(self) -> Iterator[str]:
        for row, m in self.rows():
            if not m or self.get(row) != m:
                yield f"the head map has {row!r} with multiplicity {m!r}"
        if wrong := self.sums.damage():
            yield f"the head map: {wrong}"
