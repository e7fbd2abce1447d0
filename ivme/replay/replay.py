"""Replay a trace on a `TriangleView`: every expectation is checked, and with `debug` every step.

Steps are read lazily, so a trace may be larger than memory; a damaged line ends the replay after all steps
before it were applied.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

from attrs import frozen

from ivme.events import Rebalance
from ivme.formats.answers import difference
from ivme.formats.traces import Answer, Header, Step, TraceError, Update, opened_trace
from ivme.rings import Ring, ring_named
from ivme.view import TriangleView
from ivme_reference.naive import Naive
from ivme_spec.errors import InputError, InvariantError, RefusedUpdateError, shown
from ivme_spec.queries import Partitioning
from ivme_spec.relations import Row

View = TriangleView[Any]
"""A view over whichever ring the trace names."""


@frozen
class Change:
    """One update that was sent, or one expectation that was compared.

    line        the line of the trace, from 1; for the loaded database, its last line
    number      updates sent so far, including this one and refused ones
    kind        "loaded", "update", "refused" or "expect"
    steps       the counted steps of the update alone; `rebalancing`, those of the rebalancing after it
    problem     what does not hold; "" if nothing is wrong
    """

    line: int
    number: int
    kind: str
    update: Update | None
    steps: int = 0
    rebalancing: int = 0
    events: tuple[Rebalance, ...] = ()
    problem: str = ""


class Replay:
    """A view that follows a trace.

    debug   compare the answer with the naive reference and check all invariants after every step
    every   with debug: only after every so many updates

    Cost: that of the updates, constant memory beside the view; with debug, everything is recomputed.
    """

    def __init__(self, header: Header, steps: Iterator[Step], debug: bool = False, every: int = 1) -> None:
        self.header = header
        self.ring = _ring(header)
        self.debug, self.every = debug, every
        self.number = 0
        """Updates sent so far, including the loaded ones."""
        self.line = 1
        self.view: View = self._made({})
        self._steps = steps
        self._events: list[Rebalance] = []
        self._reference: Naive[Any] | None = Naive(header.free, self.ring) if debug else None

    def _made(self, database: dict[str, dict[Row, int]]) -> View:
        return TriangleView(
            self.header.free,
            "1/2" if self.header.epsilon is None else self.header.epsilon,
            partitioning=cast("Partitioning", self.header.partitioning),  # the view checks it
            database=database,
            ring=self.ring,
            on_rebalance=lambda event: self._events.append(event),
            debug=False,
        )

    def __iter__(self) -> Iterator[Change]:
        """Every change in order; a damaged line raises a `TraceError`, after the changes before it."""
        database: dict[str, dict[Row, int]] = {}
        waiting = self.header.loaded
        for step in self._steps:
            self.line += 1
            if step.kind == "expect":
                if waiting:
                    raise TraceError(f"line {self.line}: an answer is expected before all is loaded")
                yield Change(self.line, self.number, "expect", None, problem=self._expect(step.answer))
            for update in step.updates:
                if not waiting:
                    yield self._change(step.kind, update)
                    continue
                relation, x, y, multiplicity = update
                rows = database.setdefault(relation, {})
                rows[x, y] = rows.get((x, y), 0) + multiplicity
                waiting -= 1
                self.number += 1
                if not waiting:
                    yield self._load(database)
        if waiting:
            raise TraceError(
                f"line 1: {self.header.loaded} updates are to be loaded; there are {self.number}"
            )

    def finish(self) -> None:
        """Read the rest without applying it, to verify the checksum at the end.

        Cost: its length.  Bad input: a `TraceError` for damage anywhere in the trace.
        """
        for _ in self._steps:
            pass

    def _load(self, database: dict[str, dict[Row, int]]) -> Change:
        self.view = self._made(database)
        if self._reference is not None:
            self._reference = Naive(self.header.free, self.ring, database)
        return Change(
            self.line, self.number, "loaded", None, self.view.costs.preprocessing, problem=self._check()
        )

    def _change(self, kind: str, update: Update) -> Change:
        before = self.view.costs
        self._events.clear()
        self.number += 1
        problem = ""
        try:
            self.view.update(*update)
            if kind == "refused":
                problem = "it must be refused, and was accepted"
        except RefusedUpdateError as error:
            problem = "" if kind == "refused" else f"refused: {error}"
        except InputError as error:
            raise TraceError(f"line {self.line}: {error}") from error
        except Exception as error:  # faults of the engine are what a replay looks for
            problem = f"the engine raised {type(error).__name__}: {error}"
        else:
            if self._reference is not None and not problem:
                self._reference.update(*update)
        after = self.view.costs
        return Change(
            self.line,
            self.number,
            "refused" if kind == "refused" else "update",
            update,
            after.updates - before.updates,
            after.minor + after.major - before.minor - before.major,
            tuple(self._events),
            problem or self._check(),
        )

    def _expect(self, expected: Answer) -> str:
        rows = list(self.view)
        answer = dict(rows)
        if len(answer) != len(rows):
            return "a row is reported twice"
        lifted = {row: self.ring.lift(multiplicity) for row, multiplicity in expected.items()}
        return "" if answer == lifted else f"the trace expects another answer: {difference(answer, lifted)}"

    def _check(self) -> str:
        """What does not hold now, if this update is to be checked."""
        if self._reference is None or self.number % self.every:
            return ""
        rows, right = list(self.view), dict(self._reference)
        answer = dict(rows)
        if len(answer) != len(rows):
            return "a row is reported twice"
        if answer != right:
            return f"wrong answer: {difference(answer, right)}"
        try:
            self.view.check()
        except InvariantError as error:
            return str(error)
        return ""


def _ring(header: Header) -> Ring[Any]:
    """The ring that a trace names.  Bad input: a `TraceError` for an unknown one."""
    if (ring := ring_named(header.ring)) is None:
        raise TraceError(f"ring {shown(header.ring)}: a trace that replays has one of ℕ, ℤ, ℤ[X] or ℤ/m")
    return ring


@contextmanager
def open_replay(path: str | os.PathLike[str], debug: bool = False, every: int = 1) -> Iterator[Replay]:
    """A replay of a file, open for the duration of the block.  Bad input: a `TraceError`."""
    with opened_trace(path) as (header, steps):
        yield Replay(header, steps, debug, every)


def count_updates(path: str | os.PathLike[str]) -> int:
    """The number of updates of a trace.  Cost: its length, constant memory.  Bad input: as `open_replay`."""
    with opened_trace(path) as (_, steps):
        return sum(len(step.updates) for step in steps)
