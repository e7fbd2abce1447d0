"""Preprocessing: the initial state of a database, in O(|D|^{3/2}).

Paper: prop:preprocessing_step and its sisters. Tuples are stored first (`Bulk`); then `build` makes N, the
strict partitions and all views.

>>> from fractions import Fraction
>>> from ivme.kernel.plan import compile_plan
>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> from ivme_spec.rings import NATURALS
>>> from ivme_spec.views import COUNT_SINGLE
>>> engine = Engine(compile_plan(COUNT_SINGLE), (), NATURALS, Fraction(1, 2), DictStorage())
>>> load(engine, [{("a", "b"): 1}.items(), {("b", "c"): 1}.items(), {("c", "a"): 5}.items()])
>>> engine.head.get(()), engine.size, engine.base
(5, 3, 7)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ivme.kernel.engine import Engine
from ivme.kernel.parts import HEAVY, LIGHT, code, part
from ivme.kernel.rebalancing import watch
from ivme.kernel.storage.interface import Bulk
from ivme_spec.relations import Row
from ivme_spec.rings import P
from ivme_spec.state import initial_base

if TYPE_CHECKING:
    from mypy_extensions import i64


def load(engine: Engine[P], database: Iterable[Iterable[tuple[Row, P]]]) -> None:
    """Build the initial state of a database: N = 2·|D| + 1, strict partitions.  Cost: O(|D|^{3/2})."""
    for i, rows in enumerate(database):
        bulk = engine.storage.bulk(i, distinct=True)
        for row, multiplicity in rows:
            bulk.add(row[0], row[1], multiplicity)
        stored(engine, bulk)
    build(engine)


def stored(engine: Engine[P], bulk: Bulk[P]) -> None:
    """All tuples of a relation have been added.  Cost: O(its size)."""
    bulk.finish()
    engine.size += bulk.count


def build(engine: Engine[P]) -> None:
    """Make N, the partitions and all views from the stored tuples.  Cost: O(|D|^{3/2}).

    Every view tree is built from one of the two relations that it joins: from the first, by light rows of
    less than N^ε, or from the second, by columns of at most N^{1−ε} heavy values. Then the head map is
    summed up from relation 0.
    """
    engine.set_base(initial_base(engine.size))
    for i, relation in enumerate(engine.relations):
        watch(engine, relation, 1)
        for column in range(relation.partitioned):
            for value in relation.values_due(column, engine.threshold.strict):
                reclassify(engine, i, column, value)
    engine.steps += 2 * engine.size
    forward = 2 * engine.epsilon <= 1
    for i, relation in enumerate(engine.relations):
        tasks = [[task for task in tasks if task.forward == forward] for tasks in engine.sides[i].enter]
        if not any(tasks):
            continue
        for value in relation.values(0):
            first = relation.status(0, value)
            if not tasks[part(first, LIGHT)] and not tasks[part(first, HEAVY)]:
                continue
            for x, y, multiplicity in relation.tuples_of(0, value):
                if found := tasks[part(first, relation.status(1, y))]:
                    engine.upkeep(i, x, y, multiplicity, 1, found)
    if engine.joins:
        sum_all(engine)


def sum_all(engine: Engine[P]) -> None:
    """Fill the head map, which is empty, from relation 0.  Cost: O(|D|^{3/2})."""
    relation, side, storage = engine.relations[0], engine.sides[0], engine.storage
    try:
        for x in relation.values(0):
            first, column_second = relation.status(0, x), side.previous.status(1, x)
            if side.bound_z:
                storage.expect(2, x)
            for second in range(2):
                for y in relation.members(0, x, second):
                    multiplicity = relation.get(x, y)
                    assert multiplicity is not None, "a row holds tuples"
                    known = code(first, second, side.following.status(0, y), column_second)
                    engine.sum_up(0, x, y, multiplicity, known)
    finally:
        storage.expect(2, 0)


def reclassify(engine: Engine[P], i: int, column: int, value: i64) -> None:
    """Make a light value heavy in its relation, without updating the views.  Cost: O(degree)."""
    relation = engine.relations[i]
    for x, y, multiplicity in relation.tuples_of(column, value):
        relation.shift(column, x, y, LIGHT, HEAVY, multiplicity)
    relation.mark(column, value, HEAVY)
