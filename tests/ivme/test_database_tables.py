"""A database whose relations are tables, and one whose keys only look like tuples."""

from collections.abc import Callable, Hashable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme import (
    ArityError,
    DataValueError,
    InputError,
    MultiplicityError,
    Ring,
    TriangleView,
    UnknownRelationError,
    rings,
)
from ivme_spec.queries import HEADS
from ivme_spec.relations import RELATIONS, RelationName
from ivme_spec.relations import database as by_definition
from tests.ivme.producers import PRODUCERS, Columns, arrow, pandas
from tests.strategies import RINGS

PAIRS = [(1, 2), (1, 3), (4, 2), (1, 2)]
STORED = {(1, 2): 2, (1, 3): 1, (4, 2): 1}
FIRST, SECOND = ([pair[place] for pair in PAIRS] for place in range(2))

producers = pytest.mark.parametrize("produce", PRODUCERS.values(), ids=PRODUCERS)


def stored(relation: RelationName, tuples: object, ring: Ring[Any] = rings.NATURALS) -> dict[Any, Any]:
    view = TriangleView("", ring=ring, database={relation: tuples})
    view.check()
    assert view.size == len(dict(view.tuples(relation)))
    return dict(view.tuples(relation))


LETTERS: list[tuple[RelationName, str, str]] = [("R", "A", "B"), ("S", "B", "C"), ("T", "C", "A")]


@producers
def test_two_columns_are_a_relation(produce: Callable[[Columns], Any]) -> None:
    for relation, first, second in LETTERS:
        for one, two in (("x", "y"), (first, second)):
            assert stored(relation, produce({one: FIRST, two: SECOND})) == STORED
            assert stored(relation, produce({two: SECOND, one: FIRST})) == STORED  # by name
        assert stored(relation, produce({"source": FIRST, "target": SECOND})) == STORED
        assert stored(relation, produce({"y": FIRST, "z": SECOND})) == STORED  # in order


@producers
def test_multiplicities_are_added_up(produce: Callable[[Columns], Any]) -> None:
    made = {"multiplicity": [1, 5, 1, 3], "y": SECOND, "x": FIRST}
    assert stored("S", produce(made)) == {(1, 2): 4, (1, 3): 5, (4, 2): 1}
    made["multiplicity"] = [1, 5, 1, -1]
    assert stored("S", produce(made)) == {(1, 3): 5, (4, 2): 1}
    made["multiplicity"] = [1, 5, 1, -4]
    assert stored("S", produce(made), rings.INTEGERS) == {(1, 2): -3, (1, 3): 5, (4, 2): 1}
    made["multiplicity"] = [2, 5, 1, 4]
    assert stored("S", produce(made), rings.modular(6)) == {(1, 3): 5, (4, 2): 1}


@producers
def test_wrong_columns_are_refused(produce: Callable[[Columns], Any]) -> None:
    for names in (
        ("x",),
        ("x", "multiplicity"),
        ("x", "y", "weight"),
        ("source", "target", "weight"),
        ("x", "y", "multiplicity", "weight"),
        ("relation", "x", "y"),
        ("B", "C"),  # of S
        ("A", "C"),
    ):
        told = (
            rf"^table of R: columns {', '.join(names)}: give two columns and, unless all are 1, a third named"
        )
        with pytest.raises(ArityError, match=told):
            TriangleView("", database={"R": produce({name: [1] for name in names})})


@producers
def test_bad_rows_are_refused(produce: Callable[[Columns], Any]) -> None:
    nan = float("nan")
    with pytest.raises(
        DataValueError, match="table of T: row at position 1: column w is null or NaN"
    ) as caught:
        TriangleView("", database={"R": [(1, 2)], "T": produce({"v": [1.5, 2.5], "w": [1.5, nan]})})
    assert caught.value.position == 1
    with pytest.raises(MultiplicityError, match="table of T: row at position 1: multiplicity 0 is zero"):
        TriangleView("", database={"T": produce({"x": [1, 2], "y": [1, 2], "multiplicity": [1, 0]})})
    with pytest.raises(MultiplicityError, match=r"T\(2, 2\) has multiplicity -1 in the database"):
        TriangleView("", database={"T": produce({"x": [1, 2], "y": [1, 2], "multiplicity": [1, -1]})})


def test_other_relations_may_be_anything() -> None:
    """A table that is read once is not read again when another relation takes the slow way."""
    reader = arrow({"x": FIRST, "y": SECOND}).to_reader()
    view = TriangleView("A", database={"R": reader, "S": iter([(2, 3)]), "T": {(3, 1): 7}})
    assert dict(view) == {(1,): 14}


def test_what_is_no_table_of_a_relation() -> None:
    numpy = pytest.importorskip("numpy")
    frame = pandas({"x": FIRST, "y": SECOND})
    with pytest.raises(ArityError, match="the database is a DataFrame: give a mapping"):
        TriangleView("", database=frame)
    with pytest.raises(UnknownRelationError, match="no relation 'Q'"):
        TriangleView("", database={"Q": frame})
    for bad in (numpy.zeros((2, 3), int), numpy.zeros(4), numpy.zeros((2, 2, 2)), numpy.int64(3), frame["x"]):
        with pytest.raises(InputError):
            TriangleView("", database={"R": bad})
    with pytest.raises(DataValueError, match="not hashable"):
        TriangleView("", database={"R": numpy.array([[{}, 1]], dtype=object)})
    fields = [("x", object), ("y", int), ("multiplicity", int)]
    with pytest.raises(DataValueError, match=r"table of R: row at position 0: .*not hashable"):
        TriangleView("", database={"R": numpy.array([({}, 1, 1)], dtype=fields)})


@pytest.mark.parametrize("kind", ["int8", "int64", "uint64", "float64", object, str])
def test_arrays_of_pairs(kind: object) -> None:
    numpy = pytest.importorskip("numpy")
    found = stored("T", numpy.array(PAIRS).astype(kind))
    change: Callable[[int], Hashable] = str if kind is str else int
    assert found == {(change(x), change(y)): m for (x, y), m in STORED.items()}
    plain = {str: str, "float64": float}.get(kind, int)
    assert {type(value) for row in found for value in row} == {plain}
    assert stored("T", numpy.empty((0, 2), int)) == {}


@given(data=st.data(), name=st.sampled_from(sorted(PRODUCERS)), ring=st.sampled_from(sorted(RINGS)))
def test_a_table_is_what_its_rows_are(data: st.DataObject, name: str, ring: str) -> None:
    """The definition's own reading of the rows, one by one."""
    values = st.integers(0, 2)
    numbers = st.integers(-3 if RINGS[ring].signed else 1, 5)
    rows = data.draw(
        st.lists(st.tuples(values, values, numbers.filter(RINGS[ring].lift)), min_size=1, max_size=8)
    )
    x, y, m = ([row[place] for row in rows] for place in range(3))
    wanted = by_definition({"R": Repeated(((a, b), k) for a, b, k in rows)}, RINGS[ring])["R"].entries
    assert stored("R", PRODUCERS[name]({"x": x, "y": y, "multiplicity": m}), RINGS[ring]) == wanted


# --- dicts that have a tuple twice ---


class Same(tuple[int, int]):
    """A tuple that equals itself alone."""

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)


class Repeated(dict[Any, Any]):
    """A dict whose items are what it was given, all of it."""

    def __init__(self, rows: Any) -> None:
        self.rows = list(rows)
        super().__init__(self.rows)

    def items(self) -> Iterator[Any]:  # type: ignore[override]  # an iterator is enough here
        return iter(self.rows)


TWICE: dict[str, Callable[[], Any]] = {
    "keys by identity": lambda: {Same((1, 2)): 1, (1, 2): 4, Same((1, 2)): 1, Same((3, 2)): 1},
    "items that repeat": lambda: Repeated([((1, 2), 1), ((1, 2), 4), ((1, 2), 1), ((3, 2), 1)]),
    "a list": lambda: [Same((1, 2)), *[(1, 2)] * 5, (3, 2)],
    "a set": lambda: {Same((1, 2)), Same((1, 2)), (1, 2), Same((1, 2)), Same((1, 2)), Same((1, 2)), (3, 2)},
}


@pytest.mark.parametrize("kind", TWICE)
@pytest.mark.parametrize("free", HEADS)
def test_a_tuple_that_comes_twice_is_stored_once(free: str, kind: str) -> None:
    """A compiled view kept two of them: |D| was wrong, and a delete left one behind."""
    others = {"S": [(2, 3)], "T": [(3, 1), (3, 3)]}
    view = TriangleView(free, database={"R": TWICE[kind](), **others})
    wanted = by_definition({"R": TWICE[kind](), **others}, rings.NATURALS)
    assert {name: dict(view.tuples(name)) for name in RELATIONS} == {
        n: dict(wanted[n].entries) for n in RELATIONS
    }
    assert dict(view.tuples("R")) == {(1, 2): 6, (3, 2): 1}
    assert view.size == 5
    view.check()
    view.delete("R", 1, 2, 6)
    view.check()
    assert dict(view.tuples("R")) == {(3, 2): 1}
