"""The plots of raw results: the time of an update against the number of tuples, for all contenders; and of
an edge between hubs, against the number of their common neighbours.

Times of the first are relative: 1 is an update of ours at the smallest size of the same case. Both need
ivme[bench].
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING

from bench.contenders import OURS, label
from bench.figures import Figures, Key
from bench.graph_cases import HUBS
from bench.results import Results
from bench.tenlines import AT, COUNT, TEN
from ivme.extras import require
from ivme_spec.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

CASES = ("sparse", "zipf", "hub", "intersection")
STYLES = [("#0072B2", "o"), ("#D55E00", "s"), ("#009E73", "^"), ("#CC79A7", "v"), ("#E69F00", "D")]
STYLES += [("#56B4E9", "P"), ("#000000", "X"), ("#999999", "*")]
"""Colours of the Okabe-Ito palette; the markers tell lines apart without colour."""

CURVES: dict[str, Key] = {
    "dict of sets, count and per vertex": (TEN, AT, "toggle"),
    "dict of sets, count": (TEN, COUNT, "toggle"),
    "ivme, count and per vertex, first 400": (OURS, AT, "first toggle"),
    "ivme, count, first 400": (OURS, COUNT, "first toggle"),
    "ivme, count and per vertex, later": (OURS, AT, "toggle"),
    "ivme, count, later": (OURS, COUNT, "toggle"),
}

Lines = dict[str, list[tuple[int, float]]]


@contextmanager
def drawing(
    target: str | os.PathLike[str], size: tuple[float, float], panels: int = 1
) -> Iterator[tuple[Figure, list[Axes]]]:
    """A figure with panels side by side, written to `target` as SVG; equal content gives equal files.

    Bad input: a `MissingExtraError` without matplotlib.
    """
    require("the plot", "bench", "matplotlib")
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.hashsalt": "ivme"}):
        figure, axes = plt.subplots(1, panels, figsize=size, squeeze=False)
        try:
            for axis in axes[0]:
                axis.spines[["top", "right"]].set_visible(False)
            yield figure, list(axes[0])
            figure.savefig(target, metadata={"Date": None}, facecolor="white")
        finally:
            plt.close(figure)


def lines(results: Results, case: str) -> Lines:
    """The points of each contender: size, and time relative to ours at the smallest size."""
    figures = Figures(results)
    ours = figures.sizes(OURS, case)
    if not ours or not (unit := median(figures.values(OURS, case, ours[0]))):
        return {}
    return {
        name: [(size, median(figures.values(name, case, size)) / unit) for size in sizes]
        for name in figures.contenders
        if (sizes := figures.sizes(name, case))
    }


def draw(results: Results, target: str | os.PathLike[str]) -> None:
    """Write the plot as SVG.  Bad input: an `InputError` if there is nothing to plot, or no matplotlib."""
    require("the plot", "bench", "matplotlib")
    panels = {case: found for case in CASES if (found := lines(results, case))}
    if not panels:
        raise InputError(f"nothing to plot: ivme was measured on none of {', '.join(CASES)}")
    names = Figures(results).contenders
    with drawing(target, (1.5 + 2.6 * len(panels), 3.4), len(panels)) as (figure, axes):
        for axis, (case, found) in zip(axes, panels.items(), strict=True):
            for name, points in found.items():
                colour, marker = STYLES[names.index(name) % len(STYLES)]
                sizes, times = zip(*points, strict=True)
                axis.loglog(sizes, times, marker=marker, color=colour, linewidth=1, label=label(name))
            axis.set_title(case, fontsize=10)
            axis.set_xlabel("tuples")
        axes[0].set_ylabel("time of an update (ivme, smallest = 1)")
        legend = {
            name: line for axis in axes for line, name in zip(*axis.get_legend_handles_labels(), strict=True)
        }
        figure.legend(
            list(legend.values()),
            list(legend),
            loc="lower center",
            ncols=len(legend),
            frameon=False,
            fontsize=8,
        )
        figure.tight_layout(rect=(0, 0.08, 1, 1))


def hubs(results: Results, target: str | os.PathLike[str]) -> bool:
    """Write the hub curve as SVG: µs to toggle an edge against the common neighbours of its ends.

    False, and nothing is written, if hubs were not measured.  Bad input: a `MissingExtraError`.
    """
    figures = Figures(results)
    curves = {
        label: [(size, median(figures.values(who, HUBS, size, free, what)) * 1e6) for size in sizes]
        for label, (who, free, what) in CURVES.items()
        if len(sizes := figures.sizes(who, HUBS, free, what)) > 1
    }
    if not curves:
        return False
    with drawing(target, (7.2, 3.8)) as (figure, (axis,)):
        for label, points in curves.items():
            who, free, what = CURVES[label]
            colour, marker = STYLES[0] if who == OURS else STYLES[1]
            style = ("-.", ":") if what == "first toggle" else ("--", "-")
            axis.loglog(*zip(*points, strict=True), style[not free], marker=marker, color=colour, label=label)
        axis.set_xlabel("common neighbours of the two ends")
        axis.set_ylabel("µs to insert or delete the edge")
        axis.grid(True, color="#dddddd", linewidth=0.5)
        axis.legend(frameon=False, fontsize=8)
        figure.tight_layout()
    return True
