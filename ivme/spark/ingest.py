"""Ingest: a large database read by Spark and loaded into a `TriangleView` through Arrow.

Paper: def:ivme_state, sec:staticFull (preprocessing). Spark adds up the multiplicities, and can compute the
degrees, the strict partition for N = 2·|D| + 1 and every view of the paper's figure. A loaded `TriangleView`
builds the same from the tuples, in O(|D|^{3/2}): Spark's are for comparison, and for inspection where no
single machine could hold them.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import cast

from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from ivme.spark.oracle import EXACT, OracleError, triangles
from ivme.view import TriangleView
from ivme_spec.partitions import matching_parts
from ivme_spec.queries import Partitioning
from ivme_spec.relations import RELATIONS, SCHEMAS
from ivme_spec.state import initial_base
from ivme_spec.thresholds import parse_epsilon, threshold
from ivme_spec.views import Decomposition, View


def degrees(database: DataFrame) -> DataFrame:
    """(relation, position, value, degree) for the first (0) and the second (1) column of each relation."""
    columns = [
        database.select("relation", f.lit(position).alias("position"), f.col(name).alias("value"))
        for position, name in enumerate(("x", "y"))
    ]
    both = columns[0].unionByName(columns[1])
    return both.groupBy("relation", "position", "value").agg(f.count("*").alias("degree"))


def partitioned(database: DataFrame, decomposition: Decomposition, epsilon: object) -> DataFrame:
    """The tuples with their parts in the strict partition: (relation, part, x, y, multiplicity).

    Relations that the decomposition partitions doubly have the parts HH, HL, LH and LL, others H and L.
    Cost: a count, and two joins with the heavy values, of which there are at most 2·|D| / θ.
    """
    least = threshold(initial_base(database.count()), parse_epsilon(epsilon)).strict
    heavy = degrees(database).where(f.col("degree") >= least)
    found = database
    for position, name in enumerate(("x", "y")):
        status = heavy.where(f.col("position") == position).select(
            "relation", f.col("value").alias(name), f.lit("H").alias(f"status_{name}")
        )
        found = found.join(status, ["relation", name], "left")
    first = f.coalesce("status_x", f.lit("L"))
    second = f.when(f.col("relation").isin(*decomposition.double), f.coalesce("status_y", f.lit("L")))
    part = f.concat(first, f.coalesce(second, f.lit("")))
    return found.select("relation", part.alias("part"), "x", "y", "multiplicity")


def contents(view: View, parts: DataFrame, decomposition: Decomposition) -> DataFrame:
    """The contents of a view of the paper's figure: a column for each letter of its head, and multiplicity.

    `parts` are the tuples as `partitioned` gives them.  Cost: the join of two parts, or `triangles`.
    """
    chosen = {
        name: parts.where((f.col("relation") == name) & f.col("part").isin(*matching_parts(pattern, double)))
        for name, pattern, double in (
            (name, pattern, name in decomposition.double)
            for name, pattern in zip(RELATIONS, view.parts, strict=True)
        )
        if pattern is not None
    }
    if len(chosen) == 3:
        joined = triangles(reduce(DataFrame.unionByName, chosen.values()))
    else:
        left, right = (
            tuples.select(
                f.col("x").alias(SCHEMAS[name][0].lower()),
                f.col("y").alias(SCHEMAS[name][1].lower()),
                f.col("multiplicity").alias(f"m{place}"),
            )
            for place, (name, tuples) in enumerate(chosen.items())
        )
        (shared,) = set(left.columns) & set(right.columns)
        joined = left.join(right, shared).withColumn("multiplicity", f.col("m0") * f.col("m1"))
    grouped = joined.groupBy(*view.head.lower()).agg(f.sum("multiplicity").alias("multiplicity"))
    return grouped.where("multiplicity <> 0")


def load(
    database: DataFrame, free: str, epsilon: object = "1/2", *, partitioning: Partitioning = "single"
) -> TriangleView[int]:
    """A view of a database (relation, x, y, multiplicity); rows for the same tuple are added up by Spark.

    Cost: one pass in Spark, then O(|D|^{3/2}) here.  Bad input: an `OracleError` for a negative multiplicity,
    an `InputError` for what a view refuses.
    """
    total = f.sum(f.col("multiplicity").cast(EXACT)).alias("total")
    table = database.groupBy("relation", "x", "y").agg(total).where("total <> 0").toArrow()
    given: dict[str, dict[tuple[object, object], int]] = {}
    for batch in table.to_batches():
        relations, xs, ys, totals = (cast("list[int]", column.to_pylist()) for column in batch.columns)
        for relation, x, y, m in zip(relations, xs, ys, totals, strict=True):
            if m < 0:
                raise OracleError(f"{relation}({x}, {y}) is deleted more often than inserted")
            given.setdefault(str(relation), {})[x, y] = int(m)
    tuples: Mapping[str, object] = given
    return TriangleView(free, epsilon, partitioning=partitioning, database=tuples)
