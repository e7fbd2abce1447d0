"""`python -m planted`: see `planted`."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Annotated

import typer

from planted import MUTANTS, Mutant
from planted.mutant import AGREEMENT, TESTS, limited
from planted.runner import Trial, problem, trials


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
    """Plant bugs, one at a time, in a copy of the checkout; exit code 0 if every one is caught."""
    rows = chosen(which or (), only)
    if listing:
        for mutant in rows:
            change = f"{mutant.old.strip()!r} -> {mutant.new.strip()!r}"
            print(
                f"{number(mutant):3} {mutant.name}  {mutant.path}: {change}  [{' '.join(mutant.caught_by)}]"
            )
    elif check:
        found = [text for mutant in rows if (text := problem(mutant))]
        print("\n".join([*found, f"{len(found)} of {len(rows)} rows cannot be planted"]))
        raise typer.Exit(1 if found else 0)
    else:
        raise typer.Exit(run(rows))


def number(mutant: Mutant) -> int:
    """The place of a row in the table."""
    return [row.name for row in MUTANTS].index(mutant.name)


def described(mutant: Mutant) -> str:
    """A row without its texts."""
    return f"{mutant.name} in {mutant.path} [{' '.join(mutant.caught_by)}]"


def chosen(which: Sequence[str], only: Kind | None) -> list[Mutant]:
    """The rows that were asked for, with the instruments that were asked for."""
    known = {row.name: row for row in MUTANTS} | {str(at): row for at, row in enumerate(MUTANTS)}
    if unknown := [name for name in which if name not in known]:
        raise typer.BadParameter(f"there is no {', '.join(unknown)}; --list has the names and numbers")
    rows = [known[name] for name in which] or list(MUTANTS)
    if only is None:
        return rows
    return limited(rows, {name for row in rows for name in row.instruments(only.value)})


def run(rows: Sequence[Mutant]) -> int:
    """Try mutants; the exit code."""
    survivors = 0
    with trials(rows) as started:
        for mutant in rows:
            trial = started[mutant.name].result()
            survivors += bool(trial.missed)
            print(verdict(trial), flush=True)
    print(f"{len(rows) - survivors} of {len(rows)} planted bugs were caught")
    return 1 if survivors or not rows else 0


def verdict(trial: Trial) -> str:
    """One line; what was printed too, if the bug was missed."""
    mutant = trial.mutant
    state = f"MISSED by {', '.join(trial.missed)}" if trial.missed else "caught"
    line = f"{number(mutant):3} {state}: {described(mutant)}"
    return f"{line}\n{trial.output}" if trial.missed else line


if __name__ == "__main__":
    app()
