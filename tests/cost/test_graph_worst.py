"""The worst cases of single operations of a graph: within the spec's bounds, and not far below them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import pytest

from ivme import GraphTriangles
from ivme.graph import Track
from ivme.kernel.graph import listing
from ivme.kernel.graph.events import Build, Drop
from ivme.workloads.edges import core, hub_toggles, light_end, threshold_thrash, wedge_storm
from ivme_spec.bounds import Power
from ivme_spec.graph_bounds import (
    BUILD,
    CREDIT,
    DROP,
    LISTING,
    LOAD,
    LOOKUP,
    MAJOR,
    PAIRS,
    PHASE,
    SCAN,
    UPDATE,
    Total,
)
from ivme_spec.slopes import slope
from tests.cost.graphs import (
    AT,
    COUNT,
    adversary,
    each_direction,
    each_epsilon,
    each_track,
    listened,
    price_of,
    steps_of,
    update,
)
from tests.graph.test_data import LARGE

HALF = Fraction(1, 2)
SIZE = 2_500


def calm(graph: GraphTriangles, u: int, v: int, sign: int) -> int | None:
    """The steps of an update if nothing was built, dropped or rebalanced, and no unbuilt pair scanned."""
    engine = graph._engine
    engine.events.clear()
    paid = sum(int(credit.paid) for credit in engine.credits.values())
    steps, seen = update(graph, u, v, sign), list(engine.events)
    engine.events.clear()
    if seen or sum(int(credit.paid) for credit in engine.credits.values()) != paid:
        return None
    return steps


@each_direction
@each_track
@each_epsilon
def test_an_update_that_rebalances_nothing_is_within_its_bound(
    directed: bool, track: tuple[Track, ...], epsilon: Fraction
) -> None:
    for attack in (light_end(SIZE, epsilon, 20), wedge_storm(SIZE, epsilon, 100)):
        graph = listened(directed, epsilon, track, attack.edges)
        found = [steps for each in attack.updates if (steps := calm(graph, *each)) is not None]
        assert len(found) >= 10
        assert UPDATE.allows(max(found), 1, graph.threshold_base, epsilon)


def test_updates_reach_a_third_of_their_bound() -> None:
    """15θ + 9: the light end has 1.3θ neighbours, a quarter θ of them built; 5.2θ."""
    attack = light_end(SIZE, HALF, 20)
    graph = listened(False, HALF, AT, attack.edges)
    steps = steps_of(graph, attack.updates)[-20:]
    assert UPDATE.share(min(steps), 1, graph.threshold_base, HALF) > 1 / 3


@each_direction
@each_track
def test_a_scan_of_an_unbuilt_pair_is_within_its_bound(directed: bool, track: tuple[Track, ...]) -> None:
    """The two scans before a row is considered: ¼N and once more if tracked, half of the bound."""
    attack = hub_toggles(SIZE, 2)
    graph = listened(directed, HALF, track, attack.edges)
    steps = update(graph, *attack.updates[0])
    assert SCAN.allows(steps, 1, graph.threshold_base, HALF)
    if track == AT:
        assert SCAN.share(steps, 1, graph.threshold_base, HALF) > 1 / 5


@each_direction
@each_track
@pytest.mark.parametrize("epsilon", ["1/4", "1/3", "1/2", "2/3"])
def test_credits_builds_and_drops_are_within_their_bounds(
    directed: bool, track: tuple[Track, ...], epsilon: str
) -> None:
    exact, made = Fraction(epsilon), core(SIZE, epsilon)
    graph = listened(directed, exact, track, made.edges())
    engine, leaf = graph._engine, made.hubs + made.leaves - 1
    largest = dict.fromkeys((0, 1), 0)
    found: list[str] = []
    for step in adversary(graph, leaf, 2):
        ids = [int(graph._storage.find(hub)) for hub in (0, 1)]
        steps = update(graph, *step) if step else 0
        base = graph.threshold_base
        for hub, x in enumerate(ids):
            built = any(isinstance(event, Build) and event.vertex == hub for event in engine.events)
            largest[hub] = max(largest[hub], price_of(engine, x))
            if credit := engine.credits.get(x):
                assert credit.paid <= CREDIT * largest[hub]
            elif not built:
                largest[hub] = price_of(engine, x)
        for event in engine.events:
            found.append(event.kind)
            bound: Callable[..., bool] = BUILD.allows if isinstance(event, Build) else DROP.bound.allows
            if isinstance(event, Build):
                assert event.price <= 2 * base
                assert bound(steps - (base // 2 + 8), base, exact), "without the scan"
            elif isinstance(event, Drop):
                assert bound(steps, base, exact)
        engine.events.clear()
    assert found.count("build") >= 2
    assert found.count("drop") >= 2


@each_direction
@each_track
@pytest.mark.parametrize("epsilon", ["1/4", "1/3", "1/2", "2/3"])
def test_a_row_takes_a_few_prices_until_it_is_built(
    directed: bool, track: tuple[Track, ...], epsilon: str
) -> None:
    """7¾ at most. At least 2, scans and the build, and 3½ if every scan finds and bumps what it walks, and
    triangles are handed over: 45 % of it. The 8 fixed steps of an update are not counted."""
    made = core(SIZE, epsilon)
    graph = listened(directed, Fraction(epsilon), track, made.edges())
    engine, phases = graph._engine, 0
    steps = operations = largest = 0
    for step in adversary(graph, made.hubs + made.leaves - 1, 4):
        unbuilt = not engine.rows
        before = int(engine.steps)
        graph.count_on(1, 0) if step is None else update(graph, *step)
        if not unbuilt:
            continue
        steps, operations = steps + int(engine.steps) - before, operations + (step is not None)
        largest = max(largest, *(price_of(engine, int(graph._storage.find(hub))) for hub in (0, 1)))
        if engine.rows:
            assert steps - 8 * operations <= PHASE * largest
            if phases != 2:  # reads bump nothing
                assert 2 * (steps - 8 * operations) >= (7 if track == AT else 4) * largest
            steps = operations = largest = 0
            phases += 1
    assert phases == 4


def test_a_credit_reaches_three_quarters_of_its_bound() -> None:
    """Two vertices with heavy neighbours but for one: the second scan pays 2d, the price is 2d + 2, and the
    next look is at 4d."""
    edges = [*combinations(range(40), 2), (0, 98), (1, 99)]
    graph = listened(False, Fraction(1, 4), COUNT, edges)
    scans = 0
    while not graph._engine.rows:
        assert graph.count_on(0, 1) == 38
        scans += 1
    (row,) = graph._engine.rows.values()
    assert CREDIT * row.price * 3 <= 4 * 40 * scans <= 4 * CREDIT * row.price


@each_direction
def test_lookups_of_vertices_are_within_their_bound_and_have_its_exponent(directed: bool) -> None:
    """Above ½ the row of a light vertex may be longer than N^{2−2ε}: it is not walked."""
    for epsilon in map(Fraction, ("0", "1/4", "1/3", "1/2", "2/3", "3/4", "1")):
        points = []
        for size in (2_500, 20_000):
            attack, made = light_end(size, epsilon, 1), core(size, epsilon)
            graph = listened(directed, epsilon, AT, attack.edges)
            graph.apply(attack.updates)
            engine, most = graph._engine, 1
            for v in (0, made.hubs, made.hubs + made.leaves):
                before = engine.steps
                graph.count_at(v)
                most = max(most, int(engine.steps - before))
            assert LOOKUP.allows(most, graph.threshold_base, epsilon)
            points.append((graph.threshold_base, most))
        assert slope(points) <= 2 * min(epsilon, 1 - epsilon) + Fraction(1, 10), points


@each_direction
@each_epsilon
def test_pairs_are_within_their_bound(directed: bool, epsilon: Fraction) -> None:
    made = core(SIZE, epsilon)
    graph = listened(directed, epsilon, COUNT, made.edges())
    graph.apply(made.bought())
    engine = graph._engine
    pairs = sum(len(graph._storage.pairs(u)) for u in engine.rows)
    assert PAIRS.allows(pairs, graph.threshold_base, epsilon)
    if Fraction(1, 4) <= epsilon <= Fraction(2, 3):
        assert pairs >= len(engine.rows) * (made.hubs // 2), "every pair of a built and a heavy vertex"


@each_direction
@pytest.mark.parametrize("n", [24, 48])
def test_loading_and_listing_are_within_their_bounds(directed: bool, n: int) -> None:
    """A complete graph reaches an eighth of loading, undirected a tenth, and a twentieth of listing."""
    edges = [(u, v) if (u + v) % 2 else (v, u) for u, v in combinations(range(n), 2)]
    graph = GraphTriangles(directed, HALF, AT, edges=edges)
    base, loaded = graph.threshold_base, graph.costs["count"].preprocessing
    assert LOAD.allows(loaded, base, HALF)
    assert loaded * (8 if directed else 10) >= LOAD.estimate(base, HALF)
    before = graph._engine.steps
    assert len(list(graph.triangles())) == graph.count()
    listed = int(graph._engine.steps - before)
    assert LISTING.allows(listed, base, HALF)
    assert listed * 20 >= LISTING.estimate(base, HALF)


@each_direction
@each_epsilon
def test_major_rebalancing_is_within_its_bound(directed: bool, epsilon: Fraction) -> None:
    attack = threshold_thrash(600, epsilon, 40)
    graph = listened(directed, epsilon, AT, attack.edges)
    graph.apply(attack.updates)
    sizes = [*((u, v, 1) for u, v in combinations(range(10_000, 10_050), 2))]
    graph.apply(sizes)
    base, meter = graph.threshold_base, graph._engine.meter
    assert meter.major_count >= 1
    assert MAJOR.allows(meter.largest_major, base, epsilon)
    grown = meter.major_count
    meter.largest_major = 0
    for x, y in list(listing.edges(graph._engine)):
        graph.delete(graph._storage.value(x), graph._storage.value(y))
    assert meter.major_count > grown
    assert MAJOR.allows(meter.largest_major, base, epsilon)


@pytest.mark.parametrize("epsilon", ["1/2", "2/3"])
def test_a_major_rebalancing_looks_at_few_vertices(epsilon: str) -> None:
    """Those of more than ½θ, two steps each, not at all: 4·N^{1−ε} of them in all, here a path."""
    graph = GraphTriangles(False, epsilon)
    for v in range(4_000):
        graph.insert(v, v + 1)
        if graph.threshold_base <= 3_072:
            graph._engine.meter.largest_major = 0
    base, meter = graph.threshold_base, graph._engine.meter
    assert base > 8_000
    assert Power(Fraction(4), 1 - Fraction(epsilon)).allows(meter.largest_major, base)


def test_a_vertex_without_successors_buys_no_row() -> None:
    """Its scans are empty, so they pay for nothing."""
    graph = listened(True, HALF, AT, [(leaf, hub) for leaf in range(2, 102) for hub in (0, 1)])
    for sign in (1, -1) * 5:
        assert update(graph, 1, 0, sign) <= 10
        graph.check()
    assert not graph._engine.rows


def test_the_largest_update_of_wiki_vote_is_small() -> None:
    """All edges come, in the order of the file, and go: no more than 3,000 steps for any of them."""
    data = next(each for each in LARGE if each.name == "wiki-Vote")
    edges = list(dict.fromkeys((min(edge), max(edge)) for edge in data.pairs() if edge[0] != edge[1]))
    graph = GraphTriangles(track=AT)
    most = max(steps_of(graph, ((u, v, 1) for u, v in edges)))
    most = max(most, *steps_of(graph, ((u, v, -1) for u, v in edges)))
    assert most <= 3_000


def test_a_total_is_compared_exactly() -> None:
    total = Total(UPDATE.bound, 9)
    assert total.allows(2 * (1_500 + 9), 2, 10_000, HALF)
    assert not total.allows(2 * (1_500 + 9) + 1, 2, 10_000, HALF)
