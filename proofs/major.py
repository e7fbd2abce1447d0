"""Major rebalancing: the size invariant, and that its cost is paid.

Paper: sec:rebalancing, prop:amortized_update_time (amortizing major rebalancing). The system is what
`proofs.controller` reads off the engine, with k, the number of updates since N was last set. Invariant:

    N ≥ 1,  ⌊N/4⌋ ≤ |D| < N,  k ≥ 0,  ½N − 1 − k ≤ |D| ≤ ½N + k.

Budget, in units of γ·√N: an update earns 4, a major rebalancing costs at most N, and the remaining credit is
scaled by some positive factor when N changes.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import z3  # type: ignore[import-untyped]
from attrs import frozen

from ivme_spec.state import initial_base, size_invariant
from proofs.claims import Claim, Refuted, Scope
from proofs.controller import UPDATES, Situation, Step, situation, steps, theta
from proofs.symbolic import Number, Path, Term, paths, prove, term_of, witness

HALF = Fraction(1, 2)


def invariant(base: Term, size: Term, since: Term) -> list[Term]:
    """The inductive invariant; the size invariant is the spec's own function."""
    return [
        base >= 1,
        holds(base, size),
        since >= 0,
        base - 2 - 2 * since <= 2 * size,
        2 * size <= base + 2 * since,
    ]


def holds(base: Term, size: Term) -> Term:
    """The spec's `size_invariant` as a formula: the disjunction of the paths on which it returns True."""
    runs = paths([], lambda: bool(size_invariant(Number(base), Number(size))))  # type: ignore[arg-type]
    return z3.Or([z3.And(run.conditions) for run in runs if run.result])


@frozen
class Move:
    """One update, from `start` with k = `since`, along one path of the engine."""

    start: Situation
    since: Term
    path: Path[Step]
    given: list[Term]

    @property
    def after(self) -> Situation:
        return self.path.result.after

    @property
    def major(self) -> bool:
        return self.path.result.major() is not None

    @property
    def since_after(self) -> Term:
        return z3.IntVal(0) if self.major else self.since + 1


@cache
def moves() -> tuple[Move, ...]:
    """Every path of every kind of update, for a single- and a double-partitioned relation and any θ."""
    start, renewed, since, found = situation(), theta("new_"), z3.Int("k"), list[Move]()
    for kind, (old, _) in UPDATES.items():
        for double in (False, True):
            given = [*invariant(start.base, start.size, since), *start.theta.facts, *renewed.facts]
            for value in start.values:
                given += [value.degree >= (0 if old is None else 1), value.degree <= start.size]
            for path in steps(start, renewed, kind, double=double, epsilon=HALF, given=given):
                found.append(Move(start, since, path, [*given, *path.conditions]))
    return tuple(found)


def size_invariant_is_inductive() -> str:
    """Holds initially, is preserved by every update, and one major rebalancing suffices."""
    size, count, majors = z3.Int("D"), 0, set[bool]()
    base = term_of(initial_base(Number(size)))  # type: ignore[arg-type]
    count += prove("initial state", [size >= 0], *invariant(base, size, z3.IntVal(0)))
    for move in moves():
        after = invariant(move.after.base, move.after.size, move.since_after)
        count += prove("update", move.given, *after)
        if event := move.path.result.major():
            majors.add(event.grown)
    if majors != {True, False}:
        raise Refuted("doubling or halving never happens")
    return f"{count} obligations"


def cost_is_paid() -> str:
    """At a major rebalancing at least ¼N updates have passed: 4·(k + 1) ≥ N, the current one included."""
    count = 0
    for move in moves():
        if move.major:
            count += prove("major", move.given, 4 * (move.since + 1) >= move.start.base)
    return f"{count} obligations"


def credit_stays() -> str:
    """credit ≥ 4k is inductive, so credit is never negative; credit ≥ 0 alone would not be."""
    credit, cost, scale, count = z3.Real("credit"), z3.Real("cost"), z3.Real("scale"), 0
    weak = ""
    for move in moves():
        base = z3.ToReal(move.start.base)
        given = [*move.given, cost >= 0, cost <= (base if move.major else 0), scale > 0]
        left = credit + 4 - cost
        after = left * scale if move.major else left
        inductive = [*given, credit >= 4 * move.since]
        count += prove("credit", inductive, left >= 0, after >= 4 * z3.ToReal(move.since_after))
        weak = weak or witness([*given, credit >= 0, left < 0])
    if not weak:
        raise Refuted("credit ≥ 0 is inductive by itself: the budget is looser than claimed")
    return f"{count} obligations"


CLAIMS = (
    Claim(
        "major-invariant",
        "The size invariant ⌊N/4⌋ ≤ |D| < N holds after every update, of every kind, from every start.",
        "def:ivme_state, fig:onUpdate",
        "Z3",
        Scope.PROVED,
        "all N, |D| and sequences",
        "an update changes |D| by its presence only",
        ("Engine.on_update", "rebalancing.rebalance", "rebalancing.major_rebalance", "doubled", "halved"),
        size_invariant_is_inductive,
    ),
    Claim(
        "major-gap",
        "At least ¼N updates lie between two major rebalancings: 4·(k+1) ≥ N.",
        "prop:amortized_update_time",
        "Z3",
        Scope.PROVED,
        "all N, |D| and sequences",
        "—",
        ("rebalancing.rebalance", "doubled", "halved", "initial_base"),
        cost_is_paid,
    ),
    Claim(
        "major-credit",
        "4γ√N per update pays for every major rebalancing: credit ≥ 4k is inductive, "
        "credit ≥ 0 alone is not.",
        "prop:amortized_update_time",
        "Z3",
        Scope.PROVED,
        "all N, |D| and sequences",
        "a major rebalancing costs at most γN^{3/2} (prop:major_cost)",
        ("rebalancing.rebalance", "doubled", "halved", "initial_base"),
        credit_stays,
    ),
)
