"""`ivme bench`: the benchmark."""

from __future__ import annotations

from typing import Annotated

import typer


def bench(
    options: Annotated[
        list[str] | None, typer.Argument(metavar="[OPTIONS]", help="As `ivme bench --help` lists them.")
    ] = None,
) -> int:
    """Measure this machine: updates, memory, enumeration, against other ways to do it.

    \b
    Example:
      ivme bench --quick
    """
    from bench.cli import main

    try:
        return main(options or [])
    except SystemExit as ended:  # of --help, and of options that it does not know
        return 0 if ended.code is None else int(ended.code)
