"""Small plans for the tests of `ivme verify`."""

from fractions import Fraction
from itertools import chain
from typing import Any

from attrs import evolve

from ivme.verify.plan import Large, Plan, Task
from ivme.workloads import define
from ivme_spec.queries import Query

HALF = Fraction(1, 2)


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
