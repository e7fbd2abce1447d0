"""One process's part of the benchmark of graphs: it makes stores and times them, as `bench.session` does."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING

from attrs import evolve, field, frozen

from bench import graph_cases
from bench.graph_cases import ATTACKS, TOGGLES, Edge, Orders
from bench.jobs import Job, Reply
from bench.measure import resident
from bench.snapshots import RECOUNTS, triples
from bench.tenlines import AT, Store, digest, made, ours
from ivme import GraphTriangles
from ivme.extras import absence

if TYPE_CHECKING:
    import numpy
    from numpy.typing import NDArray


@frozen
class Prepared:
    """The edges of a graph in all the forms that are timed; none is made while the clock runs."""

    ints: Orders
    strings: tuple[list[tuple[str, str]], list[tuple[str, str]]]
    arrays: tuple[NDArray[numpy.int64], NDArray[numpy.int64]] | None = field(eq=False)
    """Inserts as (u, v), deletes as (u, v, −1); None without numpy."""

    @classmethod
    def of(cls, found: list[Edge], seed: int) -> Prepared:
        """Two random orders of some edges."""
        ints = graph_cases.orders(found, seed)
        inserts, deletes = ([(str(u), str(v)) for u, v in order] for order in (ints.inserts, ints.deletes))
        return cls(ints, (inserts, deletes), _arrays(ints))


def _arrays(ints: Orders) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64]] | None:
    try:
        import numpy
    except ImportError:
        return None
    inserts = numpy.array(ints.inserts, numpy.int64).reshape(-1, 2)
    deletes = numpy.full((len(ints.deletes), 3), -1, numpy.int64)
    deletes[:, :2] = numpy.array(ints.deletes, numpy.int64).reshape(-1, 2)
    return inserts, deletes


SHORT = 1000
"""The length of a short array."""


class GraphSession:
    """Runs jobs on graphs. Holds the edges of one."""

    def __init__(self) -> None:
        self._held: tuple[Job, Prepared] | None = None
        self.operations: Mapping[str, Callable[[Job, int], Reply]] = {
            "edges": self.edges,
            "strings": self.strings,
            "array": self.array,
            "short arrays": self.short_arrays,
            "graph memory": self.memory,
            "largest steps": self.largest_steps,
            "toggles": self.toggles,
            "graph steps": self.steps,
            "rmat": self.rmat,
            "recount": self.recount,
        }

    # --- graphs of files --------------------------------------------------------------------------------

    def edges(self, job: Job, number: int) -> Reply:
        """All edges into a new store and out again, a call each; with number = 1, the answer between."""
        orders = self._prepared(job).ints
        return _called(job, orders.inserts, orders.deletes, number)

    def strings(self, job: Job, number: int) -> Reply:
        """As `edges`, with strings as vertices."""
        return _called(job, *self._prepared(job).strings, number)

    def array(self, job: Job, number: int) -> Reply:
        """As `edges`, with one call of `apply` for the inserts, of an array, and one for the deletes.

        The triangles are counted at the end of each.
        """
        return self._applied(job, number, len(self._prepared(job).ints.inserts))

    def short_arrays(self, job: Job, number: int) -> Reply:
        """As `array`, with a call for each thousand: the count is right after each of these."""
        return self._applied(job, number, SHORT)

    def _applied(self, job: Job, number: int, length: int) -> Reply:
        """All edges in and out, in arrays of a length."""
        prepared, store = self._prepared(job), _ours(job)
        if prepared.arrays is None:
            raise RuntimeError(absence("numpy", "bench"))
        seconds, done, answer = 0.0, 0, ""
        for updates in prepared.arrays:
            parts = [updates[first : first + length] for first in range(0, len(updates), length)]
            gc.collect()
            start = process_time()
            for part in parts:
                done += store.apply(part)
            seconds += process_time() - start
            if number == 1 and not answer:
                answer = digest(store, _vertices(prepared.ints.inserts))
        return _emptied(store, seconds, done, 2 * len(prepared.ints.inserts), answer)

    def memory(self, job: Job, number: int) -> Reply:
        """The growth of this process's resident memory by a store with all edges; in a fresh process only.

        The edges come from an array in `folder`, so that nothing was freed before, which would be reused; the
        vertices are new objects for each edge, as they are for one who reads a file, and count.
        """
        import numpy

        edges = numpy.load(Path(job.folder) / f"{job.case.removeprefix('graph:')}.npy")
        warm = made(job.contender, job.free)
        for u, v in pairwise(range(100)):
            warm.insert(u, v)
        gc.collect()
        before = resident()
        store = made(job.contender, job.free)
        for first in range(0, len(edges), 1000):
            for u, v in edges[first : first + 1000].tolist():
                store.insert(u, v)
        gc.collect()
        return Reply(count=len(edges), numbers={"bytes": float(resident() - before)})

    def largest_steps(self, job: Job, number: int) -> Reply:
        """The most steps that one insert or delete takes, rebalancing included."""
        store, orders = _ours(job), self._prepared(job).ints
        largest = before = 0
        for update, edges in ((store.insert, orders.inserts), (store.delete, orders.deletes)):
            for u, v in edges:
                update(u, v)
                after = store.costs["count"].maintenance
                largest, before = max(largest, after - before), after
        return Reply(count=2 * len(orders.inserts), numbers={"largest steps": float(largest)})

    def recount(self, job: Job, number: int) -> Reply:
        """A library counts the triangles of a graph that it holds."""
        snapshot = {entry.name: entry for entry in RECOUNTS}[job.contender]
        count = snapshot.load(triples(self._prepared(job).ints.inserts))
        gc.collect()
        start = process_time()
        found = count()
        return Reply(process_time() - start, 1, f"{found} triangles")

    # --- hubs and attacks -------------------------------------------------------------------------------

    def toggles(self, job: Job, number: int) -> Reply:
        """Toggle the edge between two hubs: the first TOGGLES times, then for `number` ms or more."""
        store = made(job.contender, job.free)
        for u, v in graph_cases.hub(job.size):
            store.insert(u, v)
        gc.collect()
        first = _toggled(store, TOGGLES // 2)
        times = 1
        while (seconds := _toggled(store, times)) < number / 1000 and times < 1 << 20:
            times *= 2 if seconds * 8 > number / 1000 else 8
        store.insert(0, 1)
        answer = digest(store, range(job.size + 2))
        return Reply(first, TOGGLES, answer, {"toggle": seconds / (2 * times)})

    def steps(self, job: Job, number: int) -> Reply:
        """The counted steps of an update of an attack, on average; and the largest."""
        attack, first = ATTACKS[job.case](job.size), graph_cases.uncounted(job.case)
        store = _ours(job, attack.edges)
        store.apply(attack.updates[:first])
        before = store.costs["count"].maintenance
        done = store.apply(attack.updates[first:])
        return Reply(count=done, numbers={"steps": (store.costs["count"].maintenance - before) / done})

    def rmat(self, job: Job, number: int) -> Reply:
        """Arrays of R-MAT until the graph has `size` edges: CPU seconds, and the process at its peak."""
        store, updates, seconds = ours(job.free, repeated="ignore", self_loops="ignore"), 0, 0.0
        scale = max(10, (job.size // 10 - 1).bit_length())  # an average degree of 10 to 20
        stream = graph_cases.rmat(scale, job.seed, min(graph_cases.CHUNK, job.size))
        while store.number_of_edges() < job.size:
            chunk = next(stream)
            start = process_time()
            updates += store.apply(chunk)
            seconds += process_time() - start
        numbers = {"peak": float(peak()), "seconds": seconds, "edges": float(store.number_of_edges())}
        return Reply(seconds, updates, f"{store.count()} triangles", numbers)

    # --- making -----------------------------------------------------------------------------------------

    def _prepared(self, job: Job) -> Prepared:
        """The edges of a job's graph; one is kept, since all contenders get it."""
        key = evolve(job, contender="", free="", size=0)
        if self._held is None or self._held[0] != key:
            self._held = None
            gc.unfreeze()
            self._held = key, Prepared.of(graph_cases.edges(job.case, job.folder), job.seed)
            gc.collect()
            gc.freeze()
        return self._held[1]


def _ours(job: Job, edges: Sequence[Edge] = ()) -> GraphTriangles:
    return GraphTriangles(track=("count", "at") if job.free == AT else ("count",), edges=edges)


def _vertices(edges: Sequence[tuple[Hashable, Hashable]]) -> list[Hashable]:
    return list(dict.fromkeys(chain.from_iterable(edges)))


def _called(
    job: Job,
    inserts: Sequence[tuple[Hashable, Hashable]],
    deletes: Sequence[tuple[Hashable, Hashable]],
    number: int,
) -> Reply:
    store = made(job.contender, job.free)
    seconds = _each(store.insert, inserts)
    answer = digest(store, _vertices(inserts)) if number == 1 else ""
    seconds += _each(store.delete, deletes)
    return _emptied(store, seconds, len(inserts) + len(deletes), 2 * len(inserts), answer)


def _each(
    update: Callable[[Hashable, Hashable], object], edges: Sequence[tuple[Hashable, Hashable]]
) -> float:
    """CPU seconds of a call for each edge."""
    gc.collect()
    start = process_time()
    for u, v in edges:
        update(u, v)
    return process_time() - start


def _toggled(store: Store, times: int) -> float:
    """CPU seconds of inserts and deletes in turn."""
    insert, delete = store.insert, store.delete
    start = process_time()
    for _ in range(times):
        insert(0, 1)
        delete(0, 1)
    return process_time() - start


def _emptied(store: Store, seconds: float, done: int, wanted: int, answer: str) -> Reply:
    """The reply of a store that must be empty again."""
    if done != wanted or store.count():
        raise RuntimeError(f"{done} of {wanted} updates were applied, and {store.count()} triangles are left")
    return Reply(seconds, done, answer)


def peak() -> int:
    """The most bytes that this process has had in memory."""
    try:
        # not `getrusage`, which starts a child of a large process with its parent's peak
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024
