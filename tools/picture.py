"""Draw docs/costs.svg: counted steps of one update against N for several ε, with the predicted slopes.

    python tools/picture.py        needs ivme[bench]

Nothing is timed: the steps are those of `view.costs` on the workload that is tight for each ε.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from bench.plot import STYLES, drawing
from ivme import TriangleView
from ivme.workloads import intersection

SIZES = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000]
EPSILONS = ("1/2", "1/3", "3/4")


def steps(epsilon: str, size: int) -> tuple[int, float]:
    """N, and the mean steps of an update of the tight workload."""
    side = "column" if epsilon == "1/3" else "row"
    workload = intersection(size, epsilon, side=side, updates=50)
    view = TriangleView("", epsilon, database=workload.database())
    view.apply(workload.prepare())
    before = view.costs
    view.apply(workload.updates())
    after = view.costs
    return view.threshold_base, (after.updates - before.updates) / (after.update_count - before.update_count)


def main() -> None:
    """Measure and draw."""
    target = Path(__file__).resolve().parents[1] / "docs" / "costs.svg"
    with drawing(target, (7, 4)) as (figure, (axes,)):
        for epsilon, (colour, marker) in zip(EPSILONS, STYLES, strict=False):
            bases, costs = zip(*(steps(epsilon, size) for size in SIZES), strict=True)
            axes.loglog(bases, costs, marker=marker, color=colour, linestyle="none")
            exponent = max(Fraction(epsilon), 1 - Fraction(epsilon))
            predicted = [costs[-1] * (base / bases[-1]) ** float(exponent) for base in bases]
            axes.loglog(bases, predicted, color=colour, linewidth=1)
            axes.annotate(
                f"ε = {epsilon}: N^({exponent})",
                (bases[-1], costs[-1]),
                textcoords="offset points",
                xytext=(8, -3),
                color=colour,
            )
        axes.set_xlabel("N")
        axes.set_ylabel("counted steps of one update")
        axes.set_title(
            "△() on its worst workloads: points are counted, lines have the predicted slope", fontsize=10
        )
        axes.margins(x=0.25)
        figure.tight_layout()


if __name__ == "__main__":
    main()
