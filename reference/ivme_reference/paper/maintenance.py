"""OnUpdate and AffectedPart.

Paper: fig:onUpdate. Comments give the lines of the figure; R stands for whichever relation is updated.
"""

from __future__ import annotations

from ivme_reference.paper.rebalancing import minor_rebalance, set_base
from ivme_reference.paper.repairs import Repair
from ivme_reference.paper.state import PaperState, apply_update
from ivme_spec.relations import Row
from ivme_spec.rings import P
from ivme_spec.state import doubled, halved


def on_update(name: str, row: Row, m: P, state: PaperState[P]) -> None:
    """OnUpdate(δR = {(α,β) ↦ m}, Z)."""
    state.step += 1
    part = affected_part(name, row, state)  # 3
    apply_update(name, part, row, m, state)  # 4
    if state.size() == state.base:  # 5
        set_base(doubled(state.base), state)  # 6-7
    elif state.size() < state.base // 4:  # 8
        set_base(halved(state.base), state)  # 9-10
    elif violates(name, part, row, state):  # 11-14
        minor_rebalance(name, row, state)  # 15


def violates(name: str, part: str, row: Row, state: PaperState[P]) -> bool:
    """Whether α or β breaks a condition in the affected part (lines 11-14).

    The k-th letter of the part's name tells whether the k-th variable is heavy or light in it; the second
    variable of a single-partitioned relation is neither.
    """
    theta = state.threshold()
    for position, letter in enumerate(part):
        degree = state.degree(name, position, row[position])
        if letter == "L" and degree >= theta.light:  # 11-12
            return True
        if letter == "H" and degree < theta.heavy:  # 13-14
            return True
    return False


def affected_part(name: str, row: Row, state: PaperState[P]) -> str:
    """AffectedPart(δR, Z): the part of R that an update to (α,β) goes to."""
    parts = state.parts_of(name)
    if not state.is_double(name):  # 3
        return heavy_or_light(name, 0, row, state)  # 4-7
    if Repair.AFFECTED_PART in state.repairs:
        return heavy_or_light(name, 0, row, state) + heavy_or_light(name, 1, row, state)
    if row in parts["HH"] or state.epsilon == 0:  # 9
        return "HH"  # 10
    if row in parts["HL"]:  # 11
        return "HL"  # 12
    if row in parts["LH"]:  # 13
        return "LH"  # 14
    return "LL"  # 16


def heavy_or_light(name: str, position: int, row: Row, state: PaperState[P]) -> str:
    """H iff ε = 0 or the value at a position is in a part where its variable is heavy; else L."""
    heavy = (part for letters, part in state.parts_of(name).items() if letters[position] == "H")
    known = any(other[position] == row[position] for part in heavy for other in part)
    return "H" if known or state.epsilon == 0 else "L"
