"""The query language and its delta rules.

Paper: sec:data_model, "Query Language" and "Updates and Delta Queries". A query is a relation symbol, a
product, a sum over variables, or an addition of two queries; `delta` is the paper's table of rules, row by
row. Evaluation follows the definition and promises nothing about time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from attrs import frozen

from ivme_spec.relations import Relation, relation
from ivme_spec.rings import P

F = TypeVar("F")


@frozen
class Symbol:
    """K(x): a relation, a relation part or an update, by its name."""

    name: str
    schema: str


@frozen
class Empty:
    """The relation that maps every tuple to 0."""

    schema: str


@frozen
class Product:
    """Q₁(x₁) · Q₂(x₂)."""

    left: Expression
    right: Expression


@frozen
class SumTo:
    """Σ over the variables of the body that are not in `schema`."""

    body: Expression
    schema: str


@frozen
class Plus:
    """Q₁(x) + Q₂(x)."""

    left: Expression
    right: Expression


Expression = Symbol | Empty | Product | SumTo | Plus


def schema_of(query: Expression) -> str:
    """The free variables of a query, in order."""
    match query:
        case Product(left, right):
            first = schema_of(left)
            return first + "".join(variable for variable in schema_of(right) if variable not in first)
        case Plus(left, _):
            return schema_of(left)
        case _:
            return query.schema


def evaluate(query: Expression, relations: Mapping[str, Relation[P]]) -> Relation[P]:
    """The result of a query on named relations, by definition."""
    match query:
        case Symbol(name, schema):
            found = relations[name]
            return Relation(schema, found.ring, found.entries)
        case Empty(schema):
            return relation(schema, next(iter(relations.values())).ring)
        case Product(left, right):
            return evaluate(left, relations) * evaluate(right, relations)
        case SumTo(body, schema):
            return evaluate(body, relations).sum_to(schema)
        case Plus(left, right):
            return evaluate(left, relations) + evaluate(right, relations)


def change(name: str) -> str:
    """The name under which `evaluate` looks for the update to a relation: δ and its name."""
    return "δ" + name


def delta(query: Expression, changed: str) -> Expression:
    """δQ under an update to the relation named `changed`: the paper's table, one case for each row.

    Q(D + δ) = Q(D) + δQ(D, δ), where δQ refers to the old relations and to `change(changed)`.
    """
    match query:
        case Product(left, right):
            d_left, d_right = delta(left, changed), delta(right, changed)
            return _sum_of_products(product_rule(left, d_left, right, d_right), schema_of(query))
        case SumTo(body, schema):
            d_body = delta(body, changed)
            return Empty(schema) if isinstance(d_body, Empty) else SumTo(d_body, schema)
        case Plus(left, right):
            return plus(delta(left, changed), delta(right, changed))
        case Symbol(name, schema) if name == changed:
            return Symbol(change(name), schema)
        case _:
            return Empty(schema_of(query))


def product_rule(left: F, d_left: F, right: F, d_right: F) -> list[tuple[F, F]]:
    """The products that add up to δ(Q₁·Q₂) = δQ₁·Q₂ + Q₁·δQ₂ + δQ₁·δQ₂."""
    return [(d_left, right), (left, d_right), (d_left, d_right)]


def plus(left: Expression, right: Expression) -> Expression:
    """Q₁ + Q₂, without the empty one."""
    if isinstance(left, Empty):
        return right
    return left if isinstance(right, Empty) else Plus(left, right)


def _sum_of_products(terms: list[tuple[Expression, Expression]], schema: str) -> Expression:
    result: Expression = Empty(schema)
    for left, right in terms:
        if not isinstance(left, Empty) and not isinstance(right, Empty):
            result = plus(result, Product(left, right))
    return result
