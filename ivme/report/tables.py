"""The tables of the report: rows of text made from the results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from attrs import define, frozen

from ivme.report.tradeoff import bounds_of, query_name
from ivme.verify.results import Cost, Problem, Results, Run
from ivme_spec.bounds import Power
from ivme_spec.thresholds import parse_epsilon

COSTS = ("update", "minor", "major", "amortized", "preprocessing", "space", "delay")
NAMES = {
    "update": "one update",
    "minor": "one minor rebalancing",
    "major": "one major rebalancing",
    "amortized": "updates, amortized",
}


@frozen
class BoundRow:
    """The run that came closest to one bound of one query.

    counted   about steps / N^e: the constant that this run shows
    claimed   the constant of the bound
    """

    query: str
    cost: str
    bound: str
    label: str
    family: str
    epsilon: str
    base: int
    steps: int
    counted: float
    claimed: str
    share: float
    holds: bool


@define
class FamilyRow:
    """All runs of one family of workloads against one witness."""

    family: str
    kind: str
    witness: str
    source: str
    runs: int = 0
    updates: int = 0
    answers: int = 0
    states: int = 0
    minor: int = 0
    major: int = 0
    share: float = 0.0
    problems: int = 0


@frozen
class ProblemRow:
    """A problem, and the run that had it."""

    run: str
    problem: Problem


def bound_rows(runs: Iterable[Run]) -> list[BoundRow]:
    """For each query and cost: a run that broke the bound, else the one that came closest to it.

    Bounds that grow with N come first: the share of one that does not tells nothing of its constant's size.
    """
    best: dict[tuple[str, str, str], tuple[tuple[bool, bool, float], Run, Cost]] = {}
    for run in runs:
        for cost in run.costs:
            key = (run.free, run.partitioning, cost.name)
            rank = (not cost.holds, cost.grows, cost.ratio)
            if key not in best or rank > best[key][0]:
                best[key] = (rank, run, cost)

    def order(key: tuple[str, str, str]) -> tuple[int, str, str, int]:
        free, partitioning, name = key
        place = COSTS.index(name) if name in COSTS else len(COSTS)
        return len(free), free, "" if partitioning == "single" else partitioning, place

    return [_bound_row(best[key][1], best[key][2]) for key in sorted(best, key=order)]


def _bound_row(run: Run, cost: Cost) -> BoundRow:
    power = _power(run, cost)
    return BoundRow(
        query_name(run.free, run.partitioning),
        NAMES.get(cost.name, cost.name),
        cost.bound,
        cost.label,
        run.family,
        run.epsilon,
        cost.base,
        cost.steps,
        cost.steps / Power(Fraction(1), power.exponent).estimate(cost.base) if power else 0.0,
        str(power.constant) if power else "",
        cost.ratio,
        cost.holds,
    )


def _power(run: Run, cost: Cost) -> Power | None:
    """The power of the bound that is the least for this N; None for a cost that the spec does not bound."""
    if cost.name not in COSTS:
        return None
    bound = getattr(bounds_of(run.free, run.partitioning), cost.name)
    powers: tuple[Power, ...] = bound.powers(parse_epsilon(run.epsilon))
    return min(powers, key=lambda power: power.estimate(cost.base))


def family_rows(runs: Iterable[Run]) -> list[FamilyRow]:
    """What was checked for each family, over all queries and ε, in the order of the runs."""
    found: dict[tuple[str, str, str, str], FamilyRow] = {}
    for run in runs:
        key = (run.family, run.kind, run.witness, run.source)
        row = found.setdefault(key, FamilyRow(*key))
        row.runs += 1
        row.updates += run.updates
        row.answers += run.answers
        row.states += run.states
        row.minor += run.minor
        row.major += run.major
        row.share = max([row.share, *(cost.ratio for cost in run.costs if cost.grows)])
        row.problems += len(run.problems)
    return list(found.values())


def problem_rows(results: Results) -> Iterator[ProblemRow]:
    """Every problem, with what it takes to find the run again."""
    for run in results.runs:
        where = f"{run.family} ({run.kind}), {query_name(run.free, run.partitioning)}, ε = {run.epsilon}"
        yield from (ProblemRow(where, problem) for problem in run.problems)
    for found in results.exponents:
        query = query_name(found.free, found.partitioning)
        where = f"exponent of {found.cost} ({found.family}), {query}, ε = {found.epsilon}"
        yield from (ProblemRow(where, problem) for problem in found.problems)


def holds(results: Results) -> bool:
    """The verdict, not better than any part: a problem or a broken bound that no check counts spoils it."""
    costs = (cost for run in results.runs for cost in run.costs)
    return results.ok and all(cost.holds for cost in costs) and not any(problem_rows(results))
