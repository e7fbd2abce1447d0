"""What `ivme run` reads: how it is to be read, and an input that is open."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from attrs import define, frozen

from ivme.cli.headings import RELATIONAL, Columns, Layout

Update = tuple[Hashable, ...]
Records = Iterator[tuple[int, Update]]
"""Updates with the numbers of their lines, from 1."""


@frozen
class Options:
    """How an input is to be read; `header`, `separator` and `strings` are for CSV."""

    layout: Layout = RELATIONAL
    format: str | None = None
    columns: Columns | None = None
    header: bool | None = None
    separator: str | None = None
    strings: bool = False


@define
class Source:
    """An open input: its name, its records, and what a trace says of itself."""

    name: str
    records: Records
    unit: str = "line"
    free: str | None = None
    epsilon: str | None = None
    ring: str | None = None
    measure: str = "updates"
    """What `total` and `done` are in."""
    total: int | None = None
    done: Callable[[], int] | None = None
    """How much has been read; None where it is the number of updates."""
    remarks: Callable[[], list[str]] = list
    """What the user should know of how it was read."""

    def at(self, line: int) -> str:
        """Where a record stands, for messages."""
        return f"{self.name}, {self.unit} {line}"
