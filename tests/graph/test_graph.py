"""GraphTriangles: its policies, its errors after which nothing has changed, its bookkeeping and its bound."""

import tracemalloc
from collections import deque
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from random import Random
from typing import Any

import pytest

from ivme import (
    ArityError,
    DataValueError,
    GraphTriangles,
    InputError,
    MultiplicityError,
    NotTrackedError,
    RefusedEdgeError,
    RefusedUpdateError,
    StaleEnumerationError,
)
from ivme.graph import Repeated, Track
from ivme.kernel.graph import listing
from ivme.kernel.graph.engine import GraphEngine
from ivme_spec.errors import EpsilonError, InvariantError

TRACK: tuple[Track, ...] = ("count", "at", "on", "triangles")
SQUARE = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 3)]  # two triangles on the diagonal (1, 3)


def answers(graph: GraphTriangles) -> dict[str, Any]:
    """All that a graph on the vertices 1 to 5 tells, and how it stores it."""
    told: dict[str, Any] = {
        "nodes": graph.number_of_nodes(),
        "edges": {(u, v) for u in range(1, 6) for v in range(1, 6) if (u, v) in graph},
        "copies": dict(graph._intake.copies),
        "size": graph.size,
        "count": graph.count(),
        "at": [graph.count_at(v) for v in range(1, 6)],
        "on": {(u, v): graph.count_on(u, v) for u, v in combinations(range(1, 6), 2)},
        "triangles": sorted(map(repr, graph.triangles())),
        "degrees": [graph.degree(v) for v in range(1, 6)],
        "order": sorted(graph._storage.vertices(), key=graph._storage.arrival),
        "wedges": graph._engine.wedges,
        "updates": {name: costs.update_count for name, costs in graph.costs.items()},
    }
    graph.check()
    return told


# --- answers --------------------------------------------------------------------------------------------


def test_a_square_with_a_diagonal() -> None:
    graph = GraphTriangles(track=TRACK, edges=SQUARE)
    assert graph.count() == 2
    assert [graph.count_at(v) for v in (1, 2, 3, 4, 5)] == [2, 1, 2, 1, 0]
    assert (graph.count_on(1, 3), graph.count_on(3, 1), graph.count_on(1, 2), graph.count_on(2, 4)) == (
        2,
        2,
        1,
        0,
    )
    assert {frozenset(triangle) for triangle in graph.triangles()} == {
        frozenset({1, 2, 3}),
        frozenset({1, 3, 4}),
    }
    assert graph.clustering(1) == Fraction(2, 3)
    assert graph.clustering(2) == 1
    assert graph.average_clustering() == Fraction(5, 6)
    assert graph.transitivity() == Fraction(3, 4)
    assert isinstance(graph.clustering(9), Fraction)
    assert (3, 1) in graph
    assert (2, 4) not in graph
    assert graph.degree(1) == 3
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (4, 5)
    assert graph.size == (2 + 5 + 3) * 5


def test_a_directed_cycle_counts_and_its_mirror_image_is_another_one() -> None:
    graph = GraphTriangles(directed=True, track=TRACK, edges=[(1, 2), (2, 3), (1, 3)])
    assert graph.count() == 0
    graph.insert(3, 1)
    assert graph.count() == 1
    assert list(graph.triangles()) == [(1, 2, 3)]
    assert (graph.count_on(1, 2), graph.count_on(2, 1), graph.count_on(1, 3), graph.count_on(3, 1)) == (
        1,
        0,
        0,
        1,
    )
    graph.apply([(2, 1), (3, 2)])
    assert graph.count() == 2
    assert graph.count_at(1) == 2
    assert graph.degree(1) == 4
    assert sorted(graph.triangles()) == [(1, 2, 3), (1, 3, 2)]


def test_a_directed_cycle_is_listed_once_where_no_view_has_it() -> None:
    graph = GraphTriangles(directed=True, edges=[(3, 1), (1, 2), (2, 3)])
    assert list(graph.triangles()) == [(3, 1, 2)]
    graph.apply([(1, 3), (2, 1), (3, 2)])
    assert sorted(graph.triangles()) == [(3, 1, 2), (3, 2, 1)]


def test_triangles_come_in_the_order_of_arrival() -> None:
    graph = GraphTriangles(track=("triangles",), edges=[("c", "b"), ("a", "b"), ("a", "c")])
    assert list(graph.triangles()) == [("c", "b", "a")]
    graph.apply([("c", "b", -1), ("c", "a", -1), ("c", "a"), ("b", "c")])
    assert list(graph.triangles()) == [("b", "a", "c")]


def test_the_empty_graph() -> None:
    graph = GraphTriangles(track=TRACK)
    assert graph.count() == graph.count_at(1) == graph.count_on(1, 2) == graph.degree(1) == graph.size == 0
    assert graph.clustering(1) == graph.average_clustering() == graph.transitivity() == 0
    assert list(graph.triangles()) == []


def test_vertices_are_compared_like_keys_of_a_dict() -> None:
    nan = float("nan")
    graph = GraphTriangles(track=TRACK, edges=[(1, nan), (nan, True + 1), (2.0, 1.0)])
    assert graph.count() == graph.count_at(True) == graph.count_on(2, nan) == 1
    with pytest.raises(RefusedEdgeError, match="self-loop"):
        graph.insert(1, 1.0)
    with pytest.raises(RefusedEdgeError, match="self-loop"):
        graph.insert(nan, nan)
    with pytest.raises(RefusedEdgeError, match="is in the graph"):
        graph.insert(True, 2)


def test_what_it_is() -> None:
    graph = GraphTriangles(True, Fraction(1, 3), track=["at", "count", "at"])
    assert (graph.directed, graph.epsilon, graph.track) == (True, Fraction(1, 3), ("count", "at"))
    assert repr(graph) == ("<GraphTriangles directed epsilon=1/3 track=('count', 'at') nodes=0 edges=0>")
    assert set(graph.costs) == {"count", "at"}


# --- policies -------------------------------------------------------------------------------------------


def test_self_loops_are_refused_or_passed_over() -> None:
    graph = GraphTriangles(track=TRACK, edges=SQUARE)
    before = answers(graph)
    for change in (graph.insert, graph.delete):
        with pytest.raises(RefusedEdgeError, match=r"\(5, 5\) is a self-loop"):
            change(5, 5)
    assert answers(graph) == before
    graph = GraphTriangles(track=TRACK, self_loops="ignore", edges=[*SQUARE, (5, 5)])
    assert {**answers(graph), "updates": None} == {**before, "updates": None}
    graph.insert(5, 5)
    graph.delete(1, 1)
    assert {**answers(graph), "updates": None} == {**before, "updates": None}


@pytest.mark.parametrize("again", [(1, 2), (2, 1)])
def test_repeated_edges_are_refused_passed_over_or_counted(again: tuple[int, int]) -> None:
    graph = GraphTriangles(track=TRACK, edges=SQUARE)
    before = answers(graph)
    with pytest.raises(RefusedEdgeError, match="is in the graph"):
        graph.insert(*again)
    assert answers(graph) == before
    with pytest.raises(RefusedEdgeError, match="is in the graph") as raised:
        GraphTriangles(edges=[*SQUARE, again])
    assert raised.value.position == 5

    graph = GraphTriangles(track=TRACK, repeated="ignore", edges=[*SQUARE, again])
    assert answers(graph) == before
    graph.insert(*again)
    assert answers(graph) == before
    graph.delete(*again)
    assert graph.count() == 1
    with pytest.raises(RefusedEdgeError, match="is not in the graph"):
        graph.delete(*again)

    graph = GraphTriangles(track=TRACK, repeated="count", edges=[*SQUARE, again])
    graph.insert(*again)
    assert answers(graph)["triangles"] == before["triangles"]
    assert graph.degree(1) == 3
    graph.delete(*again)
    graph.delete(*again)
    assert answers(graph)["copies"] == before["copies"]
    assert graph.count() == 2
    graph.delete(*again)
    assert graph.count() == 1
    assert again not in graph
    with pytest.raises(RefusedEdgeError, match="is not in the graph"):
        graph.delete(*again)


def test_copies_given_in_both_directions_are_of_one_edge() -> None:
    graph = GraphTriangles(repeated="count", edges=[(1, 2), (2, 1)])
    graph.insert(2, 1)
    for _ in range(2):
        graph.delete(1, 2)
        assert (2, 1) in graph
        graph.check()
    graph.delete(1, 2)
    assert graph.number_of_edges() == 0


def test_directions_are_one_edge_or_two() -> None:
    with pytest.raises(RefusedEdgeError):
        GraphTriangles(edges=[(1, 2), (2, 1)])
    graph = GraphTriangles(directed=True, edges=[(1, 2), (2, 1)])
    assert graph.number_of_edges() == 2
    graph.delete(1, 2)
    assert (2, 1) in graph
    assert (1, 2) not in graph


@pytest.mark.parametrize("repeated", ["refuse", "ignore", "count"])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("edge", [(2, 4), (4, 5), (5, 4), (6, 7)])
def test_an_absent_edge_cannot_be_deleted(repeated: Repeated, directed: bool, edge: tuple[int, int]) -> None:
    graph = GraphTriangles(directed, track=TRACK, repeated=repeated, edges=SQUARE)
    before = answers(graph)
    with pytest.raises(RefusedEdgeError, match="is not in the graph: it cannot be deleted") as raised:
        graph.delete(*edge)
    assert isinstance(raised.value, RefusedUpdateError)
    assert answers(graph) == before


# --- errors ---------------------------------------------------------------------------------------------

QUESTIONS: dict[str, Callable[[GraphTriangles], object]] = {
    "count_at": lambda graph: graph.count_at(1),
    "clustering": lambda graph: graph.clustering(1),
    "average_clustering": lambda graph: graph.average_clustering(),
    "transitivity": lambda graph: graph.transitivity(),
}


@pytest.mark.parametrize("question", ["count_at", "clustering", "average_clustering"])
def test_what_is_not_tracked_says_so(question: str) -> None:
    ask = QUESTIONS[question]
    others = tuple(name for name in TRACK if name != "at")
    with pytest.raises(NotTrackedError, match=rf'^{question}\(\) needs .* track=\(…, "at"\)') as raised:
        ask(GraphTriangles(track=others, edges=SQUARE))
    assert isinstance(raised.value, InputError)
    ask(GraphTriangles(track=("at",), edges=SQUARE))
    with pytest.raises(NotTrackedError):
        ask(GraphTriangles(track=(), edges=SQUARE))


@pytest.mark.parametrize("track", [(), ("count",), ("at",), ("on",), ("triangles",)], ids=str)
def test_other_questions_need_no_tracking(track: tuple[Track, ...]) -> None:
    graph = GraphTriangles(track=track, edges=SQUARE)
    assert (graph.count(), graph.transitivity()) == (2, Fraction(3, 4))
    assert [graph.count_on(*edge) for edge in [*SQUARE, (3, 1), (2, 4)]] == [1, 1, 1, 1, 2, 2, 0]
    assert sorted(graph.triangles()) == [(1, 2, 3), (1, 3, 4)]
    assert set(graph.costs) == set(track)


@pytest.mark.parametrize("question", ["clustering", "average_clustering", "transitivity"])
def test_clustering_is_for_undirected_graphs(question: str) -> None:
    graph = GraphTriangles(directed=True, track=TRACK, edges=SQUARE)
    with pytest.raises(InputError, match=rf"{question}\(\) is defined for undirected graphs only"):
        QUESTIONS[question](graph)


BAD_ARGUMENTS: list[tuple[dict[str, Any], type[InputError], str]] = [
    ({"directed": "no"}, InputError, "directed 'no'"),
    ({"epsilon": 2}, EpsilonError, "2"),
    ({"track": "count"}, InputError, "track 'count': give a tuple"),
    ({"track": 3}, InputError, "track 3"),
    ({"track": ("count", "edges")}, InputError, "track has 'edges': choose from 'count', 'at', 'on'"),
    ({"track": ([],)}, InputError, r"track has \[\]"),
    ({"self_loops": "count"}, InputError, "self_loops 'count': give one of 'refuse', 'ignore'"),
    ({"repeated": True}, InputError, "repeated True: give one of 'refuse', 'ignore', 'count'"),
    ({"edges": 5}, ArityError, "edges 5"),
    ({"edges": "ab"}, ArityError, "edges 'ab'"),
    ({"edges": [(1, 2), (1, 2, 3)]}, ArityError, r"edge at position 1: \(1, 2, 3\)"),
    ({"edges": [(1, [2])]}, DataValueError, r"edge at position 0: value \[2\]"),
    ({"debug": -1}, InputError, "debug -1"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_ARGUMENTS)
def test_bad_arguments(arguments: dict[str, Any], error: type[InputError], message: str) -> None:
    with pytest.raises(error, match=message):
        GraphTriangles(**arguments)


BAD_UPDATES: list[tuple[Any, type[InputError], str]] = [
    ((1, [2]), DataValueError, r"value \[2\]"),
    (({}, 1, -1), DataValueError, r"value \{\}"),
    ((1,), ArityError, r"\(1,\) is neither"),
    ((1, 2, 3, 4), ArityError, "is neither"),
    ("ab", ArityError, "'ab' is neither"),
    ((1, 5, 0), MultiplicityError, "give 1 to insert the edge or -1 to delete it"),
    ((1, 5, 2), MultiplicityError, "give 1 to insert"),
    ((1, 5, "1"), MultiplicityError, "'1'"),
    ((1, 5, True), MultiplicityError, "True"),
    ((5, 5), RefusedEdgeError, "self-loop"),
    ((4, 3), RefusedEdgeError, "is in the graph"),
    ((2, 4, -1), RefusedEdgeError, "is not in the graph"),
]


@pytest.mark.parametrize(("update", "error", "message"), BAD_UPDATES)
def test_a_bad_update_says_its_position_and_changes_nothing(
    update: Any, error: type[InputError], message: str
) -> None:
    graph = GraphTriangles(track=TRACK, edges=SQUARE)
    graph.insert(4, 5)
    before = answers(graph)
    graph.apply([(3, 5), (3, 5, -1)])
    with pytest.raises(error, match=message) as raised:
        graph.apply([(3, 5), (5, 3, -1), update, (2, 5)])
    assert raised.value.position == 2
    assert "update at position 2" in str(raised.value)
    assert {**answers(graph), "updates": None} == {**before, "updates": None}


def test_bad_questions() -> None:
    graph = GraphTriangles(track=TRACK, edges=SQUARE)
    unhashable: Any = [1]
    for ask in (graph.count_at, graph.clustering, graph.degree):
        with pytest.raises(DataValueError):
            ask(unhashable)
    with pytest.raises(DataValueError):
        graph.count_on(1, unhashable)
    with pytest.raises(DataValueError):
        _ = (unhashable, 1) in graph
    with pytest.raises(ArityError):
        _ = 1 in graph
    with pytest.raises(ArityError):
        graph.apply(unhashable[0])


@pytest.mark.parametrize("track", [("triangles",), ()], ids=["tracked", "untracked"])
def test_an_update_makes_an_open_enumeration_stale_but_a_copy_does_not(track: tuple[Track, ...]) -> None:
    graph = GraphTriangles(track=track, repeated="count", edges=SQUARE)
    open_ones = [graph.triangles() for _ in range(3)]
    for triangles in open_ones:
        next(triangles)
    graph.insert(1, 2)
    graph.delete(1, 2)
    assert len(list(open_ones[0])) == 1
    graph.delete(1, 2)
    with pytest.raises(StaleEnumerationError):
        next(open_ones[1])
    graph.rebuild()
    with pytest.raises(StaleEnumerationError):
        next(open_ones[2])


@pytest.mark.parametrize("track", [("count", "triangles"), ("count",)], ids=["tracked", "untracked"])
def test_rebuilding_keeps_the_counters_and_ends_open_enumerations(track: tuple[Track, ...]) -> None:
    graph = GraphTriangles(track=track, edges=SQUARE)
    graph.insert(4, 5)
    before, triangles = graph.costs["count"], graph.triangles()
    next(triangles)
    graph.rebuild()
    assert graph.costs["count"].update_count == before.update_count == 1
    assert graph.costs["count"].maintenance >= before.maintenance > 0
    with pytest.raises(StaleEnumerationError):
        next(triangles)
    graph.insert(5, 6)
    assert graph.costs["count"].update_count == 2


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_rebuilding_keeps_the_order_of_arrival(directed: bool) -> None:
    graph = GraphTriangles(directed, edges=[(1, 2), (3, 4), (1, 4)])
    graph.rebuild()
    assert list(graph.nodes()) == [1, 2, 3, 4]


def test_not_even_one_stale_triangle_is_listed() -> None:
    """All four are on the first edge."""
    edges = [(1, 2), *(edge for w in range(3, 7) for edge in ((2, w), (w, 1)))]
    graph = GraphTriangles(directed=True, edges=edges)
    triangles = graph.triangles()
    next(triangles)
    graph.insert(8, 9)
    with pytest.raises(StaleEnumerationError):
        next(triangles)


def test_an_update_after_the_last_triangle_is_noticed_too() -> None:
    graph = GraphTriangles(edges=SQUARE[:3] + SQUARE[4:])
    triangles = graph.triangles()
    next(triangles)
    graph.delete(1, 2)
    with pytest.raises(StaleEnumerationError):
        next(triangles)


# --- bookkeeping and cost -------------------------------------------------------------------------------


@pytest.mark.parametrize(("debug", "expected"), [(True, [1, 2, 3, 4, 5]), (2, [2, 4]), (False, [])], ids=str)
@pytest.mark.parametrize("track", [("count",), ("count", "on")], ids=str)
def test_debug_checks_the_graph(
    debug: bool | int, expected: list[int], track: tuple[Track, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[int] = []

    def note(engine: GraphEngine) -> list[object]:
        checked.append(engine.version)
        return []

    monkeypatch.setattr(listing, "violations", note)
    graph = GraphTriangles(track=track, debug=debug, repeated="ignore")
    graph.insert(1, 2)
    graph.insert(1, 2)
    graph.apply([(2, 3), (3, 1), (1, 2), (1, 2, -1)])
    graph.delete(2, 3)
    assert checked == expected


def test_debug_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IVME_DEBUG", "1")
    graph = GraphTriangles(edges=SQUARE)
    graph._engine.triangles = 7
    with pytest.raises(InvariantError, match=r"^after update 1, \(4, 5, 1\): count .*7 triangles") as raised:
        graph.insert(4, 5)
    assert (raised.value.update, raised.value.position) == ((4, 5, 1), 1)
    assert [getattr(violation, "condition", "") for violation in raised.value.violations] == ["count"]
    with pytest.raises(InvariantError) as raised:
        graph.check()
    assert (raised.value.update, raised.value.position) == (None, None)


@pytest.mark.parametrize("directed", [False, True])
def test_a_sliding_window_takes_the_space_of_the_window(directed: bool, rng: Random) -> None:
    tracemalloc.start()
    graph = GraphTriangles(directed, track=TRACK)
    window: deque[tuple[int, int]] = deque()

    def slide(first: int, last: int) -> None:
        for t in range(first, last):
            edge = (t, t + rng.choice((1, 2)))
            graph.insert(*edge)
            window.append(edge)
            if len(window) > 30:
                graph.delete(*window.popleft())

    slide(0, 400)  # by then the views look their values up in a dict: they are too sparse for an index
    early, _ = tracemalloc.get_traced_memory()
    slide(400, 1000)
    late, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert graph.number_of_edges() == 30
    assert graph.number_of_nodes() == len({v for edge in window for v in edge})
    assert late < 1.5 * early
    graph.check()
    for edge in window:
        graph.delete(*edge)
    assert (graph.size, graph.number_of_nodes(), graph.count()) == (0, 0, 0)


def test_an_emptied_graph_gives_its_space_back() -> None:
    graph = GraphTriangles()
    edges = [(i, i + 1) for i in range(3000)]
    tracemalloc.start()
    graph.apply(edges)
    full, _ = tracemalloc.get_traced_memory()
    graph.apply((u, v, -1) for u, v in edges)
    empty, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert empty < full / 20


def worst_edges(n: int, rng: Random) -> list[tuple[int, int]]:
    """About n edges: a clique of half of them, and two hubs over the same leaves with the other half."""
    k = int(n**0.5)
    edges = list(combinations(range(k), 2))
    leaves = range(k, k + (n - len(edges)) // 2)
    edges += [(hub, leaf) for leaf in leaves for hub in (0, 1)]
    rng.shuffle(edges)
    return edges


@pytest.mark.parametrize("epsilon", ["1/3", "1/2", "2/3"])
@pytest.mark.parametrize("directed", [False, True])
def test_updates_keep_the_bound(directed: bool, epsilon: str, rng: Random) -> None:
    """Counted steps, rebalancing included: at most 2 · N^max(ε,1−ε) for each tuple, up and down again.

    An edge is two tuples of the kernel, and 8 steps are paid whatever it is.
    """
    graph = GraphTriangles(directed, epsilon, TRACK)
    edges = worst_edges(600, rng)
    graph.apply(edges)
    graph.apply((u, v, -1) for u, v in rng.sample(edges, len(edges)))
    exponent = float(max(Fraction(epsilon), 1 - Fraction(epsilon)))
    for costs in graph.costs.values():
        tuples = costs.update_count / 2
        assert costs.maintenance <= 2 * tuples**exponent * costs.update_count


def test_an_edge_is_one_update_and_three_to_five_in_the_views() -> None:
    graph = GraphTriangles(track=TRACK)
    graph.insert(1, 2)
    assert [costs.update_count for costs in graph.costs.values()] == [1, 1, 5, 3]
    assert graph.costs["count"] == graph.costs["at"]
    directed = GraphTriangles(directed=True, track=TRACK)
    directed.insert(1, 2)
    directed.insert(2, 1)
    assert [costs.update_count for costs in directed.costs.values()] == [2, 2, 6, 4]
    assert graph.size == 2 + 5 + 3
    assert directed.size == 2 * 2 + 6 + 4
