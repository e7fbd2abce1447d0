"""Run production code on unknown numbers, and ask Z3 about what it did.

A `Number` is a Z3 term that behaves like an int or a real; comparing two gives a `Truth`. When the code under
proof branches on one (`if size == base:`), the run takes one branch, and is repeated for the other if that is
feasible too. `paths` collects all of these runs with their path conditions: together they are the exact
meaning of the code, with no transcription by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import z3  # type: ignore[import-untyped]
from attrs import frozen

from proofs.claims import NotObtained, Refuted

Term = Any
"""A Z3 expression; z3 is untyped."""

T = TypeVar("T")
TIMEOUT_MS = 60_000


class Truth:
    """A condition on unknowns."""

    def __init__(self, term: Term) -> None:
        self.term = term

    def __bool__(self) -> bool:
        if _explorer is None:
            raise NotObtained("a symbolic condition was tested outside of an exploration")
        return _explorer.decide(self.term)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> Truth:  # type: ignore[override]
        return Truth(self.term == term_of(other))

    def __ne__(self, other: object) -> Truth:  # type: ignore[override]
        return Truth(self.term != term_of(other))


class Number:
    """An unknown integer or real."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, term: Term) -> None:
        self.term = term

    def __add__(self, other: object) -> Number:
        return Number(self.term + term_of(other))

    __radd__ = __add__

    def __sub__(self, other: object) -> Number:
        return Number(self.term - term_of(other))

    def __rsub__(self, other: object) -> Number:
        return Number(term_of(other) - self.term)

    def __mul__(self, other: object) -> Number:
        return Number(self.term * term_of(other))

    __rmul__ = __mul__

    def __neg__(self) -> Number:
        return Number(-self.term)

    def __floordiv__(self, other: int) -> Number:
        if not isinstance(other, int) or other <= 0 or not self.term.is_int():
            raise NotObtained("// is exact here for integers and positive constants only")
        return Number(self.term / other)

    def __pow__(self, exponent: int) -> Number:
        product = Number(z3.RealVal(1) if self.term.is_real() else z3.IntVal(1))
        for _ in range(exponent):
            product = product * self
        return product

    def __eq__(self, other: object) -> Truth:  # type: ignore[override]
        return Truth(self.term == term_of(other))

    def __ne__(self, other: object) -> Truth:  # type: ignore[override]
        return Truth(self.term != term_of(other))

    def __lt__(self, other: object) -> Truth:
        return Truth(self.term < term_of(other))

    def __le__(self, other: object) -> Truth:
        return Truth(self.term <= term_of(other))

    def __gt__(self, other: object) -> Truth:
        return Truth(self.term > term_of(other))

    def __ge__(self, other: object) -> Truth:
        return Truth(self.term >= term_of(other))

    def __bool__(self) -> bool:
        return bool(self != 0)


def term_of(value: object) -> Term:
    """A Z3 term for a Number, a Truth or a plain value."""
    return value.term if isinstance(value, Number | Truth) else value


@frozen
class Path(Generic[T]):
    """One run: its path conditions and its result."""

    conditions: tuple[Term, ...]
    result: T


class _Explorer:
    def __init__(self, hypotheses: Sequence[Term]) -> None:
        self.solver = _solver(hypotheses)
        self.pending: list[list[bool]] = [[]]
        self.prefix: list[bool] = []
        self.taken: list[bool] = []
        self.conditions: list[Term] = []

    def decide(self, term: Term) -> bool:
        yes, no = term, z3.Not(term)
        if len(self.taken) < len(self.prefix):
            choice = self.prefix[len(self.taken)]
        else:
            choice = _sat(self.solver, [yes])
            if choice and _sat(self.solver, [no]):
                self.pending.append([*self.taken, False])
        self.taken.append(choice)
        self.conditions.append(yes if choice else no)
        self.solver.add(self.conditions[-1])
        return choice


_explorer: _Explorer | None = None


def paths(hypotheses: Sequence[Term], run: Callable[[], T]) -> list[Path[T]]:
    """All runs of a function that branches on unknowns, under the hypotheses."""
    global _explorer
    satisfiable(hypotheses)
    explorer, found = _Explorer(hypotheses), list[Path[T]]()
    while explorer.pending:
        explorer.prefix, explorer.taken, explorer.conditions = explorer.pending.pop(), [], []
        _explorer = explorer
        explorer.solver.push()
        try:
            result = run()
        finally:
            _explorer = None
        explorer.solver.pop()
        found.append(Path(tuple(explorer.conditions), result))
    return found


# --- questions to Z3 --------------------------------------------------------------------------------------


def _solver(hypotheses: Iterable[Term]) -> Term:
    solver = z3.Solver()
    solver.set("timeout", TIMEOUT_MS)
    solver.add(*hypotheses)
    return solver


def _sat(solver: Term, more: Sequence[Term] = ()) -> bool:
    solver.push()
    solver.add(*more)
    answer = _answer(solver)
    solver.pop()
    return answer


def _answer(solver: Term) -> bool:
    answer = solver.check()
    if answer == z3.unknown:
        raise NotObtained(f"Z3 does not know: {solver.reason_unknown()}")
    return bool(answer == z3.sat)


def satisfiable(hypotheses: Iterable[Term]) -> None:
    """The hypotheses are satisfiable; from contradictory ones everything would follow."""
    if not _sat(_solver(hypotheses)):
        raise NotObtained("the hypotheses contradict each other: nothing is proved by them")


def prove(what: str, hypotheses: Sequence[Term], *claims: Term) -> int:
    """Every claim follows from the hypotheses, which are satisfiable; the number of claims."""
    satisfiable(hypotheses)
    if model := witness([*hypotheses, z3.Not(z3.And(claims))]):
        raise Refuted(f"{what}: {model}")
    return len(claims)


def witness(conditions: Sequence[Term]) -> str:
    """Values for which all conditions hold, as text; empty if there are none."""
    solver = _solver(conditions)
    return str(solver.model()).replace("\n", "") if _answer(solver) else ""
