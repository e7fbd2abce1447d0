"""Datasets: the same rows for any number of partitions, a manifest, and reading back in order."""

import json
import resource
from collections.abc import Iterable
from functools import reduce
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from ivme import InputError, TriangleView
from ivme.spark import datasets
from ivme.workloads import CATALOGUE, Definition, Section, Update, Workload, define

DEFINITIONS = {
    "oumv": define("oumv", n=30, seed=5),
    "hub": define("hub", size=3_000, updates=7),
    "view-upkeep": define("view-upkeep", size=1_000, epsilon="1/2", updates=5),
    "intersection": define("intersection", size=1_000, epsilon="1/2", updates=5),
    "threshold-thrash": define("threshold-thrash", size=1_000, epsilon="1/2", cycles=1),
    "size-thrash": define("size-thrash", size=1_000, epsilon="1/2", cycles=1),
    "worst-update": define("worst-update", size=500, epsilon="1/2", updates=5),
    "worst-minor": define("worst-minor", size=500, epsilon="1/3", free="CA"),
    "worst-major": define("worst-major", size=500, epsilon="1/2", free="A"),
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


def complete_graph(folder: Path) -> Definition:
    """The family graph needs a file."""
    path = folder / "edges.txt"
    path.write_text("".join(f"{u} {v}\n" for u in range(20) for v in range(u)), encoding="utf-8")
    return define("graph", path=path)


def as_bytes(columns: Iterable[Iterable[object]]) -> bytes:
    """Columns (seq, relation, x, y, multiplicity) in Arrow's stream format, as one batch."""
    arrays = [
        pa.array(list(column), kind) for column, kind in zip(columns, datasets.ARROW.types, strict=True)
    ]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, datasets.ARROW) as stream:
        stream.write_batch(pa.record_batch(arrays, schema=datasets.ARROW))
    return sink.getvalue().to_pybytes()


def plain(workload: Workload) -> bytes:
    """The rows of a workload, without Spark."""
    return as_bytes((range(len(workload)), *zip(*workload, strict=True)))


def of_table(table: pa.Table) -> bytes:
    """The rows of a table, in its order."""
    assert [field.type for field in table.schema] == datasets.ARROW.types
    return as_bytes(column.to_pylist() for column in table.columns)


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_rows_of_every_family_are_the_same_for_any_number_of_partitions(
    spark: SparkSession, partitions: int, tmp_path: Path
) -> None:
    """Byte for byte those of the plain definition; one job makes the rows of all families."""
    definitions = {**DEFINITIONS, "graph": complete_graph(tmp_path)}
    assert set(definitions) == set(CATALOGUE)
    frames = [
        datasets.generated(spark, definition, partitions).select(f.lit(family).alias("family"), "*")
        for family, definition in definitions.items()
    ]
    table = reduce(DataFrame.unionAll, frames).toArrow()
    for family, definition in definitions.items():
        workload = definition.workload()
        assert len(workload) > 7 * datasets.CHUNK, "each partition has rows, one of them more than a chunk"
        rows = table.filter(pc.field("family") == family).drop_columns(["family"])
        assert of_table(rows) == plain(workload), family


@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_files_are_the_same_for_any_number_of_partitions(
    spark: SparkSession, partitions: int, tmp_path: Path
) -> None:
    definition = define("zipf", updates=5_000, values=100, seed=9)
    dataset = datasets.write(spark, definition, tmp_path / "zipf", partitions)
    assert len(dataset.files) == partitions
    tables = [pq.read_table(file, schema=datasets.ARROW) for file in dataset.files]
    assert of_table(pa.concat_tables(tables)) == plain(definition.workload())
    assert list(dataset.rows()) == list(definition.workload())
    assert list(dataset.rows(777)) == list(definition.workload())[:777]


def test_bytes_tell_rows_apart() -> None:
    """A row more, two rows exchanged, and one number changed."""
    rows = list(DEFINITIONS["zipf"].workload())
    changed = [(*rows[0][:3], 2), *rows[1:]]
    variants = [rows, rows[:-1], [rows[1], rows[0], *rows[2:]], changed]

    def listed(rows: list[Update]) -> Workload:
        return Workload("listed", {}, (Section(len(rows), rows.__getitem__),))

    assert len({plain(listed(variant)) for variant in variants}) == len(variants)


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
    with pytest.raises(
        InputError, match=r"manifest.json: cannot be read: .*; is this the folder of a dataset"
    ):
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
