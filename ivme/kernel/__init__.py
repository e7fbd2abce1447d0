"""The engines: what mypyc compiles, the whole folder, and what runs interpreted where it is not compiled.

Imports `ivme_spec` and nothing else of ours. `ivme.kernel`, the attribute, is the name of the kernel that
runs, "compiled" or "pure"; import from this package with `from ivme.kernel.engine import Engine`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr
else:

    def mypyc_attr(**_: object) -> object:
        """For mypyc; interpreted, it does nothing, and `mypy_extensions` is not needed."""
        return lambda made: made
