"""Snapshots: the input of a view in one checked file, as JSON lines.

The format is specified in spec/SNAPSHOTS.md. A header, a line for each tuple of R, S and T, and a footer with
the SHA-256 of all bytes before it:

    {"ivme-snapshot": 1, "free": "AB", "epsilon": "1/2", "partitioning": "single", "ring": "ℕ",
     "sizes": {"R": 1, "S": 0, "T": 0}, "note": {}}
    ["R", 1, 2, 1]
    {"sha256": "…"}

Only the input is written: partitions and views follow from it, and are built again in O(|D|^{3/2}). Writing
is atomic. Reading checks all bytes before anything is made of them, so a file that was cut short or changed
is refused and never half believed. Values are written as in traces (`ivme.traces`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import stat
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import TextIOWrapper
from operator import index
from pathlib import Path
from typing import IO, Any, cast

from attrs import frozen

from ivme.files import atomic_writer
from ivme.traces import LONGEST_LINE, decode_value, encode_value, lines_of
from ivme_spec.errors import InputError
from ivme_spec.relations import RELATIONS, Row, known_relation
from ivme_spec.rings import INTEGERS, NATURALS, POLYNOMIALS, Polynomial, Residue, Ring, integer, modular

VERSION = 1
CHUNK = 1 << 20
FOOTER = b'{"sha256": "%s"}\n'
FOOTER_LENGTH = len(FOOTER % (b"0" * 64))

AnyRing = Ring[Any]
"""Which ring it is, and so the type of the multiplicities, is known only when a file is read."""


class SnapshotError(InputError):
    """A snapshot that cannot be read or written; the message names the file."""


@frozen
class Header:
    """What a snapshot is a snapshot of."""

    free: str
    epsilon: str
    partitioning: str
    ring: AnyRing
    sizes: Mapping[str, int]
    note: Mapping[str, object]


# --- rings ----------------------------------------------------------------------------------------------


def _ring_name(ring: AnyRing) -> str:
    """The name of a ring that has one in the format.  Bad input: a `SnapshotError`."""
    if ring in (NATURALS, INTEGERS, POLYNOMIALS):
        return ring.name
    if isinstance(ring.zero, Residue) and ring.name == f"ℤ/{ring.zero.modulus}":
        return ring.name
    raise SnapshotError(
        f"a view over the ring {ring.name!r} of your own cannot be saved: "
        "only NATURALS, INTEGERS, modular(m) and POLYNOMIALS can be read back"
    )


def _ring_named(name: object) -> AnyRing:
    for ring in (NATURALS, INTEGERS, POLYNOMIALS):
        if name == ring.name:
            return ring
    if isinstance(name, str) and (found := re.fullmatch(r"ℤ/([1-9][0-9]{0,4000})", name)):
        return modular(int(found[1]))
    raise SnapshotError(f"ring {name!r} is not known")


def _encode_polynomial(given: Polynomial) -> object:
    return [[list(monomial), encode_value(c)] for monomial, c in given.terms.items()]


def _decode_polynomial(given: object) -> Polynomial:
    terms: dict[tuple[str, ...], int] = {}
    for monomial, c in cast("list[tuple[list[str], object]]", given):
        if not all(isinstance(name, str) for name in monomial) or sorted(monomial) != monomial:
            raise SnapshotError(f"{monomial!r} is not a monomial")
        terms[tuple(monomial)] = integer(decode_value(c))
    return Polynomial({monomial: c for monomial, c in terms.items() if c})


def _encoder(ring: AnyRing) -> Callable[[Any], object]:
    return _encode_polynomial if ring is POLYNOMIALS else lambda m: encode_value(index(m))


def _decoder(ring: AnyRing) -> Callable[[object], Any]:
    given = _decode_polynomial if ring is POLYNOMIALS else decode_value
    return lambda m: ring.nonzero(given(m))


# --- writing --------------------------------------------------------------------------------------------


def write_snapshot(
    path: str | os.PathLike[str],
    *,
    free: str,
    epsilon: object,
    partitioning: str,
    ring: AnyRing,
    sizes: Mapping[str, int],
    tuples: Iterable[tuple[str, Row, Any]],
    note: Mapping[str, object] | None = None,
) -> None:
    """Write a snapshot atomically.

    Cost: its length, constant memory.  Bad input: a `SnapshotError`, and what was there is still there.
    """
    target = Path(path)
    header = {
        "ivme-snapshot": VERSION,
        "free": free,
        "epsilon": str(epsilon),
        "partitioning": partitioning,
        "ring": _ring_name(ring),
        "sizes": dict(sizes),
        "note": _checked_note(note),
    }
    if target.is_dir() or not target.name:
        raise SnapshotError(f"{target} is a folder: give the path of a file")
    if not target.parent.is_dir():
        raise SnapshotError(f"{target}: there is no folder {target.parent}")
    encode, digest = _encoder(ring), hashlib.sha256()
    with atomic_writer(target) as stream:
        for line in _written(header, tuples, encode):
            digest.update(line)
            stream.write(line)
        stream.write(FOOTER % digest.hexdigest().encode())


def _written(
    header: object, tuples: Iterable[tuple[str, Row, Any]], encode: Callable[[Any], object]
) -> Iterator[bytes]:
    yield json.dumps(header).encode() + b"\n"
    for relation, (x, y), m in tuples:
        try:
            line = json.dumps([relation, _value(x), _value(y), encode(m)])
        except (InputError, RecursionError, ValueError) as error:
            said = "values nested too deeply" if isinstance(error, RecursionError) else error
            raise SnapshotError(f"a tuple of {relation} cannot be saved: {said}") from error
        yield line.encode() + b"\n"


def _value(value: Hashable) -> object:
    encoded = encode_value(value)
    if isinstance(encoded, dict) and _has_nan(value):
        raise SnapshotError("it has a NaN other than math.nan, which is the one that is read back")
    return encoded


def _has_nan(value: Hashable) -> bool:
    """Whether there is a NaN that is not math.nan: as keys of a dict two NaNs are two values."""
    if isinstance(value, tuple):
        return any(map(_has_nan, value))
    return isinstance(value, float) and math.isnan(value) and value is not math.nan


def _checked_note(note: Mapping[str, object] | None) -> object:
    given = dict(note) if isinstance(note, Mapping) else {} if note is None else note
    try:
        same = isinstance(given, dict) and json.loads(json.dumps(given, allow_nan=False)) == given
    except (TypeError, ValueError, RecursionError):
        same = False
    if not same:
        raise SnapshotError(f"note {note!r} is not a JSON object: give a dict of strings, numbers and lists")
    return given


# --- reading --------------------------------------------------------------------------------------------


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[tuple[Header, Iterator[tuple[int, object]]]]:
    """The header of a file that was checked, and its other lines.  Bad input: a `SnapshotError`."""
    name = os.fspath(path)
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SnapshotError(f"{name} is not a file: give the path of a snapshot")
        stream = open(path, "rb")  # noqa: SIM115  closed below; the errors of the block are not ours
    except OSError as error:
        raise SnapshotError(f"{name} cannot be read: {error.strerror}") from error
    with stream, TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        _verify(stream, name)
        lines = lines_of(text, name)
        try:
            header = _header(next(lines)[1])
        except InputError as error:
            raise SnapshotError(f"{name}, line 1: {error}") from error
        yield header, lines


def _verify(stream: IO[bytes], name: str) -> None:
    """Refuse what is not a whole, unchanged snapshot of a version that is known.  Cost: one pass."""
    try:
        first = json.loads(stream.readline(LONGEST_LINE))
    except (ValueError, RecursionError):
        first = None
    if not isinstance(first, dict) or "ivme-snapshot" not in first:
        raise SnapshotError(
            f"{name} is not a snapshot, or its first line is damaged: "
            f'it must be {{"ivme-snapshot": {VERSION}, …}}'
        )
    if (version := first["ivme-snapshot"]) is True or version != VERSION:
        raise SnapshotError(f"{name} has version {version!r}; this ivme reads version {VERSION}")
    left = stream.seek(0, os.SEEK_END) - FOOTER_LENGTH
    stream.seek(0)
    digest = hashlib.sha256()
    while left > 0 and (chunk := stream.read(min(left, CHUNK))):
        digest.update(chunk)
        left -= len(chunk)
    if stream.read() != FOOTER % digest.hexdigest().encode():
        raise SnapshotError(
            f"{name} is damaged: its bytes do not have the checksum at its end, so it was cut short or "
            "changed; take an older snapshot"
        )
    stream.seek(0)


def _header(given: object) -> Header:
    fields = given if isinstance(given, dict) else {}
    free, epsilon, partitioning = (fields.get(key) for key in ("free", "epsilon", "partitioning"))
    sizes, note = fields.get("sizes"), fields.get("note")
    if not isinstance(free, str) or not isinstance(epsilon, str) or not isinstance(partitioning, str):
        raise SnapshotError("free, epsilon and partitioning must be text")
    if not isinstance(sizes, dict) or set(sizes) != set(RELATIONS):
        raise SnapshotError(f"sizes {sizes!r} must have a number for each of R, S and T")
    if not isinstance(note, dict):
        raise SnapshotError(f"note {note!r} must be an object")
    return Header(free, epsilon, partitioning, _ring_named(fields.get("ring")), sizes, note)


def _tuples(lines: Iterator[tuple[int, object]], header: Header, name: str) -> dict[str, dict[Row, Any]]:
    found: dict[str, dict[Row, Any]] = {relation: {} for relation in RELATIONS}
    decode = _decoder(header.ring)
    for number, given in lines:
        if isinstance(given, dict):  # the footer
            break
        try:
            if not isinstance(given, list) or len(given) != 4:
                raise SnapshotError(f"{given!r} is not [relation, x, y, multiplicity]")
            held = found[known_relation(given[0])]
            row = (decode_value(given[1]), decode_value(given[2]))
            if row in held:
                raise SnapshotError(f"{given[0]}{row!r} stands there twice")
            held[row] = decode(given[3])
        except (InputError, TypeError, ValueError, RecursionError) as error:
            raise SnapshotError(f"{name}, line {number}: {error}") from error
    sizes = {relation: len(held) for relation, held in found.items()}
    if sizes != header.sizes:
        raise SnapshotError(f"{name} has {sizes} tuples, and its header says {dict(header.sizes)}")
    return found


def read_snapshot(path: str | os.PathLike[str]) -> tuple[Header, dict[str, dict[Row, Any]]]:
    """The header of a snapshot, and its tuples with their multiplicities by relation.

    Cost: O(|D|), two passes over the file.  Bad input: a `SnapshotError` that says what is wrong.
    """
    with _opened(path) as (header, lines):
        return header, _tuples(lines, header, os.fspath(path))


def read_note(path: str | os.PathLike[str]) -> dict[str, object]:
    """The note that was saved with a view, {} if there was none.

    Cost: one pass over the file, which is checked as a whole.  Bad input: a `SnapshotError`.
    """
    with _opened(path) as (header, _):
        return dict(header.note)
