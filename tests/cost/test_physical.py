"""The RAM model's steps are the machine's: no cost hides in the containers of Python."""

import sys
import tracemalloc

import pytest

from ivme import TriangleView
from ivme.kernel.storage.dicts.lines import DictLine, compacted
from ivme.workloads import uniform
from tests.agreement.harness import DICTS
from tests.support.inside import dict_engine, dict_head, dict_relations

PER_ENTRY = 128
"""Bytes of a dict for each of its entries, at most, when it has more than SMALL bytes: see `compacted`."""
SMALL = 640


def lines(view: TriangleView[int]) -> list[DictLine[int]]:
    """Every row and column that an update may iterate over."""
    return [
        line
        for relation in dict_relations(dict_engine(view))
        for buckets in (relation.forward, relation.backward)
        for bucket in buckets
        for line in bucket.values()
    ]


def walked_bytes(container: dict[int, int]) -> int:
    """Walking a dict touches its capacity, holes included."""
    return container.__sizeof__()


def tight(container: dict[int, int]) -> bool:
    return walked_bytes(container) <= max(SMALL, PER_ENTRY * len(container))


@pytest.mark.parametrize("column", [0, 1], ids=["row", "column"])
@pytest.mark.parametrize("free", ["", "A", "AB", "ABC"])
def test_holes_of_a_shrunk_line_are_not_walked(free: str, column: int) -> None:
    """A value is driven to degree 20,000 and back to 3: its line shrinks again."""
    view = TriangleView(free, "1/2", ring=DICTS)
    degree = 20_000
    for step in range(degree):
        view.insert("S", *((step, 0) if column else (0, step)))
    for step in range(degree - 1, 2, -1):
        view.delete("S", *((step, 0) if column else (0, step)))
    assert view.size == 3
    assert all(tight(line) for line in lines(view))
    assert max(map(len, lines(view))) == 3
    before = view.costs.updates
    for _ in range(50):
        view.insert("R" if not column else "T", 0, 0)
        view.delete("R" if not column else "T", 0, 0)
    assert view.costs.updates - before <= 100 * 30


def test_holes_do_not_break_the_bound_at_full_degree() -> None:
    """Up to degree 50,000 for the count query, with deletes from the front, where a walk starts."""
    view = TriangleView("", "1/2", ring=DICTS)
    for step in range(50_000):
        view.insert("S", 0, step)
    largest = max(walked_bytes(line) for line in lines(view))
    for step in range(49_997):
        view.delete("S", 0, step)
    (line,) = dict_relations(dict_engine(view))[1].forward[0].values()
    assert [*map(view._engine.storage.value, line)] == [49_997, 49_998, 49_999]
    assert walked_bytes(line) <= SMALL < largest / 1_000


def test_holes_of_the_head_map_are_not_walked() -> None:
    """An enumeration walks the head map: 10,000 inserted and deleted rows leave no holes."""
    view = TriangleView("ABC", 1, ring=DICTS)
    for a in range(100):
        view.insert("R", a, 0)
        view.insert("T", 0, a)
    view.insert("S", 0, 0)
    assert len(list(view)) == 100
    head = dict_head(dict_engine(view))
    before = head.entries
    for a in range(99):
        view.delete("R", a, 0)
    assert len(head) == 1
    assert head.entries is not before
    assert head.entries.__sizeof__() <= SMALL


def test_without_compaction_the_holes_would_be_walked() -> None:
    """The tests above would detect it: a dict that was large stays large."""
    line: dict[int, int] = dict.fromkeys(range(50_000), 1)
    for key in range(49_997):
        del line[key]
    assert not tight(line)
    assert tight(compacted(line))


@pytest.mark.nightly
def test_memory_stays_below_400_bytes_a_tuple() -> None:
    """300,000 uniform tuples over 30,000 values per variable: the views are negligible."""
    updates = list(uniform(600_000, 30_000, seed=1).attack[0])
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        view = TriangleView("", "1/2")
        for update in updates:
            view.update(*update)
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert view._engine.entries() < view.size // 100
    assert (after - before) / view.size < 400, sys.version
