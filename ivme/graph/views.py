"""The views of what a graph enumerates with the paper's delay, "on" and "triangles".

Paper: sec:extensions, "triangle queries with repeating relation symbols": one edge set plays R, S and T. An
edge becomes two to five tuples of a `TriangleView`, chosen so that each triangle is counted once, with
nothing to divide. u < v below compares arrivals; a vertex arrives with its first edge and leaves with its
last.

    undirected     head  R holds      S holds      T holds      so that the view has
    triangles      ABC   u < v        u < v        u > v        a < b < c: each triangle once
    on             AB    u < v        both ways    both ways    a < b: each triangle on {a, b} once

    directed (a triangle is a cycle a → b → c → a)
    triangles      ABC   u < v        all          u > v        a is the first of the three: each cycle once
    on             AB    all          all          all          each cycle through a → b once
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import cast

from ivme.graph.options import Edge, Track
from ivme.view import TriangleView
from ivme_spec.errors import InvariantError, shown
from ivme_spec.relations import RELATIONS, RelationName, Row, known_relation

HEADS: Mapping[Track, str] = {"on": "AB", "triangles": "ABC"}
"""What has a view of its own, and its free variables."""

# The tuples of an edge (u, v): relation and direction, "+" for (u, v) and "-" for (v, u). The first entry is
# for u < v, the second for u > v; an undirected edge is always turned so that u < v.
_UNDIRECTED: Mapping[Track, tuple[str, str]] = {"triangles": ("R+ S+ T-", ""), "on": ("R+ S+ S- T+ T-", "")}
_DIRECTED: Mapping[Track, tuple[str, str]] = {
    "triangles": ("R+ S+", "S+ T+"),
    "on": ("R+ S+ T+", "R+ S+ T+"),
}

Directed = tuple[Hashable, Hashable, bool]
"""An edge, and whether its first vertex arrived after its second."""


class EdgeViews:
    """The views of a graph, by what they enumerate.

    Invariant: their relations hold exactly the tuples of the edges of the graph, each once.
    """

    def __init__(
        self,
        track: Iterable[Track],
        directed: bool,
        epsilon: Fraction,
        edges: Callable[[], Iterable[Directed]],
    ) -> None:
        self.directed = directed
        tuples = _DIRECTED if directed else _UNDIRECTED
        viewed = [name for name in track if name in HEADS]
        self.tuples = {name: (_parsed(tuples[name][0]), _parsed(tuples[name][1])) for name in viewed}
        self.views: dict[Track, TriangleView[int]] = {
            name: TriangleView(HEADS[name], epsilon, database=self.database(name, edges())) for name in viewed
        }

    def update(self, u: Hashable, v: Hashable, falling: bool, sign: int) -> None:
        """An edge came or went.  Cost: O(N^max(ε,1−ε)) amortized for each view."""
        for name, view in self.views.items():
            for relation, edge in self.tuples_of(name, u, v, falling):
                view.update(relation, *edge, sign)

    def tuples_of(
        self, name: Track, u: Hashable, v: Hashable, falling: bool
    ) -> Iterator[tuple[RelationName, Edge]]:
        """The tuples of an edge in a view; an undirected edge is turned so that u < v."""
        if falling and not self.directed:
            u, v, falling = v, u, False
        for relation, forward in self.tuples[name][falling]:
            yield relation, ((u, v) if forward else (v, u))

    def database(self, name: Track, edges: Iterable[Directed]) -> dict[str, list[Edge]]:
        """The relations of a view for the edges of the graph.  Cost: O(m)."""
        relations: dict[str, list[Edge]] = {relation: [] for relation in RELATIONS}
        for u, v, falling in edges:
            for relation, edge in self.tuples_of(name, u, v, falling):
                relations[relation].append(edge)
        return relations

    def check(self, edges: Callable[[], Iterable[Directed]]) -> None:
        """Raise an `InvariantError` that names what is violated, if anything.  Cost: recomputes all."""
        for name, view in self.views.items():
            view.check()
            parts = cast("Mapping[str, Mapping[str, Mapping[Row, int]]]", view.state()["parts"])
            for relation, expected in self.database(name, edges()).items():
                kept = {row: m for part in parts[relation].values() for row, m in part.items()}
                if kept != dict.fromkeys(expected, 1):
                    raise InvariantError(f"{relation} of the view for {shown(name)} does not hold the edges")


def _parsed(tuples: str) -> tuple[tuple[RelationName, bool], ...]:
    return tuple((known_relation(entry[0]), entry[1] == "+") for entry in tuples.split())
