"""The triangles of a graph: how many, at a vertex, on an edge, which; clustering, and tables of vertices.

>>> from ivme import GraphTriangles
>>> graph = GraphTriangles(track=("at",), edges=[(1, 2), (2, 3), (3, 1), (3, 4), (4, 2)])
>>> graph.count(), graph.count_on(2, 3), graph.top(2)
(2, 2, [(2, 2), (3, 2)])
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from heapq import nsmallest
from typing import TYPE_CHECKING, cast

from ivme.graph.options import Triangle
from ivme.graph.structure import StructuredGraph
from ivme.kernel.graph import listing
from ivme.kernel.graph.engine import GraphEngine
from ivme.kernel.guard import BROKEN, READY, UPDATING
from ivme.tables.answers import arrow_table, pandas_frame, polars_frame, vertex_columns
from ivme_spec.errors import InputError, StaleEnumerationError, shown
from ivme_spec.relations import Row

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ivme.tables.answers import Array


class CountedGraph(StructuredGraph):
    """What is known about the triangles of a graph."""

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
        if "on" in self._views.views:
            falling = not self.directed and self._storage.arrival(x) > self._storage.arrival(y)
            return self._views.views["on"][(v, u) if falling else (u, v)]
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
        if "triangles" in self._views.views:
            return self._enumerated(iter(self._views.views["triangles"]), self._engine, self._engine.version)
        return self._listed()

    def _enumerated(
        self, rows: Iterator[tuple[Row, int]], engine: GraphEngine, version: int
    ) -> Iterator[Triangle]:
        """The rows of the view, which does not know when `rebuild()` replaces it."""
        for row, _ in rows:
            if engine.version != version:
                raise StaleEnumerationError("the graph was rebuilt during the enumeration; start a new one")
            yield cast("Triangle", row)

    def _listed(self) -> Iterator[Triangle]:
        storage = self._storage
        for a, b, c in listing.triangles(self._engine):
            self._ready()
            yield storage.value(a), storage.value(b), storage.value(c)

    # --- clustering -------------------------------------------------------------------------------------

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

    def _need_undirected(self, question: str) -> None:
        if self.directed:
            raise InputError(f"{question} is defined for undirected graphs only; this one is directed")

    # --- all vertices at once ---------------------------------------------------------------------------

    def top(self, k: int) -> list[tuple[Hashable, int]]:
        """The k vertices with the most triangles, with their numbers, most first; ties in order of arrival.

        All vertices, if there are no more than k.  Needs "at".  Cost: O(N^{2·min(ε,1−ε)}) for each vertex,
        and O(n log k).  Not tracked: `NotTrackedError`. Bad input: an `InputError`.
        """
        if type(k) is not int or k < 0:
            raise InputError(f"top({shown(k)}): give a natural number")
        self._need("at", "top()")
        self._ready()
        engine, storage = self._engine, self._storage
        counted = ((-engine.triangles_at(x), int(storage.arrival(x)), x) for x in storage.vertices())
        return [(storage.value(x), -negated) for negated, _, x in nsmallest(k, counted)]

    def to_numpy(self) -> dict[str, Array]:
        """All vertices as arrays: "vertex", "degree", "triangles" and, undirected, "clustering".

        In the order of arrival. Clustering is the float nearest to the exact fraction; degree and triangles
        are exact. Integers of 64 bits have their own type, other vertices are an array of objects.  Needs
        "at".  Cost: O(N^{2·min(ε,1−ε)}) for each vertex, and O(n log n).  Not tracked: `NotTrackedError`.
        Without NumPy: an `InputError`.
        """
        return self._columns("to_numpy()")

    def _columns(self, question: str) -> dict[str, Array]:
        self._need("at", question)
        self._ready()
        engine, storage, ids = self._engine, self._storage, self._ids_in_order()
        return vertex_columns(
            [storage.value(x) for x in ids],
            [int(engine.degree(x)) for x in ids],
            [engine.triangles_at(x) for x in ids],
            self.directed,
        )

    def to_arrow(self) -> pyarrow.Table:
        """All vertices as an Arrow table with the columns of `to_numpy`; None is null.

        Cost: as `to_numpy`.  Bad input: an `InputError` for vertices of different types, and for integers
        beyond 64 bits: `to_numpy` has them as they are; and without PyArrow.
        """
        return arrow_table(self._columns("to_arrow()"))

    def to_pandas(self) -> pandas.DataFrame:
        """All vertices as a data frame of pandas.  Cost and bad input: as `to_arrow`."""
        return pandas_frame(arrow_table(self._columns("to_pandas()")))

    def to_polars(self) -> polars.DataFrame:
        """All vertices as a data frame of polars.  Cost and bad input: as `to_arrow`."""
        return polars_frame(arrow_table(self._columns("to_polars()")))
