"""Every approach equals the brute-force definition after every step; and the check itself finds bugs."""

from collections.abc import Hashable, Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from ivme_reference import APPROACHES, Approach, Classical, Factorized, Naive, Recompute, Recursive
from ivme_reference.storage import StoredRelation
from ivme_spec.relations import Row
from ivme_spec.rings import POLYNOMIALS, Polynomial
from tests.reference.brute_force import as_database, differences, first_difference, model_of, random_updates
from tests.strategies import ALL_HEADS, DOMAIN, RINGS

each_approach = pytest.mark.parametrize("approach", APPROACHES, ids=lambda approach: approach.__name__)
each_ring = pytest.mark.parametrize("ring", RINGS)


@each_approach
@each_ring
@pytest.mark.parametrize("free", ALL_HEADS, ids=lambda free: free or "count")
def test_agrees_with_the_definition_after_every_step(
    approach: type[Approach[Any]], ring: str, free: str, rng: Random
) -> None:
    model = model_of(ring)
    updates = random_updates(rng, model, DOMAIN, 40)
    assert first_difference(lambda: approach(free, RINGS[ring]), model, updates, DOMAIN) is None


@each_approach
@each_ring
def test_starts_from_a_given_database(approach: type[Approach[Any]], ring: str, rng: Random) -> None:
    for free in ALL_HEADS:
        model = model_of(ring)
        for update in random_updates(rng, model, DOMAIN, 30):
            model.apply(update)
        start = as_database(model)
        updates = random_updates(rng, model, DOMAIN, 5)
        found = first_difference(lambda: approach(free, RINGS[ring], start), model, updates, DOMAIN)  # noqa: B023
        assert found is None


@each_approach
def test_a_database_may_come_as_pairs_or_from_another_approach(approach: type[Approach[Any]]) -> None:
    pairs = approach("AB", database={"R": [(1, 2), (1, 2)], "S": [(2, 3)], "T": {(3, 1): 5}})
    assert dict(pairs) == {(1, 2): 10}
    assert dict(approach("BA", database=pairs.database())) == {(2, 1): 10}


@each_approach
def test_contains_exactly_the_rows_that_it_lists(approach: type[Approach[Any]], rng: Random) -> None:
    model = model_of("Z/6")
    for update in random_updates(rng, model, DOMAIN, 40):
        model.apply(update)
    for free in ALL_HEADS:
        query = approach(free, RINGS["Z/6"], as_database(model))
        listed = {row for row, _ in query}
        assert listed == {row for row in product(DOMAIN, repeat=len(free)) if row in query}


@each_approach
def test_is_empty_again_after_everything_is_deleted(approach: type[Approach[Any]], rng: Random) -> None:
    model = model_of("N")
    query = approach("ABC")
    for update in random_updates(rng, model, DOMAIN, 40):
        query.update(*update)
        model.apply(update)
    for name, rows in as_database(model).items():
        for (x, y), m in rows.items():
            query.delete(name, x, y, m)
    assert list(query) == []
    assert not any(stored.rows or stored.columns for stored in query.relations)
    assert not any(getattr(query, "views", {}).values())


@each_approach
def test_polynomials_prove_the_identity_for_all_multiplicities(approach: type[Approach[Any]]) -> None:
    """With a variable for each tuple, △ is the sum over the triangles of the products of their variables."""
    values = range(2)
    query = approach("A", POLYNOMIALS)
    for name, x, y in product("RST", values, values):
        query.insert(name, x, y, Polynomial.variable(f"{name}{x}{y}"))
    for a in values:
        triangles: dict[tuple[str, ...], int] = {
            (f"R{a}{b}", f"S{b}{c}", f"T{c}{a}"): 1 for b in values for c in values
        }
        assert query[(a,)] == Polynomial(triangles)


def test_cancelled_and_annihilated_rows_are_not_reported() -> None:
    """E7: over ℤ and ℤ/6 a row may have derivations and the multiplicity zero."""
    for approach in APPROACHES:
        cancelled = approach(
            "A", RINGS["Z"], {"R": {(0, 0): 1, (0, 1): -1}, "S": [(0, 0), (1, 0)], "T": [(0, 0)]}
        )
        assert list(cancelled) == []
        cancelled.update("R", 0, 1, 1)
        assert list(cancelled) == [((0,), 1)]
        annihilated = approach("ABC", RINGS["Z/6"], {"R": {(0, 0): 2}, "S": {(0, 0): 3}, "T": {(0, 0): 1}})
        assert list(annihilated) == []
        annihilated.update("S", 0, 0, 2)
        assert list(annihilated) == [((0, 0, 0), 4)]


@pytest.mark.parametrize("approach", [Recursive, Factorized])
@each_ring
@pytest.mark.parametrize("free", ["", "B", "CA", "ABC"])
def test_views_equal_their_definition(
    approach: type[Recursive[Any]], ring: str, free: str, rng: Random
) -> None:
    """V_ST(b,a), V_TR(c,b), V_RS(a,c), with their middle variable where it is free."""
    query, model = approach(free, RINGS[ring]), model_of(ring)
    for update in random_updates(rng, model, DOMAIN, 40):
        query.update(*update)
        model.apply(update)
    names = {0: ("S", "T", "C"), 1: ("T", "R", "A"), 2: ("R", "S", "B")}
    assert set(query.views) == ({0, 1, 2} if approach is Recursive else {0})
    for closing, view in query.views.items():
        first, second, middle = names[closing]
        expected: dict[tuple[Hashable, Hashable], dict[Hashable, int]] = {}
        for y, z, x in product(DOMAIN, repeat=3):
            entry = expected.setdefault((y, x), {})
            key = z if middle in free else ()
            entry[key] = entry.get(key, 0) + model.present(first, y, z) * model.present(second, z, x)
        modulus = model.modulus or 10**9
        nonzero = {k: {z: m for z, m in entry.items() if m % modulus} for k, entry in expected.items()}
        assert {k: {z: RINGS[ring].lift(m) for z, m in e.items()} for k, e in nonzero.items() if e} == view


# --- planted bugs ---------------------------------------------------------------------------------------


class DropsT(Classical[Any]):
    """No delta for updates of T."""

    def _propagate(self, i: int, x: Hashable, y: Hashable, m: Any) -> None:
        if i != 2:
            super()._propagate(i, x, y, m)


class SwapsHead(Classical[Any]):
    """The values of a row in reverse order."""

    def _row(self, i: int, x: Hashable, y: Hashable, z: Hashable) -> Row:
        return tuple(reversed(super()._row(i, x, y, z)))


class ForgetsRotation(Classical[Any]):
    """Rows as if every update were one of R."""

    def _row(self, i: int, x: Hashable, y: Hashable, z: Hashable) -> Row:
        return super()._row(0, x, y, z)


class IgnoresMultiplicity(Classical[Any]):
    """Deltas with the sign of the update and one copy."""

    def _propagate(self, i: int, x: Hashable, y: Hashable, m: Any) -> None:
        super()._propagate(i, x, y, 1 if m > 0 else -1)


class KeepsZeros(Classical[Any]):
    """Rows whose multiplicity has fallen to zero stay."""

    def _propagate(self, i: int, x: Hashable, y: Hashable, m: Any) -> None:
        for z, k in self._delta(i, x, y):
            row = self._row(i, x, y, z)
            self.result[row] = self.result.get(row, 0) + m * k


class DropsNegative(Naive[Any]):
    """Right in ℕ, wrong in ℤ: a negative multiplicity taken for absence."""

    def _result(self) -> dict[Row, Any]:
        return {row: m for row, m in super()._result().items() if m > 0}


class MissesCrossUpdate(Recursive[Any]):
    """V_TR is not maintained under updates of R."""

    def _propagate(self, i: int, x: Hashable, y: Hashable, m: Any) -> None:
        kept = {key: dict(entry) for key, entry in self.views[1].items()}
        super()._propagate(i, x, y, m)
        if i == 0:
            self.views[1] = kept


class TransposesView(Factorized[Any]):
    """V_ST looked up at (a, b) instead of (b, a)."""

    def _delta(self, i: int, x: Hashable, y: Hashable) -> Iterator[tuple[Hashable, Any]]:
        return super()._delta(i, y, x) if i == 0 else super()._delta(i, x, y)


class ListsTwice(Naive[Any]):
    """Iteration repeats a row; every lookup is right."""

    def __iter__(self) -> Iterator[tuple[Row, Any]]:
        rows = list(super().__iter__())
        return iter(rows + rows[:1])


class LooksUpOnlyHalf(Recompute[Any]):
    """Iteration is right; lookups miss what is above one."""

    def __getitem__(self, row: Row) -> Any:
        return min(super().__getitem__(row), 1)


class OneIndex(Classical[Any]):
    """Deletes do not reach the index on the second column."""

    def _apply(self, i: int, x: Hashable, y: Hashable, m: Any) -> None:
        super()._apply(i, x, y, m)
        if m < 0:
            stored: StoredRelation[Any] = self.relations[i]
            stored.columns.setdefault(y, {}).setdefault(x, 1)


PLANTED: list[tuple[type[Approach[Any]], str]] = [
    (DropsT, "N"),
    (SwapsHead, "N"),
    (ForgetsRotation, "N"),
    (IgnoresMultiplicity, "N"),
    (KeepsZeros, "N"),
    (DropsNegative, "Z"),
    (MissesCrossUpdate, "N"),
    (TransposesView, "N"),
    (ListsTwice, "N"),
    (LooksUpOnlyHalf, "N"),
    (OneIndex, "N"),
]


@pytest.mark.parametrize(("bug", "ring"), PLANTED, ids=lambda value: getattr(value, "__name__", value))
def test_a_planted_bug_is_found(bug: type[Approach[Any]], ring: str, rng: Random) -> None:
    def find() -> str | None:
        model = model_of(ring)
        updates = random_updates(rng, model, DOMAIN, 60)
        return first_difference(lambda: bug("AB", RINGS[ring]), model, updates, DOMAIN)

    assert any(find() for _ in range(5))


def test_the_planted_negative_bug_is_no_bug_in_the_naturals(rng: Random) -> None:
    model = model_of("N")
    updates = random_updates(rng, model, DOMAIN, 60)
    assert first_difference(lambda: DropsNegative("AB"), model, updates, DOMAIN) is None
    assert differences(model, DropsNegative("AB"), DOMAIN) != []  # an empty one is not the same database
