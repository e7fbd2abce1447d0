"""Plans: what an update to each part of each relation has to do, as tables.

Paper: the view-definition figures (`ivme_spec.views`), compiled for one engine that serves all of them.

The triangle is a cycle. Relations are numbered 0, 1, 2; relation i has the schema (Xᵢ, Xᵢ₊₁), indices modulo
3. For an update to relation i at (x, y) the partners are always the row of y in relation i+1 and the column
of x in relation i+2, two sets of z-values.
Whether y is heavy in relation i+1 and x in relation i+2 is known at once, so a combination of parts is left
open only in the second status of the row and the first status of the column: at most four of them.

Every combination of parts is either covered by a view tree or *listed*: summed into the one head map. A tree
on relations (first, first+1), closed by relation first+2, is one of two kinds:

    summed   its root is over the head, hence part of the head map; it materializes
             V̂(x,z) = Σ_y K(x,y)·K'(y,z), so that an update to the closing relation is one lookup. Updates to
             the joined relations reach the head map like those of listed combinations.
    kept     its root is not over the head; it keeps the y-values under each (x,z) for enumeration, and the
             (x,z) that the closing relation contains. Its triangles are not in the head map.

>>> from ivme_spec.views import COUNT_SINGLE
>>> plan = compile_plan(COUNT_SINGLE)
>>> plan.partitioned, len(plan.trees), plan.listed[0][code(LIGHT, LIGHT, LIGHT, LIGHT)]
((1, 1, 1), 3, ((0, 0), (0, 1)))
"""

from __future__ import annotations

from itertools import product

from attrs import frozen

from ivme.kernel.parts import HEAVY, LIGHT, Bucket, Status, code
from ivme_spec.relations import RELATIONS
from ivme_spec.views import Decomposition, ViewTree


@frozen
class TreePlan:
    """A view tree on the relations (first, first+1), closed by relation first+2."""

    index: int
    first: int
    left: tuple[Status, Status | None]
    right: tuple[Status, Status | None]
    is_kept: bool

    @property
    def closing(self) -> int:
        return (self.first + 2) % 3


@frozen
class Upkeep:
    """An update to a joined relation reaches a tree if its partner's known status is `known` (None: any).

    The partner is the row of y in relation i+1 when `forward` (i is the tree's first relation), else the
    column of x in relation i+2; `buckets` are the statuses of z that the tree joins.
    """

    tree: int
    forward: bool
    known: Status | None
    buckets: tuple[Status, ...]


@frozen
class Plan:
    """All tables of one query.

    partitioned   the number of partitioned columns of each relation: 1 or 2, or 0 without parts
    listed        by relation and code: the listed buckets
    held          by relation and code: the buckets that kept trees hold, each with its tree
    upkeep        by relation and part
    closed_by     by relation: the tree that it closes, if any
    """

    partitioned: tuple[int, int, int]
    arity: int
    trees: tuple[TreePlan, ...]
    listed: tuple[tuple[tuple[Bucket, ...], ...], ...]
    held: tuple[tuple[tuple[tuple[Bucket, int], ...], ...], ...]
    upkeep: tuple[tuple[tuple[Upkeep, ...], ...], ...]
    closed_by: tuple[int | None, ...]


def _statuses(double: bool) -> tuple[Status, ...]:
    return (LIGHT, HEAVY) if double else (LIGHT,)


def _pattern(text: str) -> tuple[Status, Status | None]:
    """A component of a superscript, such as L or HL."""
    letters = [HEAVY if letter == "H" else LIGHT for letter in text]
    return letters[0], letters[1] if len(letters) > 1 else None


def _fits(pattern: tuple[Status, Status | None], part: Bucket) -> bool:
    return pattern[0] == part[0] and pattern[1] in (None, part[1])


def _tree_plan(index: int, tree: ViewTree) -> TreePlan:
    first = (tree.parts.index("ALL") + 1) % 3
    left, right = tree.parts[first], tree.parts[(first + 1) % 3]
    assert left is not None, "a tree's superscript names a part of each relation"
    assert right is not None, "a tree's superscript names a part of each relation"
    return TreePlan(index, first, _pattern(left), _pattern(right), is_kept=len(tree.views[0].head) == 3)


def _covering(trees: tuple[TreePlan, ...], parts: tuple[Bucket, Bucket, Bucket]) -> TreePlan | None:
    """The tree that covers a combination of parts, if any; there is at most one."""
    for tree in trees:
        if _fits(tree.left, parts[tree.first]) and _fits(tree.right, parts[(tree.first + 1) % 3]):
            return tree
    return None


def _upkeep(
    i: int, part: Bucket, trees: tuple[TreePlan, ...], double: tuple[bool, ...]
) -> tuple[Upkeep, ...]:
    found = []
    for tree in trees:
        if i == tree.first and _fits(tree.left, part):
            known, open_status = tree.right
            buckets = _statuses(double[(i + 1) % 3]) if open_status is None else (open_status,)
            found.append(Upkeep(tree.index, True, known, buckets))
        elif i == (tree.first + 1) % 3 and _fits(tree.right, part):
            found.append(Upkeep(tree.index, False, tree.left[1], (tree.left[0],)))
    return tuple(found)


def compile_plan(decomposition: Decomposition) -> Plan:
    """The tables for a decomposition of a canonical head."""
    double = (
        RELATIONS[0] in decomposition.double,
        RELATIONS[1] in decomposition.double,
        RELATIONS[2] in decomposition.double,
    )
    trees = tuple(_tree_plan(index, tree) for index, tree in enumerate(decomposition.trees))
    listed: list[list[tuple[Bucket, ...]]] = [[()] * 16 for _ in range(3)]
    held: list[list[tuple[tuple[Bucket, int], ...]]] = [[()] * 16 for _ in range(3)]
    for i in range(3):
        following, previous = (i + 1) % 3, (i + 2) % 3
        known = product((LIGHT, HEAVY), _statuses(double[i]), (LIGHT, HEAVY), _statuses(double[previous]))
        for first, second, row_first, column_second in known:
            at = code(first, second, row_first, column_second)
            for bucket in product(_statuses(double[following]), (LIGHT, HEAVY)):
                parts = {
                    i: (first, second),
                    following: (row_first, bucket[0]),
                    previous: (bucket[1], column_second),
                }
                tree = _covering(trees, (parts[0], parts[1], parts[2]))
                if tree is not None and tree.is_kept:
                    held[i][at] += ((bucket, tree.index),)
                elif tree is None or tree.closing != i:
                    listed[i][at] += (bucket,)
    return Plan(
        partitioned=(1 + double[0], 1 + double[1], 1 + double[2]),
        arity=len(decomposition.head),
        trees=trees,
        listed=tuple(map(tuple, listed)),
        held=tuple(map(tuple, held)),
        upkeep=tuple(
            tuple(_upkeep(i, part, trees, double) for part in product((LIGHT, HEAVY), (LIGHT, HEAVY)))
            for i in range(3)
        ),
        closed_by=tuple(next((tree.index for tree in trees if tree.closing == i), None) for i in range(3)),
    )
