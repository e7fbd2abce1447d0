"""Vertices and edges, by the names of networkx: what they tell, what they change, what they refuse."""

import doctest
from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any

import networkx as nx
import pytest

from ivme import (
    ArityError,
    BusyError,
    DataValueError,
    GraphTriangles,
    InputError,
    RefusedEdgeError,
    RefusedUpdateError,
)
from tests.graph.driving import EVERYTHING, toggles

SQUARE = [(1, 2), (2, 3), (3, 4), (4, 1), (1, 3)]


# --- what they tell -------------------------------------------------------------------------------------


def test_an_undirected_graph() -> None:
    graph = GraphTriangles(edges=[("c", "b"), ("a", "b"), ("a", "c"), ("d", "a")])
    assert graph.nodes() == ["c", "b", "a", "d"]
    assert set(graph.edges()) == {("c", "b"), ("b", "a"), ("c", "a"), ("a", "d")}
    assert len(graph.edges()) == 4
    assert set(graph.neighbors("a")) == set(graph.predecessors("a")) == {"b", "c", "d"}
    assert graph.has_edge("b", "c")
    assert graph.has_edge("c", "b")
    assert not graph.has_edge("d", "b")
    assert not graph.has_edge("d", "x")
    assert (graph.has_node("d"), graph.has_node("x")) == (True, False)
    assert (graph.neighbors("x"), graph.predecessors("x"), graph.degree("x")) == ([], [], 0)


def test_a_directed_graph() -> None:
    graph = GraphTriangles(directed=True, edges=[(1, 2), (2, 1), (1, 3), (4, 1)])
    assert set(graph.edges()) == {(1, 2), (2, 1), (1, 3), (4, 1)}
    assert (set(graph.neighbors(1)), set(graph.predecessors(1))) == ({2, 3}, {2, 4})
    assert (graph.neighbors(3), graph.predecessors(3)) == ([], [1])
    assert (graph.has_edge(1, 3), graph.has_edge(3, 1)) == (True, False)


def test_copies_are_told_apart_from_edges() -> None:
    graph = GraphTriangles(repeated="count", edges=[(1, 2), (2, 1), (2, 3)])
    graph.add_edge(1, 2)
    assert len(graph.edges()) == graph.number_of_edges() == 2
    assert [graph.multiplicity(*edge) for edge in ((1, 2), (2, 1), (3, 2), (1, 3), (1, 9))] == [3, 3, 1, 0, 0]
    assert (graph.neighbors(1), graph.degree(1)) == ([2], 1)
    directed = GraphTriangles(True, repeated="count", edges=[(1, 2), (1, 2), (2, 1)])
    assert (directed.multiplicity(1, 2), directed.multiplicity(2, 1)) == (2, 1)
    ignoring = GraphTriangles(repeated="ignore", edges=[(1, 2), (2, 1)])
    assert ignoring.multiplicity(1, 2) == 1


def test_the_order_is_that_of_arrival_where_vertices_left() -> None:
    graph = GraphTriangles(edges=[(1, 2), (3, 4), (5, 6)])
    graph.remove_edge(1, 2)
    graph.apply([(7, 8), (2, 1)])
    assert graph.nodes() == [3, 4, 5, 6, 7, 8, 2, 1]
    assert set(graph.edges()) == {(3, 4), (5, 6), (7, 8), (2, 1)}
    assert graph.copy().nodes() == graph.nodes()


def test_lists_outlast_a_change() -> None:
    graph = GraphTriangles(edges=SQUARE)
    for u, v in graph.edges():
        graph.remove_edge(u, v)
    assert (graph.nodes(), graph.edges()) == ([], [])
    graph.nodes().append(9)
    graph.edges().append((9, 9))
    assert (graph.nodes(), graph.edges()) == ([], [])


def test_a_graph_has_neither_length_nor_items() -> None:
    """Of vertices or of edges? Both have methods."""
    graph: Any = GraphTriangles(edges=SQUARE)
    for ask in (len, iter, list):
        with pytest.raises(TypeError):
            ask(graph)
    with pytest.raises(ArityError):
        GraphTriangles(edges=graph)
    assert GraphTriangles(edges=graph.edges()) == graph


# --- what they change -----------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
def test_a_removed_vertex_takes_its_edges_and_copies(directed: bool) -> None:
    edges = [(1, 2), (2, 3), (3, 1), (1, 2), (3, 4), (4, 1), (5, 1)]
    graph = GraphTriangles(directed, track=EVERYTHING, repeated="count", edges=edges)
    if directed:
        graph.apply([(2, 1), (2, 1)])
    graph.remove_node(True)
    assert set(graph.edges()) == {(2, 3), (3, 4)}
    assert graph.nodes() == [2, 3, 4]
    assert (graph.count(), graph.has_node(1), graph.multiplicity(1, 2)) == (0, False, 0)
    assert graph._intake.copies == {}
    graph.check()


def test_policies_and_errors_of_changes_are_ours() -> None:
    graph = GraphTriangles(edges=SQUARE)
    before = graph.copy()
    refused: list[tuple[Callable[[], None], type[InputError], str]] = [
        (lambda: graph.add_edge(2, 1), RefusedEdgeError, "is in the graph"),
        (lambda: graph.add_edge(5, 5), RefusedEdgeError, "self-loop"),
        (lambda: graph.remove_edge(2, 4), RefusedEdgeError, "is not in the graph"),
        (
            lambda: graph.remove_node(9),
            RefusedUpdateError,
            "vertex 9 is not in the graph: it cannot be removed",
        ),
    ]
    for change, error, message in refused:
        with pytest.raises(error, match=message):
            change()
        assert graph == before
    lenient = GraphTriangles(self_loops="ignore", repeated="ignore", edges=SQUARE)
    lenient.add_edge(2, 1)
    lenient.add_edge(5, 5)
    assert lenient == graph


UNHASHABLE: Any = [1]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("has_node", (UNHASHABLE,)),
        ("neighbors", (UNHASHABLE,)),
        ("predecessors", (UNHASHABLE,)),
        ("has_edge", (1, UNHASHABLE)),
        ("has_edge", (UNHASHABLE, 1)),
        ("multiplicity", (UNHASHABLE, 1)),
        ("add_edge", (1, UNHASHABLE)),
        ("remove_edge", (UNHASHABLE, 1)),
        ("remove_node", (UNHASHABLE,)),
    ],
    ids=str,
)
def test_what_is_no_vertex_is_refused(name: str, arguments: tuple[Any, ...]) -> None:
    graph = GraphTriangles(edges=SQUARE)
    with pytest.raises(DataValueError, match=r"\[1\]"):
        getattr(graph, name)(*arguments)
    assert graph == GraphTriangles(edges=SQUARE)


def test_nothing_is_told_from_within_an_update() -> None:
    class Curious:
        """A vertex that asks for the vertices when it is compared."""

        def __init__(self, number: int) -> None:
            self.number = number

        def __hash__(self) -> int:
            return 1

        def __eq__(self, other: object) -> bool:
            if asking:
                asking.pop()()
            return isinstance(other, Curious) and self.number == other.number

    asking: list[Callable[[], object]] = []
    a, b, c = Curious(1), Curious(2), Curious(3)
    graph = GraphTriangles(edges=[(a, b)])
    for ask in (graph.nodes, graph.edges, graph.to_networkx, graph.copy, lambda: graph.save("never")):
        asking.append(ask)
        with pytest.raises(BusyError):
            graph.insert(a, c)
        asking.clear()
    assert graph.nodes() == [a, b]
    graph.check()


@pytest.mark.parametrize("module", ["structure", "answers", "triangles"])
def test_the_examples_run(module: str) -> None:
    done = doctest.testmod(import_module(f"ivme.graph.{module}"))
    assert done.attempted
    assert not done.failed


# --- networkx -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("directed", [False, True])
def test_the_graph_of_networkx_is_the_same(directed: bool, rng: Random) -> None:
    graph = GraphTriangles(directed, track=("at",))
    for edge in list(toggles(rng, directed, 150))[:110]:
        (graph.delete if edge in graph else graph.insert)(*edge)
    made = graph.to_networkx()
    assert type(made) is (nx.DiGraph if directed else nx.Graph)
    assert list(made.nodes) == graph.nodes()
    assert made.number_of_edges() == graph.number_of_edges()
    assert all(made.has_edge(u, v) for u, v in graph.edges())
    assert all(not data for _, _, data in made.edges(data=True))
    if not directed:
        assert nx.triangles(made) == {v: graph.count_at(v) for v in graph.nodes()}
    made.add_edge("more", "edges")
    assert not graph.has_node("more")


def test_copies_are_an_attribute_in_networkx() -> None:
    graph = GraphTriangles(repeated="count", edges=[(1, 2), (2, 1), (2, 3)])
    made = graph.to_networkx()
    assert {frozenset((u, v)): data for u, v, data in made.edges(data=True)} == {
        frozenset((1, 2)): {"multiplicity": 2},
        frozenset((2, 3)): {"multiplicity": 1},
    }
