"""Realistic families: skewed values, graphs, windows; and large numbers.

Random values are drawn with integer arithmetic only (`mixed`), so they are the same on every machine. A tuple
may be drawn more than once, and then has a multiplicity.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import isqrt

from ivme.workloads.core import Section, Update, Workload, grid, mixed
from ivme_spec.relations import RELATIONS

_HALF = 32
_LOW = (1 << _HALF) - 1

Draw = Callable[[int], tuple[int, int]]
"""The pair drawn for a number."""


def power_law(values: int, power: int, seed: int) -> Draw:
    """Pairs of values x = ⌊values · u^power⌋ with u uniform in [0,1): P(x) falls as x^−(1 − 1/power).

    `power=1` is uniform, 3 gives Zipf's law with the exponent ⅔.
    """
    shift = _HALF * power

    def draw(number: int) -> tuple[int, int]:
        drawn = mixed(seed, number)
        return (drawn & _LOW) ** power * values >> shift, (drawn >> _HALF) ** power * values >> shift

    return draw


def zipf(updates: int, values: int, power: int = 3, seed: int = 0) -> Workload:
    """Inserts of skewed values; each fourth update deletes the oldest tuple that is left.

    Attacks: engines that treat all values alike; heavy and light values of every degree side by side exercise
    every combination of parts. With updates ≪ values² no bound is tight: the degrees at the threshold
    are few. With updates ≥ values² the update time N^½ is, for ε = ½ and every head.
    """
    draw = power_law(values, power, seed)

    def at(p: int) -> Update:
        block, place = divmod(p, 4)
        number = block if place == 3 else 3 * block + place
        return (RELATIONS[number % 3], *draw(number), -1 if place == 3 else 1)

    parameters = {"updates": updates, "values": values, "power": power, "seed": seed}
    return Workload("zipf", parameters, (), attack=(Section(updates, at),))


# Graph500: an edge falls into the four quadrants with 0.57, 0.19, 0.19 and 0.05; here of 2^16.
_QUADRANTS = (37_356, 37_356 + 12_452, 37_356 + 2 * 12_452)


def rmat(scale: int, edge_factor: int = 16, seed: int = 0) -> Workload:
    """A Kronecker graph with 2^scale vertices and edge_factor · 2^scale edges (the parameters of Graph500).

    Each edge goes to R, S and T, one after the other. Attacks: nothing by design; the degrees of real graphs,
    from 1 to a constant fraction of the edges, with the same hubs in all six columns. With an edge_factor of
    2^scale or more the update time N^½ is tight, for ε = ½ and every head.
    """

    @lru_cache(maxsize=1)  # R, S and T ask for the same edge
    def edge(number: int) -> tuple[int, int]:
        u = v = 0
        for level in range(scale):
            if level % 4 == 0:
                bits = mixed(seed, number * 16 + level // 4)
            corner = bits & 0xFFFF
            bits >>= 16
            if corner < _QUADRANTS[0]:
                u, v = 2 * u, 2 * v
            elif corner < _QUADRANTS[1]:
                u, v = 2 * u, 2 * v + 1
            elif corner < _QUADRANTS[2]:
                u, v = 2 * u + 1, 2 * v
            else:
                u, v = 2 * u + 1, 2 * v + 1
        return u, v

    if not 0 <= scale <= 64:
        raise ValueError("the size is too small for these parameters" if scale < 0 else "scale is at most 64")
    parameters = {"scale": scale, "edge_factor": edge_factor, "seed": seed}
    count = 3 * (edge_factor << scale)
    attack = Section(count, lambda p: (RELATIONS[p % 3], *edge(p // 3), 1))
    return Workload("rmat", parameters, (), attack=(attack,))


def sliding_window(updates: int, window: int, values: int, power: int = 1, seed: int = 0) -> Workload:
    """The newest `window` tuples of an endless stream: each insert is followed by the delete of the oldest.

    Attacks: leaks. |D| stays at the window's size, so state and time must not grow with the length of the
    stream, while every value comes and goes. With window ≥ values² the update time N^½ is
    tight, for ε = ½ and every head; with window ≪ values² none is.
    """
    draw = power_law(values, power, seed)

    def tuple_at(number: int, multiplicity: int) -> Update:
        return (RELATIONS[number % 3], *draw(number), multiplicity)

    def at(p: int) -> Update:
        step, deletes = divmod(p, 2)
        return tuple_at(step, -1) if deletes else tuple_at(step + filled.count, 1)

    filled = Section(min(window, updates), lambda p: tuple_at(p, 1))
    parameters = {"updates": updates, "window": window, "values": values, "power": power, "seed": seed}
    attack = Section(updates - filled.count, at)
    return Workload("sliding-window", parameters, (), (filled,), (attack,))


def grow_and_drain(peak: int, rounds: int = 2) -> Workload:
    """From nothing to a complete tripartite instance of `peak` tuples and back, repeatedly.

    Attacks: update time N^½ at every size, while N doubles and halves all the way: tight for ε = ½ and every
    head. The tuples come and go in the order of growing squares, so the database is complete at every size,
    and an update of |D| tuples walks √(|D|/3) of them: (2/3)·√(peak/3) on average. All degrees stay below the
    threshold, so the major rebalancings are many but cheap; size-thrash has the costly ones.
    """
    side = isqrt(peak // 3)
    squares = side * side

    def shell(number: int) -> tuple[int, int]:
        """The pairs in the order of their larger value: the first k² of them are a k × k square."""
        k = isqrt(number)
        place = number - k * k
        return (k, place) if place <= k else (place - k - 1, k)

    def tuple_at(number: int, multiplicity: int) -> Update:
        return (RELATIONS[number % 3], *shell(number // 3), multiplicity)

    length = 3 * squares

    def at(p: int) -> Update:
        step = p % (2 * length)
        if step < length:
            return tuple_at(step, 1)
        return tuple_at(2 * length - 1 - step, -1)

    parameters = {"peak": peak, "rounds": rounds}
    return Workload("grow-and-drain", parameters, (), attack=(Section(2 * length * rounds, at),))


def multiplicities(side: int, bits: int = 31) -> Workload:
    """A complete tripartite instance with `side` values a variable, and multiplicities 2^bits.

    Attacks: arithmetic: products exceed 64 bits and doubles immediately. Four passes over the tuples: insert
    2^bits copies, insert one more, delete 2^bits, delete the last. The count after them is side³ times
    2^3bits, (2^bits + 1)³, 1 and 0. The update time N^½ is tight, for ε = ½ and every head.
    """
    squares = [grid(name, side, side) for name in RELATIONS]

    def times(section: Section, multiplicity: int) -> Section:
        return Section(section.count, lambda p: (*section.at(p)[:3], multiplicity))

    passes = [[times(section, m) for section in squares] for m in (1 << bits, 1, -(1 << bits), -1)]
    parameters = {"side": side, "bits": bits}
    first, *others = passes
    attack = tuple(section for sections in others for section in sections)
    return Workload("multiplicities", parameters, (), tuple(first), attack)
