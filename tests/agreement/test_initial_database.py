"""A view made from a database is the paper's initial state, and answers as if its tuples came one by one."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest

from ivme import TriangleView
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import database as read_database
from ivme_spec.state import MERGED, initial_state
from ivme_spec.views import decomposition_for
from tests.agreement.harness import EPSILONS, INNER, OTHER_ORDERS, RINGS, Database, Run
from tests.agreement.sequences import core_database, hub, random_updates

Plain = dict[str, Any]


def expected_state(query: Query, epsilon: Fraction, ring: str, database: Database) -> Plain:
    """The initial state by the spec's definition, in the form of `TriangleView.state`, except for views."""
    state = initial_state(
        decomposition_for(query.free, query.partitioning), epsilon, read_database(database, RINGS[ring])
    )
    return {
        "N": state.base,
        "parts": {
            name: {part: dict(rows.entries) for part, rows in parts.items()}
            for name, parts in state.partitions.items()
        },
        "views": state.views,
    }


def require_initial_state(view: TriangleView[Any], expected: Plain) -> None:
    """N, parts and views: a merged view is the sum of those that it names."""
    actual: Plain = view.state()
    assert actual["N"] == expected["N"] == 2 * view.size + 1
    assert actual["parts"] == expected["parts"]
    named = [name for key in actual["views"] for name in key.split(MERGED)]
    assert sorted(named) == sorted(expected["views"])
    for key, rows in actual["views"].items():
        first, *others = (expected["views"][name] for name in key.split(MERGED))
        assert rows == sum(others, start=first).entries


def databases(rng: Random, ring: str, epsilon: Fraction) -> list[Database]:
    """Random ones, with random multiplicities, and a hub where one exists."""
    found = [core_database(rng, size, RINGS[ring]) for size in (1, 9, 24)]
    for database in found:
        for rows in database.values():
            rows.update((row, RINGS[ring].lift(rng.choice((1, 2, 3)))) for row in rows)
    if epsilon in INNER and epsilon < Fraction(2, 3):
        found.append(hub(rng.randrange(3), 2, 2, epsilon, RINGS[ring]))
    return found


@pytest.mark.parametrize("ring", ["N", "Z/6"])
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS])
def test_the_state_is_the_initial_state_of_the_paper(
    query: Query, epsilon: Fraction, ring: str, rng: Random
) -> None:
    for database in databases(rng, ring, epsilon):
        run = Run(query, epsilon, RINGS[ring], rng, database)
        require_initial_state(run.view, expected_state(query, epsilon, ring, database))
        assert not run.events


@pytest.mark.parametrize("query", QUERIES)
def test_the_answer_is_that_of_inserting_one_by_one(query: Query, rng: Random) -> None:
    for epsilon in EPSILONS:
        for database in databases(rng, "Z", epsilon):
            given = TriangleView(query.free, epsilon, partitioning=query.partitioning, database=database)
            inserted = TriangleView(query.free, epsilon, partitioning=query.partitioning)
            updates = [(name, *row, m) for name, rows in database.items() for row, m in rows.items()]
            rng.shuffle(updates)
            assert inserted.apply(updates) == given.size == inserted.size
            assert dict(inserted) == dict(given)
            inserted.check()


@pytest.mark.parametrize("query", QUERIES)
def test_updates_go_on_from_there(query: Query, rng: Random) -> None:
    for epsilon in EPSILONS:
        run = Run(query, epsilon, RINGS["N"], rng, core_database(rng, 10, RINGS["N"]))
        run.play(random_updates(run, 6))


def test_a_database_may_be_given_in_several_forms() -> None:
    """Mappings, pairs that repeat, relations of the spec, lists for tuples, missing relations."""
    mapping = {"R": {(1, 2): 2}, "S": {(2, 3): 1}, "T": {(3, 1): 1}}
    pairs = {"R": [(1, 2), [1, 2]], "S": iter([(2, 3)]), "T": ((3, 1),)}
    for database in (mapping, pairs, read_database(mapping, RINGS["N"])):
        view = TriangleView("AB", database=database)
        assert dict(view) == {(1, 2): 2}
        assert view.threshold_base == 7
    assert dict(TriangleView("", database={"R": [(1, 2)]})) == {}
    assert TriangleView("", database={}).threshold_base == TriangleView("").threshold_base == 1


def test_multiplicities_that_cancel_leave_no_tuple() -> None:
    view = TriangleView("", ring=RINGS["Z/6"], database={"R": [(1, 2)] * 6, "S": [(2, 3)]})
    assert view.size == 1
    view.check()
