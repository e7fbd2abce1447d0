"""Graphs saved, loaded, pickled and compared: they come back as they were, and a damaged file is refused."""

import hashlib
import json
import math
import pickle
import re
from collections.abc import Hashable, Iterator
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme import GraphTriangles, InputError, StaleEnumerationError, TriangleView
from ivme.formats.graphs import graph_bytes, opened_graph
from ivme.formats.snapshots import SnapshotError, read_note
from ivme.graph.triangles import unpickled
from ivme_reference import NaiveGraph
from tests.graph.driving import EVERYTHING, require_agreement, toggles

PAGE = Path(__file__).resolve().parents[2] / "spec" / "SNAPSHOTS.md"

atoms = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False) | st.just(math.nan)
values = st.recursive(atoms, lambda parts: st.lists(parts, max_size=3).map(tuple), max_leaves=5)


def facts(graph: GraphTriangles) -> dict[str, Any]:
    """What a graph was made with, and all that is in it, with the order of arrival."""
    return {
        "options": (graph.directed, graph.epsilon, graph.track, graph.self_loops, graph.repeated),
        "nodes": [(type(v), v) for v in graph.nodes()],
        "edges": {
            (u, v): graph.multiplicity(u, v)
            for u, v in (graph.edges() if graph.directed else both_ways(graph))
        },
        "triangles": set(graph.triangles()),
    }


def both_ways(graph: GraphTriangles) -> Iterator[tuple[Hashable, Hashable]]:
    for u, v in graph.edges():
        yield u, v
        yield v, u


def reseal(path: Path, *lines: object) -> None:
    """Write lines with a footer that fits them."""
    text = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    body = "".join(line + "\n" for line in text).encode(errors="surrogateescape")
    path.write_bytes(body + f'{{"sha256": "{hashlib.sha256(body).hexdigest()}"}}\n'.encode())


# --- there and back -------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["file", "pickle"])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    ("epsilon", "track", "loops", "repeated"),
    [
        ("1/2", ("count",), "refuse", "refuse"),
        ("0", ("count", "at"), "ignore", "ignore"),
        ("2/5", EVERYTHING, "ignore", "count"),
        ("1", (), "refuse", "count"),
    ],
    ids=str,
)
def test_a_graph_comes_back_and_goes_on(
    way: str, directed: bool, epsilon: str, track: Any, loops: Any, repeated: Any, tmp_path: Path, rng: Random
) -> None:
    """The loaded graph and a naive one, which saw all updates, agree from then on."""
    graph = GraphTriangles(directed, epsilon, track, loops, repeated)
    naive = NaiveGraph(directed, loops, repeated)
    steps = list(toggles(rng, directed, 160))
    for step, edge in enumerate(steps):
        if step == 120:
            for one in (graph, naive):
                one.apply([(-1, -2)] * (3 if repeated == "count" else 1))
            before = facts(graph)
            if way == "file":
                graph.save(tmp_path / "graph")
                graph = GraphTriangles.load(tmp_path / "graph", debug=10)
            else:
                graph = pickle.loads(pickle.dumps(graph))
            assert facts(graph) == before
            assert [costs.update_count for costs in graph.costs.values()] == [0] * len(track)
            graph.check()
        for one in (graph, naive):
            if edge in one:
                one.delete(*edge)
            else:
                one.insert(*edge)
                if repeated == "count" and step % 3 == 0:
                    one.insert(*edge)
    require_agreement(graph, naive, naive.vertices)
    assert graph.nodes() == naive.vertices
    graph.check()


@given(st.booleans(), st.lists(st.tuples(values, values), max_size=12))
def test_all_values_of_traces_come_back(
    tmp_path_factory: pytest.TempPathFactory, directed: bool, edges: list[tuple[Hashable, Hashable]]
) -> None:
    path = tmp_path_factory.mktemp("saved") / "graph"
    graph = GraphTriangles(directed, self_loops="ignore", repeated="count", edges=edges)
    graph.save(path)
    assert facts(GraphTriangles.load(path)) == facts(graph)
    assert facts(pickle.loads(pickle.dumps(graph))) == facts(graph)


def test_the_order_of_arrival_comes_back_where_ids_were_used_again(tmp_path: Path) -> None:
    graph = GraphTriangles(edges=[("a", "b"), ("b", "c"), ("c", "d")])
    graph.delete("a", "b")
    graph.apply([("e", "c"), ("b", "d")])
    graph.save(tmp_path / "graph")
    loaded = GraphTriangles.load(tmp_path / "graph")
    assert graph.nodes() == loaded.nodes() == ["b", "c", "d", "e"]
    assert list(loaded.triangles()) == [("b", "c", "d")]


def test_an_empty_graph_comes_back(tmp_path: Path) -> None:
    GraphTriangles(True).save(tmp_path / "graph")
    loaded = GraphTriangles.load(tmp_path / "graph")
    assert (loaded.directed, loaded.nodes(), loaded.edges(), loaded.size) == (True, [], [], 0)


def test_many_copies_and_long_integers_come_back(tmp_path: Path) -> None:
    huge = 7**9_000
    graph = GraphTriangles(repeated="count", edges=[(huge, -huge)])
    graph._intake.copies[1, 2] = huge
    graph.save(tmp_path / "graph")
    loaded = GraphTriangles.load(tmp_path / "graph")
    assert loaded.multiplicity(-huge, huge) == huge
    loaded.check()


def test_notes_come_back(tmp_path: Path) -> None:
    note = {"offset": 2**70, "of": ["täg", None, {"x": 1.5}]}
    GraphTriangles(edges=[(1, 2)]).save(tmp_path / "with", note)
    GraphTriangles().save(tmp_path / "without")
    assert (read_note(tmp_path / "with"), read_note(tmp_path / "without")) == (note, {})


def test_the_page_shows_a_snapshot(tmp_path: Path) -> None:
    _, example = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "graph").write_text(example, encoding="utf-8")
    loaded = GraphTriangles.load(tmp_path / "graph")
    assert loaded.nodes() == ["ada", 2, (1, "x"), "eve"]
    assert (loaded.count(), loaded.multiplicity((1, "x"), "ada"), loaded.track) == (1, 3, ("count", "at"))
    assert (loaded.self_loops, loaded.repeated, loaded.epsilon) == ("ignore", "count", Fraction(1, 2))
    loaded.save(tmp_path / "again", {"batch": 7})
    again = (tmp_path / "again").read_text(encoding="utf-8")
    assert sorted(again.splitlines()[:-1]) == sorted(example.splitlines()[:-1])


# --- damage ---------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "graph"
    graph = GraphTriangles(track=("at",), repeated="count", edges=[("é", 1), (1, 2), (2, "é"), (1, "é")])
    graph.save(path, {"n": 1})
    return path


def refusal(path: Path) -> str:
    """The message with which loading refuses a file."""
    with pytest.raises(SnapshotError) as loading:
        GraphTriangles.load(path)
    message = str(loading.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def test_a_file_cut_short_anywhere_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    seen = set()
    for length in range(len(whole)):
        saved.write_bytes(whole[:length])
        seen.add(refusal(saved).removeprefix(str(saved))[:16])
    assert seen == {", line 1: not a ", " is damaged: its"}


def test_any_changed_byte_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for place in range(len(whole)):
        changed = bytearray(whole)
        changed[place] ^= 1 << place % 8
        saved.write_bytes(changed)
        refusal(saved)


@pytest.mark.parametrize("contents", [b"", b"\x00\xff" * 500, b"[]\n", b'{"ivme-trace": 1}\n', b"1,2\n2,3\n"])
def test_what_is_no_snapshot_is_refused(contents: bytes, saved: Path) -> None:
    saved.write_bytes(contents)
    assert 'not a snapshot of a graph: it must begin with {"ivme-graph": 1, …}' in refusal(saved)


@pytest.mark.parametrize("version", ["2", "0", "true", '"1"', "null", "1.0"])
def test_other_versions_are_refused(version: str, saved: Path) -> None:
    lines = saved.read_text().splitlines()[:-1]
    reseal(saved, lines[0].replace('"ivme-graph": 1', f'"ivme-graph": {version}'), *lines[1:])
    assert "this ivme reads version 1" in refusal(saved)
    with pytest.raises(SnapshotError, match="this ivme reads version 1"):
        read_note(saved)


def test_a_snapshot_of_the_other_kind_says_what_reads_it(saved: Path) -> None:
    with pytest.raises(
        SnapshotError,
        match=r"graph is a snapshot of a graph, not of a view: read it with GraphTriangles\.load\(…\)",
    ):
        TriangleView.load(saved)
    TriangleView("A", database={"R": [(1, 2)]}).save(saved, {"x": 1})
    assert "is a snapshot of a view, not of a graph: read it with TriangleView.load(…)" in refusal(saved)
    assert read_note(saved) == {"x": 1}


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in refusal(tmp_path / "missing")
    assert "is not a file" in refusal(tmp_path)
    for path in (7, "a\0b"):
        with pytest.raises(SnapshotError, match="path"):
            GraphTriangles.load(path)  # type: ignore[arg-type]  # bad on purpose


HEADER: dict[str, object] = {
    "ivme-graph": 1,
    "directed": False,
    "epsilon": "1/2",
    "track": ["count"],
    "self_loops": "refuse",
    "repeated": "count",
    "vertices": 3,
    "edges": 2,
    "note": {},
}
LINES: list[object] = [["a"], [1], [None], [0, 1], [2, 1, 4]]

WRONG: dict[str, tuple[dict[str, object], list[object], str]] = {
    "directed": ({"directed": 1}, LINES, "line 1: directed 1 must be true or false"),
    "epsilon": ({"epsilon": "3/2"}, LINES, "3/2"),
    "a number of epsilon": ({"epsilon": 1}, LINES, "line 1: epsilon, self_loops and repeated must be text"),
    "track": ({"track": "count"}, LINES, "line 1: track 'count' must be a list of names"),
    "unknown track": ({"track": ["edges"]}, LINES, "track has 'edges'"),
    "self_loops": ({"self_loops": "count"}, LINES, "self_loops 'count'"),
    "repeated": ({"repeated": "often"}, [*LINES[:4], [2, 1]], "repeated 'often'"),
    "no repeated": ({"repeated": None}, LINES, "must be text"),
    "note": ({"note": 1}, LINES, "line 1: note 1 must be an object"),
    "a bool of vertices": ({"vertices": True}, LINES, "must be natural numbers"),
    "negative edges": ({"edges": -1}, LINES, "must be natural numbers"),
    "fewer vertices": ({"vertices": 2}, LINES, r"line 4: \[None\] is not \[vertex, vertex\]"),
    "more vertices": ({"vertices": 4}, LINES, r"line 5: \[0, 1\] is not \[vertex\]"),
    "only vertices": ({"vertices": 9}, LINES[:3], "graph has 3 vertices, and its header says 9"),
    "fewer edges": ({"edges": 1}, LINES, "has 2 edges, and its header says 1"),
    "more edges": ({"edges": 3}, LINES, "has 2 edges, and its header says 3"),
    "a vertex twice": ({}, [["a"], [1], [1.0], [0, 1], [2, 1]], "line 4: vertex 1.0 is repeated"),
    "no value": ({}, [["a"], [1], [[2]], [0, 1], [2, 1]], r"line 4: \[2\] is not a data value"),
    "a vertex alone": ({}, [*LINES[:4], [1, 0, 1]], "edge .* is repeated"),
    "isolated": ({"edges": 1}, LINES[:4], "line 4: the vertex has no edge"),
    "a self-loop": ({}, [*LINES[:4], [2, 2]], r"line 6: \[2, 2\] is a self-loop"),
    "no such vertex": (
        {},
        [*LINES[:4], [2, 3]],
        r"line 6: \[2, 3\] does not name two of the vertices 0 to 2",
    ),
    "below zero": ({}, [*LINES[:4], [2, -1]], "line 6: .* does not name two"),
    "a bool": ({}, [*LINES[:4], [2, True]], "line 6: .* does not name two"),
    "no copies": ({}, [*LINES[:4], [2, 1, 0]], "line 6: .* has 0 copies"),
    "half a copy": ({}, [*LINES[:4], [2, 1, 1.5]], "line 6: multiplicity 1.5 is a float"),
    "copies that do not count": ({"repeated": "ignore"}, LINES, "line 6: .* that does not count them"),
    "four entries": ({}, [*LINES[:4], [2, 1, 1, 1]], "line 6: .* is not"),
    "an object": ({}, [*LINES[:4], {}], "line 6: {} is not"),
    "not JSON": ({}, [*LINES[:4], "[2, 1"], "line 6: not JSON"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_contents_that_cannot_be_are_refused_with_any_checksum(kind: str, tmp_path: Path) -> None:
    changes, lines, message = WRONG[kind]
    path = tmp_path / "graph"
    reseal(path, HEADER, *LINES)
    good = GraphTriangles.load(path)
    assert (good.nodes(), good.edges(), good.multiplicity(1, None)) == (
        ["a", 1, None],
        [("a", 1), (1, None)],
        4,
    )
    reseal(path, HEADER | changes, *lines)
    with pytest.raises(SnapshotError, match=message):
        GraphTriangles.load(path)


def test_a_directed_edge_and_its_reverse_are_two(tmp_path: Path) -> None:
    path = tmp_path / "graph"
    lines = [[1], [2], [0, 1], [1, 0]]
    reseal(path, HEADER | {"directed": True, "vertices": 2}, *lines)
    assert sorted(GraphTriangles.load(path).edges()) == [(1, 2), (2, 1)]
    reseal(path, HEADER | {"vertices": 2}, *lines)
    with pytest.raises(SnapshotError, match=r"edge \(2, 1\) is repeated"):
        GraphTriangles.load(path)


def test_a_damaged_pickle_is_refused() -> None:
    graph = GraphTriangles(edges=[(1, 2)])
    data = graph_bytes(graph._saved())
    with pytest.raises(SnapshotError, match="pickled graph is damaged"):
        unpickled(data[:-1], 0)
    with pytest.raises(SnapshotError, match="'text' is a str, not the bytes of a snapshot"):
        unpickled("text", 0)  # type: ignore[arg-type]  # bad on purpose
    assert unpickled(data, 3)._debug == 3


# --- what cannot be saved -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vertex", "message"),
    [
        (b"x", "value b'x' of type bytes cannot be written"),
        (Fraction(1, 2), "of type Fraction cannot be written"),
        (float("nan"), "a NaN other than math.nan"),
    ],
    ids=repr,
)
def test_vertices_that_cannot_be_read_back_are_refused(vertex: Any, message: str, saved: Path) -> None:
    before = saved.read_bytes()
    graph = GraphTriangles(edges=[(1, 2), (2, vertex)])
    with pytest.raises(SnapshotError, match=f"a vertex cannot be saved: .*{message}"):
        graph.save(saved)
    with pytest.raises(InputError, match=message):
        pickle.dumps(graph)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_notes_and_paths_that_cannot_be_are_refused(saved: Path) -> None:
    before, graph, bad = saved.read_bytes(), GraphTriangles(edges=[(1, 2)]), [1]
    with pytest.raises(SnapshotError, match="is not a JSON object"):
        graph.save(saved, bad)  # type: ignore[arg-type]  # bad on purpose
    with pytest.raises(SnapshotError, match="is a folder"):
        graph.save(saved.parent)
    with pytest.raises(SnapshotError, match="there is no folder"):
        graph.save(saved / "below" / "graph")
    assert saved.read_bytes() == before


def test_an_update_while_saving_leaves_the_old_snapshot(saved: Path) -> None:
    before = saved.read_bytes()

    class Meddling(tuple[int, ...]):
        """A vertex that updates the graph when it is written."""

        def __iter__(self) -> Iterator[int]:
            graph.insert(8, 9)
            return super().__iter__()

    graph = GraphTriangles(repeated="ignore", edges=[(1, Meddling((2,)))])
    with pytest.raises(StaleEnumerationError):
        graph.save(saved)
    assert saved.read_bytes() == before


def test_links_are_read_once_and_as_they_are_used(saved: Path) -> None:
    with opened_graph(saved) as found:
        assert (found.vertices, found.edges) == (["é", 1, 2], 3)
        assert sorted(found.links) == [(0, 1, 2), (0, 2, 1), (1, 2, 1)]


# --- equality -------------------------------------------------------------------------------------------


def test_graphs_are_equal_by_direction_edges_and_copies() -> None:
    graph = GraphTriangles(edges=[(1, 2), (2, 3)])
    other = GraphTriangles(False, "1/3", ("at",), "ignore", "count", edges=[(3.0, 2), (2, True)])
    assert graph == other == graph.copy() == pickle.loads(pickle.dumps(other))
    other.insert(1, 2)
    assert graph != other
    assert other != graph
    assert other == other.copy()
    assert graph != GraphTriangles(edges=[(1, 2), (2, 4)])
    assert graph != GraphTriangles(edges=[(1, 2), (2, 3), (3, 4)])
    assert graph != GraphTriangles(edges=[(1, 2), (2, 3), (1, 3)])
    assert GraphTriangles(edges=[(1, 2), (2, 3), (1, 3)]) != graph
    assert graph != GraphTriangles(edges=[(1, 2), (3, 4)])
    assert GraphTriangles(True, edges=[(1, 2)]) != GraphTriangles(True, edges=[(2, 1)])
    assert GraphTriangles(True) != GraphTriangles()
    assert GraphTriangles() == GraphTriangles()
    assert graph != [(1, 2), (2, 3)]
    with pytest.raises(TypeError, match="unhashable"):
        hash(graph)
