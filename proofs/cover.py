"""Exact cover: every combination of parts is handled exactly once, by the view that the figures say.

Paper: the view-definition figures; spec: `ivme_spec.views`; engine: `ivme.kernel.plan.compile_plan`. All of
it is finite: at most 4·4·4 combinations of parts, three rotations, five decompositions.
"""

from __future__ import annotations

from itertools import product

from ivme.kernel.parts import HEAVY, LIGHT, Bucket, Status, code, part
from ivme.kernel.plan import Plan, compile_plan
from ivme_spec.partitions import matching_parts, part_names
from ivme_spec.relations import RELATIONS
from ivme_spec.views import DECOMPOSITIONS, Decomposition, rotate
from proofs.claims import Claim, Scope, require

Combination = tuple[str, str, str]


def parts_are_covered_once() -> str:
    """Listed views and trees cover each combination once; the trees of the count query do not overlap."""
    count = 0
    for canonical_one in DECOMPOSITIONS:
        for turns in range(3):
            decomposition = rotate(canonical_one, turns)
            for combination in decomposition.combinations():
                listed = [v.name for v in decomposition.listed if decomposition.covers(v.parts, combination)]
                trees = [
                    t.root.name for t in decomposition.trees if decomposition.covers(t.parts, combination)
                ]
                what = f"{decomposition.label}, {turns} turns, {combination}: {listed + trees}"
                if decomposition.head:
                    require(len(listed) + len(trees) == 1, what)
                else:
                    require(len(listed) == 1 and len(trees) <= 1, what)
                count += 1
    return f"{count} combinations"


def status(part: str) -> Bucket:
    """The statuses in a part's name."""
    letters = [HEAVY if letter == "H" else LIGHT for letter in part]
    return letters[0], letters[1] if len(letters) > 1 else LIGHT


def tables_agree() -> str:
    """For every relation and combination: listed, or looked up in a summed tree, or kept."""
    count = 0
    for decomposition in DECOMPOSITIONS:
        plan = compile_plan(decomposition)
        for combination in decomposition.combinations():
            covering = [
                (index, plan.trees[index].is_kept)
                for index, tree in enumerate(decomposition.trees)
                if decomposition.covers(tree.parts, combination)
            ]
            for i in range(3):
                found = handlers(plan, i, combination)
                if not covering:
                    expected = ["listed"]
                elif covering[0][1]:
                    expected = [f"kept {covering[0][0]}"]
                else:
                    closes = decomposition.trees[covering[0][0]].parts[i] == "ALL"
                    expected = [f"summed {covering[0][0]}"] if closes else ["listed"]
                what = f"{decomposition.label}, {RELATIONS[i]}, {combination}: {found}, not {expected}"
                require(found == expected, what)
                count += 1
    return f"{count} cases"


def handlers(plan: Plan, i: int, combination: Combination) -> list[str]:
    """What handles an update to relation i if the three tuples of a triangle are in these parts."""
    own, row, column = (status(combination[(i + turn) % 3]) for turn in range(3))
    at, bucket = code(*own, row[0], column[1]), (row[1], column[0])
    found = ["listed" for listed in plan.listed[i][at] if listed == bucket]
    found += [f"kept {index}" for held, index in plan.held[i][at] if held == bucket]
    closed = plan.closed_by[i]
    if closed is not None and not plan.trees[closed].is_kept:
        tree = plan.trees[closed]
        left, right = (status(combination[(tree.first + turn) % 3]) for turn in range(2))
        if fits(tree.left, left) and fits(tree.right, right):
            found.append(f"summed {closed}")
    return found


def fits(pattern: tuple[Status, Status | None], part: Bucket) -> bool:
    """Whether a tree's pattern matches a part; None matches both statuses."""
    return all(wanted in (None, actual) for wanted, actual in zip(pattern, part, strict=True))


def upkeep_agrees() -> str:
    """An update to a joined relation reaches a tree iff both tuples are in the parts that it joins."""
    count = 0
    for decomposition in DECOMPOSITIONS:
        plan = compile_plan(decomposition)
        for combination in decomposition.combinations():
            for i in range(3):
                reached = sorted(reached_trees(plan, i, combination))
                expected = sorted(
                    index
                    for index, tree in enumerate(decomposition.trees)
                    if tree.parts[i] != "ALL" and joins(decomposition, index, i, combination)
                )
                what = f"{decomposition.label}, {RELATIONS[i]}, {combination}: {reached}, not {expected}"
                require(reached == expected, what)
                count += 1
        for i in range(3):
            closing = [t.index for t in plan.trees if decomposition.trees[t.index].parts[i] == "ALL"]
            closed = [index for index in [plan.closed_by[i]] if index is not None]
            require(
                closed == closing, f"{decomposition.label}: {RELATIONS[i]} closes {closing}, not {closed}"
            )
    return f"{count} cases"


def joins(decomposition: Decomposition, index: int, i: int, combination: Combination) -> bool:
    """Whether a tree joins the parts, by its superscript in the spec."""
    tree = decomposition.trees[index]
    return all(
        pattern is not None and part in matching_parts(pattern, name in decomposition.double)
        for name, pattern, part in zip(RELATIONS, tree.parts, combination, strict=True)
        if pattern != "ALL"
    )


def reached_trees(plan: Plan, i: int, combination: Combination) -> list[int]:
    """The trees that the plan's upkeep table leads to, once for each bucket that holds the partner."""
    own, row, column = (status(combination[(i + turn) % 3]) for turn in range(3))
    found = []
    for task in plan.upkeep[i][part(*own)]:
        known, bucket = (row[0], row[1]) if task.forward else (column[1], column[0])
        if task.known in (None, known):
            found += [task.tree for open_status in task.buckets if open_status == bucket]
    return found


def all_parts_are_named() -> str:
    """`combinations` really yields every part of every relation."""
    for decomposition in DECOMPOSITIONS:
        expected = set(product(*(part_names(name in decomposition.double) for name in RELATIONS)))
        require(set(decomposition.combinations()) == expected, decomposition.label)
    return f"{len(DECOMPOSITIONS)} decompositions"


CLAIMS = (
    Claim(
        "cover",
        "Each combination of parts is covered by exactly one listed view or tree (in the count query by △₀, "
        "and by at most one tree).",
        "fig:view_definitions and its sisters",
        "all cases",
        Scope.EXHAUSTIVE,
        "everything: five decompositions, three rotations",
        "—",
        ("views.DECOMPOSITIONS", "views.rotate", "matching_parts"),
        lambda: f"{all_parts_are_named()}, {parts_are_covered_once()}",
    ),
    Claim(
        "plan-tables",
        "For each relation and combination an update is either listed, or looked up in a summed tree, or "
        "kept, as the spec's decomposition says.",
        "fig:applyUpdate and its sisters",
        "all cases",
        Scope.EXHAUSTIVE,
        "everything: five plans",
        "—",
        ("compile_plan",),
        tables_agree,
    ),
    Claim(
        "plan-upkeep",
        "An update reaches a tree, and once, iff its tuple and the partner's are in the joined parts.",
        "fig:applyUpdate and its sisters",
        "all cases",
        Scope.EXHAUSTIVE,
        "everything: five plans",
        "—",
        ("compile_plan", "plan.Upkeep"),
        upkeep_agrees,
    ),
)
