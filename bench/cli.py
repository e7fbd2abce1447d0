"""The command: run the benchmark, write its results, print its tables.

Exit code 0 unless a contender failed or gave a wrong answer (1) or the command was wrong (2); goals that were
missed are information.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from attrs import evolve

from bench import plot, results, sections, table
from bench.contenders import kernel
from bench.rounds import QUICK, Bench, Settings
from ivme_spec.errors import InputError

RESULTS = Path("bench-results")


def settings(arguments: argparse.Namespace) -> Settings:
    """What the command line asks for."""
    made = QUICK if arguments.quick else Settings()
    made = evolve(made, seed=arguments.seed, folder=arguments.data, only=tuple(arguments.only))
    for name in ("rounds", "minutes"):
        if (value := getattr(arguments, name)) is not None:
            if value <= 0:
                raise InputError(f"--{name} {value}: give a positive number")
            made = evolve(made, **{name: value})
    return made


def limit_memory(share: float = 0.8) -> None:
    """Refuse this process and its children more than a share of the machine's memory each.

    A contender whose state explodes then gets a MemoryError, which is written down, and not the machine.
    """
    with suppress(ImportError, AttributeError, ValueError, OSError):
        import os
        import resource

        total = os.sysconf("SC_PAGESIZE") * os.sysconf("SC_PHYS_PAGES")
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (int(total * share), hard))


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        prog="ivme bench",
        description="The benchmark: ratios, with their spread.",
        epilog="Example:\n  ivme bench --quick",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--quick", action="store_true", help="small sizes, at most two minutes; many goals need more"
    )
    made.add_argument("--only", nargs="+", default=[], metavar="NAME", help="sections, cases and contenders")
    made.add_argument("--data", default="", metavar="DIR", help="a folder with edge lists, *.txt.gz")
    made.add_argument(
        "--out", default=str(RESULTS), metavar="DIR", help="for the results (default: %(default)s)"
    )
    made.add_argument("--results", metavar="FILE", help="run nothing; take these raw results")
    made.add_argument(
        "--publish", action="store_true", help="also docs/bench.json, docs/bench.svg and the README"
    )
    made.add_argument("--rounds", type=int, help="at most so many of each")
    made.add_argument("--minutes", type=float, help="begin nothing more after so many")
    made.add_argument("--seed", type=int, default=1, help="of the random workloads (default: %(default)s)")
    return made


def with_table(readme: Path, part: str) -> str:
    """The README with the table in its place.  Bad input: an `InputError` if there is no place for it."""
    try:
        return table.put(readme.read_text(encoding="utf-8"), part)
    except OSError as error:
        raise InputError(f"{readme}: {error.strerror}; run in the folder of the sources") from error


def publish(found: results.Results, root: Path) -> None:
    """Write docs/bench.json, docs/bench.svg and the README's part.  Bad input: an `InputError`."""
    text = with_table(root / "README.md", table.readme_part(found))
    (root / "docs").mkdir(exist_ok=True)
    plot.draw(found, root / "docs" / "bench.svg")
    results.write(root / "docs" / "bench.json", found)
    (root / "README.md").write_text(text, encoding="utf-8")


def measured(given: argparse.Namespace, say: Callable[[str], object]) -> results.Results:
    """Run the benchmark and write its results and plot."""
    limit_memory()
    made = settings(given)
    say(f"seed {made.seed}, at most {made.minutes:g} minutes, {kernel()} kernel")
    if kernel() != "compiled":
        say("there is no compiled kernel in this installation: ivme and ivme-pure are the same")
    found = sections.run(Bench(made, say=say))
    target = Path(given.out) / ("quick.json" if given.quick else "bench.json")
    results.write(target, found)
    say(f"\nraw results: {target}\n")
    try:
        plot.draw(found, target.with_suffix(".svg"))
    except InputError as error:
        say(f"no plot: {error}")
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run; the exit code."""
    given = parser().parse_args(arguments)
    try:
        if given.publish:
            with_table(Path("README.md"), "")  # before anything is measured
        found = results.read(given.results) if given.results else measured(given, partial(print, flush=True))
        print(table.report(found), end="", flush=True)
        if given.publish:
            publish(found, Path())
    except InputError as error:
        print(f"ivme bench: {error}", file=sys.stderr)
        return 2
    return 1 if found.problems else 0
