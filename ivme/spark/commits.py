"""What a stream has committed: one manifest, the snapshots that it names, and what was refused.

    manifest.json                       the query, and what is committed: all of it changes by one rename
    states/<batch>-<cell>-<token>.jsonl snapshots of cells; one that no manifest names does not count
    refused/<batch>.jsonl               the refused updates of a batch; those of later batches do not count
    checkpoint/                         Spark's own
    lock                                held while a batch is worked on

The folder has to be reachable under the same path from the driver and from all workers, on a file system
where a rename is atomic.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from attrs import asdict, evolve, field, frozen

from ivme.formats.files import SCRATCH, atomic_writer
from ivme.spark.hypercube import Balance, Refusal, Shares
from ivme_spec.errors import InputError

VERSION = 1
REMEMBERED = 100
"""Batches whose offsets are kept, to tell a batch that is run again from another with its number."""


class StreamError(InputError):
    """A stream's folder that cannot be used; the message names it and says what to do."""


@frozen
class Setup:
    """What a stream maintains. It cannot change: another split of the data means starting anew."""

    free: str
    epsilon: str
    shares: Shares


@frozen
class Cell:
    """The committed state of a cell: the name of its snapshot, and how many updates it got so far."""

    state: str
    updates: int


@frozen
class Manifest:
    """All that is committed.

    batch    the number of the last batch, −1 before the first
    query    the identity of Spark's checkpoint, None before the first batch
    updates  how many updates there were, of which `refused` were refused
    late     how many came with a lower `seq` than one of an earlier batch; they were applied as they came
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
        """The same with a batch's offsets, and without those of long ago."""
        kept = {n: text for n, text in self.offsets.items() if n > number - REMEMBERED}
        return evolve(self, offsets={**kept, number: offsets})


# --- the manifest ---------------------------------------------------------------------------------------


def write_manifest(directory: Path, manifest: Manifest) -> None:
    """Commit, by one rename."""
    with atomic_writer(directory / "manifest.json") as stream:
        stream.write(json.dumps({"ivme-stream": VERSION, **asdict(manifest)}, indent=1).encode() + b"\n")


def read_manifest(directory: str | os.PathLike[str]) -> Manifest:
    """What is committed.  Cost: O(cells).  Bad input: a `StreamError`."""
    path = Path(directory) / "manifest.json"
    try:
        given = json.loads(path.read_bytes())
        if given["ivme-stream"] != VERSION:
            raise StreamError(f"{path} has version {given['ivme-stream']}; this ivme reads version {VERSION}")
        setup = given["setup"]
        return Manifest(
            setup=Setup(setup["free"], setup["epsilon"], Shares(**setup["shares"])),
            batch=given["batch"],
            query=given["query"],
            updates=given["updates"],
            refused=given["refused"],
            late=given["late"],
            last=given["last"],
            cells={int(number): Cell(**cell) for number, cell in given["cells"].items()},
            offsets={int(number): offsets for number, offsets in given["offsets"].items()},
        )
    except StreamError:
        raise
    except OSError as error:
        raise StreamError(
            f"{path} cannot be read: {error.strerror}; is it the folder of a stream?"
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise StreamError(f"{path} is not the manifest of a stream: {error!r}") from error


def prepare(directory: Path, setup: Setup) -> None:
    """Make the folder of a stream, or see that it is one for the same query and with its checkpoint."""
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
    """The identity of Spark's checkpoint, None if there is none yet."""
    try:
        return str(json.loads((directory / "checkpoint" / "metadata").read_bytes())["id"])
    except (OSError, ValueError, KeyError):
        return None


def check_query(directory: Path, manifest: Manifest) -> None:
    """Refuse a checkpoint that is not the one that the state belongs to: batches would be lost or doubled."""
    if manifest.query not in (None, found := query_id(directory)):
        raise StreamError(
            f"{directory} has the state of query {manifest.query}, and its checkpoint is of {found}: "
            "put the right checkpoint back, or give another folder and read the stream from its start"
        )


def offsets_of(directory: Path, number: int) -> str:
    """A digest of what Spark wrote down, before the batch, of where it begins and ends."""
    try:
        return hashlib.sha256((directory / "checkpoint" / "offsets" / str(number)).read_bytes()).hexdigest()
    except OSError as error:
        raise StreamError(f"{directory}: the offsets of batch {number} cannot be read: {error}") from error


def is_new(directory: Path, manifest: Manifest, number: int, offsets: str) -> bool:
    """Whether a batch is the next one; False if it is committed already.

    Bad input: a `StreamError` where the checkpoint and the state do not go together, as when one of them was
    taken from a backup: to go on would lose batches or apply them twice.
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
    """Keep other drivers out; the system takes the lock from a process that ends, however it ends."""
    import fcntl  # not on Windows, where Spark does not work well either

    with open(directory / "lock", "wb") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise StreamError(f"{directory}: another driver is working on this stream") from error
        yield


# --- refused updates, and cleaning up -------------------------------------------------------------------


def write_refused(directory: Path, number: int, refused: Iterable[Refusal]) -> None:
    """Write down what a batch refused, instead of what an earlier attempt at the batch wrote."""
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
    """Remove the snapshots that the manifest does not name, and what killed attempts left unfinished."""
    named = {cell.state for cell in manifest.cells.values()}
    left = [path for path in (directory / "states").iterdir() if path.name not in named]
    for folder in (directory, directory / "refused"):
        left += folder.glob(f".*{SCRATCH}")
    for path in left:
        path.unlink(missing_ok=True)  # a task that is still ending removes its own
