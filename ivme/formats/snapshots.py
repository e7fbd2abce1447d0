"""Snapshots: the input of a view in one checked file, as JSON lines.

The format is specified in spec/SNAPSHOTS.md. A header, a line for each tuple of R, S and T, and a footer with
the SHA-256 of all bytes before it:

    {"ivme-snapshot": 1, "free": "AB", "epsilon": "1/2", "partitioning": "single", "ring": "ℕ",
     "sizes": {"R": 1, "S": 0, "T": 0}, "note": {}}
    ["R", 1, 2, 1]
    {"sha256": "…"}

Only the input is written: partitions and views follow from it, and are rebuilt in O(|D|^{3/2}). Writing is
atomic. Reading verifies the checksum of the whole file before parsing it, so a truncated or changed file is
never loaded in part. Values are written as in traces (`ivme.formats.traces`). A pickled view holds the same
bytes (`snapshot_bytes`).
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper
from itertools import chain
from operator import index
from typing import IO, Any, NotRequired, TypedDict, Unpack, cast

from attrs import frozen

from ivme.formats.documents import Format
from ivme.formats.files import opened, path_of, replaced
from ivme.formats.sealed import FOOTER, LONGEST_LINE, lines_of, sealed
from ivme.formats.traces import decode_value, encode_value
from ivme.rings import INTEGERS, NATURALS, POLYNOMIALS, Polynomial, Residue, Ring, ring_named
from ivme_spec.errors import InputError, shown
from ivme_spec.relations import RELATIONS, Row, known_relation
from ivme_spec.rings import integer

CHUNK = 1 << 20
FOOTER_LENGTH = len(FOOTER % (b"0" * 64))

AnyRing = Ring[Any]
"""The ring, and so the type of the multiplicities, is known only when a file is read."""

Tuples = dict[str, dict[Row, Any]]
"""The multiplicities of tuples, by relation."""


class SnapshotError(InputError):
    """A snapshot that cannot be read or written; the message names the file."""


FORMAT = Format("ivme-snapshot", "a snapshot", SnapshotError)
VERSION = FORMAT.version


@frozen
class Header:
    """What a snapshot was taken of."""

    free: str
    epsilon: str
    partitioning: str
    ring: AnyRing
    sizes: Mapping[str, int]
    note: Mapping[str, object]


class Contents(TypedDict):
    """What goes into a snapshot; `tuples` yields each tuple of R, S and T once, and `sizes` counts them."""

    free: str
    epsilon: object
    partitioning: str
    ring: AnyRing
    sizes: Mapping[str, int]
    tuples: Iterable[tuple[str, Row, Any]]
    note: NotRequired[Mapping[str, object] | None]


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


def _encode_polynomial(given: Polynomial) -> object:
    return [[list(monomial), encode_value(c)] for monomial, c in given.terms.items()]


def _decode_polynomial(given: object) -> Polynomial:
    terms: dict[tuple[str, ...], int] = {}
    for monomial, c in cast("list[tuple[list[str], object]]", given):
        if not all(isinstance(name, str) for name in monomial) or sorted(monomial) != monomial:
            raise SnapshotError(f"{shown(monomial)} is not a monomial")
        terms[tuple(monomial)] = integer(decode_value(c))
    return Polynomial({monomial: c for monomial, c in terms.items() if c})


def _encoder(ring: AnyRing) -> Callable[[Any], object]:
    return _encode_polynomial if ring is POLYNOMIALS else lambda m: encode_value(index(m))


def _decoder(ring: AnyRing) -> Callable[[object], Any]:
    given = _decode_polynomial if ring is POLYNOMIALS else decode_value
    return lambda m: ring.nonzero(given(m))


# --- writing --------------------------------------------------------------------------------------------


def write_snapshot(path: str | os.PathLike[str], **contents: Unpack[Contents]) -> None:
    """Write a snapshot atomically.

    Cost: its length, constant memory.  Bad input: a `SnapshotError`, and the path is left as it was.
    """
    lines = _lines(contents)
    header = next(lines)  # a bad header is refused before any file is touched
    with replaced(path, SnapshotError) as stream:
        for line in sealed(chain((header,), lines)):
            stream.write(line)


def snapshot_bytes(**contents: Unpack[Contents]) -> bytes:
    """What `write_snapshot` writes, in memory.  Cost: its length.  Bad input: a `SnapshotError`."""
    return b"".join(sealed(_lines(contents)))


def _lines(contents: Contents) -> Iterator[bytes]:
    ring = contents["ring"]
    header = {
        "free": contents["free"],
        "epsilon": str(contents["epsilon"]),
        "partitioning": contents["partitioning"],
        "ring": _ring_name(ring),
        "sizes": dict(contents["sizes"]),
        "note": _checked_note(contents.get("note")),
    }
    yield json.dumps(FORMAT.stamped(header)).encode() + b"\n"
    encode = _encoder(ring)
    for relation, (x, y), m in contents["tuples"]:
        try:
            line = json.dumps([relation, _value(x), _value(y), encode(m)])
        except (InputError, RecursionError, ValueError) as error:
            said = "values nested too deeply" if isinstance(error, RecursionError) else error
            raise SnapshotError(f"a tuple of {relation} cannot be saved: {said}") from error
        yield line.encode() + b"\n"


def _value(value: Hashable) -> object:
    encoded = encode_value(value)
    if isinstance(encoded, dict) and _has_nan(value):
        raise SnapshotError("it has a NaN other than math.nan, and would be read back as math.nan")
    return encoded


def _has_nan(value: Hashable) -> bool:
    """Whether there is a NaN other than math.nan: as keys of a dict, two NaN objects are two values."""
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
        raise SnapshotError(
            f"note {shown(note)} is not a JSON object: give a dict of strings, numbers and lists"
        )
    return given


# --- reading --------------------------------------------------------------------------------------------


@contextmanager
def _opened(path: object) -> Iterator[tuple[IO[bytes], str]]:
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
def _checked(stream: IO[bytes], name: str) -> Iterator[tuple[Header, Iterator[tuple[int, object]]]]:
    """The header of a verified snapshot, and its other lines but the footer."""
    _verify(stream, name)
    with TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="\n") as text:
        lines = lines_of(text, name, SnapshotError, lambda first: True, verified=True)
        _, first = next(lines)
        try:
            header = _header(first)
        except InputError as error:
            raise SnapshotError(f"{name}, line 1: {error}") from error
        yield header, lines


def _verify(stream: IO[bytes], name: str) -> None:
    """Refuse what is not a complete, unchanged snapshot of a known version.  Cost: one pass."""
    try:
        first = json.loads(stream.readline(LONGEST_LINE))
    except (ValueError, RecursionError):
        first = None
    FORMAT.checked(first, f"{name}, line 1")
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


def _header(given: object) -> Header:
    fields = given if isinstance(given, dict) else {}
    free, epsilon, partitioning = (fields.get(key) for key in ("free", "epsilon", "partitioning"))
    sizes, note = fields.get("sizes"), fields.get("note")
    if not isinstance(free, str) or not isinstance(epsilon, str) or not isinstance(partitioning, str):
        raise SnapshotError("free, epsilon and partitioning must be text")
    if not isinstance(sizes, dict) or set(sizes) != set(RELATIONS) or set(map(type, sizes.values())) != {int}:
        raise SnapshotError(f"sizes {shown(sizes)} must have an integer for each of R, S and T")
    if not isinstance(note, dict):
        raise SnapshotError(f"note {shown(note)} must be an object")
    if (ring := ring_named(fields.get("ring"))) is None:
        raise SnapshotError(f"ring {shown(fields.get('ring'))} is not known")
    return Header(free, epsilon, partitioning, ring, sizes, note)


def _tuples(lines: Iterator[tuple[int, object]], header: Header, name: str) -> Tuples:
    found: Tuples = {relation: {} for relation in RELATIONS}
    decode = _decoder(header.ring)
    for number, given in lines:
        try:
            if not isinstance(given, list) or len(given) != 4:
                raise SnapshotError(f"{shown(given)} is not [relation, x, y, multiplicity]")
            held = found[known_relation(given[0])]
            row = (decode_value(given[1]), decode_value(given[2]))
            if row in held:
                raise SnapshotError(f"{given[0]}{shown(row)} is repeated")
            held[row] = decode(given[3])
        except (InputError, TypeError, ValueError, RecursionError) as error:
            raise SnapshotError(f"{name}, line {number}: {error}") from error
    sizes = {relation: len(held) for relation, held in found.items()}
    if sizes != header.sizes:
        raise SnapshotError(f"{name} has {sizes} tuples, and its header says {shown(header.sizes)}")
    return found


def _read(stream: IO[bytes], name: str) -> tuple[Header, Tuples]:
    with _checked(stream, name) as (header, lines):
        return header, _tuples(lines, header, name)


def read_snapshot(path: str | os.PathLike[str]) -> tuple[Header, Tuples]:
    """The header of a snapshot, and its tuples with their multiplicities by relation.

    Cost: O(|D|), two passes over the file, the first of which verifies the checksum.  Bad input: a
    `SnapshotError` that says what is wrong.
    """
    with _opened(path) as (stream, name):
        return _read(stream, name)


def read_snapshot_bytes(data: bytes, name: str = "pickled view") -> tuple[Header, Tuples]:
    """As `read_snapshot`, for the bytes of `snapshot_bytes`; errors refer to them as `name`."""
    if not isinstance(data, bytes):
        raise SnapshotError(f"{name}: {shown(data)} is a {type(data).__name__}, not the bytes of a snapshot")
    return _read(BytesIO(data), name)


def read_note(path: str | os.PathLike[str]) -> dict[str, object]:
    """The note that was saved with a view, {} if there was none.

    Cost: one pass over the file, which is verified as a whole.  Bad input: a `SnapshotError`.
    """
    with _opened(path) as (stream, name), _checked(stream, name) as (header, _):
        return dict(header.note)
