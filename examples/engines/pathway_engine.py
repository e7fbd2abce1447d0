"""Pathway as an engine for the conformance kit: a dataflow that keeps the query up to date.

One connector carries all three relations, so that a batch is one commit. A tuple with multiplicity m is m
rows that differ in `copy`. A marker, changed with each commit and routed into the same output, tells when the
engine is done with it. The benchmark uses this adapter too (bench/dataflow.py).
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import Counter
from collections.abc import Iterable

import pathway as pw
from pathway.internals.parse_graph import G

from ivme.conformance import Capabilities, EngineProblem
from ivme.formats.traces import Update
from ivme_spec.relations import RelationName, Row

CAPABILITIES = Capabilities(largest=5)
logging.getLogger("pathway_engine").setLevel(logging.ERROR)

Change = tuple[bool, dict[str, object]]
"""Whether a row is inserted, and the row."""


class Source(pw.io.python.ConnectorSubject):  # type: ignore[misc]  # Pathway is not there where types are checked
    """Commits what is put into `commits`."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: queue.Queue[list[Change] | None] = queue.Queue()

    def run(self) -> None:
        while (changes := self.commits.get()) is not None:
            for insert, row in changes:
                if insert:
                    self.next(**row)
                else:
                    self.delete(**row)
            self.commit()


class PathwayEngine:
    """△(free) in Pathway, which runs in threads of its own; a commit may take `timeout` seconds."""

    def __init__(self, free: str, timeout: float = 30.0) -> None:
        G.clear()
        self.names = free.lower()
        self.timeout = timeout
        self.copies: Counter[tuple[str, object, object]] = Counter()
        self.answer: Counter[tuple[Row, int]] = Counter()
        self.number = self.seen = self.done = 0
        self.changed = threading.Condition()
        self.failure: BaseException | None = None
        self.source = Source()
        self._build()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _build(self) -> None:
        columns = {name: pw.column_definition(primary_key=True, dtype=int) for name in ("x", "y", "copy")}
        columns["relation"] = pw.column_definition(primary_key=True, dtype=str)
        schema = pw.schema_builder(columns)
        edges = pw.io.python.read(self.source, schema=schema, autocommit_duration_ms=None)
        r, s, t, marker = (edges.filter(edges.relation == name) for name in "RSTM")
        paths = r.join(s, r.y == s.x).select(a=pw.left.x, b=pw.left.y, c=pw.right.y)
        triangles = paths.join(t, paths.c == t.x, paths.a == t.y).select(paths.a, paths.b, paths.c)
        free = [triangles[name] for name in self.names]
        counted = (triangles.groupby(*free) if free else triangles).reduce(*free, m=pw.reducers.count())
        shown = {name: counted[name] if name in self.names else 0 for name in "abc"}
        result = counted.select(**shown, m=counted.m, marker=False)
        marked = marker.select(a=0, b=0, c=0, m=marker.x, marker=True)
        output = pw.Table.concat_reindex(result, marked)
        pw.io.subscribe(output, on_change=self._on_change, on_time_end=self._on_time_end)

    def _run(self) -> None:
        try:
            pw.run(monitoring_level=pw.MonitoringLevel.NONE)
        except BaseException as error:
            self.failure = error
            with self.changed:
                self.changed.notify_all()

    def _on_change(self, key: object, row: dict[str, int], time: int, is_addition: bool) -> None:
        if not row["marker"]:
            self.answer[tuple(row[name] for name in self.names), row["m"]] += 1 if is_addition else -1
        elif is_addition:
            self.seen = row["m"]

    def _on_time_end(self, time: int) -> None:
        with self.changed:
            self.done = self.seen
            self.changed.notify_all()

    def update(self, relation: RelationName, x: int, y: int, multiplicity: int) -> None:
        self.batch([(relation, x, y, multiplicity)])

    def batch(self, updates: Iterable[Update]) -> None:
        """Commit; `wait` waits until it is through."""
        changes: list[Change] = []
        for relation, x, y, multiplicity in updates:
            insert = multiplicity > 0
            for _ in range(abs(multiplicity)):
                self.copies[relation, x, y] -= not insert
                copy = self.copies[relation, x, y]
                changes.append((insert, {"relation": relation, "x": x, "y": y, "copy": copy}))
                self.copies[relation, x, y] += insert
        if self.number:
            changes.append((False, {"relation": "M", "x": self.number, "y": 0, "copy": 0}))
        self.number += 1
        changes.append((True, {"relation": "M", "x": self.number, "y": 0, "copy": 0}))
        self.source.commits.put(changes)

    def wait(self) -> None:
        with self.changed:
            self.changed.wait_for(lambda: self.failure or self.done >= self.number, self.timeout)
        if self.failure:
            raise EngineProblem("crash", f"{type(self.failure).__name__}: {self.failure}")
        if self.done < self.number:
            raise EngineProblem("hang", f"commit {self.number} was not done in {self.timeout:g} s")

    def rows(self) -> list[tuple[Row, int]]:
        self.wait()
        if odd := [entry for entry, count in self.answer.items() if count not in (0, 1)]:
            raise EngineProblem("garbage", f"{odd[0]} is in the output {self.answer[odd[0]]} times")
        # count() of nothing is a row with 0, if there was something before; the kit expects no row then
        return [entry for entry, count in self.answer.items() if count and (self.names or entry[1])]

    def close(self) -> None:
        self.source.commits.put(None)
        self.thread.join(self.timeout)
