"""Where edges come in: vertices become ids, policies are applied, operations are guarded.

`GraphFront` is the compiled part of `ivme.GraphTriangles`: an insert or delete is one call of it.

>>> from fractions import Fraction
>>> from ivme.kernel.graph.sets import SetGraph
>>> engine = GraphEngine(SetGraph(False, False), Fraction(1, 2), directed=False)
>>> front = GraphFront(EdgeIntake(engine, ignore_loops=False, repeated=REFUSE))
>>> for edge in (("a", "b"), ("b", "c"), ("c", "a")):
...     front.insert(*edge)
>>> front.count(), front.number_of_edges()
(1, 3)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any, Final, final

from ivme.kernel import mypyc_attr
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

Update = Callable[[Any, Any, int], object]
"""Takes u, v and the sign."""


@final
class EdgeIntake:
    """The policies and the guard around a `GraphEngine`."""

    def __init__(self, engine: GraphEngine, ignore_loops: bool, repeated: int) -> None:
        self.engine = engine
        self.storage = engine.storage
        self.ignore_loops = ignore_loops
        self.repeated = repeated
        self.copies: dict[tuple[int, int], int] = {}
        """The number of copies of the edges that have more than one."""
        self.guard = READY
        self.pending: tuple[Hashable, Hashable, int] | None = None
        """The update that broke the graph: u, v, 1 for an insert or −1 for a delete."""
        self.hold = False
        """Whether an update that changed the graph leaves the guard on UPDATING, for the caller to go on."""
        self.falling = False
        """Whether u arrived after v, of the last edge that came or went."""

    def update(self, u: Hashable, v: Hashable, sign: int) -> bool:
        """Insert an edge or delete one; whether the simple graph has changed.

        Cost: amortized O(N^max(ε,1−ε)).  An exception in the middle breaks the graph.
        """
        engine, storage = self.engine, self.storage
        if engine.size + 2 >= engine.base or engine.size - 2 < engine.least_base:
            engine.look_ahead()
        x: i64 = 0
        y: i64 = 0
        if self.guard != READY:  # from here to the `try` there is no call: no other thread comes in between
            refuse(self.guard)
        try:
            self.guard = UPDATING
            x = storage.vertex(u) if type(u) is int or type(u) is str else storage.vertex(data_value(u))
            y = storage.vertex(v) if type(v) is int or type(v) is str else storage.vertex(data_value(v))
            changed = self.enter(x, y) if sign > 0 else self.leave(x, y)
            if not changed or not self.hold:
                self.guard = READY
        except BaseException:
            self.guard = BROKEN  # until `fail` has done its work
            if engine.changing:
                self.pending = (u, v, sign)
            self.fail(x, y)
            raise
        return changed

    def fail(self, x: i64, y: i64) -> None:
        """After an exception in an update of the edge between two ids, 0 for one that was not reached.

        The guard is BROKEN. What was not begun leaves no trace; what was cut short leaves it so.  Cost: O(1).
        """
        engine, storage = self.engine, self.storage
        if engine.changing:  # the ids may be free by now
            return
        if x != 0 and engine.degree(x) == 0:
            storage.forget(x)
        if y != 0 and y != x and engine.degree(y) == 0:
            storage.forget(y)
        self.guard = UPDATING if engine.deferred else READY

    def enter(self, x: i64, y: i64) -> bool:
        """Insert an edge between two ids; whether it is new.  Cost: as `update`."""
        if x == y:
            return self.loop(x)
        if self.hold:  # not after the update: then a signal here would go unnoticed
            self.falling = self.storage.arrival(x) > self.storage.arrival(y)
        changed = self.engine.link(x, y)
        if not changed:
            self.repeat(x, y)
        return changed

    def leave(self, x: i64, y: i64) -> bool:
        """Delete an edge between two ids; whether it is gone.  Cost: as `update`."""
        if x == y:
            return self.loop(x)
        if self.copies and self.take_copy(x, y):
            return False
        if self.hold:
            self.falling = self.storage.arrival(x) > self.storage.arrival(y)
        if not self.engine.cut(x, y):
            edge = (self.storage.value(x), self.storage.value(y))
            raise RefusedEdgeError(f"edge {shown(edge)} is not in the graph: it cannot be deleted")
        return True

    def take_copy(self, x: i64, y: i64) -> bool:
        """Remove one of several copies of an edge; False if there are not several.  Cost: O(1)."""
        key = self.key(x, y)
        copies = self.copies.get(key, 1)
        if copies > 2:
            self.copies[key] = copies - 1
        elif copies == 2:
            del self.copies[key]
        return copies > 1

    def key(self, x: i64, y: i64) -> tuple[int, int]:
        """The edge in a dict.  Cost: O(1)."""
        return (int(y), int(x)) if y < x and not self.engine.directed else (int(x), int(y))

    def loop(self, x: i64) -> bool:
        """A self-loop: ignored or refused.  Cost: O(1)."""
        value = self.storage.value(x)
        if self.ignore_loops:
            if self.engine.degree(x) == 0:
                self.storage.forget(x)
            return False
        raise RefusedEdgeError(
            f'edge {shown((value, value))} is a self-loop; self_loops="ignore" passes over them'
        )

    def repeat(self, x: i64, y: i64) -> None:
        """An edge that is there comes again: refused, ignored or counted.  Cost: O(1)."""
        if self.repeated == REFUSE:
            edge = (self.storage.value(x), self.storage.value(y))
            raise RefusedEdgeError(
                f'edge {shown(edge)} is in the graph; repeated="ignore" or "count" allows to insert it again'
            )
        if self.repeated == COUNT:
            key = self.key(x, y)
            self.copies[key] = self.copies.get(key, 1) + 1

    def load(self, edges: Iterable[object], first: int) -> int:
        """Store edges under the policies; `engine.count_all` does the rest. How many; `first` is the position
        of the first one.

        Cost: O(1) each.
        """
        storage, position = self.storage, first
        for edge in edges:
            try:
                u, v = pair(edge)
                self.store(storage.vertex(u), storage.vertex(v))
            except InputError as error:
                raise located(error, "edge", position)  # noqa: B904
            position += 1
        return position - first

    def load_block(self, us: object, vs: object, first: int) -> int:
        """As `load`, for edges whose ends come as two sequences of 64-bit integers."""
        storage = self.storage
        at: i64 = 0
        many = storage.take_block(us, vs, None)
        while at < many:
            try:
                storage.block_edge(at)
                self.store(storage.tail, storage.head)
            except InputError as error:
                raise located(error, "edge", first + int(at))  # noqa: B904
            at += 1
        return int(many)

    def store(self, x: i64, y: i64) -> None:
        """Store an edge between two ids under the policies, without counting.  Cost: O(1)."""
        if x == y:
            self.loop(x)
        elif self.engine.joined(x, y):
            self.repeat(x, y)
        else:
            self.engine.store(x, y)

    def apply(self, updates: Iterable[object], by: Update | None, first: int) -> int:
        """Many updates (u, v) or (u, v, ±1), in order, through `by` if it is given; how many.

        Cost: amortized O(N^max(ε,1−ε)) each.  A refused one raises its error with its position, where the
        first update has the position `first`.
        """
        position = first
        for entry in updates:
            try:
                if not isinstance(entry, (tuple, list)) or not 2 <= len(entry) <= 3:
                    raise ArityError(f"{shown(entry)} is neither (u, v) nor (u, v, 1) nor (u, v, -1)")
                sign = integer(entry[2]) if len(entry) == 3 else 1
                if sign != 1 and sign != -1:
                    raise MultiplicityError(f"{shown(entry)}: give 1 to insert the edge or -1 to delete it")
                if by is None:
                    self.update(entry[0], entry[1], sign)
                else:
                    by(entry[0], entry[1], sign)
            except InputError as error:
                raise located(error, "update", position)  # noqa: B904
            position += 1
        return position - first

    def defer(self) -> None:
        """Count nothing from now on until `settle`; in between only `apply_block` with `owned` may come.

        Cost: O(vertices), and that of the rows of pairs.
        """
        if self.guard != READY:
            refuse(self.guard)
        self.guard = BROKEN  # unless it comes to its end
        self.engine.defer()
        self.guard = UPDATING

    def settle(self) -> None:
        """Count all that was deferred; the guard is BROKEN before.  Cost: O(N^{3/2})."""
        self.engine.count_all()
        self.guard = READY

    def apply_block(self, us: object, vs: object, signs: object, first: int, owned: bool = False) -> int:
        """As `apply`, for updates whose ends and signs come as sequences of 64-bit integers.

        None for the signs means 1.  No object is made for an edge. `owned` says that the caller deferred.
        """
        engine, storage = self.engine, self.storage
        sign: i64 = 1
        at: i64 = 0
        if self.guard != READY and not owned:
            refuse(self.guard)
        try:
            self.guard = UPDATING
            storage.tail = storage.head = 0
            many = storage.take_block(us, vs, signs)
            while at < many:
                sign = storage.block_edge(at)
                if sign != 1 and sign != -1:
                    raise MultiplicityError(f"a sign of {sign}: give 1 to insert the edge or -1 to delete it")
                if engine.size + 2 >= engine.base or engine.size - 2 < engine.least_base:
                    engine.look_ahead()
                if sign > 0:
                    self.enter(storage.tail, storage.head)
                else:
                    self.leave(storage.tail, storage.head)
                storage.tail = storage.head = 0  # free, maybe
                at += 1
            if not owned:
                self.guard = READY
        except BaseException as error:
            self.guard = BROKEN
            if engine.changing:
                tails: Any = us
                heads: Any = vs
                self.pending = (tails[int(at)], heads[int(at)], int(sign))
            self.fail(storage.tail, storage.head)
            if isinstance(error, InputError):
                raise located(error, "update", first + int(at))  # noqa: B904
            raise
        return int(many)


def located(error: InputError, what: str, position: int) -> InputError:
    """The error with its position, and with its cause, as mypyc forgets the `from` of a raise."""
    found = error.at(what, position)
    found.__cause__ = error
    return found


@mypyc_attr(allow_interpreted_subclasses=True)
class GraphFront:
    """The compiled base of `GraphTriangles`: its attribute calls cost what a subclass's do, so it has few."""

    def __init__(self, intake: EdgeIntake) -> None:
        self._intake = intake
        self._observed = False
        """Whether updates go through `_update_and_report`."""

    def insert(self, u: Hashable, v: Hashable) -> None:
        """Add an edge.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input, by policy a self-loop or an edge that is there: an
        `InputError`, and nothing has changed.
        """
        if self._observed:
            self._update_and_report(u, v, 1)
        else:
            self._intake.update(u, v, 1)

    def delete(self, u: Hashable, v: Hashable) -> None:
        """Remove an edge; with repeated="count", one copy of it.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input, an edge that is not there, by policy a self-loop: an
        `InputError`, and nothing has changed.
        """
        if self._observed:
            self._update_and_report(u, v, -1)
        else:
            self._intake.update(u, v, -1)

    def _update_and_report(self, u: Hashable, v: Hashable, sign: int) -> None:
        """An update that a subclass reports."""
        self._intake.update(u, v, sign)

    def _ready(self) -> None:
        """Refuse what comes inside another operation, or after a broken one."""
        if self._intake.guard != READY:
            refuse(self._intake.guard)

    def count(self) -> int:
        """The number of triangles.  Cost: O(1)."""
        if self._intake.guard != READY:
            refuse(self._intake.guard)
        return int(self._intake.engine.triangles)

    def number_of_nodes(self) -> int:
        """The number of vertices that have an edge.  Cost: O(1)."""
        self._ready()
        return self._intake.storage.vertex_count()

    def number_of_edges(self) -> int:
        """The number of different edges; copies do not count.  Cost: O(1)."""
        self._ready()
        return int(self._intake.engine.size) // 2
