"""`ivme report`: the page of a verification, remade from its results."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ivme.cli import output


def report(
    results: Annotated[
        Path, typer.Option("--results", metavar="FILE", help="The results that `ivme verify` wrote.")
    ] = Path("ivme-report/results.json"),
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="FILE", help="The page; by default index.html beside the results."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print where the page is as JSON.")] = False,
) -> None:
    """Make the report page from the results of `ivme verify`.

    One HTML file that needs neither network nor scripts. Its links lead to the traces beside the results.

    \b
    Example:
      ivme report --results ivme-report/results.json --out report.html
    """
    from ivme.report import write_report
    from ivme.verify.results import read_results
    from ivme.verify.summary import holds

    found = read_results(results)
    page = out if out is not None else results.parent / "index.html"
    write_report(found, page, traces=results.parent)
    if as_json:
        facts = {"report": str(page), "ok": holds(found), "problems": found.problems}
        output.say_json(output.versioned("report", facts))
    else:
        output.say(str(page))
