"""What a storage must do. The engine, the plans and the enumeration are written against this interface.

Paper: sec:computational_model asks for constant-time lookup, insert and delete, constant-delay enumeration,
and the size in constant time, for relations and for their indexes.

A value has an *id*, a small positive integer, for as long as a tuple has it; 0 is no id. The three variables
share them. The entries of a value stand in *lines*: its row by the status of the other value, its column
likewise. A line has no object of its own: the value, the column in which it stands and the status name it.
`dicts` works for every ring; `compact` is for integers in the compiled kernel, in one arena.

Whether x is heavy is one bit of x, so no part of a relation needs a copy of its own. Rows are split only by
the status of the second column and columns only by the status of the first. Every part and the whole relation
is then reachable in O(1), each tuple is stored exactly twice, and degrees are lengths of rows.

>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> storage = DictStorage()
>>> relation = storage.relation(0, partitioned=1)
>>> x, y = storage.handle(0, "x"), storage.handle(1, "y")
>>> relation.add(x, y, LIGHT, LIGHT, 3)
>>> relation.length(0, x, LIGHT), relation.get(x, y), relation.degree(0, x)
(1, 3, 1)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Final, Generic

from ivme.kernel.parts import LIGHT as LIGHT
from ivme.kernel.plan import TreePlan
from ivme_spec.relations import Row
from ivme_spec.rings import P

if TYPE_CHECKING:
    from mypy_extensions import i64

UNWATCHED: Final = (1 << 31) - 1
"""Exceeds any degree: watches nothing."""


AHEAD: Final = 16
"""Of so many updates the lines are loaded together."""


class StoredRelation(ABC, Generic[P]):
    """A relation with its partition, indexed from both sides.

    Values of a partitioned column are *watched* from degree `watch` on, which is less than any heavy value
    has, so that a major rebalance finds those that change class without scanning the others.
    """

    def __init__(self, partitioned: int) -> None:
        self.partitioned = partitioned
        """How many columns are partitioned: the first, or both; 0 in a plan without parts."""
        self.watch = 1 if partitioned else UNWATCHED

    @property
    def double(self) -> bool:
        """Whether both columns are partitioned."""
        return self.partitioned == 2

    @abstractmethod
    def status(self, column: i64, value: i64) -> i64:
        """Whether a value of a column is heavy.  Cost: O(1)."""

    @abstractmethod
    def mark(self, column: i64, value: i64, status: i64) -> None:
        """Set a value's bit; its tuples are not touched.  Cost: O(1)."""

    @abstractmethod
    def length(self, column: i64, value: i64, other: i64) -> i64:
        """The length of a line: how many tuples with a value in a column have another value of a status.

        Cost: O(1).
        """

    @abstractmethod
    def members(self, column: i64, value: i64, other: i64) -> list[int]:
        """The other values of a line.  Cost: O(length)."""

    @abstractmethod
    def get(self, x: i64, y: i64) -> P | None:
        """The multiplicity of (x, y), or None.  Cost: O(1)."""

    @abstractmethod
    def degree(self, column: i64, value: i64) -> int:
        """The number of tuples with a value in a column.  Cost: O(1)."""

    @abstractmethod
    def due(self, column: i64, value: i64, heavy: int, light: int) -> int:
        """The class that a value must move to, −1 if it may stay.  Cost: O(1).

        `heavy` and `light` are those of the threshold: ⌈½θ⌉ and ⌈³⁄₂θ⌉.
        """

    @abstractmethod
    def values_due(self, column: int, strict: int) -> list[int]:
        """The watched values whose class differs in a strict partition.  Cost: O(`watching`)."""

    @abstractmethod
    def watching(self, column: int) -> int:
        """The number of watched values.  Cost: O(1)."""

    @abstractmethod
    def watch_from(self, least: int) -> int:
        """Watch the values of degree `least` and more from now on; the number of values examined.

        Cost: O(those watched so far), and O(all values) if `least` falls.
        """

    @abstractmethod
    def values(self, column: int) -> list[int]:
        """All values of a column.  Cost: O(their number)."""

    @abstractmethod
    def tuples_of(self, column: int, value: i64) -> list[tuple[int, int, P]]:
        """A copy of the tuples with a value in a column.  Cost: O(degree)."""

    @abstractmethod
    def tuples(self) -> Iterator[tuple[int, int, P]]:
        """All tuples.  Cost: O(|K|)."""

    def salvaged(self) -> Iterator[tuple[int, int, P]]:
        """All tuples found in a row or in a column, most of them twice.  Cost: O(|K|)."""
        yield from self.tuples()
        for value in self.values(1):
            yield from self.tuples_of(1, value)

    @abstractmethod
    def damage(self) -> Iterator[str]:
        """What is inconsistent. Rows and columns hold the same tuples, in the buckets of their statuses;
        nothing is empty or stale; exactly the values of degree `watch` and more are watched.  Cost: O(|K|).
        """

    @abstractmethod
    def add(self, x: i64, y: i64, first: i64, second: i64, multiplicity: P) -> None:
        """Store a new tuple in the part (first, second).  Cost: amortized O(1)."""

    @abstractmethod
    def put(self, x: i64, y: i64, first: i64, second: i64, multiplicity: P) -> None:
        """Change the multiplicity of a tuple in the part (first, second).  Cost: O(1)."""

    @abstractmethod
    def remove(self, x: i64, y: i64, first: i64, second: i64) -> None:
        """Remove a tuple from the part (first, second).  Cost: amortized O(1)."""

    @abstractmethod
    def shift(self, column: int, x: i64, y: i64, old: i64, new: i64, multiplicity: P) -> None:
        """Move a tuple whose value in a column changes class to the other bucket of the other value's line.

        Cost: amortized O(1).
        """

    @abstractmethod
    def compact(self) -> None:
        """Release unused capacity.  Cost: O(the capacity)."""


class HeadMap(ABC, Generic[P]):
    """Rows of the result with their sums over all triangles that no kept tree covers; no zero is stored.

    A triangle of relation i is (x, y, z), its values of the variables i, i+1, i+2.
    """

    @abstractmethod
    def __len__(self) -> int:
        """The number of rows.  Cost: O(1)."""

    @abstractmethod
    def get(self, row: Row) -> P | None:
        """The sum of a row of values, None for zero.  Cost: O(1)."""

    @abstractmethod
    def find(self, row: tuple[int, ...]) -> P | None:
        """The sum of a row of handles, None for zero.  Cost: O(1)."""

    @abstractmethod
    def rows(self) -> Iterator[tuple[Row, P]]:
        """All rows with their sums.  Delay: O(1)."""

    @abstractmethod
    def handles(self) -> Iterator[tuple[int, ...]]:
        """All rows of a binary or unary query, as handles.  Delay: O(1)."""

    @abstractmethod
    def damage(self) -> Iterator[str]:
        """What is inconsistent: stored zeros above all.  Cost: O(its size)."""

    @abstractmethod
    def add(self, i: int, x: i64, y: i64, z: i64, change: P) -> None:
        """Add to the row of a triangle; z may be 0 where it is bound.  Cost: amortized O(1)."""

    @abstractmethod
    def spread(self, i: int, x: i64, y: i64, second: i64, first: i64, multiplicity: P) -> int:
        """Add multiplicity · K'(y,z) · K''(z,x) for every common z, as in `Storage.dot`; their number.

        Cost: O(the smaller line).
        """


class SummedTree(ABC, Generic[P]):
    """V̂(x,z) = Σ_y K(x,y) · K'(y,z), keyed by x first; zero sums are not stored.

    Lines are named by y: its column in K, its row in K'.
    """

    @abstractmethod
    def __len__(self) -> int:
        """The number of stored sums.  Cost: O(the number of x-values)."""

    @abstractmethod
    def get(self, x: i64, z: i64) -> P | None:
        """V̂(x,z), or None for zero.  Cost: O(1)."""

    @abstractmethod
    def add_row(self, x: i64, y: i64, second: i64, multiplicity: P) -> None:
        """δV̂(x,z) = multiplicity · K'(y,z) for each z of status `second` in the row of y.  Cost: O(|row|)."""

    @abstractmethod
    def add_column(self, y: i64, first: i64, z: i64, multiplicity: P) -> None:
        """δV̂(x,z) = K(x,y) · multiplicity for each x of status `first` in the column of y.

        Cost: O(|column|).
        """

    @abstractmethod
    def add_product(self, y: i64, first: i64, second: i64, sign: int) -> None:
        """δV̂(x,z) = ±K(x,y) · K'(y,z) for each x in the column of y and each z in its row.

        Cost: O(|column| · |row|).
        """

    @abstractmethod
    def drop(self, x: i64) -> int:
        """V̂(x,z) = 0 for all z; how many were not.  Cost: O(their number), to free their memory."""

    @abstractmethod
    def entries(self) -> Iterator[tuple[int, int, P]]:
        """All (x, z, V̂(x,z)).  Cost: O(their number)."""

    @abstractmethod
    def damage(self) -> Iterator[str]:
        """What is inconsistent: stored zeros, empty rows.  Cost: O(size)."""


class KeptTree(ABC):
    """The y-values of K(x,y) · K'(y,z) under each (x,z), and the root: the (x,z) that K''(z,x) closes.

    Presence decides, not payloads: y stands under (x,z) iff both tuples are in their relations, so the tree
    is right in every ring, and an update that changes only a multiplicity does not touch it (ERRATA E7). The
    root is grouped into buckets by the bound variables of (x,z), as enumeration needs it: by x, by z, by
    both, or one bucket for all.
    """

    def __init__(self, by_x: bool, by_z: bool) -> None:
        self.by_x = by_x
        self.by_z = by_z

    @abstractmethod
    def __len__(self) -> int:
        """The entries of the tree's views: (x,y,z), (x,z), and the root.  Cost: O(the number of pairs)."""

    @abstractmethod
    def holds(self, x: i64, z: i64) -> bool:
        """Whether there is a y-value under (x,z).  Cost: O(1)."""

    @abstractmethod
    def add(self, x: i64, y: i64, z: i64) -> bool:
        """Put y under (x,z); whether it is the first.  Cost: O(1)."""

    @abstractmethod
    def remove(self, x: i64, y: i64, z: i64) -> bool:
        """Remove y from (x,z); whether it was the last.  Cost: O(1)."""

    @abstractmethod
    def open_root(self, x: i64, z: i64) -> None:
        """(x,z) enters the root.  Cost: O(1)."""

    @abstractmethod
    def close_root(self, x: i64, z: i64) -> None:
        """(x,z) leaves the root.  Cost: O(1)."""

    # --- as enumeration walks it: buckets, their pairs and the y-values below, all by position --------------

    @abstractmethod
    def bucket_count(self) -> int:
        """The number of buckets.  Cost: O(1)."""

    @abstractmethod
    def pair_count(self, bucket: int) -> int:
        """The number of pairs in a bucket.  Cost: O(1)."""

    @abstractmethod
    def pair_at(self, bucket: int, position: int) -> tuple[int, int]:
        """A pair (x,z) of a bucket.  Cost: O(1)."""

    @abstractmethod
    def value_count(self, x: i64, z: i64) -> int:
        """The number of y-values under (x,z).  Cost: O(1)."""

    @abstractmethod
    def value_at(self, x: i64, z: i64, position: int) -> i64:
        """A y-value under (x,z).  Cost: O(1)."""

    @abstractmethod
    def bucket_position(self, x: i64, z: i64) -> int:
        """The position of the bucket of a pair of the root.  Cost: O(1)."""

    @abstractmethod
    def place(self, x: i64, y: i64, z: i64) -> tuple[int, int]:
        """The position of a pair of the root in its bucket, and of y below it.  Cost: O(1)."""

    @abstractmethod
    def root_pairs(self) -> list[tuple[int, int]]:
        """All pairs of the root.  Cost: O(their number)."""

    @abstractmethod
    def entries(self) -> Iterator[tuple[int, int, int]]:
        """All (x,y,z) of the join.  Cost: O(their number)."""

    @abstractmethod
    def damage(self) -> Iterator[tuple[str, str]]:
        """What is inconsistent: the condition and what violates it.  Cost: O(size).

        Every pair of the root has y-values and stands in its bucket; positions are right.
        """


class Bulk(ABC, Generic[P]):
    """Stores the tuples of a relation before there are parts and views; everything is light and unwatched.

    `add` all tuples, then `finish`. A sum of multiplicities must not be zero.
    """

    count: int
    """The number of distinct tuples, after `finish`."""

    @abstractmethod
    def add(self, x: Hashable, y: Hashable, multiplicity: P) -> None:
        """Add to the tuple (x, y) of values.  Cost: amortized O(1)."""

    @abstractmethod
    def finish(self) -> None:
        """Store what is still pending.  Cost: O(the number of tuples)."""


class Columns(ABC):
    """The rows of a ternary query as columns of ids: no tuple is made for a row."""

    @abstractmethod
    def __len__(self) -> int:
        """The number of rows.  Cost: O(1)."""

    @abstractmethod
    def ids(self, variable: int) -> object:
        """The ids of a variable, as a buffer of 64-bit integers.  Cost: O(1)."""

    @abstractmethod
    def values(self, variable: int) -> list[Hashable]:
        """The values of a variable by id, anything for unused ids.  Cost: O(their number)."""

    @abstractmethod
    def multiplicities(self) -> object:
        """A buffer of 64-bit integers, or a list if one does not fit.  Cost: O(1)."""


class Storage(ABC, Generic[P]):
    """Makes the parts of an engine's state, turns values into ids, and multiplies lines."""

    def __init__(self) -> None:
        self.steps: i64 = 0
        """The steps of the last inner product: those of the walk, and one for each match."""

    # --- the state ------------------------------------------------------------------------------------------

    @abstractmethod
    def relation(self, i: int, partitioned: int) -> StoredRelation[P]:
        """An empty relation i; all three are made before the rest."""

    @abstractmethod
    def bulk(self, i: int, distinct: bool) -> Bulk[P]:
        """A loader for relation i, which is empty; `distinct` promises that no tuple comes twice."""

    @abstractmethod
    def head_map(self, order: tuple[int, ...]) -> HeadMap[P]:
        """An empty head map whose rows list the variables of `order`."""

    @abstractmethod
    def summed_tree(self, first: int) -> SummedTree[P]:
        """An empty summed tree whose first relation is `first`."""

    @abstractmethod
    def kept_tree(self, first: int, by_x: bool, by_z: bool) -> KeptTree:
        """An empty kept tree whose first relation is `first`."""

    @abstractmethod
    def columns(self, trees: tuple[TreePlan, ...]) -> Columns | None:
        """The rows of the ternary query with these trees as columns; None if the storage has no ids.

        Cost: O(1) for each row.
        """

    # --- ids ------------------------------------------------------------------------------------------------

    @abstractmethod
    def handle(self, variable: int, value: Hashable) -> i64:
        """The id of a value, made if it has none.  Cost: O(1)."""

    @abstractmethod
    def find(self, variable: int, value: Hashable) -> i64:
        """The id of a value, 0 if it has none.  Cost: O(1)."""

    @abstractmethod
    def forget(self, variable: int, x: i64) -> None:
        """Free an id if no tuple has its value.  Cost: O(1)."""

    @abstractmethod
    def value(self, x: i64) -> Hashable:
        """The value of an id.  Cost: O(1)."""

    @abstractmethod
    def prefetch(self, x: i64, y: i64, partners: bool) -> None:
        """Prefetch hint: an update of (x, y) is coming, with its partners' lines or not.  Cost: O(1)."""

    def is_far(self) -> bool:
        """Whether the state is too large for the caches, so that `ahead` and `fetch` pay.  Cost: O(1)."""
        return False

    def ahead(self, i: int, x: Hashable, y: Hashable) -> None:
        """Prefetch hint: an update to (x, y) of relation i is coming; both are int or str.  Cost: O(1)."""
        return

    def fetch(self) -> None:
        """Load the lines of all that `ahead` has been told, together.  Cost: O(1) for each."""
        return

    # --- lines: of an update to (x, y) of relation i, the row of y and the column of x in its partners ------

    @abstractmethod
    def common(self, i: int, x: i64, y: i64, second: i64, first: i64) -> list[int]:
        """The values z that `dot` multiplies.  Cost: O(the smaller line)."""

    @abstractmethod
    def expect(self, i: int, x: i64) -> None:
        """Hint: many inner products with the light column of x in relation i are coming; x = 0: no more.

        Nothing may be updated in between.  Cost: O(its length, and that of the last one).
        """

    @abstractmethod
    def dot(self, i: int, x: i64, y: i64, second: i64, first: i64) -> P | None:
        """Σ_z K'(y,z) · K''(z,x) over the z of status `second` in K' and of status `first` in K''.

        K' is relation i+1, K'' is relation i+2. None without such a z; sets `steps`.

        Cost: O(the smaller line).
        """
