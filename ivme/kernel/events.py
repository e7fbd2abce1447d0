"""What rebalancing reports (fig:major_minor): `Minor` for one value, `Major` for a new N.

>>> Minor("R", "A", value=7, heavy=True, moved=3, base=5, update=9).kind
'minor'
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from attrs import frozen


@frozen
class Minor:
    """A value changed its class (MinorRebalance).

    relation   the relation, "R", "S" or "T", and `variable`, "A", "B" or "C", of the value
    heavy      whether the value is heavy now
    moved      the number of tuples that changed part
    base       N
    update     the number of updates so far, the one that caused the step included
    """

    relation: str
    variable: str
    value: Hashable
    heavy: bool
    moved: int
    base: int
    update: int

    @property
    def kind(self) -> Literal["minor"]:
        """Tells the two kinds apart."""
        return "minor"

    @property
    def up(self) -> bool:
        """Whether the value went to the heavy class."""
        return self.heavy


@frozen
class Major:
    """N was doubled or halved, and all partitions are strict again (MajorRebalance).

    grown      whether N was doubled
    moved      the number of tuples that changed part
    base       the new N
    update     the number of updates so far, the one that caused the step included
    """

    grown: bool
    moved: int
    base: int
    update: int

    @property
    def kind(self) -> Literal["major"]:
        """Tells the two kinds apart."""
        return "major"

    @property
    def up(self) -> bool:
        """Whether N went up."""
        return self.grown


Rebalance = Minor | Major
