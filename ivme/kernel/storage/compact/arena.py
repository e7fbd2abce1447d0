"""Blocks of 32-bit cells in one vector: sizes are powers of two from 4 on, free ones are reused by size.

>>> arena = Arena()
>>> one, two = arena.take(4), arena.take(8)
>>> arena.give(one, 4)
>>> arena.take(4) == one, two > one
(True, True)
"""

from __future__ import annotations

from librt.vecs import extend, vec
from mypy_extensions import i32, i64


class Arena:
    """Cells, and which of them are free."""

    def __init__(self) -> None:
        self.cells: vec[i32] = vec[i32]([0] * 64)
        self.top: i64 = 4
        """The first cell that was never used."""
        self.free: vec[i32] = vec[i32]([0] * 40)
        """By the logarithm of its size: the first free block, which has the next one in its first cell."""
        self.used: i64 = 0
        """The cells of all blocks that are taken."""

    def take(self, size: i64) -> i64:
        """A block of zeros.  Cost: O(its size), amortized."""
        kind = logarithm(size)
        self.used += size
        first: i64 = i64(self.free[kind])
        if first > 0:
            block = first * 4
            cells = self.cells
            self.free[kind] = cells[block]
            cell = block
            while cell < block + size:
                cells[cell] = 0
                cell += 1
            return block
        block = self.top
        self.top += size
        if self.top > i64(len(self.cells)):
            more = max(i64(len(self.cells)) >> 3, size, 256)
            self.cells = extend(self.cells, vec[i32]([0] * int(more)))
        return block

    def give(self, block: i64, size: i64) -> None:
        """Free a block.  Cost: O(1)."""
        kind = logarithm(size)
        self.used -= size
        self.cells[block] = self.free[kind]
        self.free[kind] = i32(block >> 2)


def logarithm(size: i64) -> i64:
    """Of a power of two."""
    found: i64 = 0
    while size > 1:
        size >>= 1
        found += 1
    return found
