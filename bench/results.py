"""The raw results, as JSON; tables, verdicts and the plot are made from them.

    {"ivme-bench": 1, "made": "2026-01-31", "ivme": "0.1.0", "kernel": "compiled", "machine": {…},
     "settings": {…}, "measurements": [[case, size, free, contender, quantity, [value, …]], …],
     "skipped": ["…"], "problems": ["…"]}

A measurement has a value for each round. The quantities:

    update                          CPU seconds of an update, on average
    largest update, mean update,    of updates timed one by one, in CPU seconds; "clock" is what reading the
    median update, p99 update,      clock takes, which is in all of them
    clock
    steps                           counted steps of an update, on average
    bytes, own bytes                per tuple: growth of the process in memory; what the engine says itself
    iterator, to_numpy, to_arrow    rows per CPU second
    rows                            rows of the answer
    delay, delay steps              the largest between two rows, in CPU seconds and in counted steps
    snapshot                        CPU seconds to recompute the count
    bulk, insert, apply             CPU seconds of a tuple of a database: loaded at once; one by one, with a
                                    call of `insert` for each, or one call of `apply` for all

Of graphs, whose size is the number of edges, or of the common neighbours of two hubs; free is "" for the
count, "A" for the triangles of each vertex too:

    edge, string edge, array        CPU seconds of an update: a call each, also with strings as vertices; one
                                    call for an array of all
    bytes                           per edge: growth of the process in memory
    first toggle, toggle            CPU seconds of an update of the edge between two hubs: of the first 400,
                                    and of later ones
    steps, largest steps            counted steps of an update: on average, and of the largest one
    peak, seconds, edges            bytes of the whole process at its peak, CPU seconds of all updates, edges
    recount                         CPU seconds to recompute the count
"""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from attrs import asdict, field, frozen

from ivme.formats.documents import Format, write_document
from ivme.formats.structured import Structured
from ivme_spec.errors import InputError

QUANTITIES = {
    "update",
    "largest update",
    "mean update",
    "median update",
    "p99 update",
    "clock",
    "steps",
    "bytes",
    "own bytes",
    "snapshot",
}
QUANTITIES |= {"bulk", "insert", "apply", "iterator", "to_numpy", "to_arrow", "rows", "delay", "delay steps"}
QUANTITIES |= {"edge", "string edge", "array", "first toggle", "toggle", "largest steps", "recount"}
QUANTITIES |= {"peak", "seconds", "edges"}
LIBRARIES = ("attrs", "numpy", "pyarrow", "scipy", "duckdb", "igraph", "networkx", "networkit", "pathway")

INTERRUPTED = "interrupted"
OUT_OF_TIME = "minutes were over"


@frozen
class Measurement:
    """The values of one quantity, a value for each round."""

    case: str
    size: int
    free: str
    contender: str
    quantity: str
    values: tuple[float, ...]


@frozen
class Results:
    """Everything that one run found."""

    made: str
    ivme: str
    kernel: str
    machine: dict[str, str]
    settings: dict[str, object]
    measurements: tuple[Measurement, ...]
    skipped: tuple[str, ...] = field(default=())
    problems: tuple[str, ...] = field(default=())

    @property
    def interrupted(self) -> bool:
        """Whether the run was ended before its time."""
        return any(line.endswith(f": {INTERRUPTED}") for line in self.skipped)

    @property
    def partial(self) -> list[str]:
        """Why this is not all that a run measures, if it is not."""
        only, late = self.settings.get("only"), sum(line.endswith(OUT_OF_TIME) for line in self.skipped)
        reasons = [f"only {', '.join(map(str, only))}"] if isinstance(only, list | tuple) and only else []
        reasons += [line for line in self.skipped if line.endswith(f": {INTERRUPTED}")]
        reasons += [f"cells out of time: {late}"] if late else []
        reasons += [] if self.settings.get("folder", True) else ["no edge lists"]
        return reasons


def machine() -> dict[str, str]:
    """What the figures depend on; not who owns it."""
    found = {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": _memory(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGESIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30:.0f} GiB"
    except (ValueError, OSError, AttributeError):
        return "unknown"


# --- to JSON and back -----------------------------------------------------------------------------------


class ResultsError(InputError):
    """A file that does not hold results of the benchmark."""


def encode(results: Results) -> str:
    """Results as JSON, a measurement a line."""
    given = asdict(results, recurse=False)
    lines = [
        json.dumps([entry.case, entry.size, entry.free, entry.contender, entry.quantity, list(entry.values)])
        for entry in given.pop("measurements")
    ]
    text = json.dumps(FORMAT.stamped(given), indent=1, ensure_ascii=False)
    return text[: text.rindex("\n}")] + ',\n "measurements": [\n  ' + ",\n  ".join(lines) + "\n ]\n}\n"


def _measurement(given: object, _: object) -> Measurement:
    match given:
        case [str(case), int(size), str(free), str(contender), str(quantity), [*values]] if (
            values and quantity in QUANTITIES
        ):
            numbers = [
                float(value)
                for value in values
                if isinstance(value, int | float) and not isinstance(value, bool)
            ]
            if len(numbers) == len(values):
                return Measurement(case, size, free, contender, quantity, tuple(numbers))
    raise TypeError(f"{given!r} is not a measurement [case, size, free, contender, quantity, values]")


FORMAT = Format("ivme-bench", "results of the benchmark", ResultsError, remedy="make them with `make bench`")
VERSION = FORMAT.version
RESULTS = Structured(Results, FORMAT, extra="bench", closed=True, hooks={Measurement: _measurement})


def decode(text: str, name: str = "results") -> Results:
    """The results of JSON.  Bad input: a `ResultsError`."""
    return RESULTS.decode(text, name)


def read(path: str | os.PathLike[str]) -> Results:
    """The results of a file.  Bad input: a `ResultsError`."""
    return RESULTS.read(path)


def write(path: str | os.PathLike[str], results: Results) -> None:
    """Write results atomically, in a folder that is made if it is missing."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_document(path, encode(results))
