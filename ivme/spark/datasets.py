"""Workloads as Parquet datasets: written by Spark, read back in order.

A dataset is a folder with updates/part-….parquet, whose columns are (seq, relation, x, y, multiplicity), and
manifest.json, which is written last: a folder without it is incomplete. Every row is a function of the
workload's definition and its sequence number, and each file holds a range of sequence numbers, in the order
of the file names; so the rows do not depend on the number of partitions, cores or machines.

The folder must be reachable under the same path from the driver and all workers.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import cast

import pyarrow as pa
import pyarrow.parquet as pq
from attrs import field, frozen
from pyspark.sql import DataFrame, SparkSession

from ivme.formats.documents import Format, write_document
from ivme.workloads.catalogue import CATALOGUE, Definition, between
from ivme.workloads.core import Update, Workload
from ivme.workloads.graphs import Line, graph, read_text
from ivme_spec.errors import InputError

CHUNK = 1 << 16
"""Updates that a worker generates at a time."""

COLUMNS = "seq long, relation string, x long, y long, multiplicity long"
_TYPES: dict[str, pa.DataType] = {
    "seq": pa.int64(),
    "relation": pa.string(),
    "x": pa.int64(),
    "y": pa.int64(),
    "multiplicity": pa.int64(),
}
ARROW = pa.schema(_TYPES)


class DatasetError(InputError):
    """A dataset that cannot be read or written; the message names it."""


FORMAT = Format(
    "ivme-workload", "the manifest of a dataset", DatasetError, remedy="is this the folder of a dataset?"
)


@frozen
class Dataset:
    """A written workload."""

    path: Path
    definition: Definition
    updates: int
    manifest: Mapping[str, object] = field(repr=False)

    @property
    def files(self) -> list[Path]:
        """The Parquet files, in the order of their rows."""
        return sorted((self.path / "updates").glob("part-*.parquet"))

    def frame(self, spark: SparkSession) -> DataFrame:
        """The updates as a Spark table, unordered."""
        return spark.read.schema(COLUMNS).parquet(str(self.path / "updates"))

    def rows(self, prefix: int | None = None) -> Iterator[Update]:
        """The first `prefix` updates, or all, in order.  Cost: constant memory."""
        return islice(_rows(self.files), prefix)


def _rows(files: list[Path]) -> Iterator[Update]:
    names = ["relation", "x", "y", "multiplicity"]
    for file in files:
        with pq.ParquetFile(file) as opened:
            for batch in opened.iter_batches(CHUNK, columns=names):
                columns = [column.to_pylist() for column in batch.columns]
                yield from zip(*columns, strict=True)


def read_edges(path: str | os.PathLike[str], timed: bool) -> Iterator[Line]:
    """The edges of a file for `graph`: Parquet by its first two or three columns, else as text.

    Bad input: a `DatasetError` or an `EdgeListError`.
    """
    if Path(path).suffix != ".parquet":
        yield from read_text(path, timed)
        return
    with pq.ParquetFile(Path(path)) as opened:
        names = opened.schema_arrow.names[: 3 if timed else 2]
        if len(names) < (3 if timed else 2):
            raise DatasetError(
                f"{path} has the columns {names}: two for the vertices and one for time are needed"
            )
        for batch in opened.iter_batches(CHUNK, columns=names):
            u, v, *times = (column.cast(pa.int64()).to_pylist() for column in batch.columns)
            yield from zip(u, v, times[0] if timed else [0] * len(u), strict=True)


@lru_cache(maxsize=4)
def _made(family: str, parameters: str) -> Workload:
    """A workload, cached in each worker."""
    given = json.loads(parameters)
    return graph(**given, read=read_edges) if family == "graph" else Definition(family, given).workload()


def workload_of(definition: Definition) -> Workload:
    """The workload of a definition; also of a graph in Parquet."""
    return _made(definition.family, json.dumps(dict(definition.parameters), sort_keys=True))


def chunk(workload: Workload, start: int, stop: int) -> pa.RecordBatch:
    """A range of updates as Arrow.  Bad input: a `DatasetError` for a number beyond 64 bits."""
    columns = list(zip(*between(workload, start, stop), strict=True)) or [()] * 4
    numbers = range(start, start + len(columns[0]))
    try:
        arrays = [
            pa.array(column, kind) for column, kind in zip((numbers, *columns), ARROW.types, strict=True)
        ]
        return pa.record_batch(arrays, schema=ARROW)
    except (OverflowError, pa.ArrowInvalid) as error:
        raise DatasetError(f"{workload.family}, updates {start} to {stop}: {error}") from error


def generated(spark: SparkSession, definition: Definition, partitions: int | None = None) -> DataFrame:
    """The updates of a workload as a Spark table; partition k holds the k-th range of sequence numbers."""
    count, size = len(workload_of(definition)), CHUNK

    def make(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        workload = workload_of(definition)
        for batch in batches:
            for number in cast("list[int]", batch.column(0).to_pylist()):
                yield chunk(workload, number * size, min(count, (number + 1) * size))

    chunks = -(-count // size)
    width = partitions or spark.sparkContext.defaultParallelism
    return spark.range(0, chunks, 1, width).mapInArrow(make, COLUMNS)


def write(
    spark: SparkSession,
    definition: Definition,
    path: str | os.PathLike[str],
    partitions: int | None = None,
) -> Dataset:
    """Write a workload to a folder that does not exist yet, or holds an unfinished dataset.

    Cost: O(updates), on all cores.  Bad input: a `DatasetError` if there is a dataset already.
    """
    target = Path(path).absolute()
    if (target / "manifest.json").exists():
        raise DatasetError(f"{target} holds a dataset already: give another folder")
    target.mkdir(parents=True, exist_ok=True)
    generated(spark, definition, partitions).write.mode("overwrite").parquet(str(target / "updates"))
    write_document(target / "manifest.json", json.dumps(manifest(definition), ensure_ascii=False, indent=1))
    return read(target)


def manifest(definition: Definition) -> dict[str, object]:
    """The manifest of a dataset: what is known of a workload before it is run."""
    workload, family = workload_of(definition), CATALOGUE[definition.family]
    sizes = {
        "updates": len(workload),
        **{
            name: sum(section.count for section in getattr(workload, name))
            for name in ("loaded", "preparation", "attack")
        },
    }
    facts = {
        "family": definition.family,
        "parameters": dict(definition.parameters),
        "seed": workload.parameters.get("seed"),
        "sizes": sizes,
        "attacks": family.bound,
        "tight": family.tight,
        "expected": {
            name: [[number, answer] for number, answer in answers(workload).items()]
            for name, answers in (("count", family.counts), ("nonempty", family.bits))
        },
    }
    return FORMAT.stamped(facts)


def read(path: str | os.PathLike[str]) -> Dataset:
    """A dataset that was written before.  Bad input: a `DatasetError`."""
    target = Path(path).absolute()
    given = FORMAT.read(target / "manifest.json")
    match given:
        case {"family": str(family), "parameters": dict(parameters), "sizes": {"updates": int(updates)}} if (
            family in CATALOGUE
        ):
            return Dataset(target, Definition(family, parameters), updates, given)
    raise DatasetError(f"{target}: the manifest is not that of a known family of workloads")
