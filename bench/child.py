"""The other end of a worker: a session in a process of its own, used like one in this process."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Mapping

from attrs import asdict

from bench.jobs import Job, Reply
from ivme.processes.lines import LineProcess, NoLineError, TimedOut

TIMEOUT = 900.0
"""Seconds that an answer may take."""


class ContenderError(Exception):
    """A contender that failed: an exception, a process that ended, or no answer in time.

    `limit`: it ran out of time or memory, which is a result and not a fault.
    """

    def __init__(self, message: str, limit: bool = False) -> None:
        super().__init__(message)
        self.limit = limit


class Child:
    """A worker process.  Bad input: a `ContenderError` for whatever goes wrong there; it is killed then."""

    def __init__(self, environment: Mapping[str, str] | None = None, timeout: float = TIMEOUT) -> None:
        self.timeout = timeout
        self._child = LineProcess([sys.executable, "-m", "bench.worker"], environment, errors=False)
        self.kernel = str(self._answer().get("kernel"))

    def run(self, operation: str, job: Job, number: int = 1) -> Reply:
        """An operation of the session there."""
        self._child.send(json.dumps({"do": operation, "job": asdict(job), "number": number}).encode())
        answer = self._answer()
        if "error" in answer:
            message = str(answer["error"])
            raise ContenderError(message, message.startswith("MemoryError"))
        return reply(answer)

    def close(self) -> None:
        """Let it end; it has a second."""
        self._child.close()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _answer(self) -> dict[str, object]:
        try:
            line = self._child.receive(self.timeout)
        except TimedOut as error:
            self.close()
            raise ContenderError(f"no answer in {self.timeout:g} s", limit=True) from error
        except NoLineError as error:
            raise self._ended() from error
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer

    def _ended(self) -> ContenderError:
        self._child.exits()
        code = self._child.exit_code()
        self.close()
        killed = code == -signal.SIGKILL  # by the system, which had no more memory
        return ContenderError(
            "its process was killed" if killed else f"its process ended with {code}", killed
        )


def reply(answer: dict[str, object]) -> Reply:
    """The reply that was sent as JSON."""
    match answer:
        case {"seconds": float(seconds), "count": int(count), "answer": str(text), "numbers": dict(numbers)}:
            return Reply(seconds, count, text, {str(key): float(value) for key, value in numbers.items()})
    raise ContenderError(f"not a reply: {answer!r}")
