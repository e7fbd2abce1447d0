"""The storage that an engine runs on: its relations, its views, and how values become handles.

`Rows` keeps everything in dicts and works for every ring, compiled or not; the values are their own handles.
`ivme.kernel.storage.compact.views.InternedRows` is the compact one for integers in the compiled kernel. The
engine's procedures, the plans and the enumeration are the same for both.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, cast

from ivme.kernel.status import LIGHT
from ivme.kernel.storage.dicts import UNWATCHED, DictLine, HeadMap, Line, RelationIndex
from ivme.kernel.storage.trees import KeptTree, SummedTree
from ivme_spec.rings import P


class Bulk(Generic[P]):
    """Stores the tuples of a relation before there are parts and views; everything is light and unwatched.

    Take a relation's tuples with `add`, then call `finish`. A sum of multiplicities must not be zero.
    """

    def __init__(self, relation: RelationIndex[P]) -> None:
        self.relation = relation
        relation.watch_from(UNWATCHED)
        self.count = 0
        """The number of distinct tuples, after `finish`."""

    def add(self, x: Hashable, y: Hashable, multiplicity: P) -> None:
        """Add to the tuple (x, y) of values.  Cost: O(1)."""
        old = self.relation.get(x, y)
        if old is None:
            self.count += 1
            self.relation.add(x, y, LIGHT, LIGHT, multiplicity)
        else:
            self.relation.put(x, y, LIGHT, LIGHT, old + multiplicity)

    def finish(self) -> None:
        """Store what is not stored yet.  Cost: O(the number of tuples)."""


class Rows(Generic[P]):
    """Storage in dicts."""

    def __init__(self) -> None:
        self.steps = 0
        """The steps of the last inner product: of the walk, and one for each common value."""

    def relation(self, i: int, double: bool) -> RelationIndex[P]:
        """An empty relation i."""
        return RelationIndex(double)

    def bulk(self, i: int, relation: RelationIndex[P], distinct: bool) -> Bulk[P]:
        """To load an empty relation i; `distinct` promises that no tuple comes twice."""
        return Bulk(relation)

    def head(self, order: tuple[int, ...]) -> HeadMap[P]:
        """An empty head map."""
        return HeadMap(order)

    def summed(self, first: int) -> SummedTree[P]:
        """An empty summed tree whose first relation is `first`."""
        return SummedTree()

    def kept(self, first: int, by_x: bool, by_z: bool) -> KeptTree:
        """An empty kept tree whose first relation is `first`."""
        return KeptTree(by_x, by_z)

    def handle(self, variable: int, value: Hashable) -> Hashable:
        """The handle of a value, made if it has none.  Cost: O(1)."""
        return value

    def knows(self, variable: int, value: Hashable) -> bool:
        """Whether a value may have tuples; False spares making a handle for it.  Cost: O(1)."""
        return True

    def touch(self, x: Hashable, y: Hashable, partners: bool) -> None:
        """An update of (x, y) is coming: its lines, and its partners, may be fetched ahead.  Cost: O(1)."""

    def forget(self, variable: int, handle: Hashable) -> None:
        """Drop a handle if no tuple has its value.  Cost: O(1)."""

    def value(self, handle: Hashable) -> Hashable:
        """The value of a handle.  Cost: O(1)."""
        return handle

    def length(self, line: Line) -> int:
        """The number of values in a row or column.  Cost: O(1)."""
        return len(cast("DictLine[P]", line))

    def members(self, variable: int, line: Line) -> list[Hashable]:
        """The handles in a row or column, whose values are of a variable.  Cost: O(length)."""
        return list(cast("DictLine[P]", line))

    def common(self, variable: int, row: Line, column: Line) -> list[Hashable]:
        """The handles that are in both.  Cost: O(the smaller one)."""
        return list(cast("DictLine[P]", row).keys() & cast("DictLine[P]", column).keys())

    def has(self, line: Line, handle: Hashable) -> bool:
        """Whether a row or column has a value.  Cost: O(1)."""
        return handle in cast("DictLine[P]", line)

    def expect(self, variable: int, column: Line | None) -> None:
        """Many inner products with this column, whose values are of a variable, are coming; None: no more.

        Nothing may be updated in between.  Cost: O(its length, and that of the last one).
        """

    def dot(self, row: Line, column: Line) -> P | None:
        """Σ row(z) · column(z), None without common z; `steps` tells its cost.  Cost: O(the smaller)."""
        left, right = cast("DictLine[P]", row), cast("DictLine[P]", column)
        common = left.keys() & right.keys()  # walks the smaller one
        self.steps = min(len(left), len(right)) + len(common)
        total: P | None = None
        for z in common:
            product = left[z] * right[z]
            total = product if total is None else total + product
        return total
