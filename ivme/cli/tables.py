"""Answers as tables: aligned on stdout, or as CSV, JSON, JSON lines or Parquet in a file; all as streams."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain, islice
from pathlib import Path
from typing import IO

from attrs import frozen

from ivme.cli import output
from ivme.extras import require
from ivme_spec.errors import InputError

Row = Sequence[object]

SUFFIXES = (".csv", ".json", ".jsonl", ".parquet")
SAMPLE = 1000
"""The rows that determine the widths of the columns on stdout."""


@frozen
class Answer:
    """A table that can be iterated more than once, and facts about it."""

    columns: tuple[str, ...]
    rows: Callable[[], Iterable[Row]]
    facts: Mapping[str, object]


def check_target(path: Path) -> None:
    """Refuse a target that cannot be written, before the work.  Bad input: an `InputError`."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: the name must end in one of {', '.join(SUFFIXES)}")
    if path.suffix.lower() == ".parquet":
        require("Parquet", "parquet", "pyarrow")
    if path.is_dir():
        raise InputError(f"{path} is a folder: give the path of a file")
    if not path.parent.is_dir():
        raise InputError(f"{path}: there is no folder {path.parent}")


def write_answer(path: Path, answer: Answer) -> None:
    """Write an answer atomically, in the format that the suffix names."""
    from ivme.formats.files import atomic_writer

    suffix = path.suffix.lower()
    with atomic_writer(path) as stream, long_numbers():
        if suffix == ".parquet":
            from ivme.cli.parquet import write_parquet

            write_parquet(stream, answer.columns, answer.rows)
            return
        write = {".csv": _write_csv, ".json": _write_json, ".jsonl": _write_lines}[suffix]
        text = TextIOWrapper(stream, encoding="utf-8", errors="backslashreplace", newline="")
        write(text, answer)
        text.flush()
        text.detach()


def _write_csv(stream: IO[str], answer: Answer) -> None:
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(answer.columns)
    writer.writerows(answer.rows())


def _write_lines(stream: IO[str], answer: Answer) -> None:
    for row in answer.rows():
        found = dict(zip(answer.columns, map(plain, row), strict=True))
        stream.write(json.dumps(found) + "\n")


def _write_json(stream: IO[str], answer: Answer) -> None:
    """{"ivme-run": …, …facts, "columns": […], "rows": [[…], …]}, with a line for each row."""
    facts = json.dumps(output.versioned("run", {**answer.facts, "columns": answer.columns}))
    stream.write(f'{facts[:-1]}, "rows": [')
    for number, row in enumerate(answer.rows()):
        stream.write(("," if number else "") + "\n" + json.dumps([plain(value) for value in row]))
    stream.write("]}\n")


def plain(value: object) -> object:
    """A value as JSON: as in traces, but integers in full, and text for what traces cannot hold."""
    from ivme.formats.traces import TraceError, encode_value

    if isinstance(value, int):
        return value
    try:
        return encode_value(value)
    except TraceError:
        return str(value)


def say_json_answer(answer: Answer) -> None:
    """The answer as a JSON document on stdout."""
    with long_numbers(), output.stdout as stream:
        _write_json(stream, answer)


def say_answer(answer: Answer) -> None:
    """The answer on stdout, in aligned columns; numbers to the right."""
    with long_numbers():
        rows = iter(answer.rows())
        sample = list(islice(rows, SAMPLE))
        widths, numeric = [], []
        for place, name in enumerate(answer.columns):
            values = [row[place] for row in sample]
            widths.append(max([len(name), *(len(cell(value)) for value in values)]))
            numeric.append(bool(values) and all(isinstance(value, int) for value in values))
        for row in chain((answer.columns,), sample, rows):
            cells = zip(map(cell, row), widths, numeric, strict=True)
            output.say("  ".join(f"{c:>{w}}" if right else f"{c:<{w}}" for c, w, right in cells).rstrip())


def cell(value: object) -> str:
    text = str(value)
    return text if text.isprintable() else json.dumps(text)


@contextmanager
def long_numbers() -> Iterator[None]:
    """Lift Python's limit of 4300 digits: multiplicities have any length."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(limit)
