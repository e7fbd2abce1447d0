"""The vertices and edges of a graph: ours to ask and to change by the names of networkx too.

>>> from ivme import GraphTriangles
>>> graph = GraphTriangles(edges=[("ada", "bob"), ("bob", "eve"), ("eve", "ada")])
>>> graph.nodes(), graph.has_edge("bob", "ada"), sorted(graph.neighbors("eve"))
(['ada', 'bob', 'eve'], True, ['ada', 'bob'])
>>> graph.remove_node("bob")
>>> graph.edges()
[('ada', 'eve')]
"""

from __future__ import annotations

from collections.abc import Hashable

from ivme.graph.maintained import MaintainedGraph
from ivme.graph.options import Edge
from ivme_spec.errors import RefusedUpdateError, shown
from ivme_spec.relations import pair


class StructuredGraph(MaintainedGraph):
    """What is in a graph.

    Lists are the caller's own: the graph may change while one goes over them. A vertex is in the graph while
    it has an edge; one that is not has degree 0 and no neighbours. Errors are ours, `InputError`s, where
    networkx has its own.
    """

    # --- vertices ---------------------------------------------------------------------------------------

    def nodes(self) -> list[Hashable]:
        """The vertices, in the order of arrival.  Cost: O(n log n)."""
        self._ready()
        return self._in_order()

    def has_node(self, v: Hashable) -> bool:
        """Whether a vertex is in the graph.  Cost: O(1).  Bad input: an `InputError`."""
        return self._find(v) > 0

    def degree(self, v: Hashable) -> int:
        """The number of edges at a vertex, in and out if directed; 0 if it is not in the graph.

        Cost: O(1).  Bad input: an `InputError`.
        """
        x = self._find(v)
        return int(self._engine.degree(x)) if x else 0

    def neighbors(self, v: Hashable) -> list[Hashable]:
        """The vertices that v has an edge to, in no particular order; directed: its successors.

        Cost: O(degree).  Bad input: an `InputError`.
        """
        return self._row(v, 0)

    def predecessors(self, v: Hashable) -> list[Hashable]:
        """The vertices that have an edge to v, in no particular order; undirected: its neighbours.

        Cost: O(degree).  Bad input: an `InputError`.
        """
        return self._row(v, 1)

    def _row(self, v: Hashable, backward: int) -> list[Hashable]:
        x, storage = self._find(v), self._storage
        if not x:
            return []
        row = 2 * x + backward if self.directed else x
        return [storage.value(y) for y in storage.members(row)]

    # --- edges ------------------------------------------------------------------------------------------

    def edges(self) -> list[Edge]:
        """Each edge once, however many copies it has; undirected from the vertex that arrived first.

        In no particular order. `multiplicity(u, v)` tells how many.  Cost: O(m).
        """
        self._ready()
        return [(u, v) for u, v, _ in self._copied()]

    def has_edge(self, u: Hashable, v: Hashable) -> bool:
        """Whether (u, v) is an edge.  Cost: O(1).  Bad input: an `InputError`."""
        x, y = self._find(u), self._find(v)
        return bool(x and y and self._engine.joined(x, y))

    def __contains__(self, edge: object) -> bool:
        """Whether the pair (u, v) is an edge.  Cost: O(1).  Bad input: an `InputError`."""
        return self.has_edge(*pair(edge))

    def multiplicity(self, u: Hashable, v: Hashable) -> int:
        """How many copies an edge has: 0 if it is not in the graph; more than 1 only with repeated="count".

        Cost: O(1).  Bad input: an `InputError`.
        """
        x, y = self._find(u), self._find(v)
        return self._copies_of(x, y) if x and y and self._engine.joined(x, y) else 0

    # --- changes ----------------------------------------------------------------------------------------

    def add_edge(self, u: Hashable, v: Hashable) -> None:
        """`insert` by the name of networkx, under our policies; repeated="ignore" is networkx's."""
        self.insert(u, v)

    def remove_edge(self, u: Hashable, v: Hashable) -> None:
        """`delete` by the name of networkx, under our policies."""
        self.delete(u, v)

    def remove_node(self, v: Hashable) -> None:
        """Delete all edges at a vertex, with all their copies, one after the other.

        Cost: that of the deletes, amortized O(N^max(ε,1−ε)) for each copy.  Bad input: an `InputError`, a
        `RefusedUpdateError` if v is not in the graph; nothing has changed. What comes from outside (Ctrl-C, a
        vertex's own __eq__) may leave some of the edges: call it again, after `rebuild()` if it says so.
        """
        if not self.has_node(v):
            raise RefusedUpdateError(f"vertex {shown(v)} is not in the graph: it cannot be removed")
        edges = [(v, w) for w in self.neighbors(v)]
        if self.directed:
            edges += [(w, v) for w in self.predecessors(v)]
        for edge in edges:
            for _ in range(self.multiplicity(*edge)):
                self.delete(*edge)
