"""Which column of an input is which: the headings that are known, as data, and the rules for using them.

Headings are compared without case, blanks, punctuation and a trailing "id": "From_Node-ID" is "fromnode".
Every column of an input is used unless `--columns` selects some. Nothing is guessed: where a heading is
missing, unknown or duplicated, the error names the option that resolves it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Hashable, Iterable, Sequence

from attrs import frozen

from ivme.cli.cells import INTEGER, moment, sign
from ivme_spec.errors import InputError
from ivme_spec.relations import RELATIONS

ENDS = (
    ("u", "v"),
    ("x", "y"),
    ("a", "b"),
    ("from", "to"),
    ("source", "target"),
    ("source", "destination"),
    ("src", "dst"),
    ("src", "dest"),
    ("start", "end"),
    ("node1", "node2"),
    ("vertex1", "vertex2"),
    ("id1", "id2"),
    ("fromnode", "tonode"),
    ("sourcenode", "targetnode"),
)
"""Headings of the two values of a tuple. Head and tail are absent: they are used in both senses."""

RELATION = ("relation", "rel", "table", "kind")
SIGN = ("sign", "multiplicity", "mult", "delta", "diff", "weight", "count", "op")
TIME = ("time", "timestamp", "t", "ts", "date", "datetime", "when", "unixtime", "epoch", "createdat")
FIRST, SECOND = (tuple(dict.fromkeys(ends)) for ends in zip(*ENDS, strict=True))

LETTER = "a"

Columns = tuple[str, ...]
"""The headings, or 1-based numbers, of a layout's columns, as in `--columns`."""


@frozen
class Layout:
    """The columns of an update: their names, how many are required, and the known headings.

    `read` reads the last column, which is `absent` where it is missing.
    """

    names: tuple[str, ...]
    required: int
    known: tuple[tuple[str, ...], ...]
    read: Callable[[object, str], Hashable] = sign
    absent: Hashable = 1

    @property
    def shown(self) -> str:
        needed, optional = self.names[: self.required], self.names[self.required :]
        return ",".join(needed) + "".join(f"[,{name}]" for name in optional)

    def option(self, columns: Sequence[str]) -> str:
        """The option that selects these columns, as one types it."""
        return "--columns " + ",".join(f"{a}={b}" for a, b in zip(self.names, columns, strict=False))

    @property
    def example(self) -> str:
        return self.option("…" * self.required)

    def reads(self, text: str) -> bool:
        """Whether a text could stand in the last column."""
        try:
            self.read(text, self.names[-1])
        except InputError:
            return False
        return True

    def place(self, heading: str) -> int | None:
        """The column that a heading stands for, if known."""
        plain = "".join(filter(str.isalnum, heading.casefold()))
        plain = plain.removesuffix("id") or plain
        return next((place for place, known in enumerate(self.known) if plain in known), None)


RELATIONAL = Layout(("relation", "x", "y", "multiplicity"), 3, (RELATION, FIRST, SECOND, SIGN))
EDGES = Layout(("u", "v", "sign"), 2, (FIRST, SECOND, SIGN))
TIMED = Layout(("u", "v", "time"), 2, (FIRST, SECOND, TIME), moment, None)


def layout_for(graph: bool, window: bool) -> Layout:
    """The columns of a query's updates, of a graph's edges, or of edges with times."""
    if not graph:
        return RELATIONAL
    return TIMED if window else EDGES


def parse_columns(text: str, layout: Layout) -> Columns:
    """`--columns`: headings in the order of the layout, or u=…,v=… in any.  Bad input: an `InputError`."""
    given = [part.strip() for part in next(csv.reader([text], skipinitialspace=True), [])]
    if any("=" in part for part in given):
        chosen: dict[int, str] = {}
        for part in given:
            name, _, heading = part.partition("=")
            place = layout.place(name)
            if place is None or not heading or place in chosen:
                raise InputError(f"--columns {text}: {part!r} is not one of {layout.shown} and its heading")
            chosen[place] = heading.strip()
        given = [chosen[place] for place in range(len(layout.names)) if place in chosen]
        complete = set(range(layout.required)) <= set(chosen)
    else:
        complete = layout.required <= len(given) <= len(layout.names)
    if not complete or not all(given):
        raise InputError(f"--columns {text}: give the headings for {layout.shown}")
    if len(set(given)) < len(given):
        raise InputError(f"--columns {text}: a column cannot be used twice")
    return tuple(given)


# --- the columns of a heading ---------------------------------------------------------------------------


def places(
    headings: Sequence[str], layout: Layout, columns: Columns | None, numbers: bool = True
) -> tuple[int, ...]:
    """The positions of the layout's columns among the headings; the last column may be absent.

    Bad input: an `InputError` if a required one is missing, one is ambiguous, or one would not be used.
    """
    if columns is not None:
        return tuple(_named(name, headings, numbers) for name in columns)
    roles = [layout.place(heading) for heading in headings]
    found = [[at for at, role in enumerate(roles) if role == place] for place in range(len(layout.names))]
    for name, ats in zip(layout.names, found, strict=True):
        if len(ats) > 1:
            raise InputError(
                f"columns {_listed(headings[at] for at in ats)} could each be {name}: give "
                f"{layout.example} with the headings to use"
            )
    missing = [name for name, ats in zip(layout.names[: layout.required], found, strict=False) if not ats]
    if missing:
        edges = layout is RELATIONAL and missing == ["relation"]
        raise InputError(
            f"no column for {_listed(missing)} among {_listed(headings)}: give {layout.example} with the "
            f"headings to use{', or --graph for a list of edges' if edges else ''}"
        )
    chosen = tuple(at for ats in found for at in ats)
    if unused := [heading for heading, role in zip(headings, roles, strict=True) if role is None]:
        option = layout.option([headings[at] for at in chosen])
        raise InputError(
            f"the column{'s' * (len(unused) > 1)} {_listed(unused)} would not be used: {option} leaves "
            f"{'them' if len(unused) > 1 else 'it'} out"
        )
    return chosen


def _named(name: str, headings: Sequence[str], numbers: bool) -> int:
    if headings.count(name) > 1:
        raise InputError(f"there are {headings.count(name)} columns {name!r}: give the number of one, from 1")
    if name in headings:
        return headings.index(name)
    if numbers and name.isdecimal() and 1 <= int(name) <= len(headings):
        return int(name) - 1
    raise InputError(f"there is no column {name!r} among {_listed(headings)}")


def numbered(columns: Columns | None) -> bool:
    """Whether columns are given by numbers only, which needs no heading."""
    return columns is not None and all(name.isdecimal() for name in columns)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


# --- the first line of a CSV file -----------------------------------------------------------------------


def numbered_places(columns: Columns, width: int) -> tuple[int, ...]:
    """The positions of columns that are given by numbers.  Bad input: an `InputError`."""
    for number in columns:
        if not 1 <= int(number) <= width:
            raise InputError(f"there is no column {number}, but {width}")
    return tuple(int(number) - 1 for number in columns)


def heading_places(headings: Sequence[str], layout: Layout, columns: Columns | None) -> tuple[int, ...]:
    """As `places`, for a heading declared by the user: unknown names count by their position."""
    roles = [layout.place(heading) for heading in headings]
    fits = layout.required <= len(headings) <= len(layout.names)
    if columns is None and fits and all(role in (None, place) for place, role in enumerate(roles)):
        return tuple(range(len(headings)))
    return places(headings, layout, columns)


def is_heading(
    first: Sequence[str],
    second: Callable[[], Sequence[str]],
    layout: Layout,
    columns: Columns | None,
    remark: Callable[[str], None],
) -> bool:
    """Whether the first record is a heading, judging by its text and, if that is not enough, by the second.

    Known headings are a heading unless they could just as well be a tuple, such as a,b before b,c. Text above
    integers, or with a known heading in it, looks like an unknown heading.
    Bad input: an `InputError` if undecided.
    """
    if columns is not None and not numbered(columns):
        return True
    if len(first) < layout.required:
        return False
    wanted = numbered_places(columns, len(first)) if columns else tuple(range(layout.required))
    keys = wanted[layout.required - 2 : layout.required]
    roles = [layout.place(cell) for cell in first]
    known = set(range(layout.required)) <= set(roles)
    if layout is RELATIONAL and (known or first[wanted[0]] in RELATIONS):
        return known
    more = [first[place] for place in wanted[layout.required :]] if columns else first[layout.required :]
    signs = len(more) == 1 and layout.reads(more[0])
    if known:
        if more and not signs:
            return True
        keys = tuple(map(roles.index, range(layout.required)))
    names = [first[key] for key in keys]
    if any(map(INTEGER.fullmatch, names)) or (signs and _shape(more[0]) != LETTER):
        return False
    after = second()
    values = [after[key] for key in keys if key < len(after)]
    alike = list(map(_shape, names)) == list(map(_shape, values))
    shown = ",".join(first)[:80]
    if known and not alike:
        return True
    if known and not set(names) & set(values):
        raise InputError(f"{shown!r} may be a heading or an edge: give --header or --no-header")
    partly = not alike and any(role is not None and len(first[at]) > 1 for at, role in enumerate(roles))
    if layout is RELATIONAL or partly or any(map(INTEGER.fullmatch, values)):
        raise InputError(
            f"{shown!r} looks like a heading, and not a known one: give {layout.example} with the headings "
            "to use, or --header if the columns are in this order, or --no-header"
        )
    if known or (not more and not set(names) & set(values)):
        remark(f"{shown!r} is taken as an edge; if it is a heading, give --header (if not, --no-header)")
    return False


def _shape(text: str) -> str:
    """Equal for texts of probably the same kind: single letters, or texts that differ only in digits."""
    return LETTER if len(text) == 1 and text.isalpha() else re.sub("[0-9]+", "0", text)
