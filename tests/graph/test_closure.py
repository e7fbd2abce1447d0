"""All that a small graph can become: every state that toggles of its edges reach from the empty graph.

A state is more than its edges: N, classes, built rows with their accounts and credits depend on the way. What
scans pay is multiplied, so that rows are built. In each state the invariant holds, and the answers are right.
"""

from __future__ import annotations

from collections import deque
from fractions import Fraction
from itertools import combinations, permutations
from typing import Any

import pytest

from ivme import GraphTriangles
from ivme_reference import NaiveGraph
from tests.graph.driving import EVENTS, Edge, enrich, happened, require_agreement

STATES = 2000
"""At most so many states of each case, by distance; for ε = ½ that is all of them."""


def reached(directed: bool, epsilon: Fraction, path: tuple[Edge, ...]) -> tuple[GraphTriangles, NaiveGraph]:
    """The graph after some toggles, and the reference."""
    graph, naive = GraphTriangles(directed, epsilon, ("count", "at")), NaiveGraph(directed)
    graph._engine.listening = True
    for u, v in path:
        enrich(graph._engine, 1000)
        for each in (graph, naive):
            (each.delete if (u, v) in each else each.insert)(u, v)
    return graph, naive


def state_of(graph: GraphTriangles, vertices: range) -> Any:
    """All that an engine remembers and that matters, up to the names of the vertices."""
    engine, storage = graph._engine, graph._storage
    ids = {storage.value(x): x for x in storage.vertices()}

    def of(v: int) -> tuple[Any, ...]:
        x = ids.get(v, 0)
        row, credit = engine.rows.get(x), engine.credits.get(x)
        return x in engine.places, row and (row.price, row.gap), credit and credit.paid > 0

    known = [of(v) for v in vertices]
    edges = [(u, v) for u in vertices for v in vertices if (u, v) in graph]

    def named(names: tuple[int, ...]) -> tuple[Any, ...]:
        values = sorted(zip(names, map(repr, known), strict=True))
        return sorted((names[u], names[v]) for u, v in edges), values

    shape, values = min(map(named, permutations(vertices)))
    return str(shape), str(values), engine.base


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2)])
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_every_reachable_state_is_right(directed: bool, epsilon: Fraction) -> None:
    vertices = range(3 if directed else 4)
    edges = list(permutations(vertices, 2) if directed else combinations(vertices, 2))
    seen: set[Any] = set()
    waiting: deque[tuple[Edge, ...]] = deque([()])
    events: set[str] = set()
    while waiting and len(seen) < STATES:
        path = waiting.popleft()
        graph, naive = reached(directed, epsilon, path)
        state = state_of(graph, vertices)
        if state in seen:
            continue
        seen.add(state)
        events |= set(happened(graph._engine.events))
        graph.check()
        require_agreement(graph, naive, vertices)
        waiting.extend((*path, edge) for edge in edges)
    assert len({shape for shape, *_ in seen}) == (16 if directed else 11), "all graphs but for names"
    if epsilon == Fraction(1, 2):
        assert not waiting, "all states"
        assert {"grown", "shrunk"} <= events
    else:
        assert events >= EVENTS - (set() if epsilon else {"dropped for its upkeep"})
