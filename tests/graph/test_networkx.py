"""After every step the graph agrees with networkx and brute force; and the comparison finds planted bugs.

Sparse, dense, hub and churning graphs; inserts and deletes; every kind of tracking, several ε.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Any

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme import GraphTriangles
from ivme.graph import Track, maintained, views
from ivme.graph.views import EdgeViews
from ivme.kernel.graph.engine import Credit, PairRow
from ivme_spec.errors import InvariantError

EPSILONS = ("0", "1/3", "1/2", "3/4", "1")
TRACK: tuple[Track, ...] = ("count", "at", "on", "triangles")
VERTICES: tuple[Hashable, ...] = (0, "one", (2, None), 3, 4.5, frozenset({5}), -6)
Pair = tuple[Any, Any]

each_epsilon = pytest.mark.parametrize("epsilon", EPSILONS)


# --- what is compared -----------------------------------------------------------------------------------


def compare(ours: GraphTriangles, theirs: "nx.Graph[Any]", vertices: Iterable[Any]) -> None:
    """Every answer of an undirected graph that tracks everything; `theirs` has no isolated vertices."""
    at = nx.triangles(theirs)
    assert isinstance(at, dict)
    assert ours.number_of_nodes() == theirs.number_of_nodes()
    assert ours.number_of_edges() == theirs.number_of_edges()
    assert ours.count() == sum(at.values()) // 3
    listed = [frozenset(triangle) for triangle in ours.triangles()]
    assert len(listed) == len(set(listed)) == ours.count()
    assert all(theirs.has_edge(u, v) for triangle in listed for u, v in combinations(triangle, 2))
    clustering = nx.clustering(theirs)
    assert isinstance(clustering, dict)
    for v in vertices:
        degree = theirs.degree(v) if v in theirs else 0
        assert ours.degree(v) == degree
        assert ours.count_at(v) == at.get(v, 0)
        assert ours.clustering(v) == (Fraction(2 * at[v], degree * (degree - 1)) if degree > 1 else 0)
        assert float(ours.clustering(v)) == pytest.approx(clustering.get(v, 0))
    for u, v in permutations(vertices, 2):
        assert ((u, v) in ours) == theirs.has_edge(u, v)
        on = len(list(nx.common_neighbors(theirs, u, v))) if theirs.has_edge(u, v) else 0
        assert ours.count_on(u, v) == on
    average = nx.average_clustering(theirs) if theirs else 0
    assert float(ours.average_clustering()) == pytest.approx(average)
    assert float(ours.transitivity()) == pytest.approx(nx.transitivity(theirs))


def compare_directed(ours: GraphTriangles, edges: set[Pair], vertices: Iterable[Any]) -> None:
    """Every answer of a directed graph, by brute force over its edges."""
    after: dict[Any, set[Any]] = {}
    for u, v in edges:
        after.setdefault(u, set()).add(v)
    cycles = [(u, v, w) for u, v in edges for w in after.get(v, ()) if u in after.get(w, ())]
    at, on = Counter(u for u, _, _ in cycles), Counter((u, v) for u, v, _ in cycles)
    assert ours.number_of_nodes() == len({v for edge in edges for v in edge})
    assert ours.number_of_edges() == len(edges)
    assert 3 * ours.count() == len(cycles)
    listed = list(ours.triangles())
    assert len(listed) == ours.count()
    assert sorted(map(repr, cycles)) == sorted(
        repr(turned) for a, b, c in listed for turned in ((a, b, c), (b, c, a), (c, a, b))
    )
    for v in vertices:
        assert ours.degree(v) == sum(edge.count(v) for edge in edges)
        assert ours.count_at(v) == at[v]
    for u, v in permutations(vertices, 2):
        assert ((u, v) in ours) == ((u, v) in edges)
        assert ours.count_on(u, v) == on[u, v]


def play(
    ours: GraphTriangles,
    toggles: Iterable[Pair],
    vertices: Sequence[Any],
    every: int = 1,
    others: Iterable[Pair] = (),
) -> None:
    """Insert what is absent, delete what is present; compare after every step, or every few.

    `others` are the edges that the graph starts with.
    """
    edges = set(others)
    theirs: nx.Graph[Any] = nx.Graph(edges)
    for step, (u, v) in enumerate(toggles, start=1):
        present = (u, v) in edges if ours.directed else theirs.has_edge(u, v)
        if present:
            ours.delete(u, v)
            edges.discard((u, v))
            if not ours.directed:
                theirs.remove_edge(u, v)
                theirs.remove_nodes_from([w for w in (u, v) if not theirs.degree(w)])
        else:
            ours.insert(u, v)
            edges.add((u, v))
            theirs.add_edge(u, v)
        if step % every == 0:
            if ours.directed:
                compare_directed(ours, edges, vertices)
            else:
                compare(ours, theirs, vertices)


# --- what is played -------------------------------------------------------------------------------------


def random_pairs(rng: Random, n: int, steps: int) -> Iterator[Pair]:
    for _ in range(steps):
        u, v = rng.sample(range(n), 2)
        yield u, v


def dense(rng: Random, n: int) -> list[Pair]:
    """All edges of a complete graph, in any order and direction, and all of them once more: up and down."""
    up = [rng.choice([(u, v), (v, u)]) for u, v in combinations(range(n), 2)]
    rng.shuffle(up)
    down = rng.sample(up, len(up))
    return up + down


def hubs(rng: Random, n: int) -> list[Pair]:
    """Two adjacent hubs and n leaves that join both, then a ring of the leaves; then all away again."""
    leaves = range(2, n + 2)
    up: list[Pair] = [(0, 1), *((hub, leaf) for leaf in leaves for hub in (0, 1))]
    up += [(leaf, leaf + 1) for leaf in leaves[:-1]]
    up = [rng.choice([(u, v), (v, u)]) for u, v in up]
    return up + rng.sample(up, len(up))


def churn(rng: Random, n: int, steps: int) -> Iterator[Pair]:
    """The last ten or so random edges: vertices vanish and return all the time."""
    window: list[Pair] = []
    for _ in range(steps):
        edge = next(random_pairs(rng, n, 1))
        if edge in window or edge[::-1] in window:
            continue
        window.append(edge)
        yield edge
        if len(window) > 10:
            yield window.pop(0)


SHAPES: dict[str, tuple[Callable[[Random], Iterable[Pair]], int]] = {
    "sparse": (lambda rng: random_pairs(rng, 12, 150), 12),
    "dense": (lambda rng: dense(rng, 8), 8),
    "hubs": (lambda rng: hubs(rng, 12), 14),
    "churn": (lambda rng: churn(rng, 9, 100), 9),
}


@each_epsilon
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("shape", SHAPES)
def test_agrees_after_every_step(shape: str, directed: bool, epsilon: str, rng: Random) -> None:
    toggles, n = SHAPES[shape]
    ours = GraphTriangles(directed, epsilon, TRACK)
    play(ours, toggles(rng), range(n))
    ours.check()


@given(
    directed=st.booleans(),
    epsilon=st.sampled_from(EPSILONS),
    toggles=st.lists(st.permutations(VERTICES).map(lambda order: (order[0], order[1])), max_size=30),
)
def test_agrees_for_any_vertices(directed: bool, epsilon: str, toggles: list[Pair]) -> None:
    ours = GraphTriangles(directed, epsilon, TRACK)
    play(ours, toggles, VERTICES)
    ours.check()


@pytest.mark.parametrize("epsilon", ["1/4", "1/2"])
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_agrees_while_vertices_become_heavy_and_light(directed: bool, epsilon: str) -> None:
    """Single edges keep the size up while the degrees of two hubs grow and shrink again."""
    single: list[Pair] = [(2 * i, 2 * i + 1) for i in range(100, 250)]
    leaves = range(2, 92)
    up: list[Pair] = [(1, 0), *(edge for leaf in leaves for edge in ((0, leaf), (leaf, 1)))]
    ours = GraphTriangles(directed, epsilon, TRACK)
    play(ours, single, [0, 1, *single[0]], every=50)
    for _ in range(2):
        before = ours.costs
        play(ours, up + up, [*range(6), 90, 91], every=10, others=single)
        for name, costs in ours.costs.items():
            assert costs.minor_count >= before[name].minor_count + 2
    ours.check()


def test_directed_triangles_are_the_simple_cycles_of_length_three(rng: Random) -> None:
    theirs = nx.gnp_random_graph(15, 0.3, seed=rng.randrange(2**32), directed=True)
    ours = GraphTriangles(directed=True, track=TRACK, edges=theirs.edges)
    cycles = [cycle for cycle in nx.simple_cycles(theirs, length_bound=3) if len(cycle) == 3]

    def turned(cycle: Sequence[Any]) -> tuple[Any, ...]:
        first = cycle.index(min(cycle))
        return (*cycle[first:], *cycle[:first])

    assert sorted(map(turned, ours.triangles())) == sorted(map(turned, cycles))
    assert ours.count() == len(cycles)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@each_epsilon
def test_starting_from_edges_is_inserting_them(directed: bool, epsilon: str, rng: Random) -> None:
    pairs = list(random_pairs(rng, 10, 40))
    loaded = GraphTriangles(directed, epsilon, TRACK, repeated="ignore", edges=iter(pairs))
    inserted = GraphTriangles(directed, epsilon, TRACK, repeated="ignore")
    assert inserted.apply(pairs) == 40
    for ours in (loaded, inserted):
        if directed:
            compare_directed(ours, set(pairs), range(10))
        else:
            compare(ours, nx.Graph(pairs), range(10))
        ours.check()
    assert set(loaded.triangles()) == set(inserted.triangles())
    for u, v in set(pairs) if directed else nx.Graph(pairs).edges:
        loaded.delete(u, v)
    assert loaded.count() == loaded.number_of_nodes() == loaded.size == 0


# --- planted bugs: the comparison above dies on each ----------------------------------------------------


class StaleWedges(GraphTriangles):
    """Forgets that a deleted edge takes wedges away."""

    def delete(self, u: Hashable, v: Hashable) -> None:
        before = self._engine.wedges
        super().delete(u, v)
        self._engine.wedges = before


class ForgottenVertex(GraphTriangles):
    """Keeps a vertex that has lost its last edge."""

    def delete(self, u: Hashable, v: Hashable) -> None:
        super().delete(u, v)
        self._storage.vertex(u)


class ForgottenTriangle(GraphTriangles):
    """Does not count the triangle of a certain vertex."""

    def count_at(self, v: Hashable) -> int:
        return max(0, super().count_at(v) - (v == 3))


class WrongOrder(EdgeViews):
    """Compares vertices by their hash instead of their arrival: an edge may be turned two ways in a view."""

    def tuples_of(self, name: Track, u: Hashable, v: Hashable, falling: bool) -> Iterator[Any]:
        return super().tuples_of(name, u, v, hash((v, 1)) % 5 < hash((u, 1)) % 5)


class NoOrder(EdgeViews):
    """Takes each edge as it is given."""

    def tuples_of(self, name: Track, u: Hashable, v: Hashable, falling: bool) -> Iterator[Any]:
        return super().tuples_of(name, u, v, False)


@pytest.mark.parametrize("broken", [StaleWedges, ForgottenVertex, ForgottenTriangle])
def test_planted_bug_is_found(broken: type[GraphTriangles]) -> None:
    with pytest.raises((AssertionError, ValueError)):
        play_both(broken)


@pytest.mark.parametrize("broken", [WrongOrder, NoOrder])
def test_planted_bug_of_the_views_is_found(broken: type[EdgeViews], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintained, "EdgeViews", broken)
    with pytest.raises((AssertionError, ValueError)):
        play_both(GraphTriangles)


def play_both(kind: type[GraphTriangles]) -> None:
    for toggles, n in (SHAPES["churn"], SHAPES["dense"]):
        play(kind(track=TRACK), toggles(Random(1)), range(n))


# Each entry: what an edge u < v becomes, and u > v; one relation forgotten, turned, or in both directions.
WRONG_TUPLES = [
    (False, "triangles", ("R+ S+ T+", "")),
    (False, "triangles", ("R+ S+ S- T-", "")),
    (False, "triangles", ("R+ S+", "")),
    (False, "triangles", ("R+ R- S+ S- T+ T-", "")),
    (False, "on", ("R+ S+ T-", "")),
    (False, "on", ("R+ S+ S- T-", "")),
    (False, "on", ("R+ S- T+ T-", "")),
    (True, "triangles", ("S+ T+", "R+ S+ T+")),
    (True, "triangles", ("R+ S+ T+", "R+ S+ T+")),
    (True, "triangles", ("R+ S+", "R+ S+ T+")),
    (True, "on", ("R+ S+ T+", "S+ T+")),
    (True, "on", ("R+ S+", "S+ T+")),
]


@pytest.mark.parametrize(("directed", "name", "tuples"), WRONG_TUPLES)
def test_wrong_tuples_are_found(
    directed: bool, name: str, tuples: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = "_DIRECTED" if directed else "_UNDIRECTED"
    monkeypatch.setattr(views, table, {**getattr(views, table), name: tuples})
    toggles, n = SHAPES["dense"]
    pairs = [pair for u, v in toggles(Random(1)) for pair in ([(u, v), (v, u)] if directed else [(u, v)])]
    with pytest.raises(AssertionError):
        play(GraphTriangles(directed, track=TRACK), pairs, range(n))


def test_check_finds_what_is_broken() -> None:
    def spoil_tuples(ours: GraphTriangles) -> None:
        ours._views.tuples = dict.fromkeys(TRACK, ((("R", True),), ()))

    def spoil_row(ours: GraphTriangles) -> None:
        ours._storage.add(ours._storage.find(4), ours._storage.find(1))

    spoiled: list[tuple[Callable[[GraphTriangles], object], str]] = [
        (lambda ours: setattr(ours._engine, "wedges", 7), "wedges"),
        (lambda ours: setattr(ours._engine, "triangles", 2), "count .*2 triangles are counted, not 1"),
        (lambda ours: setattr(ours._engine, "base", 8), "size invariant"),
        (lambda ours: setattr(ours._engine, "tiers", [{1}]), "tiers"),
        (lambda ours: ours._engine.heavies.append(1), "list of heavy vertices"),
        (
            lambda ours: ours._engine.rows.update({1: PairRow(3)}),
            "built vertices are not those with an account",
        ),
        (lambda ours: ours._engine.credits.update({1: Credit(3)}), "credit of a vertex that is light"),
        (lambda ours: ours._storage.bump(ours._storage.find(4), 1), "explicit"),
        (lambda ours: ours._storage.set_heavy(ours._storage.find(4), True), "heavy"),
        (spoil_row, "successors and predecessors differ"),
        (lambda ours: ours._intake.copies.update({(2, 4): 2, (1, 4): 3}), "copies of 2 edges"),
        (
            lambda ours: ours._views.views["on"].insert("S", 8, 9),
            "S of the view for 'on' does not hold the edges",
        ),
        (spoil_tuples, "does not hold the edges"),
    ]
    for spoil, message in spoiled:
        ours = GraphTriangles(track=TRACK, edges=[(1, 2), (2, 3), (3, 1), (3, 4)])
        ours.check()
        spoil(ours)
        with pytest.raises(InvariantError, match=message):
            ours.check()


def test_check_finds_a_predecessor_without_its_successor() -> None:
    ours = GraphTriangles(directed=True, edges=[(1, 2), (2, 3), (3, 1), (3, 4)])
    ours.check()
    ours._storage.remove(2 * ours._storage.find(4) + 1, ours._storage.find(3))
    with pytest.raises(InvariantError, match="successors and predecessors differ"):
        ours.check()
