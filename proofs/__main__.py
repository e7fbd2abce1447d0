"""Run the proofs and print what was obtained: `python -m proofs` (or `make prove`)."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from proofs.claims import Claim, Outcome, Verdict
from proofs.mutants import run_mutants
from proofs.registry import claims, find, run, run_group
from proofs.report import README, markdown_table, readme_with, seconds_in, summary, terminal_table


def main(arguments: Sequence[str] | None = None) -> int:
    """0 if every chosen claim was obtained (or every mutant refuted), else 1."""
    parser = argparse.ArgumentParser(prog="python -m proofs", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="only the part that `make test` runs")
    parser.add_argument("--only", nargs="+", metavar="CLAIM", help="only these claims, in this process")
    parser.add_argument("--list", action="store_true", help="the claims, without running them")
    parser.add_argument("--mutants", nargs="*", metavar="MUTANT", help="plant all or these bugs instead")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the table of README.md too: all claims, and the seconds of those that ran",
    )
    options = parser.parse_args(arguments)
    if options.mutants is not None:
        return run_mutants(options.mutants)
    if options.only:
        chosen = find(options.only)
        outcomes = {outcome.claim: outcome for outcome in run_group(tuple(options.only))}
        return _finish(chosen, outcomes, options.write)
    chosen = [claim for claim in claims() if claim.quick or not options.quick]
    if options.list:
        for claim in chosen:
            print(f"{claim.name:<24} {claim.statement}")
        return 0
    outcomes = {}
    for outcome in run({claim.name for claim in chosen}):
        outcomes[outcome.claim] = outcome
        print(f"{outcome.verdict.value:<12} {outcome.seconds:7.2f} s  {outcome.claim}", file=sys.stderr)
    return _finish(chosen, outcomes, options.write)


def _finish(chosen: list[Claim], outcomes: dict[str, Outcome], write: bool) -> int:
    if write:
        text = README.read_text(encoding="utf-8")
        seconds = seconds_in(text) | {name: f"{found.seconds:.1f}" for name, found in outcomes.items()}
        README.write_text(readme_with(markdown_table(claims(), seconds), text), encoding="utf-8")
    print(terminal_table(chosen, outcomes))
    print(summary(outcomes.values()))
    return 0 if all(outcome.verdict is Verdict.OBTAINED for outcome in outcomes.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
