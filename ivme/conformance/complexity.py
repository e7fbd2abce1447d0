"""Does the cost of an engine grow as it claims? Fitted exponents on growing adversarial instances.

The cost is the engine's own counter (`cost()`) if it has one: deterministic, and no noise. Else it is the
smallest of several wall times, and the fit is as good as the machine is quiet: allow for it in `tolerance`.
An exponent is the slope of log(cost) over log(size), by least squares.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence

from attrs import frozen

from ivme.conformance.protocol import ConformanceFailure, EngineUnderTest, Factory, Finding, trace_of
from ivme.formats.traces import Update
from ivme_spec.slopes import slope

LEAST = 1e-12
"""What a cost of nothing counts as, so that it has a logarithm."""


@frozen
class Instance:
    """One adversarial instance: updates to start from, and updates whose cost is measured."""

    setup: Sequence[Update]
    measured: Sequence[Update]


Family = Callable[[int], Instance]
"""An instance of about a given number of tuples."""


def hub(size: int) -> Instance:
    """R(0,0) is toggled while 0 has size/2 partners in S and in T: linear for classical IVM."""
    half = size // 2
    setup: list[Update] = [("S", 0, c, 1) for c in range(half)]
    setup += (("T", c, 0, 1) for c in range(half))
    return Instance(setup, [("R", 0, 0, sign) for _ in range(8) for sign in (1, -1)])


@frozen
class Fit:
    """Costs of one measured update over sizes, and the fitted exponent."""

    sizes: tuple[int, ...]
    costs: tuple[float, ...]
    exponent: float
    counted: bool

    def __str__(self) -> str:
        unit = "steps" if self.counted else "seconds"
        points = ", ".join(f"{size}: {cost:.3g}" for size, cost in zip(self.sizes, self.costs, strict=True))
        return f"exponent {self.exponent:.2f} ({unit} of an update by size: {points})"


def measure(factory: Factory, family: Family = hub, sizes: Iterable[int] = (1000, 2000, 4000, 8000)) -> Fit:
    """The cost of a measured update for each size.  Cost: builds an engine for each size."""
    used, costs, counted = tuple(sizes), [], True
    for size in used:
        instance, engine = family(size), factory()
        for update in instance.setup:
            engine.update(*update)
        counted = hasattr(engine, "cost")
        costs.append((_steps if counted else _seconds)(engine, instance.measured) / len(instance.measured))
        if (close := getattr(engine, "close", None)) is not None:
            close()
    points = ((size, max(cost, LEAST)) for size, cost in zip(used, costs, strict=True))
    return Fit(used, tuple(costs), slope(points), counted)


def _steps(engine: EngineUnderTest, updates: Sequence[Update]) -> float:
    cost: Callable[[], int] = engine.cost  # type: ignore[attr-defined]  # asked for by hasattr
    before = cost()
    for update in updates:
        engine.update(*update)
    return float(cost() - before)


def _seconds(engine: EngineUnderTest, updates: Sequence[Update], repeats: int = 5) -> float:
    """The smallest of several times; the updates must leave the database as it was."""
    best = math.inf
    for _ in range(repeats):
        before = time.perf_counter()
        for update in updates:
            engine.update(*update)
        best = min(best, time.perf_counter() - before)
    return best


def check_complexity(
    factory: Factory,
    claimed: float,
    *,
    free: str = "",
    family: Family = hub,
    sizes: Iterable[int] = (1000, 2000, 4000, 8000),
    tolerance: float = 0.1,
) -> Fit:
    """The fit, if the exponent is at most `claimed` + `tolerance`; else a `ConformanceFailure`."""
    fit = measure(factory, family, sizes)
    if fit.exponent > claimed + tolerance:
        detail = f"claimed O(N^{claimed:g}) for an update, measured {fit}"
        raise ConformanceFailure(Finding("cost grows too fast", detail, 0), trace_of(free, ()))
    return fit
