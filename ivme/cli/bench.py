"""`ivme bench`: the benchmark of a checkout; an installed ivme does not contain it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ivme_spec.errors import InputError


def bench(
    options: Annotated[
        list[str] | None, typer.Argument(metavar="[OPTIONS]", help="As `ivme bench --help` lists them.")
    ] = None,
) -> int:
    """Measure this machine: updates, memory, enumeration, against other ways to do it.

    Needs a checkout of the sources: ivme's own, or the current folder.

    \b
    Example:
      ivme bench --quick
    """
    checkout = _checkout()
    if checkout is None:
        raise InputError(
            "the benchmark is not part of an installed ivme: clone the repository and run `make bench` there"
        )
    if str(checkout) not in sys.path:
        sys.path.insert(0, str(checkout))
    from bench.cli import NAME, app

    code: int = app(options or [], prog_name=NAME, standalone_mode=False)
    return code


def _checkout() -> Path | None:
    """The folder that has the benchmark: beside the package `ivme`, or the current one."""
    import ivme

    beside = Path(ivme.__file__).resolve().parents[1]
    return next((root for root in (beside, Path.cwd()) if (root / "bench" / "rivals.py").is_file()), None)
