"""Engines by name: a command that speaks the protocol, or `module:factory` for one in Python.

A name is plain text, so that a worker process can make the engine itself.
"""

from __future__ import annotations

import inspect
import os
import re
import shlex
import signal
import sys
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from types import FrameType
from typing import TypeVar

from attrs import frozen

from ivme.conformance.process import ProcessEngine
from ivme.conformance.protocol import EngineProblem, EngineUnderTest, Factory
from ivme.formats.traces import Update
from ivme_spec.errors import InputError
from ivme_spec.relations import Row

T = TypeVar("T")

PYTHON = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


class EngineNameError(InputError):
    """An engine that cannot be loaded by its name; the message says why."""


@frozen
class Named:
    """An engine by name.

    text     a command, or "module:factory" for Python; `{free}` and `{epsilon}` in a command are filled in
    epsilon  given to a factory that has a parameter of this name, and to a command that mentions it
    timeout  seconds that each call may take
    """

    text: str
    epsilon: str | None = None
    timeout: float = 10.0

    @property
    def in_python(self) -> bool:
        """Whether it is module:factory."""
        return PYTHON.fullmatch(self.text) is not None

    def factory(self, free: str) -> Factory:
        """The factory of the engine for a head.  Bad input: an `EngineNameError`."""
        if self.in_python:
            return partial(Guarded, python_factory(self.text, free, self.epsilon), self.timeout)
        if self.epsilon is not None and "{epsilon}" not in self.text:
            raise EngineNameError(
                f"the command {self.text!r} does not say where ε goes: write {{epsilon}} in it"
            )
        try:
            words = shlex.split(self.text)
        except ValueError as error:
            raise EngineNameError(f"the command {self.text!r} cannot be split: {error}") from error
        filled = [
            word.replace("{free}", free).replace("{epsilon}", self.epsilon or "{epsilon}") for word in words
        ]
        return partial(ProcessEngine, filled, free, self.timeout)

    def separate(self, free: str) -> Factory:
        """The same engine in Python, in a process of its own."""
        command = [
            sys.executable,
            "-m",
            "ivme.conformance.serve",
            self.text,
            *([self.epsilon] if self.epsilon else []),
        ]
        return partial(ProcessEngine, command, free, self.timeout)


def python_factory(text: str, free: str, epsilon: str | None) -> Factory:
    """The factory module:name, with the head and ε filled in if it has parameters `free` and `epsilon`.

    The current folder is searched too.  Bad input: an `EngineNameError`.
    """
    module, _, name = text.partition(":")
    if (here := os.getcwd()) not in sys.path:
        sys.path.insert(0, here)
    try:
        found: object = import_module(module)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise EngineNameError(f"engine {text!r}: {error}") from error
    except Exception as error:
        raise EngineNameError(
            f"engine {text!r}: its module raised {type(error).__name__}: {error}"
        ) from error
    if not callable(found):
        raise EngineNameError(f"engine {text!r}: {found!r} cannot be called")
    try:
        parameters = set(inspect.signature(found).parameters)
    except (TypeError, ValueError):
        parameters = set()
    given = {"free": free} if "free" in parameters else {}
    if epsilon is not None:
        if "epsilon" not in parameters:
            raise EngineNameError(f"engine {text!r} has no parameter epsilon: leave --epsilon out")
        given["epsilon"] = epsilon
    return partial(found, **given)


class Guarded:
    """An engine in this process: a call that takes too long, or exits Python, is an `EngineProblem`.

    Has only those optional methods that the engine has.
    """

    def __init__(self, factory: Factory, timeout: float) -> None:
        self.timeout = timeout
        self.engine: EngineUnderTest = self._call(factory)
        for name in ("batch", "lookup", "check", "close"):
            if (method := getattr(self.engine, name, None)) is not None:
                setattr(self, name, partial(self._call, method))

    def update(self, relation: str, x: Hashable, y: Hashable, multiplicity: int) -> object:
        """Pass an update on."""
        return self._call(self.engine.update, relation, x, y, multiplicity)

    def rows(self) -> list[tuple[Row, int]]:
        """The whole answer."""
        return self._call(lambda: list(self.engine.rows()))

    def _call(self, action: Callable[..., T], *arguments: object) -> T:
        try:
            with time_limit(self.timeout):
                return action(*arguments)
        except SystemExit as error:
            raise EngineProblem("crash", f"it ended Python with sys.exit({error.code!r})") from error


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise an `EngineProblem` of the kind hang in the block after so many seconds.

    Uses a signal: works in the main thread only, and cannot interrupt C code.
    """

    def over(number: int, frame: FrameType | None) -> None:
        raise EngineProblem("hang", f"no answer in {seconds:g} s")

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)  # repeatedly, for an engine that catches it
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def batches(engine: EngineUnderTest, updates: Iterable[Update]) -> None:
    """Send several updates as a batch if the engine has one, else one by one."""
    if (batch := getattr(engine, "batch", None)) is not None:
        batch(list(updates))
        return
    for update in updates:
        engine.update(*update)
