"""Relations as finite maps into a ring, and what the paper does with them.

Paper: sec:data_model. A relation K over a schema maps tuples to ring elements, nonzero for finitely many;
`x in K` means K(x) ≠ 0; |K| counts such tuples. The operators of the query language are methods here:
product (natural join), sum over variables, and addition. Relations never change.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Generic, Literal

from attrs import frozen

from ivme_spec.errors import ArityError, DataValueError, MultiplicityError, UnknownRelationError, shown
from ivme_spec.rings import P, Ring

VARIABLES = "ABC"
RelationName = Literal["R", "S", "T"]
SCHEMAS: Mapping[str, str] = {"R": "AB", "S": "BC", "T": "CA"}
RELATIONS: tuple[RelationName, ...] = ("R", "S", "T")

Row = tuple[Hashable, ...]
Database = Mapping[str, object] | Mapping[RelationName, object]
"""As users pass it (see `database`). `Mapping` is invariant in its keys, hence the union."""


def restrict(row: Row, schema: str, variables: str) -> Row:
    """x[F]: the values of `row` (over `schema`) for `variables`, in their order (sec:data_model).

    >>> restrict((1, 2, 3), "ABC", "CA")
    (3, 1)
    """
    return tuple(row[schema.index(variable)] for variable in variables)


@frozen
class Relation(Generic[P]):
    """K : Dom(schema) → ring. `entries` holds the nonzero ones; build with `relation(...)`."""

    schema: str
    ring: Ring[P]
    entries: Mapping[Row, P]

    def __call__(self, row: Row) -> P:
        """K(x), zero for a tuple that is not in K."""
        return self.entries.get(row, self.ring.zero)

    def __contains__(self, row: object) -> bool:
        return row in self.entries

    def __iter__(self) -> Iterator[Row]:
        return iter(self.entries)

    def __len__(self) -> int:
        """|K|, the number of tuples with nonzero multiplicity."""
        return len(self.entries)

    def __add__(self, other: Relation[P]) -> Relation[P]:
        """Q₁(x) + Q₂(x), over the same schema (variables may stand in another order)."""
        moved = ((restrict(row, other.schema, self.schema), m) for row, m in other.entries.items())
        return relation(self.schema, self.ring, [*self.entries.items(), *moved])

    def __neg__(self) -> Relation[P]:
        return Relation(self.schema, self.ring, {row: -m for row, m in self.entries.items()})

    def __mul__(self, other: Relation[P]) -> Relation[P]:
        """Q₁(x₁) · Q₂(x₂): the natural join, multiplicities multiplied."""
        shared = "".join(variable for variable in self.schema if variable in other.schema)
        new = "".join(variable for variable in other.schema if variable not in self.schema)
        matches: dict[Row, list[tuple[Row, P]]] = {}
        for row, m in other.entries.items():
            entry = (restrict(row, other.schema, new), m)
            matches.setdefault(restrict(row, other.schema, shared), []).append(entry)
        return relation(
            self.schema + new,
            self.ring,
            (
                (row + rest, m * k)
                for row, m in self.entries.items()
                for rest, k in matches.get(restrict(row, self.schema, shared), ())
            ),
        )

    def sum_to(self, variables: str) -> Relation[P]:
        """Σ over all variables but `variables`."""
        rows = ((restrict(row, self.schema, variables), m) for row, m in self.entries.items())
        return relation(variables, self.ring, rows)

    def project(self, variables: str) -> set[Row]:
        """π_F K: the restrictions of the tuples of K."""
        return {restrict(row, self.schema, variables) for row in self.entries}

    def degrees(self, variable: str) -> dict[Hashable, int]:
        """x ↦ |σ_{X=x} K| for every X-value x in K."""
        position, counts = self.schema.index(variable), dict[Hashable, int]()
        for row in self.entries:
            counts[row[position]] = counts.get(row[position], 0) + 1
        return counts


def relation(schema: str, ring: Ring[P], rows: Iterable[tuple[Row, P]] = ()) -> Relation[P]:
    """The relation that maps each tuple to the sum of the multiplicities given for it."""
    entries: dict[Row, P] = {}
    for row, m in rows:
        entries[row] = entries[row] + m if row in entries else m
    return Relation(schema, ring, {row: m for row, m in entries.items() if m})


def known_relation(name: object) -> RelationName:
    """The name itself if it is R, S or T; an `UnknownRelationError` otherwise.  Cost: O(1)."""
    if isinstance(name, str) and name in RELATIONS:
        return name
    raise UnknownRelationError(
        f"there is no relation {shown(name)}: the relations are R(A,B), S(B,C) and T(C,A)"
    )


def data_value(value: object) -> Hashable:
    """The value itself if it is hashable; a `DataValueError` otherwise.  Cost: O(1)."""
    try:
        hash(value)
    except TypeError as error:
        raise DataValueError(f"value {shown(value)} cannot be a data value: it is not hashable") from error
    return value


def pair(row: object) -> tuple[Hashable, Hashable]:
    """A tuple of an input relation: exactly two hashable values.  Cost: O(1)."""
    if not isinstance(row, tuple | list):
        raise ArityError(f"{shown(row)} is not a tuple of two values")
    if len(row) != 2:
        raise ArityError(f"{shown(row)} has {len(row)} values; the tuples of R, S and T have two")
    return data_value(row[0]), data_value(row[1])


def database(given: Database | None, ring: Ring[P]) -> dict[str, Relation[P]]:
    """The three relations of a database as users pass it.

    For each name, a mapping from pairs to multiplicities, a `Relation`, or an iterable of pairs (each
    occurrence counts one); a relation that is not named is empty.  Cost: O(|D|).  Bad input: an `InputError`
    that shows it.
    """
    rows: dict[str, list[tuple[Row, P]]] = {name: [] for name in RELATIONS}
    if given is not None and not isinstance(given, Mapping):
        raise ArityError(f"database {shown(given)} is not a mapping from relation names to tuples")
    for name, tuples in (given or {}).items():
        if isinstance(tuples, Relation):
            tuples = tuples.entries
        if isinstance(tuples, Mapping):
            listed = [(pair(row), ring.nonzero(m)) for row, m in tuples.items()]
        elif isinstance(tuples, Iterable) and not isinstance(tuples, str | bytes):
            listed = [(pair(row), ring.one) for row in tuples]
        else:
            raise ArityError(
                f"relation {shown(name)} of the database is neither a mapping nor an iterable of pairs: "
                f"{shown(tuples)}"
            )
        rows[known_relation(name)].extend(listed)
    relations: dict[str, Relation[P]] = {
        name: relation(SCHEMAS[name], ring, rows[name]) for name in RELATIONS
    }
    if not ring.signed:
        for name, contents in relations.items():
            for row, m in contents.entries.items():
                if isinstance(m, int) and m < 0:
                    raise MultiplicityError(
                        f"{name}{shown(row)} has multiplicity {shown(m)} in the database; "
                        f"{ring} has no negative ones"
                    )
    return relations
