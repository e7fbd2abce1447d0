"""`ivme run --graph --window`: the triangles of the last edges of a stream, by count or by time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from fractions import Fraction

from attrs import define

from ivme.cli.cells import NUMBER
from ivme.cli.maintained import Graph, Update
from ivme.events import GraphChange
from ivme.graph.spans import Span, exact_number, microseconds
from ivme.graph.window import By, GraphWindow, extent
from ivme_spec.errors import InputError

Make = Callable[[Span, By], GraphWindow]


def parse_window(text: str, by: By | None) -> tuple[By, Span]:
    """`--window` and `--by`: how a window is bounded, and by how much.  Bad input: an `InputError`."""
    try:
        return extent(exact_number(Fraction(text)) if NUMBER.fullmatch(text) else text, by)
    except InputError as error:
        raise InputError(
            f"--window {text}{f' --by {by}' if by else ''}: give a number of edges, such as 10000; a span in "
            "ms, s, min, h, d or w, such as 1h; or --by time and a number in the unit of the times"
        ) from error


@define
class Windowed(Graph):
    """The triangles of the last edges of a stream. With a unit, times that are numbers are seconds."""

    window: GraphWindow
    make: Make
    given: str
    """As in --window."""
    seconds: bool = False
    timed: bool = False
    callback: Callable[[GraphChange], object] | None = None

    @classmethod
    def of(cls, given: str, by: By | None, make: Make, track: str) -> Windowed:
        """An empty one.  Bad input: an `InputError`."""
        by, span = parse_window(given, by)
        window = make(span, by)
        return cls(window.graph, track, window, make, given)

    def follow(self, callback: Callable[[GraphChange], object]) -> None:
        self.callback = callback
        self.graph.on_change(callback)

    def apply(self, update: Update) -> None:
        u, v, time = update
        if self.window.time is None:
            self._start(time)
        if time is None and self.window.by == "time":
            raise InputError(f"edge {(u, v)!r} has no time: --window {self.given} needs lines u,v,time")
        self.window.insert(u, v, time)
        self.timed = self.timed or time is not None
        if u == v:
            self.loops += 1
        elif self.graph.multiplicity(u, v) > 1:
            self.repeated += 1

    def _start(self, time: object) -> None:
        """Before the first time: a span is for numbers or for dates."""
        span = self.window.window
        if (
            self.window.by == "count"
            or time is None
            or isinstance(time, datetime) == isinstance(span, timedelta)
        ):
            return
        if not isinstance(span, timedelta):
            raise InputError(
                f"time {time} is a date: --window {self.given} --by time is for numbers; give a unit "
                "instead, such as 1h"
            )
        self.window = self.make(Fraction(microseconds(span), 10**6), "time")
        self.graph, self.seconds = self.window.graph, True
        self.graph.on_change(self.callback)

    def facts(self) -> dict[str, object]:
        window = self.window
        more = {"window": self.given, "by": window.by, "kept": len(window), "expired": window.expired}
        return {**super().facts(), **more}

    def remarks(self) -> Iterator[str]:
        yield from super().remarks()
        if self.seconds:
            yield "times that are numbers are taken as seconds"
        if self.timed and self.window.by == "count":
            yield "times are only checked to be in order: the window is by count"
