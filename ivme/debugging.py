"""Debug mode: how often a view or a graph checks itself."""

from __future__ import annotations

import os

from ivme_spec.errors import InputError, shown


def debug_interval(debug: object) -> int:
    """How many updates lie between two checks; 0 for none."""
    if debug is None:
        debug = os.environ.get("IVME_DEBUG", "0") or "0"
        if not debug.isdecimal():
            raise InputError(
                f"IVME_DEBUG={shown(debug)}: give 1 to check after every update, n for every n-th, 0 for none"
            )
        return int(debug)
    if isinstance(debug, bool):
        return int(debug)
    if not isinstance(debug, int) or debug < 0:
        raise InputError(
            f"debug {shown(debug)}: give True, False, or a number n to check after every n-th update"
        )
    return debug
