"""solve_oumv equals direct multiplication for every head, asks online, and refuses what is not Boolean."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from ivme import ArityError, EpsilonError, HeadError, InputError, TriangleView, solve_oumv
from ivme_spec.queries import HEADS
from ivme_spec.relations import RelationName

Matrix = list[list[int]]
Vectors = list[tuple[list[int], list[int]]]

EPSILONS = ("0", "1/3", "1/2", "3/4", "1")


def multiply(matrix: Matrix, u: list[int], v: list[int]) -> int:
    """uᵀMv in the Boolean semiring."""
    n = range(len(matrix))
    return int(any(u[i] and matrix[i][j] and v[j] for i in n for j in n))


def instance(rng: Random, n: int, density: float, rounds: int) -> tuple[Matrix, Vectors]:
    def vector(share: float) -> list[int]:
        return [int(rng.random() < share) for _ in range(n)]

    matrix = [vector(density) for _ in range(n)]
    return matrix, [(vector(rng.choice((0.1, 0.5))), vector(rng.choice((0.1, 0.5)))) for _ in range(rounds)]


def agrees(matrix: Matrix, pairs: Vectors, free: str, epsilon: str) -> bool:
    return list(solve_oumv(matrix, pairs, free, epsilon)) == [multiply(matrix, u, v) for u, v in pairs]


@pytest.mark.parametrize("free", [*HEADS, "BA", "CAB"], ids=lambda free: free or "count")
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_equals_direct_multiplication(free: str, epsilon: str, rng: Random) -> None:
    for n, density in ((0, 0.5), (1, 1.0), (2, 0.5), (6, 0.0), (9, 0.1), (12, 0.03), (12, 0.5), (5, 1.0)):
        matrix, pairs = instance(rng, n, density, max(n, 2))
        assert agrees(matrix, pairs, free, epsilon)


def test_both_bits_occur_in_what_is_compared() -> None:
    matrix, pairs = instance(Random(1), 12, 0.1, 40)
    bits = list(solve_oumv(matrix, pairs))
    assert 5 < sum(bits) < 35


@pytest.mark.parametrize("free", HEADS, ids=lambda free: free or "count")
def test_planted_bugs_are_found(free: str, monkeypatch: pytest.MonkeyPatch) -> None:
    update = TriangleView.update

    def forgets_deletes_of_t(self: TriangleView[Any], relation: RelationName, x: Any, y: Any, m: Any) -> None:
        if relation != "T" or m > 0:
            update(self, relation, x, y, m)

    def forgets_some_of_r(self: TriangleView[Any], relation: RelationName, x: Any, y: Any, m: Any) -> None:
        if relation != "R" or y % 2:
            update(self, relation, x, y, m)

    def turns_s(self: TriangleView[Any], relation: RelationName, x: Any, y: Any) -> None:
        update(self, relation, y, x, 1)

    matrix, pairs = instance(Random(1), 12, 0.1, 40)
    assert agrees(matrix, pairs, free, "1/2")
    for name, broken in (
        ("update", forgets_deletes_of_t),
        ("update", forgets_some_of_r),
        ("insert", turns_s),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(TriangleView, name, broken)
            assert not agrees(matrix, pairs, free, "1/2")


def test_zero_updates_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, Any, Any, Any]] = []

    def noting(method: Callable[..., None]) -> Callable[..., None]:
        def noted(view: TriangleView[Any], relation: RelationName, x: Any, y: Any, m: Any = 1) -> None:
            seen.append((relation, x, y, m))
            method(view, relation, x, y, m)

        return noted

    for method in (TriangleView.insert, TriangleView.update):
        monkeypatch.setattr(TriangleView, method.__name__, noting(method))
    pairs: Vectors = [([1, 0], [0, 1]), ([1, 0], [0, 1]), ([1, 1], [0, 0])]
    assert list(solve_oumv([[0, 1], [0, 0]], pairs)) == [1, 1, 0]
    assert seen[0] == ("S", 0, 1, 1)
    assert seen[1:] == [("R", "a", 0, 1), ("T", 1, "a", 1), ("R", "a", 1, 1), ("T", 1, "a", -1)]


def test_answers_before_the_next_pair_is_asked_for() -> None:
    asked = []

    def pairs() -> Iterator[tuple[list[int], list[int]]]:
        for r in range(3):
            asked.append(r)
            yield [1], [r % 2]

    bits = solve_oumv([[1]], pairs())
    assert asked == []
    for r in range(3):
        assert next(bits) == r % 2
        assert asked == list(range(r + 1))
    assert list(bits) == []


def test_boolean_entries_of_any_kind() -> None:
    assert list(solve_oumv([[True, False], [0, 1.0]], [((0, 1), (False, True))])) == [1]


BAD_MATRICES: list[tuple[Any, type[InputError], str]] = [
    (5, ArityError, "the matrix is 5, which is not iterable"),
    ([1, 0], ArityError, "row 0 of the matrix is 1, which is not iterable"),
    (
        [[1, 0]],
        ArityError,
        "row 0 of the matrix has 2 entries, but there are 1 rows: the matrix must be square",
    ),
    ([[1, 0], [1]], ArityError, "row 1 of the matrix has 1 entries"),
    ([[1, 2], [0, 0]], InputError, "entry 1 of row 0 of the matrix is 2; a Boolean entry is 0 or 1"),
    (["10", "01"], InputError, "entry 0 of row 0 of the matrix is '1'"),
    ([[None]], InputError, "is None"),
]


@pytest.mark.parametrize(("matrix", "error", "message"), BAD_MATRICES)
def test_bad_matrix_is_refused_at_once(matrix: Any, error: type[InputError], message: str) -> None:
    with pytest.raises(error, match=message):
        solve_oumv(matrix, [])


BAD_PAIRS: list[tuple[Any, type[InputError], str]] = [
    (3, ArityError, "pair at position 1: the pair is 3"),
    (([0, 1],), ArityError, "is not a pair of vectors"),
    (([0, 1], [0, 1], [0, 1]), ArityError, "is not a pair of vectors"),
    (([0], [0, 1]), ArityError, "the first vector has 1 entries; the matrix has 2 rows"),
    (([0, 1], [0, 1, 1]), ArityError, "the second vector has 3 entries"),
    (([0, 1], [0, -1]), InputError, "entry 1 of the second vector is -1"),
    ((1, [0, 1]), ArityError, "the first vector is 1"),
]


@pytest.mark.parametrize(("pair", "error", "message"), BAD_PAIRS)
def test_bad_pair_is_refused_in_its_turn(pair: Any, error: type[InputError], message: str) -> None:
    bits = solve_oumv([[0, 1], [0, 0]], [([1, 0], [0, 1]), pair])
    assert next(bits) == 1
    with pytest.raises(error, match=message) as raised:
        next(bits)
    assert raised.value.position == 1


def test_bad_parameters_are_refused_at_once() -> None:
    with pytest.raises(ArityError, match="vector_pairs is 7"):
        solve_oumv([], 7)  # type: ignore[arg-type]
    with pytest.raises(HeadError):
        solve_oumv([], [], "X")
    with pytest.raises(EpsilonError):
        solve_oumv([], [], "", 2)
