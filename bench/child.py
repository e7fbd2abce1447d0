"""The other end of a worker: a session in a process of its own, used like one in this process."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from time import monotonic

from attrs import asdict

from bench.session import Job, Reply

TIMEOUT = 900.0
"""Seconds that an answer may take."""


class ContenderError(Exception):
    """A contender that failed: an exception, a process that ended, or no answer in time.

    `limit` tells that it ran out of time or memory, which is a result and not a fault.
    """

    def __init__(self, message: str, limit: bool = False) -> None:
        super().__init__(message)
        self.limit = limit


class Child:
    """A worker process.  Bad input: a `ContenderError` for whatever goes wrong there, and it is ended."""

    def __init__(self, environment: Mapping[str, str] | None = None, timeout: float = TIMEOUT) -> None:
        self._timeout = timeout
        self._rest = b""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})},
            bufsize=0,
        )
        self.kernel = str(self._answer().get("kernel"))

    def run(self, operation: str, job: Job, number: int = 1) -> Reply:
        """An operation of the session there."""
        assert self._process.stdin is not None
        line = json.dumps({"do": operation, "job": asdict(job), "number": number})
        try:
            self._process.stdin.write(line.encode() + b"\n")
        except OSError as error:
            raise self._ended() from error
        answer = self._answer()
        if "error" in answer:
            message = str(answer["error"])
            raise ContenderError(message, message.startswith("MemoryError"))
        return reply(answer)

    def close(self) -> None:
        """Let it end; it has a second."""
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _answer(self) -> dict[str, object]:
        assert self._process.stdout is not None
        end = monotonic() + self._timeout
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(max(0.0, end - monotonic())):
                    self.close()
                    raise ContenderError(f"no answer in {self._timeout:g} s", limit=True)
                if not (piece := os.read(self._process.stdout.fileno(), 1 << 16)):
                    raise self._ended()
                self._rest += piece
        line, self._rest = self._rest.split(b"\n", 1)
        answer = json.loads(line)
        assert isinstance(answer, dict)
        return answer

    def _ended(self) -> ContenderError:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        code = self._process.poll()
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
