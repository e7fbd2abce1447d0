"""Relations indexed from both sides, and sets with a constant-time successor."""

from collections import Counter
from random import Random

import pytest

from ivme.kernel.parts import HEAVY, LIGHT
from ivme.kernel.storage.dicts.lines import DenseSet, compacted, put_entry, remove_entry
from ivme.kernel.storage.dicts.relation import DictRelation

Tuples = dict[tuple[int, int], int]
ABSENT = 99
SMALL = DenseSet[int]().SMALL


def require_equal(index: DictRelation[int], tuples: Tuples) -> None:
    """Every method answers as a plain dict of tuples would."""
    assert {(x, y): m for x, y, m in index.tuples()} == tuples
    for column in (0, 1):
        values = {row[column] for row in tuples}
        assert Counter(index.values(column)) == Counter(values)
        for value in values | {ABSENT}:
            of_value = {row: m for row, m in tuples.items() if row[column] == value}
            assert index.degree(column, value) == len(of_value)
            assert {(x, y): m for x, y, m in index.tuples_of(column, value)} == of_value
    for row in [*tuples, (ABSENT, ABSENT)]:
        assert index.get(*row) == tuples.get(row)


@pytest.mark.parametrize("partitioned", [0, 1, 2])
def test_an_index_is_a_dict_of_tuples_whatever_the_parts(partitioned: int, rng: Random) -> None:
    index, tuples = DictRelation[int](partitioned), Tuples()
    for column in range(partitioned):
        index.heavy[column].update((0, 1))
    for _ in range(300):
        x, y, m = rng.randrange(5), rng.randrange(5), rng.randint(1, 9)
        first, second = (
            HEAVY if value in index.heavy[column] else LIGHT for column, value in enumerate((x, y))
        )
        if (x, y) in tuples and rng.random() < 0.6:
            index.remove(x, y, first, second)
            del tuples[x, y]
        else:
            (index.put if (x, y) in tuples else index.add)(x, y, first, second, m)
            tuples[x, y] = m
        require_equal(index, tuples)
        index.compact()
        require_equal(index, tuples)


def test_sets_of_values_give_their_room_back() -> None:
    """A set does not shrink when its elements go, and walking it costs its capacity."""
    index = DictRelation[int](partitioned=2)
    for value in range(5_000):
        index.add(value, value, LIGHT, LIGHT, 1)
        index.mark(0, value, HEAVY)
    for value in range(4_990):
        index.mark(0, value, LIGHT)
        index.remove(value, value, LIGHT, LIGHT)
    index.compact()
    few = set(range(4_990, 5_000))
    assert index.heavy == (few, set())
    assert index.watched == [few, few]
    for values in (index.heavy[0], *index.watched):
        assert values.__sizeof__() <= 4 * few.__sizeof__()


def test_each_tuple_is_stored_exactly_twice_in_the_buckets_of_its_statuses() -> None:
    index = DictRelation[int](partitioned=2)
    index.heavy[0].add(1)
    index.heavy[1].add(2)
    index.add(1, 2, HEAVY, HEAVY, 2)
    index.add(1, 4, HEAVY, LIGHT, 3)
    index.add(3, 2, LIGHT, HEAVY, 4)
    assert index.forward == ({1: {4: 3}}, {1: {2: 2}, 3: {2: 4}})
    assert index.backward == ({2: {3: 4}}, {2: {1: 2}, 4: {1: 3}})


def test_lines_that_are_empty_are_removed() -> None:
    lines: dict[int, dict[int, int]] = {}
    put_entry(lines, 1, 2, 3)
    put_entry(lines, 1, 4, 5)
    remove_entry(lines, 1, 2)
    assert lines == {1: {4: 5}}
    remove_entry(lines, 1, 4)
    assert lines == {}
    with pytest.raises(KeyError):
        remove_entry(lines, 1, 4)


def test_a_dict_of_holes_is_copied_and_one_without_is_not() -> None:
    entries = dict.fromkeys(range(10_000))
    assert compacted(entries) is entries
    for key in range(9_990):
        del entries[key]
    before = entries.__sizeof__()
    copied = compacted(entries)
    assert copied == dict.fromkeys(range(9_990, 10_000))
    assert copied is not entries
    assert copied.__sizeof__() < before / 100
    assert compacted(copied) is copied
    small = {1: 1}
    assert compacted(small) is small


def test_draining_a_row_leaves_no_capacity_behind() -> None:
    """A row of 5,000 tuples of which 10 are left takes the room of some dozens."""
    index = DictRelation[int](partitioned=1)
    for y in range(5_000):
        index.add(7, y, LIGHT, LIGHT, 1)
    for y in range(4_990):
        index.remove(7, y, LIGHT, LIGHT)
    assert index.forward[LIGHT][7].__sizeof__() <= 128 * 11


# --- dense sets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("domain", [3, SMALL + 1, 40])
def test_a_dense_set_is_a_set_whose_elements_stand_at_their_positions(domain: int, rng: Random) -> None:
    dense, model = DenseSet[int](), set[int]()
    for _ in range(600):
        item = rng.randrange(domain)
        if item in model:
            dense.remove(item)
            model.remove(item)
        else:
            dense.add(item)
            model.add(item)
        assert len(dense) == len(dense.items) == len(model)
        assert set(dense) == model
        assert [dense.position(item) for item in dense] == list(range(len(model)))
        assert (dense.index is None) or len(dense.index) == len(model)


def test_a_dense_set_has_an_index_when_it_is_large_and_drops_it_when_it_is_small() -> None:
    dense = DenseSet[int]()
    for item in range(SMALL):
        dense.add(item)
    assert dense.index is None
    dense.add(99)
    assert dense.index is not None
    for item in range(SMALL):
        dense.remove(item)
    assert dense.index is None
    assert list(dense) == [99]


def test_removing_what_is_not_in_a_dense_set_is_an_error() -> None:
    small, large = DenseSet[int](), DenseSet[int]()
    small.add(1)
    for item in range(20):
        large.add(item)
    with pytest.raises(ValueError, match=r"99|not in list"):
        small.remove(99)
    with pytest.raises(KeyError, match="99"):
        large.remove(99)
    assert (len(small), len(large)) == (1, 20)
