"""What is measured of graphs: `GraphTriangles` against what a person with a graph would do without it."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import graph_cases
from bench.cases import graphs
from bench.contenders import OURS
from bench.graph_cases import ATTACKS, HUBS, RMAT
from bench.graph_targets import ROUNDS
from bench.rounds import Bench, Cell
from bench.selection import present, rounds, wanted
from bench.snapshots import RECOUNTS
from bench.tenlines import AT, COUNT, STORES, TEN, StoreContender
from ivme.extras import absence

PROCESS = "graphs"
"""Where graphs are timed: a process of their own, whose memory is not that of earlier sections."""


def edges(bench: Bench) -> None:
    """All edges in and out, in random orders, as ints, arrays and strings; and the steps of the largest."""
    for name, size in _files(bench, "edges"):
        if bench.late(f"edges, {name}"):
            continue
        bench.say(f"  {name}, {size:,} edges")
        for free in (COUNT, AT):
            cells = [_cell(bench, store, name, size, free, "edges", "edge") for store in _stores(bench, free)]
            if _numpy(bench, "array"):
                ours = _only_ours(bench)
                for operation in ("array", "short arrays"):
                    cells += [_cell(bench, store, name, size, free, operation, operation) for store in ours]
            bench.compare(cells, f"edges, {name}, {free or 'count'}")
        pair = [store for store in _stores(bench, COUNT) if store.name in (TEN, OURS)]
        strings = [_cell(bench, store, name, size, COUNT, "strings", "string edge") for store in pair]
        bench.compare(strings, f"strings, {name}")
        for store, free in product(_only_ours(bench), (COUNT, AT)):
            job = bench.job(store.name, name, size, free)
            if (reply := bench.attempt(PROCESS, "largest steps", job)) is not None:
                bench.record(job, "largest steps", [reply.numbers["largest steps"]])


def memory(bench: Bench) -> None:
    """Bytes per edge of each store with all edges, each in a fresh process."""
    if not _numpy(bench, "edge-memory"):
        return
    import numpy

    for name, size in reversed(_files(bench, "edge-memory")):  # goals are about a large one
        with TemporaryDirectory() as folder:
            inserts = graph_cases.orders(graph_cases.edges(name, bench.settings.folder), bench.settings.seed)
            target = Path(folder) / f"{name.removeprefix('graph:')}.npy"
            numpy.save(target, numpy.array(inserts.inserts, numpy.int64))
            for free in (COUNT, AT):
                for store in _stores(bench, free):
                    if bench.late(f"edge-memory, {name}"):
                        continue
                    bench.say(f"  {name}, {store.name}{', per vertex' if free else ''}")
                    job = bench.job(store.name, name, size, free, folder)
                    replies = [
                        bench.fresh(PROCESS, "graph memory", job, 1)
                        for _ in range(rounds(bench, goal=store.name == OURS))
                    ]
                    found = [reply.numbers["bytes"] / reply.count for reply in replies if reply is not None]
                    bench.record(job, "bytes", found)


def hubs(bench: Bench) -> None:
    """The edge between two hubs is toggled: the first times, and later."""
    for size in bench.settings.hubs if wanted(bench, "case")(HUBS) else ():
        if bench.late(f"{HUBS}, {size}"):
            continue
        bench.say(f"  {HUBS}, {size:,} common neighbours")
        for free in (COUNT, AT):
            cells = [
                _cell(bench, store, HUBS, size, free, "toggles", "first toggle", bench.settings.milliseconds)
                for store in _stores(bench, free)
                if store.name in (TEN, OURS)
            ]
            bench.compare(cells, f"{HUBS}, {size}, {free or 'count'}")


def growth(bench: Bench) -> None:
    """The counted steps of an update under attack, ours."""
    for name, size in product(filter(wanted(bench, "case"), ATTACKS), bench.settings.attacks):
        for store in _only_ours(bench):
            if bench.late(f"{name}, {size}"):
                continue
            bench.say(f"  {name}, {size:,}")
            job = bench.job(store.name, name, size)
            if (reply := bench.attempt(PROCESS, "graph steps", job)) is not None:
                bench.record(job, "steps", [reply.numbers["steps"]])


def large(bench: Bench) -> None:
    """A large skewed stream, ours, in a fresh process."""
    for store in _only_ours(bench) if wanted(bench, "case")(RMAT) else ():
        if not _numpy(bench, RMAT) or bench.late(RMAT):
            continue
        bench.say(f"  {RMAT}, {bench.settings.rmat:,} edges")
        job = bench.job(store.name, RMAT, bench.settings.rmat)
        if (reply := bench.fresh(PROCESS, "rmat", job, 1)) is not None:
            for quantity, value in reply.numbers.items():
                bench.record(job, quantity, [value])


def recounts(bench: Bench) -> None:
    """Libraries that recompute the count of a graph that they hold."""
    for name, size in reversed(_files(bench, "recounts")):  # where a recount costs most
        entries = [entry for entry in present(bench, RECOUNTS) if not bench.late(f"{name}, {entry.name}")]
        if entries:
            bench.say(f"  {name}: {', '.join(entry.name for entry in entries)}")
        jobs = [bench.job(entry.name, name, size) for entry in entries]
        bench.compare(
            [Cell(job, "recount", "recount", PROCESS, least=1) for job in jobs], f"recounts, {name}"
        )


# --- within ---------------------------------------------------------------------------------------------


def _files(bench: Bench, section: str) -> list[tuple[str, int]]:
    """The selected graphs of the folder with their numbers of edges, small ones first."""
    folder = bench.settings.folder
    if not folder:
        bench.skip(section, "no folder with edge lists: give one with --data")
        return []
    names = list(filter(wanted(bench, "case"), graphs(folder)))
    sizes = [(name, len(graph_cases.edges(name, folder))) for name in names]
    return sorted(sizes, key=lambda entry: entry[1])


def _stores(bench: Bench, free: str) -> list[StoreContender]:
    return [store for store in present(bench, STORES) if free in store.heads]


def _only_ours(bench: Bench) -> list[StoreContender]:
    return [store for store in present(bench, STORES) if store.name == OURS]


def _numpy(bench: Bench, what: str) -> bool:
    """Whether there are arrays; else `what` is skipped."""
    if why := absence("numpy", "bench"):
        bench.skip(what, why)
    return not why


def _cell(
    bench: Bench,
    store: StoreContender,
    case: str,
    size: int,
    free: str,
    operation: str,
    quantity: str,
    number: int | None = None,
) -> Cell:
    least = store.least if bench.settings.rounds >= ROUNDS else 1  # with fewer rounds no goal is judged
    return Cell(bench.job(store.name, case, size, free), operation, quantity, PROCESS, number, least)
