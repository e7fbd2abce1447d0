"""Dicts of dicts that shrink, and sets with a constant-time successor.

>>> lines: dict = {}
>>> put_entry(lines, 1, 2, 3)
>>> lines
{1: {2: 3}}
>>> remove_entry(lines, 1, 2)
>>> lines
{}
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

from ivme_spec.rings import P

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

DictLine = dict[int, P]
"""A row {y: multiplicity} or a column {x: multiplicity}."""


def compacted(entries: dict[K, V]) -> dict[K, V]:
    """The same entries without the holes that deletes leave behind.  Cost: amortized O(1) for each delete.

    A dict does not shrink when entries are deleted, and walking one costs its capacity, not its length. What
    is mostly holes is copied; as many deletes as the copy has entries lie between two copies.
    """
    capacity = entries.__sizeof__()
    return dict(entries) if capacity > 640 and capacity > 128 * len(entries) else entries


def put_entry(lines: dict[int, dict[int, V]], outer: int, inner: int, value: V) -> None:
    """lines[outer][inner] = value.  Cost: O(1)."""
    line = lines.get(outer)
    if line is None:
        lines[outer] = {inner: value}
    else:
        line[inner] = value


def remove_entry(lines: dict[int, dict[int, V]], outer: int, inner: int) -> None:
    """del lines[outer][inner], and the line if it is then empty.  Cost: amortized O(1)."""
    line = lines[outer]
    if len(line) == 1:
        del lines[outer]
    else:
        del line[inner]
        lines[outer] = compacted(line)


class DenseSet(Generic[K]):
    """A set as a list without gaps: the element after position p stands at p + 1.

    `add` takes only elements that are not in the set, `remove` only those that are: what a view keeps under
    a key appears and vanishes exactly once. Up to SMALL elements the list is searched; beyond, `index` knows
    the positions. Removing moves the last element into the gap: open iterators must not survive an update.
    """

    SMALL = 8

    __slots__ = ("index", "items")

    def __init__(self) -> None:
        self.items: list[K] = []
        self.index: dict[K, int] | None = None

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[K]:
        return iter(self.items)

    def damage(self) -> str:
        """What is wrong with the positions, or nothing.  Cost: O(size)."""
        positions = {item: position for position, item in enumerate(self.items)}
        if not positions or len(positions) != len(self) or self.index not in (None, positions):
            return f"{self.items!r} with the positions {self.index!r}"
        return ""

    def position(self, item: K) -> int:
        """The position of an element that is in the set.  Cost: O(1)."""
        return self.items.index(item) if self.index is None else self.index[item]

    def add(self, item: K) -> None:
        """Add an element that is not in the set.  Cost: amortized O(1)."""
        if self.index is not None:
            self.index[item] = len(self.items)
        self.items.append(item)
        if self.index is None and len(self.items) > self.SMALL:
            self.index = {element: position for position, element in enumerate(self.items)}

    def remove(self, item: K) -> None:
        """Remove an element that is in the set.  Cost: amortized O(1)."""
        position = self.position(item)
        last = self.items.pop()
        if self.index is not None:
            del self.index[item]
        if position < len(self.items):
            self.items[position] = last
            if self.index is not None:
                self.index[last] = position
        if self.index is not None:
            self.index = compacted(self.index) if len(self.items) > self.SMALL // 2 else None
