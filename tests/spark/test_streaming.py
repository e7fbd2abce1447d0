"""Streaming: the answers of a single view that saw every update once, whatever is killed, and when."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from ivme import InputError
from ivme.spark import streaming
from ivme.spark.commits import StreamError
from ivme.spark.datasets import COLUMNS
from ivme.spark.hypercube import NOWHERE
from ivme.spark.java import NoJavaError, ensure_java
from tests.packaging.pages import run_page
from tests.spark.streams import SHARES, Row, check, cut, updates

PAGE = Path(__file__).resolve().parents[2] / "docs" / "streaming.md"
NOW = {"availableNow": True}


def publish(folder: Path, segments: Iterable[Sequence[Row]], first: int = 0) -> None:
    """One file for each batch. The source takes them in the order of their times."""
    folder.mkdir(exist_ok=True)
    names = ("seq", "relation", "x", "y", "multiplicity")
    for number, segment in enumerate(segments, first):
        scratch, path = folder / f".{number:03d}", folder / f"{number:03d}.json"
        text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in segment)
        scratch.write_text(text, encoding="utf-8")
        os.utime(scratch, (1_700_000_000 + number, 1_700_000_000 + number))
        scratch.rename(path)


def opened(spark: SparkSession, folder: Path) -> DataFrame:
    return spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(str(folder))


def run(spark: SparkSession, folder: Path, directory: Path, free: str) -> None:
    query = streaming.maintain(opened(spark, folder), directory, free, "1/3", SHARES, trigger=NOW)
    try:
        query.processAllAvailable()
        query.awaitTermination()
    finally:
        query.stop()


# --- with Spark -----------------------------------------------------------------------------------------

BAD: list[Row] = [
    (1000, "X", 1, 2, 1),
    (1001, "R", None, 2, 1),
    (1002, "S", 1, 2, None),
    (1003, None, 1, 2, 1),
    (1004, "T", 1, 2, 0),
    (1005, "R", 1, 2, -100),
    (1005, "R", 1, 2, -100),
]


def test_a_stream_gives_the_answers_of_a_single_view(spark: SparkSession, tmp_path: Path) -> None:
    """Rows in any order within a batch; a restart; and all ways to be refused, each reported once.

    The last two rows have the same number, and the insert comes first.
    """
    last: list[Row] = [(2000, "R", 1, 2, 1), (2001, "S", 50, 51, 1), (2001, "S", 50, 51, -1)]
    rows = [*updates(3, 150), *BAD, *last]
    segments = [list(reversed(segment)) for segment in cut(rows, 75)]
    publish(tmp_path / "in", segments[:2])
    run(spark, tmp_path / "in", tmp_path / "out", "BA")
    check(tmp_path / "out", rows[:150], "BA")
    publish(tmp_path / "in", segments[2:], 2)
    run(spark, tmp_path / "in", tmp_path / "out", "BA")
    check(tmp_path / "out", rows, "BA")
    found = {entry.seq: entry.reason for entry in streaming.refused(tmp_path / "out")}
    assert "no relation 'X'" in found[1000]
    assert "a value is missing" in found[1001]
    assert "100 cannot be deleted" in found[1005]
    progress = streaming.progress(tmp_path / "out")
    assert (progress.batch, progress.late, progress.last) == (2, 0, 2001)
    loads = Counter(cell for row in rows for cell in SHARES.of(*row[1:4]) if cell != NOWHERE)
    assert progress.balance.loads == loads
    assert progress.balance.replication == sum(loads.values()) / len(rows)
    assert progress.balance.skew == max(loads.values()) * 4 / sum(loads.values())
    left = {path.name for path in (tmp_path / "out" / "states").iterdir()}
    assert left == {cell.state for cell in progress.cells.values()}
    assert len(left) == 4


def test_what_is_no_stream_of_updates_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    table = spark.createDataFrame([], COLUMNS)
    with pytest.raises(InputError, match="the updates are not a stream"):
        streaming.maintain(table, tmp_path / "out", "A")
    for schema, message in (
        (COLUMNS.replace("seq long, ", ""), "column 'seq' of the stream is missing"),
        (COLUMNS.replace("x long", "x double"), "column 'x' of the stream is double"),
        (COLUMNS.replace("relation string", "relation int"), "column 'relation' of the stream is int"),
    ):
        stream = spark.readStream.schema(schema).json(str(tmp_path / "in"))
        with pytest.raises(InputError, match=message):
            streaming.maintain(stream, tmp_path / "out", "A")
    with pytest.raises(InputError, match="free variables 'X'"):
        streaming.maintain(opened(spark, tmp_path / "in"), tmp_path / "out", "X")
    assert not (tmp_path / "out").exists()


def test_the_page_on_streaming_runs(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_page(PAGE, tmp_path, monkeypatch) > 6


# --- kill -9 --------------------------------------------------------------------------------------------

DRIVER = Path(__file__).with_name("streaming_driver.py")


@contextmanager
def driver(tmp_path: Path, operations: int, moment: str) -> Iterator[subprocess.Popen[str]]:
    """A driver with its JVM, in a process group of their own; none of them is left in the end."""
    command = [sys.executable, str(DRIVER), str(tmp_path / "in"), str(tmp_path / "out"), "A"]
    with (
        open(tmp_path / "log", "ab") as log,
        subprocess.Popen(
            [*command, str(operations), moment],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def committed(tmp_path: Path) -> int:
    try:
        return streaming.progress(tmp_path / "out").batch
    except StreamError:
        return -1


def kill_in_the_middle(tmp_path: Path, draw: random.Random, in_commit: bool) -> str:
    """Let a driver run and kill it and its JVM: at a file operation of its commits, or at some time."""
    before = committed(tmp_path)
    operations = draw.randint(2, 13) if in_commit else 0
    moment = draw.choice(["before", "after"])
    batches, seconds = draw.randint(0, 1), draw.random()
    with driver(tmp_path, operations, moment) as process:
        assert process.stdout is not None
        if not in_commit:
            assert process.stdout.readline() == "started\n"
            while process.poll() is None and committed(tmp_path) < before + batches:
                time.sleep(0.02)
            time.sleep(seconds)
            os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=300)
    assert process.returncode == -signal.SIGKILL, (tmp_path / "log").read_text(errors="replace")
    where = f"{moment} operation {operations}" if in_commit else f"{seconds:.2f} s after {batches} batches"
    return f"killed {where}: committed {before} → {committed(tmp_path)}"


def file_offsets(tmp_path: Path) -> list[int]:
    """How far each batch of Spark's got in its log of files, which has an entry for each of them.

    One further than the batch before; two after a kill between that log and the log of offsets: the next
    batch then takes both files.
    """
    logs = sorted((tmp_path / "out" / "checkpoint" / "offsets").glob("[0-9]*"), key=lambda log: int(log.name))
    return [json.loads(log.read_text().splitlines()[-1])["logOffset"] for log in logs]


def survive(tmp_path: Path, seed: int, kills: int) -> None:
    print(f"seed {seed}")
    draw, size = random.Random(seed), 40
    rows = updates(seed, 2 * size * (kills + 1))
    segments = cut(rows, size)
    for kill in range(kills):
        publish(tmp_path / "in", segments[2 * kill : 2 * kill + 2], 2 * kill)
        print(kill_in_the_middle(tmp_path, draw, in_commit=kill % 2 == 0))
    publish(tmp_path / "in", segments[2 * kills :], 2 * kills)
    with driver(tmp_path, 0, "end") as process:
        process.wait(timeout=600)
    assert process.returncode == 0, (tmp_path / "log").read_text(errors="replace")
    offsets = file_offsets(tmp_path)
    assert offsets == sorted(set(offsets))
    assert (committed(tmp_path), offsets[-1]) == (len(offsets) - 1, len(segments) - 1)
    check(tmp_path / "out", rows, "A")
    assert streaming.answers(tmp_path / "out")


@pytest.fixture
def java() -> None:
    try:
        ensure_java()
    except NoJavaError as error:
        pytest.skip(str(error))


@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_a_driver_killed_six_times_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    survive(tmp_path, 17, 6)


@pytest.mark.nightly
@pytest.mark.usefixtures("java")
@pytest.mark.parametrize("seed", [1, 2])
def test_a_driver_killed_twenty_times(tmp_path: Path, seed: int) -> None:
    survive(tmp_path, seed, 20)
