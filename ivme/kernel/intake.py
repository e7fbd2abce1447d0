"""Where updates come in: what a user gives becomes a relation's number, two values and a ring element.

Bad input raises an `InputError`, and nothing has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, Generic, cast

from ivme.kernel.deltas import Changed, delta
from ivme.kernel.engine import Engine
from ivme.kernel.events import Rebalance
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
        self.lift_is_plain = engine.ring.lift is integer

    def number(self, relation: object) -> int:
        """The engine's number of a relation.  Cost: O(1)."""
        found = self.numbers.get(relation) if isinstance(relation, str) else None
        return self.numbers[known_relation(relation)] if found is None else found

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
        """Load a database of the plainest kind; whether it was one.  Cost: O(|D|^{3/2}).

        Plain are dicts {pair: positive integer} and lists, tuples and sets of pairs. Of any other a part may
        be stored already: the engine is then of no use.
        """
        if not self.lift_is_plain or not isinstance(given, dict):
            return False
        try:
            for name, tuples in given.items():
                if not self.store(name, tuples):
                    return False
        except TypeError:
            return False
        self.engine.build()
        return True

    def store(self, name: object, tuples: object) -> bool:
        """Store the tuples of a relation; whether all are plain.  Cost: O(1) for each."""
        if name not in self.numbers:
            return False
        i, engine = self.numbers[name], self.engine
        bulk = engine.bulk(i, type(tuples) is dict)  # a subclass may have a key twice
        if isinstance(tuples, dict):
            for key, multiplicity in tuples.items():
                if type(key) is not tuple or len(key) != 2:  # of a subclass, equal pairs may be two keys
                    return False
                if type(multiplicity) is not int or multiplicity <= 0:
                    return False
                bulk.add(key[0], key[1], cast(P, multiplicity))
        elif isinstance(tuples, (list, tuple, set, frozenset)):
            one = engine.ring.one
            for key in tuples:
                if not isinstance(key, tuple) or len(key) != 2:
                    return False
                bulk.add(key[0], key[1], one)
        else:
            return False
        engine.stored(bulk)
        return True

    def update(self, relation: object, x: object, y: object, multiplicity: object) -> list[Rebalance]:
        """One update; what was rebalanced.  Cost: amortized O(N^max(ε,1−ε))."""
        element = self.element(multiplicity)
        return self.engine.update(self.number(relation), hashable(x), hashable(y), element)

    def delta(self, relation: object, x: object, y: object, multiplicity: object) -> list[Changed[P]]:
        """What an update would change in the answer.  Cost: as `ivme.kernel.deltas.delta`."""
        element = self.element(multiplicity)
        i, left, right = self.number(relation), hashable(x), hashable(y)
        return self.engine.reading(lambda: delta(self.engine, i, left, right, element))

    def apply(self, updates: Iterable[object], update: Update | None) -> int:
        """Many updates (relation, x, y[, multiplicity]), in order, by `update` if it is given; how many.

        Cost: amortized O(N^max(ε,1−ε)) each.  A refused one raises its error with its position.
        """
        done = 0
        for entry in updates:
            try:
                given = tuple(entry) if isinstance(entry, list) else entry
                if not isinstance(given, tuple) or not 3 <= len(given) <= 4:
                    raise ArityError(
                        f"{shown(entry)} is not (relation, x, y) or (relation, x, y, multiplicity)"
                    )
                multiplicity: object = given[3] if len(given) == 4 else 1
                if update is None:
                    self.update(given[0], given[1], given[2], multiplicity)
                else:
                    update(given[0], given[1], given[2], multiplicity)
            except InputError as error:
                located = error.at("update", done)
                located.__cause__ = error  # mypyc forgets the `from` of a raise
                raise located  # noqa: B904
            done += 1
        return done


def hashable(value: object) -> Hashable:
    """A data value.  Cost: O(1)."""
    if type(value) is int or type(value) is str:
        return value
    return data_value(value)
