"""Relations: the laws of product, sum and addition; and a database as a user gives it."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme_spec import errors
from ivme_spec.relations import Relation, data_value, database, known_relation, pair, relation, restrict
from ivme_spec.rings import INTEGERS, NATURALS, modular
from tests.strategies import relations, rings


def same(left: Relation[Any], right: Relation[Any]) -> bool:
    """Equal as functions: the variables may stand in another order."""
    return (
        set(left.schema) == set(right.schema)
        and {restrict(row, right.schema, left.schema): m for row, m in right.entries.items()} == left.entries
    )


@given(st.data())
def test_laws_of_the_relation_algebra(data: st.DataObject) -> None:
    ring = data.draw(rings())
    r, r2 = data.draw(relations("AB", ring)), data.draw(relations("AB", ring))
    s, t = data.draw(relations("BC", ring)), data.draw(relations("CA", ring))
    empty, unit = relation("AB", ring), relation("", ring, [((), ring.one)])
    assert same(r + r2, r2 + r)
    assert same((r + r2) + r, r + (r2 + r))
    assert same(r + empty, r)
    assert same(r + -r, empty)
    assert same(r * s, s * r)
    assert same((r * s) * t, r * (s * t))
    assert same((r + r2) * s, r * s + r2 * s)
    assert same(r * unit, r)
    assert same((r + r2).sum_to("A"), r.sum_to("A") + r2.sum_to("A"))
    assert same((r * s).sum_to("BC"), r.sum_to("B") * s)  # A occurs in r alone
    assert same(((r * s) * t).sum_to("A").sum_to(""), ((r * s) * t).sum_to(""))


@given(st.data())
def test_operators_equal_their_definition_at_every_tuple(data: st.DataObject) -> None:
    ring = data.draw(rings())
    r, s = data.draw(relations("AB", ring)), data.draw(relations("BC", ring))
    product, total = r * s, r.sum_to("B")
    values = {value for rel in (r, s) for row in rel for value in row}
    for b in values:
        expected = ring.zero
        for a in values:
            expected = expected + r((a, b))
            for c in values:
                assert product((a, b, c)) == r((a, b)) * s((b, c))
        assert total((b,)) == expected


@given(st.data())
def test_size_degree_projection(data: st.DataObject) -> None:
    r = data.draw(relations("AB", data.draw(rings())))
    assert len(r) == len(list(r)) == sum(r.degrees("A").values()) == sum(r.degrees("B").values())
    assert all(row in r and r(row) for row in r)
    assert r.project("A") == {(a,) for a in r.degrees("A")}
    assert r.project("BA") == {(b, a) for a, b in r}
    for a, degree in r.degrees("A").items():
        assert degree == sum(1 for row in r if row[0] == a)


def test_relations_hold_no_zeros() -> None:
    assert relation("AB", INTEGERS, [((1, 2), 3), ((1, 2), -3)]).entries == {}
    assert relation("A", modular(6), [((1,), modular(6).lift(0))]).entries == {}
    six = modular(6)
    left = relation("A", six, [((1,), six.lift(2))])
    assert (left * relation("A", six, [((1,), six.lift(3))])).entries == {}
    assert (1, 2) not in relation("AB", NATURALS)
    assert relation("AB", NATURALS)((1, 2)) == 0


# --- input ----------------------------------------------------------------------------------------------


def test_a_database_may_be_given_in_many_ways() -> None:
    r = relation("AB", NATURALS, [((1, 2), 4)])
    for given_r in ({(1, 2): 4}, [(1, 2)] * 4, [[1, 2]] * 4, iter([(1, 2)] * 4), r):
        read = database({"R": given_r}, NATURALS)
        assert list(read) == ["R", "S", "T"]
        assert read["R"] == r
        assert (read["S"].schema, len(read["S"]), len(read["T"])) == ("BC", 0, 0)
    assert database(None, NATURALS) == database({}, NATURALS)
    assert database({"T": {("x", None): -2}}, INTEGERS)["T"](("x", None)) == -2
    assert database({"R": [(1, 2)] * 6}, modular(6))["R"].entries == {}


BAD_DATABASES: list[tuple[Any, type[Exception], str]] = [
    ([("R", [(1, 2)])], errors.ArityError, "[('R', [(1, 2)])]"),
    ("R", errors.ArityError, "'R'"),
    ({"r": []}, errors.UnknownRelationError, "'r'"),
    ({3: []}, errors.UnknownRelationError, "3"),
    ({"R": "ab"}, errors.ArityError, "'R'"),
    ({"S": None}, errors.ArityError, "'S'"),
    ({"R": [(1, 2), (1, 2, 3)]}, errors.ArityError, "(1, 2, 3)"),
    ({"R": {(): 1}}, errors.ArityError, "()"),
    ({"R": ["ab"]}, errors.ArityError, "'ab'"),
    ({"R": [{1, 2}]}, errors.ArityError, "{1, 2}"),
    ({"R": [(1, [2])]}, errors.DataValueError, "[2]"),
    ({"R": {(1, 2): 0}}, errors.MultiplicityError, "0"),
    ({"R": {(1, 2): "1"}}, errors.MultiplicityError, "'1'"),
    ({"R": {(1, 2): -1}}, errors.MultiplicityError, "R(1, 2)"),
]


@pytest.mark.parametrize(("given", "error", "shown"), BAD_DATABASES, ids=str)
def test_bad_databases(given: Any, error: type[Exception], shown: str) -> None:
    with pytest.raises(error) as caught:
        database(given, NATURALS)
    assert shown in str(caught.value)
    assert isinstance(caught.value, errors.InputError)
    assert isinstance(caught.value, ValueError)


def test_names_values_and_pairs() -> None:
    assert [known_relation(name) for name in "RST"] == ["R", "S", "T"]
    for name in ("Q", "", "RS", None, 0, ["R"]):
        with pytest.raises(errors.UnknownRelationError) as caught:
            known_relation(name)
        assert repr(name) in str(caught.value)
    assert data_value((1, "x", None)) == (1, "x", None)
    unhashable: tuple[object, ...] = ([1], {1}, ({},))
    for value in unhashable:
        with pytest.raises(errors.DataValueError) as refused:
            data_value(value)
        assert repr(value) in str(refused.value)
    assert pair([1, "x"]) == (1, "x")
