"""Sets of ids and maps from ids to integers, in a few machine words for each entry.

Compiled only: interpreted, vectors are slower than dicts. Entries stand in a list without gaps, so the
successor of position p is p + 1; beyond SMALL of them an open-addressing index has the positions (linear
probing, backward-shift delete). Removing moves the last entry into the gap: open iterators must not survive
an update.

Read a vector where it stands, as in `self.keys[position]`: binding it to a variable counts a reference, a
write to memory that may be far away.

Machine integers are storage, never arithmetic that could wrap: a sum or product is formed in 64 bits only
where both factors have less than 32 bits, and in Python's integers otherwise; a multiplicity that does not
fit into 64 bits is kept in a dict beside the row.

>>> row = IdRow()
>>> row.append_entry(7, 1 << 90)
>>> row.find(7), row.find(8), row.value_at(0) == 1 << 90
(0, -1, True)
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import append, pop, vec
from mypy_extensions import i32, i64, mypyc_attr

SMALL: Final = 8
"""Rows of up to this many entries are searched linearly."""

HALF_WORD: Final = 1 << 31
"""Factors below it, in absolute value, have a product that fits."""

FLUSH: Final = 1 << 61
"""A partial sum beyond it is moved to Python's integers."""

WORD: Final = 1 << 61
"""The largest absolute value of a payload that is stored in the row itself."""

BEYOND: Final = (1 << 62) - 1
"""Sentinel: the multiplicity is in the dict beside the row."""

GOLDEN: Final = 0x13C6EF372FE94F83
"""2^61 divided by the golden ratio, odd: spreads consecutive ids over the index. (mypyc boxes what has more
than 62 bits.)"""


def small(number: i64) -> bool:
    return -HALF_WORD < number < HALF_WORD


@mypyc_attr(acyclic=True)
class IdSet:
    """A set of ids without gaps.  Cost: O(1) for each method, amortized for add and remove."""

    def __init__(self) -> None:
        self.keys: vec[i64] = vec[i64]()
        self.index: vec[i32] = vec[i32]()

    def size(self) -> int:
        return len(self.keys)

    def at(self, position: i64) -> i64:
        """The id at a position."""
        return self.keys[position]

    def find(self, key: i64) -> i64:
        """The position of an id, or −1."""
        mask: i64 = i64(len(self.index)) - 1
        if mask < 0:
            position: i64 = 0
            while position < i64(len(self.keys)):
                if self.keys[position] == key:
                    return position
                position += 1
            return -1
        slot: i64 = ((key * GOLDEN) >> 32) & mask
        while True:
            found: i64 = i64(self.index[slot])
            if found == 0:
                return -1
            if self.keys[found - 1] == key:
                return found - 1
            slot = (slot + 1) & mask

    def add(self, key: i64) -> None:
        """Add an id that is not in the set."""
        self.keys = append(self.keys, key)
        count: i64 = len(self.keys)
        if count > SMALL or len(self.index) > 0:
            if count * 4 > i64(len(self.index)) * 3:
                self.build_index(count)
            else:
                self.enter(key, count)

    def enter(self, key: i64, entry: i64) -> None:
        """Write position + 1 into the first free slot for an id."""
        mask: i64 = i64(len(self.index)) - 1
        slot: i64 = ((key * GOLDEN) >> 32) & mask
        while self.index[slot] != 0:
            slot = (slot + 1) & mask
        self.index[slot] = i32(entry)

    def build_index(self, count: i64) -> None:
        """Rebuild the index, at most half full; none for a small set."""
        if count <= SMALL:
            self.index = vec[i32]()
            return
        capacity: i64 = 16
        while capacity < 2 * count:
            capacity *= 2
        self.index = vec[i32]([0] * int(capacity))
        position: i64 = 0
        while position < count:
            self.enter(self.keys[position], position + 1)
            position += 1

    def slot_of(self, key: i64) -> i64:
        """The slot of an id that is in the set."""
        mask: i64 = i64(len(self.index)) - 1
        slot: i64 = ((key * GOLDEN) >> 32) & mask
        while self.keys[i64(self.index[slot]) - 1] != key:
            slot = (slot + 1) & mask
        return slot

    def remove_at(self, position: i64) -> None:
        """Remove the id at a position; the last one takes its place."""
        last: i64 = i64(len(self.keys)) - 1
        indexed = len(self.index) > 0
        if indexed:
            self.clear_slot(self.slot_of(self.keys[position]))
        if position != last:
            if indexed:
                self.index[self.slot_of(self.keys[last])] = i32(position + 1)
            self.keys[position] = self.keys[last]
        self.keys, _ = pop(self.keys)
        if indexed and last * 8 < i64(len(self.index)):
            self.keys = tight(self.keys)
            self.build_index(last)

    def clear_slot(self, slot: i64) -> None:
        """Empty a slot (backward-shift delete)."""
        mask: i64 = i64(len(self.index)) - 1
        gap = slot
        while True:
            slot = (slot + 1) & mask
            entry: i64 = i64(self.index[slot])
            if entry == 0:
                break
            home: i64 = ((self.keys[entry - 1] * GOLDEN) >> 32) & mask
            if ((slot - home) & mask) >= ((slot - gap) & mask):
                self.index[gap] = i32(entry)
                gap = slot
        self.index[gap] = 0

    def damage(self) -> str:
        """What is wrong with the positions, "" if nothing is.  Cost: O(size)."""
        for position in range(self.size()):
            if self.find(self.keys[position]) != position:
                return f"id {self.keys[position]} is not found at position {position}"
        return ""


def tight(numbers: vec[i64]) -> vec[i64]:
    """A copy without spare capacity.  Cost: O(its length)."""
    copy = vec[i64](capacity=i64(len(numbers)))
    for number in numbers:
        copy = append(copy, number)
    return copy


@final
@mypyc_attr(acyclic=True)
class IdRow(IdSet):
    """A map from ids to nonzero integers. While all of them are 1, none is stored."""

    def __init__(self) -> None:
        super().__init__()
        self.payloads: vec[i64] = vec[i64]()
        self.beyond: dict[int, int] | None = None

    def value_at(self, position: i64) -> int:
        """The integer at a position.  Cost: O(1)."""
        if len(self.payloads) == 0:
            return 1
        payload: i64 = self.payloads[position]
        if payload == BEYOND and self.beyond is not None:
            return self.beyond[int(self.keys[position])]
        return int(payload)

    def value_of(self, key: i64) -> int:
        """The integer of an id that is there.  Cost: O(1)."""
        return 1 if len(self.payloads) == 0 else self.value_at(self.find(key))

    def append_entry(self, key: i64, value: int) -> None:
        """row[key] = value for a key that is not there.  Cost: amortized O(1)."""
        self.add(key)
        if len(self.payloads) > 0:
            self.payloads = append(self.payloads, 0)
            self.set_at(i64(len(self.keys)) - 1, value)
        elif value != 1:
            self.set_at(i64(len(self.keys)) - 1, value)

    def set_at(self, position: i64, value: int) -> None:
        """Change the integer at a position.  Cost: O(1), and O(size) the first time that one is not 1."""
        if len(self.payloads) == 0:
            if value == 1:
                return
            count: i64 = len(self.keys)
            payloads = vec[i64](capacity=count)
            while i64(len(payloads)) < count:
                payloads = append(payloads, 1)
            self.payloads = payloads
        if self.payloads[position] == BEYOND and self.beyond is not None:
            del self.beyond[int(self.keys[position])]
        if -WORD <= value <= WORD:
            self.payloads[position] = i64(value)
        else:
            if self.beyond is None:
                self.beyond = {}
            self.beyond[int(self.keys[position])] = value
            self.payloads[position] = BEYOND

    def drop_at(self, position: i64) -> None:
        """Remove the entry at a position.  Cost: amortized O(1)."""
        if len(self.payloads) > 0:
            if self.payloads[position] == BEYOND and self.beyond is not None:
                del self.beyond[int(self.keys[position])]
            last: i64 = i64(len(self.payloads)) - 1
            self.payloads[position] = self.payloads[last]
            self.payloads, _ = pop(self.payloads)
            if last == 0:
                self.beyond = None
        indexed = len(self.index)
        self.remove_at(position)
        if len(self.index) < indexed and len(self.payloads) > 0:
            self.payloads = tight(self.payloads)

    def change(self, key: i64, by: int) -> int:
        """Add to an entry, and remove a sum of zero; by how much the size changed.  Cost: O(1)."""
        position = self.find(key)
        if position < 0:
            if by == 0:
                return 0
            self.append_entry(key, by)
            return 1
        new = self.value_at(position) + by
        if new != 0:
            self.set_at(position, new)
            return 0
        self.drop_at(position)
        return -1

    def add_multiple(self, row: IdRow, factor: int) -> int:
        """Add a multiple of another row; by how much the size changed.  Cost: O(size of the other)."""
        count: i64 = len(row.keys)
        if len(self.keys) == 0:
            self.copy_multiple(row, factor)
            return int(count)
        if i64(len(self.keys)) == count and self.is_multiple(row, -factor):
            self.keys, self.index, self.payloads, self.beyond = vec[i64](), vec[i32](), vec[i64](), None
            return -int(count)
        position: i64 = 0
        grown = 0
        while position < count:
            grown += self.change(row.keys[position], factor * row.value_at(position))
            position += 1
        return grown

    def copy_multiple(self, row: IdRow, factor: int) -> None:
        """Become a multiple of another row; this one is empty.  Cost: O(size of the other)."""
        count: i64 = len(row.keys)
        self.keys, self.index = row.keys[0:count], row.index[0 : len(row.index)]
        if len(row.payloads) > 0 or factor != 1:
            self.payloads = vec[i64]([0] * int(count))
            position: i64 = 0
            while position < count:
                self.set_at(position, factor * row.value_at(position))
                position += 1

    def is_multiple(self, row: IdRow, factor: int) -> bool:
        """Whether this row, of the same size, is a multiple of another one.  Cost: O(size)."""
        position: i64 = 0
        while position < i64(len(row.keys)):
            other = position
            if self.keys[position] != row.keys[position]:
                other = self.find(row.keys[position])
            if other < 0 or self.value_at(other) != factor * row.value_at(position):
                return False
            position += 1
        return True
