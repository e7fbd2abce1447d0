"""Results for tests of the report: made up, except for one run of a real view that is told in full.

The exponents of the paper are written here by hand (fig:complexity_plots_triangle), not read from the spec.
"""

from __future__ import annotations

from fractions import Fraction

from attrs import evolve

from ivme import Rebalance, TriangleView
from ivme.verify.results import (
    Check,
    Column,
    Cost,
    Exponent,
    Followed,
    Mark,
    Moment,
    Problem,
    Results,
    Run,
    Timeline,
)

QUERIES = [
    ("", "single"),
    ("", "double"),
    *((free, "single") for free in ("A", "B", "C", "AB", "AC", "BC", "ABC")),
]
EPSILONS = ["0", "1/4", "1/3", "1/2", "2/3", "3/4", "1"]
SHIFT = {"update": -0.02, "space": -0.05, "delay": 0.03}
"""How far the made-up measurements lie from the paper's exponents."""


def paper(cost: str, free: str, partitioning: str, epsilon: Fraction) -> Fraction:
    """The exponent that the paper states."""
    least = min(epsilon, 1 - epsilon)
    if cost == "update":
        return max(epsilon, 1 - epsilon)
    if cost == "delay":
        return [Fraction(0), 2 * least, least, Fraction(0)][len(free)]
    if len(free) == 3:
        return Fraction(3, 2)
    if partitioning == "double":
        return max(Fraction(1), min(1 + epsilon, 2 - 2 * epsilon))
    return 1 + least


def exponents() -> tuple[Exponent, ...]:
    """One for each cost, query and ε."""
    found = []
    for free, partitioning in QUERIES:
        for cost, shift in SHIFT.items():
            for epsilon in EPSILONS:
                exact = paper(cost, free, partitioning, Fraction(epsilon))
                points = tuple((n, round(3 * n ** float(exact))) for n in (1001, 2001, 4001))
                measured = float(exact) + shift
                found.append(
                    Exponent(
                        cost, free, partitioning, epsilon, str(exact), measured, points, "intersection <3"
                    )
                )
    return tuple(found)


def run(free: str, partitioning: str, *, problems: tuple[Problem, ...] = ()) -> Run:
    """A run whose update came to 40 % of its bound, or went far above it if there are problems."""
    steps, share = (5000, 17.6) if problems else (114, 0.4)
    costs = (
        Cost("update", steps, 1001, "9·N^1/2", 284.7, share, "prop:single_step_time", True, not problems),
        Cost("delay", 1, 1001, "1·N^0", 1.0, 1.0, "theo:main_result_triangle", False, True),
    )
    return Run(
        kind="small",
        family="hub & spokes",
        parameters={"size": "500"},
        free=free,
        partitioning=partitioning,
        epsilon="1/2",
        witness="naive",
        source="built-in",
        updates=1240,
        size=500,
        base=1001,
        answers=4,
        rows=17,
        states=4,
        minor=3,
        major=1,
        seconds=0.25,
        costs=costs,
        problems=problems,
    )


def timeline(updates: int = 900) -> Timeline:
    """A value of A that swings between heavy and light while S grows and shrinks; counted on a real view."""
    marks: list[Mark] = []
    told: list[Rebalance] = []
    loaded = {"S": [(b, b % 7) for b in range(40)], "T": [(c, 0) for c in range(7)]}
    view = TriangleView("", "1/2", database=loaded, on_rebalance=told.append)
    steps, bases, moments, points = [], [], [], []
    degree, heavy, way = 0, False, 1
    for number in range(1, updates + 1):
        before, known = view.costs.maintenance, len(told)
        if number % 3:
            way = 1 if degree == 0 else -1 if degree == 24 else way
            view.update("R", 0, degree if way > 0 else degree - 1, way)
            degree += way
        else:
            growing = number < 2 * updates // 3
            view.update("S", 100 + number if growing else 100 + 2 * (2 * updates // 3) - number, 1, 1)
        steps.append(view.costs.maintenance - before)
        bases.append(view.threshold_base)
        for event in told[known:]:
            if event.kind == "minor" and event.relation == "R":
                heavy = event.heavy
            if event.kind == "major":
                heavy = any(row[0] == 0 for row in _part(view, "R", "H"))
            place = ("", "", "")
            if event.kind == "minor":
                place = (event.relation, event.variable, str(event.value))
            marks.append(Mark(event.update, event.kind, *place, event.up, event.moved, event.base, steps[-1]))
        if number % 10 == 1:
            moments.append(_moment(view, number))
            points.append((number, degree, int(heavy)))
    followed = (Followed("R", "A", "0 <hub>", tuple(points)),)
    return Timeline(
        "swing",
        {"degree": "24"},
        "",
        "single",
        "1/2",
        tuple(steps),
        tuple(bases),
        tuple(marks),
        tuple(moments),
        followed,
    )


def _part(view: TriangleView[int], relation: str, part: str) -> list[tuple[int, int]]:
    parts = view.state()["parts"]
    assert isinstance(parts, dict)
    return list(parts[relation][part])


def _moment(view: TriangleView[int], number: int) -> Moment:
    base = view.threshold_base
    limits = [next(d for d in range(base + 2) if (2 * d) ** 2 >= k * k * base) for k in (1, 2, 3)]
    columns = tuple(
        Column(
            relation,
            variable,
            len({x for x, _ in _part(view, relation, "H")}),
            len({x for x, _ in _part(view, relation, "L")}),
        )
        for relation, variable in (("R", "A"), ("S", "B"), ("T", "C"))
    )
    return Moment(number, view.size, base, limits[0], limits[1], limits[2], columns)


CHECKS = (Check("answers against the reference", 2480, 0), Check("counted steps against bounds", 3780, 0))


def results(*, broken: bool = False, told: Timeline | None = None) -> Results:
    """What a verification might have found; `broken` gives it two problems, one with a trace."""
    runs = [run(free, partitioning) for free, partitioning in QUERIES]
    checks: tuple[Check, ...] = CHECKS
    if broken:
        problems = (
            Problem(CHECKS[0].name, "the answer differs: <b>3</b> & not 4", "traces/hub & spokes #1.jsonl"),
            Problem(CHECKS[1].name, 'update: 5000 steps; the bound is "9·N^1/2"'),
        )
        runs[0] = run("", "single", problems=problems)
        checks = tuple(evolve(check, problems=1) for check in CHECKS)
    return Results(
        ivme="0.0",
        python="3.11",
        platform="<test & co>",
        started="2026-01-02T03:04:05Z",
        seconds=12.5,
        seed=7,
        notes=("There was no <Spark>.",),
        checks=checks,
        runs=tuple(runs),
        exponents=exponents(),
        timeline=timeline() if told is None else told,
    )


EMPTY = Results("0.0", "3.11", "", "", 0.0, 0, (), (), (), (), None)
"""A verification that did nothing: not a success."""
