"""`GraphTriangles`: a graph and its triangles, copied, compared, saved and loaded."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, cast

from ivme.extras import needed
from ivme.formats.graphs import (
    Options,
    SavedGraph,
    graph_bytes,
    opened_graph,
    opened_graph_bytes,
    write_graph,
)
from ivme.formats.saved import SnapshotError
from ivme.graph.answers import CountedGraph
from ivme.graph.options import Repeated, SelfLoops, Track
from ivme_spec.errors import InputError

if TYPE_CHECKING:
    import networkx as nx


class GraphTriangles(CountedGraph):
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
    edges       what to start from, under the same policies: pairs, or whatever `apply` takes, but for signs
    debug       True: `check()` after every update; n: after every n-th; default: the variable IVME_DEBUG

    A vertex is anything hashable, compared like the keys of a dict. It is in the graph while it has an edge:
    there are no isolated vertices, and a vertex that is not in the graph has degree 0 and no triangles.

    With m edges and N = Θ(m): update O(N^max(ε,1−ε)) amortized, for count and "at" together, and again for
    each of "on" and "triangles"; space O(m + N^{min(1+ε,2−2ε)}), for "on" O(N^{1+min(ε,1−ε)}) more, for
    "triangles" O(N^{3/2}). What is deleted needs no space: a sliding window over an endless stream takes the
    space of the window.

    Two graphs are equal if both are directed or both are not, and they have the same edges in as many copies;
    a graph is not hashable. Copies, pickles and snapshots keep all of it, with the order of arrival.

    Like a `TriangleView`, it belongs to one thread at a time; after an exception in the middle of an update
    (a vertex's own __eq__ or __hash__, Ctrl-C) it is as it was, or refuses every use until `rebuild()`.

    Cost of making one: O(m^{3/2}).  Bad input: an `InputError` that shows it; nothing has changed after it.

    >>> graph = GraphTriangles(track=("count", "at"), edges=[("ada", "bob"), ("bob", "eve"), ("eve", "ada")])
    >>> graph.insert("eve", "dan")
    >>> graph.count(), graph.count_at("eve"), graph.clustering("eve")
    (1, 1, Fraction(1, 3))
    """

    # --- copies and comparison --------------------------------------------------------------------------

    def copy(self) -> GraphTriangles:
        """An independent graph with the same edges and callback; the counters start from zero.

        Cost: O(m^{3/2}).
        """
        self._ready()
        made = self._empty()
        made._restore(self._in_order(), self._copied())
        made.on_change(self._on_change)
        return made

    def _empty(self) -> GraphTriangles:
        return GraphTriangles(
            self.directed, self.epsilon, self.track, self.self_loops, self.repeated, debug=self._debug
        )

    def __copy__(self) -> GraphTriangles:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> GraphTriangles:
        """As `copy`: vertices are keys, and are shared.  Cost: O(m^{3/2})."""
        return self.copy()

    def __eq__(self, other: object) -> bool:
        """Whether both are directed or both not, with the same edges, in as many copies.  Cost: O(m)."""
        if not isinstance(other, GraphTriangles):
            return NotImplemented
        ours, theirs = ((graph.directed, graph.number_of_edges()) for graph in (self, other))
        return ours == theirs and all(other.multiplicity(u, v) == copies for u, v, copies in self._copied())

    # --- files ------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], note: Mapping[str, object] | None = None) -> None:
        """Write a snapshot to a file, atomically: it is there as a whole and on the disk, or not at all.

        `note` is a JSON object that is kept with the graph, such as a position in a stream; see
        `ivme.formats.saved.read_note`.  Cost: O(m + n log n), memory for the vertices.  Bad input: an
        `InputError` for vertices that JSON lines cannot hold; what was at the path is still there.
        """
        write_graph(path, self._saved(), note)

    def _saved(self) -> SavedGraph:
        """What a snapshot holds; the edges are read as it is written."""
        self._ready()
        ids = self._ids_in_order()
        number = {x: place for place, x in enumerate(ids)}
        return SavedGraph(
            Options(self.directed, str(self.epsilon), self.track, self.self_loops, self.repeated),
            [self._storage.value(x) for x in ids],
            ((number[x], number[y], copies) for x, y, copies in self._links()),
            self.number_of_edges(),
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, debug: bool | int | None = None) -> GraphTriangles:
        """The graph of a snapshot: the same options, edges, copies, order of arrival, and so answers.

        The counters start from zero.  Cost: O(m^{3/2}).  Bad input: a `SnapshotError` (an `InputError`) for a
        file that is missing, cut short, changed, or no snapshot of a graph.
        """
        with opened_graph(path) as found:
            return cls._of_snapshot(found, os.fspath(path), debug)

    @classmethod
    def _of_snapshot(cls, found: SavedGraph, name: str, debug: bool | int | None) -> GraphTriangles:
        options, vertices = found.options, found.vertices
        try:
            made = cls(
                options.directed,
                options.epsilon,
                cast("tuple[Track, ...]", options.track),  # the graph checks these
                cast("SelfLoops", options.self_loops),
                cast("Repeated", options.repeated),
                debug=debug,
            )
            made._restore(vertices, ((vertices[i], vertices[j], copies) for i, j, copies in found.links))
        except SnapshotError:
            raise
        except InputError as error:
            raise SnapshotError(f"{name}: {error}") from error
        return made

    def __reduce__(self) -> tuple[Callable[[bytes, int], GraphTriangles], tuple[bytes, int]]:
        """Pickle, as a snapshot in memory: unpickling runs the loader of snapshots and nothing else.

        Cost: O(m + n log n), and O(m^{3/2}) to load it.  Bad input: an `InputError` for what `save` refuses,
        and for a callback.
        """
        if self._on_change is not None:
            raise InputError("a graph with a callback cannot be pickled: call on_change(None) first")
        return unpickled, (graph_bytes(self._saved()), self._debug)

    def to_networkx(self) -> nx.Graph[Hashable]:
        """The graph as a `networkx.Graph` or `networkx.DiGraph`, with vertices in the order of arrival.

        With repeated="count" each edge has the attribute "multiplicity"; without it, edges have none.
        Cost: O(m + n log n).  Without networkx: an `InputError`.
        """
        networkx = needed("to_networkx()", "networkx", "networkx")
        self._ready()
        made: nx.Graph[Hashable] = networkx.DiGraph() if self.directed else networkx.Graph()
        made.add_nodes_from(self._in_order())
        counted = self.repeated == "count"
        for u, v, copies in self._copied():
            made.add_edge(u, v, **({"multiplicity": copies} if counted else {}))
        return made


def unpickled(data: bytes, debug: int) -> GraphTriangles:
    """The graph of a pickled snapshot.  Cost: O(m^{3/2}).  Bad input: a `SnapshotError`."""
    with opened_graph_bytes(data) as found:
        return GraphTriangles._of_snapshot(found, "pickled graph", debug)
