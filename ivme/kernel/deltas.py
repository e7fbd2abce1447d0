"""What an update does to the answer: the delta of a triangle query (paper: "Updates and Delta Queries").

δ△ for δR = {(a,b) ↦ m} is m · S(b,c) · T(c,a), summed over what is bound. It is evaluated as classical IVM
does, on whole rows and columns: a row of the answer for each common c if c is free, one row otherwise. The
engine itself never needs it.

>>> from fractions import Fraction
>>> from ivme.kernel.plan import compile_plan
>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> from ivme_spec.rings import NATURALS
>>> from ivme_spec.views import COUNT_SINGLE
>>> engine = Engine(compile_plan(COUNT_SINGLE), (), NATURALS, Fraction(1, 2), DictStorage())
>>> a, b, c = (engine.storage.handle(variable, name) for variable, name in enumerate("abc"))
>>> engine.on_update(0, a, b, 2)
>>> engine.on_update(1, b, c, 3)
>>> delta(engine, 2, "c", "a", 1)
[((), 0, 6)]
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import cast

from ivme.kernel.engine import Engine
from ivme.kernel.enumeration import handle_row, lookup, values_of
from ivme_spec.relations import Row
from ivme_spec.rings import P

Changed = tuple[Row, P, P]
"""A row of the answer with its multiplicity before and after an update."""


def delta(engine: Engine[P], i: int, x: Hashable, y: Hashable, multiplicity: P) -> list[Changed[P]]:
    """The rows that a change of the tuple (x, y) of values of relation i changes; nothing is applied.

    Rows that leave the answer come first.  Cost: O(min(|row of y|, |column of x|)), and a lookup for each row
    that changes.  A delete of more than is there: `RefusedUpdateError`.
    """
    before = engine.steps
    found = [
        (row, old, old + change)
        for row, change in row_changes(engine, i, x, y, multiplicity)
        for old in (lookup(engine, row),)
    ]
    engine.meter.enumeration += engine.steps - before
    return [entry for entry in found if not entry[2]] + [entry for entry in found if entry[2]]


def row_changes(engine: Engine[P], i: int, x: Hashable, y: Hashable, multiplicity: P) -> list[tuple[Row, P]]:
    """The rows that change, and by how much, zeros left out.  Cost: O(min(|row of y|, |column of x|))."""
    storage, j, k = engine.storage, (i + 1) % 3, (i + 2) % 3
    relation, following, previous = engine.relations[i], engine.relations[j], engine.relations[k]
    engine.steps += 2
    first, second = storage.find(i, x), storage.find(j, y)
    known = first != 0 and second != 0
    stored = relation.get(first, second) if known else None
    if not engine.signed and cast(int, multiplicity if stored is None else stored + multiplicity) < 0:
        engine.refuse_delete(i, (x, y), stored, multiplicity)
    if not known:
        return []
    found: list[tuple[Row, P]] = []
    total: P | None = None
    for row_second in range(2):
        row = int(following.length(0, second, row_second))
        for column_first in range(2):
            column = int(previous.length(1, first, column_first))
            engine.steps += 2
            if not row or not column:
                continue
            if k not in engine.order:
                part = storage.dot(i, first, second, row_second, column_first)
                engine.steps += storage.steps
                if part is not None:
                    total = part if total is None else total + part
                continue
            engine.steps += min(row, column)
            for z in storage.common(i, first, second, row_second, column_first):
                one, two = following.get(second, z), previous.get(z, first)
                assert one is not None, "a common value has its tuples"
                assert two is not None, "a common value has its tuples"
                if change := multiplicity * one * two:
                    found.append((values_of(engine, handle_row(engine, i, first, second, z)), change))
    if total is not None and (change := multiplicity * total):
        row_of_handles = handle_row(engine, i, first, second, first)  # z is bound, any id will do
        found.append((values_of(engine, row_of_handles), change))
    return found
