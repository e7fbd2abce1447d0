"""Rebalancing events: contents, order, and that the view is consistent when they are reported."""

from collections.abc import Hashable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from ivme import Major, Minor, Rebalance, TriangleView
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import RELATIONS, SCHEMAS
from tests.agreement.harness import INNER, OTHER_ORDERS, RINGS, Run
from tests.agreement.sequences import (
    SPREAD_EPSILON,
    core_database,
    drain,
    drive,
    fill,
    move_value,
    random_updates,
    spread_database,
)

Parts = dict[tuple[str, Hashable, Hashable], str]

each_query = pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS])


def parts_of(view: TriangleView[Any]) -> Parts:
    """The part of every tuple, from `view.state()`."""
    state: Any = view.state()
    return {
        (name, *row): part
        for name in RELATIONS
        for part, rows in state["parts"][name].items()
        for row in rows
    }


def classes(parts: Parts) -> dict[tuple[str, str, Hashable], str]:
    """H or L for every value of every partitioned variable of every relation."""
    return {
        (name, SCHEMAS[name][column], row[column]): part[column]
        for (name, *row), part in parts.items()
        for column in range(len(part))
    }


def minors_of(events: list[Rebalance]) -> list[Minor]:
    """The events, all of which are minor ones."""
    minors = [event for event in events if event.kind == "minor"]
    assert len(minors) == len(events)
    return minors


def require_explained(before: Parts, view: TriangleView[Any], events: list[Rebalance], update: int) -> None:
    """The events of one update are exactly the difference between the states around it."""
    after = parts_of(view)
    old, new = classes(before), classes(after)
    moved = {value for value in old.keys() & new.keys() if old[value] != new[value]}
    tuples = [row for row in before.keys() & after.keys() if before[row] != after[row]]
    for event in events:
        assert event.base == view.threshold_base
        assert event.update == update
    if events and events[0].kind == "major":
        (event,) = events
        assert isinstance(event, Major)
        # a tuple of a double-partitioned relation counts for each of its values that changes class
        changed = sum(
            old_class != new_class
            for row in before.keys() & after.keys()
            for old_class, new_class in zip(before[row], after[row], strict=True)
        )
        assert event.moved == changed + sum(old.get(k, "L") != new[k] for k in _of_new_tuple(before, after))
    else:
        minors = minors_of(events)
        named = {(event.relation, event.variable, event.value) for event in minors}
        assert len(named) == len(events)
        assert moved <= named
        for event in minors:
            column = SCHEMAS[event.relation].index(event.variable)
            assert event.moved == sum(
                row[0] == event.relation and row[1 + column] == event.value for row in after
            )
            if event.moved:
                assert new[event.relation, event.variable, event.value] == ("H" if event.heavy else "L")
        assert not tuples or events


def _of_new_tuple(before: Parts, after: Parts) -> list[tuple[str, str, Hashable]]:
    """The values of the tuple that the update inserted, if any."""
    return [
        (name, SCHEMAS[name][column], row[column])
        for (name, *row) in after.keys() - before.keys()
        for column in range(len(after[(name, *row)]))  # type: ignore[index]
    ]


@pytest.mark.parametrize("epsilon", INNER, ids=str)
@each_query
def test_events_explain_every_change_of_the_partitions(query: Query, epsilon: Fraction, rng: Random) -> None:
    run = Run(query, epsilon, RINGS["N"], rng)
    updates = 0
    sequences = (fill(run, 14), random_updates(run, 10), drive(run, rng.choice(RELATIONS), 0, 1), drain(run))
    for sequence in sequences:
        for update in sequence:
            before = parts_of(run.view)
            run.apply(*update)
            updates += 1
            require_explained(before, run.view, list(run.new_events), updates)
            run.events += run.new_events
            run.new_events.clear()
    assert run.majors(grown=True)
    assert run.majors(grown=False)


@each_query
def test_minor_events_name_the_relation_and_variable_of_the_user(query: Query, rng: Random) -> None:
    """For every head: rotated ones have their own names, not those of the canonical one."""
    run = Run(query, SPREAD_EPSILON, RINGS["N"], rng, spread_database(RINGS["N"]))
    for name in RELATIONS:
        for column in run.partitioned(name):
            for update in move_value(run, name, column, 0):
                run.apply(*update)
            assert [(e.relation, e.variable, e.value, e.heavy) for e in minors_of(run.new_events)] == [
                (name, SCHEMAS[name][column], 0, True),
                (name, SCHEMAS[name][column], 0, False),
            ]
            assert [e.moved for e in run.new_events] == [run.theta.light, run.theta.heavy - 1]
            run.new_events.clear()


def test_two_minor_rebalances_come_in_the_order_of_the_schema() -> None:
    """One update may push both of its values over a threshold; the first variable goes first."""
    events: list[Rebalance] = []
    fillers = {"S": [(x, x) for x in range(100, 130)]}
    view = TriangleView("", "1/4", partitioning="double", database=fillers, on_rebalance=events.append)
    for other in range(4):
        view.insert("R", "a", other)
        view.insert("R", other, "b")
    assert not events
    view.insert("R", "a", "b")
    assert [(e.relation, e.variable, e.value, e.heavy, e.moved) for e in minors_of(events)] == [
        ("R", "A", "a", True, 5),
        ("R", "B", "b", True, 5),
    ]
    assert [e.update for e in events] == [9, 9]


def test_major_events_tell_n() -> None:
    events: list[Rebalance] = []
    view = TriangleView("A", "1/2", on_rebalance=events.append)
    for x in range(4):
        view.insert("R", x, x)
    for x in range(4):
        view.delete("R", x, x)
    assert [(e.kind, e.up, e.base, e.update) for e in events] == [
        ("major", True, 2, 1),
        ("major", True, 4, 2),
        ("major", True, 8, 4),
        ("major", False, 3, 7),
    ]


def test_refused_updates_have_no_events_and_no_number() -> None:
    events: list[Rebalance] = []
    view = TriangleView("", on_rebalance=events.append)
    with pytest.raises(ValueError, match="cannot be deleted"):
        view.delete("R", 1, 1)
    view.insert("R", 1, 1)
    assert [event.update for event in events] == [1]


# --- the callback -------------------------------------------------------------------------------------------


@each_query
def test_the_view_is_consistent_whenever_the_callback_is_called(query: Query, rng: Random) -> None:
    calls: list[str] = []

    def callback(event: Rebalance) -> None:
        view.check()
        assert dict(view) == {row: view[row] for row, _ in view}
        assert event.base == view.threshold_base
        calls.append(event.kind)

    view = TriangleView(query.free, "1/4", partitioning=query.partitioning, on_rebalance=callback)
    run = Run(query, Fraction(1, 4), RINGS["N"], rng)
    for sequence in (fill(run, 17), drive(run, "R", 0, 1), drain(run)):
        for update in sequence:
            run.apply(*update)
            view.update(*update)
    assert {"major", "minor"} <= set(calls)


@each_query
def test_a_callback_that_raises_leaves_a_consistent_view(query: Query, rng: Random) -> None:
    """The update has happened; only the remaining calls are lost."""

    def refuse(event: Rebalance) -> None:
        raise OSError(f"{event.kind}: the log is full")

    database = core_database(rng, 14, RINGS["N"])
    view = TriangleView(
        query.free, "1/4", partitioning=query.partitioning, database=database, on_rebalance=refuse
    )
    run = Run(query, Fraction(1, 4), RINGS["N"], rng, database)
    raised = 0
    for sequence in (drive(run, "R", 0, 1), drain(run)):
        for update in sequence:
            run.update(*update)
            try:
                view.update(*update)
            except OSError:
                raised += 1
            assert view.state() == run.view.state()
            assert dict(view) == dict(run.view)
    assert raised > 3
    view.check()


def test_a_callback_may_update_the_view() -> None:
    """It is called when the update is done, so an update from within is an update like any other."""

    def log(event: Rebalance) -> None:
        if event.kind == "major" and view.size < 20:
            view.insert("S", "log", event.base)

    view = TriangleView("AB", on_rebalance=log)
    for x in range(6):
        view.insert("R", x, x)
    assert view.size > 6
    view.check()
