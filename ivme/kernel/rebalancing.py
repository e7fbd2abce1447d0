"""Rebalancing: minor, when a degree leaves the range of its class; major, when |D| leaves that of N.

Paper: fig:onUpdate (lines 5-15), fig:major_minor (MinorRebalance, MoveTuples, MajorRebalance).

Differences from the figures, none of which changes a state:
  * a moved tuple changes the head map only where a kept tree covers it before or after the move, not both;
  * summed trees take the tuples of a value that changes class all at once: each row of V̂ is visited once,
    and what belongs to the value alone is dropped;
  * major rebalancing moves the values whose class changes instead of recomputing everything: the strict
    partition is unique, so the end state is the paper's. Only values near θ or above are examined (`watch`).

>>> from fractions import Fraction
>>> from ivme.kernel.plan import compile_plan
>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> from ivme_spec.rings import NATURALS
>>> from ivme_spec.views import COUNT_SINGLE
>>> engine = Engine(compile_plan(COUNT_SINGLE), (), NATURALS, Fraction(1, 2), DictStorage())
>>> a, b = engine.storage.handle(0, "a"), engine.storage.handle(1, "b")
>>> engine.on_update(0, a, b, 1)
>>> rebalance(engine, 0, a, b)
[Major(grown=True, moved=0, base=2, update=1)]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ivme.kernel.engine import Engine
from ivme.kernel.events import Major, Minor, Rebalance
from ivme.kernel.parts import HEAVY, LIGHT, code, part, transition
from ivme.kernel.sides import Move, Task
from ivme.kernel.storage.interface import StoredRelation
from ivme_spec.relations import VARIABLES
from ivme_spec.rings import P
from ivme_spec.state import doubled, halved

if TYPE_CHECKING:
    from mypy_extensions import i64

NOTHING: Final[list[Rebalance]] = []
"""The answer of almost every call of `rebalance`; never changed."""


def rebalance(engine: Engine[P], i: int, x: i64, y: i64) -> list[Rebalance]:
    """Restore the invariants after an update to (x, y) of relation i (fig:onUpdate, lines 5-15).

    Cost: amortized O(N^max(ε,1−ε)) (prop:amortized_update_time).
    """
    if engine.size >= engine.base:
        return [major_rebalance(engine, doubled(engine.base))]
    if engine.size < engine.base // 4:
        return [major_rebalance(engine, halved(engine.base))]
    partitioned = engine.relations[i].partitioned
    first = settle(engine, i, 0, x) if partitioned else None
    second = settle(engine, i, 1, y) if partitioned == 2 else None
    if first is None and second is None:
        return NOTHING
    return [event for event in (first, second) if event is not None]


def settle(engine: Engine[P], i: int, column: int, value: i64) -> Minor | None:
    """Rebalance a value whose degree requires it.  Cost: as `minor_rebalance`, else O(1)."""
    status = engine.relations[i].due(column, value, engine.heavy, engine.light)
    return None if status < 0 else minor_rebalance(engine, i, column, value, status)


def minor_rebalance(engine: Engine[P], i: int, column: int, value: i64, status: i64) -> Minor:
    """Move a value to the other class (MinorRebalance with MoveTuples).

    Cost: O(N^{ε+max(ε,1−ε)}) (prop:minor_cost).
    """
    engine.half_changed = True
    moved = move_tuples(engine, i, column, value, status)
    engine.half_changed = False
    variable = VARIABLES[(i + column + engine.turns) % 3]
    shown, heavy = engine.storage.value(value), status == HEAVY
    return Minor(engine.name(i), variable, shown, heavy, moved, engine.base, engine.version)


def major_rebalance(engine: Engine[P], base: int) -> Major:
    """Change N and make all partitions strict.  Cost: O(N^{3/2}) (prop:major_cost)."""
    grown = base > engine.base
    engine.half_changed = True
    engine.set_base(base)
    moved = 0
    for i, relation in enumerate(engine.relations):
        relation.compact()
        watch(engine, relation, 1)
        for column in range(relation.partitioned):
            strict = engine.threshold.strict
            engine.steps += 2 * relation.watching(column)
            for value in relation.values_due(column, strict):
                status = HEAVY if relation.degree(column, value) >= strict else LIGHT
                moved += move_tuples(engine, i, column, value, status)
        watch(engine, relation, engine.threshold.heavy // 8)
    engine.half_changed = False
    return Major(grown, moved, base, engine.version)


def watch(engine: Engine[P], relation: StoredRelation[P], fewest: int) -> None:
    """Watch values from a degree on that every heavy one has, even if it has just lost a tuple.

    So all heavy values are watched, and all that a strict partition calls heavy. A watch degree of at least
    `fewest` may stay, any other becomes ⅛θ.  Cost: O(N^{1−ε}), as many values can have such a degree; and
    amortized O(1) for a scan of all values, when θ has fallen to a fourth and |D| to that or less.
    """
    heavy = engine.threshold.heavy
    if relation.partitioned and not fewest <= relation.watch <= max(1, heavy - 1):
        engine.steps += 2 * relation.watch_from(max(1, heavy // 4))


# --- MoveTuples ---------------------------------------------------------------------------------------------


def move_tuples(engine: Engine[P], i: int, column: int, value: i64, status: i64) -> int:
    """Make a value of a column of relation i heavy or light; the number of tuples moved.

    Cost: O(N^max(ε,1−ε)) for each tuple of the value.
    """
    relation = engine.relations[i]
    old = relation.status(column, value)
    for other in range(2):  # LIGHT, HEAVY: of the other values of its tuples
        length = int(relation.length(column, value, other))
        if length:
            before, after = (
                (part(other, old), part(other, status)) if column else (part(old, other), part(status, other))
            )
            move_at_once(engine, i, value, other, length, engine.sides[i].moves[transition(before, after)])
    tuples = relation.tuples_of(column, value)  # a copy: moving changes what is iterated (ERRATA E9)
    for x, y, multiplicity in tuples:
        other = relation.status(0, x) if column else relation.status(1, y)
        move(engine, i, column, x, y, other, old, status, multiplicity)
        relation.shift(column, x, y, old, status, multiplicity)
    engine.steps += 4 * len(tuples)
    relation.mark(column, value, status)
    return len(tuples)


def move_at_once(engine: Engine[P], i: int, value: i64, other: i64, length: int, move: Move[P]) -> None:
    """Update the summed trees for a value whose tuples with values of class `other` change their part.

    They are a line, of a given length.  Cost: O(N^max(ε,1−ε)) for each tuple.
    """
    for task in move.drop:
        if task.summed is not None:
            engine.steps += 1 + task.summed.drop(value)
    join_at_once(engine, i, value, other, length, move.leave_at_once, -1)
    join_at_once(engine, i, value, other, length, move.enter_at_once, 1)


def join_at_once(
    engine: Engine[P], i: int, value: i64, other: i64, length: int, tasks: list[Task[P]], sign: int
) -> None:
    """Add to trees, or subtract, a line of their middle value joined with its partners.

    Cost: O(|line| · |partners|).
    """
    side = engine.sides[i]
    for task in tasks:
        if task.summed is None or not side.reaches(task, value):
            continue
        for bucket in task.buckets:
            partners = int(side.partners(task, value, bucket))
            engine.steps += 1
            if partners:
                engine.steps += 2 * length * partners
                if task.forward:
                    task.summed.add_product(value, other, bucket, sign)
                else:
                    task.summed.add_product(value, bucket, other, sign)


def move(
    engine: Engine[P],
    i: int,
    column: int,
    x: i64,
    y: i64,
    other: i64,
    old: i64,
    new: i64,
    multiplicity: P,
) -> None:
    """Update the views for a tuple whose value in a column goes from class `old` to `new`.

    `other` is the class of its other value. What is listed, or kept by the same tree, before and after does
    not change, nor what `move_at_once` has done.  Cost: O(N^max(ε,1−ε)).
    """
    side = engine.sides[i]
    row_first, column_second = side.following.status(0, y), side.previous.status(1, x)
    if column:
        was = side.listed[code(other, old, row_first, column_second)]
        becomes = side.listed[code(other, new, row_first, column_second)]
        moved = side.moves[transition(part(other, old), part(other, new))]
    else:
        was = side.listed[code(old, other, row_first, column_second)]
        becomes = side.listed[code(new, other, row_first, column_second)]
        moved = side.moves[transition(part(old, other), part(new, other))]
    relist(engine, i, x, y, -multiplicity, was & ~becomes)
    relist(engine, i, x, y, multiplicity, becomes & ~was)
    if moved.leave:
        engine.upkeep(i, x, y, -multiplicity, -1, moved.leave)
    if moved.enter:
        engine.upkeep(i, x, y, multiplicity, 1, moved.enter)


def relist(engine: Engine[P], i: int, x: i64, y: i64, multiplicity: P, listed: int) -> None:
    """Add what a tuple contributes to the head map by a mask of buckets.  Cost: as `Engine.spread`."""
    if listed:
        total = engine.spread(i, x, y, multiplicity, listed)
        if total is not None:
            engine.add_to_head(i, x, y, multiplicity * total)
