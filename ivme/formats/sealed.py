"""Sealed files: JSON lines between a versioned header and a checksum.

    {"ivme-…": 1, …}         the header (`ivme.formats.documents.Format`)
    …                        the contents, one JSON value a line
    {"sha256": "…"}          the footer: the SHA-256 of all lines before it

Traces and snapshots are such files. The footer detects accidents, not forgery.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from typing import IO

from ivme_spec.errors import InputError, shown

LONGEST_LINE = 64 * 1024 * 1024
"""Characters; a longer line is refused instead of read into memory."""

FOOTER = b'{"sha256": "%s"}\n'


def sealed(lines: Iterable[bytes]) -> Iterator[bytes]:
    """The lines, which end in newlines, and their footer.  Cost: one pass, constant memory."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line)
        yield line
    yield FOOTER % digest.hexdigest().encode()


def lines_of(
    stream: IO[str],
    name: str,
    error: type[InputError],
    has_footer: Callable[[object], bool],
    verified: bool = False,
) -> Iterator[tuple[int, object]]:
    r"""The JSON values of the lines of a stream, numbered from 1, without the footer.

    has_footer  whether the last line must be a footer, given the first
    verified    the checksum was compared before, and is not computed again

    Lines may end in \r\n.  Cost: constant memory.  Bad input: an `error` that names the line, after the lines
    before it were yielded.
    """
    digest, number, footer = hashlib.sha256(), 0, False
    while line := stream.readline(LONGEST_LINE):
        number += 1
        where = f"{name}, line {number}"
        if len(line) == LONGEST_LINE and not line.endswith("\n"):
            raise error(f"{where}: longer than {LONGEST_LINE} characters")
        try:
            data = line.removesuffix("\n").removesuffix("\r").encode() + b"\n"
            given: object = json.loads(line)
        except UnicodeEncodeError as cause:
            raise error(f"{where}: not text in UTF-8") from cause
        except (json.JSONDecodeError, RecursionError) as cause:
            raise error(f"{where}: not JSON: {shown(line[:80].rstrip())}") from cause
        except ValueError as cause:
            raise error(
                f'{where}: an integer with more decimals than Python reads; write it as {{"int": "0x…"}}'
            ) from cause
        if number == 1:
            footer = has_footer(given)
        if footer and isinstance(given, dict) and given.keys() == {"sha256"}:
            if not verified and given["sha256"] != digest.hexdigest():
                raise error(
                    f"{where}: damaged: the lines before it do not have this checksum, so one was changed or "
                    "lost; take another copy (a trace that you change must have version 1, and no checksum)"
                )
            if stream.readline(1):
                raise error(f"{where}: damaged: there is more after the checksum")
            return
        if not verified:
            digest.update(data)
        yield number, given
    if footer:
        raise error(f"{name} was cut short after line {number}: the last line must be its checksum")
