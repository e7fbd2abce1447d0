"""Other ways to maintain the triangle count, on the storage and in the code of this engine.

They differ from IVM^ε in their plans, and in that nothing is rebalanced: a comparison with them is about the
algorithm.

    floor        stores each tuple twice, and answers nothing
    classical    first-order IVM: delta queries, no views: an update intersects a row with a column
    recursive    higher-order IVM: a view for each pair of relations, all of them kept up to date
    factorized   factorized IVM: one view, on S and T; updates to R are lookups
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import cast

from ivme.kernel.engine import Engine
from ivme.kernel.events import Rebalance
from ivme.kernel.plan import Plan, TreePlan, Upkeep
from ivme.kernel.storage.dicts import UNWATCHED, RelationIndex
from ivme.kernel.storage.interface import Rows
from ivme_spec.rings import NATURALS

NAMES = ("floor", "classical", "recursive", "factorized")

TREES = {"floor": (), "classical": (), "recursive": (0, 1, 2), "factorized": (1,)}
"""The first relation of each view; there are no parts, everything is light."""


def plan_of(name: str) -> Plan:
    """The plan of a rival for the count query."""
    trees = tuple(TreePlan(n, first, (0, None), (0, None), False) for n, first in enumerate(TREES[name]))
    lookups = {tree.closing for tree in trees}
    listed = tuple(() if i in lookups else ((0, 0),) for i in range(3))
    tasks = tuple(
        tuple(Upkeep(tree.index, tree.first == i, None, (0,)) for tree in trees if tree.closing != i)
        for i in range(3)
    )
    return Plan(
        double=(False, False, False),
        arity=0,
        trees=trees,
        listed=tuple((buckets, *((),) * 15) for buckets in listed),
        kept=(((),) * 16,) * 3,
        upkeep=tuple((task, (), (), ()) for task in tasks),
        summed_by=tuple(tuple(t.index for t in trees if t.closing == i) for i in range(3)),
        kept_by=((), (), ()),
    )


class Rival(Engine[int]):
    """An engine without parts: everything stays light, nothing is watched and nothing is rebalanced."""

    def watch(self, relation: RelationIndex[int], fewest: int) -> None:
        relation.watch_from(UNWATCHED)

    def rebalance(self, i: int, x: Hashable, y: Hashable) -> list[Rebalance]:
        return []


class Floor(Rival):
    """An engine that only stores."""

    def touch(self, x: Hashable, y: Hashable) -> None:
        self.rows.touch(x, y, partners=False)

    def sum_up(self, i: int, x: Hashable, y: Hashable, multiplicity: int, code: int) -> None:
        return

    def apply_update(
        self, i: int, x: Hashable, y: Hashable, first: int, second: int, multiplicity: int, presence: int
    ) -> None:
        return


def rival(name: str, rows: Rows[int]) -> Engine[int]:
    """An empty engine of one of NAMES."""
    kind = Floor if name == "floor" else Rival
    return cast("Engine[int]", kind(plan_of(name), (), NATURALS, Fraction(1), 0, rows))


def recount(engine: Engine[int]) -> int:
    """The count of a classical engine from its tuples alone, by a worst-case optimal join.

    Σ over R(a,b) of the intersection of S(b,·) and T(·,a), from the smaller side.  Cost: O(N^{3/2}) (AGM).
    """
    engine.head = engine.rows.head(())
    engine.sum_all()
    return engine.head.get(()) or 0
