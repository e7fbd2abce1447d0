"""What the storage of a graph must do. The algorithm in `engine` is written against this interface.

A vertex is a small positive integer, its *id*; 0 is no vertex. The neighbours of x stand in rows: in an
undirected graph row x, in a directed one row 2x (successors) and row 2x + 1 (predecessors). A vertex has two
bits, heavy and built, an explicit number of triangles if those are tracked, and if it is built a row of pairs
V(x,z) for heavy z.

`sets` is the storage of the pure kernel, `arena` that of the compiled one.

>>> from ivme.kernel.graph.sets import SetGraph
>>> storage = SetGraph(directed=False, tracked=False)
>>> x, y, z = (storage.vertex(name) for name in ("ada", "bob", "eve"))
>>> for one, other in ((x, z), (z, x), (y, z), (z, y)):
...     storage.add(one, other)
>>> storage.common(x, y), storage.length(z), storage.value(z)
(1, 2, 'eve')
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64


class GraphStorage(ABC):
    """Vertices by value, rows of neighbours, bits, and rows of pairs.

    `heavy_matches` and `built_matches` tell how many of the last `bump_common` were heavy and built, if any
    vertex is built. `degree_x`, `degree_y`, `scan` and `both_heavy` are what the last `look` saw.
    """

    def __init__(self, directed: bool, tracked: bool) -> None:
        self.stride: i64 = 2 if directed else 1
        self.tracked = tracked
        self.heavy_matches: i64 = 0
        self.built_matches: i64 = 0
        self.degree_x: i64 = 0
        self.degree_y: i64 = 0
        self.scan: i64 = 0
        self.both_heavy = False
        self.tail: i64 = 0
        self.head: i64 = 0

    # --- vertices -------------------------------------------------------------------------------------------

    @abstractmethod
    def find(self, value: Hashable) -> i64:
        """The id of a value, 0 if it has none.  Cost: O(1)."""

    @abstractmethod
    def vertex(self, value: Hashable) -> i64:
        """The id of a value, made if it has none.  Cost: amortized O(1)."""

    @abstractmethod
    def forget(self, x: i64) -> None:
        """Free an id without neighbours.  Cost: amortized O(1)."""

    @abstractmethod
    def value(self, x: i64) -> Hashable:
        """The value of an id.  Cost: O(1)."""

    @abstractmethod
    def arrival(self, x: i64) -> i64:
        """When the vertex came, in the order of arrivals.  Cost: O(1)."""

    @abstractmethod
    def vertex_count(self) -> int:
        """The number of vertices.  Cost: O(1)."""

    @abstractmethod
    def vertices(self) -> list[int]:
        """All ids.  Cost: O(their number)."""

    @abstractmethod
    def take_block(self, us: object, vs: object, signs: object) -> i64:
        """Take the ends and the signs of many edges, as sequences of 64-bit integers; how many there are.

        A sign is 1 or −1; None for the signs means 1.  Cost: O(their number).
        """

    @abstractmethod
    def block_edge(self, at: i64) -> i64:
        """The sign of an edge of the block; its ends are left in `tail` and `head`, made if they have no id.

        Cost: amortized O(1).
        """

    # --- rows -----------------------------------------------------------------------------------------------

    @abstractmethod
    def length(self, row: i64) -> i64:
        """The number of neighbours in a row.  Cost: O(1)."""

    @abstractmethod
    def has(self, row: i64, y: i64) -> bool:
        """Whether a row has a neighbour.  Cost: O(1)."""

    @abstractmethod
    def look(self, x: i64, y: i64) -> bool:
        """Whether x → y is an arc. What an update needs to know of it, stored or not, is left behind:

        the degrees of x and y, the length of the shorter of the rows that a triangle with it is looked up in,
        successors of y and predecessors of x, and whether both are heavy.  Cost: O(1).
        """

    @abstractmethod
    def add(self, row: i64, y: i64) -> None:
        """Add a neighbour that is not there.  Cost: amortized O(1)."""

    @abstractmethod
    def remove(self, row: i64, y: i64) -> None:
        """Remove a neighbour that is there.  Cost: amortized O(1)."""

    @abstractmethod
    def members(self, row: i64) -> list[int]:
        """A copy of a row.  Cost: O(its length)."""

    @abstractmethod
    def built_members(self, row: i64) -> list[int]:
        """The built vertices of a row.  Cost: O(its length)."""

    @abstractmethod
    def heavy_in(self, row: i64) -> i64:
        """The number of heavy vertices of a row.  Cost: O(its length)."""

    @abstractmethod
    def light_total(self, row: i64) -> i64:
        """Σ |row of successors of w| over the light vertices w of a row.  Cost: O(its length)."""

    @abstractmethod
    def common(self, one: i64, other: i64) -> i64:
        """The number of vertices in both rows.  Cost: O(the shorter row)."""

    @abstractmethod
    def matches(self, one: i64, other: i64) -> list[int]:
        """The vertices in both rows.  Cost: O(the shorter row)."""

    @abstractmethod
    def bump_common(self, one: i64, other: i64, sign: i64) -> i64:
        """Add to the explicit triangles of each vertex in both rows; how many.  Cost: O(the shorter row)."""

    @abstractmethod
    def count_up(self) -> i64:
        """All triangles of an undirected graph; each vertex that is tracked has 0 before, and then its own.

        Each edge points from the smaller degree to the larger one, by ids where they are equal, so that no
        vertex has more than √(2m) successors. `scan` is the number of successors of successors.
        Cost: O(m + `scan`) = O(m^{3/2}).
        """

    # --- bits and triangles ---------------------------------------------------------------------------------

    @abstractmethod
    def is_heavy(self, x: i64) -> bool:
        """Whether a vertex is heavy.  Cost: O(1)."""

    @abstractmethod
    def is_built(self, x: i64) -> bool:
        """Whether a vertex has a row of pairs.  Cost: O(1)."""

    @abstractmethod
    def set_heavy(self, x: i64, heavy: bool) -> None:
        """Set the bit.  Cost: O(1)."""

    @abstractmethod
    def explicit(self, x: i64) -> i64:
        """The explicit number of triangles of a vertex.  Cost: O(1)."""

    @abstractmethod
    def bump(self, x: i64, by: i64) -> None:
        """Add to the explicit number of triangles of a vertex.  Cost: O(1)."""

    # --- rows of pairs --------------------------------------------------------------------------------------

    @abstractmethod
    def open_pairs(self, u: i64) -> None:
        """Make u built, with V(u,z) = #{w light: u → w → z} for heavy z ≠ u.

        Cost: O(|row of u| + `light_total`).
        """

    @abstractmethod
    def close_pairs(self, u: i64) -> None:
        """Make u not built.  Cost: O(its pairs), to free their memory."""

    @abstractmethod
    def pair(self, u: i64, z: i64) -> i64:
        """V(u,z) of a built u.  Cost: O(1)."""

    @abstractmethod
    def add_pair(self, u: i64, z: i64, sign: i64) -> None:
        """Add to V(u,z) of a built u.  Cost: amortized O(1)."""

    @abstractmethod
    def join_pairs(self, u: i64, w: i64, sign: i64) -> i64:
        """Add to V(u,z) of a built u for each heavy successor z ≠ u of w; how many.  Cost: O(|row of w|)."""

    @abstractmethod
    def pairs(self, u: i64) -> dict[int, int]:
        """A copy of the pairs of a built u.  Cost: O(their number)."""

    @abstractmethod
    def damage(self) -> str:
        """What is inconsistent within the storage, "" if nothing is.  Cost: O(its size)."""
