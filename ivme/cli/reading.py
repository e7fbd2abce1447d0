"""Streams of updates: CSV, JSON lines, traces and Parquet, from files or stdin, in constant memory.

Text is read line by line; a line, or a CSV record over several lines, of more than LONGEST bytes is refused
unread. Every error names the input and the line (Parquet: the row). headings.py recognises columns, cells.py
reads values; each format has a module.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from ivme.cli.compressed import FORMATS, name_without_packing, unpacked
from ivme.cli.delimited import delimited_source
from ivme.cli.jsonlines import json_source
from ivme.cli.lines import Lines
from ivme.cli.source import Options, Source
from ivme_spec.errors import InputError


@contextmanager
def open_source(path: str, options: Options) -> Iterator[Source]:
    """Open an input, "-" for stdin.  Bad input: an `InputError`, or the `OSError` of opening the file."""
    name = "stdin" if path == "-" else path
    kind = options.format or FORMATS.get(Path(name_without_packing(path)).suffix.lower())
    with ExitStack() as stack:
        if kind == "parquet":
            if path == "-":
                raise InputError(
                    "Parquet cannot be read from stdin, since its end is read first: give a file"
                )
            _for_csv_alone(options, name, kind)
            from ivme.cli.parquet import parquet_source

            yield parquet_source(stack.enter_context(open(path, "rb")), name, options)
            return
        opened = sys.stdin.buffer if path == "-" else stack.enter_context(open(path, "rb"))
        contents = unpacked(opened, path, name)
        lines = Lines(contents.stream, name, contents.errors, comments=kind != "jsonl")
        first = lines.first()
        if first is None:
            but = " but for comments" if lines.passed else ""
            raise InputError(
                f"{name} is empty{but}: it must have a line {options.layout.shown} for each update"
            )
        like_json = first.lstrip().startswith(("{", "["))
        if like_json and kind == "csv" and options.format is None:
            raise InputError(f"{name}, line {lines.number} looks like JSON: give --format jsonl, or csv")
        if kind == "jsonl" or (kind is None and like_json):
            _for_csv_alone(options, name, "jsonl")
            source = json_source(lines, first, options)
        else:
            source = delimited_source(lines, first, options)
        if contents.size is not None:
            source.measure, source.total, source.done = "bytes", contents.size, contents.done
        yield source


def _for_csv_alone(options: Options, name: str, kind: str) -> None:
    given = {
        "--header": options.header,
        "--separator": options.separator,
        "--strings": options.strings or None,
    }
    for option, value in given.items():
        if value is not None:
            raise InputError(f"{option} is for CSV, and {name} is read as {kind}: leave it out")


def same_file(first: str, second: str | os.PathLike[str]) -> bool:
    """Whether two paths are the same file; False if one does not exist."""
    return os.path.exists(first) and os.path.exists(second) and os.path.samefile(first, second)
