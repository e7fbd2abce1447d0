"""Contenders in turns: one round of each, then the next round, in another order.

Invariant: what is compared was measured on the same updates, and every contender that answers gave the same
answer; a different answer is a problem. A contender that exceeds time or memory is skipped from then on, and
that is recorded.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Protocol, TypeVar

from attrs import Factory, define, field, frozen

from bench.cases import GRAPH, kind
from bench.child import Child, ContenderError
from bench.contenders import ENGINES, Contender, environment
from bench.jobs import Job, Reply
from bench.results import OUT_OF_TIME, Measurement
from bench.session import Session
from bench.settings import Settings
from bench.snapshots import SNAPSHOTS, Snapshot
from ivme_spec.queries import Query

T = TypeVar("T")


class Runner(Protocol):
    """A session, here or in a separate process."""

    def run(self, operation: str, job: Job, number: int = 1) -> Reply:
        """Run an operation of a session."""
        ...


@define
class Times:
    """What the rounds of a cell took, by contender: seconds of an update, and its counted steps."""

    seconds: dict[str, list[float]] = field(factory=dict)
    steps: dict[str, float] = field(factory=dict)

    def add(self, contender: str, reply: Reply) -> None:
        """One more round."""
        self.seconds.setdefault(contender, []).append(reply.seconds / reply.count)
        if "steps" in reply.numbers:
            self.steps[contender] = reply.numbers["steps"]


@frozen
class Cell:
    """One of several ways to do the same, of which each round has all.

    quantity  what the seconds of an update are recorded as; further numbers of a reply keep their names
    number    is passed to the operation; None: 1 in the first round, for the answer, and 0 later
    least     the rounds it gets however long they take
    """

    job: Job
    operation: str
    quantity: str
    process: str = ""
    number: int | None = None
    least: int = 1000


@define
class Bench:
    """A run of the benchmark: its contenders, where they run, and what was found."""

    settings: Settings
    engines: Sequence[Contender] = field(factory=lambda: ENGINES)
    snapshots: Sequence[Snapshot] = field(factory=lambda: SNAPSHOTS)
    say: Callable[[str], object] = print
    measurements: list[Measurement] = field(factory=list)
    skipped: list[str] = field(factory=list)
    problems: list[str] = field(factory=list)
    started: float = field(factory=lambda: monotonic())
    until: float = field(init=False)
    """When the section must end."""
    _local: Session = field(
        init=False, default=Factory(lambda self: Session(self.engines, self.snapshots), takes_self=True)
    )
    _children: dict[str, Child] = field(init=False, factory=dict)
    _past: dict[tuple[str, str, str], list[tuple[int, float]]] = field(init=False, factory=dict)

    def __attrs_post_init__(self) -> None:
        self.share(1.0)

    # --- bookkeeping ------------------------------------------------------------------------------------

    def skip(self, what: str, why: str) -> None:
        """Record, once, that something was not measured."""
        if (line := f"{what}: {why}") not in self.skipped:
            self.skipped.append(line)
            self.say(f"  skipped {line}")

    def problem(self, line: str) -> None:
        """Record that something is wrong."""
        self.problems.append(line)
        self.say(f"  PROBLEM {line}")

    def share(self, part: float) -> None:
        """End the section when a part of the total time has passed."""
        self.until = self.started + part * self.settings.minutes * 60

    def late(self, what: str) -> bool:
        """Whether the time of the section is up; then `what` is skipped."""
        over = monotonic() > self.until
        if over:
            minutes = (self.until - self.started) / 60
            self.skip(what, f"{minutes:.3g} of the {self.settings.minutes:g} {OUT_OF_TIME}")
        return over

    def record(self, job: Job, quantity: str, values: Iterable[float], size: int | None = None) -> None:
        """Record the values of the rounds, if any."""
        if kept := tuple(values):
            size = job.size if size is None else size
            self.measurements.append(Measurement(job.case, size, job.free, job.contender, quantity, kept))

    def job(self, contender: str, case: str, size: int, free: str = "", folder: str = "") -> Job:
        """A job with this run's seed and folder, or another folder."""
        return Job(contender, case, size, free, self.settings.seed, folder or self.settings.folder)

    def runner(self, process: str) -> Runner:
        """The session of a process, started on demand."""
        if not process:
            return self._local
        if process not in self._children:
            self._children[process] = child = Child(environment(process))
            if process == "pure" and child.kernel != "pure":
                self.problem(f"the process for the pure kernel runs the {child.kernel} one")
        return self._children[process]

    def close(self) -> None:
        """End all processes, and unfreeze what was frozen for the clock."""
        gc.unfreeze()
        while self._children:
            self._children.popitem()[1].close()

    def attempt(self, process: str, operation: str, job: Job, number: int = 1) -> Reply | None:
        """Run an operation; None, and a line, if it fails."""
        try:
            return self.runner(process).run(operation, job, number)
        except MemoryError:
            self.skip(str(job), "not enough memory")
        except ContenderError as error:
            if process in self._children:
                self._children.pop(process).close()
            if error.limit:
                self.skip(str(job), str(error))
            else:
                self.problem(f"{job}: {error}")
        except Exception as error:
            self.problem(f"{job}: {type(error).__name__}: {error}")
        return None

    def agree(self, answers: dict[str, str], where: str) -> None:
        """A problem unless all given answers agree."""
        given = {name: answer for name, answer in answers.items() if answer}
        if len(set(given.values())) > 1:
            listed = "; ".join(f"{name}: {answer}" for name, answer in given.items())
            self.problem(f"{where}: the answers differ: {listed}")

    # --- cells ------------------------------------------------------------------------------------------

    def stream(
        self, case: str, size: int, free: str, contenders: Sequence[Contender], length: int | None = None
    ) -> None:
        """Rounds of a whole stream on new engines.  A contender that failed is dropped.

        The time is predicted from the size, or from the length if that is independent of it.
        """
        amount = size if length is None else length
        jobs = {entry.name: self.job(entry.name, case, size, free) for entry in contenders}
        turns = [
            entry
            for entry in contenders
            if entry.takes(case, size, free, stream=True) and self._affordable(jobs[entry.name], amount)
        ]
        spent = {entry.name: 0.0 for entry in turns}
        times, answers = Times(), dict[str, str]()
        for number in range(self.settings.rounds):
            for entry in in_turn(turns, number):
                if number >= entry.sure(case) and spent[entry.name] > self.settings.cell:
                    continue
                job, begun = jobs[entry.name], monotonic()
                reply = self.attempt(entry.process, "stream", job, 0 if number else 1)
                spent[entry.name] += monotonic() - begun
                if reply is None:
                    turns.remove(entry)
                    continue
                times.add(entry.name, reply)
                if not number:
                    answers[entry.name] = reply.answer
                    past = self._past.setdefault((entry.name, kind(case), free), [])
                    past.append((amount, reply.seconds))
        self.agree(answers, f"{case}, {size}, {Query(free)}")
        self._keep(jobs, times)

    def _keep(self, jobs: dict[str, Job], times: Times) -> None:
        for name, values in times.seconds.items():
            self.record(jobs[name], "update", values)
            if name in times.steps:
                self.record(jobs[name], "steps", [times.steps[name]])

    def _affordable(self, job: Job, amount: int) -> bool:
        """Whether a run is predicted to stay within the limit, extrapolating the last two sizes.

        From one graph to another only the length grows.
        """
        past = self._past.get((job.contender, kind(job.case), job.free), [])
        if not past or amount <= past[-1][0]:
            return True
        (size, seconds), growth = past[-1], 1.0
        if len(past) > 1 and past[-2][1] > 0 and kind(job.case) != GRAPH:
            growth = max(1.0, seconds / past[-2][1] / (size / past[-2][0]))
        expected = seconds * (amount / size) * growth
        if expected > self.settings.longest:
            self.skip(str(job), f"about {expected:.0f} s")
        return expected <= self.settings.longest

    def attack(self, case: str, size: int, free: str, contenders: Sequence[Contender]) -> None:
        """Rounds of an attack on engines that are loaded once."""
        wanted = [entry for entry in contenders if entry.takes(case, size, free, stream=False)]
        jobs = {entry.name: self.job(entry.name, case, size, free) for entry in wanted}
        repeats, answers, turns = dict[str, int](), dict[str, str](), list[Contender]()
        for entry in wanted:
            job = jobs[entry.name]
            reply = self.attempt(entry.process, "prepare", job, self.settings.milliseconds)
            if reply is not None:
                repeats[entry.name], answers[entry.name] = reply.count, reply.answer
                turns.append(entry)
        self.agree(answers, f"{case}, {size}, {Query(free)}")
        times = Times()
        for number in range(self.settings.rounds):
            for entry in in_turn(turns, number):
                reply = self.attempt(entry.process, "attack", jobs[entry.name], repeats[entry.name])
                if reply is None:
                    turns.remove(entry)
                else:
                    times.add(entry.name, reply)
        for entry in turns:
            self.attempt(entry.process, "drop", jobs[entry.name])
        self._keep(jobs, times)

    def compare(self, cells: Sequence[Cell], where: str) -> None:
        """Rounds of cells that give the same answer.  One that failed is dropped."""
        turns, spent = list(cells), dict.fromkeys(cells, 0.0)
        found: dict[tuple[Job, str], list[float]] = {}
        answers: dict[str, str] = {}
        for number in range(self.settings.rounds):
            for cell in in_turn(turns, number):
                if number >= cell.least and spent[cell] > self.settings.cell:
                    continue
                begun = monotonic()
                given = (0 if number else 1) if cell.number is None else cell.number
                reply = self.attempt(cell.process, cell.operation, cell.job, given)
                spent[cell] += monotonic() - begun
                if reply is None:
                    turns.remove(cell)
                    continue
                for quantity, value in {cell.quantity: reply.seconds / reply.count, **reply.numbers}.items():
                    found.setdefault((cell.job, quantity), []).append(value)
                if not number:
                    answers[f"{cell.job.contender}, {cell.quantity}"] = reply.answer
        self.agree(answers, where)
        for (job, quantity), values in found.items():
            self.record(job, quantity, values)

    def loading(self, case: str, size: int, free: str, contender: Contender) -> None:
        """Rounds of the database after the first part of a case: at once, and one by one in two ways."""
        job = self.job(contender.name, case, size, free)
        ways = [Cell(job, way, way, contender.process) for way in ("bulk", "insert", "apply")]
        self.compare(ways, f"loading, {case}, {size}, {Query(free)}")

    def fresh(self, process: str, operation: str, job: Job, number: int) -> Reply | None:
        """An operation in a fresh process, with the environment of another."""
        name = f"fresh {process}"
        try:
            with Child(environment(process)) as child:
                self._children[name] = child
                return self.attempt(name, operation, job, number)
        finally:
            self._children.pop(name, None)


def in_turn(contenders: Sequence[T], number: int) -> list[T]:
    """The contenders, starting with another one in each round."""
    start = number % max(1, len(contenders))
    return [*contenders[start:], *contenders[:start]]
