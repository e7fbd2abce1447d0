"""`ivme verify`, the main job: every claim of the paper checked on adversarial workloads, for every query.

    plan       what is run: families, queries, ε
    small      answers against the naive reference, states against the spec, costs against the bounds
    large      20,000 updates and more, answers against Spark's or another join's (witness)
    exponents  how update time, space and delay grow with N
    timeline   one run in full
    results    what was found, as data: results.json
    summary    the results by family, check and problem

No float decides anything: a bound is compared with a count by integers (`ivme_spec.bounds`).
"""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import ParamSpec, TypeVar

import ivme
from ivme.processes.pool import Here, workers
from ivme.verify.exponents import COST_NAMES, exponent
from ivme.verify.judging import ANSWERS, COSTS, FAULTS, INVARIANTS, JOIN, ROWS, SPARK
from ivme.verify.large import Maintained, judge, maintain
from ivme.verify.plan import HALF, Large, Plan, Task
from ivme.verify.results import Check, Exponent, Results, Run, Timeline
from ivme.verify.small import small_run
from ivme.verify.timeline import timeline
from ivme.verify.witness import Answers, NoSparkError, Spark, joined_answers, spark_witness

T = TypeVar("T")
P = ParamSpec("P")
Advance = Callable[[int], object]


def size_of(plan: Plan) -> int:
    """The number of pieces of work in a plan, for a progress bar."""
    large = len(plan.large) * (1 + len(plan.large_queries) * len(plan.large_epsilons))
    return len(plan.small) + large + len(plan.exponents) * len(COST_NAMES) + 1


def verify(
    plan: Plan,
    folder: Path | None = None,
    *,
    spark: bool = True,
    jobs: int = 2,
    advance: Advance = lambda steps: None,
) -> Results:
    """Run a plan.

    folder   where traces of problems are written, in traces/; None: nowhere
    spark    whether Spark generates and judges the large workloads, if available
    jobs     worker processes; 1: everything in this process
    advance  called with the number of pieces of work done, out of `size_of(plan)`, from any thread

    Cost: `full_plan` takes some three minutes on two cores.
    """
    started, clock = datetime.now(UTC), monotonic()
    notes: list[str] = []
    with ExitStack() as stack:
        pool: Executor = stack.enter_context(Here() if jobs == 1 else workers(jobs))

        def submit(function: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> Future[T]:
            future = pool.submit(function, *arguments, **named)
            future.add_done_callback(lambda done: advance(1))
            return future

        small_runs = [submit(small_run, task, folder, plan.seed) for task in plan.small]
        witness: Spark | None = None
        if spark and plan.large:
            try:
                scratch = Path(stack.enter_context(TemporaryDirectory(prefix="ivme-verify-")))
                witness = stack.enter_context(spark_witness(scratch))
                notes.append(f"Large workloads were made and judged by {witness.name}.")
            except NoSparkError as error:
                notes.append(f"Large workloads were judged by a worst-case optimal join: no Spark: {error}")
        elif plan.large:
            notes.append("Large workloads were judged by a worst-case optimal join: Spark was not asked for.")
        datasets = [witness.write(large.definition) if witness else None for large in plan.large]
        large_runs = [
            [
                submit(maintain, task, dataset, large.prefixes, _checked(task, large))
                for task in _large_tasks(plan, large)
            ]
            for large, dataset in zip(plan.large, datasets, strict=True)
        ]
        curves = [
            submit(exponent, name, query, epsilon, plan.exponent_sizes)
            for name in COST_NAMES
            for query, epsilon in plan.exponents
        ]
        story = submit(timeline, plan.timeline, "AB", plan.timeline_epsilon)
        joins = [
            submit(joined_answers, large.definition, large.prefixes) for large in plan.large if not witness
        ]
        runs: list[Run] = []
        for number, (large, dataset) in enumerate(zip(plan.large, datasets, strict=True)):
            if witness and dataset is not None:
                right: Answers = witness.answers(dataset, large.prefixes)
                advance(1)
            else:
                right = joins[number].result()
            for future in large_runs[number]:
                found: Maintained = future.result()
                expected = {prefix: answers[found.task.query.free] for prefix, answers in right.items()}
                name, check = ("spark", SPARK) if witness else ("leapfrog", JOIN)
                runs.append(judge(found, expected, name, check, dataset, folder, plan.seed))
            large_runs[number].clear()  # frees the answers
        runs = [future.result() for future in small_runs] + runs
        exponents = [future.result() for future in curves]
        full: Timeline = story.result()
    return Results(
        ivme=ivme.__version__,
        python=platform.python_version(),
        platform=platform.platform(),
        started=started.isoformat(timespec="seconds"),
        seconds=round(monotonic() - clock, 1),
        seed=plan.seed,
        notes=tuple(notes),
        checks=tuple(checks(runs, exponents, SPARK if witness else JOIN)),
        runs=tuple(runs),
        exponents=tuple(exponents),
        timeline=full,
    )


def _large_tasks(plan: Plan, large: Large) -> Iterator[Task]:
    for query, epsilon in product(plan.large_queries, plan.large_epsilons):
        yield Task(large.definition, query, epsilon)


def _checked(task: Task, large: Large) -> bool:
    """Whether all invariants are checked at the end of a run."""
    return task.epsilon == HALF and task.query == large.invariants


def checks(runs: Sequence[Run], exponents: Sequence[Exponent], of_large: str) -> Iterator[Check]:
    """The verdicts: for each kind of check, how often it was made and what it found."""
    found: Counter[str] = Counter()
    for problems in (*(run.problems for run in runs), *(one.problems for one in exponents)):
        found.update(problem.check for problem in problems)
    small = sum(run.answers for run in runs if run.kind == "small")
    large = sum(run.answers for run in runs if run.kind == "large")
    made = {
        ANSWERS: small,
        of_large: large,
        ROWS: small + large,
        INVARIANTS: sum(run.states for run in runs),
        COSTS: sum(len(run.costs) for run in runs) + sum(len(one.points) for one in exponents),
        FAULTS: sum(run.updates for run in runs),
    }
    if not any(run.kind == "large" for run in runs):
        del made[of_large]
    for name, count in made.items():
        yield Check(name, count, found[name])
