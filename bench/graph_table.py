"""Graphs in the README: absolute times and bytes beside ratios, and when to use it, and when not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench.cases import GRAPH
from bench.contenders import OURS
from bench.figures import Figure, Figures, Key, number
from bench.graph_cases import HUBS, TOGGLES
from bench.graph_targets import COMMON, ratio
from bench.results import Results
from bench.tenlines import AT, COUNT, TEN

WAYS: dict[str, tuple[Key, Key]] = {
    "count": ((TEN, COUNT, "edge"), (OURS, COUNT, "edge")),
    "count, array": ((TEN, COUNT, "edge"), (OURS, COUNT, "array")),
    "count, arrays of 1,000": ((TEN, COUNT, "edge"), (OURS, COUNT, "short arrays")),
    "count and per vertex": ((TEN, AT, "edge"), (OURS, AT, "edge")),
    "count and per vertex, array": ((TEN, AT, "edge"), (OURS, AT, "array")),
    "count and per vertex, arrays of 1,000": ((TEN, AT, "edge"), (OURS, AT, "short arrays")),
    "count, strings": ((TEN, COUNT, "string edge"), (OURS, COUNT, "string edge")),
}
"""What is compared: the ten lines, and ours."""


def row(cells: Sequence[str]) -> str:
    """A row of Markdown."""
    return "| " + " | ".join(cells) + " |"


def markdown(rows: Sequence[Sequence[str]]) -> list[str]:
    """A table with its headings, numbers to the right; nothing for headings alone."""
    head, *body = rows
    return [row(head), row(["---"] + ["---:"] * (len(head) - 1)), *map(row, body)] if body else []


def micro(figure: Figure | None) -> str:
    """Seconds as µs."""
    return "–" if figure is None else number(figure.middle * 1e6)


class GraphFigures:
    """The figures of graphs in some results."""

    def __init__(self, results: Results) -> None:
        self.figures = Figures(results)
        seen = [(entry.case, entry.size) for entry in results.measurements if entry.case.startswith(GRAPH)]
        self.graphs = [entry for entry in dict.fromkeys(seen) if self.get(*entry, (OURS, COUNT, "edge"))]
        self.hubs = self.figures.sizes(OURS, HUBS, quantity="toggle")

    def get(self, case: str, size: int, key: Key) -> Figure | None:
        """A figure by its key."""
        who, free, what = key
        return self.figures.figure(who, case, size, free, what)

    def ratios(self, way: str) -> list[tuple[str, float]]:
        """How many times the time of ours the ten lines take, for each graph that has both."""
        found = [(name(case), ratio(self.figures, case, size, *WAYS[way])) for case, size in self.graphs]
        return [(graph, one.middle) for graph, one in found if one is not None]

    def recounts(self, case: str, size: int) -> list[tuple[str, float, float]]:
        """Libraries, the seconds of a recount, and how many updates of ours take as long; cheapest first."""
        update = self.get(case, size, (OURS, COUNT, "edge"))
        found = []
        for entry in self.figures.results.measurements:
            if (entry.case, entry.size, entry.quantity) == (case, size, "recount") and update is not None:
                seconds = Figure.of(entry.values).middle
                found.append((entry.contender, seconds, seconds / update.middle))
        return sorted(found, key=lambda one: one[1])


def name(case: str) -> str:
    """A graph without its prefix."""
    return case.removeprefix(GRAPH)


# --- the README -----------------------------------------------------------------------------------------


def hub_part(results: Results) -> str:
    """The picture of hubs with a sentence, as Markdown; "" if they were not measured."""
    found = GraphFigures(results)
    both = [size for size in found.hubs if found.get(HUBS, size, (TEN, COUNT, "toggle"))]
    if len(both) < 2:
        return ""

    def span(who: str, quantity: str) -> str:
        return _range(_micros([found.get(HUBS, size, (who, COUNT, quantity)) for size in both]))

    return (
        "![Time to insert or delete the edge between two hubs against the number of their common neighbours: "
        "a dict of sets, and ivme](docs/hub.svg)\n\n"
        f"An update between two vertices with {both[0]:,} to {both[-1]:,} common neighbours: with a dict of "
        f"sets {span(TEN, 'toggle')} µs; with `GraphTriangles` {span(OURS, 'toggle')} µs, and on average "
        f"{span(OURS, 'first toggle')} µs over the first {TOGGLES}, until it has paid for a view.\n"
    )


def graph_part(results: Results) -> str:
    """When to use it for a graph, with a table; "" if no graph was measured."""
    found = GraphFigures(results)
    if not found.graphs:
        return ""
    lines = ["### Graphs", "", *_use(found), *_do_not(found), "", *markdown(edges(found, brief=True)), ""]
    lines += [
        "µs of an update (all edges inserted, then deleted, in random orders), in brackets how many times "
        "faster than ten lines of Python that do the same with a dict of sets; and bytes an edge. More: "
        "[docs/bench.md](docs/bench.md).",
        "",
        "### Views",
        "",
    ]
    return "\n".join(lines) + "\n"


def _range(values: Sequence[float]) -> str:
    """The least and the most."""
    low, high = number(min(values, default=0)), number(max(values, default=0))
    return low if low == high else f"{low} to {high}"


def _micros(given: Sequence[Figure | None]) -> list[float]:
    return [one.middle * 1e6 for one in given if one is not None]


def _times(found: GraphFigures, key: Key) -> list[float]:
    return _micros([found.get(case, size, key) for case, size in found.graphs])


def _use(found: GraphFigures) -> Iterator[str]:
    """Where it pays."""
    said = []
    for way, text in (
        ("count", "a call of `insert` or `delete`"),
        ("count, array", "an edge of an array"),
        ("count, arrays of 1,000", "in arrays of 1,000"),
        ("count and per vertex", "a call with the triangles of each vertex"),
        ("count and per vertex, array", "an edge of an array with them"),
    ):
        if (times := _times(found, WAYS[way][1])) and (ratios := found.ratios(way)):
            said.append(f"{text} {_range(times)} µs ({_range([r for _, r in ratios])} times faster)")
    yield (
        "**Use it when** a graph changes and its triangles are asked for again and again. On the graphs "
        f"below, against the ten lines you would write: {'; '.join(said)}."
    )
    first, later = (
        ratio(found.figures, HUBS, COMMON, (TEN, COUNT, what), (OURS, COUNT, what))
        for what in ("first toggle", "toggle")
    )
    if first is not None and later is not None:
        yield (
            f"Between two hubs with {COMMON:,} common neighbours, it is {number(first.middle)} times faster "
            f"over the first {TOGGLES} updates, and {number(later.middle)} times later."
        )


def _do_not(found: GraphFigures) -> Iterator[str]:
    """Where it does not."""
    said = []
    for case, size in reversed(found.graphs):
        if libraries := found.recounts(case, size):
            library, seconds, updates = libraries[0]
            said.append(
                f"the count is asked for seldom: a recount of {name(case)} by {library} takes "
                f"{seconds * 1e3:.3g} ms, as long as {number(updates)} updates; asked less often, it wins"
            )
            break
    for way in WAYS:
        if slow := [(graph, 1 / r) for graph, r in found.ratios(way) if r < 1]:
            graphs = ", ".join(f"{graph} ({number(r)} times)" for graph, r in slow)
            said.append(f"{way}: the ten lines are faster on {graphs}")
    for size in found.hubs:
        one = ratio(found.figures, HUBS, size, (TEN, COUNT, "toggle"), (OURS, COUNT, "toggle"))
        if one is not None and one.middle < 1:
            said.append(f"hubs have {size} common neighbours ({number(1 / one.middle)} times slower)")
    if said:
        yield f"\n**Do not when** {'; '.join(said)}."


def edges(found: GraphFigures, brief: bool = False) -> list[list[str]]:
    """Times and bytes on each graph."""
    ways = [way for way in WAYS if not brief or not way.endswith(("strings", "1,000"))]
    head = ["graph", "edges"]
    for way in ways:
        head += ([] if "array" in way else [f"{way}: ten lines"]) + [f"{way}: ivme"]
    head += ["bytes: ten lines", "ivme", "per vertex"]
    rows = [head]
    for case, size in found.graphs:
        cells = [name(case), f"{size:,}"]
        for way in ways:
            ten, ours = WAYS[way]
            one = ratio(found.figures, case, size, ten, ours)
            times = "" if one is None else f" ({number(one.middle)}×)"
            cells += [] if "array" in way else [micro(found.get(case, size, ten))]
            cells.append(micro(found.get(case, size, ours)) + times)
        for key in ((TEN, COUNT, "bytes"), (OURS, COUNT, "bytes"), (OURS, AT, "bytes")):
            held = found.get(case, size, key)
            cells.append("–" if held is None else number(held.middle))
        rows.append(cells)
    return rows
