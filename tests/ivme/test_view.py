"""What a `TriangleView` reports about itself, and that the README is true."""

import copy
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from attrs.exceptions import FrozenInstanceError

from ivme import Costs, Rebalance, TriangleView
from ivme_spec.partitions import part_names
from ivme_spec.queries import HEADS, QUERIES, Query
from ivme_spec.relations import RELATIONS
from ivme_spec.rings import INTEGERS, NATURALS
from ivme_spec.state import MERGED
from ivme_spec.thresholds import threshold
from tests.agreement.harness import OTHER_ORDERS, RINGS
from tests.agreement.sequences import core_database

TRIANGLE = {"R": [(1, 2)], "S": [(2, 3)], "T": [(3, 1)]}


def test_a_session() -> None:
    view = TriangleView("AB", epsilon="1/2")
    view.insert("R", 1, 2)
    view.insert("S", 2, 3, multiplicity=5)
    view.update("T", 3, 1, 2)
    assert list(view) == [((1, 2), 10)]
    assert view[1, 2] == 10
    assert (1, 2) in view
    assert (2, 1) not in view
    assert view[2, 1] == 0
    view.delete("S", 2, 3)
    view.delete("S", 2, 3, 2)
    assert dict(view) == {(1, 2): 4}
    assert view.apply([("R", 1, 2, 1), ("S", 2, 3, -2)]) == 2
    assert dict(view) == {}
    assert view.size == 2
    assert view.apply([]) == 0


@pytest.mark.parametrize(
    ("free", "row"),
    [
        ("", ()),
        ("A", (1,)),
        ("B", (2,)),
        ("C", (3,)),
        ("AB", (1, 2)),
        ("BA", (2, 1)),
        ("CA", (3, 1)),
        ("BC", (2, 3)),
        ("CBA", (3, 2, 1)),
        ("BCA", (2, 3, 1)),
        ("ACB", (1, 3, 2)),
    ],
)
def test_rows_have_the_order_of_the_letters(free: str, row: tuple[int, ...]) -> None:
    for epsilon in ("0", "1/2", "1"):
        assert dict(TriangleView(free, epsilon, database=TRIANGLE)) == {row: 1}


def test_properties() -> None:
    view = TriangleView("CA", epsilon="1/3", database=TRIANGLE, ring=INTEGERS)
    assert (view.free, view.epsilon, view.ring, view.size) == ("CA", Fraction(1, 3), INTEGERS, 3)
    assert view.threshold_base == 7
    assert repr(view) == "<TriangleView 'CA' epsilon=1/3 size=3 N=7>"
    assert TriangleView("").epsilon == Fraction(1, 2)
    assert TriangleView("").ring is NATURALS


@pytest.mark.parametrize(
    ("epsilon", "exact"),
    [
        ("1/3", "1/3"),
        (0.1, "1/10"),
        ("0.25", "1/4"),
        (Fraction(2, 3), "2/3"),
        (1, "1"),
        (Decimal("0.5"), "1/2"),
    ],
)
def test_epsilon_is_exact_however_it_is_given(epsilon: object, exact: str) -> None:
    assert TriangleView("A", epsilon).epsilon == Fraction(exact)


@pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS])
def test_the_state_has_all_parts_and_all_views_by_name(query: Query, rng: Random) -> None:
    view = TriangleView(
        query.free, "1/4", partitioning=query.partitioning, database=core_database(rng, 20, RINGS["N"])
    )
    state: dict[str, Any] = view.state()
    assert set(state) == {"N", "parts", "views"}
    assert state["N"] == view.threshold_base
    decomposition = view._decomposition
    assert {name: set(parts) for name, parts in state["parts"].items()} == {
        name: set(part_names(name in decomposition.double)) for name in "RST"
    }
    assert {name for key in state["views"] for name in key.split(MERGED)} == {
        each.name for each in decomposition.views
    }
    assert sum(len(rows) for parts in state["parts"].values() for rows in parts.values()) == view.size


def test_the_state_is_a_copy() -> None:
    view = TriangleView("AB", database=TRIANGLE)
    before: Any = view.state()
    for parts in before["parts"].values():
        for rows in parts.values():
            rows.clear()
    for rows in before["views"].values():
        rows.clear()
    view.check()
    assert dict(view) == {(1, 2): 1}
    view.insert("R", 1, 2)
    view.check()


def test_the_given_database_is_not_changed_nor_kept() -> None:
    database = {"R": {(1, 2): 1}, "S": {(2, 3): 1}, "T": {(3, 1): 1}}
    view = TriangleView("", database=database)
    view.insert("R", 1, 2)
    view.delete("S", 2, 3)
    assert database == {"R": {(1, 2): 1}, "S": {(2, 3): 1}, "T": {(3, 1): 1}}
    database["T"].clear()
    view.check()
    assert view.size == 2


def test_costs_are_counted_from_the_start_and_given_as_a_copy() -> None:
    assert TriangleView("ABC").costs == Costs()
    view = TriangleView("ABC", database=TRIANGLE)
    loaded = view.costs
    assert loaded == Costs(preprocessing=loaded.preprocessing)
    assert loaded.preprocessing > 0
    with pytest.raises(FrozenInstanceError):
        loaded.updates = 10**9  # type: ignore[misc]  # that it cannot be done is the point
    view.insert("R", 1, 5)
    list(view)
    costs = view.costs
    assert loaded.updates == loaded.update_count == loaded.enumeration == 0
    assert 0 < costs.updates == costs.largest_update < 10**9
    assert costs.update_count == 1
    assert costs.enumeration > 0
    assert costs.maintenance == costs.updates + costs.minor + costs.major


@pytest.mark.parametrize("free", HEADS)
def test_rebalances_are_counted(free: str) -> None:
    kinds: list[str] = []
    view = TriangleView(free, "1/4", on_rebalance=lambda event: kinds.append(event.kind))
    for x in range(3):
        for y in range(6):
            for name in RELATIONS:
                view.insert(name, x, y)
    assert view.costs.minor_count == kinds.count("minor") > 0
    assert view.costs.major_count == kinds.count("major") > 0
    assert view.costs.minor >= view.costs.largest_minor > 0
    assert view.costs.major >= view.costs.largest_major > 0


def test_one_update_may_move_two_values_and_both_are_counted() -> None:
    events: list[Rebalance] = []
    filler = [(f"b{n}", f"c{n}") for n in range(60)]
    view = TriangleView("", "1/2", partitioning="double", database={"S": filler}, on_rebalance=events.append)
    light = threshold(view.threshold_base, view.epsilon).light
    for n in range(1, light):
        view.insert("R", "x", n)
        view.insert("R", n, "y")
    assert events == []
    view.insert("R", "x", "y")
    assert len(events) == 2
    assert [(event.value, event.moved) for event in events if event.kind == "minor"] == [
        ("x", light),
        ("y", light),
    ]
    assert view.costs.minor_count == 2
    assert view.costs.minor == view.costs.largest_minor > 0
    view.check()


def test_the_violations_of_a_good_view_are_none() -> None:
    view = TriangleView("A", database=TRIANGLE)
    assert view.violations() == []
    view.check()


def test_a_deep_copy_lives_on_its_own() -> None:
    view = TriangleView("AB", "1/3", database={"R": {(1, 2): 3}, "S": [(2, 3)], "T": [(3, 1)]})
    twin = copy.deepcopy(view)
    view.delete("S", 2, 3)
    assert (dict(view), dict(twin)) == ({}, {(1, 2): 3})
    assert (twin.free, twin.epsilon, twin.ring) == (view.free, view.epsilon, view.ring)
    twin.check()
