"""The engine is in the state of the paper's repaired procedures after every step: same N, same parts."""

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from ivme import TriangleView
from ivme_reference.paper.engine import PaperEngine
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import RELATIONS
from tests.agreement.harness import EPSILONS, INNER, RINGS, Run, Update
from tests.agreement.sequences import core_database, drain, drive, fill, random_updates


def require_same(view: TriangleView[Any], paper: PaperEngine[Any], update: Update | None) -> None:
    state: dict[str, Any] = view.state()
    assert state["N"] == paper.state().base, update
    for name in RELATIONS:
        for part, rows in state["parts"][name].items():
            assert rows == paper.part(name, part), (update, name, part)
    assert dict(view) == dict(paper), update


def side_by_side(run: Run, paper: PaperEngine[Any], updates: Iterator[Update]) -> None:
    for update in updates:
        run.apply(*update)
        paper.update(*update)
        require_same(run.view, paper, update)


@pytest.mark.parametrize("ring", ["N", "Z/6"])
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("query", QUERIES)
def test_same_parts_as_the_paper_after_every_step(
    query: Query, epsilon: Fraction, ring: str, rng: Random
) -> None:
    database = core_database(rng, 6, RINGS[ring])
    run = Run(query, epsilon, RINGS[ring], rng, database)
    paper = PaperEngine(query.free, epsilon, RINGS[ring], query.partitioning, database)
    require_same(run.view, paper, None)
    side_by_side(run, paper, random_updates(run, 12))
    if epsilon in INNER and ring == "N":
        column = rng.choice(run.partitioned(name := rng.choice(RELATIONS)))
        side_by_side(run, paper, fill(run, 14))
        side_by_side(run, paper, drive(run, name, column, 1))
        side_by_side(run, paper, drain(run, 3))
