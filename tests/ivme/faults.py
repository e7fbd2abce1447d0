"""Data values and ring elements that raise at a chosen call of their own code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ivme import Ring
from ivme_spec.rings import integer


class Fault(Exception):
    """Raised by the user's code."""


class Trap:
    """Counts calls of user code, and acts at one of them."""

    def __init__(self) -> None:
        self.calls = 0
        self.at = -1
        self.act: Callable[[], object] = self.fail

    def fail(self) -> None:
        raise Fault(f"at call {self.calls}")

    def arm(self, at: int, act: Callable[[], object] | None = None) -> None:
        """Act at the call number `at` from now on, from 1."""
        self.calls, self.at = 0, at
        if act is not None:
            self.act = act

    def disarm(self) -> None:
        self.at = -1

    def tick(self) -> None:
        self.calls += 1
        if self.calls == self.at:
            self.act()


class Key:
    """A data value, equal to every key of the same number; few hashes, so that __eq__ is called often."""

    def __init__(self, number: int, trap: Trap) -> None:
        self.number = number
        self.trap = trap

    def __hash__(self) -> int:
        self.trap.tick()
        return self.number % 3

    def __eq__(self, other: object) -> bool:
        self.trap.tick()
        return isinstance(other, Key) and self.number == other.number

    def __repr__(self) -> str:
        return f"k{self.number}"


class Payload:
    """A ring element: an integer whose arithmetic can raise."""

    def __init__(self, value: int, trap: Trap) -> None:
        self.value = value
        self.trap = trap

    def __add__(self, other: Payload) -> Payload:
        self.trap.tick()
        return Payload(self.value + other.value, self.trap)

    def __mul__(self, other: Payload) -> Payload:
        self.trap.tick()
        return Payload(self.value * other.value, self.trap)

    def __neg__(self) -> Payload:
        self.trap.tick()
        return Payload(-self.value, self.trap)

    def __bool__(self) -> bool:
        self.trap.tick()
        return self.value != 0

    def __repr__(self) -> str:
        return f"{self.value}"


def payloads(trap: Trap) -> Ring[Any]:
    """The ring ℤ of such elements."""
    return Ring(
        "trapped",
        Payload(0, trap),
        Payload(1, trap),
        lambda m: m if isinstance(m, Payload) else Payload(integer(m), trap),
    )
