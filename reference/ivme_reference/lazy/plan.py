"""What built rows cover, as a table: the plan of lazy views.

An update of (x,y) in relation i meets the z-values of the row of y in relation i+1 and of the column of x in
relation i+2. Known at once is where four things stand, the *code*: x and y in relation i, y in the first
column of relation i+1, x in the second of relation i+2. Open are the *buckets*: where z stands in the second
column of relation i+1 and in the first of relation i+2. Each of the three trees may cover a bucket, if a row
of its own is built, which is another value's for each:

    tree i     owner x   upkeep forward     y in the middle, z at the end
    tree i+1   owner y   closed by (x,y)    z in the middle, x at the end
    tree i+2   owner z   upkeep backward    x in the middle, y at the end

Listed is what no built row of a kept tree covers, and no built row that the update closes: a summed tree
saves work only there.

>>> from ivme_spec.views import TERNARY
>>> covers_of(TERNARY)[0][code(False, False, False, False)]
Covers(every=3, x=3, y=1, z=3)
"""

from __future__ import annotations

from itertools import product

from attrs import frozen

from ivme_spec.lazy import Shape, shapes
from ivme_spec.relations import RELATIONS
from ivme_spec.views import Decomposition

Mask = int
"""A set of buckets; the bucket (row second, column first) has the bit 1 << 2·second + first."""


def code(first: bool, second: bool, row_first: bool, column_second: bool) -> int:
    """The index of what is known: True is heavy. The same as that of the kernel's plans."""
    return first * 8 + second * 4 + row_first * 2 + column_second


def bucket(row_second: bool, column_first: bool) -> Mask:
    """The bit of a bucket."""
    return 1 << 2 * row_second + column_first


@frozen
class Covers:
    """The buckets that there are; and of these what is not listed while the row of x, y or z is built."""

    every: Mask
    x: Mask
    y: Mask
    z: Mask

    def listed(self, x_is_built: bool, y_is_built: bool) -> Mask:
        """What is listed for the z that are not built; those that are, without `self.z`."""
        return self.every & ~(self.x if x_is_built else 0) & ~(self.y if y_is_built else 0)


def covers_of(decomposition: Decomposition) -> tuple[tuple[Covers, ...], ...]:
    """By relation and code."""
    trees = shapes(decomposition)
    return tuple(
        tuple(_covers(i, trees, decomposition, *known) for known in product((False, True), repeat=4))
        for i in range(3)
    )


def _covers(
    i: int,
    trees: tuple[Shape, Shape, Shape],
    decomposition: Decomposition,
    first: bool,
    second: bool,
    row_first: bool,
    column_second: bool,
) -> Covers:
    of_x, of_y, of_z = trees[i], trees[(i + 1) % 3], trees[(i + 2) % 3]
    seconds = (False, True) if RELATIONS[(i + 1) % 3] in decomposition.double else (False,)
    every = x = y = z = 0
    for row_second, column_first in product(seconds, (False, True)):
        bit = bucket(row_second, column_first)
        every |= bit
        if of_x.kept and fits(of_x, second, row_first, row_second):
            x |= bit
        if fits(of_y, row_second, column_first, column_second):
            y |= bit
        if of_z.kept and fits(of_z, column_second, first, second):
            z |= bit
    return Covers(every, x, y, z)


def fits(shape: Shape, middle_second: bool, middle_first: bool, end_second: bool) -> bool:
    """Whether a tree's middle and end stand in the parts of its superscript.

    The middle in the second column of the tree's first relation and in the first column of its second, the
    end in the second column of that.
    """
    return not middle_first and not (shape.middle and middle_second) and (end_second or not shape.end)
