"""Where updates come in: what a user gives becomes a relation's number, two values and a ring element.

Bad input raises an `InputError`, and nothing has changed.

>>> from fractions import Fraction
>>> from ivme.kernel.plan import compile_plan
>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> from ivme_spec.rings import NATURALS
>>> from ivme_spec.views import COUNT_SINGLE
>>> intake = Intake(Engine(compile_plan(COUNT_SINGLE), (), NATURALS, Fraction(1, 2), DictStorage()))
>>> intake.apply([("R", 1, 2), ("R", 1, 2, 5)], None), intake.engine.size
(2, 1)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, cast

from ivme.kernel.deltas import Changed, delta
from ivme.kernel.engine import Engine
from ivme.kernel.events import Rebalance
from ivme.kernel.loading import build, stored
from ivme.kernel.operations import reading, update
from ivme.kernel.storage.interface import AHEAD
from ivme_spec.errors import ArityError, InputError, MultiplicityError, shown
from ivme_spec.relations import data_value, known_relation
from ivme_spec.rings import P, integer

Update = Callable[[Any, Any, Any, object], object]
"""Takes relation, x, y and multiplicity as they were given."""


class Intake(Generic[P]):
    """The way into an engine."""

    def __init__(self, engine: Engine[P]) -> None:
        self.engine = engine
        self.numbers: dict[object, int] = {engine.name(i): i for i in range(3)}
        self.first, self.second, self.third = engine.name(0), engine.name(1), engine.name(2)
        self.lift_is_plain = engine.ring.lift is integer

    def number(self, relation: object) -> int:
        """The engine's number of a relation.  Cost: O(1)."""
        found = self.known(relation)
        return self.numbers[known_relation(relation)] if found < 0 else found

    def known(self, relation: object) -> int:
        """`number`, −1 for what is no name of a relation.  Cost: O(1)."""
        if isinstance(relation, str):
            if relation == self.first:
                return 0
            if relation == self.second:
                return 1
            if relation == self.third:
                return 2
        return -1

    def element(self, multiplicity: object) -> P:
        """The ring element of a multiplicity, not zero.  Cost: O(1)."""
        if self.lift_is_plain and type(multiplicity) is int and multiplicity != 0:
            return cast(P, multiplicity)
        return self.engine.ring.nonzero(multiplicity)

    def copies(self, multiplicity: object) -> P:
        """The ring element of a number of copies, to insert or to delete: not negative.  Cost: O(1)."""
        element = self.element(multiplicity)
        given: object = element if self.lift_is_plain else multiplicity
        if isinstance(given, int) and given < 0:
            raise MultiplicityError(
                f"multiplicity {shown(multiplicity)} is negative: insert and delete take a number of copies, "
                "update takes either sign"
            )
        return element

    def load(self, given: object) -> bool:
        """Load a database of the plainest kind; False, and nothing has changed, if it is of another.

        Plain are dicts {pair: positive integer} and lists, tuples and sets of pairs.  Cost: O(|D|^{3/2}).
        """
        if not self.lift_is_plain or not isinstance(given, dict):
            return False
        if not all(name in self.numbers and is_plain(tuples) for name, tuples in given.items()):
            return False
        for name, tuples in given.items():
            self.store(self.numbers[name], tuples)
        build(self.engine)
        return True

    def store(self, i: int, tuples: object) -> None:
        """Store the tuples of a relation, which are plain.  Cost: O(1) for each."""
        bulk = self.engine.storage.bulk(i, type(tuples) is dict)  # a subclass may have a key twice
        if isinstance(tuples, dict):
            for key, multiplicity in tuples.items():
                bulk.add(key[0], key[1], multiplicity)
        elif isinstance(tuples, (list, tuple, set, frozenset)):
            one = self.engine.ring.one
            for key in tuples:
                bulk.add(key[0], key[1], one)
        stored(self.engine, bulk)

    def update(self, relation: object, x: object, y: object, multiplicity: object) -> list[Rebalance]:
        """One update; what was rebalanced.  Cost: amortized O(N^max(ε,1−ε))."""
        return self.change(relation, x, y, self.element(multiplicity))

    def insert(self, relation: object, x: object, y: object, multiplicity: object) -> None:
        """Add copies of a tuple.  Cost: as `update`."""
        self.change(relation, x, y, self.copies(multiplicity))

    def delete(self, relation: object, x: object, y: object, multiplicity: object) -> None:
        """Remove copies of a tuple.  Cost: as `update`."""
        self.change(relation, x, y, -self.copies(multiplicity))

    def change(self, relation: object, x: object, y: object, element: P) -> list[Rebalance]:
        """One update by a ring element, not zero; what was rebalanced.  Cost: as `update`."""
        return update(self.engine, self.number(relation), hashable(x), hashable(y), element)

    def delta(self, relation: object, x: object, y: object, element: P) -> list[Changed[P]]:
        """What an update by a ring element would change in the answer.  Cost: as `deltas.delta`."""
        i, left, right = self.number(relation), hashable(x), hashable(y)
        return reading(self.engine, lambda: delta(self.engine, i, left, right, element))

    def apply(self, updates: Iterable[object], by: Update | None) -> int:
        """Many updates (relation, x, y[, multiplicity]), in order, through `by` if it is given; how many.

        Cost: amortized O(N^max(ε,1−ε)) each.  A refused one raises its error with its position.
        """
        done = 0
        known: list[object] = updates if isinstance(updates, list) else []
        for entry in updates:
            if done % AHEAD == 0 and done < len(known) and self.engine.storage.is_far():
                self.look_ahead(known[done : done + AHEAD])
            try:
                given = fields(entry)
                multiplicity: object = given[3] if len(given) == 4 else 1
                if by is None:
                    self.update(given[0], given[1], given[2], multiplicity)
                else:
                    by(given[0], given[1], given[2], multiplicity)
            except InputError as error:
                located = error.at("update", done)
                located.__cause__ = error  # mypyc forgets the `from` of a raise
                raise located  # noqa: B904
            done += 1
        return done

    def look_ahead(self, updates: list[object]) -> None:
        """Have the lines of the next updates loaded together.  Cost: O(1) for each.

        Only what runs no code of the user's is looked at.
        """
        storage = self.engine.storage
        found = [entry for entry in updates if isinstance(entry, tuple) and 3 <= len(entry) <= 4]
        for entry in found:  # by now all tuples have come from memory
            i, x, y = self.known(entry[0]), entry[1], entry[2]
            if i >= 0 and is_simple(x) and is_simple(y):
                storage.ahead(i, x, y)
        storage.fetch()


def is_simple(value: object) -> bool:
    """Whether a value is hashed and compared by no code of the user's.  Cost: O(1)."""
    return type(value) is int or type(value) is str


def fields(entry: object) -> tuple[object, ...]:
    """The three or four fields of an update.  Cost: O(1)."""
    given = tuple(entry) if isinstance(entry, list) else entry
    if not isinstance(given, tuple) or not 3 <= len(given) <= 4:
        raise ArityError(f"{shown(entry)} is not (relation, x, y) or (relation, x, y, multiplicity)")
    return given


def hashable(value: object) -> Hashable:
    """A data value.  Cost: O(1)."""
    if type(value) is int or type(value) is str:
        return value
    return data_value(value)


def is_plain(tuples: object) -> bool:
    """Whether tuples are of a plain kind: see `Intake.load`.  Cost: O(1) for each."""
    if isinstance(tuples, dict):
        for key, multiplicity in tuples.items():
            if type(key) is not tuple or len(key) != 2:  # of a subclass, equal pairs may be two keys
                return False
            if type(multiplicity) is not int or multiplicity <= 0:
                return False
        return True
    if isinstance(tuples, (list, tuple, set, frozenset)):
        return all(isinstance(key, tuple) and len(key) == 2 for key in tuples)
    return False
