"""The six graphs of ../shared/data: documented numbers, one edge at a time, and back to nothing.

The folder is looked for beside the repository, or where IVME_DATA says; its README documents the numbers.
Nothing of it is copied here but those numbers.
"""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from attrs import frozen

from ivme import GraphTriangles

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("IVME_DATA") or ROOT.parent / "shared" / "data")


@frozen
class Documented:
    """What the README of the data says of a graph."""

    name: str
    lines: int
    edges: int
    triangles: int
    self_loops: int
    top: tuple[int, int, int]
    """The vertex with the most triangles, their number, and its degree."""

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The lines of the file, without times."""
        return ((line[0], line[1]) for line in self.numbers())

    def numbers(self) -> Iterator[tuple[int, ...]]:
        """The lines of the file; the test is skipped where there is none."""
        path = DATA / f"{self.name}.txt.gz"
        if not path.is_file():
            pytest.skip(
                f"{path} is absent: the real graphs are not part of the project; IVME_DATA may name them"
            )
        with gzip.open(path, "rt", encoding="ascii") as lines:
            for line in lines:
                yield tuple(map(int, line.split()))


SMALL = [
    Documented("ca-GrQc", 28_980, 14_484, 48_260, 12, (21012, 1_179, 81)),
    Documented("email-Eu-core", 25_571, 16_064, 105_461, 642, (160, 5_549, 345)),
    Documented("CollegeMsg-temporal", 59_835, 13_838, 14_319, 0, (32, 1_095, 207)),
]
LARGE = [
    Documented("ego-Facebook", 88_234, 88_234, 1_612_010, 0, (1912, 30_025, 755)),
    Documented("wiki-Vote", 103_689, 100_762, 608_389, 0, (2565, 30_940, 1_065)),
    Documented("email-Enron", 183_831, 183_831, 727_044, 0, (136, 17_744, 1_026)),
]
COLLEGE = SMALL[2]

TENTHS = [
    (5_984, 564, 1_933, 657),
    (11_967, 792, 3_468, 1_722),
    (17_950, 981, 4_927, 2_821),
    (23_934, 1_116, 6_199, 4_175),
    (29_918, 1_260, 7_476, 5_871),
    (35_901, 1_399, 8_840, 7_798),
    (41_884, 1_498, 10_038, 9_618),
    (47_868, 1_677, 11_612, 11_020),
    (53_852, 1_771, 12_803, 12_947),
    (59_835, 1_899, 13_838, 14_319),
]
"""CollegeMsg: the number of lines so far, nodes, edges, triangles."""

each_graph = pytest.mark.parametrize(
    "documented",
    [
        *(pytest.param(graph, id=graph.name) for graph in SMALL),
        *(pytest.param(graph, id=graph.name, marks=pytest.mark.nightly) for graph in LARGE),
    ],
)


@each_graph
def test_documented_count_and_zero_again(documented: Documented, rng: Random) -> None:
    graph = GraphTriangles(self_loops="ignore", repeated="ignore")
    edges = []
    lines = self_loops = 0
    for u, v in documented.pairs():
        lines += 1
        self_loops += u == v
        if u != v and (u, v) not in graph:
            edges.append((u, v))
        graph.insert(u, v)
    assert (lines, self_loops) == (documented.lines, documented.self_loops)
    assert graph.number_of_edges() == len(edges) == documented.edges
    assert graph.count() == documented.triangles
    rng.shuffle(edges)
    for u, v in edges:
        graph.delete(v, u)
    assert (graph.count(), graph.number_of_edges(), graph.number_of_nodes(), graph.size) == (0, 0, 0, 0)


def test_documented_counts_at_each_tenth_of_the_stream() -> None:
    graph = GraphTriangles(repeated="ignore")
    tenths = {k: numbers for k, *numbers in TENTHS}
    seen = 0
    for k, (u, v) in enumerate(COLLEGE.pairs(), start=1):
        graph.insert(u, v)
        if k in tenths:
            assert [graph.number_of_nodes(), graph.number_of_edges(), graph.count()] == tenths[k]
            seen += 1
    assert seen == 10


def test_copies_of_the_stream_count_and_only_the_last_takes_the_edge_away(rng: Random) -> None:
    graph = GraphTriangles(repeated="count", track=("count",))
    pairs = list(COLLEGE.pairs())
    assert graph.apply(pairs) == COLLEGE.lines
    assert (graph.number_of_edges(), graph.count()) == (COLLEGE.edges, COLLEGE.triangles)
    rng.shuffle(pairs)
    assert graph.apply((u, v, -1) for u, v in pairs) == COLLEGE.lines
    assert (graph.count(), graph.number_of_edges(), graph.size) == (0, 0, 0)


@each_graph
def test_documented_vertex_with_most_triangles(documented: Documented) -> None:
    graph = GraphTriangles(track=("at",), self_loops="ignore", repeated="ignore", edges=documented.pairs())
    vertices = {v for pair in documented.pairs() for v in pair}
    vertex, triangles, degree = documented.top
    counts = {v: graph.count_at(v) for v in vertices}
    assert max(counts, key=counts.__getitem__) == vertex
    assert counts[vertex] == triangles
    assert graph.degree(vertex) == degree
    assert sum(counts.values()) == 3 * documented.triangles


@pytest.mark.parametrize("documented", [pytest.param(graph, id=graph.name) for graph in SMALL])
def test_every_way_of_tracking_sees_the_documented_triangles(documented: Documented) -> None:
    edges = list(documented.pairs())
    graph = GraphTriangles(track=("on", "triangles"), self_loops="ignore", repeated="ignore", edges=edges)
    assert len({frozenset(triangle) for triangle in graph.triangles()}) == documented.triangles
    different = {frozenset((u, v)) for u, v in edges if u != v}
    assert sum(graph.count_on(*edge) for edge in different) == 3 * documented.triangles
