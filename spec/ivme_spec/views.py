"""Every materialized view of the paper, as data.

Paper: fig:view_definitions (count), fig:view_definitions_double_partitioning (count, double partitioning),
fig:view_definitions_unary, fig:view_definitions_binary, fig:view_definitions_full (ternary). By the paper's
"Notation", a view V^{rst} is determined by its free variables and by the parts of R, S and T that it joins:

    V(head) = Σ over the other variables of R^r · S^s · T^t

A component is a part name, "ALL" for the box (the whole relation), or None where the relation does not occur;
"H" and "L" on a double-partitioned relation sum over the second letter. Typos in the figures are corrected
as in ERRATA, section C.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from attrs import evolve, frozen

from ivme_spec.algebra import Expression, Plus, Product, SumTo, Symbol, evaluate
from ivme_spec.bounds import (
    CONSTANT,
    HEAVY_JOIN,
    HEAVY_PAIRS,
    HEAVY_VALUES,
    JOIN,
    LINEAR,
    TRIANGLES,
    Bound,
)
from ivme_spec.partitions import Partition, matching_parts, part_names
from ivme_spec.queries import Partitioning, canonical, rotate_variables
from ivme_spec.relations import RELATIONS, SCHEMAS, Relation
from ivme_spec.rings import P

Pattern = tuple[str | None, str | None, str | None]
"""The superscript of a view: a component for each of R, S and T."""


@frozen
class View:
    """One materialized view: its name in code, free variables, superscript and size bound."""

    name: str
    head: str
    parts: Pattern
    space: Bound

    def query(self, double: frozenset[str]) -> Expression:
        """The definition as a query over relation parts, which are named like "R^HL"."""
        body: Expression | None = None
        for relation, pattern in zip(RELATIONS, self.parts, strict=True):
            if pattern is not None:
                factor = _sum_of_parts(relation, matching_parts(pattern, relation in double))
                body = factor if body is None else Product(body, factor)
        assert body is not None, "a view joins at least one relation"
        return SumTo(body, self.head)


def part_symbol(relation: str, part: str) -> str:
    """The name of a relation part in queries: R and HL give "R^HL"."""
    return f"{relation}^{part}"


def _sum_of_parts(relation: str, parts: tuple[str, ...]) -> Expression:
    total: Expression = Symbol(part_symbol(relation, parts[0]), SCHEMAS[relation])
    for part in parts[1:]:
        total = Plus(total, Symbol(part_symbol(relation, part), SCHEMAS[relation]))
    return total


@frozen
class ViewTree:
    """A view tree: the skew-aware view that it represents, and its views from the join up to the root."""

    parts: Pattern
    views: tuple[View, ...]

    @property
    def root(self) -> View:
        """The topmost view over two variables, or over the head: the last one without a hat."""
        return next(view for view in reversed(self.views) if "hat" not in view.name)


@frozen
class Decomposition:
    """How the paper maintains one triangle query: a view-definition figure.

    The relations in `double` are double partitioned, the others single partitioned on their first variable.
    `listed` are the skew-aware views materialized over the head; `trees` cover the others. Together they
    cover every combination of parts exactly once. (In the count query all of △₀ is one listed view, and
    the trees are auxiliary: they speed up its deltas.)
    """

    label: str
    head: str
    double: frozenset[str]
    listed: tuple[View, ...]
    trees: tuple[ViewTree, ...]

    @property
    def views(self) -> tuple[View, ...]:
        """All materialized views."""
        return (*self.listed, *(view for tree in self.trees for view in tree.views))

    def combinations(self) -> Iterator[tuple[str, str, str]]:
        """Every combination of a part of R, of S and of T."""
        yield from product(*(part_names(relation in self.double) for relation in RELATIONS))

    def covers(self, parts: Pattern, combination: tuple[str, str, str]) -> bool:
        """Whether a superscript stands for a combination of parts."""
        return all(
            pattern is None or part in matching_parts(pattern, relation in self.double)
            for relation, pattern, part in zip(RELATIONS, parts, combination, strict=True)
        )


def define(view: View, decomposition: Decomposition, partitions: Mapping[str, Partition[P]]) -> Relation[P]:
    """The contents that a view must have on given partitions of R, S and T."""
    parts = {
        part_symbol(relation, part): contents
        for relation, partition in partitions.items()
        for part, contents in partition.items()
    }
    return evaluate(view.query(decomposition.double), parts)


# --- the figures ----------------------------------------------------------------------------------------


def _name(prefix: str, parts: Pattern) -> str:
    return "_".join([prefix, *(part.lower() for part in parts if part is not None)])


def _listed(arity: int, parts: Pattern, space: Bound) -> View:
    return View(_name(f"tri{arity}", parts), "ABC"[:arity], parts, space)


def _root(head: str, parts: Pattern, space: Bound) -> View:
    return View(_name("v", parts), head, parts, space)


COUNT_SINGLE = Decomposition(
    "fig:view_definitions",
    "",
    frozenset(),
    listed=(View("tri0", "", ("ALL", "ALL", "ALL"), CONSTANT),),
    trees=(
        ViewTree(("H", "L", "ALL"), (View("v_rs", "AC", ("H", "L", None), JOIN),)),
        ViewTree(("ALL", "H", "L"), (View("v_st", "BA", (None, "H", "L"), JOIN),)),
        ViewTree(("L", "ALL", "H"), (View("v_tr", "CB", ("L", None, "H"), JOIN),)),
    ),
)

COUNT_DOUBLE = Decomposition(
    "fig:view_definitions_double_partitioning",
    "",
    frozenset("RST"),
    listed=(View("tri0", "", ("ALL", "ALL", "ALL"), CONSTANT),),
    trees=(
        ViewTree(("HL", "LH", "ALL"), (View("v_rs", "AC", ("HL", "LH", None), HEAVY_JOIN),)),
        ViewTree(("ALL", "HL", "LH"), (View("v_st", "BA", (None, "HL", "LH"), HEAVY_JOIN),)),
        ViewTree(("LH", "ALL", "HL"), (View("v_tr", "CB", ("LH", None, "HL"), HEAVY_JOIN),)),
    ),
)

UNARY = Decomposition(
    "fig:view_definitions_unary",
    "A",
    frozenset("RT"),
    listed=(
        _listed(1, ("H", "H", "H"), HEAVY_VALUES),
        _listed(1, ("L", "L", "L"), LINEAR),
        _listed(1, ("LL", "ALL", "H"), LINEAR),
        _listed(1, ("LH", "ALL", "HH"), HEAVY_VALUES),
    ),
    trees=(
        ViewTree(
            ("H", "L", "ALL"),
            (
                View("v_rs", "AC", ("H", "L", None), JOIN),
                _root("A", ("H", "L", "ALL"), HEAVY_VALUES),
            ),
        ),
        ViewTree(
            ("ALL", "H", "L"),
            (
                View("v_st", "BA", (None, "H", "L"), JOIN),
                _root("A", ("ALL", "H", "L"), LINEAR),
            ),
        ),
        ViewTree(
            ("LH", "ALL", "HL"),
            (
                View("v_tr", "CAB", ("LH", None, "HL"), JOIN),
                View("v_hat_tr", "CB", ("LH", None, "HL"), HEAVY_JOIN),
                _root("BC", ("LH", "ALL", "HL"), HEAVY_PAIRS),
            ),
        ),
    ),
)

BINARY = Decomposition(
    "fig:view_definitions_binary",
    "AB",
    frozenset("ST"),
    listed=(
        _listed(2, ("H", "H", "H"), HEAVY_PAIRS),
        _listed(2, ("L", "L", "L"), LINEAR),
        _listed(2, ("H", "LL", "ALL"), LINEAR),
        _listed(2, ("L", "ALL", "HH"), LINEAR),
    ),
    trees=(
        ViewTree(
            ("H", "LH", "ALL"),
            (
                View("v_rs", "ABC", ("H", "LH", None), JOIN),
                View("v_hat_rs", "AC", ("H", "LH", None), JOIN),
                _root("AC", ("H", "LH", "ALL"), LINEAR),
                View("v_hat_h_lh_all", "C", ("H", "LH", "ALL"), HEAVY_VALUES),
            ),
        ),
        ViewTree(
            ("ALL", "H", "L"),
            (
                View("v_st", "BA", (None, "H", "L"), JOIN),
                _root("AB", ("ALL", "H", "L"), LINEAR),
            ),
        ),
        ViewTree(
            ("L", "ALL", "HL"),
            (
                View("v_tr", "CAB", ("L", None, "HL"), JOIN),
                View("v_hat_tr", "CB", ("L", None, "HL"), JOIN),
                _root("BC", ("L", "ALL", "HL"), LINEAR),
                View("v_hat_l_all_hl", "C", ("L", "ALL", "HL"), HEAVY_VALUES),
            ),
        ),
    ),
)


def _ternary_tree(pair: str, join_head: str, join: Pattern, root_head: str, parts: Pattern) -> ViewTree:
    return ViewTree(
        parts,
        (
            View(f"v_{pair}", join_head, join, JOIN),
            View(f"v_hat_{pair}", join_head[0] + join_head[2], join, JOIN),
            _root(root_head, parts, LINEAR),
        ),
    )


TERNARY = Decomposition(
    "fig:view_definitions_full",
    "ABC",
    frozenset(),
    listed=(
        _listed(3, ("H", "H", "H"), TRIANGLES),
        _listed(3, ("L", "L", "L"), TRIANGLES),
    ),
    trees=(
        _ternary_tree("rs", "ABC", ("H", "L", None), "AC", ("H", "L", "ALL")),
        _ternary_tree("st", "BCA", (None, "H", "L"), "AB", ("ALL", "H", "L")),
        _ternary_tree("tr", "CAB", ("L", None, "H"), "BC", ("L", "ALL", "H")),
    ),
)

DECOMPOSITIONS = (COUNT_SINGLE, COUNT_DOUBLE, UNARY, BINARY, TERNARY)
"""The five decompositions of the paper."""


def rotate(decomposition: Decomposition, turns: int) -> Decomposition:
    """The decomposition of a rotated head: variables A → B → C → A, relations R → S → T → R.

    Views keep the canonical names: v_rs of a rotated decomposition joins what R and S turn into.
    """

    def turn_view(view: View) -> View:
        return evolve(view, head=rotate_variables(view.head, turns), parts=_turn_parts(view.parts, turns))

    return Decomposition(
        decomposition.label,
        rotate_variables(decomposition.head, turns),
        frozenset(RELATIONS[(RELATIONS.index(name) + turns) % 3] for name in decomposition.double),
        tuple(turn_view(view) for view in decomposition.listed),
        tuple(
            ViewTree(_turn_parts(tree.parts, turns), tuple(turn_view(view) for view in tree.views))
            for tree in decomposition.trees
        ),
    )


def _turn_parts(parts: Pattern, turns: int) -> Pattern:
    return (parts[-turns % 3], parts[(1 - turns) % 3], parts[(2 - turns) % 3])


def decomposition_for(free: str, partitioning: Partitioning = "single") -> Decomposition:
    """The decomposition for any head; `partitioning="double"` exists for the count query."""
    base, turns = canonical(free)
    if base == "":
        return COUNT_DOUBLE if partitioning == "double" else COUNT_SINGLE
    return rotate({"A": UNARY, "AB": BINARY, "ABC": TERNARY}[base], turns)
