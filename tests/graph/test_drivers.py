"""Random walks in which everything happens: classes and N in both directions, rows built and dropped."""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest

from ivme import GraphTriangles
from ivme.graph import Track
from ivme.kernel.graph.events import Build
from ivme_reference import NaiveGraph
from tests.graph.driving import EPSILONS, EVENTS, enrich, happened, require_agreement, toggles

each_direction = pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
each_track = pytest.mark.parametrize("track", [("count",), ("count", "at")], ids=["count", "at"])


def walk(graph: GraphTriangles, rng: Random, steps: int, every: int) -> Counter[str]:
    """Toggle edges; `check()` and compare every few steps; what happened."""
    naive = NaiveGraph(graph.directed)
    engine, factor = graph._engine, rng.choice([1, 4, 20, 1000])
    engine.listening = True
    for step, (u, v) in enumerate(toggles(rng, graph.directed, steps)):
        enrich(engine, factor)
        if (u, v) in naive:
            naive.delete(u, v)
            graph.delete(u, v)
        else:
            naive.insert(u, v)
            graph.insert(u, v)
        if step % every == 0:
            graph.check()
            require_agreement(graph, naive, rng.sample(range(30), 3))
        elif naive.copies and rng.random() < 0.04:
            u, v = rng.choice(naive.edges())
            assert graph.count_on(u, v) == naive.count_on(u, v)
    require_agreement(graph, naive, range(3))
    graph.check()
    assert (graph.size, graph.number_of_nodes(), graph.count()) == (0, 0, 0)
    assert not engine.rows
    assert not engine.credits
    assert not engine.heavies
    assert not any(engine.tiers)
    return happened(engine.events)


@each_direction
@each_track
def test_answers_and_invariant_hold_whatever_happens(directed: bool, track: tuple[Track, ...]) -> None:
    found: Counter[str] = Counter()
    for seed in range(12):
        graph = GraphTriangles(directed, EPSILONS[seed % 6], track)
        found += walk(graph, Random(seed), 300, 13)
    assert set(found) == EVENTS
    assert min(found.values()) > 2, found


@each_direction
def test_answers_and_invariant_hold_in_new_walks(directed: bool, rng: Random) -> None:
    for epsilon in EPSILONS:
        walk(GraphTriangles(directed, epsilon, ("at",)), rng, 100, 7)


@pytest.mark.slow
@each_direction
def test_answers_and_invariant_hold_in_many_walks(directed: bool, rng: Random) -> None:
    for _ in range(20):
        walk(GraphTriangles(directed, rng.choice(EPSILONS), rng.choice([(), ("at",)])), rng, 400, 13)


# --- rows pay for themselves ----------------------------------------------------------------------------


def hubs(directed: bool, leaves: int) -> GraphTriangles:
    """Two hubs over the same leaves: hub → leaf → other hub, not adjacent."""
    edges = [edge for leaf in range(2, leaves + 2) for edge in ((0, leaf), (leaf, 1))]
    graph = GraphTriangles(directed, Fraction(1, 2), ("count", "at"), edges=edges)
    graph._engine.listening = True
    return graph


@each_direction
def test_a_row_is_built_when_its_scans_have_paid_for_it(directed: bool) -> None:
    graph, leaves = hubs(directed, 200), 200
    engine = graph._engine
    built = 0
    for toggle in range(1, 12):
        before = engine.steps
        graph.insert(1, 0)
        assert (graph.count(), graph.count_at(1), graph.count_at(2)) == (leaves, leaves, 1)
        graph.delete(1, 0)
        for event in engine.events:
            assert isinstance(event, Build)
            assert event.price <= event.update * (leaves + 1) <= event.price + 2 * leaves, (
                "one scan an update"
            )
            built += 1
        engine.events.clear()
        if built and toggle > 6:
            assert engine.steps - before < leaves // 2, "a lookup, not a scan"
    assert built == 1
    (row,) = engine.rows.values()
    degree = sum(engine.storage.length(engine.storage.find(leaf) * engine.stride) for leaf in range(2, 202))
    assert row.price == 2 * leaves + 2 * degree
    graph.check()


@each_direction
def test_reads_pay_for_rows_as_updates_do(directed: bool) -> None:
    graph, leaves = hubs(directed, 100), 100
    graph.insert(1, 0)
    for _ in range(12):
        assert graph.count_on(1, 0) == leaves
        graph.check()
    assert happened(graph._engine.events)["build"] == 1
    before = graph._engine.steps
    assert graph.count_on(1, 0) == leaves
    assert graph._engine.steps - before < leaves // 2


@each_direction
def test_a_row_that_is_not_used_is_dropped_before_its_upkeep_exceeds_its_price(directed: bool) -> None:
    graph = hubs(directed, 60)
    engine = graph._engine
    for _ in range(8):
        graph.insert(1, 0)
        graph.delete(1, 0)
    assert engine.rows
    for _ in range(400):
        for row in engine.rows.values():
            assert row.gap < row.price
        for change in (graph.delete, graph.insert):
            change(2, 1)
    found = happened(engine.events)
    assert (found["build"], found["dropped for its upkeep"]) == (1, 1)
    assert not engine.rows
    graph.check()


@each_direction
def test_a_class_change_is_charged_to_the_rows_that_it_changes(directed: bool) -> None:
    """A leaf between the hubs becomes heavy, then light: V(hub, other hub) loses it and gets it back."""
    graph = hubs(directed, 60)
    engine = graph._engine
    for _ in range(8):
        graph.insert(1, 0)
        graph.delete(1, 0)
    (row,) = engine.rows.values()
    gaps, more = [int(row.gap)], range(1_000, 1_060)
    for change in (graph.insert, graph.delete):
        for v in more:
            before = len(engine.events)
            change(2, v)
            if len(engine.events) > before:
                gaps.append(int(row.gap))
                graph.check()
    assert [event.kind for event in engine.events[-2:]] == ["minor", "minor"]
    assert gaps == [0, 2, 4], "one pair each, two steps"


@each_direction
@pytest.mark.parametrize("read", [False, True], ids=["updates", "reads"])
def test_a_row_that_is_used_is_kept(directed: bool, read: bool) -> None:
    """A use gives back the scan that it spares."""
    graph = hubs(directed, 60)
    engine = graph._engine
    for _ in range(8):
        graph.insert(1, 0)
        graph.delete(1, 0)
    if read:
        graph.insert(1, 0)
    (row,) = engine.rows.values()
    for _ in range(100):
        for change in (graph.delete, graph.insert):
            change(2, 1)
        before = row.gap
        assert before > 0
        if read:
            assert graph.count_on(1, 0) == 60
        else:
            graph.insert(1, 0)
            graph.delete(1, 0)
        assert row.gap == max(0, before - (60 if read else 120))
    assert happened(engine.events)["dropped for its upkeep"] == 0
    graph.check()
