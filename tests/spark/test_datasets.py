"""Datasets: the same rows for any number of partitions, a manifest, and reading back in order."""

import json
import resource
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from ivme import InputError, TriangleView
from ivme.spark import datasets
from ivme.workloads import CATALOGUE, Definition, define

DEFINITIONS = {
    "oumv": define("oumv", n=30, seed=5),
    "hub": define("hub", size=3_000, updates=7),
    "view-upkeep": define("view-upkeep", size=1_000, epsilon="1/2", updates=5),
    "intersection": define("intersection", size=1_000, epsilon="1/2", updates=5),
    "threshold-thrash": define("threshold-thrash", size=1_000, epsilon="1/2", cycles=1),
    "size-thrash": define("size-thrash", size=1_000, epsilon="1/2", cycles=1),
    "agm": define("agm", size=800, updates=6),
    "wide-views": define("wide-views", size=1_000, epsilon="1/3", kind="heavy"),
    "delay-binary": define("delay-binary", size=1_000, epsilon="1/2"),
    "delay-unary": define("delay-unary", size=1_000, epsilon="1/2"),
    "uniform": define("uniform", updates=2_000, values=60, seed=1),
    "zipf": define("zipf", updates=2_000, values=400, seed=2),
    "rmat": define("rmat", scale=7, edge_factor=4, seed=3),
    "sliding-window": define("sliding-window", updates=2_000, window=400, values=60, seed=4),
    "grow-and-drain": define("grow-and-drain", peak=800),
    "multiplicities": define("multiplicities", side=9),
}


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks small enough for several in each partition."""
    monkeypatch.setattr(datasets, "CHUNK", 100)


def test_every_family_is_tested_here() -> None:
    assert {*DEFINITIONS, "graph"} == set(CATALOGUE)


@pytest.mark.parametrize("family", DEFINITIONS)
def test_spark_makes_the_rows_of_the_plain_definition(spark: SparkSession, family: str) -> None:
    definition = DEFINITIONS[family]
    rows = [tuple(row) for row in datasets.generated(spark, definition, 3).collect()]
    assert rows == [(seq, *update) for seq, update in enumerate(definition.workload())]


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_rows_are_the_same_for_any_number_of_partitions(
    spark: SparkSession, partitions: int, tmp_path: Path
) -> None:
    definition = define("zipf", updates=5_000, values=100, seed=9)
    dataset = datasets.write(spark, definition, tmp_path / "zipf", partitions)
    assert len(dataset.files) == partitions
    assert list(dataset.rows()) == list(definition.workload())
    assert list(dataset.rows(777)) == list(definition.workload())[:777]
    tables = [pq.read_table(file) for file in dataset.files]
    assert pa.concat_tables(tables)["seq"].to_pylist() == list(range(5_000))


def test_manifest(spark: SparkSession, tmp_path: Path) -> None:
    dataset = datasets.write(spark, DEFINITIONS["oumv"], tmp_path / "oumv")
    given = json.loads((tmp_path / "oumv" / "manifest.json").read_text())
    assert given == dataset.manifest
    assert (given["family"], given["parameters"], given["seed"]) == ("oumv", {"n": 30, "seed": 5}, 5)
    assert given["sizes"] == {"updates": 4440, "loaded": 900, "preparation": 0, "attack": 3540}
    assert "lower bound" in given["attacks"]
    assert len(given["expected"]["nonempty"]) == 30
    assert given["expected"]["count"] == []
    assert datasets.read(tmp_path / "oumv") == dataset
    assert dataset.definition == DEFINITIONS["oumv"]
    assert dataset.updates == dataset.frame(spark).count() == 4440


def test_expected_answers_are_met_by_what_was_written(spark: SparkSession, tmp_path: Path) -> None:
    dataset = datasets.write(spark, DEFINITIONS["multiplicities"], tmp_path / "m")
    expected = dataset.manifest["expected"]
    assert isinstance(expected, dict)
    for number, count in expected["count"]:
        view = TriangleView("")
        view.apply(dataset.rows(number))
        assert view[()] == count


def test_unfinished_and_existing_datasets_are_refused(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a complete dataset"):
        datasets.read(tmp_path / "none")
    datasets.write(spark, DEFINITIONS["agm"], tmp_path / "agm")
    with pytest.raises(InputError, match="holds a dataset already"):
        datasets.write(spark, DEFINITIONS["agm"], tmp_path / "agm")
    (tmp_path / "agm" / "manifest.json").unlink()
    assert datasets.write(spark, DEFINITIONS["agm"], tmp_path / "agm").updates == len(
        DEFINITIONS["agm"].workload()
    )


def test_what_does_not_fit_into_64_bits_is_refused() -> None:
    workload = define("multiplicities", side=2, bits=64).workload()
    with pytest.raises(InputError, match="multiplicities, updates 0 to 12: "):
        datasets.chunk(workload, 0, 12)


def test_graphs_in_parquet(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "edges.parquet"
    table = pa.table({"u": [1, 2, 3, 1], "v": [2, 3, 1, 3], "t": [30, 10, 20, 40]})
    pq.write_table(table, path)
    text = tmp_path / "edges.txt"
    text.write_text("1 2 30\n2 3 10\n3 1 20\n1 3 40\n")
    for timed in (False, True):
        listed = define("graph", path=text, timed=timed)
        stored = Definition("graph", {"path": str(path), "timed": timed})
        dataset = datasets.write(spark, stored, tmp_path / f"graph{timed}", 2)
        assert list(dataset.rows()) == list(listed.workload())


def test_no_updates_at_all(spark: SparkSession, tmp_path: Path) -> None:
    dataset = datasets.write(spark, define("zipf", updates=0, values=1), tmp_path / "empty")
    assert list(dataset.rows()) == []


@pytest.mark.nightly
def test_ten_million_rows_are_read_in_constant_memory(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(datasets, "CHUNK", 1 << 16)
    count = 10_000_000
    dataset = datasets.write(
        spark, define("sliding-window", updates=count, window=1_000, values=50), tmp_path / "big"
    )
    rows = dataset.rows()
    view = TriangleView("")
    for _ in range(200_000):
        view.update(*next(rows))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert sum(1 for _ in rows) == count - 200_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kilobytes
