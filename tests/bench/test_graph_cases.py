"""Stores for graphs agree, recounts too; the graphs are what they are said to be."""

import random
from collections.abc import Callable
from itertools import combinations

import pytest

from bench import graph_cases
from bench.graph_cases import ATTACKS, edges, orders
from bench.snapshots import RECOUNTS, Snapshot, triples
from bench.tenlines import AT, STORES, StoreContender, digest
from ivme import GraphTriangles


def brute(held: set[frozenset[int]]) -> int:
    return sum(
        {frozenset((a, b)), frozenset((b, c)), frozenset((a, c))} <= held
        for a, b, c in combinations(range(8), 3)
    )


# --- stores ---


KINDS = [(store, free) for store in STORES for free in store.heads]


@pytest.mark.parametrize(("contender", "free"), KINDS, ids=lambda given: str(getattr(given, "name", given)))
def test_stores_count_and_refuse(contender: StoreContender, free: str, rng: random.Random) -> None:
    if contender.missing:
        pytest.skip(contender.missing)
    store, held = contender.make(free), set[frozenset[int]]()
    for _ in range(400):
        u, v = rng.sample(range(8), 2)
        if frozenset((u, v)) in held:
            with pytest.raises((KeyError, ValueError)):
                store.insert(u, v)
            store.delete(u, v)
        else:
            store.insert(v, u)
        held ^= {frozenset((u, v))}
        assert store.count() == brute(held)
        if free == AT:
            at: Callable[[int], int] = getattr(store, "count_at")  # noqa: B009  # not all have it
            for v in range(8):
                assert at(v) == brute(held) - brute({edge for edge in held if v not in edge})


def test_digests_tell_answers_apart() -> None:
    square = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)]
    one, other = (
        GraphTriangles(track=("count", "at"), edges=given) for given in (square, [*square[:4], (1, 3)])
    )
    assert one.count() == other.count() == 2
    assert digest(one, range(4)) != digest(other, range(4))
    assert digest(GraphTriangles(edges=square), range(4)) == "2 triangles"


# --- recounts ---


@pytest.mark.filterwarnings("ignore")  # of the libraries
@pytest.mark.parametrize("snapshot", RECOUNTS, ids=lambda snapshot: str(snapshot.name))
def test_recounts(snapshot: Snapshot, rng: random.Random) -> None:
    if snapshot.missing:
        pytest.skip(snapshot.missing)
    for number in (1, 10, 20, 28):
        chosen = rng.sample(list(combinations(range(8), 2)), number)
        given = triples([(u, v) if rng.random() < 0.5 else (v, u) for u, v in chosen])
        assert snapshot.load(given)() == brute(set(map(frozenset, chosen)))


# --- cases ---


def test_edges_of_a_file_are_simple(folder: str) -> None:
    found = edges("graph:small", folder)
    assert sorted(found) == list(combinations(range(5), 2))


def test_orders_are_random_and_repeatable() -> None:
    found = list(combinations(range(12), 2))
    one, same, other = orders(found, 1), orders(found, 1), orders(found, 2)
    assert one == same != other
    for order in (one.inserts, one.deletes, other.inserts):
        assert sorted((min(edge), max(edge)) for edge in order) == found
    assert set(one.inserts) == set(one.deletes)  # in the same direction
    assert one.inserts != one.deletes != found
    assert 0 < sum(u < v for u, v in one.inserts) < len(found)


@pytest.mark.parametrize("name", ATTACKS)
def test_attacks_are_updates_that_a_graph_takes(name: str) -> None:
    attack = ATTACKS[name](1000)
    assert 900 <= len(attack.edges) <= 1100
    graph = GraphTriangles(edges=attack.edges)
    assert graph.apply(attack.updates) == len(attack.updates) > graph_cases.uncounted(name)


def test_two_hubs() -> None:
    graph = GraphTriangles(edges=[*graph_cases.hub(50), (0, 1)])
    assert (graph.count(), graph.degree(0), graph.degree(7)) == (50, 51, 2)


def test_rmat_is_skewed_and_repeatable() -> None:
    numpy = pytest.importorskip("numpy", reason="pip install 'ivme[bench]'")
    stream, same = graph_cases.rmat(10, 1, 5000), graph_cases.rmat(10, 1, 5000)
    first, second = next(stream), next(stream)
    assert (first == next(same)).all()
    assert (first != second).any()
    assert first.shape == (5000, 2)
    assert first.dtype == numpy.int64
    assert 0 <= first.min() <= first.max() < 1024
    low = (first < 512).mean(axis=0)  # a + b of the rows, a + c of the columns
    assert low == pytest.approx([0.76, 0.76], abs=0.03)
    assert (first < 512).all(axis=1).mean() == pytest.approx(0.57, abs=0.03)
