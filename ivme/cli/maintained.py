"""What `ivme run` maintains: a triangle query, or the triangles of a graph."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from heapq import nsmallest
from pathlib import Path
from typing import Protocol, cast

from attrs import define, field

from ivme.events import Change, GraphChange
from ivme.graph import GraphTriangles
from ivme.view import TriangleView
from ivme_spec.errors import MultiplicityError
from ivme_spec.relations import RelationName
from ivme_spec.rings import integer

Update = tuple[Hashable, ...]
Row = tuple[object, ...]


class Maintained(Protocol):
    """Something that takes updates and has an answer: a table."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the answer's columns."""

    def apply(self, update: Update) -> None:
        """Apply one update.  Bad input: an `InputError`, or a `RefusedUpdateError` by the data."""

    def rows(self) -> Iterator[Row]:
        """The answer, row by row."""

    def facts(self) -> dict[str, object]:
        """What is known besides the answer, ready for JSON."""

    def remarks(self) -> Iterator[str]:
        """What the user should know."""

    def save(self, path: Path, note: Mapping[str, object]) -> None:
        """Write a snapshot with a note, atomically."""

    def passed_over(self) -> dict[str, int]:
        """What has been counted besides the answer, by name."""


@define
class Relational:
    """A triangle query over R, S and T; `follow` is called with each change of the answer."""

    view: TriangleView[int]
    follow: Callable[[Change[int]], None] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.view.free, "multiplicity")

    def apply(self, update: Update) -> None:
        relation, x, y, multiplicity = cast("tuple[RelationName, Hashable, Hashable, int]", update)
        changes = [] if self.follow is None else self.view.delta(relation, x, y, multiplicity)
        self.view.update(relation, x, y, multiplicity)
        if self.follow is not None:
            for change in changes:
                self.follow(change)

    def rows(self) -> Iterator[Row]:
        if not self.view.free:
            return iter([(self.view[()],)])  # a count of 0 is a row too
        return ((*row, multiplicity) for row, multiplicity in self.view)

    def facts(self) -> dict[str, object]:
        view = self.view
        return {"free": view.free, "epsilon": str(view.epsilon), "tuples": view.size}

    def remarks(self) -> Iterator[str]:
        return iter(())

    def save(self, path: Path, note: Mapping[str, object]) -> None:
        self.view.save(path, note)

    def passed_over(self) -> dict[str, int]:
        return {}


COLUMNS: Mapping[str, tuple[str, ...]] = {
    "count": ("triangles",),
    "at": ("vertex", "triangles"),
    "on": ("u", "v", "triangles"),
    "triangles": ("u", "v", "w"),
}


@define
class Graph:
    """The triangles of a graph."""

    graph: GraphTriangles
    track: str
    loops: int = field(default=0, kw_only=True)
    repeated: int = field(default=0, kw_only=True)

    @property
    def columns(self) -> tuple[str, ...]:
        return COLUMNS[self.track]

    def follow(self, callback: Callable[[GraphChange], object]) -> None:
        """Have a callback called with each change of the graph."""
        self.graph.on_change(callback)

    def apply(self, update: Update) -> None:
        u, v, sign = update
        there = (u, v) in self.graph
        if integer(sign) == 1:
            self.graph.insert(u, v)
        elif sign == -1:
            self.graph.delete(u, v)
        else:
            raise MultiplicityError(
                f"sign {sign!r} of edge {(u, v)!r}: give 1 to insert it, -1 to delete it; a column of other "
                "numbers is left out by --columns u=…,v=…"
            )
        if u == v:
            self.loops += 1
        elif sign == 1 and there:
            self.repeated += 1

    def rows(self) -> Iterator[Row]:
        graph = self.graph
        if self.track == "count":
            return iter([(graph.count(),)])
        if self.track == "triangles":
            return graph.triangles()
        if self.track == "at":
            counted: Iterator[Row] = ((v, graph.count_at(v)) for v in graph.nodes())
        else:
            counted = ((u, v, graph.count_on(u, v)) for u, v in graph.edges())
        return (row for row in counted if row[-1])

    def facts(self) -> dict[str, object]:
        graph = self.graph
        return {
            "track": self.track,
            "directed": graph.directed,
            "epsilon": str(graph.epsilon),
            "vertices": graph.number_of_nodes(),
            "edges": graph.number_of_edges(),
        }

    def remarks(self) -> Iterator[str]:
        if self.loops:
            yield f"self-loops passed over: {self.loops}"
        if self.repeated:
            yield f"inserts of edges that were there already: {self.repeated}"

    def save(self, path: Path, note: Mapping[str, object]) -> None:
        self.graph.save(path, note)

    def passed_over(self) -> dict[str, int]:
        return {"loops": self.loops, "repeated": self.repeated}


# --- the largest rows -----------------------------------------------------------------------------------


def top(rows: Iterator[Row], count: int) -> list[Row]:
    """The rows with the largest last column, largest first; ties go to the smallest row.

    Cost: O(rows · log count), memory O(count).
    """
    return nsmallest(
        count, rows, key=lambda row: (-cast(int, row[-1]), [_order(value) for value in row[:-1]])
    )


def _order(value: object) -> tuple[int, int, str]:
    """Integers first; everything else in text order."""
    return (0, value, "") if isinstance(value, int) else (1, 0, str(value))
