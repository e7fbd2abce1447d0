"""Interning without an object for each value: dense ids from 1, which are reused.

>>> interner = Interner()
>>> interner.make("ada"), interner.make(7), interner.find(7.0), interner.find("bob")
(1, 2, 2, 0)
>>> interner.drop(1)
>>> interner.make("eve"), interner.count()
(1, 2)
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, final

from librt.vecs import append, extend, pop, vec
from mypy_extensions import i32, i64

from ivme.kernel.storage.compact.nodes import place_of
from ivme.kernel.storage.dicts.lines import compacted


@final
class Interner:
    """Ids by value and values by id. Values are compared like the keys of a dict: 1, True and 1.0 are one.

    `places` is a direct index for integers that are not too sparse: the id of v, 0 for none. An integer below
    its length is found there, unless it came as an equal of another type; every other value in `by_value`.
    """

    def __init__(self) -> None:
        self.places: vec[i32] = vec[i32]()
        self.by_value: dict[Hashable, int] = {}
        self.values: list[Hashable] = [None]
        self.free: vec[i32] = vec[i32]()

    def find(self, value: Hashable) -> i64:
        """The id of a value, 0 if it has none.  Cost: O(1)."""
        place = place_of(value)
        if place >= 0:
            if place < i64(len(self.places)) and self.places[place] > 0:
                return i64(self.places[place])
            return i64(self.by_value.get(value, 0)) if self.by_value else 0
        if self.by_value:
            found = self.by_value.get(value)
            if found is not None:
                return i64(found)
        if len(self.places) > 0 and type(value) is not str:  # no plain integer, but it may equal one
            place = place_of(hash(value))
            if 0 <= place < i64(len(self.places)):
                entry: i64 = i64(self.places[place])
                if entry > 0:
                    stored: Any = self.values[entry]
                    if stored == value:  # of type Any: __eq__ need not return a bool
                        return entry
        return 0

    def make(self, value: Hashable) -> i64:
        """An id for a value that has none.  Cost: amortized O(1).

        What can raise, the value's __hash__ and __eq__, comes before any change.
        """
        place = place_of(value)
        if place >= i64(len(self.places)):
            if place < 16 * i64(len(self.values)) + 65536:
                self.widen(place)
            else:
                place = -1
        made: i64 = i64(self.free[-1]) if len(self.free) > 0 else i64(len(self.values))
        if place >= 0:
            self.places[place] = i32(made)
        else:
            self.by_value[value] = int(made)
        if len(self.free) > 0:
            self.free, _ = pop(self.free)
            self.values[made] = value
        else:
            self.values.append(value)
        return made

    def widen(self, place: i64) -> None:
        """Grow the direct index; integers in the dict move to it.  Cost: O(its length), amortized O(1)."""
        more = max(place + 1 - i64(len(self.places)), i64(len(self.places)), 1024)
        self.places = extend(self.places, vec[i32]([0] * int(more)))
        if self.by_value:
            others: dict[Hashable, int] = {}
            for value, found in self.by_value.items():
                at = place_of(value)
                if 0 <= at < i64(len(self.places)):
                    self.places[at] = i32(found)
                else:
                    others[value] = found
            self.by_value = others

    def drop(self, x: i64) -> None:
        """Remove a value and free its id.  Cost: amortized O(1)."""
        value = self.values[x]
        place = place_of(value)
        if 0 <= place < i64(len(self.places)):
            self.places[place] = 0
        else:
            del self.by_value[value]
            self.by_value = compacted(self.by_value)
        self.values[x] = None
        self.free = append(self.free, i32(x))
        if self.count() == 0:
            self.places, self.by_value, self.values, self.free = vec[i32](), {}, [None], vec[i32]()

    def count(self) -> int:
        """The number of values.  Cost: O(1)."""
        return len(self.values) - 1 - len(self.free)

    def ids(self) -> list[int]:
        """All ids.  Cost: O(the largest)."""
        unused = {int(x) for x in self.free}
        return [x for x in range(1, len(self.values)) if x not in unused]
