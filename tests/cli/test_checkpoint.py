"""`ivme run --checkpoint`: killed at any moment, it goes on with nothing lost and nothing counted twice."""

import csv
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ivme import TriangleView
from ivme.formats.snapshots import read_note
from ivme_reference.naive import Naive

Ivme = Callable[..., tuple[int, str, str]]
VIEW = Path("state/view.jsonl")


def stream(rng: random.Random, count: int, values: int) -> tuple[list[str], dict[tuple[object, ...], int]]:
    """Lines of updates, some of which are refused, and the answer of △(b, a) at the end."""
    held: Counter[tuple[str, int, int]] = Counter()
    reference: Naive[int] = Naive("BA")
    lines = []
    for _ in range(count):
        relation, x, y = key = (rng.choice("RST"), rng.randrange(values), rng.randrange(values))
        multiplicity = rng.choice([1, 2, 3, -1, -2])
        lines.append(f"{relation},{x},{y},{multiplicity}\n")
        if held[key] + multiplicity >= 0:
            held[key] += multiplicity
            reference.update(*key, multiplicity)
    return lines, dict(reference)


def rows(path: Path) -> dict[tuple[object, ...], int]:
    heading, *found = csv.reader(path.read_text().splitlines())
    assert heading == ["B", "A", "multiplicity"]
    answer: dict[tuple[object, ...], int] = {(int(b), int(a)): int(m) for b, a, m in found}
    assert len(answer) == len(found)
    return answer


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


RUN = ["run", "u.csv", "--free", "BA", "--refused", "skip", "--checkpoint", "state", "--output", "answer.csv"]

# --- kill -9 ---

# Forks a process for each line of arguments: the real command, without the time that imports take.
SERVER = """
import json, os, sys
from ivme.cli import main, running
assert main(["run", os.devnull]) == 2  # imports all that is imported late
for line in sys.stdin:
    child = os.fork()
    if not child:
        null = os.open(os.devnull, os.O_RDWR)
        os.dup2(null, 0)
        os.dup2(null, 1)
        sys.stdout = open(1, "w", closefd=False)
        os._exit(main(json.loads(line)))
    print(child, flush=True)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@contextmanager
def server() -> Iterator[Callable[[list[str], tuple[int, float] | None], int]]:
    """A function that runs a command; the exit code, -9 if killed.

    (n, seconds) kills it so long after its n-th checkpoint, or after its start.
    """
    process = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None

    def command(arguments: list[str], moment: tuple[int, float] | None) -> int:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(arguments) + "\n")
        process.stdin.flush()
        child = int(process.stdout.readline())
        if moment is not None:
            with suppress(ProcessLookupError):  # it came to its end
                _wait_for(child, moment[0])
                time.sleep(moment[1])
                os.kill(child, signal.SIGKILL)
        return int(process.stdout.readline())

    try:
        yield command
    finally:
        process.stdin.close()
        process.wait(timeout=60)
        process.stdout.close()


def _wait_for(child: int, checkpoints: int) -> None:
    last = _made()
    while checkpoints:
        os.kill(child, 0)
        time.sleep(0.001)
        if (now := _made()) != last:
            last, checkpoints = now, checkpoints - 1


def _made() -> tuple[int, int] | None:
    """Tells one snapshot from another."""
    try:
        found = VIEW.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_mtime_ns


def test_kill_dash_nine_twenty_times_at_random_moments(rng: random.Random, seed: int) -> None:
    print(f"IVME_SEED={seed}")
    lines, wanted = stream(rng, 4000, 8)
    Path("u.csv").write_text("".join(lines))
    arguments = [*RUN, "--every", "50"]
    kills, positions = 0, []

    def moment() -> tuple[int, float]:
        return rng.choice([0, 1, 1, 2, 3]), rng.choice([0, rng.uniform(0, 0.02), rng.uniform(0, 0.1)])

    with server() as command:
        assert command([*RUN[:-3], "whole", "--output", "whole.csv"], None) == 0
        assert rows(Path("whole.csv")) == wanted
        while kills < 20 or not Path("answer.csv").exists():
            code = command(arguments, moment() if kills < 20 else None)
            assert code in (0, -signal.SIGKILL)
            if code:
                kills += 1
                positions.append(read_note(VIEW)["records"] if VIEW.exists() else 0)
            if Path("answer.csv").exists():
                assert rows(Path("answer.csv")) == wanted, "an output that is there is complete"
                assert read_note(VIEW)["records"] == len(lines)
                if kills < 20:  # it was done before it was killed: once more from the beginning
                    Path("answer.csv").unlink()
                    VIEW.unlink()
    assert rows(Path("answer.csv")) == wanted
    assert len(set(positions)) > 3, "the kills came at different moments"
    assert sorted(os.listdir("state")) == ["lock", "view.jsonl"], "nothing unfinished is left"
    assert sorted(os.listdir()) == ["answer.csv", "state", "u.csv", "whole", "whole.csv"]


# Dies by SIGKILL right before, or in the middle of, the n-th call that writes, syncs, renames or unlinks.
SUICIDE = """
import io, os, signal, sys
left = int(sys.argv.pop(1))
def mortal(name):
    real = getattr(os, name)
    def call(*arguments, **options):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)
    setattr(os, name, call)
for name in ("fsync", "replace", "unlink"):
    mortal(name)
from ivme.cli import main
sys.exit(main())
"""


@pytest.mark.parametrize("step", [1, 2, 3, 4, 5, 6, 7])
def test_killed_at_each_step_of_a_commit(ivme: Ivme, rng: random.Random, step: int) -> None:
    lines, wanted = stream(rng, 60, 3)
    Path("u.csv").write_text("".join(lines))
    done = subprocess.run(
        [sys.executable, "-c", SUICIDE, str(step), *RUN, "--every", "30"], capture_output=True, text=True
    )
    assert done.returncode == -signal.SIGKILL
    assert not Path("answer.csv").exists() or rows(Path("answer.csv")) == wanted
    assert ivme(*RUN)[0] == 0
    assert rows(Path("answer.csv")) == wanted
    assert sorted(os.listdir("state")) == ["lock", "view.jsonl"]
    assert sorted(os.listdir()) == ["answer.csv", "state", "u.csv"]


# --- going on ---


def test_a_run_goes_on_from_its_checkpoint_and_counts_refused_ones_once(
    ivme: Ivme, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, wanted = stream(rng, 500, 4)
    Path("u.csv").write_text("".join(lines[:300]))
    assert ivme(*RUN)[0] == 0
    note = read_note(VIEW)
    assert note["records"] == 300
    Path("u.csv").write_text("".join(lines))
    applied = []
    update = TriangleView.update

    def counted(self: TriangleView[int], *arguments: object) -> None:
        applied.append(arguments)
        update(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(TriangleView, "update", counted)
    _, _, err = ivme(*RUN)
    assert len(applied) == 200, "what was applied before is not applied again"
    assert rows(Path("answer.csv")) == wanted
    Path("state/view.jsonl").unlink()
    assert ivme(*RUN)[2].splitlines()[-1] == err.splitlines()[-1], "the same summary as of one run"


def test_a_finished_run_may_be_repeated(ivme: Ivme) -> None:
    Path("u.csv").write_text("R,1,2\nS,2,3\nT,3,1\n")
    first = ivme("run", "u.csv", "--checkpoint", "state")
    before = VIEW.read_bytes()
    assert ivme("run", "u.csv", "--checkpoint", "state") == first
    assert VIEW.read_bytes() == before


def test_every_says_how_often(ivme: Ivme, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = []
    save = TriangleView.save

    def noted(self: TriangleView[int], path: Path, note: dict[str, object]) -> None:
        saved.append(note["records"])
        save(self, path, note)

    monkeypatch.setattr(TriangleView, "save", noted)
    given = "".join(f"R,1,{b}\n" for b in range(10))
    assert ivme("run", "-", "--checkpoint", "state", "--every", "4", stdin=given)[0] == 0
    assert saved == [4, 8, 10]


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("R,1,2\nS,2,3\n", [], "u.csv has 2 updates, and the checkpoint was made after 3: it is shorter"),
        ("R,1,2\nS,2,4\nT,3,1\n", [], "the first 3 updates of u.csv are not those that the checkpoint"),
        ("S,2,3\nR,1,2\nT,3,1\nR,1,2\n", [], "the first 3 updates of u.csv are not those"),
        ("R,1,2\nS,2,3\nT,3,1\n", ["--strings"], "the first 3 updates of u.csv are not those"),
        ("R,1,2\nS,2,3\nT,3,1\n", ["--free", "A"], "is of the query '' with ε = 1/2, not 'A' with ε = 1/2"),
        ("R,1,2\nS,2,3\nT,3,1\n", ["--epsilon", "1/3"], "is of the query '' with ε = 1/2, not '' with"),
    ],
)
def test_another_input_or_query_is_refused(ivme: Ivme, text: str, options: list[str], said: str) -> None:
    Path("u.csv").write_text("R,1,2\nS,2,3\nT,3,1\n")
    assert ivme("run", "u.csv", "--checkpoint", "state")[0] == 0
    before = VIEW.read_bytes()
    Path("u.csv").write_text(text)
    code, out, err = ivme("run", "u.csv", "--checkpoint", "state", "--output", "answer.csv", *options)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("ivme: error:") == 1
    assert VIEW.read_bytes() == before
    assert not Path("answer.csv").exists()


def test_damaged_and_strange_checkpoints_are_refused(ivme: Ivme) -> None:
    Path("u.csv").write_text("R,1,2\nS,2,3\nT,3,1\n")
    assert ivme("run", "u.csv", "--checkpoint", "state")[0] == 0
    VIEW.write_bytes(VIEW.read_bytes()[:-30])
    code, _, err = ivme("run", "u.csv", "--checkpoint", "state")
    assert (code, "is damaged" in err, err.count("\n")) == (2, True, 1)
    TriangleView("").save(VIEW)
    code, _, err = ivme("run", "u.csv", "--checkpoint", "state")
    assert (code, "not one of `ivme run`" in err) == (2, True)
    Path("file").write_text("")
    code, _, err = ivme("run", "u.csv", "--checkpoint", "file")
    assert (code, err.count("\n")) == (2, 1)


def test_one_folder_serves_one_run_at_a_time(ivme: Ivme) -> None:
    fcntl = pytest.importorskip("fcntl")
    Path("state").mkdir()
    with open("state/lock", "ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        code, _, err = ivme("run", "-", "--checkpoint", "state", stdin="R,1,2\n")
        assert (code, "in use by another" in err) == (2, True)
    assert ivme("run", "-", "--checkpoint", "state", stdin="R,1,2\n")[0] == 0


def test_values_that_no_snapshot_can_hold_are_said(ivme: Ivme) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"relation": ["R"], "x": [b"bytes"], "y": [1]}), "u.parquet")
    assert ivme("run", "u.parquet")[0] == 0
    code, _, err = ivme("run", "u.parquet", "--checkpoint", "state")
    assert (code, "cannot be saved" in err, err.count("ivme: error:")) == (2, True, 1)
