"""What is measured, section by section."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from attrs import asdict

import ivme
from ivme.bench.cases import ATTACKS, STREAMS, case, graphs, multiset
from ivme.bench.contenders import OURS, PURE, Contender, kernel
from ivme.bench.results import Results, machine
from ivme.bench.rounds import Bench
from ivme.bench.snapshots import Snapshot
from ivme_spec.errors import InputError
from ivme_spec.queries import CANONICAL_HEADS, HEADS


def streams(bench: Bench) -> None:
    """The count query on streams, all engines."""
    for name in filter(_wanted(bench, "case"), STREAMS):
        for size in bench.settings.sizes:
            if not bench.late(f"{name}, {size}"):
                bench.say(f"  {name}, {size:,}")
                bench.stream(name, size, "", _engines(bench))


def attacks(bench: Bench) -> None:
    """The count query under attack, all engines; and the other canonical heads, ours alone, for exponents."""
    for name in filter(_wanted(bench, "case"), ATTACKS):
        for size in bench.settings.attacks:
            if bench.late(f"{name}, {size}"):
                continue
            bench.say(f"  {name}, {size:,}")
            for free in CANONICAL_HEADS:
                bench.attack(
                    name, size, free, [entry for entry in _engines(bench) if not free or entry.name == OURS]
                )


def heads(bench: Bench) -> None:
    """The other queries, ours with both kernels."""
    for name in filter(_wanted(bench, "case"), ("sparse", "zipf")):
        for free in HEADS if bench.settings.heads not in bench.settings.sizes else HEADS[1:]:
            if not bench.late(f"{name}, △({free})"):
                bench.say(f"  {name}, △({free})")
                bench.stream(name, bench.settings.heads, free, _ours(bench))


def memory(bench: Bench) -> None:
    """Bytes per tuple: ours for every query, the others for the count; each in a process of its own."""
    size = bench.settings.memory
    for name in filter(_wanted(bench, "case"), ("sparse",)):
        made = case(name, size, bench.settings.seed)
        tuples = sum(map(len, multiset(made.timed[0]).values()))
        del made
        for entry in _engines(bench):
            for free in HEADS if entry.name in (OURS, PURE) else ("",):
                if not entry.takes(name, size, free, stream=True) or bench.late(f"memory, △({free})"):
                    continue
                bench.say(f"  {name}, △({free}), {entry.name}")
                job = bench.job(entry.name, name, size, free)
                if (reply := bench.fresh(entry, "memory", job, tuples)) is not None:
                    for quantity, total in reply.numbers.items():
                        bench.record(job, quantity, [total / reply.count])


def enumeration(bench: Bench) -> None:
    """Rows per second and the largest delay, for every query, on dense data."""
    size = bench.settings.dense
    for free in HEADS if _wanted(bench, "case")("dense") else ():
        answers = {}
        for entry in _ours(bench):
            if bench.late(f"enumeration, △({free})"):
                continue
            bench.say(f"  dense, △({free}), {entry.name}")
            job = bench.job(entry.name, "dense", size, free)
            if (reply := bench.attempt(entry.process, "enumerate", job)) is not None:
                answers[entry.name] = reply.answer
                bench.record(job, "rows", [reply.count])
                for quantity, value in reply.numbers.items():
                    bench.record(job, quantity, [value])
        bench.agree(answers, f"enumeration, △({free})")


def slowest(bench: Bench) -> None:
    """The largest time of a single update, beside the mean of the same run."""
    for name in filter(_wanted(bench, "case"), ("sparse", "zipf")):
        for entry in _ours(bench):
            if entry.name != OURS or bench.late(f"largest update, {name}"):
                continue
            bench.say(f"  {name}, {entry.name}")
            job = bench.job(entry.name, name, max(bench.settings.sizes))
            if (reply := bench.attempt(entry.process, "slowest", job)) is not None:
                bench.record(job, "largest update", [reply.numbers["largest"]])
                bench.record(job, "mean update", [reply.seconds / reply.count])


def snapshots(bench: Bench) -> None:
    """Recomputing the count, beside an update of ours at the same size."""
    size, name = bench.settings.snapshot, "sparse"
    wanted = _wanted(bench, "contender")
    entries: list[Snapshot] = []
    for entry in bench.snapshots:
        if entry.missing:
            bench.skip(entry.name, entry.missing)
        elif wanted(entry.name) and not bench.late(entry.name):
            entries.append(entry)
    if not entries or not _wanted(bench, "case")(name):
        return
    ours = [entry for entry in _engines(bench) if entry.name == OURS]
    if size not in bench.settings.sizes:
        bench.say(f"  {name}, {size:,}, {OURS}")
        bench.stream(name, size, "", ours)
    answers, seconds = dict[str, str](), dict[str, list[float]]()
    for one in ours:
        if (reply := bench.attempt(one.process, "count", bench.job(one.name, name, size))) is not None:
            answers[one.name] = reply.answer
    jobs = {entry.name: bench.job(entry.name, name, size) for entry in entries}
    loaded = [job for job in jobs.values() if bench.attempt("", "load", job) is not None]
    for number in range(min(3, bench.settings.rounds)):
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


def graph(bench: Bench) -> None:
    """The count query on the edge lists of a folder, all engines."""
    if not bench.settings.folder:
        bench.skip("graphs", "no folder with edge lists: give one with --data")
        return
    for name in filter(_wanted(bench, "case"), graphs(bench.settings.folder)):
        if not bench.late(name):
            bench.say(f"  {name}")
            bench.stream(name, 0, "", _engines(bench))


SECTIONS: Mapping[str, Callable[[Bench], None]] = {
    "streams": streams,
    "attacks": attacks,
    "heads": heads,
    "snapshots": snapshots,
    "memory": memory,
    "enumeration": enumeration,
    "slowest": slowest,
    "graphs": graph,
}


def run(bench: Bench) -> Results:
    """All sections that are wanted.  Bad input: an `InputError` for words that name nothing."""
    vocabulary = _vocabulary(bench)
    if unknown := [
        word for word in bench.settings.only if not any(word in names for names in vocabulary.values())
    ]:
        known = "; ".join(f"{kind}s: {', '.join(names)}" for kind, names in vocabulary.items())
        raise InputError(f"--only {unknown[0]!r} names nothing; {known}")
    try:
        for name, section in SECTIONS.items():
            if _wanted(bench, "section")(name):
                bench.say(name)
                section(bench)
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


def _vocabulary(bench: Bench) -> dict[str, list[str]]:
    """The words of --only, by what they name."""
    files = graphs(bench.settings.folder) if bench.settings.folder else []
    return {
        "section": list(SECTIONS),
        "case": [*STREAMS, *ATTACKS, *files],
        "contender": [entry.name for entry in bench.engines] + [entry.name for entry in bench.snapshots],
    }


def _wanted(bench: Bench, kind: str) -> Callable[[str], bool]:
    """Whether a name of a kind is wanted: all are, unless some of the kind were named."""
    named = set(bench.settings.only) & set(_vocabulary(bench)[kind])
    return lambda name: not named or name in named


def _engines(bench: Bench) -> list[Contender]:
    """The engines that are wanted and installed."""
    found, wanted = [], _wanted(bench, "contender")
    for entry in bench.engines:
        if not wanted(entry.name):
            continue
        if entry.missing:
            bench.skip(entry.name, entry.missing)
        else:
            found.append(entry)
    return found


def _ours(bench: Bench) -> list[Contender]:
    return [entry for entry in _engines(bench) if entry.name in (OURS, PURE)]
