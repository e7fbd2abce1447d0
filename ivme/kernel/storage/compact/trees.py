"""View trees by ids; pairs of ids are packed into one.

>>> tree = CompactKept(by_x=False, by_z=True, ids=Ids())
>>> tree.add(1, 2, 3), tree.holds(1, 3), tree.value_at(1, 3, 0)
(True, True, 2)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mypy_extensions import i64

from ivme.kernel.storage.compact.ids import IdRow, IdSet
from ivme.kernel.storage.compact.interning import Ids
from ivme.kernel.storage.compact.lines import RECORD, SUMS, Lines, line_of
from ivme.kernel.storage.compact.variables import Variable
from ivme.kernel.storage.interface import KeptTree, SummedTree

LOW: Final = (1 << 31) - 1
"""The mask of the second id of a packed pair."""


def packed(x: i64, y: i64) -> i64:
    """Two ids in one: there are fewer than 2^31 of them.  Cost: O(1)."""
    return x << 31 | y


class CompactSums(SummedTree[int]):
    """V̂ in the records: the sums of x are a line of x."""

    def __init__(self, lines: Lines, variable: Variable) -> None:
        self.lines = lines
        self.variable = variable
        self.count: i64 = 0

    def __len__(self) -> int:
        return int(self.count)

    def get(self, x: i64, z: i64) -> int | None:
        line: i64 = RECORD * x + SUMS
        return None if self.lines.records[line + 2] == 0 else self.lines.get(line, z)

    def add_row(self, x: i64, y: i64, second: i64, multiplicity: int) -> None:
        self.count += self.lines.add_multiple(RECORD * x + SUMS, line_of(y, 0, second), multiplicity)

    def add_column(self, y: i64, first: i64, z: i64, multiplicity: int) -> None:
        lines, line = self.lines, line_of(y, 1, first)
        cell, end = lines.start_of(line), lines.end_of(line)
        while cell < end:
            x: i64 = i64(lines.cells[cell])
            if x != 0:
                self.count += lines.change(RECORD * x + SUMS, z, lines.value_at(line, cell) * multiplicity)
            cell += 1

    def add_product(self, y: i64, first: i64, second: i64, sign: int) -> None:
        row, line, lines = line_of(y, 0, second), line_of(y, 1, first), self.lines
        cell, end = lines.start_of(line), lines.end_of(line)
        while cell < end:
            x: i64 = i64(lines.cells[cell])
            if x != 0:
                self.count += lines.add_multiple(RECORD * x + SUMS, row, sign * lines.value_at(line, cell))
            cell += 1

    def drop(self, x: i64) -> int:
        dropped = self.lines.clear(RECORD * x + SUMS)
        self.count -= dropped
        return int(dropped)

    def entries(self) -> Iterator[tuple[int, int, int]]:
        for x in self.variable.live_ids():
            for z, m in self.lines.items(RECORD * i64(x) + SUMS):
                yield x, z, m

    def damage(self) -> Iterator[str]:
        count = 0
        for x in self.variable.live_ids():
            line: i64 = RECORD * i64(x) + SUMS
            count += int(self.lines.length(line))
            if wrong := self.lines.damage(line):
                yield f"V̂ for {self.variable.ids.value(x)!r}: {wrong}"
        if count != int(self.count):
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


class CompactKept(KeptTree):
    """A kept tree on packed pairs of ids; a bucket is known by its packed key."""

    def __init__(self, by_x: bool, by_z: bool, ids: Ids) -> None:
        super().__init__(by_x, by_z)
        self.ids = ids
        self.below = Shelves()
        self.pairs = Shelves()

    def bucket_key(self, x: i64, z: i64) -> i64:
        """The bound values of a pair, packed.  Cost: O(1)."""
        key: i64 = 0
        if self.by_x:
            key = x << 31
        if self.by_z:
            key |= z
        return key

    def holds(self, x: i64, z: i64) -> bool:
        return self.below.index.find(packed(x, z)) >= 0

    def add(self, x: i64, y: i64, z: i64) -> bool:
        key = packed(x, z)
        values = self.below.find(key)
        if values is None:
            values = self.below.make(key)
        values.add(y)
        return values.size() == 1

    def remove(self, x: i64, y: i64, z: i64) -> bool:
        key = packed(x, z)
        values = self.below.find(key)
        assert values is not None, "what is removed is there"
        if values.size() > 1:
            values.remove_at(values.find(y))
            return False
        self.below.drop(key)
        return True

    def open_root(self, x: i64, z: i64) -> None:
        bucket = self.bucket_key(x, z)
        pairs = self.pairs.find(bucket)
        if pairs is None:
            pairs = self.pairs.make(bucket)
        pairs.add(packed(x, z))

    def close_root(self, x: i64, z: i64) -> None:
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

    def pair_at(self, bucket: int, position: int) -> tuple[int, int]:
        key = self.bucket_at(bucket).at(position)
        return int(key >> 31), int(key & LOW)

    def values_of(self, x: i64, z: i64) -> IdSet:
        """The y-values of a pair that has some.  Cost: O(1)."""
        values = self.below.find(packed(x, z))
        assert values is not None, "a pair of the root has y-values"
        return values

    def value_count(self, x: i64, z: i64) -> int:
        return self.values_of(x, z).size()

    def value_at(self, x: i64, z: i64, position: int) -> i64:
        return self.values_of(x, z).at(position)

    def bucket_position(self, x: i64, z: i64) -> int:
        return int(self.pairs.index.find(self.bucket_key(x, z)))

    def place(self, x: i64, y: i64, z: i64) -> tuple[int, int]:
        pairs = self.pairs.find(self.bucket_key(x, z))
        assert pairs is not None, "a pair of the root is in a bucket"
        return int(pairs.find(packed(x, z))), int(self.values_of(x, z).find(y))

    def root_pairs(self) -> list[tuple[int, int]]:
        return [
            self.pair_at(bucket, position)
            for bucket in range(self.bucket_count())
            for position in range(self.pair_count(bucket))
        ]

    def __len__(self) -> int:
        return self.below.total() + self.below.index.size() + self.pairs.total()

    def entries(self) -> Iterator[tuple[int, int, int]]:
        index = self.below.index
        for position in range(index.size()):
            key, values = index.at(position), self.below.sets[index.value_at(position) - 1]
            assert values is not None, "a slot in use has a set"
            for below in range(values.size()):
                yield int(key >> 31), int(values.at(below)), int(key & LOW)

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
                    yield (
                        "root",
                        f"{(self.ids.value(x), self.ids.value(z))!r} is in bucket {bucket} of a root",
                    )
