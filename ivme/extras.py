"""Optional packages: where one is missing, the error has the command that installs it.

pyarrow = needed("an Arrow table", "arrays", "pyarrow")  # imports it
require("ivme.spark", "spark", "pyspark", "pandas")  # checks only
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ivme_spec.errors import InputError


class MissingExtraError(ModuleNotFoundError, InputError):
    """An optional package is not installed; the message says in one line what to type."""


def command(extra: str) -> str:
    """The command that adds an extra to an installed ivme, wherever that came from."""
    return f"pip install 'ivme[{extra}]'"


def absence(package: str, extra: str) -> str:
    """That a package is missing, and how to install it; empty if it is there.  Cost: does not import it."""
    return "" if find_spec(package) is not None else f"{package} is not installed: {command(extra)}"


def require(what: str, extra: str, *packages: str) -> None:
    """Check that packages are installed.

    Cost: does not import them.  Bad input: a `MissingExtraError`.
    """
    if found := [package for package in packages if find_spec(package) is None]:
        raise MissingExtraError(f"{what} needs {' and '.join(found)}: {command(extra)}", name=found[0])


def needed(what: str, extra: str, package: str) -> Any:
    """Import an optional package.  Bad input: a `MissingExtraError`."""
    require(what, extra, package)
    return import_module(package)
