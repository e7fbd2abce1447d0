"""Contenders whose times are known: a clock that only they move."""

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction

import pytest
from attrs import define, field

from bench import graphs, measure, rounds, session
from bench.cases import Database
from bench.contenders import Contender, Engine
from bench.results import Measurement, Results
from bench.settings import Settings
from ivme.workloads import Update
from ivme_spec.relations import RELATIONS, RelationName, Row

SMALL = Settings(
    sizes=(30, 60, 120),
    attacks=(100, 200, 400),
    heads=30,
    dense=60,
    memory=100,
    snapshot=60,
    loading=60,
    hubs=(4, 8, 16),
    rmat=300,
    rounds=3,
    cell=1e9,
    milliseconds=1,
    longest=1e9,
    minutes=1e9,
)


@define
class Clock:
    """CPU time as the fakes spend it, in seconds; and who spent it."""

    now: float = 0.0
    log: list[str] = field(factory=list)

    def install(self, patch: pytest.MonkeyPatch) -> None:
        for module in (measure, session, graphs):
            patch.setattr(module, "process_time", lambda: self.now)
        for module in (measure, session):
            patch.setattr(module, "process_time_ns", lambda: round(self.now * 1e9))
        patch.setattr(rounds, "monotonic", lambda: self.now)


@define
class Spender:
    """An engine that takes `cost(size of the database)` seconds for each update; right, and naive."""

    clock: Clock
    name: str
    cost: Callable[[int], float]
    free: str
    held: Database
    wrong: bool = False

    def apply(self, updates: Iterable[Update], /) -> int:
        done = 0
        for relation, x, y, multiplicity in updates:
            row = self.held[relation]
            row[x, y] = row.get((x, y), 0) + multiplicity
            if not row[x, y]:
                del row[x, y]
            self.clock.now += self.cost(sum(map(len, self.held.values())))
            done += 1
        self.clock.log.append(self.name)
        return done

    def insert(self, relation: RelationName, x: int, y: int, multiplicity: int = 1) -> None:
        name, self.name = self.name, f"{self.name} by call"
        self.apply([(relation, x, y, multiplicity)])
        self.clock.now += 1.0
        self.name = name

    def __iter__(self) -> Iterator[tuple[Row, int]]:
        r, s, t = (self.held[name] for name in RELATIONS)
        found: dict[Row, int] = {}
        for (a, b), m in r.items():
            for (other, c), k in s.items():
                if other == b and (c, a) in t:
                    values = {"A": a, "B": b, "C": c}
                    row: Row = tuple(values[letter] for letter in self.free)
                    found[row] = found.get(row, 0) + m * k * t[c, a]
        for answer, multiplicity in found.items():
            yield answer, multiplicity + self.wrong


def fake(clock: Clock, name: str, cost: Callable[[int], float], **more: object) -> Contender:
    """A contender of a given cost; `wrong=True` for wrong answers."""
    wrong = bool(more.pop("wrong", False))

    def make(free: str, epsilon: Fraction, database: Database) -> Engine:
        held = {relation: dict(rows) for relation, rows in database.items()}
        return Spender(clock, name, cost, free, held, wrong)

    return Contender(name, make, **more)  # type: ignore[arg-type]  # fields of a contender, by name


def results(*measurements: tuple[str, int, str, str, str, list[float]], kernel: str = "compiled") -> Results:
    """Results with given measurements."""
    made = tuple(Measurement(*entry[:5], tuple(entry[5])) for entry in measurements)
    machine = {"processor": "Abacus", "python": "CPython 3.11"}
    return Results("2026-01-31", "0.1.0", kernel, machine, {"heads": 100_000}, made, ("a: b",))
