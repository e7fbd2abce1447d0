"""docs/bench.md: the tables of graphs, latency, the goals; the tables are in the terminal's report too."""

from __future__ import annotations

from collections.abc import Iterator

from bench.contenders import OURS
from bench.figures import number, short
from bench.graph_cases import ATTACKS, CHUNK, HUBS, RMAT, TOGGLES
from bench.graph_table import GraphFigures, edges, markdown, micro, name
from bench.graph_targets import MB
from bench.latency import latency
from bench.results import Results
from bench.targets import verdicts
from bench.tenlines import AT, COUNT, NETWORKX, TEN

Rows = list[list[str]]


def clone(line: str) -> str:
    """A line whose command installs from a clone, as those of a page do: ivme is on no index."""
    return line.replace("'ivme[", "'.[")


def page(results: Results) -> str:
    """The page, as Markdown."""
    machine = ", ".join(f"{key} {value}" for key, value in results.machine.items())
    lines = [
        "# Benchmark",
        "",
        'Written by `make bench BENCH="--data DIR --publish"`. CPU times, medians.',
        "",
    ]
    lines += [f"ivme {results.ivme}, {results.kernel} kernel, {results.made}; {machine}.", ""]
    lines += [f"A partial run: {'; '.join(results.partial)}.", ""] if results.partial else []
    for title, rows in tables(results):
        if found := markdown(rows):
            lines += [f"## {title}", "", *found, ""]
    goals = [["goal", "wanted", "found", "verdict"]]
    goals += [[one.name, one.goal, one.found, one.verdict] for one in verdicts(results)]
    lines += ["## Goals", "", *markdown(goals)]
    if results.skipped:
        lines += ["", "## Skipped", "", *(f"- {clone(line)}" for line in results.skipped)]
    return "\n".join(lines) + "\n"


def tables(results: Results) -> Iterator[tuple[str, Rows]]:
    """The tables of graphs and of latency, with titles and headings; some have headings alone."""
    found = GraphFigures(results)
    yield "µs of an update, with times faster than the ten lines; bytes an edge", edges(found)
    yield f"µs to toggle the edge between two hubs, the first {TOGGLES} times and later", _hubs(found)
    yield "networkx as the store, and recounts", _recounts(found)
    yield "Counted steps of an update under attack", _steps(found)
    yield "Steps of the largest update, rebalancing included", _largest(found)
    yield f"R-MAT in arrays of {CHUNK:,}, the whole process", _large(found)
    yield "Latency: CPU µs of a single update of a view, reading the clock included", latency(found.figures)


def _hubs(found: GraphFigures) -> Rows:
    head, keys = ["common neighbours"], list[tuple[str, str, str]]()
    for free, more in ((COUNT, ""), (AT, ", per vertex")):
        head += [f"{TEN}{more}", f"{OURS}{more}, first", f"{OURS}{more}, later"]
        keys += [(TEN, free, "toggle"), (OURS, free, "first toggle"), (OURS, free, "toggle")]
    return [
        head,
        *([f"{size:,}", *(micro(found.get(HUBS, size, key)) for key in keys)] for size in found.hubs),
    ]


def _recounts(found: GraphFigures) -> Rows:
    libraries = list(dict.fromkeys(one[0] for graph in found.graphs for one in found.recounts(*graph)))
    rows = [["graph", f"{NETWORKX} as the store, µs", *(f"{one}: ms, in updates" for one in libraries)]]
    for case, size in found.graphs:
        costs = {library: (seconds, updates) for library, seconds, updates in found.recounts(case, size)}
        cells = [name(case), micro(found.get(case, size, (NETWORKX, COUNT, "edge")))]
        for library in libraries:
            seconds, updates = costs.get(library, (0.0, 0.0))
            cells.append(f"{seconds * 1e3:.3g}, {number(updates)}" if seconds else "–")
        rows.append(cells)
    return rows


def _steps(found: GraphFigures) -> Rows:
    sizes = sorted({size for case in ATTACKS for size in found.figures.sizes(OURS, case, quantity="steps")})
    rows = [["attack", *(f"{short(size)} edges" for size in sizes), "growth"]]
    for case in ATTACKS:
        slope = found.figures.exponent(OURS, case, quantity="steps")
        values = [found.get(case, size, (OURS, COUNT, "steps")) for size in sizes]
        if any(values):
            cells = ["–" if value is None else number(value.middle) for value in values]
            rows.append([case, *cells, "–" if slope is None else f"N^{slope:.2f}"])
    return rows


def _largest(found: GraphFigures) -> Rows:
    rows = [["graph", "count", "count and per vertex"]]
    for case, size in found.graphs:
        values = [found.get(case, size, (OURS, free, "largest steps")) for free in (COUNT, AT)]
        if any(values):
            rows.append([name(case), *("–" if value is None else number(value.middle) for value in values)])
    return rows


def _large(found: GraphFigures) -> Rows:
    rows = [["edges", "MB at its peak", "CPU seconds"]]
    for size in found.figures.sizes(OURS, RMAT, quantity="peak"):
        peak, seconds = (found.get(RMAT, size, (OURS, COUNT, what)) for what in ("peak", "seconds"))
        if peak is not None and seconds is not None:
            rows.append([f"{size:,}", number(peak.middle / MB), number(seconds.middle)])
    return rows
