"""Enumerations of a view: open ones, abandoned ones, repeated ones, and those of an empty database."""

from fractions import Fraction

import pytest

from ivme import RefusedUpdateError, StaleEnumerationError, TriangleView
from ivme_spec.queries import HEADS, QUERIES, Query
from tests.agreement.harness import RINGS
from tests.agreement.sequences import SPREAD_EPSILON, spread_database

each_query = pytest.mark.parametrize("query", QUERIES)


def spread_view(query: Query) -> TriangleView[int]:
    """A view with triangles in every combination of parts."""
    return TriangleView(
        query.free, SPREAD_EPSILON, partitioning=query.partitioning, database=spread_database(RINGS["N"])
    )


@each_query
@pytest.mark.parametrize("epsilon", ["0", "1/4", "1/2", "1"])
def test_an_empty_database_has_no_rows(query: Query, epsilon: str) -> None:
    view = TriangleView(query.free, epsilon, partitioning=query.partitioning)
    assert list(view) == []
    view.insert("R", 1, 2)
    assert list(view) == []
    view.delete("R", 1, 2)
    rows = iter(view)
    assert next(rows, None) is None
    assert next(rows, None) is None
    assert view[(0,) * len(query.free)] == 0
    assert (0,) * len(query.free) not in view


@each_query
def test_enumerating_twice_gives_the_same(query: Query) -> None:
    view = spread_view(query)
    assert list(view) == list(view) != []


@each_query
def test_an_update_makes_open_enumerations_raise_at_their_next_step(query: Query) -> None:
    for started in (False, True):
        for change in (("R", 0, 0, 1), ("R", 0, 0, -1), ("R", 777, 777, 1)):
            view = spread_view(query)
            rows = iter(view)
            if started:
                next(rows)
            view.update(*change)
            with pytest.raises(StaleEnumerationError, match="updated during the enumeration"):
                next(rows)
            assert next(rows, None) is None
            assert dict(view) == {row: view[row] for row, _ in view}


def test_a_stale_enumeration_is_a_runtime_error_as_for_dicts() -> None:
    view = spread_view(Query("AB"))

    def insert_while_enumerating() -> None:
        for row, _ in view:
            view.insert("R", *row)

    with pytest.raises(RuntimeError):
        insert_while_enumerating()


@each_query
def test_an_enumeration_that_has_ended_stays_ended(query: Query) -> None:
    view = spread_view(query)
    rows = iter(view)
    list(rows)
    view.insert("R", 0, 0)
    assert next(rows, None) is None


@each_query
def test_refused_updates_lookups_and_checks_disturb_no_enumeration(query: Query) -> None:
    view = spread_view(query)
    expected = list(view)
    rows = iter(view)
    found = [next(rows)]
    with pytest.raises(RefusedUpdateError):
        view.delete("R", 777, 777)
    view.check()
    view.state()
    for row, multiplicity in rows:
        assert view[row] == multiplicity
        found.append((row, multiplicity))
    assert found == expected


@each_query
def test_several_may_be_open_at_once(query: Query) -> None:
    """Interleaved in any way, each has the same rows in the same order."""
    view = spread_view(query)
    expected = list(view)
    first, second, third = iter(view), iter(view), iter(view)
    found: list[list[object]] = [[], [], []]
    for step in range(len(expected)):
        found[0].append(next(first))
        if step % 2:
            found[1] += [next(second), next(second)]
    found[1] += list(second)
    found[2] += list(third)
    assert found == [expected] * 3
    assert list(first) == []


@each_query
def test_abandoning_one_half_way_costs_nothing_later(query: Query) -> None:
    view, untouched = spread_view(query), spread_view(query)
    for count in range(1, 4):
        rows = iter(view)
        for _ in range(count):
            next(rows, None)
        del rows
    abandoned = view.costs.enumeration
    assert list(view) == list(untouched)
    assert view.costs.enumeration - abandoned == untouched.costs.enumeration
    for change in (("S", 0, 0, -1), ("S", 0, 0, 1)):
        view.update(*change)
        untouched.update(*change)
    assert view.costs.updates == untouched.costs.updates
    assert view.state() == untouched.state()


def test_every_row_and_the_end_count_as_steps() -> None:
    for free in HEADS:
        view = TriangleView(free, Fraction(1, 3), database=spread_database(RINGS["N"]))
        rows = list(view)
        assert view.costs.enumeration >= len(rows) + 1
        assert 0 < view.costs.largest_delay <= view.costs.enumeration


def test_a_pair_that_is_not_in_its_relation_is_looked_up_in_a_few_steps() -> None:
    """△(a,b) with R(a,b) absent is zero, however many c-values S(b,·) and T(·,a) share: none is tried."""
    shared = range(10)
    view = TriangleView(
        "AB",
        "1/2",
        database={
            "R": [(0, 1)],
            "S": [(b, c) for b in (1, 7) for c in shared],
            "T": [(c, a) for c in shared for a in range(30)],
        },
    )
    steps = []
    for row, expected in (((0, 1), 10), ((0, 7), 0)):
        before = view.costs.enumeration
        assert view[row] == expected
        steps.append(view.costs.enumeration - before)
    assert steps[0] > 10 > 4 >= steps[1]
