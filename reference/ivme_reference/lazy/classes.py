"""Heavy and light: changes of class, moves of tuples, major rebalancing.

Paper: fig:onUpdate (lines 5-15), fig:major_minor. The classes are those of an eager engine. Tuples move
    up     when a built row needs it: at once if the value is in the middle of one, else when a row is built
           or extended over it; as an end, when the row of a heavy value, built or not, is asked for it
    down   at once
"""

from __future__ import annotations

from collections.abc import Hashable

from ivme_reference.lazy.rows import below, drop, middle_fits, move_entries
from ivme_reference.lazy.state import LazyStore, Major, Minor
from ivme_spec.relations import RELATIONS
from ivme_spec.rings import P
from ivme_spec.state import doubled, halved


def rebalance(store: LazyStore[P], i: int, x: Hashable, y: Hashable) -> None:
    """Restore size invariant and classes after an update of (x,y) in relation i."""
    if store.size >= store.base:
        major(store, doubled(store.base))
    elif store.size < store.base // 4:
        major(store, halved(store.base))
    else:
        for column, value in enumerate((x, y)[: store.relations[i].partitioned]):
            settle(store, i, column, value)


def settle(store: LazyStore[P], i: int, column: int, value: Hashable) -> None:
    """Change the class of a value whose degree requires it (MinorRebalance)."""
    relation = store.relations[i]
    degree, heavy = relation.degree(column, value), value in relation.heavy[column]
    if heavy and degree < store.theta.heavy:
        moved = fall(store, i, column, value)
    elif not heavy and degree >= store.theta.light:
        moved = rise(store, i, column, value)
    else:
        return
    variable = store.variable(i, column)
    store.events.append(Minor(store.step, RELATIONS[i], variable, value, not heavy, moved))


def rise(store: LazyStore[P], i: int, column: int, value: Hashable) -> int:
    """A value becomes heavy; its tuples move if a built row needs it. The number of these."""
    store.relations[i].heavy[column].add(value)
    return move_up(store, i, column, value) if is_needed(store, i, column, value) else 0


def fall(store: LazyStore[P], i: int, column: int, value: Hashable) -> int:
    """A value becomes light: its row is dropped, its tuples move. The number of these."""
    relation = store.relations[i]
    relation.heavy[column].remove(value)
    if column == 0:
        tree = store.trees[i]
        tree.credits.pop(value, None)
        if value in tree.accounts:
            drop(store, tree, value, light=True)
    return move(store, i, column, value) if value in relation.standing[column] else 0


def is_needed(store: LazyStore[P], i: int, column: int, value: Hashable) -> bool:
    """Whether a value is in the middle of a built row whose tree asks for its class.  Cost: O(1)."""
    if column == 0:
        return value in store.trees[(i + 2) % 3].owners
    return store.trees[i].shape.middle and value in store.trees[i].owners


def move_up(store: LazyStore[P], i: int, column: int, value: Hashable) -> int:
    """Move the tuples of a heavy value that stands light; the number of tuples, 0 for any other value."""
    relation = store.relations[i]
    if value not in relation.heavy[column] or value in relation.standing[column]:
        return 0
    return move(store, i, column, value)


def move(store: LazyStore[P], i: int, column: int, value: Hashable) -> int:
    """Move all tuples of a value to the other part (MoveTuples); the number of tuples.

    As a middle the value leaves the built rows, or enters them, with all that is below it; as an end it
    enters them, or leaves, with each of its tuples.  Cost: 4 for each tuple, and the upkeep.
    """
    relation, before = store.relations[i], store.trees[(i + 2) % 3]
    up = value not in relation.standing[column]
    if column == 0:
        _move_middle(store, before.shape.first, value, up, fits_else=_second_fits(store, i, value))
    else:
        own = store.trees[i]
        if own.shape.middle:
            fits_else = value not in store.relations[own.shape.second].standing[0]
            _move_middle(store, i, value, up, fits_else)
        if before.shape.end:
            for y in relation.partners(1, value):
                if middle_fits(store, before.shape, y):
                    for x in list(before.owners.get(y, ())):
                        move_entries(store, before, x, y, [value], 1 if up else -1)
    moved = relation.degree(column, value)
    relation.shift(column, value)
    store.spent["move"] += 4 * moved
    return moved


def _second_fits(store: LazyStore[P], i: int, value: Hashable) -> bool:
    """Whether a middle, in the first column of relation i, stands right in the second of the one before."""
    tree = store.trees[(i + 2) % 3]
    return not (tree.shape.middle and value in store.relations[tree.shape.first].standing[1])


def _move_middle(store: LazyStore[P], first: int, y: Hashable, up: bool, fits_else: bool) -> None:
    """A middle leaves the built rows of a tree (`up`), or enters them, if it fits otherwise."""
    tree = store.trees[first]
    if fits_else:
        for x in list(tree.owners.get(y, ())):
            move_entries(store, tree, x, y, list(below(store, tree.shape, y)), -1 if up else 1)


def major(store: LazyStore[P], base: int) -> None:
    """Change N and make all classes strict (MajorRebalance): first those that become light."""
    grown = base > store.base
    store.set_base(base)
    strict = store.theta.strict
    places = [(i, column) for i in range(3) for column in range(store.relations[i].partitioned)]
    for i, column in places:
        relation = store.relations[i]
        store.spent["major"] += 2 * len(relation.heavy[column])
        for value in [v for v in relation.heavy[column] if relation.degree(column, v) < strict]:
            fall(store, i, column, value)
    for i, column in places:
        relation = store.relations[i]
        values = relation.columns if column else relation.rows
        risen = [
            v for v in values if v not in relation.heavy[column] and relation.degree(column, v) >= strict
        ]
        store.spent["major"] += 2 * len(risen)
        for value in risen:
            rise(store, i, column, value)
    store.events.append(Major(store.step, grown, base))
