"""Workloads: pure functions of sequence numbers, valid from the empty database on, of the size asked for."""

from collections.abc import Callable
from fractions import Fraction

import pytest

from ivme import Rebalance, TriangleView
from ivme.workloads import (
    Workload,
    agm,
    delay_binary,
    delay_unary,
    hub,
    intersection,
    size_thrash,
    threshold_thrash,
    uniform,
    view_upkeep,
    wide_views,
)
from ivme_spec.state import initial_base
from ivme_spec.thresholds import threshold

HALF = Fraction(1, 2)
EPSILONS = (Fraction(1, 4), Fraction(1, 3), HALF, Fraction(2, 3))

Family = Callable[[int, Fraction, bool], Workload]
FAMILIES: dict[str, Family] = {
    "hub": lambda size, epsilon, loose: hub(size, 10, "S", everywhere=loose),
    "view-upkeep row": lambda size, epsilon, loose: view_upkeep(size, epsilon, "T", "row", loose, 10),
    "view-upkeep column": lambda size, epsilon, loose: view_upkeep(size, epsilon, "S", "column", loose, 10),
    "intersection row": lambda size, epsilon, loose: intersection(size, epsilon, "R", "row", loose, 10),
    "intersection column": lambda size, epsilon, loose: intersection(size, epsilon, "T", "column", loose, 10),
    "intersection split": lambda size, epsilon, loose: intersection(size, epsilon, "S", "split", loose, 10),
    "threshold-thrash": lambda size, epsilon, loose: threshold_thrash(
        size, epsilon, "S", "both", loose=loose
    ),
    "threshold-thrash second": lambda size, epsilon, loose: threshold_thrash(
        size, epsilon, "T", "second", percent=60, loose=loose
    ),
    "size-thrash": lambda size, epsilon, loose: size_thrash(size, epsilon),
    "agm": lambda size, epsilon, loose: agm(size, 10),
    "wide-views light": lambda size, epsilon, loose: wide_views(size, epsilon, "S", "light", loose),
    "wide-views heavy": lambda size, epsilon, loose: wide_views(size, epsilon, "T", "heavy", loose),
    "wide-views double": lambda size, epsilon, loose: wide_views(size, epsilon, "R", "double", loose),
    "delay-binary": lambda size, epsilon, loose: delay_binary(size, epsilon, loose),
    "delay-unary": lambda size, epsilon, loose: delay_unary(size, epsilon, loose),
    "uniform": lambda size, epsilon, loose: uniform(2 * size, 20, seed=int(loose)),
}

each_family = pytest.mark.parametrize("family", FAMILIES)


@each_family
@pytest.mark.parametrize("loose", [False, True], ids=["strict", "loose"])
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
def test_workloads(family: str, epsilon: Fraction, loose: bool) -> None:
    """`workload[p]` is the p-th update; no delete is refused; the loaded size and N are as asked for."""
    workload = FAMILIES[family](600, epsilon, loose)
    updates = list(workload)
    assert len(workload) == len(updates)
    assert family.startswith(workload.family)
    assert [workload[p] for p in range(0, len(updates), 37)] == updates[::37]
    assert updates == list(FAMILIES[family](600, epsilon, loose))
    present: dict[tuple[str, int, int], int] = {}
    sizes = []
    for relation, x, y, multiplicity in updates:
        key = (relation, x, y)
        present[key] = present.get(key, 0) + multiplicity
        assert present[key] >= 0
        if not present[key]:
            del present[key]
        sizes.append(len(present))
    start = sum(section.count for section in workload.loaded)
    attack = sum(section.count for section in workload.attack)
    if workload.family != "uniform":
        assert start == sum(map(len, workload.database().values())) == workload.parameters["size"] == 600
        assert sizes[start - 1] == 600, "what is loaded has no repetitions"
        prepared = sizes[start - 1 : len(sizes) - attack]
        assert initial_base(600) // 4 <= min(prepared)
        assert max(prepared) < initial_base(600), "the preparation keeps N"


@each_family
def test_sequence_numbers_end_where_the_workload_ends(family: str) -> None:
    workload = FAMILIES[family](600, HALF, False)
    for wrong in (len(workload), -1):
        with pytest.raises(IndexError, match=f"update {wrong} of {len(workload)}"):
            workload[wrong]


def test_a_size_that_is_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match="the size is too small for these parameters"):
        threshold_thrash(10, HALF, partners="heavy")


def test_uniform_depends_on_its_seed_alone() -> None:
    assert list(uniform(100, 10, seed=1)) == list(uniform(100, 10, seed=1))
    assert list(uniform(100, 10, seed=1)) != list(uniform(100, 10, seed=2))
    view = TriangleView("")
    view.apply(uniform(1_000, 10))
    assert view.size == 0


# --- answers that are known in closed form --------------------------------------------------------------


def test_agm_has_all_its_triangles() -> None:
    assert TriangleView("", database=agm(300).database())[()] == 10**3


def test_hub_toggles_its_triangles() -> None:
    workload = hub(600, 2)
    view = TriangleView("", database=workload.database())
    counts = []
    for update in workload.updates():
        view.update(*update)
        counts.append(view[()])
    assert counts == [300, 0]


@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("loose", [False, True], ids=["strict", "loose"])
def test_delay_instances_have_rows_in_many_buckets(epsilon: Fraction, loose: bool) -> None:
    """All rows of the result have the same, large number of derivations."""
    theta = threshold(initial_base(600), epsilon)
    rows = theta.heavy if loose else theta.strict
    for free, workload, at_least in (("AB", delay_binary, 2), ("A", delay_unary, 2)):
        given = workload(600, epsilon, loose)
        view = TriangleView(free, epsilon, database=given.database())
        view.apply(given.prepare())
        counts = {multiplicity for _, multiplicity in view}
        assert len(list(view)) == rows
        assert len(counts) == 1
        assert min(counts) >= at_least


def test_thrashing_rebalances_in_both_directions() -> None:
    for columns, crossing in (("first", 1), ("second", 1), ("both", 2)):
        workload = threshold_thrash(600, HALF, "R", columns, cycles=3)
        seen: list[Rebalance] = []
        view = TriangleView(
            "",
            HALF,
            partitioning="double",
            database=workload.database(),
            on_rebalance=seen.append,
        )
        view.apply(workload.updates())
        heavy = [event.kind for event in seen if event.up]
        light = [event.kind for event in seen if not event.up]
        assert heavy == light == ["minor"] * (3 * crossing)
