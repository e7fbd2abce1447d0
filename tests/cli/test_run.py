"""`ivme run`: every input format, every query, graphs, and every way to give the answer."""

import csv
import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ivme.formats.traces import Header, Step, write_trace
from ivme_reference.naive import Naive
from ivme_spec.queries import HEADS
from ivme_spec.relations import RELATIONS, RelationName

Ivme = Callable[..., tuple[int, str, str]]
Update = tuple[RelationName, int, int, int]


def updates(rng: random.Random, count: int = 120, values: int = 4) -> list[Update]:
    """Inserts and deletes, none of them refused."""
    held: Counter[tuple[RelationName, int, int]] = Counter()
    found: list[Update] = []
    while len(found) < count:
        key = (rng.choice(RELATIONS), rng.randrange(values), rng.randrange(values))
        multiplicity = rng.choice([1, 1, 2, 3, -1])
        if held[key] + multiplicity >= 0:
            held[key] += multiplicity
            found.append((*key, multiplicity))
    return found


def answer(free: str, given: Iterable[Update]) -> dict[tuple[object, ...], int]:
    reference: Naive[int] = Naive(free)
    for update in given:
        reference.update(*update)
    return dict(reference)


def save(folder: Path, kind: str, given: list[Update]) -> Path:
    path = folder / f"updates.{kind}"
    lines = ["relation,x,y,multiplicity", *(",".join(map(str, update)) for update in given)]
    if kind == "csv":
        path.write_text("\n".join(lines) + "\n")
    elif kind == "csv.gz":
        path.write_bytes(gzip.compress("\n".join(lines).encode()))
    elif kind == "jsonl":
        names = ("relation", "x", "y", "multiplicity")
        path.write_text("".join(json.dumps(dict(zip(names, u, strict=True))) + "\n" for u in given))
    elif kind == "parquet":
        columns = dict(zip(("relation", "x", "y", "multiplicity"), zip(*given, strict=True), strict=True))
        pq.write_table(pa.table({name: list(values) for name, values in columns.items()}), path)
    else:
        write_trace(path, Header("", epsilon="1/3"), (Step("update", (update,)) for update in given))
    return path


def printed(out: str) -> dict[tuple[object, ...], int]:
    """The rows of a printed table of integers."""
    rows = [tuple(map(int, line.split())) for line in out.splitlines()[1:]]
    found: dict[tuple[object, ...], int] = {row[:-1]: row[-1] for row in rows}
    assert len(found) == len(rows)
    return found


# --- input ---


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "jsonl", "parquet", "trace.jsonl"])
def test_every_format_gives_the_answer_of_the_reference(
    ivme: Ivme, rng: random.Random, tmp_path: Path, kind: str
) -> None:
    given = updates(rng)
    code, out, err = ivme("run", save(tmp_path, kind, given), "--free", "BA")
    assert code == 0, err
    assert out.splitlines()[0].split() == ["B", "A", "multiplicity"]
    assert printed(out) == answer("BA", given)
    assert "updates 120, refused 0" in err


@pytest.mark.parametrize("free", HEADS)
@pytest.mark.parametrize("epsilon", ["0", "1/3", "1"])
def test_every_query(ivme: Ivme, rng: random.Random, tmp_path: Path, free: str, epsilon: str) -> None:
    given = updates(rng)
    code, out, err = ivme("run", save(tmp_path, "csv", given), "--free", free, "--epsilon", epsilon)
    assert code == 0, err
    assert printed(out) == answer(free, given)
    assert f"epsilon {epsilon}, " in err


def test_a_count_of_nothing_is_zero(ivme: Ivme) -> None:
    assert ivme("run", "-", stdin="R,1,2\n")[:2] == (0, "multiplicity\n           0\n")


@pytest.mark.parametrize(
    "text",
    [
        "R,1,2\nS,2,3,5\nT,3,1\n",
        "\ufeffR,1,2\r\nS,2,3,5\r\n\r\nT,3,1",
        "R;1;2\nS;2;3;5\nT;3;1\n",
        "R\t1\t2\nS\t2\t3\t5\nT\t3\t1\n",
        "R 1 2\n  S  2 3 5\nT 3 1\n",
        'relation, x, y, multiplicity\nR, 1, 2, 1\nS, "2", 3 , +5\nT, 3, 1, 1\n',
        "y,multiplicity,x,relation\n2,1,1,R\n3,5,2,S\n1,1,3,T\n",
    ],
)
def test_csv_as_people_write_it(ivme: Ivme, text: str) -> None:
    assert printed(ivme("run", "-", "--free", "AB", stdin=text)[1]) == {(1, 2): 5}


def test_line_ends_and_separators_within_values(ivme: Ivme, tmp_path: Path) -> None:
    given = 'R,"a\nb","x,y"\nS,"x,y",c\nT,c,"a\nb"\nR,ab,"x,y"\n \n\nT,c,ab,2\n'
    rows = rows_of(ivme("run", "-", "--free", "AB", "--json", stdin=given)[1])
    assert sorted(rows, key=str) == [["a\nb", "x,y", 1], ["ab", "x,y", 2]]
    out = ivme("run", "-", "--free", "A", stdin=given)[1]
    assert sorted(out.splitlines()[1:]) == ['"a\\nb"             1', "ab                 2"]
    path = tmp_path / "edges.tsv"
    path.write_text("a,1\tb\nb\tc\nc\ta,1\n")
    assert ivme("run", "--graph", path)[1].split() == ["triangles", "1"]


def test_json_lines_may_be_lists(ivme: Ivme) -> None:
    text = '["R", 1, 2]\n\n["S", 2, 3, 5]\n{"y": 1, "x": 3, "relation": "T"}\n'
    assert printed(ivme("run", "-", "--format", "jsonl", "--free", "AB", stdin=text)[1]) == {(1, 2): 5}


def test_columns_of_json_lines(ivme: Ivme) -> None:
    text = '{"source": 1, "target": 2}\n{"v": 3, "u": 2}\n{"from": 3, "to": 1, "sign": 1}\n[3, 4, 1]\n'
    done = ivme("run", "--graph", "-", "--format", "jsonl", "--json", stdin=text)
    assert rows_of(done[1]) == [[1]]
    text = "".join(f'{{"a": {a}, "b": {b}, "n": 1, "u": 5, "v": 6}}\n' for a, b in [(1, 2), (2, 3), (3, 1)])
    options = ("--format", "jsonl", "--json", "--columns", "a,b,n")
    assert rows_of(ivme("run", "--graph", "-", *options, stdin=text)[1]) == [[1]]


def test_columns_are_chosen_by_their_headings(ivme: Ivme) -> None:
    text = "when,kind,to,from,n\n1,R,2,1,1\n1,S,3,2,4\n1,T,1,3,1\n"
    done = ivme("run", "-", "--free", "A", "--columns", "kind,from,to,n", stdin=text)
    assert printed(done[1]) == {(1,): 4}
    code, out, err = ivme("run", "-", "--columns", "kind,from,gone", stdin=text)
    assert (code, out) == (2, "")
    assert "no column 'gone'" in err


def rows_of(out: str) -> list[object]:
    rows = json.loads(out)["rows"]
    assert isinstance(rows, list)
    return rows


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *((text, int(text)) for text in ("12", "-7", "0", "9" * 4300)),
        *((text, text) for text in ("007", "-0", "+1", "1.0", "x y", "1_0", "\u0663", "9" * 4301)),
    ],
    ids=lambda value: str(value)[:9] if isinstance(value, str) else "",
)
def test_csv_values_that_look_like_integers_are_integers(ivme: Ivme, text: str, value: object) -> None:
    given = f"R,{text},b\nS,b,c\nT,c,{text}\n"
    assert rows_of(ivme("run", "-", "--free", "A", "--json", stdin=given)[1]) == [[value, 1]]
    assert rows_of(ivme("run", "-", "--free", "A", "--json", "--strings", stdin=given)[1]) == [[text, 1]]


def test_a_trace_says_what_is_asked_unless_the_options_do(ivme: Ivme, tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    steps = [
        Step("batch", (("R", 1, 2, 1), ("S", 2, 3, 1))),
        Step("expect"),
        Step("refused", (("R", 1, 2, -9),)),
        Step("update", (("T", 3, 1, 2),)),
    ]
    write_trace(path, Header("CB", epsilon="1/4"), steps)
    found = json.loads(ivme("run", path, "--json")[1])
    assert (found["free"], found["epsilon"], found["rows"]) == ("CB", "1/4", [[3, 2, 2]])
    assert (found["updates"], found["refused"]) == (3, 0)
    found = json.loads(ivme("run", path, "--json", "--free", "", "--epsilon", "1")[1])
    assert (found["free"], found["epsilon"], found["rows"]) == ("", "1", [[2]])
    write_trace(path, Header("", ring="ℤ"), [Step("update", (("R", 1, 2, -1),))])
    assert ivme("run", path)[0] == 0
    write_trace(path, Header("", ring="ℤ[i]"), [])
    assert ivme("run", path)[0] == 2


# --- output ---


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl", ".parquet"])
def test_every_output_format(ivme: Ivme, rng: random.Random, tmp_path: Path, suffix: str) -> None:
    given = updates(rng)
    path = tmp_path / f"answer{suffix}"
    code, out, err = ivme("run", save(tmp_path, "csv", given), "--free", "CA", "--output", path)
    assert (code, out) == (0, ""), err
    if suffix == ".csv":
        heading, *rows = csv.reader(path.read_text().splitlines())
        assert heading == ["C", "A", "multiplicity"]
        found = {(int(c), int(a)): int(m) for c, a, m in rows}
    elif suffix == ".json":
        document = json.loads(path.read_text())
        assert document["columns"] == ["C", "A", "multiplicity"]
        found = {(c, a): m for c, a, m in document["rows"]}
    elif suffix == ".jsonl":
        lines = [json.loads(line) for line in path.read_text().splitlines()]
        found = {(line["C"], line["A"]): line["multiplicity"] for line in lines}
    else:
        table = pq.read_table(path)
        assert table.schema.types == [pa.int64()] * 3
        found = {(row["C"], row["A"]): row["multiplicity"] for row in table.to_pylist()}
    assert found == answer("CA", given)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [path.name, "updates.csv"]


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl", ".parquet"])
def test_numbers_of_any_size_and_values_of_any_kind_are_written(
    ivme: Ivme, tmp_path: Path, suffix: str
) -> None:
    large, path = int("7" * 4000), tmp_path / f"answer{suffix}"
    given = f"R,1,b,{large}\nS,b,c,{large}\nT,c,1\nR,x,b\nT,c,x\n"
    assert ivme("run", "-", "--free", "A", "--output", path, stdin=given)[0] == 0
    if suffix == ".parquet":
        assert pq.read_table(path).schema.types == [pa.string(), pa.string()]
        text = json.dumps(pq.read_table(path).to_pylist())
    else:
        text = path.read_text()
    product = large * large  # 8000 digits, more than Python writes when not told to
    low, high = product % 10**4000, product // 10**4000
    assert f"{high}{low:04000}" in text
    assert str(large) in text
    assert "x" in text


@pytest.mark.parametrize("suffix", [".csv", ".json", ".jsonl", ".parquet"])
def test_an_error_in_the_middle_leaves_the_old_output(tmp_path: Path, suffix: str) -> None:
    from ivme.cli.tables import Answer, write_answer

    def rows() -> Iterable[tuple[int]]:
        yield from ((number,) for number in range(100_000))
        raise RuntimeError("planted")

    path = tmp_path / f"answer{suffix}"
    path.write_text("as it was")
    with pytest.raises(RuntimeError, match="planted"):
        write_answer(path, Answer(("A",), rows, {}))
    assert path.read_text() == "as it was"
    assert list(tmp_path.iterdir()) == [path]


def test_the_largest_rows(ivme: Ivme) -> None:
    given = "".join(f"R,{a},b,{m}\nT,c,{a}\n" for a, m in [("x", 5), (10, 5), (2, 7), (1, 5), (3, 1)])
    code, out, _ = ivme("run", "-", "--free", "A", "--top", "3", stdin=given + "S,b,c\n")
    assert code == 0
    assert [line.split() for line in out.splitlines()[1:]] == [["2", "7"], ["1", "5"], ["10", "5"]]


def test_watch_prints_each_change(ivme: Ivme) -> None:
    given = "R,1,2\nS,2,3\nT,3,1,2\nR,9,2\nT,3,9\nS,2,3,2\nS,2,3,-3\n"
    assert ivme("run", "-", "--watch", stdin=given)[:2] == (0, "3\t0\t2\n5\t2\t3\n6\t3\t9\n7\t9\t0\n")
    out = ivme("run", "-", "--watch", "--free", "A", "--json", stdin=given)[1]
    assert [tuple(json.loads(line).values())[1:] for line in out.splitlines()] == [
        (3, [1], 0, 2),
        (5, [9], 0, 1),
        (6, [1], 2, 6),
        (6, [9], 1, 3),
        (7, [1], 6, 0),
        (7, [9], 3, 0),
    ]
    assert ivme("run", "-", "--watch", "--every", "4", stdin=given)[1] == "4\t0\t2\n7\t2\t0\n"


def test_watch_follows_the_changes_and_does_not_read_the_answer(
    ivme: Ivme, monkeypatch: pytest.MonkeyPatch
) -> None:
    from ivme import TriangleView

    def read(self: object) -> object:
        raise AssertionError("the answer was read")

    monkeypatch.setattr(TriangleView, "__iter__", read)
    given = "R,1,2\nS,2,3\nT,3,1\nT,3,1\nT,3,1,-2\nR,5,2\nT,3,5\n"
    every = ivme("run", "-", "--watch", "--free", "A", stdin=given)
    assert every[:2] == (0, "3\t1\t0\t1\n4\t1\t1\t2\n5\t1\t2\t0\n7\t5\t0\t1\n")
    fourth = ivme("run", "-", "--watch", "--free", "A", "--every", "5", stdin=given)
    assert fourth[:2] == (0, "7\t5\t0\t1\n"), "what came and went between two looks is not said"


def test_watch_says_numbers_of_any_length(ivme: Ivme) -> None:
    huge = 10**3000
    given = f"R,1,2,{huge}\nS,2,3,{huge}\nT,3,1\n"
    for free in ("", "A"):
        code, out, _ = ivme("run", "-", "--watch", "--json", "--free", free, stdin=given)
        assert (code, f'"now": 1{"0" * 6000}' in out) == (0, True)


def test_refused_updates_stop_or_are_left_out(ivme: Ivme) -> None:
    given = "relation,x,y,multiplicity\nR,1,2,1\nS,2,3,1\nT,3,1,1\nS,2,3,-2\nR,1,2,1\n"
    code, out, err = ivme("run", "-", stdin=given)
    assert (code, out) == (2, "")
    assert err.startswith("ivme: error: stdin, line 5: refused: S(2, 3) has multiplicity 1: 2 cannot be ")
    code, out, err = ivme("run", "-", "--refused", "skip", stdin=given)
    assert (code, out.split()) == (0, ["multiplicity", "2"])
    assert (
        err.splitlines()[1] == "ivme: stdin, line 5: refused: S(2, 3) has multiplicity 1: 2 cannot be deleted"
    )
    assert "updates 5, refused 1" in err


# --- graphs ---


def simple_graph(rng: random.Random) -> tuple[list[str], set[tuple[int, int]]]:
    """Lines of edges that come and go, and the edges that are there in the end."""
    edges: set[tuple[int, int]] = set()
    lines = ["# a comment", "u,v,sign"]
    for _ in range(150):
        u, v = sorted(rng.sample(range(9), 2))
        sign = -1 if (u, v) in edges and rng.random() < 0.5 else 1
        edges = edges - {(u, v)} if sign < 0 else edges | {(u, v)}
        a, b = (u, v) if rng.random() < 0.5 else (v, u)
        lines.append(f"{a},{b},{sign}")
    return [*lines, "3,3,1"], edges


def triangles(edges: set[tuple[int, int]]) -> list[tuple[int, int, int]]:
    return [t for t in combinations(range(9), 3) if all(pair in edges for pair in combinations(t, 2))]


def test_what_is_tracked_in_a_graph(ivme: Ivme, rng: random.Random) -> None:
    lines, edges = simple_graph(rng)
    wanted = triangles(edges)
    text = "\n".join(lines)

    def rows(track: str) -> list[list[int]]:
        code, out, err = ivme("run", "--graph", "-", "--track", track, stdin=text)
        assert code == 0, err
        assert "self-loops passed over: 1" in err
        assert "inserts of edges that were there already: " in err
        return [list(map(int, line.split())) for line in out.splitlines()[1:]]

    assert rows("count") == [[len(wanted)]]
    at = Counter(v for triangle in wanted for v in triangle)
    assert dict(rows("at")) == at  # type: ignore[arg-type]  # lists of two
    on = Counter(pair for triangle in wanted for pair in combinations(triangle, 2))
    found = rows("on")
    assert {tuple(sorted(row[:2])): row[2] for row in found} == on
    assert len(found) == len(on)
    assert sorted(tuple(sorted(row)) for row in rows("triangles")) == wanted


def test_directed_graphs_have_cycles(ivme: Ivme) -> None:
    text = "a b\nb c\na c\nc d\nd a\n"
    assert ivme("run", "--graph", "-", "--directed", stdin=text)[1].split() == ["triangles", "1"]
    out = ivme("run", "--graph", "-", "--directed", "--track", "on", stdin=text)[1]
    assert sorted(out.splitlines()[1:]) == ["a  c          1", "c  d          1", "d  a          1"]


def test_policies_for_loops_and_repeated_edges(ivme: Ivme) -> None:
    text = "1,2\n2,3\n3,1\n2,1\n1,2,-1\n"
    assert ivme("run", "--graph", "-", stdin=text)[1].split() == ["triangles", "0"]
    assert ivme("run", "--graph", "-", "--repeated", "count", stdin=text)[1].split() == ["triangles", "1"]
    code, _, err = ivme("run", "--graph", "-", "--repeated", "refuse", stdin=text)
    assert (code, "line 4: refused: edge (2, 1) is in the graph" in err) == (2, True)
    code, _, err = ivme("run", "--graph", "-", "--self-loops", "refuse", stdin="4,4\n")
    assert (code, "line 1: refused: edge (4, 4) is a self-loop" in err) == (2, True)
    code, _, err = ivme("run", "--graph", "-", stdin="1,2\n3,4,-1\n")
    assert (code, "line 2: refused: edge (3, 4) is not in the graph" in err) == (2, True)


def test_vertices_and_edges_without_triangles_are_no_rows(rng: random.Random) -> None:
    from ivme.cli.maintained import Graph
    from ivme.graph import GraphTriangles

    for track in ("at", "on"):
        graph = Graph(GraphTriangles(track=(track,), repeated="count"), track)
        edges = [(u, v) for u in range(6) for v in range(u)] * 2
        for u, v in edges:
            graph.apply((u, v, 1))
        assert len(list(graph.rows())) == (6 if track == "at" else 15)
        for u, v in rng.sample(edges, len(edges)):
            graph.apply((v, u, -1))
            assert all(row[-1] for row in graph.rows())
        assert list(graph.rows()) == []
