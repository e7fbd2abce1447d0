"""Plans without parts, the benchmark's rivals: nothing is heavy, watched or moved; answers are right."""

from random import Random

import pytest

from bench.rivals import NAMES, recount, rival
from ivme.kernel.engine import Engine
from ivme.kernel.events import Major
from ivme.kernel.loading import load
from ivme.kernel.operations import update
from ivme.kernel.parts import LIGHT
from ivme.kernel.storage.interface import UNWATCHED
from ivme_reference import Naive
from ivme_spec.relations import RELATIONS, Row
from tests.kernel.test_storage_interface import Make, each_storage

Held = dict[tuple[int, int, int], int]

each_rival = pytest.mark.parametrize("name", NAMES)


def expected(name: str, held: Held) -> dict[Row, int]:
    """The answer by definition; the floor has none."""
    database = {
        relation: {(x, y): m for (i, x, y), m in held.items() if i == number}
        for number, relation in enumerate(RELATIONS)
    }
    naive: Naive[int] = Naive("", database=database)
    return {} if name == "floor" else dict(naive)


def require_partless(engine: Engine[int], held: Held) -> None:
    """Every tuple is stored, light and unwatched."""
    assert engine.size == len(held)
    for i, relation in enumerate(engine.relations):
        tuples = [(engine.storage.value(x), engine.storage.value(y), m) for x, y, m in relation.tuples()]
        assert sorted(tuples) == sorted((x, y, m) for (j, x, y), m in held.items() if j == i)
        assert (relation.partitioned, relation.watch) == (0, UNWATCHED)
        for column in (0, 1):
            assert relation.watching(column) == 0
            assert {relation.status(column, value) for value in relation.values(column)} <= {LIGHT}
        assert list(relation.damage()) == []
    assert list(engine.head.damage()) == []
    assert [found for tree in engine.summed.values() for found in tree.damage()] == []
    assert engine.kept == {}


@each_storage
@each_rival
def test_updates_are_right_and_nothing_is_moved(make: Make, name: str, rng: Random) -> None:
    """A hub of degree 40 and more, N up and down: major events only, and none moves a tuple."""
    engine, held, events = rival(name, make()), Held(), set[bool]()
    for step in range(400):
        i, x, y = rng.randrange(3), min(rng.randrange(30), rng.randrange(30)), rng.choice((0, 0, 1, 2, 3))
        m = rng.randint(1, 3)
        if i:
            x, y = y, x
        if step >= 250 and held:
            i, x, y = rng.choice(list(held))
        if (i, x, y) in held and (step >= 250 or rng.random() < 0.3):
            m = -held[i, x, y]
        for event in update(engine, i, x, y, m):
            assert isinstance(event, Major)
            assert event.moved == 0
            events.add(event.grown)
        held[i, x, y] = held.get((i, x, y), 0) + m
        if not held[i, x, y]:
            del held[i, x, y]
        if step % 10 == 0:
            assert dict(engine.head.rows()) == expected(name, held)
            require_partless(engine, held)
    assert events == {False, True}
    assert engine.meter.minor_count == 0


@each_storage
@each_rival
def test_loading_is_right_and_makes_no_parts(make: Make, name: str, rng: Random) -> None:
    for tuples in (0, 1, 30, 200):
        held = {
            (rng.randrange(3), min(rng.randrange(9), rng.randrange(9)), rng.randrange(9)): rng.randint(1, 3)
            for _ in range(tuples)
        }
        engine = rival(name, make())
        load(engine, ([((x, y), m) for (j, x, y), m in held.items() if j == i] for i in range(3)))
        assert dict(engine.head.rows()) == expected(name, held)
        require_partless(engine, held)
        if name == "classical":
            assert {(): recount(engine)} == {(): 0} | expected(name, held)


@each_storage
def test_the_floor_stores_and_does_nothing_else(make: Make) -> None:
    """Triangles cost what lone tuples cost: eight steps each, and there is no view."""
    engine = rival("floor", make())
    for x in range(6):
        for y in range(6):
            for i in range(3):
                update(engine, i, x, y, 1)
    assert engine.meter.updates == 8 * engine.meter.update_count == 8 * 108
    assert (engine.entries(), len(engine.head), engine.summed, engine.kept) == (0, 0, {}, {})
