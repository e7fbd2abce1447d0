"""`python -m planted`: see `planted`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Annotated

import typer

from planted import MUTANTS, Mutant
from planted.mutant import AGREEMENT, CONTROL, TESTS, of_kind
from planted.runner import Trial, problem, trials

ROWS = (CONTROL, *MUTANTS)
FINDINGS = ("FAILED ", "ERROR ", "found: ", "REFUTED ")
"""How pytest, the battery and the proofs report what they find."""


class Kind(Enum):
    """The kinds of instruments."""

    TESTS = TESTS
    AGREEMENT = AGREEMENT
    CLAIMS = "claims"


app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)


@app.command()
def main(
    which: Annotated[list[str] | None, typer.Argument(help="Names or numbers; all if none is given.")] = None,
    only: Annotated[Kind | None, typer.Option(help="Only the instruments of this kind.")] = None,
    listing: Annotated[bool, typer.Option("--list", help="Print the table.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Print rows that cannot be planted.")] = False,
) -> None:
    """Plant bugs in copies of the checkout; exit code 0 if every one is caught, and the control is not."""
    rows = chosen(which or (), only)
    if listing:
        for mutant in rows:
            print(f"{described(mutant)}: {mutant.old.strip()!r} -> {mutant.new.strip()!r}")
    elif check:
        found = [text for mutant in rows if (text := problem(mutant))]
        print("\n".join([*found, f"{len(found)} of {len(rows)} rows cannot be planted"]))
        raise typer.Exit(1 if found else 0)
    else:
        raise typer.Exit(run(rows))


def described(mutant: Mutant) -> str:
    """A row with its number and without its texts."""
    number = [row.name for row in ROWS].index(mutant.name)
    return f"{number:3} {mutant.name} in {mutant.path} [{' '.join(mutant.caught_by)}]"


def chosen(which: Sequence[str], only: Kind | None) -> list[Mutant]:
    """The rows that were asked for, with the instruments that were asked for."""
    known = {row.name: row for row in ROWS} | {str(at): row for at, row in enumerate(ROWS)}
    if unknown := [name for name in which if name not in known]:
        raise typer.BadParameter(f"there is no {', '.join(unknown)}; --list has the names and numbers")
    rows = [known[name] for name in which] or list(ROWS)
    return rows if only is None else of_kind(rows, only.value)


def run(rows: Sequence[Mutant]) -> int:
    """Try mutants; the exit code."""
    wrong = 0
    with trials(rows) as started:
        for mutant in rows:
            trial = started[mutant.name].result()
            wrong += bool(trial.wrong)
            print(verdict(trial), flush=True)
    print(f"{len(rows) - wrong} of {len(rows)} are as they should be")
    return 1 if wrong or not rows else 0


def verdict(trial: Trial) -> str:
    """One line, with the first finding; all that was printed if the trial went wrong."""
    control = trial.mutant.name == CONTROL.name
    if trial.wrong:
        what = "CAUGHT" if control else "MISSED"
        return f"{described(trial.mutant)}: {what} by {', '.join(trial.wrong)}\n{trial.output}"
    if control:
        return f"{described(trial.mutant)}: missed"
    findings = [line for line in trial.output.splitlines() if line.startswith(FINDINGS)]
    return f"{described(trial.mutant)}: caught; {findings[0][:100] if findings else ''}"


if __name__ == "__main__":
    app()
