"""`solve_oumv`: the reduction behind the lower bound, as a program on the public API.

Paper: def:OuMv, fig:lower_bound_reduction, prop:lower_bound_triangle. S is the matrix, R = {a} × u and
T = v × {a} for one constant a; then uᵀMv = 1 iff the result of the triangle query is not empty, whatever its
free variables. With updates in O(|D|^{½−γ}) and delays in O(|D|^{1−γ}) for some γ > 0, this program would
take O(n^{3−2γ}) time for n pairs, which conj:OuMv says is impossible.

Difference from the figure: an update by zero is not an update, and is skipped (ERRATA E6).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ivme.view import TriangleView
from ivme_spec.errors import ArityError, InputError

_A = "a"


def solve_oumv(
    matrix: Iterable[Iterable[object]],
    vector_pairs: Iterable[tuple[Iterable[object], Iterable[object]]],
    free: str = "",
    epsilon: object = "1/2",
) -> Iterator[int]:
    """The Boolean products uᵀMv for pairs (u, v), each before the next pair is asked for.

    matrix        n rows of n entries that equal 0 or 1
    vector_pairs  pairs of vectors of n such entries; any number of them
    free          the triangle query to use, as for `TriangleView`
    epsilon       its ε; ½ gives the least total time

    Cost, with N = n² and μ = max(ε,1−ε): O(n²·N^μ) before the first pair; for a pair O(n·N^μ) and one delay
    of the query; O(n³) for n pairs at ε = ½.  Bad input: an `InputError`, at once for the matrix, else when
    the pair's turn comes, with the pair's position (from 0) in `error.position`.

    >>> list(solve_oumv([[0, 1], [0, 0]], [([1, 0], [0, 1]), ([0, 1], [0, 1])]))
    [1, 0]
    """
    rows = [_bits(row, f"row {i} of the matrix") for i, row in enumerate(_entries(matrix, "the matrix"))]
    for i, row in enumerate(rows):
        if len(row) != len(rows):
            raise ArityError(
                f"row {i} of the matrix has {len(row)} entries, but there are {len(rows)} rows: "
                "the matrix must be square"
            )
    pairs = _entries(vector_pairs, "vector_pairs")
    view = TriangleView(free, epsilon)
    for i, row in enumerate(rows):
        for j, bit in enumerate(row):
            if bit:
                view.insert("S", i, j)
    return _products(view, len(rows), pairs)


def _products(view: TriangleView[int], n: int, pairs: Iterable[object]) -> Iterator[int]:
    """Lines 5 to 11 of the figure."""
    old_u, old_v = [0] * n, [0] * n
    for position, given in enumerate(pairs):
        try:
            u, v = _vectors(given, n)
        except InputError as error:
            raise error.at("pair", position) from error
        for i in range(n):
            if u[i] != old_u[i]:
                view.update("R", _A, i, u[i] - old_u[i])
            if v[i] != old_v[i]:
                view.update("T", i, _A, v[i] - old_v[i])
        old_u, old_v = u, v
        yield int(any(True for _ in view))  # opens an enumeration and asks for its first row


def _vectors(given: object, n: int) -> tuple[list[int], list[int]]:
    both = list(_entries(given, "the pair"))
    if len(both) != 2:
        raise ArityError(f"{given!r} is not a pair of vectors")
    u, v = _bits(both[0], "the first vector"), _bits(both[1], "the second vector")
    for vector, name in ((u, "first"), (v, "second")):
        if len(vector) != n:
            raise ArityError(f"the {name} vector has {len(vector)} entries; the matrix has {n} rows")
    return u, v


def _entries(given: object, what: str) -> Iterable[object]:
    if not isinstance(given, Iterable):
        raise ArityError(f"{what} is {given!r}, which is not iterable")
    return given


def _bits(given: object, what: str) -> list[int]:
    """The entries as 0 and 1."""
    bits = []
    for position, entry in enumerate(_entries(given, what)):
        if entry != 0 and entry != 1:
            raise InputError(f"entry {position} of {what} is {entry!r}; a Boolean entry is 0 or 1")
        bits.append(int(entry == 1))
    return bits
