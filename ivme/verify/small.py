"""Small runs: at regular points the answer against the naive reference, the state against the spec."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from time import monotonic

from attrs import define, field

from ivme.formats.traces import Update
from ivme.verify.judging import (
    ANSWERS,
    FAULTS,
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
from ivme_reference.naive import Naive

CHECKPOINTS = 3
"""How often the answer and the state are compared during a run; once more at the end."""


@define
class Watch:
    """What was seen of a run so far."""

    answers: int = 0
    rows: int = 0
    states: int = 0
    done: int = 0
    """Updates that were applied; loaded tuples do not count."""
    largest: int = 0
    space: list[tuple[int, int]] = field(factory=list)
    problems: list[Problem] = field(factory=list)

    def look(self, view: TriangleView[int], reference: Naive[int]) -> None:
        """Compare answer and state at this point."""
        rows = list(view)
        self.answers += 1
        self.rows += len(rows)
        self.states += 1
        self.space.append((entries(view), view.threshold_base))
        self.problems += compared(rows, dict(reference), ANSWERS, self.done)
        self.problems += (
            Problem(INVARIANTS, f"after {self.done} updates: {violation}") for violation in view.violations()
        )


def small_run(task: Task, folder: Path | None, seed: int) -> Run:
    """Run a workload on one query; problems come with a trace in `folder`.

    Cost: the naive reference recomputes four times, the spec's predicates too.
    """
    started = monotonic()
    workload = task.definition.workload()
    database = workload.database()
    loaded: list[Update] = [*chain.from_iterable(workload.loaded)]
    updates: list[Update] = [*workload.prepare(), *workload.updates()]
    every = max(1, len(updates) // CHECKPOINTS)
    watch, reference = Watch(), Naive[int](task.query.free, database=database)
    costs: tuple[Cost, ...] = ()
    view: TriangleView[int] | None = None
    try:
        view = TriangleView(
            task.query.free, task.epsilon, partitioning=task.query.partitioning, database=database
        )
        initial = watch.largest = view.threshold_base
        for update in updates:
            if watch.done % every == 0:
                watch.look(view, reference)
            if watch.problems:
                break
            view.update(*update)
            reference.update(*update)
            watch.done += 1
            watch.largest = max(watch.largest, view.threshold_base)
        else:
            watch.look(view, reference)
        costs = counted(view, task.query, initial, watch.largest, watch.space)
        watch.problems += cost_problems(costs)
    except Exception as error:
        watch.problems.append(fault(error, watch.done))
        watch.done = min(watch.done + 1, len(updates))
    if watch.problems:
        first = watch.problems[0]
        answer = dict(reference) if first.check != FAULTS else None
        trace = save_trace(
            folder, task, loaded, updates[: watch.done], answer, seed, f"{task}: {first.text}", len(loaded)
        )
        watch.problems[:] = traced(watch.problems, trace)
    return recorded(
        task,
        view,
        kind="small",
        witness="naive",
        source="built-in",
        updates=watch.done,
        base=watch.largest,
        answers=watch.answers,
        rows=watch.rows,
        states=watch.states,
        started=started,
        costs=costs,
        problems=watch.problems,
    )
