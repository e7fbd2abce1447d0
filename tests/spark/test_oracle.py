"""The oracle: documented counts, agreement with engines at any prefix, and planted wrong answers."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import cast

import pytest
from pyspark.errors import ArithmeticException
from pyspark.sql import DataFrame, SparkSession

from ivme import TriangleView
from ivme.spark import datasets, oracle
from ivme.workloads import CATALOGUE, Definition, Update, define
from ivme_reference.naive import Naive
from ivme_spec.queries import HEADS
from ivme_spec.relations import RelationName, Row

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("IVME_DATA") or ROOT.parent / "shared" / "data")

WORKLOADS = [
    define("zipf", updates=600, values=12, seed=3),
    define("hub", size=200, updates=5, everywhere=True),
    define("sliding-window", updates=400, window=90, values=7, seed=1),
    define("multiplicities", side=3, bits=31),
]


@pytest.mark.parametrize("definition", WORKLOADS, ids=lambda definition: str(definition.family))
def test_all_heads_at_some_prefixes(spark: SparkSession, definition: Definition, rng: Random) -> None:
    updates = datasets.generated(spark, definition).cache()
    workload = list(definition.workload())
    for prefix in (0, rng.randrange(len(workload)), len(workload)):
        found = oracle.answers(oracle.database_after(updates, prefix))
        for free in HEADS:
            reference: Naive[int] = Naive(free)
            for update in workload[:prefix]:
                reference.update(*update)
            assert found[free] == dict(reference), (free, prefix)
    updates.unpersist()


def test_rows_have_their_values_in_the_order_of_the_head(spark: SparkSession) -> None:
    rows = [(0, "R", 1, 2, 1), (1, "S", 2, 3, 2), (2, "T", 3, 1, 5)]
    database = oracle.database_after(spark.createDataFrame(rows, datasets.COLUMNS))
    found = oracle.answers(database, ["CA", "BAC", ""])
    assert found == {"CA": {(3, 1): 10}, "BAC": {(2, 1, 3): 10}, "": {(): 10}}


def test_impossible_workloads_are_refused(spark: SparkSession) -> None:
    rows = [(0, "R", 1, 2, 1), (1, "R", 1, 2, -2)]
    with pytest.raises(oracle.OracleError, match=r"R\(1, 2\) is deleted more often than inserted"):
        oracle.answers(oracle.database_after(spark.createDataFrame(rows, datasets.COLUMNS)))


def test_a_number_that_does_not_fit_raises(spark: SparkSession) -> None:
    updates = datasets.generated(spark, define("multiplicities", side=2, bits=62))
    with pytest.raises(ArithmeticException):
        oracle.answers(oracle.database_after(updates, 12), [""])


@pytest.mark.parametrize(
    ("name", "triangles"),
    [
        ("ca-GrQc", 48_260),
        ("CollegeMsg-temporal", 14_319),
        pytest.param("email-Eu-core", 105_461, marks=pytest.mark.nightly),
        pytest.param("ego-Facebook", 1_612_010, marks=pytest.mark.nightly),
        pytest.param("wiki-Vote", 608_389, marks=pytest.mark.nightly),
        pytest.param("email-Enron", 727_044, marks=pytest.mark.nightly),
    ],
)
def test_documented_counts(compiled: SparkSession, name: str, triangles: int) -> None:
    path = DATA / f"{name}.txt.gz"
    if not path.is_file():
        pytest.skip(f"{path} is absent: the real graphs are not part of the project; IVME_DATA may name them")
    updates = datasets.generated(compiled, define("graph", path=path))
    assert oracle.answers(oracle.database_after(updates), [""]) == {"": {(): 6 * triangles}}


class Forgetful(TriangleView[int]):
    """Loses a single update, and with it its part of all answers from there on."""

    lost: int = -1
    seen: int = 0

    def update(self, relation: RelationName, x: object, y: object, multiplicity: object) -> None:
        self.seen += 1
        if self.seen != self.lost:
            super().update(relation, x, y, multiplicity)


def forgetful(lost: int, heads: Sequence[str]) -> Callable[[], list[Forgetful]]:
    def make() -> list[Forgetful]:
        engines = [Forgetful(free) for free in heads]
        for engine in engines:
            engine.lost = lost
        return engines

    return make


def closing(definition: Definition, after: int) -> int:
    """The first update after so many that changes the count: the number of updates up to it."""
    view = TriangleView("")
    for number, update in enumerate(definition.workload(), start=1):
        before = view[()]
        view.update(*update)
        if number > after and view[()] != before and update[3] > 0:
            return number
    raise AssertionError("no update closes a triangle")


def test_the_first_wrong_prefix_is_found_by_bisection(
    spark: SparkSession, tmp_path: Path, rng: Random
) -> None:
    definition = define("uniform", updates=800, values=9, seed=2)
    dataset = datasets.write(spark, Definition("uniform", definition.parameters), tmp_path / "u")
    updates = dataset.frame(spark).where("seq < 400").cache()
    planted = closing(definition, rng.randrange(300))
    found = oracle.first_difference(updates, dataset.rows, 400, forgetful(planted, HEADS))
    assert found is not None
    assert found.prefix == planted
    assert set(found.wrong) == set(HEADS)
    assert oracle.first_difference(updates, dataset.rows, 400, forgetful(-1, HEADS)) is None
    updates.unpersist()


class Follower:
    """An engine that only knows which updates it was given."""

    free = ""

    def __init__(self) -> None:
        self.given: list[Update] = []

    def update(self, relation: RelationName, x: object, y: object, multiplicity: object) -> None:
        assert isinstance(x, int)
        assert isinstance(y, int)
        assert isinstance(multiplicity, int)
        self.given.append((relation, x, y, multiplicity))

    def __iter__(self) -> Iterator[tuple[Row, int]]:
        return iter(())


@pytest.mark.parametrize("planted", [0, 1, 137, 511, 999, 1_000, None])
def test_bisection_goes_on_from_what_was_right(planted: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every answer is asked for after exactly the prefix; a new start is made only after a wrong one."""
    workload = list(define("uniform", updates=1_000, values=9).workload())
    made: list[Follower] = []
    asked: list[tuple[int, bool]] = []

    def make() -> list[Follower]:
        made.append(Follower())
        return made[-1:]

    def compare(engines: list[Follower], prefix: int) -> dict[str, dict[Row, tuple[int, int]]]:
        assert engines == made[-1:]
        assert engines[0].given == workload[:prefix]
        wrong = planted is not None and prefix >= planted
        asked.append((prefix, wrong))
        return {"": {(): (prefix, 0)}} if wrong else {}

    monkeypatch.setattr(oracle, "database_after", lambda updates, prefix: prefix)
    monkeypatch.setattr(oracle, "compare", compare)
    found = oracle.first_difference(cast("DataFrame", None), lambda count: workload[:count], 1_000, make)
    assert found == (None if planted is None else oracle.Difference(planted, {"": {(): (planted, 0)}}))
    assert len(made) == 1 + sum(wrong for _, wrong in asked[:-1])
    assert len(asked) <= 12


def recorded(definition: Definition) -> list[int]:
    """The count after each update, by an engine."""
    view, counts = TriangleView(""), []
    for update in definition.workload():
        view.update(*update)
        counts.append(view[()])
    return counts


@pytest.mark.parametrize(
    "definition",
    [
        define("zipf", updates=5_000, values=300, power=2, seed=7),
        pytest.param(
            define("zipf", updates=100_000, values=3_000, power=2, seed=7), marks=pytest.mark.nightly
        ),
    ],
    ids=lambda definition: str(definition.parameters["updates"]),
)
def test_a_single_wrong_answer_in_a_long_run_is_found(
    compiled: SparkSession, definition: Definition, rng: Random
) -> None:
    """Only one recorded answer is wrong, and the next is right again."""
    updates = datasets.generated(compiled, definition)
    counts = recorded(definition)
    assert counts[-1] > 0
    assert oracle.first_wrong_count(updates, counts) is None
    planted = rng.randrange(len(counts))
    counts[planted] += 1
    found = oracle.first_wrong_count(updates, counts)
    assert found is not None
    assert (found.prefix, found.wrong) == (planted + 1, {"": {(): (counts[planted], counts[planted] - 1)}})


@pytest.mark.nightly
def test_a_lost_update_among_many_is_found(compiled: SparkSession, tmp_path: Path, rng: Random) -> None:
    definition = define("zipf", updates=100_000, values=3_000, power=2, seed=7)
    dataset = datasets.write(compiled, definition, tmp_path / "z")
    planted = closing(definition, rng.randrange(90_000, 99_000))
    found = oracle.first_difference(
        dataset.frame(compiled), dataset.rows, dataset.updates, forgetful(planted, ["", "A"])
    )
    assert found is not None
    assert found.prefix == planted


def test_expected_answers_of_the_catalogue(spark: SparkSession) -> None:
    definition = define("grow-and-drain", peak=2_000, rounds=1)
    updates = datasets.generated(spark, definition).cache()
    expected = CATALOGUE["grow-and-drain"].counts(definition.workload())
    for prefix, count in expected.items():
        found = oracle.answers(oracle.database_after(updates, prefix), [""])[""]
        assert found == ({(): count} if count else {})
    updates.unpersist()
