"""After every step of targeted updates the view is right, and they reach their targets.

For ε strictly between 0 and 1, values cross both thresholds in both directions and sizes both ends; for ε = 0
everything is heavy and for ε = 1 everything light, and nothing ever moves.
"""

from fractions import Fraction
from itertools import product
from random import Random

import pytest

from ivme.kernel.storage.dicts.storage import DictStorage
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import RELATIONS, SCHEMAS, RelationName
from tests.agreement.harness import EPSILONS, INNER, ONE_OF_EACH, OTHER_ORDERS, RINGS, Run
from tests.agreement.sequences import (
    core_database,
    delete_and_reinsert,
    drain,
    drive,
    hub,
    joined_pairs,
    multiplicities_only,
    shake,
    up_and_down,
    vanish_and_return,
)
from tests.support.inside import dict_head, dict_kept, dict_relations, dict_sums, engine_of

each_query = pytest.mark.parametrize("query", QUERIES)
each_epsilon = pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
other_rings = pytest.mark.parametrize("ring", [name for name in RINGS if name != "N"])


def drive_columns(run: Run, columns: list[tuple[RelationName, int]]) -> None:
    """Drive a core value of each column, and require the two minor rebalances where there is a threshold."""
    for name, column in columns:
        run.play(drive(run, name, column, run.rng.randrange(3)))
        for heavy in (True, False):
            moved = run.minors(name, column, heavy)
            if column in run.partitioned(name) and 0 < run.view.epsilon < 1:
                assert moved, f"no minor rebalance of {SCHEMAS[name][column]} in {name}, heavy={heavy}"
            else:
                assert not moved


def require_one_class(run: Run) -> None:
    """ε = 0: all heavy; ε = 1: all light; nothing moved."""
    assert not any(event.moved or event.kind == "minor" for event in run.events)
    letter = "H" if run.view.epsilon == 0 else "L"
    parts = run.view.state()["parts"]
    assert isinstance(parts, dict)
    for by_name in parts.values():
        assert all(not rows or set(part) == {letter} for part, rows in by_name.items())


@each_epsilon
@each_query
def test_degrees_cross_both_thresholds(query: Query, epsilon: Fraction, rng: Random) -> None:
    run = Run(query, epsilon, RINGS["N"], rng, core_database(rng, 14, RINGS["N"]))
    columns = product(RELATIONS, (0, 1))
    few = epsilon > Fraction(1, 2)  # a drive takes many steps: only where there is a threshold to cross
    drive_columns(run, [(name, c) for name, c in columns if c in run.partitioned(name) or not few])
    if epsilon in (0, 1):
        require_one_class(run)


@other_rings
@each_epsilon
@each_query
def test_degrees_cross_both_thresholds_in_other_rings(
    query: Query, epsilon: Fraction, ring: str, rng: Random
) -> None:
    run = Run(query, epsilon, RINGS[ring], rng, core_database(rng, 14, RINGS[ring]))
    name = rng.choice(RELATIONS)
    drive_columns(run, [(name, rng.choice(run.partitioned(name)))])
    if epsilon in (0, 1):
        require_one_class(run)


@pytest.mark.nightly
@other_rings
@each_epsilon
@pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS])
def test_degrees_of_all_columns_in_other_rings(
    query: Query, epsilon: Fraction, ring: str, rng: Random
) -> None:
    run = Run(query, epsilon, RINGS[ring], rng, core_database(rng, 20, RINGS[ring]))
    for _ in range(3):
        drive_columns(run, list(product(RELATIONS, (0, 1))))


@each_epsilon
@each_query
def test_sizes_cross_both_ends(query: Query, epsilon: Fraction, rng: Random) -> None:
    """N goes 1, 2, 4, … 32 and back, twice; then every index and view is empty."""
    run = Run(query, epsilon, RINGS["N"], rng)
    run.play(up_and_down(run, 17, 9))
    assert run.majors(grown=True) >= 6
    assert run.majors(grown=False) >= 4
    assert max(event.base for event in run.events) == 32
    assert run.view.size == 0
    assert run.view.threshold_base <= 3
    engine = engine_of(run.view)
    assert engine.entries() == 0
    assert not any(kept.bucket_count() for kept in engine.kept.values())
    for stored in engine.relations:
        assert not any((list(stored.tuples()), stored.values(0), stored.values(1), list(stored.damage())))
    if isinstance(engine.storage, DictStorage):
        assert not dict_head(engine).entries
        assert not any(summed.sums for summed in dict_sums(engine))
        assert not any(kept.middle or kept.root or len(kept.buckets) for kept in dict_kept(engine))
        for dicts in dict_relations(engine):
            assert not any((*dicts.heavy, *dicts.forward, *dicts.backward))
    assert not any(engine.storage.find(variable, value) for variable in range(3) for value in range(50))
    if epsilon in (0, 1):
        require_one_class(run)


@other_rings
@each_epsilon
@each_query
def test_sizes_cross_both_ends_in_other_rings(
    query: Query, epsilon: Fraction, ring: str, rng: Random
) -> None:
    run = Run(query, epsilon, RINGS[ring], rng, core_database(rng, 4, RINGS[ring]))
    run.play(up_and_down(run, 9))
    assert run.majors(grown=True)
    assert run.majors(grown=False)


@each_epsilon
@each_query
def test_values_and_tuples_that_vanish_and_return(query: Query, epsilon: Fraction, rng: Random) -> None:
    ring = RINGS[rng.choice(["N", "Z", "Z/6"])]
    run = Run(query, epsilon, ring, rng, core_database(rng, 16, ring))
    for name, column in product(RELATIONS, (0, 1)):
        run.play(vanish_and_return(run, name, column, rng.randrange(3)))
    run.play(delete_and_reinsert(run, 4))
    before, events = run.view.state()["parts"], len(run.events)
    run.play(multiplicities_only(run, 4))
    assert run.view.state()["parts"] == before
    assert len(run.events) == events
    run.play(joined_pairs(run, 2))


# --- hubs: trees that hold something ------------------------------------------------------------------------


def shaken_hub(query: Query, epsilon: Fraction, ring: str, tree: int, rng: Random, length: int) -> Run:
    """A run on a hub for one tree, with several buckets if the tree is kept for a binary or unary query."""
    probe = Run(query, epsilon, RINGS[ring], rng)
    engine = probe.view._engine
    plan = engine.plan.trees[tree]
    first = (plan.first + engine.turns) % 3
    many = 4 if epsilon <= Fraction(1, 2) else 2
    xs, zs = (many, 1) if plan.is_kept and engine.kept[tree].by_x else (1, many)
    run = Run(query, epsilon, RINGS[ring], rng, hub(first, xs, zs, epsilon, RINGS[ring]))
    kind = "kept" if plan.is_kept else "summed"
    cancels = ring == "Z/6" and not plan.is_kept  # six ones may add up to zero
    assert run.seen[f"{kind} {tree}"] or cancels, f"the {kind} tree {tree} is empty"
    assert run.seen[f"overlap {tree}"] or not plan.is_kept or engine.plan.arity == 3, "no buckets overlap"
    run.play(shake(run, first, length))
    return run


@pytest.mark.parametrize("tree", range(3))
@pytest.mark.parametrize("epsilon", INNER, ids=str)
@pytest.mark.parametrize("query", [*QUERIES, Query("BA"), Query("CBA")])
def test_hubs_fill_every_tree(query: Query, epsilon: Fraction, tree: int, rng: Random) -> None:
    shaken_hub(query, epsilon, "N", tree, rng, 5 if epsilon > Fraction(1, 2) else 10)


@other_rings
@pytest.mark.parametrize("tree", range(3))
@pytest.mark.parametrize("query", ONE_OF_EACH)
def test_hubs_fill_every_tree_in_other_rings(query: Query, tree: int, ring: str, rng: Random) -> None:
    for epsilon in map(Fraction, ("1/4", "1/3")):
        shaken_hub(query, epsilon, ring, tree, rng, 12)


@pytest.mark.nightly
@pytest.mark.parametrize("ring", RINGS)
@pytest.mark.parametrize("tree", range(3))
@pytest.mark.parametrize("epsilon", INNER, ids=str)
@pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS])
def test_hubs_are_shaken_and_drained(
    query: Query, epsilon: Fraction, tree: int, ring: str, rng: Random
) -> None:
    run = shaken_hub(query, epsilon, ring, tree, rng, 60)
    run.play(drain(run))
