"""A graph that is kept up to date: what it is, the edges that come and go, repair and checks.

Count and triangles of each vertex come from the graph kernel (`ivme.kernel.graph`), on one adjacency; "on"
and "triangles" have views of their own where they are tracked (`ivme.graph.views`).

Invariant between two calls: the kernel's (`ivme_spec.graphs`) and that of the views. The kernel refuses a bad
update before any view sees it. An update that is cut short in the middle leaves the graph broken
(`ivme.kernel.guard`), until `rebuild()`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sized
from fractions import Fraction
from itertools import chain, islice

from attrs import fields

from ivme.debugging import debug_interval
from ivme.events import Costs, GraphChange
from ivme.graph.changes import triangles_of_update
from ivme.graph.options import (
    REPEATED,
    Repeated,
    SelfLoops,
    Track,
    check_policies,
    known_tracks,
    storage_for,
)
from ivme.graph.views import Directed, EdgeViews
from ivme.kernel.graph import listing
from ivme.kernel.graph.engine import GraphEngine
from ivme.kernel.graph.front import EdgeIntake, GraphFront
from ivme.kernel.graph.interface import GraphStorage
from ivme.kernel.guard import BROKEN, READY, UPDATING
from ivme.tables.edges import Edges, Numbers, edge_blocks
from ivme.tables.readers import BATCH
from ivme_spec.errors import (
    BusyError,
    InputError,
    InvariantError,
    NotTrackedError,
    StaleEnumerationError,
    shown,
)
from ivme_spec.relations import data_value
from ivme_spec.thresholds import parse_epsilon

SAMPLE = 256
"""So many signs tell how many edges there will be."""

COUNTED = [field.name for field in fields(Costs)]

Copied = tuple[Hashable, Hashable, int]
"""An edge, and how many copies it has."""


class MaintainedGraph(GraphFront):
    """The edges of a graph, under the policies that it was made with; see `ivme.GraphTriangles`."""

    def __init__(
        self,
        directed: bool = False,
        epsilon: object = "1/2",
        track: Iterable[Track] = ("count",),
        self_loops: SelfLoops = "refuse",
        repeated: Repeated = "refuse",
        edges: Edges | None = None,
        *,
        debug: bool | int | None = None,
    ) -> None:
        check_policies(directed, self_loops, repeated)
        exact, self._track = parse_epsilon(epsilon), known_tracks(track)
        self._debug = debug_interval(debug)
        self._on_change: Callable[[GraphChange], object] | None = None
        engine = GraphEngine(storage_for(directed, "at" in self._track), exact, directed)
        super().__init__(EdgeIntake(engine, self_loops == "ignore", REPEATED[repeated]))
        self._load(() if edges is None else edges)
        self._make_views()

    def _load(self, edges: object) -> None:
        """Start from edges."""
        intake, done = self._intake, 0
        for block in edge_blocks(edges, "edges", self.directed, signed=False):
            if isinstance(block, Numbers):
                done += intake.load_block(block.us, block.vs, done)
            else:
                done += intake.load(block, done)
        intake.engine.count_all()

    def _make_views(self) -> None:
        self._views = EdgeViews(self._track, self.directed, self.epsilon, self._directed_edges)
        self._intake.hold = bool(self._views.views)
        self._observe()

    def _observe(self) -> None:
        self._observed = bool(self._views.views) or bool(self._debug) or self._on_change is not None

    @property
    def _engine(self) -> GraphEngine:
        return self._intake.engine

    @property
    def _storage(self) -> GraphStorage:
        return self._intake.storage

    # --- what it is -------------------------------------------------------------------------------------

    @property
    def directed(self) -> bool:
        """Whether edges have a direction.  Cost: O(1)."""
        return self._engine.directed

    @property
    def epsilon(self) -> Fraction:
        """ε, exactly.  Cost: O(1)."""
        return self._engine.epsilon

    @property
    def track(self) -> tuple[Track, ...]:
        """What is maintained.  Cost: O(1)."""
        return self._track

    @property
    def self_loops(self) -> SelfLoops:
        """What is done with a self-loop.  Cost: O(1)."""
        return "ignore" if self._intake.ignore_loops else "refuse"

    @property
    def repeated(self) -> Repeated:
        """What is done with an insert of an edge that is there.  Cost: O(1)."""
        return next(name for name, code in REPEATED.items() if code == self._intake.repeated)

    @property
    def size(self) -> int:
        """The number of stored tuples: two for each edge, and those of the tracked views.  Cost: O(1)."""
        self._ready()
        return int(self._engine.size) + sum(view.size for view in self._views.views.values())

    @property
    def threshold_base(self) -> int:
        """N: ⌊N/4⌋ ≤ Σ degrees < N.  Cost: O(1)."""
        self._ready()
        return int(self._engine.base)

    @property
    def costs(self) -> dict[str, Costs]:
        """The steps counted so far, for each tracked quantity; "count" and "at" share one structure, and so
        their costs.  Cost: O(1)."""
        meter, views = self._engine.meter, self._views.views
        shared = Costs(**{name: getattr(meter, name) for name in COUNTED})
        return {name: views[name].costs if name in views else shared for name in self._track}

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        if self._intake.guard == READY:
            sizes = f"nodes={self.number_of_nodes()} edges={self.number_of_edges()}"
        else:
            sizes = (
                "broken, rebuild() it" if self._intake.guard == BROKEN else "in the middle of an operation"
            )
        return f"<GraphTriangles {kind} epsilon={self.epsilon} track={self._track!r} {sizes}>"

    # --- updates ----------------------------------------------------------------------------------------

    def apply(self, updates: Edges) -> int:
        """Many updates, in order; how many. (u, v) and (u, v, 1) insert an edge, (u, v, −1) deletes one.

        Also as a table with the columns u, v and, unless all are 1, sign: a NumPy array of two or three
        columns, anything with `__arrow_c_stream__` (PyArrow, polars, pandas, DuckDB). Columns of integers are
        read without a Python object for each edge. A sparse adjacency matrix of scipy and a graph of networkx
        insert their edges.

        A refused one raises its error, with its position (from 0) in the message and in `error.position`;
        those before it stay applied.  Cost: amortized O(N^max(ε,1−ε)) each. Of an array or table of integers
        about as long as the graph has edges, or longer, the triangles are counted once, at its end.
        """
        intake, done, deferred = self._intake, 0, False
        by = self._update_and_report if self._observed else None
        total = len(updates) if isinstance(updates, Sized) else 0
        try:
            for block in edge_blocks(updates, "updates", self.directed, signed=True):
                if isinstance(block, Numbers) and by is None:
                    if not deferred and self._pays_to_defer(block, max(total - done, len(block.us))):
                        intake.defer()
                        deferred = True
                    done += intake.apply_block(block.us, block.vs, block.signs, done, deferred)
                    continue
                rest, before = iter(block.updates() if isinstance(block, Numbers) else block), -1
                while before < done:  # the compiled kernel takes Ctrl-C only between two calls
                    before = done
                    done += intake.apply(islice(rest, BATCH), by, done)
        finally:
            if deferred and intake.guard == UPDATING:
                intake.guard = BROKEN  # until it is settled
                intake.settle()
        return done

    def _pays_to_defer(self, block: Numbers, left: int) -> bool:
        """Whether to count once, after the updates that are left, and not after each.

        It pays if at the end there are at most ⁴⁄₃ times as many edges: measured, with a break-even from ½ to
        4. How many there will be is foreseen from a sample of the signs. If that is wrong, it is still O(√m)
        an update: there are at most ⁷⁄₃ times as many edges now.  Cost: O(1).
        """
        sample = (1,) if block.signs is None else block.signs[:: 1 + len(block.us) // SAMPLE]
        edges = int(self._engine.size) // 2 * len(sample) + left * sum(sample)
        return 3 * edges <= 4 * left * len(sample)

    def _update_and_report(self, u: Hashable, v: Hashable, sign: int) -> None:
        """An update in debug mode, with views of its own, and for a callback."""
        intake, changed = self._intake, False
        triangles = () if self._on_change is None else triangles_of_update(intake, u, v, sign)
        try:
            changed = intake.update(u, v, sign)  # with views, it holds the guard
            if changed and intake.hold:
                self._views.update(u, v, intake.falling, sign)
                intake.guard = READY
        except BaseException as error:
            # UPDATING and not `changed`: a signal before the assignment, or another thread's update
            if intake.guard == UPDATING and (changed or not isinstance(error, BusyError)):
                intake.guard, intake.pending = BROKEN, (u, v, sign)
            raise
        if changed and self._debug and self._engine.version % self._debug == 0:
            self._check((u, v, sign))
        if changed and self._on_change is not None:
            self._on_change(GraphChange(self._engine.version, (u, v), 1 if sign > 0 else -1, triangles))

    def on_change(self, callback: Callable[[GraphChange], object] | None) -> None:
        """Have `callback` called after each update that changed the simple graph, with a `GraphChange`: the
        edge, and the triangles that appeared or vanished. It takes the place of the last one; None: no more.

        What a policy ignores or only counts is no change, nor is `rebuild()`. The callback runs between two
        operations and may use the graph; what it raises passes to the caller, and the update stays applied.

        Cost: O(1); then an update also lists its triangles, O(the smaller degree of its vertices), which is
        not within the bounds of an update.  Bad input: an `InputError`.
        """
        if callback is not None and not callable(callback):
            raise InputError(f"on_change {shown(callback)} cannot be called: give a function, or None")
        self._on_change = callback
        self._observe()

    def rebuild(self) -> None:
        """Rebuild everything from the edges, without the update that broke the graph, if one did.

        The counters go on.  Cost: O(m^{3/2}).  In the middle of an update: a `BusyError`.
        """
        if self._intake.guard != BROKEN:
            self._ready()
        old, storage = self._engine, self._storage
        found = {
            (storage.value(x), storage.value(y)): self._copies_of(x, y) for x, y in listing.salvaged(old)
        }
        if self._intake.pending is not None:
            u, v, sign = self._intake.pending
            for edge in ((u, v),) if self.directed else ((u, v), (v, u)):
                found.pop(edge, None)
            if sign < 0:
                found[u, v] = 1
        ends = dict.fromkeys(v for edge in found for v in edge)
        known = [v for v in self._in_order() if v in ends]  # in the middle of an update, some have no edge
        self._restore(dict.fromkeys([*known, *ends]), ((u, v, count) for (u, v), count in found.items()))
        self._engine.meter, self._engine.version = old.meter, old.version + 1

    def _restore(self, vertices: Iterable[Hashable], edges: Iterable[Copied]) -> None:
        """Have these vertices, in the order of arrival, and edges."""
        engine = self._engine
        made = GraphEngine(storage_for(engine.directed, engine.tracked), engine.epsilon, engine.directed)
        intake = EdgeIntake(made, self._intake.ignore_loops, self._intake.repeated)
        for v in vertices:
            made.storage.vertex(v)
        for u, v, copies in edges:
            x, y = made.storage.find(u), made.storage.find(v)
            if made.joined(x, y):
                raise InputError(f"edge {shown((u, v))} is repeated")
            made.store(x, y)
            if copies > 1:
                intake.copies[intake.key(x, y)] = copies
        made.count_all()
        made.version = engine.version + 1
        intake.guard = BROKEN  # until the views are made, too
        engine.version += 1  # open enumerations of the old one raise
        self._intake = intake
        self._make_views()
        intake.guard = READY

    # --- looking inside ---------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise an `InvariantError` that names what is violated, if anything.  Cost: recomputes all."""
        self._check(None)

    def _check(self, update: tuple[object, ...] | None) -> None:
        self._ready()
        if found := list(listing.violations(self._engine)):
            after = f"after update {self._engine.version}, {shown(update)}: " if update else ""
            more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
            error = InvariantError(after + "; ".join(map(str, found[:5])) + more)
            error.violations = tuple(found)
            error.update = update
            error.position = self._engine.version if update else None
            raise error
        if strangers := {key for key in self._intake.copies if not self._engine.joined(*key)}:
            raise InvariantError(f"there are copies of {len(strangers)} edges that are not in the graph")
        self._views.check(self._directed_edges)

    # --- within -----------------------------------------------------------------------------------------

    def _need(self, name: Track, question: str) -> None:
        if name not in self._track:
            raise NotTrackedError(
                f'{question} needs {name!r}, which is not tracked: make the graph with track=(…, "{name}"); '
                f"it has track={self._track!r}"
            )

    def _find(self, v: Hashable) -> int:
        self._ready()
        return int(self._storage.find(data_value(v)))

    def _ids_in_order(self) -> list[int]:
        """The ids of the vertices in the order of arrival.  Cost: O(n log n)."""
        return sorted(self._storage.vertices(), key=self._storage.arrival)

    def _in_order(self) -> list[Hashable]:
        return [self._storage.value(x) for x in self._ids_in_order()]

    def _directed_edges(self) -> Iterator[Directed]:
        storage = self._storage
        for x, y in listing.edges(self._engine):
            yield storage.value(x), storage.value(y), storage.arrival(x) > storage.arrival(y)

    def _copies_of(self, x: int, y: int) -> int:
        return self._intake.copies.get(self._intake.key(x, y), 1)

    def _links(self) -> Iterator[tuple[int, int, int]]:
        """Each edge by its ids, and its number of copies; an update from now on: `StaleEnumerationError`."""
        return self._linked(self._engine, self._engine.version)

    def _linked(self, engine: GraphEngine, version: int) -> Iterator[tuple[int, int, int]]:
        for x, y in chain(listing.edges(engine), [(0, 0)]):
            self._ready()
            if engine.version != version:
                raise StaleEnumerationError("the graph was updated meanwhile; start again")
            if x:
                yield x, y, self._copies_of(x, y)

    def _copied(self) -> Iterator[Copied]:
        value = self._storage.value
        return ((value(x), value(y), copies) for x, y, copies in self._links())
