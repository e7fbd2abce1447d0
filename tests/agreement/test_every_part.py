"""Every combination of parts has triangles, every relation changes in each, and values move between them."""

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

import pytest

from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import RELATIONS, RelationName
from tests.agreement.harness import ONE_OF_EACH, OTHER_ORDERS, RINGS, Run
from tests.agreement.sequences import SPREAD_EPSILON, move_value, spread_database, touch_all_parts


def combinations_with_triangles(run: Run) -> set[tuple[str, ...]]:
    """The combinations of parts of R, S and T that some triangle takes its tuples from."""
    parts: dict[str, dict[str, Any]] = run.view.state()["parts"]  # type: ignore[assignment]
    part_of = {(name, *row): part for name in RELATIONS for part, rows in parts[name].items() for row in rows}
    return {
        (part_of["R", a, b], part_of["S", b, c], part_of["T", c, a])
        for a, b, c in product(range(4), repeat=3)
    }


def partitioned_values(run: Run) -> Iterator[tuple[RelationName, int, int]]:
    for name in RELATIONS:
        for column, value in product(run.partitioned(name), range(4)):
            yield name, column, value


@pytest.mark.parametrize("query", QUERIES)
def test_every_tuple_of_every_combination_of_parts(query: Query, rng: Random) -> None:
    run = Run(query, SPREAD_EPSILON, RINGS["N"], rng, spread_database(RINGS["N"]))
    assert combinations_with_triangles(run) == set(run.decomposition.combinations())
    run.play(touch_all_parts(run))
    assert not run.events
    assert combinations_with_triangles(run) == set(run.decomposition.combinations())


def move_values(run: Run, values: list[tuple[RelationName, int, int]]) -> None:
    for value in values:
        before = len(run.events)
        run.play(move_value(run, *value))
        there, back = run.events[before:]
        assert (there.kind, back.kind) == ("minor", "minor")
        assert there.up != back.up


@pytest.mark.parametrize("query", ONE_OF_EACH)
def test_values_move_between_all_parts(query: Query, rng: Random) -> None:
    run = Run(query, SPREAD_EPSILON, RINGS["N"], rng, spread_database(RINGS["N"]))
    move_values(run, rng.sample(list(partitioned_values(run)), 5))


@pytest.mark.nightly
@pytest.mark.parametrize("ring", RINGS)
@pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS])
def test_all_values_move_between_all_parts(query: Query, ring: str, rng: Random) -> None:
    run = Run(query, SPREAD_EPSILON, RINGS[ring], rng, spread_database(RINGS[ring]))
    move_values(run, list(partitioned_values(run)))
    run.play(touch_all_parts(run))
