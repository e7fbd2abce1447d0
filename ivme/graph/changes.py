"""What an update does to the triangles of a graph, for `GraphTriangles.on_change`."""

from __future__ import annotations

from collections.abc import Hashable

from ivme.events import Triangle
from ivme.kernel.graph import listing
from ivme.kernel.graph.front import EdgeIntake
from ivme.kernel.guard import READING, READY, refuse
from ivme_spec.relations import data_value


def triangles_of_update(intake: EdgeIntake, u: Hashable, v: Hashable, sign: int) -> tuple[Triangle, ...]:
    """The triangles that an update will open or close; none if it will not change the simple graph.

    They have the edge and a common neighbour of its vertices, which is one before the update and after it.
    Cost: O(the smaller degree).  Bad input: an `InputError`; inside another operation: a `BusyError`.
    """
    engine, storage = intake.engine, intake.storage
    if intake.guard != READY:
        refuse(intake.guard)
    try:
        intake.guard = READING  # a vertex's own __eq__ must not change the graph meanwhile
        x, y = int(storage.find(data_value(u))), int(storage.find(data_value(v)))
        if not x or not y or x == y or engine.joined(x, y) == (sign > 0):
            return ()
        if sign < 0 and intake.key(x, y) in intake.copies:
            return ()
        value, found = storage.value, listing.triangles_with(engine, x, y)
        return tuple((value(a), value(b), value(c)) for a, b, c in found)
    finally:
        intake.guard = READY
