"""Hop iterators, hop unions and the union algorithm, exhaustively on small families of sets."""

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, permutations, product
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ivme.kernel import enumeration
from ivme.kernel.engine import Engine
from ivme.kernel.enumeration import EOF, End, HopIterator, HopUnion, RowIterator, union_next
from ivme.kernel.parts import HEAVY, LIGHT
from ivme.kernel.plan import TreePlan
from ivme.kernel.storage.dicts.trees import DictKept, Triple

Row = tuple[Any, ...]
"""Of ids: any values will do."""
ANY: Any = "b"

Family = Sequence[Sequence[Row]]


def walk(length: int) -> HopIterator[int]:
    return HopIterator[int](0 if length else EOF, lambda p: p + 1 if p + 1 < length else EOF)


def rest(iterator: HopIterator[int]) -> list[int]:
    found = []
    while not isinstance(position := iterator.next(), End):
        found.append(position)
    return found


# --- hop iterators ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", range(6))
def test_a_hop_iterator_skips_what_was_excluded_in_any_order(length: int) -> None:
    for count in range(length + 1):
        for excluded in permutations(range(length), count):
            iterator = walk(length)
            for position in excluded:
                assert not iterator.is_empty()
                iterator.exclude(position)
            left = [position for position in range(length) if position not in excluded]
            assert iterator.is_empty() == (not left)
            assert rest(iterator) == left


def test_positions_may_be_excluded_while_it_walks() -> None:
    """Any that is not the current one, also behind it: what was reported is reported once."""
    for at in range(4):
        others = [position for position in range(4) if position != at]
        for excluded in chain.from_iterable(permutations(others, n) for n in range(4)):
            iterator = walk(4)
            for _ in range(at + 1):
                iterator.next()
            assert iterator.position == at
            for position in excluded:
                iterator.exclude(position)
            assert rest(iterator) == [p for p in range(at + 1, 4) if p not in excluded]


def test_the_end_is_sticky() -> None:
    for iterator in (walk(0), walk(2)):
        rest(iterator)
        assert iterator.next() is EOF
        assert iterator.next() is EOF


def test_no_two_excluded_ranges_touch() -> None:
    """ERRATA E15: `skip_to` has the first position of each range; one hop leads behind it."""
    iterator = walk(5)
    for position in (1, 3, 2):
        iterator.exclude(position)
    assert iterator.skip_to[1] == 4
    assert iterator.skipped_from[4] == 1
    assert rest(iterator) == [0, 4]


# --- hop unions ---------------------------------------------------------------------------------------------


def unary_tree(family: Family) -> tuple[Any, TreePlan]:
    """Buckets (c,b) of the tree T·R of △(a), one for each set; the rows of a set are the a-values below."""
    tree, b = DictKept(by_x=True, by_z=True), ANY
    for c, rows in enumerate(family):
        for (a,) in rows:
            tree.add(c, a, b)
        tree.open_root(c, b)
    plan = TreePlan(2, 2, (HEAVY, LIGHT), (LIGHT, HEAVY), is_kept=True)
    return SimpleNamespace(kept={2: tree}, order=(0,), steps=0), plan


def binary_tree(family: Family) -> tuple[Any, TreePlan]:
    """Buckets c of the tree R·S of △(a,b), one for each set; a set of rows (a,b) has a pair for each a."""
    tree = DictKept(by_x=False, by_z=True)
    for c, rows in enumerate(family):
        for a, b in rows:
            if tree.add(a, b, c):
                tree.open_root(a, c)
    plan = TreePlan(0, 0, (HEAVY, None), (LIGHT, HEAVY), is_kept=True)
    return SimpleNamespace(kept={0: tree}, order=(0, 1), steps=0), plan


def report(family: Family, monkeypatch: pytest.MonkeyPatch, descending: bool = False) -> list[Row]:
    """What the hop union over a family reports, until its first EOF, and that it has come to an end there."""
    arity = len(next((row for rows in family for row in rows), ((),)))
    engine, plan = (unary_tree if arity == 1 else binary_tree)(family)

    def triangles_of(engine: Engine[Any], row: Row, index: int | None = None) -> Iterator[Triple]:
        """The exact candidates: the buckets that have the row, in ascending or descending order."""
        for c in reversed(range(len(family))) if descending else range(len(family)):
            if row in family[c]:
                yield (row[0], ANY, c) if arity == 1 else (row[0], row[1], c)

    monkeypatch.setattr(enumeration, "triangles_of", triangles_of)
    union = HopUnion(cast("Engine[Any]", engine), plan)
    found: list[Row] = []
    while not isinstance(row := union.next(), End):
        assert union.contains(row)
        assert union.row is row
        assert union.triangles == list(triangles_of(engine, row))
        found.append(row)
    assert union.next() is EOF
    assert all(union.contains(row) for row in found)
    return found


def families(rows: Sequence[Row], most: int, in_any_order: bool = False) -> Iterator[Family]:
    """All sequences of up to `most` nonempty sets of the given rows."""
    arrange = permutations if in_any_order else combinations
    sets = [found for size in range(1, len(rows) + 1) for found in arrange(rows, size)]
    for count in range(most + 1):
        yield from product(sets, repeat=count)


UNARY = ((1,), (2,), (3,))
BINARY = ((1, 1), (1, 2), (2, 1))
"""Two of the rows share their a-value: a bucket then has one pair with two values below."""


@pytest.mark.pure
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("rows", [UNARY, BINARY], ids=["unary", "binary"])
def test_a_hop_union_reports_each_row_of_every_family_once(
    rows: Sequence[Row], descending: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for family in families(rows, 4):
        found = report(family, monkeypatch, descending)
        assert len(found) == len(set(found))
        assert set(found) == set(chain.from_iterable(family))


@pytest.mark.pure
@pytest.mark.nightly
@pytest.mark.parametrize("rows", [UNARY, BINARY], ids=["unary", "binary"])
def test_a_hop_union_of_sets_in_any_order(rows: Sequence[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    for family in families(rows, 4, in_any_order=True):
        found = report(family, monkeypatch)
        assert sorted(map(repr, found)) == sorted(map(repr, set(chain.from_iterable(family))))


def numbered(*sets: str) -> Family:
    return [[(f"b{digit}",) for digit in digits] for digits in sets]


@pytest.mark.pure
@pytest.mark.parametrize("descending", [False, True])
def test_the_worked_example_of_the_paper(descending: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """fig:example_pointer_enum: V(a1,·) to V(a4,·) in the order of the drawing; a3 has nothing new."""
    family = numbered("123", "415", "253", "64")
    found = report(family, monkeypatch, descending)
    assert found == [("b1",), ("b2",), ("b3",), ("b4",), ("b5",), ("b6",)]


@pytest.mark.pure
def test_the_hops_of_the_worked_example(monkeypatch: pytest.MonkeyPatch) -> None:
    """At the end of stage 1, b1 is skipped in a2, and b2 and b3 in a3; after stage 2, a3 is skipped whole."""
    family = numbered("123", "415", "253", "64")
    engine, plan = unary_tree(family)
    monkeypatch.setattr(
        enumeration,
        "triangles_of",
        lambda engine, row, index=None: ((row[0], ANY, c) for c in range(4) if row in family[c]),
    )
    union = HopUnion(cast("Engine[Any]", engine), plan)
    hops: dict[int, object] = {}
    for count in (3, 2):
        for _ in range(count):
            union.next()
        hops = {bucket: dict(rows.skip_to) for bucket, rows in union.opened.items()}
        if count == 3:
            assert hops[1] == {(0, 1): (0, 2)}
            assert hops[2] == {(0, 0): (0, 1), (0, 2): EOF}
    assert union.buckets.skip_to == {2: 3}
    last: object = union.next()
    assert last == ("b6",)


@pytest.mark.pure
@pytest.mark.parametrize("sets", [("1", "1", "2"), ("12", "1", "2", "3"), ("1", "1", "1", "1", "2")])
def test_counterexamples_of_the_printed_algorithm(
    sets: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """ERRATA E2 and E3."""
    for descending in (False, True):
        found = report(numbered(*sets), monkeypatch, descending)
        assert len(found) == len(set(found)) == len(set("".join(sets)))


# --- UnionNext ----------------------------------------------------------------------------------------------


class ListIterator:
    """Rows from a list."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows, self.place = rows, 0

    def next(self) -> Row | End:
        self.place += 1
        return self.rows[self.place - 1] if self.place <= len(self.rows) else EOF

    def contains(self, row: Row) -> bool:
        return row in self.rows


def test_union_next_reports_the_union_of_every_family_once() -> None:
    sets = [found for size in range(4) for found in permutations(UNARY, size)]
    for count in (1, 2, 3):
        for family in product(sets, repeat=count):
            iterators: list[RowIterator] = [ListIterator(rows) for rows in family]
            found: list[Row] = []
            while not isinstance(row := union_next(iterators, count - 1), End):
                found.append(row)
            assert len(found) == len(set(found))
            assert set(found) == set(chain.from_iterable(family))
            assert union_next(iterators, count - 1) is EOF
