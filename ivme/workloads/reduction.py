"""`oumv`: the workload of the lower bound.

Paper: def:OuMv, fig:lower_bound_reduction, prop:lower_bound_triangle. S is the matrix, R = {a} × u and
T = v × {a}; after each round the result is empty iff uᵀMv = 0, whatever the head.

So that every update is a function of its number, a zero is a tuple too, one that joins with nothing: all
rounds have the same number of updates. Only pairs of indices of different colour may be ones of M, and the
ones of a vector have one colour, drawn for each round. Hence the products are 0 in half of the rounds,
although matrix and vectors are dense.
"""

from __future__ import annotations

from collections.abc import Iterator

from ivme.workloads.core import FAR, FILLER, Section, Update, Workload, mixed

_MATRIX, _COLOURS, _ROUNDS = 0, 1, 2


def oumv(n: int, rounds: int | None = None, seed: int = 0) -> Workload:
    """Load the n × n matrix, then replace both vectors in each of n `rounds`: 4n updates, 2n in the first.

    Attacks: the lower bound: no engine can be faster than N^½ for an update if conj:OuMv holds, with
    N = Θ(n²); tight for ε = ½ and every head: an update of a vector walks n/16 entries on average.
    """
    instance = Instance(n, seed)
    count = n if rounds is None else rounds

    def matrix(p: int) -> Update:
        i, j = divmod(p, n)
        return ("S", i, j, 1) if instance.matrix(i, j) else ("S", FILLER + p, FILLER + p, 1)

    def entry(p: int, number: int, multiplicity: int) -> Update:
        """Entry p // 2 of u (p even) or v (p odd) in a round."""
        i, second = divmod(p, 2)
        value = i if instance.vector(number, second, i) else FAR + i
        return ("T", value, 0, multiplicity) if second else ("R", 0, value, multiplicity)

    def replaced(p: int) -> Update:
        number, step = divmod(p, 4 * n)
        return entry(step // 2, number + step % 2, 1 if step % 2 else -1)

    first = Section(2 * n if count else 0, lambda p: entry(p, 0, 1))
    others = Section(4 * n * max(0, count - 1), replaced)
    return Workload(
        "oumv", {"n": n, "rounds": count, "seed": seed}, (Section(n * n, matrix),), (), (first, others)
    )


def oumv_bits(n: int, rounds: int | None = None, seed: int = 0) -> Iterator[tuple[int, int]]:
    """After each round: the number of updates so far, and the expected bit.

    Cost: O(n²) for a round at most, typically O(n).
    """
    instance = Instance(n, seed)
    for number in range(n if rounds is None else rounds):
        yield n * n + 2 * n + 4 * n * number, instance.product(number)


class Instance:
    """The matrix and the vectors, as functions of the seed."""

    def __init__(self, n: int, seed: int) -> None:
        self._n, self._seed = n, seed

    def colour(self, i: int) -> int:
        """The colour of an index, 0 or 1."""
        return mixed(self._seed, 3 * i + _COLOURS) & 1

    def matrix(self, i: int, j: int) -> int:
        """M(i,j): a random bit if the colours differ, else 0."""
        drawn = mixed(self._seed, 3 * (i * self._n + j) + _MATRIX) & 1
        return drawn & (self.colour(i) ^ self.colour(j))

    def vector(self, number: int, second: int, i: int) -> int:
        """Entry i of u (second = 0) or v (second = 1) of a round: a random bit if i has its colour."""
        place = (2 * number + second) * (self._n + 1)
        colour = mixed(self._seed, 3 * place + _ROUNDS) & 1
        return mixed(self._seed, 3 * (place + 1 + i) + _ROUNDS) & (1 ^ colour ^ self.colour(i)) & 1

    def product(self, number: int) -> int:
        """uᵀMv of a round."""
        u, v = ([i for i in range(self._n) if self.vector(number, second, i)] for second in (0, 1))
        return int(any(self.matrix(i, j) for i in u for j in v))
