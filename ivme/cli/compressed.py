"""Compressed input: recognised by its magic bytes, in files and on stdin, and compared with the name."""

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
"""Formats by suffix, before the suffix of the compression."""

DAMAGED: tuple[type[Exception], ...] = (OSError, EOFError, zlib.error, lzma.LZMAError)


class Start(io.RawIOBase):
    """A stream of bytes that can be peeked at; `count` is the number of bytes consumed."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = cast(io.BufferedReader, stream)
        self._start = b""
        self.count = 0

    def look(self, magics: tuple[bytes, ...]) -> bytes:
        """As many of the first bytes as decide among these; never waits for more on a live pipe."""
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
    """A compression: its suffix, its magic bytes, and what opens it."""

    suffix: str
    program: str
    magics: tuple[bytes, ...]
    open: Callable[[IO[bytes]], object]
    errors: Callable[[], tuple[type[Exception], ...]] = tuple
    """What reading raises besides `DAMAGED`."""


def _zstd() -> ModuleType:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd
    return cast(ModuleType, needed("zstd", "cli", "backports.zstd"))


BZIP2 = tuple(b"BZh%d%b" % (size, mark) for size in range(1, 10) for mark in (b"1AY&SY", b"\x17rE8P\x90"))
"""With the magic of the first block, or of the end: BZh alone may be text."""

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
    """The decompressed bytes of an input, with its progress and length in stored bytes."""

    stream: IO[bytes]
    errors: tuple[type[Exception], ...]
    """What reading raises if the input is damaged."""
    stored: Start
    size: int | None

    def done(self) -> int:
        """The stored bytes that have been read."""
        return self.stored.count


def name_without_packing(path: str) -> str:
    """A name without the suffix of its compression."""
    packing = _said(path)
    return path if packing is None else path[: -len(packing.suffix)]


def _said(path: str) -> Packing | None:
    return next((packing for packing in PACKINGS if path.lower().endswith(packing.suffix)), None)


def unpacked(stream: IO[bytes], path: str, name: str) -> Unpacked:
    """A stream, decompressed according to its magic bytes; `path` is "-" for stdin, which has no name.

    Bad input: an `InputError` if the file's name contradicts them.
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
    """The size of a regular file, also behind stdin; None for a pipe."""
    try:
        found = os.fstat(stream.fileno())
    except OSError:  # no file at all
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None
