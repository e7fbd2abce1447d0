"""What the cost tests of graphs share: graphs under attack, and their steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

import pytest

from ivme import GraphTriangles
from ivme.graph import Track
from ivme.kernel.graph.engine import GraphEngine
from ivme.workloads.edges import EdgeUpdate
from ivme_spec.graph_bounds import AMORTIZED, LOADED
from tests.graph.driving import EPSILONS

COUNT: tuple[Track, ...] = ("count",)
AT: tuple[Track, ...] = ("count", "at")

each_epsilon = pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
each_direction = pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
each_track = pytest.mark.parametrize("track", [COUNT, AT], ids=["count", "at"])


def listened(
    directed: bool, epsilon: Fraction, track: tuple[Track, ...], edges: list[tuple[int, int]]
) -> GraphTriangles:
    """A graph that records its events."""
    graph = GraphTriangles(directed, epsilon, track, edges=edges)
    graph._engine.listening = True
    return graph


def update(graph: GraphTriangles, u: int, v: int, sign: int) -> int:
    """One update, and its steps with everything that follows from it."""
    before = int(graph._engine.steps)
    (graph.insert if sign > 0 else graph.delete)(u, v)
    return int(graph._engine.steps) - before


def steps_of(graph: GraphTriangles, updates: Iterable[EdgeUpdate]) -> list[int]:
    """The steps of each update."""
    return [update(graph, *each) for each in updates]


def price_of(engine: GraphEngine, u: int) -> int:
    """B(u) by definition."""
    storage, stride = engine.storage, int(engine.stride)
    members = storage.members(u * stride)
    return 2 * len(members) + 2 * sum(
        int(storage.length(w * stride)) for w in members if not storage.is_heavy(w)
    )


class Ledger:
    """The steps of a graph from now on, against the amortized bound; asserted after each operation."""

    def __init__(self, graph: GraphTriangles) -> None:
        self.graph, self.engine = graph, graph._engine
        self.start, self.operations, self.base = int(self.engine.steps), 0, int(self.engine.base)
        self.loaded = bool(graph.size)
        self.share = 0.0

    def tell(self, many: int = 1) -> None:
        """So many more updates, or reads of an edge."""
        self.operations += many
        self.base = max(self.base, int(self.engine.base))
        steps, epsilon = int(self.engine.steps) - self.start, self.engine.epsilon
        assert AMORTIZED.allows(steps, self.operations, self.base, epsilon) or (
            self.loaded and self._allowed(steps)
        ), f"{steps} steps in {self.operations} operations, N = {self.base}"
        self.share = max(self.share, AMORTIZED.share(steps, self.operations, self.base, epsilon))

    def _allowed(self, steps: int) -> bool:
        """Within the bound and what the loaded graph has at once."""
        (power,) = LOADED.powers(self.engine.epsilon)
        more = int(power.estimate(self.base))
        return AMORTIZED.allows(max(0, steps - more), self.operations, self.base, self.engine.epsilon)

    def run(self, updates: Iterable[EdgeUpdate]) -> None:
        """Updates, each told."""
        for u, v, sign in updates:
            (self.graph.insert if sign > 0 else self.graph.delete)(u, v)
            self.tell()


def adversary(graph: GraphTriangles, leaf: int, cycles: int) -> Iterator[EdgeUpdate | None]:
    """Builds and drops as often as possible: the next update, or None for a read of (1, 0).

    Hubs 0 and 1 share many leaves. While no row is built the edge 1 → 0 is toggled, or read in every third
    cycle: the dearest scans. Once one is, its hub loses and gains a leaf, which costs its gap the most.
    """
    engine = graph._engine
    for cycle in range(cycles):
        while not engine.rows:
            present = (1, 0) in graph
            yield None if present and cycle % 3 == 2 else (1, 0, -1 if present else 1)
        while engine.rows:
            hub = int(str(engine.storage.value(next(iter(engine.rows)))))
            edge = (leaf, hub) if hub % 2 else (hub, leaf)
            yield (*edge, -1 if edge in graph else 1)
