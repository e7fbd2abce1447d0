"""The lines of a stream of bytes, each of a bounded length."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from attrs import define, field

from ivme.cli.compressed import DAMAGED
from ivme_spec.errors import InputError

LONGEST = 1 << 20
"""Bytes of a line, or of a CSV record over several lines."""


@define
class Lines:
    """The lines of a stream of bytes, as text with line ends; at most `longest` bytes in memory."""

    stream: IO[bytes]
    name: str
    errors: tuple[type[Exception], ...] = DAMAGED
    longest: int = LONGEST
    comments: bool = False
    """Whether records that start with # or % are skipped."""
    number: int = 0
    passed: int = 0
    """Comments so far."""
    pending: int = 0
    """Bytes of the unfinished record: read since the consumer last set this to 0."""
    pushed: list[str] = field(factory=list)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self.pushed:
            return self.pushed.pop()
        while True:
            within = self.pending
            text = self._next()
            if within or not self.comments or not text.startswith(("#", "%")):
                return text
            self._comment(text)

    def _comment(self, text: str) -> None:
        if text.startswith("%%MatrixMarket"):
            raise InputError(
                f"{self.name} is a Matrix Market file: give its entries alone, without the comments and the "
                "line of sizes, with --columns u=1,v=2 if they have values"
            )
        self.passed += 1
        self.pending = 0

    def _next(self) -> str:
        try:
            line = self.stream.readline(self.longest + 1)
        except self.errors as error:
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
        """Peek at the first line that is not blank; None if there is none."""
        for text in self:
            if text.strip():
                self.pushed.append(text)
                return text
            self.pending = 0
        return None
