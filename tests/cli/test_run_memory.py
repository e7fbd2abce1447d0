"""Memory of `ivme run`: bounded, whatever the input is."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

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
    *_, said, peak = done.stderr.splitlines()
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
    *_, said, peak = done.stderr.splitlines()
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
