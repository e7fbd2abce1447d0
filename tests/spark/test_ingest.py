"""Ingest: what Spark computes is what a view builds for itself."""

import pytest
from pyspark.sql import DataFrame, SparkSession

from ivme import InputError, TriangleView
from ivme.spark import datasets, ingest, oracle
from ivme.workloads import Definition, define
from ivme_spec.queries import HEADS, Partitioning
from ivme_spec.state import MERGED
from ivme_spec.views import Decomposition, decomposition_for

SKEWED = define("zipf", updates=1_200, values=60, power=4, seed=8)
QUERIES = [
    ("", "double"),
    *(pytest.param(free, "single", marks=pytest.mark.nightly) for free in ("", "A", "CA", "ABC")),
]


def applied(definition: Definition) -> dict[str, dict[tuple[int, int], int]]:
    """The database after a workload, by hand."""
    found: dict[str, dict[tuple[int, int], int]] = {name: {} for name in "RST"}
    for relation, x, y, m in definition.workload():
        found[relation][x, y] = found[relation].get((x, y), 0) + m
    return {name: {row: m for row, m in rows.items() if m} for name, rows in found.items()}


def rows(frame: DataFrame) -> dict[tuple[object, ...], int]:
    """The contents of a view."""
    return {tuple(row)[:-1]: int(row["multiplicity"]) for row in frame.collect()}


def views(tuples: DataFrame, decomposition: Decomposition, names: list[str]) -> dict[str, object]:
    """The views of a state by Spark; a name that stands for several means their sum."""
    by_name = {view.name: view for view in decomposition.views}
    found: dict[str, object] = {}
    for merged in names:
        total: dict[tuple[object, ...], int] = {}
        for name in merged.split(MERGED):
            for row, m in rows(ingest.contents(by_name[name], tuples, decomposition)).items():
                total[row] = total.get(row, 0) + m
        found[merged] = total
    return found


@pytest.mark.parametrize(("free", "partitioning"), QUERIES)
def test_loaded_views_have_sparks_partition_and_views(
    spark: SparkSession, free: str, partitioning: Partitioning
) -> None:
    updates = datasets.generated(spark, SKEWED)
    database = oracle.database_after(updates).cache()
    view = ingest.load(updates, free, "1/3", partitioning=partitioning)
    local = TriangleView(free, "1/3", partitioning=partitioning, database=applied(SKEWED))
    state = view.state()
    assert state == local.state()
    assert view.violations() == []
    decomposition = decomposition_for(free, partitioning)
    tuples = ingest.partitioned(database, decomposition, "1/3").cache()
    parts: dict[str, dict[str, dict[tuple[int, int], int]]] = {name: {} for name in "RST"}
    for name, part, x, y, m in tuples.collect():
        parts[name].setdefault(part, {})[x, y] = int(m)
    given = state["parts"]
    assert isinstance(given, dict)
    assert parts == {
        name: {part: held for part, held in entry.items() if held} for name, entry in given.items()
    }
    assert all(len(entry) > 1 for entry in parts.values()), "nothing is heavy, or everything"
    stored = state["views"]
    assert isinstance(stored, dict)
    assert views(tuples, decomposition, list(stored)) == stored
    assert any(stored.values())
    tuples.unpersist()
    database.unpersist()


def test_all_heads_answer_as_if_maintained(spark: SparkSession) -> None:
    updates = datasets.generated(spark, SKEWED).cache()
    for free in HEADS:
        view = TriangleView(free)
        view.apply(SKEWED.workload())
        assert dict(ingest.load(updates, free)) == dict(view)
    updates.unpersist()


def test_degrees(spark: SparkSession) -> None:
    rows = [(0, "R", 1, 2, 1), (1, "R", 1, 3, 1), (2, "T", 1, 2, 1)]
    found = ingest.degrees(spark.createDataFrame(rows, datasets.COLUMNS)).collect()
    assert sorted(map(tuple, found)) == [
        ("R", 0, 1, 2),
        ("R", 1, 2, 1),
        ("R", 1, 3, 1),
        ("T", 0, 1, 1),
        ("T", 1, 2, 1),
    ]


def test_bad_databases_are_refused(spark: SparkSession) -> None:
    negative = spark.createDataFrame([(0, "R", 1, 2, -1)], datasets.COLUMNS)
    with pytest.raises(InputError, match=r"R\(1, 2\) is deleted more often than inserted"):
        ingest.load(negative, "A")
    unknown = spark.createDataFrame([(0, "X", 1, 2, 1)], datasets.COLUMNS)
    with pytest.raises(InputError, match="no relation 'X'"):
        ingest.load(unknown, "A")


def test_an_empty_database(spark: SparkSession) -> None:
    view = ingest.load(spark.createDataFrame([], datasets.COLUMNS), "AB")
    assert (view.size, dict(view)) == (0, {})
