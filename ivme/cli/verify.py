"""`ivme verify`: the main job."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ivme.cli import output
from ivme_spec.errors import InputError

if TYPE_CHECKING:
    from ivme.verify.results import Results


def verify(
    out: Annotated[Path, typer.Option(help="The folder for the report, results.json and traces.")] = Path(
        "ivme-report"
    ),
    quick: Annotated[
        bool, typer.Option("--quick", help="A tenth of it: ε = 1/2, two large workloads.")
    ] = False,
    spark: Annotated[
        bool, typer.Option(help="Generate and judge the large workloads with Spark, if installed.")
    ] = True,
    seed: Annotated[int, typer.Option(min=0, help="Chooses the random workloads.")] = 1,
    jobs: Annotated[int, typer.Option(min=0, help="Worker processes; 0: one for each core.")] = 0,
    json: Annotated[
        bool, typer.Option("--json", help="Print the results as JSON, as in results.json.")
    ] = False,
) -> int:
    """Check what the project claims on adversarial workloads, and write a report.

    Every query is maintained for several ε: answers against the naive reference, and for large workloads
    against Spark; states against the invariants of the paper; counted costs against its bounds. Exit code 0
    if everything holds, 1 if not.

    \b
    Example:
      ivme verify
      ivme verify --quick --no-spark --out /tmp/report
    """
    from concurrent.futures.process import BrokenProcessPool

    from ivme.verify import size_of, summary
    from ivme.verify import verify as run
    from ivme.verify.plan import full_plan, quick_plan
    from ivme.verify.results import to_json, write_results

    plan = (quick_plan if quick else full_plan)(seed)
    out.mkdir(parents=True, exist_ok=True)
    if not json:
        output.remark(f"{len(plan.small)} small runs, {len(plan.large)} large workloads, seed {seed}")
    try:
        with output.progress("verify", size_of(plan)) as advance:
            results = run(plan, out, spark=spark, jobs=jobs or os.cpu_count() or 1, advance=advance)
    except BrokenProcessPool as error:
        raise InputError("a worker was killed, perhaps for lack of memory: try --jobs 1") from error
    write_results(out / "results.json", results)
    page = _report(results, out / "index.html")
    if json:
        output.say(to_json(results))
        return 0 if results.ok else 1
    families, checks = summary.family_lines(results), summary.check_lines(results)
    output.say_table(summary.COLUMNS, families, "What was run (closest: largest share of a bound)")
    output.say_table(("check", "made", "verdict"), checks, "What was checked")
    for line in (*results.notes, *summary.problem_lines(results)):
        output.say(line)
    output.say(f"\n{summary.verdict(results)}")
    output.say(f"report: {page or out / 'results.json'}")
    return 0 if results.ok else 1


def _report(results: Results, page: Path) -> Path | None:
    """Write the page; None, and a remark, if its extra is not installed."""
    from ivme.extras import MissingExtraError
    from ivme.report import write_report

    try:
        write_report(results, page)
    except MissingExtraError as error:
        output.remark(f"no page, but results.json has everything: {error}")
        return None
    return page
