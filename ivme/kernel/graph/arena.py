"""The storage of a graph in one arena of 32-bit cells: for the compiled kernel.

All rows stand in one vector, so that nothing lies between an id and its neighbours. Up to LINEAR neighbours
are a list; beyond, an open-addressing table of ids (0: empty), with linear probing and backward-shift delete.
A table with at least one cell for each word of a bitmap over all vertices has such a bitmap too.

Two rows are intersected in the cheapest way, never at more than a constant times the shorter one: bitmap and
bitmap by AND and population count, bitmap and row by bit tests, rows of similar length by marks, others by
probing.

>>> storage = ArenaGraph(directed=False, tracked=True)
>>> x, y, z = (storage.vertex(name) for name in ("ada", "bob", "eve"))
>>> for one, other in ((x, z), (z, x), (y, z), (z, y)):
...     storage.add(one, other)
>>> storage.common(x, y), storage.bump_common(x, y, 1), storage.explicit(z)
(1, 1, 1)
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Final, final

from librt.vecs import append, extend, vec
from mypy_extensions import i32, i64

from ivme.kernel.graph.interface import GraphStorage
from ivme.kernel.storage.compact.ids import GOLDEN, IdRow
from ivme.kernel.storage.compact.interning import Interner

LINEAR: Final = 16
"""Rows of up to this capacity are searched linearly."""

SIMILAR: Final = 4
"""Rows whose capacities differ by no more than this factor are intersected by marks."""

FIELDS: Final = 4
"""Of a row: a quarter of its offset, capacity, length, and a quarter of the offset of its bitmap."""

LAST_STAMP: Final = (1 << 31) - 1
HEAVY_BIT: Final = 1
BUILT_BIT: Final = 2


@final
class ArenaGraph(GraphStorage):
    """Rows of ids in one vector."""

    def __init__(self, directed: bool, tracked: bool) -> None:
        super().__init__(directed, tracked)
        self.interner = Interner()
        self.rows: vec[i32] = vec[i32]([0] * (2 * FIELDS if directed else FIELDS))
        self.cells: vec[i32] = vec[i32]([0] * 1024)
        self.top: i64 = 4
        """The first cell that was never used."""
        self.free: vec[i32] = vec[i32]([0] * 40)
        """By the logarithm of its length: the first free block, which has the next one in its first cell."""
        self.marks: vec[i32] = vec[i32]([0])
        self.stamp: i64 = 0
        self.bits: vec[i32] = vec[i32]([0])
        self.counts: vec[i64] = vec[i64]([0] * (1 if tracked else 0))
        self.arrivals: vec[i64] = vec[i64]([0])
        self.arrived: i64 = 0
        self.words: i64 = 8
        """The length of a bitmap."""
        self.mapped: vec[i32] = vec[i32]()
        """The rows that have, or had, a bitmap."""
        self.views: dict[int, IdRow] = {}

    # --- vertices -------------------------------------------------------------------------------------------

    def find(self, value: Hashable) -> i64:
        return self.interner.find(value)

    def vertex(self, value: Hashable) -> i64:
        found = self.interner.find(value)
        return found if found > 0 else self.arrive(value)

    def arrive(self, value: Hashable) -> i64:
        """An id and empty rows for a new vertex.  Cost: amortized O(1)."""
        x = self.interner.make(value)
        self.arrived += 1
        if x < i64(len(self.marks)):
            self.arrivals[x] = self.arrived
            return x
        if x >= 32 * self.words:
            self.widen_bitmaps()
        field: i64 = 0
        while field < FIELDS * self.stride:
            self.rows = append(self.rows, 0)
            field += 1
        self.marks = append(self.marks, 0)
        self.bits = append(self.bits, 0)
        self.arrivals = append(self.arrivals, self.arrived)
        if self.tracked:
            self.counts = append(self.counts, 0)
        return x

    def forget(self, x: i64) -> None:
        self.interner.drop(x)
        if self.interner.count() == 0:
            self.clear()

    def clear(self) -> None:
        """Release everything: there is no vertex.  Cost: O(1)."""
        self.rows = vec[i32]([0] * int(FIELDS * self.stride))
        self.cells, self.top = vec[i32]([0] * 1024), 4
        self.free, self.marks, self.stamp = vec[i32]([0] * 40), vec[i32]([0]), 0
        self.bits, self.arrivals, self.words, self.mapped = vec[i32]([0]), vec[i64]([0]), 8, vec[i32]()
        self.counts = vec[i64]([0] * (1 if self.tracked else 0))

    def value(self, x: i64) -> Hashable:
        return self.interner.values[x]

    def arrival(self, x: i64) -> i64:
        return self.arrivals[x]

    def vertex_count(self) -> int:
        return self.interner.count()

    def vertices(self) -> list[int]:
        return self.interner.ids()

    # --- blocks of the arena --------------------------------------------------------------------------------

    def take(self, size: i64) -> i64:
        """A block of zeros; its size is a power of two, at least 4.  Cost: O(its size), amortized."""
        kind = logarithm(size)
        first: i64 = i64(self.free[kind])
        if first > 0:
            block = first * 4
            self.free[kind] = self.cells[block]
            cell = block
            while cell < block + size:
                self.cells[cell] = 0
                cell += 1
            return block
        block = self.top
        self.top += size
        if self.top > i64(len(self.cells)):
            more = max(i64(len(self.cells)) >> 3, 4096, size)
            self.cells = extend(self.cells, vec[i32]([0] * int(more)))
        return block

    def give(self, block: i64, size: i64) -> None:
        """Free a block.  Cost: O(1)."""
        kind = logarithm(size)
        self.cells[block] = self.free[kind]
        self.free[kind] = i32(block >> 2)

    # --- rows -----------------------------------------------------------------------------------------------

    def length(self, row: i64) -> i64:
        return i64(self.rows[FIELDS * row + 2])

    def end_of(self, row: i64) -> i64:
        """The end of the cells that a walk visits; in a table some are empty.  Cost: O(1)."""
        field = FIELDS * row
        capacity: i64 = i64(self.rows[field + 1])
        return i64(self.rows[field]) * 4 + (i64(self.rows[field + 2]) if capacity <= LINEAR else capacity)

    def has(self, row: i64, y: i64) -> bool:
        return self.cell_of(row, y) >= 0

    def cell_of(self, row: i64, y: i64) -> i64:
        """The cell of a neighbour, −1 if it is not there.  Cost: O(1)."""
        field = FIELDS * row
        rows = self.rows
        cells = self.cells
        start: i64 = i64(rows[field]) * 4
        capacity: i64 = i64(rows[field + 1])
        key: i32 = i32(y)
        if capacity <= LINEAR:
            end: i64 = start + i64(rows[field + 2])
            while start < end:
                if cells[start] == key:
                    return start
                start += 1
            return -1
        mask: i64 = capacity - 1
        slot: i64 = ((y * GOLDEN) >> 32) & mask
        while True:
            found: i32 = cells[start + slot]
            if found == key:
                return start + slot
            if found == 0:
                return -1
            slot = (slot + 1) & mask

    def add(self, row: i64, y: i64) -> None:
        field = FIELDS * row
        rows = self.rows
        capacity: i64 = i64(rows[field + 1])
        count: i64 = i64(rows[field + 2])
        if capacity <= LINEAR:
            if count == capacity:
                self.resize(row, 4 if capacity == 0 else capacity * 2)
        elif (count + 1) * 4 > capacity * 3:
            self.resize(row, capacity * 2)
        capacity = i64(rows[field + 1])
        start: i64 = i64(rows[field]) * 4
        cells = self.cells
        rows[field + 2] = i32(count + 1)
        if capacity <= LINEAR:
            cells[start + count] = i32(y)
            return
        mask: i64 = capacity - 1
        slot: i64 = ((y * GOLDEN) >> 32) & mask
        while cells[start + slot] != 0:
            slot = (slot + 1) & mask
        cells[start + slot] = i32(y)
        bitmap: i64 = i64(rows[field + 3]) * 4
        if bitmap > 0:
            word = bitmap + (y >> 5)
            cells[word] = i32(i64(cells[word]) | (1 << (y & 31)))
        elif capacity >= self.words:
            self.make_bitmap(row)

    def resize(self, row: i64, capacity: i64) -> None:
        """Move a row to a block of another size.  Cost: O(both sizes)."""
        field = FIELDS * row
        old: i64 = i64(self.rows[field]) * 4
        size: i64 = i64(self.rows[field + 1])
        end = self.end_of(row)
        start: i64 = self.take(capacity) if capacity > 0 else 0
        place, cell = start, old
        mask = capacity - 1
        while cell < end:
            key: i64 = i64(self.cells[cell])
            if key != 0:
                if capacity <= LINEAR:
                    self.cells[place] = i32(key)
                    place += 1
                else:
                    slot: i64 = ((key * GOLDEN) >> 32) & mask
                    while self.cells[start + slot] != 0:
                        slot = (slot + 1) & mask
                    self.cells[start + slot] = i32(key)
            cell += 1
        if size > 0:
            self.give(old, size)
        self.rows[field] = i32(start >> 2)
        self.rows[field + 1] = i32(capacity)

    def remove(self, row: i64, y: i64) -> None:
        field = FIELDS * row
        cell = self.cell_of(row, y)
        rows = self.rows
        cells = self.cells
        start: i64 = i64(rows[field]) * 4
        capacity: i64 = i64(rows[field + 1])
        count: i64 = i64(rows[field + 2]) - 1
        rows[field + 2] = i32(count)
        if capacity <= LINEAR:
            cells[cell] = cells[start + count]
            if count == 0:
                self.resize(row, 0)
            return
        bitmap: i64 = i64(rows[field + 3]) * 4
        if bitmap > 0:
            word = bitmap + (y >> 5)
            cells[word] = i32(i64(cells[word]) & ~(1 << (y & 31)))
        mask: i64 = capacity - 1
        gap: i64 = cell - start
        slot: i64 = gap
        while True:
            slot = (slot + 1) & mask
            key: i64 = i64(cells[start + slot])
            if key == 0:
                break
            home: i64 = ((key * GOLDEN) >> 32) & mask
            if ((slot - home) & mask) >= ((slot - gap) & mask):
                cells[start + gap] = i32(key)
                gap = slot
        cells[start + gap] = 0
        if count * 8 < capacity:
            if bitmap > 0 and capacity >> 1 < max(self.words, LINEAR + 1):
                self.give(bitmap, self.words)
                rows[field + 3] = 0
            self.resize(row, capacity >> 1)

    def make_bitmap(self, row: i64) -> None:
        """Give a table a bitmap.  Cost: O(its capacity)."""
        bitmap = self.take(self.words)
        self.rows[FIELDS * row + 3] = i32(bitmap >> 2)
        self.mapped = append(self.mapped, i32(row))
        cell, end, cells = i64(self.rows[FIELDS * row]) * 4, self.end_of(row), self.cells
        while cell < end:
            y: i64 = i64(cells[cell])
            if y != 0:
                word = bitmap + (y >> 5)
                cells[word] = i32(i64(cells[word]) | (1 << (y & 31)))
            cell += 1

    def widen_bitmaps(self) -> None:
        """Make room for twice as many vertices; tables that are now too small lose their bitmap.

        Cost: O(the bitmaps), amortized O(1) for each vertex.
        """
        mapped, self.mapped = self.mapped, vec[i32]()
        for row in mapped:
            bitmap: i64 = i64(self.rows[FIELDS * i64(row) + 3]) * 4
            if bitmap > 0:
                self.give(bitmap, self.words)
                self.rows[FIELDS * i64(row) + 3] = 0
        self.words *= 2
        for row in mapped:
            field = FIELDS * i64(row)
            capacity: i64 = i64(self.rows[field + 1])
            if capacity > LINEAR and capacity >= self.words and self.rows[field + 3] == 0:
                self.make_bitmap(i64(row))

    def members(self, row: i64) -> list[int]:
        found: list[int] = []
        cell, end = i64(self.rows[FIELDS * row]) * 4, self.end_of(row)
        while cell < end:
            if self.cells[cell] != 0:
                found.append(int(self.cells[cell]))
            cell += 1
        return found

    def built_members(self, row: i64) -> list[int]:
        found: list[int] = []
        cell, end = i64(self.rows[FIELDS * row]) * 4, self.end_of(row)
        while cell < end:
            y: i64 = i64(self.cells[cell])
            if self.bits[y] & BUILT_BIT != 0:
                found.append(int(y))
            cell += 1
        return found

    def heavy_in(self, row: i64) -> i64:
        found: i64 = 0
        cell, end = i64(self.rows[FIELDS * row]) * 4, self.end_of(row)
        while cell < end:
            found += i64(self.bits[i64(self.cells[cell])] & HEAVY_BIT)
            cell += 1
        return found

    def light_total(self, row: i64) -> i64:
        total: i64 = 0
        cell, end = i64(self.rows[FIELDS * row]) * 4, self.end_of(row)
        while cell < end:
            w: i64 = i64(self.cells[cell])
            if w != 0 and self.bits[w] & HEAVY_BIT == 0:
                total += i64(self.rows[FIELDS * self.stride * w + 2])
            cell += 1
        return total

    # --- intersections --------------------------------------------------------------------------------------

    def common(self, one: i64, other: i64) -> i64:
        rows = self.rows
        short, long = FIELDS * one, FIELDS * other
        if rows[short + 2] > rows[long + 2]:
            short, long = long, short
        count: i64 = i64(rows[short + 2])
        if count == 0:
            return 0
        cells = self.cells
        cell: i64 = i64(rows[short]) * 4
        size: i64 = i64(rows[short + 1])
        if size <= LINEAR:
            size = count
        end = cell + size
        found: i64 = 0
        bitmap: i64 = i64(rows[long + 3]) * 4
        if bitmap > 0:
            word: i64 = i64(rows[short + 3]) * 4
            if word > 0 and self.words <= size:
                last = word + self.words
                while word < last:
                    both: i64 = i64(cells[word]) & i64(cells[bitmap]) & 0xFFFFFFFF
                    both -= (both >> 1) & 0x55555555
                    both = (both & 0x33333333) + ((both >> 2) & 0x33333333)
                    both = (both + (both >> 4)) & 0x0F0F0F0F
                    found += ((both * 0x01010101) >> 24) & 0xFF
                    word += 1
                    bitmap += 1
                return found
            while cell < end:
                y: i64 = i64(cells[cell])
                found += (i64(cells[bitmap + (y >> 5)]) >> (y & 31)) & 1
                cell += 1
            return found
        start: i64 = i64(rows[long]) * 4
        capacity: i64 = i64(rows[long + 1])
        if capacity <= LINEAR or capacity <= SIMILAR * size:
            stamp = self.mark(cell, end)
            marks = self.marks
            last = start + (i64(rows[long + 2]) if capacity <= LINEAR else capacity)
            while start < last:
                found -= ((i64(marks[i64(cells[start])]) ^ stamp) - 1) >> 63
                start += 1
            return found
        mask: i64 = capacity - 1
        while cell < end:
            key: i32 = cells[cell]
            if key != 0:
                slot: i64 = ((i64(key) * GOLDEN) >> 32) & mask
                while True:
                    got: i32 = cells[start + slot]
                    if got == 0:
                        break
                    if got == key:
                        found += 1
                        break
                    slot = (slot + 1) & mask
            cell += 1
        return found

    def mark(self, cell: i64, end: i64) -> i64:
        """Mark the vertices of some cells with a new stamp, which is returned.  Cost: O(their number)."""
        if self.stamp >= LAST_STAMP:
            self.stamp = 0
            place: i64 = 0
            while place < i64(len(self.marks)):
                self.marks[place] = 0
                place += 1
        self.stamp += 1
        stamp: i32 = i32(self.stamp)
        marks = self.marks
        cells = self.cells
        while cell < end:
            marks[i64(cells[cell])] = stamp
            cell += 1
        marks[0] = 0
        return self.stamp

    def matches(self, one: i64, other: i64) -> list[int]:
        if self.length(one) > self.length(other):
            one, other = other, one
        found: list[int] = []
        cell, end = i64(self.rows[FIELDS * one]) * 4, self.end_of(one)
        while cell < end:
            y: i64 = i64(self.cells[cell])
            if y != 0 and self.cell_of(other, y) >= 0:
                found.append(int(y))
            cell += 1
        return found

    def bump_common(self, one: i64, other: i64, sign: i64) -> i64:
        rows = self.rows
        short, long = FIELDS * one, FIELDS * other
        if rows[short + 2] > rows[long + 2]:
            short, long = long, short
        self.heavy_matches, self.built_matches = 0, 0
        count: i64 = i64(rows[short + 2])
        if count == 0:
            return 0
        cells = self.cells
        counts = self.counts
        bits = self.bits
        cell: i64 = i64(rows[short]) * 4
        size: i64 = i64(rows[short + 1])
        if size <= LINEAR:
            size = count
        end = cell + size
        found: i64 = 0
        heavy: i64 = 0
        built: i64 = 0
        y: i64
        bitmap: i64 = i64(rows[long + 3]) * 4
        start: i64 = i64(rows[long]) * 4
        capacity: i64 = i64(rows[long + 1])
        if bitmap > 0:
            while cell < end:
                y = i64(cells[cell])
                if (i64(cells[bitmap + (y >> 5)]) >> (y & 31)) & 1 != 0:
                    found += 1
                    counts[y] += sign
                    heavy += i64(bits[y]) & 1
                    built += i64(bits[y]) >> 1
                cell += 1
        elif capacity <= LINEAR or capacity <= SIMILAR * size:
            stamp = self.mark(cell, end)
            marks = self.marks
            last = start + (i64(rows[long + 2]) if capacity <= LINEAR else capacity)
            while start < last:
                y = i64(cells[start])
                if i64(marks[y]) == stamp:
                    found += 1
                    counts[y] += sign
                    heavy += i64(bits[y]) & 1
                    built += i64(bits[y]) >> 1
                start += 1
        else:
            mask: i64 = capacity - 1
            while cell < end:
                y = i64(cells[cell])
                if y != 0:
                    slot: i64 = ((y * GOLDEN) >> 32) & mask
                    while True:
                        got: i64 = i64(cells[start + slot])
                        if got == 0:
                            break
                        if got == y:
                            found += 1
                            counts[y] += sign
                            heavy += i64(bits[y]) & 1
                            built += i64(bits[y]) >> 1
                            break
                        slot = (slot + 1) & mask
                cell += 1
        self.heavy_matches, self.built_matches = heavy, built
        return found

    # --- bits and triangles ---------------------------------------------------------------------------------

    def is_heavy(self, x: i64) -> bool:
        return self.bits[x] & HEAVY_BIT != 0

    def is_built(self, x: i64) -> bool:
        return self.bits[x] & BUILT_BIT != 0

    def set_heavy(self, x: i64, heavy: bool) -> None:
        self.bits[x] = i32(HEAVY_BIT if heavy else 0)

    def explicit(self, x: i64) -> i64:
        return self.counts[x]

    def bump(self, x: i64, by: i64) -> None:
        self.counts[x] += by

    # --- rows of pairs --------------------------------------------------------------------------------------

    def open_pairs(self, u: i64) -> None:
        self.views[int(u)] = IdRow()
        self.bits[u] = i32(HEAVY_BIT | BUILT_BIT)
        row = u * self.stride
        cell, end = i64(self.rows[FIELDS * row]) * 4, self.end_of(row)
        while cell < end:
            w: i64 = i64(self.cells[cell])
            if w != 0 and self.bits[w] & HEAVY_BIT == 0:
                self.join_pairs(u, w, 1)
            cell += 1

    def close_pairs(self, u: i64) -> None:
        del self.views[int(u)]
        self.bits[u] = i32(HEAVY_BIT)

    def pair(self, u: i64, z: i64) -> i64:
        view = self.views[int(u)]
        at = view.find(z)
        return 0 if at < 0 else view.value_at(at)

    def add_pair(self, u: i64, z: i64, sign: i64) -> None:
        self.views[int(u)].change(z, int(sign))

    def join_pairs(self, u: i64, w: i64, sign: i64) -> i64:
        view, found = self.views[int(u)], i64(0)
        row = w * self.stride
        cell, end = i64(self.rows[FIELDS * row]) * 4, self.end_of(row)
        while cell < end:
            z: i64 = i64(self.cells[cell])
            if z != u and self.bits[z] & HEAVY_BIT != 0:
                view.change(z, int(sign))
                found += 1
            cell += 1
        return found

    def pairs(self, u: i64) -> dict[int, int]:
        view = self.views[int(u)]
        return {int(view.at(at)): view.value_at(at) for at in range(view.size())}

    # --- checks ---------------------------------------------------------------------------------------------

    def damage(self) -> str:
        for x in self.vertices():
            for row in range(int(self.stride) * x, int(self.stride) * (x + 1)):
                if wrong := self.row_damage(row):
                    return f"row {row}: {wrong}"
        return self.arena_damage()

    def row_damage(self, row: i64) -> str:
        """What is wrong with a row, "" if nothing is.  Cost: O(its length)."""
        members, bitmap = self.members(row), i64(self.rows[FIELDS * row + 3]) * 4
        if len(members) != self.length(row) or len(set(members)) != len(members):
            return f"{len(members)} neighbours, and a length of {self.length(row)}"
        if not all(self.has(row, y) for y in members):
            return "a neighbour is not found"
        if bitmap > 0:
            ids = range(32 * int(self.words))
            marked = [y for y in ids if (i64(self.cells[bitmap + (y >> 5)]) >> (y & 31)) & 1]
            if marked != sorted(members):
                return "the bitmap has other neighbours"
        return ""

    def arena_damage(self) -> str:
        """Whether the blocks of rows and the free ones are the used part of the arena, without overlap."""
        blocks: list[tuple[int, int]] = []
        for row in range(len(self.rows) // FIELDS):
            start, size, _, bitmap = (int(self.rows[FIELDS * row + field]) for field in range(FIELDS))
            blocks += [(4 * start, size)] if size else []
            blocks += [(4 * bitmap, int(self.words))] if bitmap else []
        for kind in range(len(self.free)):
            block = int(self.free[kind])
            while block:
                blocks.append((4 * block, 1 << kind))
                block = int(self.cells[4 * block])
        blocks.sort()
        end = 4
        for start, size in blocks:
            if start != end:
                return f"cells {min(start, end)} to {max(start, end)} are lost or used twice"
            end = start + size
        return "" if end == self.top else f"cells {end} to {self.top} are lost"


def logarithm(size: i64) -> i64:
    """Of a power of two."""
    found: i64 = 0
    while size > 1:
        size >>= 1
        found += 1
    return found
