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

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BytesIO
from operator import index
from typing import IO, Any, NotRequired, TypedDict, Unpack, cast

from attrs import frozen

from ivme.formats.saved import VIEW as FORMAT
from ivme.formats.saved import (
    Lines,
    checked_note,
    pickled,
    plain_value,
    refusal,
    regular_file,
    verified,
    write_lines,
)
from ivme.formats.saved import SnapshotError as SnapshotError
from ivme.formats.saved import read_note as read_note
from ivme.formats.sealed import sealed
from ivme.formats.traces import decode_value, encode_value
from ivme.rings import INTEGERS, NATURALS, POLYNOMIALS, Polynomial, Residue, Ring, ring_named
from ivme_spec.errors import InputError, shown
from ivme_spec.relations import RELATIONS, Row, known_relation
from ivme_spec.rings import integer

AnyRing = Ring[Any]
"""The ring, and so the type of the multiplicities, is known only when a file is read."""

Tuples = dict[str, dict[Row, Any]]
"""The multiplicities of tuples, by relation."""


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
    write_lines(path, _lines(contents))


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
        "note": checked_note(contents.get("note")),
    }
    yield json.dumps(FORMAT.stamped(header)).encode() + b"\n"
    encode = _encoder(ring)
    for relation, (x, y), m in contents["tuples"]:
        try:
            line = json.dumps([relation, plain_value(x), plain_value(y), encode(m)])
        except (InputError, RecursionError, ValueError) as error:
            raise refusal(f"a tuple of {relation}", error) from error
        yield line.encode() + b"\n"


# --- reading --------------------------------------------------------------------------------------------


def _header(fields: Mapping[str, object]) -> Header:
    free, epsilon, partitioning = (fields.get(key) for key in ("free", "epsilon", "partitioning"))
    sizes, note = fields.get("sizes"), cast("Mapping[str, object]", fields["note"])
    if not isinstance(free, str) or not isinstance(epsilon, str) or not isinstance(partitioning, str):
        raise SnapshotError("free, epsilon and partitioning must be text")
    if not isinstance(sizes, dict) or set(sizes) != set(RELATIONS) or set(map(type, sizes.values())) != {int}:
        raise SnapshotError(f"sizes {shown(sizes)} must have an integer for each of R, S and T")
    if (ring := ring_named(fields.get("ring"))) is None:
        raise SnapshotError(f"ring {shown(fields.get('ring'))} is not known")
    return Header(free, epsilon, partitioning, ring, sizes, note)


def _tuples(lines: Lines, header: Header, name: str) -> Tuples:
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
    with verified(stream, name, FORMAT) as (fields, lines):
        try:
            header = _header(fields)
        except InputError as error:
            raise SnapshotError(f"{name}, line 1: {error}") from error
        return header, _tuples(lines, header, name)


def read_snapshot(path: str | os.PathLike[str]) -> tuple[Header, Tuples]:
    """The header of a snapshot, and its tuples with their multiplicities by relation.

    Cost: O(|D|), two passes over the file, the first of which verifies the checksum.  Bad input: a
    `SnapshotError` that says what is wrong.
    """
    with regular_file(path) as (stream, name):
        return _read(stream, name)


def read_snapshot_bytes(data: bytes, name: str = "pickled view") -> tuple[Header, Tuples]:
    """As `read_snapshot`, for the bytes of `snapshot_bytes`; errors refer to them as `name`."""
    return _read(BytesIO(pickled(data, name)), name)
