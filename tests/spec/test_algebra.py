"""The query language: evaluation by definition, and the delta rules on random queries with self-joins."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme_spec.algebra import (
    Empty,
    Expression,
    Plus,
    Product,
    SumTo,
    Symbol,
    change,
    delta,
    evaluate,
    plus,
    schema_of,
)
from ivme_spec.queries import HEADS, triangle_query
from ivme_spec.relations import RELATIONS, SCHEMAS, VARIABLES, Relation, relation
from ivme_spec.rings import INTEGERS, Ring
from tests.strategies import ARITIES, databases, queries, relations, rings

DOMAIN = (0, "one")
HEAD = st.sampled_from(HEADS)


def names_in(query: Expression) -> set[str]:
    match query:
        case Symbol(name, _):
            return {name}
        case Product(left, right) | Plus(left, right):
            return names_in(left) | names_in(right)
        case SumTo(body, _):
            return names_in(body)
    return set()


@st.composite
def symbols(draw: st.DrawFn, ring: Ring[Any], query: Expression) -> dict[str, Relation[Any]]:
    """Contents for the relations that a query names."""
    return {name: draw(relations("xyz"[: ARITIES[name]], ring, DOMAIN)) for name in sorted(names_in(query))}


def denote(query: Expression, given: Mapping[str, Relation[Any]], at: Mapping[str, object]) -> Any:
    """The multiplicity of one tuple, read off the paper's grammar: no joins, all of the domain."""
    match query:
        case Symbol(name, schema):
            return given[name](tuple(at[variable] for variable in schema))
        case Product(left, right):
            return denote(left, given, at) * denote(right, given, at)
        case Plus(left, right):
            return denote(left, given, at) + denote(right, given, at)
        case SumTo(body, schema):
            bound = [variable for variable in schema_of(body) if variable not in schema]
            total = next(iter(given.values())).ring.zero
            for values in product(DOMAIN, repeat=len(bound)):
                inner = {variable: at[variable] for variable in schema}
                inner.update(zip(bound, values, strict=True))
                total = total + denote(body, given, inner)
            return total
    return next(iter(given.values())).ring.zero


@given(st.data())
def test_evaluation_equals_the_definition_at_every_tuple(data: st.DataObject) -> None:
    ring, free = data.draw(rings()), data.draw(HEAD)
    query = data.draw(queries(free))
    given_relations = data.draw(symbols(ring, query))
    found = evaluate(query, given_relations)
    assert found.schema == schema_of(query)
    for row in product(DOMAIN, repeat=len(found.schema)):
        assert found(row) == denote(query, given_relations, dict(zip(found.schema, row, strict=True)))


@given(st.data())
def test_delta_rules(data: st.DataObject) -> None:
    """Q(D + δ) = Q(D) + δQ(D, δ), whichever relation changes and however often the query names it."""
    ring, free = data.draw(rings()), data.draw(HEAD)
    query = data.draw(queries(free))
    before = data.draw(symbols(ring, query))
    changed = data.draw(st.sampled_from(sorted(before)))
    update = data.draw(relations(before[changed].schema, ring, DOMAIN))
    after = {**before, changed: before[changed] + update}
    of_query = delta(query, changed)
    assert set(schema_of(of_query)) == set(free)
    change_of_result = evaluate(of_query, {**before, change(changed): update})
    expected = evaluate(query, before) + change_of_result
    assert (evaluate(query, after) + -expected).entries == {}


@given(st.data())
def test_relations_that_do_not_occur_change_nothing(data: st.DataObject) -> None:
    query = data.draw(queries(data.draw(HEAD)))
    for name in ARITIES.keys() - names_in(query):
        assert delta(query, name) == Empty(schema_of(delta(query, name)))


@given(st.data())
def test_delta_of_a_triangle_query_is_the_papers(data: st.DataObject) -> None:
    """δ△(F) = Σ δR(α,β) · S(β,c) · T(c,α) for a single-tuple update, and likewise for S and T."""
    ring, free, changed = data.draw(rings()), data.draw(HEAD), data.draw(st.sampled_from(RELATIONS))
    before = data.draw(databases(ring, DOMAIN))
    row = tuple(data.draw(st.sampled_from(DOMAIN)) for _ in range(2))
    update = relation(SCHEMAS[changed], ring, [(row, ring.one)])
    found = evaluate(delta(triangle_query(free), changed), {**before, change(changed): update})
    literal = relation("ABC", ring, [])
    for a, b, c in product(DOMAIN, repeat=3):
        at = {"A": a, "B": b, "C": c}
        m = ring.one
        for name in RELATIONS:
            factor = update if name == changed else before[name]
            m = m * factor(tuple(at[variable] for variable in SCHEMAS[name]))
        literal = literal + relation("ABC", ring, [((a, b, c), m)])
    assert found == literal.sum_to(free)


class WithoutCrossTerm:
    """A planted bug: the product rule without δQ₁ · δQ₂."""

    @staticmethod
    def delta(query: Product, changed: str) -> Expression:
        return plus(
            Product(delta(query.left, changed), query.right), Product(query.left, delta(query.right, changed))
        )


def test_a_planted_bug_in_the_product_rule_shows_on_a_self_join() -> None:
    square = Product(Symbol("U", "A"), Symbol("U", "A"))
    one = relation("A", INTEGERS, [((0,), 1)])
    given_relations = {"U": one, change("U"): one}
    assert evaluate(square, {"U": one + one})((0,)) == 4
    assert 1 + evaluate(delta(square, "U"), given_relations)((0,)) == 4
    assert 1 + evaluate(WithoutCrossTerm.delta(square, "U"), given_relations)((0,)) == 3


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (Symbol("R", "AB"), Symbol("δR", "AB")),
        (Symbol("S", "AB"), Empty("AB")),
        (Empty("A"), Empty("A")),
        (SumTo(Symbol("R", "AB"), "A"), SumTo(Symbol("δR", "AB"), "A")),
        (SumTo(Symbol("S", "AB"), "A"), Empty("A")),
        (Plus(Symbol("R", "AB"), Symbol("S", "AB")), Symbol("δR", "AB")),
        (Product(Symbol("R", "AB"), Symbol("S", "BC")), Product(Symbol("δR", "AB"), Symbol("S", "BC"))),
        (Product(Symbol("S", "AB"), Symbol("S", "BC")), Empty("ABC")),
    ],
    ids=str,
)
def test_delta_rules_one_by_one(query: Expression, expected: Expression) -> None:
    assert delta(query, "R") == expected


def test_empty_queries_evaluate_to_nothing() -> None:
    given_relations = {"R": relation("AB", INTEGERS, [((1, 2), 3)])}
    found = evaluate(Plus(Symbol("R", "AB"), Empty("BA")), given_relations)
    assert found.entries == {(1, 2): 3}
    assert evaluate(Empty(VARIABLES), given_relations) == relation(VARIABLES, INTEGERS)
