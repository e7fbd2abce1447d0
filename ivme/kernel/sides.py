"""The tables of a plan (`ivme.kernel.plan`) as the engine's inner loops want them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic

from ivme.kernel.plan import Plan, Upkeep
from ivme.kernel.status import Status
from ivme.kernel.storage.dicts import Line, RelationIndex
from ivme.kernel.storage.trees import KeptTree, SummedTree
from ivme_spec.rings import P


class Task:
    """An `Upkeep` of the plan, ready for the inner loop; `known` is −1 for any status."""

    def __init__(self, upkeep: Upkeep, closing: int, kept: bool) -> None:
        self.tree = upkeep.tree
        self.closing = closing
        self.kept = kept
        self.forward = upkeep.forward
        self.known = -1 if upkeep.known is None else upkeep.known
        self.buckets = list(upkeep.buckets)


class Move:
    """What a value's change of class does to the view trees: its tuples go from part `old` to part `new`.

    `leave` and `enter` are done tuple by tuple. Summed trees know shortcuts: where the value is the tree's
    middle variable, all its tuples are joined with the same partners at once (`leave_at_once`,
    `enter_at_once`); where it is the first, and its tuples leave, its sums go as a whole (`drop`).
    """

    def __init__(self, old: int, new: int, gone: list[Task], come: list[Task]) -> None:
        first_column = old // 2 != new // 2
        self.drop = [task for task in gone if not task.kept and first_column and task.forward]
        self.leave_at_once = [task for task in gone if not task.kept and first_column != task.forward]
        self.enter_at_once = [task for task in come if not task.kept and first_column != task.forward]
        self.leave = [task for task in gone if task not in self.drop and task not in self.leave_at_once]
        self.enter = [task for task in come if task not in self.enter_at_once]


class Side(Generic[P]):
    """What an update to relation i looks at: its partners, and the plan's tables as inner loops want them.

    `listed[code]` has bit 2·row_second + column_first for each listed combination; `enter[part]` are the
    tasks of a part, `moves[4·old + new]` those that differ between two parts. `summed` and `kept` are the
    tree that relation i closes: there is at most one.
    """

    def __init__(
        self,
        plan: Plan,
        i: int,
        order: tuple[int, ...],
        relations: list[RelationIndex[P]],
        summed: dict[int, SummedTree[P]],
        kept: dict[int, KeptTree],
    ) -> None:
        self.following, self.previous = relations[(i + 1) % 3], relations[(i + 2) % 3]
        self.bound_z = (i + 2) % 3 not in order
        self.listed: list[int] = [
            sum([1 << (second * 2 + first) for second, first in buckets]) for buckets in plan.listed[i]
        ]
        table = plan.upkeep[i]
        self.enter: list[list[Task]] = []
        for part in table:
            trees = [plan.trees[upkeep.tree] for upkeep in part]
            self.enter.append(
                [Task(upkeep, tree.closing, tree.kept) for upkeep, tree in zip(part, trees, strict=True)]
            )
        self.moves: list[Move] = []
        for old in range(4):
            for new in range(4):
                gone = [self.enter[old][n] for n, upkeep in enumerate(table[old]) if upkeep not in table[new]]
                come = [self.enter[new][n] for n, upkeep in enumerate(table[new]) if upkeep not in table[old]]
                self.moves.append(Move(old, new, gone, come))
        self.summed: SummedTree[P] | None = None
        for index in plan.summed_by[i]:
            self.summed = summed[index]
        self.kept: KeptTree | None = None
        for index in plan.kept_by[i]:
            self.kept = kept[index]

    def reaches(self, task: Task, middle: Hashable) -> bool:
        """Whether the partners of a tree's middle value are in the part that the tree joins.  Cost: O(1)."""
        status = self.following.status(0, middle) if task.forward else self.previous.status(1, middle)
        return task.known in (-1, status)

    def partners(self, task: Task, middle: Hashable, bucket: Status) -> Line | None:
        """The row or column of a tree's middle value that its tuples are joined with.  Cost: O(1)."""
        if task.forward:
            return self.following.row(middle, bucket)
        return self.previous.column(middle, bucket)
