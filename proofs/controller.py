"""The engine's control code on unknowns: OnUpdate, MinorRebalance and MajorRebalance as a transition system.

Paper: fig:onUpdate, fig:major_minor. The production `Engine.on_update` and `Engine.vanish`, `rebalance`,
`settle`, `minor_rebalance`, `major_rebalance` and `watch`, and the relation's `status`, `mark`, `due` and
`values_due`, run here unchanged, for one update to a tuple (x, y) of one relation. Unknown are N, |D|, the
degrees of x and y in the relation, whether they are heavy, from which degree on they are watched, and θ; only
the views (`apply_update`) and the storage of tuples (`move_tuples`) are left out: the step proofs cover them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, cast
from unittest import mock

import z3  # type: ignore[import-untyped]
from attrs import evolve, frozen, mutable

from ivme.events import Major, Minor, Rebalance
from ivme.kernel import engine as propagation
from ivme.kernel import rebalancing
from ivme.kernel.engine import Engine
from ivme.kernel.parts import Status
from ivme.kernel.plan import compile_plan
from ivme.kernel.storage.dicts.relation import DictRelation
from ivme.kernel.storage.interface import StoredRelation
from ivme_spec.rings import NATURALS
from ivme_spec.thresholds import Threshold
from ivme_spec.views import COUNT_DOUBLE, COUNT_SINGLE
from proofs.claims import Refuted
from proofs.engines import DictEngine, OwnStorage
from proofs.symbolic import Number, Path, Term, Truth, paths, term_of

UPDATES: dict[str, tuple[int | None, int]] = {
    "insert": (None, 1),
    "more": (1, 1),
    "fewer": (2, -1),
    "delete": (1, -1),
}
"""The kinds of an update: the multiplicity that the tuple has (None: it is absent), and the change."""


@frozen
class Theta:
    """θ = N^ε, an unknown real ≥ 1 (so irrational powers are covered), and the degrees that stand for it."""

    value: Term
    heavy: Term
    strict: Term
    light: Term

    @property
    def facts(self) -> list[Term]:
        """θ ≥ 1 as N ≥ 1; heavy, strict and light are the least integers ≥ ½θ, θ and ³⁄₂θ."""
        found = [self.value >= 1]
        for factor, least in ((0.5, self.heavy), (1, self.strict), (1.5, self.light)):
            found += [z3.ToReal(least) >= factor * self.value, z3.ToReal(least) - 1 < factor * self.value]
        return found

    def threshold(self) -> Threshold:
        """The same as the engine's `Threshold`."""
        heavy, strict, light = (cast(int, Number(term)) for term in (self.heavy, self.strict, self.light))
        return Threshold(0, Fraction(0), heavy, strict, light)


def theta(prefix: str) -> Theta:
    """A fresh θ."""
    return Theta(z3.Real(prefix + "θ"), *(z3.Int(prefix + name) for name in ("heavy", "strict", "light")))


@frozen
class Value:
    """A value of a column: its degree, and whether it is heavy."""

    degree: Term
    heavy: Term


@frozen
class Situation:
    """What the control code reads."""

    base: Term
    size: Term
    theta: Theta
    values: tuple[Value, Value]


def situation(prefix: str = "") -> Situation:
    """All of it unknown."""
    values = [Value(z3.Int(f"{prefix}deg_{v}"), z3.Bool(f"{prefix}heavy_{v}")) for v in "xy"]
    return Situation(z3.Int(prefix + "N"), z3.Int(prefix + "D"), theta(prefix), (values[0], values[1]))


@frozen
class Step:
    """The outcome of one update: the rebalancing events, and the situation after them."""

    events: tuple[Rebalance, ...]
    after: Situation

    def major(self) -> Major | None:
        """The major rebalancing, if there was one."""
        return next((event for event in self.events if event.kind == "major"), None)

    def minor(self, value: str) -> Minor | None:
        """The minor rebalancing of a value, if there was one."""
        return next((event for event in self.events if event.kind == "minor" and event.value == value), None)


@mutable
class _HeavyBit:
    """A set of heavy values restricted to one value."""

    member: Term

    def __contains__(self, value: object) -> bool:
        return bool(Truth(self.member))

    def add(self, value: object) -> None:
        self.member = z3.BoolVal(True)

    def discard(self, value: object) -> None:
        self.member = z3.BoolVal(False)


@mutable
class _Relation:
    """A relation as the control code sees it: only the tuple (x, y)."""

    partitioned: int
    multiplicity: int | None
    degrees: list[Number]
    heavy: tuple[_HeavyBit, _HeavyBit]
    watch: Number

    double = StoredRelation.double
    status = DictRelation.status
    mark = DictRelation.mark
    due = DictRelation.due
    values_due = DictRelation.values_due

    def get(self, x: object, y: object) -> int | None:
        return self.multiplicity

    def degree(self, column: int, value: object) -> Number:
        return self.degrees[column]

    @property
    def watched(self) -> list[list[str]]:
        """By definition, which `DictRelation` keeps up to date (tests/kernel/test_storage_interface.py)."""
        return [["xy"[column]] if self.degrees[column] >= self.watch else [] for column in range(2)]

    def watching(self, column: int) -> int:
        return 0

    def watch_from(self, least: Number) -> int:
        self.watch = least
        return 0

    def add(self, x: object, y: object, first: Status, second: Status, new: int) -> None:
        self.degrees = [degree + 1 for degree in self.degrees]

    def put(self, x: object, y: object, first: Status, second: Status, new: int) -> None:
        pass

    def remove(self, x: object, y: object, first: Status, second: Status) -> None:
        self.degrees = [degree - 1 for degree in self.degrees]

    def compact(self) -> None:
        pass


class _Controller(Engine[int]):
    """The production engine with unknowns in it; views are left out."""

    def apply_update(self, *_: object) -> None:
        pass


def _flip(engine: DictEngine[int], i: int, column: int, value: Any, status: Status) -> int:
    """MoveTuples without tuples and views: the heavy bit only."""
    if engine.relations[i].status(column, value) == status:
        raise Refuted(f"{value} is moved to the class that it is in")
    engine.relations[i].mark(column, value, status)
    return 0


PLANS = {double: compile_plan(COUNT_DOUBLE if double else COUNT_SINGLE) for double in (False, True)}
"""The control code depends on the query only through the partitioned columns."""


def _decided(event: Rebalance) -> Rebalance:
    """The event with a direction that is a bool and no longer a term."""
    if event.kind == "minor":
        return evolve(event, heavy=bool(event.heavy))
    return evolve(event, grown=bool(event.grown))


def steps(
    start: Situation, renewed: Theta, kind: str, *, double: bool, epsilon: Fraction, given: Sequence[Term]
) -> list[Path[Step]]:
    """Every path of one update of a kind, from a situation about which some facts are given.

    `renewed` is the θ that a major rebalancing gets from `threshold`; its `facts` should be among `given`.
    """
    old, change = UPDATES[kind]
    x: Any = "x"  # its own id
    y: Any = "y"
    watch, heavy = z3.Int("watch"), start.theta.heavy
    given = [*given, watch >= 1, z3.Or(watch == 1, watch < heavy)]

    def run() -> Step:
        bits = (_HeavyBit(start.values[0].heavy), _HeavyBit(start.values[1].heavy))
        if not double:
            bits[1].member = z3.BoolVal(False)
        degrees = [Number(value.degree) for value in start.values]
        relation = _Relation(2 if double else 1, old, degrees, bits, Number(watch))
        engine = _Controller(PLANS[double], (), NATURALS, epsilon, OwnStorage())
        engine.relations[0] = cast("DictRelation[int]", relation)
        engine.base, engine.size = cast(int, Number(start.base)), cast(int, Number(start.size))
        engine.use(start.theta.threshold())
        with (
            mock.patch.object(propagation, "threshold", return_value=renewed.threshold()),
            mock.patch.object(rebalancing, "move_tuples", _flip),
        ):
            engine.on_update(0, x, y, change)
            events = tuple(map(_decided, rebalancing.rebalance(engine, 0, x, y)))
        if not 1 <= relation.watch <= max(1, engine.threshold.heavy - 1):
            raise Refuted("a heavy value that loses a tuple is watched no more")
        after = Situation(
            term_of(engine.base),
            term_of(engine.size),
            renewed if any(event.kind == "major" for event in events) else start.theta,
            (
                Value(relation.degrees[0].term, bits[0].member),
                Value(relation.degrees[1].term, bits[1].member),
            ),
        )
        return Step(events, after)

    return paths(given, run)
