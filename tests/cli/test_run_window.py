"""`ivme run --graph --window`: the last edges of a stream, in every format, and what is said about them."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest

from ivme_reference import NaiveGraph
from tests.cli.conftest import Command
from tests.cli.inputs import parquet, refused
from tests.graph.test_data import COLLEGE, DATA

Line = tuple[int, int, int]
START = datetime(2024, 3, 31, 1, 0)


def stream(rng: random.Random, count: int) -> list[Line]:
    """Edges with times that do not go backwards; some are self-loops, many come again."""
    now, lines = 1_000_000_000, list[Line]()
    for _ in range(count):
        now += rng.choice([0, 0, 1, 5, 30])
        lines.append((rng.randrange(7), rng.randrange(7), now))
    return lines


def by_count(lines: list[Line], size: int) -> list[Line]:
    return [line for line in lines if line[0] != line[1]][-size:]


def by_time(lines: list[Line], span: int) -> list[Line]:
    return [line for line in lines if line[0] != line[1] and lines[-1][2] - line[2] < span]


def text_of(lines: list[Line]) -> str:
    return "".join(f"{u} {v} {t}\n" for u, v, t in lines)


def rows(out: str) -> list[list[int]]:
    return [list(map(int, line.split())) for line in out.splitlines()[1:]]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["--window", "12"], lambda lines: by_count(lines, 12)),
        (["--window", "60s"], lambda lines: by_time(lines, 60)),
        (["--window", "1.5min"], lambda lines: by_time(lines, 90)),
        (["--window", "90", "--by", "time"], lambda lines: by_time(lines, 90)),
        (["--window", "1000000"], lambda lines: by_count(lines, 1_000_000)),
    ],
    ids=["count", "unit", "fraction", "number", "all"],
)
def test_the_answer_is_that_of_the_last_edges(
    ivme: Command,
    rng: random.Random,
    options: list[str],
    kept: Callable[[list[Line]], list[Line]],
    directed: bool,
) -> None:
    lines = stream(rng, 150)
    last = kept(lines)
    naive = NaiveGraph(directed, repeated="ignore", edges=[line[:2] for line in last])

    def answer(track: str) -> list[list[int]]:
        more = ["--directed"] * directed
        code, out, err = ivme("run", "--graph", "-", *options, *more, "--track", track, stdin=text_of(lines))
        assert code == 0, err
        loops = sum(u == v for u, v, _ in lines)
        assert f"self-loops passed over: {loops}" in err
        assert f"kept {len(last)}, expired {len(lines) - loops - len(last)}, updates 150, refused 0" in err
        assert f"edges {naive.number_of_edges()}, window {options[1]}, by " in err
        return rows(out)

    triangles = list(naive.triangles())
    assert answer("count") == [[len(triangles)]]
    at = Counter(v for triangle in triangles for v in triangle)
    assert sorted(answer("at")) == sorted([v, count] for v, count in at.items())
    on = {frozenset(edge) if not directed else edge: naive.count_on(*edge) for edge in naive.edges()}
    found = {(u, v) if directed else frozenset((u, v)): count for u, v, count in answer("on")}
    assert found == {edge: count for edge, count in on.items() if count}
    assert {frozenset(row) for row in answer("triangles")} == {frozenset(triangle) for triangle in triangles}


def test_a_real_stream(ivme: Command) -> None:
    """CollegeMsg, as it is: u v t separated by blanks, compressed."""
    lines = list(COLLEGE.numbers())
    now, span = lines[-1][2], 100 * 24 * 3600
    last = [(u, v) for u, v, t in lines if now - t < span]
    path = DATA / f"{COLLEGE.name}.txt.gz"
    code, out, err = ivme("run", "--graph", path, "--window", "100d", "--json")
    assert code == 0, err
    document = json.loads(out)
    edges = {frozenset(edge) for edge in last}
    near: dict[int, set[int]] = defaultdict(set)
    for u, v in edges:
        near[u].add(v)
        near[v].add(u)
    triangles = sum(len(near[u] & near[v]) for u, v in edges) // 3
    assert triangles > 10
    assert (document["rows"], document["edges"], document["kept"]) == ([[triangles]], len(edges), len(last))
    assert document["expired"] == COLLEGE.lines - len(last)
    assert "times that are numbers are taken as seconds" in err


# --- formats ------------------------------------------------------------------------------------------------

# a triangle in the last hour, and an edge that has expired
TIMES = [
    START,
    START + timedelta(hours=1),
    START + timedelta(hours=1, minutes=30),
    START + timedelta(hours=2),
]
EDGES = [("a", "x"), ("a", "b"), ("b", "c"), ("c", "a")]
TIMED = list(zip(EDGES, TIMES, strict=True))


def seconds(time: datetime) -> int:
    return int(time.replace(tzinfo=UTC).timestamp())


FORMATS: dict[str, tuple[str, str | bytes, list[str]]] = {
    "blanks": ("e.txt", "".join(f"{u} {v} {seconds(t)}\n" for (u, v), t in TIMED), []),
    "tabs": ("e.tsv", "".join(f"{u}\t{v}\t{seconds(t)}\n" for (u, v), t in TIMED), []),
    "a sign before": ("e.csv", "".join(f"{u},{v},{seconds(t) - 10**10}\n" for (u, v), t in TIMED), []),
    "fractions": ("e.csv", "".join(f"{u},{v},{seconds(t)}.25\n" for (u, v), t in TIMED), []),
    "dates": ("e.csv", "".join(f"{u},{v},{t.isoformat()}\n" for (u, v), t in TIMED), []),
    "dates with blanks": ("e.csv", "".join(f"{u},{v},{t}\n" for (u, v), t in TIMED), []),
    "zones": (
        "e.csv",
        "".join(f"{u},{v},{(t + timedelta(hours=2)).isoformat()}+02:00\n" for (u, v), t in TIMED),
        [],
    ),
    "heading": ("e.csv", "u,v,time\n" + "".join(f"{u},{v},{t}\n" for (u, v), t in TIMED), []),
    "another order": (
        "e.csv",
        "Timestamp,Source,Target\n" + "".join(f"{t},{u},{v}\n" for (u, v), t in TIMED),
        [],
    ),
    "columns": (
        "e.csv",
        "n,sent,to,from\n" + "".join(f"1,{t},{v},{u}\n" for (u, v), t in TIMED),
        ["--columns", "u=from,v=to,time=sent"],
    ),
    "numbers of columns": (
        "e.csv",
        "".join(f"1,{t},{v},{u}\n" for (u, v), t in TIMED),
        ["--columns", "4,3,2"],
    ),
    "compressed": ("e.csv.gz", gzip.compress("".join(f"{u},{v},{t}\n" for (u, v), t in TIMED).encode()), []),
    "json": ("e.jsonl", "".join(json.dumps([u, v, seconds(t)]) + "\n" for (u, v), t in TIMED), []),
    "json objects": (
        "e.jsonl",
        "".join(json.dumps({"ts": str(t), "src": u, "dst": v}) + "\n" for (u, v), t in TIMED),
        [],
    ),
    "parquet": (
        "e.parquet",
        parquet(u=[u for u, _ in EDGES], v=[v for _, v in EDGES], t=[seconds(t) for t in TIMES]),
        [],
    ),
    "parquet, dates": ("e.parquet", parquet(u=[u for u, _ in EDGES], v=[v for _, v in EDGES], t=TIMES), []),
    "parquet, zones": (
        "e.parquet",
        parquet(
            u=[u for u, _ in EDGES], v=[v for _, v in EDGES], time=[t.replace(tzinfo=UTC) for t in TIMES]
        ),
        [],
    ),
    "parquet, floats": (
        "e.parquet",
        parquet(u=[u for u, _ in EDGES], v=[v for _, v in EDGES], time=[seconds(t) + 0.5 for t in TIMES]),
        [],
    ),
}


@pytest.mark.parametrize("case", FORMATS)
def test_times_as_people_write_them(ivme: Command, case: str, tmp_path: Path) -> None:
    name, text, options = FORMATS[case]
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    for window, kept in (("2h", 3), ("61min", 3), ("60min", 2), ("121min", 4), ("3", 3)):
        code, out, err = ivme("run", "--graph", path, "--window", window, "--json", *options)
        assert code == 0, err
        document = json.loads(out)
        assert (document["kept"], document["rows"]) == (kept, [[int(kept > 2)]]), window
        numbers = case in (
            "blanks",
            "tabs",
            "a sign before",
            "fractions",
            "json",
            "parquet",
            "parquet, floats",
        )
        assert ("taken as seconds" in err) == (numbers and window != "3"), "what is guessed is said"
        assert ("only checked to be in order" in err) == (window == "3")


def test_by_count_needs_no_times(ivme: Command) -> None:
    code, out, err = ivme("run", "--graph", "-", "--window", "3", stdin="9,8\n1,2\n2,3\n3,1\n")
    assert (code, out.split()) == (0, ["triangles", "1"])
    assert "times" not in err


def test_an_edge_that_comes_again_stays_and_is_counted(ivme: Command) -> None:
    text = "1,2,0\n2,3,1\n3,1,2\n2,1,9\n"
    done = ivme("run", "--graph", "-", "--window", "9", "--by", "time", stdin=text)
    assert done.out.split() == ["triangles", "1"]
    assert "edges 3, window 9, by time, kept 3, expired 1" in done.err
    assert "already: " not in done.err, "the first occurrence of (1, 2) expires as the second comes"
    done = ivme("run", "--graph", "-", "--window", "10", "--by", "time", "--repeated", "count", stdin=text)
    assert "kept 4, expired 0" in done.err
    assert "inserts of edges that were there already: 1" in done.err


def test_numbers_are_exact(ivme: Command) -> None:
    big = 10**30
    text = f"1,2,{big}.1\n2,3,{big}.2\n3,1,{big}.4\n"
    assert "kept 2" in ivme("run", "--graph", "-", "--window", "0.3", "--by", "time", stdin=text).err
    assert "kept 3" in ivme("run", "--graph", "-", "--window", "0.31", "--by", "time", stdin=text).err


# --- watching -----------------------------------------------------------------------------------------------


def test_watch_sees_what_expires(ivme: Command) -> None:
    text = "1 2 0\n2 3 1\n3 1 2\n4 5 3\n5 6 12\n"
    options = ["--graph", "-", "--window", "10s", "--watch"]
    assert ivme("run", *options, stdin=text).out == "3\t0\t1\n5\t1\t0\n"
    assert (
        ivme("run", *options, "--track", "triangles", stdin=text).out
        == "3\t1\t2\t3\t0\t1\n5\t1\t2\t3\t1\t0\n"
    )
    lines = ivme("run", *options, "--track", "at", "--json", stdin=text).out.splitlines()
    assert [json.loads(line)["updates"] for line in lines] == [3, 3, 3, 5, 5, 5]


@pytest.mark.parametrize(
    "window", [[], ["--window", "14"], ["--window", "50s"]], ids=["all", "count", "time"]
)
@pytest.mark.parametrize("every", [1, 7])
def test_watched_triangles_add_up(ivme: Command, rng: random.Random, window: list[str], every: int) -> None:
    lines = stream(rng, 120)
    text = (
        text_of(lines)
        if window
        else "".join(f"{u} {v} {1 - 2 * (rng.random() < 0.1)}\n" for u, v, _ in lines)
    )
    options = ["--graph", "-", *window, "--track", "triangles", "--refused", "skip"]
    code, out, err = ivme("run", *options, "--watch", "--every", every, stdin=text)
    assert code == 0, err
    found: set[tuple[str, ...]] = set()
    last = 0
    for line in out.splitlines():
        number, *row, old, new = line.split("\t")
        assert last <= int(number)
        assert int(number) % every == 0 or int(number) == 120
        last = int(number)
        assert (tuple(row) in found) == (old == "1") == (new == "0")
        found ^= {tuple(row)}
    assert last > 0
    listed = ivme("run", *options, stdin=text).out.splitlines()[1:]
    assert found == {tuple(line.split()) for line in listed}


def test_watched_triangles_are_not_listed_again(ivme: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    from ivme import GraphTriangles

    def never(self: GraphTriangles) -> None:
        raise AssertionError

    monkeypatch.setattr(GraphTriangles, "triangles", never)
    done = ivme("run", "--graph", "-", "--watch", "--track", "triangles", stdin="1,2\n2,3\n3,1\n")
    assert (done.code, done.out) == (0, "3\t1\t2\t3\t0\t1\n")


def test_top(ivme: Command) -> None:
    text = "9,8,0\n1,2,1\n2,3,2\n3,1,3\n3,4,4\n4,1,5\n"
    done = ivme("run", "--graph", "-", "--window", "5", "--track", "at", "--top", "1", stdin=text)
    assert done.out.split() == ["vertex", "triangles", "1", "2"]


# --- trouble ------------------------------------------------------------------------------------------------

BAD: list[tuple[str, str, str]] = [
    ("1,2,5\n2,3\n", "1h", "line 2: edge (2, 3) has no time: --window 1h needs lines u,v,time"),
    ("1,2\n", "1h", "line 1: edge (1, 2) has no time"),
    ("1,2,x\n", "1h", "line 1: time 'x' is neither a number nor a date as in 2024-03-31T12:00:00"),
    ("1,2,\n", "1h", "line 1: time '' is neither a number nor a date"),
    ("u,v,time\n1,2,nan\n", "1h", "line 2: time 'nan' is neither"),
    ("1,2,1e3\n", "1h", "line 1: time '1e3' is neither"),
    ("1,2,5\n2,3,4\n", "1h", "line 2: refused: time 4 is before the last, 5: edges come in the order of"),
    ("1,2,5\n2,3,4\n", "7", "line 2: refused: time 4 is before the last, 5"),
    ("1,2,1\n1,2,-1\n", "7", "line 2: refused: time -1 is before the last, 1"),
    ("1,2,5\n2,3,2024-01-01\n", "1h", "line 2: time datetime.datetime(2024, 1, 1, 0, 0): give all times as"),
    ("1,2,2024-01-01\n2,3,5\n", "1h", "line 2: time 5: give all times as numbers, or all as datetimes"),
    ("1,2,2024-01-01\n2,3,2024-01-02T00:00Z\n", "1h", "line 2: time datetime.datetime(2024, 1, 2"),
    (
        "u,v,sign\n1,2,1\n",
        "1h",
        "line 1: the column 'sign' would not be used: --columns u=u,v=v leaves it out",
    ),
    ("1,2,3,4\n", "1h", "line 1: 4 values where the columns are u,v[,time]; say which to use"),
    ('{"ivme-trace": 1}\n', "1h", "is a trace, which is not an edge list: leave --graph out"),
]


@pytest.mark.parametrize(("text", "window", "said"), BAD)
def test_bad_times_are_one_line(ivme: Command, text: str, window: str, said: str) -> None:
    kind = ["--format", "jsonl"] if text.startswith("{") else []
    refused(ivme("run", "--graph", "-", "--window", window, *kind, stdin=text), said)


def test_dates_need_a_unit(ivme: Command) -> None:
    done = ivme("run", "--graph", "-", "--window", "5", "--by", "time", stdin="1,2,2024-01-01\n")
    refused(done, "is a date: --window 5 --by time is for numbers; give a unit instead, such as 1h")


def test_late_edges_and_loops_are_left_out_on_request(ivme: Command) -> None:
    text = "1,2,5\n2,3,4\n3,3,6\n2,3,6\n3,1,7\n"
    done = ivme("run", "--graph", "-", "--window", "1h", "--refused", "skip", stdin=text)
    assert (done.code, done.out.split()) == (0, ["triangles", "1"])
    assert "stdin, line 2: refused: time 4 is before the last, 5" in done.err
    assert "updates 5, refused 1; self-loops passed over: 1" in done.err
    done = ivme(
        "run", "--graph", "-", "--window", "1h", "--self-loops", "refuse", stdin=text.replace("4", "5")
    )
    refused(done, "line 3: refused: edge (3, 3) is a self-loop")


def test_the_help_says_why_the_command_ignores_what_python_refuses(ivme: Command) -> None:
    text = " ".join(ivme("run", "--help").out.split())
    assert "files have loops and repeats, a program that repeats itself has a bug" in text


def test_a_fraction_of_a_second_is_exact() -> None:
    from ivme.cli.cells import moment

    assert moment("0.1", "time") == Fraction(1, 10)
    assert moment(0.1, "time") == Fraction(0.1)
    assert moment("2024-03-31", "time") == datetime(2024, 3, 31)
