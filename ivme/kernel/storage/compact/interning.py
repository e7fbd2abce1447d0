"""Interning without an object for each value: dense ids from 1, which are reused. Interners may share them.

>>> interner = Interner()
>>> interner.make("ada"), interner.make(7), interner.find(7.0), interner.find("bob")
(1, 2, 2, 0)
>>> interner.drop(1)
>>> interner.make("eve"), interner.value(2), interner.count()
(1, 7, 2)
>>> Interner(interner.ids).make("ada")
3
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, final

from librt.vecs import append, extend, pop, vec
from mypy_extensions import i32, i64

from ivme.kernel.storage.dicts.lines import compacted

FAR: Final = (1 << 31) - 1
"""Integers from here on have no place."""


@final
class Ids:
    """Values by id: `numbers` has v + 1 for an integer that has a place, 0 for what stands in `values`."""

    def __init__(self) -> None:
        self.numbers: vec[i32] = vec[i32]([0])
        self.values: list[Hashable] = []
        self.free: vec[i32] = vec[i32]()

    def next(self) -> i64:
        """The id that `take` will use.  Cost: O(1)."""
        return i64(self.free[-1]) if len(self.free) > 0 else i64(len(self.numbers))

    def take(self) -> None:
        """Use the next id.  Cost: amortized O(1)."""
        if len(self.free) > 0:
            self.free, _ = pop(self.free)
        else:
            self.numbers = append(self.numbers, 0)

    def name(self, x: i64, value: Hashable) -> None:
        """Set the value of an id, one that has no place.  Cost: amortized O(1)."""
        while i64(len(self.values)) <= x:
            self.values.append(None)
        self.values[x] = value

    def value(self, x: i64) -> Hashable:
        """The value of an id.  Cost: O(1)."""
        number: i64 = i64(self.numbers[x])
        return int(number) - 1 if number > 0 else self.values[x]

    def release(self, x: i64) -> None:
        """Free an id.  Cost: amortized O(1)."""
        self.free = append(self.free, i32(x))
        if len(self.free) + 1 == len(self.numbers):
            self.numbers, self.values, self.free = vec[i32]([0]), [], vec[i32]()


@final
class Interner:
    """Ids by value. Values are compared like the keys of a dict: 1, True and 1.0 are one.

    `places` is a direct index for integers that are not too sparse: the id of v, 0 for none. An integer below
    its length is found there, unless it came as an equal of another type. Every other value stands in
    `by_value`. There are at most `sparse` places for each value, and `spare` ones.
    """

    def __init__(self, ids: Ids | None = None, sparse: int = 16, spare: int = 65536) -> None:
        self.ids = Ids() if ids is None else ids
        self.sparse = sparse
        self.spare = spare
        self.held: i64 = 0
        self.places: vec[i32] = vec[i32]()
        self.by_value: dict[Hashable, int] = {}

    def find(self, value: Hashable) -> i64:
        """The id of a value, 0 if it has none.  Cost: O(1)."""
        if type(value) is int:
            number: int = value  # mypyc unboxes a variable once
            if 0 <= number < FAR:  # `find_number`, inline
                at: i64 = i64(number)
                places = self.places
                if at < i64(len(places)):
                    direct: i64 = i64(places[at])
                    if direct > 0:
                        return direct
                return i64(self.by_value.get(value, 0)) if self.by_value else 0
        if self.by_value:
            found = self.by_value.get(value)
            if found is not None:
                return i64(found)
        if len(self.places) > 0 and type(value) is not str:  # no plain integer, but it may equal one
            place = self.place_of(hash(value))
            if place >= 0:
                entry: i64 = i64(self.places[place])
                stored: Any = int(self.ids.numbers[entry]) - 1
                if entry > 0 and stored == value:  # of type Any: __eq__ need not return a bool
                    return entry
        return 0

    def find_number(self, number: i64) -> i64:
        """The id of an integer from 0 on, below FAR; 0 if it has none.  Cost: O(1)."""
        places = self.places
        if number < i64(len(places)):
            found: i64 = i64(places[number])
            if found > 0:
                return found
        return i64(self.by_value.get(int(number), 0)) if self.by_value else 0

    def make(self, value: Hashable) -> i64:
        """An id for a value that has none.  Cost: amortized O(1).

        What can raise, the value's __hash__ and __eq__, comes before any change.
        """
        if type(value) is int:
            number: int = value
            if 0 <= number < FAR and (number < len(self.places) or number < self.most()):
                return self.make_number(i64(number))
        made = self.ids.next()
        self.by_value[value] = int(made)
        self.ids.take()
        self.ids.name(made, value)
        self.held += 1
        return made

    def most(self) -> int:
        """How many places the values are worth.  Cost: O(1)."""
        return self.sparse * (int(self.held) + 1) + self.spare

    def make_number(self, number: i64) -> i64:
        """An id for an integer that gets a place.  Cost: amortized O(1)."""
        if number >= i64(len(self.places)):
            self.widen(number)
        made = self.ids.next()
        self.ids.take()
        self.places[number] = i32(made)
        self.ids.numbers[made] = i32(number + 1)
        self.held += 1
        return made

    def widen(self, place: i64) -> None:
        """Grow the direct index; integers in the dict move to it.  Cost: O(its length), amortized O(1)."""
        least = min(1024, i64(self.spare))
        more = max(place + 1 - i64(len(self.places)), i64(len(self.places)), least)
        self.places = extend(self.places, vec[i32]([0] * int(more)))
        if self.by_value:
            others: dict[Hashable, int] = {}
            for value, found in self.by_value.items():
                number = self.place_of(value)
                if number >= 0:
                    self.places[number] = i32(found)
                    self.ids.numbers[found] = i32(number + 1)
                    self.ids.values[found] = None
                else:
                    others[value] = found
            self.by_value = others

    def place_of(self, value: Hashable) -> int:
        """The place of a value in the direct index as it is, −1 if it has none.  Cost: O(1)."""
        if type(value) is int:
            number: int = value
            if 0 <= number < FAR and i64(number) < i64(len(self.places)):
                return number
        return -1

    def value(self, x: i64) -> Hashable:
        """The value of an id.  Cost: O(1)."""
        return self.ids.value(x)

    def drop(self, x: i64) -> None:
        """Remove a value and free its id.  Cost: amortized O(1)."""
        ids = self.ids
        number: i64 = i64(ids.numbers[x])
        if number > 0:
            self.places[number - 1] = 0
            ids.numbers[x] = 0
        else:
            del self.by_value[ids.values[x]]
            self.by_value = compacted(self.by_value)
            ids.values[x] = None
        self.held -= 1
        ids.release(x)
        if self.held == 0:
            self.places, self.by_value = vec[i32](), {}

    def compact(self) -> None:
        """Give places back that the values are no longer worth; those beyond move to the dict.

        Cost: O(the places).
        """
        most = i64(self.most())
        if i64(len(self.places)) <= 2 * most:
            return
        places, self.places = self.places, self.places[0:most]
        place = most
        while place < i64(len(places)):
            x: i64 = i64(places[place])
            if x > 0:
                self.by_value[int(place)] = int(x)
                self.ids.numbers[x] = 0
                self.ids.name(x, int(place))
            place += 1

    def count(self) -> int:
        """The number of values.  Cost: O(1)."""
        return int(self.held)
