"""Run the proofs and print what was obtained: `python -m proofs` (or `make prove`)."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from proofs.claims import Claim, Outcome, Verdict
from proofs.registry import claims, find, run, run_group
from proofs.report import README, markdown_table, readme_with, seconds_in, summary, terminal_table

app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    only: Annotated[
        list[str] | None, typer.Argument(metavar="[CLAIM]...", help="Only these, in this process.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Only the part that `make test` runs.")] = False,
    listing: Annotated[bool, typer.Option("--list", help="Print the claims without running them.")] = False,
    write: Annotated[
        bool,
        typer.Option(
            "--write", help="Write the table of README.md too: all claims, and the seconds of those that ran."
        ),
    ] = False,
) -> None:
    """Run the proofs; exit code 0 if every chosen claim was obtained."""
    if only:
        outcomes = {outcome.claim: outcome for outcome in run_group(tuple(only))}
        raise typer.Exit(_finish(find(only), outcomes, write))
    chosen = [claim for claim in claims() if claim.quick or not quick]
    if listing:
        for claim in chosen:
            print(f"{claim.name:<24} {claim.statement}")
        return
    outcomes = {}
    for outcome in run({claim.name for claim in chosen}):
        outcomes[outcome.claim] = outcome
        print(f"{outcome.verdict.value:<12} {outcome.seconds:7.2f} s  {outcome.claim}", file=sys.stderr)
    raise typer.Exit(_finish(chosen, outcomes, write))


def _finish(chosen: list[Claim], outcomes: dict[str, Outcome], write: bool) -> int:
    if write:
        text = README.read_text(encoding="utf-8")
        seconds = seconds_in(text) | {name: f"{found.seconds:.1f}" for name, found in outcomes.items()}
        README.write_text(readme_with(markdown_table(claims(), seconds), text), encoding="utf-8")
    print(terminal_table(chosen, outcomes))
    print(summary(outcomes.values()))
    return 0 if all(outcome.verdict is Verdict.OBTAINED for outcome in outcomes.values()) else 1


if __name__ == "__main__":
    app()
