"""Updates out of tables: the same as out of a list, whoever made the table."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ivme import (
    ArityError,
    DataValueError,
    InputError,
    MultiplicityError,
    TriangleView,
    UnknownRelationError,
)
from ivme.tables import readers
from ivme_spec.relations import RELATIONS
from tests.ivme.producers import PRODUCERS, Columns, OnlyInterchange, arrow, pandas, polars

numpy = pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

NAMES = ("relation", "x", "y", "multiplicity")
UPDATES = [("R", 1, 2, 1), ("S", 2, 3, 4), ("T", 3, 1, 1), ("S", 2, 3, -1), ("R", 7, 8, 2)]

producers = pytest.mark.parametrize("produce", PRODUCERS.values(), ids=PRODUCERS)


def columns(updates: list[tuple[Any, ...]] = UPDATES, names: tuple[str, ...] = NAMES) -> Columns:
    """Some of the columns, in the order wanted."""
    return {name: [update[NAMES.index(name)] for update in updates] for name in names}


def contents(view: TriangleView[int]) -> dict[str, dict[Any, int]]:
    return {name: dict(view.tuples(name)) for name in RELATIONS}


def from_list(updates: list[tuple[Any, ...]] = UPDATES) -> dict[str, dict[Any, int]]:
    view = TriangleView("")
    view.apply(updates)
    return contents(view)


@producers
def test_a_table_is_as_good_as_a_list(produce: Callable[[Columns], Any]) -> None:
    view = TriangleView("")
    assert view.apply(produce(columns())) == 5
    assert (view[()], view.size) == (3, 4)
    assert contents(view) == from_list()


@producers
def test_the_columns_may_stand_in_any_order(produce: Callable[[Columns], Any]) -> None:
    for names in list(permutations(NAMES))[1::5]:
        view = TriangleView("")
        view.apply(produce(columns(names=names)))
        assert contents(view) == from_list()


@producers
def test_without_multiplicities_all_are_one(produce: Callable[[Columns], Any]) -> None:
    view = TriangleView("ABC")
    assert view.apply(produce(columns(UPDATES[:3], NAMES[:3]))) == 3
    assert dict(view) == {(1, 2, 3): 1}


def test_an_update_without_a_multiplicity_is_one_as_for_insert() -> None:
    view = TriangleView("", debug=True)
    assert view.apply([("R", 1, 2), ["S", 2, 3], ("T", 3, 1, 5)]) == 3  # type: ignore[list-item]  # a list
    assert contents(view) == {"R": {(1, 2): 1}, "S": {(2, 3): 1}, "T": {(3, 1): 5}}
    for short in (("R", 1), ("R",), (), ("R", 1, 2, 3, 4)):
        with pytest.raises(ArityError, match=r"is not \(relation, x, y\) or") as caught:
            view.apply([("R", 5, 5), short])  # type: ignore[list-item]  # too short or too long
        assert caught.value.position == 1


@producers
@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"relation": ["R"], "x": [1]}, "y is missing"),
        ({"relation": ["R"], "x": [1], "y": [1], "weight": [1]}, "weight is not one of them"),
        ({"relation": ["R"], "X": [1], "y": [1]}, "x is missing; X is not one of them"),
        ({"x": [1], "y": [1], "multiplicity": [1]}, "relation is missing"),
        ({"u": ["R"], "v": [1]}, "relation is missing; x is missing; y is missing; u is not"),
    ],
)
def test_wrong_columns_are_named(produce: Callable[[Columns], Any], bad: Columns, told: str) -> None:
    view = TriangleView("")
    with pytest.raises(ArityError, match=told) as caught:
        view.apply(produce(bad))
    assert str(caught.value).startswith(f"columns {', '.join(bad)}: updates have the columns relation, x, y")
    assert view.size == 0


def test_columns_that_stand_twice_are_named() -> None:
    made = [["R"], [1], [2], [3]]
    table = pyarrow.table(made, names=["relation", "x", "y", "y"])
    frame = pandas({"relation": ["R"], "x": [1], "y": [2], "z": [3]}).set_axis(table.column_names, axis=1)
    for twice in (table, table.to_batches()[0], table.to_reader(), OnlyInterchange(frame)):
        with pytest.raises(ArityError, match="y stands twice"):
            TriangleView("").apply(twice)
        with pytest.raises(ArityError, match="table of R: columns relation, x, y, y"):
            TriangleView("", database={"R": twice})
    with pytest.raises(InputError, match=r"Duplicate column names found: \['relation', 'x', 'y', 'y'\]"):
        TriangleView("").apply(frame)


@pytest.mark.parametrize(
    ("name", "column"),
    [
        (name, column)
        for name, column in product(PRODUCERS, NAMES)
        if ("pandas" in name, column) != (True, "multiplicity")  # floats there: below
    ],
)
def test_null_is_refused_with_its_row(name: str, column: str) -> None:
    made = {heading: list(values) for heading, values in columns().items()}
    made[column][3] = None
    if name == "numpy":
        table = numpy.array(list(zip(*made.values(), strict=True)), dtype=[(n, object) for n in NAMES])
    else:
        table = PRODUCERS[name](made)
    view = TriangleView("")
    with pytest.raises(
        DataValueError, match=f"update at position 3: column {column} is null or NaN"
    ) as caught:
        view.apply(table)
    assert caught.value.position == 3
    assert contents(view) == from_list(UPDATES[:3])


@producers
def test_nan_is_refused_with_its_row(produce: Callable[[Columns], Any]) -> None:
    view = TriangleView("")
    with pytest.raises(DataValueError, match="update at position 1: column y is null or NaN"):
        view.apply(produce({"relation": ["R", "R"], "x": [0.5, 1.5], "y": [2.5, float("nan")]}))
    assert contents(view)["R"] == {(0.5, 2.5): 1}


def test_the_first_of_several_nulls_is_named() -> None:
    view = TriangleView("")
    with pytest.raises(DataValueError, match="update at position 1: column y is null or NaN"):
        view.apply(arrow({"relation": ["R"] * 3, "x": [1, 1, None], "y": [1, None, 2]}))
    assert contents(view)["R"] == {(1, 1): 1}


def test_a_view_is_a_table_too() -> None:
    view = TriangleView("AB", database={"R": {(1, 2): 2**63}, "S": [(2, 3), (2, 4)], "T": [(3, 1), (4, 1)]})
    with pytest.raises(InputError, match=r"^column multiplicity cannot go into an Arrow table"):
        TriangleView("").apply(view)
    view.delete("R", 1, 2, 2**63 - 1)
    assert contents(TriangleView("", database={"R": view}))["R"] == {(1, 2): 2}
    with pytest.raises(ArityError, match="columns A, B, multiplicity: updates have"):
        TriangleView("").apply(view)


def test_what_pandas_has_for_null_is_null() -> None:
    pd = pytest.importorskip("pandas")
    for nothing in (pd.NA, pd.NaT, None, float("nan")):
        for table in (
            pandas({"relation": ["R"], "x": [nothing], "y": [1]}),
            pandas({"relation": ["R"], "x": [nothing], "y": [1]}).astype(object),
            numpy.array([["R", nothing, 1]], dtype=object),
        ):
            with pytest.raises(DataValueError, match="position 0: column x is null or NaN"):
                TriangleView("").apply(table)


def test_multiplicities_that_pandas_made_floats_are_refused() -> None:
    """An integer beside null is a float there, unless the type is Int64."""
    frame = pandas({**columns(), "multiplicity": [1, 4, 1, None, 2]})
    with pytest.raises(MultiplicityError, match=r"position 0: multiplicity 1\.0 is a float"):
        TriangleView("").apply(frame)
    with pytest.raises(DataValueError, match="position 3: column multiplicity is null or NaN"):
        TriangleView("").apply(frame.astype({"multiplicity": "Int64"}))


def test_a_refused_update_says_its_row() -> None:
    view = TriangleView("")
    with pytest.raises(UnknownRelationError) as caught:
        view.apply(pyarrow.table({"relation": ["R", "Q"], "x": [1, 1], "y": [1, 1]}))
    assert (caught.value.position, view.size) == (1, 1)


def test_row_numbers_of_pandas_are_no_column_and_a_named_index_is_one() -> None:
    frame = pandas(columns())
    picked = frame[frame.x != 3]
    table = pyarrow.Table.from_pandas(picked)
    assert "__index_level_0__" in table.column_names
    for filtered in (picked, table):
        view = TriangleView("")
        view.apply(filtered)
        assert contents(view) == from_list([update for update in UPDATES if update[1] != 3])
    view = TriangleView("")
    view.apply(pyarrow.Table.from_pandas(frame.set_index("x")))
    assert contents(view) == from_list()
    with pytest.raises(ArityError, match="row is not one of them"):
        view.apply(pyarrow.Table.from_pandas(frame.set_axis(list("abcde")).rename_axis("row")))
    with pytest.raises(ArityError, match="__index_level_0__ is not one of them"):
        view.apply(pyarrow.table({**columns(), "__index_level_0__": [0] * 5}))


def test_what_is_no_table_is_refused_in_one_line() -> None:
    given = [
        17,
        numpy.zeros(3),
        numpy.zeros((2, 2, 2)),
        numpy.zeros((2, 5)),
        numpy.array(5),
        numpy.int64(5),
        numpy.array([["R", 1]], dtype=object),
        numpy.array([("R", 1, 2)]),
        pyarrow.array([1, 2]),
        pyarrow.chunked_array([[1, 2]]),
        pyarrow.array([{"relation": "R", "x": 1, "y": 2}, None]),
        polars(columns()).lazy(),
        polars(columns())["x"],
    ]
    for bad in given:
        view = TriangleView("")
        with pytest.raises(InputError) as caught:
            view.apply(bad)
        assert "\n" not in str(caught.value)
        assert view.size == 0


def test_a_record_of_numpy_is_a_single_value() -> None:
    """It was a bare TypeError."""
    table = numpy.array([("R", 1, 2)], dtype=[("relation", "U1"), ("x", int), ("y", int)])
    for one in (table[0], table.view(numpy.recarray)[0], table.reshape(())):
        with pytest.raises(ArityError, match="is a single value of NumPy: give an array of them"):
            TriangleView("").apply(one)
    view = TriangleView("")
    view.apply(table.view(numpy.recarray))
    assert contents(view)["R"] == {(1, 2): 1}


def test_text_beside_numbers_is_not_taken_for_numbers() -> None:
    """NumPy makes '1' of the 1 that was given."""
    with pytest.raises(InputError, match=r"an array of text: .*dtype=object"):
        TriangleView("").apply(numpy.array([("R", 1, 2)]))
    view = TriangleView("")
    view.apply(numpy.array([("R", 1, 2)], dtype=object))
    assert contents(view)["R"] == {(1, 2): 1}


def test_a_table_that_breaks_off_says_how_far_it_came() -> None:
    def batches() -> Iterator[Any]:
        yield from arrow(columns()).to_batches()
        raise OSError("the disk is gone")

    view = TriangleView("")
    schema = arrow(columns()).schema
    with pytest.raises(InputError, match=r"batch of updates at position 5: .*the disk is gone") as caught:
        view.apply(pyarrow.RecordBatchReader.from_batches(schema, batches()))
    assert caught.value.position == 5
    assert contents(view) == from_list()


def test_a_table_is_closed_after_an_error() -> None:
    """DuckDB takes no other query while a result is open, and the error keeps what it was raised in alive."""
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    for query in (
        "SELECT 'R' AS relation, 1 AS x",
        "SELECT 'R' AS relation, 1 AS x, NULL AS y",
        "SELECT 'Q' AS relation, 1 AS x, 2 AS y",
        "SELECT 'R' AS relation, 1 AS x, 2 AS y, 0 AS multiplicity",
    ):
        with pytest.raises(InputError) as caught:
            TriangleView("").apply(connection.sql(query))
        with pytest.raises(InputError) as other:
            TriangleView("", database={"S": connection.sql("SELECT 1 AS x, NULL AS y")})
        assert connection.sql("SELECT 7").fetchall() == [(7,)]
        del caught, other


def test_batches_are_read_when_their_turn_comes() -> None:
    sizes = []
    view = TriangleView("")

    def batches() -> Iterator[Any]:
        for x in range(3):
            sizes.append(view.size)
            yield pyarrow.record_batch({"relation": ["R"] * 10, "x": [x] * 10, "y": list(range(10))})

    first = next(batches())
    sizes.clear()
    view.apply(pyarrow.RecordBatchReader.from_batches(first.schema, batches()))
    assert sizes == [0, 10, 20]


@producers
def test_a_large_batch_is_read_in_parts(
    produce: Callable[[Columns], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = []

    def watched(really: Callable[..., list[object]], *given: Any) -> list[object]:
        parts.append(len(given[-1]))
        return really(*given)

    for name in ("arrow_cells", "numpy_cells"):
        monkeypatch.setattr(readers, name, partial(watched, getattr(readers, name)))
    monkeypatch.setattr(readers, "BATCH", 3)
    view = TriangleView("")
    assert view.apply(produce(columns())) == 5
    assert contents(view) == from_list()
    assert max(parts) <= 3
    assert sum(parts) >= 5 * 4


VALUES = st.one_of(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=3),
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=1, max_size=3),
    st.just([0, 1]),
)


@given(data=st.data(), name=st.sampled_from(sorted(PRODUCERS)))
@settings(max_examples=200)
def test_any_table_does_what_the_list_does(data: st.DataObject, name: str) -> None:
    """The same tuples, or the same refusal at the same place after the same ones."""
    values = st.sampled_from(data.draw(VALUES))
    update = st.tuples(st.sampled_from("RSTQ"[: data.draw(st.integers(3, 4))]), values, values)
    updates = data.draw(st.lists(st.tuples(update, st.integers(-1, 3)), min_size=1, max_size=12))
    listed = [(*parts, multiplicity) for parts, multiplicity in updates]
    wanted, found = TriangleView("AC"), TriangleView("AC")

    def outcome(view: TriangleView[int], given: Any) -> object:
        try:
            return view.apply(given)
        except InputError as error:
            return type(error), error.position, str(error)

    assert outcome(found, PRODUCERS[name](columns(listed))) == outcome(wanted, listed)
    assert contents(found) == contents(wanted)
    assert dict(found) == dict(wanted)
