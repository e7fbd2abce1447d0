"""The engine's state as the spec and as tools see it.

Paper: def:ivme_state and the view-definition figures. The engine stores less than the paper lists: one head
map for the sum of all views over the head, and kept trees as sets without payloads. Here every view of the
figure is read off what is stored, so that the spec's predicates can compare it with its definition.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import TypeVar

from ivme.engine import Engine
from ivme.storage import DenseSet, K, RelationIndex
from ivme.trees import KeptTree
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
    rows: dict[str, dict[str, dict[Row, P]]] = {
        name: {part: {} for part in part_names(name in decomposition.double)} for name in RELATIONS
    }
    for i, stored in enumerate(engine.relations):
        for x, y, multiplicity in stored.tuples():
            part = "H" if x in stored.heavy[0] else "L"
            if stored.double:
                part += "H" if y in stored.heavy[1] else "L"
            rows[engine.name(i)][part][x, y] = multiplicity
    return {
        name: {part: relation(SCHEMAS[name], engine.ring, entries.items()) for part, entries in parts.items()}
        for name, parts in rows.items()
    }


def spec_state(engine: Engine[P], decomposition: Decomposition) -> State[P]:
    """The state (ε, N, P, V) of the spec.  Cost: O(size of the state)."""
    parts = relation_parts(engine, decomposition)
    merged = [view.name for view in decomposition.listed]
    views: dict[str, Relation[P]] = {}
    for index, tree in enumerate(decomposition.trees):
        if index in engine.kept:
            views |= _kept_views(engine, index, tree, parts)
        else:
            merged += [view.name for view in tree.views[1:]]
            schema = _variable(engine, index, 0) + _variable(engine, index, 2)
            stored = relation(schema, engine.ring, engine.summed[index].entries())
            views[tree.views[0].name] = stored.sum_to(tree.views[0].head)
    free = "".join(VARIABLES[(variable + engine.turns) % 3] for variable in engine.order)
    head = relation(free, engine.ring, engine.head.items())
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
    roots = {pair for pairs in kept.root.values() for pair in pairs}
    schema = "".join(_variable(engine, index, offset) for offset in range(3))
    held = list(kept.entries())
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
    if engine.threshold != threshold(engine.base, engine.epsilon):
        yield Violation(STATE, "threshold", f"{engine.threshold} is not that of N = {engine.base}")
    yield from _zero_violations(engine)
    for index, kept in engine.kept.items():
        views = _held_views(engine, index, decomposition.trees[index])
        yield from view_violations(State(decomposition, engine.epsilon, engine.base, support, views))
        yield from _root_violations(kept)
    for i, stored in enumerate(engine.relations):
        yield from _index_violations(engine.name(i), stored)


def _zero_violations(engine: Engine[P]) -> Iterator[Violation]:
    """Zeros are not stored, nor what holds nothing: the head map is enumerated as it stands."""
    for row, m in engine.head.items():
        if not m:
            yield Violation(INDEX, "zero", f"the head map has {row!r} with multiplicity {m!r}")
    for summed in engine.summed.values():
        for x, sums in summed.sums.items():
            if not sums or not all(sums.values()):
                yield Violation(INDEX, "zero", f"V̂ has zeros or nothing for {x!r}: {sums!r}")


def _root_violations(kept: KeptTree) -> Iterator[Violation]:
    """Every pair of the root has y-values and stands in its bucket; dense sets know their positions."""
    if set(kept.buckets) != set(kept.root) or len(kept.buckets) != len(kept.root):
        yield Violation(INDEX, "buckets", f"{list(kept.buckets)!r} are not the buckets of the root")
    for bucket, pairs in kept.root.items():
        for pair in pairs:
            if kept.values(pair) is None or {kept.bucket_of(pair)} != {bucket}:
                yield Violation(INDEX, "root", f"{pair!r} stands in bucket {bucket!r} of a root")
        yield from _dense_violations(pairs)
    for x, row in kept.middle.items():
        if not row:
            yield Violation(INDEX, "root", f"a kept tree has an empty row for {x!r}")
        for values in row.values():
            yield from _dense_violations(values)


def _dense_violations(dense: DenseSet[K]) -> Iterator[Violation]:
    positions = {item: position for position, item in enumerate(dense.items)}
    if not positions or len(positions) != len(dense) or dense.index not in (None, positions):
        yield Violation(INDEX, "dense set", f"{dense.items!r} with the positions {dense.index!r}")


def _index_violations(name: str, stored: RelationIndex[P]) -> Iterator[Violation]:
    """Rows and columns hold the same tuples, in the buckets of their statuses; nothing is empty or stale."""
    forward = {
        (x, y): (m, s)
        for s, rows in enumerate(stored.forward)
        for x, row in rows.items()
        for y, m in row.items()
    }
    backward = {
        (x, y): (m, f)
        for f, columns in enumerate(stored.backward)
        for y, column in columns.items()
        for x, m in column.items()
    }
    if {row: m for row, (m, _) in forward.items()} != {row: m for row, (m, _) in backward.items()}:
        yield Violation(INDEX, "index", f"the rows and the columns of {name} differ")
    for (x, y), (_, second) in forward.items():
        if second != (y in stored.heavy[1]):
            yield Violation(INDEX, "index", f"{name}{(x, y)!r} stands in the wrong row bucket")
    for (x, y), (_, first) in backward.items():
        if first != (x in stored.heavy[0]):
            yield Violation(INDEX, "index", f"{name}{(x, y)!r} stands in the wrong column bucket")
    for column, lines in enumerate((stored.forward, stored.backward)):
        if any(not line for by_status in lines for line in by_status.values()):
            yield Violation(INDEX, "index", f"{name} has an empty row")
        if stale := stored.heavy[column] - stored.values(column):
            yield Violation(INDEX, "index", f"{name} has bits for values that are gone: {stale!r}")
