"""The results by family, by check and by problem: what the command prints and the report shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attrs import define, frozen

from ivme.verify.results import Exponent, Problem, Results, Run, Timeline
from ivme_spec.queries import Query

COLUMNS = (
    "workload",
    "against",
    "runs",
    "updates",
    "answers",
    "states",
    "minor",
    "major",
    "closest",
    "verdict",
)
MOST = 20
"""How many problems are printed."""


@define
class Family:
    """All runs of one family of workloads against one witness; `share` is of the bounds that grow with N."""

    family: str
    kind: str
    witness: str
    source: str
    runs: int = 0
    updates: int = 0
    answers: int = 0
    states: int = 0
    minor: int = 0
    major: int = 0
    share: float = 0.0
    problems: int = 0


@frozen
class Found:
    """A problem, and the run that had it."""

    run: str
    problem: Problem


def query_of(named: Run | Exponent | Timeline) -> Query:
    """The query that a part of the results is about.  Bad input: an `InputError`."""
    return Query(named.free, "double" if named.partitioning == "double" else "single")


def families(runs: Iterable[Run]) -> list[Family]:
    """What was checked for each family, over all queries and ε, in the order of the runs."""
    found: dict[tuple[str, str, str, str], Family] = {}
    for run in runs:
        key = (run.family, run.kind, run.witness, run.source)
        row = found.setdefault(key, Family(*key))
        row.runs += 1
        row.updates += run.updates
        row.answers += run.answers
        row.states += run.states
        row.minor += run.minor
        row.major += run.major
        row.share = max([row.share, *(cost.ratio for cost in run.costs if cost.grows)])
        row.problems += len(run.problems)
    return list(found.values())


def problems(results: Results) -> Iterator[Found]:
    """Every problem, with what it takes to find the run again."""
    for run in results.runs:
        where = f"{run.family} ({run.kind}), {query_of(run)}, ε = {run.epsilon}"
        yield from (Found(where, problem) for problem in run.problems)
    for one in results.exponents:
        where = f"exponent of {one.cost} ({one.family}), {query_of(one)}, ε = {one.epsilon}"
        yield from (Found(where, problem) for problem in one.problems)


def holds(results: Results) -> bool:
    """The verdict, no better than any part: a problem or broken bound that no check counts spoils it."""
    costs = (cost for run in results.runs for cost in run.costs)
    return results.ok and all(cost.holds for cost in costs) and not any(problems(results))


# --- lines of text --------------------------------------------------------------------------------------


def family_lines(results: Results) -> Iterator[tuple[object, ...]]:
    """A line for each family, with the cells of `COLUMNS`."""
    for row in families(results.runs):
        counts = (row.runs, row.updates, row.answers, row.states, row.minor, row.major)
        yield (row.family, row.witness, *counts, f"{row.share:.0%}", _problems(row.problems))


def check_lines(results: Results) -> Iterator[tuple[object, ...]]:
    """A line for each kind of check: its name, how often it was made, its verdict."""
    for check in results.checks:
        made = check.count or check.problems
        yield (check.name, check.count, _problems(check.problems) if made else "not made")


def problem_lines(results: Results) -> Iterator[str]:
    """The first problems, a line each, and how many more there are."""
    found = list(problems(results))
    for one in found[:MOST]:
        yield f"{one.run}: {one.problem.text}" + (f" [{one.problem.trace}]" if one.problem.trace else "")
    if len(found) > MOST:
        yield f"… and {len(found) - MOST} more"


def verdict(results: Results) -> str:
    """The last line."""
    said = "no verdict: some checks were not made"
    if results.ok:
        said = "everything holds"
    elif results.problems:
        said = _problems(results.problems)
    return f"{said} ({results.seconds:.0f} s, seed {results.seed})"


def _problems(count: int) -> str:
    return f"{count} problem{'s' if count > 1 else ''}" if count else "ok"
