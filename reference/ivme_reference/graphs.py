"""A graph by definition: an edge set and its policies, and triangles that are recounted for every answer.

Paper: sec:extensions (triangle queries with repeating relation symbols). An undirected triangle is three
vertices that are pairwise adjacent, a directed one is a cycle u → v → w → u. Nothing is materialized, so
nothing can be stale; `ivme.GraphTriangles` is compared with this.

>>> graph = NaiveGraph(edges=[("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
>>> graph.count(), graph.count_at("c"), graph.count_on("c", "d"), list(graph.triangles())
(1, 1, 0, [('a', 'b', 'c')])
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from typing import Literal

from ivme_spec.errors import (
    ArityError,
    InputError,
    MultiplicityError,
    RefusedEdgeError,
    RefusedUpdateError,
    shown,
)
from ivme_spec.relations import data_value, pair
from ivme_spec.rings import integer

Vertex = Hashable
Edge = tuple[Vertex, Vertex]
Triangle = tuple[Vertex, Vertex, Vertex]


class NaiveGraph:
    """The interface of `ivme.GraphTriangles`, with everything tracked.

    Cost: an update O(its degree and the number of vertices), an answer about triangles O(|vertices|³).
    """

    def __init__(
        self,
        directed: bool = False,
        self_loops: Literal["refuse", "ignore"] = "refuse",
        repeated: Literal["refuse", "ignore", "count"] = "refuse",
        edges: Iterable[object] = (),
    ) -> None:
        self.directed = directed
        self.self_loops = self_loops
        self.repeated = repeated
        self.copies: dict[Edge, int] = {}
        """The number of copies of each edge, which has one direction here."""
        self.vertices: list[Vertex] = []
        """Those that have an edge, in the order of arrival."""
        self.apply(pair(edge) for edge in edges)

    # --- updates --------------------------------------------------------------------------------------------

    def insert(self, u: Vertex, v: Vertex) -> None:
        """Add an edge, by policy."""
        if self._is_loop(data_value(u), data_value(v)):
            return
        found = self._found(u, v)
        if found is None:
            self.copies[u, v] = 1
            self.vertices += [w for w in (u, v) if w not in self.vertices]
        elif self.repeated == "refuse":
            raise RefusedEdgeError(f"edge {shown((u, v))} is in the graph")
        elif self.repeated == "count":
            self.copies[found] += 1

    def delete(self, u: Vertex, v: Vertex) -> None:
        """Remove an edge, or one copy of it."""
        if self._is_loop(data_value(u), data_value(v)):
            return
        found = self._found(u, v)
        if found is None:
            raise RefusedEdgeError(f"edge {shown((u, v))} is not in the graph")
        self.copies[found] -= 1
        if not self.copies[found]:
            del self.copies[found]
            self.vertices = [w for w in self.vertices if self.degree(w)]

    add_edge = insert
    remove_edge = delete

    def remove_node(self, v: Vertex) -> None:
        """Remove all edges at a vertex, with all their copies."""
        if not self.has_node(v):
            raise RefusedUpdateError(f"vertex {shown(v)} is not in the graph")
        self.copies = {edge: count for edge, count in self.copies.items() if v not in {*edge}}
        self.vertices = [w for w in self.vertices if self.degree(w)]

    def apply(self, updates: Iterable[object]) -> int:
        """Many updates (u, v), (u, v, 1) or (u, v, −1); how many."""
        done = 0
        for entry in updates:
            try:
                self._apply_one(entry)
            except InputError as error:
                raise error.at("update", done) from error
            done += 1
        return done

    def _apply_one(self, entry: object) -> None:
        if not isinstance(entry, tuple | list) or len(entry) not in (2, 3):
            raise ArityError(f"{shown(entry)} is neither (u, v) nor (u, v, ±1)")
        sign = integer(entry[2]) if len(entry) == 3 else 1
        if sign not in (1, -1):
            raise MultiplicityError(f"{shown(entry)}: neither 1 nor -1")
        (self.insert if sign > 0 else self.delete)(entry[0], entry[1])

    def _is_loop(self, u: Vertex, v: Vertex) -> bool:
        """Whether an edge is a self-loop, which is an error by policy. The keys of a dict are compared so."""
        if len({u, v}) == 2:
            return False
        if self.self_loops == "refuse":
            raise RefusedEdgeError(f"edge {shown((u, v))} is a self-loop")
        return True

    def _found(self, u: Vertex, v: Vertex) -> Edge | None:
        """The edge as it is stored, None if it is not in the graph."""
        if (u, v) in self.copies:
            return u, v
        return (v, u) if not self.directed and (v, u) in self.copies else None

    # --- answers --------------------------------------------------------------------------------------------

    def __contains__(self, edge: object) -> bool:
        """Whether the pair (u, v) is an edge."""
        return self._found(*pair(edge)) is not None

    def has_edge(self, u: Vertex, v: Vertex) -> bool:
        """Whether (u, v) is an edge."""
        return (u, v) in self

    def has_node(self, v: Vertex) -> bool:
        """Whether a vertex has an edge."""
        return self.degree(data_value(v)) > 0

    def nodes(self) -> list[Vertex]:
        """The vertices that have an edge, in the order of arrival."""
        return list(self.vertices)

    def edges(self) -> list[Edge]:
        """Each edge once."""
        return list(self.copies)

    def multiplicity(self, u: Vertex, v: Vertex) -> int:
        """The number of copies of an edge."""
        found = self._found(*pair((u, v)))
        return 0 if found is None else self.copies[found]

    def neighbors(self, v: Vertex) -> list[Vertex]:
        """The vertices that v has an edge to, in the order of arrival."""
        return [w for w in self.vertices if (v, w) in self]

    def predecessors(self, v: Vertex) -> list[Vertex]:
        """The vertices that have an edge to v, in the order of arrival."""
        return [w for w in self.vertices if (w, v) in self]

    def number_of_nodes(self) -> int:
        """The number of vertices that have an edge."""
        return len(self.vertices)

    def number_of_edges(self) -> int:
        """The number of different edges."""
        return len(self.copies)

    def degree(self, v: Vertex) -> int:
        """The number of edges at a vertex, in and out."""
        return sum(v in {*edge} for edge in self.copies)

    def triangles(self) -> Iterator[Triangle]:
        """Each triangle once, its vertices in the order of arrival, a cycle from the first of them on."""
        for a, b, c in combinations(self.vertices, 3):
            for first, second, third in ((a, b, c), (a, c, b)) if self.directed else ((a, b, c),):
                if all(map(self._found, (first, second, third), (second, third, first))):
                    yield first, second, third

    def count(self) -> int:
        """The number of triangles."""
        return len(list(self.triangles()))

    def count_at(self, v: Vertex) -> int:
        """The number of triangles with a vertex."""
        return sum(v in {*triangle} for triangle in self.triangles())

    def count_on(self, u: Vertex, v: Vertex) -> int:
        """The number of triangles with an edge; 0 if it is not in the graph."""
        on = {(u, v)} if self.directed else {(u, v), (v, u)}
        return sum(bool(on & {(a, b), (b, c), (c, a)}) for a, b, c in self.triangles())

    def top(self, k: int) -> list[tuple[Vertex, int]]:
        """The k vertices with the most triangles and their numbers; ties in the order of arrival."""
        if type(k) is not int or k < 0:
            raise InputError(f"{shown(k)} is not a natural number")
        counted = [(v, self.count_at(v)) for v in self.vertices]
        return sorted(counted, key=lambda entry: -entry[1])[:k]

    def clustering(self, v: Vertex) -> Fraction:
        """The share of the pairs of neighbours of v that are adjacent; undirected."""
        degree = self.degree(v)
        return Fraction(2 * self.count_at(v), degree * (degree - 1)) if degree > 1 else Fraction(0)

    def average_clustering(self) -> Fraction:
        """The mean of `clustering` over all vertices; undirected."""
        total = sum(map(self.clustering, self.vertices), start=Fraction(0))
        return total / len(self.vertices) if self.vertices else Fraction(0)

    def wedges(self) -> int:
        """The number of pairs of edges at one vertex."""
        return sum(degree * (degree - 1) // 2 for degree in map(self.degree, self.vertices))

    def transitivity(self) -> Fraction:
        """The share of the wedges that are closed; undirected."""
        wedges = self.wedges()
        return Fraction(3 * self.count(), wedges) if wedges else Fraction(0)
