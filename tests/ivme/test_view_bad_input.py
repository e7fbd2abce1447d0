"""Bad input at every entry point: an error that shows the input, and nothing has changed."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from ivme import (
    ArityError,
    DataValueError,
    EpsilonError,
    HeadError,
    InputError,
    IvmeError,
    MultiplicityError,
    RefusedUpdateError,
    TriangleView,
    UnknownRelationError,
)
from ivme_spec.rings import INTEGERS, Residue, modular

TRIANGLE = {"R": {(1, 2): 2}, "S": [(2, 3)], "T": [(3, 1)]}


def shown(value: object) -> str:
    return re.escape(repr(value))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"free": "X"}, HeadError, "'X'"),
        ({"free": "AA"}, HeadError, "'AA'"),
        ({"free": "ab"}, HeadError, "'ab'"),
        ({"free": "ABCA"}, HeadError, "'ABCA'"),
        ({"free": None}, HeadError, "None"),
        ({"free": ("A", "B")}, HeadError, shown(("A", "B"))),
        ({"epsilon": "half"}, EpsilonError, "'half'"),
        ({"epsilon": "1/0"}, EpsilonError, "'1/0'"),
        ({"epsilon": -0.5}, EpsilonError, r"-0\.5"),
        ({"epsilon": "3/2"}, EpsilonError, "'3/2'"),
        ({"epsilon": float("nan")}, EpsilonError, "nan"),
        ({"epsilon": float("inf")}, EpsilonError, "inf"),
        ({"epsilon": None}, EpsilonError, "None"),
        ({"epsilon": True}, EpsilonError, "True"),
        ({"epsilon": 0.5j}, EpsilonError, r"0\.5j"),
        ({"epsilon": 1 / 3}, EpsilonError, r"0\.3333.*1/3"),
        ({"partitioning": "triple"}, InputError, "'triple'"),
        ({"partitioning": None}, InputError, "None"),
        ({"partitioning": []}, InputError, r"\[\]"),
        ({"free": "A", "partitioning": "double"}, InputError, "'double'.*'A'"),
        ({"ring": "Z"}, InputError, "'Z'"),
        ({"ring": int}, InputError, shown(int)),
        ({"on_rebalance": 5}, InputError, "5"),
        ({"debug": -1}, InputError, "-1"),
        ({"debug": 1.0}, InputError, r"1\.0"),
        ({"debug": "1"}, InputError, "'1'"),
        ({"database": [("R", 1, 2)]}, ArityError, shown([("R", 1, 2)])),
        ({"database": "R"}, ArityError, "'R'"),
        ({"database": {"U": [(1, 2)]}}, UnknownRelationError, "'U'"),
        ({"database": {None: [(1, 2)]}}, UnknownRelationError, "None"),
        ({"database": {"R": 5}}, ArityError, "'R'.*5"),
        ({"database": {"R": "ab"}}, ArityError, "'R'.*'ab'"),
        ({"database": {"R": [5]}}, ArityError, "5"),
        ({"database": {"R": ["ab"]}}, ArityError, "'ab'"),
        ({"database": {"R": [(1,)]}}, ArityError, shown((1,))),
        ({"database": {"S": {(1, 2, 3): 1}}}, ArityError, shown((1, 2, 3))),
        ({"database": {"S": [(1, [2])]}}, DataValueError, shown([2])),
        ({"database": {"T": {(1, 2): 0}}}, MultiplicityError, "0"),
        ({"database": {"T": {(1, 2): 1.5}}}, MultiplicityError, r"1\.5"),
        ({"database": {"T": {(1, 2): True}}}, MultiplicityError, "True"),
        ({"database": {"T": {(1, 2): -3}}}, MultiplicityError, r"T\(1, 2\).*-3"),
        ({"database": {"T": {(1, 2): 12}}, "ring": modular(6)}, MultiplicityError, "12"),
    ],
    ids=str,
)
def test_constructor(arguments: dict[str, Any], error: type[InputError], message: str) -> None:
    make: Any = TriangleView
    with pytest.raises(error, match=message):
        make(**{"free": "", **arguments})


UPDATES: list[tuple[tuple[Any, ...], type[InputError], str]] = [
    (("U", 1, 2), UnknownRelationError, "'U'"),
    (("r", 1, 2), UnknownRelationError, "'r'"),
    ((None, 1, 2), UnknownRelationError, "None"),
    ((["R"], 1, 2), UnknownRelationError, shown(["R"])),
    ((0, 1, 2), UnknownRelationError, "0"),
    (("R", [1], 2), DataValueError, shown([1])),
    (("R", 1, {2}), DataValueError, shown({2})),
    (("R", 1, (2, [3])), DataValueError, shown((2, [3]))),
    (("R", 1, 2, 0), MultiplicityError, "0"),
    (("R", 1, 2, 1.0), MultiplicityError, r"1\.0"),
    (("R", 1, 2, "1"), MultiplicityError, "'1'"),
    (("R", 1, 2, None), MultiplicityError, "None"),
    (("R", 1, 2, True), MultiplicityError, "True"),
]

Method = Callable[..., None]


def require_unchanged(view: TriangleView[Any], attempt: Callable[[], object]) -> None:
    """Run an attempt that raises, and compare everything that a user or a tool can see."""
    before = view.state(), view.size, view.threshold_base, list(view), view.costs.maintenance
    rows = iter(view)
    attempt()
    assert (view.state(), view.size, view.threshold_base, list(rows), view.costs.maintenance) == before
    view.check()
    view.insert("R", 1, 2)
    view.delete("R", 1, 2)
    assert view.state() == before[0]


@pytest.mark.parametrize("free", ["", "A", "AC", "ABC"])
@pytest.mark.parametrize("method", ["insert", "delete", "update"])
@pytest.mark.parametrize(("arguments", "error", "message"), UPDATES, ids=str)
def test_updates(
    method: str, free: str, arguments: tuple[Any, ...], error: type[InputError], message: str
) -> None:
    view: TriangleView[Any] = TriangleView(free, database=TRIANGLE)
    if method == "update" and len(arguments) == 3:
        arguments = (*arguments, 1)

    def attempt() -> None:
        with pytest.raises(error, match=message) as caught:
            getattr(view, method)(*arguments)
        assert isinstance(caught.value, IvmeError)
        assert isinstance(caught.value, ValueError)
        assert caught.value.position is None

    require_unchanged(view, attempt)


def test_a_residue_of_another_modulus() -> None:
    view = TriangleView("A", ring=modular(6), database=TRIANGLE)

    def attempt() -> None:
        with pytest.raises(MultiplicityError, match=r"1 \(mod 5\)"):
            view.insert("R", 1, 2, Residue(1, 5))
        with pytest.raises(MultiplicityError, match="12"):
            view.insert("R", 1, 2, 12)

    require_unchanged(view, attempt)


@pytest.mark.parametrize("free", ["", "A", "AC", "ABC"])
@pytest.mark.parametrize("epsilon", ["0", "1/2", "1"])
def test_deletes_of_more_than_there_is_are_refused(free: str, epsilon: str) -> None:
    """ERRATA E6; also of values that were never seen, which must leave no trace at ε = 0."""
    view = TriangleView(free, epsilon, database=TRIANGLE)

    def attempt() -> None:
        with pytest.raises(RefusedUpdateError, match=r"R\(1, 2\) has multiplicity 2: 3 cannot be deleted"):
            view.delete("R", 1, 2, 3)
        with pytest.raises(RefusedUpdateError, match=r"S\('x', None\) has multiplicity 0: 1 cannot"):
            view.delete("S", "x", None)
        with pytest.raises(RefusedUpdateError, match=r"T\(1, 3\)"):
            view.update("T", 1, 3, -1)
        with pytest.raises(RefusedUpdateError, match=r"T\(3, 1\)"):
            view.update("T", 3, 1, -2)

    require_unchanged(view, attempt)


def test_nothing_is_refused_where_multiplicities_have_signs() -> None:
    view = TriangleView("", ring=INTEGERS)
    view.delete("R", 1, 2)
    view.delete("S", 2, 3)
    view.delete("T", 3, 1)
    assert view[()] == -1


# --- apply --------------------------------------------------------------------------------------------------

ENTRIES: list[tuple[Any, type[InputError], str]] = [
    (5, ArityError, "5"),
    (None, ArityError, "None"),
    ("R121", ArityError, "'R121'"),
    (("R", 1), ArityError, shown(("R", 1))),
    (("R", 1, 2, 1, 1), ArityError, shown(("R", 1, 2, 1, 1))),
    (("T", 3, 1, -5), RefusedUpdateError, r"T\(3, 1\)"),
    *(((*entry, 1)[:4], error, message) for entry, error, message in UPDATES),
]


@pytest.mark.parametrize(("entry", "error", "message"), ENTRIES, ids=str)
@pytest.mark.parametrize("position", [0, 2])
def test_apply_stops_at_the_refused_update_and_says_where(
    position: int, entry: Any, error: type[InputError], message: str
) -> None:
    good: list[Any] = [("R", 8, 9, 1), ["S", 9, 8, 2]]
    view, expected = TriangleView("AB", database=TRIANGLE), TriangleView("AB", database=TRIANGLE)
    with pytest.raises(error, match=f"position {position}: .*{message}") as caught:
        view.apply([*good[:position], entry, ("R", 7, 7, 1)])
    assert caught.value.position == position
    assert isinstance(caught.value.__cause__, error)
    expected.apply(good[:position])
    assert view.state() == expected.state()
    view.check()


def test_apply_takes_any_iterable_and_nothing_else() -> None:
    view = TriangleView("", database=TRIANGLE)
    assert view.apply(("R", 5, y, 1) for y in range(3)) == 3
    make: Any = view
    for bad in (5, None):
        with pytest.raises(InputError, match=shown(bad)):
            make.apply(bad)


def test_an_iterator_that_fails_half_way_leaves_what_it_gave_applied() -> None:
    def updates() -> Any:
        yield "R", 8, 9, 1
        raise OSError("the disk is gone")

    view = TriangleView("", database=TRIANGLE)
    with pytest.raises(OSError, match="the disk"):
        view.apply(updates())
    assert view.size == 4
    view.check()


# --- lookups ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("free", "row", "error"),
    [
        ("", 1, ArityError),
        ("", (1,), ArityError),
        ("A", 1, ArityError),
        ("A", (), ArityError),
        ("A", "a", ArityError),
        ("A", [1], ArityError),
        ("AB", (1,), ArityError),
        ("AB", (1, 2, 3), ArityError),
        ("AB", None, ArityError),
        ("ABC", (1, 2), ArityError),
        ("ABC", slice(1, 2), ArityError),
        ("A", ([1],), DataValueError),
        ("AC", (1, {}), DataValueError),
    ],
    ids=str,
)
def test_lookups(free: str, row: Any, error: type[InputError]) -> None:
    view = TriangleView(free, database=TRIANGLE)
    wanted = shown(row if error is ArityError else row[-1])

    def attempt() -> None:
        with pytest.raises(error, match=wanted):
            view[row]
        with pytest.raises(error, match=wanted):
            assert row in view

    require_unchanged(view, attempt)


# --- IVME_DEBUG ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["yes", "-1", "1.5", "True", " "])
def test_the_environment(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IVME_DEBUG", value)
    with pytest.raises(InputError, match=f"IVME_DEBUG={value!r}"):
        TriangleView("")
    assert TriangleView("", debug=False).size == 0
