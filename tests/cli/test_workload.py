"""`ivme workload`: every family, in every format, is what the catalogue says."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from ivme.formats.traces import read_trace
from ivme.workloads import CATALOGUE, define

Ivme = Callable[..., tuple[int, str, str]]

PARAMETERS = {
    "oumv": "n=4 seed=3",
    "hub": "size=30 everywhere=true",
    "view-upkeep": "size=60 epsilon=1/2",
    "intersection": "size=60 epsilon=1/2 side=column",
    "threshold-thrash": "size=60 epsilon=1/3",
    "size-thrash": "size=60 epsilon=1/2",
    "worst-update": "size=60 epsilon=1/2 free=AB",
    "worst-minor": "size=60 epsilon=1/3",
    "worst-major": "size=60 epsilon=1/2",
    "agm": "size=60",
    "wide-views": "size=60 epsilon=1/2",
    "delay-binary": "size=60 epsilon=1/2",
    "delay-unary": "size=60 epsilon=1/2",
    "uniform": "updates=40 values=5",
    "zipf": "updates=40 values=5 seed=2",
    "rmat": "scale=3",
    "sliding-window": "updates=40 window=9 values=5",
    "grow-and-drain": "peak=30",
    "multiplicities": "side=2",
    "graph": "path=edges.txt timed=false",
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("edges.txt").write_text("1 2\n2 3\n3 1\n")


def plain(text: str) -> object:
    return {"true": True, "false": False}.get(text, int(text) if text.isdecimal() else text)


def test_the_families_are_all_there() -> None:
    assert set(PARAMETERS) == set(CATALOGUE)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("family", PARAMETERS)
def test_what_is_written_is_the_workload(ivme: Ivme, family: str, suffix: str) -> None:
    words = PARAMETERS[family].split()
    path = Path(f"w.{suffix}")
    code, out, err = ivme("workload", family, *words, "--out", path)
    assert (code, out) == (0, ""), err
    pairs = (word.split("=") for word in words)
    wanted = list(define(family, **{key: plain(value) for key, value in pairs}).workload())
    assert wanted
    if suffix == "csv":
        heading, *lines = csv.reader(path.read_text().splitlines())
        assert heading == ["relation", "x", "y", "multiplicity"]
        found = [(r, int(x), int(y), int(m)) for r, x, y, m in lines]
    elif suffix == "jsonl":
        trace = read_trace(path)
        assert trace.header.note.startswith(family)
        found = list(trace.updates)  # type: ignore[arg-type]  # of integers
    else:
        found = [tuple(row.values()) for row in pq.read_table(path).to_pylist()]
    assert found == wanted
    assert f"{len(wanted)} updates written" in err


def test_run_maintains_what_workload_writes(ivme: Ivme) -> None:
    workload = define("grow-and-drain", peak=300, rounds=1).workload()
    half = len(workload) // 2
    assert ivme("workload", "grow-and-drain", "--size", 300, "rounds=1", "--out", "w.csv")[0] == 0
    lines = Path("w.csv").read_text().splitlines(keepends=True)
    count = CATALOGUE["grow-and-drain"].counts(workload)[half]
    assert count > 0
    assert ivme("run", "-", stdin="".join(lines[: half + 1]))[1].split() == ["multiplicity", str(count)]


def test_size_seed_and_stdout(ivme: Ivme) -> None:
    _, first, err = ivme("workload", "zipf", "values=5", "--size", 20, "--seed", 3, "--out", "-")
    assert err == ""
    assert first == ivme("workload", "zipf", "values=5", "updates=20", "seed=3", "--out", "-")[1]
    assert first != ivme("workload", "zipf", "values=5", "updates=20", "--out", "-")[1]
    assert len(first.splitlines()) == 21


def test_the_list(ivme: Ivme) -> None:
    code, out, _ = ivme("workload", "--list")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:]] == list(CATALOGUE)
    found = json.loads(ivme("workload", "--list", "--json")[1])
    assert [family["family"] for family in found] == list(CATALOGUE)
    assert {f["family"]: f["parameters"] for f in found}["zipf"] == "updates values [power=3] [seed=0]"


def test_json_says_what_was_written(ivme: Ivme) -> None:
    found = json.loads(ivme("workload", "agm", "--size", 60, "--out", "w.csv", "--json")[1])
    assert found == {
        "ivme-written": 1,
        "family": "agm",
        "parameters": {"size": 60},
        "updates": 160,
        "file": "w.csv",
    }


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "give a family and --out FILE"),
        (["zipf"], "give a family and --out FILE"),
        (["nonsense", "--out", "w.csv"], "there is no family 'nonsense'"),
        (["zipf", "--out", "w.xml"], "must end in one of"),
        (["zipf", "--out", "w.csv"], "parameter 'updates' is missing: zipf takes updates values"),
        (["zipf", "--out", "w.csv", "updates=5", "--size", "5", "values=2"], "'updates' is given twice"),
        (["zipf", "--out", "w.csv", "updates=x", "values=2"], "updates=x: give an integer"),
        (["zipf", "--out", "w.csv", "updates=-1", "values=2"], "updates=-1: give an integer"),
        (["zipf", "--out", "w.csv", "updates", "values=2"], "parameter 'updates': zipf takes"),
        (["zipf", "--out", "w.csv", "speed=9"], "parameter 'speed=9': zipf takes"),
        (["uniform", "--out", "w.csv", "updates=5", "values=0"], "uniform updates=5 values=0: "),
        (["rmat", "--out", "w.csv", "scale=60"], "rmat scale=60: "),
        (["size-thrash", "--out", "w.csv", "size=1", "epsilon=1/2"], "the size is too small"),
        (["hub", "--out", "w.csv", "size=30", "everywhere=yes"], "everywhere=yes: give true or false"),
        (["hub", "--out", "w.csv", "size=30", "--seed", "3"], "parameter 'seed=3': hub takes"),
        (["agm", "--out", "gone/w.csv", "--size", "60"], "there is no folder gone"),
        (["multiplicities", "--out", "w.parquet", "side=2", "bits=70"], "more than 64 bits"),
        (["wide-views", "--out", "w.csv", "size=60", "epsilon=7"], "epsilon"),
        (["graph", "--out", "w.csv", "path=gone.txt"], "gone.txt: No such file"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_written(ivme: Ivme, arguments: list[str], said: str) -> None:
    code, out, err = ivme("workload", *arguments)
    assert (code, out) == (2, ""), err
    assert err.count("\n") == 1
    assert said in err
    assert [path.name for path in Path().iterdir()] == ["edges.txt"]
