"""What snapshots of views (`ivme.formats.snapshots`) and of graphs (`ivme.formats.graphs`) share.

Both are sealed JSON lines (`ivme.formats.sealed`): a header with a note of the application, a line for each
entry, the SHA-256 of all bytes before the footer. Writing is atomic. Reading verifies the checksum of the
whole file before it parses anything, so a truncated or changed file is never loaded in part.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import chain
from typing import IO

from ivme.formats.documents import Format
from ivme.formats.files import opened, path_of, replaced
from ivme.formats.sealed import FOOTER, LONGEST_LINE, lines_of, sealed
from ivme.formats.traces import encode_value
from ivme_spec.errors import InputError, shown

CHUNK = 1 << 20
FOOTER_LENGTH = len(FOOTER % (b"0" * 64))

Lines = Iterator[tuple[int, object]]
"""Parsed lines with their numbers."""


class SnapshotError(InputError):
    """A snapshot that cannot be read or written; the message names the file."""


VIEW = Format("ivme-snapshot", "a snapshot", SnapshotError)
GRAPH = Format("ivme-graph", "a snapshot of a graph", SnapshotError)

LOADERS = {VIEW.key: ("a view", "TriangleView.load"), GRAPH.key: ("a graph", "GraphTriangles.load")}
"""What each kind is a snapshot of, and what reads it."""

# --- writing --------------------------------------------------------------------------------------------


def write_lines(path: str | os.PathLike[str], lines: Iterator[bytes]) -> None:
    """Write a header and the lines after it atomically, and seal them.

    Cost: their length, constant memory.  Bad input: a `SnapshotError`, and the path is left as it was.
    """
    header = next(lines)  # a bad header is refused before any file is touched
    with replaced(path, SnapshotError) as stream:
        for line in sealed(chain((header,), lines)):
            stream.write(line)


def refusal(what: str, error: Exception) -> SnapshotError:
    """The error for an entry that cannot be written: `what` it is, and why."""
    said = "values nested too deeply" if isinstance(error, RecursionError) else error
    return SnapshotError(f"{what} cannot be saved: {said}")


def plain_value(value: Hashable) -> object:
    """A data value as JSON, to be read back as it is.  Bad input: an `InputError`."""
    found = encode_value(value)
    if isinstance(found, dict) and _has_nan(value):
        raise SnapshotError("it has a NaN other than math.nan, and would be read back as math.nan")
    return found


def _has_nan(value: Hashable) -> bool:
    """Whether there is a NaN other than math.nan: as keys of a dict, two NaN objects are two values."""
    if isinstance(value, tuple):
        return any(map(_has_nan, value))
    return isinstance(value, float) and math.isnan(value) and value is not math.nan


def checked_note(note: Mapping[str, object] | None) -> object:
    """A note to write, {} for None.  Bad input: a `SnapshotError` for what is no JSON object."""
    given = dict(note) if isinstance(note, Mapping) else {} if note is None else note
    try:
        same = isinstance(given, dict) and json.loads(json.dumps(given, allow_nan=False)) == given
    except (TypeError, ValueError, RecursionError):
        same = False
    if not same:
        raise SnapshotError(
            f"note {shown(note)} is not a JSON object: give a dict of strings, numbers and lists"
        )
    return given


# --- reading --------------------------------------------------------------------------------------------


@contextmanager
def regular_file(path: object) -> Iterator[tuple[IO[bytes], str]]:
    """A regular file and its name.  Bad input: a `SnapshotError`."""
    name = path_of(path, SnapshotError)
    try:
        regular = stat.S_ISREG(os.stat(name).st_mode)
    except OSError as error:
        raise SnapshotError(f"{name} cannot be read: {error.strerror}") from error
    if not regular:  # opening a pipe might block forever
        raise SnapshotError(f"{name} is not a file: give the path of a snapshot")
    with opened(name, SnapshotError) as stream:
        yield stream, name


@contextmanager
def verified(
    stream: IO[bytes], name: str, kind: Format | None = None
) -> Iterator[tuple[dict[str, object], Lines]]:
    """The header of a verified snapshot of a kind, or of any, and its other lines but the footer.

    Cost: one pass, constant memory.  Bad input: a `SnapshotError`; for the other kind it says what reads it.
    """
    _verify(stream, name, kind)
    with TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        lines = lines_of(text, name, SnapshotError, lambda first: True, verified=True)
        _, first = next(lines)
        header: dict[str, object] = first if isinstance(first, dict) else {}
        if not isinstance(header.get("note"), dict):
            raise SnapshotError(f"{name}, line 1: note {shown(header.get('note'))} must be an object")
        yield header, lines


def _verify(stream: IO[bytes], name: str, kind: Format | None) -> None:
    """Refuse what is not a complete, unchanged snapshot of a known version.  Cost: one pass."""
    try:
        first = json.loads(stream.readline(LONGEST_LINE))
    except (ValueError, RecursionError):
        first = None
    keys: dict[str, object] = first if isinstance(first, dict) else {}
    found = next((known for known in (VIEW, GRAPH) if known.key in keys), kind or VIEW)
    found.checked(first, f"{name}, line 1")
    if kind is not None and found is not kind:
        what, reader = LOADERS[found.key]
        raise SnapshotError(
            f"{name} is a snapshot of {what}, not of {LOADERS[kind.key][0]}: read it with {reader}(…)"
        )
    left = stream.seek(0, os.SEEK_END) - FOOTER_LENGTH
    stream.seek(0)
    digest = hashlib.sha256()
    while left > 0 and (chunk := stream.read(min(left, CHUNK))):
        digest.update(chunk)
        left -= len(chunk)
    if stream.read() != FOOTER % digest.hexdigest().encode():
        raise SnapshotError(
            f"{name} is damaged: its checksum does not match, so it was cut short or changed; "
            "take an older snapshot"
        )
    stream.seek(0)


def read_note(path: str | os.PathLike[str]) -> dict[str, object]:
    """The note that was saved with a view or a graph, {} if there was none.

    Cost: one pass over the file, which is verified as a whole.  Bad input: a `SnapshotError`.
    """
    with regular_file(path) as (stream, name), verified(stream, name) as (header, _):
        note = header["note"]
        return dict(note) if isinstance(note, dict) else {}


def pickled(data: object, name: str) -> bytes:
    """The bytes of a snapshot.  Bad input: a `SnapshotError`."""
    if not isinstance(data, bytes):
        raise SnapshotError(f"{name}: {shown(data)} is a {type(data).__name__}, not the bytes of a snapshot")
    return data
