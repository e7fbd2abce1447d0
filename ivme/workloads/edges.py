"""Attacks on the triangles of a graph: edges to start from, and updates (u, v, sign).

Each is for directed and undirected graphs alike: an arc u → v is also the edge {u, v}. Most of them have a
*core*: h hubs and l leaves, all pairs of them joined, from even hubs to leaves and from leaves to odd hubs,
such that for a graph that starts from it hubs are heavy and leaves are light, wherever ε allows that; h·l is
about the size. An arc from an odd hub to an even one closes l triangles.

    hub_toggles        the same edge between two hubs, again and again
    many_hubs          N^¼ hubs of degree N^¾ and all edges between them in turn: every row is asked for
    wedge_storm        rows are bought, then the upkeep of all of them is called for, and they are not used
    threshold_thrash   rows are bought, then a vertex with hubs and leaves changes its class to and fro
    light_end          an edge at a light vertex with as many neighbours as it may have, all of them common

>>> attack = hub_toggles(10, updates=2)
>>> len(attack.edges), attack.updates
(10, [(1, 0, 1), (1, 0, -1)])
"""

from __future__ import annotations

from attrs import frozen

from ivme_spec.state import initial_base
from ivme_spec.thresholds import Threshold, parse_epsilon, threshold

EdgeUpdate = tuple[int, int, int]
"""u, v, and 1 for an insert or −1 for a delete."""


@frozen
class EdgeAttack:
    """Edges to start from, and the updates that follow."""

    edges: list[tuple[int, int]]
    updates: list[EdgeUpdate]

    def stream(self) -> list[EdgeUpdate]:
        """All of it as updates of an empty graph."""
        return [(u, v, 1) for u, v in self.edges] + self.updates


@frozen
class Core:
    """h hubs, 0 … h − 1, and l leaves, h … h + l − 1."""

    hubs: int
    leaves: int

    def edges(self) -> list[tuple[int, int]]:
        """Even hub → leaf → odd hub."""
        return [
            (leaf, hub) if hub % 2 else (hub, leaf)
            for hub in range(self.hubs)
            for leaf in range(self.hubs, self.hubs + self.leaves)
        ]

    def pairs(self) -> list[tuple[int, int]]:
        """The arcs from odd hubs to even ones."""
        return [(odd, even) for odd in range(1, self.hubs, 2) for even in range(0, self.hubs, 2)]

    def bought(self) -> list[EdgeUpdate]:
        """Toggles that pay for the rows of all even hubs: 2 + 2h scans each, and a few more."""
        toggled = [(u, v, sign) for u, v in self.pairs() for sign in (1, -1)]
        rounds = 1 + (2 * self.hubs + 6) * ((self.hubs + 1) // 2) // len(toggled)
        return toggled * rounds


def threshold_of(size: int, epsilon: object) -> Threshold:
    """θ of a graph that starts from `size` edges."""
    return threshold(initial_base(2 * size), parse_epsilon(epsilon))


def core(size: int, epsilon: object) -> Core:
    """As many hubs as can be heavy, with light leaves.  Bad input: a ValueError for fewer than 4 edges."""
    if size < 4:
        raise ValueError(f"size {size}: an attack needs at least 4 edges")
    strict = threshold_of(size, epsilon).strict
    hubs = max(2, min(strict - 1, size // strict))
    return Core(hubs, size // hubs)


def hub_toggles(size: int, updates: int) -> EdgeAttack:
    """Two hubs with ½·size common neighbours; the edge between them comes and goes.

    Attacks: what scans, N steps an update. A row is built after a constant number of updates.
    """
    return EdgeAttack(Core(2, size // 2).edges(), toggles(1, 0, updates))


def many_hubs(size: int, updates: int) -> EdgeAttack:
    """N^¼ hubs of degree N^¾, and the edges between them in turn.

    Attacks: rows that are bought one by one, N^{5/4} steps in all.
    """
    hubs = max(2, int(size**0.25))
    made = Core(hubs, size // hubs)
    toggled = [(u, v, sign) for u, v in made.pairs() for sign in (1, -1)]
    return EdgeAttack(made.edges(), [toggled[p % len(toggled)] for p in range(updates)])


def wedge_storm(size: int, epsilon: object, updates: int) -> EdgeAttack:
    """Rows of all hubs, then edges of leaves with hubs come and go.

    Attacks: upkeep, N^ε an update, until the rows are dropped for it.
    """
    made = core(size, epsilon)
    wedges = [
        (*edge, sign) for edge in made.edges()[:: max(1, made.leaves * made.hubs // 97)] for sign in (-1, 1)
    ]
    return EdgeAttack(made.edges(), made.bought() + [wedges[p % len(wedges)] for p in range(updates)])


def threshold_thrash(size: int, epsilon: object, updates: int) -> EdgeAttack:
    """Rows of all hubs, then the degree of a vertex w swings from ½θ to ³⁄₂θ and back.

    w is joined to the hubs and to leaves, which have hubs for neighbours.  Attacks: class changes, N^{2ε}
    steps in N^ε updates.
    """
    made, theta = core(size, epsilon), threshold_of(size, epsilon)
    w = made.hubs + made.leaves
    neighbours = [*range(made.hubs), *range(made.hubs, w), *range(w + 1, w + 1 + theta.light)][: theta.light]
    arcs = [(w, v) if v % 2 else (v, w) for v in neighbours]
    low = min(theta.heavy, len(arcs)) - 1
    swing = [(u, v, 1) for u, v in arcs[low:]] + [(u, v, -1) for u, v in reversed(arcs[low:])]
    start = [(u, v, 1) for u, v in arcs[:low]]
    return EdgeAttack(made.edges(), made.bought() + start + [swing[p % len(swing)] for p in range(updates)])


def light_end(size: int, epsilon: object, updates: int) -> EdgeAttack:
    """Rows of all hubs, then the edge between hub 0 and a vertex w of degree just below ³⁄₂θ.

    w is joined to the hubs and to as many leaves as it may, all of them neighbours of hub 0.  Attacks: one
    update, N^ε: scan and upkeep at once.
    """
    made, theta = core(size, epsilon), threshold_of(size, epsilon)
    w = made.hubs + made.leaves
    others = range(1, w)[: max(0, theta.light - 2)]
    arcs = [(v, w) if v < made.hubs and v % 2 == 0 else (w, v) for v in others]
    joined = [(u, v, 1) for u, v in arcs] + [(v, 0, 1) for v in range(2, made.hubs, 2)]
    return EdgeAttack(made.edges(), made.bought() + joined + toggles(0, w, updates))


def toggles(u: int, v: int, updates: int) -> list[EdgeUpdate]:
    """Insert and delete an edge alternately."""
    return [(u, v, -1 if p % 2 else 1) for p in range(updates)]
