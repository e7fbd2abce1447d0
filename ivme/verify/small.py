"""Small runs: at regular points the answer against the naive reference, the state against the spec."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from time import monotonic

from attrs import define, evolve, field

from ivme.formats.answers import difference
from ivme.formats.traces import Update
from ivme.verify.judging import (
    ANSWERS,
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
from ivme_reference.naive import Naive

CHECKPOINTS = 3
"""How often the answer and the state are compared on the way; once more in the end."""


@define
class Watch:
    """What was seen of one run so far."""

    answers: int = 0
    rows: int = 0
    states: int = 0
    done: int = 0
    """Updates that were applied, those that were loaded not counted."""
    largest: int = 0
    space: list[tuple[int, int]] = field(factory=list)
    problems: list[Problem] = field(factory=list)

    def look(self, view: TriangleView[int], reference: Naive[int]) -> None:
        """Compare answer and state at this point."""
        rows = list(view)
        answer, right = dict(rows), dict(reference)
        self.answers += 1
        self.rows += len(rows)
        self.states += 1
        self.space.append((entries(view), view.threshold_base))
        after = f"after {self.done} updates: "
        if len(answer) != len(rows):
            self.problems.append(Problem(ROWS, f"{after}{len(rows) - len(answer)} rows come again"))
        if answer != right:
            self.problems.append(Problem(ANSWERS, after + difference(answer, right)))
        self.problems += (Problem(INVARIANTS, f"{after}{violation}") for violation in view.violations())


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
    watch, reference = Watch(), Naive[int](task.free, database=database)
    costs: tuple[Cost, ...] = ()
    view: TriangleView[int] | None = None
    try:
        view = TriangleView(task.free, task.epsilon, partitioning=task.partitioning, database=database)
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
        costs = counted(view, task.partitioning, initial, watch.largest, watch.space)
        watch.problems += cost_problems(costs)
    except Exception as error:  # a fault of the engine is a finding, not the end of the job
        wrong = f"after {watch.done} updates: {type(error).__name__}: {error}"
        watch.problems.append(Problem(FAULTS, wrong))
        watch.done = min(watch.done + 1, len(updates))
    if watch.problems:
        first = watch.problems[0]
        answer = dict(reference) if first.check != FAULTS else None
        trace = save_trace(
            folder, task, loaded, updates[: watch.done], answer, seed, f"{task}: {first.text}", len(loaded)
        )
        watch.problems = [evolve(problem, trace=trace) for problem in watch.problems[:MOST]]
    totals = view.costs if view is not None else None
    return Run(
        kind="small",
        family=task.definition.family,
        parameters={name: str(value) for name, value in task.definition.parameters.items()},
        free=task.free,
        partitioning=task.partitioning,
        epsilon=str(task.epsilon),
        witness="naive",
        source="built-in",
        updates=watch.done,
        size=view.size if view is not None else 0,
        base=watch.largest,
        answers=watch.answers,
        rows=watch.rows,
        states=watch.states,
        minor=totals.minor_count if totals else 0,
        major=totals.major_count if totals else 0,
        seconds=round(monotonic() - started, 3),
        costs=costs,
        problems=tuple(watch.problems),
    )
