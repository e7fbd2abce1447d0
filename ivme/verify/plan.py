"""What `ivme verify` runs: families of workloads, queries and ε, as plain data for worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from attrs import frozen

from ivme.workloads import Definition, define
from ivme_spec.queries import CANONICAL_HEADS, HEADS, Partitioning

QUERIES: tuple[tuple[str, Partitioning], ...] = (*((free, "single") for free in HEADS), ("", "double"))
"""The eight heads, and the count with double partitions."""

PLANS: tuple[tuple[str, Partitioning], ...] = (
    ("AB", "single"),
    ("ABC", "single"),
    ("", "single"),
    ("A", "single"),
    ("", "double"),
)
"""One query for each way in which the paper maintains one."""

EPSILONS = tuple(map(Fraction, ("0", "1/4", "1/3", "1/2", "2/3", "1")))
FINE = tuple(map(Fraction, ("0", "1/4", "1/3", "1/2", "2/3", "3/4", "1")))
COARSE = tuple(map(Fraction, ("0", "1/2", "1")))
LARGE_EPSILONS = tuple(map(Fraction, ("1/4", "1/2")))
HALF = Fraction(1, 2)

SIZE = 520
"""Tuples that small runs load, so that N is large enough for the constants of the bounds to hold."""


@frozen
class Task:
    """A workload for one query and ε."""

    definition: Definition
    free: str
    partitioning: Partitioning
    epsilon: Fraction

    def __str__(self) -> str:
        double = ", double partitions" if self.partitioning == "double" else ""
        return f"{self.definition.family}, △({', '.join(self.free.lower())}){double}, ε = {self.epsilon}"

    @property
    def file_name(self) -> str:
        """A name for files, without an ending."""
        epsilon = str(self.epsilon).replace("/", "-over-")
        return f"{self.definition.family}-{self.free or 'count'}-{self.partitioning}-{epsilon}"


@frozen
class Large:
    """A workload for the large runs.

    prefixes    after how many updates answers are compared
    invariants  the query whose state is checked in the end: that takes longer than the run
    """

    definition: Definition
    prefixes: tuple[int, ...]
    invariants: tuple[str, Partitioning]


@frozen
class Plan:
    """All that is to be run."""

    small: tuple[Task, ...]
    large: tuple[Large, ...]
    large_queries: tuple[tuple[str, Partitioning], ...]
    large_epsilons: tuple[Fraction, ...]
    exponents: tuple[tuple[str, Partitioning, Fraction], ...]
    """The queries and ε whose growth is measured."""
    exponent_sizes: tuple[int, ...]
    timeline: Definition
    timeline_epsilon: Fraction
    seed: int


Family = Callable[[Fraction, int], Definition]

SMALL: tuple[Family, ...] = (
    lambda e, seed: define("hub", size=SIZE, updates=40, everywhere=True),
    lambda e, seed: define("view-upkeep", size=SIZE, epsilon=e, updates=40),
    lambda e, seed: define("intersection", size=SIZE, epsilon=e, side="column", updates=40),
    lambda e, seed: define("threshold-thrash", size=SIZE, epsilon=min(e, HALF), columns="both", cycles=1),
    lambda e, seed: define("size-thrash", size=SIZE, epsilon=min(e, HALF), cycles=1),
    lambda e, seed: define("agm", size=SIZE, updates=20),
    lambda e, seed: define("wide-views", size=SIZE, epsilon=e),
    lambda e, seed: define("delay-binary", size=SIZE, epsilon=e),
    lambda e, seed: define("delay-unary", size=SIZE, epsilon=e),
    lambda e, seed: define("uniform", updates=400, values=10, seed=seed),
)
"""The families of the small runs, for an ε and a seed."""

WORST = ("worst-update", "worst-minor", "worst-major")
"""Those that are made for a query."""


def small_tasks(seed: int) -> Iterator[Task]:
    """Every family, query and ε."""
    for family in SMALL:
        for free, partitioning in QUERIES:
            for epsilon in EPSILONS:
                yield Task(family(epsilon, seed), free, partitioning, epsilon)
    for name in WORST:
        for free, partitioning in QUERIES:
            for epsilon in EPSILONS:
                if 0 < epsilon < 1:
                    made = define(name, size=SIZE, epsilon=epsilon, free=free, partitioning=partitioning)
                    yield Task(made, free, partitioning, epsilon)


def large_workloads(seed: int) -> Iterator[Large]:
    """Six families of some 20,000 updates each.

    Answers are compared in the end, at a place that the seed chooses, and, for grow-and-drain, at a top.
    """
    for number, (definition, place) in enumerate(
        (
            (define("zipf", updates=24_000, values=400, seed=seed), None),
            (define("rmat", scale=11, edge_factor=4, seed=seed), None),
            (
                define("threshold-thrash", size=16_000, epsilon=HALF, columns="both", percent=50, cycles=3),
                None,
            ),
            (define("size-thrash", size=4_000, epsilon=HALF, cycles=2), None),
            (define("hub", size=18_000, updates=2_001, everywhere=True), None),
            (define("grow-and-drain", peak=3_600, rounds=3), Fraction(1, 6)),
        )
    ):
        count = len(definition.workload())
        # 2654435761 is Knuth's multiplier: some number from the seed, the same on every machine
        drawn = count // 4 + (seed * 2_654_435_761 + number * 40_503) % (count // 2)
        chosen = {drawn, count} if place is None else {drawn, int(count * place), count}
        yield Large(definition, tuple(sorted(chosen)), PLANS[number % len(PLANS)])


def curves() -> Iterator[tuple[str, Partitioning, Fraction]]:
    """Seven ε for the queries of the paper, three for those that are these up to rotation."""
    for free, partitioning in QUERIES:
        for epsilon in FINE if free in CANONICAL_HEADS else COARSE:
            yield free, partitioning, epsilon


def full_plan(seed: int = 1) -> Plan:
    """What `make verify` runs: some three minutes on two cores."""
    return Plan(
        small=tuple(small_tasks(seed)),
        large=tuple(large_workloads(seed)),
        large_queries=QUERIES,
        large_epsilons=LARGE_EPSILONS,
        exponents=tuple(curves()),
        exponent_sizes=(500, 1_000, 2_000, 4_000),
        timeline=define("grow-and-drain", peak=600, rounds=2),
        timeline_epsilon=Fraction(1, 3),
        seed=seed,
    )


def quick_plan(seed: int = 1) -> Plan:
    """A tenth of it, for impatient people: ε = ½ alone, two large workloads."""
    full = full_plan(seed)
    return Plan(
        small=tuple(task for task in full.small if task.epsilon == HALF),
        large=tuple(large for large in full.large if large.definition.family in ("zipf", "size-thrash")),
        large_queries=QUERIES,
        large_epsilons=(HALF,),
        exponents=tuple(
            (free, partitioning, epsilon)
            for free, partitioning, epsilon in full.exponents
            if free in CANONICAL_HEADS and epsilon in (0, HALF, 1)
        ),
        exponent_sizes=(500, 1_000, 2_000),
        timeline=full.timeline,
        timeline_epsilon=full.timeline_epsilon,
        seed=seed,
    )
