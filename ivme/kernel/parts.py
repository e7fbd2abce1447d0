"""Heavy and light, and the codes by which parts index a plan's tables.

A status is HEAVY or LIGHT. The part of a tuple is the pair (first, second) of the statuses of its values; in
a single-partitioned relation second is always LIGHT.

>>> part(HEAVY, LIGHT), code(HEAVY, LIGHT, LIGHT, HEAVY), transition(part(HEAVY, LIGHT), part(LIGHT, LIGHT))
(2, 9, 8)
"""

from __future__ import annotations

from typing import Final

LIGHT: Final = 0
HEAVY: Final = 1

Status = int
Part = int
Bucket = tuple[Status, Status]
"""The second status of the row and the first status of the column."""


def part(first: Status, second: Status) -> Part:
    """The index of a part, below 4."""
    return first * 2 + second


def code(first: Status, second: Status, row_first: Status, column_second: Status) -> int:
    """The index of the part of an updated tuple and of what is known of its partners' parts, below 16."""
    return first * 8 + second * 4 + row_first * 2 + column_second


def transition(old: Part, new: Part) -> int:
    """The index of a move from one part to another, below 16."""
    return old * 4 + new


def bucket_bit(row_second: Status, column_first: Status) -> int:
    """The bit of a bucket in a mask of buckets, below 16."""
    return 1 << part(row_second, column_first)
