"""The naïve approach: store only the input and evaluate the query's definition for every answer.

Paper: sec:intro ("The naïve approach incurs constant-time updates"). Equation:

    △(F) = Σ over the variables not in F of R(a,b) · S(b,c) · T(c,a)

Invariant: nothing is materialized, so nothing can be stale. All others are compared with this one;
`leapfrog.Recompute` is the same approach with a join that meets the paper's O(|D|^{3/2}).
"""

from __future__ import annotations

from collections.abc import Mapping

from ivme_reference.protocol import Approach
from ivme_spec.algebra import evaluate
from ivme_spec.queries import triangle_query
from ivme_spec.relations import Row
from ivme_spec.rings import P


class Naive(Approach[P]):
    """Recompute by definition.

    Cost: an update O(1); an answer (iteration or lookup) up to O(|D|²), since R · S comes first, and its
    steps are not counted; space O(|D|).
    """

    def _result(self) -> Mapping[Row, P]:
        return evaluate(triangle_query(self.free), self.database()).entries
