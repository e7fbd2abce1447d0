"""Versioned formats: the first key says what a file or a line is, its value in which version.

    {"ivme-trace": 2, …}

A `Format` stamps what is written and checks what is read; every kind of file has one, with an error class of
its own. JSON documents, files of one object, are parsed, read and written here; `ivme.formats.structured`
turns them into attrs objects. Files of JSON lines are in `ivme.formats.sealed`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from attrs import frozen

from ivme.formats.files import atomic_writer
from ivme_spec.errors import InputError, shown


@frozen
class Format:
    """A kind of file.

    key       its first key, and `what` it is, in words
    error     raised for what cannot be read
    versions  those that are read; the last one is written
    remedy    what to do about a file that cannot be read
    """

    key: str
    what: str
    error: type[InputError]
    versions: tuple[int, ...] = (1,)
    remedy: str = ""

    @property
    def version(self) -> int:
        """The version that is written."""
        return self.versions[-1]

    def stamped(self, facts: Mapping[str, object]) -> dict[str, object]:
        """The object to write: key and version, then the facts."""
        return {self.key: self.version, **facts}

    def checked(self, given: object, where: str) -> dict[str, object]:
        """A parsed object of this format, in a version that is read.

        A version is an integer, neither 1.0 nor true.  Bad input: an error of the format.
        """
        if not isinstance(given, dict) or self.key not in given:
            raise self.refusal(
                where, f'not {self.what}: it must begin with {{"{self.key}": {self.version}, …}}'
            )
        found: object = given[self.key]
        if type(found) is not int or found not in self.versions:
            *others, last = map(str, self.versions)
            known = f"the versions {', '.join(others)} and {last}" if others else f"version {last}"
            raise self.refusal(where, f"version {shown(found)}; this ivme reads {known}")
        return given

    def parsed(self, text: str, where: str) -> dict[str, object]:
        """The object of a JSON document.  Bad input: an error of the format."""
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self.refusal(where, f"not JSON: {error}") from error
        return self.checked(given, where)

    def read(self, path: str | os.PathLike[str]) -> dict[str, object]:
        """The object of a file.  Bad input: an error of the format that names the file."""
        where = os.fspath(path)
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise self.refusal(where, f"cannot be read: {reason}") from error
        return self.parsed(text, where)

    def refusal(self, where: str, why: str) -> InputError:
        """The error for something that cannot be read."""
        return self.error(f"{where}: {why}" + (f"; {self.remedy}" if self.remedy else ""))


def write_document(path: str | os.PathLike[str], text: str) -> None:
    """Write a JSON document atomically: it outlasts a crash, or what was there before does."""
    with atomic_writer(path) as stream:
        stream.write(text.encode())
