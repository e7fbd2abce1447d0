"""What a person with a graph would write, and `ivme.GraphTriangles` beside it.

A store takes edges one by one, refuses what is there already or is not there, and knows its triangles after
each. To add one, append to STORES.

    ten-lines   a dict of sets: an update intersects the neighbours of its ends
    networkx    an `nx.Graph`, which says the common neighbours of its ends
    ivme        `GraphTriangles`, with its policies, counters and guarantee
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from typing import Protocol

from attrs import frozen

from bench.contenders import OURS
from ivme import GraphTriangles
from ivme.extras import absence

TEN = "ten-lines"
NETWORKX = "networkx"
COUNT = ""
AT = "A"
"""What is maintained, as the free variables of a query: the count, or the triangles of each vertex too."""


class Store(Protocol):
    """What is measured."""

    def insert(self, u: Hashable, v: Hashable, /) -> object:
        """Insert an edge; an error if it is there."""
        ...

    def delete(self, u: Hashable, v: Hashable, /) -> object:
        """Delete an edge; an error if it is not there."""
        ...

    def count(self) -> int:
        """The number of triangles."""
        ...


class TenLines:
    """The count, with a dict of sets."""

    def __init__(self) -> None:
        self.neighbours: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
        self.total = 0

    def insert(self, u: Hashable, v: Hashable) -> None:
        """Insert an edge.  Cost: O(smaller degree).  An edge that is there: a `KeyError`."""
        near, far = self.neighbours[u], self.neighbours[v]
        if v in near:
            raise KeyError((u, v))
        self.total += len(near & far)
        near.add(v)
        far.add(u)

    def delete(self, u: Hashable, v: Hashable) -> None:
        """Delete an edge.  Cost: O(smaller degree).  An edge that is not there: a `KeyError`."""
        near, far = self.neighbours[u], self.neighbours[v]
        near.remove(v)
        far.remove(u)
        self.total -= len(near & far)

    def count(self) -> int:
        """The number of triangles.  Cost: O(1)."""
        return self.total


class TenLinesAt(TenLines):
    """The count and the triangles of each vertex."""

    def __init__(self) -> None:
        super().__init__()
        self.at: defaultdict[Hashable, int] = defaultdict(int)

    def insert(self, u: Hashable, v: Hashable) -> None:
        """As `TenLines.insert`."""
        near, far = self.neighbours[u], self.neighbours[v]
        if v in near:
            raise KeyError((u, v))
        if common := near & far:
            self.total += len(common)
            at = self.at
            for w in common:
                at[w] += 1
            at[u] += len(common)
            at[v] += len(common)
        near.add(v)
        far.add(u)

    def delete(self, u: Hashable, v: Hashable) -> None:
        """As `TenLines.delete`."""
        near, far = self.neighbours[u], self.neighbours[v]
        near.remove(v)
        far.remove(u)
        if common := near & far:
            self.total -= len(common)
            at = self.at
            for w in common:
                at[w] -= 1
            at[u] -= len(common)
            at[v] -= len(common)

    def count_at(self, v: Hashable) -> int:
        """The triangles of a vertex.  Cost: O(1)."""
        return self.at[v]


class NetworkxStore:
    """The count, with an `nx.Graph` as the store."""

    def __init__(self) -> None:
        import networkx

        self._graph: networkx.Graph[Hashable] = networkx.Graph()
        self._common = networkx.common_neighbors
        self.total = 0

    def insert(self, u: Hashable, v: Hashable) -> None:
        """As `TenLines.insert`."""
        if self._graph.has_edge(u, v):
            raise KeyError((u, v))
        self._graph.add_edge(u, v)
        self.total += sum(1 for _ in self._common(self._graph, u, v))

    def delete(self, u: Hashable, v: Hashable) -> None:
        """As `TenLines.delete`."""
        self.total -= sum(1 for _ in self._common(self._graph, u, v))
        self._graph.remove_edge(u, v)

    def count(self) -> int:
        """The number of triangles.  Cost: O(1)."""
        return self.total


def ours(free: str, **policies: str) -> GraphTriangles:
    """A `GraphTriangles` for the count, or the triangles of each vertex too."""
    return GraphTriangles(track=("count", "at") if free == AT else ("count",), **policies)  # type: ignore[arg-type]  # policies by name


@frozen
class StoreContender:
    """A store that takes part: for the count, or (AT) for the triangles of each vertex too."""

    name: str
    make: Callable[[str], Store]
    heads: tuple[str, ...] = (COUNT, AT)
    least: int = 5
    """The rounds it gets however long they take."""
    needs: str = ""

    @property
    def missing(self) -> str:
        """Why it cannot take part; "" if it can."""
        return absence(self.needs, "bench") if self.needs else ""


STORES = [
    StoreContender(TEN, lambda free: TenLinesAt() if free == AT else TenLines()),
    StoreContender(OURS, ours),
    StoreContender(NETWORKX, lambda free: NetworkxStore(), heads=(COUNT,), least=1, needs="networkx"),
]
"""All stores, in the order of the tables."""


def made(name: str, free: str) -> Store:
    """A new store by its name; a KeyError if there is none."""
    return {store.name: store for store in STORES}[name].make(free)


def digest(store: Store, vertices: Iterable[Hashable]) -> str:
    """The answer of a store in a line: the count, and a hash of the triangles of each vertex, if it knows."""
    at: Callable[[Hashable], int] | None = getattr(store, "count_at", None)
    if at is None or (isinstance(store, GraphTriangles) and "at" not in store.track):
        return f"{store.count()} triangles"
    mixed = total = 0
    for v in vertices:
        found = at(v)
        total += found
        mixed ^= hash((v, found))
    return f"{store.count()} triangles, {total} at the vertices, {mixed & 0xFFFFFFFF:08x}"
