"""Libraries that recompute the count for a snapshot of the database.

Each first converts the data to its own form, untimed, and returns a function that counts, which is timed.
All multiplicities are 1, since igraph and networkx support no others. For them the query is a graph with the
vertices (A,a), (B,b) and (C,c) and an edge for each tuple: its triangles are those of the query.

    join            stored: the tuples, as in our engine; timed: a worst-case optimal join in its code
    scipy           stored: the tuples as columns, which take updates; timed: making CSR arrays, their product
    scipy-product   stored: CSR arrays, which take no updates; timed: their product alone
    duckdb          stored: tables; timed: the query, its plan included
    igraph, networkx    stored: the graph; timed: its triangles

RECOUNTS are the same for a graph of its own: a relation has each edge once, so that igraph, networkx and
networkit get the graph as it is. igraph says the transitivity, with the triangles as one of its factors, 25
times faster than it lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING

from attrs import frozen

from bench.cases import Database
from bench.contenders import CLASSICAL, JOIN, Rivalry
from ivme.extras import absence
from ivme_spec.relations import RELATIONS

if TYPE_CHECKING:
    from scipy import sparse

Count = Callable[[], int]

PRODUCT = "scipy-product"


@frozen
class Snapshot:
    """A way to recompute; `needs` is a module that must be installed."""

    name: str
    load: Callable[[Database], Count]
    needs: str = ""

    @property
    def missing(self) -> str:
        """Why it cannot take part; "" if it can."""
        return absence(self.needs, "bench") if self.needs else ""


def _join(database: Database) -> Count:
    return Rivalry(CLASSICAL, database).recount


def _matrices(database: Database) -> Callable[[], list[sparse.csr_array]]:
    """A function that makes R, S and the transpose of T from columns, which are made here."""
    import numpy
    from scipy import sparse

    side = 1 + max(chain.from_iterable(chain.from_iterable(database.values())), default=0)
    columns = []
    for name in RELATIONS:
        x, y = (numpy.fromiter((row[i] for row in database[name]), numpy.int64) for i in (0, 1))
        columns.append((numpy.ones(len(x), numpy.int64), (y, x) if name == "T" else (x, y)))
    return lambda: [sparse.csr_array(given, shape=(side, side)) for given in columns]


def _product(r: sparse.csr_array, s: sparse.csr_array, t: sparse.csr_array) -> int:
    return int((r @ s).multiply(t).sum())


def _scipy(database: Database) -> Count:
    make = _matrices(database)
    return lambda: _product(*make())


def _scipy_product(database: Database) -> Count:
    made = _matrices(database)()
    return lambda: _product(*made)


Pair = tuple[int, int]


def _edges(database: Database) -> list[Pair]:
    """The edges of the graph: a value v of A, B, C is the vertex 3v, 3v + 1, 3v + 2."""
    return [
        (3 * x + i, 3 * y + (i + 1) % 3)
        for i, name in enumerate(RELATIONS)
        for x, y in sorted(database[name])
    ]


def _igraph(edges: list[Pair]) -> Count:
    import igraph

    graph = igraph.Graph(n=1 + max(chain.from_iterable(edges), default=0), edges=edges)

    def count() -> int:
        wedges = sum(degree * (degree - 1) // 2 for degree in graph.degree())
        share: float = graph.transitivity_undirected(mode="zero")
        return round(share * int(wedges) / 3)

    return count


def _networkx(edges: list[Pair]) -> Count:
    import networkx

    graph = networkx.Graph(edges)

    def count() -> int:
        found = networkx.triangles(graph)
        assert isinstance(found, dict)  # since it was asked for all vertices
        return sum(found.values()) // 3

    return count


def _networkit(edges: list[Pair]) -> Count:
    import networkit

    graph = networkit.Graph(1 + max(chain.from_iterable(edges), default=0))
    for u, v in edges:
        graph.addEdge(u, v)
    graph.indexEdges()

    def count() -> int:
        scores = networkit.sparsification.TriangleEdgeScore(graph)
        scores.run()
        return int(sum(scores.scores())) // 3

    return count


def _duckdb(database: Database) -> Count:
    import duckdb
    import pyarrow

    connection = duckdb.connect()
    for name, held in database.items():
        columns = {"x": [x for x, _ in held], "y": [y for _, y in held]}
        given = pyarrow.table(
            columns, schema=pyarrow.schema([("x", pyarrow.int64()), ("y", pyarrow.int64())])
        )
        connection.register("given", given)
        connection.execute(f"CREATE TABLE {name} AS SELECT * FROM given")
        connection.unregister("given")
    query = "SELECT count(*) FROM R JOIN S ON R.y = S.x JOIN T ON S.y = T.x AND T.y = R.x"

    def count() -> int:
        return int(connection.execute(query).fetchall()[0][0])

    return count


SNAPSHOTS = [
    Snapshot(JOIN, _join),
    Snapshot("scipy", _scipy, "scipy"),
    Snapshot(PRODUCT, _scipy_product, "scipy"),
    Snapshot("duckdb", _duckdb, "duckdb"),
    Snapshot("igraph", lambda database: _igraph(_edges(database)), "igraph"),
    Snapshot("networkx", lambda database: _networkx(_edges(database)), "networkx"),
]


def triples(edges: Iterable[Pair]) -> Database:
    """A simple graph as relations whose query has each triangle a < b < c once."""
    rising = {(min(edge), max(edge)): 1 for edge in edges}
    return {"R": rising, "S": rising, "T": {(v, u): 1 for u, v in rising}}


RECOUNTS = [
    Snapshot("igraph", lambda database: _igraph(list(database["R"])), "igraph"),
    Snapshot("networkit", lambda database: _networkit(list(database["R"])), "networkit"),
    Snapshot("scipy", _scipy, "scipy"),
    Snapshot("duckdb", _duckdb, "duckdb"),
    Snapshot("networkx", lambda database: _networkx(list(database["R"])), "networkx"),
]
"""For the `triples` of a graph, in the order of the tables."""
