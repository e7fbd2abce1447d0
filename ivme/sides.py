"""The tables of a plan (`ivme.plan`) as the engine's inner loops want them."""

from __future__ import annotations

from typing import Generic

from ivme.plan import Plan, Upkeep
from ivme.storage import RelationIndex
from ivme.trees import KeptTree, SummedTree
from ivme_spec.rings import P


class Task:
    """An `Upkeep` of the plan, ready for the inner loop; `known` is −1 for any status."""

    def __init__(self, upkeep: Upkeep, closing: int) -> None:
        self.tree = upkeep.tree
        self.closing = closing
        self.forward = upkeep.forward
        self.known = -1 if upkeep.known is None else upkeep.known
        self.buckets = list(upkeep.buckets)


class Side(Generic[P]):
    """What an update to relation i looks at: its partners, and the plan's tables as inner loops want them.

    `listed[code]` has bit 2·row_second + column_first for each listed combination; `enter[part]` are the
    tasks of a part, `move[4·old + new]` those of part `new` that part `old` does not have. `summed` and
    `kept` are the tree that relation i closes: there is at most one.
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
        self.enter = [[Task(upkeep, plan.trees[upkeep.tree].closing) for upkeep in part] for part in table]
        self.move: list[list[Task]] = []
        for old in range(4):
            for new in range(4):
                changed = [n for n, upkeep in enumerate(table[new]) if upkeep not in table[old]]
                self.move.append([self.enter[new][n] for n in changed])
        self.summed: SummedTree[P] | None = None
        for index in plan.summed_by[i]:
            self.summed = summed[index]
        self.kept: KeptTree | None = None
        for index in plan.kept_by[i]:
            self.kept = kept[index]
