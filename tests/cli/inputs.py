"""Inputs of `ivme run` as bytes, and what is asked of a run that refuses one."""

import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

if sys.version_info >= (3, 14):
    from compression import zstd as zstd
else:
    from backports import zstd as zstd

Ivme = Callable[..., tuple[int, str, str]]
Bad = tuple[str, bytes | str, str, *tuple[str, ...]]
"""The name of a file, what is in it, what is said, and options."""


def parquet(**columns: Sequence[object]) -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


def refused(done: tuple[int, str, str], said: str) -> None:
    """Exit code 2 and one line, after at most remarks."""
    code, out, err = done
    assert (code, out) == (2, ""), err
    *remarks, error = err.splitlines()
    assert error.startswith("ivme: error: ")
    assert said in error
    assert len(error) < 700
    assert all(line.startswith("ivme: ") and not line.startswith("ivme: error") for line in remarks)


def refused_and_nothing_written(ivme: Ivme, case: Bad, *more: str) -> None:
    """In an empty folder: the error names the file, the old output is there, and nothing else is."""
    name, given, said, *options = case
    Path(name).write_bytes(given.encode() if isinstance(given, str) else given)
    Path("answer.csv").write_text("as it was\n")
    done = ivme("run", name, "--output", "answer.csv", *options, *more)
    refused(done, said)
    assert name in done[2].splitlines()[-1]
    assert Path("answer.csv").read_text() == "as it was\n"
    assert {path.name for path in Path().iterdir()} == {name, "answer.csv"}
