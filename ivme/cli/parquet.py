"""Parquet, in and out, in constant memory; needs pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import IO, TYPE_CHECKING

from ivme.cli.cells import key
from ivme.cli.headings import Layout, places
from ivme.cli.source import Options, Records, Source, update_of
from ivme.extras import require
from ivme_spec.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

CHUNK = 1 << 14
"""Rows in memory at a time."""


def parquet_source(stream: IO[bytes], name: str, options: Options) -> Source:
    """The updates of a file, with the numbers of their rows, from 1.  Bad input: an `InputError`."""
    require("Parquet", "parquet", "pyarrow")
    import pyarrow.parquet as pq

    with _readable(name):
        file = pq.ParquetFile(stream)
        there = file.schema_arrow.names
        rows = file.metadata.num_rows
    try:
        chosen = [there[place] for place in places(there, options.layout, options.columns)]
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    records = _records(file, chosen, name, options.layout)
    return Source(name, records, unit="row", measure="rows", total=rows)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{name} cannot be read as Parquet: {str(error).partition(chr(10))[0]}") from error


def _records(file: pq.ParquetFile, chosen: list[str], name: str, layout: Layout) -> Records:
    row = 0
    batches = file.iter_batches(CHUNK, columns=chosen)
    while True:
        with _readable(name):
            if (batch := next(batches, None)) is None:
                return
            columns: list[list[Hashable]] = [batch.column(given).to_pylist() for given in chosen]
        for values in zip(*columns, strict=True):
            row += 1
            try:
                update = update_of(values, layout, key)
            except InputError as error:
                raise InputError(f"{name}, row {row}: {error}") from error
            yield row, update


def write_parquet(
    stream: IO[bytes], columns: Sequence[str], rows: Callable[[], Iterable[Sequence[object]]]
) -> None:
    """Write rows, in two passes: the first finds the types of the columns.

    Columns of 64-bit integers stay integers; all others are written as text.
    """
    require("Parquet", "parquet", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = [pa.int64() if kind is int else pa.string() for kind in _kinds(len(columns), rows())]
    schema = pa.schema(list(zip(columns, types, strict=True)))
    with pq.ParquetWriter(stream, schema) as writer:
        for chunk in _chunks(rows()):
            arrays = [
                pa.array(column if kind == pa.int64() else [_text(value) for value in column], kind)
                for column, kind in zip(zip(*chunk, strict=True), types, strict=True)
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))


def _kinds(width: int, rows: Iterable[Sequence[object]]) -> list[type]:
    kinds: list[type] = [int] * width
    for row in rows:
        for place, value in enumerate(row):
            if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
                kinds[place] = str
    return kinds


def _text(value: object) -> str | None:
    return None if value is None else str(value).encode(errors="backslashreplace").decode()


def _chunks(rows: Iterable[Sequence[object]]) -> Iterator[list[Sequence[object]]]:
    left = iter(rows)
    while chunk := list(islice(left, CHUNK)):
        yield chunk


def write_updates(stream: IO[bytes], updates: Iterable[tuple[str, int, int, int]]) -> None:
    """Write a workload.  Bad input: an `InputError` if a number needs more than 64 bits."""
    require("Parquet", "parquet", "pyarrow")
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds: list[tuple[str, pa.DataType]] = [
        ("relation", pa.string()),
        ("x", pa.int64()),
        ("y", pa.int64()),
        ("multiplicity", pa.int64()),
    ]
    schema = pa.schema(kinds)
    with pq.ParquetWriter(stream, schema) as writer:
        for chunk in _chunks(updates):
            try:
                arrays = [
                    pa.array(column, kind)
                    for column, (_, kind) in zip(zip(*chunk, strict=True), kinds, strict=True)
                ]
            except (OverflowError, pa.ArrowInvalid) as error:
                raise InputError(
                    f"a number needs more than 64 bits, which Parquet has not: write CSV or a trace ({error})"
                ) from error
            writer.write_batch(pa.record_batch(arrays, schema=schema))
