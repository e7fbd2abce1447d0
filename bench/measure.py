"""Clocks and gauges: CPU time, counted steps, digests of answers, memory."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from time import process_time, process_time_ns

from bench.contenders import Contender, Engine, rows
from ivme.workloads import Update

ENUMERATION_SECONDS = 0.2
"""The least time for which an enumeration is repeated."""


def timed(engine: Engine, updates: list[Update]) -> float:
    """CPU seconds that the engine takes for updates."""
    gc.collect()
    start = process_time()
    done = engine.apply(updates)
    seconds = process_time() - start
    if done != len(updates):
        raise RuntimeError(f"{done} of {len(updates)} updates were applied")
    return seconds


def inserted(engine: Engine, updates: list[Update]) -> float:
    """CPU seconds that an engine with `insert` takes for inserts, one call each."""
    insert: Callable[[str, int, int, int], object] = getattr(engine, "insert")  # noqa: B009  # not all have it
    gc.collect()
    start = process_time()
    for relation, x, y, multiplicity in updates:
        insert(relation, x, y, multiplicity)
    return process_time() - start


def steps(engine: Engine) -> int | None:
    """The steps that an engine has counted for its updates; None if it does not count."""
    costs = getattr(engine, "costs", None)
    return None if costs is None else int(costs.maintenance)


def digest(engine: Engine, contender: Contender) -> str:
    """The answer in a line: rows, the sum of the multiplicities, and an order-independent hash.

    The hash of integers is the same in every process.
    """
    if contender.kind == "floor":
        return ""
    number = total = mixed = 0
    for row, multiplicity in rows(engine):
        number += 1
        total += multiplicity
        mixed ^= hash((row, multiplicity))
    return f"{number} rows, {total} in all, {mixed & 0xFFFFFFFF:08x}"


def repeated(work: Callable[[], object]) -> float:
    """CPU seconds of a piece of work, repeated until the clock can resolve it."""
    repeats = 1
    while True:
        start = process_time()
        for _ in range(repeats):
            work()
        seconds = process_time() - start
        if seconds >= ENUMERATION_SECONDS or repeats >= 1 << 16:
            return max(seconds, 1e-9) / repeats
        repeats *= 2


def largest_gap(engine: Engine) -> float:
    """The largest CPU time between two rows of an enumeration, including its start and end, in seconds."""
    stamps = [process_time_ns()]
    stamps += [process_time_ns() for _ in rows(engine)]
    stamps.append(process_time_ns())
    return max(late - early for early, late in pairwise(stamps)) / 1e9


def resident() -> int:
    """Resident bytes of this process; the peak, where the system reports no more."""
    try:
        with open("/proc/self/statm", encoding="ascii") as stream:
            return int(stream.read().split()[1]) * os.sysconf("SC_PAGESIZE")
    except OSError:
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else most * 1024


def percentile(ordered: Sequence[int], percent: int) -> int:
    """The least value that at least `percent` per cent of the values, which are ascending, do not exceed.

    >>> percentile([1, 2, 3, 50], 50), percentile([1, 2, 3, 50], 99)
    (2, 50)
    """
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)]
