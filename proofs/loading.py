"""The initial state of every small database, and every head in every order.

Paper: def:ivme_state (initial state), prop:preprocessing_step and its sisters; sec:intro (all triangle
queries by rotation). `loading.load` is compared with the spec's `initial_state`; `TriangleView` with brute
force for all sixteen heads, loaded in bulk, and filled and emptied tuple by tuple.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations

from ivme.kernel.inspection import spec_state, state_violations
from ivme.kernel.loading import load
from ivme.kernel.plan import compile_plan
from ivme.view import TriangleView
from ivme_spec.queries import Partitioning
from ivme_spec.relations import RELATIONS, SCHEMAS, VARIABLES, Relation, Row, relation
from ivme_spec.rings import INTEGERS
from ivme_spec.state import initial_state
from proofs.canonical import Domain, Tuple, brute_force
from proofs.claims import Claim, Refuted, Scope, require
from proofs.engines import empty_engine
from proofs.payloads import PLANS

HEADS = ["".join(free) for size in range(4) for free in permutations(VARIABLES, size)]
"""Every head in every order of its letters."""


def databases(domain: Domain, degree: int = 0) -> Iterator[frozenset[Tuple]]:
    """Every database over a domain; given a degree, those in which some value has it."""
    tuples = list(domain.tuples())
    for size in range(len(tuples) + 1):
        for chosen in combinations(tuples, size):
            degrees = Counter((i, column, row[column]) for i, *row in chosen for column in (0, 1))
            if max(degrees.values(), default=0) >= degree:
                yield frozenset(chosen)


def turned(a: int, b: int, c: int) -> tuple[Domain, ...]:
    """A domain in its three rotations."""
    return Domain(a, b, c), Domain(c, a, b), Domain(b, c, a)


RUNS = (
    *((domain, Fraction(1, 3), 0) for domain in turned(1, 3, 1)),
    *((domain, Fraction(1, 5), 0) for domain in turned(2, 1, 2)),
    *((domain, Fraction(51, 100), 4) for domain in turned(1, 4, 1)),
)
"""Domains, ε, and a degree. A value is heavy from degree 3, 2 or 4 on; beyond ½ trees are built backwards."""


def load_builds_initial_states() -> str:
    """Parts, N and views of a loaded engine are those of the spec's initial state."""
    count = 0
    for decomposition in PLANS.values():
        plan = compile_plan(decomposition)
        for domain, epsilon, degree in RUNS:
            for tuples in databases(domain, degree):
                engine = empty_engine(plan, decomposition.head, INTEGERS, epsilon)
                rows: list[list[tuple[Row, int]]] = [[], [], []]
                for number, (i, x, y) in enumerate(sorted(tuples)):
                    rows[i].append(((x, y), number + 1))
                load(engine, rows)
                relations: dict[str, Relation[int]] = {
                    name: relation(SCHEMAS[name], INTEGERS, rows[i]) for i, name in enumerate(RELATIONS)
                }
                expected = initial_state(decomposition, epsilon, relations)
                found = spec_state(engine, decomposition)
                what = f"{decomposition.label}, ε = {epsilon}, {sorted(tuples)}"
                require(found.base == expected.base, f"{what}: N = {found.base}")
                require(found.partitions == expected.partitions, f"{what}: {found.partitions}")
                for violation in state_violations(engine, decomposition):
                    raise Refuted(f"{what}: {violation}")
                count += 1
    return f"{count} databases"


def heads_are_right(domain: Domain) -> str:
    """Every head in every order: loaded, and filled and emptied tuple by tuple."""
    count = 0
    variants: list[tuple[str, Partitioning]] = [(free, "single") for free in HEADS] + [("", "double")]
    for tuples in databases(domain):
        given = {name: [(x, y) for i, x, y in tuples if RELATIONS[i] == name] for name in RELATIONS}
        for free, partitioning in variants:
            expected = brute_force(tuples, domain, tuple(map(VARIABLES.index, free)))
            what = f"△({free}), {partitioning}, {sorted(tuples)}"
            view = TriangleView(free, database=given, partitioning=partitioning)
            require(dict(view) == expected, f"{what}: loaded {dict(view)}")
            if len(tuples) % 3 == 2:  # each update also occurs with a smaller database
                view = TriangleView(free, "1/3", partitioning=partitioning)
                for i, x, y in tuples:
                    view.insert(RELATIONS[i], x, y)
                require(dict(view) == expected, f"{what}: inserted {dict(view)}")
                for i, x, y in tuples:
                    view.delete(RELATIONS[i], x, y)
                require(not list(view) and view.size == 0, f"{what}: left {dict(view)}")
            count += 1
    return f"{count} views"


CLAIMS = (
    Claim(
        "initial-state",
        "Loading gives the initial IVM^ε state: N = 2|D|+1, strict partitions, views by definition.",
        "def:ivme_state, prop:preprocessing_step and its sisters (the result, not the time)",
        "all cases",
        Scope.EXHAUSTIVE,
        "all databases over (1,3,1), ε = 1/3, and (2,1,2), ε = 1/5, and those over (1,4,1) of degree 4, "
        "ε = 51/100, in three rotations; five plans, different multiplicities",
        "—",
        ("loading.load", "loading.build", "loading.sum_all", "initial_base", "strict_partition"),
        load_builds_initial_states,
    ),
    Claim(
        "heads",
        "Every head, in every order of its letters, gives the rows and multiplicities of the definition.",
        "sec:intro (triangle queries up to rotation)",
        "all cases",
        Scope.EXHAUSTIVE,
        "all databases over (2,1,2), 16 heads and the double count; loaded, and some inserted and deleted",
        "—",
        ("TriangleView", "canonical", "rotate"),
        partial(heads_are_right, Domain(2, 1, 2)),
    ),
)
