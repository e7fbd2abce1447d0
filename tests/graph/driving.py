"""What the tests of graphs share: comparison with the reference, storages, and random walks.

`enrich` multiplies what the scans of heavy pairs have paid: rows of pairs are then built in small graphs too,
where they would not pay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

import ivme
from ivme import GraphTriangles
from ivme.graph import Track
from ivme.kernel.graph.engine import GraphEngine
from ivme.kernel.graph.events import Drop, GraphEvent, GraphMajor, GraphMinor
from ivme.kernel.graph.interface import GraphStorage
from ivme.kernel.graph.sets import SetGraph
from ivme_reference import NaiveGraph

EPSILONS = tuple(map(Fraction, ("0", "1/4", "1/3", "1/2", "2/3", "1")))
EVERYTHING: tuple[Track, ...] = ("count", "at", "on", "triangles")
STORAGES = ("sets", "arena") if ivme.kernel == "compiled" else ("sets",)
"""The arena wraps around at 32 bits, which only compiled code does."""

EVENTS = {"heavy", "light", "grown", "shrunk", "build", "dropped as light", "dropped for its upkeep"}
"""All that can happen to classes, N and rows."""

Edge = tuple[Any, Any]


def storage(name: str) -> Callable[[bool, bool], GraphStorage]:
    """A storage by name."""
    if name == "sets":
        return SetGraph
    from ivme.kernel.graph.arena import ArenaGraph

    return ArenaGraph


def require_agreement(graph: GraphTriangles, naive: NaiveGraph, vertices: Iterable[Hashable]) -> None:
    """Every answer about these vertices and the edges between them."""
    known = list(vertices)
    triangles = list(naive.triangles())
    at = Counter(v for triangle in triangles for v in triangle)
    on = Counter(edge for a, b, c in triangles for edge in ((a, b), (b, c), (c, a)))
    if not graph.directed:
        on += Counter({(v, u): count for (u, v), count in on.items()})
    assert graph.count() == len(triangles)
    assert Counter(graph.triangles()) == Counter(triangles), "in the order of arrival"
    assert graph.number_of_nodes() == naive.number_of_nodes()
    assert graph.number_of_edges() == naive.number_of_edges()
    assert graph.nodes() == naive.nodes(), "in the order of arrival"
    require_same_edges(graph, naive)
    for v in known:
        assert graph.degree(v) == naive.degree(v)
        assert graph.has_node(v) == naive.has_node(v)
        assert Counter(graph.neighbors(v)) == Counter(naive.neighbors(v))
        assert Counter(graph.predecessors(v)) == Counter(naive.predecessors(v))
        if "at" in graph.track:
            assert graph.count_at(v) == at[v]
    for u in known:
        for v in known:
            assert ((u, v) in graph) == graph.has_edge(u, v) == ((u, v) in naive)
            assert graph.count_on(u, v) == on[u, v]
    if not graph.directed:
        assert graph.transitivity() == naive.transitivity()
        if "at" in graph.track:
            assert [graph.clustering(v) for v in known[:2]] == [naive.clustering(v) for v in known[:2]]
            assert graph.average_clustering() == naive.average_clustering()


def require_same_edges(graph: GraphTriangles, naive: NaiveGraph) -> None:
    """Each edge once, undirected from the vertex that arrived first, and in as many copies."""
    arrival = {v: place for place, v in enumerate(naive.nodes())}
    expected = {
        (u, v) if graph.directed or arrival[u] < arrival[v] else (v, u): count
        for (u, v), count in naive.copies.items()
    }
    assert Counter(graph.edges()) == Counter(expected.keys())
    assert {edge: graph.multiplicity(*edge) for edge in expected} == expected


def enrich(engine: GraphEngine, factor: int) -> None:
    """Multiply the credits of unbuilt rows."""
    for credit in engine.credits.values():
        credit.paid = min(credit.paid * factor, 10**6)
        credit.look = max(credit.look, credit.paid + 1)


def happened(events: list[GraphEvent]) -> Counter[str]:
    """The events by kind; a row that is dropped because its vertex becomes light is told apart."""
    found: Counter[str] = Counter()
    for number, event in enumerate(events):
        if isinstance(event, GraphMinor):
            found["heavy" if event.heavy else "light"] += 1
        elif isinstance(event, GraphMajor):
            found["grown" if event.grown else "shrunk"] += 1
        elif isinstance(event, Drop):
            later = [e for e in events[number:] if isinstance(e, GraphMinor) and e.vertex == event.vertex]
            light = bool(later) and not later[0].heavy and later[0].update == event.update
            found["dropped as light" if light else "dropped for its upkeep"] += 1
        else:
            found[event.kind] += 1
    return found


def toggles(rng: Random, directed: bool, steps: int) -> Iterator[Edge]:
    """Edges to insert where absent and to delete where present.

    Phases of growth and decay; uniform, around a few hubs, between hubs, or skewed; empty in the end.
    """
    n, hubs = rng.choice([8, 16, 30]), rng.choice([1, 3, 6])
    edges: dict[Edge, None] = {}
    growth, mode = 0.8, 0
    for _ in range(steps):
        if rng.random() < 0.02:
            growth, mode = rng.choice([0.1, 0.4, 0.6, 0.9]), rng.randrange(4)
        if edges and rng.random() > growth:
            near = [edge for edge in edges if min(edge) < hubs] if mode == 1 else []
            edge = rng.choice(near or list(edges))
        else:
            u, v = (
                (rng.randrange(n), rng.randrange(n)),
                (rng.randrange(hubs), rng.randrange(n)),
                (rng.randrange(hubs + 1), rng.randrange(hubs + 2)),
                (int(n * rng.random() ** 2), int(n * rng.random() ** 2)),
            )[mode]
            if u == v:
                continue
            edge = rng.choice([(u, v), (v, u)]) if directed else (min(u, v), max(u, v))
        if edge in edges:
            del edges[edge]
        else:
            edges[edge] = None
        yield edge if directed or rng.random() < 0.5 else edge[::-1]
    yield from edges
