"""The lines of a stream of bytes, each of a bounded length."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import IO

from attrs import define, field

from ivme_spec.errors import InputError

LONGEST = 1 << 20
"""Bytes of a line, or of a CSV record over several lines."""


@define
class Lines:
    """The lines of a stream of bytes, as text with their ends; never more than `longest` in memory."""

    stream: IO[bytes]
    name: str
    longest: int = LONGEST
    comments: bool = False
    number: int = 0
    pending: int = 0
    """Bytes read since the consumer last set this to 0: those of an unfinished record."""
    pushed: list[str] = field(factory=list)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.pushed:
            return self.pushed.pop()
        while True:
            text = self._next()
            if not (self.comments and text.startswith(("#", "%"))):
                return text

    def _next(self) -> str:
        try:
            line = self.stream.readline(self.longest + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{self.name} cannot be read after line {self.number}: {error}") from error
        if not line:
            raise StopIteration
        self.number += 1
        self.pending += len(line)
        if self.pending > self.longest:
            raise InputError(f"{self.name}, line {self.number}: longer than {self.longest} bytes")
        if self.number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.name}, line {self.number}: not text in UTF-8; is it another format?"
            ) from error

    def first(self) -> str | None:
        """The first line that is not blank, which is also the next one; None if there is none."""
        for text in self:
            self.pending = 0
            if text.strip():
                self.pushed.append(text)
                return text
        return None
