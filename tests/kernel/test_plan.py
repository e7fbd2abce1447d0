"""The tables of a plan say what the paper's view-definition figures say."""

from itertools import product

import pytest

from ivme.kernel.parts import HEAVY, LIGHT, code
from ivme.kernel.parts import part as part_index
from ivme.kernel.plan import Plan, compile_plan
from ivme_spec.views import DECOMPOSITIONS, Decomposition

LETTERS = {"H": HEAVY, "L": LIGHT}

each_decomposition = pytest.mark.parametrize("decomposition", DECOMPOSITIONS, ids=lambda d: str(d.label))


def statuses(part: str) -> tuple[int, int]:
    """The two statuses of a part; a single-partitioned relation has LIGHT for the second."""
    return LETTERS[part[0]], LETTERS[part[1]] if len(part) > 1 else LIGHT


def trees_of(decomposition: Decomposition, combination: tuple[str, str, str]) -> list[int]:
    return [
        index
        for index, tree in enumerate(decomposition.trees)
        if decomposition.covers(tree.parts, combination)
    ]


@each_decomposition
def test_an_update_meets_every_combination_exactly_once(decomposition: Decomposition) -> None:
    """By a kept tree, by the lookup in a summed tree that the relation closes, or in the list: never two."""
    plan = compile_plan(decomposition)
    for combination, i in product(decomposition.combinations(), range(3)):
        parts = [statuses(part) for part in combination]
        following, previous = parts[(i + 1) % 3], parts[(i + 2) % 3]
        at, bucket = code(*parts[i], following[0], previous[1]), (following[1], previous[0])
        covering = trees_of(decomposition, combination)
        assert len(covering) <= 1
        kept = [tree for other, tree in plan.held[i][at] if other == bucket]
        closed = [tree for tree in covering if tree == plan.closed_by[i] and not plan.trees[tree].is_kept]
        assert kept == [tree for tree in covering if plan.trees[tree].is_kept]
        assert plan.listed[i][at].count(bucket) == (0 if kept or closed else 1)


@each_decomposition
def test_no_table_has_an_entry_that_no_combination_has(decomposition: Decomposition) -> None:
    plan = compile_plan(decomposition)
    combinations = len(list(decomposition.combinations()))
    for i in range(3):
        listed, kept = sum(map(len, plan.listed[i])), sum(map(len, plan.held[i]))
        closed = sum(
            1
            for combination in decomposition.combinations()
            for tree in trees_of(decomposition, combination)
            if tree == plan.closed_by[i] and not plan.trees[tree].is_kept
        )
        assert listed + kept + closed == combinations


@each_decomposition
def test_a_tree_is_kept_iff_its_root_is_not_over_the_head(decomposition: Decomposition) -> None:
    plan = compile_plan(decomposition)
    for tree, written in zip(plan.trees, decomposition.trees, strict=True):
        assert tree.is_kept == (
            decomposition.head != "" and set(written.root.head) != set(decomposition.head)
        )
        assert written.parts[tree.closing] == "ALL"
        assert [tree.index == closed for closed in plan.closed_by] == [i == tree.closing for i in range(3)]


def joins(plan: Plan, tree: int, i: int, part: str, partner: str) -> bool:
    """Whether a tuple in a part of relation i goes into a tree together with one in a part of its partner."""
    for task in plan.upkeep[i][part_index(*statuses(part))]:
        known, bucket = statuses(partner) if task.forward else statuses(partner)[::-1]
        if task.tree == tree and task.known in (None, known) and bucket in task.buckets:
            return True
    return False


@each_decomposition
def test_upkeep_joins_the_parts_of_the_tree_and_no_others(decomposition: Decomposition) -> None:
    plan = compile_plan(decomposition)
    for tree, combination in product(plan.trees, decomposition.combinations()):
        left, right = tree.first, (tree.first + 1) % 3
        pattern = list(decomposition.trees[tree.index].parts)
        covered = decomposition.covers((pattern[0], pattern[1], pattern[2]), combination)
        assert joins(plan, tree.index, left, combination[left], combination[right]) == covered
        assert joins(plan, tree.index, right, combination[right], combination[left]) == covered
        assert not any(
            task.tree == tree.index
            for task in plan.upkeep[tree.closing][part_index(*statuses(combination[tree.closing]))]
        )


def test_the_five_plans() -> None:
    found = [
        (
            plan.arity,
            "".join(map(str, plan.partitioned)),
            "".join("k" if tree.is_kept else "s" for tree in plan.trees),
        )
        for plan in map(compile_plan, DECOMPOSITIONS)
    ]
    assert found == [
        (0, "111", "sss"),
        (0, "222", "sss"),
        (1, "212", "ssk"),
        (2, "122", "ksk"),
        (3, "111", "kkk"),
    ]
