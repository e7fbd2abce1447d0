"""The state of a graph whose triangles are maintained: what must hold between two updates.

Paper: sec:extensions (triangle queries with repeating relation symbols): one edge relation E plays R, S and
T. Here it is stored once, and vertices are partitioned, not the three columns of three copies.

    N         ⌊N/4⌋ ≤ Σ degrees < N (the size invariant, def:ivme_state); θ = N^ε
    classes   a heavy vertex has degree ≥ ½θ, a light one < ³⁄₂θ (def:loose_relation_partition)
    rows      V(u,z) = #{w light: u → w → z}, for each built u and each heavy z ≠ u; built vertices are heavy
    explicit  the triangles of a vertex; for a light w without those u → w → z → u that have u built
              (undirected: u or z) and z heavy

An undirected edge is two arcs; a triangle is a cycle u → v → w → u, and undirected both cycles are one
triangle.

>>> arcs = frozenset({(1, 2), (2, 3), (3, 1)})
>>> cycles_at(arcs, directed=True)
{1: 1, 2: 1, 3: 1}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Set
from fractions import Fraction

from attrs import frozen

from ivme_spec.partitions import Violation
from ivme_spec.state import size_invariant
from ivme_spec.thresholds import threshold

STATE = "def:ivme_state"
CLASSES = "def:loose_relation_partition"
VIEWS = "sec:extensions"

Vertex = Hashable
Arc = tuple[Vertex, Vertex]


@frozen
class GraphState:
    """What a graph kernel holds; `arcs` has both directions of an undirected edge.

    explicit is None where the triangles of vertices are not tracked.
    """

    directed: bool
    epsilon: Fraction
    base: int
    arcs: Set[Arc]
    heavy: Set[Vertex]
    rows: Mapping[Vertex, Mapping[Vertex, int]]
    explicit: Mapping[Vertex, int] | None
    triangles: int
    wedges: int

    @property
    def degrees(self) -> dict[Vertex, int]:
        """The number of edges at each vertex, in and out."""
        ends = Counter(v for arc in self.arcs for v in arc)
        return {v: count if self.directed else count // 2 for v, count in ends.items()}


def successors(arcs: Set[Arc]) -> dict[Vertex, set[Vertex]]:
    """Out(u) for each u that has one."""
    found: dict[Vertex, set[Vertex]] = {}
    for u, v in arcs:
        found.setdefault(u, set()).add(v)
    return found


def cycles_at(arcs: Set[Arc], directed: bool) -> dict[Vertex, int]:
    """The triangles of each vertex, by definition."""
    out = successors(arcs)
    found = {
        u: sum(1 for v in out.get(u, ()) for w in out.get(v, ()) if u in out.get(w, ()))
        for u in {v for arc in arcs for v in arc}
    }
    return found if directed else {v: count // 2 for v, count in found.items()}


def implicit_at(state: GraphState, w: Vertex, out: Mapping[Vertex, Set[Vertex]]) -> int:
    """The triangles of a vertex that its explicit number leaves out; `out` has the successors."""
    if w in state.heavy:
        return 0
    pairs = {
        (u, z) if state.directed else frozenset((u, z))
        for u in state.heavy
        if w in out.get(u, ())
        for z in out.get(w, ())
        if z in state.heavy and u in out.get(z, ()) and u != z
        if u in state.rows or (not state.directed and z in state.rows)
    }
    return len(pairs)


def row_of(state: GraphState, u: Vertex, out: Mapping[Vertex, Set[Vertex]]) -> dict[Vertex, int]:
    """V(u,·) by definition; `out` has the successors."""
    return dict(
        Counter(
            z
            for w in out.get(u, ())
            if w not in state.heavy
            for z in out.get(w, ())
            if z in state.heavy and z != u
        )
    )


def graph_violations(state: GraphState) -> Iterator[Violation]:
    """Every condition above that does not hold.  Cost: recomputes everything."""
    degrees, theta = state.degrees, threshold(state.base, state.epsilon)
    out = successors(state.arcs)
    if not size_invariant(state.base, sum(degrees.values())):
        found = f"N = {state.base} with Σ degrees = {sum(degrees.values())}"
        yield Violation(STATE, "size invariant", found)
    for v, degree in degrees.items():
        if v in state.heavy and degree < theta.heavy:
            yield Violation(CLASSES, "heavy", f"{v!r} has degree {degree}, less than ½θ")
        if v not in state.heavy and degree >= theta.light:
            yield Violation(CLASSES, "light", f"{v!r} has degree {degree}, at least ³⁄₂θ")
    if strangers := set(state.heavy) - set(degrees):
        yield Violation(CLASSES, "heavy", f"{strangers!r} have no edge")
    if wrong := set(state.rows) - set(state.heavy):
        yield Violation(VIEWS, "rows", f"{wrong!r} are built and not heavy")
    for u, row in state.rows.items():
        if dict(row) != (expected := row_of(state, u, out)):
            yield Violation(VIEWS, "rows", f"V({u!r}, ·) is {dict(row)!r}, not {expected!r}")
    triangles = cycles_at(state.arcs, state.directed)
    if 3 * state.triangles != sum(triangles.values()):
        yield Violation(
            VIEWS, "count", f"{state.triangles} triangles are counted, not {sum(triangles.values()) // 3}"
        )
    if state.wedges != sum(degree * (degree - 1) // 2 for degree in degrees.values()):
        yield Violation(VIEWS, "wedges", f"{state.wedges} wedges are counted, which is not Σ d(d − 1)/2")
    for v, count in triangles.items() if state.explicit is not None else ():
        explicit = (state.explicit or {}).get(v, 0)
        if explicit + implicit_at(state, v, out) != count:
            yield Violation(VIEWS, "explicit", f"{v!r} has {explicit} explicit triangles of {count}")
