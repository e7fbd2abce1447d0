"""A local session as the witness of `ivme verify`: writes workloads and recomputes their answers."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from attrs import frozen
from pyspark.sql import SparkSession

from ivme.spark import datasets, oracle
from ivme.spark.oracle import Answer
from ivme.spark.session import make_session
from ivme.workloads import Definition
from ivme_spec.queries import HEADS


@frozen
class Witness:
    """A session and the folder of its datasets."""

    session: SparkSession
    folder: Path

    @property
    def name(self) -> str:
        """Its name in reports."""
        return f"Spark {self.session.version}, {self.session.sparkContext.master}"

    def write(self, definition: Definition) -> str:
        """A workload as a dataset; its path.  Cost: O(updates)."""
        return os.fspath(datasets.write(self.session, definition, self.folder / definition.family).path)

    def answers(
        self, dataset: str, prefixes: Sequence[int], heads: Sequence[str] = HEADS
    ) -> dict[int, dict[str, Answer]]:
        """The right answers by prefix and head.  Cost: a job of some seconds for each prefix."""
        updates = datasets.read(dataset).frame(self.session).persist()
        try:
            return {
                prefix: oracle.answers(oracle.database_after(updates, prefix), heads) for prefix in prefixes
            }
        finally:
            updates.unpersist()


@contextmanager
def local_witness(folder: Path) -> Iterator[Witness]:
    """A witness on this machine for the duration of a block.  Bad input: a `NoJavaError`."""
    session = make_session(
        name="ivme verify",
        # compiling the plans of such short jobs takes longer than running them
        spark__sql__codegen__wholeStage="false",
        spark__sql__codegen__factoryMode="NO_CODEGEN",
    )
    try:
        yield Witness(session, folder)
    finally:
        session.stop()
