"""`apply_batch`: what the updates do one by one in any order, all or none of them, in both ways.

A batch is applied tuple by tuple, or by building a new state from `FEWEST` changes on: lowered here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

import ivme.view
from ivme import Change, InputError, InvariantError, Rebalance, StaleEnumerationError, TriangleView
from ivme.kernel.batches import FEWEST, SHARE
from ivme_reference import Naive
from ivme_spec.errors import (
    ArityError,
    DataValueError,
    MultiplicityError,
    RefusedUpdateError,
    UnknownRelationError,
)
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import RELATIONS
from ivme_spec.rings import INTEGERS, NATURALS, Ring
from tests.agreement.harness import EPSILONS, OTHER_ORDERS, RINGS

LOW = 6
"""The fewest changes that build a new state, in most of these tests."""

Key = tuple[Any, int, int]
Update = tuple[Any, int, int, Any]
Tuples = dict[Key, Any]


@pytest.fixture(autouse=True)
def _low(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ivme.view, "FEWEST", LOW)


def net(updates: list[Update]) -> Tuples:
    """The net of a batch, by definition."""
    found: Tuples = {}
    for name, x, y, m in updates:
        found[name, x, y] = found[name, x, y] + m if (name, x, y) in found else m
    return {key: m for key, m in found.items() if m}


class Twin:
    """A view, and the tuples that it must hold."""

    def __init__(self, query: Query, epsilon: Fraction, ring: Ring[Any], **callbacks: Any) -> None:
        self.query, self.ring = query, ring
        self.tuples: Tuples = {}
        self.ways: Counter[str] = Counter()
        self.view: TriangleView[Any] = TriangleView(
            query.free, epsilon, partitioning=query.partitioning, ring=ring, **callbacks
        )

    def bad(self, updates: list[Update]) -> int | None:
        """The position of the first delete from a tuple whose net falls below zero."""
        if self.ring.signed:
            return None
        short = {key for key, m in net(updates).items() if self.tuples.get(key, 0) + m < 0}
        places = [place for place, update in enumerate(updates) if update[:3] in short and update[3] < 0]
        return min(places, default=None)

    def batch(self, updates: list[Update]) -> None:
        """Apply a batch, and compare."""
        state, before = self.view.state(), self.view.costs
        position = self.bad(updates)
        if position is not None:
            with pytest.raises(RefusedUpdateError, match="cannot be deleted") as caught:
                self.view.apply_batch(updates)
            assert caught.value.position == position
            assert self.view.state() == state
            self.ways["refused"] += 1
            return
        changes, size = net(updates), len(self.tuples)
        assert self.view.apply_batch(updates) == len(updates)
        for key, m in changes.items():
            self.tuples[key] = self.tuples[key] + m if key in self.tuples else m
            if not self.tuples[key]:
                del self.tuples[key]
        costs = self.view.costs
        new_state = len(changes) >= LOW and SHARE * len(changes) >= size and self.view._on_change is None
        assert costs.update_count - before.update_count == (0 if new_state else len(changes))
        assert (costs.preprocessing > before.preprocessing) == new_state
        self.ways["new state" if new_state else "by tuple" if changes else "nothing"] += 1
        if not changes:
            assert self.view.state() == state
        self.compare()

    def compare(self) -> None:
        held = {(name, *row): m for name in RELATIONS for row, m in self.view.tuples(name)}
        assert held == self.tuples
        self.view.check()
        database = {n: {k[1:]: m for k, m in self.tuples.items() if k[0] == n} for n in RELATIONS}
        assert dict(self.view) == dict(Naive(self.query.free, self.ring, database))


def random_batch(twin: Twin, rng: Random, length: int, values: int) -> list[Update]:
    """Inserts, deletes of what is there, repeated tuples and pairs that cancel out, in any order."""
    updates: list[Update] = []
    held = list(twin.tuples)
    for _ in range(length):
        key: Key = (rng.choice(RELATIONS), rng.randrange(values), rng.randrange(values))
        kind = rng.random()
        if held and kind < 0.35:
            key = held.pop(rng.randrange(len(held)))
            updates.append((*key, -twin.tuples[key]))
        elif kind < 0.5:
            m = twin.ring.lift(rng.randint(1, 3))
            updates += [(*key, m), (*key, -m)]
        else:
            updates += [(*key, twin.ring.lift(rng.choice((1, 1, 2))))] * rng.choice((1, 1, 2))
    rng.shuffle(updates)
    return updates


@pytest.mark.parametrize("ring", RINGS.values(), ids=RINGS)
@pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS], ids=str)
def test_batches_agree_with_the_definition(query: Query, ring: Ring[Any], rng: Random) -> None:
    twin = Twin(query, rng.choice(EPSILONS), ring)
    twin.batch([(name, x, y, ring.one) for name in RELATIONS for x in range(3) for y in range(3)])
    twin.batch([("R", 1, 1, -ring.one)])
    for number in range(14):
        twin.batch(random_batch(twin, rng, rng.choice((1, 3, 30)), rng.choice((3, 6))))
        if number % 7 == 6:  # a drain
            twin.batch([(*key, -m) for key, m in twin.tuples.items()])
            assert not twin.view.size
        if number % 4 == 3 and twin.tuples:
            key, m = rng.choice(list(twin.tuples.items()))
            twin.batch([(*key, -m)])
    twin.batch([])
    twin.batch([("R", 1, 1, ring.one), ("R", 1, 1, -ring.one)])
    assert {"new state", "by tuple", "nothing"} <= set(twin.ways)


UPDATES = st.tuples(
    st.sampled_from(RELATIONS), st.integers(0, 2), st.integers(0, 2), st.sampled_from((1, 2, -1, -2))
)


class Batches(RuleBasedStateMachine):
    """Batches of anything; in ℕ many of them are refused."""

    @initialize(
        query=st.sampled_from([*QUERIES, *OTHER_ORDERS]),
        epsilon=st.sampled_from(EPSILONS),
        ring=st.sampled_from(list(RINGS.values())),
        watched=st.booleans(),
    )
    def start(self, query: Query, epsilon: Fraction, ring: Ring[Any], watched: bool) -> None:
        self.copy: dict[Any, Any] = {}
        callbacks = {"on_change": self.follow} if watched else {}
        self.twin, self.watched = Twin(query, epsilon, ring, **callbacks), watched

    def follow(self, change: Change[Any]) -> None:
        assert self.copy.pop(change.row, self.twin.ring.zero) == change.old
        if change.new:
            self.copy[change.row] = change.new

    def apply(self, updates: list[Update]) -> None:
        self.twin.batch(updates)
        if self.watched:
            assert self.copy == dict(self.twin.view)

    @rule(updates=st.lists(UPDATES, max_size=20))
    def batch(self, updates: list[Any]) -> None:
        self.apply([(name, x, y, self.twin.ring.lift(m)) for name, x, y, m in updates])

    @rule(updates=st.lists(UPDATES, max_size=20))
    def inserts(self, updates: list[Any]) -> None:
        self.apply([(name, x, y, self.twin.ring.lift(abs(m))) for name, x, y, m in updates])

    @rule(data=st.data())
    def drain(self, data: st.DataObject) -> None:
        """Deletes of what is there, before inserts of other tuples."""
        keys = data.draw(
            st.lists(st.sampled_from(sorted(self.twin.tuples)), unique=True)
            if self.twin.tuples
            else st.just([])
        )
        self.apply([(*key, -self.twin.tuples[key]) for key in keys] + [("R", 7, 7, self.twin.ring.one)])


TestBatches = Batches.TestCase


@pytest.mark.parametrize("free", ["", "A", "AB", "ABC"])
def test_the_order_inside_a_batch_does_not_matter(free: str, rng: Random) -> None:
    for length in (3, 40):
        twins = [Twin(Query(free), Fraction(1, 2), NATURALS) for _ in range(2)]
        updates = random_batch(twins[0], rng, length, 4)
        twins[0].batch(updates)
        twins[1].batch(updates[::-1])
        assert twins[0].view == twins[1].view
        assert dict(twins[0].view) == dict(twins[1].view)


def test_a_delete_may_come_before_its_insert() -> None:
    view = TriangleView("")
    with pytest.raises(RefusedUpdateError):
        view.apply([("R", 1, 2, -1), ("R", 1, 2)])
    assert view.apply_batch([("R", 1, 2, -1), ("R", 1, 2)]) == 2
    assert (view.size, view.costs.update_count) == (0, 0)


def test_a_third_of_the_updates_is_a_third_of_the_steps(rng: Random) -> None:
    """Of three updates two cancel out: they cost their netting, two steps each."""
    tuples = [(rng.choice(RELATIONS), rng.randrange(30), rng.randrange(30)) for _ in range(200)]
    base = {name: [(x, x + 1) for x in range(1000)] for name in RELATIONS}
    updates = [(*row, m) for row in tuples for m in (1, 1, -1)]
    one, many = TriangleView("", database=base), TriangleView("", database=base)
    one.apply(updates)
    many.apply_batch(updates)
    assert one == many
    assert many.costs.update_count <= 200 < one.costs.update_count == 600
    assert many.costs.updates - 2 * len(updates) < one.costs.updates / 2


def test_the_break_even_is_compared_exactly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ivme.view, "FEWEST", FEWEST)
    for size, changes, expected in (
        (2 * FEWEST, FEWEST, True),
        (2 * FEWEST + 1, FEWEST, False),
        (0, FEWEST, True),
        (0, FEWEST - 1, False),
    ):
        view = TriangleView("", database={"R": [(x, x) for x in range(size)]})
        before = view.costs
        view.apply_batch([("S", x, x) for x in range(changes)])
        assert (view.costs.update_count == 0) == expected
        assert view.costs.update_count in (0, changes)
        assert (view.costs.preprocessing - before.preprocessing >= 2 * size) == (expected or size == 0)
        assert view.size == size + changes


# --- bad input ---------------------------------------------------------------------------------------------


GOOD: list[Any] = [("R", 1, 2), ("S", 2, 3, 2)]


@pytest.mark.parametrize("many", [0, 40], ids=["few", "many"])
@pytest.mark.parametrize(
    ("bad", "error", "message"),
    [
        (("R", 1), ArityError, "is not"),
        (("R", 1, 2, 3, 4), ArityError, "is not"),
        (7, ArityError, "7 is not"),
        (("X", 1, 2), UnknownRelationError, "X"),
        (("R", [], 2), DataValueError, r"\[\]"),
        (("R", 1, {}), DataValueError, r"\{\}"),
        (("R", 1, 2, 0), MultiplicityError, "zero|0"),
        (("R", 1, 2, "one"), MultiplicityError, "one"),
        (("R", 5, 5, -1), RefusedUpdateError, r"R\(5, 5\) has multiplicity 0: 1 cannot be deleted"),
        (("R", 1, 2, -4), RefusedUpdateError, r"R\(1, 2\) has multiplicity 2: 3 cannot be deleted"),
        (("T", 9, 8, -3), RefusedUpdateError, r"T\(9, 8\) has multiplicity 1: 3 cannot be deleted"),
    ],
    ids=str,
)
def test_bad_input_has_its_position_and_changes_nothing(
    bad: Any, error: type[InputError], message: str, many: int
) -> None:
    view = TriangleView("A", database={"R": {(1, 2): 2}, "T": [(9, 8)]})
    state, rows = view.state(), list(view)
    open_rows = view.tuples("R")
    next(open_rows)
    updates = [*GOOD, *(("S", x, x) for x in range(many)), bad, ("S", 1, 1), ("S", 1, 1, -1)]
    with pytest.raises(error, match=rf"update at position {many + 2}: .*{message}") as caught:
        view.apply_batch(updates)
    assert caught.value.position == many + 2
    assert isinstance(caught.value.__cause__, error)
    assert (view.state(), list(view)) == (state, rows)
    assert list(open_rows) == []
    assert view.costs.update_count == 0


def test_the_first_bad_tuple_is_named_by_its_first_delete() -> None:
    view = TriangleView("", database={"R": [(1, 2)]})
    with pytest.raises(
        RefusedUpdateError, match=r"position 1: T\(1, 1\) has multiplicity 0: 2 cannot"
    ) as caught:
        view.apply_batch([("T", 1, 1, 1), ("T", 1, 1, -1), ("R", 1, 2, -4), ("T", 1, 1, -2)])
    assert caught.value.position == 1
    with pytest.raises(ArityError, match="position 3"):  # the net is not known before all are read
        view.apply_batch([("T", 1, 1, -1), ("R", 1, 2, -4), ("T", 1, 1), ()])  # type: ignore[list-item]
    assert list(view.tuples("R")) == [((1, 2), 1)]


def test_rings_with_signs_refuse_no_delete() -> None:
    view = TriangleView("", ring=INTEGERS)
    assert view.apply_batch([("R", 1, 2, -3), ("S", 2, 3, -1), ("T", 3, 1, 1)]) == 3
    assert view[()] == 3


@pytest.mark.parametrize("given", [7, None], ids=str)
def test_what_is_no_batch_is_refused(given: Any) -> None:
    with pytest.raises(InputError, match="is not an iterable"):
        TriangleView("").apply_batch(given)


def test_tables_are_batches() -> None:
    numpy, pyarrow = pytest.importorskip("numpy"), pytest.importorskip("pyarrow")
    columns: dict[str, list[Any]] = {
        "relation": ["R", "S", "T", "R"],
        "x": [1, 2, 3, 1],
        "y": [2, 3, 1, 2],
        "multiplicity": [-1, 1, 1, 2],
    }
    view = TriangleView("")
    assert view.apply_batch(pyarrow.table(columns)) == 4
    rows = numpy.empty((1, 3), object)
    rows[0] = ["T", 3, 1]
    assert view.apply_batch(rows) == 1
    assert view[()] == 2
    columns["x"][3] = None
    with pytest.raises(DataValueError, match="update at position 3"):
        view.apply_batch(pyarrow.table(columns))
    assert view[()] == 2


def test_a_batch_may_be_read_off_its_view() -> None:
    """It is read before anything changes."""
    for size in (LOW - 1, 50):
        view = TriangleView("", database={"R": [(x, 1) for x in range(size)]})
        assert view.apply_batch(("R", x, y, -m) for (x, y), m in view.tuples("R")) == size
        assert view.size == 0
        view.check()


# --- callbacks, debug mode, enumerations -------------------------------------------------------------------


@pytest.mark.parametrize("ring", RINGS.values(), ids=RINGS)
@pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS], ids=str)
def test_changes_are_those_of_the_batch_as_a_whole(query: Query, ring: Ring[Any], rng: Random) -> None:
    reported: list[Change[Any]] = []
    twin = Twin(query, rng.choice(EPSILONS), ring, on_change=reported.append)
    twin.batch([(name, x, y, ring.one) for name in RELATIONS for x in range(3) for y in range(3)])
    total = 0
    for _ in range(12):
        before, number = dict(twin.view), twin.view.costs.update_count
        reported.clear()
        twin.batch(random_batch(twin, rng, 12, 3))
        after = dict(twin.view)
        rows = before.keys() | after.keys()
        expected = {row: (before.get(row, ring.zero), after.get(row, ring.zero)) for row in rows}
        expected = {row: (old, new) for row, (old, new) in expected.items() if old != new}
        assert {change.row: (change.old, change.new) for change in reported} == expected
        assert len(reported) == len(expected), "each row once"
        assert all(change.update == twin.view.costs.update_count > number for change in reported)
        leaves = [not change.new for change in reported]
        assert leaves == sorted(leaves, reverse=True), "rows that leave come first"
        total += len(expected)
    assert total
    assert not twin.ways["new state"]


def test_callbacks_use_the_view_after_the_batch() -> None:
    seen: list[tuple[object, ...]] = []
    view: TriangleView[int] = TriangleView(
        "",
        on_change=lambda change: seen.append((change.update, change.new, view[()])),
        on_rebalance=lambda event: seen.append((event.kind, event.update, view.size)),
    )
    view.apply_batch([("T", 3, 1), ("R", 1, 2), ("S", 2, 3), ("T", 3, 1)])
    assert seen == [(3, 2, 2), ("major", 1, 3), ("major", 2, 3)]


def test_what_a_callback_raises_passes_and_the_batch_stays() -> None:
    def fail(change: object) -> None:
        raise RuntimeError("mine")

    view = TriangleView("", on_change=fail)
    with pytest.raises(RuntimeError, match="mine"):
        view.apply_batch([("T", 3, 1), ("R", 1, 2), ("S", 2, 3)])
    assert view[()] == 1
    view.check()


def test_events_are_those_of_single_updates(rng: Random) -> None:
    """Relation by relation, tuples of a value together; a new state has none."""
    events: list[Rebalance] = []
    others: list[Rebalance] = []
    base = {"S": [(x, x) for x in range(300, 500)]}
    view = TriangleView("", "1/4", database=base, on_rebalance=events.append)
    other = TriangleView("", "1/4", database=base, on_rebalance=others.append)
    updates: list[Any] = [(name, x, y) for x in range(3) for y in range(10) for name in ("T", "R")]
    view.apply_batch(updates)
    other.apply(sorted(updates))
    assert events == others
    assert events
    assert view.costs.minor_count == other.costs.minor_count == len(events)
    assert view.costs.minor == other.costs.minor > 0
    assert view.costs.largest_update == other.costs.largest_update
    assert view.costs.updates == other.costs.updates + 2 * len(updates)
    events.clear()
    view.apply_batch([("S", x, x, -1) for x in range(300, 500)])
    assert not events
    assert view.threshold_base == 2 * view.size + 1


@pytest.mark.parametrize(("debug", "checks"), [(1, 4), (2, 3), (9, 1), (80, 0)])
def test_debug_mode_checks_once(debug: int, checks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []

    def violations(self: TriangleView[Any]) -> list[object]:
        found.append(self._engine.version)
        return []

    monkeypatch.setattr(TriangleView, "violations", violations)
    view = TriangleView("", debug=debug)
    batches: list[list[Any]] = [[("R", 1, 2)], [("S", 2, 3)], [], [("T", x, 1) for x in range(4)]]
    batches += [[("T", x, y) for x in range(4) for y in range(4)]]
    for updates in batches:
        view.apply_batch(updates)
    assert len(found) == checks


def test_debug_mode_says_that_it_was_a_batch() -> None:
    view = TriangleView("", debug=True)
    view._engine.size += 1
    with pytest.raises(InvariantError, match=r"after update 2, the last of a batch: .*size"):
        view.apply_batch([("R", 1, 2), ("S", 1, 2)])


@pytest.mark.parametrize("count", [1, 60])
def test_open_enumerations_become_stale(count: int) -> None:
    view = TriangleView("A", database={"R": [(1, 2), (1, 3)], "S": [(2, 3), (3, 3)], "T": [(3, 1)]})
    rows: list[Iterator[object]] = [iter(view), view.tuples("R")]
    view.apply_batch([("R", 9, 9), ("R", 9, 9, -1)])  # cancels out
    assert [next(found) for found in rows]
    view.apply_batch([("R", x, 70) for x in range(count)])
    for found in rows:
        with pytest.raises(StaleEnumerationError):
            next(found)
    assert view[1,] == 2


@pytest.mark.pure
def test_a_new_state_is_taken_over_as_a_whole() -> None:
    """Every attribute of an engine is part of the state, or known to stay."""
    view = TriangleView("AB", database={"R": [(1, 2)]})
    engine = view._engine
    stays = {"plan", "order", "turns", "ring", "signed", "epsilon", "all_heavy", "joins", "meter"}
    stays |= {"guard", "half_changed", "interrupted", "applied", "old", "version", "steps"}
    before = {name: value for name, value in vars(engine).items() if name not in stays}
    view.apply_batch([("S", x, y) for x in range(9) for y in range(9)])
    same = {name for name, value in before.items() if vars(engine)[name] is value}
    assert not same, f"of the old state: {same}"
    assert engine.version == 81
