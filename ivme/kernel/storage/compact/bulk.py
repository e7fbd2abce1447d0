"""Loading a relation: ids first, then each row at its final length.

>>> from ivme.kernel.storage.compact.nodes import Nodes
>>> bulk = CompactBulk(CompactRelation(1, Nodes(), Nodes()), distinct=True)
>>> bulk.add("x", "y", 3)
>>> bulk.finish()
>>> bulk.count
1
"""

from __future__ import annotations

from collections.abc import Hashable

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from ivme.kernel.storage.compact.ids import SMALL, IdRow
from ivme.kernel.storage.compact.relation import CompactRelation
from ivme.kernel.storage.interface import UNWATCHED, Bulk


class CompactBulk(Bulk[int]):
    """Interns the values first, and then allocates each row once, at its final length.

    Every tuple is stored with multiplicity 1; what it has beyond that is added at the end.
    """

    def __init__(self, relation: CompactRelation, distinct: bool) -> None:
        relation.watch_from(UNWATCHED)
        self.count = 0
        self.first, self.second = relation.first, relation.second
        self.distinct = distinct
        self.xs: vec[i64] = vec[i64]()
        self.ys: vec[i64] = vec[i64]()
        self.beyond_one: list[tuple[int, int]] = []

    def add(self, x: Hashable, y: Hashable, multiplicity: int) -> None:
        left, right = self.first.number(x), self.second.number(y)
        if left < 0:
            left = self.first.make(x).id
        if right < 0:
            right = self.second.make(y).id
        if multiplicity != 1:
            self.beyond_one.append((len(self.xs), multiplicity - 1))
        self.xs = append(self.xs, left)
        self.ys = append(self.ys, right)

    def finish(self) -> None:
        lines = Grouped(self.xs, self.ys, len(self.first.by_id), self.distinct)
        for node in self.first.by_id:
            if node is not None:
                node.light_row = lines.line(node.id)
        lines = Grouped(self.ys, self.xs, len(self.second.by_id), self.distinct)
        for node in self.second.by_id:
            if node is not None:
                node.light_column = lines.line(node.id)
        for place, more in self.beyond_one:
            left, right = self.first.at(self.xs[place]), self.second.at(self.ys[place])
            row, column = left.light_row, right.light_column
            assert row is not None, "the tuple is stored"
            assert column is not None, "the tuple is stored"
            row.change(right.id, more)
            column.change(left.id, more)
        for node in self.first.by_id:
            if node is not None and node.light_row is not None:
                node.row_degree = i32(node.light_row.size())
                self.count += node.light_row.size()
        for node in self.second.by_id:
            if node is not None and node.light_column is not None:
                node.column_degree = i32(node.light_column.size())


class Grouped:
    """What stands beside each id, id by id: `others` from `ends[id − 1]` to `ends[id]`."""

    def __init__(self, ids: vec[i64], others: vec[i64], most: int, distinct: bool) -> None:
        self.distinct = distinct
        ends: vec[i64] = vec[i64]([0] * (most + 1))
        grouped: vec[i64] = others[0 : len(others)]  # a copy, to be written over
        for number in ids:
            ends[number + 1] += 1
        place: i64 = 1
        while place <= i64(most):
            ends[place] += ends[place - 1]
            place += 1
        place = 0
        while place < i64(len(ids)):
            at: i64 = ends[ids[place]]
            grouped[at] = others[place]
            ends[ids[place]] = at + 1
            place += 1
        self.ends, self.others = ends, grouped

    def line(self, number: i64) -> IdRow | None:
        """A row of ones for an id, or None; a tuple that comes again counts again.  Cost: O(its length)."""
        at: i64 = self.ends[number - 1] if number > 0 else 0
        end: i64 = self.ends[number]
        if at == end:
            return None
        row = IdRow()
        if self.distinct:
            row.keys = self.others[at:end]
            if end - at > SMALL:
                row.build_index(end - at)
            return row
        while at < end:
            row.change(self.others[at], 1)
            at += 1
        return row
