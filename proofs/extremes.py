"""Where minor rebalancing is special: ε = 0, ε = 1, and the sentences of the paper that small θ contradicts.

Paper: sec:rebalancing, prop:amortized_update_time; ERRATA E10 and E11. Same system as `proofs.minor`.
"""

from __future__ import annotations

import z3  # type: ignore[import-untyped]

from ivme.events import Rebalance
from ivme.view import TriangleView, Update
from proofs.claims import Claim, NotObtained, Refuted, Scope, require
from proofs.controller import theta
from proofs.minor import Move, moves
from proofs.symbolic import prove, witness


def all_is_heavy_for_zero() -> str:
    """ε = 0: every value that occurs is heavy, and no value is ever moved."""
    count = 0
    for move in moves():
        if move.epsilon == 0:
            given = [*move.given, *(z3.Implies(v.degree >= 1, v.heavy) for v in move.start.values)]
            if not witness(given):
                continue  # a path from a light value: it is not taken
            for column in move.columns:
                after = move.path.result.after.values[column]
                count += prove("ε = 0", given, z3.Implies(after.degree >= 1, after.heavy))
                require(move.event(column) is None, f"a value is moved although ε = 0: {witness(given)}")
    return f"{count} obligations"


def all_is_light_for_one() -> str:
    """ε = 1, θ = N: no value is ever heavy."""
    count = 0
    for move in moves():
        if move.epsilon != 0:
            start, after = move.start, move.path.result.after
            given = [*move.given, start.theta.value == z3.ToReal(start.base), start.size < start.base]
            for value in start.values:
                given += [value.degree <= start.size, z3.Not(value.heavy)]
            if move.major:
                given.append(after.theta.value == z3.ToReal(after.base))
                given.append(after.size < after.base)  # claim major-invariant
            if not witness(given):
                continue
            for column in move.columns:
                count += prove("ε = 1", given, z3.Not(after.values[column].heavy))
                require(move.event(column) is None, f"a value is moved although ε = 1: {witness(given)}")
    return f"{count} obligations"


def _first_moves() -> list[Move]:
    """Paths on which x becomes heavy."""
    found = []
    for move in moves():
        event = move.event(0)
        if event is not None and event.heavy and move.epsilon != 0:
            found.append(move)
    return found


def base_case_slip() -> str:
    """The very first update moves a light value to heavy exactly for 1 < θ ≤ 4/3; it is paid all the same."""
    any_theta = theta("")
    slip = z3.And(any_theta.value > 1, 3 * any_theta.value <= 4)
    prove("⌈θ⌉ < ⌈³⁄₂θ⌉", any_theta.facts, slip == z3.Not(any_theta.strict < any_theta.light))
    shown = ""
    for move in _first_moves():
        first = [*move.given, move.histories[0].since == 0, z3.Not(move.histories[0].moved)]
        value = move.start.theta.value
        shown = shown or witness(first)
        if witness(first):
            prove("first update", first, z3.And(value > 1, 3 * value <= 4), value < 2)
    if not shown:
        raise Refuted("the first update never moves a light value")
    return f"a first update that moves a value: {shown}"


VANISHING: list[Update] = [("R", 0, b, m) for m in (1, -1) for b in (0, 1, 2)]
"""ERRATA E11: three tuples of one value are inserted and deleted."""


def consecutive_moves_in_one_direction() -> str:
    """A heavy value can vanish unmoved and be moved to heavy again; only for θ ≤ 2."""
    events: list[Rebalance] = []
    view = TriangleView("", "1/4", on_rebalance=events.append)
    view.apply([("S", 0, 0, 1), ("S", 1, 0, 1), *VANISHING, *VANISHING, *VANISHING, *VANISHING[:3]])
    last = [(event.relation, event.value, event.heavy) for event in events[-2:] if event.kind == "minor"]
    require(last == [("R", 0, True)] * 2, f"the minor ones of the last two rebalancings are {last}")
    count = 0
    for move in moves():
        if move.epsilon != 0 and move.event(0) is None and not move.major:
            x = move.start.values[0]
            vanishing = [*move.given, x.heavy, move.path.result.after.values[0].degree == 0]
            if witness(vanishing):
                count += prove("vanishing", vanishing, move.start.theta.value <= 2)
    if not count:
        raise NotObtained("no heavy value vanishes")
    return f"{count} obligations, and a run that moves R's 0 to heavy twice in a row"


_RUNS = ("Engine.on_update", "rebalancing.rebalance", "rebalancing.major_rebalance")

CLAIMS = (
    Claim(
        "epsilon-zero",
        "With ε = 0 all parts but the heaviest stay empty and no value is moved.",
        "fig:onUpdate (AffectedPart), sec:classicalIVM",
        "Z3",
        Scope.PROVED,
        "all N, degrees and sequences",
        "—",
        _RUNS,
        all_is_heavy_for_zero,
    ),
    Claim(
        "epsilon-one",
        "With ε = 1 all parts but the lightest stay empty and no value is moved.",
        "fig:onUpdate",
        "Z3",
        Scope.PROVED,
        "all N, degrees and sequences",
        "a degree is at most |D|; claim major-invariant",
        _RUNS,
        all_is_light_for_one,
    ),
    Claim(
        "slip-base-case",
        "The printed base case is false exactly for 1 < θ ≤ 4/3: there the first update can move a value; "
        "its cost is paid.",
        "prop:amortized_update_time (base case), ERRATA E10",
        "Z3",
        Scope.SHOWN,
        "all real θ ≥ 1",
        "—",
        ("rebalancing.rebalance",),
        base_case_slip,
    ),
    Claim(
        "slip-directions",
        "Consecutive moves of a value need not go in opposite directions: a heavy value can vanish unmoved "
        "and be moved to heavy again, but only for θ ≤ 2.",
        "prop:amortized_update_time (case 2), ERRATA E11",
        "Z3 and a run",
        Scope.SHOWN,
        "all real θ ≥ 1",
        "—",
        ("Engine.on_update", "rebalancing.rebalance"),
        consecutive_moves_in_one_direction,
    ),
)
