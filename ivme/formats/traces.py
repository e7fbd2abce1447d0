"""Traces: recorded runs that replay, as JSON lines.

The format is specified in spec/TRACES.md. The first line is a header; every further line is one step:

    {"ivme-trace": 2, "free": "AB", "epsilon": "1/2", "ring": "ℕ", "seed": 7, "note": "…"}
    {"update": ["R", 1, 2, 1]}             an update: relation, x, y, signed multiplicity
    {"batch": [["R", 1, 2, 1], …]}         several updates at once
    {"refused": ["R", 1, 2, -5]}           an update that must be refused
    {"expect": [[[1, 2], 3], …]}           the whole answer at this point: rows and multiplicities
    {"sha256": "…"}                        at the end: the checksum of all lines before it

Version 1, for traces written by hand, has no checksum. Reading streams in constant memory: a damaged line is
reported by its number after the steps before it were delivered. Writing is atomic.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from typing import IO, Any, cast

from attrs import field, frozen

from ivme.formats.documents import Format
from ivme.formats.files import opened, path_of, replaced
from ivme.formats.sealed import LONGEST_LINE as LONGEST_LINE
from ivme.formats.sealed import lines_of, sealed
from ivme_spec.errors import InputError, shown
from ivme_spec.queries import head
from ivme_spec.relations import RelationName, Row, known_relation
from ivme_spec.rings import integer

LONGEST_DECIMAL = 14_280
"""Bits; longer integers are written in hexadecimal: Python does not parse more than 4300 decimal digits."""

FIELDS: dict[str, Any] = {
    "free": str,
    "epsilon": str | None,
    "ring": str,
    "seed": int | None,
    "note": str,
    "partitioning": str,
    "loaded": int,
}
"""The fields of a header beside the version, with their types."""

Update = tuple[RelationName, Hashable, Hashable, int]
Answer = dict[Row, int]


class TraceError(InputError):
    """A trace that cannot be read or written; the message names the line."""


BY_HAND, VERSION = 1, 2
"""The version without a checksum, and the one that is written."""

FORMAT = Format("ivme-trace", "a trace", TraceError, (BY_HAND, VERSION))


@frozen
class Header:
    """What a trace is a trace of; the first `loaded` updates are the database that the run started from."""

    free: str = field(converter=head)
    epsilon: str | None = None
    ring: str = "ℕ"
    seed: int | None = None
    note: str = ""
    partitioning: str = "single"
    loaded: int = 0


@frozen
class Step:
    """One line: of the kind update, batch or refused, with `updates`; or expect, with `answer`."""

    kind: str
    updates: tuple[Update, ...] = ()
    answer: Answer = field(factory=dict)


@frozen
class Trace:
    """A whole trace in memory."""

    header: Header
    steps: tuple[Step, ...]

    @property
    def updates(self) -> tuple[Update, ...]:
        """All updates, refused ones included, in order."""
        return tuple(update for step in self.steps for update in step.updates)


# --- values ---------------------------------------------------------------------------------------------


def encode_value(value: Hashable) -> object:
    """A data value as JSON.  Bad input: a `TraceError` for what has no JSON form."""
    if isinstance(value, int) and value.bit_length() > LONGEST_DECIMAL:
        return {"int": hex(value)}
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, tuple):
        return {"tuple": [encode_value(part) for part in value]}
    raise TraceError(
        f"value {shown(value)} of type {type(value).__name__} cannot be written to a trace or snapshot"
    )


def decode_value(value: object) -> Hashable:
    """The data value of a JSON form.  Bad input: a `TraceError`."""
    if isinstance(value, float):
        # the same object each time: dicts and tuples find a NaN by identity
        return math.nan if math.isnan(value) else value
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, dict) and len(value) == 1:
        if isinstance(text := value.get("float"), str) and text in ("nan", "inf", "-inf"):
            return math.nan if text == "nan" else float(text)
        if isinstance(digits := value.get("int"), str) and re.fullmatch("-?0x[0-9a-f]+", digits):
            return int(digits, 16)
        if isinstance(parts := value.get("tuple"), list):
            return tuple(decode_value(part) for part in parts)
    raise TraceError(f"{shown(value)} is not a data value")


def encode_update(update: Update) -> list[object]:
    """An update as JSON.  Bad input: a `TraceError` for values that have no JSON form."""
    relation, x, y, multiplicity = update
    return [relation, encode_value(x), encode_value(y), encode_value(multiplicity)]


def decode_update(given: object) -> Update:
    """The update of a JSON form.  Bad input: an `InputError`."""
    if not isinstance(given, list) or len(given) != 4:
        raise TraceError(f"{shown(given)} is not [relation, x, y, multiplicity]")
    relation, x, y, multiplicity = given
    return known_relation(relation), decode_value(x), decode_value(y), integer(decode_value(multiplicity))


def encode_answer(answer: Answer) -> list[object]:
    """An answer as JSON: a list of [row, multiplicity]."""
    return [[[encode_value(value) for value in row], encode_value(m)] for row, m in answer.items()]


def decode_answer(given: object) -> list[tuple[Row, int]]:
    """The rows of a JSON form, repetitions included.  Bad input: an `InputError`."""
    if not isinstance(given, list):
        raise TraceError(f"{shown(given)} is not a list of [row, multiplicity]")
    rows: list[tuple[Row, int]] = []
    for entry in given:
        if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], list):
            raise TraceError(f"{shown(entry)} is not [row, multiplicity]")
        rows.append((tuple(decode_value(value) for value in entry[0]), integer(decode_value(entry[1]))))
    return rows


# --- files ----------------------------------------------------------------------------------------------


def encode_step(step: Step) -> str:
    """A step as a line."""
    updates = [encode_update(update) for update in step.updates]
    if step.kind == "expect":
        body: object = encode_answer(step.answer)
    else:
        body = updates if step.kind == "batch" else updates[0]
    return json.dumps({step.kind: body})  # ASCII, so that lone surrogates survive


def decode_step(given: object) -> Step:
    """The step of a parsed line.  Bad input: an `InputError`."""
    if isinstance(given, dict) and len(given) == 1:
        (kind, body) = next(iter(given.items()))
        if kind in ("update", "refused"):
            return Step(kind, (decode_update(body),))
        if kind == "batch" and isinstance(body, list):
            return Step(kind, tuple(map(decode_update, body)))
        if kind == "expect":
            rows = decode_answer(body)
            if len(answer := dict(rows)) != len(rows):
                raise TraceError("a row is expected twice")
            return Step(kind, answer=answer)
    raise TraceError(f"{shown(given)} is not an update, batch, refused or expect step")


def open_trace(stream: IO[str], name: str = "trace") -> tuple[Header, Iterator[Step]]:
    """The header of a trace and an iterator over its steps.

    The stream is text opened as UTF-8 with errors="surrogateescape": a strict one reads ahead, and would fail
    before the lines ahead of a damaged one are delivered.

    Cost: constant memory.  Bad input: a `TraceError` that names the line; the steps before it are delivered.
    A change that leaves a line valid is detected by the checksum, at the end.
    """
    lines = lines_of(stream, name, TraceError, _has_footer)
    header = _header(next(lines, None), name)

    def steps() -> Iterator[Step]:
        for number, given in lines:
            try:
                step = decode_step(given)
            except InputError as error:
                raise TraceError(f"{name}, line {number}: {error}") from error
            except RecursionError as error:
                raise TraceError(f"{name}, line {number}: values nested too deeply") from error
            yield step

    return header, steps()


def _has_footer(first: object) -> bool:
    return isinstance(first, dict) and first.get(FORMAT.key) == VERSION


def _header(line: tuple[int, object] | None, name: str) -> Header:
    given = FORMAT.checked(line[1] if line else None, f"{name}, line 1")
    fields = {key: given[key] for key in FIELDS if key in given}
    for key, value in fields.items():
        if not isinstance(value, FIELDS[key]) or isinstance(value, bool) or (key == "loaded" and value < 0):
            raise TraceError(f"{name}, line 1: {key} {shown(value)} is not valid in a header")
    try:
        return Header(**cast("dict[str, Any]", {"free": "", **fields}))
    except InputError as error:
        raise TraceError(f"{name}, line 1: {error}") from error


@contextmanager
def opened_trace(path: str | os.PathLike[str]) -> Iterator[tuple[Header, Iterator[Step]]]:
    """The header and the steps of a file, open for the duration of the block.

    Cost: constant memory.  Bad input: a `TraceError`, as of `open_trace`, or for a file that cannot be read.
    """
    with (
        opened(path, TraceError) as stream,
        TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape") as text,
    ):
        yield open_trace(text, path_of(path, TraceError))


def read_trace(path: str | os.PathLike[str]) -> Trace:
    """A whole trace.  Cost: its length.  Bad input: a `TraceError` that names the line."""
    with opened_trace(path) as (header, steps):
        return Trace(header, tuple(steps))


def write_trace(path: str | os.PathLike[str], header: Header, steps: Iterable[Step]) -> None:
    """Write a trace atomically.

    Cost: its length, constant memory.  Bad input: a `TraceError`, and the path is left as it was.
    """
    with replaced(path, TraceError) as stream:
        for line in sealed(_lines(header, steps)):
            stream.write(line)


def _lines(header: Header, steps: Iterable[Step]) -> Iterator[bytes]:
    given = {"free": header.free, "epsilon": header.epsilon, "ring": header.ring, "seed": header.seed}
    first = FORMAT.stamped({**given, "note": header.note})
    if header.partitioning != "single":
        first["partitioning"] = header.partitioning
    if header.loaded:
        first["loaded"] = header.loaded
    yield json.dumps(first, ensure_ascii=False).encode() + b"\n"
    for step in steps:
        yield encode_step(step).encode() + b"\n"
