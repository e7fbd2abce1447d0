"""The witness of large runs, which gives the right answers: Spark, or else the worst-case optimal join.

Both recompute from the updates alone and share no code with the engine.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from itertools import islice
from pathlib import Path
from typing import Protocol

from ivme.extras import MissingExtraError
from ivme.formats.traces import Answer
from ivme.workloads import Definition
from ivme_reference.leapfrog import Recompute
from ivme_spec.errors import IvmeError
from ivme_spec.queries import HEADS

Answers = dict[int, dict[str, Answer]]
"""The right answer by prefix and head."""


class NoSparkError(IvmeError):
    """Spark cannot be used here; the message says what to install."""


class Spark(Protocol):
    """The part of `ivme.spark.witness.Witness` that is used."""

    @property
    def name(self) -> str: ...
    def write(self, definition: Definition) -> str: ...
    def answers(self, dataset: str, prefixes: Sequence[int]) -> Answers: ...


def joined_answers(definition: Definition, prefixes: Sequence[int], heads: Sequence[str] = HEADS) -> Answers:
    """The right answers by a worst-case optimal join.  Cost: O(|D|^{3/2}) for each head and prefix."""
    found: Answers = {}
    base: Recompute[int] = Recompute("")
    done, updates = 0, iter(definition.workload())
    for prefix in prefixes:
        for update in islice(updates, prefix - done):
            base.update(*update)
        done = prefix
        database = {name: dict(relation.entries) for name, relation in base.database().items()}
        found[prefix] = {free: dict(Recompute[int](free, database=database)) for free in heads}
    return found


def spark_witness(folder: Path) -> AbstractContextManager[Spark]:
    """Spark on this machine, for the duration of a block.

    Bad input: a `NoSparkError` without pyspark or Java.
    """
    try:
        from ivme.spark.java import NoJavaError, ensure_java
        from ivme.spark.witness import local_witness
    except MissingExtraError as error:
        raise NoSparkError(str(error)) from error
    try:
        ensure_java()
    except NoJavaError as error:
        raise NoSparkError(str(error)) from error
    return local_witness(folder)
