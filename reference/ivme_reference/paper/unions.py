"""The union iterator over buckets.

Paper: fig:enum_union_with_pointer_new, lem:enumerate_pointer_new. It reports S_1, then S_2 − S_1, and so on:
what is reported is excluded from every bucket that holds it, and a bucket that has become empty is excluded
from the iterator over the buckets. Buckets have arbitrary keys, not 1 … n, and are created lazily (E16).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from ivme_reference.paper.iterators import BOF, EOF, Collection, End, HopIterator, Listing, T
from ivme_reference.paper.repairs import ALL, Repair, Repairs, Undefined

K = TypeVar("K", bound=Hashable)

CandidateBuckets = Callable[[T | End], Iterable[K]]
"""The buckets that may hold an element, in the order in which it is excluded from them."""


class UnionIterator(Generic[K, T]):
    """Enumerates the distinct elements of ⋃ S_k; open on creation."""

    def __init__(
        self,
        sets: Mapping[K, Collection[T]],
        candidate_buckets: CandidateBuckets[T, K] | None = None,
        repairs: Repairs = ALL,
    ) -> None:
        self.sets = sets
        self.candidate_buckets = candidate_buckets or (lambda t: list(sets))
        self.repairs = repairs
        self.open()

    def open(self) -> None:
        """Open: move before the first element."""
        self.buckets: dict[K, HopIterator[T]] = {}  # 1
        self.i_buckets = HopIterator(Listing(self._bucket_keys()), self.repairs)  # 2
        self.i_buckets.open_hop()  # 3
        self.current: K | End = self.i_buckets.next_hop()  # 4
        self._ended = self.current is EOF and Repair.END_OF_ITERATION in self.repairs
        if not self._ended:
            self.i_current("OpenHop").open_hop()  # 5

    def next(self) -> T | End:
        """Next: the next element, or EOF."""
        if self._ended:
            return EOF
        t = self.i_current("NextHop").next_hop()  # 1
        if t is EOF:  # 2
            self.current = self.i_buckets.next_hop()  # 3
            if self.current is EOF:  # 4
                return self._report(EOF)
            self.i_current("OpenHop").open_hop()  # 5
            t = self.i_current("NextHop").next_hop()  # 6
        for i in self.candidate_buckets(t):  # 7
            if i == self.current and Repair.CURRENT_BUCKET in self.repairs:
                continue
            removed = self.bucket(i).exclude(t)  # 8
            if not removed and Repair.EMPTY_BUCKETS in self.repairs:
                continue
            if self.bucket(i).is_empty():  # 9
                self.i_buckets.exclude(i)  # 10
        return self._report(t)  # 11

    def contains(self, t: T) -> bool:
        """Whether t is in the union; the paper requires this (lem:enum_delay) without defining it."""
        if Repair.CONTAINS not in self.repairs:
            raise Undefined("Contains of a hop-based iterator is not defined")
        return any(self.sets[i].contains(t) for i in self.candidate_buckets(t))

    def i_current(self, operation: str) -> HopIterator[T]:
        """The iterator over the current bucket, for an operation; `Undefined` if the current one is EOF."""
        if isinstance(self.current, End):
            raise Undefined(f"{self.current.name}.{operation}(): there is no current bucket")
        return self.bucket(self.current)

    def bucket(self, i: K) -> HopIterator[T]:
        """buckets[i], initialized on its first access."""
        if i not in self.buckets:
            self.buckets[i] = HopIterator(self.sets[i], self.repairs)
        return self.buckets[i]

    def _bucket_keys(self) -> list[K]:
        # In the queries every bucket belongs to a tuple of a root view, so no bucket is empty.
        if Repair.END_OF_ITERATION in self.repairs:
            return [i for i, elements in self.sets.items() if elements.next(BOF) is not EOF]
        return list(self.sets)

    def _report(self, t: T | End) -> T | End:
        self._ended = t is EOF and Repair.END_OF_ITERATION in self.repairs
        return t
