"""Families that attack preprocessing, space and delay."""

from __future__ import annotations

from math import isqrt

from ivme.workloads.core import FAR, Section, Workload, cycle, driven, exchanged, filler, grid, limits, toggle
from ivme_spec.relations import RELATIONS, RelationName


def agm(size: int, updates: int = 100) -> Workload:
    """The complete tripartite instance: (size/3)^{3/2} triangles, the maximum.

    Attacks: preprocessing N^{3/2}, and the space of the ternary query; tight for every ε and head.
    """
    side = isqrt(size // 3)
    parts = tuple(grid(name, side, side, row=1, column=1) for name in RELATIONS)
    return Workload(
        "agm", {"size": size}, (*parts, filler("R", size, *parts)), attack=(toggle("R", updates),)
    )


def wide_views(
    size: int, epsilon: object, relation: RelationName = "R", kind: str = "light", loose: bool = False
) -> Workload:
    """The largest view V(x,z) = Σ_y u(x,y) · f(y,z) for x heavy and y light in f.

    Attacks: space N^{1+min(ε,1−ε)}; tight for every ε. The x and the z come in blocks, and y = (i,j) joins
    block i of the x with block j of the z, so that each pair (x,z) occurs once. `kind` says what else holds:
    "light"   z is light: a single block of x, as many as fit. Every ε, every head with V = u^H · f^L.
    "heavy"   z is heavy in f: the kept trees of the binary query. N^{1+ε} up to ε = ⅓, then N^{2−2ε}.
    "double"  z is heavy in f and y is light in u: the count query with double partitions. The same.
    """
    exact, theta = limits(size, epsilon)
    u, f, _ = cycle(relation)
    heavy, light = (theta.heavy, theta.light - 1) if loose else (theta.strict, theta.strict - 1)
    budget = 2 * size - theta.light if loose else size
    if kind == "double":
        rows = columns = max(heavy, isqrt(budget // (2 * light)))
    else:
        rows, columns = heavy if kind == "heavy" else 1, min(heavy, budget // 2)
    zs = min(light, budget // (2 * rows * columns))
    xs = zs if kind == "double" else max(0, budget // (rows * columns) - zs)

    def left(x: int, partner: int) -> tuple[int, int]:
        """x of block i = x // xs joins y = (i,j) for all j; further partners are helpers."""
        return (x, x // xs * columns + partner if partner < columns else FAR + partner)

    def right(z: int, partner: int) -> tuple[int, int]:
        """z of block j = z // zs joins y = (i,j) for all i."""
        return (partner * columns + z // zs if partner < rows else FAR + partner, z)

    lefts = Section(rows * xs * columns, lambda p: (u, *left(p // columns, p % columns), 1))
    rights = Section(columns * zs * rows, lambda p: (f, *right(p // rows, p % rows), 1))
    parameters = {"size": size, "epsilon": exact, "relation": relation, "kind": kind, "loose": loose}
    if not loose:
        return Workload("wide-views", parameters, (lefts, rights, filler(u, size, lefts, rights)))
    room = filler(u, size)
    first, second = room.split(room.count if kind == "light" else room.count * xs // max(1, xs + zs))
    left_built = driven(u, rows * xs, max(theta.light, columns), columns, left, first)
    right_built = driven(f, columns * zs, max(theta.light, rows), rows, right, second)
    prepared = (left_built, rights if kind == "light" else right_built)
    return Workload("wide-views", parameters, (room,), prepared)


def delay_binary(size: int, epsilon: object, loose: bool = False) -> Workload:
    """Rows (0,b) of △(a,b), each in all of as many buckets c as the bound allows.

    Attacks: the delay N^min(ε,1−ε) of the binary query; tight for every ε. S has all pairs of m light b and
    k heavy c, R(0,b) with 0 heavy, T(c,0): each row is excluded from k−1 buckets, and looked up in k.
    """
    exact, theta = limits(size, epsilon)
    parameters = {"size": size, "epsilon": exact, "loose": loose}
    if not loose:
        m = min(theta.strict, size // 3)
        k = min(theta.strict - 1, (size - m) // (m + 1))
        parts = (grid("S", m, k), grid("R", 1, m), grid("T", k, 1))
        return Workload("delay-binary", parameters, (*parts, filler("R", size, *parts)))
    m = theta.heavy
    k = min(theta.light - 1, (2 * size - theta.light - m) // (m + 1))
    room = filler("R", size)
    prepared = (
        driven("R", 1, theta.light, m, lambda a, b: (a, b), room.split(0)[0]),
        driven("S", k, theta.light, m, lambda c, b: (b, c), room),
        grid("T", k, 1),
    )
    return Workload("delay-binary", parameters, (room,), prepared)


def delay_unary(size: int, epsilon: object, loose: bool = False) -> Workload:
    """Rows a of △(a), each in all of as many buckets (b,c) as the bound allows.

    Attacks: the delay N^{2min(ε,1−ε)} of the unary query; tight for every ε. The complete tripartite instance
    over m light a, k heavy b and k heavy c: each row is excluded from k²−1 buckets, and looked up in k².
    """
    exact, theta = limits(size, epsilon)
    parameters = {"size": size, "epsilon": exact, "loose": loose}
    m = theta.heavy if loose else min(theta.strict, size // 3)
    most = theta.light - 1 if loose else theta.strict - 1
    budget = 2 * size - theta.light if loose else size
    k = min(most, isqrt(m * m + budget) - m)
    parts = (grid("R", m, k), grid("T", k, m), grid("S", k, k))
    if not loose:
        return Workload("delay-unary", parameters, (*parts, filler("S", size, *parts)))
    room = filler("S", size)
    first, rest = room.split(room.count * m // (2 * m + k))
    second, third = rest.split(first.count)
    prepared = (
        driven("R", k, theta.light, m, lambda b, a: (a, b), first),
        driven("T", k, theta.light, m, lambda c, a: (c, a), second),
        exchanged(parts[2], third),
    )
    return Workload("delay-unary", parameters, (room,), prepared)
