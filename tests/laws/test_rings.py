"""The ring laws, for every ring of ivme_spec, and what becomes an element of it."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme_spec import rings
from ivme_spec.errors import InputError, MultiplicityError
from ivme_spec.rings import INTEGERS, NATURALS, POLYNOMIALS, Polynomial, Residue, Ring, integer, modular

SIGNED: list[Ring[Any]] = [INTEGERS, modular(2), modular(6), modular(7), POLYNOMIALS]
ALL = [NATURALS, *SIGNED]


def test_every_ring_of_the_spec_is_tested_here() -> None:
    named = {name: value for name, value in vars(rings).items() if isinstance(value, Ring)}
    assert [name for name, ring in named.items() if not any(ring is other for other in ALL)] == []
    assert len(named) >= 3


def elements(ring: Ring[Any]) -> st.SearchStrategy[Any]:
    if ring is POLYNOMIALS:
        monomials = st.lists(st.sampled_from("xyz"), max_size=3).map(lambda names: tuple(sorted(names)))
        coefficients = st.integers(-3, 3).filter(bool)
        return st.dictionaries(monomials, coefficients, max_size=4).map(Polynomial)
    return st.integers(0 if ring is NATURALS else -20, 20).map(ring.lift)


@pytest.mark.parametrize("ring", ALL, ids=str)
@given(data=st.data())
def test_commutative_semiring_laws(ring: Ring[Any], data: st.DataObject) -> None:
    x, y, z = (data.draw(elements(ring)) for _ in range(3))
    assert (x + y) + z == x + (y + z)
    assert x + y == y + x
    assert x + ring.zero == x
    assert (x * y) * z == x * (y * z)
    assert x * y == y * x
    assert x * ring.one == x
    assert x * (y + z) == x * y + x * z
    assert x * ring.zero == ring.zero


@pytest.mark.parametrize("ring", SIGNED, ids=str)
@given(data=st.data())
def test_negation_and_truth(ring: Ring[Any], data: st.DataObject) -> None:
    x, y = data.draw(elements(ring)), data.draw(elements(ring))
    assert x + -x == ring.zero
    assert -(x * y) == -x * y
    assert bool(x) == (x != ring.zero)
    assert ring.one
    assert not ring.zero
    if x == y:
        assert hash(x) == hash(y)


@pytest.mark.parametrize("ring", ALL, ids=str)
@given(data=st.data())
def test_lift_is_a_homomorphism_and_leaves_elements_alone(ring: Ring[Any], data: st.DataObject) -> None:
    i, j = data.draw(st.integers(0, 50)), data.draw(st.integers(0, 50))
    assert ring.lift(i) + ring.lift(j) == ring.lift(i + j)
    assert ring.lift(i) * ring.lift(j) == ring.lift(i * j)
    x = data.draw(elements(ring))
    assert ring.lift(x) == x
    assert ring.lift(0) == ring.zero
    assert ring.lift(1) == ring.one


def test_zero_divisors_cancellation_and_residues() -> None:
    six = modular(6)
    assert not six.lift(2) * six.lift(3)
    assert not six.lift(2) + six.lift(4)
    assert six.lift(-1) == 5 == six.lift(11)
    assert six.lift(1) != modular(5).lift(1)
    assert repr(six.lift(8)) == "2 (mod 6)"


def test_polynomials_keep_no_zero_terms() -> None:
    x = Polynomial.variable("x")
    assert not x + -x
    assert (x + Polynomial.constant(1)) * (x + Polynomial.constant(-1)) == x * x + Polynomial.constant(-1)
    assert repr(x * x + x) == "1·x + 1·x·x"
    assert repr(Polynomial()) == "0"


class Whole:
    """An integer of somebody else's, as NumPy has them."""

    def __index__(self) -> int:
        return 3


class Wide(int):
    """A subclass of int."""


@pytest.mark.parametrize("good", [1, -7, 10**40, Whole(), Wide(3)])
def test_integers_of_all_kinds_are_multiplicities(good: Any) -> None:
    assert type(integer(good)) is int
    assert integer(good) == good.__index__()


BAD = [True, False, 1.0, 0.5, float("nan"), "1", b"1", None, (1,), [1], Fraction(1), 1j, int, Whole]


@pytest.mark.parametrize("ring", ALL, ids=str)
@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_everything_else_is_refused(ring: Ring[Any], bad: object) -> None:
    for entry in (ring.lift, ring.nonzero):
        with pytest.raises(MultiplicityError) as caught:
            entry(bad)
        assert repr(bad) in str(caught.value)


@pytest.mark.parametrize(
    ("ring", "zero"),
    [
        (NATURALS, 0),
        (INTEGERS, 0),
        (modular(6), 12),
        (modular(6), Residue(0, 6)),
        (POLYNOMIALS, Polynomial()),
    ],
    ids=str,
)
def test_zero_is_refused_for_an_update(ring: Ring[Any], zero: object) -> None:
    with pytest.raises(MultiplicityError, match="zero") as caught:
        ring.nonzero(zero)
    assert repr(zero) in str(caught.value)


def test_residues_of_another_modulus_are_refused() -> None:
    with pytest.raises(MultiplicityError, match="mod 5"):
        modular(6).lift(Residue(1, 5))


@pytest.mark.parametrize("bad", [1, 0, -3, True, 2.0, "6", None], ids=repr)
def test_bad_moduli(bad: Any) -> None:
    with pytest.raises(InputError) as caught:
        modular(bad)
    assert repr(bad) in str(caught.value)
