"""Commits: whatever step a driver ends at, the next one goes on as if nothing had been; and what does not fit
together is refused. Without Spark: the cells run here, on the rows of a batch.
"""

import hashlib
import os
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame

from ivme import TriangleView
from ivme.formats.snapshots import SnapshotError
from ivme.spark import commits, streaming
from ivme.spark.commits import Manifest, Setup, StreamError, prepare
from ivme.spark.hypercube import Refusal, Routed, Shares, arrow_schema
from tests.spark.streams import SHARES, Row, check, cut, single, updates

FREE = "AC"


class Crash(BaseException):
    """The end of a process."""


class Table:
    """Stands for a Spark table."""

    def __init__(self, found: list[dict[str, object]]) -> None:
        self.found = found

    def toArrow(self) -> pa.Table:
        return pa.Table.from_pylist(self.found, arrow_schema(streaming.DONE))


def run_here(batch: Sequence[Row], directory: Path, manifest: Manifest) -> Table:
    routed = [
        Routed(cell, place == 0, *row)
        for row in batch
        for place, cell in enumerate(manifest.setup.shares.of(*row[1:4]))
    ]
    routed.sort(key=lambda row: (row.cell, row.seq))
    cells = groupby(routed, key=lambda row: row.cell)
    return Table(
        [entry for cell, rows in cells for entry in streaming.run_cell(directory, manifest, cell, rows)]
    )


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "run", run_here)


def start(directory: Path) -> None:
    prepare(directory, Setup(FREE, "1/3", SHARES))
    (directory / "checkpoint" / "offsets").mkdir(parents=True, exist_ok=True)
    (directory / "checkpoint" / "metadata").write_text('{"id": "q"}')


def process(directory: Path, number: int, rows: Sequence[Row], offsets: str = "here") -> None:
    """What happens when Spark runs a batch."""
    (directory / "checkpoint" / "offsets" / str(number)).write_text(f"{offsets} {number}")
    streaming.process(directory, cast(DataFrame, rows), number)


ROWS = updates(5, 60, values=4)
SEGMENTS = cut(ROWS, 20)


@pytest.fixture
def done(tmp_path: Path) -> Path:
    """A stream after three batches."""
    start(tmp_path)
    for number, segment in enumerate(SEGMENTS):
        process(tmp_path, number, segment)
    return tmp_path


def test_the_rows_are_worth_it() -> None:
    """There are results and refused updates, in every batch."""
    answer, bad = single(ROWS, FREE)
    assert answer
    assert {row[0] // 20 for row in bad} == {0, 1, 2}


def test_batches_one_after_the_other(done: Path) -> None:
    check(done, ROWS, FREE)
    progress = streaming.progress(done)
    assert progress.query == "q"
    loads = Counter(cell for row in ROWS for cell in SHARES.of(*row[1:4]))
    assert progress.balance.loads == loads
    assert progress.balance.replication == sum(loads.values()) / len(ROWS)


# --- crashes --------------------------------------------------------------------------------------------


def crashing(monkeypatch: pytest.MonkeyPatch, operations: int) -> Callable[[], int]:
    """Raise at an operation on files instead of doing it, and at all later ones; how many were done."""
    count = 0

    def counted(operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal count
            if count >= operations:
                raise Crash
            count += 1
            return operation(*arguments, **named)

        return call

    for name in ("fsync", "replace", "unlink"):
        monkeypatch.setattr(os, name, counted(getattr(os, name)))
    return lambda: count


def run_until_crash(directory: Path, operations: int, first: int) -> tuple[int, bool]:
    """Run the batches from `first` on: the batch of the crash, and whether there was one."""
    with pytest.MonkeyPatch.context() as patch:
        crashing(patch, operations)
        number = first
        try:
            start(directory)
            for number in range(first, len(SEGMENTS)):
                process(directory, number, SEGMENTS[number])
        except Crash:
            return number, True
    return len(SEGMENTS), False


def test_a_crash_at_any_operation_of_any_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spark runs the batch of the crash again, and goes on."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)  # counted, but not waited for
    operations, crashed = 0, True
    while crashed:
        directory = tmp_path / str(operations)
        number, crashed = run_until_crash(directory, operations, 0)
        start(directory)
        for again in range(number, len(SEGMENTS)):
            process(directory, again, SEGMENTS[again])
        check(directory, ROWS, FREE)
        named = {cell.state for cell in streaming.progress(directory).cells.values()}
        assert {path.name for path in (directory / "states").iterdir()} == named
        shutil.rmtree(directory)
        operations += 1
    assert operations > 60


def test_crash_after_crash(tmp_path: Path) -> None:
    """Every few operations, until all is done."""
    number, crashes, crashed = 0, 0, True
    while crashed:
        number, crashed = run_until_crash(tmp_path, 23 + crashes, number)
        crashes += 1
    assert crashes > 3
    check(tmp_path, ROWS, FREE)


def test_a_batch_that_is_committed_is_skipped(done: Path) -> None:
    """As after a driver that ended before Spark wrote down that the batch was done."""
    before = (done / "manifest.json").read_bytes()
    process(done, 2, SEGMENTS[2])
    process(done, 0, SEGMENTS[0])
    assert (done / "manifest.json").read_bytes() == before
    check(done, ROWS, FREE)


def test_what_another_attempt_left_does_not_count(tmp_path: Path) -> None:
    start(tmp_path)
    process(tmp_path, 0, SEGMENTS[0])
    commits.write_refused(tmp_path, 1, [Refusal(999, ("R", 1, 2, -1), "of an attempt that was killed")])
    orphans = [
        tmp_path / "states" / "00000001-0-0123456789abcdef.jsonl",
        tmp_path / "states" / ".00000001-0-0123456789abcdef.jsonl.77-0123.part",
        tmp_path / "refused" / ".00000001.jsonl.77-0123.part",
        tmp_path / ".manifest.json.77-0123.part",
    ]
    for path in orphans:
        TriangleView(FREE, database={"R": [(1, 1)]}).save(path)
    check(tmp_path, SEGMENTS[0], FREE)
    process(tmp_path, 1, [(100, "R", 1, 2, 1)])
    check(tmp_path, [*SEGMENTS[0], (100, "R", 1, 2, 1)], FREE)
    assert [path for path in orphans if path.exists()] == []


def test_late_updates_are_counted_and_applied(tmp_path: Path) -> None:
    start(tmp_path)
    rows = [(5, "R", 1, 2, 1), (6, "S", 2, 3, 1), (3, "T", 3, 1, 1), (4, "T", 3, 1, 1), (7, "T", 3, 1, 1)]
    process(tmp_path, 0, rows[:2])
    process(tmp_path, 1, rows[2:])
    check(tmp_path, rows, FREE)
    assert (streaming.progress(tmp_path).late, streaming.progress(tmp_path).last) == (2, 7)


def test_answers_beside_a_running_stream(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch is committed after the manifest was read: its snapshots are gone, the answer is the new one."""
    read, first = commits.read_manifest, [streaming.progress(done)]
    process(done, 3, [(100, "R", x, y, 1) for x in range(4) for y in range(4)])
    monkeypatch.setattr(streaming, "read_manifest", lambda path: first.pop() if first else read(path))
    found = streaming.answers(done)
    assert first == []
    monkeypatch.undo()
    assert found == streaming.answers(done) != single(ROWS, FREE)[0]


# --- what does not fit together -------------------------------------------------------------------------


def refusing(directory: Path, message: str, number: int, offsets: str = "here") -> None:
    before = (directory / "manifest.json").read_bytes()
    with pytest.raises(StreamError, match=message):
        process(directory, number, [(100, "R", 1, 2, 1)], offsets)
    assert (directory / "manifest.json").read_bytes() == before
    check(directory, ROWS, FREE)


def test_a_batch_with_a_known_number_and_other_rows_is_refused(done: Path) -> None:
    """As when the machine lost the end of the checkpoint: to skip it would lose its rows."""
    refusing(done, "Spark runs batch 2, and the state has all up to batch 2", 2, "elsewhere")


def test_a_missing_batch_is_refused(done: Path) -> None:
    refusing(done, "Spark runs batch 4, and the state has all up to batch 2", 4)


def test_another_checkpoint_is_refused(done: Path) -> None:
    (done / "checkpoint" / "metadata").write_text('{"id": "other"}')
    refusing(done, "has the state of query q, and its checkpoint is of other", 3)
    with pytest.raises(StreamError, match="put the right checkpoint back"):
        prepare(done, Setup(FREE, "1/3", SHARES))
    shutil.rmtree(done / "checkpoint")
    with pytest.raises(StreamError, match="its checkpoint is of None"):
        prepare(done, Setup(FREE, "1/3", SHARES))


def test_two_drivers_at_a_time_are_refused(done: Path) -> None:
    with commits.locked(done):
        refusing(done, "another driver is working on this stream", 3)
    process(done, 3, [(100, "R", 1, 2, 1)])


@pytest.mark.parametrize(
    "other", [Setup("A", "1/3", SHARES), Setup(FREE, "1/2", SHARES), Setup(FREE, "1/3", Shares(2, 1, 2))]
)
def test_another_query_is_refused(done: Path, other: Setup) -> None:
    with pytest.raises(StreamError, match="the query and the shares cannot change"):
        prepare(done, other)
    check(done, ROWS, FREE)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"ivme-stream": 2}', '{"ivme-stream": 1, "setup": {}}'])
def test_what_is_no_manifest_is_refused(done: Path, text: str) -> None:
    (done / "manifest.json").write_text(text)
    with pytest.raises(
        StreamError, match=r"manifest.json: (not JSON|not the manifest of a stream|version 2|.* is missing)"
    ):
        streaming.answers(done)


def test_what_is_missing_is_said(done: Path) -> None:
    with pytest.raises(StreamError, match="is this the folder of a stream"):
        streaming.answers(done / "states")
    (done / "refused" / "00000001.jsonl").unlink()
    with pytest.raises(StreamError, match="files are missing"):
        list(streaming.refused(done))
    state = next((done / "states").iterdir())
    state.write_bytes(state.read_bytes()[:-10])
    with pytest.raises(SnapshotError, match="is damaged"):
        streaming.answers(done)
    with pytest.raises(SnapshotError, match="is damaged"):
        process(done, 3, ROWS)
    state.unlink()
    with pytest.raises(SnapshotError, match="cannot be read"):
        streaming.answers(done)


def test_a_snapshot_of_another_cell_is_refused(done: Path) -> None:
    a, b = sorted((done / "states").iterdir())[:2]
    shutil.copy(a, b)
    with pytest.raises(StreamError, match="is not the state of cell"):
        streaming.answers(done)


def test_the_state_of_a_cell_is_hashed_once_on_load(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every byte before the footer, in one pass, though the file is read in two."""
    hashed = []

    class Counting:
        def __init__(self) -> None:
            self.digest = sha256()

        def update(self, data: bytes) -> None:
            hashed.append(len(data))
            self.digest.update(data)

        def hexdigest(self) -> str:
            return self.digest.hexdigest()

    sha256 = hashlib.sha256
    manifest = streaming.progress(done)
    monkeypatch.setattr(hashlib, "sha256", Counting)
    for number, cell in manifest.cells.items():
        hashed.clear()
        assert streaming._load(done, manifest, number).size
        *before, _ = (done / "states" / cell.state).read_bytes().splitlines(keepends=True)
        assert sum(hashed) == sum(map(len, before))


def test_only_the_offsets_of_recent_batches_are_kept(tmp_path: Path) -> None:
    manifest = Manifest(Setup("", "1/2", SHARES))
    for number in range(250):
        manifest = manifest.remember(number, "x")
    assert set(manifest.offsets) == set(range(150, 250))


def test_attempts_at_a_batch_do_not_touch_each_others_files(done: Path) -> None:
    """A task may run twice at a time, or outlive its driver."""
    manifest, rows = streaming.progress(done), [(100, "R", 1, 2, 1), (101, "T", 3, 1, 1)]
    before = {path: path.read_bytes() for path in (done / "states").iterdir()}
    first, second = (
        {entry["state"] for entry in run_here(rows, done, manifest).found if entry["kind"] == "done"}
        for _ in range(2)
    )
    assert len(first) == len(second) > 1
    assert first.isdisjoint(second)
    assert {path: path.read_bytes() for path in before} == before
    check(done, ROWS, FREE)


def test_a_manifest_changes_by_a_rename(done: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (done / "manifest.json").read_bytes()
    crashing(monkeypatch, 1)  # the file is synced, and not renamed
    with pytest.raises(Crash):
        commits.write_manifest(done, streaming.progress(done).remember(99, "x"))
    assert (done / "manifest.json").read_bytes() == before


def test_a_batch_without_rows_is_committed_too(done: Path) -> None:
    process(done, 3, [])
    assert streaming.progress(done).batch == 3
    check(done, ROWS, FREE)
