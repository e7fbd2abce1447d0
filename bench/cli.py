"""The command: run the benchmark, write its results, print its tables.

Exit code 0 unless a contender failed or gave a wrong answer (1) or the command was wrong (2); goals that were
missed are informational.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer
from attrs import evolve

from bench import page, plot, results, sections, table
from bench.contenders import kernel
from bench.rounds import Bench
from bench.settings import QUICK, Settings
from ivme.cli import output
from ivme_spec.errors import InputError

NAME = "ivme bench"
RESULTS = Path("bench-results")


def settings(base: Settings, rounds: int | None, minutes: float | None) -> Settings:
    """The limits as given; None: as they are.  Bad input: an `InputError`."""
    for name, value in (("rounds", rounds), ("minutes", minutes)):
        if value is not None and value <= 0:
            raise InputError(f"--{name} {value}: give a positive number")
    return evolve(
        base,
        rounds=base.rounds if rounds is None else rounds,
        minutes=base.minutes if minutes is None else minutes,
    )


def limit_memory(share: float = 0.8) -> None:
    """Limit this process and its children to a share of the machine's memory each.

    A contender whose state explodes then gets a MemoryError, which is recorded, and the machine survives.
    """
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import os
        import resource

        total = os.sysconf("SC_PAGESIZE") * os.sysconf("SC_PHYS_PAGES")
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (int(total * share), hard))


def publish(found: results.Results, root: Path) -> None:
    """Write the README's parts; docs/bench.json, bench.md, the plots.  Bad input: an `InputError`."""
    text, docs = table.filled(root / "README.md", found), root / "docs"
    docs.mkdir(exist_ok=True)
    plot.draw(found, docs / "bench.svg")
    if not plot.hubs(found, docs / "hub.svg"):
        say("docs/hub.svg is as it was: hubs were not measured")
    (docs / "bench.md").write_text(page.page(found), encoding="utf-8")
    results.write(docs / "bench.json", found)
    (root / "README.md").write_text(text, encoding="utf-8")


def measured(made: Settings, target: Path) -> results.Results:
    """Run the benchmark and write its results and plot."""
    limit_memory()
    say(f"seed {made.seed}, at most {made.minutes:g} minutes, {kernel()} kernel")
    if kernel() != "compiled":
        say("there is no compiled kernel in this installation: ivme and ivme-pure are the same")
    found = sections.run(Bench(made, say=say))
    results.write(target, found)
    say(f"\nraw results: {target}\n")
    try:
        plot.hubs(found, target.with_name("hub.svg"))
        plot.draw(found, target.with_suffix(".svg"))
    except InputError as error:
        say(f"no plot: {error}")
    return found


def say(line: str) -> None:
    """Print a line at once: a run takes minutes."""
    output.say(line)
    sys.stdout.flush()


def run(
    names: Annotated[list[str] | None, typer.Argument(metavar="NAME", hidden=True)] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Small sizes, at most two minutes; many goals need more.")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="NAME...", help="Only these sections, cases and contenders."),
    ] = None,
    data: Annotated[str, typer.Option(metavar="DIR", help="A folder with edge lists, *.txt.gz.")] = "",
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder for the results.")] = RESULTS,
    given: Annotated[
        Path | None,
        typer.Option("--results", metavar="FILE", help="Run nothing; use these raw results instead."),
    ] = None,
    publishing: Annotated[
        bool,
        typer.Option(
            "--publish", help="Also write the README, and into docs/ bench.json, bench.md and the plots."
        ),
    ] = False,
    rounds: Annotated[int | None, typer.Option(help="At most this many rounds of each.")] = None,
    minutes: Annotated[float | None, typer.Option(help="Start nothing more after this long.")] = None,
    seed: Annotated[int, typer.Option(help="Chooses the random workloads.")] = 1,
) -> int:
    """Measure this machine: updates, memory, enumeration, against other ways to do it; ratios with spread.

    \b
    Example:
      ivme bench --quick
      ivme bench --quick --only sparse hub ivme floor
    """
    if names and not only:
        raise InputError(f"{names[0]!r}: names of sections, cases and contenders follow --only")
    if publishing:
        table.filled(Path("README.md"), None)  # before anything is measured
    if given is not None:
        found = results.read(given)
    else:
        base = settings(QUICK if quick else Settings(), rounds, minutes)
        made = evolve(base, seed=seed, folder=data, only=(*(only or ()), *(names or ())))
        found = measured(made, out / ("quick.json" if quick else "bench.json"))
    say(table.report(found).rstrip("\n"))
    if found.interrupted:
        raise output.Interrupted(
            f"in the middle: the results are partial{', and not published' * publishing}"
        )
    if publishing:
        publish(found, Path())
    return 1 if found.problems else 0


app = output.single(NAME, run)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; the exit code."""
    return output.guarded(lambda: app(arguments, prog_name=NAME, standalone_mode=False))
