"""The goals of graphs: figures of a run with the compiled kernel, of five rounds where it is about time."""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log

from attrs import evolve

from bench.cases import GRAPH
from bench.contenders import OURS
from bench.figures import Figure, Figures, Key, short
from bench.goals import Find, Found, Target
from bench.graph_cases import HUB_TOGGLES, HUBS, RMAT, SIX, SQUARE_ROOT
from bench.tenlines import AT, COUNT, TEN

ROUNDS = 5
COMMON = 20_000
EDGES = 1_000_000
STREAM = 10_000_000
MB = 1_000_000


def ratio(figures: Figures, case: str, size: int, over: Key, under: Key, rounds: int = 1) -> Figure | None:
    """How many times the time of `under` `over` takes; None unless both had so many rounds."""
    for who, free, what in (over, under):
        if len(figures.values(who, case, size, free, what)) < rounds:
            return None
    return figures.between(case, size, over, under)


def measured(figures: Figures, name: str, key: Key) -> int | None:
    """The number of edges of a graph that a measurement has; None without one."""
    who, free, what = key
    return max(figures.sizes(who, GRAPH + name, free, what), default=None)


def _all_six(over: Key, under: Key) -> Callable[[Figures], dict[str, Figure]]:
    """The ratios on the six graphs; {} unless all were measured."""

    def find(figures: Figures) -> dict[str, Figure]:
        found: dict[str, Figure] = {}
        for name in SIX:
            size = measured(figures, name, over)
            one = None if size is None else ratio(figures, GRAPH + name, size, over, under, ROUNDS)
            if one is None:
                return {}
            found[name] = one
        return found

    return find


def _worst(over: Key, under: Key) -> Find:
    def find(figures: Figures) -> Found:
        found = _all_six(over, under)(figures)
        name = min(found, key=lambda name: found[name].middle, default="")
        return (found[name], name) if name else None

    return find


def _mean(over: Key, under: Key) -> Find:
    def find(figures: Figures) -> Found:
        found = list(_all_six(over, under)(figures).values())
        if not found:
            return None
        middle = geometric_mean([one.middle for one in found])
        low, high = geometric_mean([one.low for one in found]), geometric_mean([one.high for one in found])
        return Figure(middle, low, high), f"{len(found)} graphs"

    return find


def geometric_mean(values: list[float]) -> float:
    """The geometric mean of positive numbers."""
    return exp(sum(map(log, values)) / len(values))


def _hub(free: str, quantity: str) -> Find:
    def find(figures: Figures) -> Found:
        found = ratio(figures, HUBS, COMMON, (TEN, free, quantity), (OURS, free, quantity), ROUNDS)
        return None if found is None else (found, f"{short(COMMON)} common neighbours")

    return find


def _of_graph(name: str, free: str, quantity: str) -> Find:
    """A quantity of ours on a graph."""

    def find(figures: Figures) -> Found:
        size = measured(figures, name, (OURS, free, quantity))
        found = None if size is None else figures.figure(OURS, GRAPH + name, size, free, quantity)
        return None if found is None else (found, name)

    return find


def _growth(*cases: str) -> Find:
    """The largest exponent of the counted steps; None unless all were counted up to a million edges."""

    def find(figures: Figures) -> Found:
        found: list[tuple[float, str]] = []
        for case in cases:
            slope = figures.exponent(OURS, case, quantity="steps")
            sizes = figures.sizes(OURS, case, quantity="steps")
            if slope is None or sizes[-1] < EDGES:
                return None
            found.append((slope, f"{case}, {short(sizes[0])} to {short(sizes[-1])}"))
        slope, where = max(found)
        return Figure(slope, slope, slope), where

    return find


def _peak(figures: Figures) -> Found:
    found = figures.figure(OURS, RMAT, STREAM, quantity="peak")
    if found is None:
        return None
    return Figure(found.middle / MB, found.low / MB, found.high / MB), f"{short(STREAM)} edges"


def _compiled(find: Find) -> Find:
    """Only what the compiled kernel did counts."""
    return lambda figures: find(figures) if figures.results.kernel == "compiled" else None


def _ratios(what: str, free: str, quantity: str, each: float, mean: float | None = None) -> list[Target]:
    """Goals on the six graphs for the ten lines' time against ours."""
    base = "string edge" if quantity == "string edge" else "edge"
    over, under = (TEN, free, base), (OURS, free, quantity)
    name = f"graphs, {what}: the ten lines' time against ours"
    goals = [Target(f"{name}, worst of six", each, None, _worst(over, under))]
    if mean is not None:
        goals.append(Target(f"{name}, geometric mean", mean, None, _mean(over, under)))
    return goals


_TARGETS = [
    *_ratios("count, a call an edge", COUNT, "edge", 2.7, 3.7),
    *_ratios("count and per vertex, a call an edge", AT, "edge", 3, 4),
    *_ratios("count, array", COUNT, "array", 4.5, 7),
    *_ratios("count and per vertex, array", AT, "array", 6),
    *_ratios("count, string vertices", COUNT, "string edge", 2),
    *(
        Target(f"hub, {what}: the ten lines' time against ours", limit, None, _hub(free, quantity))
        for what, free, quantity, limit in (
            ("count, first 400 toggles", COUNT, "first toggle", 100),
            ("count, once built", COUNT, "toggle", 1000),
            ("count and per vertex, first 400 toggles", AT, "first toggle", 20),
            ("count and per vertex, once built", AT, "toggle", 20),
        )
    ),
    *(
        Target(f"email-Enron, {what}: bytes an edge", None, limit, _of_graph("email-Enron", free, "bytes"))
        for what, free, limit in (("count", COUNT, 45), ("count and per vertex", AT, 55))
    ),
    Target("graphs, toggles at hubs: exponent of counted steps", None, 0.05, _growth(HUB_TOGGLES)),
    Target("graphs, √N attacks: exponent of counted steps", None, 0.55, _growth(*SQUARE_ROOT)),
    Target(
        "wiki-Vote: steps of the largest update", None, 3000, _of_graph("wiki-Vote", COUNT, "largest steps")
    ),
    Target("R-MAT: MB of the whole process", None, 500, _peak),
]

GRAPH_TARGETS = [evolve(target, find=_compiled(target.find)) for target in _TARGETS]
"""In the order of the tables."""
