"""The paper's algorithm behind a small interface: update, iterate, look up.

Paper: all of IVM^ε, for the eight triangle queries. Plain and slow; `ivme` is the fast one.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Generic, overload

from ivme_reference.paper.enumeration import AS_STORED, Order, enumerate_result, multiplicity
from ivme_reference.paper.maintenance import on_update
from ivme_reference.paper.rebalancing import major_rebalance
from ivme_reference.paper.repairs import ALL, Repair, Repairs
from ivme_reference.paper.state import Entry, PaperState
from ivme_reference.paper.support import supported, supported_change
from ivme_spec.errors import RefusedUpdateError
from ivme_spec.partitions import part_names
from ivme_spec.queries import Partitioning, head
from ivme_spec.relations import (
    RELATIONS,
    SCHEMAS,
    Database,
    Relation,
    Row,
    known_relation,
    pair,
    relation,
    restrict,
)
from ivme_spec.relations import database as parse_database
from ivme_spec.rings import NATURALS, P, Ring
from ivme_spec.state import State, initial_base
from ivme_spec.thresholds import parse_epsilon
from ivme_spec.views import decomposition_for, part_symbol


class PaperEngine(Generic[P]):
    """One triangle query maintained as in the paper, with the given repairs.

    Rows have the variables in the order of the letters of `free`. With `Repair.SUPPORT` the state is kept
    over ℤ × ring, and a tuple whose multiplicities add up to zero is not reported. Costs are not the paper's:
    scans replace its indexes.
    """

    @overload
    def __init__(
        self: PaperEngine[int],
        free: str,
        epsilon: object,
        *,
        partitioning: Partitioning = ...,
        database: Database | None = ...,
        repairs: Repairs = ...,
        order: Order = ...,
    ) -> None: ...

    @overload
    def __init__(
        self,
        free: str,
        epsilon: object,
        ring: Ring[P],
        partitioning: Partitioning = ...,
        database: Database | None = ...,
        repairs: Repairs = ...,
        order: Order = ...,
    ) -> None: ...

    def __init__(
        self,
        free: str,
        epsilon: object,
        ring: Ring[Any] = NATURALS,
        partitioning: Partitioning = "single",
        database: Database | None = None,
        repairs: Repairs = ALL,
        order: Order = AS_STORED,
    ) -> None:
        self.free = head(free)
        self.ring: Ring[P] = ring
        self.repairs = repairs
        self.order = order
        relations = parse_database(database, self.ring)
        # Over ℤ × ring if supports are kept, else over the ring itself: no useful common type.
        self._state: PaperState[Any] = PaperState(
            decomposition_for(free, partitioning),
            parse_epsilon(epsilon),
            supported(ring) if Repair.SUPPORT in repairs else ring,
            initial_base(sum(map(len, relations.values()))),
            repairs,
        )
        for name, contents in relations.items():
            for part in part_names(self._state.is_double(name)):
                self._state.parts[part_symbol(name, part)] = {}
            some_part = next(iter(self._state.parts_of(name).values()))
            for row, m in contents.entries.items():
                some_part[row] = self._change(self.ring.zero, m)
        major_rebalance(self._state)

    @property
    def log(self) -> list[Entry]:
        """The rebalancing steps so far."""
        return self._state.log

    def update(self, relation: str, x: Hashable, y: Hashable, multiplicity: object) -> None:
        """OnUpdate(δK = {(x,y) ↦ multiplicity}).

        If repaired, it refuses bad input with an `InputError`, and nothing has changed.
        """
        name, row, m = known_relation(relation), pair((x, y)), self.ring.lift(multiplicity)
        before = self._payload(self._state.multiplicity(name, row))
        if Repair.REJECTED_UPDATES in self.repairs:
            self.ring.nonzero(m)
            after = before + m
            if not self.ring.signed and isinstance(after, int) and after < 0:
                raise RefusedUpdateError(
                    f"{name}{row!r} has multiplicity {before!r}: it cannot change by {multiplicity!r}"
                )
        on_update(name, row, self._change(before, m), self._state)

    def insert(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Update by +multiplicity."""
        self.update(relation, x, y, multiplicity)

    def delete(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Update by -multiplicity."""
        self.update(relation, x, y, -self.ring.lift(multiplicity))

    def __iter__(self) -> Iterator[tuple[Row, P]]:
        """The tuples of the result with their multiplicities, in the order of the paper's enumeration."""
        for row, element in enumerate_result(self._state, self.order):
            payload = self._payload(element)
            if payload or Repair.SUPPORT not in self.repairs:
                yield restrict(row, self._state.decomposition.head, self.free), payload

    def __getitem__(self, row: Row) -> P:
        """The multiplicity of a tuple in the result, by the sums of the enumeration."""
        return self._payload(
            multiplicity(restrict(row, self.free, self._state.decomposition.head), self._state)
        )

    def __contains__(self, row: Row) -> bool:
        """Whether a tuple has a nonzero multiplicity in the result."""
        return bool(self[row])

    def part(self, relation: str, part: str) -> dict[Row, P]:
        """The contents of a relation part."""
        return {row: self._payload(m) for row, m in self._state.parts[part_symbol(relation, part)].items()}

    def state(self) -> State[P]:
        """The state as the spec describes it, over the ring itself."""
        now = self._state
        return State(
            now.decomposition,
            now.epsilon,
            now.base,
            {
                name: {
                    part: self._relation(SCHEMAS[name], contents)
                    for part, contents in now.parts_of(name).items()
                }
                for name in RELATIONS
            },
            {view.name: self._relation(view.head, now.views[view.name]) for view in now.decomposition.views},
        )

    def _relation(self, schema: str, contents: Mapping[Row, Any]) -> Relation[P]:
        return relation(schema, self.ring, ((row, self._payload(m)) for row, m in contents.items()))

    def _change(self, before: P, m: P) -> Any:
        return supported_change(before, m) if Repair.SUPPORT in self.repairs else m

    def _payload(self, element: Any) -> P:
        payload: P = element.payload if Repair.SUPPORT in self.repairs else element
        return payload
