"""The IVM^ε engine: its state, and how an update is propagated. One piece of code for all plans, all
relations and all parts.

Paper: fig:onUpdate (OnUpdate up to line 4, AffectedPart), fig:applyUpdate and its sisters (ApplyUpdate),
repaired as in ERRATA. Spec: `ivme_spec.state`. Rebalancing is in `rebalancing`, preprocessing in `loading`,
the guarded operations that users call in `operations`.

Invariant between two operations: the state is an IVM^ε state (def:ivme_state) for N = `base`: the size
invariant holds, every heavy value has degree ≥ ½θ and every light one < ³⁄₂θ, the head map is the sum over
all combinations of parts that no kept tree covers, and each tree is what `storage.interface` says.

Two sets of z-values are intersected by walking the smaller one, which is never more than the side that the
paper picks case by case, and loads a whole database in O(N^{3/2}). It changes no state.

>>> from ivme.kernel.plan import compile_plan
>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> from ivme_spec.rings import NATURALS
>>> from ivme_spec.views import COUNT_SINGLE
>>> engine = Engine(compile_plan(COUNT_SINGLE), (), NATURALS, Fraction(1, 2), DictStorage())
>>> for i, (x, y) in enumerate([("a", "b"), ("b", "c"), ("c", "a")]):
...     engine.on_update(i, engine.storage.handle(i, x), engine.storage.handle((i + 1) % 3, y), 2)
>>> engine.head.get(())
8
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, NoReturn, cast

from ivme.kernel.guard import READY
from ivme.kernel.meter import Meter
from ivme.kernel.parts import HEAVY, LIGHT, code, part
from ivme.kernel.plan import Plan
from ivme.kernel.sides import Side, Task
from ivme.kernel.storage.interface import KeptTree, Storage, StoredRelation, SummedTree
from ivme_spec.errors import RefusedUpdateError, shown
from ivme_spec.relations import RELATIONS, Row
from ivme_spec.rings import P, Ring
from ivme_spec.state import doubled, halved, initial_base
from ivme_spec.thresholds import Threshold, threshold

if TYPE_CHECKING:
    from mypy_extensions import i64


class Interrupted(Generic[P]):
    """An update that was cut short: relation, values, and the multiplicity before it, None if absent."""

    def __init__(self, relation: int, x: Hashable, y: Hashable, old: P | None) -> None:
        self.relation = relation
        self.x = x
        self.y = y
        self.old = old


class Engine(Generic[P]):
    """The state of one triangle query, and the propagation of updates through it.

    `order` lists the free variables of the head map's keys by their numbers 0, 1, 2. `turns` is the rotation
    from the plan's canonical head to the user's: relation i is called RELATIONS[i + turns].
    """

    def __init__(
        self,
        plan: Plan,
        order: tuple[int, ...],
        ring: Ring[P],
        epsilon: Fraction,
        storage: Storage[P],
        turns: int = 0,
    ) -> None:
        self.plan = plan
        self.order = order
        self.turns = turns
        self.ring = ring
        self.signed = ring.signed
        self.epsilon = epsilon
        self.all_heavy = epsilon == 0
        self.joins = bool(plan.trees) or any(any(listed) for listed in plan.listed)
        """Whether the plan has an answer; one without only stores tuples."""
        self.storage = storage
        self.base = initial_base(0)
        self.size = 0
        self.relations: list[StoredRelation[P]] = [storage.relation(i, plan.partitioned[i]) for i in range(3)]
        self.head = storage.head_map(order)
        self.summed: dict[int, SummedTree[P]] = {}
        self.kept: dict[int, KeptTree] = {}
        for tree in plan.trees:
            if tree.is_kept:
                bound = [variable not in order for variable in range(3)]
                self.kept[tree.index] = storage.kept_tree(tree.first, bound[tree.first], bound[tree.closing])
            else:
                self.summed[tree.index] = storage.summed_tree(tree.first)
        self.sides = [Side(plan, i, order, self.relations, self.summed, self.kept) for i in range(3)]
        self.ahead: list[Threshold] = []
        """The thresholds of the next major rebalancing, computed before an update that may cause it."""
        self.set_base(self.base)
        self.guard = READY
        """See `ivme.kernel.guard`."""
        self.half_changed = False
        """True while an update or a rebalancing step is writing."""
        self.interrupted: Interrupted[P] | None = None
        self.applied: list[tuple[int, Row, P]] = []
        """What a batch that was cut short had added before that: relation, values, multiplicity."""
        self.old: P | None = None
        """The multiplicity that the tuple of the current update had."""
        self.version = 0
        """The number of updates; open enumerations compare it."""
        self.steps = 0
        """Steps of the RAM model since the engine was made; callers take differences."""
        self.meter = Meter()

    def set_base(self, base: int) -> None:
        """Change N and with it θ; the parts are not touched.  Cost: O(log N) comparisons."""
        for theta in self.ahead:
            if theta.base == base:
                break
        else:
            theta = threshold(base, self.epsilon)
        self.base = base
        self.use(theta)

    def look_ahead(self) -> None:
        """Compute the thresholds that a major rebalancing needs.  Cost: O(log N) comparisons.

        It is the only interpreted code of an update, and so the only place where a signal can strike a
        compiled one: here nothing is half-changed.
        """
        if not self.ahead or self.ahead[0].base != doubled(self.base):
            bases = [doubled(self.base)]
            if self.base >= 4:
                bases.append(halved(self.base))
            self.ahead = [threshold(base, self.epsilon) for base in bases]

    def use(self, theta: Threshold) -> None:
        """Compare degrees with θ from now on."""
        self.threshold = theta
        self.heavy, self.light = theta.heavy, theta.light

    def name(self, i: int) -> str:
        """The user's name of relation i."""
        return RELATIONS[(i + self.turns) % 3]

    def entries(self) -> int:
        """The entries of all materialized views.  Cost: O(their rows)."""
        return len(self.head) + sum(map(len, self.summed.values())) + sum(map(len, self.kept.values()))

    # --- OnUpdate (fig:onUpdate) ------------------------------------------------------------------------

    def on_update(self, i: int, x: i64, y: i64, multiplicity: P) -> None:
        """Add a nonzero multiplicity to (x, y) of relation i, without rebalancing.

        Cost: O(N^max(ε,1−ε)).  A delete of more than is there: `RefusedUpdateError`, nothing has changed.
        """
        relation = self.relations[i]
        old = relation.get(x, y)
        new = multiplicity if old is None else old + multiplicity
        if not self.signed and cast(int, new) < 0:
            self.refuse_delete(i, (self.storage.value(x), self.storage.value(y)), old, multiplicity)
        self.old = old
        self.half_changed = True
        self.version += 1
        if old is None and self.all_heavy:
            relation.mark(0, x, HEAVY)  # AffectedPart, line 4: with ε = 0 everything is heavy
            if relation.double:
                relation.mark(1, y, HEAVY)
        first = relation.status(0, x)  # AffectedPart, as repaired in ERRATA E1
        second = relation.status(1, y)
        presence = (1 if new else 0) - (0 if old is None else 1)
        if self.joins:
            self.apply_update(i, x, y, first, second, multiplicity, presence)
        if old is None:
            relation.add(x, y, first, second, multiplicity)
        elif new:
            relation.put(x, y, first, second, new)
        else:
            relation.remove(x, y, first, second)
            self.vanish(i, 0, x)
            self.vanish(i, 1, y)
        self.size += presence
        self.steps += 8
        self.half_changed = False

    def refuse_delete(self, i: int, row: Row, old: P | None, multiplicity: P) -> NoReturn:
        """Refuse a delete of more than is there."""
        raise RefusedUpdateError(
            f"{self.name(i)}{shown(row)} has multiplicity {shown(old or 0)}: "
            f"{shown(-multiplicity)} cannot be deleted"
        )

    def vanish(self, i: int, column: int, value: i64) -> None:
        """A value without tuples in its column is not heavy, and may be forgotten.  Cost: O(1)."""
        relation = self.relations[i]
        if not relation.degree(column, value):
            relation.mark(column, value, LIGHT)
            self.storage.forget((i + column) % 3, value)

    # --- ApplyUpdate (fig:applyUpdate, fig:applyUpdate_full) --------------------------------------------

    def apply_update(
        self, i: int, x: i64, y: i64, first: i64, second: i64, multiplicity: P, presence: int
    ) -> None:
        """Propagate a change of (x, y) in the part (first, second) of relation i to all views.

        The relation itself is neither read nor changed. `presence` is 1 if the tuple appears, −1 if it
        vanishes, 0 if only its multiplicity changes.  Cost: O(N^max(ε,1−ε)).
        """
        side = self.sides[i]
        row_first, column_second = side.following.status(0, y), side.previous.status(1, x)
        self.sum_up(i, x, y, multiplicity, code(first, second, row_first, column_second))
        if tasks := side.enter[part(first, second)]:
            self.upkeep(i, x, y, multiplicity, presence, tasks)
        kept = side.kept
        if kept is not None and presence:
            self.steps += 2
            if kept.holds(y, x):
                if presence > 0:
                    kept.open_root(y, x)
                else:
                    kept.close_root(y, x)

    def sum_up(self, i: int, x: i64, y: i64, multiplicity: P, known: i64) -> None:
        """Add to the head map what (x, y) of relation i contributes; `known` is the code of the parts.

        Cost: O(N^max(ε,1−ε)).
        """
        side = self.sides[i]
        total = self.spread(i, x, y, multiplicity, side.listed[known])
        summed = side.summed
        if summed is not None:
            self.steps += 1
            found = summed.get(y, x)
            if found is not None:
                total = found if total is None else total + found
        if total is not None:
            self.add_to_head(i, x, y, multiplicity * total)

    def spread(self, i: int, x: i64, y: i64, multiplicity: P, listed: i64) -> P | None:
        """Σ_z row(z) · column(z) over a mask of buckets: returned if z is bound, else added to the head map.

        Cost: O(the smaller of row and column) for each bucket.
        """
        side, storage = self.sides[i], self.storage
        steps: i64 = 0
        total: P | None = None
        second: i64
        first: i64
        for second in range(2):  # LIGHT, HEAVY
            columns = listed >> 2 * second & 3
            if not columns:
                continue
            steps += 2
            if columns == 3:
                steps += 2
            row = side.following.length(0, y, second)
            if row == 0:
                continue
            for first in range(2):
                if not columns & first + 1:  # bit 1 for LIGHT, bit 2 for HEAVY
                    continue
                column = side.previous.length(1, x, first)
                if column == 0:
                    continue
                if side.bound_z:
                    found = storage.dot(i, x, y, second, first)
                    steps += storage.steps
                    if found is not None:
                        total = found if total is None else total + found
                else:
                    steps += min(row, column)
                    steps += 2 * self.head.spread(i, x, y, second, first, multiplicity)
        self.steps += steps
        return total

    def add_to_head(self, i: int, x: i64, y: i64, change: P) -> None:
        """Add to the entry of the head map for (x, y) of relation i.  Cost: amortized O(1)."""
        self.steps += 1
        self.head.add(i, x, y, 0, change)

    def upkeep(self, i: int, x: i64, y: i64, multiplicity: P, presence: int, tasks: list[Task[P]]) -> None:
        """Propagate a change of relation i through the trees that join it.

        Cost: O(N^ε) for a light row, O(N^{1−ε}) for a heavy column (prop:single_step_time_full).
        """
        side = self.sides[i]
        for task in tasks:
            middle = y if task.forward else x
            if not task.any_status and not side.reaches(task, middle):
                continue
            for bucket in task.buckets:
                partners = side.partners(task, middle, bucket)
                self.steps += 1
                if partners == 0:
                    continue
                summed = task.summed
                if summed is not None:
                    self.steps += 2 * int(partners)
                    if task.forward:
                        summed.add_row(x, y, bucket, multiplicity)
                    else:
                        summed.add_column(x, bucket, y, multiplicity)
                elif presence:
                    self.keep(i, x, y, bucket, task, presence)

    def keep(self, i: int, x: i64, y: i64, bucket: i64, task: Task[P], presence: int) -> None:
        """Put a tuple joined with a row or column into a kept tree, or remove it.  Cost: O(its length)."""
        tree, closing = task.kept, self.relations[task.closing]
        assert tree is not None, "what is not summed is kept"
        side = self.sides[i]
        others = side.following.members(0, y, bucket) if task.forward else side.previous.members(1, x, bucket)
        self.steps += 2 * len(others)
        for z in others:
            triple = (x, y, z) if task.forward else (z, x, y)
            if presence > 0:
                if tree.add(triple[0], triple[1], triple[2]):
                    self.steps += 2
                    if closing.get(triple[2], triple[0]) is not None:
                        tree.open_root(triple[0], triple[2])
            elif tree.remove(triple[0], triple[1], triple[2]):
                self.steps += 2
                if closing.get(triple[2], triple[0]) is not None:
                    tree.close_root(triple[0], triple[2])
