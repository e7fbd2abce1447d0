"""Child processes that are asked in lines and answer in lines.

Invariant: whatever the child does, a call returns or raises within its time limit. Nothing blocks: all pipes
are waited for together, memory is bounded, and the child runs in a process group of its own, which is killed
as a whole, at the latest when the `LineProcess` is garbage or the interpreter exits.
"""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from time import monotonic, sleep
from typing import IO, cast

CHUNK = 65536
LONGEST = 64 * 1024 * 1024
"""Bytes of a line."""
KEPT = 8192
"""Bytes that are kept of the end of the error output."""
GRACE = 1.0
"""Seconds that a child has to exit when it was asked to, or has closed its output."""


class NoLineError(Exception):
    """The child has not answered; one of the classes below says why."""


class TimedOut(NoLineError):
    """The time limit has passed."""


class Ended(NoLineError):
    """The child exited, or closed its output."""


class Endless(NoLineError):
    """The line is longer than LONGEST."""


class LineProcess:
    """A child process; it starts at once.

    environment  variables beside those of this process
    errors       keep the end of the error output; else it is discarded

    Bad input: the error of `subprocess.Popen`, or an IndexError for an empty command.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None, errors: bool = True
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if errors else subprocess.DEVNULL,
            bufsize=0,
            env={**os.environ, **environment} if environment else None,
            start_new_session=True,  # a process group of its own
        )
        self._pipes = _Pipes(self.process)
        self.finalizer = weakref.finalize(self, _kill, self.process, self._pipes)

    # --- lines ------------------------------------------------------------------------------------------

    def send(self, line: bytes) -> None:
        """Start to write a line; what does not fit into the pipe goes out while an answer is awaited."""
        if self.finalizer.alive:
            self._pipes.write(line + b"\n")

    def receive(self, timeout: float) -> bytes:
        """The next line, without its newline.  Bad input: a `NoLineError` that says why there is none."""
        pipes, end = self._pipes, monotonic() + timeout
        while (line := pipes.line()) is None:
            # another process may hold the output of a dead one open; what was written is read first
            if not self.finalizer.alive or pipes.closed or (pipes.idle and _exited(self.process)):
                raise Ended
            if len(pipes.output) > LONGEST:
                raise Endless
            if monotonic() >= end:
                raise TimedOut
            pipes.pump(end)
        return line

    def pending(self) -> bytes:
        """Output that no call has returned yet, as far as it has arrived."""
        return self._pipes.pending() if self.finalizer.alive else bytes(self._pipes.output)

    def error_tail(self) -> bytes:
        """The end of the error output so far."""
        self._pipes.drain_errors()
        return bytes(self._pipes.errors)

    # --- the end ----------------------------------------------------------------------------------------

    def exits(self, seconds: float = GRACE) -> bool:
        """Whether it exits within so many seconds."""
        end, pause = monotonic() + seconds, 0.0005
        while not _exited(self.process):
            if monotonic() >= end:
                return False
            sleep(pause)
            pause = min(2 * pause, 0.02)
        return True

    def exit_code(self) -> int | None:
        """Its exit code, −n if signal n killed it, None while it runs."""
        if self.process.returncode is not None:
            return self.process.returncode
        if (found := _status(self.process.pid)) is None:
            return None
        return found.si_status if found.si_code == os.CLD_EXITED else -found.si_status

    def close(self, farewell: bytes = b"") -> None:
        """Send a last line and the end of its input, then kill what is left after GRACE; never raises."""
        if self.finalizer.alive:
            with suppress(OSError):
                os.write(self._pipes.stdin.fileno(), farewell)
            with suppress(OSError):
                self._pipes.stdin.close()
            self.exits()
        self.kill()

    def kill(self) -> None:
        """Kill and reap it with its whole group, and close the pipes; again does nothing."""
        self.finalizer()


class _Pipes:
    """The pipes of a process: written and read without blocking, in bounded memory."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.stdin, self.stdout = cast("tuple[IO[bytes], IO[bytes]]", (process.stdin, process.stdout))
        self.stderr = process.stderr
        self.waiting = b""  # to be written
        self.output = bytearray()  # read, and not yet returned
        self.searched = 0  # so much of it has no newline
        self.errors = bytearray()
        self.closed = False  # the output ended
        self.idle = False  # the last wait brought nothing
        self.selector = selectors.DefaultSelector()
        os.set_blocking(self.stdin.fileno(), False)
        for pipe in filter(None, (self.stdout, self.stderr)):
            os.set_blocking(pipe.fileno(), False)
            self.selector.register(pipe, selectors.EVENT_READ)

    def write(self, line: bytes) -> None:
        """Write what fits; the rest follows when there is room."""
        self.waiting = line
        self._write()
        if self.waiting:
            self.selector.register(self.stdin, selectors.EVENT_WRITE)

    def _write(self) -> None:
        try:
            self.waiting = self.waiting[os.write(self.stdin.fileno(), self.waiting) :]
        except BlockingIOError:
            return
        except OSError:  # nobody reads any more: the output says more than a broken pipe
            self.waiting = b""

    def line(self) -> bytes | None:
        """The next line, if it is complete."""
        if (end := self.output.find(b"\n", self.searched)) < 0:
            self.searched = len(self.output)
            return None
        line, self.output, self.searched = bytes(self.output[:end]), self.output[end + 1 :], 0
        return line

    def pending(self) -> bytes:
        """Output that is there now."""
        if not self.output and not self.closed:
            self._read_output()
        return bytes(self.output)

    def pump(self, end: float) -> None:
        """Wait until a pipe is ready, and move what can be moved."""
        ready = self.selector.select(max(0.0, min(0.1, end - monotonic())))
        self.idle = not ready
        for key, _ in ready:
            if key.fileobj is self.stdin:
                self._write()
                if not self.waiting:
                    self.selector.unregister(self.stdin)
            elif key.fileobj is self.stdout:
                self._read_output()
            else:
                self._read_errors()

    def _read_output(self) -> None:
        chunk = _read(self.stdout)
        if chunk == b"":
            self.closed = True
            self.selector.unregister(self.stdout)
        self.output += chunk or b""

    def _read_errors(self) -> bool:
        if self.stderr is None:
            return False
        chunk = _read(self.stderr)
        if chunk == b"":
            self.selector.unregister(self.stderr)
        self.errors = (self.errors + (chunk or b""))[-KEPT:]
        return bool(chunk)

    def drain_errors(self) -> None:
        """Read the error output that is there now, up to a bound: the process may never stop writing."""
        with suppress(OSError, ValueError, KeyError):
            for _ in range(64):
                if not self._read_errors():
                    return

    def close(self) -> None:
        self.selector.close()
        for pipe in filter(None, (self.stdin, self.stdout, self.stderr)):
            with suppress(OSError):
                pipe.close()


def _read(pipe: IO[bytes]) -> bytes | None:
    """What is there now: b"" at the end, None if there is nothing yet."""
    try:
        return os.read(pipe.fileno(), CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether it exited. It is not reaped, so that its id, and that of its group, stay its own."""
    return process.returncode is not None or _status(process.pid) is not None


def _status(pid: int) -> os.waitid_result | None:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)


def _kill(process: subprocess.Popen[bytes], pipes: _Pipes) -> None:
    """Kill the process with its group, reap it, close the pipes."""
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    pipes.close()


# --- the other end --------------------------------------------------------------------------------------


def take_stdout() -> IO[str]:
    """In a child: the standard output for answers alone; what else is printed goes to the error output."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers
