"""`GraphTriangles`: the triangles of a graph, kept up to date while edges come and go.

Paper: sec:extensions, "triangle queries with repeating relation symbols": one edge set plays R, S and T.

Count and triangles of each vertex come from the graph kernel (`ivme.kernel.graph`), on one adjacency. What
enumerates with the paper's delay, "on" and "triangles", is a `TriangleView` of its own where it is tracked:
an edge becomes two to five tuples in it, chosen so that each triangle is counted once, with nothing to
divide. u < v below compares arrivals; a vertex arrives with its first edge and leaves with its last.

    undirected     head  R holds      S holds      T holds      so that the view has
    triangles      ABC   u < v        u < v        u > v        a < b < c: each triangle once
    on             AB    u < v        both ways    both ways    a < b: each triangle on {a, b} once

    directed (a triangle is a cycle a → b → c → a)
    triangles      ABC   u < v        all          u > v        a is the first of the three: each cycle once
    on             AB    all          all          all          each cycle through a → b once

Invariant between two calls: the kernel's (`ivme_spec.graphs`), and the relations of each view hold exactly
these tuples for the edges of the graph, each once. The kernel refuses a bad update before any view sees it.
An update that is cut short in the middle leaves the graph broken (`ivme.kernel.guard`), until `rebuild()`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Literal, NoReturn, cast

from attrs import fields

from ivme._kernel import kernel
from ivme.debugging import debug_interval
from ivme.events import Costs
from ivme.kernel.graph import listing
from ivme.kernel.graph.engine import GraphEngine
from ivme.kernel.graph.front import COUNT, IGNORE, REFUSE, EdgeIntake, GraphFront
from ivme.kernel.graph.interface import GraphStorage
from ivme.kernel.graph.sets import SetGraph
from ivme.kernel.guard import BROKEN, READY, UPDATING
from ivme.view import TriangleView
from ivme_spec.errors import ArityError, BusyError, InputError, InvariantError, NotTrackedError, shown
from ivme_spec.relations import RELATIONS, RelationName, Row, data_value, known_relation, pair
from ivme_spec.thresholds import parse_epsilon

Edge = tuple[Hashable, Hashable]
Triangle = tuple[Hashable, Hashable, Hashable]

Track = Literal["count", "at", "on", "triangles"]
SelfLoops = Literal["refuse", "ignore"]
Repeated = Literal["refuse", "ignore", "count"]

TRACKS: tuple[Track, ...] = ("count", "at", "on", "triangles")
SELF_LOOPS: tuple[SelfLoops, ...] = ("refuse", "ignore")
REPEATED: Mapping[str, int] = {"refuse": REFUSE, "ignore": IGNORE, "count": COUNT}

HEADS: Mapping[Track, str] = {"on": "AB", "triangles": "ABC"}
"""What has a view of its own, and its free variables."""

# The tuples of an edge (u, v): relation and direction, "+" for (u, v) and "-" for (v, u). The first entry is
# for u < v, the second for u > v; an undirected edge is always turned so that u < v.
_UNDIRECTED: Mapping[Track, tuple[str, str]] = {"triangles": ("R+ S+ T-", ""), "on": ("R+ S+ S- T+ T-", "")}
_DIRECTED: Mapping[Track, tuple[str, str]] = {
    "triangles": ("R+ S+", "S+ T+"),
    "on": ("R+ S+ T+", "R+ S+ T+"),
}

_COUNTED = [field.name for field in fields(Costs)]


class GraphTriangles(GraphFront):
    """The triangles of a simple graph, maintained under inserts and deletes of single edges.

    directed    False: (v, u) is the same edge as (u, v), and a triangle is three vertices that are pairwise
                adjacent. True: the two are different edges, and a triangle is a cycle u → v → w → u
    epsilon     ε ∈ [0,1], exact: "1/2", Fraction, int, Decimal, or a float as it prints
    track       what is maintained beside the count: "at", the triangles of each vertex; "on" and "triangles",
                to enumerate with the paper's delay. "on" and "triangles" cost time and space of their own
    self_loops  an edge from a vertex to itself is never in the graph; to insert or delete one is an error
                ("refuse") or does nothing ("ignore")
    repeated    an insert of an edge that is there is an error ("refuse"), does nothing ("ignore"), or adds a
                copy ("count"): the edge is then gone with its last copy. Triangles, degrees and edges are
                those of the simple graph in any case
    edges       pairs to start from, under the same policies
    debug       True: `check()` after every update; n: after every n-th; default: the variable IVME_DEBUG

    A vertex is anything hashable, compared like the keys of a dict. It is in the graph while it has an edge:
    there are no isolated vertices, and a vertex that is not in the graph has degree 0 and no triangles.

    With m edges and N = Θ(m): update O(N^max(ε,1−ε)) amortized, for count and "at" together, and again for
    each of "on" and "triangles"; space O(m + N^{min(1+ε,2−2ε)}), for "on" O(N^{1+min(ε,1−ε)}) more, for
    "triangles" O(N^{3/2}). What is deleted needs no space: a sliding window over an endless stream takes the
    space of the window.

    Like a `TriangleView`, it belongs to one thread at a time; after an exception in the middle of an update
    (a vertex's own __eq__ or __hash__, Ctrl-C) it is as it was, or refuses every use until `rebuild()`.

    Cost of making one: O(m^{3/2}).  Bad input: an `InputError` that shows it; nothing has changed after it.

    >>> graph = GraphTriangles(track=("count", "at"), edges=[("ada", "bob"), ("bob", "eve"), ("eve", "ada")])
    >>> graph.insert("eve", "dan")
    >>> graph.count(), graph.count_at("eve"), graph.clustering("eve")
    (1, 1, Fraction(1, 3))
    """

    def __init__(
        self,
        directed: bool = False,
        epsilon: object = "1/2",
        track: Iterable[Track] = ("count",),
        self_loops: SelfLoops = "refuse",
        repeated: Repeated = "refuse",
        edges: Iterable[Edge] | None = None,
        *,
        debug: bool | int | None = None,
    ) -> None:
        if not isinstance(directed, bool):
            raise InputError(f"directed {shown(directed)}: give True or False")
        if self_loops not in SELF_LOOPS:
            raise InputError(
                f"self_loops {shown(self_loops)}: give one of {', '.join(map(repr, SELF_LOOPS))}"
            )
        if not isinstance(repeated, str) or repeated not in REPEATED:
            raise InputError(f"repeated {shown(repeated)}: give one of {', '.join(map(repr, REPEATED))}")
        exact, self._track = parse_epsilon(epsilon), _tracks(track)
        self._debug = debug_interval(debug)
        engine = GraphEngine(_storage(directed, "at" in self._track), exact, directed)
        super().__init__(EdgeIntake(engine, self_loops == "ignore", REPEATED[repeated]))
        self._intake.load(() if edges is None else _iterable(edges, "edges"))
        self._make_views()

    def _make_views(self) -> None:
        tuples = _DIRECTED if self.directed else _UNDIRECTED
        self._tuples = {name: (_parsed(tuples[name][0]), _parsed(tuples[name][1])) for name in self._viewed}
        self._views: dict[Track, TriangleView[int]] = {
            name: TriangleView(HEADS[name], self.epsilon, database=self._database(name))
            for name in self._viewed
        }
        self._intake.hold = bool(self._views)
        self._observed = bool(self._views) or bool(self._debug)

    @property
    def _engine(self) -> GraphEngine:
        return self._intake.engine

    @property
    def _storage(self) -> GraphStorage:
        return self._intake.storage

    @property
    def _viewed(self) -> list[Track]:
        return [name for name in self._track if name in HEADS]

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
    def size(self) -> int:
        """The number of stored tuples: two for each edge, and those of the tracked views.  Cost: O(1)."""
        self._ready()
        return int(self._engine.size) + sum(view.size for view in self._views.values())

    @property
    def threshold_base(self) -> int:
        """N: ⌊N/4⌋ ≤ Σ degrees < N.  Cost: O(1)."""
        self._ready()
        return int(self._engine.base)

    @property
    def costs(self) -> dict[str, Costs]:
        """The steps counted so far, for each tracked quantity; "count" and "at" share one structure, and so
        their costs.  Cost: O(1)."""
        meter = self._engine.meter
        shared = Costs(**{name: getattr(meter, name) for name in _COUNTED})
        return {name: self._views[name].costs if name in self._views else shared for name in self._track}

    def degree(self, v: Hashable) -> int:
        """The number of edges at a vertex, in and out if directed; 0 if it is not in the graph.

        Cost: O(1).  Bad input: an `InputError`.
        """
        x = self._find(v)
        return int(self._engine.degree(x)) if x else 0

    def __contains__(self, edge: object) -> bool:
        """Whether the pair (u, v) is an edge.  Cost: O(1).  Bad input: an `InputError`."""
        u, v = pair(edge)
        x, y = self._find(u), self._find(v)
        return bool(x and y and self._engine.joined(x, y))

    def _find(self, v: Hashable) -> int:
        self._ready()
        return int(self._storage.find(data_value(v)))

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

    def apply(self, updates: Iterable[tuple[Hashable, Hashable] | tuple[Hashable, Hashable, int]]) -> int:
        """Many updates, in order; how many. (u, v) and (u, v, 1) insert an edge, (u, v, −1) deletes one.

        A refused one raises its error, with its position (from 0) in the message and in `error.position`;
        those before it stay applied.  Cost: amortized O(N^max(ε,1−ε)) each.
        """
        by = self._update_and_report if self._observed else None
        return self._intake.apply(_iterable(updates, "updates"), by)

    def _update_and_report(self, u: Hashable, v: Hashable, sign: int) -> None:
        """An update in debug mode, and with views of its own."""
        intake, changed = self._intake, False
        try:
            changed = intake.update(u, v, sign)  # with views, it holds the guard
            if changed and self._views:
                for name, view in self._views.items():
                    for relation, edge in self._tuples_of(name, u, v, intake.falling):
                        view.update(relation, *edge, sign)
                intake.guard = READY
        except BaseException as error:
            # UPDATING and not `changed`: a signal before the assignment, or another thread's update
            if intake.guard == UPDATING and (changed or not isinstance(error, BusyError)):
                intake.guard, intake.pending = BROKEN, (u, v, sign)
            raise
        if changed and self._debug and self._engine.version % self._debug == 0:
            self._check((u, v, sign))

    def _tuples_of(
        self, name: Track, u: Hashable, v: Hashable, falling: bool
    ) -> Iterator[tuple[RelationName, Edge]]:
        """The tuples of an edge in a view; an undirected edge is turned so that u < v."""
        if falling and not self.directed:
            u, v, falling = v, u, False
        for relation, forward in self._tuples[name][falling]:
            yield relation, ((u, v) if forward else (v, u))

    def rebuild(self) -> None:
        """Rebuild everything from the edges, without the update that broke the graph, if one did.

        The counters go on.  Cost: O(m^{3/2}).  In the middle of an update: a `BusyError`.
        """
        if self._intake.guard != BROKEN:
            self._ready()
        old, storage = self._engine, self._storage
        found = {(storage.value(x), storage.value(y)): None for x, y in listing.salvaged(old)}
        copies = {self._values(*key): count for key, count in self._intake.copies.items()}
        if self._intake.pending is not None:
            u, v, sign = self._intake.pending
            for edge in ((u, v),) if self.directed else ((u, v), (v, u)):
                found.pop(edge, None)
            if sign < 0:
                found[u, v] = None
        ranks = {storage.value(x): int(storage.arrival(x)) for x in storage.vertices()}
        self._restore(found, copies, ranks)
        self._engine.meter, self._engine.version = old.meter, old.version + 1

    def _restore(
        self, edges: Iterable[Edge], copies: Mapping[Edge, int], ranks: Mapping[Hashable, int]
    ) -> None:
        """Have these edges and copies; vertices arrive in the order of their ranks, others last."""
        engine = self._engine
        made = GraphEngine(_storage(engine.directed, engine.tracked), engine.epsilon, engine.directed)
        found = list(edges)
        last = max(ranks.values(), default=0) + 1
        for v in sorted(dict.fromkeys(v for edge in found for v in edge), key=lambda v: ranks.get(v, last)):
            made.storage.vertex(v)
        for u, v in found:
            made.store(made.storage.find(u), made.storage.find(v))
        made.count_all()
        made.version = engine.version + 1
        intake = EdgeIntake(made, self._intake.ignore_loops, self._intake.repeated)
        for (u, v), count in copies.items():
            intake.copies[intake.key(made.storage.find(u), made.storage.find(v))] = count
        intake.guard = BROKEN  # until the views are made, too
        engine.version += 1  # open enumerations of the old one raise
        self._intake = intake
        self._make_views()
        intake.guard = READY

    def _values(self, x: int, y: int) -> Edge:
        return self._storage.value(x), self._storage.value(y)

    def copy(self) -> GraphTriangles:
        """An independent graph with the same edges; the counters start from zero.  Cost: O(m^{3/2})."""
        self._ready()
        repeated = {code: name for name, code in REPEATED.items()}[self._intake.repeated]
        made = GraphTriangles(
            self.directed,
            self.epsilon,
            self._track,
            "ignore" if self._intake.ignore_loops else "refuse",
            cast("Repeated", repeated),
            debug=self._debug,
        )
        storage = self._storage
        ranks = {storage.value(x): int(storage.arrival(x)) for x in storage.vertices()}
        copies = {self._values(*key): count for key, count in self._intake.copies.items()}
        made._restore((self._values(x, y) for x, y in listing.edges(self._engine)), copies, ranks)
        return made

    def __copy__(self) -> GraphTriangles:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> GraphTriangles:
        """As `copy`: vertices are keys, and are shared.  Cost: O(m^{3/2})."""
        return self.copy()

    def __reduce__(self) -> NoReturn:
        """Refused with a `TypeError`."""
        raise TypeError("a GraphTriangles cannot be pickled: pickle its edges, and make it from them")

    # --- results ----------------------------------------------------------------------------------------

    def count_at(self, v: Hashable) -> int:
        """The number of triangles with the vertex v, 0 if v is not in the graph.

        Cost: O(N^{2·min(ε,1−ε)}).  Not tracked: `NotTrackedError`. Bad input: an `InputError`.
        """
        self._need("at", "count_at()")
        x = self._find(v)
        return self._engine.triangles_at(x) if x else 0

    def count_on(self, u: Hashable, v: Hashable) -> int:
        """The number of triangles with the edge (u, v), 0 if it is not in the graph.

        Needs no tracking.  Cost: O(N^max(ε,1−ε)) amortized over updates and calls; alone up to O(N). With
        "on" tracked: O(N^min(ε,1−ε)).  Bad input: an `InputError`.
        """
        x, y = self._find(u), self._find(v)
        if not x or not y or not self._engine.joined(x, y):
            return 0
        if "on" in self._views:
            falling = not self.directed and self._storage.arrival(x) > self._storage.arrival(y)
            return self._views["on"][(v, u) if falling else (u, v)]
        try:
            self._intake.guard = UPDATING  # it may build a row of pairs
            found = self._engine.triangles_on(x, y)
            self._intake.guard = READY
        except BaseException:
            self._intake.guard = BROKEN
            raise
        return found

    def triangles(self) -> Iterator[Triangle]:
        """Each triangle once, its vertices in the order of their arrival; a directed one u → v → w → u from
        the vertex that arrived first.

        Cost: O(m^{3/2}) in all, which is worst-case optimal; with "triangles" tracked: delay O(1). An insert
        or delete of an edge while it is open makes it raise a `StaleEnumerationError` at its next step; what
        a policy ignores or only counts does not.
        """
        self._ready()
        if "triangles" in self._views:
            return ((a, b, c) for (a, b, c), _ in self._views["triangles"])
        return self._listed()

    def _listed(self) -> Iterator[Triangle]:
        storage = self._storage
        for a, b, c in listing.triangles(self._engine):
            self._ready()
            yield storage.value(a), storage.value(b), storage.value(c)

    def clustering(self, v: Hashable) -> Fraction:
        """The share of the pairs of neighbours of v that are adjacent, 2·T(v) / (d·(d − 1)); 0 if d < 2.

        Needs "at".  Cost: O(N^{2·min(ε,1−ε)}).  Not tracked: `NotTrackedError`. Bad input, also a directed
        graph: an `InputError`.
        """
        self._need_undirected("clustering()")
        self._need("at", "clustering()")
        degree, triangles = self.degree(v), self.count_at(v)
        return Fraction(2 * triangles, degree * (degree - 1)) if degree > 1 else Fraction(0)

    def average_clustering(self) -> Fraction:
        """The mean of `clustering(v)` over all vertices in the graph; 0 if there are none.

        Vertices without edges are not in the graph; libraries that know isolated vertices count each as 0.
        Needs "at".  Cost: O(N^{2·min(ε,1−ε)}) for each vertex.  Not tracked: `NotTrackedError`. A directed
        graph: an `InputError`.
        """
        self._need_undirected("average_clustering()")
        self._need("at", "average_clustering()")
        self._ready()
        by_degree: dict[int, int] = {}  # few different denominators: exact sums stay short
        vertices = self._storage.vertices()
        for x in vertices:
            degree = int(self._engine.degree(x))
            by_degree[degree] = by_degree.get(degree, 0) + self._engine.triangles_at(x)
        total = sum((Fraction(2 * t, d * (d - 1)) for d, t in by_degree.items() if t), start=Fraction(0))
        return total / len(vertices) if vertices else Fraction(0)

    def transitivity(self) -> Fraction:
        """The share of the paths of length two that are closed, 3 · triangles / wedges; 0 if there are none.

        Cost: O(1).  A directed graph: an `InputError`.
        """
        self._need_undirected("transitivity()")
        wedges = self._engine.wedges
        return Fraction(3 * self.count(), wedges) if wedges else Fraction(0)

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
        for name, view in self._views.items():
            view.check()
            parts = cast("Mapping[str, Mapping[str, Mapping[Row, int]]]", view.state()["parts"])
            for relation, expected in self._database(name).items():
                kept = {row: m for part in parts[relation].values() for row, m in part.items()}
                if kept != dict.fromkeys(expected, 1):
                    raise InvariantError(f"{relation} of the view for {shown(name)} does not hold the edges")

    # --- within -----------------------------------------------------------------------------------------

    def _need(self, name: Track, question: str) -> None:
        if name not in self._track:
            raise NotTrackedError(
                f'{question} needs {name!r}, which is not tracked: make the graph with track=(…, "{name}"); '
                f"it has track={self._track!r}"
            )

    def _need_undirected(self, question: str) -> None:
        if self.directed:
            raise InputError(f"{question} is defined for undirected graphs only; this one is directed")

    def _database(self, name: Track) -> dict[str, list[Edge]]:
        """The relations of a view for the edges of the graph."""
        relations: dict[str, list[Edge]] = {relation: [] for relation in RELATIONS}
        for x, y in listing.edges(self._engine):
            falling = self._storage.arrival(x) > self._storage.arrival(y)
            for relation, edge in self._tuples_of(name, *self._values(x, y), falling):
                relations[relation].append(edge)
        return relations


def _storage(directed: bool, tracked: bool) -> GraphStorage:
    """The storage of a graph: an arena in the compiled kernel, else sets."""
    if kernel == "compiled":
        from ivme.kernel.graph.arena import ArenaGraph

        return ArenaGraph(directed, tracked)
    return SetGraph(directed, tracked)


def _tracks(track: object) -> tuple[Track, ...]:
    """What to track, in the order of TRACKS, each once."""
    if isinstance(track, str) or not isinstance(track, Iterable):
        raise InputError(f'track {shown(track)}: give a tuple of names, such as ("count", "at")')
    names = list(track)
    for name in names:
        if not isinstance(name, str) or name not in TRACKS:
            raise InputError(f"track has {shown(name)}: choose from {', '.join(map(repr, TRACKS))}")
    return tuple(name for name in TRACKS if name in names)


def _parsed(tuples: str) -> tuple[tuple[RelationName, bool], ...]:
    return tuple((known_relation(entry[0]), entry[1] == "+") for entry in tuples.split())


def _iterable(given: object, what: str) -> Iterable[object]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ArityError(f"{what} {shown(given)} is not an iterable of edges")
    return given
