"""Stores for graphs are timed in turns, as ints, strings and arrays; what is said of them was measured."""

from collections.abc import Hashable
from pathlib import Path

import pytest
from attrs import define, evolve, field

from bench import graph_sections, graphs, tenlines
from bench.figures import Figures
from bench.graph_cases import HUBS, edges, orders
from bench.graphs import GraphSession
from bench.jobs import Job, Reply
from bench.results import Results
from bench.rounds import Bench
from bench.sections import run
from bench.snapshots import Snapshot
from bench.tenlines import AT, COUNT, TEN, StoreContender
from ivme import GraphTriangles
from ivme_spec.slopes import slope
from tests.bench.fakes import SMALL, Clock


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    made.install(monkeypatch)
    monkeypatch.setattr(graph_sections, "PROCESS", "")  # the clock is that of this process
    return made


# --- a session ---


@define
class Slow:
    """A store whose updates take a second, or two if its vertices are strings; it counts with ten lines."""

    clock: Clock
    name: str
    wrong: int = 0
    inner: tenlines.TenLines = field(factory=tenlines.TenLines)

    def spend(self, u: Hashable) -> None:
        self.clock.now += 2.0 if isinstance(u, str) else 1.0
        if self.clock.log[-1:] != [self.name]:
            self.clock.log.append(self.name)

    def insert(self, u: Hashable, v: Hashable) -> None:
        self.spend(u)
        self.inner.insert(u, v)

    def delete(self, u: Hashable, v: Hashable) -> None:
        self.spend(u)
        self.inner.delete(u, v)

    def count(self) -> int:
        return self.inner.count() + self.wrong * bool(self.inner.count())


def stores(clock: Clock, wrong: int = 0) -> list[StoreContender]:
    return [
        StoreContender("ivme", lambda free: Slow(clock, "ivme")),
        StoreContender(TEN, lambda free: Slow(clock, TEN, wrong)),
    ]


def found(bench: Bench, quantity: str) -> dict[tuple[str, int, str, str], tuple[float, ...]]:
    kept = [entry for entry in bench.measurements if entry.quantity == quantity]
    return {(entry.case, entry.size, entry.free, entry.contender): entry.values for entry in kept}


def ran(clock: Clock, patch: pytest.MonkeyPatch, folder: str, *only: str, wrong: int = 0) -> Bench:
    for module in (tenlines, graph_sections):
        patch.setattr(module, "STORES", stores(clock, wrong))
    bench = Bench(evolve(SMALL, only=only, folder=folder), [], [], say=str)
    run(bench)
    return bench


def test_edges_are_timed_in_turns(clock: Clock, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_sections, "_numpy", lambda bench, what: False)
    monkeypatch.setattr(GraphSession, "largest_steps", lambda *given: Reply(numbers={"largest steps": 7.0}))
    bench = ran(clock, monkeypatch, folder, "edges")
    assert not bench.problems
    cells = [("graph:small", 10), ("graph:large", 36)]  # short ones first
    expected = {
        (*cell, free, who): (1.0,) * 3 for cell in cells for free in (COUNT, AT) for who in ("ivme", TEN)
    }
    assert found(bench, "edge") == expected
    assert found(bench, "string edge") == {
        (*cell, COUNT, who): (2.0,) * 3 for cell in cells for who in ("ivme", TEN)
    }
    # two graphs, three comparisons, three rounds: ivme, ten; ten, ivme; ivme, ten
    assert clock.log == ["ivme", TEN] * 2 * 3 * 2
    assert list(found(bench, "edge")) == list(expected)
    assert set(found(bench, "largest steps").values()) == {(7.0,)}


def test_a_store_that_counts_wrong_is_a_problem(
    clock: Clock, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph_sections, "_numpy", lambda bench, what: False)
    bench = ran(clock, monkeypatch, folder, "edges", "graph:small", wrong=1)
    assert len([line for line in bench.problems if "the answers differ" in line]) == 3  # count, at, strings
    assert "edges, graph:small, count: the answers differ: ivme, edge: 10 triangles; " in bench.problems[0]


def test_hubs_are_toggled_first_and_later(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    bench = ran(clock, monkeypatch, "", "hubs")
    for quantity in ("first toggle", "toggle"):
        assert found(bench, quantity) == {
            (HUBS, size, free, who): (1.0,) * 3
            for size in SMALL.hubs
            for free in (COUNT, AT)
            for who in ("ivme", TEN)
        }


def test_the_first_toggles_are_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first 400 updates take 9 s each, later ones 1 s; what is built before is not timed."""
    clock = Clock()
    clock.install(monkeypatch)

    class Buys(Slow):
        updates = 0

        def spend(self, u: Hashable) -> None:
            Buys.updates += 1
            self.clock.now += 9.0 if Buys.updates <= 20 + 400 else 1.0  # the hubs have 20 edges

    monkeypatch.setattr(tenlines, "STORES", [StoreContender("ivme", lambda free: Buys(clock, "x"))])
    reply = GraphSession().toggles(Job("ivme", HUBS, 10), 5000)
    assert (reply.seconds, reply.count) == (400 * 9.0, 400)
    assert reply.numbers == {"toggle": 1.0}
    assert reply.answer == "10 triangles"


def small(name: str, folder: str, free: str = "", contender: str = "ivme") -> Job:
    return Job(contender, f"graph:{name}", 10, free, 1, folder)


@pytest.mark.parametrize("free", [COUNT, AT])
def test_all_ways_in_give_one_answer(free: str, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    session = GraphSession()
    replies = [session.edges(small("large", folder, free, who), 1) for who in ("ivme", TEN)]
    pytest.importorskip("numpy", reason="pip install 'ivme[bench]'")
    replies.append(session.array(small("large", folder, free), 1))
    monkeypatch.setattr(graphs, "SHORT", 10)
    replies.append(session.short_arrays(small("large", folder, free), 1))
    assert {(reply.count, reply.answer) for reply in replies} == {(72, replies[0].answer)}
    assert replies[0].answer.startswith("84 triangles")
    assert session.strings(small("large", folder), 1).answer == "84 triangles"
    assert session.array(small("large", folder, free), 0).answer == ""


def test_a_store_that_is_not_empty_at_the_end_is_a_problem(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forgets(tenlines.TenLines):
        def delete(self, u: Hashable, v: Hashable) -> None:
            pass

    monkeypatch.setattr(tenlines, "STORES", [StoreContender("ivme", lambda free: Forgets())])
    with pytest.raises(RuntimeError, match="10 triangles are left"):
        GraphSession().edges(small("small", folder), 1)


def test_the_largest_update_in_steps(folder: str) -> None:
    reply = GraphSession().largest_steps(small("large", folder), 1)
    graph, order = GraphTriangles(), orders(edges("graph:large", folder), 1)
    most = 0
    for sign, given in ((1, order.inserts), (-1, order.deletes)):
        for u, v in given:
            before = graph.costs["count"].maintenance
            graph.apply([(u, v, sign)])
            most = max(most, graph.costs["count"].maintenance - before)
    assert reply.numbers == {"largest steps": most}
    assert most > 20  # more than a lookup or two: a major rebalance, at least


def test_counted_steps_of_attacks() -> None:
    """An end with √N common neighbours takes √N steps; hubs that have their view take as many at any size."""
    found: dict[str, list[tuple[int, float]]] = {"light-end": [], "hub-toggles": []}
    for name, points in found.items():
        for size in (400, 1600, 6400):
            points.append((size, GraphSession().steps(Job("ivme", name, size), 1).numbers["steps"]))
    assert slope(found["light-end"]) == pytest.approx(0.5, abs=0.1)
    assert slope(found["hub-toggles"]) == pytest.approx(0.0, abs=0.01)


def test_rmat_until_there_are_enough_edges() -> None:
    pytest.importorskip("numpy", reason="pip install 'ivme[bench]'")
    reply = GraphSession().rmat(Job("ivme", "rmat", 2000), 1)
    assert 2000 <= reply.numbers["edges"] < 4000
    assert reply.count >= reply.numbers["edges"]  # some came twice
    assert reply.numbers["peak"] > 10e6  # an interpreter, at least
    assert reply.numbers["seconds"] == reply.seconds > 0


def test_bytes_are_measured_in_a_fresh_process(folder: str, tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy", reason="pip install 'ivme[bench]'")
    many = [(u, u + k) for u in range(4000) for k in range(1, 9)]
    numpy.save(tmp_path / "x.npy", numpy.array(many))
    bench = Bench(SMALL, [], [], say=str)
    job = Job(TEN, "graph:x", len(many), folder=str(tmp_path))
    reply = bench.fresh("graphs", "graph memory", job, 1)
    assert reply is not None, bench.problems
    assert reply.count == len(many)
    # two entries of 16 bytes in sets at most 3/5 full, and two vertices of 28 bytes
    assert 2 * 16 < reply.numbers["bytes"] / reply.count < 1000


# --- sections ---


def measured(folder: str, *only: str) -> Results:
    return run(Bench(evolve(SMALL, folder=folder, only=only), [], [], say=str))


@pytest.mark.filterwarnings("ignore")  # of the libraries
def test_a_run_on_graphs(folder: str) -> None:
    """In processes of its own, as it is run; with ours and the ten lines alone."""
    pytest.importorskip("numpy", reason="pip install 'ivme[bench]'")
    given = measured(
        folder,
        "edges",
        "edge-memory",
        "hubs",
        "growth",
        "large",
        "graph:small",
        HUBS,
        "light-end",
        "rmat",
        "ivme",
        TEN,
    )
    assert given.problems == ()
    figures = Figures(given)
    for free in (COUNT, AT):
        for who, quantity in (("ivme", "edge"), (TEN, "edge"), ("ivme", "array"), ("ivme", "short arrays")):
            assert len(figures.values(who, "graph:small", 10, free, quantity)) == 3
        for who in ("ivme", TEN):
            assert figures.values(who, "graph:small", 10, free, "bytes")
            assert figures.sizes(who, HUBS, free, "first toggle") == list(SMALL.hubs)
    assert figures.sizes("ivme", "light-end", quantity="steps") == list(SMALL.attacks)
    assert figures.sizes("ivme", "many-hubs", quantity="steps") == []
    assert figures.values("ivme", "rmat", SMALL.rmat, quantity="peak")
    assert figures.cases == []  # the table of views has none of these


def test_missing_libraries_and_folders_are_told(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        graph_sections, "RECOUNTS", [Snapshot("igraph", lambda database: lambda: 0, "no_such_library")]
    )
    assert measured(folder, "recounts").skipped == (
        "igraph: no_such_library is not installed: pip install 'ivme[bench]'",
    )
    assert measured("", "recounts", "edges").skipped == (
        "edges: no folder with edge lists: give one with --data",
        "recounts: no folder with edge lists: give one with --data",
    )
