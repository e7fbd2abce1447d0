"""E2-E5, E15, E16, E19: the hop iterator and the union iterator."""

import sys
from collections.abc import Iterable, Iterator, Sequence

import pytest

from ivme_reference.paper.engine import PaperEngine
from ivme_reference.paper.enumeration import AS_STORED, Order, hop_based, hop_based_iterator
from ivme_reference.paper.iterators import (
    BOF,
    EOF,
    End,
    HopIterator,
    Listing,
    TupleIterator,
    ViewIterator,
    union_next,
)
from ivme_reference.paper.repairs import ALL, Repair, Repairs, Undefined
from ivme_reference.paper.unions import CandidateBuckets, UnionIterator
from tests.errata.traces import by_definition, replay, tuples

Sets = Sequence[Sequence[str]]

ASCENDING = Order(buckets=sorted, candidates=sorted)


def report(sets: Sets, repairs: Repairs, candidates: CandidateBuckets[str, int] | None = None) -> list[str]:
    """What the union iterator reports for sets numbered from 1, until its first EOF."""
    numbered = {i: Listing(elements) for i, elements in enumerate(sets, start=1)}
    iterator = UnionIterator(numbered, candidates, repairs)
    reported = []
    while (t := iterator.next()) is not EOF:
        assert isinstance(t, str)
        reported.append(t)
    return reported


# --- E2 -------------------------------------------------------------------------------------------------

KEEPS_CURRENT = ALL - {Repair.CURRENT_BUCKET}
EXAMPLE = (("b1", "b2", "b3"), ("b4", "b1", "b5"), ("b2", "b5", "b3"), ("b6", "b4"))
"""The sets of fig:example_pointer_enum, in the order of the drawing."""


def test_e02_three_small_sets_lose_an_element() -> None:
    assert report("xxy", KEEPS_CURRENT) == ["x"]
    assert report("xxy", ALL) == ["x", "y"]


@pytest.mark.parametrize("exact", [False, True], ids=["all candidates", "exact candidates"])
def test_e02_the_worked_example_loses_its_last_value(exact: bool) -> None:
    def candidates(t: object) -> Iterable[int]:
        return [i for i, elements in enumerate(EXAMPLE, start=1) if t in elements or not exact]

    assert report(EXAMPLE, KEEPS_CURRENT, candidates) == ["b1", "b2", "b3", "b4", "b5"]
    assert report(EXAMPLE, ALL, candidates) == ["b1", "b2", "b3", "b4", "b5", "b6"]


BINARY = """R(0,1) R(0,2) R(0,9)  T(1,0) T(2,0) T(3,0)
    S(1,1) S(7,1) S(8,1)  S(1,2) S(7,2) S(8,2)  S(2,3) S(7,3) S(8,3)"""
"""C-values 1 and 2 hold the pair (0,1), and C-value 3 holds (0,2)."""

UNARY = """R(1,1) R(7,1) R(8,1)  R(2,2) R(7,2) R(8,2)  T(1,1) T(1,3) T(1,4)  T(2,1) T(2,2) T(2,3)
    S(1,1) S(1,2) S(2,2)"""
"""The (B,C)-values (1,1) and (1,2) hold the A-value 1, and (2,2) holds 2."""


@pytest.mark.parametrize(("free", "script", "lost"), [("AB", BINARY, (0, 2)), ("A", UNARY, (2,))])
def test_e02_a_query_loses_a_result(free: str, script: str, lost: tuple[int, ...]) -> None:
    for order in (ASCENDING, AS_STORED):
        printed = PaperEngine(free, "1/4", database=tuples(script), repairs=KEEPS_CURRENT, order=order)
        assert by_definition(printed).keys() - dict(printed).keys() == {lost}
        repaired = PaperEngine(free, "1/4", database=tuples(script), order=order)
        assert dict(repaired) == by_definition(repaired)


@pytest.mark.parametrize(
    ("free", "script", "lost"),
    [
        (
            "AB",
            "R(2,3) S(3,2) S(0,1) S(4,1) T(0,2) S(0,0) S(2,0) S(3,0) S(2,2) R(2,2) "
            "T(1,2) R(2,1) T(2,2) S(4,2) S(1,1)",
            (2, 1),
        ),
        (
            "A",
            "R(3,0) T(0,3) R(3,1) T(0,1) S(0,1) R(1,1) R(2,0) T(1,2) T(1,3) S(1,1) R(2,1) T(1,0) S(1,0)",
            (1,),
        ),
    ],
)
def test_e02_a_query_loses_a_result_after_inserts(free: str, script: str, lost: tuple[int, ...]) -> None:
    printed = replay(PaperEngine(free, "1/4", repairs=KEEPS_CURRENT), script)
    assert by_definition(printed).keys() - dict(printed).keys() == {lost}
    repaired = replay(PaperEngine(free, "1/4"), script)
    assert dict(repaired) == by_definition(repaired)


# --- E3 -------------------------------------------------------------------------------------------------

EXCLUDES_AGAIN = ALL - {Repair.EMPTY_BUCKETS}


def test_e03_four_small_sets_lose_an_element() -> None:
    sets = ("pq", "p", "q", "r")
    assert report(sets, EXCLUDES_AGAIN, lambda t: [4, 3, 2, 1]) == ["p", "q"]
    assert report(sets, ALL, lambda t: [4, 3, 2, 1]) == ["p", "q", "r"]


OVERLAPPING = """
    R(0,0) R(0,50) R(0,60)  R(1,1) R(1,51) R(1,61)  R(2,2) R(2,52) R(2,62)  R(3,3) R(3,53) R(3,63)
    S(0,0) S(1,0) S(2,0)  S(0,1) S(2,1) S(10,1)  S(1,2) S(11,2) S(12,2)  S(3,3) S(13,3) S(14,3)
    T(0,0) T(1,0) T(0,1) T(2,1) T(0,2) T(3,3)"""


@pytest.mark.parametrize("inserted", [False, True], ids=["given", "inserted"])
def test_e03_the_binary_query_loses_a_pair(inserted: bool) -> None:
    def engine(repairs: Repairs) -> PaperEngine[int]:
        if inserted:
            start = PaperEngine("AB", "1/4", repairs=repairs, order=ASCENDING)
            return replay(start, OVERLAPPING + "R(90,90) R(91,91)")
        return PaperEngine("AB", "1/4", database=tuples(OVERLAPPING), repairs=repairs, order=ASCENDING)

    printed, repaired = engine(EXCLUDES_AGAIN), engine(ALL)
    assert by_definition(printed).keys() - dict(printed).keys() == {(3, 3)}
    assert dict(repaired) == by_definition(repaired)


# --- E4 -------------------------------------------------------------------------------------------------

NO_END = ALL - {Repair.END_OF_ITERATION}


@pytest.mark.parametrize("free", ["A", "AB"])
def test_e04_the_empty_database_has_no_first_bucket(free: str) -> None:
    with pytest.raises(Undefined, match=r"EOF\.OpenHop"):
        list(PaperEngine(free, "1/2", repairs=NO_END))
    assert list(PaperEngine(free, "1/2")) == []


def test_e04_an_exhausted_iterator_is_asked_again() -> None:
    script = "R(1,1) R(1,3) R(0,2) T(0,0) S(2,0) T(0,1) S(1,0) R(2,1)"
    with pytest.raises(Undefined, match=r"EOF\.NextHop"):
        list(replay(PaperEngine("AB", "1/4", repairs=NO_END), script))
    repaired = replay(PaperEngine("AB", "1/4"), script)
    assert dict(repaired) == by_definition(repaired) != {}


def test_e04_a_hop_iterator_at_its_end_asks_for_the_successor_of_eof() -> None:
    for repairs in (NO_END, ALL):
        iterator = HopIterator(Listing("x"), repairs)
        assert [iterator.next_hop(), iterator.next_hop()] == ["x", EOF]
        if repairs == ALL:
            assert iterator.next_hop() is EOF
        else:
            with pytest.raises(Undefined, match="EOF"):
                iterator.next_hop()


def test_e04_two_empty_sets_hide_the_third() -> None:
    assert report(("", "", "x"), NO_END) == []
    assert report(("", "", "x"), ALL) == ["x"]


# --- E5 -------------------------------------------------------------------------------------------------


class NotYetExcluded(UnionIterator[int, str]):
    """Contains read as "not excluded", which is what the hop iterators know."""

    def contains(self, t: str) -> bool:
        return any(t in remaining(self.bucket(i)) for i in self.sets)


def remaining(bucket: HopIterator[str]) -> Iterator[str]:
    """The values that are not excluded."""
    x = bucket.hop(bucket.collection.next(BOF))
    while not isinstance(x, End):
        yield x
        x = bucket.hop(bucket.collection.next(x))


def test_e05_contains_is_not_defined_where_union_next_needs_it() -> None:
    with pytest.raises(Undefined, match="Contains"):
        list(PaperEngine("AB", "1/4", database=tuples(BINARY), repairs=ALL - {Repair.CONTAINS}))


def test_e05_contains_must_not_forget_what_was_reported() -> None:
    def union(second: TupleIterator[str]) -> list[str]:
        iterators: list[TupleIterator[str]] = [ViewIterator("xy"), second]
        reported = []
        while not isinstance(t := union_next(iterators), End):
            reported.append(t)
        return reported

    sets = {1: Listing("yx")}
    assert union(NotYetExcluded(sets, repairs=KEEPS_CURRENT)) == ["y", "y", "x"]
    assert union(UnionIterator(sets)) == ["y", "x"]


# --- E15, E16, E19 --------------------------------------------------------------------------------------


def test_e15_the_dictionaries_are_not_inverse_to_each_other() -> None:
    iterator = HopIterator(Listing([1, 2, 3]))
    iterator.exclude(1)
    iterator.exclude(2)
    assert iterator.skip_to == {1: 3}
    assert iterator.skipped_from == {2: 1, 3: 1}


def test_e16_buckets_have_any_key_and_come_to_be_on_first_access() -> None:
    """Twenty buckets named by strings; the first tuple needs one of them."""
    heavy, width = [f"c{i}" for i in range(20)], 5
    pairs = [(width * i + j, c) for i, c in enumerate(heavy) for j in range(width)]
    database = {"R": [(0, b) for b, _ in pairs], "S": pairs, "T": [(c, 0) for c in heavy]}
    state = PaperEngine("AB", "1/4", database=database)._state
    iterator = hop_based_iterator(hop_based(state)[0], state, AS_STORED)
    assert iterator.next() is not EOF
    assert len(iterator.sets) == len(heavy)
    assert len(iterator.buckets) == 1


def test_e19_a_table_of_the_iterator_is_rebuilt_while_it_grows() -> None:
    """Each new size of the table means that all its entries were moved within one step."""
    iterator = HopIterator(Listing(range(2000)))
    sizes = []
    for x in range(0, 2000, 2):
        iterator.exclude(x)
        sizes.append(sys.getsizeof(iterator.skip_to))
    assert len(iterator.skip_to) == 1000
    assert len(set(sizes)) > 5
