"""The IVM^ε engine: one piece of code for all plans, all relations and all parts.

Paper: fig:onUpdate (OnUpdate, AffectedPart), fig:applyUpdate and its sisters (ApplyUpdate), fig:major_minor
(MinorRebalance, MoveTuples, MajorRebalance), repaired as in ERRATA. Spec: `ivme_spec.state`.

Invariant between two calls: the state is an IVM^ε state (def:ivme_state) for N = `base`: the size invariant
holds, every heavy value has degree ≥ ½θ and every light one < ³⁄₂θ, the head map is the sum over all
combinations of parts that no kept tree covers, and each tree is what `ivme.kernel.storage.trees` says.

Differences from the figures, none of which changes a state:
  * two sets of z-values are intersected by walking the smaller one, which is never more than the side that
    the paper picks case by case, and loads a whole database in O(N^{3/2});
  * a moved tuple changes the head map only where a kept tree covers it before or after the move, not both;
  * summed trees take the tuples of a value that changes class all at once: each row of V̂ is visited once,
    and what belongs to the value alone is dropped;
  * major rebalancing moves the values whose class changes instead of recomputing everything: the strict
    partition is unique, so the end state is the paper's. Only values near θ or above are looked at (`watch`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Final, Generic, NoReturn, TypeVar, cast

from ivme.kernel.events import Major, Minor, Rebalance
from ivme.kernel.guard import BROKEN, READING, READY, UPDATING, refuse
from ivme.kernel.meter import Meter
from ivme.kernel.plan import Plan
from ivme.kernel.sides import Move, Side, Task
from ivme.kernel.status import HEAVY, LIGHT, Status
from ivme.kernel.storage.dicts import Line, RelationIndex
from ivme.kernel.storage.interface import Bulk, Rows
from ivme.kernel.storage.trees import KeptTree, SummedTree
from ivme_spec.errors import RefusedUpdateError, shown
from ivme_spec.relations import RELATIONS, VARIABLES, Row
from ivme_spec.rings import P, Ring
from ivme_spec.state import doubled, halved, initial_base
from ivme_spec.thresholds import Threshold, threshold

Answer = TypeVar("Answer")

NOTHING: Final[list[Rebalance]] = []
"""The answer of almost every call of `rebalance`; nobody changes it."""


class Interrupted(Generic[P]):
    """An update that was cut short: relation, values, and the multiplicity before it, None if absent."""

    def __init__(self, relation: int, x: Hashable, y: Hashable, old: P | None) -> None:
        self.relation = relation
        self.x = x
        self.y = y
        self.old = old


class Engine(Generic[P]):
    """The state of one triangle query and the procedures that maintain it.

    `order` lists the free variables of the head map's keys by their numbers 0, 1, 2. `turns` is the rotation
    that leads from the plan's canonical head to the user's: relation i is called RELATIONS[i + turns]. Values
    come in by `update` and `load`; inside, x and y are their handles (see `ivme.kernel.storage.interface`).
    """

    def __init__(
        self,
        plan: Plan,
        order: tuple[int, ...],
        ring: Ring[P],
        epsilon: Fraction,
        turns: int = 0,
        rows: Rows[P] | None = None,
    ) -> None:
        self.plan = plan
        self.order = order
        self.turns = turns
        self.ring = ring
        self.signed = ring.signed
        self.epsilon = epsilon
        self.all_heavy = epsilon == 0
        self.rows: Rows[P] = Rows() if rows is None else rows
        self.base = initial_base(0)
        self.size = 0
        self.relations: list[RelationIndex[P]] = [self.rows.relation(i, plan.double[i]) for i in range(3)]
        self.head = self.rows.head(order)
        self.summed: dict[int, SummedTree[P]] = {}
        self.kept: dict[int, KeptTree] = {}
        for tree in plan.trees:
            if tree.kept:
                bound = [variable not in order for variable in range(3)]
                self.kept[tree.index] = self.rows.kept(tree.first, bound[tree.first], bound[tree.closing])
            else:
                self.summed[tree.index] = self.rows.summed(tree.first)
        self._sides = [Side(plan, i, order, self.relations, self.summed, self.kept) for i in range(3)]
        self.ahead: list[Threshold] = []
        """The thresholds of the next major rebalancing, computed before an update that may cause it."""
        self.set_base(self.base)
        self.guard = READY
        """See `ivme.kernel.guard`."""
        self.half_changed = False
        """True while an update or a rebalancing step is writing."""
        self.interrupted: Interrupted[P] | None = None
        self.old: P | None = None
        """The multiplicity that the tuple of the current update had."""
        self.version = 0
        """The number of updates; open enumerations compare it."""
        self.steps = 0
        """Steps of the RAM model since the engine was made; callers take differences."""
        self.meter = Meter()

    def set_base(self, base: int) -> None:
        """Change N and with it θ; the parts are not touched."""
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
        self._least_heavy, self._too_heavy = theta.heavy, theta.light

    def compared_with(self) -> tuple[int, int]:
        """The least degree of a heavy value, and the least that makes a light one heavy."""
        return self._least_heavy, self._too_heavy

    def name(self, i: int) -> str:
        """The user's name of relation i."""
        return RELATIONS[(i + self.turns) % 3]

    def entries(self) -> int:
        """The entries of all materialized views.  Cost: O(their rows)."""
        return len(self.head) + sum(map(len, self.summed.values())) + sum(map(len, self.kept.values()))

    # --- OnUpdate (fig:onUpdate) ------------------------------------------------------------------------

    def update(self, i: int, x: Hashable, y: Hashable, multiplicity: P) -> list[Rebalance]:
        """Add a nonzero multiplicity to the tuple (x, y) of values of relation i; what was rebalanced.

        Cost: amortized O(N^max(ε,1−ε)).  A delete of more than is there: `RefusedUpdateError`, nothing has
        changed. Any other exception of the user's own code leaves everything as it was, or the engine broken;
        a KeyboardInterrupt may also come after the update.
        """
        if self.size + 1 >= self.base or 4 * self.size <= self.base:
            self.look_ahead()
        version, before, j = self.version, self.steps, 0 if i == 2 else i + 1
        first: Hashable = None
        second: Hashable = None
        found = 0
        if self.guard != READY:  # from here to the `try` there is no call: no other thread comes in between
            refuse(self.guard)
        try:
            self.guard = UPDATING
            first, found = self.rows.handle(i, x), 1
            second, found = self.rows.handle(j, y), 2
            self.touch(first, second)
            self.on_update(i, first, second, multiplicity)
            middle = self.steps
            self.meter.count_update(middle - before)
            done = self.rebalance(i, first, second)
            self.guard = READY
        except BaseException as error:
            self.guard = BROKEN
            if self.version == version:  # nothing was written
                if found > 0:
                    self.rows.forget(i, first)
                if found > 1:
                    self.rows.forget(j, second)
                self.guard = READY
            elif not self.half_changed and isinstance(error, KeyboardInterrupt):
                self.rebalance(i, first, second)  # a signal between two steps: the update stands
                self.guard = READY
            else:
                self.interrupted = Interrupted(i, x, y, self.old)
            raise
        if done:
            steps = self.steps - middle
            if done[0].kind == "major":
                self.meter.count_major(steps)
            else:
                self.meter.count_minor(steps, len(done))
        return done

    def reading(self, work: Callable[[], Answer]) -> Answer:
        """Do work that reads the state; in the middle of something else: `BusyError`, `BrokenError`."""
        if self.guard != READY:
            refuse(self.guard)
        try:
            self.guard = READING
            return work()
        finally:
            self.guard = READY

    def retire(self) -> None:
        """Another engine takes over: enumerations that are still open raise.  Cost: O(1)."""
        self.version += 1
        self.guard = READY

    def salvaged(self) -> list[dict[Row, P]]:
        """The tuples of each relation, without the update that broke the engine, if one did.

        A tuple that was being written or moved may be missing from its row or its column, never from both.
        Cost: O(|D|).
        """
        value, found = self.rows.value, list[dict[Row, P]]()
        for relation in self.relations:
            found.append({(value(x), value(y)): m for x, y, m in relation.salvaged()})
        if (cut := self.interrupted) is not None:
            found[cut.relation].pop((cut.x, cut.y), None)
            if cut.old is not None:
                found[cut.relation][cut.x, cut.y] = cut.old
        return found

    def touch(self, x: Hashable, y: Hashable) -> None:
        """Say to the storage what an update is going to look at.  Cost: O(1)."""
        self.rows.touch(x, y, partners=True)

    def on_update(self, i: int, x: Hashable, y: Hashable, multiplicity: P) -> None:
        """Add a nonzero multiplicity to (x, y) of relation i, without rebalancing.

        Cost: O(N^max(ε,1−ε)).  A delete of more than is there: `RefusedUpdateError`, nothing has changed.
        """
        relation = self.relations[i]
        old = relation.get(x, y)
        new = multiplicity if old is None else old + multiplicity
        if not self.signed and cast(int, new) < 0:
            self.refuse_delete(i, (self.rows.value(x), self.rows.value(y)), old, multiplicity)
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

    def vanish(self, i: int, column: int, value: Hashable) -> None:
        """A value without tuples in its column is not heavy, and may be forgotten.  Cost: O(1)."""
        relation = self.relations[i]
        if not relation.degree(column, value):
            relation.mark(column, value, LIGHT)
            self.rows.forget((i + column) % 3, value)

    def rebalance(self, i: int, x: Hashable, y: Hashable) -> list[Rebalance]:
        """Restore the invariants after an update to (x, y) of relation i (fig:onUpdate, lines 5-15).

        Cost: amortized O(N^max(ε,1−ε)) (prop:amortized_update_time).
        """
        if self.size >= self.base:
            return [self.major_rebalance(doubled(self.base))]
        if self.size < self.base // 4:
            return [self.major_rebalance(halved(self.base))]
        first = self.settle(i, 0, x)
        second = self.settle(i, 1, y) if self.relations[i].double else None
        if first is None and second is None:
            return NOTHING
        return [event for event in (first, second) if event is not None]

    def settle(self, i: int, column: int, value: Hashable) -> Minor | None:
        """Rebalance a value whose degree asks for it.  Cost: as `minor_rebalance`, else O(1)."""
        status = self.relations[i].due(column, value, self._least_heavy, self._too_heavy)
        return None if status < 0 else self.minor_rebalance(i, column, value, status)

    # --- ApplyUpdate (fig:applyUpdate, fig:applyUpdate_full) --------------------------------------------

    def apply_update(
        self, i: int, x: Hashable, y: Hashable, first: Status, second: Status, multiplicity: P, presence: int
    ) -> None:
        """Bring all views up to date with a change of (x, y) in the part (first, second) of relation i.

        The relation itself is not looked at and not changed. `presence` is 1 if the tuple appears, −1 if it
        vanishes, 0 if only its multiplicity changes.  Cost: O(N^max(ε,1−ε)).
        """
        side = self._sides[i]
        row_first, column_second = side.following.status(0, y), side.previous.status(1, x)
        self.sum_up(i, x, y, multiplicity, first * 8 + second * 4 + row_first * 2 + column_second)
        if tasks := side.enter[first * 2 + second]:
            self.upkeep(i, x, y, multiplicity, presence, tasks)
        kept = side.kept
        if kept is not None and presence:
            self.steps += 2
            if kept.holds((y, x)):
                if presence > 0:
                    kept.open_root((y, x))
                else:
                    kept.close_root((y, x))

    def sum_up(self, i: int, x: Hashable, y: Hashable, multiplicity: P, code: int) -> None:
        """Add to the head map what (x, y) of relation i contributes, given its part and its partners' parts.

        Cost: O(N^max(ε,1−ε)).
        """
        side = self._sides[i]
        total = self.spread(i, x, y, multiplicity, side.listed[code])
        summed = side.summed
        if summed is not None:
            self.steps += 1
            found = summed.get(y, x)
            if found is not None:
                total = found if total is None else total + found
        if total is not None:
            self.add_to_head(i, x, y, multiplicity * total)

    def spread(self, i: int, x: Hashable, y: Hashable, multiplicity: P, listed: int) -> P | None:
        """Σ_z row(z) · column(z) over combinations of parts: returned if z is bound, else added to the head.

        Cost: O(the smaller of row and column) for each combination.
        """
        side, rows, steps = self._sides[i], self.rows, 0
        total: P | None = None
        for second in range(2):  # LIGHT, HEAVY
            columns = listed >> 2 if second else listed & 3
            if not columns:
                continue
            steps += 4 if columns == 3 else 2
            row = side.following.row(y, second)
            if row is None:
                continue
            for first in range(2):
                if not columns & first + 1:  # bit 1 for LIGHT, bit 2 for HEAVY
                    continue
                column = side.previous.column(x, first)
                if column is None:
                    continue
                if side.bound_z:
                    found = rows.dot(row, column)
                    steps += rows.steps
                    if found is not None:
                        total = found if total is None else total + found
                else:
                    steps += min(rows.length(row), rows.length(column))
                    steps += 2 * self.head.spread(i, x, y, row, column, multiplicity)
        self.steps += steps
        return total

    def add_to_head(self, i: int, x: Hashable, y: Hashable, change: P) -> None:
        """Add to the entry of the head map for (x, y) of relation i.  Cost: amortized O(1)."""
        self.steps += 1
        self.head.add(i, x, y, None, change)

    def upkeep(
        self, i: int, x: Hashable, y: Hashable, multiplicity: P, presence: int, tasks: list[Task]
    ) -> None:
        """Propagate a change of relation i through the trees that join it.

        Cost: O(N^ε) for a light row, O(N^{1−ε}) for a heavy column (prop:single_step_time_full).
        """
        side = self._sides[i]
        for task in tasks:
            middle = y if task.forward else x
            if task.known >= 0 and not side.reaches(task, middle):
                continue
            for bucket in task.buckets:
                line = side.partners(task, middle, bucket)
                self.steps += 1
                if line is None:
                    continue
                if not task.kept:
                    summed = self.summed[task.tree]
                    self.steps += 2 * self.rows.length(line)
                    if task.forward:
                        summed.add_row(x, line, multiplicity)
                    else:
                        summed.add_column(line, y, multiplicity)
                elif presence:
                    self.keep(i, x, y, line, task, presence)

    def keep(self, i: int, x: Hashable, y: Hashable, line: Line, task: Task, presence: int) -> None:
        """Put a tuple joined with a row or column into a kept tree, or take it away.  Cost: O(|line|)."""
        tree, closing = self.kept[task.tree], self.relations[task.closing]
        others = self.rows.members((i + 2) % 3, line)
        self.steps += 2 * len(others)
        for z in others:
            triple = (x, y, z) if task.forward else (z, x, y)
            if presence > 0:
                if tree.add(triple[0], triple[1], triple[2]):
                    self.steps += 2
                    if closing.get(triple[2], triple[0]) is not None:
                        tree.open_root((triple[0], triple[2]))
            elif tree.remove(triple[0], triple[1], triple[2]):
                self.steps += 2
                if closing.get(triple[2], triple[0]) is not None:
                    tree.close_root((triple[0], triple[2]))

    # --- rebalancing (fig:major_minor) ------------------------------------------------------------------

    def minor_rebalance(self, i: int, column: int, value: Hashable, status: Status) -> Minor:
        """Move a value to the other class (MinorRebalance with MoveTuples).

        Cost: O(N^{ε+max(ε,1−ε)}) (prop:minor_cost).
        """
        self.half_changed = True
        moved = self.move_tuples(i, column, value, status)
        self.half_changed = False
        variable = VARIABLES[(i + column + self.turns) % 3]
        shown, heavy = self.rows.value(value), status == HEAVY
        return Minor(self.name(i), variable, shown, heavy, moved, self.base, self.version)

    def major_rebalance(self, base: int) -> Major:
        """Change N and make all partitions strict.  Cost: O(N^{3/2}) (prop:major_cost)."""
        grown = base > self.base
        self.set_base(base)
        self.half_changed = True
        moved = 0
        for i, relation in enumerate(self.relations):
            relation.compact()
            self.watch(relation, 1)
            for column in (0, 1) if relation.double else (0,):
                strict = self.threshold.strict
                self.steps += 2 * relation.watching(column)
                for value in relation.values_due(column, strict):
                    status = HEAVY if relation.degree(column, value) >= strict else LIGHT
                    moved += self.move_tuples(i, column, value, status)
            self.watch(relation, self.threshold.heavy // 8)
        self.half_changed = False
        return Major(grown, moved, base, self.version)

    def watch(self, relation: RelationIndex[P], fewest: int) -> None:
        """Have values watched from a degree on that every heavy one has, even if it has just lost a tuple.

        So all heavy values are watched, and all that a strict partition calls heavy. A degree of at least
        `fewest` may stay, any other becomes ⅛θ.  Cost: O(N^{1−ε}), as many values can have such a degree; and
        amortized O(1) for a look at all values, when θ has fallen to a fourth and |D| to that or less.
        """
        heavy = self.threshold.heavy
        if not fewest <= relation.watch <= max(1, heavy - 1):
            self.steps += 2 * relation.watch_from(max(1, heavy // 4))

    def move_tuples(self, i: int, column: int, value: Hashable, status: Status) -> int:
        """Make a value of a column of relation i heavy or light; the number of tuples moved.

        Cost: O(N^max(ε,1−ε)) for each tuple of the value.
        """
        relation, old = self.relations[i], self.relations[i].status(column, value)
        for other in range(2):  # LIGHT, HEAVY: of the other values of its tuples
            line = relation.column(value, other) if column else relation.row(value, other)
            if line is not None:
                parts = (
                    (other * 2 + old, other * 2 + status) if column else (old * 2 + other, status * 2 + other)
                )
                self.move_at_once(i, value, line, self._sides[i].moves[parts[0] * 4 + parts[1]])
        tuples = relation.tuples_of(column, value)  # a copy: moving changes what is iterated (ERRATA E9)
        for x, y, multiplicity in tuples:
            first, second = relation.status(0, x), relation.status(1, y)
            new_first, new_second = (first, status) if column else (status, second)
            self.move(i, x, y, first * 2 + second, new_first * 2 + new_second, multiplicity)
            relation.shift(column, x, y, old, status, multiplicity)
        self.steps += 4 * len(tuples)
        relation.mark(column, value, status)
        return len(tuples)

    def move_at_once(self, i: int, value: Hashable, line: Line, move: Move) -> None:
        """Bring summed trees up to date with a value whose tuples, a row or a column, change their part.

        Cost: O(N^max(ε,1−ε)) for each tuple.
        """
        for task in move.drop:
            self.steps += 1 + self.summed[task.tree].drop(value)
        self.join_at_once(i, value, line, move.leave_at_once, -1)
        self.join_at_once(i, value, line, move.enter_at_once, 1)

    def join_at_once(self, i: int, value: Hashable, line: Line, tasks: list[Task], sign: int) -> None:
        """Add to trees, or take away, all tuples of their middle value joined with its partners.

        Cost: O(|line| · |partners|).
        """
        side, rows = self._sides[i], self.rows
        for task in tasks:
            if not side.reaches(task, value):
                continue
            for bucket in task.buckets:
                partners = side.partners(task, value, bucket)
                self.steps += 1
                if partners is not None:
                    self.steps += 2 * rows.length(line) * rows.length(partners)
                    left, right = (line, partners) if task.forward else (partners, line)
                    self.summed[task.tree].add_product(left, right, sign)

    def move(self, i: int, x: Hashable, y: Hashable, old: int, new: int, multiplicity: P) -> None:
        """Bring the views up to date with a tuple that goes from one part (2·first + second) to another.

        What is listed, or kept by the same tree, before and after does not change, nor what `move_at_once`
        has done.  Cost: O(N^max(ε,1−ε)).
        """
        side = self._sides[i]
        known = side.following.status(0, y) * 2 + side.previous.status(1, x)
        was, becomes = side.listed[old * 4 + known], side.listed[new * 4 + known]
        self.relist(i, x, y, -multiplicity, was & ~becomes)
        self.relist(i, x, y, multiplicity, becomes & ~was)
        move = side.moves[old * 4 + new]
        if move.leave:
            self.upkeep(i, x, y, -multiplicity, -1, move.leave)
        if move.enter:
            self.upkeep(i, x, y, multiplicity, 1, move.enter)

    def relist(self, i: int, x: Hashable, y: Hashable, multiplicity: P, listed: int) -> None:
        """Add what a tuple contributes to the head map by some combinations of parts."""
        if listed:
            total = self.spread(i, x, y, multiplicity, listed)
            if total is not None:
                self.add_to_head(i, x, y, multiplicity * total)

    # --- preprocessing (prop:preprocessing_step and its sisters) ----------------------------------------

    def load(self, database: Iterable[Iterable[tuple[Row, P]]]) -> None:
        """Build the initial state of a database: N = 2·|D| + 1, strict partitions.  Cost: O(|D|^{3/2})."""
        for i, rows in enumerate(database):
            bulk = self.bulk(i, distinct=True)
            for row, multiplicity in rows:
                bulk.add(row[0], row[1], multiplicity)
            self.stored(bulk)
        self.build()

    def bulk(self, i: int, distinct: bool) -> Bulk[P]:
        """To store tuples of relation i; they count after `stored`, the rest follows with `build`."""
        return self.rows.bulk(i, self.relations[i], distinct)

    def stored(self, bulk: Bulk[P]) -> None:
        """A relation is complete.  Cost: O(its size)."""
        bulk.finish()
        self.size += bulk.count

    def build(self) -> None:
        """Make N, the partitions and all views from tuples that were only stored.  Cost: O(|D|^{3/2}).

        Every view tree is built from one of the two relations that it joins: from the first, by light rows of
        less than N^ε, or from the second, by columns of at most N^{1−ε} heavy values. Then the head map is
        summed up from relation 0.
        """
        self.set_base(initial_base(self.size))
        for i, relation in enumerate(self.relations):
            self.watch(relation, 1)
            for column in range(2 if relation.double else 1):
                for value in relation.values_due(column, self.threshold.strict):
                    self.reclassify(i, column, value)
        self.steps += 2 * self.size
        forward = 2 * self.epsilon <= 1
        for i, relation in enumerate(self.relations):
            side = self._sides[i]
            tasks = [[task for task in part if task.forward == forward] for part in side.enter]
            if not any(tasks):
                continue
            for value in relation.values(0):
                part = relation.status(0, value) * 2
                if not tasks[part] and not tasks[part + 1]:
                    continue
                for x, y, multiplicity in relation.tuples_of(0, value):
                    if found := tasks[part + relation.status(1, y)]:
                        self.upkeep(i, x, y, multiplicity, 1, found)
        self.sum_all()

    def sum_all(self) -> None:
        """Fill the head map, which is empty, from relation 0.  Cost: O(|D|^{3/2})."""
        relation, side = self.relations[0], self._sides[0]
        try:
            for x in relation.values(0):
                known = relation.status(0, x) * 8 + side.previous.status(1, x)
                if side.bound_z:
                    self.rows.expect(2, side.previous.column(x, LIGHT))
                for second in range(2):
                    line = relation.row(x, second)
                    if line is None:
                        continue
                    for y in self.rows.members(1, line):
                        multiplicity = relation.get(x, y)
                        assert multiplicity is not None, "a row holds tuples"
                        code = known + second * 4 + side.following.status(0, y) * 2
                        self.sum_up(0, x, y, multiplicity, code)
        finally:
            self.rows.expect(2, None)

    def reclassify(self, i: int, column: int, value: Hashable) -> None:
        """Make a light value heavy in its relation, without a thought of the views.  Cost: O(degree)."""
        relation = self.relations[i]
        for x, y, multiplicity in relation.tuples_of(column, value):
            relation.shift(column, x, y, LIGHT, HEAVY, multiplicity)
        relation.mark(column, value, HEAVY)
