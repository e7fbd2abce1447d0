"""Rings of multiplicities.

Paper: "Query Language" (sec:data_model) uses the ring (ℤ, +, ·, 0, 1) and restricts the multiplicities of
tuples to be positive; sec:extensions allows other rings. A ring element is any value with `+`, `*`, unary
`-` and a truth value that is false for zero alone; a `Ring` names its zero and one, and lifts what a user
gives as a multiplicity to an element. Engines use the operators of the elements directly, so that `int` pays
nothing for generality.

    NATURALS      positive multiplicities, the paper's own rule: what would fall below zero is refused
    INTEGERS      ℤ: multiplicities of either sign
    modular(m)    ℤ/m, a ring with zero divisors when m is composite
    POLYNOMIALS   ℤ[X], one variable for each tuple: one run proves an identity for all multiplicities
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from operator import index
from typing import Generic, Protocol, Self, SupportsIndex, TypeVar, cast

from attrs import field, frozen

from ivme_spec.errors import InputError, MultiplicityError, shown


class Element(Protocol):
    """What a multiplicity must offer; `int` does."""

    def __add__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self, /) -> Self: ...
    def __neg__(self) -> Self: ...
    def __bool__(self) -> bool: ...


P = TypeVar("P", bound=Element)


@frozen
class Ring(Generic[P]):
    """A commutative ring: its name, zero, one, and how a user's multiplicity becomes an element.

    `lift` raises `MultiplicityError` for what is no element. `signed` is False only for the naturals, where
    an update that leads below zero is refused.
    """

    name: str
    zero: P
    one: P
    lift: Callable[[object], P]
    signed: bool = True

    def nonzero(self, multiplicity: object) -> P:
        """The element for a multiplicity of an update, which must not be zero.  Cost: O(1)."""
        element = self.lift(multiplicity)
        if not element:
            raise MultiplicityError(
                f"multiplicity {shown(multiplicity)} is zero in {self.name}: an update must change something"
            )
        return element

    def __str__(self) -> str:
        return self.name


def integer(multiplicity: object) -> int:
    """An exact integer of any size; bools, floats, strings and the rest are refused.  Cost: O(1)."""
    if type(multiplicity) is int:
        return multiplicity
    if not isinstance(multiplicity, bool):
        # called, not looked up: the class `int` itself has an __index__, and is no integer
        with suppress(TypeError):
            return index(cast(SupportsIndex, multiplicity))
    raise MultiplicityError(
        f"multiplicity {shown(multiplicity)} is a {type(multiplicity).__name__}; it must be an integer"
    )


NATURALS: Ring[int] = Ring("ℕ", 0, 1, integer, signed=False)
INTEGERS: Ring[int] = Ring("ℤ", 0, 1, integer)


class Residue:
    """An element of ℤ/m, kept in 0 … m−1; equal to the integer that represents it."""

    __slots__ = ("modulus", "value")

    def __init__(self, value: int, modulus: int) -> None:
        self.value = value % modulus
        self.modulus = modulus

    def __add__(self, other: Residue) -> Residue:
        return Residue(self.value + other.value, self.modulus)

    def __mul__(self, other: Residue) -> Residue:
        return Residue(self.value * other.value, self.modulus)

    def __neg__(self) -> Residue:
        return Residue(-self.value, self.modulus)

    def __bool__(self) -> bool:
        return self.value != 0

    def __index__(self) -> int:
        return self.value

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Residue):
            return self.value == other.value and self.modulus == other.modulus
        return self.value == other

    def __hash__(self) -> int:
        return hash(self.value)

    def __repr__(self) -> str:
        return f"{self.value} (mod {self.modulus})"


def modular(modulus: int) -> Ring[Residue]:
    """The ring ℤ/m for any m ≥ 2.

    >>> ring = modular(6)
    >>> ring.lift(2) * ring.lift(3) == 0     # zero divisors
    True
    """
    if not isinstance(modulus, int) or isinstance(modulus, bool) or modulus < 2:
        raise InputError(f"modulus {shown(modulus)}: the ring ℤ/m needs an integer m of at least 2")

    def lift(multiplicity: object) -> Residue:
        if isinstance(multiplicity, Residue) and multiplicity.modulus != modulus:
            raise MultiplicityError(f"multiplicity {shown(multiplicity)} is not an element of ℤ/{modulus}")
        return Residue(integer(multiplicity), modulus)

    return Ring(f"ℤ/{modulus}", Residue(0, modulus), Residue(1, modulus), lift)


Monomial = tuple[str, ...]


@frozen
class Polynomial:
    """A polynomial over ℤ: monomials (sorted tuples of variable names) with their nonzero coefficients."""

    terms: Mapping[Monomial, int] = field(factory=dict)

    @staticmethod
    def variable(name: str) -> Polynomial:
        """The polynomial that is one variable.  Cost: O(1)."""
        return Polynomial({(name,): 1})

    @staticmethod
    def constant(value: int) -> Polynomial:
        """An integer as a polynomial.  Cost: O(1)."""
        return Polynomial({(): value} if value else {})

    def __add__(self, other: Polynomial) -> Polynomial:
        terms = dict(self.terms)
        for monomial, coefficient in other.terms.items():
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Polynomial({monomial: c for monomial, c in terms.items() if c})

    def __mul__(self, other: Polynomial) -> Polynomial:
        terms: dict[Monomial, int] = {}
        for left, c in self.terms.items():
            for right, d in other.terms.items():
                monomial = tuple(sorted(left + right))
                terms[monomial] = terms.get(monomial, 0) + c * d
        return Polynomial({monomial: c for monomial, c in terms.items() if c})

    def __neg__(self) -> Polynomial:
        return Polynomial({monomial: -c for monomial, c in self.terms.items()})

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def __repr__(self) -> str:
        return " + ".join("·".join((str(c), *m)) for m, c in sorted(self.terms.items())) or "0"


def _polynomial(multiplicity: object) -> Polynomial:
    return (
        multiplicity if isinstance(multiplicity, Polynomial) else Polynomial.constant(integer(multiplicity))
    )


POLYNOMIALS: Ring[Polynomial] = Ring("ℤ[X]", Polynomial(), Polynomial.constant(1), _polynomial)
