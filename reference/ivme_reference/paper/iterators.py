"""Iterators over collections and unions of sets, hop iterators.

Paper: sec:view_iterators, fig:enum_union, fig:hop_iterator. Comments give the lines of the figures.
Invariant of a hop iterator whose every value is excluded at most once: the excluded values form maximal
ranges of consecutive values, skip_to maps the first value of each range to the value after its last, and
skipped_from maps that value back. So from a value that is not excluded the next one is found in O(1).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from enum import Enum
from itertools import pairwise
from typing import Generic, Protocol, TypeVar

from ivme_reference.paper.repairs import ALL, Repair, Repairs, Undefined


class End(Enum):
    """The special values before the first and after the last value of a collection."""

    BOF = "BOF"
    EOF = "EOF"


BOF, EOF = End.BOF, End.EOF

T = TypeVar("T", bound=Hashable)


class Collection(Protocol[T]):
    """Values without duplicates, with a lookup and a successor (sec:hop_iterators)."""

    def contains(self, x: T | End) -> bool:
        """C.Contains(x)."""

    def next(self, x: T | End) -> T | End:
        """C.Next(x), the successor of x; the first value for BOF, and EOF for the last."""


class TupleIterator(Protocol[T]):
    """What UnionNext needs of an iterator (sec:view_iterators)."""

    def next(self) -> T | End:
        """The next tuple, or EOF."""

    def contains(self, t: T) -> bool:
        """Whether t is in the set that is iterated over; the iterator does not move."""


class Listing(Generic[T]):
    """A collection of the given values in the given order."""

    def __init__(self, values: Iterable[T]) -> None:
        chain: list[T | End] = [BOF, *values, EOF]
        self._successor = dict(pairwise(chain))

    def contains(self, x: T | End) -> bool:
        """Whether x is one of the values."""
        return x in self._successor and x is not BOF

    def next(self, x: T | End) -> T | End:
        """The value after x; `Undefined` for EOF and for values outside the collection."""
        if x not in self._successor:
            raise Undefined(f"C.Next({x!r}): {x!r} has no successor in the collection")
        return self._successor[x]


class ViewIterator(Generic[T]):
    """The iterator of a materialized view (sec:view_iterators)."""

    def __init__(self, rows: Iterable[T]) -> None:
        self._rows = list(rows)
        self._position = 0

    def next(self) -> T | End:
        """The next tuple of the view, or EOF."""
        if self._position == len(self._rows):
            return EOF
        self._position += 1
        return self._rows[self._position - 1]

    def contains(self, t: T) -> bool:
        """Whether t is in the view."""
        return t in self._rows


def union_next(iterators: Sequence[TupleIterator[T]]) -> T | End:
    """UnionNext(I_1, …, I_n): the next distinct element of the union, or EOF (fig:enum_union)."""
    *others, last = iterators
    if not others:  # 1
        return last.next()
    if (t := union_next(others)) is not EOF:  # 2
        assert not isinstance(t, End)
        if last.contains(t):  # 3
            return last.next()  # 4
        return t  # 6
    return last.next()  # 7


class HopIterator(Generic[T]):
    """An iterator over a collection that can exclude values (fig:hop_iterator)."""

    def __init__(self, collection: Collection[T], repairs: Repairs = ALL) -> None:
        self.collection = collection
        self.repairs = repairs
        self.curr: T | End = BOF
        self.skip_to: dict[T | End, T | End] = {}
        self.skipped_from: dict[T | End, T | End] = {}

    def open_hop(self) -> None:
        """OpenHop: move before the first value."""
        self.curr = BOF  # 1

    def next_hop(self) -> T | End:
        """NextHop: the next value that is not excluded, or EOF."""
        if self.curr is EOF and Repair.END_OF_ITERATION in self.repairs:
            return EOF
        self.curr = self.hop(self.collection.next(self.curr))  # 1
        return self.curr  # 2

    def is_empty(self) -> bool:
        """IsEmpty: whether all values are excluded."""
        first = self.collection.next(BOF)  # 1
        return self.hop(first) is EOF  # 2

    def hop(self, x: T | End) -> T | End:
        """Hop: x, or the end of the excluded range that starts at x."""
        if x in self.skip_to:  # 1
            return self.skip_to[x]  # 2
        return x  # 3

    def hop_back(self, x: T | End) -> T | End:
        """HopBack: x, or the start of the excluded range that ends before x."""
        if x in self.skipped_from:  # 1
            return self.skipped_from[x]  # 2
        return x  # 3

    def exclude(self, x: T | End) -> bool:
        """Exclude x from now on; returns whether it is in the collection (not printed; repairs E3)."""
        if not self.collection.contains(x):  # 1
            return False
        to = self.hop(self.collection.next(x))  # 2
        start = self.hop_back(x)  # 3
        self.skip_to[start] = to  # 4
        self.skipped_from[to] = start  # 5
        return True
