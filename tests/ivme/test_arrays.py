"""Results as NumPy arrays and Arrow tables, and updates out of them."""

import sys
from collections.abc import Callable
from itertools import count, product
from random import Random
from typing import Any

import pytest

from ivme import ArityError, InputError, TriangleView, UnknownRelationError, rings
from ivme_spec.queries import HEADS

numpy = pytest.importorskip("numpy")
pyarrow = pytest.importorskip("pyarrow")

ORDERS = [*HEADS, "BA", "CAB", "CBA", "BCA", "ACB", "BAC"]


def filled(free: str, rng: Random, name: Callable[[int], object] = int) -> TriangleView[int]:
    view = TriangleView(free)
    for _ in range(400):
        view.insert(rng.choice("RST"), name(rng.randrange(9)), name(rng.randrange(9)), rng.randrange(1, 4))
    for relation in "RST":  # ids are given back and used again
        for (x, y), m in list(view.tuples(relation))[::5]:
            view.delete(relation, x, y, m)
    for _ in range(50):
        view.insert(rng.choice("RST"), name(rng.randrange(12)), name(rng.randrange(12)))
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
    view = TriangleView("", database={"R": {(1, 2): 2**100}, "S": [(2, 3)], "T": [(3, 1)]})
    with pytest.raises(InputError, match="column multiplicity has values that Arrow"):
        view.to_arrow()


def test_mixed_values_are_not_made_alike() -> None:
    view = TriangleView("A", database={"R": [(1, 2), ("1", 2)], "S": [(2, 3)], "T": [(3, 1), (3, "1")]})
    assert set(view.to_numpy()["A"].tolist()) == {1, "1"}


UPDATES = [("R", 1, 2, 1), ("S", 2, 3, 4), ("T", 3, 1, 1), ("S", 2, 3, -1)]


def as_table() -> Any:
    names = ("relation", "x", "y", "multiplicity")
    return pyarrow.table({name: [u[place] for u in UPDATES] for place, name in enumerate(names)})


def as_fields() -> object:
    return numpy.array(UPDATES, dtype=[("relation", "U1"), ("x", int), ("y", int), ("multiplicity", int)])


GIVEN: dict[str, Callable[[], Any]] = {
    "table": as_table,
    "batch": lambda: as_table().to_batches()[0],
    "fields": as_fields,
    "rows": lambda: numpy.array([list(update) for update in UPDATES], dtype=object),
    "list": lambda: UPDATES,
    "generator": lambda: iter(UPDATES),
}


@pytest.mark.parametrize("kind", GIVEN)
def test_updates_in_any_form(kind: str) -> None:
    view = TriangleView("")
    assert view.apply(GIVEN[kind]()) == 4
    assert (view[()], view.size) == (3, 3)


def test_without_multiplicities_all_are_one() -> None:
    table = pyarrow.table({"relation": ["R", "S", "T"], "x": [1, 2, 3], "y": [2, 3, 1]})
    view = TriangleView("ABC")
    assert view.apply(table) == 3
    assert dict(view) == {(1, 2, 3): 1}


def test_bad_tables_and_arrays_change_nothing() -> None:
    for given in (
        pyarrow.table({"relation": ["R"], "x": [1]}),
        pyarrow.table({"relation": ["R"], "x": [1], "y": [1], "weight": [1]}),
        numpy.zeros(3),
        numpy.zeros((2, 2, 2)),
        numpy.array([(1, 2)], dtype=[("x", int), ("y", int)]),
        numpy.array([["R", 1]], dtype=object),
        17,
    ):
        view = TriangleView("")
        with pytest.raises(ArityError):
            view.apply(given)  # type: ignore[arg-type]  # 17
        assert view.size == 0
    view = TriangleView("")
    with pytest.raises(UnknownRelationError) as caught:
        view.apply(pyarrow.table({"relation": ["R", "Q"], "x": [1, 1], "y": [1, 1]}))
    assert (caught.value.position, view.size) == (1, 1)


def test_without_the_libraries_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    view = TriangleView("A")
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(InputError, match=r"needs numpy: pip install 'ivme\[arrays\]'"):
        view.to_numpy()
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match=r"needs pyarrow: pip install 'ivme\[arrays\]'"):
        view.to_arrow()


@pytest.mark.parametrize("free", ["ABC", "BCA", "CBA"])
@pytest.mark.parametrize("large", [1, 2**40], ids=["words", "beyond"])
def test_columns_of_what_the_trees_keep(free: str, large: int) -> None:
    """Skewed relations, so that all three trees hold rows; no two multiplicities are alike."""
    numbers = count(2)
    view = TriangleView(free, "1/3")
    for relation in "RST":
        for x, y in product(range(3), range(60)):
            view.insert(relation, x, y, large * next(numbers))
        for x, y in product(range(3, 60), range(2)):
            view.insert(relation, x, y, large * next(numbers))
    assert all(tree.bucket_count() for tree in view._engine.kept.values())
    columns = view.to_numpy()
    rows = zip(*(columns[name].tolist() for name in free), strict=True)
    found = list(zip(rows, columns["multiplicity"].tolist(), strict=True))
    assert len(found) == len({row for row, _ in found})
    assert dict(found) == dict(view)
