"""Bad input of `ivme run`: one line that names it, exit code 2, nothing written."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ivme.cli import lines

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Ivme = Callable[..., tuple[int, str, str]]

GARBAGE = bytes(range(255, -1, -1)) * 20
HEAD = "relation,x,y,multiplicity\n"

Case = tuple[str, bytes | str, str, *tuple[str, ...]]
"""The name of a file, what is in it, what is said, and options."""

CASES: dict[str, Case] = {
    "empty": ("u.csv", "", "u.csv is empty: it must have a line relation,x,y[,multiplicity]"),
    "blank": ("u.csv", "\n \n\n", "u.csv is empty"),
    "empty json": ("u.jsonl", "", "u.jsonl is empty"),
    "garbage": ("u.csv", GARBAGE, "line 1: not text in UTF-8"),
    "garbage later": ("u.csv", b"R,1,2\nS,\xff,3\n", "line 2: not text in UTF-8"),
    "zeros": ("u.csv", bytes(5000), "line 1: 1 values where the columns are relation,x,y[,multiplicity]"),
    "garbage json": ("u.jsonl", GARBAGE, "line 1: not text in UTF-8"),
    "garbage parquet": ("u.parquet", GARBAGE, "cannot be read as Parquet"),
    "empty parquet": ("u.parquet", b"", "cannot be read as Parquet"),
    "garbage gzip": ("u.csv.gz", GARBAGE, "u.csv.gz is not compressed, though its name ends in .gz"),
    "half a gzip": ("u.csv.gz", gzip.compress(os.urandom(900).hex().encode())[:-20], "cannot be read after"),
    "too few": ("u.csv", "R,1\n", "line 1: 2 values where the columns are relation,x,y[,multiplicity]"),
    "too many": ("u.csv", "R,1,2\nS,2,3,1,9\n", "line 2: 5 values where the columns are relation,x,y"),
    "short record": ("u.csv", HEAD + "R,1,2,1\nS,2\n", "line 3: 2 values where the first line has 4"),
    "other columns": ("u.csv", "name,age\nada,36\n", "line 1: 2 values where the columns are relation,x,y"),
    "three others": (
        "u.csv",
        "name,age,town\nada,36,x\n",
        "line 1: 'name,age,town' looks like a heading, and not a known one: give --columns relation=…,x=…",
    ),
    "unused": (
        "u.csv",
        "seq,relation,x,y\n9,R,1,2\n",
        "line 1: the column 'seq' would not be used: --columns relation=relation,x=x,y=y leaves it out",
    ),
    "edges": (
        "u.csv",
        "Source,Target\n1,2\n",
        "2 values where the columns are relation,x,y[,multiplicity]; --graph",
    ),
    "edges and signs": (
        "u.csv",
        "time,u,v\n1,2,3\n",
        "'time,u,v' looks like a heading, and not a known one",
    ),
    "said to be a heading": (
        "u.csv",
        "at,u,v,sign,to\n1,2,3,1,4\n",
        "columns 'v', 'to' could each be y: give --columns relation=…,x=…,y=… with the headings to use",
        "--header",
    ),
    "no relation": (
        "u.csv",
        "at,u,v,sign,by\n1,2,3,1,4\n",
        "no column for 'relation' among 'at', 'u', 'v', 'sign', 'by': give --columns relation=…,x=…,y=… with "
        "the headings to use, or --graph",
        "--header",
    ),
    "null": ("u.csv", HEAD + "R,null,2,1\n", "line 2: a value is 'null', which means none"),
    "word": ("u.csv", "R,1,2,upsert\n", "line 1: multiplicity 'upsert' is not an integer and none of +/-"),
    "empty value": ("u.csv", HEAD + "R,,2,1\n", "line 2: a value is empty in 'R,,2,1'"),
    "unknown relation": ("u.csv", "R,1,2\nU,1,2\n", "line 2: there is no relation 'U'"),
    "long relation": ("u.csv", "R" * 100_000 + ",1,2\n", "line 1: there is no relation 'RRR"),
    "no integer": ("u.csv", "R,1,2,1.5\n", "line 1: multiplicity '1.5' is not an integer"),
    "zero": ("u.csv", "R,1,2,0\n", "line 1: multiplicity 0 is zero"),
    "below zero": ("u.csv", "R,1,2\nR,1,2,-2\n", "line 2: refused: R(1, 2) has multiplicity 1: 2 cannot be"),
    "open quote": ("u.csv", 'R,"1,2\n' + "S,2,3\n" * 100_000, "field larger than field limit"),
    "open quote at the end": ("u.csv", 'R,1,2\nR,"1,2\n', "line 2: unexpected end of data"),
    "endless record": ("u.csv", "R,1,2\n" + '"\n",' * 300_000, "longer than 1048576 bytes"),
    "long line": ("u.csv", "R,1," + "2" * lines.LONGEST, "line 1: longer than 1048576 bytes"),
    "no json": ("u.jsonl", '["R",1,2]\n["R",1\n', "line 2: not JSON: '[\"R\",1'"),
    "json of another kind": ("u.jsonl", '{"p": 1}\n', "line 1: no column for 'relation', 'x', 'y' among 'p'"),
    "json without y": (
        "u.jsonl",
        '{"relation": "R", "x": 1, "multiplicity": 2}\n',
        "line 1: no column for 'y'",
    ),
    "json number": ("u.jsonl", "17\n", "line 1: '17' is neither"),
    "json list value": ("u.jsonl", '["R",[1],2]\n', "line 1: [1] is not a data value"),
    "json relation": ("u.jsonl", '[["R"],1,2]\n', "line 1: there is no relation ['R']"),
    "json multiplicity": ("u.jsonl", '["R",1,2,"x"]\n', "line 1: multiplicity 'x' is not an integer"),
    "json fraction": ("u.jsonl", '["R",1,2,1.0]\n', "line 1: multiplicity 1.0 is a float"),
    "json null": ("u.jsonl", '["R",null,2]\n', "line 1: a value is null"),
    "json in a tuple": ("u.jsonl", '["R",{"tuple": [1, null]},2]\n', "line 1: a value is null"),
    "trace null": (
        "u.jsonl",
        '{"ivme-trace": 1}\n{"update": ["R",1,null,1]}\n',
        "u.jsonl, line 2: a value is null",
    ),
    "trace columns": (
        "u.jsonl",
        '{"ivme-trace": 1}\n{"update": ["R",1,2,1]}\n',
        "u.jsonl is a trace, which has its own columns: leave --columns out",
        "--columns",
        "r,s,t",
    ),
    "deep json": ("u.jsonl", "[" * 100_000 + "\n", "line 1: not JSON"),
    "trace version": ("u.jsonl", '{"ivme-trace": 9}\n', "line 1: version 9"),
    "trace step": (
        "u.jsonl",
        '{"ivme-trace": 1}\n{"update": ["R",1,2,1]}\n{"x": 1}\n',
        "line 3: {'x': 1} is not",
    ),
}


def parquet(**columns: Sequence[object]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def twins(*names: str) -> bytes:
    """Parquet with these columns, of which some have the same name."""
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array([1])] * len(names), names=list(names)), stream)
    return stream.getvalue()


EDGE = "1,2\n2,3\n"
PACKED = gzip.compress(EDGE.encode())
GEPHI = "Source,Target,Type,Weight\n1,2,Directed,5\n"
EDGES: dict[str, Case] = {
    "one value": ("e.csv", "1\n", "line 1: 1 values where the columns are u,v[,sign]"),
    "sign": ("e.csv", "1,2,5\n", "line 1: sign 5 of edge (1, 2): give 1 to insert it, -1 to delete it"),
    "weight": ("e.csv", "u,v,weight\n1,2,5\n", "sign 5 of edge (1, 2): give 1 to insert it, -1 to delete it"),
    "no sign": ("e.csv", "1,2,x\n", "line 1: sign 'x' is not an integer and none of +/-, i/d, insert/delete"),
    "empty sign": ("e.csv", "u,v,op\n1,2,\n", "line 2: sign '' is not an integer"),
    "fraction": ("e.csv", "u,v,weight\n1,2,1.0\n", "line 2: sign '1.0' is not an integer"),
    "comments only": ("e.csv", "# nothing\n% more\n", "e.csv is empty but for comments"),
    "deleted before": (
        "e.csv",
        "u,v,multiplicity\n1,2,-1\n",
        "line 2: refused: edge (1, 2) is not in the graph",
    ),
    "unused": (
        "e.csv",
        "time,u,v\n8:01,1,2\n",
        "line 1: the column 'time' would not be used: --columns u=u,v=v",
    ),
    "unused, many": (
        "e.csv",
        "Source,Target,Type,Id\n1,2,Directed,5\n",
        "the columns 'Type', 'Id' would not be used: --columns u=Source,v=Target leaves them out",
    ),
    "unused beside a sign": (
        "e.csv",
        GEPHI,
        "'Type' would not be used: --columns u=Source,v=Target,sign=Weight",
    ),
    "an index": (
        "e.csv",
        ",u,v\n0,1,2\n",
        "line 1: the column '' would not be used: --columns u=u,v=v leaves it",
    ),
    "two signs": (
        "e.csv",
        "u,v,sign,weight\n1,2,1,1\n",
        "columns 'sign', 'weight' could each be sign: give --columns",
    ),
    "two sources": ("e.csv", "source,from,target\n1,1,2\n", "columns 'source', 'from' could each be u"),
    "the same twice": ("e.csv", "u,u,v\n1,1,2\n", "columns 'u', 'u' could each be u"),
    "unknown heading": (
        "e.csv",
        "caller,callee\n1,2\n",
        "line 1: 'caller,callee' looks like a heading, and not a known one: give --columns u=…,v=… with the",
    ),
    "half a heading": (
        "e.csv",
        "source,friend\nada,bob\n",
        "'source,friend' looks like a heading, and not a known one",
    ),
    "unknown heading, blanks": (
        "e.txt",
        "caller callee\n1 2\n",
        "line 1: 'caller,callee' looks like a heading",
    ),
    "head and tail": ("e.csv", "head,tail\n1,2\n", "'head,tail' looks like a heading, and not a known one"),
    "letters": (
        "e.csv",
        "u,v\na,b\n",
        "line 1: 'u,v' may be a heading or an edge: give --header or --no-header",
    ),
    "numbered names": ("e.csv", "node1,node2\nnode3,node4\n", "'node1,node2' may be a heading or an edge"),
    "heading in another order": (
        "e.csv",
        "op,caller,callee\n+,1,2\n",
        "no column for 'u', 'v' among 'op', 'caller', 'callee': give --columns u=…,v=…",
        "--header",
    ),
    "SNAP with times": ("e.txt", "# a\n1 2 1082040961\n", "line 2: sign 1082040961 of edge (1, 2)"),
    "four columns": (
        "e.txt",
        "% a\n1 2 1 1082040961\n",
        "line 2: 4 values where the columns are u,v[,sign]; say which to use, such as --columns u=1,v=2",
    ),
    "Matrix Market": ("e.mtx", "%%MatrixMarket matrix\n4 4 1\n1 2\n", "e.mtx is a Matrix Market file"),
    "wider later": ("e.csv", "u,v\n1,2\n2,3,1\n", "line 3: 3 values where the first line has 2"),
    "narrower later": ("e.csv", "u,v,sign\n1,2,1\n2,3\n", "line 3: 2 values where the first line has 3"),
    "no such column": (
        "e.csv",
        "u,v\n1,2\n",
        "line 1: there is no column 'w' among 'u', 'v'",
        "--columns",
        "u,w",
    ),
    "no such number": ("e.csv", EDGE, "line 1: there is no column 3, but 2", "--columns", "u=1,v=3"),
    "two of the name": (
        "e.csv",
        "a,a,b\n1,2,3\n",
        "line 1: there are 2 columns 'a': give the number of one",
        "--columns",
        "u=a,v=b",
    ),
    "names without a heading": (
        "e.csv",
        EDGE,
        "line 1: --columns has headings, and --no-header says that there are none",
        "--columns",
        "u=a,v=b",
        "--no-header",
    ),
    "empty": ("e.csv", "u,v\n1,\n", "line 2: a value is empty in '1,'"),
    "blank": ("e.csv", "1,2\n  ,3\n", "line 2: a value is empty in ',3'"),
    "empty text": ("e.csv", 'u,v\n1,""\n', "line 2: a value is empty", "--strings"),
    "None": (
        "e.csv",
        "1,2\n2,None\n",
        "line 2: a value is 'None', which means none (--strings takes it as text)",
    ),
    "NaN": ("e.csv", "u,v\nnan,2\n", "line 2: a value is 'nan', which means none"),
    "NULL": ("e.csv", "u;v\n1;NULL\n", "line 2: a value is 'NULL', which means none"),
    "backslash N": ("e.tsv", "1\t\\N\n", "line 1: a value is '\\\\N', which means none"),
    "json null": ("e.jsonl", '{"u": 1, "v": null}\n', "e.jsonl, line 1: a value is null"),
    "json NaN": ("e.jsonl", "[1, 2]\n[NaN, 2]\n", "e.jsonl, line 2: a value is NaN"),
    "json float nan": ("e.jsonl", '[{"float": "nan"}, 2]\n', "e.jsonl, line 1: a value is NaN"),
    "json unused": (
        "e.jsonl",
        '{"u": 1, "v": 2, "at": 3}\n',
        "line 1: the column 'at' would not be used: --columns u=u,v=v",
    ),
    "json twice": ("e.jsonl", '{"u": 1, "u": 2, "v": 3}\n', "line 1: 'u' is there twice"),
    "json two sources": (
        "e.jsonl",
        '{"u": 1, "from": 2, "v": 3}\n',
        "line 1: columns 'u', 'from' could each be u",
    ),
    "json missing": ("e.jsonl", '{"u": 1}\n', "line 1: no column for 'v' among 'u'"),
    "json sign": ("e.jsonl", "[1, 2, 7]\n", "line 1: sign 7 of edge (1, 2)"),
    "json null sign": ("e.jsonl", "[1, 2, null]\n", "line 1: sign None is a NoneType"),
    "json longer": (
        "e.jsonl",
        "[1, 2, 1, 9]\n",
        "line 1: '[1, 2, 1, 9]' is neither an object nor a list with u,v[,sign]",
    ),
    "json in a .csv": ("e.csv", '{"u": 1, "v": 2}\n', "e.csv, line 1 looks like JSON: give --format jsonl"),
    "json with --header": (
        "e.jsonl",
        "[1, 2]\n",
        "--header is for CSV, and e.jsonl is read as jsonl",
        "--header",
    ),
    "json lists and names": (
        "e.jsonl",
        "[1, 2]\n",
        "'[1, 2]' is a list: give --columns its numbers",
        "--columns",
        "a,b",
    ),
    "parquet null": ("e.parquet", parquet(u=[1, 2], v=[2, None]), "e.parquet, row 2: a value is null"),
    "parquet NaN": (
        "e.parquet",
        parquet(u=[1.0, float("nan")], v=[2, 3]),
        "e.parquet, row 2: a value is NaN",
    ),
    "parquet unused": (
        "e.parquet",
        parquet(u=[1], v=[2], at=[3]),
        "e.parquet: the column 'at' would not be used",
    ),
    "parquet missing": (
        "e.parquet",
        parquet(caller=[1], callee=[2]),
        "e.parquet: no column for 'u', 'v' among 'caller'",
    ),
    "parquet null sign": (
        "e.parquet",
        parquet(u=[1], v=[2], op=[None]),
        "e.parquet, row 1: sign None is a NoneType",
    ),
    "parquet weight": (
        "e.parquet",
        parquet(u=[1], v=[2], weight=[4]),
        "e.parquet, row 1: sign 4 of edge (1, 2)",
    ),
    "parquet fraction": ("e.parquet", parquet(u=[1], v=[2], weight=[0.5]), "row 1: sign 0.5 is a float"),
    "parquet twins": ("e.parquet", twins("u", "v", "v"), "e.parquet: columns 'v', 'v' could each be v"),
    "parquet --strings": (
        "e.parquet",
        parquet(u=[1], v=[2]),
        "--strings is for CSV, and e.parquet is read",
        "--strings",
    ),
    "a .gz that is none": ("e.csv.gz", EDGE, "e.csv.gz is not compressed, though its name ends in .gz"),
    "a .zst that is none": ("e.csv.zst", EDGE, "e.csv.zst is not compressed, though its name ends in .zst"),
    "a .bz2 that is a .gz": (
        "e.csv.bz2",
        PACKED,
        "e.csv.bz2 is compressed with gzip, though its name ends in .bz2",
    ),
    "a .csv that is a .gz": (
        "e.csv",
        PACKED,
        "e.csv is compressed with gzip, and its name does not say so: call it e.csv.gz",
    ),
    "half a gzip": ("e.csv.gz", PACKED[:-9], "e.csv.gz cannot be read after line"),
    "half a bzip2": ("e.csv.bz2", bz2.compress(EDGE.encode())[:-9], "e.csv.bz2 cannot be read after line"),
    "half an xz": ("e.csv.xz", lzma.compress(EDGE.encode())[:-9], "e.csv.xz cannot be read after line"),
    "half a zstd": ("e.csv.zst", zstd.compress(EDGE.encode())[:-3], "e.csv.zst cannot be read after line"),
    "bad gzip": (
        "e.csv.gz",
        PACKED[:-8] + bytes(8),
        "e.csv.gz cannot be read after line 2: CRC check failed",
    ),
    "bad xz": (
        "e.csv.xz",
        lzma.compress(EDGE.encode())[:12] + bytes(40),
        "e.csv.xz cannot be read after line 0",
    ),
    "bad zstd": (
        "e.csv.zst",
        zstd.compress(EDGE.encode())[:4] + b"\xff" * 40,
        "e.csv.zst cannot be read after line 0",
    ),
    "zip": (
        "e.csv",
        b"PK\x03\x04" + GARBAGE,
        "e.csv is a zip archive or a spreadsheet: unpack it, or save it as CSV",
    ),
    "empty gzip": ("e.csv.gz", gzip.compress(b""), "e.csv.gz is empty"),
    "no bytes in a .gz": ("e.csv.gz", b"", "e.csv.gz is empty"),
}


def refused(done: tuple[int, str, str], said: str) -> None:
    """Exit code 2 and one line, after at most remarks."""
    code, out, err = done
    assert (code, out) == (2, ""), err
    *remarks, error = err.splitlines()
    assert error.startswith("ivme: error: ")
    assert said in error
    assert len(error) < 700
    assert all(line.startswith("ivme: ") and not line.startswith("ivme: error") for line in remarks)


@pytest.mark.parametrize(
    ("kind", "case"), [*(("updates", case) for case in CASES), *(("edges", case) for case in EDGES)]
)
def test_bad_input_is_one_line(
    ivme: Ivme, kind: str, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, given, said, *options = (EDGES if kind == "edges" else CASES)[case]
    Path(name).write_bytes(given.encode() if isinstance(given, str) else given)
    Path("answer.csv").write_text("as it was\n")
    options += ["--graph"] if kind == "edges" else ["--checkpoint", "new/state"]
    done = ivme("run", name, "--output", "answer.csv", *options)
    refused(done, said)
    assert name in done[2]
    assert Path("answer.csv").read_text() == "as it was\n"
    assert {path.name for path in Path().iterdir()} == {name, "answer.csv"}


def test_there_are_as_many_as_promised() -> None:
    assert len(CASES) + len(EDGES) >= 40


@pytest.mark.parametrize("bad", ["R,1,2,1\nS,2,None,1\n", "R,1,2,1\nS,2,3,x\n", "R,1,2,1\nS,2\n"])
def test_bad_input_leaves_the_checkpoint_as_it_was(
    ivme: Ivme, bad: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("u.csv").write_text("R,1,2,1\n")
    assert ivme("run", "u.csv", "--checkpoint", "state")[0] == 0
    before = {path.name: path.read_bytes() for path in Path("state").iterdir()}
    Path("u.csv").write_text(bad)
    refused(ivme("run", "u.csv", "--checkpoint", "state"), "u.csv, line 2: ")
    assert {path.name: path.read_bytes() for path in Path("state").iterdir()} == before


@pytest.mark.parametrize("case", ["unknown heading", "None", "sign", "unused"])
def test_bad_input_on_stdin_is_one_line(ivme: Ivme, case: str) -> None:
    name, given, said, *options = EDGES[case]
    refused(ivme("run", "--graph", "-", *options, stdin=given), said.replace(name, "stdin"))
    refused(ivme("run", "--graph", "-", stdin=PACKED[:-9]), "stdin cannot be read after line")


def test_a_folder_that_a_run_made_stays_with_its_checkpoint(
    ivme: Ivme, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given = "R,1,2\nR,1,3\nR,1,None\n"
    refused(ivme("run", "-", "--checkpoint", "a/b", "--every", "2", stdin=given), "stdin, line 3")
    assert sorted(path.name for path in Path("a/b").iterdir()) == ["lock", "view.jsonl"]


def test_parquet_with_other_columns_or_values(ivme: Ivme, tmp_path: Path) -> None:
    path = tmp_path / "u.parquet"
    path.write_bytes(parquet(relation=["R"], a=[1]))
    assert "no column for 'y' among 'relation', 'a'" in ivme("run", path)[2]
    path.write_bytes(parquet(relation=["R", "R"], x=[[1], [2]], y=[1, 2]))
    code, _, err = ivme("run", path)
    assert (code, "row 1: " in err, "hashable" in err) == (2, True, True), err
    path.write_bytes(parquet(relation=["R"], x=[1], y=[1], multiplicity=[1.5]))
    assert "row 1: multiplicity 1.5 is a float" in ivme("run", path)[2]


OPTIONS = [
    (["--free", "AA"], "free variables 'AA'"),
    (["--epsilon", "2"], "epsilon"),
    (["--epsilon", "x"], "epsilon"),
    (["--graph", "--free", "A"], "--track says what is maintained"),
    (["--graph", "--checkpoint", "state"], "--checkpoint does not work with --graph"),
    (["--track", "at"], "give --graph too"),
    (["--directed"], "give --graph too"),
    (["--graph", "--track", "triangles", "--top", "3"], "--top has no meaning"),
    (["--every", "3"], "--every is for --checkpoint and --watch"),
    (["--columns", "a"], "give the headings for relation,x,y[,multiplicity]"),
    (["--graph", "--columns", "a,b,c,d"], "give the headings for u,v[,sign]"),
    (["--columns", "relation=a,x=b"], "give the headings for relation,x,y[,multiplicity]"),
    (["--columns", "relation=a,x=b,z=c"], "'z=c' is not one of relation,x,y[,multiplicity] and its heading"),
    (["--columns", "relation=a,x=b,y="], "'y=' is not one of"),
    (["--columns", "relation=a,x=b,x=c"], "'x=c' is not one of"),
    (["--columns", "a,b,y=c"], "'a' is not one of"),
    (["--columns", "a,b,a"], "a column cannot be used twice"),
    (["--columns", ""], "give the headings for relation,x,y[,multiplicity]"),
    (["--separator", "ab"], "separator 'ab'"),
    (["--output", "answer.xml"], "must end in one of .csv, .json, .jsonl, .parquet"),
    (["--output", "gone/answer.csv"], "there is no folder gone"),
    (["--output", "u.csv"], "u.csv is the input"),
    (["--top", "0"], "--top"),
    (["--refused", "maybe"], "--refused"),
]


@pytest.mark.parametrize(("options", "said"), OPTIONS)
def test_bad_options_are_one_line(
    ivme: Ivme, options: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("u.csv").write_text("R,1,2\n")
    refused(ivme("run", "u.csv", *options), said)
    assert Path("u.csv").read_text() == "R,1,2\n"
    assert [path.name for path in Path().iterdir()] == ["u.csv"]


def test_folders_missing_files_and_parquet_from_stdin(ivme: Ivme, tmp_path: Path) -> None:
    assert ivme("run", tmp_path) == (2, "", f"ivme: error: {tmp_path}: Is a directory\n")
    assert ivme("run", tmp_path / "x.csv")[2].endswith("x.csv: No such file or directory\n")
    assert "cannot be read from stdin" in ivme("run", "-", "--format", "parquet")[2]


def test_parquet_without_pyarrow_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "u.parquet").write_bytes(b"PAR1")
    code = "import sys; sys.modules['pyarrow'] = None; from ivme.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "run", "u.parquet"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "ivme: error: Parquet needs pyarrow: pip install 'ivme[parquet]'\n"
