"""The IVM^ε state as the paper's procedures change it.

Paper: def:ivme_state; ApplyUpdate of fig:applyUpdate, of fig:applyUpdate_full and of the other queries. Its
deltas are derived by the delta rules from the views' definitions. Everything is a scan over plain dicts.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import Generic

from attrs import define, field, frozen

from ivme_reference.paper.repairs import ALL, Repair, Repairs
from ivme_spec.algebra import Empty, Expression, change, delta, evaluate
from ivme_spec.partitions import matching_parts, part_names
from ivme_spec.relations import RELATIONS, SCHEMAS, Relation, Row, relation
from ivme_spec.rings import P, Ring
from ivme_spec.thresholds import HALF, ONE, THREE_HALVES, Threshold, threshold
from ivme_spec.views import Decomposition, View, part_symbol


@frozen
class Major:
    """A call of MajorRebalance, with N before and after."""

    step: int
    before: int
    after: int


@frozen
class Minor:
    """A call of MinorRebalance for a tuple."""

    step: int
    relation: str
    row: Row


@frozen
class Move:
    """A value that changes from light to heavy (to = "H") or back, with the number of tuples moved."""

    step: int
    relation: str
    variable: str
    value: object
    to: str
    tuples: int


Entry = Major | Minor | Move


@define
class PaperState(Generic[P]):
    """(ε, N, P, V) for a decomposition, with the repairs in use and a log of rebalancing steps.

    Parts are keyed by their symbols, like "R^HL". `step` counts the updates so far.
    """

    decomposition: Decomposition
    epsilon: Fraction
    ring: Ring[P]
    base: int
    repairs: Repairs = ALL
    parts: dict[str, dict[Row, P]] = field(factory=dict)
    views: dict[str, dict[Row, P]] = field(factory=dict)
    log: list[Entry] = field(factory=list)
    step: int = 0

    def is_double(self, name: str) -> bool:
        """Whether a relation is double partitioned."""
        return name in self.decomposition.double

    def parts_of(self, name: str, pattern: str = "ALL") -> dict[str, dict[Row, P]]:
        """The parts of a relation that match a pattern, by their names."""
        names = matching_parts(pattern, self.is_double(name))
        return {part: self.parts[part_symbol(name, part)] for part in names}

    def rows(self, name: str) -> list[tuple[Row, P]]:
        """The entries of all parts of a relation."""
        return [entry for part in self.parts_of(name).values() for entry in part.items()]

    def multiplicity(self, name: str, row: Row) -> P:
        """K(x), the sum over the parts."""
        return sum((m for other, m in self.rows(name) if other == row), start=self.ring.zero)

    def degree(self, name: str, position: int, value: object) -> int:
        """|σ_{X=x} K| for the variable at a position of the schema."""
        return sum(row[position] == value for row, _ in self.rows(name))

    def size(self) -> int:
        """|D|."""
        return sum(len(part) for part in self.parts.values())

    def threshold(self) -> Threshold:
        """θ = N^ε, exact or in floating point."""
        if Repair.EXACT_THRESHOLDS in self.repairs:
            return threshold(self.base, self.epsilon)
        theta = self.base ** float(self.epsilon)
        return Threshold(
            self.base,
            self.epsilon,
            *(math.ceil(float(factor) * theta) for factor in (HALF, ONE, THREE_HALVES)),
        )

    def agreeing(self, row: Row, schema: str) -> dict[str, Relation[P]]:
        """All parts by symbol, each without the tuples that differ from `row` in a variable of `schema`."""
        values = dict(zip(schema, row, strict=True))
        return {
            part_symbol(name, part): Relation(
                SCHEMAS[name],
                self.ring,
                {
                    other: m
                    for other, m in self.parts[part_symbol(name, part)].items()
                    if all(values.get(x, v) == v for x, v in zip(SCHEMAS[name], other, strict=True))
                },
            )
            for name in RELATIONS
            for part in part_names(self.is_double(name))
        }


def apply_update(name: str, part: str, row: Row, m: P, state: PaperState[P]) -> None:
    """ApplyUpdate(δK^k = {x ↦ m}, Z): maintain every view, then the part itself."""
    symbol = part_symbol(name, part)
    update = relation(SCHEMAS[name], state.ring, [(row, m)])
    relations = {**state.agreeing(row, SCHEMAS[name]), change(symbol): update}
    for view in state.decomposition.views:
        query = view_delta(view, state.decomposition.double, symbol)
        if not isinstance(query, Empty):
            add(state.views[view.name], evaluate(query, relations))
    add(state.parts[symbol], update)


@cache
def view_delta(view: View, double: frozenset[str], symbol: str) -> Expression:
    """The delta query of a view under an update to one relation part."""
    return delta(view.query(double), symbol)


def add(contents: dict[Row, P], changes: Relation[P]) -> None:
    """contents := contents + changes; zeros are removed."""
    for row, m in changes.entries.items():
        total = contents[row] + m if row in contents else m
        if total:
            contents[row] = total
        else:
            del contents[row]
