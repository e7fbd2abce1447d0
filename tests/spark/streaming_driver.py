"""A driver to be killed: maintains a stream until it ends, or until it has done some file operations.

    streaming_driver.py <input> <directory> <free> <operations> <before|after>

With 0 operations it works off what is there and ends. Otherwise it goes on for ever, and kills itself and its
JVM with -9 right before or after that many renames, syncs and removals of the driver, all of which belong to
commits.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from ivme.spark import streaming
from ivme.spark.datasets import COLUMNS
from ivme.spark.hypercube import Shares
from ivme.spark.session import make_session


def die_after(operations: int, before: bool) -> None:
    """Count the operations of this process, and end it at the last one."""
    left = operations

    def counted(operation: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0 and before:
                os.killpg(0, signal.SIGKILL)
            try:
                return operation(*arguments, **named)
            finally:  # also if it fails, as when nothing is there to be removed
                if left == 0:
                    os.killpg(0, signal.SIGKILL)

        return call

    for name in ("fsync", "replace", "unlink"):
        setattr(os, name, counted(getattr(os, name)))


def main(folder: str, directory: str, free: str, operations: str, moment: str) -> None:
    spark = make_session(
        name="ivme killed",
        spark__sql__codegen__wholeStage="false",
        spark__sql__codegen__factoryMode="NO_CODEGEN",
    )
    stream = spark.readStream.schema(COLUMNS).option("maxFilesPerTrigger", 1).json(folder)
    if int(operations):
        die_after(int(operations), moment == "before")
    ends = {"availableNow": True} if moment == "end" else None
    query = streaming.maintain(stream, directory, free, "1/3", Shares(2, 1, 1), trigger=ends)
    print("started", flush=True)
    query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
