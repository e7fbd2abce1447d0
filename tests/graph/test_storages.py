"""Both storages of the graph kernel: the same operations give the same answers, events and counted steps."""

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from attrs import fields

from ivme.events import Costs
from ivme.kernel.graph import listing
from ivme.kernel.graph.engine import GraphEngine
from ivme.kernel.graph.interface import GraphStorage
from tests.graph.driving import EPSILONS, EVENTS, STORAGES, enrich, happened, storage, toggles

each_storage = pytest.mark.parametrize("name", STORAGES)


def engines(epsilon: Fraction, directed: bool, tracked: bool) -> list[GraphEngine]:
    return [GraphEngine(storage(name)(directed, tracked), epsilon, directed) for name in STORAGES]


def toggle(engine: GraphEngine, u: object, v: object) -> None:
    x, y = engine.storage.vertex(u), engine.storage.vertex(v)
    (engine.cut if engine.joined(x, y) else engine.link)(x, y)


def told(engine: GraphEngine, steps: bool = True) -> dict[str, Any]:
    """Answers and counters, in terms of values and not of ids."""
    kept = engine.storage
    names = {x: kept.value(x) for x in kept.vertices()}
    return {
        "state": listing.spec_state(engine),
        "at": {names[x]: engine.triangles_at(x) for x in names} if engine.tracked else None,
        "triangles": Counter(frozenset(map(kept.value, each)) for each in listing.triangles(engine)),
        "tiers": [{names[x] for x in tier} for tier in engine.tiers],
        "credits": {names[x]: (credit.paid, credit.look) for x, credit in engine.credits.items()},
        "rows": {names[x]: (row.price, row.gap) for x, row in engine.rows.items()},
        "events": Counter(engine.events),
        "steps": (engine.steps, *(getattr(engine.meter, each.name) for each in fields(Costs))) * steps,
    }


two_storages = pytest.mark.skipif(len(STORAGES) < 2, reason="the arena is part of the compiled kernel")


@two_storages
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("tracked", [False, True], ids=["count", "at"])
@pytest.mark.parametrize("pinned", [False, True], ids=["free", "pinned"])
def test_both_storages_agree(directed: bool, tracked: bool, pinned: bool) -> None:
    """The arena uses ids again, and the order of class changes in a major rebalancing is that of ids.

    So steps are the same, to the last one, where vertices are pinned by an edge of their own.
    """
    found: Counter[str] = Counter()
    for seed in range(12):
        rng = Random(seed)
        both = engines(EPSILONS[seed % 6], directed, tracked)
        factor = rng.choice([1, 4, 20, 1000])
        pins = [(v, f"pin {v}") for v in range(30 if pinned else 0)]
        for step, (u, v) in enumerate([*pins, *toggles(rng, directed, 250)]):
            for engine in both:
                engine.listening = True
                enrich(engine, factor)
                toggle(engine, u, v)
            if step % 9 == 0:
                one, other = (told(engine, pinned) for engine in both)
                assert one == other
                assert [list(listing.violations(engine)) for engine in both] == [[], []]
        assert told(both[0], pinned) == told(both[1], pinned)
        found += happened(both[1].events)
    assert set(found) >= EVENTS - ({"shrunk"} if pinned else set())


@two_storages
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_both_storages_load_alike(directed: bool) -> None:
    rng = Random(1)
    both = engines(Fraction(1, 2), directed, True)
    for u in range(60):
        for v in range(60) if directed else range(u):
            if u != v and (u + v < 30 or rng.random() < 0.1):
                for engine in both:
                    engine.store(engine.storage.vertex(u), engine.storage.vertex(v))
    for engine in both:
        engine.count_all()
        assert list(listing.violations(engine)) == []
        assert engine.triangles > 100
    assert told(both[0]) == told(both[1])
    assert both[0].meter.preprocessing == both[1].meter.preprocessing > 0


# --- rows of any length, against sets -------------------------------------------------------------------


class Model:
    """Rows of a storage beside sets of the same neighbours."""

    def __init__(self, kept: GraphStorage, count: int) -> None:
        self.kept = kept
        self.ids = [int(kept.vertex(("v", n))) for n in range(count)]
        self.rows: dict[int, set[int]] = {}

    def toggle(self, row: int, y: int) -> None:
        found = self.rows.setdefault(row, set())
        (self.kept.remove if y in found else self.kept.add)(row, y)
        found ^= {y}

    def require_same(self, one: int, other: int) -> None:
        kept, rows = self.kept, self.rows
        first, second = rows.get(one, set()), rows.get(other, set())
        both = first & second
        assert kept.length(one) == len(first)
        assert sorted(kept.members(one)) == sorted(first)
        assert kept.common(one, other) == len(both)
        assert sorted(kept.matches(one, other)) == sorted(both)
        assert kept.damage() == ""
        heavy = {x for x in self.ids if kept.is_heavy(x)}
        built = {x for x in self.ids if kept.is_built(x)}
        assert kept.heavy_in(one) == len(first & heavy)
        assert sorted(kept.built_members(one)) == sorted(first & built)
        light = sum(len(rows.get(w * int(kept.stride), ())) for w in first - heavy)
        assert kept.light_total(one) == light
        before = {x: kept.explicit(x) for x in self.ids}
        assert kept.bump_common(one, other, 5) == len(both)
        assert (kept.heavy_matches, kept.built_matches) == (len(both & heavy), len(both & built))
        assert {x for x in self.ids if kept.explicit(x) == before[x] + 5} == both
        assert kept.bump_common(one, other, -5) == len(both)
        assert {x: kept.explicit(x) for x in self.ids} == before


@each_storage
@pytest.mark.parametrize("sizes", [(3, 12), (14, 200), (60, 80), (100, 500), (5, 580), (580, 580)], ids=str)
def test_rows_of_all_lengths(name: str, sizes: tuple[int, int]) -> None:
    """Lists, tables, tables with a bitmap, and every pair of them; filled and emptied again."""
    rng = Random(sizes[0])
    model = Model(storage(name)(True, True), 600)
    for x in model.ids[:40]:
        model.kept.set_heavy(x, True)
    for x in model.ids[:9]:
        model.kept.open_pairs(x)
    rows = [2 * model.ids[50], 2 * model.ids[60] + 1]
    order = [rng.sample(model.ids, size) for size in sizes]
    for _ in range(2):  # fill, then empty
        pending = [(row, y) for row, ys in zip(rows, order, strict=True) for y in ys]
        rng.shuffle(pending)
        for step, (row, y) in enumerate(pending):
            model.toggle(row, y)
            if step % (1 + len(pending) // 12) == 0:
                model.require_same(*rows)
                model.require_same(*rows[::-1])
        model.require_same(*rows)
    assert not any(model.rows.values())


@each_storage
def test_a_row_with_a_bitmap_survives_new_vertices(name: str) -> None:
    """The bitmaps are widened; rows that are then too short lose theirs, and get it back when they grow."""
    kept = storage(name)(False, True)
    model = Model(kept, 200)
    one, other = model.ids[:2]
    for y in model.ids[2:120]:
        model.toggle(one, y)
    for y in model.ids[90:]:
        model.toggle(other, y)
    model.require_same(one, other)
    for n in range(200, 5000, 400):
        model.ids += [int(kept.vertex(("v", m))) for m in range(n, n + 400)]
        model.toggle(one, model.ids[-1])
        model.toggle(other, model.ids[-1])
        model.toggle(other, model.ids[-2])
        model.require_same(one, other)
    for y in model.ids[3000:4000]:
        model.toggle(one, y)
    model.require_same(one, other)
    for row in (one, other):
        for y in sorted(model.rows[row]):
            model.toggle(row, y)
    model.require_same(one, other)


@each_storage
def test_tables_of_so_many_vertices_that_they_have_no_bitmap(name: str) -> None:
    """Cells of both are empty, and that is nothing that they have in common."""
    model = Model(storage(name)(False, True), 10_000)
    one, other = model.ids[:2]
    for row, first, last in ((one, 100, 180), (other, 150, 220)):
        for y in model.ids[first:last]:
            model.toggle(row, y)
    model.require_same(one, other)
    model.require_same(other, one)


@each_storage
def test_pairs_of_a_built_vertex(name: str) -> None:
    kept = storage(name)(True, True)
    u, z, w, other = (int(kept.vertex(n)) for n in range(4))
    for a, b in ((u, w), (u, other), (w, z), (w, u), (other, z), (other, w)):
        kept.add(2 * a, b)
        kept.add(2 * b + 1, a)
    kept.set_heavy(u, True)
    kept.set_heavy(z, True)
    kept.open_pairs(u)
    assert (kept.is_built(u), kept.is_heavy(u), kept.is_built(z)) == (True, True, False)
    assert (kept.pairs(u), kept.pair(u, z), kept.pair(u, w)) == ({z: 2}, 2, 0)
    assert kept.join_pairs(u, other, -1) == 1
    kept.add_pair(u, z, -1)
    assert kept.pairs(u) == {}
    kept.close_pairs(u)
    assert (kept.is_built(u), kept.is_heavy(u)) == (False, True)


@each_storage
def test_vertices_come_and_go(name: str) -> None:
    """The arrival of a vertex is later than all before, whatever its id; equal values are one vertex."""
    kept = storage(name)(False, False)
    kept.forget(kept.vertex(None))
    assert kept.find(10**30) == 0
    first, large = kept.vertex(3), kept.vertex(10**30)
    one = kept.vertex(True)
    assert [kept.find(each) for each in (3, 10**30, 1, 1.0, True, 10**40)] == [first, large, one, one, one, 0]
    kept.vertex(5000)  # integers are indexed anew
    assert [kept.find(each) for each in (3.0, 10**30, 1, 5000)][:3] == [first, large, one]
    for each in (first, large, one, kept.find(5000)):
        kept.forget(each)
    assert [kept.find(each) for each in (3, 10**30, 1)] == [0, 0, 0]
    x, y, z = kept.vertex("x"), kept.vertex(7), kept.vertex((1, 2))
    assert [kept.find(value) for value in ("x", 7.0, True + 6, (1.0, 2), "gone")] == [x, y, y, z, 0]
    kept.forget(y)
    assert (kept.find(7), kept.vertex_count(), sorted(kept.vertices())) == (0, 2, sorted([x, z]))
    again = kept.vertex(7)
    assert kept.arrival(again) > kept.arrival(z) > kept.arrival(x)
    assert [kept.value(each) for each in (x, again, z)] == ["x", 7, (1, 2)]
    for each in (x, again, z):
        kept.forget(each)
    assert (kept.vertex_count(), kept.vertices(), kept.damage()) == (0, [], "")
    assert kept.vertex("x") > 0
    assert kept.damage() == ""
