"""`GraphTriangles`: the triangles of a graph, kept up to date while edges come and go.

Paper: sec:extensions, "triangle queries with repeating relation symbols": one edge set plays R, S and T.

Each tracked quantity is a `TriangleView` of its own. An edge becomes two to five tuples of multiplicity 1 in
it, chosen so that each triangle is counted as often as wanted, with nothing to divide. Vertices are ranked
in the order of their arrival; u < v below compares ranks, and every vertex with an edge has one.

    undirected     head  R holds      S holds      T holds      so that the view has
    count          ""    u < v        u < v        u > v        a < b < c: each triangle once
    triangles      ABC   u < v        u < v        u > v        the same, listed
    at             A     both ways    u < v        both ways    b < c: each triangle at a once
    on             AB    u < v        both ways    both ways    a < b: each triangle on {a, b} once

    directed (a triangle is a cycle a → b → c → a)
    count          ""    u < v        all          u > v        a is the first of the three: each cycle once
    triangles      ABC   u < v        all          u > v        the same, listed
    at             A     all          all          all          each cycle through a once
    on             AB    all          all          all          each cycle through a → b once

Invariant between two calls: the relations of each view hold exactly these tuples for the edges of the graph,
each once; `_vertices` holds exactly the vertices with an edge; `_wedges` is Σ_v d(v)·(d(v) − 1) / 2. Since
the graph knows its edges, it refuses a bad update before any view sees it, and no view ever refuses one. An
update that is cut short in the middle leaves the graph broken (`ivme.kernel.guard`), until `rebuild()`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Literal, NoReturn, cast

from attrs import define

from ivme.events import Costs
from ivme.kernel.guard import BROKEN, READY, UPDATING, refuse
from ivme.kernel.storage.dicts.lines import compacted
from ivme.view import TriangleView
from ivme_spec.errors import (
    ArityError,
    InputError,
    InvariantError,
    MultiplicityError,
    NotTrackedError,
    RefusedEdgeError,
    shown,
)
from ivme_spec.relations import RELATIONS, RelationName, Row, data_value, known_relation, pair
from ivme_spec.rings import integer
from ivme_spec.thresholds import parse_epsilon

Edge = tuple[Hashable, Hashable]
Triangle = tuple[Hashable, Hashable, Hashable]

Track = Literal["count", "at", "on", "triangles"]
SelfLoops = Literal["refuse", "ignore"]
Repeated = Literal["refuse", "ignore", "count"]

HEADS: Mapping[Track, str] = {"count": "", "at": "A", "on": "AB", "triangles": "ABC"}
"""What can be tracked, and the free variables of its view."""

SELF_LOOPS: tuple[SelfLoops, ...] = ("refuse", "ignore")
REPEATED: tuple[Repeated, ...] = ("refuse", "ignore", "count")

# The tuples of an edge (u, v): relation and direction, "+" for (u, v) and "-" for (v, u). The first entry is
# for u < v, the second for u > v; an undirected edge is always turned so that u < v.
_UNDIRECTED: Mapping[Track, tuple[str, str]] = {
    "count": ("R+ S+ T-", ""),
    "triangles": ("R+ S+ T-", ""),
    "at": ("R+ R- S+ T+ T-", ""),
    "on": ("R+ S+ S- T+ T-", ""),
}
_DIRECTED: Mapping[Track, tuple[str, str]] = {
    "count": ("R+ S+", "S+ T+"),
    "triangles": ("R+ S+", "S+ T+"),
    "at": ("R+ S+ T+", "R+ S+ T+"),
    "on": ("R+ S+ T+", "R+ S+ T+"),
}

_Tuples = tuple[tuple[RelationName, bool], ...]


@define
class _Vertex:
    rank: int
    degree: int = 0


class GraphTriangles:
    """The triangles of a simple graph, maintained under inserts and deletes of single edges.

    directed    False: (v, u) is the same edge as (u, v), and a triangle is three vertices that are pairwise
                adjacent. True: the two are different edges, and a triangle is a cycle u → v → w → u
    epsilon     ε ∈ [0,1], exact: "1/2", Fraction, int, Decimal, or a float as it prints
    track       what is maintained, any of "count", "at", "on" and "triangles"; each costs time and space of
                its own, and what is not tracked cannot be asked for
    self_loops  an edge from a vertex to itself is never in the graph; to insert or delete one is an error
                ("refuse") or does nothing ("ignore")
    repeated    an insert of an edge that is there is an error ("refuse"), does nothing ("ignore"), or adds a
                copy ("count"): the edge is then gone with its last copy. Triangles, degrees and edges are
                those of the simple graph in any case
    edges       pairs to start from, under the same policies
    debug       True: every view checks itself after every update; n: every n-th; default: IVME_DEBUG

    A vertex is anything hashable, compared like the keys of a dict. It is in the graph while it has an edge:
    there are no isolated vertices, and a vertex that is not in the graph has degree 0 and no triangles.

    With m edges and N = Θ(m): update O(N^max(ε,1−ε)) amortized for each tracked quantity; space O(m), and
    for each tracked quantity O(N^{1+min(ε,1−ε)}), or O(N^{3/2}) for "triangles". What is forgotten needs no
    space: a sliding window over an endless stream takes the space of the window.

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
        if repeated not in REPEATED:
            raise InputError(f"repeated {shown(repeated)}: give one of {', '.join(map(repr, REPEATED))}")
        self._directed = directed
        self._epsilon = parse_epsilon(epsilon)
        self._track = _tracks(track)
        self._self_loops = self_loops
        self._repeated = repeated
        self._vertices: dict[Hashable, _Vertex] = {}
        self._edges: dict[Edge, int] = {}
        """The edges and how many copies each has, more than one only with repeated="count"."""
        self._next_rank = 0
        self._wedges = 0
        self._debug = debug
        self._guard = READY
        self._changing: tuple[Edge, int] | None = None
        """While the graph is half-changed: the edge, and how many copies it had."""
        tuples = _DIRECTED if directed else _UNDIRECTED
        self._tuples = {name: (_parsed(tuples[name][0]), _parsed(tuples[name][1])) for name in self._track}
        for position, edge in enumerate(() if edges is None else _iterable(edges, "edges")):
            try:
                self._enter(*pair(edge))
            except InputError as error:
                raise error.at("edge", position) from error
        self._changing = None
        self._views = self._made_views()

    def _made_views(self) -> dict[Track, TriangleView[int]]:
        return {
            name: TriangleView(HEADS[name], self._epsilon, database=self._database(name), debug=self._debug)
            for name in self._track
        }

    def _ready(self) -> None:
        """Refuse what comes in the middle of an update, or after a broken one."""
        if self._guard != READY:
            refuse(self._guard)

    # --- what it is -------------------------------------------------------------------------------------

    @property
    def directed(self) -> bool:
        """Whether edges have a direction.  Cost: O(1)."""
        return self._directed

    @property
    def epsilon(self) -> Fraction:
        """ε, exactly.  Cost: O(1)."""
        return self._epsilon

    @property
    def track(self) -> tuple[Track, ...]:
        """What is maintained.  Cost: O(1)."""
        return self._track

    @property
    def size(self) -> int:
        """The number of tuples in the relations of all tracked views.  Cost: O(1)."""
        self._ready()
        return sum(view.size for view in self._views.values())

    @property
    def costs(self) -> dict[str, Costs]:
        """The steps counted so far, for each tracked quantity.  Cost: O(1)."""
        return {name: view.costs for name, view in self._views.items()}

    def number_of_nodes(self) -> int:
        """The number of vertices that have an edge.  Cost: O(1)."""
        self._ready()
        return len(self._vertices)

    def number_of_edges(self) -> int:
        """The number of different edges; copies do not count.  Cost: O(1)."""
        self._ready()
        return len(self._edges)

    def degree(self, v: Hashable) -> int:
        """The number of edges at a vertex, in and out if directed; 0 if it is not in the graph.

        Cost: O(1).  Bad input: an `InputError`.
        """
        self._ready()
        vertex = self._vertices.get(data_value(v))
        return 0 if vertex is None else vertex.degree

    def __contains__(self, edge: object) -> bool:
        """Whether the pair (u, v) is an edge.  Cost: O(1).  Bad input: an `InputError`."""
        self._ready()
        return self._key(*pair(edge)) in self._edges

    def __repr__(self) -> str:
        kind = "directed" if self._directed else "undirected"
        sizes = f"nodes={len(self._vertices)} edges={len(self._edges)}"
        if self._guard != READY:
            sizes = "broken, rebuild() it" if self._guard == BROKEN else "in the middle of an operation"
        return f"<GraphTriangles {kind} epsilon={self._epsilon} track={self._track!r} {sizes}>"

    # --- updates ----------------------------------------------------------------------------------------

    def insert(self, u: Hashable, v: Hashable) -> None:
        """Add an edge.

        Cost: amortized O(N^max(ε,1−ε)) for each tracked quantity.  Bad input, by policy a self-loop or an
        edge that is there: an `InputError`, and nothing has changed.
        """
        self._update(u, v, 1)

    def delete(self, u: Hashable, v: Hashable) -> None:
        """Take an edge away; with repeated="count", one copy of it.

        Cost: amortized O(N^max(ε,1−ε)) for each tracked quantity.  Bad input, an edge that is not there, by
        policy a self-loop: an `InputError`, and nothing has changed.
        """
        self._update(u, v, -1)

    def _update(self, u: Hashable, v: Hashable, sign: int) -> None:
        """Insert an edge or delete one; an exception in the middle breaks the graph."""
        if self._guard != READY:  # not by a call: no other thread may come in between
            refuse(self._guard)
        try:
            self._guard = UPDATING
            if sign > 0:
                if (edge := self._enter(u, v)) is not None:
                    self._change(edge, 1)
            elif not self._passes_over(u, v):
                self._remove(u, v)
            self._changing = None
            self._guard = READY
        except BaseException:
            self._guard = READY if self._changing is None else BROKEN
            raise

    def _remove(self, u: Hashable, v: Hashable) -> None:
        edge = self._key(u, v)
        copies = self._edges.get(edge)
        if copies is None:
            raise RefusedEdgeError(f"edge {shown((u, v))} is not in the graph: it cannot be deleted")
        self._changing = (edge, copies)
        if copies > 1:
            self._edges[edge] = copies - 1
            return
        self._change(edge, -1)
        self._leave(edge)

    def apply(self, updates: Iterable[tuple[Hashable, Hashable] | tuple[Hashable, Hashable, int]]) -> int:
        """Many updates, in order; how many. (u, v) and (u, v, 1) insert an edge, (u, v, −1) deletes one.

        A refused one raises its error, with its position (from 0) in the message and in `error.position`;
        those before it stay applied.  Cost: amortized O(N^max(ε,1−ε)) each, for each tracked quantity.
        """
        done = 0
        for entry in _iterable(updates, "updates"):
            try:
                self._apply_one(entry)
            except InputError as error:
                raise error.at("update", done) from error
            done += 1
        return done

    def _apply_one(self, entry: object) -> None:
        if not isinstance(entry, tuple | list) or len(entry) not in (2, 3):
            raise ArityError(f"{shown(entry)} is neither (u, v) nor (u, v, 1) nor (u, v, -1)")
        sign = integer(entry[2]) if len(entry) == 3 else 1
        if sign not in (1, -1):
            raise MultiplicityError(f"{shown(entry)}: give 1 to insert the edge or -1 to delete it")
        self._update(entry[0], entry[1], sign)

    def rebuild(self) -> None:
        """Build everything anew from the edges, without the update that broke the graph, if one did.

        Cost: O(m^{3/2}).  In the middle of an update: a `BusyError`.
        """
        if self._guard != BROKEN:
            self._ready()
        edges = dict(self._edges)
        if self._changing is not None:
            edge, copies = self._changing
            edges.pop(edge, None)
            if copies:
                edges[edge] = copies
        self._restore(edges, {v: vertex.rank for v, vertex in self._vertices.items()})
        self._changing, self._guard = None, READY

    def copy(self) -> GraphTriangles:
        """A graph of its own with the same edges; the counters start anew.  Cost: O(m^{3/2})."""
        self._ready()
        made = GraphTriangles(
            self._directed,
            self._epsilon,
            self._track,
            self._self_loops,
            self._repeated,
            debug=self._debug,
        )
        made._restore(self._edges, {v: vertex.rank for v, vertex in self._vertices.items()})
        return made

    def __copy__(self) -> GraphTriangles:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> GraphTriangles:
        """As `copy`: vertices are keys, and are shared.  Cost: O(m^{3/2})."""
        return self.copy()

    def __reduce__(self) -> NoReturn:
        """Refused with a `TypeError`."""
        raise TypeError("a GraphTriangles cannot be pickled: pickle its edges, and make it from them")

    def _restore(self, edges: Mapping[Edge, int], ranks: Mapping[Hashable, int]) -> None:
        """Have these edges and copies; vertices keep their ranks, those without one arrive last."""
        next_rank = max(ranks.values(), default=-1) + 1
        vertices: dict[Hashable, _Vertex] = {}
        turned: dict[Edge, int] = {}
        for (u, v), copies in edges.items():
            for w in (u, v):
                if w not in vertices:
                    vertices[w] = _Vertex(ranks.get(w, next_rank))
                    next_rank += w not in ranks
                vertices[w].degree += 1
            falling = vertices[u].rank > vertices[v].rank
            turned[(v, u) if falling and not self._directed else (u, v)] = copies
        self._vertices, self._edges, self._next_rank = vertices, turned, next_rank
        self._wedges = sum(vertex.degree * (vertex.degree - 1) // 2 for vertex in vertices.values())
        self._views = self._made_views()

    # --- results ----------------------------------------------------------------------------------------

    def count(self) -> int:
        """The number of triangles.  Cost: O(1).  Not tracked: `NotTrackedError`."""
        return self._view("count", "count()")[()]

    def count_at(self, v: Hashable) -> int:
        """The number of triangles with the vertex v, 0 if v is not in the graph.

        Cost: O(N^{2·min(ε,1−ε)}).  Not tracked: `NotTrackedError`. Bad input: an `InputError`.
        """
        return self._view("at", "count_at()")[v,]

    def count_on(self, u: Hashable, v: Hashable) -> int:
        """The number of triangles with the edge (u, v), 0 if it is not in the graph.

        Cost: O(N^min(ε,1−ε)).  Not tracked: `NotTrackedError`. Bad input: an `InputError`.
        """
        return self._view("on", "count_on()")[self._key(data_value(u), data_value(v))]

    def triangles(self) -> Iterator[Triangle]:
        """Each triangle once, its vertices in the order of their arrival; a directed one u → v → w → u from
        the vertex that arrived first.

        Delay: O(1). An insert or delete of an edge while it is open makes it raise a `StaleEnumerationError`
        at its next step; what a policy ignores or only counts does not.  Not tracked: `NotTrackedError`.
        """
        return ((a, b, c) for (a, b, c), _ in self._view("triangles", "triangles()"))

    def clustering(self, v: Hashable) -> Fraction:
        """The share of the pairs of neighbours of v that are adjacent, 2·T(v) / (d·(d − 1)); 0 if d < 2.

        Needs "at".  Cost: O(N^{2·min(ε,1−ε)}).  Not tracked: `NotTrackedError`. Bad input, also a directed
        graph: an `InputError`.
        """
        view = self._undirected_view("at", "clustering()")
        degree = self.degree(v)
        return Fraction(2 * view[v,], degree * (degree - 1)) if degree > 1 else Fraction(0)

    def average_clustering(self) -> Fraction:
        """The mean of `clustering(v)` over all vertices in the graph; 0 if there are none.

        Vertices without edges are not in the graph; libraries that know isolated vertices count each as 0.
        Needs "at".  Cost: O(N^{2·min(ε,1−ε)}) for each vertex that has a triangle.  Not tracked:
        `NotTrackedError`. A directed graph: an `InputError`.
        """
        by_degree: dict[int, int] = {}  # few different denominators: exact sums stay short
        for (v,), triangles in self._undirected_view("at", "average_clustering()"):
            degree = self._vertices[v].degree
            by_degree[degree] = by_degree.get(degree, 0) + triangles
        total = sum((Fraction(2 * t, d * (d - 1)) for d, t in by_degree.items()), start=Fraction(0))
        return total / len(self._vertices) if self._vertices else Fraction(0)

    def transitivity(self) -> Fraction:
        """The share of the paths of length two that are closed, 3 · triangles / wedges; 0 if there are none.

        Needs "count".  Cost: O(1).  Not tracked: `NotTrackedError`. A directed graph: an `InputError`.
        """
        triangles = self._undirected_view("count", "transitivity()")[()]
        return Fraction(3 * triangles, self._wedges) if self._wedges else Fraction(0)

    # --- looking inside ---------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise an `InvariantError` that names what is violated, if anything.  Cost: recomputes all."""
        self._ready()
        degrees: dict[Hashable, int] = {}
        for edge in self._edges:
            for v in edge:
                degrees[v] = degrees.get(v, 0) + 1
        if {v: vertex.degree for v, vertex in self._vertices.items()} != degrees:
            raise InvariantError("the degrees kept are not those of the edges")
        if self._wedges != sum(d * (d - 1) // 2 for d in degrees.values()):
            raise InvariantError(f"the number of wedges kept, {self._wedges}, is not that of the degrees")
        if len({vertex.rank for vertex in self._vertices.values()}) < len(self._vertices):
            raise InvariantError("two vertices have the same rank")
        for name, view in self._views.items():
            view.check()
            parts = cast("Mapping[str, Mapping[str, Mapping[Row, int]]]", view.state()["parts"])
            for relation, expected in self._database(name).items():
                kept = {row: m for part in parts[relation].values() for row, m in part.items()}
                if kept != dict.fromkeys(expected, 1):
                    raise InvariantError(f"{relation} of the view for {shown(name)} does not hold the edges")

    # --- within -----------------------------------------------------------------------------------------

    def _view(self, name: Track, question: str) -> TriangleView[int]:
        self._ready()
        view = self._views.get(name)
        if view is None:
            raise NotTrackedError(
                f'{question} needs {name!r}, which is not tracked: make the graph with track=(…, "{name}"); '
                f"it has track={self._track!r}"
            )
        return view

    def _undirected_view(self, name: Track, question: str) -> TriangleView[int]:
        if self._directed:
            raise InputError(f"{question} is defined for undirected graphs only; this one is directed")
        return self._view(name, question)

    def _passes_over(self, u: Hashable, v: Hashable) -> bool:
        """Whether (u, v) is a self-loop that the policy ignores; an error if the policy refuses it."""
        data_value(u), data_value(v)
        if not (u is v or u == v):  # as the keys of a dict are compared
            return False
        if self._self_loops == "refuse":
            raise RefusedEdgeError(
                f'edge {shown((u, v))} is a self-loop; self_loops="ignore" passes over them'
            )
        return True

    def _rank(self, v: Hashable) -> int:
        """The rank of a vertex, or the one that it would get."""
        vertex = self._vertices.get(v)
        return self._next_rank if vertex is None else vertex.rank

    def _key(self, u: Hashable, v: Hashable) -> Edge:
        """The edge as it is stored: the vertex that arrived first comes first, unless edges are directed."""
        return (v, u) if not self._directed and self._rank(v) < self._rank(u) else (u, v)

    def _enter(self, u: Hashable, v: Hashable) -> Edge | None:
        """Note an insert, but in the views; the edge if it is new to the simple graph."""
        if self._passes_over(u, v):
            return None
        edge = self._key(u, v)
        copies = self._edges.get(edge)
        if copies is not None:
            if self._repeated == "refuse":
                raise RefusedEdgeError(
                    f"edge {shown((u, v))} is in the graph; "
                    'repeated="ignore" or "count" allows to insert it again'
                )
            if self._repeated == "count":
                self._changing = (edge, copies)
                self._edges[edge] = copies + 1
            return None
        self._changing = (edge, 0)
        self._edges[edge] = 1
        for w in edge:
            vertex = self._vertices.get(w)
            if vertex is None:
                vertex = self._vertices[w] = _Vertex(self._next_rank)
                self._next_rank += 1
            self._wedges += vertex.degree
            vertex.degree += 1
        return edge

    def _leave(self, edge: Edge) -> None:
        """Note that the last copy of an edge is gone, but in the views."""
        del self._edges[edge]
        for w in edge:
            vertex = self._vertices[w]
            vertex.degree -= 1
            self._wedges -= vertex.degree
            if not vertex.degree:
                del self._vertices[w]  # its rank too: should it return, it arrives anew
        self._edges, self._vertices = compacted(self._edges), compacted(self._vertices)

    def _change(self, edge: Edge, sign: int) -> None:
        """Bring the tuples of an edge into all views, or take them away."""
        falling = self._rank(edge[0]) > self._rank(edge[1])
        for name, view in self._views.items():
            for relation, forward in self._tuples[name][falling]:
                view.update(relation, *(edge if forward else edge[::-1]), sign)

    def _database(self, name: Track) -> dict[str, list[Edge]]:
        """The relations of a tracked quantity for the edges of the graph."""
        relations: dict[str, list[Edge]] = {relation: [] for relation in RELATIONS}
        for u, v in self._edges:
            for relation, forward in self._tuples[name][self._rank(u) > self._rank(v)]:
                relations[relation].append((u, v) if forward else (v, u))
        return relations


def _tracks(track: object) -> tuple[Track, ...]:
    """What to track, in the order of HEADS, each once."""
    if isinstance(track, str) or not isinstance(track, Iterable):
        raise InputError(f'track {shown(track)}: give a tuple of names, such as ("count", "at")')
    names = list(track)
    for name in names:
        if not isinstance(name, str) or name not in HEADS:
            raise InputError(f"track has {shown(name)}: choose from {', '.join(map(repr, HEADS))}")
    return tuple(name for name in HEADS if name in names)


def _parsed(tuples: str) -> _Tuples:
    return tuple((known_relation(entry[0]), entry[1] == "+") for entry in tuples.split())


def _iterable(given: object, what: str) -> Iterable[object]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ArityError(f"{what} {shown(given)} is not an iterable of edges")
    return given
