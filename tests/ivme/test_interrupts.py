"""Ctrl-C and threads: whatever comes from outside in the middle of an update does not go unnoticed."""

from __future__ import annotations

import gc
import signal
import sys
import threading
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count
from random import Random
from types import FrameType
from typing import NoReturn

import pytest

import ivme
from ivme import BrokenError, BusyError, GraphTriangles, RefusedEdgeError, TriangleView
from ivme.graph import Track
from ivme.kernel.engine import Engine
from ivme.kernel.graph.sets import SetGraph
from ivme.kernel.meter import Meter
from ivme_spec.relations import RELATIONS, RelationName
from tests.support.interrupts import struck_at

Row = tuple[RelationName, int, int, int]


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """SIGALRM acts as Ctrl-C does, after some CPU-bound work.

    Without the garbage collector: an exception in one of its callbacks, which Hypothesis has, is ignored.
    """

    def handler(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, handler)
    gc.disable()
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.enable()
        signal.signal(signal.SIGALRM, before)


def stream(rng: Random) -> list[Row]:
    """More inserts than can be done in time, all different."""
    return [(RELATIONS[n % 3], n // 60, rng.randrange(1 << 40), 1) for n in range(60_000)]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timers")
@pytest.mark.parametrize("free", ["", "A", "AB", "ABC"])
def test_ctrl_c_leaves_a_prefix_of_the_updates_or_a_broken_view(free: str, rng: Random) -> None:
    """And N goes on growing: a major rebalancing that was interrupted is not stepped over."""
    updates = stream(rng)
    stopped = 0
    for _ in range(8):
        view = TriangleView(free)
        try:
            with interrupted_after(rng.uniform(0.003, 0.02)):
                view.apply(updates)
        except KeyboardInterrupt:
            stopped += 1
        if "broken" in repr(view):
            with pytest.raises(BrokenError):
                view.check()
            view.rebuild()
        elif ivme.kernel == "compiled":
            assert view.threshold_base // 4 <= view.size < view.threshold_base
        done = view.size
        held = {(name, *row) for name in RELATIONS for row, _ in view.tuples(name)}
        assert held == {update[:3] for update in updates[:done]}
        view.apply(updates[done : done + 500])
        view.check() if done < 3000 else None
        assert view.threshold_base // 4 <= view.size < view.threshold_base
    assert stopped


@pytest.mark.pure
@pytest.mark.parametrize("method", ["set_base", "use"])
def test_ctrl_c_while_n_changes_is_not_stepped_over(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Wherever it strikes: N, θ and the partitions belong together, or the view is broken."""
    view = TriangleView("")
    view.apply([("R", x, x) for x in range(31)])

    def struck(*arguments: object) -> NoReturn:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Engine, method, struck)
        with pytest.raises(KeyboardInterrupt):
            view.insert("R", 31, 31)
    assert "broken" in repr(view)
    view.rebuild()
    view.check()
    assert view.size == 31


@pytest.mark.pure
@pytest.mark.parametrize("free", ["", "ABC"])
def test_ctrl_c_before_rebalancing_does_not_skip_it(free: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The update stands, and N and the classes follow it, though Ctrl-C came between the two."""

    def interrupt(self: Meter, steps: int) -> NoReturn:
        raise KeyboardInterrupt

    view = TriangleView(free)
    monkeypatch.setattr(Meter, "count_update", interrupt)
    for n in range(40):
        with pytest.raises(KeyboardInterrupt):
            view.insert(RELATIONS[n % 3], n // 20, n)
        view.check()
    assert view.size == 40


@pytest.mark.pure
@pytest.mark.parametrize("sign", [1, -1])
def test_ctrl_c_after_the_last_edge_of_a_vertex_breaks_the_graph_and_rebuild_mends_it(
    sign: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in a block of integers, and though the ids of the edge are free by then."""
    edges = [(1, 2), (2, 3), (3, 1), (8, 9)][: 4 if sign < 0 else 3]

    method = "forget" if sign < 0 else "add"
    done: Callable[..., None] = getattr(SetGraph, method)

    def struck(*arguments: object) -> NoReturn:
        done(*arguments)
        raise KeyboardInterrupt

    block = memoryview(array("q", [8])), memoryview(array("q", [9])), memoryview(array("q", [sign]))
    for by_block in (False, True):
        graph = GraphTriangles(edges=edges, track=("at",))
        intake = graph._intake
        with monkeypatch.context() as patch:
            patch.setattr(SetGraph, method, struck)
            with pytest.raises(KeyboardInterrupt):
                _ = intake.apply_block(*block, 0) if by_block else intake.update(8, 9, sign)
        assert "broken" in repr(graph)
        graph.rebuild()
        graph.check()
        assert graph == GraphTriangles(edges=edges)  # though vertices that had left arrive anew


@pytest.mark.pure
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("track", [("at",), ("on", "triangles")], ids=["at", "views"])
@pytest.mark.parametrize(("edge", "sign"), [((8, 1), 1), ((1, 2), 1), ((1, 2), -1), ((1, 8), -1)], ids=str)
def test_ctrl_c_at_every_call_leaves_the_graph_before_or_after_an_update(
    edge: tuple[int, int], sign: int, track: tuple[Track, ...], directed: bool
) -> None:
    """Kernel and views alike, also where the update is refused: that loses no edge, and brings none."""
    edges = [(1, 2), (2, 3), (3, 1), (3, 8)]
    before = GraphTriangles(directed, edges=edges)
    after = before.copy()
    with suppress(RefusedEdgeError):
        after.apply([(*edge, sign)])
    broken = 0
    for call in count(1):
        graph = GraphTriangles(directed, track=track, edges=edges)
        if not struck_at(call, partial(graph.insert if sign > 0 else graph.delete, *edge)):
            break
        if "broken" in repr(graph):
            broken += 1
            graph.rebuild()
            assert graph == before
        graph.check()
        assert graph in (before, after)
    assert call > 10
    assert broken


@pytest.mark.pure
def test_ctrl_c_between_two_edges_of_a_block_leaves_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vertices of the first edge are gone, and are not forgotten twice."""
    graph = GraphTriangles(edges=[(1, 2), (8, 9)])
    found = SetGraph.block_edge

    def struck(storage: SetGraph, at: int) -> int:
        if at == 1:
            raise KeyboardInterrupt
        return found(storage, at)

    ends, signs = (
        (memoryview(array("q", [8, 1])), memoryview(array("q", [9, 2]))),
        memoryview(array("q", [-1, -1])),
    )
    with monkeypatch.context() as patch:
        patch.setattr(SetGraph, "block_edge", struck)
        with pytest.raises(KeyboardInterrupt):
            graph._intake.apply_block(*ends, signs, 0)
    graph.check()
    assert graph.edges() == [(1, 2)]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timers")
@pytest.mark.parametrize("track", [("at",), ("triangles",)], ids=["at", "triangles"])
def test_ctrl_c_leaves_a_prefix_of_the_edges_or_a_broken_graph(track: tuple[Track, ...], rng: Random) -> None:
    edges = [(n // 60, rng.randrange(1 << 40)) for n in range(300_000)]
    stopped = 0
    for _ in range(8):
        graph = GraphTriangles(track=track)
        try:
            with interrupted_after(rng.uniform(0.003, 0.02)):
                graph.apply(edges)
        except KeyboardInterrupt:
            stopped += 1
        if "broken" in repr(graph):
            with pytest.raises(BrokenError):
                graph.check()
            graph.rebuild()
        done = graph.number_of_edges()
        assert all(edge in graph for edge in edges[:done])
        graph.apply(edges[done : done + 300])
        assert graph.number_of_edges() == done + 300
        graph.check() if done < 1000 else None
        assert graph.threshold_base // 4 <= 2 * graph.number_of_edges() < graph.threshold_base
    assert stopped


def hammer(view: TriangleView[int], rows: list[Row], done: list[Row], refused: list[Row]) -> None:
    for row in rows:
        try:
            view.update(*row)
        except BusyError:
            refused.append(row)
        else:
            done.append(row)


def run_together(*works: Callable[[], None]) -> None:
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.fixture
def _quick_switches() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("_quick_switches")
@pytest.mark.parametrize("free", ["", "AB"])
def test_threads_that_share_a_view_lose_nothing_silently(free: str) -> None:
    """What was not refused was done, exactly once; what was refused was not."""
    view = TriangleView(free)
    refused: list[Row] = []
    done: list[Row] = []
    parts: list[list[Row]] = [
        [(RELATIONS[(n + k) % 3], n % 17, 1000 * k + n % 23, 1) for n in range(1500)] for k in range(3)
    ]

    def read() -> None:
        for _ in range(300):
            try:
                list(view)
                view[(0,) * len(free)]
            except (BusyError, ivme.StaleEnumerationError):
                pass

    run_together(read, *(lambda part=part: hammer(view, part, done, refused) for part in parts))
    view.check()
    expected: dict[tuple[str, int, int], int] = {}
    for name, x, y, m in done:
        expected[name, x, y] = expected.get((name, x, y), 0) + m
    assert {(name, *row): m for name in RELATIONS for row, m in view.tuples(name)} == expected
    assert len(done) + len(refused) == 4500
    if ivme.kernel == "pure":
        assert refused, "threads that get in each other's way are refused"


@pytest.mark.usefixtures("_quick_switches")
def test_threads_that_take_turns_are_not_refused() -> None:
    view, lock = TriangleView(""), threading.Lock()

    def work(k: int) -> None:
        for n in range(300):
            with lock:
                view.insert("R", k, n)

    run_together(*(lambda k=k: work(k) for k in range(3)))
    assert view.size == 900
    view.check()
