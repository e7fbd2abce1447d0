"""The ternary result as columns of ids, from the compact storage: no tuple is made for a row."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, cast

from librt.vecs import append, vec

from ivme.engine import Engine
from ivme.interned import LOW, InternedHead, InternedKept, InternedRows

if TYPE_CHECKING:
    from mypy_extensions import i64

LIMIT = 1 << 63


class Columns:
    """Ids of the variables 0, 1, 2, and multiplicities: in `exact` as soon as one has more than 64 bits."""

    def __init__(self) -> None:
        self.first: vec[i64] = vec[i64]()
        self.second: vec[i64] = vec[i64]()
        self.third: vec[i64] = vec[i64]()
        self.counts: vec[i64] = vec[i64]()
        self.exact: list[int] | None = None

    def add(self, variable: int, x: i64, y: i64, z: i64, multiplicity: int) -> None:
        """A row, whose x is of a variable.  Cost: amortized O(1)."""
        if variable == 1:
            x, y, z = z, x, y
        elif variable == 2:
            x, y, z = y, z, x
        self.first = append(self.first, x)
        self.second = append(self.second, y)
        self.third = append(self.third, z)
        if self.exact is not None:
            self.exact.append(multiplicity)
        elif -LIMIT <= multiplicity < LIMIT:
            self.counts = append(self.counts, i64(multiplicity))
        else:
            self.exact = [int(count) for count in self.counts]
            self.exact.append(multiplicity)


def ternary_columns(engine: Engine[int]) -> Columns:
    """All rows of the ternary query.  Cost: O(1) for each."""
    found = Columns()
    head = cast(InternedHead, engine.head)
    places = [head.order.index(variable) for variable in range(3)]
    for position in range(head.sums.size()):
        key, inner = head.sums.at(position), head.slots[head.sums.value_at(position) - 1]
        assert inner is not None, "a slot in use has a row"
        one: i64 = key >> 31
        two: i64 = key & LOW
        for below in range(inner.size()):
            ids = (one, two, inner.at(below))
            x = ids[0] if places[0] == 0 else ids[1] if places[0] == 1 else ids[2]
            y = ids[0] if places[1] == 0 else ids[1] if places[1] == 1 else ids[2]
            z = ids[0] if places[2] == 0 else ids[1] if places[2] == 1 else ids[2]
            found.add(0, x, y, z, inner.value_at(below))
    for index in engine.kept:
        _add_tree(engine, found, engine.plan.trees[index].first, cast(InternedKept, engine.kept[index]))
    steps = 3 * len(found.first) + 1
    engine.steps += steps
    engine.meter.enumeration += steps
    return found


def _add_tree(engine: Engine[int], found: Columns, first: int, tree: InternedKept) -> None:
    """The rows of a kept tree: root pairs and the y-values below (prop:delay_full)."""
    left, right = engine.relations[first], engine.relations[(first + 1) % 3]
    third = engine.relations[(first + 2) % 3]
    for bucket in range(tree.bucket_count()):
        for position in range(tree.pair_count(bucket)):
            x, z = tree.pair_at(bucket, position)
            closing = third.get(z, x)
            assert closing is not None, "the closing relation has every pair of the root"
            key = tree.bucket_at(bucket).at(position)
            values = tree.values_of((x, z))
            for below in range(values.size()):
                number = values.at(below)
                y = tree.ys.at(number)
                one, two = left.get(x, y), right.get(y, z)
                assert one is not None, "a kept value has its tuples"
                assert two is not None, "a kept value has its tuples"
                found.add(first, key >> 31, number, key & LOW, one * two * closing)


def values_by_id(engine: Engine[int], variable: int) -> list[Hashable]:
    """The values of a variable, each at its id; any of them where nobody looks.  Cost: O(their number)."""
    nodes = cast(InternedRows, engine.rows).nodes[variable]
    other: Hashable = next(iter(nodes.by_value), None)
    return [other if node is None else node.value for node in nodes.by_id]
