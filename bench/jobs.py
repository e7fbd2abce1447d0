"""What a session is asked for and what it answers: plain values, which a process can send to another."""

from __future__ import annotations

from attrs import field, frozen

from ivme_spec.queries import Query


@frozen
class Job:
    """What is run on what."""

    contender: str
    case: str
    size: int
    free: str = ""
    seed: int = 1
    folder: str = ""

    def __str__(self) -> str:
        return f"{self.contender} on {self.case}, {self.size}, {Query(self.free)}"


@frozen
class Reply:
    """What was measured: CPU seconds for a number of updates or rows, and further numbers."""

    seconds: float = 0.0
    count: int = 0
    answer: str = ""
    numbers: dict[str, float] = field(factory=dict)
