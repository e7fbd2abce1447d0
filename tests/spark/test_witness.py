"""Spark as the witness of `ivme verify`: its workloads and answers, and a planted fault of an engine."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ivme.spark.witness import Witness
from ivme.verify import verify
from ivme.verify.judging import SPARK
from ivme.verify.witness import joined_answers
from ivme.workloads import define
from tests.support.broken_views import WrongAnswer
from tests.support.plans import tiny_plan


@pytest.fixture
def witness(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Witness:
    """The shared session, also for `verify`, which would stop its own."""
    made = Witness(spark, tmp_path / "datasets")

    @contextmanager
    def shared(folder: Path) -> Iterator[Witness]:
        yield made

    monkeypatch.setattr("ivme.verify.spark_witness", shared)
    return made


def test_answers_are_those_of_the_join(witness: Witness) -> None:
    definition = define("zipf", updates=300, values=8, seed=4)
    dataset = witness.write(definition)
    assert witness.answers(dataset, (100, 300)) == joined_answers(definition, (100, 300))


def test_a_healthy_engine_passes(witness: Witness) -> None:
    results = verify(tiny_plan(), jobs=1)
    assert results.ok
    assert [(run.witness, run.source) for run in results.runs] == [("naive", "built-in"), ("spark", "spark")]
    assert f"made and judged by {witness.name}" in results.notes[0]


def test_a_planted_fault_is_found(witness: Witness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ivme.verify.large.TriangleView", WrongAnswer)
    results = verify(tiny_plan(), tmp_path, jobs=1)
    assert {check.name for check in results.checks if check.problems} == {SPARK}
    ((trace,),) = ({problem.trace for problem in run.problems} for run in results.runs if run.problems)
    assert (tmp_path / trace).is_file()
