"""What the cells of a table become: plain Python values, or an error that names the column."""

from collections.abc import Callable, Hashable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest

from ivme import DataValueError, InputError, TriangleView
from tests.ivme.producers import OnlyInterchange, pandas

numpy = pytest.importorskip("numpy")
pa = pytest.importorskip("pyarrow")

NOON = datetime(2026, 11, 17, 12, 0, 0, 250)


def key_of(table: Any) -> Hashable:
    """The x of the only update, which is in the view as it came."""
    view = TriangleView("")
    view.apply(table)
    (((x, _), _),) = view.tuples("R")
    return x


def arrow(cell: Any) -> Any:
    """A table of one update whose x is the only cell of an array."""
    return pa.table({"relation": ["R"], "x": cell, "y": [0]})


def numpy_fields(cells: Any) -> Any:
    made = numpy.empty(1, dtype=[("relation", object), ("x", cells.dtype), ("y", int)])
    made["relation"], made["x"], made["y"] = "R", cells, 0
    return made


INTEGERS = [(f"{sign}int{bits}", bits, sign) for bits in (8, 16, 32, 64) for sign in ("", "u")]


@pytest.mark.parametrize(("name", "bits", "sign"), INTEGERS, ids=[name for name, _, _ in INTEGERS])
def test_integers_of_every_width(name: str, bits: int, sign: str) -> None:
    low, high = (0, 2**bits - 1) if sign else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    for number in (low, high):
        for table in (
            arrow(pa.array([number], getattr(pa, name)())),
            arrow(pa.array([number], getattr(pa, name)()).dictionary_encode()),
            numpy_fields(numpy.array([number], dtype=name)),
            numpy.array([["R", numpy.dtype(name).type(number), 0]], dtype=object),
            pandas({"relation": ["R"], "x": numpy.array([number], dtype=name), "y": [0]}),
            OnlyInterchange(pandas({"relation": ["R"], "x": numpy.array([number], dtype=name), "y": [0]})),
        ):
            found = key_of(table)
            assert (found, type(found)) == (number, int)


ARROW = {
    "bool": (pa.array([True]), True),
    "float": (pa.array([0.5], pa.float32()), 0.5),
    "half float": (pa.array(numpy.array([0.5], dtype=numpy.float16)), 0.5),
    "decimal": (pa.array([Decimal("1.50")], pa.decimal128(5, 2)), Decimal("1.5")),
    "long decimal": (pa.array([Decimal("1.50")], pa.decimal256(60, 2)), Decimal("1.5")),
    "whole decimal": (pa.array([Decimal(10**30)], pa.decimal128(38, 0)), 10**30),
    "rounded decimal": (pa.array([Decimal(700)], pa.decimal128(5, -2)), 700),
    **{
        f"{kind}": (pa.array(["é"], getattr(pa, kind)()), "é")
        for kind in ("string", "large_string", "string_view")
    },
    **{
        f"{kind}": (pa.array([b"\0"], getattr(pa, kind)()), b"\0")
        for kind in ("binary", "large_binary", "binary_view")
    },
    "dictionary": (pa.array(["a"]).dictionary_encode(), "a"),
    "second of a dictionary": (pa.array(["a", "b"]).dictionary_encode()[1:], "b"),
    "dictionary of large strings": (pa.array(["a"], pa.large_string()).dictionary_encode(), "a"),
    "dictionary of times": (pa.array([NOON], pa.timestamp("ns")).dictionary_encode(), NOON),
    "date32": (pa.array([NOON.date()], pa.date32()), NOON.date()),
    "date64": (pa.array([NOON.date()], pa.date64()), NOON.date()),
    "time32": (pa.array([time(12)], pa.time32("s")), time(12)),
    "time64": (pa.array([time(12)], pa.time64("ns")), time(12)),
    **{f"timestamp {unit}": (pa.array([NOON], pa.timestamp(unit)), NOON) for unit in ("us", "ns")},
    "timestamp s": (pa.array([NOON.replace(microsecond=0)], pa.timestamp("s")), NOON.replace(microsecond=0)),
    "zone": (pa.array([NOON.replace(tzinfo=UTC)], pa.timestamp("ns", "UTC")), NOON.replace(tzinfo=UTC)),
    **{
        f"duration {u}": (pa.array([timedelta(hours=1)], pa.duration(u)), timedelta(hours=1))
        for u in ("s", "ns")
    },
}


@pytest.mark.parametrize(("cell", "value"), ARROW.values(), ids=ARROW)
def test_arrow_types_that_are_read(cell: Any, value: Hashable) -> None:
    found = key_of(arrow(cell))
    assert (found, type(found)) == (value, type(value))


REFUSED = {
    "list": pa.array([[1]]),
    "struct": pa.array([{"a": 1}]),
    "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    "union": pa.UnionArray.from_dense(pa.array([0], pa.int8()), pa.array([0], pa.int32()), [pa.array([1])]),
    "run ends": pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([1])),
    "fixed_size_binary": pa.array([b"12345678"], pa.binary(8)),
    "interval": pa.array([(1, 2, 3)], pa.month_day_nano_interval()),
    "dictionary of intervals": pa.DictionaryArray.from_arrays(
        pa.array([0]), pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    ),
}
if hasattr(pa, "uuid"):
    REFUSED["extension"] = pa.array([b"0123456789abcdef"], pa.uuid())


@pytest.mark.parametrize("cell", REFUSED.values(), ids=REFUSED)
def test_other_arrow_types_are_refused_by_name(cell: Any) -> None:
    view = TriangleView("")
    with pytest.raises(DataValueError) as caught:
        view.apply(arrow(cell))
    assert str(caught.value) == f"column x is of the Arrow type {cell.type}: cast it to a plain type"
    assert view.size == 0


@pytest.mark.parametrize(
    "cell",
    [
        pa.array([1], pa.timestamp("ns")),
        pa.array([1], pa.duration("ns")),
        pa.array([1], pa.time64("ns")),
        pa.array([2**62], pa.timestamp("us")),
    ],
    ids=str,
)
def test_times_that_python_cannot_hold_are_refused(cell: Any) -> None:
    with pytest.raises(InputError, match="batch of updates at position 0: this Table cannot be read"):
        key_of(arrow(cell))


NUMPY: dict[str, tuple[Any, Hashable]] = {
    "bool": (numpy.array([True]), True),
    "half": (numpy.array([0.5], dtype=numpy.float16), 0.5),
    "text": (numpy.array(["a"]), "a"),
    "bytes": (numpy.array([b"a"]), b"a"),
    "day": (numpy.array([NOON.date()], dtype="datetime64[D]"), NOON.date()),
    "time": (numpy.array([NOON], dtype="datetime64[us]"), NOON),
    "delta": (numpy.array([5], dtype="timedelta64[s]"), timedelta(seconds=5)),
    "object": (numpy.array([date(2026, 1, 1)], dtype=object), date(2026, 1, 1)),
}
if hasattr(numpy, "dtypes") and hasattr(numpy.dtypes, "StringDType"):
    NUMPY["string"] = (numpy.array(["a"], dtype=numpy.dtypes.StringDType()), "a")


@pytest.mark.parametrize(("cells", "value"), NUMPY.values(), ids=NUMPY)
def test_numpy_types_that_are_read(cells: Any, value: Hashable) -> None:
    tables = [numpy.array([["R", cells[0], 0]], dtype=object)]
    if cells.dtype.kind != "T":  # no field of an array
        tables.append(numpy_fields(cells))
    for table in tables:
        found = key_of(table)
        assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    "cells",
    [
        pytest.param(
            numpy.array([1], dtype=numpy.longdouble),
            marks=pytest.mark.skipif(
                numpy.dtype(numpy.longdouble).itemsize == 8, reason="longdouble is a plain double here"
            ),
        ),
        numpy.array([1j]),
        numpy.array([NOON], dtype="datetime64[ns]"),
        numpy.array([20000], dtype="datetime64[Y]").astype("datetime64[us]")
        + numpy.timedelta64(400_000_000, "D"),
        numpy.array([(1, 2)], dtype=[("a", int), ("b", int)]),
    ],
    ids=lambda cells: str(cells.dtype),
)
def test_other_numpy_types_are_refused_by_name(cells: Any) -> None:
    for table in (numpy_fields(cells), numpy.array([["R", cells[0], 0], [0, 0, 0]], dtype=object)[:1]):
        with pytest.raises(DataValueError, match=r"column x .*cast it to"):
            key_of(table)


def test_a_decimal_that_is_no_number_is_refused() -> None:
    with pytest.raises(DataValueError, match="position 0: column x is null or NaN"):
        key_of(numpy.array([["R", Decimal("NaN"), 0]], dtype=object))


def test_masked_cells_are_null() -> None:
    masked = numpy.ma.array(numpy_fields(numpy.array([1])), mask=[(False, True, False)])
    with pytest.raises(DataValueError, match="position 0: column x is null"):
        key_of(masked)
    pairs = numpy.ma.array([[1, 2], [3, 4]], mask=[[0, 0], [0, 1]])
    with pytest.raises(DataValueError, match="table of S: row at position 1: column y is null"):
        TriangleView("", database={"S": pairs})


def test_a_matrix_is_an_array() -> None:
    with pytest.warns(PendingDeprecationWarning):
        matrix = numpy.matrix([[1, 2], [3, 4]])
    assert dict(TriangleView("", database={"R": matrix}).tuples("R")) == {(1, 2): 1, (3, 4): 1}


def test_values_that_cannot_be_hashed_are_refused() -> None:
    with pytest.raises(DataValueError, match=r"update at position 0: .*not hashable"):
        key_of(numpy.array([("R", [1], 2)], dtype=[("relation", object), ("x", object), ("y", int)]))


def test_types_of_polars() -> None:
    pl = pytest.importorskip("polars")

    def frame(values: list[Any], kind: Any) -> Any:
        return pl.DataFrame({"relation": ["R"], "x": pl.Series(values, dtype=kind), "y": [0]})

    read: list[tuple[Any, Any, Callable[[Any], bool]]] = [
        ("a", pl.Categorical, lambda x: x == "a" and type(x) is str),
        ("a", pl.Enum(["a", "b"]), lambda x: x == "a" and type(x) is str),
        (NOON, pl.Datetime("ns"), lambda x: x == NOON and type(x) is datetime),
        (Decimal("1.5"), pl.Decimal(10, 2), lambda x: x == Decimal("1.5") and type(x) is Decimal),
        (7, pl.Int8, lambda x: x == 7 and type(x) is int),
    ]
    for value, kind, right in read:
        assert right(key_of(frame([value], kind))), kind
    for value, kind in ((object(), pl.Object), (1, pl.Int128), ([1], pl.List(pl.Int64))):
        with pytest.raises(InputError):
            key_of(frame([value], kind))


def test_types_of_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    for cell, value in (
        ("7::HUGEINT", 7),
        ("sum(7)", 7),
        ("'a'::ENUM('a', 'b')", "a"),
        ("DATE '2026-11-17'", NOON.date()),
        ("1.50::DECIMAL(5, 2)", Decimal("1.5")),
    ):
        found = key_of(duckdb.sql(f"SELECT 'R' AS relation, {cell} AS x, 0 AS y"))
        assert (found, type(found)) == (value, type(value))
    view = TriangleView("")
    view.apply(duckdb.sql("SELECT 'R' AS relation, 1 AS x, 2 AS y, sum(5) AS multiplicity"))
    assert dict(view.tuples("R")) == {(1, 2): 5}


def test_null_in_a_dictionary_is_null() -> None:
    for cell in (
        pa.DictionaryArray.from_arrays(pa.array([0]), pa.array([None], pa.string())),
        pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.array(["a"])),
        pa.nulls(1),
    ):
        with pytest.raises(DataValueError, match="position 0: column x is null"):
            key_of(arrow(cell))
