"""Edges out of arrays, tables, matrices and graphs of other libraries: the same as edge by edge."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from random import Random
from typing import Any

import pytest

from ivme import GraphTriangles, InputError
from ivme.tables.edges import Numbers, edge_blocks
from ivme_spec.errors import ArityError, DataValueError, MultiplicityError, RefusedEdgeError
from tests.support.interrupts import struck_at

numpy = pytest.importorskip("numpy")

Update = tuple[int, int, int]


def stream(rng: Random, length: int, low: int = 0, high: int = 40, directed: bool = False) -> list[Update]:
    """Inserts and deletes of different edges, each of them possible, hubs among them."""
    there: list[tuple[int, int]] = []
    found: list[Update] = []
    while len(found) < length:
        if there and rng.random() < 0.4:
            u, v = there.pop(rng.randrange(len(there)))
            found.append((v, u, -1) if not directed and rng.random() < 0.5 else (u, v, -1))
            continue
        u, v = rng.randint(low, high), rng.randint(low, low + 6 if rng.random() < 0.5 else high)
        if u != v and (u, v) not in there and (v, u) not in there:
            there.append((u, v))
            found.append((u, v, 1))
    return found


def by_edge(updates: Iterable[Update], **options: Any) -> GraphTriangles:
    graph = GraphTriangles(**options)
    for u, v, sign in updates:
        (graph.insert if sign > 0 else graph.delete)(u, v)
    return graph


def answers(graph: GraphTriangles) -> tuple[object, ...]:
    vertices = range(-50, 120)
    return (
        graph.count(),
        graph.number_of_edges(),
        [graph.degree(v) for v in vertices],
        [graph.count_at(v) for v in vertices] if "at" in graph.track else None,
    )


def arrow(array: Any) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    return pyarrow.table(
        {name: pyarrow.array(array[:, place]) for place, name in enumerate(("u", "v", "sign"))}
    )


def chunked(array: Any) -> Any:
    pyarrow = pytest.importorskip("pyarrow")
    half = len(array) // 2
    table = arrow(array)
    return pyarrow.concat_tables([table.slice(0, half), table.slice(half)])


def pandas(array: Any) -> Any:
    frame = pytest.importorskip("pandas").DataFrame(array, columns=["src", "dst", "sign"])
    return frame[["sign", "dst", "src"]]


def fields(array: Any) -> Any:
    found = numpy.empty(len(array), dtype=[("source", "i4"), ("target", "i8"), ("sign", "i1")])
    for place, name in enumerate(found.dtype.names):
        found[name] = array[:, place]
    return found


WAYS: dict[str, Callable[[Any], Any]] = {
    "list": lambda array: [tuple(row) for row in array.tolist()],
    "array": lambda array: array,
    "fortran": numpy.asfortranarray,
    "int32": lambda array: array.astype("int32"),
    "objects": lambda array: array.astype(object),
    "fields": fields,
    "arrow": arrow,
    "chunked": chunked,
    "pandas": pandas,
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("low", [0, -20])
def test_apply_is_the_same_in_every_way(
    way: str, low: int, rng: Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(GraphTriangles, "_pays_to_defer", lambda *_: False)
    updates = stream(rng, 3000, low)
    graph = GraphTriangles(track=("count", "at"), epsilon="1/3")
    assert graph.apply(WAYS[way](numpy.array(updates))) == len(updates)
    graph.check()
    expected = by_edge(updates, track=("count", "at"), epsilon="1/3")
    assert answers(graph) == answers(expected)
    assert graph.costs == expected.costs


@pytest.mark.parametrize("track", [("count",), ("at", "on", "triangles")])
@pytest.mark.parametrize("directed", [False, True])
def test_views_and_debug_mode_see_every_update(directed: bool, track: Any, rng: Random) -> None:
    pairs = [(u, v) for u in range(9) for v in range(u)]
    updates = [(u, v, 1) if rng.random() < 0.5 else (v, u, 1) for u, v in rng.sample(pairs, 30)]
    graph = GraphTriangles(directed, track=track, debug=True)
    assert graph.apply(numpy.array(updates)[:, :2]) == 30
    expected = by_edge(updates, directed=directed, track=track)
    assert sorted(graph.triangles()) == sorted(expected.triangles())


@pytest.mark.parametrize("policy", ["refuse", "ignore", "count"])
def test_policies_hold_for_arrays(policy: Any) -> None:
    """A repeated edge, and a self-loop, which leave no vertex behind."""
    array = numpy.array([(1, 2), (2, 3), (2, 1), (9, 9), (3, 1)])
    graph = GraphTriangles(repeated=policy, self_loops="refuse" if policy == "refuse" else "ignore")
    if policy != "refuse":
        assert graph.apply(array) == 5
        assert (graph.count(), graph.number_of_edges(), graph.number_of_nodes()) == (1, 3, 3)
        graph.apply(numpy.array([(1, 2, -1)]))
        assert graph.count() == (1 if policy == "count" else 0)
    else:
        with pytest.raises(RefusedEdgeError, match=r"position 2: .*is in the graph") as caught:
            graph.apply(array)
        assert caught.value.position == 2
        assert graph.number_of_edges() == 2
        with pytest.raises(RefusedEdgeError, match="self-loop"):
            graph.apply(array[3:])
        assert graph.number_of_nodes() == 3
    graph.check()


def test_a_refused_update_of_an_array_says_where_and_those_before_it_stay() -> None:
    many = 40_000  # more than a batch
    array = numpy.stack([numpy.arange(many), numpy.arange(1, many + 1), numpy.ones(many, int)], axis=1)
    array[35_000] = (7, 7_000_000, -1)
    graph = GraphTriangles()
    with pytest.raises(RefusedEdgeError, match=r"position 35000: .*not in the graph") as caught:
        graph.apply(array)
    assert caught.value.position == 35_000
    assert graph.number_of_edges() == 35_000
    array[35_000] = (7, 9, 2)
    with pytest.raises(MultiplicityError, match="position 35000: a sign of 2"):
        GraphTriangles().apply(array)


@pytest.mark.parametrize(
    ("given", "error"),
    [
        (numpy.zeros((3, 4), int), ArityError),
        (numpy.zeros((3, 1), int), ArityError),
        (numpy.zeros(3, int), ArityError),
        (numpy.zeros((2, 2), complex), DataValueError),
        (numpy.array([[1.0, numpy.nan]]), DataValueError),
        ("ab", ArityError),
        (7, ArityError),
        ({"u": [1]}, ArityError),
        ([(1, 2, 3, 4)], ArityError),
        (numpy.zeros(2, dtype=[("u", int), ("v", int), ("weight", int)]), ArityError),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(given: Any, error: type[InputError]) -> None:
    graph = GraphTriangles(edges=[(1, 2)])
    with pytest.raises(error):
        graph.apply(given)
    assert graph.number_of_edges() == 1
    with pytest.raises(error):
        GraphTriangles(edges=given)


def test_numbers_beyond_64_bits_and_words_are_vertices_too() -> None:
    big = numpy.array([[1 << 63, 1], [1, 2], [2, 1 << 63]], dtype=numpy.uint64)
    assert GraphTriangles(edges=big).degree(1 << 63) == 2
    words = numpy.array([["a", "b"], ["b", "c"], ["c", "a"]])
    graph = GraphTriangles(edges=words)
    assert (graph.count(), graph.degree("a")) == (1, 2)
    far = numpy.array([[(1 << 62) + 1, -5], [-5, 0], [0, (1 << 62) + 1]])
    graph = GraphTriangles()
    graph.apply(far)
    assert (graph.count(), graph.degree((1 << 62) + 1), graph.degree(-5)) == (1, 2, 2)


def test_integers_of_an_array_are_those_of_calls() -> None:
    """Also where an equal of another type was first."""
    graph = GraphTriangles(edges=[(True, 2.0), (5, 7)])
    graph.apply(numpy.array([[2, 3], [3, 1]]))
    assert (graph.count(), graph.number_of_nodes()) == (1, 5)


def test_vertices_that_leave_inside_a_block_come_back_as_others() -> None:
    """Ids are looked up ahead of their use, and reused."""
    array = numpy.array([(1, 2, 1), (3, 4, 1), (1, 2, -1), (5, 6, 1), (6, 1, 1), (1, 5, 1), (3, 4, -1)])
    graph = GraphTriangles(track=("at",))
    graph.apply(array)
    graph.check()
    assert (graph.count(), graph.count_at(1), graph.degree(2), graph.degree(3)) == (1, 1, 0, 0)


def deferred(graph: GraphTriangles, given: Any, patch: pytest.MonkeyPatch) -> int:
    """Apply updates; how often it was decided to count them at the end."""
    found, defer = 0, GraphTriangles._pays_to_defer

    def watched(self: GraphTriangles, block: Numbers, left: int) -> bool:
        nonlocal found
        decided = defer(self, block, left)
        found += decided
        return decided

    with patch.context() as patched:
        patched.setattr(GraphTriangles, "_pays_to_defer", watched)
        graph.apply(given)
    return found


@pytest.mark.parametrize("epsilon", ["0", "1/3", "1/2", "1"])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("track", [("count",), ("at",)])
def test_an_array_counted_at_its_end_is_the_same_as_edge_by_edge(
    track: Any, directed: bool, epsilon: str, rng: Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Into an empty graph, into one with hubs and rows of pairs, up and down; also what comes after it."""
    options = {"track": track, "directed": directed, "epsilon": epsilon}
    graph, updates, decided = GraphTriangles(**options), stream(rng, 900, directed=directed), []
    for start, end in ((0, 300), (300, 310), (310, 600), (600, 603), (603, 900)):
        decided.append(deferred(graph, numpy.array(updates[start:end]), monkeypatch))
        graph.check()
        other = by_edge(updates[:end], **options)
        assert answers(graph) == answers(other)
        assert graph.nodes() == other.nodes()
        assert directed or graph.transitivity() == other.transitivity()
        for u, v in other.edges():
            assert graph.count_on(u, v) == other.count_on(u, v)
    assert decided[0] == 1
    assert 2 <= sum(decided) <= 4
    assert graph.costs[track[0]].update_count == 900
    rest = numpy.array([(u, v, -1) for u, v in graph.edges()])
    assert deferred(graph, rest, monkeypatch) == 1
    assert answers(graph) == answers(GraphTriangles(track=track))
    graph.check()


def test_only_an_array_as_long_as_the_graph_is_counted_at_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    complete = numpy.array([(u, v) for u in range(60) for v in range(u)])
    graph = GraphTriangles(edges=complete)
    more = numpy.array([(u, v) for u in range(100, 160) for v in range(100, u)])
    assert deferred(graph, more[:500], monkeypatch) == 0
    assert deferred(graph, more[500:], monkeypatch) == 0
    removed = numpy.concatenate([complete, numpy.full((len(complete), 1), -1)], axis=1)
    assert deferred(graph, removed[:100], monkeypatch) == 0
    assert deferred(graph, removed[100:], monkeypatch) == 1
    assert graph.count() == 60 * 59 * 58 // 6
    assert deferred(GraphTriangles(track=("triangles",)), more, monkeypatch) == 0


@pytest.mark.parametrize("at", [0, 1, 700])
@pytest.mark.parametrize("bad", [(3, 3, 1), (1, 2, 1), (900, 901, -1), (1, 900, 7)])
def test_a_refused_update_of_an_array_counted_at_its_end_leaves_those_before_it(
    bad: Update, at: int, rng: Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    updates = [(1, 2, 1), *stream(rng, 800, low=10, high=60)]
    graph = by_edge(updates[:1], track=("at",))
    monkeypatch.setattr(GraphTriangles, "_pays_to_defer", lambda *_: True)
    with pytest.raises(InputError) as caught:
        graph.apply(numpy.array([*updates[1 : at + 1], bad, *updates[at + 1 :]]))
    assert caught.value.position == at
    graph.check()
    assert answers(graph) == answers(by_edge(updates[: at + 1], track=("at",)))
    assert not graph.has_node(900)


@pytest.mark.pure
def test_ctrl_c_in_an_array_counted_at_its_end(rng: Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it strikes, some of the updates stand, in order; or the graph is broken, and mended."""
    updates = [(1, 2, 1), (2, 3, 1), (3, 1, 1), (3, 4, 1), (1, 2, -1), (4, 1, 1)]
    states = [by_edge(updates[:end]) for end in range(2, len(updates) + 1)]
    monkeypatch.setattr(GraphTriangles, "_pays_to_defer", lambda *_: True)
    monkeypatch.setattr("ivme.tables.readers.BATCH", 2)
    broken = 0
    for call in count(1):
        graph = by_edge(updates[:2], track=("at",))
        if not struck_at(call, partial(graph.apply, numpy.array(updates[2:]))):
            break
        assert "in the middle" not in repr(graph)
        if "broken" in repr(graph):
            broken += 1
            graph.rebuild()
        graph.check()
        assert graph in states
    assert broken > 5
    assert call > 50
    assert graph == states[-1]


def test_columns_of_integers_make_no_object_for_an_edge() -> None:
    array = numpy.zeros((5, 2), dtype="int16")
    assert all(isinstance(block, Numbers) for block in edge_blocks(array, "edges", False, signed=False))
    assert all(
        isinstance(block, Numbers) for block in edge_blocks(arrow(numpy.ones((4, 3), int)), "", False, True)
    )


# --- matrices and graphs ----------------------------------------------------------------------------------


def test_sparse_matrices() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    cycle = sparse.coo_array(([1, 1, 1], ([0, 1, 2], [1, 2, 0])), shape=(4, 4))
    for made in (cycle.tocsr(), cycle.tocsc(), sparse.coo_matrix(cycle)):
        assert GraphTriangles(directed=True, edges=made).count() == 1
        with pytest.raises(InputError, match=r"symmetric.*directed=True"):
            GraphTriangles(edges=made)
        graph = GraphTriangles(edges=made + made.T)
        assert (graph.count(), graph.number_of_edges()) == (1, 3)
    with pytest.raises(InputError, match="no weights"):
        GraphTriangles(directed=True, edges=cycle * 2)
    assert GraphTriangles(directed=True, edges=(cycle * 2) != 0).count() == 1
    with pytest.raises(ArityError, match="square"):
        GraphTriangles(directed=True, edges=sparse.coo_array((3, 4)))
    with pytest.raises(RefusedEdgeError, match="self-loop"):
        GraphTriangles(edges=sparse.eye_array(2))
    zero = sparse.coo_array(([0, 1, 1], ([0, 0, 1], [0, 1, 0])), shape=(2, 2))
    assert GraphTriangles(edges=zero).number_of_edges() == 1


def test_graphs_of_networkx() -> None:
    networkx = pytest.importorskip("networkx")
    source = networkx.karate_club_graph()
    source.add_node("alone")
    expected = sum(networkx.triangles(source).values()) // 3
    for edges in (source, source.edges, source.edges(), source.edges(data=True), source.edges(data="weight")):
        graph = GraphTriangles(edges=edges)
        assert (graph.count(), graph.number_of_edges()) == (expected, source.number_of_edges())
    graph = GraphTriangles()
    assert graph.apply(source) == source.number_of_edges()
    arcs = networkx.DiGraph([(1, 2), (2, 3), (3, 1)])
    assert GraphTriangles(directed=True, edges=arcs).count() == 1
    with pytest.raises(InputError, match=r"is directed.*directed=True, or its \.to_undirected"):
        GraphTriangles(edges=arcs)
    with pytest.raises(InputError, match=r"is undirected.*\.to_directed"):
        GraphTriangles(directed=True, edges=source)
    many = networkx.MultiGraph([(1, 2), (1, 2), (2, 3), (3, 1)])
    assert GraphTriangles(repeated="count", edges=many).count() == 1
    assert GraphTriangles(repeated="count", edges=many.edges(keys=True)).count() == 1
    with pytest.raises(RefusedEdgeError):
        GraphTriangles(edges=many)
    with pytest.raises(ArityError):
        GraphTriangles(edges=arcs.nodes)
