"""Checkpoints of `ivme run`: a view or a graph and the position in its input, in one snapshot, so in one
atomic step.

The note of the snapshot holds the number of consumed records, how many of them were refused or passed over,
and their SHA-256. A resumed run reads its input from the beginning: it skips the consumed records, and stops
if they are not the same. Nothing is lost or counted twice, whenever the process is killed: what was applied
after the last snapshot was not saved, and is applied again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import IO, Protocol

from attrs import define, field, frozen

from ivme.formats.files import SCRATCH
from ivme.formats.saved import read_note
from ivme_spec.errors import InputError

VIEW, GRAPH = "view.jsonl", "graph.jsonl"
"""The snapshot of a query, and that of a graph."""


class Saveable(Protocol):
    """What a checkpoint is made of."""

    def save(self, path: Path, note: Mapping[str, object]) -> None:
        """Write a snapshot, atomically."""

    def passed_over(self) -> dict[str, int]:
        """What has been counted besides the answer, by name."""


@define
class Position:
    """The progress of a run."""

    records: int = 0
    refused: int = 0
    applied: int = 0
    """The number of records that are done."""
    saved: int = 0
    """How many of them are in the checkpoint."""
    digest: hashlib._Hash = field(factory=hashlib.sha256)

    def consume(self, update: object) -> None:
        """Count one more record.  Cost: O(1)."""
        self.records += 1
        self.digest.update(repr(update).encode(errors="surrogatepass"))


@frozen
class Saved:
    """A checkpoint that was found; its snapshot is at `path`."""

    path: Path
    records: int
    refused: int
    sha256: str
    passed_over: Mapping[str, int]


@frozen
class Checkpoint:
    """A folder with at most one snapshot; `open_checkpoint` ensures that only one run uses it."""

    folder: Path
    name: str

    @property
    def path(self) -> Path:
        return self.folder / self.name

    def load(self) -> Saved | None:
        """The note of what was saved last, None before the first time.  Bad input: an `InputError`."""
        other = GRAPH if self.name == VIEW else VIEW
        if (self.folder / other).exists():
            given, kind = ("without", "graph") if other == GRAPH else ("with", "query")
            raise InputError(
                f"the checkpoint in {self.folder} is of a {kind}, and this run is {given} --graph: give "
                "another folder"
            )
        if not self.path.exists():
            return None
        note = read_note(self.path)
        records, refused, sha256 = (note.get(key) for key in ("records", "refused", "sha256"))
        passed = note.get("passed_over", {})
        if (
            not isinstance(records, int)
            or not isinstance(refused, int)
            or not isinstance(sha256, str)
            or not isinstance(passed, dict)
            or not all(isinstance(count, int) for count in passed.values())
        ):
            raise InputError(f"{self.path} is a snapshot, but not one of `ivme run`: give another folder")
        return Saved(self.path, records, refused, sha256, passed)

    def save(self, maintained: Saveable, position: Position) -> None:
        """Replace the snapshot, atomically.  Cost: O(|D|)."""
        note: dict[str, object] = {
            "records": position.records,
            "refused": position.refused,
            "sha256": position.digest.hexdigest(),
        }
        if passed := maintained.passed_over():
            note["passed_over"] = passed
        maintained.save(self.path, note)
        position.saved = position.records


@contextmanager
def open_checkpoint(folder: Path, output: Path | None, name: str = VIEW) -> Iterator[Checkpoint]:
    """The folder of a checkpoint, created if needed, without the unfinished files of a killed run.

    A folder that was created and got no checkpoint is removed at the end.
    Bad input: an `InputError` if another run uses the folder.
    """
    made = [path for path in (folder, *folder.parents) if not path.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "ab") as lock:
        _lock(lock, folder)
        unfinished = [*folder.glob(f".{name}.*{SCRATCH}")]
        if output is not None:
            unfinished += output.parent.glob(f".{escape(output.name)}.*{SCRATCH}")
        for scratch in unfinished:
            scratch.unlink(missing_ok=True)
        checkpoint = Checkpoint(folder, name)
        try:
            yield checkpoint
        finally:
            if made and not checkpoint.path.exists():
                with suppress(OSError):  # Windows does not remove open files
                    (folder / "lock").unlink()
                    for path in made:
                        path.rmdir()


def _lock(lock: IO[bytes], folder: Path) -> None:
    """Held until the file is closed, also by the death of the process; not on Windows."""
    try:
        import fcntl
    except ModuleNotFoundError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise InputError(f"{folder} is in use by another `ivme run`: give another folder") from error
