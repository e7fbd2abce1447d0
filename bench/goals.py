"""What a goal is."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from bench.figures import Figure, Figures

Found = tuple[Figure, str] | None
"""A figure, and where it was found."""
Find = Callable[[Figures], Found]


@frozen
class Target:
    """A goal: a figure should be at least, or at most, a limit."""

    name: str
    least: float | None
    most: float | None
    find: Find


@frozen
class Verdict:
    """A goal and what was found."""

    name: str
    goal: str
    found: str
    verdict: str
    """met, missed, or not measured."""
