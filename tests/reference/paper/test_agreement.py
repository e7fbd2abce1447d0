"""The repaired paper is right: after every step the result equals the definition and the state is a state."""

from random import Random
from typing import Any

import pytest

from ivme_reference.paper.engine import PaperEngine
from ivme_reference.paper.state import Major, Move
from ivme_spec.algebra import evaluate
from ivme_spec.errors import InputError
from ivme_spec.queries import HEADS, Partitioning, triangle_query
from ivme_spec.relations import RELATIONS, SCHEMAS, Relation, relation
from ivme_spec.rings import INTEGERS, NATURALS, Ring, modular
from ivme_spec.state import violations

RINGS: tuple[Ring[Any], ...] = (NATURALS, INTEGERS, modular(6))
QUERIES = [(free, "single") for free in HEADS] + [("", "double"), ("BA", "single"), ("CAB", "single")]


class Checked:
    """An engine and the database that it should have; every update checks all that must hold."""

    def __init__(
        self, free: str, epsilon: str, ring: Ring[Any], partitioning: Partitioning, **options: Any
    ) -> None:
        self.engine = PaperEngine(free, epsilon, ring, partitioning, **options)
        self.ring = ring
        self.relations: dict[str, dict[tuple[int, int], Any]] = {name: {} for name in RELATIONS}

    def update(self, name: str, x: int, y: int, m: Any) -> None:
        m = self.ring.lift(m)
        self.engine.update(name, x, y, m)
        rows = self.relations[name]
        rows[x, y] = rows.get((x, y), self.ring.zero) + m
        if not rows[x, y]:
            del rows[x, y]
        self.check()

    def check(self) -> None:
        engine = self.engine
        database: dict[str, Relation[Any]] = {
            name: relation(SCHEMAS[name], self.ring, self.relations[name].items()) for name in RELATIONS
        }
        assert [str(violation) for violation in violations(engine.state(), database)] == []
        expected = evaluate(triangle_query(engine.free), database).entries
        reported = list(engine)
        assert len(reported) == len(expected)
        assert dict(reported) == expected
        assert all(engine[row] == m for row, m in expected.items())

    def present(self) -> list[tuple[str, int, int]]:
        return [(name, x, y) for name, rows in self.relations.items() for x, y in rows]


def random_steps(checked: Checked, rng: Random, steps: int) -> None:
    """Inserts and deletes over few values, skewed so that degrees cross thresholds; first more, then less."""
    values = range(rng.choice([2, 3, 4]))
    for step in range(steps):
        present = checked.present()
        if present and rng.random() < (0.25 if step < steps / 2 else 0.75):
            name, x, y = rng.choice(present)
            checked.update(name, x, y, -checked.relations[name][x, y])
        else:
            x, y = min(rng.choice(values), rng.choice(values)), rng.choice(values)
            checked.update(
                rng.choice(RELATIONS), x, y, rng.choice([1, 2, -1] if checked.ring.signed else [1, 2])
            )


@pytest.mark.parametrize("ring", RINGS, ids=str)
@pytest.mark.parametrize("epsilon", ["0", "1/4", "1/3", "1/2", "3/4", "1"])
@pytest.mark.parametrize(("free", "partitioning"), QUERIES)
def test_agrees_after_every_step(
    free: str, partitioning: Partitioning, epsilon: str, ring: Ring[Any], rng: Random
) -> None:
    checked = Checked(free, epsilon, ring, partitioning)
    checked.check()
    random_steps(checked, rng, 30)
    if epsilon in ("0", "1"):
        unused = "L" if epsilon == "0" else "H"
        for parts in checked.engine.state().partitions.values():
            assert all(not contents for part, contents in parts.items() if unused in part)
        assert not any(isinstance(entry, Move) for entry in checked.engine.log)


def test_the_runs_rebalance(rng: Random) -> None:
    """Runs of this kind contain both rebalances, in both directions; otherwise the test above says little."""
    kinds: set[str] = set()
    while kinds != {"double", "halve", "H", "L"}:
        checked = Checked("AB", "1/4", NATURALS, "single")
        random_steps(checked, rng, 60)
        for entry in checked.engine.log:
            if isinstance(entry, Major):
                kinds.add("double" if entry.after > entry.before else "halve")
            elif isinstance(entry, Move):
                kinds.add(entry.to)


@pytest.mark.parametrize(("free", "partitioning"), QUERIES)
def test_starts_from_a_given_database(free: str, partitioning: Partitioning, rng: Random) -> None:
    database = {
        name: {(rng.randrange(4), rng.randrange(4)): rng.randrange(1, 3) for _ in range(8)} for name in "RST"
    }
    checked = Checked(free, "1/3", NATURALS, partitioning, database=database)
    checked.relations = database
    checked.check()
    random_steps(checked, rng, 10)


@pytest.mark.parametrize(
    ("relation_name", "x", "m"), [("U", 0, 1), ("R", [], 1), ("R", 0, 0), ("R", 0, 1.5), ("R", 0, -1)]
)
def test_refuses_bad_updates_and_changes_nothing(relation_name: str, x: Any, m: Any) -> None:
    engine = PaperEngine("A", "1/2", database={"S": [(1, 2)]})
    before = engine.state()
    with pytest.raises(InputError):
        engine.update(relation_name, x, 0, m)
    assert engine.state() == before
