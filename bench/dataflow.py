"""Pathway as a contender: a dataflow that keeps the query up to date.

A commit has one update, since all others have the right answer after each; or a batch of them, in its favour,
since the answer is then right only after each batch. The clock runs until the last commit is processed.

A tuple with multiplicity m is m rows that differ in `copy`. A marker, changed with each commit and routed
into the same output, shows when Pathway has processed it.
"""

from __future__ import annotations

import queue
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice

import pathway as pw
from pathway.internals.parse_graph import G

from ivme.workloads import Update
from ivme_spec.relations import Row

TIMEOUT = 600.0

Change = tuple[bool, dict[str, object]]


class _Source(pw.io.python.ConnectorSubject):  # type: ignore[misc]  # Pathway is not installed where types are checked
    """Turns what is put into `commits` into commits."""

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
    """△(free) in Pathway, with a commit for each `batch` updates; it runs in its own threads."""

    def __init__(self, free: str, batch: int = 1) -> None:
        G.clear()
        self._batch = batch
        self._free = free.lower()
        self._copies: Counter[tuple[str, int, int]] = Counter()
        self._answer: Counter[tuple[Row, int]] = Counter()
        self._number = self._seen = self._done = 0
        self._changed = threading.Condition()
        self._failure: BaseException | None = None
        self._source = _Source()
        self._build()
        threading.Thread(target=self._run, daemon=True).start()

    def _build(self) -> None:
        names = ("relation", "x", "y", "copy")
        columns = {name: pw.column_definition(primary_key=True, dtype=int) for name in names[1:]}
        columns["relation"] = pw.column_definition(primary_key=True, dtype=str)
        schema = pw.schema_builder(columns)
        edges = pw.io.python.read(self._source, schema=schema, autocommit_duration_ms=None)
        r, s, t, marker = (edges.filter(edges.relation == name) for name in "RSTM")
        paths = r.join(s, r.y == s.x).select(a=pw.left.x, b=pw.left.y, c=pw.right.y)
        triangles = paths.join(t, paths.c == t.x, paths.a == t.y).select(paths.a, paths.b, paths.c)
        kept = [triangles[name] for name in self._free]
        counted = (triangles.groupby(*kept) if kept else triangles).reduce(*kept, m=pw.reducers.count())
        shown = {name: counted[name] if name in self._free else 0 for name in "abc"}
        result = counted.select(**shown, m=counted.m, marker=False)
        marked = marker.select(a=0, b=0, c=0, m=marker.x, marker=True)
        output = pw.Table.concat_reindex(result, marked)
        pw.io.subscribe(output, on_change=self._on_change, on_time_end=self._on_time_end)

    def _run(self) -> None:
        try:
            pw.run(monitoring_level=pw.MonitoringLevel.NONE)
        except BaseException as error:
            self._failure = error
            with self._changed:
                self._changed.notify_all()

    def _on_change(self, key: object, row: dict[str, int], time: int, is_addition: bool) -> None:
        if not row["marker"]:
            self._answer[tuple(row[name] for name in self._free), row["m"]] += 1 if is_addition else -1
        elif is_addition:
            self._seen = row["m"]

    def _on_time_end(self, time: int) -> None:
        with self._changed:
            self._done = self._seen
            self._changed.notify_all()

    def apply(self, updates: Iterable[Update], /) -> int:
        """Commit them in batches and wait until all are processed; how many."""
        done, rest = 0, iter(updates)
        while batch := list(islice(rest, self._batch)):
            self._commit(batch)
            done += len(batch)
        with self._changed:
            self._changed.wait_for(lambda: self._failure or self._done >= self._number, TIMEOUT)
        if self._failure is not None:
            raise RuntimeError(f"Pathway: {self._failure}")
        if self._done < self._number:
            raise TimeoutError(f"Pathway was not done in {TIMEOUT} s")
        return done

    def _commit(self, batch: list[Update]) -> None:
        changes: list[Change] = []
        for relation, x, y, multiplicity in batch:
            insert = multiplicity > 0
            for _ in range(abs(multiplicity)):
                self._copies[relation, x, y] -= not insert
                copy = self._copies[relation, x, y]
                changes.append((insert, {"relation": relation, "x": x, "y": y, "copy": copy}))
                self._copies[relation, x, y] += insert
        if self._number:
            changes.append((False, {"relation": "M", "x": self._number, "y": 0, "copy": 0}))
        self._number += 1
        changes.append((True, {"relation": "M", "x": self._number, "y": 0, "copy": 0}))
        self._source.commits.put(changes)

    def __iter__(self) -> Iterator[tuple[Row, int]]:
        # the count of nothing is a row with 0
        return (entry for entry, times in self._answer.items() if times and entry[1])

    def close(self) -> None:
        """End the dataflow."""
        self._source.commits.put(None)
