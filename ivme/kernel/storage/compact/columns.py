"""The ternary result as columns of ids.

>>> from ivme.kernel.storage.compact.variables import Ids
>>> ids, lines = Ids(), Lines()
>>> found = CompactColumns(lines, [Variable(ids, lines) for _ in range(3)])
>>> found.count(1 << 90)
>>> found.multiplicities() == [1 << 90]
True
"""

from __future__ import annotations

from collections.abc import Hashable

from librt.vecs import append, vec
from mypy_extensions import i64

from ivme.kernel.parts import LIGHT
from ivme.kernel.plan import TreePlan
from ivme.kernel.storage.compact.head import CompactHead
from ivme.kernel.storage.compact.ids import WORD
from ivme.kernel.storage.compact.lines import Lines, line_of
from ivme.kernel.storage.compact.trees import LOW, CompactKept
from ivme.kernel.storage.compact.variables import Variable
from ivme.kernel.storage.interface import Columns


class CompactColumns(Columns):
    """Ids by variable, and multiplicities: `exact` as soon as one does not fit into a machine word."""

    def __init__(self, lines: Lines, variables: list[Variable]) -> None:
        self.lines = lines
        self.variables = variables
        self.by_variable: list[vec[i64]] = [vec[i64](), vec[i64](), vec[i64]()]
        self.counts: vec[i64] = vec[i64]()
        self.exact: list[int] | None = None

    def __len__(self) -> int:
        return len(self.by_variable[0])

    def ids(self, variable: int) -> object:
        return self.by_variable[variable]

    def values(self, variable: int) -> list[Hashable]:
        live, ids = self.variables[variable].live, self.variables[variable].ids
        found = [ids.value(i64(live[0])) if len(live) > 0 else None] * len(ids.numbers)
        for x in live:
            found[i64(x)] = ids.value(i64(x))
        return found

    def multiplicities(self) -> object:
        return self.counts if self.exact is None else self.exact

    def count(self, multiplicity: int) -> None:
        """The multiplicity of the next row.  Cost: amortized O(1)."""
        if self.exact is None and -WORD <= multiplicity <= WORD:
            self.counts = append(self.counts, i64(multiplicity))
            return
        if self.exact is None:
            self.exact = [int(count) for count in self.counts]
        self.exact.append(multiplicity)

    def add_head(self, head: CompactHead) -> None:
        """The rows of the head map: pairs, and the third values below.  Cost: O(1) for each."""
        ones, twos, threes = (self.by_variable[variable] for variable in head.order)
        for position in range(head.sums.size()):
            key, inner = head.sums.at(position), head.slots[head.sums.value_at(position) - 1]
            assert inner is not None, "a slot in use has a row"
            below: i64 = 0
            while below < i64(len(inner.keys)):
                ones = append(ones, key >> 31)
                twos = append(twos, key & LOW)
                threes = append(threes, inner.keys[below])
                self.count(inner.value_at(below))
                below += 1
        for variable, ids in zip(head.order, (ones, twos, threes), strict=True):
            self.by_variable[variable] = ids

    def add_tree(self, plan: TreePlan, tree: CompactKept) -> None:
        """The rows of a kept tree: root pairs and the y-values below (prop:delay_full).

        No relation is double partitioned: the multiplicities of (x,y) are in one row of x, and those of (y,z)
        in one column of z, since all y are of one class.  Cost: O(1) for each row.
        """
        lines = self.lines
        variables = [(plan.first + turn) % 3 for turn in range(3)]
        xs, ys, zs = (self.by_variable[variable] for variable in variables)
        for bucket in range(tree.bucket_count()):
            pairs = tree.bucket_at(bucket)
            for position in range(pairs.size()):
                key = pairs.at(position)
                x: i64 = key >> 31
                z: i64 = key & LOW
                closing, values = lines.value_of(line_of(z, 0, LIGHT), x), tree.below.find(key)
                row, column = line_of(x, 0, LIGHT), line_of(z, 1, plan.right[0])
                assert values is not None, "a pair of the root has y-values"
                below: i64 = 0
                while below < i64(len(values.keys)):
                    y: i64 = values.keys[below]
                    xs = append(xs, x)
                    ys = append(ys, y)
                    zs = append(zs, z)
                    self.count(lines.value_of(row, y) * lines.value_of(column, y) * closing)
                    below += 1
        for variable, ids in zip(variables, (xs, ys, zs), strict=True):
            self.by_variable[variable] = ids
