"""The two kinds of view trees (see `ivme.kernel.plan`).

Paper: fig:view_definitions_full (bottom) and its sisters. A tree joins K(x,y) of relation `first` with
K'(y,z) of the next one; K''(z,x) of the third closes the triangle.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, cast

from ivme.kernel.storage.dicts import DenseSet, DictLine, Line, compacted, remove_entry
from ivme_spec.rings import P

Pair = tuple[Hashable, Hashable]


class SummedTree(Generic[P]):
    """V̂(x,z) = Σ_y K(x,y) · K'(y,z), keyed by x first; zero sums are not stored."""

    __slots__ = ("sums",)

    def __init__(self) -> None:
        self.sums: dict[Hashable, DictLine[P]] = {}

    def __len__(self) -> int:
        """The number of stored sums.  Cost: O(the number of x-values)."""
        return sum(map(len, self.sums.values()))

    def get(self, x: Hashable, z: Hashable) -> P | None:
        """V̂(x,z), or None for zero.  Cost: O(1)."""
        row = self.sums.get(x)
        return None if row is None else row.get(z)

    def add_row(self, x: Hashable, line: Line, multiplicity: P) -> None:
        """δV̂(x,z) = multiplicity · K'(y,z) for each z of a row of K'.  Cost: O(|row|)."""
        row, sums = cast("DictLine[P]", line), self.sums.get(x)
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

    def add_column(self, line: Line, z: Hashable, multiplicity: P) -> None:
        """δV̂(x,z) = K(x,y) · multiplicity for each x of a column of K.  Cost: O(|column|)."""
        column = cast("DictLine[P]", line)
        for x, m in column.items():
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

    def add_product(self, column: Line, row: Line, sign: int) -> None:
        """δV̂(x,z) = ±K(x,y) · K'(y,z) for each x of a column of K and each z of a row of K'.

        Cost: O(|column| · |row|).
        """
        for x, m in cast("DictLine[P]", column).items():
            self.add_row(x, row, m if sign > 0 else -m)

    def drop(self, x: Hashable) -> int:
        """V̂(x,z) = 0 for all z; how many were not.  Cost: O(their number), to give their room back."""
        return len(self.sums.pop(x, ()))

    def damage(self) -> Iterator[str]:
        """Zeros are not stored, nor rows without anything; yields those.  Cost: O(size)."""
        for x, sums in self.sums.items():
            if not sums or not all(sums.values()):
                yield f"V̂ has zeros or nothing for {x!r}: {sums!r}"

    def entries(self) -> Iterator[tuple[Pair, P]]:
        """All ((x,z), V̂(x,z)).  Cost: O(their number)."""
        for x, row in self.sums.items():
            for z, m in row.items():
                yield (x, z), m


class KeptTree:
    """The y-values of K(x,y) · K'(y,z) under each (x,z), and the root: the (x,z) that K''(z,x) closes.

    Presence decides, not payloads: y stands under (x,z) iff both tuples are in their relations, so the tree
    is right in every ring, and an update that changes only a multiplicity does not touch it (ERRATA E7). The
    root is grouped in buckets by the variables of (x,z) that are not free, as enumeration wants it:
    `bucket_of` tells the bucket of a pair.
    """

    __slots__ = ("buckets", "by_x", "by_z", "middle", "root")

    def __init__(self, by_x: bool, by_z: bool) -> None:
        self.by_x = by_x
        self.by_z = by_z
        self.middle: dict[Hashable, dict[Hashable, DenseSet[Hashable]]] = {}
        self.root: dict[Hashable, DenseSet[Pair]] = {}
        self.buckets: DenseSet[Hashable] = DenseSet()

    def bucket_of(self, pair: Pair) -> Hashable:
        """The values of the pair's bound variables.  Cost: O(1)."""
        if self.by_x:
            return pair if self.by_z else pair[0]
        return pair[1] if self.by_z else ()

    def values(self, pair: Pair) -> DenseSet[Hashable] | None:
        """The y-values under (x,z), or None.  Cost: O(1)."""
        row = self.middle.get(pair[0])
        return None if row is None else row.get(pair[1])

    def holds(self, pair: Pair) -> bool:
        """Whether anything stands under (x,z).  Cost: O(1)."""
        return self.values(pair) is not None

    def add(self, x: Hashable, y: Hashable, z: Hashable) -> bool:
        """Put y under (x,z); whether it is the first.  Cost: O(1)."""
        row = self.middle.get(x)
        if row is None:
            row = self.middle[x] = {}
        values = row.get(z)
        if values is None:
            values = row[z] = DenseSet()
        values.add(y)
        return len(values) == 1

    def remove(self, x: Hashable, y: Hashable, z: Hashable) -> bool:
        """Take y away from (x,z); whether it was the last.  Cost: O(1)."""
        row = self.middle[x]
        values = row[z]
        values.remove(y)
        if values:
            return False
        remove_entry(self.middle, x, z)
        return True

    def open_root(self, pair: Pair) -> None:
        """(x,z) enters the root.  Cost: O(1)."""
        bucket = self.bucket_of(pair)
        pairs = self.root.get(bucket)
        if pairs is None:
            pairs = self.root[bucket] = DenseSet()
            self.buckets.add(bucket)
        pairs.add(pair)

    def close_root(self, pair: Pair) -> None:
        """(x,z) leaves the root.  Cost: O(1)."""
        bucket = self.bucket_of(pair)
        pairs = self.root[bucket]
        pairs.remove(pair)
        if not pairs:
            del self.root[bucket]
            self.buckets.remove(bucket)

    # --- as enumeration walks it: buckets, their pairs and the values below, all by position ----------------

    def bucket_count(self) -> int:
        """The number of buckets.  Cost: O(1)."""
        return len(self.buckets)

    def pair_count(self, bucket: int) -> int:
        """The number of pairs in a bucket.  Cost: O(1)."""
        return len(self.root[self.buckets.items[bucket]])

    def pair_at(self, bucket: int, position: int) -> Pair:
        """A pair of a bucket.  Cost: O(1)."""
        return self.root[self.buckets.items[bucket]].items[position]

    def value_count(self, pair: Pair) -> int:
        """The number of y-values under (x,z).  Cost: O(1)."""
        return len(self.middle[pair[0]][pair[1]])

    def value_at(self, pair: Pair, position: int) -> Hashable:
        """A y-value under (x,z).  Cost: O(1)."""
        return self.middle[pair[0]][pair[1]].items[position]

    def bucket_position(self, pair: Pair) -> int:
        """Where the bucket of a pair of the root stands.  Cost: O(1)."""
        return self.buckets.position(self.bucket_of(pair))

    def place(self, pair: Pair, y: Hashable) -> tuple[int, int]:
        """Where a pair of the root stands in its bucket, and where y stands below it.  Cost: O(1)."""
        root = self.root[self.bucket_of(pair)]
        return root.position(pair), self.middle[pair[0]][pair[1]].position(y)

    def root_pairs(self) -> list[Pair]:
        """All pairs of the root.  Cost: O(their number)."""
        return [pair for pairs in self.root.values() for pair in pairs]

    def __len__(self) -> int:
        """The entries of the tree's views: (x,y,z), (x,z), and the root.  Cost: O(the number of pairs)."""
        pairs = sum(map(len, self.middle.values()))
        below = sum(len(values) for row in self.middle.values() for values in row.values())
        return below + pairs + sum(map(len, self.root.values()))

    def damage(self) -> Iterator[tuple[str, str]]:
        """Every pair of the root has y-values and stands in its bucket; dense sets know their positions.

        Yields the condition and what violates it.  Cost: O(size).
        """
        if set(self.buckets) != set(self.root) or len(self.buckets) != len(self.root):
            yield "buckets", f"{list(self.buckets)!r} are not the buckets of the root"
        for bucket, pairs in self.root.items():
            for pair in pairs:
                if self.values(pair) is None or {self.bucket_of(pair)} != {bucket}:
                    yield "root", f"{pair!r} stands in bucket {bucket!r} of a root"
            if found := pairs.damage():
                yield "dense set", found
        for x, row in self.middle.items():
            if not row:
                yield "root", f"a kept tree has an empty row for {x!r}"
            for values in row.values():
                if found := values.damage():
                    yield "dense set", found

    def entries(self) -> Iterator[tuple[Hashable, Hashable, Hashable]]:
        """All (x,y,z) of the join.  Cost: O(their number)."""
        for x, row in self.middle.items():
            for z, values in row.items():
                for y in values:
                    yield x, y, z
