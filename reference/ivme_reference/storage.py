"""An input relation with an index on each of its two columns.

Paper: sec:computational_model requires lookup, insert and delete in O(1), and iteration over the tuples with
a given value in one column with O(1) delay. Invariant: `rows[x][y] == columns[y][x]`, the
multiplicity of the tuple (x, y); neither index holds a zero or an empty inner map.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Generic, TypeVar

from ivme_spec.rings import P

K = TypeVar("K", bound=Hashable)
U = TypeVar("U")
V = TypeVar("V")


class StoredRelation(Generic[P]):
    """A relation over (X, Y): `rows` maps x to its y-values, `columns` maps y to its x-values."""

    def __init__(self) -> None:
        self.rows: dict[Hashable, dict[Hashable, P]] = {}
        self.columns: dict[Hashable, dict[Hashable, P]] = {}

    def row(self, x: Hashable) -> Mapping[Hashable, P]:
        """σ_{X=x}: its y-values with their multiplicities.  Cost: O(1)."""
        return self.rows.get(x, {})

    def column(self, y: Hashable) -> Mapping[Hashable, P]:
        """σ_{Y=y}: its x-values with their multiplicities.  Cost: O(1)."""
        return self.columns.get(y, {})

    def add(self, x: Hashable, y: Hashable, m: P) -> None:
        """Change the multiplicity of (x, y) by m.  Cost: O(1)."""
        add_below(self.rows, x, y, m)
        add_below(self.columns, y, x, m)

    def items(self) -> Iterator[tuple[tuple[Hashable, Hashable], P]]:
        """Every tuple with its multiplicity.  Cost: O(1) for each."""
        return (((x, y), m) for x, row in self.rows.items() for y, m in row.items())


def add_to(entries: dict[K, P], key: K, m: P) -> None:
    """Change an entry by m; zeros are not kept.  Cost: O(1)."""
    total = entries[key] + m if key in entries else m
    if total:
        entries[key] = total
    else:
        entries.pop(key, None)


def add_below(index: dict[K, dict[Hashable, P]], outer: K, inner: Hashable, m: P) -> None:
    """Change an entry of a map of maps by m; neither zeros nor empty maps are kept.  Cost: O(1)."""
    entries = index.setdefault(outer, {})
    add_to(entries, inner, m)
    if not entries:
        del index[outer]


def common(left: Mapping[K, U], right: Mapping[K, V]) -> Iterator[tuple[K, U, V]]:
    """The keys of both maps, each with its two values.  Cost: two steps for each key of the smaller map.

    Walks the smaller map and probes the larger one: keys need only be hashable.
    """
    if len(left) <= len(right):
        return ((key, u, right[key]) for key, u in left.items() if key in right)
    return ((key, left[key], v) for key, v in right.items() if key in left)
