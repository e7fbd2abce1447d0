"""Large runs: some 20,000 updates from the empty database, compared with another system after some prefixes.

The updates come from Parquet datasets that Spark wrote, or from the generators themselves without Spark. A
worker process maintains the view and returns its answers; witness.py has what they are compared with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from time import monotonic

from attrs import evolve, frozen

from ivme.events import Rebalance
from ivme.formats.traces import Answer, Update
from ivme.verify.judging import (
    INVARIANTS,
    compared,
    cost_problems,
    counted,
    entries,
    fault,
    recorded,
    save_trace,
    traced,
)
from ivme.verify.plan import Task
from ivme.verify.results import Cost, Problem, Run
from ivme.view import TriangleView
from ivme_spec.relations import Row


@frozen
class Maintained:
    """A run before its answers are compared: rows by prefix, and how far it came."""

    task: Task
    run: Run
    answers: Mapping[int, tuple[tuple[Row, int], ...]]
    reached: int
    """Updates that were applied, including one that failed."""


def updates_of(task: Task, dataset: str | None) -> Iterable[Update]:
    """The workload's updates in order, from a dataset of Spark's or from the generator."""
    if dataset is None:
        return task.definition.workload()
    from ivme.spark.datasets import read

    return read(dataset).rows()


def maintain(task: Task, dataset: str | None, prefixes: tuple[int, ...], invariants: bool) -> Maintained:
    """Maintain a view; its answers after the prefixes, and all invariants at the end if asked for.

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
    view = TriangleView(
        task.query.free, task.epsilon, partitioning=task.query.partitioning, on_rebalance=watch
    )
    try:
        rows = iter(updates_of(task, dataset))
        for prefix in prefixes:
            done += view.apply(islice(rows, prefix - done))
            answers[prefix] = tuple(view)
            space.append((entries(view), view.threshold_base))
        if invariants:
            states = 1
            problems += (Problem(INVARIANTS, f"after {done} updates: {found}") for found in view.violations())
        costs = counted(view, task.query, 0, max(largest, view.threshold_base), space)
        problems += cost_problems(costs)
    except Exception as error:
        done = view.costs.update_count
        problems.append(fault(error, done))
        done += 1
    run = recorded(
        task,
        view,
        kind="large",
        witness="",
        source="spark" if dataset is not None else "built-in",
        updates=view.costs.update_count,
        base=max(largest, view.threshold_base),
        answers=0,
        rows=0,
        states=states,
        started=started,
        costs=costs,
        problems=problems,
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
        problems += compared(rows, right[prefix], check, prefix)
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
        problems[:] = traced(problems, trace)
    return evolve(
        found.run,
        witness=witness,
        answers=len(found.answers),
        rows=sum(map(len, found.answers.values())),
        problems=tuple(problems),
    )
