"""`ivme run` interrupted, on a full disk, and on a terminal: what it says, and what it leaves."""

import errno
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ivme.formats import files
from ivme_spec.relations import RelationName

Ivme = Callable[..., tuple[int, str, str]]
TRIANGLE = "R,1,2\nS,2,3\nT,3,1\n"

# In a shell's background job, Ctrl-C is ignored unless asked for.
COMMAND = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from ivme.cli import main
sys.exit(main())
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- Ctrl-C ---


def interrupted(*options: str) -> tuple[int, str]:
    """The exit code and the last line of a run that gets SIGINT after three updates, with more to come."""
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "run", "-", "--watch", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(TRIANGLE)
    process.stdin.flush()
    assert process.stdout.readline() == "3\t0\t1\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert err.count("ivme: error: ") == 1
    return process.returncode, err.splitlines()[-1]


def test_ctrl_c_says_how_far_it_came() -> None:
    code, said = interrupted()
    assert code == 130
    assert said.startswith(
        "ivme: error: interrupted after 3 updates of stdin; there is no checkpoint (--check"
    )


def test_ctrl_c_says_where_the_checkpoint_is(ivme: Ivme) -> None:
    code, said = interrupted("--checkpoint", "state", "--every", "1")
    assert code == 130
    assert said == (
        "ivme: error: interrupted after 3 updates of stdin; the checkpoint in state/view.jsonl has the first "
        "3, and the same command goes on from there"
    )
    done = ivme("run", "-", "--checkpoint", "state", stdin=TRIANGLE + "S,2,3\n")
    assert (done[0], done[1].split()) == (0, ["multiplicity", "2"])


def test_ctrl_c_counts_only_what_is_done(ivme: Ivme, monkeypatch: pytest.MonkeyPatch) -> None:
    from ivme import TriangleView

    update = TriangleView.update

    def fourth(self: TriangleView[int], relation: RelationName, x: object, y: object, m: int = 1) -> None:
        if x == 4:
            raise KeyboardInterrupt
        update(self, relation, x, y, m)

    monkeypatch.setattr(TriangleView, "update", fourth)
    given = TRIANGLE + "R,4,2\n"
    code, _, err = ivme("run", "-", "--checkpoint", "state", "--every", "2", stdin=given)
    assert (code, "after 3 updates of stdin; the checkpoint in state/view.jsonl has the first 2" in err) == (
        130,
        True,
    ), err
    code, _, err = ivme("run", "-", "--checkpoint", "other", stdin=given)
    assert (code, "after 3 updates of stdin, before the first checkpoint in other" in err) == (130, True), err
    assert not Path("other").exists()


# --- full disks ---


@pytest.mark.parametrize("target", ["answer.csv", "answer.json", "answer.jsonl", "answer.parquet"])
@pytest.mark.parametrize("call", ["fsync", "write"])
def test_a_full_disk_names_the_file_that_was_asked_for(
    ivme: Ivme, monkeypatch: pytest.MonkeyPatch, target: str, call: str
) -> None:
    full_disk(monkeypatch, call)
    Path(target).write_text("as it was")
    code, out, err = ivme("run", "-", "--output", target, stdin=TRIANGLE)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1] == f"ivme: error: {target}: No space left on device"
    assert Path(target).read_text() == "as it was"
    assert os.listdir() == [target]


@pytest.mark.parametrize("call", ["fsync", "write"])
def test_a_full_disk_under_a_checkpoint(ivme: Ivme, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    assert ivme("run", "-", "--checkpoint", "state", stdin=TRIANGLE)[0] == 0
    before = Path("state/view.jsonl").read_bytes()
    full_disk(monkeypatch, call)
    code, _, err = ivme("run", "-", "--checkpoint", "state", stdin=TRIANGLE + "S,2,3\n")
    assert (code, err.splitlines()[-1]) == (2, "ivme: error: state/view.jsonl: No space left on device")
    assert Path("state/view.jsonl").read_bytes() == before
    assert sorted(os.listdir("state")) == ["lock", "view.jsonl"]


def full_disk(monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    """Let every file that is written atomically meet the end of the disk."""

    def fail(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    if call == "fsync":
        monkeypatch.setattr(os, "fsync", fail)
    elif not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    else:

        def opened(path: Any, mode: str) -> object:
            if mode == "rb":
                return open(path, mode)  # closed by whoever asked, as below
            Path(path).touch()
            return open("/dev/full", "wb")

        monkeypatch.setattr(files, "open", opened, raising=False)


def test_a_folder_that_cannot_be_written_names_the_file(ivme: Ivme, monkeypatch: pytest.MonkeyPatch) -> None:
    def opened(path: object, mode: str) -> object:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(files, "open", opened, raising=False)
    code, _, err = ivme("run", "-", "--output", "answer.csv", stdin=TRIANGLE)
    assert (code, err.splitlines()[-1]) == (2, "ivme: error: answer.csv: Permission denied")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("option", ["--json", "--watch", "--directed"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_stdout(option: str, unbuffered: str) -> None:
    Path("e.csv").write_text("1,2\n2,3\n3,1\n")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", COMMAND, "run", "--graph", "e.csv", option],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
        )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "ivme: error: stdout: No space left on device"


# --- the bar ---


def on_a_terminal(*arguments: str) -> str:
    """What a run shows on stderr if that is a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "run", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
    )
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 4096):
            shown += chunk
    except OSError:  # the end of a terminal
        pass
    os.close(master)
    assert process.wait(timeout=60) == 0, shown
    return shown.decode()


def test_the_bar_has_a_total_where_the_size_is_known() -> None:
    import gzip

    import pyarrow as pa
    import pyarrow.parquet as pq

    edges = [(u, v) for u in range(60) for v in range(u)]
    text = "".join(f"{u},{v}\n" for u, v in edges)
    Path("e.csv").write_text(text)
    Path("e.csv.gz").write_bytes(gzip.compress(text.encode()))
    pq.write_table(pa.table({"u": [u for u, _ in edges], "v": [v for _, v in edges]}), "e.parquet")
    for name, total, measure in [
        ("e.csv", len(text), "bytes"),
        ("e.csv.gz", Path("e.csv.gz").stat().st_size, "bytes"),
        ("e.parquet", len(edges), "rows"),
    ]:
        shown = on_a_terminal("--graph", name)
        assert measure in shown
        assert f"{total}/{total}" in shown, "it comes to its end"
