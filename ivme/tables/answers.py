"""Results of views and graphs as NumPy arrays and Arrow tables.

NumPy and PyArrow are imported where they are needed; the extra `ivme[arrays]` brings both.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, cast

from ivme.extras import needed
from ivme.kernel.engine import Engine
from ivme.kernel.enumeration import counted_columns
from ivme.kernel.storage.interface import Columns
from ivme_spec.errors import InputError
from ivme_spec.rings import P

if TYPE_CHECKING:
    import numpy
    import pandas
    import polars
    import pyarrow

    Array = numpy.ndarray[Any, Any]

MULTIPLICITY = "multiplicity"
WORD = 1 << 63


def numpy_columns(
    engine: Engine[P], free: str, rows: Iterable[tuple[Sequence[Hashable], P]]
) -> dict[str, Array]:
    """A column for each free variable, and the multiplicities; see `TriangleView.to_numpy`."""
    needed("a NumPy array", "arrays", "numpy")
    found = counted_columns(engine) if len(free) == 3 else None
    return columns_of(free, rows) if found is None else _ternary(found, engine.order, free)


def columns_of(variables: str, rows: Iterable[tuple[Sequence[Hashable], P]]) -> dict[str, Array]:
    """Rows as columns, and their multiplicities.  Cost: O(their number)."""
    numpy = needed("a NumPy array", "arrays", "numpy")
    found = list(rows)
    columns = {
        variable: column(numpy, [row[place] for row, _ in found]) for place, variable in enumerate(variables)
    }
    columns[MULTIPLICITY] = column(numpy, [m for _, m in found])
    return columns


def vertex_columns(
    vertices: Sequence[Hashable], degrees: Sequence[int], triangles: Sequence[int], directed: bool
) -> dict[str, Array]:
    """The vertices of a graph as columns; see `GraphTriangles.to_numpy`.  Cost: O(their number)."""
    numpy = needed("a NumPy array", "arrays", "numpy")
    columns: dict[str, Array] = {
        "vertex": column(numpy, vertices),
        "degree": column(numpy, degrees),
        "triangles": column(numpy, triangles),
    }
    if not directed:
        # a quotient of Python's integers is rounded once; NumPy would round them before it divides
        shares = [2 * t / (d * (d - 1)) if t else 0.0 for d, t in zip(degrees, triangles, strict=True)]
        columns["clustering"] = numpy.array(shares, dtype=numpy.float64)
    return columns


def _ternary(found: Columns, order: Sequence[int], free: str) -> dict[str, Array]:
    numpy = needed("a NumPy array", "arrays", "numpy")
    columns: dict[str, Array] = {}
    for variable, name in zip(order, free, strict=True):
        values = column(numpy, found.values(variable))
        columns[name] = values[numpy.frombuffer(found.ids(variable), dtype=numpy.int64)]
    counts = found.multiplicities()
    if isinstance(counts, list):
        columns[MULTIPLICITY] = column(numpy, counts)
    else:
        columns[MULTIPLICITY] = numpy.frombuffer(counts, dtype=numpy.int64).copy()
    return columns


def column(numpy: Any, values: Sequence[object]) -> Array:
    """An array of values: of 64-bit integers if all are such, else of objects, so that nothing changes.

    Cost: O(their number).
    """
    if all(type(value) is int and -WORD <= value < WORD for value in values):
        return cast("Array", numpy.array(values, dtype=numpy.int64))
    made = numpy.empty(len(values), dtype=object)
    for place, value in enumerate(values):  # one by one: NumPy would look into tuples
        made[place] = value
    return cast("Array", made)


def arrow_table(columns: dict[str, Array]) -> pyarrow.Table:
    """The columns as an Arrow table; see `TriangleView.to_arrow`."""
    arrow = needed("an Arrow table", "arrays", "pyarrow")
    made = {name: arrow_column(arrow, name, values) for name, values in columns.items()}
    return cast("pyarrow.Table", arrow.table(made))


def arrow_column(arrow: Any, name: str, values: Array) -> pyarrow.Array[Any]:
    """A column of values of one type; None is null.  Bad input: an `InputError` for the rest."""
    if values.dtype != object:
        return cast("pyarrow.Array[Any]", arrow.array(values))
    cells = values.tolist()
    kinds = {type(cell).__name__ for cell in cells if cell is not None}
    long = next((cell for cell in cells if type(cell) is int and not -WORD <= cell < WORD), None)
    if len(kinds) > 1:
        problem = f"values of the types {', '.join(sorted(kinds))}"
    elif long is not None:
        problem = f"an integer of {long.bit_length()} bits"
    else:
        try:
            return cast("pyarrow.Array[Any]", arrow.array(cells))
        except (arrow.ArrowException, OverflowError, TypeError) as error:
            problem = f"values that Arrow has no type for: {error}"
    raise InputError(
        f"column {name} cannot go into an Arrow table: it has {problem}; to_numpy() keeps them as they are"
    )


def pandas_frame(table: pyarrow.Table) -> pandas.DataFrame:
    """The table as a data frame; integers beside None are objects, not floats."""
    needed("to_pandas()", "pandas", "pandas")
    return table.to_pandas(integer_object_nulls=True)


def polars_frame(table: pyarrow.Table) -> polars.DataFrame:
    return cast("polars.DataFrame", needed("to_polars()", "polars", "polars").DataFrame(table))
