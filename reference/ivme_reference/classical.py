"""Classical first-order IVM: the result is materialized, and each update computes its delta on the fly.

Paper: sec:intro, sec:classicalIVM. Equation, for an update {(x, y) ↦ m} of relation i with the schema
(Xᵢ, Xᵢ₊₁), and K the relations:

    δ△(x, y, z) = m · Kᵢ₊₁(y, z) · Kᵢ₊₂(z, x),   summed over the variables that are not free

Invariant: `result` is the result of the query, without zeros.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from ivme_reference.protocol import Approach
from ivme_reference.storage import add_to, common
from ivme_spec.relations import Row
from ivme_spec.rings import P


class Classical(Approach[P]):
    """First-order IVM.

    Cost: an update O(|D|), with two or three steps for each value of the smaller set of z-values; an answer
    O(1), for a lookup and as delay; space O(|D|^{3/2}); preprocessing O(|D|^{3/2}), since only the deltas of
    the relation loaded last find partners, and `leapfrog` bounds their sum.
    """

    def _prepare(self) -> None:
        self.result: dict[Row, P] = {}

    def _propagate(self, i: int, x: Hashable, y: Hashable, m: P) -> None:
        for z, product in self._delta(i, x, y):
            add_to(self.result, self._row(i, x, y, z), m * product)
            self.steps += 1

    def _delta(self, i: int, x: Hashable, y: Hashable) -> Iterator[tuple[Hashable, P]]:
        """z ↦ Kᵢ₊₁(y, z) · Kᵢ₊₂(z, x), where both are present."""
        row, column = self.relations[(i + 1) % 3].row(y), self.relations[(i + 2) % 3].column(x)
        self.steps += 2 * min(len(row), len(column))
        return ((z, left * right) for z, left, right in common(row, column))

    def _result(self) -> Mapping[Row, P]:
        return self.result
