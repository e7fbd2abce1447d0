"""The OuMv problem solved by maintaining a triangle query.

Paper: fig:lower_bound_reduction, for prop:lower_bound_triangle. Comments give the lines of the figure.
"""

from __future__ import annotations

from collections.abc import Sequence

from ivme_reference.paper.repairs import ALL, Repair, Repairs
from ivme_reference.protocol import TriangleQuery

Matrix = Sequence[Sequence[int]]
Vector = Sequence[int]


def solve_oumv(
    matrix: Matrix, pairs: Sequence[tuple[Vector, Vector]], query: TriangleQuery[int], repairs: Repairs = ALL
) -> list[bool]:
    """SolveOuMv: uᵀMv for each pair (u, v), with a query over the empty database, of any arity (line 1).

    As printed it also sends updates of multiplicity 0, which are no updates by definition (ERRATA E6).
    """

    def send(relation: str, x: int, y: int, m: int) -> None:
        if m != 0 or Repair.REJECTED_UPDATES not in repairs:
            query.update(relation, x, y, m)

    n, a = len(matrix), 0
    now_u, now_v = [0] * n, [0] * n  # R(a,·) and T(·,a)
    for i, j in ((i, j) for i in range(n) for j in range(n) if matrix[i][j]):  # 2
        send("S", i, j, matrix[i][j])  # 3-4
    outputs = []
    for u, v in pairs:  # 5
        for i in range(n):  # 6
            send("R", a, i, u[i] - now_u[i])  # 7-8
            send("T", i, a, v[i] - now_v[i])  # 9-10
            now_u[i], now_v[i] = u[i], v[i]
        outputs.append(any(True for _ in query))  # 11
    return outputs
