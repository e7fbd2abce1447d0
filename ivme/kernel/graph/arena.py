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
from typing import Any, Final, final

from librt.vecs import append, extend, pop, vec
from mypy_extensions import i32, i64

from ivme.kernel.graph.interface import GraphStorage
from ivme.kernel.storage.compact.ids import GOLDEN, IdRow
from ivme.kernel.storage.compact.interning import Interner

LINEAR: Final = 64
"""Rows of up to this capacity are searched linearly."""

SIMILAR: Final = 4
"""Rows whose capacities differ by no more than this factor are intersected by marks."""

AHEAD: Final = 16
"""Of so many edges the rows are loaded together."""

CACHED: Final = 1 << 18
"""So many cells need not be loaded ahead."""

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
        self.marked: i64 = -1
        """The fields of the row whose members have the last stamp."""
        self.tally: vec[i32] = vec[i32]()
        """Pairs of a row that is being built, by their ends; zero otherwise."""
        self.bits: vec[i32] = vec[i32]([0])
        self.counts: vec[i64] = vec[i64]([0] * (1 if tracked else 0))
        self.arrivals: vec[i64] = vec[i64]([0])
        self.arrived: i64 = 0
        self.live: vec[i32] = vec[i32]()
        """All vertices, so that they are found in O(their number) where most ids are free."""
        self.seats: vec[i32] = vec[i32]([0])
        """Where a vertex stands in `live`."""
        self.words: i64 = 8
        """The length of a bitmap."""
        self.mapped: vec[i32] = vec[i32]()
        """The rows that have, or had, a bitmap."""
        self.views: dict[int, IdRow] = {}
        self.tails: vec[i64] = vec[i64]()
        self.heads: vec[i64] = vec[i64]()
        self.signs: vec[i64] = vec[i64]()
        self.sink: i64 = 0
        """So that the compiler does not leave loads out."""

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
        if x >= i64(len(self.marks)):
            self.more_vertices()
        if x >= 32 * self.words:
            self.widen_bitmaps()
        self.arrivals[x] = self.arrived
        self.seats[x] = i32(len(self.live))
        self.live = append(self.live, i32(x))
        return x

    def more_vertices(self) -> None:
        """Room for more ids.  Cost: O(their number), amortized O(1)."""
        more = 64 + len(self.marks) // 8
        self.rows = extend(self.rows, vec[i32]([0] * (more * FIELDS * int(self.stride))))
        self.marks = extend(self.marks, vec[i32]([0] * more))
        self.seats = extend(self.seats, vec[i32]([0] * more))
        self.bits = extend(self.bits, vec[i32]([0] * more))
        self.arrivals = extend(self.arrivals, vec[i64]([0] * more))
        if self.tracked:
            self.counts = extend(self.counts, vec[i64]([0] * more))

    def forget(self, x: i64) -> None:
        self.interner.drop(x)
        self.live, last = pop(self.live)
        if i64(last) != x:
            seat: i32 = self.seats[x]
            self.live[i64(seat)] = last
            self.seats[i64(last)] = seat
        if len(self.live) == 0:
            self.clear()

    def clear(self) -> None:
        """Release everything: there is no vertex.  Cost: O(1)."""
        self.rows = vec[i32]([0] * int(FIELDS * self.stride))
        self.cells, self.top = vec[i32]([0] * 1024), 4
        self.free, self.marks, self.stamp, self.marked = vec[i32]([0] * 40), vec[i32]([0]), 0, -1
        self.bits, self.arrivals, self.words, self.mapped = vec[i32]([0]), vec[i64]([0]), 8, vec[i32]()
        self.counts = vec[i64]([0] * (1 if self.tracked else 0))
        self.live, self.seats, self.tally = vec[i32](), vec[i32]([0]), vec[i32]()

    def value(self, x: i64) -> Hashable:
        return self.interner.value(x)

    def arrival(self, x: i64) -> i64:
        return self.arrivals[x]

    def vertex_count(self) -> int:
        return len(self.live)

    def vertices(self) -> list[int]:
        return [int(x) for x in self.live]

    # --- many edges at once ---------------------------------------------------------------------------------

    def take_block(self, us: object, vs: object, signs: object) -> i64:
        tails: Any = us
        heads: Any = vs
        given: Any = signs
        self.tails, self.heads = vec[i64](tails), vec[i64](heads)
        self.signs = vec[i64]() if given is None else vec[i64](given)
        return i64(len(self.tails))

    def block_edge(self, at: i64) -> i64:
        if at & (AHEAD - 1) == 0 and self.top > CACHED:
            self.fetch_ahead(at)
        self.tail, self.head = 0, 0
        u, v, places = self.tails[at], self.heads[at], self.interner.places
        x: i64 = 0  # a conditional expression with a literal would make objects
        y: i64 = 0
        if 0 <= u < i64(len(places)):
            x = i64(places[u])
        if 0 <= v < i64(len(places)):
            y = i64(places[v])
        if x == 0:
            x = self.vertex(int(u))
        self.tail = x
        if y == 0:
            y = self.vertex(int(v))
        self.head = y
        if len(self.signs) == 0:
            return 1
        return self.signs[at]

    def fetch_ahead(self, at: i64) -> None:
        """Load the rows of the next edges, so that they come from memory together.  Cost: O(1)."""
        places, rows, cells, tails, heads = (
            self.interner.places,
            self.rows,
            self.cells,
            self.tails,
            self.heads,
        )
        end: i64 = at + AHEAD
        if end > i64(len(tails)):
            end = i64(len(tails))
        many: i64 = i64(len(places))
        step: i64 = FIELDS * self.stride
        total: i64 = 0
        while at < end:
            u: i64 = tails[at]
            v: i64 = heads[at]
            if 0 <= u < many:
                total += i64(cells[4 * i64(rows[step * i64(places[u])])])
            if 0 <= v < many:
                total += i64(cells[4 * i64(rows[step * i64(places[v])])])
            at += 1
        self.sink = total

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
            more = max(i64(len(self.cells)) >> 3, 16384, size)
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

    def look(self, x: i64, y: i64) -> bool:
        rows, bits = self.rows, self.bits
        self.both_heavy = bits[x] & bits[y] & HEAVY_BIT != 0
        if self.stride == 2:
            return self.look_directed(x, y)
        short, long, sought = FIELDS * x, FIELDS * y, x
        degree_x: i64 = i64(rows[short + 2])
        degree_y: i64 = i64(rows[long + 2])
        self.degree_x, self.degree_y, self.scan = degree_x, degree_y, degree_x
        if degree_x >= degree_y:  # as in `common`, whose first row is that of y
            short, long, sought = long, short, y
            self.scan = degree_y
        if self.scan == 0:
            return False
        if rows[long + 1] <= LINEAR or (rows[short + 1] <= LINEAR and self.alike(short, long)):
            stamp = self.mark(long)  # which `common` needs, too
            return i64(self.marks[sought]) == stamp
        return self.cell_of(long // FIELDS, sought) >= 0

    def look_directed(self, x: i64, y: i64) -> bool:
        """`look` in a directed graph."""
        rows, out, into = self.rows, 2 * FIELDS * x, 2 * FIELDS * y + FIELDS
        self.degree_x = i64(rows[out + 2]) + i64(rows[out + FIELDS + 2])
        self.degree_y = i64(rows[into + 2]) + i64(rows[into - FIELDS + 2])
        self.scan = min(i64(rows[into - FIELDS + 2]), i64(rows[out + FIELDS + 2]))
        if rows[out + 2] > rows[into + 2]:
            return self.cell_of(2 * y + 1, x) >= 0
        return self.cell_of(2 * x, y) >= 0

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
        self.marked = -1
        field = FIELDS * row
        rows = self.rows
        capacity: i64 = i64(rows[field + 1])
        count: i64 = i64(rows[field + 2])
        if capacity <= LINEAR:
            if count == capacity:
                capacity *= 2
                if count == 0:
                    capacity = 4
                self.resize(row, capacity)
            if capacity <= LINEAR:
                rows[field + 2] = i32(count + 1)
                cells = self.cells
                cells[i64(rows[field]) * 4 + count] = i32(y)
                return
        elif (count + 1) * 4 > capacity * 3:
            self.resize(row, capacity * 2)
        rows[field + 2] = i32(count + 1)
        self.add_to_table(field, y)

    def add_to_table(self, field: i64, y: i64) -> None:
        """Put a neighbour into a table that has room.  Cost: expected O(1)."""
        rows = self.rows
        cells = self.cells
        start: i64 = i64(rows[field]) * 4
        capacity: i64 = i64(rows[field + 1])
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
            self.make_bitmap(field // FIELDS)

    def resize(self, row: i64, capacity: i64) -> None:
        """Move a row to a block of another size.  Cost: O(both sizes)."""
        rows = self.rows
        field = FIELDS * row
        cell: i64 = i64(rows[field]) * 4
        size: i64 = i64(rows[field + 1])
        end: i64 = cell + (i64(rows[field + 2]) if size <= LINEAR else size)
        start: i64 = self.take(capacity)
        cells = self.cells
        rows[field] = i32(start >> 2)
        rows[field + 1] = i32(capacity)
        if size > 0:
            old = cell
            key: i32
            if capacity <= LINEAR:
                while cell < end:
                    key = cells[cell]
                    if key != 0:
                        cells[start] = key
                        start += 1
                    cell += 1
            else:
                mask: i64 = capacity - 1
                while cell < end:
                    key = cells[cell]
                    if key != 0:
                        slot: i64 = ((i64(key) * GOLDEN) >> 32) & mask
                        while cells[start + slot] != 0:
                            slot = (slot + 1) & mask
                        cells[start + slot] = key
                    cell += 1
            self.give(old, size)

    def remove(self, row: i64, y: i64) -> None:
        self.marked = -1
        field = FIELDS * row
        rows = self.rows
        cells = self.cells
        start: i64 = i64(rows[field]) * 4
        capacity: i64 = i64(rows[field + 1])
        count: i64 = i64(rows[field + 2]) - 1
        rows[field + 2] = i32(count)
        if capacity > LINEAR:
            self.remove_from_table(field, y, count)
            return
        last = start + count
        cell: i64 = start
        key: i32 = i32(y)
        while cell < last and cells[cell] != key:
            cell += 1
        cells[cell] = cells[last]
        if count == 0:
            self.give(start, capacity)
            rows[field] = 0
            rows[field + 1] = 0

    def remove_from_table(self, field: i64, y: i64, count: i64) -> None:
        """Take a neighbour out of a table that has `count` others.  Cost: amortized expected O(1)."""
        rows = self.rows
        cells = self.cells
        start: i64 = i64(rows[field]) * 4
        capacity: i64 = i64(rows[field + 1])
        bitmap: i64 = i64(rows[field + 3]) * 4
        if bitmap > 0:
            word = bitmap + (y >> 5)
            cells[word] = i32(i64(cells[word]) & ~(1 << (y & 31)))
        mask: i64 = capacity - 1
        gap: i64 = self.cell_of(field // FIELDS, y) - start
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
            self.resize(field // FIELDS, capacity >> 1)

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
            stamp = self.mark(long)  # a mark is cheaper than a test
            marks = self.marks
            while cell < end:
                found -= ((i64(marks[i64(cells[cell])]) ^ stamp) - 1) >> 63
                cell += 1
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

    def alike(self, short: i64, long: i64) -> bool:
        """Whether a list and a table, given by their fields, are intersected by marks.  Cost: O(1)."""
        rows = self.rows
        return rows[long + 3] == 0 and i64(rows[long + 1]) <= SIMILAR * i64(rows[short + 2])

    def mark(self, fields: i64) -> i64:
        """Mark the vertices of a row with a stamp, which is returned.  Cost: O(its length)."""
        if self.marked == fields:
            return self.stamp
        if self.stamp >= LAST_STAMP:
            self.stamp = 0
            place: i64 = 0
            while place < i64(len(self.marks)):
                self.marks[place] = 0
                place += 1
        self.stamp += 1
        self.marked = fields
        stamp: i32 = i32(self.stamp)
        marks = self.marks
        cells = self.cells
        rows = self.rows
        cell: i64 = i64(rows[fields]) * 4
        capacity: i64 = i64(rows[fields + 1])
        end: i64 = cell + (i64(rows[fields + 2]) if capacity <= LINEAR else capacity)
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
        any_built = len(self.views) > 0
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
                    if any_built:
                        heavy += i64(bits[y]) & 1
                        built += i64(bits[y]) >> 1
                cell += 1
        elif capacity <= LINEAR or capacity <= SIMILAR * size:
            stamp = self.mark(long)
            marks = self.marks
            while cell < end:
                y = i64(cells[cell])
                if i64(marks[y]) == stamp:
                    found += 1
                    counts[y] += sign
                    if any_built:
                        heavy += i64(bits[y]) & 1
                        built += i64(bits[y]) >> 1
                cell += 1
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
                            if any_built:
                                heavy += i64(bits[y]) & 1
                                built += i64(bits[y]) >> 1
                            break
                        slot = (slot + 1) & mask
                cell += 1
        self.heavy_matches, self.built_matches = heavy, built
        return found

    def count_up(self) -> i64:
        live, starts, ends = self.live, vec[i32]([0] * len(self.marks)), vec[i32]([0] * len(self.marks))
        arcs = self.upward(starts, ends)
        seen, counts, tracked = vec[i32]([0] * len(self.marks)), self.counts, self.tracked
        found: i64 = 0
        scan: i64 = 0
        seat: i64 = 0
        while seat < i64(len(live)):
            x: i64 = i64(live[seat])
            first: i64 = i64(starts[x])
            last: i64 = i64(ends[x])
            at: i64 = first
            while at < last:
                seen[i64(arcs[at])] = i32(x)
                at += 1
            total: i64 = 0
            at = first
            while at < last:
                y: i64 = i64(arcs[at])
                next: i64 = i64(starts[y])
                end: i64 = i64(ends[y])
                scan += end - next
                here: i64 = 0
                if tracked:
                    while next < end:
                        z: i64 = i64(arcs[next])
                        if i64(seen[z]) == x:
                            here += 1
                            counts[z] += 1
                        next += 1
                    counts[y] += here
                else:
                    while next < end:
                        here -= ((i64(seen[i64(arcs[next])]) ^ x) - 1) >> 63
                        next += 1
                total += here
                at += 1
            found += total
            if tracked:
                counts[x] += total
            seat += 1
        self.scan = scan
        return found

    def upward(self, starts: vec[i32], ends: vec[i32]) -> vec[i32]:
        """The neighbours of larger degree of each vertex x, from starts[x] to ends[x].  Cost: O(m)."""
        live, rows, cells, arcs = self.live, self.rows, self.cells, vec[i32]()
        seat: i64 = 0
        while seat < i64(len(live)):
            x: i64 = i64(live[seat])
            degree: i32 = rows[FIELDS * x + 2]
            starts[x] = i32(len(arcs))
            cell: i64 = i64(rows[FIELDS * x]) * 4
            end: i64 = self.end_of(x)
            while cell < end:
                y: i64 = i64(cells[cell])
                other: i32 = rows[FIELDS * y + 2]
                if degree < other or (degree == other and x < y):  # an empty cell has degree 0
                    arcs = append(arcs, i32(y))
                cell += 1
            ends[x] = i32(len(arcs))
            seat += 1
        return arcs

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
        self.bits[u] = i32(HEAVY_BIT | BUILT_BIT)
        if len(self.tally) < len(self.marks):
            self.tally = extend(self.tally, vec[i32]([0] * (len(self.marks) - len(self.tally))))
        view, found = IdRow(), vec[i32]()
        rows, cells, bits, tally = self.rows, self.cells, self.bits, self.tally
        row = u * self.stride
        cell, end = i64(rows[FIELDS * row]) * 4, self.end_of(row)
        while cell < end:
            w: i64 = i64(cells[cell])
            if w != 0 and bits[w] & HEAVY_BIT == 0:
                next, last = i64(rows[FIELDS * w * self.stride]) * 4, self.end_of(w * self.stride)
                while next < last:
                    z: i64 = i64(cells[next])
                    if bits[z] & HEAVY_BIT != 0 and z != u:
                        if tally[z] == 0:
                            found = append(found, i32(z))
                        tally[z] += 1
                    next += 1
            cell += 1
        for end_of_pair in found:
            view.append_entry(i64(end_of_pair), int(tally[i64(end_of_pair)]))
            tally[i64(end_of_pair)] = 0
        self.views[int(u)] = view

    def close_pairs(self, u: i64) -> None:
        del self.views[int(u)]
        self.bits[u] = i32(HEAVY_BIT)

    def pair(self, u: i64, z: i64) -> i64:
        view = self.views[int(u)]
        at = view.find(z)
        if at < 0:
            return 0
        return view.value_at(at)

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
