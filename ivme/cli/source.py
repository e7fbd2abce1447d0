"""What `ivme run` reads: the options, and an open input."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from attrs import define, frozen

from ivme.cli.headings import RELATIONAL, Columns, Layout

T = TypeVar("T", bound=Hashable)
Update = tuple[Hashable, ...]
Records = Iterator[tuple[int, Update]]
"""Updates with their line numbers, from 1."""


@frozen
class Options:
    """How to read an input; `header`, `separator` and `strings` are for CSV."""

    layout: Layout = RELATIONAL
    format: str | None = None
    columns: Columns | None = None
    header: bool | None = None
    separator: str | None = None
    strings: bool = False


@define
class Source:
    """An open input: its name, its records, and what the header of a trace says."""

    name: str
    records: Records
    unit: str = "line"
    free: str | None = None
    epsilon: str | None = None
    ring: str | None = None
    measure: str = "updates"
    """The unit of `total` and `done`."""
    total: int | None = None
    done: Callable[[], int] | None = None
    """How much has been read; None if counted in updates."""
    remarks: Callable[[], list[str]] = list
    """What the user should know about how it was read."""

    def at(self, line: int) -> str:
        """Where a record stands, for messages."""
        return f"{self.name}, {self.unit} {line}"


def update_of(values: Sequence[T], layout: Layout, key: Callable[[T], Hashable]) -> Update:
    """The update of a record with its columns in order; the last may be absent.

    Bad input: an `InputError`.
    """
    *relation, x, y = values[: layout.required]
    more = values[layout.required :]
    last = layout.read(more[0], layout.names[-1]) if more else layout.absent
    return (*relation, key(x), key(y), last)
