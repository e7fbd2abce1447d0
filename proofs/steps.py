"""The maintenance step: after each update and each move, every view equals its definition.

Paper: fig:applyUpdate, fig:applyUpdate_full and the steps described for the others; MoveTuples of
fig:major_minor. The step is proved for databases with at most one tuple in each relation beside the updated
one, with every pattern of equal and different values and every part of every tuple. README.md argues why
these represent all databases; the dense cases, where every relation is full, check that argument.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import product

from ivme.kernel.parts import HEAVY, LIGHT
from ivme.kernel.rebalancing import move_tuples
from ivme_spec.rings import Polynomial
from proofs.claims import Claim, Scope
from proofs.engines import DictEngine
from proofs.payloads import NAMES, PLANS, Bits, Tuple, Workbench, values_of, variable


def small_cases(bench: Workbench, i: int, alone: bool) -> Iterator[tuple[Tuple, list[Tuple], Bits]]:
    """An updated tuple of relation i, at most one other tuple in each relation, and all their statuses.

    With `alone`, the updated tuple is the only one of relation i.
    """
    j, k = (i + 1) % 3, (i + 2) % 3
    x, y, z = values_of(i, 0), values_of(i, 1), values_of(j, 1)
    updated = (i, x[0], y[0])
    others: list[list[Tuple]] = [[], [(i, x[0], y[1])], [(i, x[1], y[0])], [(i, x[1], y[1])]]
    rows: list[list[Tuple]] = [[], [(j, y[0], z[0])], [(j, y[1], z[0])]]
    for other, row in product(others[:1] if alone else others, rows):
        columns: list[list[Tuple]] = [
            [],
            *([(k, z[n], x[m])] for n in range(2 if row else 1) for m in (0, 1)),
        ]
        for column in columns:
            database = other + row + column
            for bits in statuses(bench, [updated, *database]):
                yield updated, database, bits


def statuses(bench: Workbench, tuples: list[Tuple]) -> Iterator[Bits]:
    """Every choice of a status for each value of a partitioned column that occurs."""
    places = sorted({(i, c, row[c]) for i, *row in tuples for c in bench.columns(i)})
    for chosen in product((LIGHT, HEAVY), repeat=len(places)):
        yield dict(zip(places, chosen, strict=True))


def walk(bench: Workbench, updated: Tuple, database: list[Tuple], bits: Bits) -> None:
    """Insert the tuple, add and remove copies, move its values there and back, delete it."""
    engine, what = bench.engine(database, bits), f"{updated} on {database} with {bits}"
    bench.check(engine, f"before {what}")
    more = variable(updated, "'")
    for name, change in (("insert", variable(updated)), ("more", more), ("fewer", -more)):
        bench.update(engine, updated, change, bits)
        bench.check(engine, f"{name} {what}")
    move_to_and_fro(bench, engine, updated, bits, what)
    bench.update(engine, updated, -variable(updated), bits)
    bench.check(engine, f"delete {what}")


def move_to_and_fro(
    bench: Workbench, engine: DictEngine[Polynomial], at: Tuple, bits: Bits, what: str
) -> None:
    """MoveTuples for each value of a tuple, to the other class and back."""
    i, *row = at
    for column in bench.columns(i):
        now = bits[i, column, row[column]]
        for status in (HEAVY + LIGHT - now, now):
            move_tuples(engine, i, column, row[column], status)
            bench.check(engine, f"move column {column} to {status}, {what}")


def small_model(plan: str, alone: bool = False) -> str:
    """All small cases of one plan."""
    bench, cases = Workbench(PLANS[plan]), 0
    for i in range(3):
        for updated, database, bits in small_cases(bench, i, alone):
            walk(bench, updated, database, bits)
            cases += 1
    return f"{cases} cases, {bench.checks} states"


DENSE = 512
"""The maximum number of choices of statuses, evenly spread over all of them (64, 1024 or 4096)."""


def dense(plan: str) -> str:
    """Full relations over two values for each variable: all tuples deleted and inserted, all values moved."""
    bench, cases = Workbench(PLANS[plan]), 0
    full = [(i, x, y) for i in range(3) for x in values_of(i, 0) for y in values_of(i, 1)]
    choices = list(statuses(bench, full))
    for bits in choices[:: max(1, len(choices) // DENSE)]:
        engine = bench.engine(full, bits)
        for at in full:
            what = f"{at} of the full database with {bits}"
            bench.update(engine, at, -variable(at), bits)
            bench.check(engine, f"delete {what}")
            bench.update(engine, at, variable(at), bits)
            bench.check(engine, f"insert {what}")
            move_to_and_fro(bench, engine, at, bits, what)
        cases += 1
    return f"{cases} choices of statuses, {bench.checks} states"


def both(plan: str) -> str:
    """All small cases and all dense ones."""
    return f"{small_model(plan)}; {dense(plan)}"


_WORDS = {
    "count-single": "△₀, single partitioning",
    "count-double": "△₀, double partitioning",
    "unary": "△₁(a)",
    "binary": "△₂(a,b)",
    "ternary": "△₃(a,b,c)",
}
_LABELS = {
    "count-single": "fig:applyUpdate, fig:view_definitions",
    "count-double": "fig:view_definitions_double_partitioning",
    "unary": "fig:view_definitions_unary",
    "binary": "fig:view_definitions_binary",
    "ternary": "fig:applyUpdate_full, fig:view_definitions_full",
}
_GUARDS = (
    "Engine.on_update",
    "Engine.apply_update",
    "rebalancing.move_tuples",
    "rebalancing.move",
    "DictSums",
    "DictKept",
)


def _step_claim(plan: str) -> Claim:
    return Claim(
        f"step-{plan}",
        f"{_WORDS[plan]}: after insert, delete, change of multiplicity and MoveTuples, in every part of "
        "every relation, all that is stored equals the definitions.",
        _LABELS[plan],
        "polynomials",
        Scope.EXHAUSTIVE,
        "at most one tuple in each other relation, all equality patterns, all parts, all multiplicities",
        "the small model stands for all databases (README, argued by hand)",
        _GUARDS,
        partial(small_model, plan, alone=True),
    )


def _full_claim(plan: str) -> Claim:
    return Claim(
        f"step-{plan}-dense",
        f"{_WORDS[plan]}: the same with one more tuple in the updated relation, and on full relations.",
        _LABELS[plan],
        "polynomials",
        Scope.EXHAUSTIVE,
        "at most one tuple in each relation beside the updated one; full 2×2 relations, *searched* with up "
        f"to {DENSE} choices of statuses",
        "as step-" + plan,
        _GUARDS,
        partial(both, plan),
        quick=False,
    )


CLAIMS = (*map(_step_claim, NAMES), *map(_full_claim, NAMES))
