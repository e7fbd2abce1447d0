"""Views and graphs as Python objects: copies, equality, truth and length, cycles, keys of any kind."""

from __future__ import annotations

import copy
import gc
import pickle
import pickletools
import weakref
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from attrs import evolve

from ivme import GraphTriangles, InputError, MultiplicityError, TriangleView
from ivme.formats.snapshots import SnapshotError
from ivme_spec.relations import RELATIONS
from ivme_spec.rings import INTEGERS, NATURALS, POLYNOMIALS, modular

TRIANGLE = {"R": {(1, 2): 2}, "S": [(2, 3)], "T": [(3, 1)]}

COPIES: list[Callable[[Any], Any]] = [copy.copy, copy.deepcopy, lambda it: it.copy()]


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "method"])
@pytest.mark.parametrize("free", ["", "A", "AB", "ABC"])
def test_a_copy_of_a_view_is_independent(free: str, copied: Callable[[Any], Any]) -> None:
    events: list[object] = []
    view = TriangleView(free, "1/3", database=TRIANGLE, on_rebalance=events.append)
    twin = copied(view)
    assert twin == view
    assert (twin.free, twin.epsilon, twin.ring, dict(twin)) == (free, view.epsilon, view.ring, dict(view))
    answer = dict(view)
    twin.delete("S", 2, 3)
    twin.apply([("R", 7, n) for n in range(40)])
    assert dict(view) == answer
    assert dict(twin) == {}
    view.insert("T", 3, 1)
    assert view.size == 3
    view.check()
    twin.check()
    assert events, "the copy has the callbacks too"


@pytest.mark.parametrize("copied", COPIES, ids=["copy", "deepcopy", "method"])
@pytest.mark.parametrize("directed", [False, True])
def test_a_copy_of_a_graph_is_independent(copied: Callable[[Any], Any], directed: bool, rng: Random) -> None:
    graph = GraphTriangles(directed, track=("count", "triangles", "on"), repeated="count")
    edges = [(u, v) for u in range(9) for v in range(9) if u != v and rng.random() < 0.7]
    graph.apply(edges)
    for u, v in rng.sample(edges, 12):
        graph.delete(u, v)
    twin = copied(graph)
    count, triangles = graph.count(), list(graph.triangles())
    assert sorted(twin.triangles()) == sorted(triangles), "the vertices keep their order of arrival"
    assert (twin.count(), twin.transitivity() if not directed else 0) == (
        count,
        graph.transitivity() if not directed else 0,
    )
    twin.check()
    for u in range(9):
        for v in range(9):
            while u != v and (u, v) in twin:
                twin.delete(u, v)
    assert (twin.count(), twin.number_of_edges()) == (0, 0)
    assert (graph.count(), list(graph.triangles())) == (count, triangles)
    graph.check()


def test_rebuilding_keeps_the_input_and_makes_enumerations_stale() -> None:
    view = TriangleView("A", database=TRIANGLE)
    view.apply([("R", 1, n) for n in range(40)])
    rows, opened = dict(view), iter(view)
    twin, updates = view.copy(), view.costs.update_count
    view.rebuild()
    assert view == twin
    assert dict(view) == rows
    assert view.threshold_base == 2 * view.size + 1
    assert view.costs.update_count == updates
    with pytest.raises(RuntimeError, match="start a new one"):
        next(opened)
    view.check()


def test_views_are_equal_if_their_query_ring_and_input_are() -> None:
    view = TriangleView("A", "1/3", database=TRIANGLE)
    assert view == TriangleView("A", "2/3", database=TRIANGLE)
    assert view != TriangleView("B", "1/3", database=TRIANGLE)
    assert view != TriangleView("A", "1/3", database=TRIANGLE, ring=INTEGERS)
    assert view != TriangleView("A", "1/3", database={**TRIANGLE, "R": [(1, 2)]})
    assert view != {(1,): 2}
    view.insert("R", 1, 2)
    assert view != TriangleView("A", "1/3", database=TRIANGLE)


def test_a_view_is_not_hashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(TriangleView(""))


def test_a_view_has_a_truth_value_and_no_length() -> None:
    view = TriangleView("AB", database=TRIANGLE)
    assert view
    with pytest.raises(TypeError, match=r"sum\(1 for _ in view\).*view\.size"):
        len(view)
    view.delete("S", 2, 3)
    assert not view
    assert list(view) == []


@pytest.mark.parametrize("ring", [None, INTEGERS, modular(6)])
def test_a_number_of_copies_is_not_negative(ring: Any) -> None:
    view = TriangleView("", database=TRIANGLE, **({} if ring is None else {"ring": ring}))
    for act in (view.insert, view.delete):
        with pytest.raises(MultiplicityError, match=r"multiplicity -1 is negative.*update takes either sign"):
            act("R", 1, 2, -1)
    assert dict(view.tuples("R")) == {(1, 2): 2}


# --- data values ----------------------------------------------------------------------------------------


class Loose:
    """Equal to an integer, by an __eq__ that returns no bool."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        return hash(self.number)

    def __eq__(self, other: object) -> Any:
        return 1 if other == self.number else 0


def scalars() -> list[Callable[[int], Any]]:
    numpy = pytest.importorskip("numpy")
    return [numpy.int64, numpy.uint8, numpy.float32, Loose]


def test_values_that_equal_a_stored_integer_are_that_integer() -> None:
    """Also where __eq__ returns what is no plain bool, as NumPy's scalars do."""
    for scalar in scalars():
        view = TriangleView("A", database={"R": [(1, 2)], "S": [(2, 3)], "T": [(3, 1)]})
        assert view[scalar(1),] == 1
        assert (scalar(4),) not in view
        view.insert("R", scalar(1), scalar(2))
        assert dict(view.tuples("R")) == {(1, 2): 2}
        view.check()
        graph = GraphTriangles(edges=[(1, 2), (2, 3)])
        graph.insert(scalar(1), 3)
        assert graph.count() == 1
        graph.check()


@pytest.mark.parametrize("what", ["view", "graph"])
def test_a_cycle_through_a_data_value_is_collected(what: str) -> None:
    class Vertex:
        owner: object = None

    made: Any = TriangleView("A") if what == "view" else GraphTriangles()
    vertex = Vertex()
    vertex.owner = made
    if what == "view":
        made.insert("R", vertex, (vertex, 1))
    else:
        made.insert(vertex, 2)
    gone = weakref.ref(vertex)
    del vertex, made
    gc.collect()
    assert gone() is None


def test_every_relation_takes_every_kind_of_value(rng: Random) -> None:
    """Values that are integers, equal integers or neither, in and out of the direct index."""
    values: list[Any] = [0, 1, 2, 5, 1 << 40, -3, "x", (1,), 2.0, True, Loose(5), None]
    view = TriangleView("ABC")
    held: dict[tuple[str, Any, Any], int] = {}
    for _ in range(300):
        name, x, y = rng.choice(RELATIONS), rng.choice(values), rng.choice(values)
        if (name, x, y) in held:
            view.delete(name, x, y, held.pop((name, x, y)))
        else:
            view.insert(name, x, y)
            held[name, x, y] = 1
    assert view.size == len(held)
    view.check()


# --- pickles --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ring", [NATURALS, INTEGERS, modular(6), POLYNOMIALS], ids=str)
@pytest.mark.parametrize("query", [("", "double"), ("A", "single"), ("BA", "single"), ("ABC", "single")])
def test_a_pickled_view_comes_back(query: tuple[str, Any], ring: Any) -> None:
    values: list[Any] = [1, "x", (2, None), 1 << 80]
    view = TriangleView(query[0], "1/3", partitioning=query[1], ring=ring, debug=5)
    view.apply([(name, x, y, 5) for name in RELATIONS for x in values for y in values])
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        twin = pickle.loads(pickle.dumps(view, protocol))
        assert twin == view
        assert (twin.free, twin.epsilon, twin.partitioning, twin.ring.name) == (
            view.free,
            view.epsilon,
            view.partitioning,
            ring.name,
        )
        assert dict(twin) == dict(view)
        twin.check()


def test_what_cannot_be_pickled_says_why() -> None:
    with pytest.raises(InputError, match="callbacks cannot be pickled"):
        pickle.dumps(TriangleView("", on_change=print))
    with pytest.raises(InputError, match="callbacks cannot be pickled"):
        pickle.dumps(TriangleView("", on_rebalance=print))
    view = TriangleView("")
    view.insert("R", frozenset(), 1)
    with pytest.raises(InputError, match="frozenset"):
        pickle.dumps(view)
    with pytest.raises(InputError, match="ring"):
        pickle.dumps(TriangleView("", ring=evolve(NATURALS, name="mine")))


def test_a_pickle_names_our_loader_and_nothing_else() -> None:
    pickled = pickle.dumps(TriangleView("A", database=TRIANGLE))
    named = [
        value for code, value, _ in pickletools.genops(pickled) if code.name in ("GLOBAL", "SHORT_BINUNICODE")
    ]
    assert named == ["ivme.view", "unpickled"]


def test_a_damaged_pickle_is_refused() -> None:
    """By the checksum of the snapshot inside it, or by pickle itself."""
    pickled = pickle.dumps(TriangleView("A", database=TRIANGLE))
    start = pickled.index(b"{")
    for position in range(start, pickled.rindex(b"}")):
        damaged = bytearray(pickled)
        damaged[position] ^= 1
        with pytest.raises(SnapshotError, match="pickled view"):
            pickle.loads(bytes(damaged))


def test_messages_show_values_of_any_size() -> None:
    """Python refuses to print integers of more than 4300 digits; an error about one is still ours."""
    huge = 10**5000
    view, graph = TriangleView("A"), GraphTriangles(edges=[(huge, 1)])
    attempts: list[tuple[Callable[[], object], str]] = [
        (lambda: view.update("R", 1, huge, -huge), "cannot be deleted"),
        (lambda: view.insert("R", 1, 2, -huge), "is negative"),
        (lambda: view.apply([("R", huge)]), "is not"),  # type: ignore[list-item]  # bad on purpose
        (lambda: view[huge, huge], "does not fit"),
        (lambda: graph.insert(1, huge), "is in the graph"),
        (lambda: graph.delete(huge, 7), "is not in the graph"),
        (lambda: graph.insert(huge, huge), "is a self-loop"),
        (lambda: graph.apply([(huge, 1, huge)]), "give 1"),
    ]
    for attempt, message in attempts:
        with pytest.raises(InputError, match=f" integer of .* bits.*{message}|{message}.* integer of"):
            attempt()
