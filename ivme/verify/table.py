"""The results as tables of text: what was checked for each family, and the verdict of each check."""

from __future__ import annotations

from collections.abc import Iterator

from ivme.verify.results import Problem, Results, Run

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


def families(results: Results) -> Iterator[tuple[object, ...]]:
    """A line for each family of small and of large runs, in their order; "closest" is for the eye."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in results.runs:
        groups.setdefault((run.family, run.witness), []).append(run)
    for (family, witness), runs in groups.items():
        closest = max((cost.ratio for run in runs for cost in run.costs if cost.grows), default=0.0)
        wrong = sum(len(run.problems) for run in runs)
        yield (
            family,
            witness,
            len(runs),
            sum(run.updates for run in runs),
            sum(run.answers for run in runs),
            sum(run.states for run in runs),
            sum(run.minor for run in runs),
            sum(run.major for run in runs),
            f"{closest:.0%}",
            "ok" if not wrong else _problems(wrong),
        )


def checks(results: Results) -> Iterator[tuple[object, ...]]:
    """A line for each kind of check."""
    for check in results.checks:
        verdict = "ok" if check.ok else _problems(check.problems) if check.problems else "not made"
        yield (check.name, check.count, verdict)


def problems(results: Results) -> Iterator[str]:
    """The first problems, a line each, and how many more there are."""
    found: list[tuple[str, Problem]] = []
    for run in results.runs:
        double = ", double partitions" if run.partitioning == "double" else ""
        where = f"{run.family}, △({', '.join(run.free.lower())}){double}, ε = {run.epsilon}: "
        found += ((where, problem) for problem in run.problems)
    for exponent in results.exponents:
        found += (("", problem) for problem in exponent.problems)
    for where, problem in found[:MOST]:
        yield where + problem.text + (f" [{problem.trace}]" if problem.trace else "")
    if len(found) > MOST:
        yield f"… and {len(found) - MOST} more"


def verdict(results: Results) -> str:
    """The last line."""
    if results.ok:
        return f"everything holds ({results.seconds:.0f} s, seed {results.seed})"
    if results.problems:
        return f"{_problems(results.problems)} ({results.seconds:.0f} s, seed {results.seed})"
    return f"no verdict: some checks were not made ({results.seconds:.0f} s, seed {results.seed})"


def _problems(count: int) -> str:
    return f"{count} problem{'s' if count > 1 else ''}"
