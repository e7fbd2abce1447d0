"""Draw docs/costs.svg: counted steps of one update against N for several ε, with the predicted slopes.

    python tools/picture.py        needs ivme[bench]

Nothing is timed: the steps are those of `view.costs` on the workload that is tight for each ε.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import matplotlib

from ivme import TriangleView
from ivme.workloads import intersection

matplotlib.use("svg")
import matplotlib.pyplot as plt

SIZES = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000]
LINES = {"1/2": ("#0072B2", "o"), "1/3": ("#D55E00", "s"), "3/4": ("#009E73", "^")}
"""ε with a colour of the Okabe-Ito palette, told apart without colour by their markers."""


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
    figure, axes = plt.subplots(figsize=(7, 4))
    for epsilon, (colour, marker) in LINES.items():
        points = [steps(epsilon, size) for size in SIZES]
        bases, costs = zip(*points, strict=True)
        axes.loglog(bases, costs, marker=marker, color=colour, linestyle="none")
        exponent = max(Fraction(epsilon), 1 - Fraction(epsilon))
        predicted = [costs[-1] * (base / bases[-1]) ** float(exponent) for base in bases]
        axes.loglog(bases, predicted, color=colour, linewidth=1)
        label = f"ε = {epsilon}: N^({exponent})"
        axes.annotate(label, (bases[-1], costs[-1]), textcoords="offset points", xytext=(8, -3), color=colour)
    axes.set_xlabel("N")
    axes.set_ylabel("counted steps of one update")
    axes.set_title(
        "△() on its worst workloads: points are counted, lines have the predicted slope", fontsize=10
    )
    axes.margins(x=0.25)
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    target = Path(__file__).resolve().parents[1] / "docs" / "costs.svg"
    target.parent.mkdir(exist_ok=True)
    figure.savefig(target, metadata={"Date": None}, facecolor="white")


if __name__ == "__main__":
    main()
