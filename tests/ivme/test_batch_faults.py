"""A batch that is cut short, wherever it happens: nothing has changed, or `rebuild()` makes it so."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import Any

import pytest

import ivme.view
from ivme import BrokenError, BusyError, TriangleView
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import RELATIONS
from ivme_spec.rings import INTEGERS
from tests.ivme.faults import Fault
from tests.ivme.test_faults import UP, Trapped, Update
from tests.ivme.test_interrupts import run_together
from tests.support.interrupts import struck_at

FILL = UP[::2]
BATCH: list[Update] = [
    *(update for update in UP[1::2] for _ in range(2)),
    *((name, x, y, -m) for name, x, y, m in UP[::4]),
    ("R", 0, 1, 3),
    ("S", 50, 51, 1),
    ("S", 50, 51, -1),
    *(("T", x, 0, 1) for x in range(10, 16)),
]
"""Inserts that make a value heavy and N double, deletes, a tuple that comes and goes."""


def filled(query: Query, what: str, watched: bool, low: bool, monkeypatch: pytest.MonkeyPatch) -> Trapped:
    """A view with some tuples, whose batches build new states if `low`."""
    monkeypatch.setattr(ivme.view, "FEWEST", 5 if low else 1000)
    trapped = Trapped(query, what)
    if watched:
        trapped.view._on_change, trapped.view._observed = lambda change: None, True
    for update in FILL:
        trapped.update(*update)
    trapped.events.clear()
    return trapped


def give(trapped: Trapped) -> None:
    trapped.view.apply_batch([(name, *trapped.row(x, y), m) for name, x, y, m in BATCH])


def finish(trapped: Trapped) -> None:
    """Apply the batch, which nothing stops."""
    give(trapped)
    trapped.trap.disarm()
    for name, x, y, m in BATCH:
        trapped.tuples[name, x, y] = trapped.tuples.get((name, x, y), 0) + m
        if not trapped.tuples[name, x, y]:
            del trapped.tuples[name, x, y]
    trapped.require_whole()


@pytest.mark.parametrize("way", ["by tuple", "new state", "watched"])
@pytest.mark.parametrize("what", ["keys", "ring"])
@pytest.mark.parametrize("query", QUERIES, ids=str)
def test_an_exception_of_user_code_undoes_the_batch(
    query: Query, what: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = broken = 0
    for call in (*range(1, 60, 3), *range(60, 1 << 20, 41)):
        trapped = filled(query, what, way == "watched", way == "new state", monkeypatch)
        trapped.trap.arm(call)
        try:
            give(trapped)
        except Fault:
            pass
        else:
            break  # fewer calls than that
        finally:
            trapped.trap.disarm()
        if "broken" in repr(trapped.view):
            broken += 1
            with pytest.raises(BrokenError, match="before its batch"):
                give(trapped)
            trapped.view.rebuild()
        else:
            whole += 1
        trapped.require_whole()
        if call % 7 == 0:
            finish(trapped)
    trapped = filled(query, what, way == "watched", way == "new state", monkeypatch)
    finish(trapped)
    assert bool(trapped.events) == (way != "new state")
    assert whole
    assert bool(broken) == (way != "new state"), "a new state is there as a whole, or not at all"


@pytest.mark.parametrize("low", [False, True], ids=["by tuple", "new state"])
def test_user_code_cannot_use_the_view_inside_a_batch(low: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is netted the view is as it was before, and may be used."""
    outcomes: set[str] = set()
    for call in count(1, 7):
        trapped = filled(Query("A"), "keys", False, low, monkeypatch)
        struck: list[str] = []

        def use(trapped: Trapped = trapped, struck: list[str] = struck) -> None:
            try:
                trapped.view.insert("R", 60, 61)
            except BusyError as error:
                struck.append(str(error).partition(":")[0])
            else:
                trapped.tuples["R", 60, 61] = 1
                struck.append("done")

        trapped.trap.arm(call, use)
        finish(trapped)
        if not struck:
            break
        outcomes.update(struck)
    assert outcomes == {"it is in the middle of an update", "done"}


@pytest.mark.pure
@pytest.mark.parametrize("way", ["by tuple", "new state", "watched"])
@pytest.mark.parametrize("free", ["", "ABC"])
def test_ctrl_c_at_every_call_leaves_the_view_before_or_after_a_batch(
    free: str, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ivme.view, "FEWEST", 5 if way == "new state" else 1000)
    fill: list[Any] = [(*update[:3], update[3]) for update in FILL]
    callbacks: dict[str, Any] = {"on_change": lambda change: None} if way == "watched" else {}

    def view() -> TriangleView[int]:
        made = TriangleView(free, "1/3", **callbacks)
        made.apply(fill)
        return made

    before, after = view(), view()
    after.apply_batch(BATCH)
    assert before != after
    seen, broken = [0, 0], 0
    for call in count(1, 5):
        struck = view()
        if not struck_at(call, lambda struck=struck: struck.apply_batch(BATCH)):  # type: ignore[misc]  # bound now
            break
        if "broken" in repr(struck):
            broken += 1
            struck.rebuild()
            assert struck == before
        struck.check()
        assert struck in (before, after)
        seen[struck == after] += 1
        struck.apply_batch([("R", 3, 3, 1), ("R", 3, 3, -1), ("S", 3, 3, 1)])
        struck.check()
    assert call > 50
    assert seen[0]
    assert bool(broken) == (way != "new state")


@pytest.mark.parametrize("low", [False, True], ids=["by tuple", "new state"])
def test_threads_that_share_a_view_get_whole_batches(low: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ivme.view, "FEWEST", 5 if low else 1000)
    view, done = TriangleView("AB", ring=INTEGERS), [0, 0, 0]

    def work(k: int) -> None:
        for n in range(60):
            try:
                view.apply_batch([(name, k, 100 * k + n + d, 1) for d in range(9) for name in RELATIONS])
            except BusyError:
                continue
            done[k] += 1

    run_together(*(lambda k=k: work(k) for k in range(3)))
    view.check()
    for k in range(3):
        assert sum(m for (x, _), m in view.tuples("R") if x == k) == 9 * done[k]
    assert any(done)


def test_a_refused_batch_leaves_no_handles(rng: Random) -> None:
    """Nor does one that is refused after its values are known."""
    view = TriangleView("", database={"R": [(1, 2)]})
    for _ in range(20):
        x = rng.randrange(1 << 40)
        with pytest.raises(ValueError, match="cannot be deleted"):
            view.apply_batch([("R", x, x), ("S", x, 1), ("S", x, 1, -2)])
    view.check()
    assert view.size == 1
