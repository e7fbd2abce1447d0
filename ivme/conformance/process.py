"""Engines in other languages: a process that speaks JSON lines on its standard input and output.

The protocol is a page: spec/PROTOCOL.md. One process is one engine over one database, so the kit starts a new
one for each example:

    run(partial(ProcessEngine, "node my-engine.js", "AB"), free="AB")

Invariant: whatever the process does, a call ends within its time limit, and what went wrong is an
`EngineProblem` of the kind "cannot be started", "crash", "hang" or "garbage". After the first problem the
process is killed, with all that it started (`ivme.processes.lines`).
"""

from __future__ import annotations

import json
import shlex
import signal
from collections.abc import Hashable, Iterable, Sequence

from ivme.conformance.protocol import EngineProblem
from ivme.formats.traces import Update, decode_answer, encode_update
from ivme.processes.lines import Ended, Endless, LineProcess, TimedOut
from ivme_spec.errors import InputError, RefusedUpdateError
from ivme_spec.queries import head
from ivme_spec.relations import RelationName, Row

VERSION = 1
STDERR_SHOWN = 15  # lines of the end of the error output, in a report
SHOWN = 200  # characters of a line, in a report
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
        self._problem: EngineProblem | None = None
        try:
            self._child = LineProcess(self.command)
        except (OSError, ValueError, IndexError) as error:
            shown = shlex.join(self.command)
            raise EngineProblem("cannot be started", f"{shown or 'the empty command'}: {error}") from error
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
        """Ask the process to end, and kill it if it does not; never raises.  Cost: at most a second."""
        self._child.close(b'{"close": true}\n')

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
        if not self._child.finalizer.alive:
            raise EngineProblem("crash", "it was closed")
        asked = json.dumps(request)
        self._silent()
        self._child.send(asked.encode())
        try:
            line = self._child.receive(self.timeout)
        except TimedOut as error:
            detail = f"no answer to {_shown(asked)} in {self.timeout:g} s{HINT}"
            raise self._fail("hang", detail) from error
        except Endless as error:
            raise self._fail("garbage", f"it answered {_shown(asked)} with an endless line") from error
        except Ended as error:
            raise self._fail(*self._ending(asked)) from error
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise self._fail("garbage", f"it answered with what is not JSON: {_shown(line)}") from error
        if not isinstance(answer, dict):
            raise self._fail("garbage", f"it answered with what is not a JSON object: {_shown(line)}")
        self._silent()
        return answer

    def _silent(self) -> None:
        """Nothing is written unless asked. Output that arrives later is taken for the next answer."""
        if written := self._child.pending():
            raise self._fail("garbage", f"it wrote more than one line for an answer: {_shown(written)}")

    def _ending(self, asked: str) -> tuple[str, str]:
        """The kind and detail of the problem that no answer will come."""
        if not self._child.exits():
            return "garbage", f"it closed its output and stayed, asked {_shown(asked)}"
        written = self._child.pending()
        rest = f" after the unfinished line {_shown(written)}" if written else ""
        return "crash", f"{_exit(self._child.exit_code())}{rest}, asked {_shown(asked)}"

    def _fail(self, kind: str, detail: str) -> EngineProblem:
        """The problem, with the end of the error output; kills the process."""
        errors = self._child.error_tail().decode(errors="replace").splitlines()[-STDERR_SHOWN:]
        self._child.kill()
        if errors:
            detail += "\nthe end of its error output:\n" + "\n".join(f"    {_shown(line)}" for line in errors)
        self._problem = EngineProblem(kind, detail)
        return self._problem


def _exit(code: int | None) -> str:
    """How a process exited, in words."""
    if code is None:
        return "it ended"
    if code >= 0:
        return f"it ended with exit code {code}"
    name = signal.strsignal(-code) or "an unknown signal"
    return f"it was ended by signal {-code} ({name.lower()})"


def _shown(given: object) -> str:
    """Anything as a short piece of a report."""
    if isinstance(given, bytes):
        given = given[: 4 * SHOWN].decode(errors="replace")
    text = (given if isinstance(given, str) else json.dumps(given)).strip("\r\n")
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
