"""Recursive IVM: the part of each delta that does not depend on the update is materialized too.

Paper: sec:intro, with the views for the count query

    V_ST(b,a) = Σ_c S(b,c) · T(c,a)      V_TR(c,b) = Σ_a T(c,a) · R(a,b)      V_RS(a,c) = Σ_b R(a,b) · S(b,c)

so that δ△₀() = δR(α,β) · V_ST(β,α), one lookup, and likewise for S and T. For another head the delta has one
entry for each value of the third variable where that variable is free, so the view over it keeps it:

    stored for the relation i that closes the triangle, (y, x) ↦ {z ↦ Kᵢ₊₁(y,z) · Kᵢ₊₂(z,x)}   if Xᵢ₊₂ is free
                                                        (y, x) ↦ {SUMMED ↦ Σ_z of these}        otherwise

Invariant: besides that of `classical`, `views[i]` holds this for every i in `closing`, without zeros.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from ivme_reference.classical import Classical
from ivme_reference.storage import add_below
from ivme_spec.relations import RELATIONS, VARIABLES
from ivme_spec.rings import P

SUMMED = ()
"""Stands for the third value in a view that sums over it."""

View = dict[tuple[Hashable, Hashable], dict[Hashable, P]]


class Recursive(Classical[P]):
    """Recursive IVM with its three views.

    Cost: an update O(|D|), to maintain the two views that its relation is part of; the delta of the result
    alone takes O(1), and O(1) for each of its entries where the third variable is free. An answer O(1), for a
    lookup and as delay. Space and preprocessing O(|D|²).
    """

    closing: tuple[str, ...] = RELATIONS
    """The relations with a view over the two others: R has V_ST, S has V_TR, T has V_RS."""

    def _prepare(self) -> None:
        super()._prepare()
        self.views: dict[int, View[P]] = {RELATIONS.index(name): {} for name in self.closing}

    def _propagate(self, i: int, x: Hashable, y: Hashable, m: P) -> None:
        super()._propagate(i, x, y, m)
        after, before = (i + 1) % 3, (i + 2) % 3
        if before in self.views:
            for z, k in self.relations[after].row(y).items():
                self._add(before, (x, z), y, m * k)
        if after in self.views:
            for z, k in self.relations[before].column(x).items():
                self._add(after, (z, y), x, k * m)

    def _add(self, closing: int, key: tuple[Hashable, Hashable], middle: Hashable, m: P) -> None:
        """Change the view that the relation `closing` closes."""
        kept = middle if VARIABLES[(closing + 2) % 3] in self.free else SUMMED
        add_below(self.views[closing], key, kept, m)
        self.steps += 2

    def _delta(self, i: int, x: Hashable, y: Hashable) -> Iterator[tuple[Hashable, P]]:
        """The entries of the view that relation i closes; without one, as in classical IVM."""
        if i not in self.views:
            return super()._delta(i, x, y)
        self.steps += 1
        return iter(self.views[i].get((y, x), {}).items())
