"""Every family is adversarial: its counted cost stays above floor · N^p as N grows, and within the bound.

The floors are stated beside the families (`ivme.workloads.tightness`), the bounds by the spec. Everything is
compared exactly. A twin of each workload, in which no tuple joins another, shows that the fixed cost of an
update does not reach the floors.
"""

from fractions import Fraction
from pathlib import Path

import pytest
from attrs import evolve, frozen

from ivme import TriangleView
from ivme.workloads import CATALOGUE, Approach, Section, Update, Workload
from ivme_spec.bounds import SMALLEST, Bound, Power, query_bounds
from ivme_spec.thresholds import reaches

ROOT = Path(__file__).resolve().parents[2]


@frozen
class Measured:
    """A cost between `least` and `most`, both divided by `count`, and N."""

    least: int
    most: int
    count: int
    base: int

    def reaches(self, floor: Fraction, exponent: Fraction) -> bool:
        """least / count ≥ floor · N^exponent, exactly."""
        return reaches(self.least, floor * self.count, self.base, exponent)

    def allowed_by(self, power: Power) -> bool:
        """most / count ≤ c · N^e, exactly."""
        return evolve(power, constant=power.constant * self.count).allows(self.most, self.base)


def measure(approach: Approach, free: str, workload: Workload) -> Measured:
    """Run a workload on a view and count what the approach names."""
    view = TriangleView(
        free, approach.epsilon, partitioning=approach.partitioning, database=workload.database()
    )
    bases = {view.threshold_base}
    for update in workload.prepare():
        view.update(*update)
        bases.add(view.threshold_base)
    before, single, each = view.costs, approach.cost == "update", []
    for update in workload.updates():
        view.update(*update)
        bases.add(view.threshold_base)
        if single:
            each.append(view.costs.updates)
    after, count = view.costs, 1
    if single:
        steps = [new - old for old, new in zip((before.updates, *each), each, strict=False)]
        least, most = min(steps), max(steps)
    else:
        if approach.cost == "amortized":
            least, count = after.maintenance - before.maintenance, after.update_count - before.update_count
        elif approach.cost == "delay":
            for _ in view:
                pass
            least = view.costs.largest_delay
        elif approach.cost == "space":
            views = view.state()["views"]
            assert isinstance(views, dict)
            least = sum(map(len, views.values()))
        else:
            counted = {
                "minor": after.largest_minor,
                "major": after.largest_major,
                "preprocessing": after.preprocessing,
            }
            least = counted[approach.cost]
        most = least
    return Measured(least, most, count, max(bases))


def made(family: str, approach: Approach, size: int, folder: Path) -> Workload:
    """The workload of a size; for graph, of a file that holds a complete graph with so many vertices."""
    parameters = dict(approach.parameters(size))
    if family == "graph":
        path = folder / str(parameters["path"])
        path.write_text("".join(f"{u} {v}\n" for u in range(size) for v in range(u)), encoding="utf-8")
        parameters["path"] = str(path)
    return CATALOGUE[family].make(**parameters)


def power_of(approach: Approach, free: str) -> Power:
    """The spec's bound for the cost."""
    bound: Bound = getattr(query_bounds(free, approach.partitioning), approach.cost)
    (power,) = bound.powers(approach.epsilon)
    return power


def check(approach: Approach, free: str, workload: Workload) -> Measured:
    """The cost of a workload, asserted to be at least the floor and within the bound."""
    power, found = power_of(approach, free), measure(approach, free, workload)
    assert found.base >= SMALLEST
    assert found.reaches(approach.floor, power.exponent), f"{found} is below {approach.floor}"
    assert found.allowed_by(power), f"{found} is beyond {power}"
    return found


def apart(workload: Workload) -> Workload:
    """The same updates on tuples that join nothing: each tuple (x, y) becomes a distinct (k, k)."""
    numbers: dict[tuple[str, int, int], int] = {}

    def moved(section: Section) -> Section:
        def at(p: int) -> Update:
            relation, x, y, multiplicity = section.at(p)
            number = numbers.setdefault((relation, x, y), len(numbers))
            return (relation, number, number, multiplicity)

        return Section(section.count, at)

    names = ("loaded", "preparation", "attack")
    parts = {name: tuple(map(moved, getattr(workload, name))) for name in names}
    return Workload(workload.family, workload.parameters, **parts)


NAMES = ("count", "unary", "binary", "ternary")
PAIRS = [(name, approach) for name, family in CATALOGUE.items() for approach in family.approached]
each_approach = pytest.mark.parametrize(
    ("family", "approach"),
    PAIRS,
    ids=[f"{name}, {a.cost}, {NAMES[len(a.heads[0])]}, {a.epsilon}" for name, a in PAIRS],
)


def test_every_family_approaches_a_bound() -> None:
    assert [name for name, family in CATALOGUE.items() if not family.approached] == []


@each_approach
def test_the_attacked_bound_is_approached(family: str, approach: Approach, tmp_path: Path) -> None:
    """floor · N^p ≤ cost ≤ c · N^p at four sizes."""
    free = approach.heads[0]
    bases = [check(approach, free, made(family, approach, size, tmp_path)).base for size in approach.sizes]
    assert bases == sorted(set(bases))
    assert len(bases) >= 4
    assert bases[-1] >= 8 * bases[0]


@pytest.mark.nightly
@each_approach
def test_by_every_head_and_at_a_larger_size(family: str, approach: Approach, tmp_path: Path) -> None:
    for free in approach.heads:
        for size in (*approach.sizes, approach.larger):
            check(approach, free, made(family, approach, size, tmp_path))


@each_approach
def test_tuples_that_meet_nothing_are_below_the_floor(
    family: str, approach: Approach, tmp_path: Path
) -> None:
    """The twin of the largest workload, of the same length and with the same sizes."""
    free = approach.heads[0]
    workload = apart(made(family, approach, approach.sizes[-1], tmp_path))
    with pytest.raises(AssertionError, match="is below"):
        check(approach, free, workload)


def test_a_core_of_fixed_size_is_below_the_floor_once_n_has_grown() -> None:
    """A family that is costly at the first size only: 10 values intersected, whatever N is."""
    approach = Approach(
        "amortized", ("",), "1/2", "1/4", (520, 2_000, 8_000, 32_000), 0, "", lambda size: {"size": size}
    )

    def planted(size: int) -> Workload:
        core = Section(20, lambda p: ("S", 0, p // 2, 1) if p % 2 else ("T", p // 2, 0, 1))
        rest = Section(size - 20, lambda p: ("R", 100 + p, 100 + p, 1))
        toggled = Section(10, lambda p: ("R", 0, 0, -1 if p % 2 else 1))
        return Workload("planted", {}, (core, rest), attack=(toggled,))

    power = power_of(approach, "")
    passed = [
        measure(approach, "", planted(size)).reaches(approach.floor, power.exponent)
        for size in approach.sizes
    ]
    assert (passed[0], passed[-1]) == (True, False)


def test_a_cost_beyond_the_bound_is_noticed() -> None:
    power = Power(Fraction(9), Fraction(1, 2))
    assert Measured(900, 900, 1, 10_000).allowed_by(power)
    assert not Measured(900, 901, 1, 10_000).allowed_by(power)
    assert Measured(1_800, 1_800, 2, 10_000).allowed_by(power)
    assert not Measured(1_801, 1_801, 2, 10_000).allowed_by(power)


def test_floors_are_compared_exactly() -> None:
    quarter, half = Fraction(1, 4), Fraction(1, 2)
    assert Measured(25, 25, 1, 10_000).reaches(quarter, half)
    assert not Measured(25, 25, 1, 10_001).reaches(quarter, half)
    assert Measured(75, 75, 3, 10_000).reaches(quarter, half)
    assert not Measured(74, 75, 3, 10_000).reaches(quarter, half)


def test_grow_and_drain_attacks_updates_and_not_rebalancing() -> None:
    """N doubles and halves all the time, at negligible cost compared with the updates."""
    view = TriangleView("")
    view.apply(CATALOGUE["grow-and-drain"].make(peak=3_000))
    costs = view.costs
    assert costs.major_count >= 40
    assert costs.minor_count == 0
    assert 50 * costs.major < costs.updates
    assert "rebalancing" not in CATALOGUE["grow-and-drain"].bound


# --- what the docs say ----------------------------------------------------------------------------------


def row(family: str, approach: Approach) -> str:
    """A line of the table in docs/workloads.md; the bound is that of the first query."""
    power = power_of(approach, approach.heads[0])
    queries = ", ".join(NAMES[len(free)] for free in approach.heads)
    if approach.partitioning == "double":
        queries += ", double partitions"
    base = "N" if power.exponent == 1 else f"N^{{{power.exponent}}}"
    between = (f"{approach.floor}·{base}", f"{power.constant}·{base}")
    cells = (f"`{family}`", approach.regime, approach.cost, queries, str(approach.epsilon), *between)
    return f"| {' | '.join(cells)} |"


def test_the_table_of_floors_in_the_docs_is_the_catalogue() -> None:
    text = (ROOT / "docs" / "workloads.md").read_text(encoding="utf-8")
    section = text.partition("## How close they come\n")[2].partition("\n## ")[0]
    given = [line for line in section.splitlines() if line.startswith("| `")]
    assert given == [row(*pair) for pair in PAIRS]
