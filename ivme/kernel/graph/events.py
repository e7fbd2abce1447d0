"""What the graph kernel reports: classes, N, and rows of pairs.

>>> Build("hub", price=120, update=9).kind
'build'
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from attrs import frozen


@frozen
class GraphMinor:
    """A vertex changed its class; `base` is N, `update` the number of updates so far."""

    vertex: Hashable
    heavy: bool
    base: int
    update: int

    @property
    def kind(self) -> Literal["minor"]:
        """Tells the kinds apart."""
        return "minor"


@frozen
class GraphMajor:
    """N was doubled or halved, and all classes are strict again."""

    grown: bool
    base: int
    update: int

    @property
    def kind(self) -> Literal["major"]:
        """Tells the kinds apart."""
        return "major"


@frozen
class Build:
    """The row of pairs of a vertex was built, for its price."""

    vertex: Hashable
    price: int
    update: int

    @property
    def kind(self) -> Literal["build"]:
        """Tells the kinds apart."""
        return "build"


@frozen
class Drop:
    """The row of pairs of a vertex was dropped."""

    vertex: Hashable
    price: int
    update: int

    @property
    def kind(self) -> Literal["drop"]:
        """Tells the kinds apart."""
        return "drop"


GraphEvent = GraphMinor | GraphMajor | Build | Drop
