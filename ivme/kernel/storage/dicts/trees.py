"""View trees in dicts.

>>> sums = DictSums(DictRelation(1), right := DictRelation(1))
>>> right.add(2, 3, LIGHT, LIGHT, 2)
>>> sums.add_row(1, 2, LIGHT, 3)
>>> list(sums.entries())
[(1, 3, 6)]
>>> tree = DictKept(by_x=False, by_z=True)
>>> tree.add(1, 2, 3), tree.holds(1, 3), tree.bucket_of(1, 3)
(True, True, 3)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

from ivme.kernel.parts import LIGHT as LIGHT
from ivme.kernel.storage.dicts.lines import DenseSet, DictLine, compacted, remove_entry
from ivme.kernel.storage.dicts.names import Names
from ivme.kernel.storage.dicts.relation import DictRelation
from ivme.kernel.storage.interface import KeptTree, SummedTree
from ivme_spec.rings import P

if TYPE_CHECKING:
    from mypy_extensions import i64

Pair = tuple[int, int]
Triple = tuple[int, int, int]


class DictSums(SummedTree[P]):
    """V̂ as sums[x] = {z: V̂(x,z)}."""

    def __init__(self, left: DictRelation[P], right: DictRelation[P]) -> None:
        self.left = left
        self.right = right
        self.names = left.names
        self.sums: dict[int, DictLine[P]] = {}

    def __len__(self) -> int:
        return sum(map(len, self.sums.values()))

    def get(self, x: i64, z: i64) -> P | None:
        row = self.sums.get(x)
        return None if row is None else row.get(z)

    def add_row(self, x: i64, y: i64, second: i64, multiplicity: P) -> None:
        self.add_multiple(x, self.right.forward[second][y], multiplicity)

    def add_multiple(self, x: i64, row: DictLine[P], multiplicity: P) -> None:
        """δV̂(x,z) = multiplicity · row(z).  Cost: O(|row|)."""
        sums = self.sums.get(x)
        if sums is None:
            if new_sums := {z: product for z, m in row.items() if (product := multiplicity * m)}:
                self.sums[x] = new_sums
            return
        for z, m in row.items():
            old = sums.get(z)
            new = multiplicity * m if old is None else old + multiplicity * m
            if new:
                sums[z] = new
            elif old is not None:
                del sums[z]
        if not sums:
            del self.sums[x]
        else:
            self.sums[x] = compacted(sums)

    def add_column(self, y: i64, first: i64, z: i64, multiplicity: P) -> None:
        for x, m in self.left.backward[first][y].items():
            sums = self.sums.get(x)
            if sums is None:
                if product := m * multiplicity:
                    self.sums[x] = {z: product}
                continue
            old = sums.get(z)
            new = m * multiplicity if old is None else old + m * multiplicity
            if new:
                sums[z] = new
            elif old is not None:
                remove_entry(self.sums, x, z)

    def add_product(self, y: i64, first: i64, second: i64, sign: int) -> None:
        row, column = self.right.row(y, second), self.left.column(y, first)
        if row is None or column is None:
            return
        for x, m in column.items():
            self.add_multiple(x, row, m if sign > 0 else -m)

    def drop(self, x: i64) -> int:
        return len(self.sums.pop(x, ()))

    def damage(self) -> Iterator[str]:
        for x, sums in self.sums.items():
            if not sums or not all(sums.values()):
                yield f"V̂ has zeros or nothing for {self.names.value(x)!r}: {sums!r}"

    def entries(self) -> Iterator[tuple[int, int, P]]:
        for x, row in self.sums.items():
            for z, m in row.items():
                yield x, z, m


class DictKept(KeptTree):
    """The y-values as middle[x][z], the root by buckets; `bucket_of` tells the bucket of a pair."""

    def __init__(self, by_x: bool, by_z: bool, names: Names | None = None) -> None:
        super().__init__(by_x, by_z)
        self.names = Names() if names is None else names
        self.middle: dict[int, dict[int, DenseSet[int]]] = {}
        self.root: dict[Hashable, DenseSet[Pair]] = {}
        self.buckets: DenseSet[Hashable] = DenseSet()

    def bucket_of(self, x: i64, z: i64) -> Hashable:
        """The values of the pair's bound variables.  Cost: O(1)."""
        if self.by_x:
            return (x, z) if self.by_z else x
        return z if self.by_z else ()

    def values(self, x: i64, z: i64) -> DenseSet[int] | None:
        """The y-values under (x,z), or None.  Cost: O(1)."""
        row = self.middle.get(x)
        return None if row is None else row.get(z)

    def holds(self, x: i64, z: i64) -> bool:
        return self.values(x, z) is not None

    def add(self, x: i64, y: i64, z: i64) -> bool:
        row = self.middle.get(x)
        if row is None:
            row = self.middle[x] = {}
        values = row.get(z)
        if values is None:
            values = row[z] = DenseSet()
        values.add(y)
        return len(values) == 1

    def remove(self, x: i64, y: i64, z: i64) -> bool:
        row = self.middle[x]
        values = row[z]
        values.remove(y)
        if values:
            return False
        remove_entry(self.middle, x, z)
        return True

    def open_root(self, x: i64, z: i64) -> None:
        bucket = self.bucket_of(x, z)
        pairs = self.root.get(bucket)
        if pairs is None:
            pairs = self.root[bucket] = DenseSet()
            self.buckets.add(bucket)
        pairs.add((x, z))

    def close_root(self, x: i64, z: i64) -> None:
        bucket = self.bucket_of(x, z)
        pairs = self.root[bucket]
        pairs.remove((x, z))
        if not pairs:
            del self.root[bucket]
            self.buckets.remove(bucket)

    def bucket_count(self) -> int:
        return len(self.buckets)

    def pair_count(self, bucket: int) -> int:
        return len(self.root[self.buckets.items[bucket]])

    def pair_at(self, bucket: int, position: int) -> Pair:
        return self.root[self.buckets.items[bucket]].items[position]

    def value_count(self, x: i64, z: i64) -> int:
        return len(self.middle[x][z])

    def value_at(self, x: i64, z: i64, position: int) -> i64:
        return self.middle[x][z].items[position]

    def bucket_position(self, x: i64, z: i64) -> int:
        return self.buckets.position(self.bucket_of(x, z))

    def place(self, x: i64, y: i64, z: i64) -> tuple[int, int]:
        root = self.root[self.bucket_of(x, z)]
        return root.position((x, z)), self.middle[x][z].position(y)

    def root_pairs(self) -> list[Pair]:
        return [pair for pairs in self.root.values() for pair in pairs]

    def __len__(self) -> int:
        pairs = sum(map(len, self.middle.values()))
        below = sum(len(values) for row in self.middle.values() for values in row.values())
        return below + pairs + sum(map(len, self.root.values()))

    def damage(self) -> Iterator[tuple[str, str]]:
        if set(self.buckets) != set(self.root) or len(self.buckets) != len(self.root):
            yield "buckets", f"{list(self.buckets)!r} are not the buckets of the root"
        for bucket, pairs in self.root.items():
            for pair in pairs:
                if not self.holds(*pair) or {self.bucket_of(*pair)} != {bucket}:
                    yield (
                        "root",
                        f"{tuple(map(self.names.value, pair))!r} stands in bucket {bucket!r} of a root",
                    )
            if found := pairs.damage():
                yield "dense set", found
        for x, row in self.middle.items():
            if not row:
                yield "root", f"a kept tree has an empty row for {self.names.value(x)!r}"
            for values in row.values():
                if found := values.damage():
                    yield "dense set", found

    def entries(self) -> Iterator[Triple]:
        for x, row in self.middle.items():
            for z, values in row.items():
                for y in values:
                    yield x, y, z
