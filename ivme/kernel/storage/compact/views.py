"""The compact storage of the compiled kernel, second part: head map, view trees, and `InternedRows`.

Everything is kept by the ids of nodes (`ivme.kernel.storage.compact.nodes`), pairs of ids packed into one.
The multiplicities are integers of any size. What is stored, and its cost, is as in
`ivme.kernel.storage.dicts` and `ivme.kernel.storage.trees`, which this module replaces part by part; the
engine is the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Final, cast

from ivme.kernel.storage.compact.bulk import InternedBulk
from ivme.kernel.storage.compact.ids import IdRow, IdSet, Product
from ivme.kernel.storage.compact.nodes import InternedRelation, Node, Nodes
from ivme.kernel.storage.dicts import HeadMap, Line, RelationIndex
from ivme.kernel.storage.interface import Bulk, Rows
from ivme.kernel.storage.trees import KeptTree, Pair, SummedTree
from ivme_spec.relations import Row

if TYPE_CHECKING:
    from mypy_extensions import i64


def packed(x: Node, y: Node) -> i64:
    """Two ids in one: there are fewer than 2^31 of each.  Cost: O(1)."""
    return x.id << 31 | y.id


LOW: Final = (1 << 31) - 1


class InternedHead(HeadMap[int]):
    """The head map by ids: one sum, a row, a row of pairs, or for three variables a row for each pair."""

    def __init__(self, order: tuple[int, ...], nodes: list[Nodes], product: Product) -> None:
        super().__init__(order)
        self.order = list(order)
        self.arity = len(order)
        self.nodes = nodes
        self.product = product
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
        if self.arity == 0:
            return self.total or None
        found: list[Node] = []
        for place in range(self.arity):
            node = self.nodes[self.order[place]].find(row[place])
            if node is None:
                return None
            found.append(node)
        sums = self.sums
        key = found[0].id if self.arity == 1 else packed(found[0], found[1])
        if self.arity == 3:
            at = self.sums.find(key)
            inner = None if at < 0 else self.slots[self.sums.value_at(at) - 1]
            if inner is None:
                return None
            sums, key = inner, found[2].id
        position = sums.find(key)
        return None if position < 0 else sums.value_at(position)

    def add(self, i: int, x: Hashable, y: Hashable, z: Hashable, change: int) -> None:
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

    def pick(self, place: int, i: int, x: Hashable, y: Hashable, z: Hashable) -> Node:
        """The node at a place of the row of a triangle of relation i.  Cost: O(1)."""
        turn = self.order[place] - i
        if turn == 0:
            return cast(Node, x)
        return cast(Node, y) if turn == 1 or turn == -2 else cast(Node, z)

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

    def spread(self, i: int, x: Hashable, y: Hashable, row: Line, column: Line, multiplicity: int) -> int:
        left, right = cast(IdRow, row), cast(IdRow, column)
        if left.size() > right.size():
            left, right = right, left
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

    def damage(self) -> Iterator[str]:
        for row, m in self.rows():
            if not m or self.get(row) != m:
                yield f"the head map has {row!r} with multiplicity {m!r}"
        if wrong := self.sums.damage():
            yield f"the head map: {wrong}"


class InternedSums(SummedTree[int]):
    """V̂ on the nodes: the sums of x are a row of x's node."""

    def __init__(self, nodes: Nodes, others: Nodes) -> None:
        super().__init__()
        self.nodes = nodes
        self.others = others
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def get(self, x: Hashable, z: Hashable) -> int | None:
        sums = cast(Node, x).sums
        if sums is None:
            return None
        position = sums.find(cast(Node, z).id)
        return None if position < 0 else sums.value_at(position)

    def add_row(self, x: Hashable, line: Line, multiplicity: int) -> None:
        node = cast(Node, x)
        sums = node.sums
        if sums is None:
            sums = node.sums = IdRow()
        self.count += sums.add_multiple(cast(IdRow, line), multiplicity)
        if not sums.size():
            node.sums = None

    def add_column(self, line: Line, z: Hashable, multiplicity: int) -> None:
        column, number = cast(IdRow, line), cast(Node, z).id
        for position in range(column.size()):
            node = self.nodes.at(column.at(position))
            sums = node.sums
            if sums is None:
                sums = node.sums = IdRow()
            self.count += sums.change(number, column.value_at(position) * multiplicity)
            if not sums.size():
                node.sums = None

    def add_product(self, column: Line, row: Line, sign: int) -> None:
        left = cast(IdRow, column)
        for position in range(left.size()):
            self.add_row(self.nodes.at(left.at(position)), row, sign * left.value_at(position))

    def drop(self, x: Hashable) -> int:
        node = cast(Node, x)
        dropped = 0 if node.sums is None else node.sums.size()
        self.count -= dropped
        node.sums = None
        return dropped

    def entries(self) -> Iterator[tuple[Pair, int]]:
        for node in self.nodes.live():
            sums = node.sums
            if sums is not None:
                for position in range(sums.size()):
                    yield (node, self.others.at(sums.at(position))), sums.value_at(position)

    def damage(self) -> Iterator[str]:
        count = 0
        for node in self.nodes.live():
            sums = node.sums
            if sums is not None:
                count += sums.size()
                if wrong := sums.damage():
                    yield f"V̂ for {node.value!r}: {wrong}"
                if not sums.size() or not all(sums.value_at(p) for p in range(sums.size())):
                    yield f"V̂ has zeros or nothing for {node.value!r}"
        if count != self.count:
            yield f"V̂ has {count} sums and counts {self.count}"


class Shelves:
    """Sets of ids by number. Cost: O(1) for each method, amortized."""

    def __init__(self) -> None:
        self.index = IdRow()
        self.sets: list[IdSet | None] = []
        self.free: list[int] = []

    def find(self, key: i64) -> IdSet | None:
        """The set of a key, or None."""
        at = self.index.find(key)
        return None if at < 0 else self.sets[self.index.value_at(at) - 1]

    def make(self, key: i64) -> IdSet:
        """An empty set for a key that has none."""
        made = IdSet()
        if self.free:
            slot = self.free.pop()
            self.sets[slot] = made
        else:
            slot = len(self.sets)
            self.sets.append(made)
        self.index.append_entry(key, slot + 1)
        return made

    def drop(self, key: i64) -> None:
        """Take away the set of a key."""
        at = self.index.find(key)
        slot = self.index.value_at(at) - 1
        self.index.drop_at(at)
        self.sets[slot] = None
        self.free.append(slot)
        if not self.index.size():
            self.sets, self.free = [], []

    def total(self) -> int:
        """The elements of all sets.  Cost: O(the number of sets)."""
        return sum([found.size() for found in self.sets if found is not None])


class InternedKept(KeptTree):
    """A kept tree on packed pairs of ids; a bucket is known by its packed key."""

    def __init__(self, by_x: bool, by_z: bool, nodes: list[Nodes]) -> None:
        super().__init__(by_x, by_z)
        self.xs, self.ys, self.zs = nodes
        self.below = Shelves()
        self.pairs = Shelves()

    def bucket_key(self, pair: Pair) -> i64:
        """The bound values of a pair, packed.  Cost: O(1)."""
        key: i64 = 0
        if self.by_x:
            key = cast(Node, pair[0]).id << 31
        if self.by_z:
            key |= cast(Node, pair[1]).id
        return key

    def holds(self, pair: Pair) -> bool:
        return self.below.index.find(packed(cast(Node, pair[0]), cast(Node, pair[1]))) >= 0

    def add(self, x: Hashable, y: Hashable, z: Hashable) -> bool:
        key = packed(cast(Node, x), cast(Node, z))
        values = self.below.find(key)
        if values is None:
            values = self.below.make(key)
        values.add(cast(Node, y).id)
        return values.size() == 1

    def remove(self, x: Hashable, y: Hashable, z: Hashable) -> bool:
        key = packed(cast(Node, x), cast(Node, z))
        values = self.below.find(key)
        assert values is not None, "what is removed is there"
        if values.size() > 1:
            values.remove_at(values.find(cast(Node, y).id))
            return False
        self.below.drop(key)
        return True

    def open_root(self, pair: Pair) -> None:
        bucket = self.bucket_key(pair)
        pairs = self.pairs.find(bucket)
        if pairs is None:
            pairs = self.pairs.make(bucket)
        pairs.add(packed(cast(Node, pair[0]), cast(Node, pair[1])))

    def close_root(self, pair: Pair) -> None:
        bucket = self.bucket_key(pair)
        pairs = self.pairs.find(bucket)
        assert pairs is not None, "what is closed is open"
        if pairs.size() > 1:
            pairs.remove_at(pairs.find(packed(cast(Node, pair[0]), cast(Node, pair[1]))))
        else:
            self.pairs.drop(bucket)

    def bucket_count(self) -> int:
        return self.pairs.index.size()

    def bucket_at(self, bucket: int) -> IdSet:
        """The pairs of a bucket.  Cost: O(1)."""
        pairs = self.pairs.sets[self.pairs.index.value_at(bucket) - 1]
        assert pairs is not None, "a slot in use has a set"
        return pairs

    def pair_count(self, bucket: int) -> int:
        return self.bucket_at(bucket).size()

    def pair_at(self, bucket: int, position: int) -> Pair:
        key = self.bucket_at(bucket).at(position)
        return self.xs.at(key >> 31), self.zs.at(key & LOW)

    def values_of(self, pair: Pair) -> IdSet:
        """The y-values of a pair that has some.  Cost: O(1)."""
        values = self.below.find(packed(cast(Node, pair[0]), cast(Node, pair[1])))
        assert values is not None, "a pair of the root has y-values"
        return values

    def value_count(self, pair: Pair) -> int:
        return self.values_of(pair).size()

    def value_at(self, pair: Pair, position: int) -> Hashable:
        return self.ys.at(self.values_of(pair).at(position))

    def bucket_position(self, pair: Pair) -> int:
        return int(self.pairs.index.find(self.bucket_key(pair)))

    def place(self, pair: Pair, y: Hashable) -> tuple[int, int]:
        pairs = self.pairs.find(self.bucket_key(pair))
        assert pairs is not None, "a pair of the root is in a bucket"
        key = packed(cast(Node, pair[0]), cast(Node, pair[1]))
        return int(pairs.find(key)), int(self.values_of(pair).find(cast(Node, y).id))

    def root_pairs(self) -> list[Pair]:
        return [
            self.pair_at(bucket, position)
            for bucket in range(self.bucket_count())
            for position in range(self.pair_count(bucket))
        ]

    def __len__(self) -> int:
        return self.below.total() + self.below.index.size() + self.pairs.total()

    def entries(self) -> Iterator[tuple[Hashable, Hashable, Hashable]]:
        index = self.below.index
        for position in range(index.size()):
            key, values = index.at(position), self.below.sets[index.value_at(position) - 1]
            assert values is not None, "a slot in use has a set"
            for below in range(values.size()):
                yield self.xs.at(key >> 31), self.ys.at(values.at(below)), self.zs.at(key & LOW)

    def damage(self) -> Iterator[tuple[str, str]]:
        for shelves in (self.below, self.pairs):
            if wrong := shelves.index.damage():
                yield "dense set", wrong
            for found in shelves.sets:
                if found is not None and (wrong := found.damage()):
                    yield "dense set", wrong
                if found is not None and not found.size():
                    yield "dense set", "there is an empty one"
        for bucket in range(self.bucket_count()):
            for position in range(self.pair_count(bucket)):
                pair = self.pair_at(bucket, position)
                if not self.holds(pair) or self.bucket_position(pair) != bucket:
                    shown = (cast(Node, pair[0]).value, cast(Node, pair[1]).value)
                    yield "root", f"{shown!r} stands in bucket {bucket} of a root"


class InternedRows(Rows[int]):
    """Storage in compact rows, for integers."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes = [Nodes(), Nodes(), Nodes()]
        self.product = Product()
        self.touched: i64 = 0

    def relation(self, i: int, double: bool) -> RelationIndex[int]:
        return InternedRelation(double, self.nodes[i], self.nodes[(i + 1) % 3])

    def bulk(self, i: int, relation: RelationIndex[int], distinct: bool) -> Bulk[int]:
        return InternedBulk(cast(InternedRelation, relation), distinct)

    def head(self, order: tuple[int, ...]) -> HeadMap[int]:
        return InternedHead(order, self.nodes, self.product)

    def summed(self, first: int) -> SummedTree[int]:
        return InternedSums(self.nodes[first], self.nodes[(first + 2) % 3])

    def kept(self, first: int, by_x: bool, by_z: bool) -> KeptTree:
        return InternedKept(by_x, by_z, [self.nodes[(first + turn) % 3] for turn in range(3)])

    def handle(self, variable: int, value: Hashable) -> Hashable:
        nodes = self.nodes[variable]
        node = nodes.find(value)
        return nodes.make(value) if node is None else node

    def knows(self, variable: int, value: Hashable) -> bool:
        return self.nodes[variable].number(value) >= 0

    def touch(self, x: Hashable, y: Hashable, partners: bool) -> None:
        """Read a word of each line but the first used, so that the processor waits for all at once."""
        left, right = cast(Node, x), cast(Node, y)
        seen: i64 = 0
        if partners:
            line = left.light_column
            if line is not None:
                seen += line.keys[0]
            line = right.light_row
            if line is not None:
                seen += line.keys[0]
        line = right.light_column
        if line is not None:
            seen += line.keys[0]
        self.touched = seen

    def forget(self, variable: int, handle: Hashable) -> None:
        node = cast(Node, handle)
        if node.is_bare():
            nodes = self.nodes[variable]
            if node.id < i64(len(nodes.by_id)) and nodes.by_id[node.id] is node:
                nodes.drop(node)

    def value(self, handle: Hashable) -> Hashable:
        return cast(Node, handle).value

    def length(self, line: Line) -> int:
        return cast(IdRow, line).size()

    def members(self, variable: int, line: Line) -> list[Hashable]:
        row, nodes = cast(IdRow, line), self.nodes[variable]
        return [nodes.at(row.at(position)) for position in range(row.size())]

    def common(self, variable: int, row: Line, column: Line) -> list[Hashable]:
        left, right = cast(IdRow, row), cast(IdRow, column)
        if left.size() > right.size():
            left, right = right, left
        nodes, found = self.nodes[variable], list[Hashable]()
        for position in range(left.size()):
            key = left.at(position)
            if right.find(key) >= 0:
                found.append(nodes.at(key))
        return found

    def has(self, line: Line, handle: Hashable) -> bool:
        return cast(IdRow, line).find(cast(Node, handle).id) >= 0

    def expect(self, variable: int, column: Line | None) -> None:
        self.product.mark(cast("IdRow | None", column), len(self.nodes[variable].by_id))

    def dot(self, row: Line, column: Line) -> int | None:
        product = self.product
        product.of(cast(IdRow, row), cast(IdRow, column))
        self.steps = product.steps
        return product.total if product.matches else None
