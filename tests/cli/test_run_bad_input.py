"""Bad input of `ivme run`: one line that names it, exit code 2, nothing half-written, bounded memory."""

import gzip
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from ivme.cli import lines

Ivme = Callable[..., tuple[int, str, str]]

GARBAGE = bytes(range(255, -1, -1)) * 20
HEAD = "relation,x,y,multiplicity\n"

CASES: dict[str, tuple[str, bytes | str, str]] = {
    "empty": ("u.csv", "", "u.csv is empty: it must have a line relation,x,y[,multiplicity]"),
    "blank": ("u.csv", "\n \n\n", "u.csv is empty"),
    "empty json": ("u.jsonl", "", "u.jsonl is empty"),
    "garbage": ("u.csv", GARBAGE, "line 1: not text in UTF-8"),
    "garbage later": ("u.csv", b"R,1,2\nS,\xff,3\n", "line 2: not text in UTF-8"),
    "zeros": ("u.csv", b"\0" * 5000, "line 1: 1 values where the columns are relation,x,y[,multiplicity]"),
    "garbage json": ("u.jsonl", GARBAGE, "line 1: not text in UTF-8"),
    "garbage parquet": ("u.parquet", GARBAGE, "cannot be read as Parquet"),
    "empty parquet": ("u.parquet", b"", "cannot be read as Parquet"),
    "garbage gzip": ("u.csv.gz", GARBAGE, "cannot be read after line 0"),
    "half a gzip": ("u.csv.gz", gzip.compress(os.urandom(900).hex().encode())[:-20], "cannot be read after"),
    "too few": ("u.csv", "R,1\n", "line 1: 2 values where the columns are relation,x,y[,multiplicity]"),
    "too many": ("u.csv", "R,1,2\nS,2,3,1,9\n", "line 2: 5 values where the columns are relation,x,y"),
    "short record": ("u.csv", HEAD + "R,1,2,1\nS,2\n", "line 3: 2 values where"),
    "other columns": ("u.csv", "name,age\nada,36\n", "line 1: 2 values where the columns are relation,x,y"),
    "three others": ("u.csv", "name,age,town\nada,36,x\n", "line 1: there is no relation 'name'"),
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
    "json of another kind": ("u.jsonl", '{"a": 1}\n', "line 1: '{\"a\": 1}' is neither an object nor a list"),
    "json without y": ("u.jsonl", '{"relation": "R", "x": 1, "multiplicity": 2}\n', "line 1: '{\"relation"),
    "json number": ("u.jsonl", "17\n", "line 1: '17' is neither"),
    "json list value": ("u.jsonl", '["R",[1],2]\n', "line 1: [1] is not a data value"),
    "json relation": ("u.jsonl", '[["R"],1,2]\n', "line 1: there is no relation ['R']"),
    "json multiplicity": ("u.jsonl", '["R",1,2,"1"]\n', "line 1: multiplicity '1' is a str"),
    "json true": ("u.jsonl", '["R",1,2,true]\n', "line 1: multiplicity True is a bool"),
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
    name, given, said = CASES[case]
    Path(name).write_bytes(given.encode() if isinstance(given, str) else given)
    Path("answer.csv").write_text("as it was\n")
    code, out, err = ivme("run", name, "--output", "answer.csv")
    assert (code, out) == (2, ""), err
    assert err.startswith("ivme: error: ")
    assert err.count("\n") == 1
    assert said in err
    assert len(err) < 700
    assert Path("answer.csv").read_text() == "as it was\n"
    assert {path.name for path in Path().iterdir()} == {name, "answer.csv"}


EDGES = {
    "one value": ("1\n", "line 1: 1 values where the columns are u,v[,sign]"),
    "sign": ("1,2,5\n", "line 1: sign 5 of edge (1, 2): give 1 to insert it, -1 to delete it"),
    "no sign": ("1,2,x\n", "line 1: sign 'x' is not an integer"),
    "comments only": ("# nothing\n", "stdin is empty"),
}


@pytest.mark.parametrize("case", EDGES)
def test_bad_edges_are_one_line(ivme: Ivme, case: str) -> None:
    given, said = EDGES[case]
    code, out, err = ivme("run", "--graph", "-", stdin=given)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


def test_parquet_with_other_columns_or_values(ivme: Ivme, tmp_path: Path) -> None:
    path = tmp_path / "u.parquet"
    pq.write_table(pa.table({"relation": ["R"], "a": [1]}), path)
    assert "has no column 'x', but relation, a" in ivme("run", path)[2]
    pq.write_table(pa.table({"relation": ["R", "R"], "x": [[1], [2]], "y": [1, 2]}), path)
    code, _, err = ivme("run", path)
    assert (code, "row 1: " in err, "hashable" in err) == (2, True, True), err
    pq.write_table(pa.table({"relation": ["R"], "x": [1], "y": [1], "multiplicity": [1.5]}), path)
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
    code, out, err = ivme("run", "u.csv", *options)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert said in err
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


# --- memory ---

MEASURED = """
import re, sys
from pathlib import Path
from ivme.cli import main
code = main()
status = Path("/proc/self/status").read_text()
print(re.search("VmHWM: *([0-9]+)", status.replace("\\t", ""))[1], file=sys.stderr)
sys.exit(code)
"""
LIMIT = 80 << 10
"""KiB; the interpreter with all that is imported takes about half of it."""

needs_proc = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak from /proc")


def _feed(descriptor: int, pieces: Callable[[], bytes], size: int) -> None:
    """Write up to `size` bytes, until the reader goes away."""
    sent = 0
    try:
        while sent < size:
            piece = pieces()
            os.write(descriptor, piece)
            sent += len(piece)
    except BrokenPipeError:
        pass
    finally:
        os.close(descriptor)


@needs_proc
@pytest.mark.parametrize(("format", "start"), [("csv", b""), ("csv", b"R,1,2\n"), ("jsonl", b'["R",1,2]\n')])
def test_a_line_of_ten_gigabytes_is_refused_in_bounded_memory(format: str, start: bytes) -> None:
    reading, writing = os.pipe()
    chunk = b"7" * (1 << 16)
    first = [start + chunk]
    feeder = threading.Thread(
        target=_feed, args=(writing, lambda: first.pop() if first else chunk, 10 << 30), daemon=True
    )
    feeder.start()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "run", "-", "--format", format],
        stdin=reading,
        capture_output=True,
        text=True,
        timeout=60,
    )
    os.close(reading)
    feeder.join(timeout=10)
    assert not feeder.is_alive(), "the rest was not read"
    said, peak = done.stderr.splitlines()
    line = 1 if not start else 2
    assert (done.returncode, done.stdout) == (2, "")
    assert said == f"ivme: error: stdin, line {line}: longer than 1048576 bytes"
    assert int(peak) < LIMIT


@needs_proc
def test_a_sparse_file_of_ten_gigabytes_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "u.csv"
    with open(path, "wb") as stream:
        try:
            stream.truncate(10 << 30)
        except OSError:
            pytest.skip("this file system has no sparse files")
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "run", path], capture_output=True, text=True, timeout=60
    )
    said, peak = done.stderr.splitlines()
    assert done.returncode == 2
    assert said == f"ivme: error: {path}, line 1: longer than 1048576 bytes"
    assert int(peak) < LIMIT


@needs_proc
def test_a_stream_takes_no_memory_beyond_the_view() -> None:
    size = 3 * LIMIT << 9
    reading, writing = os.pipe()
    numbers = count()

    def pair() -> bytes:
        tuple_ = b"R,1,%d" % next(numbers) + b"x" * 8000
        return tuple_ + b",1\n" + tuple_ + b",-1\n"

    feeder = threading.Thread(target=_feed, args=(writing, pair, size), daemon=True)
    feeder.start()
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, "run", "-", "--json"],
        stdin=reading,
        capture_output=True,
        text=True,
        timeout=120,
    )
    os.close(reading)
    feeder.join(timeout=10)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["updates"] == 2 * next(numbers)
    assert int(done.stderr.splitlines()[-1]) < LIMIT


@needs_proc
def test_the_measure_sees_what_a_process_takes(tmp_path: Path) -> None:
    (tmp_path / "u.csv").write_text("R,1,2\n")
    command = [sys.executable, "-c", "x = b'1' * (200 << 20)" + MEASURED, "run", "u.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert int(done.stderr.splitlines()[-1]) > 2 * LIMIT
