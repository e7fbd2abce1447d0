"""Large runs: some 20,000 updates from the empty database, compared with another system after some prefixes.

The updates come from Parquet datasets that Spark wrote, or from the generators themselves where there is no
Spark. A worker process maintains the view and gives its answers; who they are compared with is in witness.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from time import monotonic

from attrs import evolve, frozen

from ivme.events import Rebalance
from ivme.formats.answers import difference
from ivme.formats.traces import Answer, Update
from ivme.verify.judging import (
    FAULTS,
    INVARIANTS,
    MOST,
    ROWS,
    cost_problems,
    counted,
    entries,
    save_trace,
)
from ivme.verify.plan import Task
from ivme.verify.results import Cost, Problem, Run
from ivme.view import TriangleView
from ivme_spec.relations import Row


@frozen
class Maintained:
    """A run before its answers were compared: rows by prefix, and where the first problem showed."""

    task: Task
    run: Run
    answers: Mapping[int, tuple[tuple[Row, int], ...]]
    reached: int
    """Updates that were applied, one that failed included."""


def updates_of(task: Task, dataset: str | None) -> Iterable[Update]:
    """The workload's updates in order, from a dataset of Spark's or from the generator."""
    if dataset is None:
        return task.definition.workload()
    from ivme.spark.datasets import read

    return read(dataset).rows()


def maintain(task: Task, dataset: str | None, prefixes: tuple[int, ...], invariants: bool) -> Maintained:
    """Maintain a view; its answers after the prefixes, and in the end all invariants if asked for.

    Cost: that of the updates; memory for the answers.
    """
    started = monotonic()
    largest = 0

    def watch(event: Rebalance) -> None:
        nonlocal largest
        largest = max(largest, event.base)

    answers: dict[int, tuple[tuple[Row, int], ...]] = {}
    problems: list[Problem] = []
    space: list[tuple[int, int]] = []
    costs: tuple[Cost, ...] = ()
    done = states = 0
    view = TriangleView(task.free, task.epsilon, partitioning=task.partitioning, on_rebalance=watch)
    try:
        rows = iter(updates_of(task, dataset))
        for prefix in prefixes:
            done += view.apply(islice(rows, prefix - done))
            answers[prefix] = tuple(view)
            space.append((entries(view), view.threshold_base))
        if invariants:
            states = 1
            problems += (Problem(INVARIANTS, f"after {done} updates: {found}") for found in view.violations())
        costs = counted(view, task.partitioning, 0, max(largest, view.threshold_base), space)
        problems += cost_problems(costs)
    except Exception as error:  # a fault of the engine is a finding, not the end of the job
        done = view.costs.update_count
        problems.append(Problem(FAULTS, f"after {done} updates: {type(error).__name__}: {error}"))
        done += 1
    totals = view.costs
    run = Run(
        kind="large",
        family=task.definition.family,
        parameters={name: str(value) for name, value in task.definition.parameters.items()},
        free=task.free,
        partitioning=task.partitioning,
        epsilon=str(task.epsilon),
        witness="",
        source="spark" if dataset is not None else "built-in",
        updates=totals.update_count,
        size=view.size,
        base=max(largest, view.threshold_base),
        answers=0,
        rows=0,
        states=states,
        minor=totals.minor_count,
        major=totals.major_count,
        seconds=round(monotonic() - started, 3),
        costs=costs,
        problems=tuple(problems),
    )
    return Maintained(task, run, answers, done)


def judge(
    found: Maintained,
    right: Mapping[int, Answer],
    witness: str,
    check: str,
    dataset: str | None,
    folder: Path | None,
    seed: int,
) -> Run:
    """The run with its answers compared; problems come with a trace in `folder`.  Cost: the answers."""
    problems: list[Problem] = []
    wrong: int | None = None
    for prefix, rows in found.answers.items():
        answer, after = dict(rows), f"after {prefix} updates: "
        if len(answer) != len(rows):
            problems.append(Problem(ROWS, f"{after}{len(rows) - len(answer)} rows come again"))
        if answer != right[prefix]:
            problems.append(Problem(check, after + difference(answer, right[prefix])))
        if problems and wrong is None:
            wrong = prefix
    problems += found.run.problems
    if problems:
        stop = wrong or found.reached
        trace = save_trace(
            folder,
            found.task,
            (),
            islice(updates_of(found.task, dataset), stop),
            right[wrong] if wrong is not None else None,
            seed,
            f"{found.task}: {problems[0].text}",
        )
        problems = [evolve(problem, trace=trace) for problem in problems[:MOST]]
    return evolve(
        found.run,
        witness=witness,
        answers=len(found.answers),
        rows=sum(map(len, found.answers.values())),
        problems=tuple(problems),
    )
