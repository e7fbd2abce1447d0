"""What the paper says of rebalancing and what was found right, checked exhaustively where states are few."""

from copy import copy
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from attrs import evolve

from ivme_reference.paper import rebalancing
from ivme_reference.paper.engine import PaperEngine
from ivme_reference.paper.state import Major, Minor, Move, apply_update
from ivme_spec.bounds import Power
from ivme_spec.queries import Partitioning
from ivme_spec.relations import SCHEMAS
from ivme_spec.rings import NATURALS
from ivme_spec.state import doubled, halved, initial_base, size_invariant, view_violations, violations
from ivme_spec.thresholds import HALF

Key = tuple[str, str, object]
"""A relation, one of its variables and a value of it."""

CELLS = [(x, y) for x in range(2) for y in range(3)]
REST = {"S": [(0, 0), (1, 0)], "T": [(0, 0)]}


def copy_of(engine: PaperEngine[int]) -> PaperEngine[int]:
    """A copy that can be updated without the original, with an empty log."""
    twin, state = copy(engine), engine._state
    twin._state = evolve(
        state,
        parts={symbol: dict(rows) for symbol, rows in state.parts.items()},
        views={name: dict(rows) for name, rows in state.views.items()},
        log=[],
    )
    return twin


def snapshot(engine: PaperEngine[int]) -> object:
    """N and the parts of R: all that differs between states here, since multiplicities are 1."""
    parts = engine._state.parts_of("R")
    return engine._state.base, frozenset((part, row) for part, rows in parts.items() for row in rows)


@pytest.mark.parametrize("epsilon", ["1/4", "1/2"])
@pytest.mark.parametrize(("free", "partitioning"), [("", "single"), ("", "double"), ("A", "single")])
def test_every_reachable_state_is_a_state(free: str, partitioning: Partitioning, epsilon: str) -> None:
    """All states that updates of six tuples of R lead to, and back.

    One call of MinorRebalance restores the conditions, and values never cross in opposite directions.
    """
    start = PaperEngine(free, epsilon, NATURALS, partitioning, database=REST)
    seen, frontier = {snapshot(start)}, [start]
    while frontier:
        engine = frontier.pop()
        present = {row for row, _ in engine._state.rows("R")}
        for x, y in CELLS:
            after = copy_of(engine)
            after.update("R", x, y, -1 if (x, y) in present else 1)
            assert sum(isinstance(entry, Minor) for entry in after.log) <= 1
            assert len({entry.to for entry in after.log if isinstance(entry, Move)}) <= 1
            if snapshot(after) not in seen:
                assert list(violations(after.state())) == []
                seen.add(snapshot(after))
                frontier.append(after)
    assert len(seen) > 2 ** len(CELLS)


def test_both_values_of_a_tuple_can_cross_at_once() -> None:
    engine = PaperEngine(
        "", "1/2", NATURALS, "double", {"R": [(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)]}
    )
    for row in ((0, 4), (0, 5), (4, 0), (5, 0), (0, 0)):
        engine.insert("R", *row)
    crossed = [(m.variable, m.to) for m in engine.log if isinstance(m, Move) and m.step == 5]
    assert crossed == [("A", "H"), ("B", "H")]


@pytest.mark.parametrize(
    ("free", "partitioning"),
    [("", "single"), ("", "double"), ("A", "single"), ("AB", "single"), ("ABC", "single")],
)
def test_views_are_right_after_each_half_of_a_move(
    free: str, partitioning: Partitioning, monkeypatch: pytest.MonkeyPatch, rng: Random
) -> None:
    """A tuple that is in two parts for a moment is counted twice in the views, as their definitions say."""
    checks = 0

    def checked_update(*arguments: Any) -> None:
        nonlocal checks
        apply_update(*arguments)
        assert [v for v in view_violations(engine.state()) if v.condition == "view"] == []
        checks += 1

    monkeypatch.setattr(rebalancing, "apply_update", checked_update)
    while checks < 20:
        engine = PaperEngine(free, "1/4", NATURALS, partitioning)
        for _ in range(30):
            name, x, y = rng.choice("RST"), rng.randrange(3), rng.randrange(3)
            engine.update(
                name, x, y, -1 if (x, y) in engine.state().database()[name] and rng.random() < 0.6 else 1
            )


def test_multiplicities_alone_change_no_part() -> None:
    rows = {name: {(x, y): 1 for x in range(3) for y in range(3) if x <= y} for name in "RST"}
    engine = PaperEngine("AB", "1/3", database=rows)
    before = engine.state()
    for name, entries in rows.items():
        for x, y in entries:
            engine.insert(name, x, y, 5)
    after = engine.state()
    assert engine.log == []
    assert after.base == before.base
    for name, parts in before.partitions.items():
        assert {part: set(rows) for part, rows in parts.items()} == {
            part: set(rows) for part, rows in after.partitions[name].items()
        }


def test_the_threshold_base_after_major_rebalancing() -> None:
    """|D| is N/2 after doubling, (N-1)/2 or N/2-1 after halving; the next is at least N/4 updates away."""
    for old in range(1, 2000):
        starts = [(doubled(old), old), (initial_base(old - 1), old - 1)]
        assert starts[0][0] == 2 * starts[0][1]
        if old // 4 > 0:
            size, base = old // 4 - 1, halved(old)
            assert 2 * size in (base - 1, base - 2)
            starts.append((base, size))
        for base, size in starts:
            assert base >= 1
            assert size_invariant(base, size)
            to_grow, to_shrink = base - size, size - (base // 4 - 1)
            assert 4 * min(to_grow, to_shrink) >= base


def test_moves_are_paid_by_the_updates_of_their_value(rng: Random) -> None:
    """Between two moves of a value, or a major rebalancing and a move, more than N^ε/2 updates touch it."""
    epsilon, found = Fraction(1, 3), 0
    while found < 20:
        engine = PaperEngine("", epsilon, NATURALS, "double")
        touched: list[set[Key]] = []  # by each update
        for _ in range(150):
            name, x, y = rng.choice("RST"), min(rng.randrange(6), rng.randrange(6)), rng.randrange(6)
            present = (x, y) in engine.state().database()[name]
            engine.update(name, x, y, -1 if present else 1)
            touched.append({(name, SCHEMAS[name][0], x), (name, SCHEMAS[name][1], y)})
        base, major, last = 1, 0, dict[Key, int]()
        for entry in engine.log:
            if isinstance(entry, Major):
                base, major = entry.after, entry.step
            elif isinstance(entry, Move):
                key: Key = (entry.relation, entry.variable, entry.value)
                since = touched[max(major, last.get(key, 0)) : entry.step]
                assert not Power(HALF, epsilon).allows(sum(key in keys for keys in since), base)
                last[key] = entry.step
                found += 1
