"""The paper's trade-off figure with measured exponents on it.

Paper: fig:complexity_plots_triangle. One panel for each query: the exponents of amortized update time, space
and delay against ε as lines, taken from the spec's bounds, and the fitted exponents as marks.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite

from attrs import frozen

from ivme.report.svg import Beside, Canvas, Tick, frame, labels_beside, room_beside
from ivme.verify.results import Exponent
from ivme.verify.summary import query_of
from ivme_spec.bounds import Bound, QueryBounds, query_bounds
from ivme_spec.errors import InputError
from ivme_spec.queries import HEADS, Query
from ivme_spec.thresholds import parse_epsilon

COSTS = {"update": ("c1", "circle"), "space": ("c2", "square"), "delay": ("c3", "triangle")}
"""The costs with the class of their line and the shape of their mark."""

WIDTH, HEIGHT = 330, 270
TICKS = [Tick(0, "0"), Tick(0.25, "¼"), Tick(0.5, "½"), Tick(0.75, "¾"), Tick(1, "1")]
SAMPLES = [Fraction(k, 60) for k in range(61)]
"""All breakpoints of the exponents, 1/3, 1/2 and 2/3, are among them."""


@frozen
class Panel:
    """A chart and its data, for one query."""

    title: str
    svg: str
    points: tuple[Exponent, ...]


def claimed(bound: Bound, epsilon: Fraction) -> Fraction:
    """The exponent of a bound."""
    return min(power.exponent for power in bound.powers(epsilon))


def bound_of(bounds: QueryBounds, cost: str) -> Bound:
    """The bound that the figure draws for a cost."""
    return {"update": bounds.amortized, "space": bounds.space, "delay": bounds.delay}[cost]


def panels(exponents: Sequence[Exponent]) -> list[Panel]:
    """A panel for each measured query, the count first."""
    groups: dict[Query, list[Exponent]] = {}
    for exponent in exponents:
        if exponent.cost not in COSTS or not isfinite(exponent.measured):
            raise InputError(f"an exponent of {exponent.cost!r}, {exponent.measured}, cannot be drawn")
        groups.setdefault(query_of(exponent), []).append(exponent)

    def order(query: Query) -> tuple[int, str, bool]:
        return HEADS.index("".join(sorted(query.free))), query.free, query.partitioning == "double"

    return [
        _panel(f"tradeoff-{i}", query, groups[query]) for i, query in enumerate(sorted(groups, key=order))
    ]


def _panel(name: str, query: Query, points: Sequence[Exponent]) -> Panel:
    title = str(query)
    ordered = sorted(points, key=lambda point: (list(COSTS).index(point.cost), parse_epsilon(point.epsilon)))
    said = "; ".join(
        f"{cost}: " + ", ".join(f"{p.measured:.2f} at ε = {p.epsilon}" for p in ordered if p.cost == cost)
        for cost in COSTS
    )
    canvas = Canvas(
        name,
        WIDTH,
        HEIGHT,
        f"{title}: exponents of N for update time, space and delay against ε",
        f"Lines: the paper's exponents. Marks: measured. {said}.",
    )
    measured = [point.measured for point in ordered]
    low, high = min([0.0, *measured]) - 0.06, max([1.5, *measured]) + 0.1
    ticks = [Tick(0, "0"), Tick(0.5, "½"), Tick(1, "1"), Tick(1.5, "3⁄2"), Tick(2, "2")]
    area = frame(
        canvas,
        (-0.04, 1.04),
        (low, high),
        TICKS,
        [tick for tick in ticks if low <= tick.value <= high],
        "ε",
        "exponent of N",
        right=room_beside(list(COSTS)) + 5,
    )
    bounds = query_bounds(query.free, query.partitioning)
    labels = []
    for cost, (kind, shape) in COSTS.items():
        bound = bound_of(bounds, cost)
        line = [area.place(float(e), float(claimed(bound, e))) for e in SAMPLES]
        canvas.line(line, kind)
        labels.append(Beside(line[-1][1] + (-8 if cost == "space" else 0), cost, kind, shape))
    for point in ordered:
        kind, shape = COSTS[point.cost]
        text = f"{point.cost} at ε = {point.epsilon}: measured {point.measured:.3f}, paper {point.claimed}"
        canvas.mark(shape, *area.place(float(parse_epsilon(point.epsilon)), point.measured), kind, text)
    labels_beside(canvas, area.x.end + 11, labels, area.y.end, area.y.start)
    return Panel(title, canvas.write(), tuple(ordered))
