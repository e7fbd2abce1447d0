"""The table of bounds: for each query and cost, the run that came closest."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from attrs import frozen

from ivme.verify.results import Cost, Run
from ivme.verify.summary import query_of
from ivme_spec.bounds import Power, query_bounds
from ivme_spec.queries import Query
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


def bound_rows(runs: Iterable[Run]) -> list[BoundRow]:
    """For each query and cost: a run that broke the bound, else the one that came closest to it.

    Bounds that grow with N come first: the share of a constant bound says nothing about its constant.
    """
    best: dict[tuple[Query, str], tuple[tuple[bool, bool, float], Run, Cost]] = {}
    for run in runs:
        for cost in run.costs:
            key = (query_of(run), cost.name)
            rank = (not cost.holds, cost.grows, cost.ratio)
            if key not in best or rank > best[key][0]:
                best[key] = (rank, run, cost)

    def order(key: tuple[Query, str]) -> tuple[int, str, bool, int]:
        query, name = key
        place = COSTS.index(name) if name in COSTS else len(COSTS)
        return len(query.free), query.free, query.partitioning == "double", place

    return [_bound_row(key[0], *best[key][1:]) for key in sorted(best, key=order)]


def _bound_row(query: Query, run: Run, cost: Cost) -> BoundRow:
    power = _power(query, run, cost)
    return BoundRow(
        str(query),
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


def _power(query: Query, run: Run, cost: Cost) -> Power | None:
    """The power of the bound that is smallest for this N; None for a cost that the spec does not bound."""
    if cost.name not in COSTS:
        return None
    bound = getattr(query_bounds(query.free, query.partitioning), cost.name)
    powers: tuple[Power, ...] = bound.powers(parse_epsilon(run.epsilon))
    return min(powers, key=lambda power: power.estimate(cost.base))
