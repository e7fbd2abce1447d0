"""Families that attack the time of a single update."""

from __future__ import annotations

from itertools import chain

from ivme.workloads.core import (
    FAR,
    Section,
    Update,
    Workload,
    cycle,
    driven,
    filler,
    grid,
    limits,
    mixed,
    toggle,
)
from ivme_spec.relations import RELATIONS, RelationName
from ivme_spec.thresholds import Threshold


def hub(size: int, updates: int = 100, relation: RelationName = "R", everywhere: bool = False) -> Workload:
    """Values with a linear degree on both sides of the attacked tuple, which is toggled.

    Attacks: classical IVM, which intersects the two sides: linear. IVM^ε looks the answer up: constant, for
    every head and 0 < ε < 1. At ε = 0 and 1 it is classical IVM, and the update time N^max(ε,1−ε) = N is
    tight. With `everywhere`, both columns of all three relations have a hub.
    """
    u, f, p = cycle(relation)
    if everywhere:
        arm = size // 6
        stars = [(grid(name, 1, arm, column=1), grid(name, arm, 1, row=1)) for name in (u, f, p)]
        loaded = tuple(chain.from_iterable(stars))
    else:
        loaded = (grid(f, 1, size // 2), grid(p, size // 2, 1))
    parameters = {"size": size, "relation": relation, "everywhere": everywhere}
    return Workload("hub", parameters, loaded, attack=(toggle(u, updates),))


def view_upkeep(
    size: int,
    epsilon: object,
    relation: RelationName = "R",
    side: str = "row",
    loose: bool = False,
    updates: int = 100,
) -> Workload:
    """A toggled tuple that joins many others of a view tree, without any triangle.

    Attacks: update time N^max(ε,1−ε) through δV. `side="row"`: x heavy, the row of y light: N^ε, tight for
    ε ≥ ½. `side="column"`: x light, its column in p full of heavy values: N^{1−ε}, tight for ε ≤ ½. For every
    head but the count query with double partitions, where V has heavy values only: N^min(ε,1−ε). With
    one or two free variables not through every relation: for △(a) and △(a,b) through S (row) and T (column).
    """
    return _walk("view-upkeep", size, epsilon, relation, side, loose, updates)


def intersection(
    size: int,
    epsilon: object,
    relation: RelationName = "R",
    side: str = "row",
    loose: bool = False,
    updates: int = 100,
) -> Workload:
    """As view-upkeep, and the row of y in f equals the column of x in p: triangles to be summed as well.

    Attacks: update time N^max(ε,1−ε) through δV and the deltas of listed views; worst-update has costlier
    ones at ε = ½. Tight as view-upkeep, and for the count query with double partitions too; there
    `side="split"` is the worst, where half of the column is heavy in p and the other half in f. The worst
    relation is S for the unary query, T (`side="column"`) or S (`side="row"`) for the binary one.
    """
    return _walk("intersection", size, epsilon, relation, side, loose, updates)


def _walk(
    family: str, size: int, epsilon: object, relation: RelationName, side: str, loose: bool, updates: int
) -> Workload:
    exact, theta = limits(size, epsilon)
    meet = family == "intersection"
    if side == "row":
        loaded, prepared = _light_row(size, theta, relation, meet, loose)
    else:
        loaded, prepared = _heavy_column(size, theta, relation, meet, loose, side == "split")
    parameters = {"size": size, "epsilon": exact, "relation": relation, "side": side, "loose": loose}
    return Workload(family, parameters, loaded, prepared, (toggle(relation, updates),))


Sections = tuple[Section, ...]


def _light_row(
    size: int, theta: Threshold, relation: RelationName, meet: bool, loose: bool
) -> tuple[Sections, Sections]:
    """x heavy in u; y light in f with as many partners as allowed, which are the column of x in p (meet)."""
    u, f, p = cycle(relation)
    light = min(theta.strict - 1, size // 3)
    parts: Sections = (grid(u, 1, min(theta.strict, size // 3), column=FAR), grid(f, 1, light))
    more = theta.light - 1 - light if loose else 0
    prepared: Sections = (grid(f, 1, more, column=light),)
    if meet:
        parts += (grid(p, light, 1),)
        prepared += (grid(p, more, 1, row=light),)
    return (*parts, filler(p, size, *parts)), prepared


def _heavy_column(
    size: int, theta: Threshold, relation: RelationName, meet: bool, loose: bool, split: bool
) -> tuple[Sections, Sections]:
    """x light in u, heavy in p; its column in p heavy, and equal to the row of y in f (meet), y heavy.

    The heavy values are z = 0 … heavy−1 with the tuples p(z, 0), p(z, 1), …; in a split, those of the second
    half have the tuples f(0, z), f(1, z), … instead.
    """
    _, f, p = cycle(relation)
    helpers = min(theta.strict, size // 8)
    parts: Sections = (grid(p, helpers, 1, row=FAR),)
    if meet:
        parts += (grid(f, 1, helpers, column=FAR),)
    if not loose:
        heavy = (size - 2 * helpers) // (theta.strict + 1)
        half = heavy // 2 if split else heavy
        parts += (grid(p, half, theta.strict), grid(f, theta.strict, heavy - half, column=half))
        parts += (grid(p, heavy - half, 1, row=half),)
        parts += (grid(f, 1, half),) if meet else ()
        return (*parts, filler(f, size, *parts)), ()
    heavy = (2 * size - 2 * helpers - theta.light) // (theta.heavy + 1)
    half = heavy // 2 if split else heavy
    room = filler(f, size, *parts)
    first, second = room.split(room.count * half // max(1, heavy))
    prepared: Sections = (
        driven(p, half, theta.light, theta.heavy, lambda value, partner: (value, partner), first),
        driven(
            f, heavy - half, theta.light, theta.heavy, lambda value, partner: (partner, half + value), second
        ),
        grid(p, heavy - half, 1, row=half),
    )
    return (*parts, room), (*prepared, grid(f, 1, half)) if meet else prepared


def uniform(updates: int, values: int, seed: int = 0) -> Workload:
    """Uniform inserts over `values` values a variable, then the same tuples deleted in another order.

    Attacks: nothing; the typical first use. With updates ≪ values² nearly all degrees are small, and an
    update is a handful of steps; with updates ≥ values² the update time N^½ is tight, for ε = ½ and every
    head.
    """

    def insert(p: int) -> Update:
        drawn = mixed(seed, p)
        return (RELATIONS[p % 3], drawn % values, (drawn >> 32) % values, 1)

    half = updates // 2

    def delete(p: int) -> Update:
        relation, x, y, _ = insert(half - 1 - p)
        return (relation, x, y, -1)

    parameters = {"updates": updates, "values": values, "seed": seed}
    return Workload("uniform", parameters, (), attack=(Section(half, insert), Section(half, delete)))
