"""What is measured, section by section.

Each has a share of the time, and what it leaves is for the next: on a slow machine every section loses its
last cells, rather than one section all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from itertools import product

from attrs import asdict, frozen

import ivme
from bench import graph_sections
from bench.cases import ATTACKS, STREAMS, case, graphs, multiset
from bench.contenders import OURS, PURE, kernel
from bench.jobs import Job
from bench.results import INTERRUPTED, Results, machine
from bench.rounds import Bench, in_turn
from bench.selection import engines, only_ours, ours, present, rounds, vocabulary, wanted
from ivme_spec.errors import InputError
from ivme_spec.queries import CANONICAL_HEADS, HEADS, Query


def streams(bench: Bench) -> None:
    """The count query on streams, all engines."""
    for name in filter(wanted(bench, "case"), STREAMS):
        for size in bench.settings.sizes:
            if not bench.late(f"{name}, {size}"):
                bench.say(f"  {name}, {size:,}")
                bench.stream(name, size, "", engines(bench))


def attacks(bench: Bench) -> None:
    """The count query under attack, all engines; and the other canonical heads, ours only, for exponents."""
    for name in filter(wanted(bench, "case"), ATTACKS):
        for size in bench.settings.attacks:
            if bench.late(f"{name}, {size}"):
                continue
            bench.say(f"  {name}, {size:,}")
            for free in CANONICAL_HEADS:
                bench.attack(
                    name, size, free, [entry for entry in engines(bench) if not free or entry.name == OURS]
                )


def heads(bench: Bench) -> None:
    """The other queries, ours with both kernels."""
    for name in filter(wanted(bench, "case"), ("sparse", "zipf")):
        for free in HEADS if bench.settings.heads not in bench.settings.sizes else HEADS[1:]:
            if not bench.late(f"{name}, {Query(free)}"):
                bench.say(f"  {name}, {Query(free)}")
                bench.stream(name, bench.settings.heads, free, ours(bench))


def memory(bench: Bench) -> None:
    """Bytes per tuple: ours for every query, the others for the count; each in a fresh process."""
    size = bench.settings.memory
    for name in filter(wanted(bench, "case"), ("sparse",)):
        made = case(name, size, bench.settings.seed)
        tuples = sum(map(len, multiset(made.timed[0]).values()))
        del made
        for entry in engines(bench):
            for free in HEADS if entry.name in (OURS, PURE) else ("",):
                if not entry.takes(name, size, free, stream=True) or bench.late(f"memory, {Query(free)}"):
                    continue
                bench.say(f"  {name}, {Query(free)}, {entry.name}")
                job, found = bench.job(entry.name, name, size, free), dict[str, list[float]]()
                for _ in range(rounds(bench, goal=entry.name == OURS and not free)):
                    if (reply := bench.fresh(entry.process, "memory", job, tuples)) is not None:
                        for quantity, total in reply.numbers.items():
                            found.setdefault(quantity, []).append(total / reply.count)
                for quantity, values in found.items():
                    bench.record(job, quantity, values)


def enumeration(bench: Bench) -> None:
    """Rows per second and the largest delay, for every query, on dense data."""
    size = bench.settings.dense
    for free in HEADS if wanted(bench, "case")("dense") else ():
        answers, found = dict[str, str](), dict[tuple[Job, str], list[float]]()
        for number in range(rounds(bench, goal=free == HEADS[-1])):
            for entry in in_turn(ours(bench), number):
                if bench.late(f"enumeration, {Query(free)}"):
                    continue
                bench.say(f"  dense, {Query(free)}, {entry.name}")
                job = bench.job(entry.name, "dense", size, free)
                if (reply := bench.attempt(entry.process, "enumerate", job)) is not None:
                    answers[entry.name] = reply.answer
                    for quantity, value in {"rows": reply.count, **reply.numbers}.items():
                        found.setdefault((job, quantity), []).append(value)
        bench.agree(answers, f"enumeration, {Query(free)}")
        for (job, quantity), values in found.items():
            bench.record(job, quantity, values)


def slowest(bench: Bench) -> None:
    """Single updates, one by one: median, 99th percentile, largest, mean; the count and the triangles."""
    for name in filter(wanted(bench, "case"), ("sparse", "zipf")):
        for free, entry in product((HEADS[0], HEADS[-1]), only_ours(bench)):
            if bench.late(f"largest update, {name}, {Query(free)}"):
                continue
            bench.say(f"  {name}, {Query(free)}")
            job = bench.job(entry.name, name, max(bench.settings.sizes), free)
            if (reply := bench.attempt(entry.process, "slowest", job)) is not None:
                for what in ("largest", "median", "p99"):
                    bench.record(job, f"{what} update", [reply.numbers[what]])
                bench.record(job, "clock", [reply.numbers["clock"]])
                bench.record(job, "mean update", [reply.seconds / reply.count])


def snapshots(bench: Bench) -> None:
    """Recomputing the count, compared with an update of ours at the same size."""
    size, name = bench.settings.snapshot, "sparse"
    entries = [entry for entry in present(bench, bench.snapshots) if not bench.late(entry.name)]
    if not entries or not wanted(bench, "case")(name):
        return
    own = only_ours(bench)
    if size not in bench.settings.sizes:
        bench.say(f"  {name}, {size:,}, {OURS}")
        bench.stream(name, size, "", own)
    answers, seconds = dict[str, str](), dict[str, list[float]]()
    for one in own:
        if (reply := bench.attempt(one.process, "count", bench.job(one.name, name, size))) is not None:
            answers[one.name] = reply.answer
    jobs = {entry.name: bench.job(entry.name, name, size) for entry in entries}
    loaded = [job for job in jobs.values() if bench.attempt("", "load", job) is not None]
    for number in range(rounds(bench, goal=True)):
        for job in loaded:
            if number and bench.late(job.contender):
                continue
            bench.say(f"  {name}, {size:,}, {job.contender}")
            if (reply := bench.attempt("", "snapshot", job)) is not None:
                answers[job.contender] = reply.answer
                seconds.setdefault(job.contender, []).append(reply.seconds)
    for job in loaded:
        bench.attempt("", "drop", job)
        bench.record(job, "snapshot", seconds.get(job.contender, ()))
    bench.agree(answers, f"snapshots, {size}")


def loading(bench: Bench) -> None:
    """A database at once, compared with its tuples one by one: ours, for the count and the triangles."""
    for name in filter(wanted(bench, "case"), ("sparse", "dense")):
        for free, entry in product((HEADS[0], HEADS[-1]), only_ours(bench)):
            if not bench.late(f"loading, {name}, {Query(free)}"):
                bench.say(f"  {name}, {bench.settings.loading:,}, {Query(free)}")
                bench.loading(name, bench.settings.loading, free, entry)


def graph(bench: Bench) -> None:
    """The count query on the edge lists of a folder, short ones first, all engines."""
    if not bench.settings.folder:
        bench.skip("graphs", "no folder with edge lists: give one with --data")
        return
    folder, seed = bench.settings.folder, bench.settings.seed
    names = filter(wanted(bench, "case"), graphs(folder))
    lengths = {name: case(name, 0, seed, folder).updates for name in names}
    for name, length in sorted(lengths.items(), key=lambda entry: entry[1]):
        if not bench.late(name):
            bench.say(f"  {name}")
            bench.stream(name, 0, "", engines(bench), length)


@frozen
class Section:
    """A part of the benchmark, with its share of the time."""

    run: Callable[[Bench], None]
    share: int


SECTIONS: Mapping[str, Section] = {
    "streams": Section(streams, 36),
    "attacks": Section(attacks, 18),
    "heads": Section(heads, 9),
    "snapshots": Section(snapshots, 2),
    "loading": Section(loading, 2),
    "memory": Section(memory, 3),
    "enumeration": Section(enumeration, 4),
    "slowest": Section(slowest, 6),
    "graphs": Section(graph, 20),
    "edges": Section(graph_sections.edges, 13),
    "edge-memory": Section(graph_sections.memory, 5),
    "hubs": Section(graph_sections.hubs, 5),
    "growth": Section(graph_sections.growth, 3),
    "large": Section(graph_sections.large, 6),
    "recounts": Section(graph_sections.recounts, 3),
}
"""The shares are parts of a full run, which took some 30 minutes; `minutes` leaves room."""

FROM_FILES = {"graphs", "edges", "edge-memory", "recounts"}
"""Sections that need no time without a folder."""


def run(bench: Bench) -> Results:
    """All selected sections.  Bad input: an `InputError` for words that name nothing."""
    words = vocabulary(bench, SECTIONS)
    if unknown := [
        word for word in bench.settings.only if not any(word in names for names in words.values())
    ]:
        known = "; ".join(f"{kind}s: {', '.join(names)}" for kind, names in words.items())
        raise InputError(f"--only {unknown[0]!r} names nothing; {known}")
    shares = {name: SECTIONS[name].share for name in filter(wanted(bench, "section", SECTIONS), SECTIONS)}
    if not bench.settings.folder:
        shares.update(dict.fromkeys(shares.keys() & FROM_FILES, 0))
    given, name = 0, ""
    try:
        for name, share in shares.items():
            given += share
            bench.share(given / max(1, sum(shares.values())))
            bench.say(name)
            SECTIONS[name].run(bench)
    except KeyboardInterrupt:
        bench.skip(f"the rest of {name}, and what follows", INTERRUPTED)
    finally:
        bench.close()
    return Results(
        datetime.now(UTC).date().isoformat(),
        ivme.__version__,
        kernel(),
        machine(),
        {**asdict(bench.settings), "folder": bool(bench.settings.folder)},
        tuple(bench.measurements),
        tuple(bench.skipped),
        tuple(bench.problems),
    )
