"""The engines that take part; snapshots, which recompute, are in `bench.snapshots`.

To add an engine, append to ENGINES. Its factory gets the head, ε and the initial database, and returns an
object with

    apply(updates) -> int        apply all of them before it returns; how many
    __iter__                     the rows of the answer with their multiplicities (not for the kind "floor")
    costs, size_bytes(), to_numpy(), to_arrow()        optional: measured if present
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Protocol

from attrs import frozen

import ivme
from bench.cases import GRAPH, Database, inserts, kind
from bench.rivals import recount, rival
from ivme.extras import absence
from ivme.kernel.intake import Intake
from ivme.view import storage_for
from ivme.workloads import Update
from ivme_spec.queries import HEADS
from ivme_spec.relations import Row
from ivme_spec.rings import NATURALS


class Engine(Protocol):
    """What is measured."""

    def apply(self, updates: Iterable[Update], /) -> int:
        """Apply updates in order; how many."""
        ...


Factory = Callable[[str, Fraction, Database], Engine]
Answer = Iterable[tuple[Row, int]]

OURS = "ivme"
PURE = "ivme-pure"
FLOOR = "floor"
CLASSICAL = "classical"
RECURSIVE = "recursive"
FACTORIZED = "factorized"
PATHWAY = "pathway"
JOIN = "join"

ON_OUR_STORAGE = frozenset({FLOOR, CLASSICAL, RECURSIVE, FACTORIZED, JOIN})
"""Other algorithms, in our code: a comparison with them says nothing about what a user would use instead."""


def label(name: str) -> str:
    """How tables and texts call a contender.

    >>> label("classical"), label("duckdb")
    ('classical, on our storage', 'duckdb')
    """
    return f"{name}, on our storage" if name in ON_OUR_STORAGE else name


def rank(name: str) -> int:
    """The order of tables and texts: ours, what a user would use instead, our pure kernel, our storage."""
    return 0 if name == OURS else 2 if name == PURE else 3 if name in ON_OUR_STORAGE else 1


@frozen
class Contender:
    """An engine that takes part.

    kind     "engine", or "floor" for one that answers nothing
    process  "" for the main process, in turns with all others there; else the name of a separate process
    heads    the queries it can maintain
    cases    the cases it gets, with the largest size of each; None for all
    largest  the largest size of a stream it gets, if it is slow; None for all
    least    the rounds of a stream it gets however long they take; at least 3 where a goal reads them
    needs    a module that must be installed, and its extra
    """

    name: str
    make: Factory
    kind: str = "engine"
    process: str = ""
    heads: tuple[str, ...] = HEADS
    cases: Mapping[str, int] | None = None
    largest: int | None = None
    least: int = 1
    needs: tuple[str, str] | None = None

    def takes(self, case: str, size: int, free: str, stream: bool) -> bool:
        """Whether it gets a case."""
        fits = self.largest is None or not stream or size <= self.largest
        return fits and free in self.heads and (self.cases is None or size <= self.cases.get(kind(case), -1))

    def sure(self, case: str) -> int:
        """The rounds of a case it gets however long they take; graphs have no goals."""
        return 1 if kind(case) == GRAPH else self.least

    @property
    def missing(self) -> str:
        """Why it cannot take part; "" if it can."""
        return "" if self.needs is None else absence(*self.needs)


def kernel() -> str:
    """The kernel of this process: "compiled" or "pure"."""
    return str(getattr(ivme, "kernel", "pure"))


def environment(process: str) -> dict[str, str]:
    """The environment variables of a separate process.

    One thread for all: idle ones of OpenBLAS spin, which counts as CPU time.
    """
    threads = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return {"IVME_PURE": "1", **threads} if process == "pure" else threads


def ours(free: str, epsilon: Fraction, database: Database) -> Engine:
    """A `TriangleView`, with the kernel of the process that it is made in."""
    return ivme.TriangleView(free, epsilon, database=database)


def pathway(batch: int) -> Factory:
    """Pathway, with a commit for each `batch` updates; it ignores ε."""

    def make(free: str, epsilon: Fraction, database: Database) -> Engine:
        from bench.dataflow import PathwayContender

        engine = PathwayContender(free, batch)
        engine.apply(inserts(database))
        return engine

    return make


class Rivalry:
    """One of `bench.rivals`: another plan for the count query, on the same storage and in the same code."""

    def __init__(self, name: str, database: Database) -> None:
        self._engine = rival(name, storage_for(NATURALS))
        self._intake = Intake(self._engine)
        if not self._intake.load(database):
            raise AssertionError("the benchmark's databases are plain")

    def apply(self, updates: Iterable[Update], /) -> int:
        """Apply updates in order; how many."""
        return self._intake.apply(updates, None)

    def recount(self) -> int:
        """Recompute the count from the tuples alone; for the classical plan, which has no views."""
        return recount(self._engine)

    def __iter__(self) -> Iterator[tuple[Row, int]]:
        return self._engine.head.rows()


def rivalry(name: str) -> Factory:
    """A rival by its name; it ignores ε."""
    return lambda free, epsilon, database: Rivalry(name, database)


ENGINES: list[Contender] = [
    Contender(OURS, ours, least=5),
    Contender(PURE, ours, process="pure", largest=100_000, least=3),
    Contender(FLOOR, rivalry(FLOOR), kind="floor", least=5),
    Contender(CLASSICAL, rivalry(CLASSICAL), heads=("",), least=5),
    *(Contender(name, rivalry(name), heads=("",)) for name in (RECURSIVE, FACTORIZED)),
    *(
        Contender(
            name,
            pathway(batch),
            process="pathway",
            heads=("",),
            cases={"sparse": 100_000, "zipf": 10_000, GRAPH: 0},
            least=least,
            needs=("pathway", "adapters"),
        )
        for name, batch, least in ((PATHWAY, 1, 3), (f"{PATHWAY}-1000", 1000, 1))
    ),
]
"""All engines, in the order of the rounds."""


def named(name: str, contenders: Iterable[Contender]) -> Contender:
    """A contender by its name; a KeyError if there is none."""
    return {contender.name: contender for contender in contenders}[name]


def rows(engine: Engine) -> Iterator[tuple[Row, int]]:
    """The answer of an engine; a TypeError for one that has none."""
    return iter(engine)  # type: ignore[call-overload, no-any-return]  # optional in the protocol
