"""Pathway as a contender: the adapter of examples/engines.

A commit has one update, since all others keep the answer right after each; or a batch of them, in its favour,
since the answer is right after each batch only. The clock runs until the last commit is through.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from examples.engines.pathway_engine import PathwayEngine
from ivme.workloads import Update
from ivme_spec.relations import Row

TIMEOUT = 600.0


class PathwayContender:
    """△(free) in Pathway, with a commit for each `batch` updates."""

    def __init__(self, free: str, batch: int = 1) -> None:
        self._engine = PathwayEngine(free, TIMEOUT)
        self._batch = batch

    def apply(self, updates: Iterable[Update], /) -> int:
        """Commit them in batches and wait until all are processed; how many."""
        done, rest = 0, iter(updates)
        while batch := list(islice(rest, self._batch)):
            self._engine.batch(batch)
            done += len(batch)
        self._engine.wait()
        return done

    def __iter__(self) -> Iterator[tuple[Row, int]]:
        return iter(self._engine.rows())

    def close(self) -> None:
        """End the dataflow, without waiting for it."""
        self._engine.source.commits.put(None)
