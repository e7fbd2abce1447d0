"""All vertices at once: tables of NumPy, Arrow, pandas and polars; the vertices with the most triangles."""

from fractions import Fraction
from importlib.util import find_spec
from random import Random
from typing import Any

import numpy
import pytest

from ivme import GraphTriangles, InputError, NotTrackedError, extras
from ivme_reference import NaiveGraph
from tests.graph.driving import EPSILONS, toggles

SQUARE = [("b", "a"), ("a", "c"), ("c", "d"), ("d", "b"), ("b", "c"), ("c", "e")]
"""Two triangles on the diagonal (b, c), and a vertex that hangs on it."""

TABLES = ["to_numpy", "to_arrow", "to_pandas", "to_polars"]


def walked(directed: bool, epsilon: Fraction, rng: Random) -> tuple[GraphTriangles, NaiveGraph]:
    """A graph after a random walk, and the reference."""
    graph, naive = GraphTriangles(directed, epsilon, ("at",)), NaiveGraph(directed)
    for edge in list(toggles(rng, directed, 150))[:110]:
        for one in (graph, naive):
            (one.delete if edge in one else one.insert)(*edge)
    return graph, naive


# --- tables ---------------------------------------------------------------------------------------------


def test_a_table_of_all_vertices() -> None:
    graph = GraphTriangles(track=("at",), edges=SQUARE)
    columns = graph.to_numpy()
    assert list(columns) == ["vertex", "degree", "triangles", "clustering"]
    assert columns["vertex"].tolist() == ["b", "a", "c", "d", "e"]
    assert columns["degree"].tolist() == [3, 2, 4, 2, 1]
    assert columns["triangles"].tolist() == [2, 1, 2, 1, 0]
    assert columns["clustering"].tolist() == [2 / 3, 1.0, 1 / 3, 1.0, 0.0]
    assert [str(column.dtype) for column in columns.values()] == ["object", "int64", "int64", "float64"]


def test_a_directed_table_has_no_clustering() -> None:
    graph = GraphTriangles(True, track=("at",), edges=[(1, 2), (2, 3), (3, 1), (2, 1)])
    columns = graph.to_numpy()
    assert {name: column.tolist() for name, column in columns.items()} == {
        "vertex": [1, 2, 3],
        "degree": [3, 3, 2],
        "triangles": [1, 1, 1],
    }
    assert columns["vertex"].dtype == numpy.int64


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_tables_agree_with_the_reference(directed: bool, epsilon: Fraction, rng: Random) -> None:
    graph, naive = walked(directed, epsilon, rng)
    columns = graph.to_numpy()
    assert columns["vertex"].tolist() == naive.nodes()
    assert columns["degree"].tolist() == list(map(naive.degree, naive.nodes()))
    assert columns["triangles"].tolist() == list(map(naive.count_at, naive.nodes()))
    assert columns["triangles"].sum() == 3 * graph.count()
    if not directed:
        assert columns["clustering"].tolist() == [float(naive.clustering(v)) for v in naive.nodes()]
    expected = list(zip(*(column.tolist() for column in columns.values()), strict=True))
    assert [tuple(row.values()) for row in graph.to_arrow().to_pylist()] == expected
    assert list(graph.to_pandas().itertuples(index=False, name=None)) == expected
    assert graph.to_polars().rows() == expected


def test_the_empty_graph_has_empty_tables() -> None:
    graph = GraphTriangles(track=("at",))
    assert [len(column) for column in graph.to_numpy().values()] == [0, 0, 0, 0]
    assert graph.to_arrow().num_rows == len(graph.to_pandas()) == len(graph.to_polars()) == 0
    assert graph.top(3) == []


def test_vertices_stay_what_they_are() -> None:
    mixed: list[Any] = [1, "x", (2, None), None, 2.5]
    graph = GraphTriangles(track=("at",), edges=[(mixed[0], v) for v in mixed[1:]])
    assert graph.to_numpy()["vertex"].tolist() == mixed
    for name in TABLES[1:]:
        with pytest.raises(InputError, match=r"column vertex cannot .* types .*; to_numpy\(\) keeps them"):
            getattr(graph, name)()
    huge = GraphTriangles(track=("at",), edges=[(1, 2**64)])
    with pytest.raises(InputError, match="an integer of 65 bits"):
        huge.to_arrow()


@pytest.mark.parametrize("name", TABLES)
def test_tables_need_the_triangles_of_each_vertex(name: str) -> None:
    with pytest.raises(NotTrackedError, match=rf'^{name}\(\) needs \'at\'.*track=\(…, "at"\)'):
        getattr(GraphTriangles(edges=SQUARE), name)()


@pytest.mark.parametrize(
    ("name", "package", "extra"),
    [
        ("to_numpy", "numpy", "arrays"),
        ("to_arrow", "pyarrow", "arrays"),
        ("to_pandas", "pandas", "pandas"),
        ("to_polars", "polars", "polars"),
        ("to_networkx", "networkx", "networkx"),
    ],
)
def test_a_missing_package_is_named(
    name: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda asked: None if asked == package else find_spec(asked))
    graph = GraphTriangles(track=("at",), edges=SQUARE)
    with pytest.raises(extras.MissingExtraError, match=rf"needs {package}: pip install 'ivme\[{extra}\]'"):
        getattr(graph, name)()


# --- the most triangles ---------------------------------------------------------------------------------


def test_the_vertices_with_the_most_triangles() -> None:
    graph = GraphTriangles(track=("at",), edges=SQUARE)
    ranked = [("b", 2), ("c", 2), ("a", 1), ("d", 1), ("e", 0)]
    for k in range(8):
        assert graph.top(k) == ranked[:k]
    graph.apply([("b", "c", -1), ("d", "e"), ("b", "e")])
    assert graph.top(3) == [("d", 2), ("e", 2), ("b", 1)]


def test_ties_are_broken_by_arrival_although_ids_are_used_again() -> None:
    graph = GraphTriangles(track=("at",), edges=[(9, 8), (3, 4), (4, 5), (5, 3)])
    graph.delete(9, 8)
    graph.apply([(1, 2), (2, 0), (0, 1)])
    assert graph.top(4) == [(3, 1), (4, 1), (5, 1), (1, 1)]


@pytest.mark.parametrize("directed", [False, True])
def test_the_top_agrees_with_the_reference(directed: bool, rng: Random) -> None:
    graph, naive = walked(directed, Fraction(1, 2), rng)
    for k in (0, 1, 2, 5, 100):
        assert graph.top(k) == naive.top(k)


@pytest.mark.parametrize("k", [-1, 1.0, True, "3", None])
def test_what_is_no_number_of_vertices_is_refused(k: Any) -> None:
    graph = GraphTriangles(track=("at",), edges=SQUARE)
    with pytest.raises(InputError, match=r"top\(.*\): give a natural number"):
        graph.top(k)
    with pytest.raises(NotTrackedError, match=r"^top\(\) needs 'at'"):
        GraphTriangles(edges=SQUARE).top(3)
