"""The same columns as a table of each library that a view reads."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from warnings import catch_warnings

import pytest

Columns = Mapping[str, Sequence[Any]]


class Only:
    """A table that has one protocol and nothing else."""

    def __init__(self, table: Any) -> None:
        self.table = table


class OnlyStream(Only):
    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


class OnlyArray(Only):
    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_array__(requested_schema)


class OnlyInterchange(Only):
    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> object:
        with catch_warnings(action="ignore"):  # pandas 3 warns: it has streams for this
            return self.table.__dataframe__(nan_as_null, allow_copy)


def arrow(columns: Columns) -> Any:
    return pytest.importorskip("pyarrow").table(dict(columns))


def chunks(columns: Columns) -> Any:
    """A table in pieces of two rows."""
    pyarrow, table = pytest.importorskip("pyarrow"), arrow(columns)
    pieces = [table.slice(start, 2) for start in range(0, table.num_rows, 2)]
    return pyarrow.concat_tables(pieces) if pieces else table


def batch(columns: Columns) -> Any:
    return pytest.importorskip("pyarrow").record_batch(dict(columns))


def polars(columns: Columns) -> Any:
    return pytest.importorskip("polars").DataFrame(dict(columns))


def pandas(columns: Columns) -> Any:
    return pytest.importorskip("pandas").DataFrame(dict(columns))


def duckdb(columns: Columns) -> Any:
    return pytest.importorskip("duckdb").from_arrow(arrow(columns))


def fields(columns: Columns) -> Any:
    """A NumPy array with named fields; text has a length there, so it is kept as objects."""
    numpy = pytest.importorskip("numpy")
    arrays = {name: numpy.array(values) for name, values in columns.items()}
    kinds = [(name, object if a.dtype.kind in "US" else a.dtype) for name, a in arrays.items()]
    made = numpy.empty(len(next(iter(arrays.values()))), dtype=kinds)
    for name, values in columns.items():
        made[name] = values
    return made


PRODUCERS: dict[str, Callable[[Columns], Any]] = {
    "arrow": arrow,
    "arrow in chunks": chunks,
    "arrow batch": batch,
    "arrow reader": lambda columns: chunks(columns).to_reader(),
    "only a stream": lambda columns: OnlyStream(chunks(columns)),
    "only an array": lambda columns: OnlyArray(batch(columns)),
    "polars": polars,
    "duckdb": duckdb,
    "pandas": pandas,
    "pandas by interchange": lambda columns: OnlyInterchange(pandas(columns)),
    "arrow by interchange": lambda columns: OnlyInterchange(chunks(columns)),
    "numpy": fields,
}
