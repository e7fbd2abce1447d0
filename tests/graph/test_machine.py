"""A machine that does with a graph whatever a user may do, under all policies, beside the reference."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ivme import GraphTriangles, InputError
from ivme_reference import NaiveGraph
from tests.graph.driving import EPSILONS, EVERYTHING, enrich, require_agreement

VALUES: tuple[tuple[Any, ...], ...] = (
    (0, False, 0.0, -0.0),
    (1, True, 1.0, Fraction(1), Decimal(1)),
    (2, 2.0),
    (10**30, Decimal(10**30)),
    (-3,),
    ("a",),
    ("ab",),
    ((1, "x"), (True, "x"), (1.0, "x")),
    (None,),
    (frozenset({4}),),
)
"""Vertices: each with all values that equal it."""

VERTICES = tuple(values[0] for values in VALUES)
HUBS = VERTICES[:3]

vertices = st.sampled_from(VALUES).flatmap(st.sampled_from)
pairs = st.tuples(vertices, vertices)
bad_entries: st.SearchStrategy[Any] = st.sampled_from(
    [(1,), (1, 2, 3, 4), "ab", 7, None, (1, [2]), ({}, 1, -1), (1, "a", 0), (1, "a", 2), (1, "a", "1")]
)


def outcome(call: Callable[[], object]) -> object:
    """What a call returns, or its error with the position."""
    try:
        return call()
    except InputError as error:
        return type(error), error.position


class GraphMachine(RuleBasedStateMachine):
    """A graph and the reference; after every step they agree and the invariant holds."""

    @initialize(
        directed=st.booleans(),
        epsilon=st.sampled_from(EPSILONS),
        track=st.lists(st.sampled_from(EVERYTHING), unique=True).map(tuple),
        loops=st.sampled_from(["refuse", "ignore"]),
        repeated=st.sampled_from(["refuse", "ignore", "count"]),
        edges=st.lists(pairs, max_size=12),
    )
    def start(
        self, directed: bool, epsilon: Fraction, track: Any, loops: Any, repeated: Any, edges: list[Any]
    ) -> None:
        made = outcome(lambda: NaiveGraph(directed, loops, repeated, edges).count())
        make = partial(GraphTriangles, directed, epsilon, track, loops, repeated)
        assert outcome(lambda: make(edges).count()) == made
        if isinstance(made, tuple):
            edges = edges[: made[1]]
        self.naive = NaiveGraph(directed, loops, repeated, edges)
        self.graph = make(edges)

    def both(self, name: str, *arguments: Any) -> None:
        """The same call on both: done, or refused in the same way."""
        version = self.graph._engine.version
        expected = outcome(lambda: getattr(self.naive, name)(*arguments))
        assert outcome(lambda: getattr(self.graph, name)(*arguments)) == expected
        if isinstance(expected, tuple) and name != "apply":
            assert self.graph._engine.version == version, "nothing has changed"

    @rule(edge=pairs)
    def insert(self, edge: Any) -> None:
        self.both("insert", *edge)

    @rule(edge=pairs)
    def delete(self, edge: Any) -> None:
        self.both("delete", *edge)

    @precondition(lambda self: self.naive.copies)
    @rule(data=st.data(), turned=st.booleans())
    def delete_an_edge(self, data: st.DataObject, turned: bool) -> None:
        edge = data.draw(st.sampled_from(sorted(self.naive.copies, key=repr)))
        self.both("delete", *(edge[::-1] if turned else edge))

    @rule(edge=pairs, adding=st.booleans())
    def change_as_in_networkx(self, edge: Any, adding: bool) -> None:
        self.both("add_edge" if adding else "remove_edge", *edge)

    @rule(v=vertices)
    def remove_node(self, v: Any) -> None:
        self.both("remove_node", v)
        assert not self.graph.has_node(v)

    @rule(k=st.integers(0, 12))
    def ask_for_the_top(self, k: int) -> None:
        if "at" in self.graph.track:
            self.both("top", k)

    @rule(edge=pairs)
    def ask_for_copies(self, edge: Any) -> None:
        self.both("multiplicity", *edge)

    @rule(entries=st.lists(st.one_of(pairs, st.tuples(vertices, vertices, st.sampled_from([1, -1])))))
    def apply(self, entries: list[Any]) -> None:
        self.both("apply", entries)

    @rule(entries=st.lists(pairs, max_size=3), bad=bad_entries)
    def apply_a_bad_entry(self, entries: list[Any], bad: Any) -> None:
        self.both("apply", [*entries, bad, *entries])

    @rule(hub=st.sampled_from(HUBS), outward=st.booleans())
    def build_a_hub(self, hub: Any, outward: bool) -> None:
        for v in VERTICES:
            edge = (hub, v) if outward else (v, hub)
            if v != hub and edge not in self.naive:
                self.both("insert", *edge)

    @rule(hub=st.sampled_from(HUBS))
    def destroy_a_hub(self, hub: Any) -> None:
        for edge in [edge for edge in self.naive.copies if hub in edge]:
            while edge in self.naive:
                self.both("delete", *edge)

    @rule(one=st.sampled_from(HUBS), other=st.sampled_from(HUBS), times=st.integers(1, 4))
    def toggle_between_hubs(self, one: Any, other: Any, times: int) -> None:
        for _ in range(times):
            enrich(self.graph._engine, 1000)
            self.both("delete" if (one, other) in self.naive else "insert", one, other)

    @rule()
    def drain(self) -> None:
        for edge, copies in list(self.naive.copies.items()):
            for _ in range(copies):
                self.both("delete", *edge)
        assert (self.graph.size, self.graph.number_of_nodes(), self.graph.count()) == (0, 0, 0)

    @rule(way=st.sampled_from(["rebuilt", "copied", "saved"]))
    def replace(self, way: str) -> None:
        if way == "rebuilt":
            self.graph.rebuild()
            return
        before = self.graph
        if way == "copied":
            self.graph = before.copy()
        elif any(isinstance(v, Fraction | Decimal | frozenset) for v in before.nodes()):
            with pytest.raises(InputError, match="a vertex cannot be saved"):
                pickle.dumps(before)
        else:
            self.graph = pickle.loads(pickle.dumps(before))
        assert self.graph == before
        assert (self.graph.self_loops, self.graph.repeated) == (before.self_loops, before.repeated)

    @invariant()
    def agree(self) -> None:
        if hasattr(self, "graph"):
            self.graph.check()
            require_agreement(self.graph, self.naive, VERTICES)


TestGraphMachine = GraphMachine.TestCase
TestGraphMachine.settings = settings(stateful_step_count=25)
