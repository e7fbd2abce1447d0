"""`GraphWindow`: the triangles among the last edges of a stream, by count or by time.

Invariant between two calls: the graph holds exactly the edges of the record, each with as many copies as it
has entries there; the entries are those that came last, in order. A copy leaves with its entry, so an edge
that comes again stays until its last occurrence expires.

Nothing of this is known to the graph: the window only inserts and deletes. An update that is cut short leaves
the record in step with the graph, or with what `graph.rebuild()` will restore.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator
from datetime import datetime, timedelta
from numbers import Integral
from typing import Any, Literal, NoReturn, cast

from ivme.graph.options import SelfLoops, Track
from ivme.graph.spans import Span, Time, exact_number, exact_time, parse_span
from ivme.graph.triangles import GraphTriangles
from ivme.kernel.guard import READY
from ivme_spec.errors import ArityError, BusyError, InputError, InvariantError, RefusedEdgeError, shown
from ivme_spec.relations import data_value

By = Literal["count", "time"]
Occurrence = tuple[Hashable, Hashable, Time | None]


class GraphWindow:
    """A sliding window over a stream of edges, and the triangles of the graph that they make.

    window      how much is kept. By count: 10_000, the last so many edges that came. By time: a timedelta or
                a text such as "90s", "15min", "1h", "7d", for times that are datetimes; with by="time" a
                number, in the unit of times that are numbers
    by          "count" or "time"; by default "time" for a timedelta or text, else "count"
    repeated    only "count": an edge that comes again stays until its last occurrence expires. Each
                occurrence takes its place in a window by count
    directed, epsilon, track, self_loops, debug
                as for `GraphTriangles`. A self-loop that is ignored takes no place, but its time counts

    `graph` has the answers; it is there to be read, and changes through the window only.

    An edge of time t is in the window while now − t < window; now is the latest time given. Times are exact:
    int, Fraction, Decimal, a float as the fraction that it is, datetime (all with a zone, or all without).
    They do not go backwards: an edge of an earlier time than the last is a `RefusedEdgeError`.

    With m occurrences in the window, memory is O(m) beside the graph's. An edge costs one insert and one
    delete of the graph, so amortized O(N^max(ε,1−ε)); a single call may expire many.

    Like a graph it belongs to one thread at a time. A callback of the graph (`graph.on_change`) sees the
    edges that expire before the one that came; what it raises passes to the caller: what was done until then
    stays, and what else is due goes with the next call.

    It can be copied, and pickled if its graph can; there is no file format of its own.

    Bad input: an `InputError` that shows it; nothing has changed after it.

    >>> window = GraphWindow(3)
    >>> window.extend([(1, 2), (2, 3), (3, 1)]), window.graph.count()
    (3, 1)
    >>> window.insert(3, 4)
    >>> window.graph.count(), window.expired, list(window)
    (0, 1, [(2, 3), (3, 1), (3, 4)])
    """

    def __init__(
        self,
        window: object,
        by: By | None = None,
        *,
        directed: bool = False,
        epsilon: object = "1/2",
        track: Iterable[Track] = ("count",),
        self_loops: SelfLoops = "refuse",
        repeated: Literal["count"] = "count",
        debug: bool | int | None = None,
    ) -> None:
        self._by, self._window = extent(window, by)
        if repeated != "count":
            raise InputError(
                f"repeated {shown(repeated)}: in a window an edge that comes again stays until its last "
                'occurrence expires; leave repeated out, or give "count"'
            )
        self._graph = GraphTriangles(directed, epsilon, track, self_loops, "count", debug=debug)
        self._record: deque[Occurrence] = deque()
        self._time: Time | None = None
        self._expired = 0
        self._busy = False

    # --- what it is -------------------------------------------------------------------------------------

    @property
    def graph(self) -> GraphTriangles:
        """The graph of the edges in the window, to be read.  Cost: O(1)."""
        return self._graph

    @property
    def by(self) -> By:
        """ "count" or "time".  Cost: O(1)."""
        return self._by

    @property
    def window(self) -> Span:
        """How much is kept, exactly.  Cost: O(1)."""
        return self._window

    @property
    def time(self) -> Time | None:
        """The latest time given, exactly; None before the first.  Cost: O(1)."""
        return self._time

    @property
    def expired(self) -> int:
        """How many occurrences of edges have left so far.  Cost: O(1)."""
        return self._expired

    def __len__(self) -> int:
        """The number of occurrences in the window; `graph.number_of_edges()` counts different edges.

        Cost: O(1).
        """
        return len(self._record)

    def __iter__(self) -> Iterator[tuple[Hashable, ...]]:
        """The occurrences in the window, oldest first: (u, v), and by time (u, v, time).  Cost: O(m)."""
        return iter(self._record) if self._by == "time" else ((u, v) for u, v, _ in self._record)

    def __repr__(self) -> str:
        return f"<GraphWindow {self._by} {self._window} edges={len(self._record)} of {self._graph!r}>"

    # --- updates ----------------------------------------------------------------------------------------

    def insert(self, u: Hashable, v: Hashable, time: object = None) -> None:
        """Let an edge come: what is due expires, then the edge is inserted.

        By time, its time is required. By count it may be given, and is only checked not to go backwards.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input, by policy a self-loop, a time before the last: an
        `InputError`, and nothing has changed.
        """
        now = self._now(time)
        loop = len({data_value(u), data_value(v)}) == 1
        self._graph._ready()
        if self._busy:  # from here to the `try` there is no call: no other thread comes in between
            _refuse()
        try:
            self._busy = True
            if loop:
                self._graph.insert(u, v)  # its policy: refused, or ignored
            self._time = now
            self._expire(room=0 if loop else 1)
            if not loop:
                self._enter((u, v, now if self._by == "time" else None))
        finally:
            self._busy = False

    def advance(self, time: object) -> None:
        """Let time pass: what is due expires.

        Cost: amortized O(N^max(ε,1−ε)) for each edge that expires.  Bad input, a time before the last, a
        window by count: an `InputError`, and nothing has changed.
        """
        if self._by == "count":
            raise InputError("a window by count has no time: its edges expire when others come")
        now = self._now(time)
        self._graph._ready()
        if self._busy:  # from here to the `try` there is no call: no other thread comes in between
            _refuse()
        try:
            self._busy = True
            self._time = now
            self._expire(room=0)
        finally:
            self._busy = False

    def extend(self, edges: Iterable[tuple[object, ...]]) -> int:
        """Many edges (u, v, time), in order; how many. By count (u, v) too.

        A refused one raises its error, with its position (from 0) in the message and in `error.position`;
        those before it stay.  Cost: amortized O(N^max(ε,1−ε)) each.
        """
        if isinstance(edges, str | bytes) or not isinstance(edges, Iterable):
            raise ArityError(f"edges {shown(edges)} is not an iterable of edges")
        done, least = 0, 3 if self._by == "time" else 2
        for edge in edges:
            try:
                if not isinstance(edge, tuple | list) or not least <= len(edge) <= 3:
                    raise ArityError(
                        f"{shown(edge)} is not (u, v, time){' or (u, v)' * (least == 2)}: "
                        f"this is a window by {self._by}"
                    )
                self.insert(*edge)
            except InputError as error:
                raise error.at("edge", done) from error
            done += 1
        return done

    def _now(self, time: object) -> Time | None:
        """The time of a call, checked."""
        last = self._time
        if time is None:
            if self._by == "time":
                raise InputError("an edge needs its time, since this is a window by time: insert(u, v, time)")
            return last
        now = time if type(time) is int else exact_time(time)
        dated = isinstance(now, datetime)
        if last is not None and dated != isinstance(last, datetime):
            raise InputError(f"time {shown(time)}: give all times as numbers, or all as datetimes")
        if self._by == "time" and dated != isinstance(self._window, timedelta):
            raise InputError(
                f"time {shown(time)}: this window is for "
                + (
                    "numbers; else give a timedelta"
                    if dated
                    else 'datetimes; else give a number and by="time"'
                )
            )
        if last is not None:
            if dated and _has_zone(now) != _has_zone(last):
                raise InputError(f"time {shown(time)}: give all times with a zone, or all without")
            if cast("Any", now) < last:
                raise RefusedEdgeError(
                    f"time {shown(time)} is before the last, {shown(last)}: edges come in the order of their "
                    "times; sort them, or insert a late one with the time of its arrival, time=window.time"
                )
        return now

    def _expire(self, room: int) -> None:
        """Delete what is due, for this many that will come."""
        record = self._record
        while record and self._is_due(record[0][2], room):
            edge = record[0]
            try:
                record.popleft()
                self._graph.delete(edge[0], edge[1])
            except BaseException as error:
                if not self._in_step(edge):
                    record.appendleft(edge)
                else:
                    self._expired += 1
                if isinstance(error, RefusedEdgeError):
                    raise InvariantError(f"{error}; it left, but not through its window") from error
                raise
            self._expired += 1

    def _is_due(self, then: Any, room: int) -> bool:
        if self._by == "count":
            return len(self._record) + room > cast("int", self._window)
        return bool(cast("Any", self._time) - then >= self._window)

    def _enter(self, edge: Occurrence) -> None:
        try:
            self._record.append(edge)
            self._graph.insert(edge[0], edge[1])
        except BaseException:
            if not self._in_step(edge):
                self._record.pop()
            raise

    # --- looking inside ---------------------------------------------------------------------------------

    def _in_step(self, edge: Occurrence) -> bool:
        """After an exception: whether the graph has an edge as often as the record.  Cost: O(m)."""
        graph, (u, v, _) = self._graph, edge
        if graph._intake.guard != READY:
            return False  # rebuild() takes the update back
        same = {(u, v)} if graph.directed else {(u, v), (v, u)}
        return graph.multiplicity(u, v) == sum((a, b) in same for a, b, _ in self._record)

    def check(self) -> None:
        """Raise an `InvariantError` if the graph is not that of the window, or has an error of its own.

        Cost: recomputes everything.
        """
        graph, record = self._graph, self._record
        graph.check()
        key = graph._intake.key
        counted = Counter(key(graph._find(u), graph._find(v)) for u, v, _ in record)
        if len(counted) != graph.number_of_edges():
            raise InvariantError(
                f"{len(counted)} edges in the window, {graph.number_of_edges()} in its graph"
            )
        for u, v, _ in record:
            if (copies := graph.multiplicity(u, v)) != (kept := counted[key(graph._find(u), graph._find(v))]):
                raise InvariantError(
                    f"edge {shown((u, v))} is {kept} times in the window, {copies} in its graph"
                )
        if record and self._is_due(record[0][2], 0):
            raise InvariantError(f"edge {shown(record[0])} is due, and in the window")

    # --- copies -----------------------------------------------------------------------------------------

    def copy(self) -> GraphWindow:
        """An independent window with the same edges.

        Cost: O(m^{3/2}).  In the middle of an update: a `BusyError`; with a broken graph: a `BrokenError`.
        """
        if self._busy:
            _refuse()
        made = GraphWindow.__new__(GraphWindow)
        made.__dict__.update(self.__dict__, _graph=self._graph.copy(), _record=self._record.copy())
        return made

    def __copy__(self) -> GraphWindow:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> GraphWindow:
        """As `copy`: vertices are keys, and are shared.  Cost: O(m^{3/2})."""
        return self.copy()


def extent(window: object, by: object) -> tuple[By, Span]:
    """How a window is bounded, and by how much.  Cost: O(1).  Bad input: an `InputError`."""
    if by not in ("count", "time", None):
        raise InputError(f"by {shown(by)}: give 'count' or 'time'")
    if isinstance(window, str | timedelta):
        span = parse_span(window) if isinstance(window, str) else window
        if by == "count":
            raise InputError(f'window {shown(window)} is a span of time: leave by="count" out')
        if span <= timedelta(0):
            raise InputError(f"window {shown(window)}: give a span of more than nothing")
        return "time", span
    number = exact_number(window)
    if number is None or number <= 0:
        raise InputError(
            f"window {shown(window)}: give a number of edges, at least 1; or a timedelta, a text such as "
            '"1h", or with by="time" a positive number'
        )
    if by == "time":
        return "time", number
    if not isinstance(number, int) or not isinstance(window, Integral):
        raise InputError(
            f'window {shown(window)}: a number of edges is an integer; by="time" takes fractions'
        )
    return "count", number


def _refuse() -> NoReturn:
    raise BusyError(
        "the window is in the middle of an update: it belongs to one thread at a time, and a callback of its "
        "graph may read the graph, not change the window"
    )


def _has_zone(time: Time) -> bool:
    return isinstance(time, datetime) and time.utcoffset() is not None
