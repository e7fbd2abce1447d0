"""Single bugs planted into the maintenance of the views, each of which the agreement harness must find."""

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import pytest
from attrs import evolve
from ivme.kernel.storage.trees import KeptTree, SummedTree

import ivme.view
from ivme.kernel import engine as production
from ivme.kernel.engine import Engine
from ivme.kernel.plan import LIGHT, Bucket, Plan, Upkeep, compile_plan
from ivme.kernel.storage.dicts import DenseSet, RelationIndex, remove_entry
from ivme_spec.thresholds import Threshold, threshold

Bug = Callable[[pytest.MonkeyPatch], None]
BUGS: dict[str, Bug] = {}


def bug(plant: Bug) -> Bug:
    """Register a bug under the name of the function that plants it."""
    BUGS[plant.__name__.replace("_", " ")] = plant
    return plant


# --- thresholds and rebalancing -----------------------------------------------------------------------------


def shift_thresholds(patch: pytest.MonkeyPatch, **by: int) -> None:
    def shifted(base: int, epsilon: Any) -> Threshold:
        exact = threshold(base, epsilon)
        return evolve(exact, **{name: getattr(exact, name) + shift for name, shift in by.items()})

    patch.setattr(production, "threshold", shifted)


@bug
def light_values_become_heavy_one_too_late(patch: pytest.MonkeyPatch) -> None:
    shift_thresholds(patch, light=1)


@bug
def light_values_become_heavy_one_too_early(patch: pytest.MonkeyPatch) -> None:
    shift_thresholds(patch, light=-1)


@bug
def heavy_values_become_light_one_too_late(patch: pytest.MonkeyPatch) -> None:
    shift_thresholds(patch, heavy=-1)


@bug
def heavy_values_become_light_one_too_early(patch: pytest.MonkeyPatch) -> None:
    shift_thresholds(patch, heavy=1)


@bug
def strict_partitions_are_off_by_one(patch: pytest.MonkeyPatch) -> None:
    shift_thresholds(patch, strict=1)


@bug
def n_is_not_halved(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(production, "halved", lambda base: base)


@bug
def n_is_doubled_without_moving_values(patch: pytest.MonkeyPatch) -> None:
    original = Engine.major_rebalance

    def major_rebalance(self: Engine[Any], base: int) -> Any:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(self, "move_tuples", lambda *_: 0)
            return original(self, base)

    patch.setattr(Engine, "major_rebalance", major_rebalance)


@bug
def the_second_column_is_not_rebalanced(patch: pytest.MonkeyPatch) -> None:
    original = Engine.rebalance

    def rebalance(self: Engine[Any], i: int, x: Hashable, y: Hashable) -> Any:
        relation, double = self.relations[i], self.relations[i].double
        if self.base // 4 <= self.size < self.base:
            relation.double = False
        try:
            return original(self, i, x, y)
        finally:
            relation.double = double

    patch.setattr(Engine, "rebalance", rebalance)


@bug
def the_heavy_bit_is_not_flipped(patch: pytest.MonkeyPatch) -> None:
    original = Engine.move_tuples

    def move_tuples(self: Engine[Any], i: int, column: int, value: Hashable, status: int) -> int:
        moved = original(self, i, column, value, status)
        heavy = self.relations[i].heavy[column]
        (heavy.discard if status else heavy.add)(value)
        return moved

    patch.setattr(Engine, "move_tuples", move_tuples)


@bug
def vanished_values_stay_heavy(patch: pytest.MonkeyPatch) -> None:
    original = Engine.on_update

    def on_update(self: Engine[Any], i: int, x: Hashable, y: Hashable, multiplicity: Any) -> None:
        heavy = [set(bits) for bits in self.relations[i].heavy]
        original(self, i, x, y, multiplicity)
        for bits, before in zip(self.relations[i].heavy, heavy, strict=True):
            bits |= before

    patch.setattr(Engine, "on_update", on_update)


@bug
def a_tuple_that_vanishes_stays_in_the_trees(patch: pytest.MonkeyPatch) -> None:
    original = Engine.upkeep

    def upkeep(self: Engine[Any], *args: Any) -> None:
        if args[6] != -1 or self.relations[args[0]].get(args[1], args[2]) != -args[5]:
            original(self, *args)

    patch.setattr(Engine, "upkeep", upkeep)


@bug
def a_move_leaves_the_head_map_as_it_was(patch: pytest.MonkeyPatch) -> None:
    original = Engine.move

    def move(self: Engine[Any], *args: Any) -> None:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(self, "spread", lambda *_: None)
            original(self, *args)

    patch.setattr(Engine, "move", move)


@bug
def a_move_does_not_list_what_becomes_listed(patch: pytest.MonkeyPatch) -> None:
    original = Engine.relist
    calls = [0]

    def relist(self: Engine[Any], *args: Any) -> None:
        calls[0] += 1
        if calls[0] % 2:  # the first of the two calls of a move takes away
            original(self, *args)

    patch.setattr(Engine, "relist", relist)


@bug
def a_major_rebalance_leaves_heavy_values_heavy(patch: pytest.MonkeyPatch) -> None:
    original = RelationIndex.values_due

    def values_due(self: RelationIndex[Any], column: int, strict: int) -> list[Hashable]:
        return [value for value in original(self, column, strict) if not self.status(column, value)]

    patch.setattr(RelationIndex, "values_due", values_due)


# --- plans and propagation ----------------------------------------------------------------------------------


def rewrite_plan(patch: pytest.MonkeyPatch, rewrite: Callable[[Plan], Plan]) -> None:
    patch.setattr(ivme.view, "compile_plan", lambda decomposition: rewrite(compile_plan(decomposition)))


@bug
def upkeep_is_skipped_for_the_second_relation_of_a_tree(patch: pytest.MonkeyPatch) -> None:
    def forward_only(tasks: Iterable[Upkeep]) -> tuple[Upkeep, ...]:
        return tuple(task for task in tasks if task.forward)

    rewrite_plan(
        patch,
        lambda plan: evolve(plan, upkeep=tuple(tuple(map(forward_only, parts)) for parts in plan.upkeep)),
    )


@bug
def one_listed_combination_is_dropped(patch: pytest.MonkeyPatch) -> None:
    def drop(plan: Plan) -> Plan:
        table = list(plan.listed[0])
        last = max(at for at, buckets in enumerate(table) if buckets)
        table[last] = table[last][:-1]
        return evolve(plan, listed=(tuple(table), *plan.listed[1:]))

    rewrite_plan(patch, drop)


@bug
def a_kept_combination_is_listed_too(patch: pytest.MonkeyPatch) -> None:
    def double_count(plan: Plan) -> Plan:
        def both(at: int) -> tuple[Bucket, ...]:
            return plan.listed[1][at] + tuple(bucket for bucket, _ in plan.kept[1][at])

        return evolve(plan, listed=(plan.listed[0], tuple(map(both, range(16))), plan.listed[2]))

    rewrite_plan(patch, double_count)


@bug
def a_tree_forgets_its_closing_relation(patch: pytest.MonkeyPatch) -> None:
    original: Callable[..., None] = Engine.__init__

    def __init__(self: Engine[Any], *args: Any) -> None:
        original(self, *args)
        for side in self._sides:
            side.summed = side.kept = None

    patch.setattr(Engine, "__init__", __init__)


@bug
def sums_are_looked_up_at_the_wrong_pair(patch: pytest.MonkeyPatch) -> None:
    original = SummedTree.get
    patch.setattr(SummedTree, "get", lambda self, x, z: original(self, z, x))


@bug
def kept_trees_change_with_every_multiplicity(patch: pytest.MonkeyPatch) -> None:
    original: Callable[..., None] = Engine.apply_update

    def apply_update(self: Engine[Any], *args: Any) -> None:
        original(self, *args[:6], args[6] or 1)

    patch.setattr(Engine, "apply_update", apply_update)


@bug
def a_new_tuple_of_a_heavy_value_is_light(patch: pytest.MonkeyPatch) -> None:
    """ERRATA E1, as printed: AffectedPart asks for the tuple instead of the value."""
    original = RelationIndex.add

    def add(self: RelationIndex[Any], x: Hashable, y: Hashable, first: int, second: int, m: Any) -> None:
        new = self.double and self.degree(0, x) and self.degree(1, y)
        original(self, x, y, *((LIGHT, LIGHT) if new else (first, second)), m)

    patch.setattr(RelationIndex, "add", add)


# --- storage and trees --------------------------------------------------------------------------------------


@bug
def pairs_never_leave_the_root(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(KeptTree, "close_root", lambda self, pair: None)


@bug
def the_root_opens_only_with_the_closing_relation(patch: pytest.MonkeyPatch) -> None:
    original = KeptTree.add
    patch.setattr(KeptTree, "add", lambda self, x, y, z: original(self, x, y, z) and False)


@bug
def values_are_kept_when_their_tuples_are_gone(patch: pytest.MonkeyPatch) -> None:
    """Enumeration hides it: such a row has multiplicity zero and is skipped, at the cost of the delay."""
    real_add, real_remove = KeptTree.add, KeptTree.remove

    def add(self: KeptTree, x: Hashable, y: Hashable, z: Hashable) -> bool:
        return y not in (self.values((x, z)) or ()) and real_add(self, x, y, z)

    def remove(self: KeptTree, x: Hashable, y: Hashable, z: Hashable) -> bool:
        return len(self.values((x, z)) or ()) == 1 and real_remove(self, x, y, z)

    patch.setattr(KeptTree, "add", add)
    patch.setattr(KeptTree, "remove", remove)


@bug
def deletes_are_not_counted_in_the_size(patch: pytest.MonkeyPatch) -> None:
    original = Engine.on_update

    def on_update(self: Engine[Any], i: int, x: Hashable, y: Hashable, multiplicity: Any) -> None:
        size = self.size
        original(self, i, x, y, multiplicity)
        self.size = max(size, self.size)

    patch.setattr(Engine, "on_update", on_update)


@bug
def the_column_index_keeps_deleted_tuples(patch: pytest.MonkeyPatch) -> None:
    def remove(self: RelationIndex[Any], x: Hashable, y: Hashable, first: int, second: int) -> None:
        remove_entry(self.forward[second], x, y)

    patch.setattr(RelationIndex, "remove", remove)


@bug
def a_dense_set_forgets_where_it_moved_the_last_element(patch: pytest.MonkeyPatch) -> None:
    original = DenseSet.remove

    def remove(self: DenseSet[Any], item: Any) -> None:
        last = self.items[-1]
        index = None if self.index is None else self.index[last]
        original(self, item)
        if self.index is not None and index is not None and last in self.index:
            self.index[last] = index

    patch.setattr(DenseSet, "remove", remove)
    patch.setattr(DenseSet, "SMALL", 2)
