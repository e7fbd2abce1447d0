"""Compressed input: recognised by its first bytes, in files and on stdin, and compared with the name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import IO, cast

from attrs import define, frozen

from ivme.extras import needed
from ivme_spec.errors import InputError

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".edges": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
"""The formats that names end in, before what they are compressed with."""

DAMAGED: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error, lzma.LZMAError)


class Start(io.RawIOBase):
    """A stream of bytes with its first ones looked at; `count` is how many of all have been taken."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = cast(io.BufferedReader, stream)
        self._start = b""
        self.count = 0

    def look(self, magics: tuple[bytes, ...]) -> bytes:
        """As many of the first bytes as tell whether one of these is there; a live pipe gives no more."""
        longest = max(map(len, magics))
        while any(len(magic) > len(self._start) and magic.startswith(self._start) for magic in magics):
            if not (more := self._stream.read1(longest - len(self._start))):
                break
            self._start += more
        return self._start

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        room = memoryview(cast(bytearray, buffer)).cast("B")
        taken = self._start[: len(room)] or self._stream.read1(len(room))
        self._start = self._start[len(taken) :]
        room[: len(taken)] = taken
        self.count += len(taken)
        return len(taken)


@frozen
class Packing:
    """A way to compress: how names end, how contents start, and what opens them."""

    suffix: str
    program: str
    magics: tuple[bytes, ...]
    open: Callable[[IO[bytes]], object]
    errors: Callable[[], tuple[type[Exception], ...]] = tuple
    """What reading raises beside `DAMAGED`."""


def _zstd() -> ModuleType:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd
    return cast(ModuleType, needed("zstd", "cli", "backports.zstd"))


BZIP2 = tuple(b"BZh%d%b" % (size, mark) for size in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90"))
"""With the mark of the first block, or of the end: BZh alone may be text."""

PACKINGS = (
    Packing(".gz", "gzip", (b"\x1f\x8b\x08",), lambda stream: gzip.GzipFile(fileobj=stream)),
    Packing(".bz2", "bzip2", BZIP2, bz2.BZ2File),
    Packing(".xz", "xz", (b"\xfd7zXZ\0",), lzma.LZMAFile),
    Packing(
        ".zst",
        "zstd",
        (b"\x28\xb5\x2f\xfd",),
        lambda stream: _zstd().ZstdFile(stream),
        lambda: (_zstd().ZstdError,),
    ),
)
ARCHIVE = b"PK\x03\x04"


@define
class Unpacked:
    """The bytes of an input, decompressed; how far it has been read, and how long it is, as it is stored."""

    stream: IO[bytes]
    errors: tuple[type[Exception], ...]
    """What reading raises where the input is damaged."""
    stored: Start
    size: int | None

    def done(self) -> int:
        """The stored bytes that have been read."""
        return self.stored.count


def name_without_packing(path: str) -> str:
    """A name without what it says of compression."""
    packing = _said(path)
    return path if packing is None else path[: -len(packing.suffix)]


def _said(path: str) -> Packing | None:
    return next((packing for packing in PACKINGS if path.lower().endswith(packing.suffix)), None)


def unpacked(stream: IO[bytes], path: str, name: str) -> Unpacked:
    """A stream, decompressed if its first bytes say so; `path` is "-" for stdin, which has no name to trust.

    Bad input: an `InputError` if the file's name says otherwise.
    """
    stored = Start(stream)
    start = stored.look((ARCHIVE, *(magic for packing in PACKINGS for magic in packing.magics)))
    found = next((packing for packing in PACKINGS if start.startswith(packing.magics)), None)
    said = _said(path)
    if start.startswith(ARCHIVE):
        raise InputError(f"{name} is a zip archive or a spreadsheet: unpack it, or save it as CSV")
    if start and said is not None and found is not said:
        but = "is not compressed" if found is None else f"is compressed with {found.program}"
        raise InputError(f"{name} {but}, though its name ends in {said.suffix}: rename it")
    if found is not None and said is None and Path(path).suffix.lower() in FORMATS:
        raise InputError(
            f"{name} is compressed with {found.program}, and its name does not say so: call it "
            f"{name}{found.suffix}"
        )
    opened, errors = cast("IO[bytes]", io.BufferedReader(stored)), DAMAGED
    if found is not None:
        opened = cast("IO[bytes]", found.open(opened))
        errors += found.errors()
    return Unpacked(opened, errors, stored, _size(stream))


def _size(stream: IO[bytes]) -> int | None:
    """The bytes of a regular file, also behind stdin; None for a pipe."""
    try:
        found = os.fstat(stream.fileno())
    except OSError:  # no file at all
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
