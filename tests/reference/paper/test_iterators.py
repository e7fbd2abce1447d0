"""The repaired iterators are right on every small input: UnionNext, the hop iterator, the union iterator."""

from collections.abc import Sequence
from itertools import combinations, permutations, product

import pytest

from ivme_reference.paper.iterators import (
    EOF,
    End,
    HopIterator,
    Listing,
    TupleIterator,
    ViewIterator,
    union_next,
)
from ivme_reference.paper.repairs import Undefined
from ivme_reference.paper.unions import UnionIterator

ELEMENTS = "xyz"
SUBSETS = ["".join(chosen) for size in range(4) for chosen in combinations(ELEMENTS, size)]
ORDERED = ["".join(chosen) for size in range(4) for chosen in permutations(ELEMENTS, size)]


def drain(iterators: Sequence[TupleIterator[str]]) -> list[str]:
    reported = []
    while not isinstance(t := union_next(iterators), End):
        reported.append(t)
    assert union_next(iterators) is EOF  # it stays at its end
    return reported


def test_union_next_reports_each_element_once() -> None:
    for sets in product(ORDERED, repeat=2):
        assert sorted(drain([ViewIterator(s) for s in sets])) == sorted(set("".join(sets)))
    for three in product(SUBSETS, repeat=3):
        assert sorted(drain([ViewIterator(s) for s in three])) == sorted(set("".join(three)))


def test_union_next_over_union_iterators() -> None:
    """Two hop-based iterators after a materialized view, as in the binary query."""
    for first, second, third in product(SUBSETS, repeat=3):
        iterators: list[TupleIterator[str]] = [
            ViewIterator(first),
            UnionIterator({0: Listing(second), 1: Listing(third)}),
            UnionIterator({0: Listing(third[::-1]), 1: Listing(first)}),
        ]
        assert sorted(drain(iterators)) == sorted(set(first + second + third))


@pytest.mark.parametrize("exact", [True, False], ids=["exact candidates", "all candidates"])
def test_union_iterator_reports_each_element_once(exact: bool) -> None:
    """All families of up to four subsets of three elements, with the candidates in every order."""
    for count in range(5):
        for sets in product(SUBSETS, repeat=count):
            for order in permutations(range(count)) if count < 4 else (range(count), range(count)[::-1]):

                def candidates(
                    t: str | End, sets: tuple[str, ...] = sets, order: Sequence[int] = tuple(order)
                ) -> list[int]:
                    return [i for i in order if not exact or (isinstance(t, str) and t in sets[i])]

                iterator = UnionIterator({i: Listing(s) for i, s in enumerate(sets)}, candidates)
                assert sorted(drain([iterator])) == sorted(set("".join(sets)))


def test_hop_iterator_walks_what_is_not_excluded() -> None:
    """All orders of excluding, at any point of a walk, values other than the one that it stands on."""
    values = (1, 2, 3, 4, 5)
    for stop in range(len(values) + 1):
        for size in range(4):
            for excluded in permutations([x for x in values if x != stop], size):
                iterator = HopIterator(Listing(values))
                walked = [iterator.next_hop() for _ in range(stop)]
                for x in excluded:
                    assert iterator.exclude(x)
                assert not iterator.exclude(9)
                while (x := iterator.next_hop()) is not EOF:  # type: ignore[assignment]
                    walked.append(x)
                assert walked == [v for v in values if v <= stop or v not in excluded]
                assert iterator.is_empty() == (set(excluded) == set(values))


def test_a_listing_knows_its_values_and_their_successors() -> None:
    listing = Listing("ab")
    assert [listing.next(End.BOF), listing.next("a"), listing.next("b")] == ["a", "b", EOF]
    assert [listing.contains(x) for x in ("a", "c", End.BOF, EOF)] == [True, False, False, False]
    with pytest.raises(Undefined, match="'c' has no successor"):
        listing.next("c")
