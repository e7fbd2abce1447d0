"""Other ways to maintain the triangle count, on the storage and in the code of our engine.

They are other plans, without parts: a comparison with them is about the algorithm, not about what a user
would use instead. Tables and texts call them "…, on our storage", and name them last.

    floor        stores each tuple twice, and answers nothing
    classical    first-order IVM: delta queries, no views: an update intersects a row with a column
    recursive    higher-order IVM: a view for each pair of relations, all of them maintained
    factorized   factorized IVM: one view, on S and T; updates to R are lookups
"""

from __future__ import annotations

from fractions import Fraction

from ivme.kernel.engine import Engine
from ivme.kernel.loading import sum_all
from ivme.kernel.plan import Plan, TreePlan, Upkeep
from ivme.kernel.storage.interface import Storage
from ivme_spec.rings import NATURALS

NAMES = ("floor", "classical", "recursive", "factorized")

TREES = {"floor": (), "classical": (), "recursive": (0, 1, 2), "factorized": (1,)}
"""The first relation of each view."""


def plan_of(name: str) -> Plan:
    """The plan of a rival for the count query; everything is light."""
    trees = tuple(TreePlan(n, first, (0, None), (0, None), False) for n, first in enumerate(TREES[name]))
    closed_by = tuple(next((tree.index for tree in trees if tree.closing == i), None) for i in range(3))
    listed = tuple(() if name == "floor" or closed is not None else ((0, 0),) for closed in closed_by)
    tasks = tuple(
        tuple(Upkeep(tree.index, tree.first == i, None, (0,)) for tree in trees if tree.closing != i)
        for i in range(3)
    )
    return Plan(
        partitioned=(0, 0, 0),
        arity=0,
        trees=trees,
        listed=tuple((buckets, *((),) * 15) for buckets in listed),
        held=(((),) * 16,) * 3,
        upkeep=tuple((task, (), (), ()) for task in tasks),
        closed_by=closed_by,
    )


def rival(name: str, storage: Storage[int]) -> Engine[int]:
    """An empty engine of one of NAMES."""
    return Engine(plan_of(name), (), NATURALS, Fraction(1), storage)


def recount(engine: Engine[int]) -> int:
    """The count of a classical engine from its tuples alone, by a worst-case optimal join.

    Σ over R(a,b) of the intersection of S(b,·) and T(·,a), from the smaller side.  Cost: O(N^{3/2}) (AGM).
    """
    engine.head = engine.storage.head_map(())
    sum_all(engine)
    return engine.head.get(()) or 0
