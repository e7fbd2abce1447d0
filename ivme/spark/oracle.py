"""The oracle at scale: the eight triangle queries recomputed by Spark after any prefix of a workload.

Paper: sec:intro (recomputation). Shares nothing with the engines: the definition of the query as joins.

    triangles(a,b,c)  =  R(a,b) · S(b,c) · T(c,a)

A tuple (a,b) of R is joined with S(b,·) first if that is not larger than T(·,a), else with T(·,a): no join
has more than √(|R|·|S|·|T|) rows, however skewed the data are (see ivme_reference.leapfrog).

Multiplicities are decimals of 38 digits; in ANSI mode an overflow raises, so no answer is silently wrong. No
update of the workload may be one that engines refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Protocol, cast

from attrs import field, frozen
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from ivme.workloads.core import Update
from ivme_spec.errors import InputError
from ivme_spec.queries import HEADS, head
from ivme_spec.relations import SCHEMAS, VARIABLES, RelationName, Row

EXACT = "decimal(38,0)"
Answer = dict[Row, int]


class OracleError(InputError):
    """An impossible workload: more copies of a tuple are deleted than were inserted."""


# --- recomputation --------------------------------------------------------------------------------------


def database_after(updates: DataFrame, prefix: int | None = None) -> DataFrame:
    """The database after the first `prefix` updates, or all: (relation, x, y, multiplicity), none zero."""
    seen = updates if prefix is None else updates.where(f.col("seq") < prefix)
    summed = seen.groupBy("relation", "x", "y").agg(f.sum(f.col("multiplicity").cast(EXACT)).alias("m"))
    return summed.where("m <> 0").withColumnRenamed("m", "multiplicity")


def triangles(database: DataFrame) -> DataFrame:
    """All triangles: (a, b, c, multiplicity), each once.

    Cost: O(|D|^{3/2}) rows at most in every join, spread over the cluster.
    """
    return _joined(database, "multiplicity").select("a", "b", "c", _product().alias("multiplicity"))


def _product() -> Column:
    return f.col("multiplicity_R") * f.col("multiplicity_S") * f.col("multiplicity_T")


def _joined(tuples: DataFrame, *kept: str) -> DataFrame:
    """R(a,b) ⋈ S(b,c) ⋈ T(c,a), each with its `kept` columns, the relation's name added to theirs."""
    r, s, t = (
        tuples.where(f.col("relation") == name).select(
            f.col("x").alias(schema[0].lower()),
            f.col("y").alias(schema[1].lower()),
            *(f.col(column).alias(f"{column}_{name}") for column in kept),
        )
        for name, schema in SCHEMAS.items()
    )
    rows = s.groupBy("b").agg(f.count("*").alias("in_row"))
    columns = t.groupBy("a").agg(f.count("*").alias("in_column"))
    met = r.join(rows, "b").join(columns, "a")
    through_s = met.where("in_row <= in_column").join(s, "b").join(t, ["c", "a"])
    through_t = met.where("in_row > in_column").join(t, "a").join(s, ["b", "c"])
    return through_s.unionByName(through_t)


def answers(database: DataFrame, heads: Sequence[str] = HEADS) -> dict[str, Answer]:
    """The answers of the queries with the given free variables, in one pass over the triangles.

    Cost: that of `triangles`; the answers are collected in the driver.  Bad input: an `OracleError`.
    """
    letters = [f.col(variable.lower()) for variable in VARIABLES]
    sets = [[f.col(variable.lower()) for variable in sorted(head(free))] for free in heads]
    kept = database.persist()  # the plan reads it several times
    try:
        if wrong := kept.where("multiplicity < 0").first():
            name = f"{wrong['relation']}({wrong['x']}, {wrong['y']})"
            raise OracleError(f"{name} is deleted more often than inserted")
        grouped = triangles(kept).groupingSets(sets, *letters)
        table = grouped.agg(f.grouping_id().alias("absent"), f.sum("multiplicity").alias("m")).toArrow()
    finally:
        kept.unpersist()
    by_absent: dict[int, list[tuple[Row, int]]] = {}
    *values, absent, sums = (cast("list[int]", column.to_pylist()) for column in table.columns)
    for row, bits, m in zip(zip(*values, strict=True), absent, sums, strict=True):
        if m is not None:  # the sum over no triangle at all
            by_absent.setdefault(bits, []).append((row, int(m)))
    found = {}
    for free in heads:
        places = [VARIABLES.index(variable) for variable in free]
        bits = sum(4 >> place for place in range(3) if place not in places)
        found[free] = {tuple(row[place] for place in places): m for row, m in by_absent.get(bits, ())}
    return found


# --- comparison -----------------------------------------------------------------------------------------


class Engine(Protocol):
    """What is compared with the oracle, such as a `TriangleView`."""

    @property
    def free(self) -> str: ...
    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: object) -> None: ...
    def __iter__(self) -> Iterator[tuple[Row, int]]: ...


@frozen
class Difference:
    """The first prefix after which an engine's answer is not the oracle's.

    `prefix` counts updates: the last of them is at fault. `wrong` maps each head that differs to some rows,
    with the engine's multiplicity and the right one.
    """

    prefix: int
    wrong: dict[str, dict[Row, tuple[int, int]]] = field(repr=False)


def differing(given: Answer, right: Answer, most: int = 10) -> dict[Row, tuple[int, int]]:
    """Up to `most` rows with different multiplicities: the given one and the right one."""
    rows = (row for row in {**given, **right} if given.get(row, 0) != right.get(row, 0))
    return {row: (given.get(row, 0), right.get(row, 0)) for row in islice(rows, most)}


def compare(engines: Iterable[Engine], database: DataFrame) -> dict[str, dict[Row, tuple[int, int]]]:
    """The wrong rows of the engines' answers on a database, by head.  Cost: as `answers`."""
    given = {engine.free: _answer(engine) for engine in engines}
    right = answers(database, list(given))
    found = {free: differing(given[free], right[free]) for free in given}
    return {free: rows for free, rows in found.items() if rows}


def _answer(engine: Engine) -> Answer:
    rows = list(engine)
    answer = dict(rows)
    if len(answer) != len(rows):
        raise OracleError(f"the engine for {engine.free!r} reported a row twice")
    return answer


def first_difference(
    updates: DataFrame,
    rows: Callable[[int], Iterable[Update]],
    count: int,
    make: Callable[[], Sequence[Engine]],
) -> Difference | None:
    """The first prefix after which one of the engines differs from the oracle, by bisection.

    updates  the workload as a Spark table, and `count`, its number of updates
    rows     its first so many updates, in order (`Dataset.rows`)
    make     new engines, one for each head to be checked

    Assumes that an engine stays wrong: if all is right in the end, the result is None; use
    `first_wrong_count` for answers that were recorded on the way.  Cost: log₂(count) + 2 recomputations; the
    engines continue from a right prefix, and start afresh after a wrong one.
    """
    engines: Sequence[Engine] = ()
    following: Iterator[Update] = iter(())
    done = count + 1

    def wrong_after(prefix: int) -> dict[str, dict[Row, tuple[int, int]]]:
        nonlocal engines, following, done
        if done > prefix:
            engines, following, done = make(), iter(rows(count)), 0
        for update in islice(following, prefix - done):
            for engine in engines:
                engine.update(*update)
        done = prefix
        return compare(engines, database_after(updates, prefix))

    found = wrong_after(count)
    if not found:
        return None
    right, wrong = -1, count  # not wrong after `right`, wrong after `wrong`
    while wrong - right > 1:
        middle = (right + wrong) // 2
        if now := wrong_after(middle):
            wrong, found = middle, now
        else:
            right = middle
    return Difference(wrong, found)


def first_wrong_count(updates: DataFrame, recorded: Iterable[int]) -> Difference | None:
    """The first wrong count among those that an engine gave after each update, in one job.

    Three updates that form a triangle count from the last of them on, with the product of their
    multiplicities; the answer after an update is the sum up to there.  Cost: the number of such triples,
    O(n^{3/2}) for n updates if none is of the same tuple; the driver holds a number for each update.
    """
    exact = updates.withColumn("multiplicity", f.col("multiplicity").cast(EXACT))
    triples = _joined(exact, "multiplicity", "seq")
    last = f.greatest("seq_R", "seq_S", "seq_T").alias("last")
    table = triples.groupBy(last).agg(f.sum(_product()).alias("change")).toArrow()
    numbers, sums = (cast("list[int]", column.to_pylist()) for column in table.columns)
    changes = dict(zip(numbers, map(int, sums), strict=True))
    right = 0
    for number, given in enumerate(recorded):
        right += changes.get(number, 0)
        if given != right:
            return Difference(number + 1, {"": {(): (given, right)}})
    return None
