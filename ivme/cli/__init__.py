"""The `ivme` command.

Each command is a module ivme/cli/<name>.py with one function, registered by one line in ivme/cli/app.py. Only
the result goes to stdout; remarks go to stderr, one line each. Exit codes: 0 success, 1 a check failed or a
disagreement was found, 2 bad input or usage, 3 a bug of ivme, 130 interrupted; docs/ci.md has them for each
command.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from ivme.extras import MissingExtraError, require


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    try:
        require("the command line", "cli", "typer", "rich")
    except MissingExtraError as error:
        print(f"ivme: error: {error}", file=sys.stderr)
        return 2
    from ivme.cli.app import run_app

    return run_app(sys.argv[1:] if arguments is None else list(arguments))
