"""Engines with planted faults, and small plans, for the tests of `ivme verify`."""

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import chain
from typing import Any

from attrs import evolve

from ivme import Costs, TriangleView
from ivme.verify.plan import Large, Plan, Task
from ivme.workloads import define
from ivme_spec.partitions import Violation
from ivme_spec.queries import Query
from ivme_spec.relations import RelationName, Row

HALF = Fraction(1, 2)
LATE = 25
"""Faults show after so many updates."""


class Faulty(TriangleView[int]):
    """A view that goes wrong late."""

    @property
    def late(self) -> bool:
        return super().costs.update_count > LATE


class WrongAnswer(Faulty):
    def __iter__(self) -> Iterator[tuple[Row, int]]:
        for row, multiplicity in super().__iter__():
            yield row, multiplicity + self.late


class MissingRow(Faulty):
    def __iter__(self) -> Iterator[tuple[Row, int]]:
        rows = super().__iter__()
        if self.late:
            next(rows, None)
        return rows


class RowTwice(Faulty):
    def __iter__(self) -> Iterator[tuple[Row, int]]:
        rows = list(super().__iter__())
        return iter([*rows, *rows] if self.late else rows)


class Violated(Faulty):
    def violations(self) -> list[Violation]:
        return [Violation("def:planted", "planted", "it does not hold")] if self.late else []


class Slow(Faulty):
    @property
    def costs(self) -> Costs:
        return evolve(super().costs, largest_update=10**6)


class Raises(Faulty):
    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: object) -> None:
        super().update(relation, x, y, multiplicity)
        if self.late:
            raise KeyError("planted")


class TooLarge(Faulty):
    """Its views have far more entries than the bound on space allows."""

    def state(self) -> dict[str, object]:
        return {**super().state(), "views": {"v": {(number,): 1 for number in range(200_000)}}}


def tiny_plan(**changed: Any) -> Plan:
    """One small run, one large workload for one query, one curve for each cost."""
    zipf = define("zipf", updates=600, values=9, seed=3)
    task = Task(define("uniform", updates=90, values=4, seed=1), Query("AB"), HALF)
    plan = Plan(
        small=(task,),
        large=(Large(zipf, (200, 600), Query("AB")),),
        large_queries=(Query("AB"),),
        large_epsilons=(HALF,),
        exponents=((Query("A"), HALF),),
        exponent_sizes=(100, 200),
        timeline=define("zipf", updates=150, values=9, seed=3),
        timeline_epsilon=HALF,
        seed=3,
    )
    return evolve(plan, **changed)


def everything(task: Task) -> list[tuple[str, int, int, int]]:
    """All updates of a task's workload."""
    workload = task.definition.workload()
    return list(chain(chain.from_iterable(workload.loaded), workload.prepare(), workload.updates()))
