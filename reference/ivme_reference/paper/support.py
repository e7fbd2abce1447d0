"""The product ring ℤ × K, which counts derivations beside multiplicities.

Repairs ERRATA E7. Every present tuple of an input relation has support 1, so the support of a tuple of a view
is the number of its derivations: it is present iff that is not 0, whatever its multiplicities add up to.
"""

from __future__ import annotations

from typing import Generic

from attrs import frozen

from ivme_spec.rings import P, Ring


@frozen
class Supported(Generic[P]):
    """An element of ℤ × K."""

    support: int
    payload: P

    def __add__(self, other: Supported[P]) -> Supported[P]:
        return Supported(self.support + other.support, self.payload + other.payload)

    def __mul__(self, other: Supported[P]) -> Supported[P]:
        return Supported(self.support * other.support, self.payload * other.payload)

    def __neg__(self) -> Supported[P]:
        return Supported(-self.support, -self.payload)

    def __bool__(self) -> bool:
        return self.support != 0 or bool(self.payload)


def supported(ring: Ring[P]) -> Ring[Supported[P]]:
    """ℤ × K for the ring K; a multiplicity is lifted to that of a present tuple."""
    return Ring(
        f"ℤ × {ring.name}",
        Supported(0, ring.zero),
        Supported(1, ring.one),
        lambda multiplicity: Supported(1, ring.lift(multiplicity)),
        ring.signed,
    )


def supported_change(before: P, change: P) -> Supported[P]:
    """The update in ℤ × K that takes a tuple of an input relation from `before` to `before + change`."""
    return Supported(bool(before + change) - bool(before), change)
