"""What `ivme verify` runs: workload families, queries and ε, as plain data for worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from attrs import frozen

from ivme.workloads import Definition, define
from ivme_spec.queries import CANONICAL_HEADS, QUERIES, Query

PLANS = (Query("AB"), Query("ABC"), Query(""), Query("A"), Query("", "double"))
"""One query for each way in which the paper maintains one."""

EPSILONS = tuple(map(Fraction, ("0", "1/4", "1/3", "1/2", "2/3", "1")))
FINE = tuple(map(Fraction, ("0", "1/4", "1/3", "1/2", "2/3", "3/4", "1")))
COARSE = tuple(map(Fraction, ("0", "1/2", "1")))
LARGE_EPSILONS = tuple(map(Fraction, ("1/4", "1/2")))
HALF = Fraction(1, 2)

SIZE = 520
"""Tuples loaded by small runs: enough for the constants of the bounds to hold."""


@frozen
class Task:
    """A workload for one query and ε."""

    definition: Definition
    query: Query
    epsilon: Fraction

    def __str__(self) -> str:
        return f"{self.definition.family}, {self.query}, ε = {self.epsilon}"

    @property
    def file_name(self) -> str:
        """A name for files, without a suffix."""
        epsilon = str(self.epsilon).replace("/", "-over-")
        return f"{self.definition.family}-{self.query.free or 'count'}-{self.query.partitioning}-{epsilon}"


@frozen
class Large:
    """A workload for the large runs.

    prefixes    after how many updates answers are compared
    invariants  the query whose final state is checked: that takes longer than the run
    """

    definition: Definition
    prefixes: tuple[int, ...]
    invariants: Query


@frozen
class Plan:
    """Everything that `verify` runs."""

    small: tuple[Task, ...]
    large: tuple[Large, ...]
    large_queries: tuple[Query, ...]
    large_epsilons: tuple[Fraction, ...]
    exponents: tuple[tuple[Query, Fraction], ...]
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
"""The families that take a query as parameter."""


def small_tasks(seed: int) -> Iterator[Task]:
    """Every family, query and ε."""
    for family in SMALL:
        for query, epsilon in product(QUERIES, EPSILONS):
            yield Task(family(epsilon, seed), query, epsilon)
    for name in WORST:
        for query, epsilon in product(QUERIES, EPSILONS):
            if 0 < epsilon < 1:
                made = define(
                    name, size=SIZE, epsilon=epsilon, free=query.free, partitioning=query.partitioning
                )
                yield Task(made, query, epsilon)


def large_workloads(seed: int) -> Iterator[Large]:
    """Six families of some 20,000 updates each.

    Answers are compared at the end, at a point that the seed chooses, and, for grow-and-drain, at a peak.
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
        # 2654435761 is Knuth's multiplier: a deterministic draw from the seed
        drawn = count // 4 + (seed * 2_654_435_761 + number * 40_503) % (count // 2)
        chosen = {drawn, count} if place is None else {drawn, int(count * place), count}
        yield Large(definition, tuple(sorted(chosen)), PLANS[number % len(PLANS)])


def curves() -> Iterator[tuple[Query, Fraction]]:
    """Seven ε for the canonical queries of the paper, three for their rotations."""
    for query in QUERIES:
        for epsilon in FINE if query.free in CANONICAL_HEADS else COARSE:
            yield query, epsilon


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
    """A tenth of the full plan: ε = ½ only, two large workloads."""
    full = full_plan(seed)
    return Plan(
        small=tuple(task for task in full.small if task.epsilon == HALF),
        large=tuple(large for large in full.large if large.definition.family in ("zipf", "size-thrash")),
        large_queries=QUERIES,
        large_epsilons=(HALF,),
        exponents=tuple(
            (query, epsilon)
            for query, epsilon in full.exponents
            if query.free in CANONICAL_HEADS and epsilon in (0, HALF, 1)
        ),
        exponent_sizes=(500, 1_000, 2_000),
        timeline=full.timeline,
        timeline_epsilon=full.timeline_epsilon,
        seed=seed,
    )
