"""Results as NumPy arrays and Arrow tables, and updates out of them.

NumPy and PyArrow are imported where they are needed; the extra `ivme[arrays]` brings both.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

from ivme.engine import Engine
from ivme.extras import needed
from ivme_spec.errors import ArityError, InputError
from ivme_spec.rings import P

if TYPE_CHECKING:
    import numpy
    import pyarrow

    Array = numpy.ndarray[Any, Any]

MULTIPLICITY = "multiplicity"
FIELDS = ("relation", "x", "y", MULTIPLICITY)
WORD = 1 << 63


def numpy_columns(
    engine: Engine[P], free: str, rows: Iterable[tuple[Sequence[Hashable], P]]
) -> dict[str, Array]:
    """A column for each free variable, and the multiplicities; see `TriangleView.to_numpy`."""
    numpy = needed("a NumPy array", "arrays", "numpy")
    from ivme._kernel import kernel

    if kernel == "compiled" and len(free) == 3 and is_interned(engine):
        return _ternary(numpy, cast("Engine[int]", engine), free)
    found = list(rows)
    columns = {
        variable: column(numpy, [row[place] for row, _ in found]) for place, variable in enumerate(free)
    }
    columns[MULTIPLICITY] = column(numpy, [m for _, m in found])
    return columns


def is_interned(engine: Engine[P]) -> bool:
    """Whether the engine has compact rows."""
    return type(engine.rows).__name__ == "InternedRows"


def _ternary(numpy: Any, engine: Engine[int], free: str) -> dict[str, Array]:
    from ivme.columns import ternary_columns, values_by_id

    found = ternary_columns(engine)
    columns: dict[str, Array] = {}
    for place, name in enumerate(free):
        variable = engine.order[place]
        values = column(numpy, values_by_id(engine, variable))
        columns[name] = values[numpy.frombuffer(found.ids[variable], dtype=numpy.int64)]
    if found.exact is None:
        columns[MULTIPLICITY] = numpy.frombuffer(found.counts, dtype=numpy.int64).copy()
    else:
        columns[MULTIPLICITY] = column(numpy, found.exact)
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
    made = {}
    for name, values in columns.items():
        try:
            made[name] = arrow.array(values if values.dtype != object else values.tolist())
        except (arrow.ArrowException, OverflowError, TypeError) as error:
            raise InputError(
                f"column {name} has values that Arrow has no common type for: {error}"
            ) from error
    return cast("pyarrow.Table", arrow.table(made))


def updates_in(given: object) -> Iterable[object]:
    """The updates of an Arrow table or a NumPy array; any other iterable as it is.

    A table, or an array with named fields, has the columns relation, x, y and, unless all are 1,
    multiplicity; an array of objects has a row for each update.
    """
    module = type(given).__module__.partition(".")[0]
    if module == "pyarrow" and hasattr(given, "to_batches"):
        return _from_batches(cast("pyarrow.Table", given).to_batches())
    if module == "pyarrow" and hasattr(given, "column_names"):
        return _from_batches([cast("pyarrow.RecordBatch", given)])
    if module == "numpy":
        array = cast("Array", given)
        if array.dtype.names is not None:
            wanted(array.dtype.names)
            lists = [array[name].tolist() for name in FIELDS if name in array.dtype.names]
            return zipped(lists, len(array))
        if array.ndim != 2:
            raise ArityError(
                f"an array of updates has two dimensions, or named fields; this one: {array.shape}"
            )
        return cast("Iterable[object]", array.tolist())
    if not isinstance(given, Iterable):
        raise ArityError(f"{given!r} is not an iterable of updates (relation, x, y, multiplicity)")
    return given


def _from_batches(batches: Iterable[pyarrow.RecordBatch]) -> Iterator[object]:
    for batch in batches:
        wanted(batch.schema.names)
        lists = [batch.column(name).to_pylist() for name in FIELDS if name in batch.schema.names]
        yield from zipped(lists, batch.num_rows)


def wanted(names: Sequence[str]) -> None:
    """Refuse columns that are not those of updates."""
    if set(names) - set(FIELDS) or set(FIELDS[:3]) - set(names):
        raise ArityError(f"columns {list(names)}: updates have the columns {', '.join(FIELDS)}")


def zipped(lists: list[list[object]], count: int) -> Iterable[object]:
    """Rows out of columns; without multiplicities, each is 1."""
    return zip(*lists, strict=True) if len(lists) == 4 else zip(*lists, [1] * count, strict=True)
