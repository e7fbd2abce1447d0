"""Views: the skew-aware ones cover every combination of parts once and add up to the query."""

from itertools import product
from random import Random
from typing import Any

import pytest

from ivme_spec.algebra import evaluate
from ivme_spec.bounds import CONSTANT
from ivme_spec.partitions import Partition, matching_parts, part_names, union_of
from ivme_spec.queries import canonical, triangle_query
from ivme_spec.relations import RELATIONS, SCHEMAS, Relation, relation, restrict
from ivme_spec.rings import NATURALS, Ring
from ivme_spec.views import (
    COUNT_DOUBLE,
    COUNT_SINGLE,
    DECOMPOSITIONS,
    TERNARY,
    UNARY,
    Decomposition,
    Pattern,
    View,
    decomposition_for,
    define,
    rotate,
)
from tests.strategies import ALL_HEADS, DOMAIN, RINGS

TURNED = [rotate(decomposition, turns) for decomposition in DECOMPOSITIONS for turns in range(3)]
each_decomposition = pytest.mark.parametrize(
    "decomposition", TURNED, ids=[f"{d.label}-{turns}" for d in DECOMPOSITIONS for turns in range(3)]
)
each_ring = pytest.mark.parametrize("ring_name", RINGS)
Partitions = dict[str, Partition[Any]]


def random_partitions(rng: Random, decomposition: Decomposition, ring: Ring[Any]) -> Partitions:
    """Relations with the tuples dealt to any parts: that views add up does not depend on degrees."""
    partitions: Partitions = {}
    for name, schema in SCHEMAS.items():
        parts = part_names(name in decomposition.double)
        rows: dict[str, list[tuple[Any, Any]]] = {part: [] for part in (*parts, "absent")}
        for row in product(DOMAIN, repeat=2):
            rows[rng.choice(list(rows))].append((row, ring.lift(rng.randint(1, 3))))
        partitions[name] = {part: relation(schema, ring, rows[part]) for part in parts}
    return partitions


def whole(parts: Partitions) -> dict[str, Relation[Any]]:
    return {name: union_of(parts[name], SCHEMAS[name]) for name in RELATIONS}


def covered_by(decomposition: Decomposition) -> list[Pattern]:
    """The superscripts of the skew-aware views; in the count query the trees are auxiliary."""
    listed = [view.parts for view in decomposition.listed]
    return listed + ([] if decomposition.head == "" else [tree.parts for tree in decomposition.trees])


def cover_counts(decomposition: Decomposition, patterns: list[Pattern]) -> set[int]:
    """How often the combinations of parts are covered, without `Decomposition.covers`."""

    def expand(pattern: Pattern) -> set[tuple[str, ...]]:
        return set(
            product(
                *(
                    matching_parts(component or "ALL", name in decomposition.double)
                    for name, component in zip(RELATIONS, pattern, strict=True)
                )
            )
        )

    expanded = [expand(pattern) for pattern in patterns]
    return {sum(each in cover for cover in expanded) for each in decomposition.combinations()}


@each_decomposition
def test_every_combination_of_parts_is_covered_exactly_once(decomposition: Decomposition) -> None:
    patterns = covered_by(decomposition)
    assert cover_counts(decomposition, patterns) == {1}
    for combination in decomposition.combinations():
        assert sum(decomposition.covers(pattern, combination) for pattern in patterns) == 1
    for dropped in range(len(patterns)):  # a planted bug for each view: without it the cover has a hole
        assert cover_counts(decomposition, patterns[:dropped] + patterns[dropped + 1 :]) != {1}


@pytest.mark.parametrize("count", [COUNT_SINGLE, COUNT_DOUBLE], ids=lambda d: d.label)
def test_trees_of_the_count_query_overlap_nowhere(count: Decomposition) -> None:
    assert cover_counts(count, [tree.parts for tree in count.trees]) == {0, 1}


@each_decomposition
@each_ring
def test_skew_aware_views_add_up_to_the_query(
    decomposition: Decomposition, ring_name: str, rng: Random
) -> None:
    ring = RINGS[ring_name]
    parts = random_partitions(rng, decomposition, ring)
    total = relation(decomposition.head, ring)
    for pattern in covered_by(decomposition):
        total = total + define(View("", decomposition.head, pattern, CONSTANT), decomposition, parts)
    assert total == evaluate(triangle_query(decomposition.head), whole(parts))


@each_decomposition
@each_ring
def test_the_views_of_a_tree_are_built_from_each_other(
    decomposition: Decomposition, ring_name: str, rng: Random
) -> None:
    """The hat of a view is its sum, and the root is the join below it times the closing relation."""
    parts = random_partitions(rng, decomposition, RINGS[ring_name])
    for tree in decomposition.trees:
        contents = {view.name: define(view, decomposition, parts) for view in tree.views}
        names = {view.name: view for view in tree.views}
        for name, view in names.items():
            plain = name.replace("v_hat_", "v_")
            if plain != name:
                assert contents[name] == contents[plain].sum_to(view.head)
        (closing,) = [n for n, part in zip(RELATIONS, tree.views[0].parts, strict=True) if part is None]
        component = tree.parts[RELATIONS.index(closing)]
        assert component is not None
        closed = contents[tree.views[0].name] * union_of(parts[closing], SCHEMAS[closing], component)
        if tree.root.name != tree.views[0].name:
            assert contents[tree.root.name] == closed.sum_to(tree.root.head)
        assert closed.sum_to(decomposition.head) == define(
            View("", decomposition.head, tree.parts, CONSTANT), decomposition, parts
        )


def test_some_definitions_equal_loops_written_by_hand(rng: Random) -> None:
    def loops(head: str, parts: Partitions, r: list[str], s: list[str], t: list[str]) -> dict[Any, int]:
        """Σ over the parts listed; an empty list stands for a relation that does not occur."""

        def value(name: str, of: list[str], row: tuple[Any, Any]) -> int:
            return sum(parts[name][part](row) for part in of) if of else 1

        sums: dict[Any, int] = {}
        bound = "".join(v for v, used in zip("ABC", (r or t, r or s, s or t), strict=True) if used)
        for values in product(DOMAIN, repeat=len(bound)):
            at = dict(zip(bound, values, strict=True))
            a, b, c = (at.get(variable) for variable in "ABC")
            m = value("R", r, (a, b)) * value("S", s, (b, c)) * value("T", t, (c, a))
            row = restrict(values, bound, head)
            sums[row] = sums.get(row, 0) + m
        return {row: m for row, m in sums.items() if m}

    def check(decomposition: Decomposition, name: str, head: str, r: str, s: str, t: str) -> None:
        parts = random_partitions(rng, decomposition, NATURALS)
        (view,) = [view for view in decomposition.views if view.name == name]
        expected = loops(head, parts, r.split(), s.split(), t.split())
        found = define(view, decomposition, parts)
        assert (found.schema, found.entries) == (head, expected)

    check(COUNT_SINGLE, "v_rs", "AC", "H", "L", "")
    check(COUNT_SINGLE, "v_st", "BA", "", "H", "L")
    check(COUNT_DOUBLE, "v_tr", "CB", "LH", "", "HL")
    check(UNARY, "tri1_ll_all_h", "A", "LL", "H L", "HH HL")
    check(UNARY, "v_tr", "CAB", "LH", "", "HL")
    check(UNARY, "v_lh_all_hl", "BC", "LH", "H L", "HL")
    check(decomposition_for("AB"), "v_hat_l_all_hl", "C", "L", "HH HL LH LL", "HL")
    check(decomposition_for("AB"), "v_rs", "ABC", "H", "LH", "")
    check(TERNARY, "v_hat_st", "BA", "", "H", "L")
    # △(b,c) is △(a,b) turned once: R → S, S → T, T → R, so T and R are double partitioned
    check(decomposition_for("BC"), "v_rs", "BCA", "", "H", "LH")
    check(decomposition_for("BC"), "tri2_l_all_hh", "BC", "HH", "L", "HH HL LH LL")


@pytest.mark.parametrize("free", ALL_HEADS)
def test_every_head_has_its_decomposition(free: str) -> None:
    found = decomposition_for(free)
    assert set(found.head) == set(free)
    base, turns = canonical(free)
    by_base = {"": COUNT_SINGLE, "A": UNARY, "ABC": TERNARY}
    if base in by_base:
        assert found == rotate(by_base[base], turns)
    assert len({view.name for view in found.views}) == len(found.views)


def test_double_partitioning_of_the_count_query() -> None:
    assert decomposition_for("") == COUNT_SINGLE
    assert decomposition_for("", "double") == COUNT_DOUBLE
    assert decomposition_for("A", "double") == UNARY


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS, ids=lambda d: d.label)
def test_three_turns_lead_back(decomposition: Decomposition) -> None:
    assert rotate(decomposition, 3) == rotate(decomposition, 0) == decomposition
    assert rotate(rotate(decomposition, 1), 2) == decomposition


@pytest.mark.parametrize(
    ("decomposition", "listed", "trees"),
    list(zip(DECOMPOSITIONS, (1, 1, 4, 4, 2), (3, 3, 7, 10, 9), strict=True)),
    ids=[d.label for d in DECOMPOSITIONS],
)
def test_the_figures_have_so_many_views(decomposition: Decomposition, listed: int, trees: int) -> None:
    assert len(decomposition.listed) == listed
    assert sum(len(tree.views) for tree in decomposition.trees) == trees
