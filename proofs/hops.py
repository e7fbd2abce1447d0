"""Dense sets, the hop iterator and UnionNext, exhaustively.

Paper: sec:computational_model, fig:hop_iterator, lem:enumerate_hop_iterator, fig:enum_union, lem:enum_delay.
The production `DenseSet` and `HopIterator` are driven through every sequence of their operations on a few
elements; `union_next` merges every family of up to four ordered sets over three values, each walked by the
production `HeadIterator`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import permutations, product
from types import SimpleNamespace
from typing import cast

from ivme.kernel.enumeration import EOF, End, HeadIterator, HopIterator, RowIterator, union_next
from ivme.kernel.storage.dicts.head import DictHead
from ivme.kernel.storage.dicts.lines import DenseSet
from ivme.kernel.storage.dicts.names import Names
from ivme_spec.relations import Row
from proofs.claims import Claim, Scope, require
from proofs.engines import DictEngine

ELEMENTS = 6
POSITIONS = 7
VALUES = (0, 1, 2)
SETS = 4


class _Tiny(DenseSet[int]):
    """A dense set indexed from the third element on, so that few elements suffice to create and drop it."""

    SMALL = 2


def dense_set_is_right() -> str:
    """After any sequence of `add` and `remove`, elements and positions are right, with and without index."""
    queue: deque[tuple[int, ...]] = deque([()])
    seen, indexed = set[tuple[object, ...]](), set[bool]()
    while queue:
        history = queue.popleft()
        dense, model = _Tiny(), set[int]()
        for element in history:
            (dense.remove if element in model else dense.add)(element)
            model ^= {element}
        key = (tuple(dense.items), dense.index is None)
        if key in seen:
            continue
        seen.add(key)
        indexed.add(dense.index is not None)
        require(len(dense) == len(model) and set(dense) == model, f"{history}: {dense.items}")
        for position, element in enumerate(dense.items):
            require(dense.position(element) == position, f"{history}: the position of {element}")
        queue.extend((*history, element) for element in range(ELEMENTS))
    require(indexed == {True, False}, "the index never comes or never goes")
    return f"{len(seen)} states of {ELEMENTS} elements"


def hop_iterator_is_right() -> str:
    """`next` gives the next position that is not excluded, and `is_empty` whether all are, in any order."""
    states = sum(_explore(count) for count in range(POSITIONS + 1))
    return f"{states} states of up to {POSITIONS} positions"


def _explore(count: int) -> int:
    def successor(position: int) -> int | End:
        return position + 1 if position + 1 < count else EOF

    def copy(hops: HopIterator[int]) -> HopIterator[int]:
        made = HopIterator[int](0 if count else EOF, successor)
        made.position = hops.position
        made.skip_to, made.skipped_from = dict(hops.skip_to), dict(hops.skipped_from)
        return made

    start = HopIterator[int](0 if count else EOF, successor)
    queue = deque([(start, frozenset[int]())])
    seen = set()
    while queue:
        hops, excluded = queue.popleft()
        key = (hops.position, frozenset(hops.skip_to.items()), frozenset(hops.skipped_from.items()), excluded)
        if key in seen:
            continue
        seen.add(key)
        what = f"at {hops.position}, {sorted(excluded)} of {count} excluded, skip_to {hops.skip_to}"
        require(hops.is_empty() == (len(excluded) == count), f"is_empty, {what}")
        moved, after = copy(hops), -1 if hops.position is None else hops.position
        expected = next((p for p in range(after + 1, count) if p not in excluded), EOF)
        require(moved.next() == expected, f"next, {what}")
        queue.append((moved, excluded))
        for position in set(range(count)) - excluded - {hops.position}:
            fewer = copy(hops)
            fewer.exclude(position)
            queue.append((fewer, excluded | {position}))
    return len(seen)


def ordered_sets() -> list[tuple[int, ...]]:
    """Every set over the values in every order."""
    return [order for size in range(len(VALUES) + 1) for order in permutations(VALUES, size)]


def families(most: int, sets: Sequence[tuple[int, ...]]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every family of at most a given number of the sets."""
    for count in range(1, most + 1):
        yield from product(sets, repeat=count)


def iterator_over(values: Sequence[int]) -> RowIterator:
    """The production iterator over a head map with these rows, in this order."""
    head = DictHead[int]((0,), {}, Names())
    for value in values:
        head.add(0, value, 0, 0, 1)
    return HeadIterator(cast("DictEngine[int]", SimpleNamespace(head=head, steps=0)))


def drained(iterators: list[RowIterator]) -> list[Row]:
    """All rows of the union; checks that its end is final."""
    rows: list[Row] = []
    while not isinstance(row := union_next(iterators, len(iterators) - 1), End):
        rows.append(row)
        require(len(rows) <= 100, f"the union of {iterators} does not end")
    require(union_next(iterators, len(iterators) - 1) is EOF, f"there are rows after the end of {iterators}")
    return rows


def union_is_right() -> str:
    """UnionNext reports each element of the union once."""
    count = 0
    for family in families(SETS, ordered_sets()):
        rows = drained([iterator_over(values) for values in family])
        expected = {(value,) for values in family for value in values}
        require(len(rows) == len(expected) and set(rows) == expected, f"the union of {family} is {rows}")
        count += 1
    return f"{count} families"


CLAIMS = (
    Claim(
        "dense-set",
        "A dense set holds what was added and not removed, without gaps, and knows every position.",
        "sec:computational_model",
        "all cases",
        Scope.EXHAUSTIVE,
        f"{ELEMENTS} elements, all sequences of operations; the index begins at 3 elements, not at 9",
        "—",
        ("DenseSet",),
        dense_set_is_right,
    ),
    Claim(
        "hop-iterator",
        "However positions are excluded, except twice or the current one, `next` finds the next one that is "
        "left, and `is_empty` whether there is one.",
        "fig:hop_iterator, lem:enumerate_hop_iterator",
        "all cases",
        Scope.EXHAUSTIVE,
        f"up to {POSITIONS} positions, all sequences of operations",
        "—",
        ("HopIterator",),
        hop_iterator_is_right,
    ),
    Claim(
        "union-next",
        "UnionNext reports every element of a union of sets exactly once.",
        "fig:enum_union, lem:enum_delay",
        "all cases",
        Scope.EXHAUSTIVE,
        f"up to {SETS} sets over {len(VALUES)} values, each in every order",
        "`contains` does not depend on what was reported (ERRATA E5)",
        ("union_next", "HeadIterator"),
        union_is_right,
    ),
)
