"""The guarded operations on an engine: update, read, salvage.

Paper: fig:onUpdate as a whole. The guard is explained in `guard`.

>>> from fractions import Fraction
>>> from ivme.kernel.plan import compile_plan
>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> from ivme_spec.rings import NATURALS
>>> from ivme_spec.views import COUNT_SINGLE
>>> engine = Engine(compile_plan(COUNT_SINGLE), (), NATURALS, Fraction(1, 2), DictStorage())
>>> update(engine, 0, "a", "b", 1)
[Major(grown=True, moved=0, base=2, update=1)]
>>> reading(engine, lambda: engine.size)
1
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, TypeVar

from ivme.kernel.engine import Engine, Interrupted
from ivme.kernel.events import Rebalance
from ivme.kernel.guard import BROKEN, READING, READY, UPDATING, refuse
from ivme.kernel.rebalancing import rebalance
from ivme_spec.relations import Row
from ivme_spec.rings import P

if TYPE_CHECKING:
    from mypy_extensions import i64

Answer = TypeVar("Answer")


def update(engine: Engine[P], i: int, x: Hashable, y: Hashable, multiplicity: P) -> list[Rebalance]:
    """Add a nonzero multiplicity to the tuple (x, y) of values of relation i; what was rebalanced.

    Cost: amortized O(N^max(ε,1−ε)).  A delete of more than is there: `RefusedUpdateError`, nothing has
    changed. Any other exception of the user's own code leaves everything as it was, or the engine broken; a
    KeyboardInterrupt may also come after the update.
    """
    if engine.size + 1 >= engine.base or 4 * engine.size <= engine.base:
        engine.look_ahead()
    storage, version, before, j = engine.storage, engine.version, engine.steps, 0 if i == 2 else i + 1
    first: i64 = 0
    second: i64 = 0
    if engine.guard != READY:  # from here to the `try` there is no call: no other thread comes in between
        refuse(engine.guard)
    try:
        engine.guard = UPDATING
        first = storage.handle(i, x)
        second = storage.handle(j, y)
        storage.prefetch(first, second, engine.joins)
        engine.on_update(i, first, second, multiplicity)
        middle = engine.steps
        engine.meter.count_update(middle - before)
        done = rebalance(engine, i, first, second)
        engine.guard = READY
    except BaseException as error:
        engine.guard = BROKEN
        if engine.version == version:  # nothing was written
            if first != 0:
                storage.forget(i, first)
            if second != 0:
                storage.forget(j, second)
            engine.guard = READY
        elif not engine.half_changed and isinstance(error, KeyboardInterrupt):
            rebalance(engine, i, first, second)  # between two steps: the update stands
            engine.guard = READY
        else:
            engine.interrupted = Interrupted(i, x, y, engine.old)
        raise
    if done:
        count_rebalancing(engine, done, engine.steps - middle)
    return done


def count_rebalancing(engine: Engine[P], done: list[Rebalance], steps: int) -> None:
    """Count what one update has rebalanced.  Cost: O(1)."""
    if done[0].kind == "major":
        engine.meter.count_major(steps)
    else:
        engine.meter.count_minor(steps, len(done))


def reading(engine: Engine[P], work: Callable[[], Answer]) -> Answer:
    """Do work that reads the state; inside another operation: `BusyError`, `BrokenError`."""
    if engine.guard != READY:
        refuse(engine.guard)
    try:
        engine.guard = READING
        return work()
    finally:
        engine.guard = READY


def retire(engine: Engine[P]) -> None:
    """Another engine takes over: open enumerations raise.  Cost: O(1)."""
    engine.version += 1
    engine.guard = READY


def salvaged(engine: Engine[P]) -> list[dict[Row, P]]:
    """The tuples of each relation, without the update or the batch that broke the engine, if one did.

    A tuple that was being written or moved may be missing from its row or its column, never from both.
    Cost: O(|D|).
    """
    value, found = engine.storage.value, list[dict[Row, P]]()
    for relation in engine.relations:
        found.append({(value(x), value(y)): m for x, y, m in relation.salvaged()})
    if (cut := engine.interrupted) is not None:
        found[cut.relation].pop((cut.x, cut.y), None)
        if cut.old is not None:
            found[cut.relation][cut.x, cut.y] = cut.old
    for i, row, net in engine.applied:
        held = found[i].pop(row, None)
        old = -net if held is None else held + -net
        if old:
            found[i][row] = old
    return found
