"""What views and graphs report: changes of the answer, rebalancing events, counted costs."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, Literal

from attrs import frozen

from ivme.kernel.events import Major, Minor, Rebalance
from ivme_spec.relations import Row
from ivme_spec.rings import P

__all__ = ["Change", "Costs", "GraphChange", "Major", "Minor", "Rebalance"]

Triangle = tuple[Hashable, Hashable, Hashable]


@frozen
class Change(Generic[P]):
    """A row of the answer whose multiplicity an update changed.

    Changes come in the order of the updates, as from a SUBSCRIBE: all of one update together, with its number
    as their timestamp, and rows that leave the answer before the others.

    update     the number of updates so far, the one that caused the change included
    row        a value for each free variable
    old, new   its multiplicity before and after the update; zero: the row is not in the answer
    """

    update: int
    row: Row
    old: P
    new: P

    @property
    def diff(self) -> P:
        """new − old."""
        return self.new + -self.old


@frozen
class GraphChange:
    """An edge that came into a graph or left it, and the triangles that appeared or vanished with it.

    update     the number of changes of the graph so far, this one included
    edge       (u, v), as the update gave it
    sign       1: the edge came; −1: it left
    triangles  those with this edge, each with its vertices in the order of `GraphTriangles.triangles()`
    """

    update: int
    edge: tuple[Hashable, Hashable]
    sign: Literal[1, -1]
    triangles: tuple[Triangle, ...]

    @property
    def appeared(self) -> tuple[Triangle, ...]:
        """The triangles that were not there before."""
        return self.triangles if self.sign > 0 else ()

    @property
    def vanished(self) -> tuple[Triangle, ...]:
        """The triangles that are not there any more."""
        return self.triangles if self.sign < 0 else ()


@frozen
class Costs:
    """Counted steps of the RAM model (sec:computational_model), since the view was made.

    A step is a lookup, the insert or delete of an entry, or one step of an iterator. `updates`, `minor`,
    `major` and `preprocessing` are sums of steps, `enumeration` those of all enumerations and lookups. The
    `largest_…` fields are the most that one ApplyUpdate, one rebalancing, and one gap of an enumeration or
    one lookup took; the `…_count` fields count how often.
    """

    updates: int = 0
    minor: int = 0
    major: int = 0
    preprocessing: int = 0
    enumeration: int = 0
    largest_update: int = 0
    largest_minor: int = 0
    largest_major: int = 0
    largest_delay: int = 0
    update_count: int = 0
    minor_count: int = 0
    major_count: int = 0

    @property
    def maintenance(self) -> int:
        """All steps that the updates caused, rebalancing included."""
        return self.updates + self.minor + self.major
