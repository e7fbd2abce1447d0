"""Opening tables: what speaks Arrow's protocols or the interchange protocol, and NumPy arrays.

A table is read in batches, and its cells come as plain Python values; a column whose type has none is refused
by name. PyArrow is imported where it is needed; the extra `ivme[arrays]` brings it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Protocol

from attrs import frozen

from ivme.extras import needed
from ivme_spec.errors import ArityError, DataValueError, InputError

if TYPE_CHECKING:
    import pyarrow

    from ivme.tables.answers import Array

BATCH = 1 << 14
"""So many rows are Python objects at once."""

PROTOCOLS = ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")
ARROW_KINDS = (
    *("integer", "boolean", "floating", "decimal", "null", "string", "large_string", "string_view"),
    *("binary", "large_binary", "binary_view", "date", "time", "timestamp", "duration"),
)
"""Types that are read, or a dictionary of one. Not fixed_size_binary: polars has pointers in it."""
NUMPY_KINDS = "biufUSTOMm"


Column = list[object] | memoryview
"""The cells of a column; a memoryview has 64-bit integers."""


class ArrowStream(Protocol):
    """A table of PyArrow, polars, DuckDB, pandas 2.2 or newer, …"""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class ArrowArray(Protocol):
    """A record batch."""

    def __arrow_c_array__(self, requested_schema: object = None) -> object: ...


class Interchange(Protocol):
    """A data frame of the interchange protocol."""

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object: ...


@frozen
class Table:
    """A table being read: the names of its columns, and batches of rows, each a list of columns of cells."""

    names: list[str]
    batches: Iterator[list[Column]]


def is_table(given: object) -> bool:
    """Whether to read it as a table."""
    return is_numpy(given) or any(hasattr(type(given), protocol) for protocol in PROTOCOLS)


def is_numpy(given: object) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(given, (numpy.ndarray, numpy.generic))


@contextmanager
def opened(given: Any, unnamed: Sequence[str], numbers: bool = False) -> Iterator[Table]:
    """A table, to be read once; `unnamed` are the columns of an array without names.

    With `numbers`, columns of integers come as memoryviews, if 64 bits hold them and none is missing. The
    table is closed in the end, also after an error: DuckDB's connections wait for that.
    """
    if is_numpy(given):
        yield from_numpy(given, unnamed, numbers)
        return
    arrow = needed("a table", "arrays", "pyarrow")
    if hasattr(given, PROTOCOLS[0]):
        with reading(given):
            reader = arrow.RecordBatchReader.from_stream(given)
        with reader:
            yield from_arrow(given, reader.schema, reader, numbers)
    elif hasattr(given, PROTOCOLS[1]):
        with reading(given):
            batch = arrow.record_batch(given)
        yield from_arrow(given, batch.schema, iter([batch]), numbers)
    else:
        with reading(given):
            frame = given.__dataframe__()
            names = [str(name) for name in frame.column_names()]
        yield Table(names, batches(given, from_interchange(frame), range(len(names)), numbers))


def from_arrow(
    given: object, schema: pyarrow.Schema, found: Iterator[pyarrow.RecordBatch], numbers: bool
) -> Table:
    """An index of pandas is a column if it has a name; plain row numbers are none."""
    index = (schema.pandas_metadata or {}).get("index_columns", ())
    places = [
        place
        for place, name in enumerate(schema.names)
        if not (name in index and name.startswith("__index_level_"))
    ]
    for place in places:
        arrow_readable(schema.field(place))
    return Table([schema.names[place] for place in places], batches(given, found, places, numbers))


def from_interchange(frame: Any) -> Iterator[pyarrow.RecordBatch]:
    from pyarrow.interchange.from_dataframe import from_dataframe

    for chunk in frame.get_chunks():
        for batch in from_dataframe(chunk).to_batches():
            for place in range(batch.num_columns):
                arrow_readable(batch.schema.field(place))
            yield batch


def batches(
    given: object, found: Iterator[pyarrow.RecordBatch], places: Sequence[int], numbers: bool
) -> Iterator[list[Column]]:
    """The cells of Arrow batches, so many rows at a time."""
    while True:
        with reading(given):
            batch = next(found, None)
        if batch is None:
            return
        for start in range(0, batch.num_rows, BATCH):
            part = batch.slice(start, BATCH)
            with reading(given):
                columns = [
                    (arrow_numbers(part.column(place)) if numbers else None)
                    or arrow_cells(part.column(place))
                    for place in places
                ]
            yield columns


@contextmanager
def reading(given: object) -> Iterator[None]:
    """Whatever a table raises while it is read becomes an `InputError`."""
    try:
        yield
    except (InputError, MemoryError):
        raise
    except Exception as error:
        reason = shorten(str(error), 200) or type(error).__name__
        raise InputError(f"this {type(given).__name__} cannot be read as a table: {reason}") from error


def arrow_readable(field: pyarrow.Field[Any]) -> None:
    """Refuse a column whose type does not come as plain, hashable values."""
    import pyarrow

    kind = field.type.value_type if pyarrow.types.is_dictionary(field.type) else field.type
    if not any(getattr(pyarrow.types, f"is_{name}")(kind) for name in ARROW_KINDS):
        raise DataValueError(
            f"column {field.name} is of the Arrow type {field.type}: cast it to a plain type"
        )


def arrow_numbers(column: Any) -> memoryview | None:
    """A column of integers in 64 bits each, if it is one."""
    import pyarrow

    if not pyarrow.types.is_integer(column.type) or column.null_count or not len(column):
        return None
    if pyarrow.types.is_uint64(column.type) and max(column.to_pylist()) >= 1 << 63:
        return None
    whole = column.cast(pyarrow.int64())
    cells = memoryview(whole.buffers()[1]).cast("B").cast("q")
    return cells[whole.offset : whole.offset + len(whole)]


def arrow_cells(column: Any) -> list[object]:
    """A column as Python values; ns as µs if that is exact, and decimals without a fraction as integers."""
    import pyarrow
    from pyarrow import types

    if types.is_dictionary(column.type):  # PyArrow's own decoding knows no string_view, which polars has
        numbers, entries = column.indices.to_pylist(), column.dictionary
        values = {n: None if n is None else arrow_cells(entries.slice(n, 1))[0] for n in set(numbers)}
        return [values[number] for number in numbers]
    if types.is_timestamp(column.type):  # ns would come as an object of pandas, where it is installed
        column = column.cast(pyarrow.timestamp("us", column.type.tz))
    elif types.is_duration(column.type):
        column = column.cast(pyarrow.duration("us"))
    elif types.is_time64(column.type):
        column = column.cast(pyarrow.time64("us"))
    elif types.is_float16(column.type):  # before PyArrow 20 these come as NumPy's
        column = column.cast(pyarrow.float32())
    cells: list[object] = column.to_pylist()
    if types.is_decimal(column.type) and column.type.scale <= 0:
        return [int(value) if isinstance(value, Decimal) else value for value in cells]
    return cells


def from_numpy(given: Any, unnamed: Sequence[str], numbers: bool) -> Table:
    """An array with named fields, or one of two dimensions."""
    import numpy

    if not isinstance(given, numpy.ndarray) or given.ndim == 0:
        raise ArityError(f"{shorten(repr(given), 100)} is a single value of NumPy: give an array of them")
    array = given if isinstance(given, numpy.ma.MaskedArray) else numpy.asarray(given)
    names = array.dtype.names
    if (array.ndim, names is None) not in ((1, False), (2, True)):
        raise ArityError(f"an array has two dimensions, or one and named fields; this one: {array.shape}")
    if names is None:
        if array.shape[1] > len(unnamed):
            raise ArityError(
                f"an array of {array.shape[1]} columns without names: they can be {', '.join(unnamed)}; "
                "give it named fields"
            )
        if array.dtype.kind in "UST" and "relation" in unnamed:
            raise InputError(
                "an array of text: NumPy makes text of the numbers beside the relations' names; "
                "give dtype=object or named fields"
            )
        names = tuple(unnamed[: array.shape[1]])
        columns = list(array.T)
    else:
        columns = [array[name] for name in names]
    for name, values in zip(names, columns, strict=True):
        numpy_readable(name, values.dtype)
    return Table(list(names), numpy_batches(names, columns, numbers))


def numpy_batches(names: Sequence[str], columns: Sequence[Array], numbers: bool) -> Iterator[list[Column]]:
    for start in range(0, len(columns[0]) if columns else 0, BATCH):
        parts = [values[start : start + BATCH] for values in columns]
        yield [
            (numpy_numbers(part) if numbers else None) or numpy_cells(name, part)
            for name, part in zip(names, parts, strict=True)
        ]


def numpy_numbers(values: Any) -> memoryview | None:
    """A column of integers in 64 bits each, if it is one."""
    import numpy

    if values.dtype.kind not in "iu" or isinstance(values, numpy.ma.MaskedArray):
        return None
    if values.dtype.kind == "u" and values.dtype.itemsize == 8 and int(values.max()) >= 1 << 63:
        return None
    return numpy.ascontiguousarray(values, dtype=numpy.int64).data


def numpy_readable(name: str, kind: Any) -> None:
    """Refuse a column whose type does not come as plain, hashable values."""
    if kind.kind not in NUMPY_KINDS or (kind.kind == "f" and kind.itemsize > 8):
        raise DataValueError(f"column {name} is of the NumPy type {kind}: cast it to a plain type")


def numpy_cells(name: str, values: Any) -> list[object]:
    """A column as Python values, also NumPy's own inside an array of objects."""
    import numpy

    numpy_readable(name, values.dtype)
    cells: list[object] = values.tolist()
    if values.dtype.kind == "O":
        return [
            numpy_cells(name, cell.reshape(1))[0] if isinstance(cell, numpy.generic) else cell
            for cell in cells
        ]
    if values.dtype.kind in "Mm" and any(type(cell) is int for cell in cells):
        raise DataValueError(
            f"column {name} has times that Python cannot hold, as {values.dtype}: "
            "cast it to datetime64[us] or timedelta64[us]"
        )
    return cells
