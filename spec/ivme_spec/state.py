"""The IVM^ε state and everything that must hold of it.

Paper: def:ivme_state. A state is (ε, N, P, V): the threshold base N with the size invariant
⌊N/4⌋ ≤ |D| < N, partitions of R, S and T with threshold N^ε, and the materialized views, each equal to its
definition on the parts. The initial state has N = 2·|D| + 1 and strict partitions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Generic

from attrs import frozen

from ivme_spec.partitions import Partition, Violation, partition_violations, strict_partition, union_of
from ivme_spec.relations import RELATIONS, SCHEMAS, Relation
from ivme_spec.rings import P
from ivme_spec.thresholds import threshold
from ivme_spec.views import Decomposition, define

STATE = "def:ivme_state"
MERGED = "+"


def initial_base(size: int) -> int:
    """N of the initial state: 2·|D| + 1."""
    return 2 * size + 1


def doubled(base: int) -> int:
    """N after |D| has reached N (fig:onUpdate, line 6)."""
    return 2 * base


def halved(base: int) -> int:
    """N after |D| has fallen below ⌊N/4⌋ (fig:onUpdate, line 9)."""
    return base // 2 - 1


def size_invariant(base: int, size: int) -> bool:
    """⌊N/4⌋ ≤ |D| < N."""
    return base // 4 <= size < base


@frozen
class State(Generic[P]):
    """(ε, N, P, V) for the query of a decomposition.

    An engine may materialize the sum of several views over the same variables instead of each of them: its
    key is then their names, joined by MERGED.
    """

    decomposition: Decomposition
    epsilon: Fraction
    base: int
    partitions: Mapping[str, Partition[P]]
    views: Mapping[str, Relation[P]]

    @property
    def size(self) -> int:
        """|D| = |P|."""
        return sum(len(part) for parts in self.partitions.values() for part in parts.values())

    def database(self) -> dict[str, Relation[P]]:
        """The relations that the parts add up to."""
        return {name: union_of(self.partitions[name], SCHEMAS[name]) for name in RELATIONS}


def initial_state(
    decomposition: Decomposition, epsilon: Fraction, relations: Mapping[str, Relation[P]]
) -> State[P]:
    """The initial state of a database (def:ivme_state), by definition."""
    base = initial_base(sum(map(len, relations.values())))
    return rebuilt_state(decomposition, epsilon, base, relations)


def rebuilt_state(
    decomposition: Decomposition, epsilon: Fraction, base: int, relations: Mapping[str, Relation[P]]
) -> State[P]:
    """The state with strict partitions for a given N: what major rebalancing produces (fig:major_minor)."""
    theta = threshold(base, epsilon)
    partitions = {
        name: strict_partition(relations[name], theta, double=name in decomposition.double)
        for name in RELATIONS
    }
    views = {view.name: define(view, decomposition, partitions) for view in decomposition.views}
    return State(decomposition, epsilon, base, partitions, views)


def violations(state: State[P], database: Mapping[str, Relation[P]] | None = None) -> Iterator[Violation]:
    """Everything in a state that is not as the paper says; nothing if it is an IVM^ε state.

    With `database`, also that it is a state of that database.
    """
    relations = state.database()
    if database is not None:
        for name in RELATIONS:
            if relations[name].entries != database[name].entries:
                yield Violation(STATE, "database", f"the parts of {name} do not hold the tuples of {name}")
    if not size_invariant(state.base, state.size):
        yield Violation(STATE, "size invariant", f"⌊{state.base}/4⌋ ≤ {state.size} < {state.base} is false")
    theta = threshold(state.base, state.epsilon)
    for name in RELATIONS:
        yield from partition_violations(name, relations[name], state.partitions[name], theta)
    listed = {name for key in state.views for name in key.split(MERGED)}
    for view in state.decomposition.views:
        if view.name not in listed:
            yield Violation(state.decomposition.label, "views", f"view {view.name} is missing")
    yield from view_violations(state)


def view_violations(state: State[P]) -> Iterator[Violation]:
    """Views that differ from their definition on the parts, or are larger than the paper allows."""
    label, named = state.decomposition.label, {view.name: view for view in state.decomposition.views}
    for key, actual in state.views.items():
        views = [named[name] for name in key.split(MERGED)]
        definitions = [define(view, state.decomposition, state.partitions) for view in views]
        expected = definitions[0]
        for definition in definitions[1:]:
            expected = expected + definition
        for row in expected.entries.keys() | actual.entries.keys():
            if expected(row) != actual(row):
                detail = f"{key}{row!r} is {actual(row)!r}; by its definition it is {expected(row)!r}"
                yield Violation(label, "view", detail)
        for view, definition in zip(views, definitions, strict=True):
            if not view.space.allows(len(definition), state.base, state.epsilon):
                bound = view.space.describe(state.epsilon)
                detail = (
                    f"{view.name} has {len(definition)} entries; the bound for N = {state.base} is {bound}"
                )
                yield Violation(view.space.label, "space", detail)
