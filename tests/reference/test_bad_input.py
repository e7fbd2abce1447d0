"""Bad input: the error's type, the offending input in its message, and nothing has changed."""

from typing import Any

import pytest

from ivme_reference import APPROACHES, Approach, Classical
from ivme_spec import errors
from ivme_spec.rings import INTEGERS, NATURALS, Residue, modular

each_approach = pytest.mark.parametrize("approach", APPROACHES, ids=lambda approach: approach.__name__)

DATABASE = {"R": {(1, 2): 2, (1, 3): 1}, "S": {(2, 4): 3}, "T": {(4, 1): 1}}

Case = tuple[str, tuple[Any, ...], type[Exception], str]


def state(query: Approach[Any]) -> object:
    """All that an approach holds, copied."""
    held = {name: dict(contents.entries) for name, contents in query.database().items()}
    indexes = [(repr(stored.rows), repr(stored.columns)) for stored in query.relations]
    materialized = repr(getattr(query, "result", None)), repr(getattr(query, "views", None))
    return held, indexes, materialized, dict(query)


UPDATES: list[Case] = [
    ("update", ("U", 1, 2, 1), errors.UnknownRelationError, "'U'"),
    ("update", ("r", 1, 2, 1), errors.UnknownRelationError, "'r'"),
    ("update", ("", 1, 2, 1), errors.UnknownRelationError, "''"),
    ("update", (0, 1, 2, 1), errors.UnknownRelationError, "0"),
    ("update", (["R"], 1, 2, 1), errors.UnknownRelationError, "['R']"),
    ("insert", ("U", 1, 2), errors.UnknownRelationError, "'U'"),
    ("delete", ("U", 1, 2), errors.UnknownRelationError, "'U'"),
    ("update", ("R", [7], 2, 1), errors.DataValueError, "[7]"),
    ("update", ("R", 1, {8: 9}, 1), errors.DataValueError, "{8: 9}"),
    ("update", ("R", 1, (2, [3]), 1), errors.DataValueError, "(2, [3])"),
    ("insert", ("S", [7], 2), errors.DataValueError, "[7]"),
    ("delete", ("T", 4, [1]), errors.DataValueError, "[1]"),
    ("update", ("R", 1, 2, 0), errors.MultiplicityError, "0"),
    ("update", ("R", 1, 2, 1.0), errors.MultiplicityError, "1.0"),
    ("update", ("R", 1, 2, 0.5), errors.MultiplicityError, "0.5"),
    ("update", ("R", 1, 2, True), errors.MultiplicityError, "True"),
    ("update", ("R", 1, 2, "3"), errors.MultiplicityError, "'3'"),
    ("update", ("R", 1, 2, None), errors.MultiplicityError, "None"),
    ("update", ("R", 1, 2, int), errors.MultiplicityError, "int"),
    ("insert", ("R", 1, 2, 0), errors.MultiplicityError, "0"),
    ("insert", ("R", 1, 2, 2.5), errors.MultiplicityError, "2.5"),
    ("delete", ("R", 1, 2, 0), errors.MultiplicityError, "0"),
    ("delete", ("R", 1, 2, 2.5), errors.MultiplicityError, "2.5"),
    ("update", ("R", 1, 2, -3), errors.RefusedUpdateError, "R(1, 2)"),
    ("update", ("R", 1, 3, -4), errors.RefusedUpdateError, "-4"),
    ("delete", ("R", 1, 2, 3), errors.RefusedUpdateError, "R(1, 2)"),
    ("delete", ("S", "x", "y"), errors.RefusedUpdateError, "S('x', 'y')"),
]

LOOKUPS: list[Case] = [
    ("__getitem__", ((1,),), errors.ArityError, "(1,)"),
    ("__getitem__", ((1, 2, 4),), errors.ArityError, "(1, 2, 4)"),
    ("__getitem__", ((),), errors.ArityError, "()"),
    ("__getitem__", (1,), errors.ArityError, "1"),
    ("__getitem__", ("AB",), errors.ArityError, "'AB'"),
    ("__getitem__", ([1, 2],), errors.ArityError, "[1, 2]"),
    ("__getitem__", (None,), errors.ArityError, "None"),
    ("__getitem__", ((1, [2]),), errors.DataValueError, "[2]"),
    ("__contains__", ((1,),), errors.ArityError, "(1,)"),
    ("__contains__", (7,), errors.ArityError, "7"),
    ("__contains__", ((1, [2]),), errors.DataValueError, "[2]"),
]


@each_approach
@pytest.mark.parametrize("case", [*UPDATES, *LOOKUPS], ids=lambda case: f"{case[0]}{case[1]}")
def test_is_refused_and_changes_nothing(approach: type[Approach[Any]], case: Case) -> None:
    method, arguments, error, shown = case
    query = approach("AB", database=DATABASE)
    before = state(query)
    with pytest.raises(error) as caught:
        getattr(query, method)(*arguments)
    assert shown in str(caught.value)
    assert isinstance(caught.value, errors.InputError)
    assert state(query) == before


CONSTRUCTIONS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"free": "D"}, errors.HeadError, "'D'"),
    ({"free": "AA"}, errors.HeadError, "'AA'"),
    ({"free": "ab"}, errors.HeadError, "'ab'"),
    ({"free": None}, errors.HeadError, "None"),
    ({"free": ("A", "B")}, errors.HeadError, "('A', 'B')"),
    ({"free": "A", "database": {"U": []}}, errors.UnknownRelationError, "'U'"),
    ({"free": "A", "database": {"R": [(1,)]}}, errors.ArityError, "(1,)"),
    ({"free": "A", "database": {"R": [(1, 2, 3)]}}, errors.ArityError, "(1, 2, 3)"),
    ({"free": "A", "database": {"R": ["ab"]}}, errors.ArityError, "'ab'"),
    ({"free": "A", "database": {"R": 5}}, errors.ArityError, "'R'"),
    ({"free": "A", "database": [("R", 1, 2)]}, errors.ArityError, "[('R', 1, 2)]"),
    ({"free": "A", "database": {"R": [(1, [2])]}}, errors.DataValueError, "[2]"),
    ({"free": "A", "database": {"R": {(1, 2): 0}}}, errors.MultiplicityError, "0"),
    ({"free": "A", "database": {"R": {(1, 2): 0.5}}}, errors.MultiplicityError, "0.5"),
    ({"free": "A", "database": {"R": {(1, 2): -1}}}, errors.MultiplicityError, "R(1, 2)"),
    ({"free": "A", "ring": modular(6), "database": {"R": {(1, 2): 12}}}, errors.MultiplicityError, "12"),
]


@each_approach
@pytest.mark.parametrize(("arguments", "error", "shown"), CONSTRUCTIONS, ids=str)
def test_is_not_constructed(
    approach: type[Approach[Any]], arguments: dict[str, Any], error: type[Exception], shown: str
) -> None:
    with pytest.raises(error) as caught:
        approach(**arguments)
    assert shown in str(caught.value)


@each_approach
def test_zero_and_foreign_elements_of_a_ring_are_refused(approach: type[Approach[Any]]) -> None:
    query = approach("", modular(6), DATABASE)
    before = state(query)
    for bad, shown in ((6, "6"), (-12, "-12"), (Residue(1, 5), "mod 5"), (Residue(0, 6), "mod 6")):
        with pytest.raises(errors.MultiplicityError, match=shown):
            query.update("R", 1, 2, bad)
    assert state(query) == before


@each_approach
def test_only_the_naturals_refuse_to_go_below_zero(approach: type[Approach[Any]]) -> None:
    query = approach("AB", INTEGERS, DATABASE)
    query.delete("R", 1, 2, 3)
    assert dict(query) == {(1, 2): -3}
    everything = approach("AB", NATURALS, DATABASE)
    everything.delete("R", 1, 2, 2)
    assert (1, 2) not in everything


class ChangesFirst(Classical[Any]):
    """A planted bug: the relation is changed before the update is judged."""

    def update(self, relation: str, x: Any, y: Any, multiplicity: object) -> None:
        i = "RST".find(relation)
        if i >= 0 and isinstance(multiplicity, int):
            self.relations[i].add(x, y, multiplicity)
        super().update(relation, x, y, multiplicity)


def test_the_planted_half_done_update_is_seen() -> None:
    query: Approach[Any] = ChangesFirst("AB", database=DATABASE)
    before = state(query)
    with pytest.raises(errors.RefusedUpdateError):
        query.update("R", 1, 2, -5)
    assert state(query) != before
