"""The delta rules, and that the views add up to the query.

Paper: sec:data_model (delta queries), the view-definition figures. Every possible tuple over two values for
each variable is present, with a variable of its own: setting variables to 0, 1, 2, … gives every database and
every update, of many tuples at once too, over that domain. Evaluation in the spec has no branch that depends
on a multiplicity, so equality of polynomials is equality for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from ivme_spec.algebra import Expression, Plus, Product, SumTo, Symbol, change, delta, evaluate
from ivme_spec.partitions import part_names
from ivme_spec.queries import HEADS, triangle_query
from ivme_spec.relations import RELATIONS, SCHEMAS, Relation, relation
from ivme_spec.rings import POLYNOMIALS, Polynomial
from ivme_spec.views import DECOMPOSITIONS, Decomposition, View, define, part_symbol, rotate
from proofs.claims import Claim, Scope, require
from proofs.payloads import VALUES


def full(schema: str, name: str) -> Relation[Polynomial]:
    """Every tuple over a schema, each with a variable of its own."""
    rows = product(*(VALUES[variable] for variable in schema))
    entries = [(row, Polynomial.variable(f"{name}({','.join(row)})")) for row in rows]
    return relation(schema, POLYNOMIALS, entries)


def queries() -> Iterator[tuple[Expression, str]]:
    """Queries and the relation that changes: all triangle queries, and one that uses a relation twice."""
    for head in HEADS:
        for name in RELATIONS:
            yield triangle_query(head), name
    twice = Product(Symbol("R", "AB"), Symbol("R", "AB"))
    yield SumTo(Plus(twice, Symbol("R", "AB")), "A"), "R"


def delta_is_the_difference() -> str:
    """Q(D + δ) = Q(D) + δQ(D, δ)."""
    count = 0
    for query, changed in queries():
        old: dict[str, Relation[Polynomial]] = {name: full(SCHEMAS[name], name) for name in RELATIONS}
        old[change(changed)] = full(SCHEMAS[changed], "δ")
        new = old | {changed: old[changed] + old[change(changed)]}
        left = evaluate(query, new)
        right = evaluate(query, old) + evaluate(delta(query, changed), old)
        require(left.entries == right.entries, f"δ{query} under {changed}: {left} is not {right}")
        count += 1
    return f"{count} queries"


def views_add_up() -> str:
    """The skew-aware views of a decomposition add up to its query, whatever the parts hold."""
    count = 0
    for canonical_one in DECOMPOSITIONS:
        for turns in range(3):
            decomposition = rotate(canonical_one, turns)
            partitions: dict[str, Mapping[str, Relation[Polynomial]]] = {
                name: {
                    part: full(SCHEMAS[name], part_symbol(name, part))
                    for part in part_names(name in decomposition.double)
                }
                for name in RELATIONS
            }
            total = relation(decomposition.head, POLYNOMIALS)
            for view in skew_aware(decomposition):
                total = total + define(view, decomposition, partitions)
            whole = {name: _sum(list(parts.values())) for name, parts in partitions.items()}
            expected = evaluate(triangle_query(decomposition.head), whole)
            require(total.entries == expected.entries, f"{decomposition.label}, {turns} turns")
            count += 1
    return f"{count} decompositions"


def skew_aware(decomposition: Decomposition) -> Iterator[View]:
    """The views over the head: the listed ones and those represented by trees (not in the count query)."""
    yield from decomposition.listed
    if decomposition.head:
        for tree in decomposition.trees:
            yield View(tree.root.name, decomposition.head, tree.parts, tree.root.space)


def _sum(parts: list[Relation[Polynomial]]) -> Relation[Polynomial]:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


CLAIMS = (
    Claim(
        "delta-rules",
        "Q(D + δ) = Q(D) + δQ(D, δ) for the eight triangle queries and each relation, and with self-joins.",
        "sec:data_model (delta queries)",
        "polynomials",
        Scope.EXHAUSTIVE,
        "two values for each variable, all multiplicities, updates of many tuples",
        "—",
        ("algebra.delta", "algebra.product_rule", "algebra.evaluate"),
        delta_is_the_difference,
    ),
    Claim(
        "views-add-up",
        "The listed views and the views that the trees stand for add up to the query, for each decomposition "
        "and each rotation.",
        "fig:view_definitions and its sisters",
        "polynomials",
        Scope.EXHAUSTIVE,
        "two values for each variable, all multiplicities, any parts",
        "—",
        ("views.DECOMPOSITIONS", "views.rotate", "views.define"),
        views_add_up,
    ),
)
