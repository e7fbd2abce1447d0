"""The rings of multiplicities; see `ivme_spec.rings`."""

import re
from typing import Any

from ivme_spec.rings import INTEGERS, NATURALS, POLYNOMIALS, Element, Polynomial, Residue, Ring, modular

__all__ = [
    "INTEGERS",
    "NATURALS",
    "POLYNOMIALS",
    "Element",
    "Polynomial",
    "Residue",
    "Ring",
    "modular",
    "ring_named",
]


def ring_named(name: object) -> Ring[Any] | None:
    """The ring of a name in a file, ℕ, ℤ, ℤ[X] or ℤ/m with m ≥ 2; None if there is none.

    Which ring it is, and so the type of the multiplicities, is known only when the file is read.
    """
    for ring in (NATURALS, INTEGERS, POLYNOMIALS):
        if name == ring.name:
            return ring
    if isinstance(name, str) and (found := re.fullmatch(r"ℤ/([1-9][0-9]{0,4000})", name)):
        return modular(int(found[1])) if found[1] != "1" else None
    return None
