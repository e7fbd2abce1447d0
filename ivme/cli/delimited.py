"""CSV and similar text: values separated by commas, tabs, semicolons, bars or blanks.

CSV values have no types. A value that is written as Python writes an integer (-7, 0, 12; not 007 or +1; up to
4300 digits) is that integer, any other is text; `strings` keeps all of them as text. Blanks around a value
are stripped, and empty or missing values (null, NaN, …) are refused.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Hashable, Iterator
from itertools import chain

from ivme.cli import output
from ivme.cli.cells import plain_key, text_key
from ivme.cli.compressed import name_without_packing
from ivme.cli.headings import (
    EDGES,
    RELATIONAL,
    Layout,
    heading_places,
    is_heading,
    numbered,
    numbered_places,
    places,
)
from ivme.cli.lines import Lines
from ivme.cli.source import Options, Records, Source, Update, update_of
from ivme_spec.errors import InputError

Numbered = tuple[int, list[str]]
"""The number of a record's last line, and its values."""


def delimited_source(lines: Lines, first: str, options: Options) -> Source:
    """The updates of CSV; the heading is read immediately.  Bad input: an `InputError`."""
    tabs = name_without_packing(lines.name).lower().endswith(".tsv")
    rows = _rows(lines, options.separator or ("\t" if tabs else _separator(first)))
    head, chosen, rows = _columns(rows, lines, options)

    def remarks() -> list[str]:
        return [f"comment lines passed over: {lines.passed}"] if lines.passed else []

    return Source(lines.name, _records(rows, head, chosen, lines, options), remarks=remarks)


def _separator(line: str) -> str:
    """The first of comma, tab, semicolon and bar that the first line has, else blanks."""
    return next((mark for mark in ",\t;|" if mark in line.strip()), " ")


def _rows(lines: Lines, separator: str) -> Iterator[Numbered]:
    if separator.isspace() and separator != "\t":
        rows: Iterator[list[str]] = map(_blanks, lines)
    else:
        rows = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
    try:
        for fields in rows:
            lines.pending = 0
            if (fields := [text.strip() for text in fields]) not in ([], [""]):
                yield lines.number, fields
    except csv.Error as error:
        raise InputError(f"{lines.name}, line {lines.number}: {error}") from error


def _blanks(text: str) -> list[str]:
    if '"' not in text:
        return text.split()
    return next(csv.reader([text.strip()], delimiter=" ", strict=True, skipinitialspace=True))


def _columns(
    rows: Iterator[Numbered], lines: Lines, options: Options
) -> tuple[int, tuple[int, ...] | None, Iterator[Numbered]]:
    """The number of values in a record, the positions of the columns, and the records.

    Without a heading and --columns, the columns are in order, and the last may be missing in each record.
    """
    layout, columns = options.layout, options.columns
    number, first = next(rows, (lines.number, []))
    ahead: list[Numbered] = []

    def second() -> list[str]:
        ahead.extend(row for row in [next(rows, None)] if row is not None)
        return ahead[0][1] if ahead else []

    def remark(text: str) -> None:
        output.remark(f"{lines.name}, line {number}: {text}")

    try:
        heading = options.header
        if heading is None:
            heading = is_heading(first, second, layout, columns, remark)
        if heading:
            find = heading_places if options.header else places
            return len(first), find(first, layout, columns), chain(ahead, rows)
        if columns is None:
            return 0, None, chain([(number, first)], ahead, rows)
        if not numbered(columns):
            raise InputError("--columns has headings, and --no-header says that there are none: give numbers")
        return len(first), numbered_places(columns, len(first)), chain([(number, first)], ahead, rows)
    except InputError as error:
        raise InputError(f"{lines.name}, line {number}: {error}") from error


def _records(
    rows: Iterator[Numbered], width: int, chosen: tuple[int, ...] | None, lines: Lines, options: Options
) -> Records:
    layout = options.layout
    key = plain_key if options.strings else text_key
    for number, fields in rows:
        try:
            if chosen is not None:
                if len(fields) != width:
                    raise InputError(f"{len(fields)} values where the first line has {width}")
                fields = [fields[place] for place in chosen]
            elif not layout.required <= len(fields) <= len(layout.names):
                settled = _settled(len(fields), layout)
                raise InputError(f"{len(fields)} values where the columns are {layout.shown}{settled}")
            yield number, _update(fields, options, key)
        except InputError as error:
            raise InputError(f"{lines.name}, line {number}: {error}") from error


def _settled(width: int, layout: Layout) -> str:
    if width > len(layout.names):
        return f"; say which to use, such as {layout.option('123'[: layout.required])}"
    return "; --graph reads edges" if layout is RELATIONAL and width == EDGES.required else ""


def _update(fields: list[str], options: Options, key: Callable[[str], Hashable]) -> Update:
    def shown(text: str) -> Hashable:
        try:
            return key(text)
        except InputError as error:
            raise InputError(f"{error} in {','.join(fields)[:80]!r}") from error

    return update_of(fields, options.layout, shown)
