"""A type checker, and so an editor, finds typos in relation names, partitionings and options."""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="pip install 'ivme[dev]'")

ROOT = Path(__file__).resolve().parents[2]

START = """\
from ivme import GraphTriangles, Partitioning, RelationName, Repeated, SelfLoops, Track, TriangleView, Update
from ivme_spec.relations import known_relation
view = TriangleView("A")
name: RelationName = "S"
kind: Partitioning = "double"
tracks: tuple[Track, ...] = ("on", "triangles")
loops: SelfLoops = "ignore"
again: Repeated = "count"
updates: list[Update] = [("R", 1, 2), ("S", 2, 3, -1)]
read = {"R": [(1, 2)]}
text = input()
"""

RIGHT = """\
view.insert("R", 1, 2)
view.delete(name, 1, 2)
view.update("T", 1, 2, -1)
view.delta("R", 1, 2, 1)
view.apply([("R", 1, 2), ("S", 2, 3, 4)])
view.apply(updates)
view.tuples("R")
view.insert(known_relation(text), 1, 2)
(view.to_numpy(), view.to_numpy("R"), view.to_arrow("S"), view.to_pandas("T"), view.to_polars(name))
TriangleView("", partitioning="double")
TriangleView("", partitioning=kind)
TriangleView("", partitioning=view.partitioning)
TriangleView("", database=read)
TriangleView("", database={name: [(1, 2)]})
GraphTriangles(track=("count", "at"), self_loops="refuse", repeated="ignore")
GraphTriangles(track=tracks, self_loops=loops, repeated=again)
GraphTriangles(track=GraphTriangles().track)
"""

WRONG = """\
view.insert("X", 1, 2)
TriangleView("A").insert("r", 1, 2)
view.delete("RS", 1, 2)
view.update("", 1, 2, -1)
view.delta("Q", 1, 2, 1)
view.insert(text, 1, 2)
view.apply([("X", 1, 2)])
view.apply([("X", 1, 2, 1)])
view.tuples("X")
view.to_numpy("X")
view.to_arrow("X")
view.to_pandas("X")
view.to_polars("X")
TriangleView("", partitioning="tripple")
GraphTriangles(track=("counts",))
GraphTriangles(track=["count", "ons"])
GraphTriangles(self_loops="count")
GraphTriangles(repeated="ignor")
"""


def test_wrong_names_have_an_error_each_and_right_ones_none(tmp_path: Path) -> None:
    written = tmp_path / "written.py"
    written.write_text(START + RIGHT + WRONG)
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml", written],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = written.read_text().splitlines()
    found = Counter(lines[int(number) - 1] for number in re.findall(r"written\.py:(\d+): error", run.stdout))
    assert found == Counter(WRONG.splitlines()), run.stdout + run.stderr
