"""Engines broken by design: what the conformance kit must catch, and a gallery of failure modes.

Each has one defect, named in its docstring; most are modelled on bugs of real engines. `BROKEN` maps them to
the kind of finding that the kit reports; `Quadratic` answers correctly and is caught by `check_complexity`
alone.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from ivme.formats.traces import Update
from ivme.kernel.sides import Move
from ivme_reference.classical import Classical
from ivme_reference.naive import Naive
from ivme_spec.relations import RELATIONS, RelationName, Row
from tests.support.own_engine import ViewEngine


class Right:
    """Classical IVM behind the kit's protocol: the correct engine that the others derive from."""

    def __init__(self, free: str) -> None:
        self.free = free
        self.view: Classical[int] = Classical(free)

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """Apply one update."""
        self.view.update(relation, x, y, multiplicity)

    def rows(self) -> Iterable[tuple[Row, int]]:
        """The answer."""
        return list(self.view)

    def cost(self) -> int:
        """The steps counted so far."""
        return self.view.steps


class MissingCrossTerm(Right):
    """The delta of a batch is Σ over its updates against the *old* database: δR·δS is missing."""

    def __init__(self, free: str) -> None:
        super().__init__(free)
        self.answer: dict[Row, int] = {}
        self.database: list[Update] = []

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """A batch of one."""
        self.batch([(relation, x, y, multiplicity)])

    def batch(self, updates: Sequence[Update]) -> None:
        """Each update is joined with the database before the batch."""
        before: Naive[int] = Naive(self.free)
        for update in self.database:
            before.update(*update)
        old = dict(before)
        for update in updates:
            single: Naive[int] = Naive(self.free)
            for known in self.database:
                single.update(*known)
            if single.relations[RELATIONS.index(update[0])].row(update[1]).get(update[2], 0) + update[3] >= 0:
                single.update(*update)
            for row, m in single:
                self.answer[row] = self.answer.get(row, 0) + m
            for row, m in old.items():
                self.answer[row] = self.answer.get(row, 0) - m
        self.database += updates

    def rows(self) -> Iterable[tuple[Row, int]]:
        """The sum of the deltas."""
        return [(row, m) for row, m in self.answer.items() if m]


class SetSemantics(Right):
    """Multiplicities are ignored: a tuple is present or absent."""

    def __init__(self, free: str) -> None:
        super().__init__(free)
        self.input: dict[tuple[RelationName, Hashable, Hashable], int] = {}

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """Only appearing and vanishing reach the view."""
        before = self.input.get((relation, x, y), 0)
        self.input[relation, x, y] = before + multiplicity
        present = (before + multiplicity > 0) - (before > 0)
        if present:
            self.view.update(relation, x, y, present)


class DuplicateRows(Right):
    """A row with more than one derivation is reported once for each of two views that have it."""

    def rows(self) -> Iterable[tuple[Row, int]]:
        """Multiplicities above 1 are split in two."""
        for row, m in self.view:
            yield from [(row, m // 2), (row, m - m // 2)] if m > 1 else [(row, m)]


class StaleAfterRebalance(ViewEngine):
    """IVM^ε that moves tuples between parts without updating the views."""

    def __init__(self, free: str) -> None:
        super().__init__(free, "1/4")  # small thresholds: tuples move early
        for side in self.view._engine.sides:  # the planted defect
            side.moves = [Move(0, 0, [], []) for _ in side.moves]

    def check(self) -> None:
        """No self-check: the kit must detect it from outside."""


class WrapsAt64Bits(Right):
    """Multiplicities are signed 64-bit machine integers."""

    def rows(self) -> Iterable[tuple[Row, int]]:
        """Two's complement."""
        wrapped = [(row, (m + 2**63) % 2**64 - 2**63) for row, m in self.view]
        return [(row, m) for row, m in wrapped if m]


class WrongAfterDrain(Right):
    """After the database has been emptied, the next insert is lost."""

    def __init__(self, free: str) -> None:
        super().__init__(free)
        self.size = 0
        self.drained = False

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """Counts copies; forgets one update after the count returns to zero."""
        self.size += multiplicity
        if self.drained:
            self.drained = False
            self.size -= multiplicity
            return
        self.view.update(relation, x, y, multiplicity)
        self.drained = self.size == 0


class NeverReturns(Right):
    """A row that has left the answer never returns."""

    def __init__(self, free: str) -> None:
        super().__init__(free)
        self.seen: set[Row] = set()
        self.dead: set[Row] = set()

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """Remembers the rows that vanish."""
        self.view.update(relation, x, y, multiplicity)
        now = {row for row, _ in self.view}
        self.dead |= self.seen - now
        self.seen |= now

    def rows(self) -> Iterable[tuple[Row, int]]:
        """Without the rows that ever vanished."""
        return [(row, m) for row, m in self.view if row not in self.dead]


class AcceptsAnything(Right):
    """A delete of more than is there is silently accepted."""

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """Swallows every error."""
        try:
            self.view.update(relation, x, y, multiplicity)
        except ValueError:
            return


class ForgetsColumn(Right):
    """Deletes leave the tuple in the index of one relation: T keeps what it had."""

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """T only grows."""
        if relation != "T" or multiplicity > 0:
            self.view.update(relation, x, y, multiplicity)


class ZeroRows(Right):
    """Rows whose multiplicity fell to zero are still reported."""

    def __init__(self, free: str) -> None:
        super().__init__(free)
        self.seen: set[Row] = set()

    def rows(self) -> Iterable[tuple[Row, int]]:
        """All rows ever seen."""
        self.seen |= {row for row, _ in self.view}
        return [(row, self.view[row]) for row in self.seen]


class CrashesOnReinsert(Right):
    """A tuple that was deleted cannot be inserted again."""

    def __init__(self, free: str) -> None:
        super().__init__(free)
        self.tombstones: set[tuple[RelationName, Hashable, Hashable]] = set()

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """Raises at a tombstone."""
        if (relation, x, y) in self.tombstones and multiplicity > 0:
            raise KeyError((relation, x, y))
        if multiplicity < 0:
            self.tombstones.add((relation, x, y))
        self.view.update(relation, x, y, multiplicity)


class Quadratic(Right):
    """Correct answers, but every update takes quadratic time."""

    def __init__(self, free: str) -> None:
        super().__init__(free)
        self.size = 0
        self.walked = 0

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """Walks the input for each tuple that it walks past."""
        self.size += 1
        self.walked += self.size**2
        self.view.update(relation, x, y, multiplicity)

    def cost(self) -> int:
        """The steps of the walks."""
        return self.walked


BROKEN: dict[Callable[[str], Right | ViewEngine], str] = {
    MissingCrossTerm: "wrong answer",
    SetSemantics: "wrong answer",
    DuplicateRows: "duplicate row",
    StaleAfterRebalance: "wrong answer",
    WrapsAt64Bits: "wrong answer",
    WrongAfterDrain: "wrong answer",
    NeverReturns: "wrong answer",
    AcceptsAnything: "accepted an invalid update",
    ForgetsColumn: "wrong answer",
    ZeroRows: "zero row",
    CrashesOnReinsert: "refused a valid update",
}
"""The broken engines, with what the kit finds in them."""
