"""Rows of view trees: what belongs to them, upkeep, build and drop.

Equation: the row of x has K_f(x,y)·K_{f+1}(y,z) for the y and z that stand in the parts of the tree's
superscript; summed over y, or kept with y under (x,z). A row that is kept takes its triangles out of the head
map; dropped, it gives them back.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from ivme_reference.lazy.plan import fits
from ivme_reference.lazy.state import Account, Build, Drop, LazyStore, Tree
from ivme_reference.storage import add_to
from ivme_spec.lazy import Shape
from ivme_spec.relations import RELATIONS
from ivme_spec.rings import P


def middle_fits(store: LazyStore[P], shape: Shape, y: Hashable) -> bool:
    """Whether a middle stands in the parts that the tree joins.  Cost: O(1)."""
    first, second = store.relations[shape.first], store.relations[shape.second]
    return fits(shape, y in first.standing[1], y in second.standing[0], True)


def below(store: LazyStore[P], shape: Shape, y: Hashable) -> dict[Hashable, P]:
    """The z-values of a middle that stand where the tree asks.  Cost: O(1), but for the copy."""
    light, heavy = store.relations[shape.second].row(y)
    return heavy if shape.end or not light else {**light, **heavy} if heavy else light


def below_count(store: LazyStore[P], shape: Shape, y: Hashable) -> int:
    """The number of these.  Cost: O(1)."""
    light, heavy = store.relations[shape.second].row(y)
    return len(heavy) if shape.end else len(light) + len(heavy)


def price_of(store: LazyStore[P], tree: Tree[P], x: Hashable) -> int:
    """The price of a row, if the values that it needs were moved.  Cost: O(degree)."""
    shape, row = tree.shape, store.relations[tree.shape.first].partners(0, x)
    middle = store.relations[shape.first].heavy[1] if shape.middle else set[Hashable]()
    heavy = store.relations[shape.second].heavy[0]
    counts = (below_count(store, shape, y) for y in row if y not in heavy and y not in middle)
    return 2 * len(row) + shape.weight * sum(counts)


# --- entries ------------------------------------------------------------------------------------------------


def add_sum(tree: Tree[P], x: Hashable, z: Hashable, change: P) -> int:
    """V̂(x,z) += change; the steps."""
    add_to(tree.sums[x], z, change)
    return 2


def keep(store: LazyStore[P], tree: Tree[P], x: Hashable, y: Hashable, z: Hashable) -> int:
    """Put y under (x,z); the steps."""
    under = tree.kept[x].setdefault(z, {})
    under[y] = None
    if len(under) > 1:
        return 2
    if store.relations[tree.shape.closing].get(z, x) is not None:
        tree.root[x, z] = None
    return 4


def unkeep(tree: Tree[P], x: Hashable, y: Hashable, z: Hashable) -> int:
    """Remove y from (x,z); the steps."""
    under = tree.kept[x][z]
    del under[y]
    if under:
        return 2
    del tree.kept[x][z]
    tree.root.pop((x, z), None)
    return 4


def hand_over(
    store: LazyStore[P], tree: Tree[P], x: Hashable, y: Hashable, zs: Iterable[Hashable], sign: int
) -> int:
    """Stored (x,y,z) enter the row of x, or leave it, and leave the head map or enter it; the steps.

    Cost: at most w for each z.
    """
    shape, steps = tree.shape, 0
    left = store.relations[shape.first].get(x, y)
    for z in zs:
        if not shape.kept:
            right = store.relations[shape.second].get(y, z)
            assert left is not None, "the tuples of an entry are there"
            assert right is not None, "the tuples of an entry are there"
            steps += add_sum(tree, x, z, left * right if sign > 0 else -(left * right))
            continue
        steps += keep(store, tree, x, y, z) if sign > 0 else unkeep(tree, x, y, z)
        if store.relations[shape.closing].get(z, x) is not None:
            store.list_triangle(shape.first, x, y, z, -sign)
            steps += 2
    return steps


def move_entries(
    store: LazyStore[P], tree: Tree[P], x: Hashable, y: Hashable, zs: list[Hashable], sign: int
) -> None:
    """`hand_over` because y or z moves: charged to the row, which is dropped if that would not pay.

    Cost: at most w for each z, or as `drop`.
    """
    account, charge = tree.accounts[x], tree.shape.weight * len(zs)
    if charge and not account.bears(charge):
        drop(store, tree, x)
        return
    store.spent["upkeep"] += hand_over(store, tree, x, y, zs, sign)
    account.gap += charge
    account.price += sign * charge


# --- build and drop -----------------------------------------------------------------------------------------


def build(store: LazyStore[P], tree: Tree[P], x: Hashable) -> None:
    """Build the row of x; all that it needs has moved.  Cost: at most its price."""
    shape, row = tree.shape, store.relations[tree.shape.first].partners(0, x)
    price = price_of(store, tree, x)
    tree.credits.pop(x, None)
    tree.accounts[x] = Account(price, price)
    if shape.kept:
        tree.kept[x] = {}
    else:
        tree.sums[x] = {}
    store.spent["build"] += 2 * len(row)
    for y in row:
        tree.owners.setdefault(y, {})[x] = None
        if middle_fits(store, shape, y):
            store.spent["build"] += hand_over(store, tree, x, y, below(store, shape, y), 1)
    store.events.append(Build(store.step, RELATIONS[shape.first], x, price))


def drop(store: LazyStore[P], tree: Tree[P], x: Hashable, light: bool = False) -> None:
    """Drop the row of x.  Cost: at most half its price, and one."""
    shape, account = tree.shape, tree.accounts.pop(x)
    row = store.relations[shape.first].partners(0, x)
    for y in row:
        forget_owner(tree, y, x)
    steps = 1 + len(row)
    if shape.kept:
        for z, under in tree.kept.pop(x).items():
            closed = tree.root.pop((x, z), 0) is None
            for y in under:
                if closed:
                    store.list_triangle(shape.first, x, y, z, 1)
            steps += (3 if closed else 1) * len(under)
    else:
        steps += len(tree.sums.pop(x))
    store.spent["drop"] += steps
    store.events.append(Drop(store.step, RELATIONS[shape.first], x, account.price, light))


def forget_owner(tree: Tree[P], y: Hashable, x: Hashable) -> None:
    """K_f(x,y) is no longer in a built row.  Cost: O(1)."""
    owners = tree.owners[y]
    del owners[x]
    if not owners:
        del tree.owners[y]
