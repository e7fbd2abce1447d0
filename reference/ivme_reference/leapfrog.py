"""Static recomputation with a worst-case optimal join.

Paper: sec:intro (the naïve approach, recomputing in O(|D|^{3/2})) and sec:staticFull. One variable after the
other, as in Leapfrog Triejoin: the values a of R and T, for each of them the values b of R(a,·) and S, for
each pair the values c of S(b,·) and T(·,a). Where Leapfrog seeks in sorted lists, an intersection here walks
the smaller set and probes the larger one: values need only be hashable, and there is no logarithm.

Bound: the first two levels look at no more than |R| values each, and the third at no more than

    Σ_{(a,b) ∈ R} min(|S(b,·)|, |T(·,a)|)  ≤  Σ_{(a,b) ∈ R} √(|S(b,·)| · |T(·,a)|)  ≤  √(|R| · |S| · |T|),

the last by Cauchy-Schwarz. With two steps for each value looked at and one for each triangle found,

    steps of an answer  ≤  4·|R| + 3·√(|R| · |S| · |T|)  ≤  4·|D| + 3·(|D|/3)^{3/2}.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ivme_reference.protocol import Approach
from ivme_reference.storage import K, U, V, add_to, common
from ivme_spec.relations import Row
from ivme_spec.rings import P


class Recompute(Approach[P]):
    """Recompute with a worst-case optimal join.

    Cost: an update O(1); an answer (iteration or lookup) O(|D|^{3/2}), counted in `steps`; space O(|D|), plus
    the result while it is read.
    """

    def _result(self) -> Mapping[Row, P]:
        r, s, t = self.relations
        result: dict[Row, P] = {}
        for a, r_row, t_column in self._common(r.rows, t.columns):
            for b, k, s_row in self._common(r_row, s.rows):
                for c, m, n in self._common(s_row, t_column):
                    add_to(result, self._row(0, a, b, c), k * m * n)
                    self.steps += 1
        return result

    def _common(self, left: Mapping[K, U], right: Mapping[K, V]) -> Iterator[tuple[K, U, V]]:
        self.steps += 2 * min(len(left), len(right))
        return common(left, right)
