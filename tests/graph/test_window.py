"""`GraphWindow` keeps exactly the last edges of a stream, by count and by time, whatever comes."""

from __future__ import annotations

import copy
import pickle
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme import (
    ArityError,
    BrokenError,
    BusyError,
    DataValueError,
    GraphChange,
    GraphTriangles,
    GraphWindow,
    InputError,
    InvariantError,
    RefusedEdgeError,
)
from ivme.graph import Track
from ivme.graph.spans import parse_span
from ivme.kernel.guard import BROKEN
from ivme_reference import NaiveGraph
from tests.graph.driving import EPSILONS, EVERYTHING, require_agreement
from tests.graph.test_data import COLLEGE

NOON = datetime(2024, 3, 31, 12)
vertices = st.integers(0, 6)
tracks = st.sampled_from([("count",), ("count", "at"), EVERYTHING])


def expected(kept: list[tuple[int, int]], directed: bool) -> NaiveGraph:
    """The graph of the occurrences in a window, by definition."""
    return NaiveGraph(directed, "ignore", "ignore", kept)


def require_window(window: GraphWindow, kept: list[tuple[int, int]]) -> None:
    """The window has these occurrences, and its graph what they make; orders of arrival may differ."""
    naive = expected(kept, window.graph.directed)
    assert [edge[:2] for edge in window] == kept
    assert len(window) == len(kept)
    assert window.graph.number_of_edges() == naive.number_of_edges()
    assert window.graph.number_of_nodes() == naive.number_of_nodes()
    assert window.graph.count() == naive.count()
    assert all(edge in window.graph for edge in kept)
    if "at" in window.graph.track:
        assert [window.graph.count_at(v) for v in range(7)] == [naive.count_at(v) for v in range(7)]


# --- by count -----------------------------------------------------------------------------------------------


@given(
    size=st.integers(1, 12),
    directed=st.booleans(),
    epsilon=st.sampled_from(EPSILONS),
    track=tracks,
    edges=st.lists(st.tuples(vertices, vertices), max_size=50),
)
def test_by_count_the_last_edges_are_kept(
    size: int, directed: bool, epsilon: Fraction, track: Any, edges: list[tuple[int, int]]
) -> None:
    window = GraphWindow(size, directed=directed, epsilon=epsilon, track=track, self_loops="ignore")
    came: list[tuple[int, int]] = []
    for u, v in edges:
        window.insert(u, v)
        came += [(u, v)] * (u != v)
        require_window(window, came[-size:])
        assert window.expired == max(0, len(came) - size)
    window.check()


@given(
    size=st.integers(1, 6), directed=st.booleans(), edges=st.lists(st.tuples(vertices, vertices), max_size=25)
)
def test_orders_of_arrival_are_those_of_deletes_before_inserts(
    size: int, directed: bool, edges: list[tuple[int, int]]
) -> None:
    """The graph is the one that expires first and inserts then: all answers, listings in order too."""
    window = GraphWindow(size, directed=directed, track=("count", "at"), self_loops="ignore")
    naive, kept = NaiveGraph(directed, repeated="count"), list[tuple[int, int]]()
    for u, v in edges:
        window.insert(u, v)
        if u != v:
            if len(kept) == size:
                naive.delete(*kept.pop(0))
            naive.insert(u, v)
            kept.append((u, v))
        require_agreement(window.graph, naive, range(7))


def test_an_edge_that_comes_again_stays_until_its_last_occurrence_expires() -> None:
    window = GraphWindow(3)
    window.extend([(1, 2), (2, 1), (5, 6)])
    assert (len(window), window.graph.number_of_edges()) == (3, 2)
    window.insert(6, 7)
    assert (1, 2) in window.graph, "its second occurrence is there"
    window.insert(7, 8)
    assert (1, 2) not in window.graph
    window.extend([(7, 8), (7, 8)])
    assert (len(window), window.graph.number_of_edges(), window.expired) == (3, 1, 4)


def test_the_edge_that_expires_may_be_the_one_that_comes() -> None:
    window = GraphWindow(1)
    for _ in range(3):
        window.insert("a", "b")
    assert (list(window), window.expired, window.graph.number_of_edges()) == ([("a", "b")], 2, 1)
    window.check()


# --- by time ------------------------------------------------------------------------------------------------

numbers = st.one_of(
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 4),
    st.fractions(0, 4, max_denominator=7),
    st.floats(0, 4),
    st.decimals(0, 4, places=3),
)


@given(
    span=st.one_of(st.integers(1, 4), st.integers(1, 9), st.fractions("1/9", 9), st.floats(0.125, 9)),
    start=numbers,
    directed=st.booleans(),
    track=tracks,
    steps=st.lists(st.tuples(vertices, vertices, numbers, st.booleans()), max_size=40),
)
def test_by_time_the_last_span_is_kept_exactly(
    span: Any, start: Any, directed: bool, track: Any, steps: list[tuple[int, int, Any, bool]]
) -> None:
    window = GraphWindow(span, "time", directed=directed, track=track, self_loops="ignore")
    came: list[tuple[int, int, Fraction]] = []
    now, kept = Fraction(start), list[tuple[int, int]]()
    for u, v, step, only_time in steps:
        now += Fraction(step)
        if only_time:
            window.advance(now)
        else:
            window.insert(u, v, now)
            came += [(u, v, now)] * (u != v)
        kept = [(u, v) for u, v, time in came if now - time < Fraction(span)]
        require_window(window, kept)
    assert window.expired == len(came) - len(kept)
    assert window.time == (now if steps else None)
    window.check()


def test_floats_are_the_fractions_that_they_are() -> None:
    early, late, span = 1.3, 4.1, 2.8
    assert (late - early >= span) != (Fraction(late) - Fraction(early) >= Fraction(span)), (
        "rounding would decide"
    )
    window = GraphWindow(span, by="time")
    window.insert(1, 2, early)
    window.advance(late)
    assert len(window) == (Fraction(late) - Fraction(early) < Fraction(span))


def test_the_end_of_the_span_is_out_and_just_before_it_is_in() -> None:
    window = GraphWindow(Decimal("0.3"), "time")
    window.insert(1, 2, Decimal("0.1"))
    window.advance(Fraction(4, 10) - Fraction(1, 10**30))
    assert len(window) == 1
    window.advance(Decimal("0.4"))
    assert (len(window), window.expired, window.time) == (0, 1, Fraction(2, 5))


@pytest.mark.parametrize(
    ("given", "span"),
    [
        (timedelta(hours=1), timedelta(hours=1)),
        ("1h", timedelta(hours=1)),
        ("1.5 min", timedelta(seconds=90)),
    ],
    ids=str,
)
def test_spans_of_datetimes(given: object, span: timedelta) -> None:
    window = GraphWindow(given)
    assert (window.by, window.window) == ("time", span)
    window.insert(1, 2, NOON)
    window.insert(2, 3, NOON + span - timedelta(microseconds=1))
    assert len(window) == 2
    window.insert(3, 1, NOON + span)
    assert (len(window), window.graph.count(), window.time) == (2, 0, NOON + span)
    assert list(window)[-1] == (3, 1, NOON + span)


class Vienna(tzinfo):
    """Europe/Vienna in the first half of 2024, on any machine: summer time begins on 31 March at 2:00."""

    def utcoffset(self, when: datetime | None) -> timedelta:
        summer = when is not None and when.replace(tzinfo=None) >= datetime(2024, 3, 31, 2)
        return timedelta(hours=2 if summer else 1)

    def dst(self, when: datetime | None) -> timedelta:
        return self.utcoffset(when) - timedelta(hours=1)

    def tzname(self, when: datetime | None) -> str:
        return "CEST" if self.dst(when) else "CET"


def test_summer_time_does_not_change_how_long_an_hour_is() -> None:
    """On 31 March 2024 in Vienna, 3:15 is three quarters of an hour after 1:30."""
    zone = Vienna()
    window = GraphWindow("1h")
    window.insert(1, 2, datetime(2024, 3, 31, 1, 30, tzinfo=zone))
    window.insert(2, 3, datetime(2024, 3, 31, 3, 15, tzinfo=zone))
    assert len(window) == 2
    assert window.time == datetime(2024, 3, 31, 1, 15, tzinfo=UTC)
    window.advance(datetime(2024, 3, 31, 3, 30, tzinfo=timezone(timedelta(hours=2))))
    assert len(window) == 1


def test_self_loops_take_no_place_but_their_time_counts() -> None:
    window = GraphWindow(2, self_loops="ignore")
    window.extend([(1, 2), (2, 3), (9, 9), (8, 8.0)])
    assert (len(window), window.expired) == (2, 0)
    timed = GraphWindow(5, "time", self_loops="ignore")
    timed.extend([(1, 2, 0), (9, 9, 5)])
    assert (len(timed), timed.time) == (0, 5)


def test_many_occurrences_may_be_of_one_time() -> None:
    window = GraphWindow(1, "time")
    window.extend([(1, 2, 7), (2, 3, 7), (3, 1, 7)])
    assert window.graph.count() == 1
    window.advance(7)
    assert window.graph.count() == 1
    window.advance(8)
    assert (window.graph.count(), window.graph.size, len(window)) == (0, 0, 0)


def require_graph_of(window: GraphWindow, kept: list[tuple[int, ...]]) -> int:
    """The window has these lines; the number of triangles, which is the same as loaded at once."""
    loaded = GraphTriangles(track=("at",), repeated="ignore", edges=((u, v) for u, v, *_ in kept))
    graph = window.graph
    assert len(window) == len(kept)
    assert (graph.count(), graph.number_of_edges()) == (loaded.count(), loaded.number_of_edges())
    assert all(graph.count_at(v) == loaded.count_at(v) for line in kept for v in line[:2])
    return graph.count()


def test_a_real_stream_by_count() -> None:
    """CollegeMsg: after any line, the window has the lines before it and no others."""
    lines = list(COLLEGE.numbers())
    window, found = GraphWindow(5_000, track=("at",)), []
    for first in range(0, COLLEGE.lines, 10_000):
        window.extend(line[:2] for line in lines[first : first + 10_000])
        found.append(require_graph_of(window, lines[: first + 10_000][-5_000:]))
    assert window.expired == COLLEGE.lines - 5_000
    assert max(found) > 100
    window.check()


def test_a_real_stream_by_time() -> None:
    week = 7 * 24 * 3600
    lines = list(COLLEGE.numbers())
    window, found = GraphWindow(week, "time", track=("at",)), []
    for first in range(0, COLLEGE.lines, 10_000):
        window.extend(lines[first : first + 10_000])
        now = lines[: first + 10_000][-1][2]
        found.append(
            require_graph_of(window, [line for line in lines[: first + 10_000] if now - line[2] < week])
        )
    assert max(found) > 100
    window.advance(now + week)
    assert (len(window), window.graph.size, window.expired) == (0, 0, COLLEGE.lines)


# --- bad input ----------------------------------------------------------------------------------------------

BAD_WINDOWS: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    ((0,), {}, "window 0: give a number of edges, at least 1"),
    ((-3,), {}, "window -3: give a number of edges"),
    ((True,), {}, "window True: give a number"),
    ((None,), {}, "window None: give a number"),
    ((2.0,), {}, 'window 2.0: a number of edges is an integer; by="time" takes fractions'),
    ((Fraction(1, 2),), {}, "a number of edges is an integer"),
    ((float("inf"), "time"), {}, "window inf: give"),
    ((float("nan"), "time"), {}, "window nan: give"),
    ((Decimal("1e100000000"), "time"), {}, "window Decimal"),
    ((0, "time"), {}, "window 0: give"),
    ((5, "edges"), {}, "by 'edges': give 'count' or 'time'"),
    (("1h", "count"), {}, 'is a span of time: leave by="count" out'),
    ((timedelta(0),), {}, "give a span of more than nothing"),
    (("0s",), {}, "window '0s': give a span of more than nothing"),
    (("1 year",), {}, "span '1 year': give a number and one of the units ms, s, min, h, d, w"),
    (("1m",), {}, "span '1m': give a number and one of the units"),
    (("-1h",), {}, "span '-1h'"),
    (("0.0000001s",), {}, "is no whole number of microseconds"),
    (("999999999999999w",), {}, "is too long"),
    ((5,), {"repeated": "ignore"}, "repeated 'ignore': in a window an edge that comes again stays"),
    ((5,), {"repeated": "refuse"}, 'leave repeated out, or give "count"'),
    ((5,), {"self_loops": "count"}, "self_loops 'count'"),
    ((5,), {"directed": 1}, "directed 1"),
    ((5,), {"epsilon": 7}, "7"),
    ((5,), {"track": "at"}, "track 'at': give a tuple"),
    ((5,), {"debug": -1}, "debug -1"),
]


@pytest.mark.parametrize(("arguments", "options", "message"), BAD_WINDOWS, ids=repr)
def test_bad_windows(arguments: tuple[Any, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message.replace("(", r"\(")):
        GraphWindow(*arguments, **options)


def state(window: GraphWindow) -> object:
    window.check()
    graph = window.graph
    edges = [(u, v) for u in range(9) for v in range(9) if (u, v) in graph]
    return list(window), window.time, window.expired, edges, graph.count(), dict(graph._intake.copies)


BAD_EDGES: list[tuple[str, tuple[Any, ...], type[Exception], str]] = [
    ("count", ([1], 2), DataValueError, r"value \[1\]"),
    ("count", (1, {}), DataValueError, r"value \{\}"),
    ("count", (4, 4), RefusedEdgeError, r"\(4, 4\) is a self-loop"),
    ("count", (4, 5, "9"), InputError, "time '9' is neither"),
    ("count", (4, 5, -1), RefusedEdgeError, "time -1 is before the last, 0"),
    ("count", (4, 5, NOON), InputError, "give all times as numbers, or all as datetimes"),
    ("number", (4, 5), InputError, r"an edge needs its time.*insert\(u, v, time\)"),
    ("number", (4, 5, "9"), InputError, "time '9' is neither a finite number nor a datetime"),
    ("number", (4, 5, True), InputError, "time True is neither"),
    ("number", (4, 5, float("nan")), InputError, "time nan is neither"),
    ("number", (4, 5, float("inf")), InputError, "time inf is neither"),
    ("number", (4, 5, Decimal("1e99999")), InputError, "is neither"),
    ("number", (4, 5, Decimal("-Infinity")), InputError, "is neither"),
    ("number", (4, 5, Decimal("NaN")), InputError, "is neither"),
    ("number", (4, 5, NOON), InputError, "give all times as numbers, or all as datetimes"),
    (
        "number",
        (4, 5, 6),
        RefusedEdgeError,
        r"time 6 is before the last, 7: .*sort them, or .*time=window.time",
    ),
    ("number", (4, 4, 9), RefusedEdgeError, "self-loop"),
    ("number", (4, [], 99), DataValueError, r"value \[\]"),
    ("dates", (4, 5, 9), InputError, "give all times as numbers, or all as datetimes"),
    ("dates", (4, 5, NOON.date()), InputError, "is neither a finite number nor a datetime"),
    ("dates", (4, 5, NOON.replace(tzinfo=UTC)), InputError, "give all times with a zone, or all without"),
    ("dates", (4, 5, NOON), RefusedEdgeError, "is before the last"),
]


def started(kind: str) -> GraphWindow:
    if kind == "count":
        window = GraphWindow(3)
        window.extend([(1, 2, -5), (2, 3), (3, 1, 0)])
    elif kind == "number":
        window = GraphWindow(5, "time")
        window.extend([(1, 2, 3), (2, 3, 3), (3, 1, 7)])
    else:
        window = GraphWindow("1h")
        window.extend([(1, 2, NOON), (2, 3, NOON), (3, 1, NOON + timedelta(minutes=30))])
    return window


@pytest.mark.parametrize(("kind", "edge", "error", "message"), BAD_EDGES)
def test_a_bad_edge_changes_nothing_not_even_what_is_due(
    kind: str, edge: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    window = started(kind)
    before = state(window)
    with pytest.raises(error, match=message):
        window.insert(*edge)
    assert state(window) == before


@pytest.mark.parametrize(
    ("kind", "time", "message"),
    [
        (kind, edge[2], said)
        for kind, edge, _, said in BAD_EDGES
        if kind != "count" and edge[:2] == (4, 5) and len(edge) > 2
    ],
)
def test_a_bad_time_does_not_pass(kind: str, time: Any, message: str) -> None:
    window = started(kind)
    before = state(window)
    with pytest.raises(InputError, match=message):
        window.advance(time)
    assert state(window) == before


@pytest.mark.parametrize(
    ("window", "time", "message"),
    [
        (GraphWindow(5, "time"), NOON, "this window is for numbers; else give a timedelta"),
        (GraphWindow("1h"), 9, 'this window is for datetimes; else give a number and by="time"'),
    ],
    ids=["number", "dates"],
)
def test_the_first_time_is_of_the_kind_of_the_window(window: GraphWindow, time: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        window.insert(1, 2, time)
    with pytest.raises(InputError, match=message):
        window.advance(time)
    assert (len(window), window.time) == (0, None)


def test_a_window_by_count_has_no_time() -> None:
    window = started("count")
    with pytest.raises(InputError, match="a window by count has no time: its edges expire when others come"):
        window.advance(3)
    with pytest.raises(InputError, match="an edge needs its time"):
        started("number").advance(None)
    assert (window.time, GraphWindow(3).time) == (0, None)


@pytest.mark.parametrize(
    ("kind", "bad", "error", "message"),
    [
        ("count", (1,), ArityError, r"edge at position 1: \(1,\) is not \(u, v, time\) or \(u, v\): this is"),
        ("count", (1, 2, 3, 4), ArityError, r"is not \(u, v, time\) or \(u, v\): this is a window by count"),
        ("number", (1, 2), ArityError, r"is not \(u, v, time\): this is a window by time"),
        ("number", "abc", ArityError, r"'abc' is not \(u, v, time\)"),
        ("number", (1, 2, 0), RefusedEdgeError, "edge at position 1: time 0 is before the last, 8"),
        ("count", (1, 1), RefusedEdgeError, "edge at position 1: .*self-loop"),
        ("count", None, ArityError, "None is not"),
    ],
)
def test_extend_says_where_and_keeps_what_came_before(
    kind: str, bad: Any, error: type[InputError], message: str
) -> None:
    window, again = started(kind), started(kind)
    good = (4, 5, 8) if kind == "number" else (4, 5)
    again.insert(*good)
    with pytest.raises(error, match=message) as raised:
        window.extend([good, bad, good])
    assert raised.value.position == 1
    assert state(window) == state(again)


@pytest.mark.parametrize("edges", [5, "ab", None])
def test_extend_wants_edges(edges: Any) -> None:
    with pytest.raises(ArityError, match="is not an iterable of edges"):
        GraphWindow(3).extend(edges)


@pytest.mark.parametrize("text", ["", "h", "1", "1 h ", "١h", "1e3s", "1h30min"])
def test_spans_are_a_number_and_a_unit(text: str) -> None:
    if text == "1 h ":
        assert parse_span(text) == timedelta(hours=1)
    else:
        with pytest.raises(InputError, match=r"^span .*: give a number and one of the units"):
            parse_span(text)


# --- callbacks, exceptions, copies ----------------------------------------------------------------------


def test_what_expires_is_reported_before_what_comes() -> None:
    window = started("count")
    events: list[GraphChange] = []
    window.graph.on_change(events.append)
    window.insert(1, 4)
    assert [(event.edge, event.sign, event.triangles) for event in events] == [
        ((1, 2), -1, ((1, 2, 3),)),
        ((1, 4), 1, ()),
    ]


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt])
def test_what_a_callback_raises_passes_and_the_window_goes_on(sign: int, error: type[BaseException]) -> None:
    window = GraphWindow(5, "time")
    window.extend([(1, 2, 0), (2, 1, 1), (3, 4, 1), (2, 3, 2)])

    def fail(change: GraphChange) -> None:
        if change.sign == sign:
            raise error

    window.graph.on_change(fail)
    with pytest.raises(error):
        window.insert(8, 9, 6)
    window.graph.on_change(None)
    if sign > 0:
        assert [edge[:2] for edge in window] == [(2, 3), (8, 9)]
    else:
        assert [edge[:2] for edge in window] == [(3, 4), (2, 3)], (
            "the second is due, and goes with the next call"
        )
        assert window.expired == 2
    window.advance(6)
    window.check()
    assert window.expired == 3


def test_a_callback_may_read_and_must_not_change_the_window() -> None:
    window = started("count")
    counts: list[int] = []
    refused: list[BusyError] = []

    def look(change: GraphChange) -> None:
        counts.append(window.graph.count())
        for call in (lambda: window.insert(7, 8), lambda: window.extend([(7, 8)]), window.copy):
            try:
                call()
            except BusyError as error:
                refused.append(error)

    window.graph.on_change(look)
    window.insert(1, 4)
    assert (counts, len(refused)) == ([0, 0], 6)
    window.graph.on_change(None)
    window.check()
    window.insert(7, 8)


class Boom:
    """A vertex whose comparison fails once, after a while."""

    fuse = -1

    def __init__(self, name: int) -> None:
        self.name = name

    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        Boom.fuse -= 1
        if Boom.fuse == 0:
            raise ZeroDivisionError
        return isinstance(other, Boom) and self.name == other.name


@pytest.mark.parametrize("edge", [(2, 3), (1, 0), (2, 1)], ids=["new", "due", "again"])
@pytest.mark.parametrize("size", [2, 3])
def test_an_error_of_a_vertex_leaves_record_and_graph_in_step(edge: tuple[int, int], size: int) -> None:
    failed = 0
    for fuse in range(1, 40):
        window = GraphWindow(size)
        a, b, c = map(Boom, range(3))
        window.extend([(a, b), (b, c)])
        u, v = map(Boom, edge)
        Boom.fuse = fuse
        try:
            window.insert(u, v)
        except ZeroDivisionError:
            failed += 1
        Boom.fuse = -1
        window.check()
        window.insert(a, c)
        window.check()
        assert [w.name for w in list(window)[-1] if isinstance(w, Boom)] == [0, 2]
    assert 2 < failed < 39


@pytest.mark.parametrize("name", ["insert", "delete"])
def test_a_graph_that_breaks_is_rebuilt_and_the_window_goes_on(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = started("count")

    def broken(self: GraphTriangles, u: Any, v: Any) -> None:
        self._intake.guard, self._intake.pending = BROKEN, (u, v, 1 if name == "insert" else -1)
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(GraphTriangles, name, broken)
        with pytest.raises(MemoryError):
            window.insert(4, 5)
    for call in (lambda: window.insert(5, 6), window.copy):
        with pytest.raises(BrokenError):
            call()
    window.graph.rebuild()
    window.check()
    window.insert(4, 5)
    assert list(window)[-1] == (4, 5)
    window.check()


def test_a_graph_that_was_changed_behind_the_window_is_found_out() -> None:
    window = started("count")
    window.graph.delete(1, 2)
    with pytest.raises(InvariantError, match="3 edges in the window, 2 in its graph"):
        window.check()
    with pytest.raises(InvariantError, match=r"\(1, 2\) is not in the graph.*not through its window"):
        window.insert(4, 5)
    window.check()
    window.graph.insert(2, 3)
    with pytest.raises(InvariantError, match=r"edge \(2, 3\) is 1 times in the window, 2 in its graph"):
        window.check()


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy, GraphWindow.copy], ids=["copy", "deep", "method"])
@pytest.mark.parametrize("kind", ["count", "number", "dates"])
def test_a_copy_goes_its_own_way(how: Callable[[GraphWindow], GraphWindow], kind: str) -> None:
    window = started(kind)
    made = how(window)
    before = state(window)
    assert state(made) == before
    times: dict[str, tuple[Any, ...]] = {"count": (), "number": (9,), "dates": (NOON + timedelta(hours=2),)}
    made.insert(5, 6, *times[kind])
    assert state(made) != before
    assert state(window) == before
    window.insert(5, 6, *times[kind])
    assert state(window) == state(made)


@pytest.mark.parametrize("kind", ["count", "number", "dates"])
def test_a_window_is_pickled_with_its_graph(kind: str) -> None:
    window = started(kind)
    window.insert(3, 2, window.time)
    made = pickle.loads(pickle.dumps(window))
    assert isinstance(made, GraphWindow)
    assert state(made) == state(window)
    assert made.graph == window.graph
    assert (made.by, made.window) == (window.by, window.window)
    for both in (window, made):
        both.insert(5, 6, window.time)
    assert state(made) == state(window)
    window.graph.on_change(print)
    with pytest.raises(
        InputError, match=r"a graph with a callback cannot be pickled: call on_change\(None\)"
    ):
        pickle.dumps(window)


def test_vertices_of_a_copy_are_the_same_objects() -> None:
    a, b = object(), object()
    window = GraphWindow(1)
    window.insert(a, b)
    made = copy.deepcopy(window)
    made.insert(b, a)
    assert list(made) == [(b, a)]
    made.check()


# --- cost ---------------------------------------------------------------------------------------------------


def test_memory_is_that_of_the_window(rng: Random) -> None:
    """Vertices are large: up to 2^16 the compiled kernel has a table, at most 512 KB."""
    window = GraphWindow(30, "time", track=("count", "at"))

    def slide(first: int, last: int) -> int:
        window.extend((t, t + rng.choice((1, 2)), t) for t in range(10**9 + first, 10**9 + last))
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    slide(0, 200)
    early = slide(200, 300)
    late = slide(300, 2_000)
    tracemalloc.stop()
    assert (len(window), window.expired) == (30, 1_970)
    assert late < 1.5 * early


def test_an_occurrence_is_inserted_once_and_deleted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: dict[str, list[tuple[int, int]]] = {"insert": [], "delete": []}

    def note(name: str) -> None:
        real = getattr(GraphTriangles, name)

        def noted(self: GraphTriangles, u: int, v: int) -> None:
            calls[name].append((u, v))
            real(self, u, v)

        monkeypatch.setattr(GraphTriangles, name, noted)

    note("insert")
    note("delete")
    window = GraphWindow(10, "time")
    window.extend((t % 5, t % 5 + 1, t) for t in range(100))
    window.advance(1_000)
    assert calls["insert"] == calls["delete"] == [(t % 5, t % 5 + 1) for t in range(100)], (
        "first in, first out"
    )


def test_what_it_is() -> None:
    window = started("number")
    assert repr(window) == (
        "<GraphWindow time 5 edges=3 of "
        "<GraphTriangles undirected epsilon=1/2 track=('count',) nodes=3 edges=3>>"
    )
    assert (window.by, window.window, window.time, len(window), bool(window)) == ("time", 5, 7, 3, True)
    assert not GraphWindow(5)
    assert list(pairwise(time for _, _, time in window)) == [(3, 3), (3, 7)]
    tracked: tuple[Track, ...] = ("at", "on")
    graph = GraphWindow(4, directed=True, epsilon="1/3", track=tracked, debug=True).graph
    assert (graph.directed, graph.epsilon, graph.track, graph._debug) == (True, Fraction(1, 3), tracked, 1)
