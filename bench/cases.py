"""The workloads of the benchmark, as lists of updates.

A case is determined by its name, a size and a seed, so that every process generates the same one. The size is
the largest |D| (0 for `graph`, which is a file).

    sparse        uniform inserts, then deletes, over size/10 values a variable
    dense         the same over √(10/3 · size) values: each relation holds a tenth of all pairs
    zipf          skewed inserts, each fourth update a delete
    window        a sliding window of uniform tuples
    hub           a tuple is toggled whose values have size/2 partners: linear for classical IVM
    upkeep        a tuple is toggled that changes √N entries of a view and no answer
    intersection  the same, and the √N entries are triangles
    thrash        a degree that swings over ½θ and ³⁄₂θ
    graph:NAME    the edges of a file, both ways, into R, S and T
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import chain
from math import isqrt
from pathlib import Path

from attrs import frozen

from ivme import workloads
from ivme.workloads import Update, Workload
from ivme_spec.errors import InputError
from ivme_spec.relations import RelationName

EPSILON = Fraction(1, 2)
GRAPH = "graph:"
SUFFIX = ".txt.gz"

Database = dict[RelationName, dict[tuple[int, int], int]]
"""Relation -> tuple -> multiplicity."""


@frozen
class Case:
    """What is loaded and applied before the clock starts, and what is timed, in parts.

    The answer is compared after the first part of `timed`. A case that `returns` ends where it began, so it
    can be repeated on the same engine, as often as the clock needs.
    """

    name: str
    size: int
    database: Database
    before: list[Update]
    timed: tuple[list[Update], ...]
    returns: bool

    @property
    def updates(self) -> int:
        """The number of timed updates."""
        return sum(map(len, self.timed))


def _halves(updates: Iterable[Update], at: int | None = None) -> tuple[list[Update], ...]:
    made = list(updates)
    middle = len(made) // 2 if at is None else at
    return made[:middle], made[middle:]


def _uniform(size: int, values: int, seed: int) -> tuple[Workload, int]:
    return workloads.uniform(2 * size, max(1, values), seed), size


def _sparse(size: int, seed: int) -> tuple[Workload, int]:
    return _uniform(size, size // 10, seed)


def _dense(size: int, seed: int) -> tuple[Workload, int]:
    return _uniform(size, isqrt(10 * size // 3), seed)


def _zipf(size: int, seed: int) -> tuple[Workload, int]:
    return workloads.zipf(2 * size, max(1, size // 10), seed=seed), 2 * size


def _window(size: int, seed: int) -> tuple[Workload, int]:
    return workloads.sliding_window(3 * size, size, max(1, size // 10), seed=seed), 2 * size


def _hub(size: int, seed: int) -> tuple[Workload, int]:
    return workloads.hub(size, 2), 1


def _upkeep(size: int, seed: int) -> tuple[Workload, int]:
    return workloads.view_upkeep(size, EPSILON, updates=2), 1


def _intersection(size: int, seed: int) -> tuple[Workload, int]:
    return workloads.intersection(size, EPSILON, updates=2), 1


def _thrash(size: int, seed: int) -> tuple[Workload, int]:
    made = workloads.threshold_thrash(size, EPSILON, cycles=1)
    return made, sum(section.count for section in made.attack) // 2


STREAMS: Mapping[str, Callable[[int, int], tuple[Workload, int]]] = {
    "sparse": _sparse,
    "dense": _dense,
    "zipf": _zipf,
    "window": _window,
}
"""Cases that start empty, or from what is applied `before`; with the length of their first part."""

ATTACKS: Mapping[str, Callable[[int, int], tuple[Workload, int]]] = {
    "hub": _hub,
    "upkeep": _upkeep,
    "intersection": _intersection,
    "thrash": _thrash,
}
"""Cases that return, with the length of their first part."""


def case(name: str, size: int, seed: int, folder: str = "") -> Case:
    """A case by its name.  Cost: its length.  Bad input: an `InputError`."""
    if name.startswith(GRAPH):
        path = Path(folder) / (name.removeprefix(GRAPH) + SUFFIX)
        workload, first = workloads.graph(path, timed=name.endswith("-temporal")), -1
    elif (make := STREAMS.get(name) or ATTACKS.get(name)) is not None:
        workload, first = make(size, seed)
    else:
        names = ", ".join((*STREAMS, *ATTACKS))
        raise InputError(f"there is no case {name!r}: the cases are {names}, and {GRAPH}NAME with a folder")
    timed = list(workload.updates())
    parts = (timed,) if first in (-1, len(timed)) else _halves(timed, first)
    loaded = multiset(chain.from_iterable(workload.loaded))
    return Case(name, size, loaded, list(workload.prepare()), parts, name in ATTACKS)


def kind(name: str) -> str:
    """The name of a case, or GRAPH for the edges of a file."""
    return GRAPH if name.startswith(GRAPH) else name


def graphs(folder: str) -> list[str]:
    """The names of the cases of a folder's edge lists.  Bad input: an `InputError`."""
    if not Path(folder).is_dir():
        raise InputError(f"{folder!r} is not a folder: give one with edge lists, *{SUFFIX}")
    return [GRAPH + path.name.removesuffix(SUFFIX) for path in sorted(Path(folder).glob("*" + SUFFIX))]


def multiset(updates: Iterable[Update]) -> Database:
    """The database after some updates, starting empty."""
    found: Database = {"R": {}, "S": {}, "T": {}}
    for relation, x, y, multiplicity in updates:
        held = found[relation]
        held[x, y] = held.get((x, y), 0) + multiplicity
    return {name: {row: m for row, m in held.items() if m} for name, held in found.items()}


def inserts(database: Database) -> list[Update]:
    """Updates that build a database from nothing."""
    return [(name, x, y, m) for name, held in database.items() for (x, y), m in held.items()]
