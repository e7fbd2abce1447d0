"""Bad input of `ivme run`: one line that names it, exit code 2, nothing written."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ivme.cli import lines
from tests.cli.inputs import Bad, Ivme, parquet, refused, refused_and_nothing_written, zstd

GARBAGE = bytes(range(255, -1, -1)) * 20
HEAD = "relation,x,y,multiplicity\n"

CASES: dict[str, Bad] = {
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


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_one_line(
    ivme: Ivme, case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    refused_and_nothing_written(ivme, CASES[case], "--checkpoint", "new/state")


def test_there_are_as_many_as_promised() -> None:
    assert len(CASES) >= 40


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
    (["--window", "5"], "--track, --directed and --window are for graphs: give --graph too"),
    (["--graph", "--by", "time"], "--by is for --window"),
    (["--graph", "--window", "5", "--checkpoint", "state"], "--checkpoint does not work with --window"),
    (["--graph", "--window", "5", "--repeated", "ignore"], "--repeated ignore does not work with --window"),
    (["--graph", "--window", "5", "--repeated", "refuse"], "stays until its last occurrence expires"),
    (["--graph", "--window", "0"], "--window 0: give a number of edges, such as 10000; a span in ms, s"),
    (["--graph", "--window", "-5"], "--window -5: give"),
    (["--graph", "--window", "2.5"], "--window 2.5: give"),
    (["--graph", "--window", "1 year"], "--window 1 year: give"),
    (["--graph", "--window", "0h"], "--window 0h: give"),
    (["--graph", "--window", "1h", "--by", "count"], "--window 1h --by count: give"),
    (["--graph", "--window", "5", "--by", "edges"], "--by"),
    (["--graph", "--window", "5", "--columns", "a,b,c,d"], "give the headings for u,v[,time]"),
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


@pytest.mark.parametrize(
    ("module", "name", "given", "said"),
    [
        ("pyarrow", "u.parquet", b"PAR1", "Parquet needs pyarrow: pip install 'ivme[parquet]'"),
        (
            zstd.__name__,
            "u.csv.zst",
            zstd.compress(b"R,1,2"),
            "zstd needs backports.zstd: pip install 'ivme[cli]'",
        ),
    ],
)
def test_what_is_missing_is_said_with_what_to_install(
    module: str, name: str, given: bytes, said: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(given)
    code = f"import sys; sys.modules[{module!r}] = None; from ivme.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "run", name], cwd=tmp_path, capture_output=True, text=True
    )
    refused((done.returncode, done.stdout, done.stderr), said)
