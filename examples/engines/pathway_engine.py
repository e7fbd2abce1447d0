"""Pathway as an engine for the conformance kit: a dataflow that keeps the query up to date.

One connector carries all three relations, so that a batch is one commit. A tuple with multiplicity m is m
rows that differ in `copy`. A marker, changed with each commit and routed into the same output, tells when the
engine is done with it.
"""

import logging
import queue
import threading
from collections import Counter

import pathway as pw
from pathway.internals.parse_graph import G

from ivme.conformance import Capabilities, EngineProblem

CAPABILITIES = Capabilities(largest=5)
TIMEOUT = 30.0
logging.getLogger("pathway_engine").setLevel(logging.ERROR)


class Edge(pw.Schema):
    relation: str = pw.column_definition(primary_key=True)
    x: int = pw.column_definition(primary_key=True)
    y: int = pw.column_definition(primary_key=True)
    copy: int = pw.column_definition(primary_key=True)


class Source(pw.io.python.ConnectorSubject):
    """What is put into `commits`, as commits."""

    def __init__(self) -> None:
        super().__init__()
        self.commits = queue.Queue()

    def run(self) -> None:
        while (rows := self.commits.get()) is not None:
            for insert, row in rows:
                if insert:
                    self.next(**row)
                else:
                    self.delete(**row)
            self.commit()


class PathwayEngine:
    def __init__(self, free: str) -> None:
        G.clear()
        self.free = free
        self.copies = Counter()
        self.answer = Counter()
        self.number = self.seen = self.done = 0
        self.changed = threading.Condition()
        self.source = Source()
        self.failure = None
        self._build()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _build(self) -> None:
        edges = pw.io.python.read(self.source, schema=Edge, autocommit_duration_ms=None)
        r, s, t, marker = (edges.filter(edges.relation == name) for name in "RSTM")
        paths = r.join(s, r.y == s.x).select(a=pw.left.x, b=pw.left.y, c=pw.right.y)
        triangles = paths.join(t, paths.c == t.x, paths.a == t.y).select(paths.a, paths.b, paths.c)
        names = [variable.lower() for variable in self.free]
        grouped = triangles.groupby(*(triangles[name] for name in names)) if names else triangles
        counted = grouped.reduce(*(triangles[name] for name in names), m=pw.reducers.count())
        columns = {name: counted[name] if name in names else 0 for name in "abc"}
        result = counted.select(**columns, m=counted.m, marker=False)
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

    def _on_change(self, key, row, time, is_addition) -> None:
        if not row["marker"]:
            values = tuple(row[variable.lower()] for variable in self.free)
            self.answer[values, row["m"]] += 1 if is_addition else -1
        elif is_addition:
            self.seen = row["m"]

    def _on_time_end(self, time) -> None:
        with self.changed:
            self.done = self.seen
            self.changed.notify_all()

    def update(self, relation: str, x: int, y: int, multiplicity: int) -> None:
        self.batch([(relation, x, y, multiplicity)])

    def batch(self, updates) -> None:
        rows = []
        for relation, x, y, multiplicity in updates:
            for _ in range(abs(multiplicity)):
                insert = multiplicity > 0
                self.copies[relation, x, y] -= not insert
                row = {"relation": relation, "x": x, "y": y, "copy": self.copies[relation, x, y]}
                rows.append((insert, row))
                self.copies[relation, x, y] += insert
        self.number += 1
        if self.number > 1:
            rows.append((False, {"relation": "M", "x": self.number - 1, "y": 0, "copy": 0}))
        rows.append((True, {"relation": "M", "x": self.number, "y": 0, "copy": 0}))
        self.source.commits.put(rows)

    def rows(self):
        with self.changed:
            self.changed.wait_for(lambda: self.failure or self.done >= self.number, TIMEOUT)
        if self.failure:
            raise EngineProblem("crash", f"{type(self.failure).__name__}: {self.failure}")
        if self.done < self.number:
            raise EngineProblem("hang", f"commit {self.number} was not done in {TIMEOUT} s")
        if odd := [entry for entry, count in self.answer.items() if count not in (0, 1)]:
            raise EngineProblem("garbage", f"{odd[0]} is in the output {self.answer[odd[0]]} times")
        # count() of nothing is one row, if there was something before; in the kit there is none then
        return [entry for entry, count in self.answer.items() if count and (self.free or entry[1])]

    def close(self) -> None:
        self.source.commits.put(None)
        self.thread.join(TIMEOUT)
