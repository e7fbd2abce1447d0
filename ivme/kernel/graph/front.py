"""Where edges come in: vertices become ids, policies are applied, operations are guarded.

`GraphFront` is the compiled part of `ivme.GraphTriangles`: an insert or delete is one call of it.

>>> from fractions import Fraction
>>> from ivme.kernel.graph.sets import SetGraph
>>> front = GraphFront(GraphEngine(SetGraph(False, False), Fraction(1, 2), False), False, REFUSE)
>>> for edge in (("a", "b"), ("b", "c"), ("c", "a")):
...     front.insert(*edge)
>>> front.count(), front.number_of_edges()
(1, 3)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING, Final, NoReturn

from mypy_extensions import mypyc_attr

from ivme.kernel.graph.engine import GraphEngine
from ivme.kernel.guard import BROKEN, READY, UPDATING, refuse
from ivme_spec.errors import ArityError, InputError, MultiplicityError, RefusedEdgeError, shown
from ivme_spec.relations import data_value, pair
from ivme_spec.rings import integer

if TYPE_CHECKING:
    from mypy_extensions import i64

REFUSE: Final = 0
IGNORE: Final = 1
COUNT: Final = 2
"""What to do with an edge that is there: refuse it, ignore it, count its copies."""


@mypyc_attr(allow_interpreted_subclasses=True)
class GraphFront:
    """The policies and the guard around a `GraphEngine`."""

    def __init__(self, engine: GraphEngine, ignore_loops: bool, repeated: int) -> None:
        self._engine = engine
        self._storage = engine.storage
        self._ignore_loops = ignore_loops
        self._repeated = repeated
        self._copies: dict[tuple[int, int], int] = {}
        """The number of copies of the edges that have more than one."""
        self._guard = READY
        self._changing = False
        """True while an update is writing."""
        self._pending: tuple[Hashable, Hashable, int] | None = None
        """The update that broke the graph: u, v, 1 for an insert or −1 for a delete."""
        self._observed = False
        """Whether somebody wants to hear of each update: then they go through `_update_and_report`."""

    # --- updates --------------------------------------------------------------------------------------------

    def insert(self, u: Hashable, v: Hashable) -> None:
        """Add an edge.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input, by policy a self-loop or an edge that is there: an
        `InputError`, and nothing has changed.
        """
        if self._observed:
            self._update_and_report(u, v, 1)
        else:
            self._update(u, v, 1)

    def delete(self, u: Hashable, v: Hashable) -> None:
        """Remove an edge; with repeated="count", one copy of it.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input, an edge that is not there, by policy a self-loop: an
        `InputError`, and nothing has changed.
        """
        if self._observed:
            self._update_and_report(u, v, -1)
        else:
            self._update(u, v, -1)

    def _update_and_report(self, u: Hashable, v: Hashable, sign: int) -> None:
        """`_update`, for a subclass that reports."""
        self._update(u, v, sign)

    def _update(self, u: Hashable, v: Hashable, sign: int) -> bool:
        """Insert an edge or delete one; whether the simple graph has changed.

        Cost: amortized O(N^max(ε,1−ε)).  An exception in the middle breaks the graph.
        """
        engine, storage = self._engine, self._storage
        if engine.size + 2 >= engine.base or engine.size - 2 < engine.least_base:
            engine.look_ahead()
        x: i64 = 0
        y: i64 = 0
        if self._guard != READY:  # from here to the `try` there is no call: no other thread comes in between
            refuse(self._guard)
        try:
            self._guard = UPDATING
            x = storage.vertex(u if type(u) is int or type(u) is str else data_value(u))
            y = storage.vertex(v if type(v) is int or type(v) is str else data_value(v))
            changed = self._enter(x, y) if sign > 0 else self._leave(x, y)
            self._guard = READY
        except BaseException:
            self._guard = BROKEN
            if not self._changing:
                if x != 0 and engine.degree(x) == 0:
                    storage.forget(x)
                if y != 0 and y != x and engine.degree(y) == 0:
                    storage.forget(y)
                self._guard = READY
            else:
                self._pending = (u, v, sign)
            raise
        return changed

    def _enter(self, x: i64, y: i64) -> bool:
        """Insert an edge between two ids; whether it is new."""
        if x == y:
            return self._loop(x)
        if self._engine.joined(x, y):
            if self._repeated == REFUSE:
                self._refuse_repeated(x, y)
            if self._repeated == COUNT:
                self._count_copy(x, y)
            return False
        self._changing = True
        self._engine.link(x, y)
        self._changing = False
        return True

    def _leave(self, x: i64, y: i64) -> bool:
        """Delete an edge between two ids; whether it is gone."""
        if x == y:
            return self._loop(x)
        if not self._engine.joined(x, y):
            self._refuse_missing(x, y)
        if self._copies:
            key = self._key(x, y)
            copies = self._copies.get(key, 1)
            if copies > 2:
                self._copies[key] = copies - 1
                return False
            if copies == 2:
                del self._copies[key]
                return False
        self._changing = True
        self._engine.cut(x, y)
        self._changing = False
        return True

    def _key(self, x: i64, y: i64) -> tuple[int, int]:
        """The edge in a dict."""
        return (int(y), int(x)) if y < x and not self._engine.directed else (int(x), int(y))

    def _loop(self, x: i64) -> bool:
        """A self-loop: ignored or refused."""
        if not self._ignore_loops:
            value = self._storage.value(x)
            raise RefusedEdgeError(
                f'edge {shown((value, value))} is a self-loop; self_loops="ignore" passes over them'
            )
        if self._engine.degree(x) == 0:
            self._storage.forget(x)
        return False

    def _refuse_repeated(self, x: i64, y: i64) -> NoReturn:
        edge = (self._storage.value(x), self._storage.value(y))
        raise RefusedEdgeError(
            f'edge {shown(edge)} is in the graph; repeated="ignore" or "count" allows to insert it again'
        )

    def _refuse_missing(self, x: i64, y: i64) -> NoReturn:
        edge = (self._storage.value(x), self._storage.value(y))
        raise RefusedEdgeError(f"edge {shown(edge)} is not in the graph: it cannot be deleted")

    def _load(self, edges: Iterable[object]) -> None:
        """Store edges under the policies into an empty graph, and build everything.  Cost: O(m^{3/2})."""
        engine, storage = self._engine, self._storage
        for position, edge in enumerate(edges):
            try:
                u, v = pair(edge)
                x = storage.vertex(u)
                y = storage.vertex(v)
                if x == y:
                    self._loop(x)
                elif not engine.joined(x, y):
                    engine.store(x, y)
                elif self._repeated == REFUSE:
                    self._refuse_repeated(x, y)
                elif self._repeated == COUNT:
                    self._count_copy(x, y)
            except InputError as error:
                located = error.at("edge", position)
                located.__cause__ = error  # mypyc forgets the `from` of a raise
                raise located  # noqa: B904
        engine.count_all()

    def _count_copy(self, x: i64, y: i64) -> None:
        """One copy more of an edge that is there.  Cost: O(1)."""
        key = self._key(x, y)
        self._copies[key] = self._copies.get(key, 1) + 1

    def _apply(self, updates: Iterable[object]) -> int:
        """Many updates (u, v) or (u, v, ±1), in order; how many."""
        done = 0
        for entry in updates:
            try:
                if type(entry) is tuple and len(entry) == 2 and not self._observed:
                    self._update(entry[0], entry[1], 1)
                else:
                    self._apply_one(entry)
            except InputError as error:
                located = error.at("update", done)
                located.__cause__ = error  # mypyc forgets the `from` of a raise
                raise located  # noqa: B904
            done += 1
        return done

    def _apply_one(self, entry: object) -> None:
        if not isinstance(entry, (tuple, list)) or len(entry) not in (2, 3):
            raise ArityError(f"{shown(entry)} is neither (u, v) nor (u, v, 1) nor (u, v, -1)")
        sign = integer(entry[2]) if len(entry) == 3 else 1
        if sign not in (1, -1):
            raise MultiplicityError(f"{shown(entry)}: give 1 to insert the edge or -1 to delete it")
        if self._observed:
            self._update_and_report(entry[0], entry[1], sign)
        else:
            self._update(entry[0], entry[1], sign)

    # --- reads ----------------------------------------------------------------------------------------------

    def _ready(self) -> None:
        """Refuse what comes inside another operation, or after a broken one."""
        if self._guard != READY:
            refuse(self._guard)

    def count(self) -> int:
        """The number of triangles.  Cost: O(1)."""
        self._ready()
        return self._engine.triangles

    def number_of_nodes(self) -> int:
        """The number of vertices that have an edge.  Cost: O(1)."""
        self._ready()
        return self._storage.vertex_count()

    def number_of_edges(self) -> int:
        """The number of different edges; copies do not count.  Cost: O(1)."""
        self._ready()
        return int(self._engine.size) // 2
