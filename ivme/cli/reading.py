"""Streams of updates: CSV, JSON lines, traces and Parquet, from files or stdin, in constant memory.

Text is read line by line; a line longer than LONGEST bytes is not read but refused, and so is a CSV record
over several lines that is. Every error names the input and the line (Parquet: the row).

CSV values have no types. A value that is written as Python writes an integer (-7, 0, 12; not 007 or +1; up to
4300 digits) is that integer, every other one is text; `strings` keeps all of them as text. Blanks around a
value do not count, and a value that is empty is refused.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import sys
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

from attrs import define, frozen

from ivme.cli.lines import Lines
from ivme_spec.errors import InputError

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
INTEGER = re.compile("0|-?[1-9][0-9]{0,4299}")
SIGNED = re.compile("[+-]?[0-9]{1,4300}")

Update = tuple[Hashable, ...]
Records = Iterator[tuple[int, Update]]
"""Updates with the numbers of their lines, from 1."""


@frozen
class Layout:
    """The columns of an update: their names, how many of them must be there, and how they are shown."""

    names: tuple[str, ...]
    required: int
    aliases: tuple[tuple[str, ...], ...] = ()
    """Other headings that are known, for the columns that must be there."""
    comments: bool = False
    """Whether lines that start with # or % are comments."""

    @property
    def shown(self) -> str:
        needed, optional = self.names[: self.required], self.names[self.required :]
        return ",".join(needed) + "".join(f"[,{name}]" for name in optional)


RELATIONAL = Layout(("relation", "x", "y", "multiplicity"), 3)
EDGES = Layout(("u", "v", "sign"), 2, (("source", "target"), ("src", "dst"), ("from", "to")), comments=True)


@frozen
class Options:
    """How an input is to be read."""

    layout: Layout = RELATIONAL
    format: str | None = None
    columns: tuple[str, ...] | None = None
    separator: str | None = None
    strings: bool = False

    def chosen(self, there: Collection[str]) -> tuple[str, ...] | None:
        """The columns to use among those that are there; None if one that must be there is not."""
        needed = self.layout.required
        names = [self.layout.names[:needed], *self.layout.aliases]
        rest = self.layout.names[needed:]
        if self.columns is not None:
            names, rest = [self.columns[:needed]], self.columns[needed:]
        known = next((given for given in names if all(name in there for name in given)), None)
        return known and (*known, *(name for name in rest if name in there))


@define
class Source:
    """An open input: its name, its records, and what a trace says of itself."""

    name: str
    records: Records
    unit: str = "line"
    free: str | None = None
    epsilon: str | None = None
    ring: str | None = None

    def at(self, line: int) -> str:
        """Where a record stands, for messages."""
        return f"{self.name}, {self.unit} {line}"


# --- opening -------------------------------------------------------------------------------------------


@contextmanager
def open_source(path: str, options: Options) -> Iterator[Source]:
    """Open an input, "-" for stdin.  Bad input: an `InputError`, or an `OSError` where a file has one."""
    name = "stdin" if path == "-" else path
    kind = options.format or _format(path)
    with ExitStack() as stack:
        if kind == "parquet":
            if path == "-":
                raise InputError(
                    "Parquet cannot be read from stdin, since its end is read first: give a file"
                )
            from ivme.cli.parquet import read_parquet

            opened = stack.enter_context(open(path, "rb"))
            yield Source(name, read_parquet(opened, name, options), unit="row")
            return
        stream: IO[bytes] = sys.stdin.buffer if path == "-" else stack.enter_context(open(path, "rb"))
        if Path(path).suffix == ".gz":
            stream = cast("IO[bytes]", stack.enter_context(gzip.GzipFile(fileobj=stream)))
        lines = Lines(stream, name, comments=options.layout.comments and kind == "csv")
        first = lines.first()
        if first is None:
            raise InputError(f"{name} is empty: it must have a line {options.layout.shown} for each update")
        read = _json_source if kind == "jsonl" else _csv_source
        yield read(lines, first, options)


def _format(path: str) -> str:
    plain = path.removesuffix(".gz")
    return FORMATS.get(Path(plain).suffix.lower(), "csv")


# --- CSV ------------------------------------------------------------------------------------------------


def _csv_source(lines: Lines, first: str, options: Options) -> Source:
    tabs = lines.name.removesuffix(".gz").lower().endswith(".tsv")
    separator = options.separator or ("\t" if tabs else _separator(first))
    if separator.isspace() and separator != "\t":
        rows: Iterator[list[str]] = map(str.split, lines)
    else:
        rows = csv.reader(lines, delimiter=separator, strict=True, skipinitialspace=True)
    return Source(lines.name, _csv_records(lines, rows, options))


def _separator(line: str) -> str:
    """The first of comma, tab and semicolon that the first line has, else blanks."""
    return next((mark for mark in ",\t;" if mark in line.strip()), " ")


def _csv_records(lines: Lines, rows: Iterator[list[str]], options: Options) -> Records:
    layout = options.layout
    value: Callable[[str], Hashable] = str if options.strings else _value
    places: Sequence[int] | None = None
    heading = False
    try:
        for fields in rows:
            lines.pending = 0
            fields = [text.strip() for text in fields]
            if fields in ([], [""]):
                continue
            if places is None:
                places, heading = _places(fields, options, lines)
                if heading:
                    continue
            try:
                if heading:
                    fields = [fields[place] for place in places]
                elif not layout.required <= len(fields) <= len(layout.names):
                    raise IndexError
            except IndexError:
                raise InputError(
                    f"{lines.name}, line {lines.number}: {len(fields)} values where the columns are "
                    f"{layout.shown}"
                ) from None
            yield lines.number, _record(fields, layout, value, lines)
    except csv.Error as error:
        raise InputError(f"{lines.name}, line {lines.number}: {error}") from error


def _places(fields: list[str], options: Options, lines: Lines) -> tuple[list[int], bool]:
    """Where the columns stand, and whether the first record is a heading."""
    wanted = options.columns or options.chosen(fields)
    if wanted is None:
        return [], False
    for name in wanted:
        if name not in fields:
            raise InputError(
                f"{lines.name}, line {lines.number}: there is no column {name!r} among {', '.join(fields)}"
            )
    return [fields.index(name) for name in wanted], True


def _record(
    fields: list[str], layout: Layout, value: Callable[[str], Hashable], lines: Lines
) -> tuple[Hashable, ...]:
    *_, x, y = required = fields[: layout.required]
    if not x or not y:
        raise InputError(f"{lines.name}, line {lines.number}: a value is empty in {','.join(fields)[:80]!r}")
    found = (*required[:-2], value(x), value(y))
    if len(fields) == layout.required:
        return (*found, 1)
    number = fields[layout.required]
    if not SIGNED.fullmatch(number):
        raise InputError(
            f"{lines.name}, line {lines.number}: {layout.names[-1]} {number[:80]!r} is not an integer; "
            f"the columns are {layout.shown}"
        )
    return (*found, int(number))


def _value(text: str) -> Hashable:
    return int(text) if INTEGER.fullmatch(text) else text


# --- JSON lines -----------------------------------------------------------------------------------------


def _json_source(lines: Lines, first: str, options: Options) -> Source:
    head = _parsed(first, lines)
    if isinstance(head, dict) and "ivme-trace" in head:
        if options.layout is EDGES:
            raise InputError(f"{lines.name} is a trace, which is not an edge list: leave --graph out")
        return _trace_source(lines)
    return Source(lines.name, _json_records(lines, options))


def _parsed(text: str, lines: Lines) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{lines.name}, line {lines.number}: not JSON: {text[:80].strip()!r}") from error


def _json_records(lines: Lines, options: Options) -> Records:
    from ivme.traces import decode_value

    layout = options.layout
    for text in lines:
        lines.pending = 0
        if not text.strip():
            continue
        given = _parsed(text, lines)
        if isinstance(given, dict):
            names = options.chosen(given)
            given = names and [given[name] for name in names]
        if not isinstance(given, list) or not layout.required <= len(given) <= len(layout.names):
            wanted = ",".join(options.columns or layout.names)
            raise InputError(
                f"{lines.name}, line {lines.number}: {text[:80].strip()!r} is neither an object nor a list "
                f"with {wanted}"
            )
        try:
            relation = given[: layout.required - 2]
            values = map(decode_value, given[layout.required - 2 : layout.required])
            yield lines.number, (*relation, *values, *(given[layout.required :] or (1,)))
        except (InputError, RecursionError) as error:
            raise InputError(f"{lines.name}, line {lines.number}: {error}") from error


def _trace_source(lines: Lines) -> Source:
    """The updates of a trace, but those that it says are refused; what it expects is for `ivme replay`."""
    from ivme import traces

    lines.longest = traces.LONGEST_LINE
    header, steps = traces.open_trace(cast("IO[str]", _Text(lines)), lines.name)
    records = (
        (lines.number, update)
        for step in steps
        if step.kind in ("update", "batch")
        for update in step.updates
    )
    return Source(lines.name, records, "line", header.free, header.epsilon, header.ring)


@frozen
class _Text:
    """As much of a text stream as the reader of traces needs."""

    lines: Lines

    def readline(self, limit: int) -> str:
        self.lines.pending = 0
        text = next(self.lines, None)
        return "" if text is None else text


def same_file(first: str, second: str | os.PathLike[str]) -> bool:
    """Whether two paths lead to one file; False if one of them is not there."""
    return os.path.exists(first) and os.path.exists(second) and os.path.samefile(first, second)
