"""The costliest known states for each query: one update, one minor and one major rebalancing.

For the single update they are optimal: the cost of an update is linear in the lengths of the lines it meets,
which are bounded by |D| < N and the loose partitions; the shapes below are optima of the linear programs. The
others come from a search. Each is reached by legal updates (`reached`).
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attrs import frozen

from ivme.workloads.core import FAR, Section, Workload, filler, limits, toggle
from ivme.workloads.states import Place, Tuple, reached
from ivme_spec.queries import canonical
from ivme_spec.relations import RELATIONS, RelationName
from ivme_spec.state import doubled
from ivme_spec.thresholds import HALF, Threshold, threshold

NEAR = 1 << 39
"""Partners that matter; values from FAR upwards are helpers."""


Names = tuple[RelationName, RelationName, RelationName]


def _plan(free: str, partitioning: str) -> tuple[str, int]:
    """The canonical head, "double" for the count with double partitions; and its turns."""
    base, turns = canonical(free)
    return ("double" if base == "" and partitioning == "double" else base), turns


def _names(relation: int, turns: int) -> Names:
    """The attacked relation u(x,y), then f(y,z) and p(z,x)."""
    first, second, third = (RELATIONS[(relation + turns + step) % 3] for step in range(3))
    return first, second, third


def _can_be_heavy(size: int, theta: Threshold) -> bool:
    """Whether there is room to raise values to ³⁄₂θ one after the other."""
    return theta.light <= size // 2


def _led(
    family: str,
    size: int,
    theta: Threshold,
    query: tuple[str, str],
    state: tuple[list[Tuple], list[Place]],
    attack: Section | None = None,
) -> Workload:
    tuples, heavy = state
    loaded, prepared = reached(size, theta, tuples, heavy if _can_be_heavy(size, theta) else ())
    if attack is None:  # up to N
        present = size + sum(update[3] for update in prepared[0])
        attack = filler("S", theta.base - present)
    parameters = {"size": size, "epsilon": theta.epsilon, "free": query[0], "partitioning": query[1]}
    return Workload(family, parameters, loaded, prepared, (attack,))


# --- one update -----------------------------------------------------------------------------------------


@frozen
class Lines:
    """What the toggled tuple (0, 0) of relation `relation` of the canonical query meets.

    heavy        the columns of the relation in which 0 is heavy
    light        whether row and column share as many light z as a light line can have
    column, row  the shares of the tuples spent on z heavy in p, in the column of x, and on z heavy in f, in
                 the row of y
    meets        whether the former are in the row of y too, and the latter in the column of x
    capped       whether the column must stay light
    """

    relation: int
    heavy: tuple[int, ...] = ()
    light: bool = False
    column: Fraction = Fraction(0)
    row: Fraction = Fraction(0)
    meets: tuple[bool, bool] = (False, False)
    capped: bool = False


_ALL, _MET = Fraction(1), (True, False)

_BELOW: Mapping[str, Lines] = {
    "": Lines(0, column=_ALL, meets=_MET),
    "double": Lines(0, column=HALF, row=HALF, meets=(True, True)),
    "A": Lines(1, column=_ALL, meets=_MET),
    "AB": Lines(2, column=_ALL, meets=_MET),
    "ABC": Lines(0, light=True, column=_ALL),
}
_AT_HALF: Mapping[str, Lines] = {
    "": Lines(0, light=True, column=_ALL),
    "double": Lines(0, (1,), column=Fraction(4, 5), row=Fraction(1, 5), meets=_MET, capped=True),
    "A": Lines(1, light=True, column=_ALL),
    "AB": Lines(1, (1,), light=True, column=_ALL),
    "ABC": Lines(0, light=True, column=_ALL),
}
_ABOVE: Mapping[str, Lines] = {
    "": Lines(0, (0,), light=True),
    "double": Lines(0, light=True),
    "A": Lines(1, (0,), light=True),
    "AB": Lines(1, (0,), light=True),
    "ABC": Lines(0, (0,), light=True),
}
"""For ε < ½, = ½ and > ½, where N^{1−ε}, both, and N^ε count."""


def worst_update(
    size: int, epsilon: object, free: str = "ABC", partitioning: str = "single", updates: int = 20
) -> Workload:
    """A toggled tuple that meets the longest lines of listed views and of a view tree at once.

    Attacks: update time N^max(ε,1−ε), to more than 0.9 of the largest constant that any state has, for every
    query. At ε = ½: ³⁄₂θ light z to be intersected, and all other tuples on as many heavy z as there can be,
    which a view tree joins; also for the amortized time, as long as the tuple is toggled.
    """
    exact, _ = limits(size, epsilon)
    lines = (_BELOW if exact < HALF else _AT_HALF if exact == HALF else _ABOVE)[_plan(free, partitioning)[0]]
    return toggled(size, epsilon, free, partitioning, lines, updates)


def toggled(
    size: int, epsilon: object, free: str, partitioning: str, lines: Lines, updates: int = 20
) -> Workload:
    """The tuple (0, 0) is toggled where it meets these lines."""
    _, theta = limits(size, epsilon)
    names = _names(lines.relation, _plan(free, partitioning)[1])
    state = _met(size, theta, names, lines)
    return _led("worst-update", size, theta, (free, partitioning), state, toggle(names[0], updates))


def _met(size: int, theta: Threshold, names: Names, lines: Lines) -> tuple[list[Tuple], list[Place]]:
    u, f, p = names
    budget, feasible = theta.base - 2, _can_be_heavy(size, theta)
    tuples: list[Tuple] = []
    heavy: list[Place] = []
    if feasible:
        for column in lines.heavy:
            helpers = range(FAR + NEAR, FAR + NEAR + theta.heavy)
            tuples += ((u, helper, 0) if column else (u, 0, helper) for helper in helpers)
            heavy.append((u, column, 0))
    count = min(theta.light - 1, budget // 3) if lines.light else 0
    rest = budget - len(tuples) - 2 * count - max(0, theta.light - theta.heavy - 2 * count)
    in_column = in_row = 0
    if feasible:
        each = [theta.heavy + meets for meets in lines.meets]
        in_column = int(rest * lines.column) // each[0]
        if lines.capped:
            in_column = min(in_column, theta.light - 1)
        in_row = (rest - in_column * each[0]) // each[1] if lines.row else 0
    late: list[Tuple] = []
    for z in range(in_column):
        tuples += ((p, z, x) for x in (0, *range(FAR, FAR + theta.heavy - 1)))
        heavy.append((p, 0, z))
        late += [(f, 0, z)] if lines.meets[0] else []
    for z in range(in_column, in_column + in_row):
        tuples += ((f, y, z) for y in (0, *range(FAR, FAR + theta.heavy - 1)))
        heavy.append((f, 1, z))
        late += [(p, z, 0)] if lines.meets[1] else []
    for z in range(NEAR, NEAR + count):
        late += [(f, 0, z), (p, z, 0)]
    return [*tuples, *late], heavy


# --- one minor rebalancing ------------------------------------------------------------------------------


@frozen
class Crossing:
    """Where x = 0, and y = 0 too if `both`, reach ³⁄₂θ with the tuple (0, 0) of relation `relation`.

    rows, columns  whether partners of x are heavy in the second column, and partners of y in the first
    in_p, in_f     whether z are heavy in p and in the column of x, heavy in f and in the row of y
    meets          whether the z are in the other line too
    """

    relation: int
    both: bool = False
    rows: bool = False
    columns: bool = False
    in_p: bool = True
    in_f: bool = False
    meets: bool = False


_CROSSINGS: Mapping[str, Crossing] = {
    "": Crossing(0),
    "double": Crossing(0, both=True, rows=True, columns=True, in_f=True),
    "A": Crossing(2, both=True, columns=True, in_p=False, in_f=True, meets=True),
    "AB": Crossing(1, both=True, rows=True, meets=True),
    "ABC": Crossing(0),
}


def worst_minor(size: int, epsilon: object, free: str = "ABC", partitioning: str = "single") -> Workload:
    """One update that makes x, and with double partitions also y, heavy.

    Attacks: minor rebalancing N^{ε+max(ε,1−ε)}. Each moved tuple of x meets all heavy z of p; where both
    values move, the other tuples of these z belong to partners of y, and are met a second time. Tight for
    ε ≤ ½; the worst ε for one and two free variables and for double partitions is a little below ½.
    """
    return crossed(size, epsilon, free, partitioning, _CROSSINGS[_plan(free, partitioning)[0]])


def crossed(size: int, epsilon: object, free: str, partitioning: str, crossing: Crossing) -> Workload:
    """The tuple (0, 0) takes its values to ³⁄₂θ."""
    _, theta = limits(size, epsilon)
    names = _names(crossing.relation, _plan(free, partitioning)[1])
    state = _below_the_threshold(theta, names, crossing)
    return _led("worst-minor", size, theta, (free, partitioning), state, toggle(names[0], 1))


def _below_the_threshold(
    theta: Threshold, names: Names, crossing: Crossing
) -> tuple[list[Tuple], list[Place]]:
    u, f, p = names
    degree = min(theta.light - 1, theta.base // 4)
    xs = range(NEAR, NEAR + degree) if crossing.both else range(0)
    ys = range(NEAR, NEAR + degree)
    tuples: list[Tuple] = [*((u, 0, y) for y in ys), *((u, x, 0) for x in xs)]
    heavy: list[Place] = []
    swing = max(0, theta.light - theta.heavy)
    free = theta.base - 2 - swing
    k = min(degree, max(0, (free // theta.heavy - theta.heavy) // 2))
    if crossing.rows and crossing.columns:
        k = min(k, 4 * degree // 5)  # the light partners are needed too
        k = k if k >= theta.heavy else 0
        tuples += ((u, xs[n], ys[(n + step) % k]) for n in range(k) for step in range(theta.heavy - 1))
    elif crossing.rows:
        tuples += ((u, _helper(n, theta, q), ys[n]) for n in range(k) for q in range(theta.heavy - 1))
    elif crossing.columns:
        tuples += ((u, xs[n], _helper(n, theta, q)) for n in range(k) for q in range(theta.heavy - 1))
    heavy += ((u, 1, y) for y in ys[: k * crossing.rows])
    heavy += ((u, 0, x) for x in xs[: k * crossing.columns])
    rest = free - len(set(tuples))
    kinds = crossing.in_p + crossing.in_f
    capped = crossing.in_f  # the lines of 0 have to stay light
    each = theta.heavy + crossing.meets
    count = max(0, rest // kinds // each)
    count = min(count, theta.light - 1) if capped else count
    more = rest // kinds // count - crossing.meets if count else 0
    partners = xs[k * crossing.columns :] if crossing.in_p else ys
    if crossing.in_p:
        tuples += ((p, z, x) for z in range(count) for x in _others(partners, z, theta, more))
        heavy += ((p, 0, z) for z in range(count))
        tuples += ((f, 0, z) for z in range(count * crossing.meets))
    if crossing.in_f:
        partners = ys[k * crossing.rows :]
        start = count if crossing.in_p else 0
        tuples += ((f, y, z) for z in range(start, start + count) for y in _others(partners, z, theta, more))
        heavy += ((f, 1, z) for z in range(start, start + count))
        tuples += ((p, z, 0) for z in range(count * crossing.meets))
    return tuples, heavy


def _helper(number: int, theta: Threshold, place: int) -> int:
    return FAR + number * theta.heavy + place


def _others(partners: range, z: int, theta: Threshold, more: int) -> tuple[int, ...]:
    """0 and the other partners of a heavy z: ½θ in all, or `more` as far as they matter."""
    count = min(len(partners), max(theta.heavy, more) - 1)
    chosen = (partners[(z * count + step) % len(partners)] for step in range(count))
    return (0, *chosen, *range(FAR, FAR + theta.heavy - 1 - count))


# --- one major rebalancing ------------------------------------------------------------------------------


def worst_major(size: int, epsilon: object, free: str = "ABC", partitioning: str = "single") -> Workload:
    """|D| grows to N where ½θ values x, each with heavy z and not quite √2·θ partners y, are to become light.

    Attacks: major rebalancing N^{3/2}; tight for ε = ½. The tuples of the x enter a view tree when the x
    become light, and leave it when the z do, which have ½θ tuples.
    """
    _, theta = limits(size, epsilon)
    plan, turns = _plan(free, partitioning)
    u, _, p = _names(0, turns)
    shared = plan in ("A", "double")  # y has to be heavy in u
    budget = theta.base - 2 - max(0, theta.light - theta.heavy)
    xs = min(theta.heavy, budget)
    total = budget // xs
    ys = min(threshold(doubled(theta.base), theta.epsilon).strict - 1, total // 2)
    zs = total - ys if plan in ("", "ABC") else min(theta.light - 1, total - ys)
    tuples: list[Tuple] = []
    heavy: list[Place] = []
    blocks = total // max(1, ys + zs) if _can_be_heavy(size, theta) else 0
    for start in range(0, blocks * total, total):
        columns = range(start, start + zs)
        for x in range(start, start + xs):
            first = start if shared else x * total
            tuples += ((u, x, y) for y in range(first, first + ys))
            tuples += ((p, z, x) for z in columns)
            heavy += [(u, 0, x)] if ys >= theta.heavy else []
        heavy += ((u, 1, y) for y in range(start, start + ys * shared))
        heavy += ((p, 0, z) for z in columns)
    return _led("worst-major", size, theta, (free, partitioning), (tuples, heavy))
