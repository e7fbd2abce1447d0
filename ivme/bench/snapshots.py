"""Libraries that recompute the count for a snapshot of the database.

Each first takes the data into its own form, which is not timed, and gives a function that counts. All
multiplicities are 1, since igraph and networkx know no others. To them the query is the graph with the
vertices (A,a), (B,b) and (C,c) and an edge for each tuple: its triangles are those of the query.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from itertools import chain

from attrs import frozen

from ivme.bench.cases import Database

Count = Callable[[], int]


@frozen
class Snapshot:
    """A way to recompute; `needs` is a module that must be installed."""

    name: str
    load: Callable[[Database], Count]
    needs: str = ""

    @property
    def missing(self) -> str:
        """Why it cannot take part; "" if it can."""
        if not self.needs or importlib.util.find_spec(self.needs) is not None:
            return ""
        return f"{self.needs} is not installed: pip install 'ivme[bench]'"


def _join(database: Database) -> Count:
    """Σ over R(a,b) of the intersection of S(b,·) and T(·,a), from the smaller side: O(N^{3/2}) (AGM)."""
    forward: dict[int, set[int]] = {}
    backward: dict[int, set[int]] = {}
    for b, c in database["S"]:
        forward.setdefault(b, set()).add(c)
    for c, a in database["T"]:
        backward.setdefault(a, set()).add(c)
    pairs, nothing = list(database["R"]), set[int]()

    def count() -> int:
        return sum(len(forward.get(b, nothing) & backward.get(a, nothing)) for a, b in pairs)

    return count


def _scipy(database: Database) -> Count:
    import numpy
    from scipy import sparse

    side = 1 + max(chain.from_iterable(chain.from_iterable(database.values())), default=0)

    def matrix(name: str, turned: bool) -> sparse.csr_array:
        x, y = (numpy.fromiter((row[i] for row in database[name]), numpy.int64) for i in (0, 1))
        ones = numpy.ones(len(x), numpy.int64)
        return sparse.csr_array((ones, (y, x) if turned else (x, y)), shape=(side, side))

    r, s, t = matrix("R", False), matrix("S", False), matrix("T", True)
    return lambda: int((r @ s).multiply(t).sum())


def _edges(database: Database) -> list[tuple[int, int]]:
    """The edges of the graph: a value v of A, B, C is the vertex 3v, 3v + 1, 3v + 2."""
    return [
        (3 * x + i, 3 * y + (i + 1) % 3) for i, name in enumerate("RST") for x, y in sorted(database[name])
    ]


def _igraph(database: Database) -> Count:
    import igraph

    edges = _edges(database)
    graph = igraph.Graph(n=1 + max(chain.from_iterable(edges), default=0), edges=edges)
    return lambda: len(graph.list_triangles())


def _networkx(database: Database) -> Count:
    import networkx

    graph = networkx.Graph(_edges(database))

    def count() -> int:
        found = networkx.triangles(graph)
        assert isinstance(found, dict)  # since it was asked for all vertices
        return sum(found.values()) // 3

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
    Snapshot("join", _join),
    Snapshot("scipy", _scipy, "scipy"),
    Snapshot("duckdb", _duckdb, "duckdb"),
    Snapshot("igraph", _igraph, "igraph"),
    Snapshot("networkx", _networkx, "networkx"),
]
