"""What a stream has committed: one manifest, the snapshots that it names, and what was refused.

    manifest.json                       the query and the committed state: replaced by one atomic rename
    states/<batch>-<cell>-<token>.jsonl snapshots of cells; only those that the manifest names count
    refused/<batch>.jsonl               the refused updates of a batch; only committed batches count
    checkpoint/                         Spark's own
    lock                                held while a batch is processed

The folder must be reachable under the same path from the driver and all workers, on a file system with atomic
renames.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from attrs import asdict, evolve, field, frozen

from ivme.formats.documents import Format, write_document
from ivme.formats.files import SCRATCH, atomic_writer
from ivme.formats.structured import Structured
from ivme.spark.hypercube import Balance, Refusal, Shares
from ivme_spec.errors import InputError

REMEMBERED = 100
"""Batches whose offsets are kept, to tell a repeated batch from another one with its number."""


class StreamError(InputError):
    """A stream's folder that cannot be used; the message names it and says what to do."""


@frozen
class Setup:
    """What a stream maintains. It cannot change: another split of the data needs a fresh start."""

    free: str
    epsilon: str
    shares: Shares


@frozen
class Cell:
    """The committed state of a cell: the name of its snapshot, and the number of its updates so far."""

    state: str
    updates: int


@frozen
class Manifest:
    """The committed state.

    batch    the number of the last batch, −1 before the first
    query    the id of Spark's checkpoint, None before the first batch
    updates  the number of updates, of which `refused` were refused
    late     how many had a lower `seq` than one of an earlier batch; they were applied on arrival
    last     the highest `seq` so far
    """

    setup: Setup
    batch: int = -1
    query: str | None = None
    updates: int = 0
    refused: int = 0
    late: int = 0
    last: int | None = None
    cells: Mapping[int, Cell] = field(factory=dict, repr=False)
    offsets: Mapping[int, str] = field(factory=dict, repr=False)

    @property
    def balance(self) -> Balance:
        """Replication and skew of the cells so far."""
        loads = {number: cell.updates for number, cell in self.cells.items()}
        return Balance(self.setup.shares, self.updates, loads)

    def remember(self, number: int, offsets: str) -> Manifest:
        """The same with the offsets of a batch, and without those of old ones."""
        kept = {n: text for n, text in self.offsets.items() if n > number - REMEMBERED}
        return evolve(self, offsets={**kept, number: offsets})


# --- the manifest ---------------------------------------------------------------------------------------

FORMAT = Format(
    "ivme-stream", "the manifest of a stream", StreamError, remedy="is this the folder of a stream?"
)
MANIFEST = Structured(Manifest, FORMAT, extra="spark")


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Commit, by one rename."""
    text = json.dumps(FORMAT.stamped(asdict(manifest)), indent=1)
    write_document(directory / "manifest.json", text + "\n")


def read_manifest(directory: str | os.PathLike[str]) -> Manifest:
    """The committed state.  Cost: O(cells).  Bad input: a `StreamError`."""
    return MANIFEST.read(Path(directory) / "manifest.json")


def prepare(directory: Path, setup: Setup) -> None:
    """Make the folder of a stream, or check that it has the same query and its checkpoint."""
    for name in ("states", "refused"):
        (directory / name).mkdir(parents=True, exist_ok=True)
    if not (directory / "manifest.json").exists():
        write_manifest(directory, Manifest(setup))
        return
    manifest = read_manifest(directory)
    if manifest.setup != setup:
        raise StreamError(
            f"{directory} holds a stream for {manifest.setup}, not {setup}: "
            "the query and the shares cannot change; give another folder, and read the stream from its start"
        )
    if manifest.query is not None:
        check_query(directory, manifest)


# --- Spark's checkpoint ---------------------------------------------------------------------------------


def query_id(directory: Path) -> str | None:
    """The id of Spark's checkpoint, None if there is none yet."""
    try:
        return str(json.loads((directory / "checkpoint" / "metadata").read_bytes())["id"])
    except (OSError, ValueError, KeyError):
        return None


def check_query(directory: Path, manifest: Manifest) -> None:
    """Refuse a checkpoint that the state does not belong to: batches would be lost or applied twice."""
    if manifest.query not in (None, found := query_id(directory)):
        raise StreamError(
            f"{directory} has the state of query {manifest.query}, and its checkpoint is of {found}: "
            "put the right checkpoint back, or give another folder and read the stream from its start"
        )


def offsets_of(directory: Path, number: int) -> str:
    """A digest of the offsets that Spark logged before the batch: where it begins and ends."""
    try:
        return hashlib.sha256((directory / "checkpoint" / "offsets" / str(number)).read_bytes()).hexdigest()
    except OSError as error:
        raise StreamError(f"{directory}: the offsets of batch {number} cannot be read: {error}") from error


def is_new(directory: Path, manifest: Manifest, number: int, offsets: str) -> bool:
    """Whether a batch is the next one; False if it is committed already.

    Bad input: a `StreamError` if the checkpoint and the state do not match, as when one of them was restored
    from a backup: continuing would lose batches or apply them twice.
    """
    check_query(directory, manifest)
    if number == manifest.batch + 1:
        return True
    if number <= manifest.batch and manifest.offsets.get(number) == offsets:
        return False
    raise StreamError(
        f"{directory}: Spark runs batch {number}, and the state has all up to batch {manifest.batch}: these "
        "do not fit; put the right checkpoint back, or give another folder and read the stream from its start"
    )


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Keep other drivers out; the system releases the lock of a process that ends, however it ends."""
    import fcntl  # not on Windows, where Spark does not work well either

    with open(directory / "lock", "wb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StreamError(f"{directory}: another driver is working on this stream") from error
        yield


# --- refused updates, and cleaning up -------------------------------------------------------------------


def write_refused(directory: Path, number: int, refused: Iterable[Refusal]) -> None:
    """Write the refused updates of a batch; replaces those of an earlier attempt."""
    path = directory / "refused" / f"{number:08d}.jsonl"
    lines = [json.dumps([entry.seq, *entry.update, entry.reason]) for entry in refused]
    if not lines:
        path.unlink(missing_ok=True)
        return
    with atomic_writer(path) as stream:
        stream.writelines(line.encode() + b"\n" for line in lines)


def read_refused(directory: Path, manifest: Manifest) -> Iterator[Refusal]:
    """The refused updates of all committed batches, in order.  Cost: constant memory."""
    count = 0
    for path in sorted((directory / "refused").glob("*.jsonl"), key=lambda path: int(path.stem)):
        if int(path.stem) > manifest.batch:
            break
        with open(path, "rb") as stream:
            for line in stream:
                seq, relation, x, y, m, reason = json.loads(line)
                count += 1
                yield Refusal(seq, (relation, x, y, m), reason)
    if count != manifest.refused:
        raise StreamError(
            f"{directory}/refused has {count} of {manifest.refused} refused updates: files are missing"
        )


def clean(directory: Path, manifest: Manifest) -> None:
    """Remove snapshots that the manifest does not name, and unfinished files of killed attempts."""
    named = {cell.state for cell in manifest.cells.values()}
    left = [path for path in (directory / "states").iterdir() if path.name not in named]
    for folder in (directory, directory / "refused"):
        left += folder.glob(f".*{SCRATCH}")
    for path in left:
        path.unlink(missing_ok=True)  # a task that is still ending removes its own
