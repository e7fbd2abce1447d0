"""HyperCube: the cells together give the answers of a single view, and refuse what it refuses."""

from collections import Counter

import pytest
from pyspark.sql import SparkSession

from ivme import InputError, TriangleView
from ivme.spark import datasets, hypercube
from ivme.spark.hypercube import Shares
from ivme.workloads import Definition, define
from ivme_spec.queries import HEADS

SHARES = [Shares(1, 1, 1), Shares(2, 2, 2), Shares(3, 2, 1), Shares(3, 3, 3)]
SKEWED = define("zipf", updates=900, values=25, seed=4)


def single(definition: Definition) -> dict[str, dict[tuple[object, ...], int]]:
    found = {}
    for free in HEADS:
        view = TriangleView(free)
        view.apply(definition.workload())
        found[free] = dict(view)
    return found


@pytest.mark.parametrize("shares", SHARES, ids=str)
def test_all_heads_as_a_single_view(spark: SparkSession, shares: Shares) -> None:
    """A skewed workload, a fourth of it deletes."""
    updates = datasets.generated(spark, SKEWED)
    found = hypercube.run(updates, shares)
    assert found.answers == single(SKEWED)
    assert all(found.answers.values())
    assert (found.refused, found.updates) == ([], 900)
    copies = {"R": shares.c, "S": shares.a, "T": shares.b}
    assert sum(found.loads.values()) == sum(copies[relation] for relation, *_ in SKEWED.workload())
    assert set(found.loads) <= set(range(shares.cells))
    if shares.cells == 1:
        assert (found.replication, found.skew, found.largest) == (1, 1, 1)
    else:
        assert 1 < found.replication <= 3
        assert 1 <= found.skew < shares.cells
        assert found.largest < 1


def test_the_routing_never_changes() -> None:
    """The committed state of streams depends on it."""
    shares = Shares(3, 5, 7)
    assert shares.of("R", 123, -4) == [77, 78, 79, 80, 81, 82, 83]
    assert shares.of("T", 10**18, 7) == [71, 78, 85, 92, 99]


def test_large_multiplicities_are_exact(spark: SparkSession) -> None:
    definition = define("multiplicities", side=3, bits=31)
    updates = datasets.generated(spark, definition).where("seq < 54")
    found = hypercube.run(updates, Shares(2, 1, 2), ["", "AB"], "1/3")
    assert found.answers[""] == {(): 27 * (2**31 + 1) ** 3}
    assert found.answers["AB"] == {(a, b): 3 * (2**31 + 1) ** 3 for a in range(3) for b in range(3)}


def test_heads_in_any_order_of_their_letters(spark: SparkSession) -> None:
    updates = datasets.generated(spark, SKEWED)
    view = TriangleView("CA")
    view.apply(SKEWED.workload())
    assert hypercube.run(updates, Shares(2, 1, 1), ["CA"]).answers == {"CA": dict(view)}


def test_refused_updates_end_in_the_side_output(spark: SparkSession) -> None:
    """Each once, with the reason that a single view gives; the others are applied."""
    rows = [
        (0, "R", 1, 2, 1),
        (1, "R", 1, 2, -2),
        (2, "S", 2, 3, 1),
        (3, "T", 3, 1, 0),
        (4, "T", 3, 1, 4),
        (5, "X", 3, 1, 1),
        (6, "S", None, 3, 1),
        (7, "R", 1, 2, None),
        (8, "T", 3, 1, -1),
    ]
    updates = spark.createDataFrame(rows, datasets.COLUMNS)
    found = hypercube.run(updates, Shares(2, 2, 2), ["", "ABC"])
    assert found.answers == {"": {(): 3}, "ABC": {(1, 2, 3): 3}}
    assert [refusal.seq for refusal in found.refused] == [1, 3, 5, 6, 7]
    assert [(refusal.seq, *refusal.update) for refusal in found.refused] == [rows[k] for k in (1, 3, 5, 6, 7)]
    view = TriangleView("")
    for refusal in found.refused[:3]:
        view.apply([("R", 1, 2, 1)])
        with pytest.raises(InputError) as caught:
            view.update(*refusal.update)  # type: ignore[arg-type]  # bad on purpose
        view = TriangleView("")
        assert refusal.reason == str(caught.value)
    assert all("a value is missing" in refusal.reason for refusal in found.refused[3:])


def test_nothing_at_all(spark: SparkSession) -> None:
    found = hypercube.run(spark.createDataFrame([], datasets.COLUMNS), Shares(2, 2, 2), ["", "A"])
    assert (found.answers, found.refused, found.loads) == ({"": {}, "A": {}}, [], {})
    assert (found.replication, found.skew, found.largest) == (0, 0, 0)


# --- routing, without Spark -----------------------------------------------------------------------------


@pytest.mark.parametrize("shares", SHARES, ids=str)
def test_every_triangle_meets_in_exactly_one_cell(shares: Shares) -> None:
    for a in range(-3, 12):
        for b in range(5):
            for c in range(1 << 40, (1 << 40) + 5):
                cells = [shares.of("R", a, b), shares.of("S", b, c), shares.of("T", c, a)]
                assert [len(entry) for entry in cells] == [shares.c, shares.a, shares.b]
                assert all(len(set(entry)) == len(entry) for entry in cells)
                assert len(set.intersection(*map(set, cells))) == 1


def test_the_hash_is_the_same_on_every_machine() -> None:
    """A change would scatter the state of everyone who has some."""
    shares = Shares(4, 4, 4)
    assert [shares.of("R", value, value)[0] // 4 for value in (0, 1, 2, -1, 1 << 62)] == PLACES


def test_values_are_spread_evenly() -> None:
    found = Counter(Shares(4, 1, 1).of("R", value, 0)[0] for value in range(4_000))
    assert max(found.values()) < 1.2 * min(found.values())


def test_shares_below_one_are_refused() -> None:
    with pytest.raises(InputError, match=r"shares \(2, 0, 1\): each is at least 1"):
        Shares(2, 0, 1)


PLACES = [14, 1, 12, 0, 12]
