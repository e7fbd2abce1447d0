"""An exception in user code, wherever it is raised, leaves a view unchanged or visibly broken.

The updates below pass through a minor and a major rebalancing in both directions. At each of the first CALLS
calls of __eq__ and __hash__, or of ring arithmetic, and at some later ones, one exception is raised.
Afterwards `check()` passes and the update was never made, or every use raises until `rebuild()`, after which
the same holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ivme import BrokenError, BusyError, GraphTriangles, InputError, TriangleView
from ivme_reference import Naive
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import RELATIONS, RelationName
from ivme_spec.rings import NATURALS
from tests.ivme.faults import Fault, Key, Trap, payloads

CALLS = 200
STRIDE = 29
"""The stride beyond the first calls."""

Update = tuple[RelationName, int, int, int]
Tuples = dict[tuple[RelationName, int, int], int]

START: Mapping[RelationName, list[tuple[int, int]]] = {"R": [(7, 8)], "S": [(8, 9)], "T": [(9, 7)]}

UP: list[Update] = [
    *((name, 0, y, 1) for name in RELATIONS for y in range(1, 7)),  # 0 becomes heavy, N doubles
    *((name, x, 0, 1) for name in RELATIONS for x in range(1, 7)),
    ("R", 0, 1, 2),
]
UPDATES = [*UP, *((name, x, y, -m) for name, x, y, m in reversed(UP))]


def plain(value: Any) -> int:
    """The number behind a trapped value or multiplicity."""
    number = getattr(value, "number", value)
    return int(getattr(number, "value", number))


class Trapped:
    """A view whose values or multiplicities are trapped, and the tuples that it must hold."""

    def __init__(self, query: Query, what: str) -> None:
        self.trap = Trap()
        self.free, self.what = query.free, what
        self.events: list[str] = []
        self.outcomes: list[str] = []
        self.view: TriangleView[Any] = TriangleView(
            query.free,
            "1/3",
            partitioning=query.partitioning,
            database={name: [self.row(*row) for row in rows] for name, rows in START.items()},
            ring=payloads(self.trap) if what == "ring" else NATURALS,
            on_rebalance=lambda event: self.events.append(f"{event.kind} {'up' if event.up else 'down'}"),
        )
        self.tuples: Tuples = {(name, *row): 1 for name, rows in START.items() for row in rows}

    def row(self, x: int, y: int) -> tuple[Any, Any]:
        """A new object for each value, so that identity does not spare __eq__."""
        return (Key(x, self.trap), Key(y, self.trap)) if self.what == "keys" else (x, y)

    def update(self, name: RelationName, x: int, y: int, m: int) -> None:
        self.view.update(name, *self.row(x, y), m)
        self.tuples[name, x, y] = self.tuples.get((name, x, y), 0) + m
        if not self.tuples[name, x, y]:
            del self.tuples[name, x, y]

    def held(self) -> Tuples:
        """The tuples that the view reports."""
        return {
            (name, plain(x), plain(y)): plain(m) for name in RELATIONS for (x, y), m in self.view.tuples(name)
        }

    def require_whole(self) -> None:
        """The view is valid and holds exactly the expected tuples."""
        self.view.check()
        assert self.held() == self.tuples
        naive: Naive[int] = Naive(
            self.free,
            database={
                name: {(x, y): m for (at, x, y), m in self.tuples.items() if at == name} for name in RELATIONS
            },
        )
        answer = {tuple(map(plain, row)): plain(m) for row, m in self.view}
        assert answer == dict(naive)


USES: Mapping[str, Callable[[TriangleView[Any], Path], object]] = {
    "size": lambda view, _: view.size,
    "threshold_base": lambda view, _: view.threshold_base,
    "insert": lambda view, _: view.insert("R", 7, 7),
    "delete": lambda view, _: view.delete("R", 7, 7),
    "update": lambda view, _: view.update("R", 7, 7, 1),
    "apply": lambda view, _: view.apply([("R", 7, 7, 1)]),
    "apply_batch": lambda view, _: view.apply_batch([("R", 7, 7, 1)]),
    "delta": lambda view, _: view.delta("R", 7, 7, 1),
    "iter": lambda view, _: list(view),
    "bool": lambda view, _: bool(view),
    "lookup": lambda view, _: view[tuple(range(len(view.free)))],
    "contains": lambda view, _: tuple(range(len(view.free))) in view,
    "tuples": lambda view, _: list(view.tuples("R")),
    "equal": lambda view, _: view == TriangleView(view.free, ring=view.ring),
    "copy": lambda view, _: view.copy(),
    "state": lambda view, _: view.state(),
    "violations": lambda view, _: view.violations(),
    "check": lambda view, _: view.check(),
    "save": lambda view, folder: view.save(folder / "view"),
    "to_numpy": lambda view, _: view.to_numpy(),
    "to_arrow": lambda view, _: view.to_arrow(),
}


@pytest.mark.parametrize("what", ["keys", "ring"])
@pytest.mark.parametrize("query", QUERIES)
def test_an_exception_of_user_code_leaves_a_view_whole_or_broken(
    query: Query, what: str, tmp_path: Path
) -> None:
    whole = broken = 0
    for call in (*range(1, CALLS), *range(CALLS, 1 << 20, STRIDE)):
        trapped = Trapped(query, what)
        trapped.trap.arm(call)
        struck = -1
        for position, update in enumerate(UPDATES):
            try:
                trapped.update(*update)
            except Fault:
                struck = position
                break
        trapped.trap.disarm()
        if struck < 0:
            break  # fewer calls than that
        if "broken" in repr(trapped.view):
            broken += 1
            for name, use in USES.items():
                with pytest.raises(BrokenError, match=r"rebuild\(\)"):
                    print(name, use(trapped.view, tmp_path))
            assert not list(tmp_path.iterdir())
            trapped.view.rebuild()
        else:
            whole += 1
        trapped.require_whole()
        if call % 10 == 0:  # and it continues as if nothing had happened
            for update in UPDATES[struck:]:
                trapped.update(*update)
            trapped.require_whole()
    assert whole + broken >= CALLS
    assert whole, "some exceptions strike before anything has changed"
    assert broken, "some strike in the middle"


def test_the_updates_pass_through_every_kind_of_rebalancing() -> None:
    for query in QUERIES:
        trapped = Trapped(query, "keys")
        for update in UPDATES:
            trapped.update(*update)
            trapped.require_whole()
        assert set(trapped.events) == {"minor up", "minor down", "major up", "major down"}


GRAPH_USES: list[Callable[[GraphTriangles], object]] = [
    lambda graph: graph.insert(8, 9),
    lambda graph: graph.delete(8, 9),
    lambda graph: graph.apply([(8, 9)]),
    GraphTriangles.count,
    lambda graph: graph.count_at(0),
    lambda graph: list(graph.triangles()),
    lambda graph: graph.degree(0),
    lambda graph: (8, 9) in graph,
    GraphTriangles.number_of_nodes,
    GraphTriangles.number_of_edges,
    lambda graph: graph.size,
    GraphTriangles.copy,
    GraphTriangles.check,
]


def graph_of(trap: Trap) -> GraphTriangles:
    edges = [(Key(u, trap), Key(v, trap)) for u, v in ((0, 1), (1, 2), (2, 0), (2, 3))]
    return GraphTriangles(track=("count", "at", "triangles"), repeated="count", edges=edges)


def test_an_exception_of_user_code_leaves_a_graph_whole_or_broken() -> None:
    updates = [(0, 3, 1), (3, 4, 1), (2, 3, 1), (2, 3, -1), (4, 3, -1), (1, 2, -1), (1, 2, 1)]
    whole = broken = 0
    for call in range(1, 1 << 20, 7):
        trap = Trap()
        graph, edges = graph_of(trap), {frozenset(e): 1 for e in ((0, 1), (1, 2), (2, 0), (2, 3))}
        trap.arm(call)
        struck = False
        for u, v, sign in updates:
            try:
                graph.apply([(Key(u, trap), Key(v, trap), sign)])
            except Fault:
                struck = True
                break
            edge = frozenset((u, v))
            edges[edge] = edges.get(edge, 0) + sign
            if not edges[edge]:
                del edges[edge]
        trap.disarm()
        if not struck:
            break
        if "broken" in repr(graph):
            broken += 1
            for use in GRAPH_USES:
                with pytest.raises(BrokenError, match=r"rebuild\(\)"):
                    use(graph)
            graph.rebuild()
        else:
            whole += 1
        graph.check()
        for u in range(5):
            for v in range(u):
                assert ((Key(u, trap), Key(v, trap)) in graph) == (frozenset((u, v)) in edges)
        triangles = [t for t in ((0, 1, 2), (0, 2, 3)) if all(frozenset(t) - {w} in edges for w in t)]
        assert graph.count() == len(triangles)
        assert graph.count_at(Key(2, trap)) == sum(2 in t for t in triangles)
    assert whole
    assert broken


def test_an_exception_of_user_code_while_a_graph_is_rebuilt_leaves_it_whole_or_broken() -> None:
    whole = broken = 0
    for call in range(1, 1 << 20, 3):
        trap = Trap()
        graph = graph_of(trap)
        graph.insert(Key(1, trap), Key(2, trap))  # a copy
        trap.arm(call)
        try:
            graph.rebuild()
        except Fault:
            pass
        else:
            break
        finally:
            trap.disarm()
        if "broken" in repr(graph):
            broken += 1
            with pytest.raises(BrokenError):
                graph.count()
            graph.rebuild()
        else:
            whole += 1
        graph.check()
        assert (graph.count(), graph.number_of_edges(), len(list(graph.triangles()))) == (1, 4, 1)
        graph.delete(Key(1, trap), Key(2, trap))
        assert graph.number_of_edges() == 4
    assert whole
    assert broken


@pytest.mark.pure
def test_a_question_that_is_cut_short_while_it_builds_a_row_breaks_the_graph(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = GraphTriangles(edges=[(0, 1), (1, 2), (2, 0)])

    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(type(graph._engine), "triangles_on", interrupted)
        with pytest.raises(KeyboardInterrupt):
            graph.count_on(0, 1)
    with pytest.raises(BrokenError):
        graph.count_on(0, 1)
    graph.rebuild()
    assert (graph.count_on(0, 1), graph.number_of_edges()) == (1, 3)
    graph.check()


@pytest.mark.parametrize("free", ["", "A", "AB", "ABC"])
def test_an_exception_of_user_code_in_an_answer_changes_nothing(free: str) -> None:
    trapped = Trapped(Query(free), "keys")
    for update in UP:
        trapped.update(*update)
    row = tuple(Key(number, trapped.trap) for number in (7, 8, 9)[: len(free)])
    for use in (
        lambda: list(trapped.view),
        lambda: trapped.view[row],
        lambda: trapped.view.delta("R", *trapped.row(7, 8), 1),
        lambda: dict(trapped.view.tuples("R")),
        trapped.view.state,
    ):
        for call in range(1, 60):
            trapped.trap.arm(call)
            try:
                use()
            except Fault:
                continue
            else:
                break
            finally:
                trapped.trap.disarm()
    trapped.require_whole()


# --- use in the middle ----------------------------------------------------------------------------------


@pytest.mark.parametrize("query", QUERIES)
def test_user_code_cannot_use_the_view_that_it_is_called_from(query: Query, tmp_path: Path) -> None:
    """What comes before the update has begun, from the first hash of a value, is not in the middle of it."""
    refused = 0
    for call in (*range(1, 40), *range(40, 1 << 20, 61)):
        trapped = Trapped(query, "keys")
        name = list(USES)[call % len(USES)]
        trapped.trap.arm(call, partial(attempt, trapped, name, tmp_path))
        for update in UPDATES:
            trapped.update(*update)
        if not trapped.outcomes:
            break
        refused += trapped.outcomes == ["refused"]
        if trapped.outcomes == ["done"] and name in ("insert", "update", "apply", "apply_batch"):
            trapped.tuples["R", 7, 7] = 1
        trapped.require_whole()
    assert refused > 30


def attempt(trapped: Trapped, name: str, folder: Path) -> None:
    try:
        USES[name](trapped.view, folder)
    except BusyError:
        trapped.outcomes.append("refused")
    except InputError:
        trapped.outcomes.append("bad input")  # a delete of what is not there, keys that no file can hold
    else:
        trapped.outcomes.append("done")


ANSWERS: Mapping[str, Callable[[Trapped], object]] = {
    "lookup": lambda trapped: trapped.view[trapped.row(7, 8)[0],],
    "iter": lambda trapped: list(trapped.view),
    "delta": lambda trapped: trapped.view.delta("R", *trapped.row(7, 8), 1),
    "state": lambda trapped: trapped.view.state(),
    "check": lambda trapped: trapped.view.check(),
}


@pytest.mark.parametrize("what", ["keys", "ring"])
@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_cannot_be_used_to_update(answer: str, what: str) -> None:
    """From some call on: the first ones check what was asked for, before the answer begins."""
    trapped = Trapped(Query("A"), what)
    for update in UP[:30]:
        trapped.update(*update)

    def insert() -> None:
        trapped.view.insert("R", 60, 61)
        trapped.tuples["R", 60, 61] = trapped.tuples.get(("R", 60, 61), 0) + 1

    refused = ""
    for call in range(1, 9):
        trapped.trap.arm(call, insert)
        try:
            ANSWERS[answer](trapped)
        except BusyError as error:
            refused = str(error)
            break
        finally:
            trapped.trap.disarm()
    if (answer, what) == ("iter", "keys"):
        assert trapped.trap.calls == 0, "ids are enumerated, and values not hashed"
    else:
        assert "in the middle of an answer" in refused
    trapped.require_whole()
