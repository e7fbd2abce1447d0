"""Atomic writes, and paths as users give them."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO

from ivme_spec.errors import InputError, shown

SCRATCH = ".part"
"""The suffix of unfinished files; only a killed process leaves one behind."""


@contextmanager
def atomic_writer(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A stream whose contents replace the file when the block ends, and are discarded if it raises.

    Write to a scratch file in the same folder, flush, fsync, rename, fsync of the folder: after the block the
    file survives a crash of the machine; until then readers see the old one.  Cost: constant memory.
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
        # the caller does not know the scratch file
        raise OSError(error.errno, error.strerror, os.fspath(path)) from error
    finally:
        scratch.unlink(missing_ok=True)
    sync_folder(target.parent)


def sync_folder(path: str | os.PathLike[str]) -> None:
    """Make the names in a folder survive a crash of the machine; not needed on Windows."""
    if os.name == "nt":
        return
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


# --- paths of users -------------------------------------------------------------------------------------


def path_of(path: object, error: type[InputError]) -> str:
    """A path as text.  Bad input: an `error` for what cannot be a path."""
    name = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(name, str):
        raise error(f"path {shown(path)} is a {type(path).__name__}: give text or a Path")
    try:
        if b"\0" not in os.fsencode(name):
            return name
    except UnicodeEncodeError:
        pass
    raise error(f"path {shown(name)} has a character that no name of a file can have")


@contextmanager
def opened(path: object, error: type[InputError]) -> Iterator[IO[bytes]]:
    """A file for reading.  Bad input: an `error` that names the path, if it cannot be opened."""
    name = path_of(path, error)
    try:
        stream = open(name, "rb")  # noqa: SIM115  closed below; errors of the block pass through
    except OSError as failed:
        raise error(f"{name} cannot be read: {failed.strerror}") from failed
    with stream:
        yield stream


@contextmanager
def replaced(path: object, error: type[InputError]) -> Iterator[IO[bytes]]:
    """`atomic_writer` for a path that a user gave.

    Bad input: an `error` that names the path, if it cannot be written to; errors of the disk are `OSError`s.
    """
    target = Path(path_of(path, error))
    with ExitStack() as stack:
        try:
            if target.is_dir() or not target.name:
                raise error(f"{target} is a folder: give the path of a file")
            if not target.parent.is_dir():
                raise error(f"{target}: there is no folder {target.parent}")
            stream = stack.enter_context(atomic_writer(target))
        except OSError as failed:
            raise error(f"{target} cannot be written: {failed.strerror}") from failed
        yield stream
