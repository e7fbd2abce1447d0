"""The IVM^ε engine: one piece of code for all plans, all relations and all parts.

Paper: fig:onUpdate (OnUpdate, AffectedPart), fig:applyUpdate and its sisters (ApplyUpdate), fig:major_minor
(MinorRebalance, MoveTuples, MajorRebalance), repaired as in ERRATA. Spec: `ivme_spec.state`.

Invariant between two calls: the state is an IVM^ε state (def:ivme_state) for N = `base`: the size invariant
holds, every heavy value has degree ≥ ½θ and every light one < ³⁄₂θ, the head map is the sum over all
combinations of parts that no kept tree covers, and each tree is what `ivme.trees` says.

Differences from the figures, none of which changes a state:
  * two sets of z-values are intersected by walking the smaller one, which is never more than the side that
    the paper picks case by case, and loads a whole database in O(N^{3/2});
  * a moved tuple changes the head map only where a kept tree covers it before or after the move, not both;
  * major rebalancing moves the values whose class changes instead of recomputing everything: the strict
    partition is unique, so the end state is the paper's.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from operator import itemgetter
from typing import Generic, cast

from ivme.events import Rebalance
from ivme.plan import HEAVY, LIGHT, Bucket, Plan, Status, Upkeep, code
from ivme.storage import Line, RelationIndex, compacted
from ivme.trees import KeptTree, SummedTree
from ivme_spec.errors import RefusedUpdateError
from ivme_spec.relations import RELATIONS, VARIABLES, Row
from ivme_spec.rings import P, Ring
from ivme_spec.state import doubled, halved, initial_base
from ivme_spec.thresholds import Threshold, threshold

Triple = tuple[Hashable, Hashable, Hashable]


def key_builder(positions: tuple[int, ...]) -> Callable[[Triple], Row]:
    """A function from (x, y, z) to the tuple of the values at some positions."""
    if len(positions) == 0:
        return lambda _: ()
    if len(positions) == 1:
        position = positions[0]
        return lambda triple: (triple[position],)
    return cast("Callable[[Triple], Row]", itemgetter(*positions))


class Engine(Generic[P]):
    """The state of one triangle query and the procedures that maintain it.

    `order` lists the free variables of the head map's keys by their numbers 0, 1, 2. `turns` is the rotation
    that leads from the plan's canonical head to the user's: relation i is called RELATIONS[i + turns].
    """

    def __init__(
        self, plan: Plan, order: tuple[int, ...], ring: Ring[P], epsilon: Fraction, turns: int = 0
    ) -> None:
        self.plan = plan
        self.order = order
        self.turns = turns
        self.ring = ring
        self.epsilon = epsilon
        self.base = initial_base(0)
        self.size = 0
        self.threshold: Threshold = threshold(self.base, epsilon)
        self.relations: tuple[RelationIndex[P], RelationIndex[P], RelationIndex[P]] = (
            RelationIndex(plan.double[0]),
            RelationIndex(plan.double[1]),
            RelationIndex(plan.double[2]),
        )
        self.head: dict[Row, P] = {}
        self.summed: dict[int, SummedTree[P]] = {}
        self.kept: dict[int, KeptTree] = {}
        for tree in plan.trees:
            if tree.kept:
                bound = [variable not in order for variable in range(3)]
                self.kept[tree.index] = KeptTree(by_x=bound[tree.first], by_z=bound[tree.closing])
            else:
                self.summed[tree.index] = SummedTree()
        self._bound_z = [(i + 2) % 3 not in order for i in range(3)]
        self._key = [key_builder(tuple((variable - i) % 3 for variable in order)) for i in range(3)]
        self.version = 0
        """The number of updates; open enumerations compare it."""
        self.steps = 0
        """Steps of the RAM model since the engine was made; callers take differences."""

    def name(self, i: int) -> str:
        """The user's name of relation i."""
        return RELATIONS[(i + self.turns) % 3]

    # --- OnUpdate (fig:onUpdate) ------------------------------------------------------------------------

    def on_update(self, i: int, x: Hashable, y: Hashable, multiplicity: P) -> None:
        """Add a nonzero multiplicity to (x, y) of relation i, without rebalancing.

        Cost: O(N^max(ε,1−ε)).  A delete of more than is there: `RefusedUpdateError`, nothing has changed.
        """
        relation = self.relations[i]
        old = relation.get(x, y)
        new = multiplicity if old is None else old + multiplicity
        if not self.ring.signed and cast(int, new) < 0:
            raise RefusedUpdateError(
                f"{self.name(i)}{(x, y)!r} has multiplicity {old or 0!r}: {-multiplicity!r} cannot be deleted"
            )
        self.version += 1
        if old is None and self.epsilon == 0:
            relation.heavy[0].add(x)  # AffectedPart, line 4: with ε = 0 everything is heavy
            if relation.double:
                relation.heavy[1].add(y)
        first = HEAVY if x in relation.heavy[0] else LIGHT  # AffectedPart, as repaired in ERRATA E1
        second = HEAVY if y in relation.heavy[1] else LIGHT
        presence = (1 if new else 0) - (0 if old is None else 1)
        self.apply_update(i, x, y, first, second, multiplicity, presence)
        if new:
            relation.put(x, y, first, second, new)
        else:
            relation.remove(x, y, first, second)
            for column, value in ((0, x), (1, y)):
                if value in relation.heavy[column] and not relation.degree(column, value):
                    relation.heavy[column].remove(value)
        self.size += presence
        self.steps += 8

    def rebalance(self, i: int, x: Hashable, y: Hashable) -> list[Rebalance]:
        """Restore the invariants after an update to (x, y) of relation i (fig:onUpdate, lines 5-15).

        Cost: amortized O(N^max(ε,1−ε)) (prop:amortized_update_time).
        """
        if self.size == self.base:
            return [self.major_rebalance(doubled(self.base))]
        if self.size < self.base // 4:
            return [self.major_rebalance(halved(self.base))]
        relation, theta, done = self.relations[i], self.threshold, []
        for column, value in ((0, x), (1, y)) if relation.double else ((0, x),):
            degree = relation.degree(column, value)
            if value in relation.heavy[column]:
                if degree < theta.heavy:
                    done.append(self.minor_rebalance(i, column, value, LIGHT))
            elif degree >= theta.light:
                done.append(self.minor_rebalance(i, column, value, HEAVY))
        return done

    # --- ApplyUpdate (fig:applyUpdate, fig:applyUpdate_full) --------------------------------------------

    def apply_update(
        self, i: int, x: Hashable, y: Hashable, first: Status, second: Status, multiplicity: P, presence: int
    ) -> None:
        """Bring all views up to date with a change of (x, y) in the part (first, second) of relation i.

        The relation itself is not looked at and not changed. `presence` is 1 if the tuple appears, −1 if it
        vanishes, 0 if only its multiplicity changes.  Cost: O(N^max(ε,1−ε)).
        """
        following, previous = self.relations[(i + 1) % 3], self.relations[(i + 2) % 3]
        row_first = HEAVY if y in following.heavy[0] else LIGHT
        column_second = HEAVY if x in previous.heavy[1] else LIGHT
        at = code(first, second, row_first, column_second)
        total = self.spread(i, x, y, multiplicity, self.plan.listed[i][at])
        for index in self.plan.summed_by[i]:
            self.steps += 1
            found = self.summed[index].get(y, x)
            if found is not None:
                total = found if total is None else total + found
        if total is not None:
            self.add_to_head(self._key[i]((x, y, None)), multiplicity * total)
        if upkeep := self.plan.upkeep[i][first * 2 + second]:
            self.upkeep(i, x, y, row_first, column_second, multiplicity, presence, upkeep)
        if presence:
            for index in self.plan.kept_by[i]:
                self.steps += 2
                tree = self.kept[index]
                if tree.values((y, x)) is not None:
                    if presence > 0:
                        tree.open_root((y, x))
                    else:
                        tree.close_root((y, x))

    def spread(
        self, i: int, x: Hashable, y: Hashable, multiplicity: P, buckets: tuple[Bucket, ...]
    ) -> P | None:
        """Σ_z row(z) · column(z) over combinations of parts: returned if z is bound, else added to the head.

        Cost: O(the smaller of row and column) for each combination.
        """
        rows = self.relations[(i + 1) % 3].forward
        columns = self.relations[(i + 2) % 3].backward
        bound, total, steps = self._bound_z[i], None, 0
        for row_second, column_first in buckets:
            row, column = rows[row_second].get(y), columns[column_first].get(x)
            steps += 2
            if row is None or column is None:
                continue
            common = row.keys() & column.keys()  # walks the smaller one
            steps += min(len(row), len(column)) + len(common)
            if bound:
                for z in common:
                    product = row[z] * column[z]
                    total = product if total is None else total + product
            else:
                key = self._key[i]
                for z in common:
                    self.add_to_head(key((x, y, z)), multiplicity * row[z] * column[z])
        self.steps += steps
        return total

    def add_to_head(self, key: Row, change: P) -> None:
        """Add to an entry of the head map; zero sums are not stored.  Cost: amortized O(1)."""
        self.steps += 1
        old = self.head.get(key)
        new = change if old is None else old + change
        if new:
            self.head[key] = new
        elif old is not None:
            del self.head[key]
            self.head = compacted(self.head)

    def upkeep(
        self,
        i: int,
        x: Hashable,
        y: Hashable,
        row_first: Status,
        column_second: Status,
        multiplicity: P,
        presence: int,
        tasks: Iterable[Upkeep],
    ) -> None:
        """Propagate a change of relation i through the trees that join it.

        Cost: O(N^ε) for a light row, O(N^{1−ε}) for a heavy column (prop:single_step_time_full).
        """
        for task in tasks:
            if task.known is not None and task.known != (row_first if task.forward else column_second):
                continue
            for bucket in task.buckets:
                if task.forward:
                    line = self.relations[(i + 1) % 3].forward[bucket].get(y)
                else:
                    line = self.relations[(i + 2) % 3].backward[bucket].get(x)
                self.steps += 1
                if line is None:
                    continue
                if task.tree in self.summed:
                    self.steps += 2 * len(line)
                    if task.forward:
                        self.summed[task.tree].add_row(x, line, multiplicity)
                    else:
                        self.summed[task.tree].add_column(line, y, multiplicity)
                elif presence:
                    self.keep(i, x, y, line, task, presence)

    def keep(self, i: int, x: Hashable, y: Hashable, line: Line[P], task: Upkeep, presence: int) -> None:
        """Put a tuple joined with a row or column into a kept tree, or take it away.  Cost: O(|line|)."""
        tree, closing = self.kept[task.tree], self.relations[self.plan.trees[task.tree].closing]
        self.steps += 2 * len(line)
        for z in line:
            triple = (x, y, z) if task.forward else (z, x, y)
            if presence > 0:
                if tree.add(*triple):
                    self.steps += 2
                    if closing.get(triple[2], triple[0]) is not None:
                        tree.open_root((triple[0], triple[2]))
            elif tree.remove(*triple):
                self.steps += 2
                if closing.get(triple[2], triple[0]) is not None:
                    tree.close_root((triple[0], triple[2]))

    # --- rebalancing (fig:major_minor) ------------------------------------------------------------------

    def minor_rebalance(self, i: int, column: int, value: Hashable, status: Status) -> Rebalance:
        """Move a value to the other class (MinorRebalance with MoveTuples).

        Cost: O(N^{ε+max(ε,1−ε)}) (prop:minor_cost).
        """
        moved = self.move_tuples(i, column, value, status)
        variable = VARIABLES[(i + column + self.turns) % 3]
        heavy = status == HEAVY
        return Rebalance("minor", self.name(i), variable, value, heavy, moved, self.base, self.version)

    def major_rebalance(self, base: int) -> Rebalance:
        """Change N and make all partitions strict.  Cost: O(N^{3/2}) (prop:major_cost)."""
        grown = base > self.base
        self.base = base
        self.threshold = threshold(base, self.epsilon)
        moved = 0
        for i, relation in enumerate(self.relations):
            relation.compact()
            for column in (0, 1) if relation.double else (0,):
                values, heavy = relation.values(column), relation.heavy[column]
                self.steps += 2 * len(values)
                for value in values:
                    status = HEAVY if relation.degree(column, value) >= self.threshold.strict else LIGHT
                    if status != (HEAVY if value in heavy else LIGHT):
                        moved += self.move_tuples(i, column, value, status)
        return Rebalance("major", "", "", None, grown, moved, base, self.version)

    def move_tuples(self, i: int, column: int, value: Hashable, status: Status) -> int:
        """Make a value of a column of relation i heavy or light; the number of tuples moved.

        Cost: O(N^max(ε,1−ε)) for each tuple of the value.
        """
        relation = self.relations[i]
        tuples = relation.tuples_of(column, value)  # a copy: moving changes what is iterated (ERRATA E9)
        for x, y, multiplicity in tuples:
            old = (HEAVY if x in relation.heavy[0] else LIGHT, HEAVY if y in relation.heavy[1] else LIGHT)
            new = (old[0], status) if column else (status, old[1])
            self.move(i, x, y, old, new, multiplicity)
            relation.remove(x, y, *old)
            relation.put(x, y, *new, multiplicity)
        self.steps += 5 * len(tuples)
        if status == HEAVY:
            relation.heavy[column].add(value)
        else:
            relation.heavy[column].remove(value)
        return len(tuples)

    def move(self, i: int, x: Hashable, y: Hashable, old: Bucket, new: Bucket, multiplicity: P) -> None:
        """Bring all views up to date with a tuple that goes from one part to another.

        What is listed, or kept by the same tree, before and after does not change.  Cost: O(N^max(ε,1−ε)).
        """
        following, previous = self.relations[(i + 1) % 3], self.relations[(i + 2) % 3]
        row_first = HEAVY if y in following.heavy[0] else LIGHT
        column_second = HEAVY if x in previous.heavy[1] else LIGHT
        listed_old = self.plan.listed[i][code(*old, row_first, column_second)]
        listed_new = self.plan.listed[i][code(*new, row_first, column_second)]
        for sign, mine, other in (
            (-multiplicity, listed_old, listed_new),
            (multiplicity, listed_new, listed_old),
        ):
            if buckets := tuple(bucket for bucket in mine if bucket not in other):
                total = self.spread(i, x, y, sign, buckets)
                if total is not None:
                    self.add_to_head(self._key[i]((x, y, None)), sign * total)
        leave, enter = self.plan.upkeep[i][old[0] * 2 + old[1]], self.plan.upkeep[i][new[0] * 2 + new[1]]
        for sign, presence, mine_, other_ in (
            (-multiplicity, -1, leave, enter),
            (multiplicity, 1, enter, leave),
        ):
            if tasks := [task for task in mine_ if task not in other_]:
                self.upkeep(i, x, y, row_first, column_second, sign, presence, tasks)

    # --- preprocessing (prop:preprocessing_step and its sisters) ----------------------------------------

    def load(self, database: tuple[Iterable[tuple[Row, P]], ...], size: int) -> None:
        """Build the initial state of a database of `size` tuples: N = 2·|D| + 1, strict partitions.

        Each tuple goes into its final part at once.  Cost: O(|D|^{3/2}).
        """
        self.base = initial_base(size)
        self.threshold = threshold(self.base, self.epsilon)
        tuples = [list(rows) for rows in database]
        for relation, rows in zip(self.relations, tuples, strict=True):
            for column in (0, 1) if relation.double else (0,):
                degrees: dict[Hashable, int] = {}
                for row, _ in rows:
                    degrees[row[column]] = degrees.get(row[column], 0) + 1
                relation.heavy[column].update(v for v, d in degrees.items() if d >= self.threshold.strict)
                self.steps += len(rows) + len(degrees)
        for i, rows in enumerate(tuples):
            for (x, y), multiplicity in rows:
                self.on_update(i, x, y, multiplicity)
