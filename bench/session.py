"""One process's part of the benchmark: it makes cases and contenders, and times them.

The clock is the CPU time of the process, including all threads. The garbage collector runs as it does for a
user; before each timed run earlier garbage is collected, and the list of updates is frozen, so that no
contender pays for traversing it.
"""

from __future__ import annotations

import gc
from array import array
from collections import deque
from collections.abc import Callable, Sequence
from time import process_time, process_time_ns

from attrs import evolve

from bench.cases import EPSILON, STREAMS, Case, Database, case, inserts, multiset
from bench.contenders import ENGINES, Contender, Engine, named, rows
from bench.graphs import GraphSession
from bench.jobs import Job, Reply
from bench.measure import digest, inserted, largest_gap, percentile, repeated, resident, steps, timed
from bench.snapshots import SNAPSHOTS, Count, Snapshot
from ivme.workloads import Update


class Session:
    """Runs jobs. Holds one case, and the prepared engines and snapshots."""

    def __init__(
        self, engines: Sequence[Contender] = ENGINES, snapshots: Sequence[Snapshot] = SNAPSHOTS
    ) -> None:
        self._contenders, self._snapshots = engines, snapshots
        self._case: tuple[Job, Case] | None = None
        self._prepared: dict[Job, Engine] = {}
        self._counts: dict[Job, Count] = {}
        self._graphs = GraphSession()

    def run(self, operation: str, job: Job, number: int = 1) -> Reply:
        """One of the operations below, or of those on graphs, by its name."""
        operations: dict[str, Callable[[Job, int], Reply]] = {
            "stream": self.stream,
            "prepare": self.prepare,
            "attack": self.attack,
            "drop": self.drop,
            "slowest": self.slowest,
            "bulk": self.bulk,
            "insert": self.insert,
            "apply": self.apply,
            "enumerate": self.enumerate,
            "memory": self.memory,
            "load": self.load,
            "snapshot": self.snapshot,
            "count": self.count,
            **self._graphs.operations,
        }
        return operations[operation](job, number)

    # --- streams ----------------------------------------------------------------------------------------

    def stream(self, job: Job, number: int) -> Reply:
        """All updates of a case on a new engine; with number = 1, the answer after the first part too."""
        made = self._made(job)
        engine, contender = self._engine(job, made)
        before = steps(engine)
        seconds, answer = 0.0, ""
        for position, part in enumerate(made.timed):
            seconds += timed(engine, part)
            if position == 0 and number == 1:
                answer = digest(engine, contender)
        reply = Reply(seconds, made.updates, answer, _per(made.updates, before, steps(engine)))
        _close(engine)
        return reply

    def slowest(self, job: Job, number: int) -> Reply:
        """The updates of a case one by one: median, 99th percentile and largest time of one, and the sum.

        In CPU time, which other processes do not disturb. Reading the clock is a system call, which costs
        about as much as a fast update and is counted with it: "clock" is the median time between two reads.
        """
        made = self._made(job)
        engine, _ = self._engine(job, made)
        gc.collect()
        clock, apply, times, reads = process_time_ns, engine.apply, array("q"), array("q")
        for part in made.timed:
            for update in part:
                one = (update,)
                start = clock()
                apply(one)
                times.append(clock() - start)
        _close(engine)
        for _ in range(1000):
            start = clock()
            reads.append(clock() - start)
        found = sorted(times)
        numbers = {
            "median": percentile(found, 50),
            "p99": percentile(found, 99),
            "largest": found[-1],
            "clock": percentile(sorted(reads), 50),
        }
        return Reply(sum(found) / 1e9, len(found), numbers={what: ns / 1e9 for what, ns in numbers.items()})

    # --- attacks ----------------------------------------------------------------------------------------

    def prepare(self, job: Job, number: int) -> Reply:
        """Load a case that returns, and find how many repetitions take `number` milliseconds."""
        made = self._made(job)
        engine, contender = self._engine(job, made)
        self._prepared[job] = engine
        first, *others = made.timed
        engine.apply(first)
        answer = digest(engine, contender)
        for part in others:
            engine.apply(part)
        times = 1
        while (seconds := timed(engine, _units(made, times))) < number / 1000 and times < 1 << 20:
            times *= 2 if seconds * 8 > number / 1000 else 8
        return Reply(seconds, times, answer)

    def attack(self, job: Job, number: int) -> Reply:
        """Apply the case `number` times to the prepared engine."""
        made, engine = self._made(job), self._prepared[job]
        before = steps(engine)
        updates = _units(made, number)
        seconds = timed(engine, updates)
        return Reply(seconds, len(updates), numbers=_per(len(updates), before, steps(engine)))

    def drop(self, job: Job, number: int) -> Reply:
        """Forget what was prepared for a job."""
        if (engine := self._prepared.pop(job, None)) is not None:
            _close(engine)
        self._counts.pop(job, None)
        return Reply()

    # --- loading ----------------------------------------------------------------------------------------

    def bulk(self, job: Job, number: int) -> Reply:
        """Build an engine from the database after the first part; with number = 1, its answer too."""
        database, contender = multiset(self._made(job).timed[0]), named(job.contender, self._contenders)
        _settle()
        start = process_time()
        engine = contender.make(job.free, EPSILON, database)
        seconds = process_time() - start
        answer = digest(engine, contender) if number == 1 else ""
        return Reply(seconds, sum(map(len, database.values())), answer)

    def insert(self, job: Job, number: int) -> Reply:
        """Insert the same tuples into an empty engine, one call each; as `bulk`."""
        return self._inserted(job, number, inserted)

    def apply(self, job: Job, number: int) -> Reply:
        """Apply the same tuples to an empty engine, one by one, in a single call; as `bulk`."""
        return self._inserted(job, number, timed)

    def _inserted(self, job: Job, number: int, way: Callable[[Engine, list[Update]], float]) -> Reply:
        updates = inserts(multiset(self._made(job).timed[0]))
        contender = named(job.contender, self._contenders)
        engine = contender.make(job.free, EPSILON, multiset(()))
        _settle()
        seconds = way(engine, updates)
        return Reply(seconds, len(updates), digest(engine, contender) if number == 1 else "")

    # --- answers ----------------------------------------------------------------------------------------

    def enumerate(self, job: Job, number: int) -> Reply:
        """Rows per second through each interface, after the first part of a case; and the largest delay."""
        made = self._made(job)
        engine, contender = self._engine(job, made)
        engine.apply(made.timed[0])
        gc.collect()
        numbers: dict[str, float] = {}
        count = sum(1 for _ in rows(engine))
        seconds = repeated(lambda: deque(rows(engine), maxlen=0))
        numbers["iterator"] = count / seconds
        for name in ("to_numpy", "to_arrow"):
            if (convert := getattr(engine, name, None)) is not None:
                convert()  # warm-up: imports do not count
                numbers[name] = count / repeated(convert)
        numbers["delay"] = largest_gap(engine)
        if (costs := getattr(engine, "costs", None)) is not None:
            numbers["delay steps"] = costs.largest_delay
        return Reply(seconds, count, digest(engine, contender), numbers)

    def memory(self, job: Job, number: int) -> Reply:
        """The growth of this process's resident memory by an engine with the first part of a stream.

        Valid only in a fresh process, since freed memory is reused. For the same reason the updates, of which
        `number` distinct tuples stay, are generated one by one; their values count.
        """
        contender = named(job.contender, self._contenders)
        _close(self._engine(job, case("sparse", 100, job.seed))[0])  # warm-up: lazy imports
        workload, length = STREAMS[job.case](job.size, job.seed)
        gc.collect()
        before = resident()
        engine = contender.make(job.free, EPSILON, multiset(()))
        engine.apply(map(workload.__getitem__, range(length)))
        gc.collect()
        numbers = {"bytes": float(resident() - before)}
        if (size := getattr(engine, "size_bytes", None)) is not None:
            numbers["own bytes"] = float(size())
        return Reply(count=number, numbers=numbers)

    # --- snapshots --------------------------------------------------------------------------------------

    def load(self, job: Job, number: int) -> Reply:
        """Give a snapshot contender the database after the first part of a case, each tuple once."""
        snapshot = {entry.name: entry for entry in self._snapshots}[job.contender]
        database = self.distinct(job)
        self._counts[job] = snapshot.load(database)
        return Reply(count=sum(map(len, database.values())))

    def distinct(self, job: Job) -> Database:
        """The database after the first part of a case, each tuple once."""
        found = multiset(self._made(job).timed[0])
        return {name: dict.fromkeys(held, 1) for name, held in found.items()}

    def snapshot(self, job: Job, number: int) -> Reply:
        """Recompute the count of a loaded snapshot."""
        count = self._counts[job]
        gc.collect()
        start = process_time()
        found = count()
        return Reply(process_time() - start, 1, str(found))

    def count(self, job: Job, number: int) -> Reply:
        """The count of an engine on the database of the snapshots, to compare with them."""
        engine = named(job.contender, self._contenders).make("", EPSILON, self.distinct(job))
        return Reply(answer=str(sum(multiplicity for _, multiplicity in rows(engine))))

    # --- making -----------------------------------------------------------------------------------------

    def _made(self, job: Job) -> Case:
        """The case of a job; one is cached, since all contenders get it."""
        key = evolve(job, contender="", free="")
        if self._case is None or self._case[0] != key:
            self._case = None
            gc.unfreeze()
            self._case = key, case(job.case, job.size, job.seed, job.folder)
            _settle()
        return self._case[1]

    def _engine(self, job: Job, made: Case) -> tuple[Engine, Contender]:
        contender = named(job.contender, self._contenders)
        engine = contender.make(job.free, EPSILON, made.database)
        engine.apply(made.before)
        return engine, contender


def _settle() -> None:
    """Collect garbage, and freeze the rest, so that no contender pays for traversing it."""
    gc.collect()
    gc.freeze()


def _units(made: Case, times: int) -> list[Update]:
    return [update for part in made.timed for update in part] * times


def _per(count: int, before: int | None, after: int | None) -> dict[str, float]:
    return {} if before is None or after is None else {"steps": (after - before) / max(1, count)}


def _close(engine: Engine) -> None:
    if (close := getattr(engine, "close", None)) is not None:
        close()
