"""`ivme run --graph --checkpoint`: as without --graph, killed at any moment, it goes on."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ivme import GraphTriangles, TriangleView
from ivme.formats.saved import read_note
from ivme_reference import NaiveGraph
from ivme_spec.errors import RefusedEdgeError
from tests.cli.conftest import Command
from tests.cli.inputs import refused
from tests.cli.test_checkpoint import SUICIDE

GRAPH = Path("state/graph.jsonl")
RUN = ["run", "--graph", "e.csv", "--refused", "skip", "--checkpoint", "state"]
OUT = ["--output", "answer.json"]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def stream(rng: random.Random, count: int, directed: bool = False) -> tuple[list[str], NaiveGraph]:
    """Lines of edges that come and go, with loops, repeats and refused deletes; and the graph in the end."""
    naive, lines = NaiveGraph(directed, "ignore", "count"), list[str]()
    for _ in range(count):
        u, v, sign = rng.randrange(8), rng.randrange(8), rng.choice([1, 1, 1, -1])
        lines.append(f"{u},{v},{sign}\n")
        try:
            (naive.insert if sign > 0 else naive.delete)(u, v)
        except RefusedEdgeError:
            continue
    return lines, naive


def wanted(naive: NaiveGraph, track: str) -> Counter[tuple[object, ...]]:
    """The rows; an edge or a triangle as a set, since orders of arrival are the engine's."""
    triangles = list(naive.triangles())
    if track == "count":
        return Counter([(len(triangles),)])
    if track == "at":
        return Counter([(v, naive.count_at(v)) for v in naive.vertices if naive.count_at(v)])
    if track == "triangles":
        return Counter((frozenset(triangle),) for triangle in triangles)
    edges = [(edge, naive.count_on(*edge)) for edge in naive.edges()]
    return Counter((edge if naive.directed else frozenset(edge), count) for edge, count in edges if count)


def found(document: dict[str, list[list[int]]], naive: NaiveGraph, track: str) -> Counter[tuple[object, ...]]:
    if track == "triangles":
        return Counter((frozenset(row),) for row in document["rows"])
    if track == "on":
        ends = (lambda u, v: (u, v)) if naive.directed else lambda u, v: frozenset((u, v))
        return Counter((ends(u, v), count) for u, v, count in document["rows"])
    return Counter(map(tuple, document["rows"]))


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("track", ["count", "at", "on", "triangles"])
def test_a_run_goes_on_from_its_checkpoint_with_the_summary_of_one_run(
    ivme: Command, rng: random.Random, track: str, directed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, naive = stream(rng, 400, directed)
    run = [*RUN, *OUT, "--track", track, "--repeated", "count", *["--directed"] * directed]
    Path("e.csv").write_text("".join(lines[:250]))
    assert ivme(*run).code == 0
    assert read_note(GRAPH)["records"] == 250
    Path("e.csv").write_text("".join(lines))
    applied: list[str] = []
    for name in ("insert", "delete"):
        real = getattr(GraphTriangles, name)

        def noted(self: GraphTriangles, u: int, v: int, name: str = name, real: object = real) -> None:
            applied.append(name)
            assert callable(real)
            real(self, u, v)

        monkeypatch.setattr(GraphTriangles, name, noted)
    resumed = ivme(*run)
    assert len(applied) == 150, "what was applied before is not applied again"
    document = json.loads(Path("answer.json").read_text())
    assert found(document, naive, track) == wanted(naive, track)
    assert (document["edges"], document["updates"]) == (naive.number_of_edges(), 400)
    GRAPH.unlink()
    whole = ivme(*run)
    assert resumed.err.splitlines()[-1] == whole.err.splitlines()[-1], "loops, repeats, refused: counted once"
    assert "self-loops passed over" in whole.err
    assert "already: " in whole.err
    again = json.loads(Path("answer.json").read_text())
    assert sorted(again.pop("rows")) == sorted(document.pop("rows")), "vertices in the same order of arrival"
    assert again == document


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 6, 7])
def test_killed_at_each_step_of_a_commit(ivme: Command, rng: random.Random, step: int) -> None:
    lines, naive = stream(rng, 60)
    Path("e.csv").write_text("".join(lines))
    run = [*RUN, *OUT, "--repeated", "count"]
    done = subprocess.run(
        [sys.executable, "-c", SUICIDE, str(step), *run, "--every", "30"], capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGKILL
    assert ivme(*run).code == 0
    assert json.loads(Path("answer.json").read_text())["rows"] == [[naive.count()]]
    assert sorted(os.listdir("state")) == ["graph.jsonl", "lock"], "nothing unfinished is left"
    assert sorted(os.listdir()) == ["answer.json", "e.csv", "state"]


def test_a_finished_run_may_be_repeated_and_every_says_how_often(
    ivme: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved: list[object] = []
    save = GraphTriangles.save

    def noted(self: GraphTriangles, path: Path, note: dict[str, object]) -> None:
        saved.append(note["records"])
        save(self, path, note)

    monkeypatch.setattr(GraphTriangles, "save", noted)
    Path("e.csv").write_text("1,2\n2,3\n3,1\n3,3\n3,1\n")
    first = ivme(*RUN, "--every", "2")
    assert saved == [2, 4, 5]
    before = GRAPH.read_bytes()
    assert ivme(*RUN) == first
    assert (saved, GRAPH.read_bytes()) == ([2, 4, 5], before)
    assert "self-loops passed over: 1; inserts of edges that were there already: 1" in first.err


def test_watch_goes_on_too(ivme: Command) -> None:
    options = [*RUN, "--watch", "--track", "triangles"]
    Path("e.csv").write_text("1,2\n2,3\n3,1\n")
    assert ivme(*options).out == "3\t1\t2\t3\t0\t1\n"
    with Path("e.csv").open("a") as stream:
        stream.write("4,1\n4,2\n1,2,-1\n")
    assert ivme(*options).out == "5\t1\t2\t4\t0\t1\n6\t1\t2\t3\t1\t0\n6\t1\t2\t4\t1\t0\n"


MADE = (
    "the checkpoint in state is of an undirected graph with ε = 1/2, --track count, --self-loops ignore and"
)


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("1,2\n2,3\n", [], "e.csv has 2 updates, and the checkpoint was made after 3: it is shorter"),
        ("1,2\n2,4\n3,1\n", [], "the first 3 updates of e.csv are not those that the checkpoint"),
        (
            "1,2\n2,3\n3,1\n",
            ["--track", "at"],
            "--repeated ignore; this is an undirected graph with ε = 1/2, --track at",
        ),
        ("1,2\n2,3\n3,1\n", ["--directed"], f"{MADE} --repeated ignore; this is a directed graph"),
        (
            "1,2\n2,3\n3,1\n",
            ["--epsilon", "1/3"],
            f"{MADE} --repeated ignore; this is an undirected graph with ε = 1/3",
        ),
        (
            "1,2\n2,3\n3,1\n",
            ["--repeated", "count"],
            "--self-loops ignore and --repeated count: give another folder",
        ),
        (
            "1,2\n2,3\n3,1\n",
            ["--self-loops", "refuse"],
            "--self-loops refuse and --repeated ignore: give another",
        ),
    ],
)
def test_another_input_or_graph_is_refused(ivme: Command, text: str, options: list[str], said: str) -> None:
    Path("e.csv").write_text("1,2\n2,3\n3,1\n")
    assert ivme(*RUN).code == 0
    before = GRAPH.read_bytes()
    Path("e.csv").write_text(text)
    refused(ivme(*RUN, *OUT, *options), said)
    assert GRAPH.read_bytes() == before
    assert not Path("answer.json").exists()


def test_a_folder_is_for_a_query_or_for_a_graph(ivme: Command) -> None:
    Path("e.csv").write_text("1,2\n")
    Path("u.csv").write_text("R,1,2\n")
    assert ivme(*RUN).code == 0
    done = ivme("run", "u.csv", "--checkpoint", "state")
    refused(
        done, "the checkpoint in state is of a graph, and this run is without --graph: give another folder"
    )
    assert ivme("run", "u.csv", "--checkpoint", "other").code == 0
    done = ivme("run", "--graph", "e.csv", "--checkpoint", "other")
    refused(done, "the checkpoint in other is of a query, and this run is with --graph: give another folder")


def test_damaged_and_strange_checkpoints_are_refused(ivme: Command) -> None:
    Path("e.csv").write_text("1,2\n2,3\n3,1\n")
    assert ivme(*RUN).code == 0
    GRAPH.write_bytes(GRAPH.read_bytes()[:-30])
    refused(ivme(*RUN), "is damaged")
    GraphTriangles(self_loops="ignore", repeated="ignore").save(GRAPH)
    refused(ivme(*RUN), "not one of `ivme run`")
    note = {"records": 0, "refused": 0, "sha256": "", "passed_over": {"loops": "1"}}
    GraphTriangles(self_loops="ignore", repeated="ignore").save(GRAPH, note)
    refused(ivme(*RUN), "not one of `ivme run`")
    TriangleView("").save(GRAPH, {"records": 0, "refused": 0, "sha256": ""})
    refused(ivme(*RUN), "is a snapshot of a view, not of a graph")


def test_a_bad_line_leaves_the_last_checkpoint(ivme: Command) -> None:
    Path("e.csv").write_text("1,2\n2,3\n3,1\n1,2,5\n")
    refused(ivme(*RUN, "--every", "3"), "e.csv, line 4: sign 5 of edge (1, 2)")
    assert read_note(GRAPH)["records"] == 3
    Path("e.csv").write_text("1,2\n2,3\n3,1\n1,4\n")
    assert ivme(*RUN).out.split() == ["triangles", "1"]


def test_vertices_that_no_snapshot_can_hold_are_said(ivme: Command) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"u": [b"bytes"], "v": [1]}), "e.parquet")
    done = ivme("run", "--graph", "e.parquet", "--checkpoint", "state")
    refused(done, "a vertex cannot be saved")
    assert not Path("state").exists(), "a folder that got no checkpoint is removed"
