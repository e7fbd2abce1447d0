"""How close each family comes to the bound it attacks, as statements that tests check.

An `Approach` names a counted cost, queries, ε and parameters, and says: the cost is at least floor · N^p,
where c · N^p is the spec's bound (`ivme_spec.bounds`). N is the largest threshold base of the run, from
SMALLEST on. The floors are below the limit of the cost divided by N^p: the constant part of every update adds
to it at small sizes, and vanishes as N grows.

Realistic families come close where they are dense: with a constant share of all pairs of v values in each
relation, N = Θ(v²), and an update has Θ(v) = Θ(N^½) values to intersect; for ε = ½ that is the bound. Sparse
ones come close to none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from attrs import field, frozen

from ivme_spec.queries import Partitioning

HEADS = ("", "A", "AB", "ABC")
"""One for each number of free variables."""


@frozen
class Approach:
    """A bound that is approached.

    cost        a field of `ivme_spec.bounds.QueryBounds`. update: each single update of the attack, without
                rebalancing; amortized: all steps of the attack, divided by its number of updates; minor,
                major: the costliest one; preprocessing: building the loaded state; space: the entries of all
                views, delay: the largest one, both after the whole workload
    heads       the queries
    epsilon     ε
    floor       a lower bound of the cost divided by N^p
    sizes       four sizes that are quick to run; `larger` takes longer
    parameters  the parameters of the family, for a size
    regime      the same in words
    """

    cost: str
    heads: tuple[str, ...]
    epsilon: Fraction = field(converter=Fraction)
    floor: Fraction = field(converter=Fraction)
    sizes: tuple[int, int, int, int]
    larger: int
    regime: str
    parameters: Callable[[int], Mapping[str, object]]
    partitioning: Partitioning = "single"


def _loaded(epsilon: str, **fixed: object) -> Callable[[int], Mapping[str, object]]:
    return lambda size: {"size": size, "epsilon": epsilon, **fixed}


def _update(heads: tuple[str, ...], epsilon: str, floor: str, relation: str, side: str) -> Approach:
    """For view-upkeep and intersection."""
    parameters = _loaded(epsilon, relation=relation, side=side, updates=10)
    regime = f"relation {relation}, side {side}"
    return Approach("update", heads, epsilon, floor, LOADED, 50_000, regime, parameters)


def _hub(size: int) -> Mapping[str, object]:
    return {"size": size, "updates": 10}


def _agm(side: int) -> Mapping[str, object]:
    return {"size": 3 * side * side}


def _thrash(cost: str, floor: str) -> Approach:
    parameters = _loaded("1/2", relation="T")
    return Approach(cost, HEADS, "1/2", floor, LOADED, 50_000, "relation T", parameters)


def _swing(cost: str, floor: str) -> Approach:
    sizes = (520, 2_000, 8_000, 32_000)
    return Approach(cost, HEADS, "1/2", floor, sizes, 50_000, "any", _loaded("1/2"))


def _worst(cost: str, free: str, floor: str) -> Approach:
    """For the worst-… families, which take a query as parameter."""
    sizes = (520, 1_040, 2_080, 4_200)
    return Approach(cost, (free,), "1/2", floor, sizes, 24_000, f"free {free}", _loaded("1/2", free=free))


def _dense(floor: str, regime: str, parameters: Callable[[int], Mapping[str, object]]) -> Approach:
    return Approach("amortized", HEADS, "1/2", floor, SIDES, 148, regime, parameters)


LOADED = (520, 1_500, 4_500, 12_000)
FEWER = (520, 1_100, 2_300, 4_700)
SIDES = (19, 37, 64, 105)
"""Tuples that are loaded, N = 2·size + 1; and values a variable."""

APPROACHED: Mapping[str, tuple[Approach, ...]] = {
    "oumv": (
        Approach(
            "amortized",
            HEADS,
            "1/2",
            "1/20",
            (23, 64, 160, 448),
            640,
            "rounds = 4",
            lambda n: {"n": n, "rounds": 4},
        ),
    ),
    "hub": (
        Approach("update", HEADS, "0", "2/5", LOADED, 50_000, "any", _hub),
        Approach("update", HEADS, "1", "2/5", LOADED, 50_000, "any", _hub),
    ),
    "view-upkeep": (
        _update(HEADS, "2/3", "3/2", "S", "row"),
        _update(HEADS, "1/3", "3/4", "T", "column"),
    ),
    "intersection": (
        _update(HEADS, "2/3", "3", "S", "row"),
        _update(HEADS, "1/3", "3/2", "T", "column"),
    ),
    "threshold-thrash": (_thrash("minor", "5/4"), _thrash("amortized", "5/4")),
    "size-thrash": (_swing("major", "1/32"), _swing("amortized", "1/9")),
    "worst-update": (_worst("update", "AB", "45/4"), _worst("update", "ABC", "45/4")),
    "worst-minor": (_worst("minor", "ABC", "21/2"),),
    "worst-major": (_worst("major", "AB", "5/4"), _worst("major", "ABC", "5/4")),
    "agm": (
        Approach("preprocessing", HEADS, "1/2", "1/8", (14, 24, 40, 64), 129, "size = 3·side²", _agm),
        Approach("space", ("ABC",), "1/2", "1/16", (14, 20, 28, 40), 80, "size = 3·side²", _agm),
    ),
    "wide-views": (
        Approach("space", ("", "A", "ABC"), "1/2", "1/20", FEWER, 12_000, "kind light", _loaded("1/2")),
        Approach(
            "space",
            ("",),
            "1/3",
            "1/30",
            LOADED,
            50_000,
            "kind double",
            _loaded("1/3", kind="double"),
            "double",
        ),
    ),
    "delay-binary": (Approach("delay", ("AB",), "1/2", "4", LOADED, 50_000, "any", _loaded("1/2")),),
    "delay-unary": (Approach("delay", ("A",), "1/2", "1/2", FEWER, 24_000, "any", _loaded("1/2")),),
    "uniform": (_dense("1/4", "updates = 6·values²", lambda v: {"updates": 6 * v * v, "values": v}),),
    "zipf": (
        _dense(
            "1/3",
            "updates = 12·values², power = 2",
            lambda v: {"updates": 12 * v * v, "values": v, "power": 2},
        ),
    ),
    "rmat": (
        Approach(
            "amortized",
            HEADS,
            "1/2",
            "1/3",
            (32, 64, 128, 256),
            384,
            "edge_factor ≥ 2^scale",
            lambda factor: {"scale": factor.bit_length() - 1, "edge_factor": factor},
        ),
    ),
    "sliding-window": (
        _dense(
            "1/3",
            "window = 3·values², updates = 3·window",
            lambda v: {"updates": 9 * v * v, "window": 3 * v * v, "values": v},
        ),
    ),
    "grow-and-drain": (_dense("1/4", "peak = 3·side²", lambda side: {"peak": 3 * side * side, "rounds": 1}),),
    "multiplicities": (_dense("1/2", "any", lambda side: {"side": side}),),
    "graph": (_dense("1/4", "a complete graph", lambda vertices: {"path": f"complete-{vertices}.txt"}),),
}
