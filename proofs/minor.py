"""Minor rebalancing: the partition conditions, and that the cost is paid.

Paper: def:loose_relation_partition, sec:rebalancing, prop:amortized_update_time (amortizing minor
rebalancing). The system is what `proofs.controller` reads off the engine. θ is any real ≥ 1; values may
vanish (degree 0) and return (ERRATA E11). For one value, k counts the updates on it since its class was last
set, and `moved` is whether a minor rebalancing set it. Invariant, for each of x and y:

    heavy:  deg ≥ ½θ                 light:  deg < ³⁄₂θ                  deg = 0 ⟹ light
    heavy:  deg + k ≥ ⌈θ⌉            light:  deg ≤ ⌈θ⌉ − 1 + k
    heavy and moved:  deg + k ≥ ⌈³⁄₂θ⌉   light and moved:  deg ≤ ⌈½θ⌉ − 1 + k

Budget of a value, in units of γ·N^max(ε,1−ε): an update on it earns 2, a move costs at most θ.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import z3  # type: ignore[import-untyped]
from attrs import frozen

from ivme.events import Minor
from proofs.claims import Claim, Refuted, Scope
from proofs.controller import UPDATES, Situation, Step, Theta, Value, situation, steps, theta
from proofs.symbolic import Path, Term, prove, witness


@frozen
class History:
    """Of one value: k, and whether it was moved since the last strict partition."""

    since: Term
    moved: Term


def conditions(value: Value, theta: Theta) -> list[Term]:
    """The heavy and light part conditions, with θ itself (def:loose_relation_partition)."""
    degree = z3.ToReal(value.degree)
    return [
        value.degree >= 0,
        z3.Implies(value.heavy, 2 * degree >= theta.value),
        z3.Implies(z3.Not(value.heavy), 2 * degree < 3 * theta.value),
        z3.Implies(value.degree == 0, z3.Not(value.heavy)),
    ]


def gaps(value: Value, theta: Theta, history: History) -> list[Term]:
    """The distance of a value's degree from where its class was set."""
    degree, since, light = value.degree, history.since, z3.Not(value.heavy)
    return [
        since >= 0,
        z3.Implies(value.heavy, degree + since >= theta.strict),
        z3.Implies(light, degree <= theta.strict - 1 + since),
        z3.Implies(z3.And(value.heavy, history.moved), degree + since >= theta.light),
        z3.Implies(z3.And(light, history.moved), degree <= theta.heavy - 1 + since),
    ]


@frozen
class Move:
    """One update along one path of the engine, for ε = 0 or any other ε."""

    epsilon: Fraction
    kind: str
    double: bool
    start: Situation
    histories: tuple[History, History]
    path: Path[Step]
    given: list[Term]

    @property
    def columns(self) -> tuple[int, ...]:
        """The partitioned columns: both, or the first."""
        return (0, 1) if self.double else (0,)

    def event(self, column: int) -> Minor | None:
        """The minor rebalancing of x (0) or y (1), if there was one."""
        return self.path.result.minor("xy"[column])

    @property
    def major(self) -> bool:
        """Whether there was a major rebalancing."""
        return self.path.result.major() is not None

    def history_after(self, column: int) -> History:
        """k and `moved` after the update."""
        before = self.histories[column]
        if self.major:
            return History(z3.IntVal(0), z3.BoolVal(False))
        if self.event(column) is not None:
            return History(z3.IntVal(0), z3.BoolVal(True))
        return History(before.since + 1, before.moved)


@cache
def moves() -> tuple[Move, ...]:
    """Every path of every kind of update, from every situation that satisfies the invariant."""
    start, renewed, found = situation(), theta("new_"), list[Move]()
    histories = (
        History(z3.Int("k_x"), z3.Bool("moved_x")),
        History(z3.Int("k_y"), z3.Bool("moved_y")),
    )
    for epsilon in (Fraction(0), Fraction(1, 2)):
        for kind, (old, _) in UPDATES.items():
            for double in (False, True):
                given = [start.base >= 1, start.size >= 0, *start.theta.facts, *renewed.facts]
                if epsilon == 0:
                    given += [start.theta.value == 1, renewed.value == 1]
                for column in (0, 1) if double else (0,):
                    value = start.values[column]
                    given += [value.degree >= (0 if old is None else 1), *conditions(value, start.theta)]
                    given += gaps(value, start.theta, histories[column])
                for path in steps(start, renewed, kind, double=double, epsilon=epsilon, given=given):
                    known = [*given, *path.conditions]
                    found.append(Move(epsilon, kind, double, start, histories, path, known))
    return tuple(found)


def conditions_are_inductive() -> str:
    """The partition conditions and the gaps hold in a strict partition and after every update."""
    value, fresh = Value(z3.Int("deg"), z3.Bool("heavy")), theta("")
    strict = [value.degree >= 0, value.heavy == z3.And(value.degree >= 1, value.degree >= fresh.strict)]
    begin = History(z3.IntVal(0), z3.BoolVal(False))
    obligations = [*conditions(value, fresh), *gaps(value, fresh, begin)]
    count, kinds = prove("strict partition", [*fresh.facts, *strict], *obligations), set[bool]()
    for move in moves():
        after, claims = move.path.result.after, list[Term]()
        for column in move.columns:
            value = after.values[column]
            claims += [*conditions(value, after.theta), *gaps(value, after.theta, move.history_after(column))]
            if move.major:
                claims.append(value.heavy == z3.And(value.degree >= 1, value.degree >= after.theta.strict))
            if event := move.event(column):
                kinds.add(event.heavy)
        count += prove(f"{move.kind} with ε = {move.epsilon}", move.given, *claims)
    if kinds != {True, False}:
        raise Refuted("one direction of minor rebalancing never happens")
    return f"{count} obligations"


def cost_is_paid() -> str:
    """More than ½θ updates on a value before it is moved, and more than θ if it was moved before."""
    count = 0
    for move in moves():
        for column in move.columns:
            if move.event(column) is not None:
                history, value = move.histories[column], move.start.theta.value
                updates = z3.ToReal(history.since + 1)
                claims = [2 * updates > value, z3.Implies(history.moved, updates > value)]
                count += prove("gap", move.given, *claims)
    return f"{count} obligations"


def credit_stays() -> str:
    """credit ≥ 2k is inductive for every value; credit ≥ 0 alone would not be."""
    credit, cost, scale, count, weak = z3.Real("credit"), z3.Real("cost"), z3.Real("scale"), 0, ""
    for move in moves():
        for column in move.columns:
            paid = move.event(column) is not None
            since, since_after = move.histories[column].since, move.history_after(column).since
            known = move.given if paid else [since >= 0]  # where nothing moves, nothing more is needed
            given = [*known, cost >= 0, cost <= (move.start.theta.value if paid else 0), scale > 0]
            left = credit + 2 - cost
            after = left * scale if move.major else left
            inductive = [*given, credit >= 2 * z3.ToReal(since)]
            count += prove("credit", inductive, left >= 0, after >= 2 * z3.ToReal(since_after))
            weak = weak or witness([*given, credit >= 0, left < 0])
    if not weak:
        raise Refuted("credit ≥ 0 is inductive by itself: the budget is looser than claimed")
    return f"{count} obligations"


def never_in_opposite_directions() -> str:
    """One update may move both values, both to heavy or both to light; both cases occur."""
    both = set[bool]()
    for move in moves():
        first, second = move.event(0), move.event(1)
        if first is not None and second is not None:
            if first.heavy != second.heavy:
                raise Refuted(f"opposite directions: {witness(move.given)}")
            both.add(first.heavy)
    if both != {True, False}:
        raise Refuted("two values never move at once")
    return f"{len(moves())} paths"


_RUNS = (
    "Engine.on_update",
    "rebalancing.rebalance",
    "rebalancing.minor_rebalance",
    "rebalancing.major_rebalance",
)

CLAIMS = (
    Claim(
        "minor-invariant",
        "Heavy values have degree ≥ ½θ and light ones < ³⁄₂θ after every update, in both columns, whatever "
        "vanishes or returns; a major rebalancing makes the partition strict.",
        "def:loose_relation_partition, def:loose_double_relation_partition, fig:major_minor",
        "Z3",
        Scope.PROVED,
        "all real θ ≥ 1, degrees and sequences",
        "a move changes no degree; `threshold` gives ⌈½θ⌉, ⌈θ⌉, ⌈³⁄₂θ⌉ (claims thresholds-…)",
        _RUNS,
        conditions_are_inductive,
    ),
    Claim(
        "minor-gap",
        "More than ½θ updates on a value lie between a strict partition and its first move, and more than θ "
        "between two moves.",
        "prop:amortized_update_time (cases 1 and 2)",
        "Z3",
        Scope.PROVED,
        "all real θ ≥ 1, degrees and sequences",
        "as minor-invariant",
        _RUNS,
        cost_is_paid,
    ),
    Claim(
        "minor-credit",
        "2γN^max(ε,1−ε) per update on a value pays for its moves: credit ≥ 2k is inductive, "
        "credit ≥ 0 alone is not.",
        "prop:amortized_update_time",
        "Z3",
        Scope.PROVED,
        "all real θ ≥ 1, degrees and sequences",
        "a move costs at most γN^{ε+max(ε,1−ε)} (prop:minor_cost)",
        _RUNS,
        credit_stays,
    ),
    Claim(
        "minor-same-direction",
        "One update can move both of its values, but never one to heavy and the other to light.",
        "sec:rebalancing (minor rebalancing)",
        "Z3",
        Scope.PROVED,
        "all real θ ≥ 1, degrees and sequences",
        "as minor-invariant",
        ("rebalancing.rebalance",),
        never_in_opposite_directions,
    ),
)
