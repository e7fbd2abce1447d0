"""Files that are there as a whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

SCRATCH = ".part"
"""How the names of unfinished files end; only a process that was killed leaves one."""


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream whose contents become the file when the block ends, and vanish if it raises.

    Write to a scratch file in the same folder, flush, fsync, rename, fsync of the folder: after the block the
    file outlasts a crash of the machine; before, whoever reads sees what was there.  Cost: constant memory.
    Bad input: an `OSError` that names the file, also for a full disk.
    """
    target = Path(path)
    scratch = target.with_name(f".{target.name}.{os.getpid()}-{secrets.token_hex(4)}{SCRATCH}")
    try:
        with open(scratch, "xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(scratch, target)
    except OSError as error:
        if error.errno is None or error.filename not in (None, os.fspath(scratch)):
            raise
        # whoever asked knows nothing of the scratch file
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
    finally:
        scratch.unlink(missing_ok=True)
    sync_folder(target.parent)


def sync_folder(path: str | os.PathLike[str]) -> None:
    """Make the names in a folder outlast a crash of the machine; Windows does so by itself."""
    if os.name == "nt":
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
