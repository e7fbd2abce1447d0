"""MajorRebalance, MinorRebalance and MoveTuples.

Paper: fig:major_minor. Comments give the lines of the figure.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from ivme_reference.paper.repairs import Repair, Undefined
from ivme_reference.paper.state import Major, Minor, Move, PaperState, apply_update
from ivme_spec.partitions import Partition, strict_partition
from ivme_spec.relations import RELATIONS, SCHEMAS, Row, relation
from ivme_spec.rings import P
from ivme_spec.views import define, part_symbol


def set_base(base: int, state: PaperState[P]) -> None:
    """N = base, and MajorRebalance (fig:onUpdate, lines 6-7 and 9-10)."""
    state.log.append(Major(state.step, state.base, base))
    state.base = base
    major_rebalance(state)


def major_rebalance(state: PaperState[P]) -> None:
    """MajorRebalance(Z): strict partitions with the threshold N^ε, and all views recomputed."""
    partitions = strict_partitions(state)  # 2
    for name, partition in partitions.items():
        for part, contents in partition.items():
            state.parts[part_symbol(name, part)] = dict(contents.entries)
    for view in state.decomposition.views:  # 3
        state.views[view.name] = dict(define(view, state.decomposition, partitions).entries)


def strict_partitions(state: PaperState[P]) -> dict[str, Partition[P]]:
    """StrictPartition(P, N^ε)."""
    theta = state.threshold()
    return {
        name: strict_partition(
            relation(SCHEMAS[name], state.ring, state.rows(name)), theta, double=state.is_double(name)
        )
        for name in RELATIONS
    }


def minor_rebalance(name: str, row: Row, state: PaperState[P]) -> None:
    """MinorRebalance(K, X, x, Y, y, Z): restore the heavy and light part conditions for x and y."""
    state.log.append(Minor(state.step, name, row))
    if not state.is_double(name):  # 1
        check_value(name, 0, row[0], (("H", "L"),), state)  # 2-5
    else:  # 6
        check_value(name, 0, row[0], (("HH", "LH"), ("HL", "LL")), state)  # 7-10
        check_value(name, 1, row[1], (("HH", "HL"), ("LH", "LL")), state)  # 11-14


def check_value(
    name: str, position: int, value: Hashable, pairs: tuple[tuple[str, str], ...], state: PaperState[P]
) -> None:
    """The two cases for one value: lines 2-5, 7-10 or 11-14.

    `pairs` are the parts in which the value's variable is heavy, each with its light counterpart.
    """
    theta = state.threshold()
    degree = state.degree(name, position, value)
    in_heavy = any(stands_in(name, part, position, value, state) for part, _ in pairs)
    in_light = any(stands_in(name, part, position, value, state) for _, part in pairs)
    if in_heavy and degree < theta.heavy:  # 2, 7, 11
        to, moves = "L", pairs  # 3, 8, 12
    elif in_light and degree >= theta.light:  # 4, 9, 13
        to, moves = "H", tuple((light, heavy) for heavy, light in pairs)  # 5, 10, 14
    else:
        return
    moved = sum(move_tuples(name, position, value, src, dst, state) for src, dst in moves)
    state.log.append(Move(state.step, name, SCHEMAS[name][position], value, to, moved))


def stands_in(name: str, part: str, position: int, value: Hashable, state: PaperState[P]) -> bool:
    """x ∈ π_X K^k."""
    return any(row[position] == value for row in state.parts[part_symbol(name, part)])


def move_tuples(name: str, position: int, value: Hashable, src: str, dst: str, state: PaperState[P]) -> int:
    """MoveTuples(X, x, K_src → K_dst, Z): the number of tuples moved."""
    source = state.parts[part_symbol(name, src)]
    rows = (row for row in walk(source) if row[position] == value)
    moved = 0
    for row in list(rows) if Repair.SNAPSHOT in state.repairs else rows:  # foreach x ∈ σ_{X=x} K_src
        m = source[row]
        apply_update(name, dst, row, m, state)
        apply_update(name, src, row, -m, state)
        moved += 1
    return moved


def walk(entries: dict[Row, P]) -> Iterator[Row]:
    """The rows of a dict by successor steps; the successor of a deleted row is `Undefined`."""
    for row in list(entries):
        yield row
        if row not in entries:
            raise Undefined(f"the successor of {row!r}, which was deleted while the iterator stood on it")
