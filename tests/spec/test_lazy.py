"""Lazy states: the reference's have no violations, and every kind of violation is found when planted."""

from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from attrs import evolve

from ivme_reference.lazy import LazyTriangles
from ivme_spec.bounds import query_bounds
from ivme_spec.lazy import Account, Credit, LazyState, lazy_violations, read, shapes
from ivme_spec.lazy_bounds import against_classical, against_eager, amortized, phase
from ivme_spec.queries import Query
from ivme_spec.relations import Relation, relation
from ivme_spec.rings import NATURALS
from ivme_spec.views import DECOMPOSITIONS, decomposition_for, rotate
from tests.reference.lazy_runs import LazyRun

State = LazyState[Any]
HALF = Fraction(1, 2)


def built_state(free: str) -> State:
    """x = 0 and 1 are heavy in R; 0 is built and covers triangles with the y from 10 on; 1 has a credit."""
    rows = {
        "R": [(x, y) for x in (0, 1) for y in range(10, 30)],
        "S": [(y, z) for y in range(10, 30) for z in (0, 1)],
        "T": [(0, 0)],
    }
    engine: LazyTriangles[int] = LazyTriangles(free, "1/2", database=rows)
    for step in range(20):
        if 0 not in engine.store.trees[0].accounts:
            engine.update("T", 1, 0, -1 if step % 2 else 1)
    engine.update("T", 1, 1, 1)
    state = engine.state()
    assert set(state.accounts[0]) == {0}
    assert set(state.credits[0]) == {1}
    return state


def found(state: State, given: dict[str, Relation[Any]] | None = None) -> set[str]:
    return {violation.condition for violation in lazy_violations(state, given)}


@pytest.mark.parametrize("free", ["", "AB", "ABC"])
def test_the_state_that_is_corrupted_below_has_no_violation(free: str) -> None:
    state = built_state(free)
    assert found(state, state.database()) == set()
    assert (state.kept if free else state.summed)[0][0]


def without(mapping: Any, key: Any) -> Any:
    return {name: value for name, value in mapping.items() if name != key}


def put(mapping: Any, key: Any, value: Any) -> Any:
    return {**mapping, key: value}


def moved(state: State, y: int) -> State:
    """The tuples of y in S stand heavy, whatever its class."""
    parts: Any = {name: dict(part.entries) for name, part in state.partitions["S"].items()}
    for row in [row for row in parts["L"] if row[0] == y]:
        parts["H"][row] = parts["L"].pop(row)
    made = {name: relation("BC", NATURALS, rows.items()) for name, rows in parts.items()}
    return evolve(state, partitions=put(state.partitions, "S", made))


def account(state: State, **changes: int) -> State:
    changed = evolve(state.accounts[0][0], **changes)
    return evolve(state, accounts=put(state.accounts, 0, {0: changed}))


def credit(state: State, x: int, paid: int, look: int) -> State:
    return evolve(state, credits=put(state.credits, 0, {x: Credit(paid, Fraction(look))}))


def sums(state: State, changes: Any, x: int = 0) -> State:
    return evolve(state, summed=put(state.summed, 0, {**state.summed[0], x: changes}))


def kept(state: State, x: int, pairs: Any) -> State:
    return evolve(state, kept=put(state.kept, 0, {**state.kept[0], x: pairs}))


CORRUPTIONS: dict[str, tuple[str, Callable[[State], State], str]] = {
    "N too large": ("", lambda s: evolve(s, base=10 * s.base), "size invariant"),
    "a light value with too many tuples": (
        "",
        lambda s: evolve(s, heavy=put(s.heavy, ("R", 0), {0})),
        "light part",
    ),
    "a heavy value with too few tuples": (
        "",
        lambda s: evolve(s, heavy=put(s.heavy, ("S", 0), {10})),
        "heavy part",
    ),
    "a heavy value without tuples": (
        "",
        lambda s: evolve(s, heavy=put(s.heavy, ("S", 0), {99})),
        "heavy part",
    ),
    "light and stands heavy": ("", lambda s: moved(s, 10), "stands"),
    "stands in both parts": (
        "",
        lambda s: evolve(
            s,
            partitions=put(
                s.partitions,
                "S",
                put(s.partitions["S"], "H", relation("BC", NATURALS, [((10, 7), 1)])),
            ),
        ),
        "domain partition",
    ),
    "parts of another partitioning": (
        "",
        lambda s: evolve(
            s, partitions=put(s.partitions, "S", put(s.partitions["S"], "HH", s.partitions["S"]["H"]))
        ),
        "parts",
    ),
    "a light value is built": (
        "",
        lambda s: evolve(s, accounts=put(s.accounts, 0, {**s.accounts[0], 7: Account(0, 1, 0)})),
        "built",
    ),
    "needed and not moved": (
        "",
        lambda s: evolve(s, heavy=put(s.heavy, ("S", 0), {10})),
        "moved",
    ),
    "a wrong sum": ("", lambda s: sums(s, {**s.summed[0][0], 0: 7}), "rows"),
    "a missing sum": ("", lambda s: sums(s, without(s.summed[0][0], 0)), "rows"),
    "a stored zero": ("", lambda s: sums(s, {**s.summed[0][0], 5: 0}), "rows"),
    "sums of a row that is not built": ("", lambda s: sums(s, {}, x=1), "rows"),
    "a missing pair": ("ABC", lambda s: kept(s, 0, set(s.kept[0][0]) - {(10, 0)}), "rows"),
    "a pair too many": ("ABC", lambda s: kept(s, 0, set(s.kept[0][0]) | {(10, 5)}), "rows"),
    "pairs of a row that is not built": ("ABC", lambda s: kept(s, 1, set()), "rows"),
    "a missing root": ("ABC", lambda s: evolve(s, roots=put(s.roots, 0, set())), "root"),
    "a wrong price": ("", lambda s: account(s, price=3), "price"),
    "a negative gap": ("", lambda s: account(s, gap=-1), "gap"),
    "a gap at the limit": ("", lambda s: account(s, gap=s.accounts[0][0].limit), "gap"),
    "a credit of a light value": ("", lambda s: credit(s, 5, 1, 2), "credit"),
    "a credit of a built row": ("", lambda s: credit(s, 0, 1, 2), "credit"),
    "a credit that was not looked at": ("", lambda s: credit(s, 1, 2, 2), "credit"),
    "a credit of nothing": ("", lambda s: credit(s, 1, 0, 2), "credit"),
    "a wrong count": ("", lambda s: evolve(s, head=relation("", NATURALS, [((), 99)])), "head map"),
    "a kept triangle in the head map": (
        "ABC",
        lambda s: evolve(s, head=s.head + relation("ABC", NATURALS, [((0, 10, 0), 1)])),
        "head map",
    ),
    "covered twice": (
        "ABC",
        lambda s: evolve(
            s, accounts={**s.accounts, 1: {10: Account(1, 2, 0)}}, kept=put(s.kept, 1, {10: {(0, 0)}})
        ),
        "covered",
    ),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_every_violation_is_found(name: str) -> None:
    free, corrupt, condition = CORRUPTIONS[name]
    assert condition in found(corrupt(built_state(free)))


def test_tuples_of_another_database_are_found() -> None:
    state = built_state("")
    other = {**state.database(), "T": relation("CA", NATURALS, [((5, 5), 1)])}
    assert found(state, other) == {"database"}


def test_more_entries_than_the_paper_allows_are_found() -> None:
    state = built_state("")
    many = dict.fromkeys(range(10000), 1)
    assert "space" in found(sums(state, many))


def test_prices_of_built_and_unbuilt_rows_are_the_same() -> None:
    reading = read(built_state(""))
    assert [reading.price(shapes(reading.state.decomposition)[0], x) for x in (0, 1)] == [120, 120]
    reading = read(built_state("ABC"))
    assert [reading.price(shapes(reading.state.decomposition)[0], x) for x in (0, 1)] == [280, 280]


def test_every_decomposition_has_three_shapes() -> None:
    for decomposition in DECOMPOSITIONS:
        for turns in range(3):
            turned = shapes(rotate(decomposition, turns))
            assert [shape.first for shape in turned] == [0, 1, 2]
            plain = shapes(decomposition)
            for shape in plain:
                other = turned[(shape.first + turns) % 3]
                assert (other.middle, other.end, other.kept) == (shape.middle, shape.end, shape.kept)
    assert [shape.kept for shape in shapes(decomposition_for("A"))] == [False, False, True]


# --- bounds ---------------------------------------------------------------------------------------------


def test_the_constants_are_those_that_the_text_states() -> None:
    assert against_classical() == Fraction(9, 2)
    assert against_classical(Fraction(7, 4)) == against_classical(Fraction(9)) == 3
    assert phase(Fraction(1), HALF) + 2 == Fraction(27, 4)
    assert phase(Fraction(2), HALF) + 2 == Fraction(69, 8)
    assert against_eager("") == Fraction(23, 2)
    assert against_eager("", Fraction(2)) == Fraction(61, 4)
    powers = [amortized(q.free, q.partitioning).bound.powers(HALF)[0].constant for q in QUERIES]
    assert list(map(int, powers)) == [230, 402, 1319, 1319, 755]


QUERIES = (Query(""), Query("", "double"), Query("A"), Query("AB"), Query("ABC"))


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.slug)
def test_space_is_within_the_bound_of_eager_views(query: Query, rng: Random) -> None:
    run = LazyRun(query, HALF, rng, Fraction(1, 8))
    bound = query_bounds(query.free, query.partitioning).space
    for update in run.bridge(rng.randrange(3), width=40):
        run.engine.update(*update)
        run.model.apply(update)
        store = run.engine.store
        assert bound.allows(run.engine.entries(), store.base, HALF)
        assert sum(len(owners) for tree in store.trees for owners in tree.owners.values()) <= store.size
