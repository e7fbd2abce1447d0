"""Multiplicities of other rings: one of the user's own, and sums and products that are zero."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest
from attrs import frozen

from ivme import MultiplicityError, Ring, TriangleView
from ivme_spec.queries import HEADS, QUERIES, Query
from ivme_spec.relations import RELATIONS
from ivme_spec.rings import INTEGERS, POLYNOMIALS, Polynomial, integer, modular
from tests.agreement.harness import EPSILONS, Run
from tests.agreement.sequences import core_database, drive, hub, random_updates, shake, spread_database

# --- a ring of one's own ------------------------------------------------------------------------------------


@frozen
class Gaussian:
    """a + bi, exactly."""

    a: int
    b: int

    def __add__(self, other: Gaussian) -> Gaussian:
        return Gaussian(self.a + other.a, self.b + other.b)

    def __mul__(self, other: Gaussian) -> Gaussian:
        return Gaussian(self.a * other.a - self.b * other.b, self.a * other.b + self.b * other.a)

    def __neg__(self) -> Gaussian:
        return Gaussian(-self.a, -self.b)

    def __bool__(self) -> bool:
        return bool(self.a or self.b)


def gaussian(multiplicity: object) -> Gaussian:
    if isinstance(multiplicity, Gaussian):
        return multiplicity
    if isinstance(multiplicity, int):
        return Gaussian(multiplicity, 0)
    raise MultiplicityError(f"{multiplicity!r} is not a Gaussian integer")


GAUSSIANS = Ring("ℤ[i]", Gaussian(0, 0), Gaussian(1, 0), gaussian)
I = Gaussian(0, 1)  # noqa: E741 - it is its name


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("query", QUERIES)
def test_a_ring_of_your_own_works_with_every_head(query: Query, epsilon: Fraction, rng: Random) -> None:
    run = Run(query, epsilon, GAUSSIANS, rng, core_database(rng, 8, GAUSSIANS))
    for name, x, y, m in random_updates(run, 12, domain=3):
        turned = m * I if rng.random() < 0.5 and (x, y) not in run.tuples[name] else m
        run.update(name, x, y, turned)
    run.play(drive(run, "R", 0, 1) if epsilon < Fraction(1, 2) else ())


def test_the_example_of_the_readme() -> None:
    view = TriangleView("A", ring=GAUSSIANS, database={"R": {(1, 2): I}, "S": {(2, 3): I}, "T": [(3, 1)]})
    assert dict(view) == {(1,): Gaussian(-1, 0)}
    view.delete("T", 3, 1, Gaussian(0, 1))
    assert view[(1,)] == Gaussian(-1, 1)
    with pytest.raises(MultiplicityError, match=r"2\.5"):
        view.insert("R", 1, 2, 2.5)
    with pytest.raises(MultiplicityError, match="zero"):
        view.insert("R", 1, 2, Gaussian(0, 0))


def test_a_ring_needs_no_equality() -> None:
    """`+`, `*`, `-` and a truth value suffice, also for `check()`."""

    class Bare:
        def __init__(self, value: int) -> None:
            self.value = value

        def __add__(self, other: Bare) -> Bare:
            return Bare(self.value + other.value)

        def __mul__(self, other: Bare) -> Bare:
            return Bare(self.value * other.value)

        def __neg__(self) -> Bare:
            return Bare(-self.value)

        def __bool__(self) -> bool:
            return self.value != 0

    ring = Ring("bare", Bare(0), Bare(1), lambda m: m if isinstance(m, Bare) else Bare(integer(m)))
    for free in HEADS:
        view = TriangleView(free, "1/3", ring=ring, database=spread_database(ring), debug=True)
        view.update("R", 0, 0, -2)
        view.delete("S", 1, 1)
        assert sum(m.value for _, m in view) == 64 - 8 - 4


# --- zeros --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("free", [*HEADS, "BA", "CBA"])
def test_rows_that_cancel_are_not_reported_and_come_back(free: str, rng: Random) -> None:
    """ERRATA E7, on hubs, so that the cancelling sums stand in summed and in kept trees."""
    for epsilon, first in product(map(Fraction, ("1/4", "1/3")), range(3)):
        database = hub(first, 2, 1, epsilon, INTEGERS)
        for rows in database.values():
            rows.update((row, (-1) ** n) for n, row in enumerate(rows))
        run = Run(Query(free), epsilon, INTEGERS, rng, database)
        run.play(shake(run, first, 4))


@pytest.mark.parametrize("epsilon", ["0", "1/4", "1"])
def test_the_counterexamples_of_erratum_7(epsilon: str) -> None:
    def view(free: str, ring: Ring[Any], r: tuple[int, int], t: int) -> TriangleView[Any]:
        made: TriangleView[Any] = TriangleView(free, epsilon, ring=ring)
        for update in (("R", 0, 0, r[0]), ("R", 0, 1, r[1]), ("S", 0, 0, 1), ("S", 1, 0, 1), ("T", 0, 0, t)):
            made.update(*update)
            made.check()
        return made

    z6 = modular(6)
    assert dict(view("ABC", INTEGERS, (1, -1), 1)) == {(0, 0, 0): 1, (0, 1, 0): -1}
    assert dict(view("ABC", z6, (2, 4), 1)) == {(0, 0, 0): 2, (0, 1, 0): 4}
    assert dict(view("ABC", z6, (2, 1), 3)) == {(0, 1, 0): 3}
    assert dict(view("A", INTEGERS, (1, -1), 1)) == {}
    assert dict(view("CA", z6, (2, 4), 1)) == {}


def test_in_a_modular_ring_a_tuple_vanishes_when_its_copies_do() -> None:
    view = TriangleView("", ring=modular(2))
    for name in RELATIONS:
        view.insert(name, 0, 0)
    assert view[()] == 1
    view.insert("R", 0, 0)
    assert list(view) == []
    assert view.size == 2
    view.check()


@pytest.mark.parametrize("query", QUERIES)
def test_polynomials_prove_the_query_for_all_multiplicities(query: Query) -> None:
    """With a variable for each tuple, a row is the sum over its triangles of their products."""
    view = TriangleView(query.free, "1/4", partitioning=query.partitioning, ring=POLYNOMIALS)
    for name, x, y in product(RELATIONS, range(2), range(2)):
        view.insert(name, x, y, Polynomial.variable(f"{name}{x}{y}"))
    expected: dict[tuple[int, ...], dict[tuple[str, ...], int]] = {}
    for a, b, c in product(range(2), repeat=3):
        row = tuple({"A": a, "B": b, "C": c}[letter] for letter in query.free)
        expected.setdefault(row, {})[f"R{a}{b}", f"S{b}{c}", f"T{c}{a}"] = 1
    assert dict(view) == {row: Polynomial(terms) for row, terms in expected.items()}
