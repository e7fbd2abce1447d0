"""The table of latency: median, 99th percentile and largest time of a single update.

A group of columns for each configuration that was timed one by one: ours, and what else `sections.slowest` is
given, side by side.
"""

from __future__ import annotations

from bench.contenders import OURS, label, rank
from bench.figures import Figures, short
from ivme_spec.queries import Query

QUANTITIES = {"p50": "median update", "p99": "p99 update", "largest": "largest update"}


def configurations(figures: Figures) -> list[str]:
    """The contenders that were timed one by one, ours first.  Cost: the number of measurements."""
    seen = (entry.contender for entry in figures.results.measurements if entry.quantity == "p99 update")
    return sorted(dict.fromkeys(seen), key=rank)


def latency(figures: Figures) -> list[list[str]]:
    """A row for each case and query; headings alone if nothing was timed one by one."""
    names = configurations(figures)
    heads = [f"{label(name)}: {what}" for name in names for what in QUANTITIES]
    rows = [["workload", "query", "tuples", *heads, "of that the clock"]]
    seen = (e for e in figures.results.measurements if e.quantity == "p99 update")
    for case, size, free in dict.fromkeys((entry.case, entry.size, entry.free) for entry in seen):
        cells = [
            micro(figures, name, case, size, free, quantity)
            for name in names
            for quantity in QUANTITIES.values()
        ]
        rows.append(
            [case, str(Query(free)), short(size), *cells, micro(figures, OURS, case, size, free, "clock")]
        )
    return rows


def micro(figures: Figures, name: str, case: str, size: int, free: str, quantity: str) -> str:
    """A time in microseconds."""
    found = figures.figure(name, case, size, free, quantity)
    return (
        "–"
        if found is None
        else f"{found.middle * 1e6:,.3g}"
        if found.middle < 1e-3
        else f"{found.middle * 1e6:,.0f}"
    )
