"""Loading a relation: ids first, then each line at its final length.

>>> from ivme.kernel.storage.compact.variables import Ids, Variable
>>> ids, lines = Ids(), Lines()
>>> relation = CompactRelation(1, lines, Variable(ids, lines), Variable(ids, lines))
>>> bulk = CompactBulk(relation, distinct=True)
>>> bulk.add("x", "y", 3)
>>> bulk.finish()
>>> bulk.count
1
"""

from __future__ import annotations

from collections.abc import Hashable

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from ivme.kernel.parts import LIGHT
from ivme.kernel.storage.compact.lines import Lines, line_of
from ivme.kernel.storage.compact.relation import CompactRelation
from ivme.kernel.storage.interface import UNWATCHED, Bulk


class CompactBulk(Bulk[int]):
    """Interns the values first, and then allocates each line once, at its final length.

    Every tuple is stored with multiplicity 1; what it has beyond that is added at the end.
    """

    def __init__(self, relation: CompactRelation, distinct: bool) -> None:
        relation.watch_from(UNWATCHED)
        self.count = 0
        self.lines, self.first, self.second = relation.lines, relation.first, relation.second
        self.distinct = distinct
        self.xs: vec[i64] = vec[i64]()
        self.ys: vec[i64] = vec[i64]()
        self.beyond_one: list[tuple[int, int]] = []

    def add(self, x: Hashable, y: Hashable, multiplicity: int) -> None:
        left, right = self.first.handle(x), self.second.handle(y)
        if multiplicity != 1:
            self.beyond_one.append((len(self.xs), multiplicity - 1))
        self.xs = append(self.xs, left)
        self.ys = append(self.ys, right)

    def finish(self) -> None:
        lines, most = self.lines, len(self.first.ids.numbers)
        Grouped(self.xs, self.ys, most).store(lines, self.first.live, 0, self.distinct)
        Grouped(self.ys, self.xs, most).store(lines, self.second.live, 1, self.distinct)
        for place, more in self.beyond_one:
            x, y = self.xs[place], self.ys[place]
            lines.change(line_of(x, 0, LIGHT), y, more)
            lines.change(line_of(y, 1, LIGHT), x, more)
        for number in self.first.live:
            self.count += int(lines.length(line_of(i64(number), 0, LIGHT)))


class Grouped:
    """What stands beside each id, id by id: `others` from `ends[id − 1]` to `ends[id]`."""

    def __init__(self, ids: vec[i64], others: vec[i64], most: int) -> None:
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

    def store(self, lines: Lines, live: vec[i32], column: int, distinct: bool) -> None:
        """Lines of ones for all ids; a tuple that comes again counts again.  Cost: O(their lengths)."""
        for number in live:
            x: i64 = i64(number)
            at: i64 = self.ends[x - 1]
            end: i64 = self.ends[x]
            if at == end:
                continue
            line = line_of(x, column, LIGHT)
            if distinct:
                lines.fill(line, self.others, at, end)
            else:
                while at < end:
                    lines.change(line, self.others[at], 1)
                    at += 1
