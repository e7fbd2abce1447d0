"""Heavy and light, and the codes by which parts index a plan's tables.

A status is HEAVY or LIGHT. The part of a tuple is the pair (first, second) of the statuses of its values; in
a single-partitioned relation second is always LIGHT.

>>> part(HEAVY, LIGHT), code(HEAVY, LIGHT, LIGHT, HEAVY), transition(part(HEAVY, LIGHT), part(LIGHT, LIGHT))
(2, 9, 8)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mypy_extensions import i64

LIGHT: Final = 0
HEAVY: Final = 1

Status = int
Part = int
Bucket = tuple[Status, Status]
"""The second status of the row and the first status of the column."""


def part(first: i64, second: i64) -> i64:
    """The index of a part, below 4."""
    return first * 2 + second


def code(first: i64, second: i64, row_first: i64, column_second: i64) -> i64:
    """The index of the part of an updated tuple and of what is known of its partners' parts, below 16."""
    return first * 8 + second * 4 + row_first * 2 + column_second


def transition(old: i64, new: i64) -> i64:
    """The index of a move from one part to another, below 16."""
    return old * 4 + new


def bucket_bit(row_second: i64, column_first: i64) -> i64:
    """The bit of a bucket in a mask of buckets, below 16."""
    return 1 << part(row_second, column_first)
