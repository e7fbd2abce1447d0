"""Engines in other languages: a process that speaks JSON lines on its standard input and output.

The protocol is a page: spec/PROTOCOL.md. One process is one engine over one database, so the kit starts a new
one for each example:

    run(partial(ProcessEngine, "node my-engine.js", "AB"), free="AB")

Invariant: whatever the process does, a call ends within its time limit, and what went wrong is an
`EngineProblem` of the kind "cannot be started", "crash", "hang" or "garbage". Nothing blocks: all three pipes
are waited for together, and after the first problem the process and all that it started is killed.
"""

from __future__ import annotations

import json
import os
import selectors
import shlex
import signal
import subprocess
import weakref
from collections.abc import Hashable, Iterable, Sequence
from contextlib import suppress
from time import monotonic, sleep
from typing import IO, cast

from ivme.conformance.protocol import EngineProblem
from ivme.formats.sealed import LONGEST_LINE
from ivme.formats.traces import Update, decode_answer, encode_update
from ivme_spec.errors import InputError, RefusedUpdateError
from ivme_spec.queries import head
from ivme_spec.relations import RelationName, Row

VERSION = 1
CHUNK = 65536
STDERR_KEPT = 8192  # bytes, of the end of the error output
STDERR_SHOWN = 15  # lines of it, in a report
SHOWN = 200  # characters of a line, in a report
GRACE = 1.0  # seconds that a process has to end when it was asked to, or has closed its output
HINT = " (does it flush its output after each line?)"


class ProcessEngine:
    """A process as an engine under test; it starts at once.

    command  what to start: a list of arguments, or a string that is split as a shell would (no shell runs it)
    free     the head that the engine is asked to maintain
    timeout  seconds that each answer may take, the first one included

    Cost: a round trip for each call.  Bad input: an `EngineProblem` if it cannot be started.
    """

    def __init__(self, command: str | Sequence[str], free: str = "", timeout: float = 10.0) -> None:
        self.free = head(free)
        self.timeout = timeout
        self.command = shlex.split(command) if isinstance(command, str) else list(command)
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # a process group of its own, to be killed as a whole
            )
        except (OSError, ValueError, IndexError) as error:
            shown = shlex.join(self.command)
            raise EngineProblem("cannot be started", f"{shown or 'the empty command'}: {error}") from error
        self._problem: EngineProblem | None = None
        self._pipes = _Pipes(self._process)
        self._kill = weakref.finalize(self, _kill, self._process, self._pipes)
        answer = self._ask({"open": {"free": self.free, "version": VERSION}})
        if isinstance(why := answer.get("refused"), str):
            raise self._fail("cannot be started", f"it refused to open {self.free!r}: {why}")
        self._accepted(answer)

    # --- the kit's protocol -----------------------------------------------------------------------------

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        """Send one update.  Bad input: a `RefusedUpdateError` if the engine refuses it."""
        self._accepted(self._ask({"update": encode_update((relation, x, y, multiplicity))}))

    def batch(self, updates: Iterable[Update]) -> None:
        """Send several updates as one.  Bad input: a `RefusedUpdateError` if the engine refuses them."""
        self._accepted(self._ask({"batch": [encode_update(update) for update in updates]}))

    def rows(self) -> list[tuple[Row, int]]:
        """Ask for the whole answer."""
        answer = self._ask({"query": True})
        try:
            return decode_answer(answer.get("rows"))
        except InputError as error:
            raise self._fail("garbage", f"it answered a query with {_shown(answer)}: {error}") from error

    def close(self) -> None:
        """Ask the process to end, and end it if it does not; never raises.  Cost: at most `GRACE` seconds."""
        if self._kill.alive and self._problem is None:
            with suppress(OSError):
                os.write(self._pipes.stdin.fileno(), b'{"close": true}\n')
            with suppress(OSError):
                self._pipes.stdin.close()
            _ended(self._process, GRACE)
        self._kill()

    # --- asking and answering ---------------------------------------------------------------------------

    def _accepted(self, answer: dict[str, object]) -> None:
        if isinstance(why := answer.get("refused"), str):
            raise RefusedUpdateError(why or "refused without a reason")
        if answer.get("ok") is not True:
            raise self._fail("garbage", f'it answered {_shown(answer)}, not {{"ok": true}}')

    def _ask(self, request: dict[str, object]) -> dict[str, object]:
        """Write a line and read a line; anything that prevents it is a problem, and the end."""
        if self._problem is not None:
            raise self._problem
        if not self._kill.alive:
            raise EngineProblem("crash", "it was closed")
        pipes, end = self._pipes, monotonic() + self.timeout
        asked = json.dumps(request)
        self._silent()
        pipes.write(asked.encode() + b"\n")
        while (line := pipes.line()) is None:
            # it may also be gone though somebody holds its output open; what it wrote is read first
            if pipes.closed or (pipes.idle and _exited(self._process)):
                raise self._fail(*self._ending(asked))
            if len(pipes.output) > LONGEST_LINE:
                raise self._fail("garbage", f"it answered {_shown(asked)} with an endless line")
            if monotonic() >= end:
                raise self._fail("hang", f"no answer to {_shown(asked)} in {self.timeout:g} s{HINT}")
            pipes.pump(end)
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._fail("garbage", f"it answered with what is not JSON: {_shown(line)}") from error
        if not isinstance(answer, dict):
            raise self._fail("garbage", f"it answered with what is not a JSON object: {_shown(line)}")
        self._silent()
        return answer

    def _silent(self) -> None:
        """Nothing is written unless asked. What comes later than this look is taken for the next answer."""
        if self._pipes.unasked():
            written = _shown(self._pipes.output)
            raise self._fail("garbage", f"it wrote more than one line for an answer: {written}")

    def _ending(self, asked: str) -> tuple[str, str]:
        """What to call it that no answer to a request will come."""
        if not _ended(self._process, GRACE):
            return "garbage", f"it closed its output and stayed, asked {_shown(asked)}"
        rest = f" after the unfinished line {_shown(self._pipes.output)}" if self._pipes.output else ""
        return "crash", f"{_exit(self._process)}{rest}, asked {_shown(asked)}"

    def _fail(self, kind: str, detail: str) -> EngineProblem:
        """The problem, with the end of the error output; the process is no more."""
        self._pipes.drain_errors()
        self._kill()
        if errors := self._pipes.errors.decode(errors="replace").splitlines()[-STDERR_SHOWN:]:
            detail += "\nthe end of its error output:\n" + "\n".join(f"    {_shown(line)}" for line in errors)
        self._problem = EngineProblem(kind, detail)
        return self._problem


class _Pipes:
    """The three pipes of a process: written and read without blocking, with bounded memory."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        pipes = process.stdin, process.stdout, process.stderr
        self.stdin, self.stdout, self.stderr = cast("tuple[IO[bytes], IO[bytes], IO[bytes]]", pipes)
        self.waiting = b""  # to be written
        self.output = bytearray()  # read, and not yet an answer
        self.searched = 0  # so much of it has no newline
        self.errors = bytearray()  # the end of the error output
        self.closed = False  # the output ended
        self.idle = False  # the last wait brought nothing
        self.selector = selectors.DefaultSelector()
        for pipe in (self.stdin, self.stdout, self.stderr):
            os.set_blocking(pipe.fileno(), False)
        self.selector.register(self.stdout, selectors.EVENT_READ)
        self.selector.register(self.stderr, selectors.EVENT_READ)

    def write(self, line: bytes) -> None:
        """Write what fits; the rest goes when there is room."""
        self.waiting = line
        self._write()
        if self.waiting:
            self.selector.register(self.stdin, selectors.EVENT_WRITE)

    def _write(self) -> None:
        try:
            self.waiting = self.waiting[os.write(self.stdin.fileno(), self.waiting) :]
        except BlockingIOError:
            return
        except OSError:  # nobody reads any more: the output will tell more than the broken pipe
            self.waiting = b""

    def line(self) -> bytes | None:
        """The next line, if it is complete."""
        if (end := self.output.find(b"\n", self.searched)) < 0:
            self.searched = len(self.output)
            return None
        line, self.output, self.searched = bytes(self.output[:end]), self.output[end + 1 :], 0
        return line

    def unasked(self) -> bool:
        """Whether there is output already, before a question."""
        if not self.output and not self.closed:
            self._read_output()
        return bool(self.output)

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
        chunk = _read(self.stderr)
        if chunk == b"":
            self.selector.unregister(self.stderr)
        self.errors = (self.errors + (chunk or b""))[-STDERR_KEPT:]
        return bool(chunk)

    def drain_errors(self) -> None:
        """Read what error output there is now, up to a bound: the process may never stop writing it."""
        with suppress(OSError, ValueError, KeyError):
            for _ in range(64):
                if not self._read_errors():
                    return

    def close(self) -> None:
        for closable in (self.selector, self.stdin, self.stdout, self.stderr):
            with suppress(OSError):
                closable.close()


def _read(pipe: IO[bytes]) -> bytes | None:
    """What is there now: nothing at its end, None if there is nothing yet."""
    try:
        return os.read(pipe.fileno(), CHUNK)
    except BlockingIOError:
        return None
    except OSError:
        return b""


def _exited(process: subprocess.Popen[bytes]) -> bool:
    """Whether it ended. It is left unreaped, so that its id, and that of its group, stay its own."""
    return process.returncode is not None or _status(process.pid) is not None


def _status(pid: int) -> os.waitid_result | None:
    return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT | os.WNOHANG)


def _ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether it ends within so many seconds."""
    end, pause = monotonic() + seconds, 0.0005
    while not _exited(process):
        if monotonic() >= end:
            return False
        sleep(pause)
        pause = min(2 * pause, 0.02)
    return True


def _exit(process: subprocess.Popen[bytes]) -> str:
    """How a process that ended did."""
    if (found := _status(process.pid)) is None:
        return "it ended"
    if found.si_code == os.CLD_EXITED:
        return f"it ended with exit code {found.si_status}"
    name = signal.strsignal(found.si_status) or "an unknown signal"
    return f"it was ended by signal {found.si_status} ({name.lower()})"


def _kill(process: subprocess.Popen[bytes], pipes: _Pipes) -> None:
    """End the process and all of its group, reap it, close the pipes."""
    if process.returncode is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    pipes.close()


def _shown(given: object) -> str:
    """Anything as a short piece of a report."""
    if isinstance(given, bytes | bytearray):
        given = bytes(given[: 4 * SHOWN]).decode(errors="replace")
    text = (given if isinstance(given, str) else json.dumps(given)).strip("\r\n")
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
