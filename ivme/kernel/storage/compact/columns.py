"""The ternary result as columns of ids, from the compact storage: no tuple is made for a row."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, cast

from librt.vecs import append, vec

from ivme.kernel.engine import Engine
from ivme.kernel.plan import TreePlan
from ivme.kernel.status import LIGHT
from ivme.kernel.storage.compact.ids import WORD, IdRow
from ivme.kernel.storage.compact.views import LOW, InternedHead, InternedKept, InternedRows

if TYPE_CHECKING:
    from mypy_extensions import i64


class Columns:
    """Ids by variable, and multiplicities: in `exact` as soon as one is no plain machine word."""

    def __init__(self) -> None:
        self.ids: list[vec[i64]] = [vec[i64](), vec[i64](), vec[i64]()]
        self.counts: vec[i64] = vec[i64]()
        self.exact: list[int] | None = None

    def count(self, multiplicity: int) -> None:
        """The multiplicity of one more row.  Cost: amortized O(1)."""
        if self.exact is None and -WORD <= multiplicity <= WORD:
            self.counts = append(self.counts, i64(multiplicity))
            return
        if self.exact is None:
            self.exact = [int(count) for count in self.counts]
        self.exact.append(multiplicity)


def ternary_columns(engine: Engine[int]) -> Columns:
    """All rows of the ternary query.  Cost: O(1) for each."""
    assert not any(engine.plan.double), "rows of the ternary query's relations are not split"
    found = Columns()
    _add_head(cast(InternedHead, engine.head), found)
    for index in engine.kept:
        _add_tree(engine, engine.plan.trees[index], cast(InternedKept, engine.kept[index]), found)
    steps = 3 * len(found.ids[0]) + 1
    engine.steps += steps
    engine.meter.enumeration += steps
    return found


def _add_head(head: InternedHead, found: Columns) -> None:
    """The rows of the head map: pairs, and the third values below."""
    ones, twos, threes = (found.ids[variable] for variable in head.order)
    for position in range(head.sums.size()):
        key, inner = head.sums.at(position), head.slots[head.sums.value_at(position) - 1]
        assert inner is not None, "a slot in use has a row"
        below: i64 = 0
        while below < i64(len(inner.keys)):
            ones = append(ones, key >> 31)
            twos = append(twos, key & LOW)
            threes = append(threes, inner.keys[below])
            found.count(inner.value_at(below))
            below += 1
    for variable, ids in zip(head.order, (ones, twos, threes), strict=True):
        found.ids[variable] = ids


def _add_tree(engine: Engine[int], plan: TreePlan, tree: InternedKept, found: Columns) -> None:
    """The rows of a kept tree: root pairs and the y-values below (prop:delay_full).

    The multiplicities of (x,y) are in the row of x, those of (y,z) in the column of z, since all y are of one
    class.
    """
    left, right, third = (engine.relations[(plan.first + turn) % 3] for turn in range(3))
    variables = [(plan.first + turn) % 3 for turn in range(3)]
    xs, ys, zs = (found.ids[variable] for variable in variables)
    for bucket in range(tree.bucket_count()):
        pairs = tree.bucket_at(bucket)
        for position in range(pairs.size()):
            key = pairs.at(position)
            x, z = tree.xs.at(key >> 31), tree.zs.at(key & LOW)
            closing, values = third.get(z, x), tree.below.find(key)
            row, column = left.row(x, LIGHT), right.column(z, plan.right[0])
            assert closing is not None, "the closing relation has every pair of the root"
            assert values is not None, "a pair of the root has y-values"
            one, two = cast(IdRow, row), cast(IdRow, column)
            below: i64 = 0
            while below < i64(len(values.keys)):
                y: i64 = values.keys[below]
                xs = append(xs, key >> 31)
                ys = append(ys, y)
                zs = append(zs, key & LOW)
                found.count(one.value_of(y) * two.value_of(y) * closing)
                below += 1
    for variable, ids in zip(variables, (xs, ys, zs), strict=True):
        found.ids[variable] = ids


def values_by_id(engine: Engine[int], variable: int) -> list[Hashable]:
    """The values of a variable, each at its id; any of them where nobody looks.  Cost: O(their number)."""
    nodes = cast(InternedRows, engine.rows).nodes[variable]
    other: Hashable = next((node.value for node in nodes.by_id if node is not None), None)
    return [other if node is None else node.value for node in nodes.by_id]
