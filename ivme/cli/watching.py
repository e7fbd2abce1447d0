"""`ivme run --watch`: each change of the answer, as a line.

A line has the number of updates so far, the row, and its old and new multiplicity, 0 if absent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from ivme.cli import output
from ivme.cli.maintained import Graph, Relational, Row
from ivme.cli.tables import cell, long_numbers, plain
from ivme.events import GraphChange


class Watcher(Protocol):
    """Reports what has changed since it was created, or since its last look."""

    def look(self, updates: int) -> None:
        """Print what has changed."""


class Follower:
    """Accumulates the changes of a query, or the triangles of a graph.

    Cost: for each update a `TriangleView.delta`, or to list the triangles of its edge.
    """

    def __init__(self, query: Relational | Graph, as_json: bool) -> None:
        self._json = as_json
        self._changed: dict[Row, tuple[object, object]] = {}
        if isinstance(query, Relational):
            query.follow = lambda change: self._note(change.row, change.old, change.new)
        else:
            query.follow(self._note_triangles)

    def _note_triangles(self, change: GraphChange) -> None:
        for triangle in change.vanished:
            self._note(triangle, 1, 0)
        for triangle in change.appeared:
            self._note(triangle, 0, 1)

    def _note(self, row: Row, old: object, new: object) -> None:
        before, _ = self._changed.get(row, (old, None))
        self._changed[row] = (before, new)

    def look(self, updates: int) -> None:
        _say(
            updates, ((row, old, new) for row, (old, new) in self._changed.items() if old != new), self._json
        )
        self._changed.clear()


class Reader:
    """Compares the answer with the one at the last look.  Cost: a look reads it all; O(1) for a count."""

    def __init__(self, answer: Callable[[], dict[Row, object]], as_json: bool) -> None:
        self._answer, self._json = answer, as_json
        self._last = answer()

    def look(self, updates: int) -> None:
        now, last = self._answer(), self._last
        pairs = ((row, last.get(row, 0), now.get(row, 0)) for row in {**last, **now})
        _say(updates, (entry for entry in pairs if entry[1] != entry[2]), self._json)
        self._last = now


def _say(updates: int, changes: Iterable[tuple[Row, object, object]], as_json: bool) -> None:
    with long_numbers():
        for row, before, after in changes:
            if as_json:
                values = [plain(value) for value in row]
                facts = {"updates": updates, "row": values, "was": before, "now": after}
                output.say_json(output.versioned("change", facts))
            else:
                output.say("\t".join(map(cell, (updates, *row, before, after))))
    with output.stdout as stream:
        stream.flush()
