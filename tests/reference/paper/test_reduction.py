"""SolveOuMv computes uᵀMv through a triangle query of any arity (fig:lower_bound_reduction)."""

from random import Random

import pytest

from ivme_reference.paper.engine import PaperEngine
from ivme_reference.paper.reduction import solve_oumv
from ivme_spec.queries import HEADS


@pytest.mark.parametrize("free", HEADS)
def test_solves_oumv(free: str, rng: Random) -> None:
    n = 3
    matrix = [[rng.randrange(2) for _ in range(n)] for _ in range(n)]
    pairs = [tuple(tuple(rng.randrange(2) for _ in range(n)) for _ in range(2)) for _ in range(5)]
    products = [any(u[i] and matrix[i][j] and v[j] for i in range(n) for j in range(n)) for u, v in pairs]
    assert solve_oumv(matrix, [(u, v) for u, v in pairs], PaperEngine(free, "1/2")) == products
