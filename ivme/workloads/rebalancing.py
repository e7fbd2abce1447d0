"""Families that attack rebalancing."""

from __future__ import annotations

from collections.abc import Callable
from math import isqrt

from ivme.workloads.core import FAR, Section, Update, Workload, cycle, driven, exchanged, filler, grid, limits
from ivme_spec.relations import RELATIONS, RelationName
from ivme_spec.state import initial_base


def threshold_thrash(
    size: int,
    epsilon: object,
    relation: RelationName = "R",
    columns: str = "first",
    partners: str = "light",
    percent: int = 100,
    loose: bool = False,
    cycles: int = 2,
) -> Workload:
    """Degrees that swing across ½θ and ³⁄₂θ: of x = 0 and partners ("first"), of y = 0 ("second"), "both".

    Attacks: minor rebalancing, N^{ε+max(ε,1−ε)} for one and amortized N^max(ε,1−ε); tight for ε ≤ ½ (beyond,
    the tuples that are moved join at most |D| others, and a minor rebalancing costs O(N)). Each moved tuple
    meets the heavy values z of p, on which `percent` of the tuples are spent, and light or heavy rows of f,
    which take the rest. "both" makes x and y cross in one update, for relations with double partitions;
    `partners="heavy"` makes the values that x meets heavy in the second column, the worst for S of the binary
    query, with ε < ½.
    """
    exact, theta = limits(size, epsilon)
    u, f, p = cycle(relation)
    start = theta.heavy - 1
    swing = theta.light - theta.heavy
    arms = (columns != "second") + (columns != "first")
    parts: tuple[Section, ...] = ()
    if columns != "second":
        parts += (grid(u, 1, start, column=1),)
    if columns != "first":
        parts += (grid(u, start, 1, row=1),)
    if partners == "heavy":
        parts += (grid(u, theta.strict, theta.light + 1, row=FAR),)
    total = (2 * size - 4 * theta.light if loose else size) - sum(part.count for part in parts)
    degree = theta.heavy if loose else theta.strict
    heavy = total * percent // 100 // degree
    rows = grid(f, theta.light + 1, (total - heavy * degree) // (theta.light + 1))
    prepared: tuple[Section, ...] = ()
    if loose:
        room = filler(f, size, *parts)
        first, second = room.split(room.count * percent // 100)
        built = driven(p, heavy, theta.light, theta.heavy, lambda z, partner: (z, partner), first)
        loaded, prepared = (*parts, room), (built, exchanged(rows, second))
    else:
        parts += (grid(p, heavy, theta.strict), rows)
        loaded = (*parts, filler(f, size, *parts))

    def tuple_at(step: int) -> tuple[int, int]:
        """The tuples that come and go in a cycle; (0, 0) comes and goes last."""
        if step == arms * swing:
            return (0, 0)
        partner = start + 1 + step // arms
        second = columns == "second" or (arms == 2 and step % 2 == 1)
        return (partner, 0) if second else (0, partner)

    length = arms * swing + 1

    def at(position: int) -> Update:
        step = position % (2 * length)
        if step < length:
            return (u, *tuple_at(step), 1)
        return (u, *tuple_at((2 * length - 2 - step) % length), -1)

    parameters = {
        "size": size,
        "epsilon": exact,
        "relation": relation,
        "columns": columns,
        "partners": partners,
        "percent": percent,
    }
    attack = Section(2 * length * cycles, at)
    return Workload("threshold-thrash", {**parameters, "loose": loose}, loaded, prepared, (attack,))


def size_thrash(size: int, epsilon: object, cycles: int = 2) -> Workload:
    """|D| that swings across N and ⌊N/4⌋, while the other loaded tuples change class each time.

    Attacks: major rebalancing, N^{3/2} for one and amortized N^½. The tuples that stay are complete
    tripartite blocks whose degrees are just N^ε, heavy for N and light for 2N; tight for ε = ½ (else
    N^{1+min(ε,1−ε)}).
    """
    exact, theta = limits(size, epsilon)
    degree = theta.strict
    budget = size - 3 * cycles - 6
    blocks = budget // (3 * degree * degree)
    side = degree if blocks else max(1, isqrt(degree * degree + budget) - degree)
    blocks = max(1, blocks)
    shapes = ((side, degree), (degree, side), (side, side))
    parts = tuple(
        Section(blocks * rows * columns, _blocks(name, rows, columns))
        for name, (rows, columns) in zip(RELATIONS, shapes, strict=True)
    )
    room = filler("S", size, *parts)
    top, bottom = initial_base(size), size - 2 - cycles
    grow, swing = top - size, top - bottom

    def at(position: int) -> Update:
        """Up from `bottom` to `top` and down again."""
        step = position % (2 * swing)
        place = step if step < swing else 2 * swing - 1 - step
        name, x, y, _ = room.at(room.count - (size - bottom) + place)
        return (name, x, y, 1 if step < swing else -1)

    # the first way up starts at `size`, not at `bottom`
    attack = Section(grow + (2 * cycles - 1) * swing, lambda position: at(position + swing - grow))
    parameters = {"size": size, "epsilon": exact}
    return Workload("size-thrash", parameters, (*parts, room), attack=(attack,))


def _blocks(name: RelationName, rows: int, columns: int) -> Callable[[int], Update]:
    def at(position: int) -> Update:
        block, place = divmod(position, rows * columns)
        return (name, block * rows + place // columns, block * columns + place % columns, 1)

    return at
