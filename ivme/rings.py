"""The rings of multiplicities; see `ivme_spec.rings`."""

from ivme_spec.rings import INTEGERS, NATURALS, POLYNOMIALS, Element, Polynomial, Residue, Ring, modular

__all__ = ["INTEGERS", "NATURALS", "POLYNOMIALS", "Element", "Polynomial", "Residue", "Ring", "modular"]
