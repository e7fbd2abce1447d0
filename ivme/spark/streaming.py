"""Structured Streaming: a triangle query maintained over a stream, in the cells of a HyperCube, exactly once.

Each batch is routed, sorted and applied as in `ivme.spark.hypercube`, by one task for each cell with updates:
load the cell's snapshot, apply, save a new one under a fresh name. The driver then commits the batch: one
rename makes the manifest name the new snapshots (`ivme.spark.commits`).

Invariant: the state that the manifest names is that after all batches up to its own, each applied once.
  * Nothing is lost: Spark repeats a batch, with the same rows, until `process` has returned for it, which it
    does only after the rename.
  * Nothing is applied twice: a batch that is committed already is skipped; and before the rename no committed
    state has changed, since tasks write only files that no manifest names yet. So tasks may also fail, run
    twice at a time, or outlive their driver.

Cost of a batch: for each cell with updates, loading O(|D_cell|^{3/2}) and saving O(|D_cell|), and the updates
themselves. So batches should not be small compared with the state.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
from attrs import evolve
from pyspark.sql import DataFrame
from pyspark.sql import functions as f
from pyspark.sql.streaming.query import StreamingQuery

from ivme.formats.snapshots import SnapshotError, read_snapshot
from ivme.rings import NATURALS
from ivme.spark.commits import (
    Cell,
    Manifest,
    Setup,
    StreamError,
    clean,
    is_new,
    locked,
    offsets_of,
    prepare,
    query_id,
    read_manifest,
    read_refused,
    write_manifest,
    write_refused,
)
from ivme.spark.datasets import COLUMNS
from ivme.spark.hypercube import NOWHERE, Refusal, Routed, Shares, apply, arrow_schema, by_cell, placed
from ivme.spark.oracle import Answer
from ivme.view import TriangleView
from ivme_spec.errors import InputError

DONE = (
    "kind string, cell int, state string, updates long, firsts long, late long, last long, reason string, "
    + COLUMNS
)
BATCH = 1 << 14
INTEGERS = ("tinyint", "smallint", "int", "bigint")

AnyPath = str | os.PathLike[str]


# --- for users ------------------------------------------------------------------------------------------


def maintain(
    stream: DataFrame,
    directory: AnyPath,
    free: str,
    epsilon: object = "1/2",
    shares: Shares | None = None,
    *,
    trigger: Mapping[str, Any] | None = None,
    name: str | None = None,
) -> StreamingQuery:
    """Start to maintain a query over a stream, or continue where an earlier run with this folder stopped.

    stream     columns (seq, relation, x, y, multiplicity): text, and integers of up to 64 bits
    directory  holds all state, including Spark's checkpoint; see `ivme.spark.commits`
    shares     how the data are split into cells; one cell by default
    trigger    as for Spark: {"availableNow": True}, {"processingTime": "10 seconds"}

    Updates are applied in the order of the batches, and within a batch in the order of `seq`, in every cell.
    Cost: see the module.  Bad input: an `InputError` before anything starts.
    """
    target = Path(directory).absolute()
    view = TriangleView(free, epsilon)  # bad input is refused here, not in a cell
    setup = Setup(view.free, str(view.epsilon), shares or Shares(1, 1, 1))
    updates = _checked(stream)
    prepare(target, setup)
    writer = updates.writeStream.foreachBatch(partial(process, target))
    writer = writer.option("checkpointLocation", str(target / "checkpoint"))
    if name is not None:
        writer = writer.queryName(name)
    return writer.trigger(**trigger).start() if trigger else writer.start()


def answers(directory: AnyPath) -> Answer:
    """The answer after the last committed batch.

    Cost: loads one cell after the other, O(|D_cell|^{3/2}) each; may run beside the stream.
    """
    target = Path(directory).absolute()
    while True:
        manifest = read_manifest(target)
        found: Answer = {}
        try:
            for number in manifest.cells:
                for row, m in _load(target, manifest, number):
                    found[row] = found.get(row, 0) + m
        except SnapshotError:
            if read_manifest(target).batch == manifest.batch:
                raise
            continue  # a batch was committed meanwhile, and removed the older snapshots
        return found


def refused(directory: AnyPath) -> Iterator[Refusal]:
    """The updates refused up to the last committed batch, each once, with the reasons.

    Cost: constant memory.  Bad input: a `StreamError`.
    """
    target = Path(directory).absolute()
    return read_refused(target, read_manifest(target))


def progress(directory: AnyPath) -> Manifest:
    """The committed state: numbers of batches and updates, and the balance of the cells.  Cost: O(cells)."""
    return read_manifest(directory)


def _checked(stream: DataFrame) -> DataFrame:
    if not stream.isStreaming:
        raise InputError("the updates are not a stream: use spark.readStream, or ivme.spark.hypercube.run")
    wanted = [entry.split(" ")[0] for entry in COLUMNS.split(", ")]
    given = dict(stream.dtypes)
    for column in wanted:
        allowed = ("string",) if column == "relation" else INTEGERS
        if given.get(column) not in allowed:
            raise InputError(
                f"column {column!r} of the stream is {given.get(column, 'missing')}: needed are {COLUMNS}"
            )
    return stream.select(
        *(f.col(name) if name == "relation" else f.col(name).cast("long") for name in wanted)
    )


# --- a batch --------------------------------------------------------------------------------------------


def process(directory: Path, batch: DataFrame, number: int) -> None:
    """Apply a batch and commit it, unless it is committed already.  Runs in the driver."""
    with locked(directory):
        manifest = read_manifest(directory)
        offsets = offsets_of(directory, number)
        if is_new(directory, manifest, number, offsets):
            rows = run(batch, directory, manifest).toArrow().to_pylist()
            after, entries = _after(manifest, rows)
            after = evolve(after, batch=number, query=query_id(directory)).remember(number, offsets)
            write_refused(directory, number, entries)
            write_manifest(directory, after)
            manifest = after
        clean(directory, manifest)


def run(batch: DataFrame, directory: Path, manifest: Manifest) -> DataFrame:
    """Apply a batch to the cells and save their new states; returns their reports.  Commits nothing."""

    def work(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found: list[dict[str, object]] = []
        for cell, routed in by_cell(batches):
            for entry in run_cell(directory, manifest, cell, routed):
                found.append(entry)
                if len(found) == BATCH:
                    yield pa.RecordBatch.from_pylist(found, schema)
                    found = []
        yield pa.RecordBatch.from_pylist(found, schema)

    schema = arrow_schema(DONE)
    return placed(batch, manifest.setup.shares).mapInArrow(work, DONE)


def run_cell(
    directory: Path, manifest: Manifest, cell: int, routed: Iterator[Routed]
) -> Iterator[dict[str, object]]:
    """Apply updates to a cell and save it: yields what was refused, and at the end a summary."""
    view = _load(directory, manifest, cell)
    count = firsts = late = 0
    before = last = manifest.last
    for row in routed:
        count += 1
        reason = apply(row, [view])
        if row.first:
            firsts += 1
            late += row.seq is not None and before is not None and row.seq < before
            if reason is not None:
                entry = row._asdict()
                del entry["first"]
                yield {"kind": "refused", **entry, "reason": reason}
        if row.seq is not None:
            last = row.seq if last is None else max(last, row.seq)
    state = None
    if cell != NOWHERE:
        number = manifest.batch + 1
        state = f"{number:08d}-{cell}-{secrets.token_hex(8)}.jsonl"
        view.save(directory / "states" / state, {"cell": cell, "batch": number})
    done = {"updates": count, "firsts": firsts, "late": late, "last": last}
    yield {"kind": "done", "cell": cell, "state": state, **done}


def _load(directory: Path, manifest: Manifest, cell: int) -> TriangleView[int]:
    """The committed view of a cell, empty if the cell has none."""
    setup, held = manifest.setup, manifest.cells.get(cell)
    if held is None:
        return TriangleView(setup.free, setup.epsilon)
    path = directory / "states" / held.state
    header, tuples = read_snapshot(path)
    found = (header.free, header.epsilon, header.partitioning, header.ring, header.note.get("cell"))
    if found != (setup.free, setup.epsilon, "single", NATURALS, cell):
        raise StreamError(f"{path} is not the state of cell {cell}")
    return TriangleView(setup.free, setup.epsilon, database=tuples)


def _after(manifest: Manifest, rows: list[dict[str, Any]]) -> tuple[Manifest, list[Refusal]]:
    """The manifest after the reports of a batch's cells, and the refused updates in order."""
    entries = [
        Refusal(row["seq"], (row["relation"], row["x"], row["y"], row["multiplicity"]), row["reason"])
        for row in rows
        if row["kind"] == "refused"
    ]
    done = [row for row in rows if row["kind"] == "done"]
    cells = dict(manifest.cells)
    for row in done:
        if row["cell"] != NOWHERE:
            before = cells.get(row["cell"])
            count = row["updates"] + (before.updates if before else 0)
            cells[row["cell"]] = Cell(row["state"], count)
    after = evolve(
        manifest,
        updates=manifest.updates + sum(row["firsts"] for row in done),
        refused=manifest.refused + len(entries),
        late=manifest.late + sum(row["late"] for row in done),
        last=max((row["last"] for row in done if row["last"] is not None), default=manifest.last),
        cells=cells,
    )
    return after, sorted(entries, key=lambda entry: (entry.seq is not None, entry.seq or 0))
