"""The graphs of the benchmark, as lists of edges: simple, and determined by name, size and seed.

The size is the number of edges, of `two-hubs` that of the common neighbours.

    graph:NAME         the edges of a file, to be inserted in a random order and deleted in another
    two-hubs           two hubs with `size` common neighbours, whose edge is toggled
    hub-toggles        the same with `size` edges, once the hubs have their view
    many-hubs, wedge-storm, threshold-thrash, light-end    attacks of `ivme.workloads.edges`
    rmat               an endless skewed stream, in arrays
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from bench.cases import EPSILON, GRAPH, SUFFIX
from ivme.workloads.edges import (
    EdgeAttack,
    hub_toggles,
    light_end,
    many_hubs,
    threshold_thrash,
    wedge_storm,
)
from ivme.workloads.graphs import read_text

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray

Edge = tuple[int, int]

HUBS = "two-hubs"
TOGGLES = 400
"""The first toggles at a hub, in which the view is built."""
SIX = (
    "ca-GrQc",
    "email-Eu-core",
    "wiki-Vote",
    "ego-Facebook",
    "email-Enron",
    "CollegeMsg-temporal",
)
"""The graphs of the goals."""


# --- graphs of files ------------------------------------------------------------------------------------


def edges(name: str, folder: str) -> list[Edge]:
    """The edges of a file, each once and u < v.  Cost: its length.  Bad input: an `InputError`."""
    path = Path(folder) / (name.removeprefix(GRAPH) + SUFFIX)
    pairs = ((u, v) if u < v else (v, u) for u, v, _ in read_text(path, timed=False) if u != v)
    return list(dict.fromkeys(pairs))


@frozen
class Orders:
    """The edges of a graph in the order of their inserts, and in that of their deletes."""

    inserts: list[Edge]
    deletes: list[Edge]


def orders(found: list[Edge], seed: int) -> Orders:
    """Two random orders, each edge in a random direction.

    Tuples and integers are made anew in these orders, as a program that reads a stream has them; else every
    contender would mostly wait for objects that are scattered in memory.
    """
    chance = random.Random(seed)
    inserts = [(u, v) if chance.random() < 0.5 else (v, u) for u, v in found]
    chance.shuffle(inserts)
    deletes = inserts.copy()
    chance.shuffle(deletes)
    return Orders(renewed(inserts), renewed(deletes))


def renewed(found: list[Edge]) -> list[Edge]:
    """The same edges as new objects, one after the other."""
    return [(int(str(u)), int(str(v))) for u, v in found]


# --- attacks --------------------------------------------------------------------------------------------


def hub(common: int) -> list[Edge]:
    """Two hubs, 0 and 1, with common neighbours and no edge between them."""
    return [(hub, leaf) for leaf in range(2, common + 2) for hub in (0, 1)]


HUB_TOGGLES = "hub-toggles"
SQUARE_ROOT: Mapping[str, Callable[[int], EdgeAttack]] = {
    "many-hubs": lambda size: many_hubs(size, size),
    "wedge-storm": lambda size: wedge_storm(size, EPSILON, size // 4),
    "threshold-thrash": lambda size: threshold_thrash(size, EPSILON, size // 4),
    "light-end": lambda size: light_end(size, EPSILON, size // 4),
}
"""Attacks of `ivme.workloads.edges` that take O(√N) steps an update, amortized."""
ATTACKS: Mapping[str, Callable[[int], EdgeAttack]] = {
    HUB_TOGGLES: lambda size: hub_toggles(size, 2 * TOGGLES),
    **SQUARE_ROOT,
}


def uncounted(name: str) -> int:
    """How many updates of an attack are not counted: at hubs those in which the view is built."""
    return TOGGLES if name == HUB_TOGGLES else 0


# --- R-MAT ----------------------------------------------------------------------------------------------

RMAT = "rmat"
CHUNK = 100_000


def rmat(scale: int, seed: int, chunk: int = CHUNK) -> Iterator[NDArray[numpy.int64]]:
    """An endless stream over 2^scale vertices, in arrays of `chunk` edges; with loops and repeats.

    The quadrants have the usual shares, .57, .19, .19 and .05.  Cost: O(scale) an edge, O(chunk) memory.
    """
    import numpy

    chance = numpy.random.default_rng(seed)
    while True:
        made = numpy.zeros((chunk, 2), numpy.int64)
        for _ in range(scale):
            drawn = chance.random(chunk)
            made <<= 1
            made[:, 0] |= drawn >= 0.76
            made[:, 1] |= ((drawn >= 0.57) & (drawn < 0.76)) | (drawn >= 0.95)
        yield made
