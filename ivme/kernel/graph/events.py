"""What the graph kernel reports: classes, N, and rows of pairs.

>>> Build("hub", price=120, update=9).kind
'build'
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar, Literal

from attrs import frozen


@frozen
class GraphMinor:
    """A vertex changed its class; `base` is N, `update` the number of updates so far."""

    vertex: Hashable
    heavy: bool
    base: int
    update: int
    kind: ClassVar[Literal["minor"]] = "minor"


@frozen
class GraphMajor:
    """N was doubled or halved, and all classes are strict again."""

    grown: bool
    base: int
    update: int
    kind: ClassVar[Literal["major"]] = "major"


@frozen
class Build:
    """The row of pairs of a vertex was built, for its price."""

    vertex: Hashable
    price: int
    update: int
    kind: ClassVar[Literal["build"]] = "build"


@frozen
class Drop:
    """The row of pairs of a vertex was dropped."""

    vertex: Hashable
    price: int
    update: int
    kind: ClassVar[Literal["drop"]] = "drop"


GraphEvent = GraphMinor | GraphMajor | Build | Drop
