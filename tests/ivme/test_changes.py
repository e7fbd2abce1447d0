"""`delta` and `on_change`: exactly the rows that an update changes, before it is applied and after."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from ivme import Change, RefusedUpdateError, TriangleView
from ivme_spec.errors import ArityError, DataValueError, InputError, MultiplicityError, UnknownRelationError
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import RELATIONS, RelationName, Row
from ivme_spec.rings import INTEGERS, Ring
from tests.agreement.harness import EPSILONS, OTHER_ORDERS, RINGS


def random_update(view: TriangleView[Any], rng: Random) -> tuple[RelationName, int, int, int]:
    """An insert or a delete of what is there; few values, so that triangles come and go."""
    name = rng.choice(RELATIONS)
    held = list(view.tuples(name))
    if held and rng.random() < 0.3:
        (x, y), m = rng.choice(held)
        return name, x, y, -m if view.ring is not INTEGERS else rng.choice((-m, -2 * m))  # type: ignore[return-value]  # they are integers
    return name, rng.randrange(4), rng.randrange(4), rng.randint(1, 3)


def differences(before: dict[Row, Any], after: dict[Row, Any], zero: Any) -> dict[Row, tuple[Any, Any]]:
    rows = before.keys() | after.keys()
    pairs = {row: (before.get(row, zero), after.get(row, zero)) for row in rows}
    return {row: (old, new) for row, (old, new) in pairs.items() if old != new}


@pytest.mark.parametrize("ring", RINGS.values(), ids=RINGS)
@pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS])
def test_a_delta_is_the_difference_that_the_update_makes(query: Query, ring: Ring[Any], rng: Random) -> None:
    reported: list[Change[Any]] = []
    epsilon: Fraction = rng.choice(EPSILONS)
    view = TriangleView(
        query.free, epsilon, partitioning=query.partitioning, ring=ring, on_change=reported.append
    )
    changed = 0
    for number in range(1, 121):
        update = random_update(view, rng)
        before, state = dict(view), view.state()
        foreseen = view.delta(*update)
        assert view.state() == state, "delta applies nothing"
        reported.clear()
        view.update(*update)
        expected = differences(before, dict(view), ring.zero)
        assert reported == foreseen
        assert len(foreseen) == len(expected), "each row once"
        assert {change.row: (change.old, change.new) for change in foreseen} == expected
        assert all(change.update == number for change in foreseen)
        assert all(change.old + change.diff == change.new for change in foreseen)
        leaves = [not change.new for change in foreseen]
        assert leaves == sorted(leaves, reverse=True), "rows that leave come first"
        changed += len(expected)
    assert changed


def test_the_changes_of_a_stream_add_up_to_the_answer(rng: Random) -> None:
    """As a subscriber keeps a copy; also by `apply`, beside debug mode and rebalancing events."""
    copy: dict[Row, int] = {}

    def follow(change: Change[int]) -> None:
        assert copy.get(change.row, 0) == change.old
        if change.new:
            copy[change.row] = change.new
        else:
            del copy[change.row]

    events: list[object] = []
    view = TriangleView("AB", on_change=follow, on_rebalance=events.append, debug=20)
    for _ in range(60):
        view.apply([random_update(view, rng)])
    assert copy == dict(view)
    assert events


def test_a_callback_may_use_the_view() -> None:
    seen: list[tuple[int, int]] = []
    view: TriangleView[int] = TriangleView("", on_change=lambda change: seen.append((change.new, view[()])))
    view.apply([("R", 1, 2), ("S", 2, 3), ("T", 3, 1), ("T", 3, 1)])
    assert seen == [(1, 1), (2, 2)]


def test_what_a_callback_raises_passes_and_the_update_stays() -> None:
    def fail(change: Change[int]) -> None:
        raise RuntimeError("mine")

    view = TriangleView("", on_change=fail, database={"R": [(1, 2)], "S": [(2, 3)]})
    with pytest.raises(RuntimeError, match="mine"):
        view.insert("T", 3, 1)
    assert view[()] == 1
    view.check()


def test_a_delta_refuses_what_the_update_would_refuse() -> None:
    view = TriangleView("A", database={"R": [(1, 2)]})
    state = view.state()
    bad: list[tuple[tuple[Any, ...], type[InputError], str]] = [
        (("R", 1, 2, -2), RefusedUpdateError, r"R\(1, 2\) has multiplicity 1: 2 cannot be deleted"),
        (("R", 7, 8, -1), RefusedUpdateError, r"R\(7, 8\) has multiplicity 0: 1 cannot be deleted"),
        (("X", 1, 2, 1), UnknownRelationError, "X"),
        (("R", [], 2, 1), DataValueError, r"\[\]"),
        (("R", 1, 2, 0), MultiplicityError, "0"),
        (("R", 1, 2, "one"), MultiplicityError, "one"),
    ]
    for update, error, message in bad:
        with pytest.raises(error, match=message):
            view.delta(*update)
        with pytest.raises(error, match=message):
            view.update(*update)
    with pytest.raises(InputError, match="on_change 3 cannot be called"):
        TriangleView("", on_change=3)  # type: ignore[call-overload]  # bad on purpose
    with pytest.raises(ArityError):
        view.apply([("R", 1)])  # type: ignore[list-item]  # bad on purpose
    assert view.state() == state


@pytest.mark.parametrize(("free", "rows"), [("", 1), ("A", 1), ("AB", 1), ("ABC", 3)])
def test_a_delta_costs_the_smaller_side_and_a_lookup_for_each_row(free: str, rows: int) -> None:
    """Counted: S(b,·) has 20,000 values, T(·,a) has three of them."""
    long = 20_000
    view = TriangleView(
        free, "1/2", database={"S": [("b", c) for c in range(long)], "T": [(c, "a") for c in range(3)]}
    )
    before = view.costs.enumeration
    assert len(view.delta("R", "a", "b", 1)) == rows
    assert 3 <= view.costs.enumeration - before < 60
    assert view.costs.updates == 0
