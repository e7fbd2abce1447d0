"""States: the initial one has no violations, and every kind of violation is found when planted."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from ivme_spec.partitions import strict_partition
from ivme_spec.relations import Relation, database, relation
from ivme_spec.rings import NATURALS
from ivme_spec.state import (
    State,
    doubled,
    halved,
    initial_base,
    initial_state,
    rebuilt_state,
    size_invariant,
    violations,
)
from ivme_spec.thresholds import threshold
from ivme_spec.views import COUNT_SINGLE, DECOMPOSITIONS, TERNARY, Decomposition, define, rotate
from tests.strategies import EPSILONS, databases, rings

HALF = Fraction(1, 2)


def found(state: State[Any], given_relations: dict[str, Relation[Any]] | None = None) -> set[str]:
    return {violation.condition for violation in violations(state, given_relations)}


@given(st.data())
def test_initial_states_have_no_violations(data: st.DataObject) -> None:
    decomposition = rotate(data.draw(st.sampled_from(DECOMPOSITIONS)), data.draw(st.integers(0, 2)))
    relations = data.draw(databases(data.draw(rings())))
    state = initial_state(decomposition, data.draw(st.sampled_from(EPSILONS)), relations)
    assert list(violations(state, relations)) == []
    assert state.base == 2 * state.size + 1
    assert state.database() == relations


@given(st.data())
def test_rebuilt_states_have_no_violations_for_any_lawful_base(data: st.DataObject) -> None:
    relations = data.draw(databases(NATURALS))
    size = sum(map(len, relations.values()))
    base = data.draw(st.integers(size + 1, 4 * size + 3))
    decomposition = data.draw(st.sampled_from(DECOMPOSITIONS))
    state = rebuilt_state(decomposition, data.draw(st.sampled_from(EPSILONS)), base, relations)
    assert list(violations(state, relations)) == []


def test_the_size_invariant_allows_exactly_these_bases() -> None:
    for size in range(30):
        allowed = [base for base in range(1, 200) if size_invariant(base, size)]
        assert allowed == list(range(size + 1, 4 * size + 4))
        assert initial_base(size) in allowed


def test_rebalancing_restores_the_size_invariant() -> None:
    """fig:onUpdate: |D| = N doubles N; |D| < ⌊N/4⌋ sets it to ⌊N/2⌋ - 1."""
    for base in range(1, 500):
        assert size_invariant(doubled(base), base)
        if base // 4 >= 1:
            assert size_invariant(halved(base), base // 4 - 1)


# --- planted violations ---------------------------------------------------------------------------------

TRIANGLES = database({name: [(x, y) for x in range(4) for y in range(4)] for name in "RST"}, NATURALS)


def planted(decomposition: Decomposition) -> Iterator[tuple[str, State[int]]]:
    good = initial_state(decomposition, HALF, TRIANGLES)
    yield "size invariant", evolve(good, base=good.size)
    yield "size invariant", evolve(good, base=4 * good.size + 4)
    views = dict(good.views)
    for name, contents in good.views.items():
        missing = {other: views[other] for other in views if other != name}
        yield "views", evolve(good, views=missing)
        row = next(iter(contents), tuple(0 for _ in contents.schema))
        one_more = relation(contents.schema, NATURALS, [(row, 1)])
        yield "view", evolve(good, views={**views, name: contents + one_more})
        if len(contents):
            emptied = relation(contents.schema, NATURALS)
            yield "view", evolve(good, views={**views, name: emptied})


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS, ids=lambda d: d.label)
def test_planted_violations_are_found(decomposition: Decomposition) -> None:
    for condition, state in planted(decomposition):
        assert condition in found(state)


def test_partition_violations_are_found_in_a_state() -> None:
    good = initial_state(COUNT_SINGLE, HALF, TRIANGLES)
    light = {"H": relation("AB", NATURALS), "L": TRIANGLES["R"]}
    heavy = {"H": TRIANGLES["R"], "L": relation("AB", NATURALS)}
    assert "light part" in found(evolve(good, base=6, partitions={**good.partitions, "R": light}))
    assert "heavy part" in found(evolve(good, base=97, partitions={**good.partitions, "R": heavy}))


def test_a_state_of_another_database_is_found() -> None:
    state = initial_state(COUNT_SINGLE, HALF, TRIANGLES)
    other = {**TRIANGLES, "R": relation("AB", NATURALS, [((0, 0), 1)])}
    assert found(state, TRIANGLES) == set()
    assert found(state, other) == {"database"}


def test_a_view_beyond_its_space_is_found() -> None:
    """All of R heavy with degree 1, all of S light with one value: the join is quadratic."""
    n = 30
    data = database({"R": [(i, 0) for i in range(n)], "S": [(0, i) for i in range(n)]}, NATURALS)
    base = initial_base(2 * n)
    good = initial_state(TERNARY, HALF, data)
    parts = {
        "R": {"H": data["R"], "L": relation("AB", NATURALS)},
        "S": {"H": relation("BC", NATURALS), "L": data["S"]},
        "T": strict_partition(data["T"], threshold(base, HALF), double=False),
    }
    views = {view.name: define(view, TERNARY, parts) for view in TERNARY.views}
    assert found(good) == set()
    assert found(evolve(good, partitions=parts, views=views)) == {"space", "heavy part", "light part"}


def test_violations_show_what_is_wrong() -> None:
    good = initial_state(COUNT_SINGLE, HALF, TRIANGLES)
    wrong = evolve(good, views={**good.views, "tri0": relation("", NATURALS, [((), 63)])})
    (violation,) = violations(wrong)
    assert violation.label == "fig:view_definitions"
    assert "tri0() is 63" in violation.detail
    assert "it is 64" in violation.detail
