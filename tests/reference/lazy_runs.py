"""The lazy reference and the definition side by side, and update sequences that make rows come and go.

`LazyRun` applies updates to both. After each one it raises unless iteration and lookups are those of the
brute-force model, and the spec finds no violation. `seen` counts what happened, so that tests can assert it.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import Any

from ivme_reference.lazy import Build, Drop, LazyTriangles, Major, Minor
from ivme_spec.lazy import lazy_violations
from ivme_spec.queries import Query
from ivme_spec.relations import RELATIONS, Relation, relation
from ivme_spec.rings import INTEGERS, NATURALS, Ring, modular
from tests.reference.brute_force import Model, Update

RINGS: dict[str, tuple[Ring[Any], int]] = {
    "N": (NATURALS, 0),
    "Z": (INTEGERS, 0),
    "Z/6": (modular(6), 6),
}
"""The rings, and the modulus of the brute-force model."""


class LazyRun:
    """The lazy engine under test, the model, and what was seen."""

    def __init__(
        self,
        query: Query,
        epsilon: Fraction,
        rng: Random,
        factor: Fraction = Fraction(1, 4),
        ring: str = "N",
        start: int = 0,
    ) -> None:
        self.query, self.rng = query, rng
        self.ring, modulus = RINGS[ring]
        self.model = Model(modulus, self.ring.signed)
        for _ in range(start):
            name, x, y = rng.choice("RST"), rng.randrange(6), rng.randrange(6)
            if not self.model.present(name, x, y):
                self.model.apply((name, x, y, 1))
        self.engine: LazyTriangles[Any] = LazyTriangles(
            query.free, epsilon, self.ring, query.partitioning, self.database(), factor
        )
        self.seen: Counter[str] = Counter()
        self.events = 0
        self.compare()

    def database(self) -> dict[str, dict[tuple[Any, Any], Any]]:
        """The tuples of the model."""
        return {
            name: {row: self.ring.lift(m) for row in rows if (m := self.model.present(name, *row))}
            for name, rows in self.model.tuples.items()
        }

    def present(self) -> list[tuple[str, int, int]]:
        return [(name, *row) for name, rows in self.database().items() for row in rows]

    def update(self, name: str, x: int, y: int, m: int) -> None:
        """Apply an update to both, and compare."""
        self.engine.update(name, x, y, self.ring.lift(m))
        self.model.apply((name, x, y, m))
        self.compare()

    def play(self, updates: Iterator[Update]) -> None:
        for update in updates:
            self.update(*update)

    def compare(self) -> None:
        expected, found = self.result(), list(self.engine)
        assert {row: int(m) for row, m in found} == expected
        assert len(found) == len(expected)
        tried = [*expected, *(tuple(self.rng.randrange(7) for _ in self.query.free) for _ in range(2))]
        for row in tried:
            assert int(self.engine[row]) == expected.get(row, 0), row
            assert (row in self.engine) == (row in expected)
        given: dict[str, Relation[Any]] = {
            name: relation({"R": "AB", "S": "BC", "T": "CA"}[name], self.ring, rows.items())
            for name, rows in self.database().items()
        }
        violations = list(lazy_violations(self.engine.state(), given))
        assert not violations, "; ".join(map(str, violations[:3]))
        self.observe()

    def result(self) -> dict[tuple[Any, ...], int]:
        """The query by definition: all pairs of tuples of R and S that meet, and T."""
        sums: Counter[tuple[Any, ...]] = Counter()
        r, s, t = (self.model.tuples[name] for name in RELATIONS)
        for (a, b), left in r.items():
            for (other, c), middle in s.items():
                if b == other and (right := t.get((c, a), 0)):
                    sums[tuple({"A": a, "B": b, "C": c}[v] for v in self.query.free)] += left * middle * right
        modulus = self.model.modulus
        reduced = {row: m % modulus if modulus else m for row, m in sums.items()}
        return {row: m for row, m in reduced.items() if m}

    def observe(self) -> None:
        """Count events, and what the state has to show."""
        store = self.engine.store
        for event in self.engine.events[self.events :]:
            match event:
                case Build():
                    self.seen[f"build {event.relation}"] += 1
                case Drop():
                    self.seen["drop for being light" if event.light else "drop for upkeep"] += 1
                case Minor():
                    moved = "moved" if event.moved else "unmoved"
                    self.seen[f"{'up' if event.heavy else 'down'}, {moved}"] += 1
                case Major():
                    self.seen["grown" if event.grown else "shrunk"] += 1
                    self.require_strict()
        self.events = len(self.engine.events)
        for tree in store.trees:
            self.seen["kept root"] += bool(tree.root)
            self.seen["sums"] += any(tree.sums.values())
            self.seen["credit"] += bool(tree.credits)
        for i, stored in enumerate(store.relations):
            for column in range(stored.partitioned):
                waiting = stored.heavy[column] - stored.standing[column]
                self.seen["heavy, stands light"] += bool(waiting)
                if column == 0:
                    self.seen["built, stands light"] += bool(waiting & store.trees[i].accounts.keys())
                else:
                    self.seen["second column stands heavy"] += bool(stored.standing[1])

    def require_strict(self) -> None:
        """After a major rebalance a value is heavy iff its degree is at least θ."""
        for stored in self.engine.store.relations:
            for column in range(stored.partitioned):
                values, strict = stored.columns if column else stored.rows, self.engine.store.theta.strict
                assert stored.heavy[column] == {v for v in values if stored.degree(column, v) >= strict}

    # --- sequences --------------------------------------------------------------------------------------

    def insert(self, name: str, x: int, y: int) -> Update:
        m = self.rng.choice((1, 1, 2, 3))
        if self.ring.signed and self.rng.random() < 0.3:
            m = -m
        return name, x, y, m

    def remove(self, name: str, x: int, y: int) -> Update:
        return name, x, y, -self.model.present(name, x, y)

    def mixed(self, length: int, domain: int = 6, deletes: float = 0.4) -> Iterator[Update]:
        """Random updates with a hub, 0, in every column."""
        for _ in range(length):
            name = self.rng.choice("RST")
            x, y = (0 if self.rng.random() < 0.3 else self.rng.randrange(domain) for _ in range(2))
            there = self.model.present(name, x, y)
            if there and self.rng.random() < deletes:
                whole = self.rng.random() < 0.7 or self.ring.signed
                yield name, x, y, -there if whole else -1
            else:
                yield self.insert(name, x, y)

    def drain(self, size: int = 0) -> Iterator[Update]:
        """Delete random tuples until a size is reached."""
        while len(present := self.present()) > size:
            yield self.remove(*self.rng.choice(present))

    def toggles(self, length: int, domain: int = 4) -> Iterator[Update]:
        """Delete and insert the same tuple of the hubs again and again: rows become worth their price."""
        for _ in range(length):
            name, x, y = self.rng.choice("RST"), self.rng.randrange(2), self.rng.randrange(domain)
            for _ in range(self.rng.randrange(2, 8)):
                there = self.model.present(name, x, y)
                yield self.remove(name, x, y) if there else self.insert(name, x, y)

    def thrash(self, column: int) -> Iterator[Update]:
        """Drive a value of a random column up to ³⁄₂θ and down below ½θ."""
        name, theta = self.rng.choice("RST"), self.engine.store.theta
        value = self.rng.randrange(3)
        others = range(min(theta.light, 14))
        rows = [(value, n) if column == 0 else (n, value) for n in others]
        for x, y in rows:
            if not self.model.present(name, x, y):
                yield self.insert(name, x, y)
        for x, y in rows[self.rng.randrange(3) :]:
            if self.model.present(name, x, y):
                yield self.remove(name, x, y)

    def bridge(self, first: int, width: int = 13) -> Iterator[Update]:
        """Two x and two z with many light y between them: the triangles that a tree is for; then changes.

        The ends are heavy in the second column too, and the middles light everywhere.
        """
        f, g, h = (RELATIONS[(first + turn) % 3] for turn in range(3))
        middles = range(10, 10 + width)
        edges = [(f, x, y) for x in (0, 1) for y in middles] + [(g, y, z) for y in middles for z in (0, 1)]
        self.rng.shuffle(edges)
        yield from (self.insert(*edge) for edge in edges if not self.model.present(*edge))
        for _ in range(width):
            closing = (h, self.rng.randrange(2), self.rng.randrange(2))
            for _ in range(self.rng.randrange(1, 5)):
                yield self.remove(*closing) if self.model.present(*closing) else self.insert(*closing)
            edge = self.rng.choice(edges)
            if not self.model.present(*edge) or self.rng.random() < 0.4:
                yield self.insert(*edge)
            else:
                yield self.remove(*edge)
        self.rng.shuffle(edges)
        for edge in edges[: self.rng.randrange(len(edges))]:
            if self.model.present(*edge):
                yield self.remove(*edge)

    def story(self, rounds: int) -> Iterator[Update]:
        """All of these in turn."""
        for _ in range(rounds):
            yield from self.bridge(self.rng.randrange(3))
            yield from self.mixed(self.rng.randrange(10, 40))
            yield from self.toggles(6)
            yield from self.thrash(0)
            yield from self.toggles(4)
            yield from self.thrash(1)
            yield from self.mixed(10, deletes=0.9)
            if self.rng.random() < 0.5:
                yield from self.drain(self.rng.randrange(6))
