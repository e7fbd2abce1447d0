"""`GraphTriangles.on_change`: each change of the simple graph once, with exactly its triangles."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme import BrokenError, BusyError, GraphChange, GraphTriangles, InputError, RefusedEdgeError
from ivme.graph import Repeated, Track
from ivme.kernel.graph import listing
from ivme.kernel.graph.engine import GraphEngine
from ivme_reference import NaiveGraph

updates = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 6), st.sampled_from([1, 1, 1, -1])), max_size=60
)


def outcome(graph: GraphTriangles | NaiveGraph, update: tuple[int, int, int]) -> bool:
    """Apply an update; whether it was accepted."""
    u, v, sign = update
    try:
        (graph.insert if sign > 0 else graph.delete)(u, v)
    except RefusedEdgeError:
        return False
    return True


@given(
    directed=st.booleans(),
    repeated=st.sampled_from(["refuse", "ignore", "count"]),
    loops=st.sampled_from(["refuse", "ignore"]),
    track=st.sampled_from([("count",), ("at",), ("on", "triangles")]),
    updates=updates,
)
def test_events_are_the_differences_of_the_listings(
    directed: bool, repeated: Any, loops: Any, track: Any, updates: list[tuple[int, int, int]]
) -> None:
    naive = NaiveGraph(directed, loops, repeated)
    graph = GraphTriangles(directed, "1/2", track, loops, repeated)
    events: list[GraphChange] = []
    graph.on_change(events.append)
    number = 0
    for update in updates:
        before, edges, had = Counter(naive.triangles()), set(naive.edges()), len(events)
        assert outcome(graph, update) == outcome(naive, update)
        after = Counter(naive.triangles())
        if set(naive.edges()) == edges:
            assert len(events) == had, "nothing has changed"
            continue
        number += 1
        (event,) = events[had:]
        assert (event.update, event.edge, event.sign) == (number, update[:2], update[2])
        assert Counter(event.appeared) == after - before
        assert Counter(event.vanished) == before - after
        assert Counter(graph.triangles()) == after


def test_vertices_come_in_the_order_of_arrival() -> None:
    events: list[GraphChange] = []
    graph = GraphTriangles(edges=[("c", "b"), ("a", "b")])
    graph.on_change(events.append)
    graph.insert("a", "c")
    graph.delete("b", "c")
    assert events == [
        GraphChange(1, ("a", "c"), 1, (("c", "b", "a"),)),
        GraphChange(2, ("b", "c"), -1, (("c", "b", "a"),)),
    ]
    assert (events[0].appeared, events[0].vanished) == ((("c", "b", "a"),), ())
    assert (events[1].appeared, events[1].vanished) == ((), (("c", "b", "a"),))


@pytest.mark.parametrize("first", ["ab", "bc", "ca"])
def test_a_cycle_starts_from_the_vertex_that_arrived_first(first: str) -> None:
    cycle = {"ab": "abc", "bc": "bca", "ca": "cab"}[first]
    events: list[GraphChange] = []
    graph = GraphTriangles(directed=True, edges=[tuple(first), (cycle[1], cycle[2])])
    graph.on_change(events.append)
    graph.insert(cycle[2], cycle[0])
    for u, v in ("ab", "bc", "ca"):
        graph.delete(u, v)
        graph.insert(u, v)
    assert {triangle for event in events for triangle in event.triangles} == {tuple(cycle)}
    assert [event.sign for event in events] == [1, -1, 1, -1, 1, -1, 1]


def test_apply_reports_too_and_the_last_callback_counts() -> None:
    graph = GraphTriangles(repeated="ignore")
    first: list[GraphChange] = []
    second: list[GraphChange] = []
    graph.on_change(first.append)
    graph.apply([(1, 2), (2, 1), (2, 3)])
    graph.on_change(second.append)
    graph.apply([(3, 1), (3, 1, -1)])
    graph.on_change(None)
    graph.apply([(3, 1)])
    assert [event.edge for event in first] == [(1, 2), (2, 3)]
    assert [event.triangles for event in second] == [((1, 2, 3),), ((1, 2, 3),)]
    assert not graph._observed, "without a callback, an update goes the short way"


@pytest.mark.parametrize("track", [("count",), ("on",)], ids=str)
def test_rebuild_is_no_change_and_keeps_the_callback(track: tuple[Track, ...]) -> None:
    events: list[GraphChange] = []
    graph = GraphTriangles(track=track, edges=[(1, 2), (2, 3)])
    graph.on_change(events.append)
    graph.rebuild()
    assert events == []
    graph.insert(1, 3)
    assert [event.appeared for event in events] == [((1, 2, 3),)]


def test_copies_are_not_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[tuple[int, int]] = []
    graph = GraphTriangles(repeated="count", edges=[(1, 2), (2, 3), (3, 1)])

    def note(engine: GraphEngine, x: int, y: int) -> list[Any]:
        listed.append((x, y))
        return []

    monkeypatch.setattr(listing, "triangles_with", note)
    graph.on_change(lambda change: None)
    graph.insert(2, 1)
    graph.delete(1, 2)
    assert listed == []
    graph.delete(1, 2)
    assert len(listed) == 1


def test_a_copy_has_the_callback_and_a_pickle_cannot() -> None:
    events: list[GraphChange] = []
    graph = GraphTriangles(edges=[(1, 2), (2, 3)])
    graph.on_change(events.append)
    made = graph.copy()
    made.insert(3, 1)
    assert [event.appeared for event in events] == [((1, 2, 3),)]
    with pytest.raises(
        InputError, match=r"a graph with a callback cannot be pickled: call on_change\(None\)"
    ):
        pickle.dumps(graph)
    graph.on_change(None)
    assert pickle.loads(pickle.dumps(graph)) == graph


# --- callbacks that do more ---------------------------------------------------------------------------------


def test_a_callback_may_use_the_graph_and_change_it() -> None:
    graph = GraphTriangles(edges=[(1, 2), (2, 3)])
    seen: list[tuple[int, int, int]] = []

    def close(change: GraphChange) -> None:
        seen.append((change.update, graph.count(), graph.number_of_edges()))
        if change.update == 1:
            graph.insert(1, 4)

    graph.on_change(close)
    graph.insert(3, 1)
    assert seen == [(1, 1, 3), (2, 1, 4)]
    graph.check()


@pytest.mark.parametrize("track", [("count",), ("on", "triangles")], ids=str)
def test_what_a_callback_raises_passes_and_the_update_stays(track: tuple[Track, ...]) -> None:
    graph = GraphTriangles(track=track, edges=[(1, 2), (2, 3)])

    def fail(change: GraphChange) -> None:
        raise KeyError(change.edge)

    graph.on_change(fail)
    with pytest.raises(KeyError, match=r"\(3, 1\)"):
        graph.insert(3, 1)
    with pytest.raises(KeyError, match=r"\(1, 2\)"):
        graph.apply([(1, 2, -1), (2, 3, -1)])
    assert sorted(graph.triangles()) == []
    assert (graph.number_of_edges(), (1, 2) in graph) == (2, False)
    graph.check()


class Fussy:
    """A vertex whose comparison fails, or uses the graph, when it is told to."""

    def __init__(self, name: int) -> None:
        self.name = name
        self.act: Callable[[], None] = lambda: None

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fussy):
            return False
        self.act()
        other.act()
        return self.name == other.name


def test_an_error_while_listing_changes_nothing() -> None:
    graph = GraphTriangles()
    events: list[GraphChange] = []
    graph.on_change(events.append)
    vertices = [Fussy(name) for name in range(3)]
    graph.apply([(vertices[0], vertices[1]), (vertices[1], vertices[2])])
    again = Fussy(2)

    def fail() -> None:
        raise ZeroDivisionError

    again.act = fail
    with pytest.raises(ZeroDivisionError):
        graph.insert(vertices[0], again)
    assert (len(events), graph.number_of_edges()) == (2, 2)
    graph.check()
    refusals: list[Exception] = []

    def reenter() -> None:
        try:
            graph.insert(8, 9)
        except BusyError as error:
            refusals.append(error)

    again.act = reenter
    graph.insert(vertices[0], again)
    assert (graph.count(), len(events[-1].appeared)) == (1, 1)
    assert len(refusals) > 2, "while it lists and while it updates"
    assert (8, 9) not in graph
    graph.check()


def test_a_broken_graph_reports_nothing() -> None:
    graph = GraphTriangles(edges=[(1, 2)])
    events: list[GraphChange] = []
    graph.on_change(events.append)
    graph._intake.guard = 3
    with pytest.raises(BrokenError):
        graph.insert(2, 3)
    assert events == []


@pytest.mark.parametrize("callback", [3, "print", ()])
def test_what_cannot_be_called_is_refused(callback: Any) -> None:
    graph = GraphTriangles()
    kept: list[GraphChange] = []
    graph.on_change(kept.append)
    with pytest.raises(InputError, match=r"^on_change .* cannot be called: give a function, or None"):
        graph.on_change(callback)
    graph.insert(1, 2)
    assert len(kept) == 1


@pytest.mark.parametrize("update", [([1], 2), (2, 3), (5, 5)])
@pytest.mark.parametrize("repeated", ["refuse"])
def test_a_refused_update_is_no_event(update: Any, repeated: Repeated) -> None:
    graph = GraphTriangles(repeated=repeated, edges=[(1, 2), (2, 3), (3, 1)])
    events: list[GraphChange] = []
    graph.on_change(events.append)
    with pytest.raises(InputError):
        graph.insert(*update)
    with pytest.raises(InputError):
        graph.delete(update[0], 77)
    assert (events, graph.count()) == ([], 1)
