"""The IVM^ε state and everything that must hold of it.

Paper: def:ivme_state. A state is (ε, N, P, V): the threshold base N with the size invariant
⌊N/4⌋ ≤ |D| < N, partitions of R, S and T with threshold N^ε, and the materialized views, each equal to its
definition on the parts. The initial state has N = 2·|D| + 1 and strict partitions.

The functions on N carry contracts (PEP 316: `pre:`, `post:`), which `make prove` confirms for all integers.
Together they are the count of sec:rebalancing: whenever N has been set, |D| is ½N, ½N − ½ or ½N − 1, the size
invariant holds, and at least ¼N updates pass before |D| reaches N or falls below ⌊N/4⌋.
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
    """N of the initial state: 2·|D| + 1.

    pre: size >= 0
    post: size_invariant(__return__, size)
    post: 2 * size == __return__ - 1
    post: 4 * updates_before_major(__return__, size) >= __return__
    """
    return 2 * size + 1


def doubled(base: int) -> int:
    """N after |D| has reached N (fig:onUpdate, line 6).

    pre: base >= 1
    post: size_invariant(__return__, base)
    post: 2 * base == __return__
    post: 4 * updates_before_major(__return__, base) >= __return__
    """
    return 2 * base


def halved(base: int) -> int:
    """N after |D| has fallen below ⌊N/4⌋, to ⌊N/4⌋ − 1 (fig:onUpdate, line 9).

    pre: base >= 4
    post: size_invariant(__return__, base // 4 - 1)
    post: 2 * (base // 4 - 1) in (__return__ - 1, __return__ - 2)
    post: 4 * updates_before_major(__return__, base // 4 - 1) >= __return__
    """
    return base // 2 - 1


def size_invariant(base: int, size: int) -> bool:
    """⌊N/4⌋ ≤ |D| < N; equivalently |D| < N < 4·(|D| + 1).

    pre: base >= 1
    post: __return__ == (size < base < 4 * (size + 1))
    """
    return base // 4 <= size < base


def updates_before_major(base: int, size: int) -> int:
    """The least number of updates that can break the size invariant: up to N, or down to ⌊N/4⌋ − 1.

    pre: size_invariant(base, size)
    post: __return__ >= 1
    post: not size_invariant(base, size + __return__) or not size_invariant(base, size - __return__)
    post: size_invariant(base, size + __return__ - 1) and size_invariant(base, size - __return__ + 1)
    """
    return min(base - size, size - base // 4 + 1)


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
    partitions: dict[str, Mapping[str, Relation[P]]] = {
        name: strict_partition(relations[name], theta, double=name in decomposition.double)
        for name in RELATIONS
    }
    views = {view.name: define(view, decomposition, partitions) for view in decomposition.views}
    return State(decomposition, epsilon, base, partitions, views)


def violations(state: State[P], database: Mapping[str, Relation[P]] | None = None) -> Iterator[Violation]:
    """Every violation of the definition of an IVM^ε state; none if it is one.

    With `database`, also check that the state belongs to it.
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
            if expected(row) + -actual(row):  # a ring need not have ==
                detail = f"{key}{row!r} is {actual(row)!r}; by its definition it is {expected(row)!r}"
                yield Violation(label, "view", detail)
        for view, definition in zip(views, definitions, strict=True):
            if not view.space.allows(len(definition), state.base, state.epsilon):
                bound = view.space.describe(state.epsilon)
                detail = (
                    f"{view.name} has {len(definition)} entries; the bound for N = {state.base} is {bound}"
                )
                yield Violation(view.space.label, "space", detail)
