"""What `ivme verify` found, as plain data: results.json, from which the report is made.

Everything here is a tuple, a string, a number or another of these classes, so that it goes to JSON and back
unchanged. The floats (ratios, slopes, seconds) are for display: every verdict was reached by exact comparison
before it was written here, and `Results.ok` only counts problems.
"""

from __future__ import annotations

import json
import os

from attrs import asdict, frozen

from ivme.formats.documents import Format, write_document
from ivme.formats.structured import Structured
from ivme_spec.errors import InputError


@frozen
class Problem:
    """Something that does not hold.

    check   the name of the `Check` that found it
    trace   the file of a trace that shows it, relative to the folder of results.json; "" if there is none
    """

    check: str
    text: str
    trace: str = ""


@frozen
class Cost:
    """One counted cost of a run against its bound.

    name    "preprocessing", "update", "minor", "major", "amortized", "space" or "delay"
    steps   what was counted: steps, for space entries of views
    base    N, for which the bound is taken: the largest of the run
    bound   the bound as text, for example "9·N^1/2"
    value   about the bound's value for `base`, and `ratio` = steps / value, both for display
    label   the paper's label
    grows   whether the bound grows with N for this ε
    holds   the verdict, exact
    """

    name: str
    steps: int
    base: int
    bound: str
    value: float
    ratio: float
    label: str
    grows: bool
    holds: bool


@frozen
class Run:
    """A workload maintained for one query and ε, and what was checked on the way.

    kind        "small": invariants checked, compared with the naive reference; "large": compared with
                `witness` at some prefixes
    witness     who gave the right answers: "naive", "spark" or "leapfrog"
    source      who made the updates: "built-in" or "spark"
    size, base  |D| in the end, and the largest N
    answers     how many whole answers were compared, and `rows`, how many rows they had together
    states      how many states were checked against all invariants
    minor       how many rebalancings there were
    """

    kind: str
    family: str
    parameters: dict[str, str]
    free: str
    partitioning: str
    epsilon: str
    witness: str
    source: str
    updates: int
    size: int
    base: int
    answers: int
    rows: int
    states: int
    minor: int
    major: int
    seconds: float
    costs: tuple[Cost, ...]
    problems: tuple[Problem, ...] = ()


@frozen
class Check:
    """One kind of check over all runs: its name, how often it was made, and what it found."""

    name: str
    count: int
    problems: int

    @property
    def ok(self) -> bool:
        """Whether it was made and found nothing."""
        return self.count > 0 and self.problems == 0


@frozen
class Exponent:
    """How a cost of a query grows with N, on the workload that is tight for it.

    cost      "update", "space" or "delay"
    claimed   the exponent of the paper's bound, as an exact fraction: "1/2"
    measured  the slope of log(count) over log(N) by least squares, for display
    points    (N, count), growing; for space the entries of the views and the tuples of the database
    family    the workload
    """

    cost: str
    free: str
    partitioning: str
    epsilon: str
    claimed: str
    measured: float
    points: tuple[tuple[int, int], ...]
    family: str
    problems: tuple[Problem, ...] = ()


@frozen
class Mark:
    """A rebalancing of the run that is shown in full; the fields of `ivme.Rebalance`, the value as text."""

    update: int
    kind: str
    relation: str
    variable: str
    value: str
    heavy: bool
    moved: int
    base: int
    steps: int


@frozen
class Column:
    """One column of one relation at one moment: how many of its values are heavy and how many light."""

    relation: str
    variable: str
    heavy: int
    light: int


@frozen
class Moment:
    """The state of the run that is shown in full after so many updates.

    least_heavy, strict, most_light   the degrees ½θ, θ and ³⁄₂θ, rounded up, with θ = N^ε
    """

    update: int
    size: int
    base: int
    least_heavy: int
    strict: int
    most_light: int
    columns: tuple[Column, ...]


@frozen
class Followed:
    """One value of a column over time: (update, degree, 1 if it is heavy else 0) at each moment."""

    relation: str
    variable: str
    value: str
    points: tuple[tuple[int, int, int], ...]


@frozen
class Timeline:
    """One run shown in full.

    steps    the counted steps of each update, rebalancing included; the first has number 1 in `marks`
    bases    N after each update
    """

    family: str
    parameters: dict[str, str]
    free: str
    partitioning: str
    epsilon: str
    steps: tuple[int, ...]
    bases: tuple[int, ...]
    marks: tuple[Mark, ...]
    moments: tuple[Moment, ...]
    followed: tuple[Followed, ...]


@frozen
class Results:
    """All that a run of `ivme verify` found.

    started   when, in UTC, as ISO 8601; `seconds`, how long it took
    notes     what a reader has to know, for example that there was no Spark
    """

    ivme: str
    python: str
    platform: str
    started: str
    seconds: float
    seed: int
    notes: tuple[str, ...]
    checks: tuple[Check, ...]
    runs: tuple[Run, ...]
    exponents: tuple[Exponent, ...]
    timeline: Timeline | None

    @property
    def problems(self) -> int:
        """How many things do not hold."""
        return sum(check.problems for check in self.checks)

    @property
    def ok(self) -> bool:
        """The verdict: every kind of check was made, and none found a problem."""
        return bool(self.checks) and all(check.ok for check in self.checks)


# --- to JSON and back -----------------------------------------------------------------------------------


class ResultsError(InputError):
    """Results that cannot be read; the message says why."""


FORMAT = Format("ivme-results", "results of `ivme verify`", ResultsError, remedy="run `ivme verify` again")
VERSION = FORMAT.version
RESULTS = Structured(Results, FORMAT, extra="report")


def to_json(results: Results) -> str:
    """The results as JSON text.  Cost: their size."""
    plain = FORMAT.stamped({"ok": results.ok, **asdict(results)})
    return json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)


def from_json(text: str) -> Results:
    """The results of a JSON text.  Bad input: a `ResultsError`."""
    return RESULTS.decode(text, "results")


def write_results(path: str | os.PathLike[str], results: Results) -> None:
    """Write results.json atomically."""
    write_document(path, to_json(results) + "\n")


def read_results(path: str | os.PathLike[str]) -> Results:
    """The results of a file.  Bad input: a `ResultsError`."""
    return RESULTS.read(path)
