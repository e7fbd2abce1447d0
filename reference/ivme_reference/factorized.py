"""Factorized IVM: recursive IVM with one of its three views.

Paper: sec:intro ("The factorized IVM materializes only one of the three views, for instance, V_ST").
Equation and invariant: those of `recursive`, for V_ST alone. An update of S or T maintains V_ST and takes its
delta of the result as in classical IVM.
"""

from __future__ import annotations

from ivme_reference.recursive import Recursive
from ivme_spec.rings import P


class Factorized(Recursive[P]):
    """Factorized IVM with the view V_ST.

    Cost: an update of R O(1), and O(1) for each entry of its delta where C is free; of S or T O(|D|). An
    answer O(1), for a lookup and as delay. Space and preprocessing O(|D|²).
    """

    closing = ("R",)
