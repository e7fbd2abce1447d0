"""View trees by ids; pairs of ids are packed into one.

>>> nodes = [Nodes(), Nodes(), Nodes()]
>>> x, y, z = (each.make(name) for each, name in zip(nodes, "xyz"))
>>> tree = CompactKept(by_x=False, by_z=True, nodes=nodes)
>>> tree.add(x, y, z), tree.holds(x, z), tree.value_at(x, z, 0) is y
(True, True, True)
"""

from __future__ import annotations

from collections.abc import Iterator

from mypy_extensions import i64

from ivme.kernel.storage.compact.ids import IdRow, IdSet
from ivme.kernel.storage.compact.nodes import LOW, Node, Nodes, packed
from ivme.kernel.storage.interface import KeptTree, SummedTree


class CompactSums(SummedTree[Node, IdRow, int]):
    """V̂ on the nodes: the sums of x are a row of x's node."""

    def __init__(self, nodes: Nodes, others: Nodes) -> None:
        self.nodes = nodes
        self.others = others
        self.count = 0

    def __len__(self) -> int:
        return self.count

    def get(self, x: Node, z: Node) -> int | None:
        sums = x.sums
        if sums is None:
            return None
        position = sums.find(z.id)
        return None if position < 0 else sums.value_at(position)

    def add_row(self, x: Node, row: IdRow, multiplicity: int) -> None:
        sums = x.sums
        if sums is None:
            sums = x.sums = IdRow()
        self.count += sums.add_multiple(row, multiplicity)
        if not sums.size():
            x.sums = None

    def add_column(self, column: IdRow, z: Node, multiplicity: int) -> None:
        for position in range(column.size()):
            node = self.nodes.at(column.at(position))
            sums = node.sums
            if sums is None:
                sums = node.sums = IdRow()
            self.count += sums.change(z.id, column.value_at(position) * multiplicity)
            if not sums.size():
                node.sums = None

    def add_product(self, column: IdRow, row: IdRow, sign: int) -> None:
        for position in range(column.size()):
            self.add_row(self.nodes.at(column.at(position)), row, sign * column.value_at(position))

    def drop(self, x: Node) -> int:
        dropped = 0 if x.sums is None else x.sums.size()
        self.count -= dropped
        x.sums = None
        return dropped

    def entries(self) -> Iterator[tuple[Node, Node, int]]:
        for node in self.nodes.live():
            sums = node.sums
            if sums is not None:
                for position in range(sums.size()):
                    yield node, self.others.at(sums.at(position)), sums.value_at(position)

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
    """Sets of ids by key.  Cost: amortized O(1) for each method."""

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


class CompactKept(KeptTree[Node]):
    """A kept tree on packed pairs of ids; a bucket is known by its packed key."""

    def __init__(self, by_x: bool, by_z: bool, nodes: list[Nodes]) -> None:
        super().__init__(by_x, by_z)
        self.xs, self.ys, self.zs = nodes
        self.below = Shelves()
        self.pairs = Shelves()

    def bucket_key(self, x: Node, z: Node) -> i64:
        """The bound values of a pair, packed.  Cost: O(1)."""
        key: i64 = 0
        if self.by_x:
            key = x.id << 31
        if self.by_z:
            key |= z.id
        return key

    def holds(self, x: Node, z: Node) -> bool:
        return self.below.index.find(packed(x, z)) >= 0

    def add(self, x: Node, y: Node, z: Node) -> bool:
        key = packed(x, z)
        values = self.below.find(key)
        if values is None:
            values = self.below.make(key)
        values.add(y.id)
        return values.size() == 1

    def remove(self, x: Node, y: Node, z: Node) -> bool:
        key = packed(x, z)
        values = self.below.find(key)
        assert values is not None, "what is removed is there"
        if values.size() > 1:
            values.remove_at(values.find(y.id))
            return False
        self.below.drop(key)
        return True

    def open_root(self, x: Node, z: Node) -> None:
        bucket = self.bucket_key(x, z)
        pairs = self.pairs.find(bucket)
        if pairs is None:
            pairs = self.pairs.make(bucket)
        pairs.add(packed(x, z))

    def close_root(self, x: Node, z: Node) -> None:
        bucket = self.bucket_key(x, z)
        pairs = self.pairs.find(bucket)
        assert pairs is not None, "what is closed is open"
        if pairs.size() > 1:
            pairs.remove_at(pairs.find(packed(x, z)))
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

    def pair_at(self, bucket: int, position: int) -> tuple[Node, Node]:
        key = self.bucket_at(bucket).at(position)
        return self.xs.at(key >> 31), self.zs.at(key & LOW)

    def values_of(self, x: Node, z: Node) -> IdSet:
        """The y-values of a pair that has some.  Cost: O(1)."""
        values = self.below.find(packed(x, z))
        assert values is not None, "a pair of the root has y-values"
        return values

    def value_count(self, x: Node, z: Node) -> int:
        return self.values_of(x, z).size()

    def value_at(self, x: Node, z: Node, position: int) -> Node:
        return self.ys.at(self.values_of(x, z).at(position))

    def bucket_position(self, x: Node, z: Node) -> int:
        return int(self.pairs.index.find(self.bucket_key(x, z)))

    def place(self, x: Node, y: Node, z: Node) -> tuple[int, int]:
        pairs = self.pairs.find(self.bucket_key(x, z))
        assert pairs is not None, "a pair of the root is in a bucket"
        return int(pairs.find(packed(x, z))), int(self.values_of(x, z).find(y.id))

    def root_pairs(self) -> list[tuple[Node, Node]]:
        return [
            self.pair_at(bucket, position)
            for bucket in range(self.bucket_count())
            for position in range(self.pair_count(bucket))
        ]

    def __len__(self) -> int:
        return self.below.total() + self.below.index.size() + self.pairs.total()

    def entries(self) -> Iterator[tuple[Node, Node, Node]]:
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
                x, z = self.pair_at(bucket, position)
                if not self.holds(x, z) or self.bucket_position(x, z) != bucket:
                    yield "root", f"{(x.value, z.value)!r} is in bucket {bucket} of a root"
