"""Results as NumPy arrays, Arrow tables and data frames."""

import sys
from collections.abc import Callable, Hashable
from datetime import date
from itertools import count, product
from random import Random
from typing import Any

import pytest

import ivme
from ivme import InputError, TriangleView, UnknownRelationError, rings
from ivme_spec.queries import HEADS
from ivme_spec.relations import RELATIONS, SCHEMAS, RelationName

numpy = pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

ORDERS = [*HEADS, "BA", "CAB", "CBA", "BCA", "ACB", "BAC"]


def filled(free: str, rng: Random, name: Callable[[int], object] = int) -> TriangleView[int]:
    view = TriangleView(free)
    for _ in range(400):
        view.insert(
            rng.choice(RELATIONS), name(rng.randrange(9)), name(rng.randrange(9)), rng.randrange(1, 4)
        )
    for relation in RELATIONS:  # ids are given back and used again
        for (x, y), m in list(view.tuples(relation))[::5]:
            view.delete(relation, x, y, m)
    for _ in range(50):
        view.insert(rng.choice(RELATIONS), name(rng.randrange(12)), name(rng.randrange(12)))
    return view


@pytest.mark.parametrize("free", ORDERS)
@pytest.mark.parametrize(
    "name",
    [int, str, lambda n: (n, None), lambda n: n or None],
    ids=["integers", "text", "tuples", "none"],
)
def test_the_columns_are_the_rows(free: str, name: Callable[[int], object], rng: Random) -> None:
    view = filled(free, rng, name)
    columns = view.to_numpy()
    assert list(columns) == [*free, "multiplicity"]
    assert columns["multiplicity"].dtype == numpy.int64
    assert all(columns[letter].dtype == (numpy.int64 if name is int else object) for letter in free)
    lists = [columns[letter].tolist() for letter in free]
    rows = list(zip(*lists, strict=True)) if free else [()] * len(columns["multiplicity"])
    assert len(rows) == len(set(rows))
    assert dict(zip(rows, columns["multiplicity"].tolist(), strict=True)) == dict(view)


@pytest.mark.parametrize("free", ["", "A", "BC", "ABC"])
def test_the_table_has_the_same(free: str, rng: Random) -> None:
    view = filled(free, rng)
    table = view.to_arrow()
    assert table.column_names == [*free, "multiplicity"]
    found = {tuple(row[letter] for letter in free): row["multiplicity"] for row in table.to_pylist()}
    assert found == dict(view)


def test_an_empty_result() -> None:
    for free in HEADS:
        view = TriangleView(free)
        assert {name: len(values) for name, values in view.to_numpy().items()} == dict.fromkeys(
            [*free, "multiplicity"], 0
        )
        assert view.to_arrow().num_rows == 0


@pytest.mark.parametrize("big", [2**62, 2**63 - 1, 2**63, 2**64, -(2**63), -(2**63) - 1])
def test_multiplicities_beyond_a_word_stay_exact(big: int) -> None:
    database = {"R": {(1, 2): 1, (1, 5): 3}, "S": {(2, 3): big, (5, 3): 1}, "T": {(3, 1): 1}}
    for free in ("", "AB", "ABC"):
        view = TriangleView(free, ring=rings.INTEGERS, database=database)
        assert sorted(view.to_numpy()["multiplicity"].tolist()) == sorted(dict(view).values())


def test_multiplicities_that_arrow_cannot_hold_are_refused() -> None:
    """One beyond the largest is; and the largest is not."""
    for big in (2**63, 10**5000):
        view = TriangleView("", database={"R": {(1, 2): big}, "S": [(2, 3)], "T": [(3, 1)]})
        bits = f"column multiplicity .* an integer of {big.bit_length()} bits; to_numpy"
        for out in (view.to_arrow, view.to_pandas, view.to_polars, view.__arrow_c_stream__):
            with pytest.raises(InputError, match=bits):
                out()
        assert view.to_numpy()["multiplicity"].tolist() == [big]
        view.delete("R", 1, 2, big - 2**63 + 1)
        assert view.to_arrow().to_pylist() == [{"multiplicity": 2**63 - 1}]
        assert view.to_arrow().schema.field("multiplicity").type == pyarrow.int64()


def test_mixed_values_are_not_made_alike() -> None:
    view = TriangleView("A", database={"R": [(1, 2), ("1", 2)], "S": [(2, 3)], "T": [(3, 1), (3, "1")]})
    assert set(view.to_numpy()["A"].tolist()) == {1, "1"}
    with pytest.raises(InputError, match=r"column A .* values of the types int, str; to_numpy\(\)"):
        view.to_arrow()


@pytest.mark.parametrize(("one", "two"), [("a", b"a"), (1, 2.5), (2, True), (date(2026, 1, 1), 5)])
def test_no_value_becomes_another_to_fit_into_a_table(one: Hashable, two: Hashable) -> None:
    """Arrow would make bytes of "a", and a float of 1."""
    view = TriangleView("A", database={"R": [(one, 0), (two, 0)], "S": [(0, 0)], "T": [(0, one), (0, two)]})
    assert len(dict(view)) == 2
    with pytest.raises(InputError, match="column A cannot go into an Arrow table"):
        view.to_arrow()


def rows_of(table: Any, free: str) -> dict[object, object]:
    """The rows of a table of PyArrow as the view would give them; no row twice."""
    found = [
        (tuple(row[letter] for letter in free), row["multiplicity"])
        for row in pyarrow.table(table).to_pylist()
    ]
    assert len(found) == len(dict(found))
    return dict(found)


@pytest.mark.parametrize("free", ["", "A", "CB", "ABC"])
@pytest.mark.parametrize("name", [int, str, lambda n: n or None], ids=["integers", "text", "none"])
def test_every_consumer_reads_the_view(free: str, name: Callable[[int], object], rng: Random) -> None:
    view = filled(free, rng, name)
    assert rows_of(view, free) == dict(view)
    polars = pytest.importorskip("polars")
    assert rows_of(polars.DataFrame(view), free) == dict(view)
    assert rows_of(view.to_polars(), free) == dict(view)
    duckdb = pytest.importorskip("duckdb")
    assert rows_of(duckdb.sql("SELECT * FROM view"), free) == dict(view)
    pandas = pytest.importorskip("pandas")
    frame = view.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == [*free, "multiplicity"]
    listed = zip(*(frame[letter].tolist() for letter in free), strict=True) if free else [()] * len(frame)
    assert dict(zip(listed, frame["multiplicity"].tolist(), strict=True)) == dict(view)


def test_integers_beside_none_are_not_made_floats_for_pandas() -> None:
    """As a float, the largest would be another one."""
    pytest.importorskip("pandas")
    large = 2**53 + 1
    view = TriangleView(
        "A", database={"R": [(large, 0), (None, 0)], "S": [(0, 0)], "T": [(0, large), (0, None)]}
    )
    assert set(view.to_pandas()["A"].tolist()) == {large, None}


def test_a_requested_schema_is_passed_on() -> None:
    view = TriangleView("A", database={"R": [(1, 2)], "S": [(2, 3)], "T": [(3, 1)]})
    wanted = pyarrow.schema([("A", pyarrow.int32()), ("multiplicity", pyarrow.int64())])
    assert pyarrow.table(view, schema=wanted).schema == wanted


@pytest.mark.parametrize("relation", ["R", "S", "T"])
def test_the_tuples_of_a_relation_as_a_table(relation: RelationName, rng: Random) -> None:
    view = filled("AB", rng)
    columns = view.to_numpy(relation)
    letters = SCHEMAS[relation]
    assert list(columns) == [*letters, "multiplicity"]
    assert rows_of(view.to_arrow(relation), letters) == dict(view.tuples(relation))
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    assert rows_of(view.to_pandas(relation), letters) == dict(view.tuples(relation))
    assert rows_of(view.to_polars(relation), letters) == dict(view.tuples(relation))
    for out in (view.to_numpy, view.to_arrow, view.to_pandas, view.to_polars):
        with pytest.raises(UnknownRelationError):
            out("Q")  # type: ignore[arg-type]  # bad on purpose


def test_a_view_out_of_the_tables_of_another(rng: Random) -> None:
    pytest.importorskip("polars")
    view = filled("BC", rng)
    again = TriangleView("BC", database={name: view.to_polars(name) for name in RELATIONS})
    assert dict(again) == dict(view)
    assert all(dict(again.tuples(name)) == dict(view.tuples(name)) for name in RELATIONS)


def test_without_the_libraries_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    view = TriangleView("A")
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(InputError, match=r"needs numpy: pip install 'ivme\[arrays\]'"):
        view.to_numpy()
    monkeypatch.undo()
    for package, extra, call in (
        ("pyarrow", "arrays", view.to_arrow),
        ("pyarrow", "arrays", view.__arrow_c_stream__),
        ("pyarrow", "arrays", lambda: view.apply(Stream())),
        ("pyarrow", "arrays", lambda: TriangleView("", database={"R": Stream()})),
        ("pandas", "pandas", view.to_pandas),
        ("polars", "polars", view.to_polars),
    ):
        monkeypatch.setitem(sys.modules, package, None)
        with pytest.raises(InputError, match=rf"needs {package}: pip install 'ivme\[{extra}\]'"):
            call()
        monkeypatch.undo()


class Stream:
    """A table of some library, where PyArrow is not installed."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        raise AssertionError("nobody can read it")


@pytest.mark.parametrize("free", ["ABC", "BCA", "CBA"])
@pytest.mark.parametrize("large", [1, 2**40], ids=["words", "beyond"])
def test_columns_of_what_the_trees_keep(free: str, large: int) -> None:
    """Skewed relations, so that all three trees hold rows; no two multiplicities are alike."""
    numbers = count(2)
    view = TriangleView(free, "1/3")
    for relation in RELATIONS:
        for x, y in product(range(3), range(60)):
            view.insert(relation, x, y, large * next(numbers))
        for x, y in product(range(3, 60), range(2)):
            view.insert(relation, x, y, large * next(numbers))
    engine = view._engine
    assert all(tree.bucket_count() for tree in engine.kept.values())
    assert (engine.storage.columns(engine.plan.trees) is not None) is (ivme.kernel == "compiled")
    columns = view.to_numpy()
    rows = zip(*(columns[name].tolist() for name in free), strict=True)
    found = list(zip(rows, columns["multiplicity"].tolist(), strict=True))
    assert len(found) == len({row for row, _ in found})
    assert dict(found) == dict(view)
