"""A plan's tables, resolved for the inner loops: what an update to one relation looks at.

>>> task = Task(Upkeep(0, True, None, (0, 1)), closing=2, summed=None, kept=None)
>>> task.any_status, task.buckets
(True, [0, 1])
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Generic

from ivme.kernel.parts import bucket_bit
from ivme.kernel.plan import Plan, Upkeep
from ivme.kernel.storage.interface import KeptTree, StoredRelation, SummedTree
from ivme_spec.rings import P

if TYPE_CHECKING:
    from mypy_extensions import i64


class Task(Generic[P]):
    """An `Upkeep` of the plan with its tree, of which there is one kind or the other."""

    def __init__(
        self, upkeep: Upkeep, closing: int, summed: SummedTree[P] | None, kept: KeptTree | None
    ) -> None:
        self.summed = summed
        self.kept = kept
        self.closing = closing
        self.forward = upkeep.forward
        self.any_status = upkeep.known is None
        self.status = upkeep.known or 0
        self.buckets = list(upkeep.buckets)


class Move(Generic[P]):
    """What a value's change of class does to the view trees: its tuples go from part `old` to part `new`.

    `leave` and `enter` are done tuple by tuple. Summed trees have shortcuts: where the value is the tree's
    middle variable, all its tuples are joined with the same partners at once (`leave_at_once`,
    `enter_at_once`); where it is the first, and its tuples leave, its row of sums is dropped (`drop`).
    """

    def __init__(self, old: int, new: int, gone: list[Task[P]], come: list[Task[P]]) -> None:
        first_column = old // 2 != new // 2
        self.drop = [task for task in gone if task.kept is None and first_column and task.forward]
        self.leave_at_once = [task for task in gone if task.kept is None and first_column != task.forward]
        self.enter_at_once = [task for task in come if task.kept is None and first_column != task.forward]
        self.leave = [task for task in gone if task not in self.drop and task not in self.leave_at_once]
        self.enter = [task for task in come if task not in self.enter_at_once]


class Side(Generic[P]):
    """What an update to relation i looks at: its partners, and its part of the plan's tables.

    `listed[code]` is a mask of buckets (`bucket_bit`); `enter[part]` are the tasks of a part;
    `moves[transition]` the difference between two parts; `summed` or `kept` is the tree that relation i
    closes, if any.
    """

    def __init__(
        self,
        plan: Plan,
        i: int,
        order: tuple[int, ...],
        relations: list[StoredRelation[P]],
        summed: Mapping[int, SummedTree[P]],
        kept: Mapping[int, KeptTree],
    ) -> None:
        self.following, self.previous = relations[(i + 1) % 3], relations[(i + 2) % 3]
        self.bound_z = (i + 2) % 3 not in order
        self.listed: list[int] = [
            sum([bucket_bit(second, first) for second, first in buckets]) for buckets in plan.listed[i]
        ]
        table = plan.upkeep[i]
        self.enter: list[list[Task[P]]] = [
            [
                Task(upkeep, plan.trees[upkeep.tree].closing, summed.get(upkeep.tree), kept.get(upkeep.tree))
                for upkeep in part
            ]
            for part in table
        ]
        self.moves: list[Move[P]] = []
        for old in range(4):
            for new in range(4):
                gone = [self.enter[old][n] for n, upkeep in enumerate(table[old]) if upkeep not in table[new]]
                come = [self.enter[new][n] for n, upkeep in enumerate(table[new]) if upkeep not in table[old]]
                self.moves.append(Move(old, new, gone, come))
        closed = plan.closed_by[i]
        self.summed: SummedTree[P] | None = None if closed is None else summed.get(closed)
        self.kept: KeptTree | None = None if closed is None else kept.get(closed)

    def reaches(self, task: Task[P], middle: i64) -> bool:
        """Whether the partners of a tree's middle value are in the part that the tree joins.  Cost: O(1)."""
        if task.any_status:
            return True
        status = self.following.status(0, middle) if task.forward else self.previous.status(1, middle)
        return task.status == status

    def partners(self, task: Task[P], middle: i64, bucket: i64) -> i64:
        """The length of the row or column of a tree's middle value that its tuples are joined with.

        Cost: O(1).
        """
        if task.forward:
            return self.following.length(0, middle, bucket)
        return self.previous.length(1, middle, bucket)
