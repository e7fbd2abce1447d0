"""The protocol that all approaches share, and the input relations underneath.

Paper: sec:intro, "Existing Incremental View Maintenance (IVM) Approaches". The relations R(A,B), S(B,C) and
T(C,A) form a cycle: relation i has the schema (Xᵢ, Xᵢ₊₁), indices modulo 3. An update of relation i at (x, y)
therefore meets the z-values of the row of y in relation i+1 and of the column of x in relation i+2, whichever
i is, and one piece of code serves R, S and T.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping
from typing import Any, Generic, Protocol

from ivme_reference.storage import StoredRelation
from ivme_spec.errors import ArityError, RefusedUpdateError
from ivme_spec.queries import head
from ivme_spec.relations import (
    RELATIONS,
    SCHEMAS,
    VARIABLES,
    Database,
    Relation,
    Row,
    data_value,
    known_relation,
)
from ivme_spec.relations import database as read_database
from ivme_spec.relations import relation as make_relation
from ivme_spec.rings import NATURALS, P, Ring

DEFAULT_RING: Ring[Any] = NATURALS


class TriangleQuery(Protocol[P]):
    """A triangle query under updates; rows have their values in the order of the letters of `free`."""

    free: str
    ring: Ring[P]

    def update(self, relation: str, x: Hashable, y: Hashable, multiplicity: object) -> None: ...
    def insert(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None: ...
    def delete(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None: ...
    def __iter__(self) -> Iterator[tuple[Row, P]]: ...
    def __getitem__(self, row: Row) -> P: ...
    def __contains__(self, row: Row) -> bool: ...


class Approach(ABC, Generic[P]):
    """The input relations with validated updates; subclasses define the views and how answers are computed.

    `steps` counts the steps so far in the RAM model (sec:computational_model): lookups, writes of entries,
    iterator steps. Only constructors, updates and answers increase it.
    """

    def __init__(self, free: str, ring: Ring[P] = DEFAULT_RING, database: Database | None = None) -> None:
        """The query with the given free variables, on a database as `ivme_spec.relations.database` reads it.

        Cost: |D| updates. Bad input: an `InputError` that shows it.
        """
        self.free = head(free)
        self.ring = ring
        self.steps = 0
        self.relations: tuple[StoredRelation[P], ...] = tuple(StoredRelation() for _ in RELATIONS)
        self._prepare()
        given = read_database(database, ring)
        for i, name in enumerate(RELATIONS):
            for (x, y), m in given[name].entries.items():
                self._apply(i, x, y, m)

    # --- hooks for subclasses ----------------------------------------------------------------------------

    def _prepare(self) -> None:
        """Initialize the materialized views for the empty database."""

    def _propagate(self, i: int, x: Hashable, y: Hashable, m: P) -> None:
        """Maintain the views under {(x, y) ↦ m}; relation i itself is updated afterwards."""

    @abstractmethod
    def _result(self) -> Mapping[Row, P]:
        """The rows of the result with their nonzero multiplicities."""

    # --- the protocol ------------------------------------------------------------------------------------

    def update(self, relation: str, x: Hashable, y: Hashable, multiplicity: object) -> None:
        """Change the multiplicity of a tuple: insert copies, or delete them with a negative multiplicity.

        Cost: O(1), plus the view maintenance that the class documents. Bad input: an `InputError` that shows
        it, and nothing has changed: an unknown relation, an unhashable value, a multiplicity that is zero or
        no element of the ring, in ℕ a delete of more copies than there are.
        """
        i, m = RELATIONS.index(known_relation(relation)), self.ring.nonzero(multiplicity)
        data_value(x)
        data_value(y)
        present = self.relations[i].row(x).get(y, self.ring.zero)
        if not self.ring.signed and _negative(present + m):
            raise RefusedUpdateError(
                f"{relation}{(x, y)!r} has multiplicity {present!r}: an update by {m!r} would lead below zero"
            )
        self._apply(i, x, y, m)

    def insert(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Update by +multiplicity.  Cost and bad input: as `update`."""
        self.update(relation, x, y, multiplicity)

    def delete(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Update by -multiplicity.  Cost and bad input: as `update`."""
        self.update(relation, x, y, -self.ring.nonzero(multiplicity))

    def __iter__(self) -> Iterator[tuple[Row, P]]:
        """Every row of the result once, with its multiplicity; like a dict's, invalidated by updates.

        Cost: O(1) per row, after the cost of an answer that the class documents.
        """
        return iter(self._result().items())

    def __getitem__(self, row: Row) -> P:
        """The multiplicity of a row, zero if it is not in the result.

        Cost: O(1), after the cost of an answer that the class documents. Bad input: an `ArityError` for
        anything but a tuple with one value per free variable, a `DataValueError` for an unhashable value.
        """
        if not isinstance(row, tuple) or len(row) != len(self.free):
            wanted = f"({', '.join(self.free)})"
            raise ArityError(f"{row!r} is not a row of this query: give a tuple {wanted}")
        for value in row:
            data_value(value)
        return self._result().get(row, self.ring.zero)

    def __contains__(self, row: Row) -> bool:
        """Whether a row has a nonzero multiplicity.  Cost and bad input: as a lookup."""
        return bool(self[row])

    def database(self) -> dict[str, Relation[P]]:
        """The input relations as they are now.  Cost: O(|D|)."""
        return {
            name: make_relation(SCHEMAS[name], self.ring, stored.items())
            for name, stored in zip(RELATIONS, self.relations, strict=True)
        }

    # --- for subclasses ----------------------------------------------------------------------------------

    def _apply(self, i: int, x: Hashable, y: Hashable, m: P) -> None:
        self._propagate(i, x, y, m)
        self.relations[i].add(x, y, m)
        self.steps += 2

    def _row(self, i: int, x: Hashable, y: Hashable, z: Hashable) -> Row:
        """The row of the result for Xᵢ = x, Xᵢ₊₁ = y and Xᵢ₊₂ = z."""
        values = {VARIABLES[(i + k) % 3]: value for k, value in enumerate((x, y, z))}
        return tuple(values[variable] for variable in self.free)


def _negative(total: object) -> bool:
    return isinstance(total, int) and total < 0
