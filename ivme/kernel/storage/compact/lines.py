"""Lines, which are maps from ids to nonzero integers, in one arena: nothing stands between an id and its
entries.

A value of variable v has a record of RECORD cells: its rows in relation v and its columns in relation v−1,
each by the status of the other value, and its row of sums in the tree on the relations (v, v+1). A line is
the place of its three cells in the records: a quarter of its block's offset, the capacity, and the length.

Up to LINEAR entries are a list; beyond, an open-addressing table of keys (0: empty), with linear probing and
backward-shift delete. While all integers of a line are 1, none is stored; else the block is twice as long and
the capacity is odd. Machine integers are storage, never arithmetic that could wrap: a payload of 32 bits or
more stands in a dict beside, and a sum or product is formed in 64 bits only where the factors have less.

A vector that is bound to a variable does not see the arena grow: bind it again after whatever may add.

>>> lines = Lines()
>>> lines.reserve(1)
>>> line = line_of(1, 0, LIGHT)
>>> lines.add(line, 7, 1 << 90)
>>> lines.get(line, 7) == 1 << 90, lines.get(line, 8), lines.length(line)
(True, None, 1)
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import extend, vec
from mypy_extensions import i32, i64

from ivme.kernel.parts import LIGHT as LIGHT
from ivme.kernel.storage.compact.arena import Arena
from ivme.kernel.storage.compact.ids import GOLDEN

RECORD: Final = 16
"""The cells of a record: five lines of three cells, and one for the bits and the seat (see `variables`)."""

SUMS: Final = 12
"""Where the row of sums stands in a record."""

LAST: Final = 15
"""Where the bits stand in a record."""

LINEAR: Final = 16
"""Lines of up to this capacity are searched linearly."""

BEYOND: Final = -(1 << 31)
"""Sentinel: the integer is in the dict beside."""

WORD: Final = (1 << 31) - 1
"""The largest absolute value of an integer that is stored in a cell."""


def line_of(x: i64, column: i64, other: i64) -> i64:
    """The row (column 0) or the column (column 1) of a value, by the status of the other one.  Cost: O(1)."""
    return RECORD * x + 6 * column + 3 * other


@final
class Lines(Arena):
    """All lines.  Cost: expected amortized O(1) for each method on an entry."""

    def __init__(self) -> None:
        super().__init__()
        self.records: vec[i32] = vec[i32]([0] * RECORD)
        self.beyond: dict[int, dict[int, int]] = {}
        """By line and key."""

    def reserve(self, x: i64) -> None:
        """Make room for the record of an id.  Cost: amortized O(1)."""
        have: i64 = i64(len(self.records))
        if RECORD * x >= have:
            more = RECORD * max(have // (8 * RECORD), x + 1 - have // RECORD, 8)
            self.records = extend(self.records, vec[i32]([0] * int(more)))

    def length(self, line: i64) -> i64:
        """The number of entries."""
        return i64(self.records[line + 2])

    def start_of(self, line: i64) -> i64:
        """The first cell of a line."""
        return i64(self.records[line]) * 4

    def end_of(self, line: i64) -> i64:
        """The end of the cells that a walk visits; in a table some are empty."""
        records = self.records
        capacity: i64 = i64(records[line + 1]) & ~1
        if capacity <= LINEAR:
            return i64(records[line]) * 4 + i64(records[line + 2])
        return i64(records[line]) * 4 + capacity

    def keys(self, line: i64) -> list[int]:
        """All keys.  Cost: O(length)."""
        found: list[int] = []
        cell, end = self.start_of(line), self.end_of(line)
        while cell < end:
            if self.cells[cell] != 0:
                found.append(int(self.cells[cell]))
            cell += 1
        return found

    def items(self, line: i64) -> list[tuple[int, int]]:
        """All keys with their integers.  Cost: O(length)."""
        found: list[tuple[int, int]] = []
        cell, end = self.start_of(line), self.end_of(line)
        while cell < end:
            if self.cells[cell] != 0:
                found.append((int(self.cells[cell]), self.value_at(line, cell)))
            cell += 1
        return found

    def find(self, line: i64, key: i64) -> i64:
        """The cell of a key, or −1."""
        records = self.records
        cells = self.cells
        start: i64 = i64(records[line]) * 4
        capacity: i64 = i64(records[line + 1]) & ~1
        sought: i32 = i32(key)
        if capacity <= LINEAR:
            end: i64 = start + i64(records[line + 2])
            while start < end:
                if cells[start] == sought:
                    return start
                start += 1
            return -1
        mask: i64 = capacity - 1
        slot: i64 = ((key * GOLDEN) >> 32) & mask
        while True:
            found: i32 = cells[start + slot]
            if found == sought:
                return start + slot
            if found == 0:
                return -1
            slot = (slot + 1) & mask

    def get(self, line: i64, key: i64) -> int | None:
        """The integer of a key, or None."""
        cell = self.find(line, key)
        return None if cell < 0 else self.value_at(line, cell)

    def value_of(self, line: i64, key: i64) -> int:
        """The integer of a key that is there."""
        return 1 if i64(self.records[line + 1]) & 1 == 0 else self.value_at(line, self.find(line, key))

    def value_at(self, line: i64, cell: i64) -> int:
        """The integer of the key in a cell."""
        capacity: i64 = i64(self.records[line + 1])
        if capacity & 1 == 0:
            return 1
        payload: i32 = self.cells[cell + capacity - 1]
        if payload == BEYOND:
            return self.beyond[int(line)][int(self.cells[cell])]
        return int(payload)

    def add(self, line: i64, key: i64, value: int) -> None:
        """line[key] = value for a key that is not there."""
        records = self.records
        capacity: i64 = i64(records[line + 1])
        payloads: i64 = capacity & 1
        capacity -= payloads
        count: i64 = i64(records[line + 2])
        if value != 1:
            payloads = 1
        if capacity <= LINEAR:
            if count == capacity:
                capacity *= 2
                if count == 0:
                    capacity = 4
        elif (count + 1) * 4 > capacity * 3:
            capacity *= 2
        if capacity + payloads != i64(records[line + 1]):
            self.resize(line, capacity, payloads)
        cells = self.cells
        cell: i64 = i64(records[line]) * 4
        if capacity <= LINEAR:
            cell += count
        else:
            mask: i64 = capacity - 1
            slot: i64 = ((key * GOLDEN) >> 32) & mask
            while cells[cell + slot] != 0:
                slot = (slot + 1) & mask
            cell += slot
        cells[cell] = i32(key)
        records[line + 2] = i32(count + 1)
        if payloads == 1:
            self.write(line, cell, value)

    def write(self, line: i64, cell: i64, value: int) -> None:
        """Write an integer beside a key, in a block that has payloads."""
        payload: i64 = cell + i64(self.records[line + 1]) - 1
        if self.cells[payload] == BEYOND:
            self.forget(line, i64(self.cells[cell]))
        if -WORD <= value <= WORD:
            self.cells[payload] = i32(value)
        else:
            self.beyond.setdefault(int(line), {})[int(self.cells[cell])] = value
            self.cells[payload] = BEYOND

    def forget(self, line: i64, key: i64) -> None:
        """Remove an integer from the dict beside."""
        large = self.beyond[int(line)]
        del large[int(key)]
        if not large:
            del self.beyond[int(line)]

    def put(self, line: i64, key: i64, value: int) -> None:
        """line[key] = value for a key that is there.  Cost: O(length) the first time that one is not 1."""
        capacity: i64 = i64(self.records[line + 1])
        if capacity & 1 == 0:
            if value == 1:
                return
            self.resize(line, capacity, 1)
        self.write(line, self.find(line, key), value)

    def resize(self, line: i64, capacity: i64, payloads: i64) -> None:
        """Move a line to another block, with payloads or without.  Cost: O(both sizes)."""
        records = self.records
        cell: i64 = self.start_of(line)
        end: i64 = self.end_of(line)
        old: i64 = cell
        size: i64 = i64(records[line + 1])
        had: i64 = size & 1
        size -= had
        start: i64 = self.take(capacity << payloads)
        cells = self.cells
        records[line] = i32(start >> 2)
        records[line + 1] = i32(capacity + payloads)
        mask: i64 = capacity - 1
        at: i64 = start
        while cell < end:
            key: i32 = cells[cell]
            if key != 0:
                if capacity > LINEAR:
                    slot: i64 = ((i64(key) * GOLDEN) >> 32) & mask
                    while cells[start + slot] != 0:
                        slot = (slot + 1) & mask
                    at = start + slot
                cells[at] = key
                if had == 1:
                    cells[at + capacity] = cells[cell + size]
                elif payloads == 1:
                    cells[at + capacity] = 1
                at += 1
            cell += 1
        if size > 0:
            self.give(old, size << had)

    def drop(self, line: i64, key: i64) -> None:
        """Remove a key that is there."""
        records = self.records
        count: i64 = i64(records[line + 2]) - 1
        cell: i64 = self.find(line, key)
        capacity: i64 = i64(records[line + 1])
        payloads: i64 = capacity & 1
        capacity -= payloads
        cells = self.cells
        if payloads == 1 and cells[cell + capacity] == BEYOND:
            self.forget(line, key)
        if count == 0:
            self.give(self.start_of(line), capacity << payloads)
            records[line] = 0
            records[line + 1] = 0
            records[line + 2] = 0
            return
        records[line + 2] = i32(count)
        if capacity <= LINEAR:
            last: i64 = self.start_of(line) + count
            cells[cell] = cells[last]
            if payloads == 1:
                cells[cell + capacity] = cells[last + capacity]
                cells[last + capacity] = 0
            return
        self.close(self.start_of(line), cell, capacity, payloads)
        if count * 8 < capacity:
            self.resize(line, capacity >> 1, payloads)

    def close(self, start: i64, cell: i64, capacity: i64, payloads: i64) -> None:
        """Empty a cell of a table (backward-shift delete).  Cost: expected O(1)."""
        cells = self.cells
        mask: i64 = capacity - 1
        gap: i64 = cell - start
        slot: i64 = gap
        while True:
            slot = (slot + 1) & mask
            key: i32 = cells[start + slot]
            if key == 0:
                break
            home: i64 = ((i64(key) * GOLDEN) >> 32) & mask
            if ((slot - home) & mask) >= ((slot - gap) & mask):
                cells[start + gap] = key
                if payloads == 1:
                    cells[start + gap + capacity] = cells[start + slot + capacity]
                gap = slot
        cells[start + gap] = 0
        if payloads == 1:
            cells[start + gap + capacity] = 0

    def clear(self, line: i64) -> i64:
        """Remove all entries; how many there were.  Cost: O(1), and O(length) if one is in the dict."""
        records = self.records
        count: i64 = i64(records[line + 2])
        if count > 0:
            capacity: i64 = i64(records[line + 1])
            self.give(self.start_of(line), (capacity & ~1) << (capacity & 1))
            records[line] = 0
            records[line + 1] = 0
            records[line + 2] = 0
            if self.beyond:
                self.beyond.pop(int(line), None)
        return count

    def change(self, line: i64, key: i64, by: int) -> i64:
        """Add to an entry, and remove a sum of zero; by how much the length changed."""
        cell = self.find(line, key)
        if cell < 0:
            if by == 0:
                return 0
            self.add(line, key, by)
            return 1
        new = self.value_at(line, cell) + by
        if new != 0:
            self.put(line, key, new)
            return 0
        self.drop(line, key)
        return -1

    def add_multiple(self, line: i64, other: i64, factor: int) -> i64:
        """Add a multiple of another line; by how much the length changed.  Cost: O(length of the other)."""
        count: i64 = self.length(other)
        if self.length(line) == 0:
            self.copy_multiple(line, other, factor)
            return count
        if self.length(line) == count and self.is_multiple(line, other, -factor):
            return -self.clear(line)
        grown: i64 = 0
        cell, end = self.start_of(other), self.end_of(other)
        while cell < end:
            key: i64 = i64(self.cells[cell])
            if key != 0:
                grown += self.change(line, key, factor * self.value_at(other, cell))
            cell += 1
        return grown

    def copy_multiple(self, line: i64, other: i64, factor: int) -> None:
        """Become a multiple of another line; this one is empty.  Cost: O(length of the other)."""
        capacity: i64 = i64(self.records[other + 1])
        had: i64 = capacity & 1
        capacity -= had
        payloads: i64 = had
        if factor != 1:
            payloads = 1
        start: i64 = self.take(capacity << payloads)
        records = self.records
        records[line] = i32(start >> 2)
        records[line + 1] = i32(capacity + payloads)
        records[line + 2] = records[other + 2]
        first, cell, end = self.start_of(other), self.start_of(other), self.end_of(other)
        while cell < end:
            key: i32 = self.cells[cell]
            if key != 0:
                to = start + cell - first
                self.cells[to] = key
                if payloads == 1:
                    self.write(line, to, factor * self.value_at(other, cell))
            cell += 1

    def is_multiple(self, line: i64, other: i64, factor: int) -> bool:
        """Whether this line, of the same length, is a multiple of another one.  Cost: O(length)."""
        cell, end = self.start_of(other), self.end_of(other)
        while cell < end:
            key: i64 = i64(self.cells[cell])
            if key != 0:
                at = self.find(line, key)
                if at < 0 or self.value_at(line, at) != factor * self.value_at(other, cell):
                    return False
            cell += 1
        return True

    def fill(self, line: i64, keys: vec[i64], at: i64, end: i64) -> None:
        """Become a line of ones for distinct keys; this one is empty.  Cost: O(their number)."""
        count: i64 = end - at
        capacity: i64 = 4
        while capacity < count or (capacity > LINEAR and capacity * 3 < count * 4):
            capacity *= 2
        start: i64 = self.take(capacity)
        cells = self.cells
        self.records[line] = i32(start >> 2)
        self.records[line + 1] = i32(capacity)
        self.records[line + 2] = i32(count)
        mask: i64 = capacity - 1
        cell: i64 = start
        while at < end:
            if capacity > LINEAR:
                slot: i64 = ((keys[at] * GOLDEN) >> 32) & mask
                while cells[start + slot] != 0:
                    slot = (slot + 1) & mask
                cell = start + slot
            cells[cell] = i32(keys[at])
            cell += 1
            at += 1

    def compact(self) -> None:
        """Close the gaps in the arena if most of it is free.  Cost: O(its size), or O(1)."""
        if self.top < 4096 or self.top < 4 * self.used:
            return
        old, line, end = self.cells, i64(0), i64(len(self.records))
        self.cells, self.top, self.free = vec[i32]([0] * int(self.used + 64)), 4, vec[i32]([0] * 40)
        self.used = 0
        while line < end:
            if line & (RECORD - 1) == LAST:
                line += 1
            elif self.records[line + 1] == 0:
                line += 3
            else:
                capacity: i64 = i64(self.records[line + 1])
                size: i64 = (capacity & ~1) << (capacity & 1)
                cell: i64 = i64(self.records[line]) * 4
                start: i64 = self.take(size)
                self.records[line] = i32(start >> 2)
                last: i64 = cell + size
                while cell < last:
                    self.cells[start] = old[cell]
                    start += 1
                    cell += 1
                line += 3

    def damage(self, line: i64) -> str:
        """What is wrong with a line, "" if nothing is.  Cost: O(length)."""
        cell, end, count = self.start_of(line), self.end_of(line), 0
        while cell < end:
            if self.cells[cell] != 0:
                count += 1
                if self.find(line, i64(self.cells[cell])) != cell:
                    return f"id {self.cells[cell]} is not found where it stands"
                if self.value_at(line, cell) == 0:
                    return f"id {self.cells[cell]} has a zero"
            cell += 1
        return "" if count == self.length(line) else f"{count} ids are counted as {self.length(line)}"
