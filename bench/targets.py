"""The goals, and whether a run met them. Informational: a miss does not fail the run."""

from __future__ import annotations

from bench.contenders import CLASSICAL, FLOOR, OURS, PATHWAY, PURE
from bench.figures import Figure, Figures, number, short
from bench.goals import Find, Found, Target, Verdict
from bench.graph_targets import GRAPH_TARGETS
from bench.results import Results
from ivme_spec.queries import HEADS, Query

MILLION = 1_000_000
SNAPSHOT = 300_000


def _ratio(above: str, below: str, case: str, free: str = "", size: int | None = None) -> Find:
    def find(figures: Figures) -> Found:
        at = figures.common(above, below, case, free) if size is None else size
        found = None if at is None else figures.ratio(above, below, case, at, free)
        return None if found is None or at is None else (found, f"at {short(at)}")

    return find


def _worst_head(case: str) -> Find:
    """The head with the smallest gain; None unless all were measured."""

    def find(figures: Figures) -> Found:
        found = [(_ratio(PURE, OURS, case, free)(figures), free) for free in HEADS[1:]]
        known = [(entry[0], f"{Query(free)} {entry[1]}") for entry, free in found if entry is not None]
        return min(known, key=lambda entry: entry[0].middle) if len(known) == len(found) else None

    return find


def _exponent(case: str, quantity: str) -> Find:
    def find(figures: Figures) -> Found:
        sizes = figures.sizes(OURS, case, quantity=quantity)
        slope = figures.exponent(OURS, case, quantity=quantity)
        if slope is None:
            return None
        return Figure(slope, slope, slope), f"{short(sizes[0])} to {short(sizes[-1])}"

    return find


def _snapshot(library: str) -> Find:
    def find(figures: Figures) -> Found:
        recomputed = figures.figure(library, "sparse", SNAPSHOT, quantity="snapshot")
        update = figures.figure(OURS, "sparse", SNAPSHOT)
        if recomputed is None or update is None:
            return None
        low, high = recomputed.low / update.high, recomputed.high / update.low
        return Figure(recomputed.middle / update.middle, low, high), f"at {short(SNAPSHOT)}"

    return find


def _gain(case: str, free: str = "") -> Find:
    def find(figures: Figures) -> Found:
        at = max(figures.sizes(OURS, case, free, "bulk"), default=None)
        found = None if at is None else figures.gain(case, at, free)
        return None if found is None or at is None else (found, f"at {short(at)}")

    return find


def _quantity(case: str, free: str, *quantities: str) -> Find:
    """The best of some quantities of ours, at the largest size."""

    def find(figures: Figures) -> Found:
        found: list[tuple[Figure, str]] = []
        for quantity in quantities:
            for size in figures.sizes(OURS, case, free, quantity)[-1:]:
                figure = figures.figure(OURS, case, size, free, quantity)
                found += [] if figure is None else [(figure, f"{quantity} at {short(size)}")]
        return max(found, key=lambda entry: entry[0].middle, default=None)

    return find


TARGETS = [
    *(
        Target(f"{case}: compiled against pure", 3, None, _ratio(PURE, OURS, case))
        for case in ("sparse", "dense", "zipf", "thrash")
    ),
    Target("intersection: compiled against pure", 10, None, _ratio(PURE, OURS, "intersection")),
    *(
        Target(f"{case}: compiled against pure, worst of the other heads", 2.5, None, _worst_head(case))
        for case in ("sparse", "zipf")
    ),
    Target("sparse: time against the floor", None, 1.6, _ratio(OURS, FLOOR, "sparse")),
    *(
        Target(
            f"{case}: time against classical IVM, on our storage", None, 1.3, _ratio(OURS, CLASSICAL, case)
        )
        for case in ("sparse", "zipf")
    ),
    Target(
        "hub: classical IVM's time, on our storage, against ours",
        1000,
        None,
        _ratio(CLASSICAL, OURS, "hub", size=MILLION),
    ),
    *(
        Target(f"{case}: exponent of {what}", None, limit, _exponent(case, quantity))
        for case, limit in (("upkeep", 0.55), ("intersection", 0.55), ("hub", 0.05))
        for what, quantity in (("time", "update"), ("counted steps", "steps"))
    ),
    Target("sparse: Pathway's time against ours", 40, None, _ratio(PATHWAY, OURS, "sparse")),
    *(
        Target(f"sparse: updates for the time of a snapshot, {library}", 10_000, None, _snapshot(library))
        for library in ("scipy", "duckdb")
    ),
    Target("sparse: inserts one by one against a bulk load", 3, None, _gain("sparse")),
    Target("sparse: bytes a tuple", None, 150, _quantity("sparse", "", "bytes")),
    Target(
        "dense: △(a, b, c), rows a second as columns",
        5e6,
        None,
        _quantity("dense", "ABC", "to_numpy", "to_arrow"),
    ),
    Target("dense: △(a, b, c), rows a second one by one", 2e6, None, _quantity("dense", "ABC", "iterator")),
    *GRAPH_TARGETS,
]


def verdicts(results: Results) -> list[Verdict]:
    """Every goal against a run."""
    figures, found = Figures(results), []
    for target in TARGETS:
        limit = target.least if target.least is not None else target.most
        assert limit is not None
        goal = f"{'≥' if target.least is not None else '≤'} {number(limit)}"
        if (entry := target.find(figures)) is None:
            found.append(Verdict(target.name, goal, "", "not measured"))
            continue
        figure, where = entry
        met = figure.middle >= limit if target.least is not None else figure.middle <= limit
        spread = "" if figure.low == figure.high else f" [{number(figure.low)} … {number(figure.high)}]"
        found.append(
            Verdict(
                target.name, goal, f"{number(figure.middle)}{spread}, {where}", "met" if met else "missed"
            )
        )
    return found
