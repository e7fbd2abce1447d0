"""The engine's state as the spec and as tools see it.

Paper: def:ivme_state and the view-definition figures. The engine stores less than the paper lists: one head
map for the sum of all views over the head, and kept trees as sets without payloads. Here every view of the
figure is derived from what is stored, so that the spec's predicates can compare it with its definition.

>>> from fractions import Fraction
>>> from ivme.kernel.plan import compile_plan
>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> from ivme_spec.rings import NATURALS
>>> from ivme_spec.views import COUNT_SINGLE
>>> engine = Engine(compile_plan(COUNT_SINGLE), (), NATURALS, Fraction(1, 2), DictStorage())
>>> list(state_violations(engine, COUNT_SINGLE))
[]
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TypeVar

from ivme.kernel.engine import Engine
from ivme_spec.partitions import Violation, part_names
from ivme_spec.relations import RELATIONS, SCHEMAS, VARIABLES, Relation, Row, relation
from ivme_spec.rings import INTEGERS, Element, P, Ring
from ivme_spec.state import MERGED, STATE, State, view_violations, violations
from ivme_spec.thresholds import threshold
from ivme_spec.views import Decomposition, ViewTree

Q = TypeVar("Q", bound=Element)

Parts = dict[str, dict[str, Relation[P]]]

INDEX = "sec:computational_model"


def relation_parts(engine: Engine[P], decomposition: Decomposition) -> Parts[P]:
    """The parts of R, S and T.  Cost: O(|D|)."""
    value = engine.storage.value
    rows: dict[str, dict[str, dict[Row, P]]] = {
        name: {part: {} for part in part_names(name in decomposition.double)} for name in RELATIONS
    }
    for i, stored in enumerate(engine.relations):
        for x, y, multiplicity in stored.tuples():
            part = "LH"[stored.status(0, x)]
            if stored.double:
                part += "LH"[stored.status(1, y)]
            rows[engine.name(i)][part][value(x), value(y)] = multiplicity
    return {
        name: {part: relation(SCHEMAS[name], engine.ring, entries.items()) for part, entries in parts.items()}
        for name, parts in rows.items()
    }


def spec_state(engine: Engine[P], decomposition: Decomposition) -> State[P]:
    """The state (ε, N, P, V) of the spec.  Cost: O(size of the state)."""
    parts, value = relation_parts(engine, decomposition), engine.storage.value
    merged = [view.name for view in decomposition.listed]
    views: dict[str, Relation[P]] = {}
    for index, tree in enumerate(decomposition.trees):
        if index in engine.kept:
            views |= _kept_views(engine, index, tree, parts)
        else:
            merged += [view.name for view in tree.views[1:]]
            schema = _variable(engine, index, 0) + _variable(engine, index, 2)
            sums = (((value(x), value(z)), m) for x, z, m in engine.summed[index].entries())
            stored = relation(schema, engine.ring, sums)
            views[tree.views[0].name] = stored.sum_to(tree.views[0].head)
    free = "".join(VARIABLES[(variable + engine.turns) % 3] for variable in engine.order)
    head = relation(free, engine.ring, engine.head.rows())
    views[MERGED.join(merged)] = head.sum_to(decomposition.head)
    return State(decomposition, engine.epsilon, engine.base, parts, views)


def plain_state(engine: Engine[P], decomposition: Decomposition) -> dict[str, object]:
    """The state as nested dicts; see `TriangleView.state`.  Cost: O(size of the state)."""
    state = spec_state(engine, decomposition)
    return {
        "N": state.base,
        "parts": {
            name: {part: dict(rows.entries) for part, rows in parts.items()}
            for name, parts in state.partitions.items()
        },
        "views": {name: dict(view.entries) for name, view in state.views.items()},
    }


def _variable(engine: Engine[P], index: int, offset: int) -> str:
    """The variable x (0), y (1) or z (2) of a tree."""
    return VARIABLES[(engine.plan.trees[index].first + offset + engine.turns) % 3]


def _kept_views(engine: Engine[P], index: int, tree: ViewTree, parts: Parts[P]) -> dict[str, Relation[P]]:
    """The views of a kept tree, with the multiplicities of the relations that it joins."""
    plan, zero = engine.plan.trees[index], engine.ring.zero
    left, right, closing = (
        {row: m for part in parts[engine.name(i)].values() for row, m in part.entries.items()}
        for i in (plan.first, (plan.first + 1) % 3, plan.closing)
    )
    return _views_over(
        engine,
        index,
        tree,
        engine.ring,
        lambda x, y, z: left.get((x, y), zero) * right.get((y, z), zero),
        lambda x, y, z: left.get((x, y), zero) * right.get((y, z), zero) * closing.get((z, x), zero),
    )


def _held_views(engine: Engine[P], index: int, tree: ViewTree) -> dict[str, Relation[int]]:
    """The views of a kept tree with 1 for everything that it holds, whatever the relations have."""
    return _views_over(engine, index, tree, INTEGERS, lambda x, y, z: 1, lambda x, y, z: 1)


def _views_over(
    engine: Engine[P],
    index: int,
    tree: ViewTree,
    ring: Ring[Q],
    of_join: Callable[[Hashable, Hashable, Hashable], Q],
    of_root: Callable[[Hashable, Hashable, Hashable], Q],
) -> dict[str, Relation[Q]]:
    """The views of a kept tree, given the multiplicities of what its join and its root hold."""
    kept = engine.kept[index]
    value = engine.storage.value
    roots = {(value(x), value(z)) for x, z in kept.root_pairs()}
    schema = "".join(_variable(engine, index, offset) for offset in range(3))
    held = [(value(x), value(y), value(z)) for x, y, z in kept.entries()]
    join = relation(schema, ring, (((x, y, z), of_join(x, y, z)) for x, y, z in held))
    closed = ((x, y, z) for x, y, z in held if (x, z) in roots)
    root = relation(schema, ring, (((x, y, z), of_root(x, y, z)) for x, y, z in closed))
    return {view.name: (join if None in view.parts else root).sum_to(view.head) for view in tree.views}


# --- everything that must hold --------------------------------------------------------------------------


def state_violations(engine: Engine[P], decomposition: Decomposition) -> Iterator[Violation]:
    """Everything that is not as the spec says.  Cost: recomputes everything.

    Kept trees are compared with their definitions twice: with multiplicities, and with 1 for each tuple and
    for each thing that the tree holds, where no sum cancels and nothing superfluous is hidden (ERRATA E7).
    """
    state = spec_state(engine, decomposition)
    yield from violations(state)
    if state.size != engine.size:
        yield Violation(STATE, "size", f"|D| is counted as {engine.size}; there are {state.size} tuples")
    support: Parts[int] = {
        name: {
            part: relation(SCHEMAS[name], INTEGERS, ((r, 1) for r in rows)) for part, rows in parts.items()
        }
        for name, parts in state.partitions.items()
    }
    if (engine.heavy, engine.light) != (engine.threshold.heavy, engine.threshold.light):
        found = f"degrees are compared with {engine.heavy} and {engine.light}, not with θ"
        yield Violation(STATE, "threshold", found)
    if engine.threshold != threshold(engine.base, engine.epsilon):
        yield Violation(STATE, "threshold", f"{engine.threshold} is not that of N = {engine.base}")
    yield from (Violation(INDEX, "zero", found) for found in engine.head.damage())
    for summed in engine.summed.values():
        yield from (Violation(INDEX, "zero", found) for found in summed.damage())
    for index, kept in engine.kept.items():
        views = _held_views(engine, index, decomposition.trees[index])
        yield from view_violations(State(decomposition, engine.epsilon, engine.base, support, views))
        yield from (Violation(INDEX, condition, found) for condition, found in kept.damage())
    for i, stored in enumerate(engine.relations):
        if stored.watch > max(1, engine.threshold.heavy - 1):
            late = f"{engine.name(i)}: values are watched from degree {stored.watch} on only"
            yield Violation(INDEX, "watch", late)
        yield from (Violation(INDEX, "index", f"{engine.name(i)}: {found}") for found in stored.damage())
