"""Many updates as one: netted by tuple, checked, then applied, all or none of them.

The net of a batch is a multiplicity for each tuple, so the order inside a batch does not matter. A batch that
is large for the database is applied by building a new state (`loading`), any other tuple by tuple, each with
its rebalancing, one relation after the other and all tuples of a first value together. An exception leaves
the engine as it was, or broken: `operations.salvaged` then finds the tuples as they were before the batch.

>>> from fractions import Fraction
>>> from ivme.kernel.plan import compile_plan
>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> from ivme_spec.rings import NATURALS
>>> from ivme_spec.views import COUNT_SINGLE
>>> engine = Engine(compile_plan(COUNT_SINGLE), (), NATURALS, Fraction(1, 2), DictStorage())
>>> batch = netted(Intake(engine), [("R", 1, 2, -1), ("S", 2, 3), ("R", 1, 2, 3), ("T", 3, 1)])
>>> outcome = run(engine, batch, DictStorage, watched=True)
>>> outcome.changes, engine.size, engine.version
([((), 0, 2)], 3, 3)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Final, Generic, cast

from ivme.kernel.deltas import Changed, row_changes
from ivme.kernel.engine import Engine, Interrupted
from ivme.kernel.enumeration import lookup
from ivme.kernel.events import Rebalance
from ivme.kernel.guard import BROKEN, READY, UPDATING, refuse
from ivme.kernel.intake import Intake, fields, hashable
from ivme.kernel.loading import build, stored
from ivme.kernel.operations import count_rebalancing
from ivme.kernel.rebalancing import rebalance
from ivme.kernel.storage.interface import Storage
from ivme_spec.errors import InputError, RefusedUpdateError
from ivme_spec.relations import Row
from ivme_spec.rings import P

if TYPE_CHECKING:
    from mypy_extensions import i64

Rows = dict[Hashable, dict[Hashable, P]]
"""Multiplicities by first and second value."""

FEWEST: Final = 1_000
"""The fewest changes that build a new state: small ones fit into a cache, where updates are fast."""
SHARE: Final = 2
"""A batch that changes at least |D|/SHARE tuples builds a new state.

Of 100,000 tuples, compiled: a new state breaks even in counted steps at .25 to .8 of |D|, in CPU time at .15
to .25 on dense data and from .75 on, if at all, on sparse and skewed data. At a half the wrong choice costs a
factor of two.
"""


def rebuilds(changes: int, size: int, fewest: int) -> bool:
    """Whether a number of changes is large for a number of tuples.  Cost: O(1).

    >>> rebuilds(40, 80, 40), rebuilds(40, 81, 40), rebuilds(39, 0, 40)
    (True, False, False)
    """
    return changes >= fewest and SHARE * changes >= size


class Batch(Generic[P]):
    """Updates, netted by tuple."""

    def __init__(self, signed: bool) -> None:
        self.signed = signed
        self.given = 0
        """How many updates there were."""
        self.nets: list[Rows[P]] = [{}, {}, {}]
        self.deletes: list[tuple[int, Hashable, Hashable, int]] = []
        """Relation, values and position of each delete, in a ring without signs."""

    def add(self, i: int, x: Hashable, y: Hashable, element: P) -> None:
        """One more update.  Cost: O(1)."""
        rows = self.nets[i]
        row = rows.get(x)
        if row is None:
            rows[x] = {y: element}
        else:
            net = row.get(y)
            row[y] = element if net is None else net + element
        if not self.signed and cast(int, element) < 0:
            self.deletes.append((i, x, y, self.given))
        self.given += 1

    def settle(self) -> int:
        """Drop what cancels out; the number of tuples that are left.  Cost: O(the number of tuples)."""
        left = 0
        for rows in self.nets:
            for row in rows.values():
                for y in [y for y, net in row.items() if not net]:
                    del row[y]
                left += len(row)
        return left

    def first(self, count: int) -> list[tuple[int, Row, P]]:
        """The first changes, in the order in which they are applied.  Cost: O(count)."""
        found: list[tuple[int, Row, P]] = []
        for i, rows in enumerate(self.nets):
            for x, row in rows.items():
                for y, net in row.items():
                    if len(found) == count:
                        return found
                    found.append((i, (x, y), net))
        return found


class Outcome(Generic[P]):
    """What a batch did: rebalancing steps and, if asked for, the rows of the answer that it changed."""

    def __init__(self, events: list[Rebalance], changes: list[Changed[P]]) -> None:
        self.events = events
        self.changes = changes


def netted(intake: Intake[P], updates: Iterable[object]) -> Batch[P]:
    """The net of updates (relation, x, y[, multiplicity]).  Cost: O(1) each.

    The engine is neither used nor guarded.  Bad input: an `InputError` with its position.
    """
    batch: Batch[P] = Batch(intake.engine.signed)
    for entry in updates:
        try:
            given = fields(entry)
            element = intake.element(given[3] if len(given) == 4 else 1)
            i, x, y = intake.number(given[0]), hashable(given[1]), hashable(given[2])
        except InputError as error:
            located = error.at("update", batch.given)
            located.__cause__ = error  # mypyc forgets the `from` of a raise
            raise located  # noqa: B904
        batch.add(i, x, y, element)
    return batch


def run(
    engine: Engine[P],
    batch: Batch[P],
    storage: Callable[[], Storage[P]],
    watched: bool,
    fewest: int = FEWEST,
) -> Outcome[P]:
    """Apply a batch, all of it or nothing; `storage` makes an empty one of the engine's kind.

    Cost: O(1) for each tuple of the net; then O((|D| + n)^{3/2}) for n changes if `rebuilds`, else amortized
    O(N^max(ε,1−ε)) for each; if `watched`, a delta for each, and no new state is built.  A net delete of more
    than is there: `RefusedUpdateError` with the position of the first update that deletes from such a tuple,
    and nothing has changed. Any other exception leaves everything as it was, or the engine broken.
    """
    version, by_tuple, outcome = engine.version, False, Outcome[P]([], [])
    if engine.guard != READY:  # from here to the `try` there is no call: no other thread comes in between
        refuse(engine.guard)
    try:
        engine.guard = UPDATING
        engine.meter.updates += 2 * batch.given
        refuse_deletes(engine, batch)
        changes = batch.settle()
        if not watched and rebuilds(changes, engine.size, fewest):
            adopt(engine, rebuilt(engine, batch, storage()), changes)
        elif changes:
            by_tuple = True
            apply(engine, batch, watched, outcome)
        engine.guard = READY
    except BaseException:
        engine.guard = BROKEN
        if by_tuple and engine.version > version:
            begun = batch.first(engine.version - version)
            i, row, _ = begun.pop()
            engine.interrupted = Interrupted(i, row[0], row[1], engine.old)
            engine.applied = begun
        else:  # as it was, or a new state as a whole
            engine.guard = READY
        raise
    return outcome


def refuse_deletes(engine: Engine[P], batch: Batch[P]) -> None:
    """Refuse a batch whose net deletes more than is there.  Cost: O(1) for each tuple and each delete."""
    if engine.signed:
        return
    bad = False
    for i, rows in enumerate(batch.nets):
        for x, row in rows.items():
            for y, net in row.items():
                if cast(int, net) < 0:
                    engine.meter.updates += 2
                    bad = bad or missing(engine, i, x, y, net)
    for i, x, y, position in batch.deletes if bad else ():
        net = batch.nets[i][x][y]
        if missing(engine, i, x, y, net):
            try:
                engine.refuse_delete(i, (x, y), held(engine, i, x, y), net)
            except RefusedUpdateError as error:
                located = error.at("update", position)
                located.__cause__ = error
                raise located  # noqa: B904


def missing(engine: Engine[P], i: int, x: Hashable, y: Hashable, net: P) -> bool:
    """Whether a net takes a tuple below zero, in a ring without signs.  Cost: O(1)."""
    old = held(engine, i, x, y)
    return cast(int, net if old is None else old + net) < 0


def held(engine: Engine[P], i: int, x: Hashable, y: Hashable) -> P | None:
    """The multiplicity of a tuple of values, or None.  Cost: O(1)."""
    storage = engine.storage
    first, second = storage.find(i, x), storage.find(0 if i == 2 else i + 1, y)
    return None if first == 0 or second == 0 else engine.relations[i].get(first, second)


# --- tuple by tuple -----------------------------------------------------------------------------------------


def apply(engine: Engine[P], batch: Batch[P], watched: bool, outcome: Outcome[P]) -> None:
    """Apply the net tuple by tuple, each as `operations.update` does.

    Cost: amortized O(N^max(ε,1−ε)) for each; if `watched`, a delta too.
    """
    storage, meter, version = engine.storage, engine.meter, engine.version
    sums: dict[Row, P] = {}
    first: i64 = 0
    second: i64 = 0
    i = j = 0
    try:
        for i, rows in enumerate(batch.nets):
            j = 0 if i == 2 else i + 1
            for x, row in rows.items():
                for y, net in row.items():
                    if watched:
                        sum_changes(engine, i, x, y, net, sums)
                    if engine.size + 1 >= engine.base or 4 * engine.size <= engine.base:
                        engine.look_ahead()
                    before = engine.steps
                    first = second = 0
                    first = storage.handle(i, x)
                    second = storage.handle(j, y)
                    storage.prefetch(first, second, engine.joins)
                    engine.on_update(i, first, second, net)
                    middle = engine.steps
                    meter.count_update(middle - before)
                    done = rebalance(engine, i, first, second)
                    if done:
                        count_rebalancing(engine, done, engine.steps - middle)
                        outcome.events += done
    except BaseException:
        if engine.version == version:  # nothing was written
            if first != 0:
                storage.forget(i, first)
            if second != 0:
                storage.forget(j, second)
        raise
    if watched:
        outcome.changes = changes_of(engine, sums)


def sum_changes(engine: Engine[P], i: int, x: Hashable, y: Hashable, net: P, sums: dict[Row, P]) -> None:
    """Add what a change of a tuple changes in the answer.  Cost: as `deltas.row_changes`."""
    before = engine.steps
    for row, change in row_changes(engine, i, x, y, net):
        old = sums.get(row)
        sums[row] = change if old is None else old + change
    engine.meter.enumeration += engine.steps - before


def changes_of(engine: Engine[P], sums: dict[Row, P]) -> list[Changed[P]]:
    """The rows that a batch has changed, those that leave the answer first.  Cost: a lookup for each."""
    before = engine.steps
    found = [
        (row, new + -change, new) for row, change in sums.items() if change for new in (lookup(engine, row),)
    ]
    engine.meter.enumeration += engine.steps - before
    return [entry for entry in found if not entry[2]] + [entry for entry in found if entry[2]]


# --- all at once --------------------------------------------------------------------------------------------


def rebuilt(engine: Engine[P], batch: Batch[P], storage: Storage[P]) -> Engine[P]:
    """Another engine with the tuples after the batch; it takes the nets of tuples that are there.

    Cost: O((|D| + n)^{3/2}) for n changes.
    """
    made = Engine(engine.plan, engine.order, engine.ring, engine.epsilon, storage, engine.turns)
    value = engine.storage.value
    for i, relation in enumerate(engine.relations):
        rows, bulk = batch.nets[i], storage.bulk(i, distinct=True)
        for first, second, old in relation.tuples():
            x, y, new = value(first), value(second), old
            row = rows.get(x)
            if row:
                net = row.pop(y, None)
                if net is not None:
                    new = old + net
                    if not new:
                        continue
            bulk.add(x, y, new)
        for x, row in rows.items():
            for y, net in row.items():
                bulk.add(x, y, net)
        stored(made, bulk)
    build(made)
    made.steps += 2 * engine.size
    return made


def adopt(engine: Engine[P], made: Engine[P], changes: int) -> None:
    """Take over the state of another engine, which is not used any more.  Cost: O(1).

    No statement calls anything, so neither a signal nor a thread comes in between.
    """
    engine.storage, engine.relations, engine.head = made.storage, made.relations, made.head
    engine.summed, engine.kept, engine.sides = made.summed, made.kept, made.sides
    engine.base, engine.size, engine.ahead = made.base, made.size, made.ahead
    engine.threshold, engine.heavy, engine.light = made.threshold, made.heavy, made.light
    engine.steps += made.steps
    engine.meter.preprocessing += made.steps
    engine.version += changes
