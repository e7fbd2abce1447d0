"""Updates and relations out of tables. No column is ignored, and null and NaN are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from textwrap import shorten

from ivme.tables.answers import MULTIPLICITY
from ivme.tables.readers import Column, Table, is_table, opened
from ivme_spec.errors import ArityError, DataValueError, InputError
from ivme_spec.relations import SCHEMAS, VARIABLES, Row, known_relation, pair, relation
from ivme_spec.rings import P, Ring

UPDATE = ("relation", "x", "y", MULTIPLICITY)
PAIR = ("x", "y")


@contextmanager
def updates_in(given: object) -> Iterator[Iterable[object]]:
    """The updates of a table or an array; any other iterable as it is.

    A table, or an array with named fields, has the columns relation, x, y and, unless all are 1,
    multiplicity, in any order; an array of objects has them in this one.
    """
    if not is_table(given):
        if not isinstance(given, Iterable):
            raise ArityError(
                f"{shorten(repr(given), 100)} is not an iterable of updates "
                "(relation, x, y, multiplicity), nor a table of them"
            )
        yield given
        return
    with opened(given, UPDATE) as table:
        faults = [f"{name} stands twice" for name in sorted(repeated(table.names))]
        faults += [f"{name} is missing" for name in UPDATE[:3] if name not in table.names]
        faults += [f"{name} is not one of them" for name in table.names if name not in UPDATE]
        if faults:
            raise ArityError(
                f"columns {', '.join(table.names)}: updates have the columns relation, x, y and, unless all "
                f"are 1, multiplicity; {'; '.join(faults)}"
            )
        yield rows(table, [name for name in UPDATE if name in table.names], "update")


def database_in(given: object, ring: Ring[P]) -> object:
    """A database whose tables have become pairs, or pairs with their multiplicities; the rest as it is.

    Cost: O(rows), and the pairs are in memory.
    """
    if is_table(given):
        raise ArityError(
            f"the database is a {type(given).__name__}: give a mapping from relation names to such tables"
        )
    if not isinstance(given, Mapping):
        return given
    return {
        name: relation_in(known_relation(name), tuples, ring) if is_table(tuples) else tuples
        for name, tuples in given.items()
    }


def relation_in(name: str, given: object, ring: Ring[P]) -> list[tuple[object, ...]] | Mapping[Row, P]:
    """The tuples of a relation in a table, for `database_in`; those that come twice count twice."""
    try:
        with opened(given, PAIR) as table:
            fields = pair_columns(name, table.names)
            if MULTIPLICITY not in table.names:
                return list(rows(table, fields, "row"))
            found = rows(table, [*fields, MULTIPLICITY], "row")
            return relation(SCHEMAS[name], ring, entries(found, ring)).entries
    except InputError as error:
        located = type(error)(f"table of {name}: {error}")
        located.position = error.position
        raise located from error


def entries(found: Iterator[tuple[object, ...]], ring: Ring[P]) -> Iterator[tuple[Row, P]]:
    for place, (x, y, multiplicity) in enumerate(found):
        try:
            yield pair((x, y)), ring.nonzero(multiplicity)
        except InputError as error:
            raise error.at("row", place) from error


def pair_columns(name: str, names: Sequence[str]) -> list[str]:
    """The two columns of a relation's values, first the first.

    x and y, or the relation's variables, are known by name; any other two are taken in order.
    """
    values, schema = [column for column in names if column != MULTIPLICITY], SCHEMAS[name]
    for known in (PAIR, tuple(schema)):
        if sorted(names) in (sorted(known), sorted((*known, MULTIPLICITY))):
            return list(known)
    if len(values) != 2 or repeated(names) or set(values) <= set(VARIABLES):
        raise ArityError(
            f"columns {', '.join(names)}: give two columns and, unless all are 1, a third "
            f"named {MULTIPLICITY}; x and y, or {schema[0]} and {schema[1]}, are known by name; "
            "two of other names than A, B and C are taken in order"
        )
    return values


def repeated(names: Sequence[str]) -> set[str]:
    return {name for name in names if names.count(name) > 1}


def rows(table: Table, fields: Sequence[str], what: str) -> Iterator[tuple[object, ...]]:
    """The rows of a table, in the order of `fields`; those before a missing value come, then an error."""
    for columns in blocks(table, fields, what):
        yield from zip(*columns, strict=True)


def blocks(table: Table, fields: Sequence[str], what: str) -> Iterator[list[Column]]:
    """As `rows`, many at a time: columns of cells."""
    places = [table.names.index(field) for field in fields]
    before = 0
    while True:
        try:
            columns = next(table.batches, None)
        except InputError as error:
            raise error.at(f"batch of {what}s", before) from error
        if columns is None:
            return
        chosen = [columns[place] for place in places]
        bad = [(place, f) for column, f in zip(chosen, fields, strict=True) for place in missing(column)]
        place, field = min(bad, default=(len(chosen[0]), ""))
        yield [column[:place] for column in chosen] if field else chosen
        before += place
        if field:
            raise DataValueError(
                f"column {field} is null or NaN, which is no value to join on: "
                "leave such rows out, or give them a value"
            ).at(what, before)


def missing(cells: Column) -> Iterator[int]:
    """The first place of None, NaN or what pandas has for them, if there is one."""
    if isinstance(cells, memoryview):
        return
    for place, value in enumerate(cells):
        if type(value) is int or type(value) is str:
            continue
        if (
            value is None
            or (isinstance(value, float) and value != value)
            or (isinstance(value, Decimal) and value.is_nan())
            or type(value).__name__ in ("NAType", "NaTType")
        ):
            yield place
            return
