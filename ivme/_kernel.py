"""Which kernel runs: the extensions that mypyc made, or the same sources interpreted.

`hatch_build.py` leaves a record beside this file: "compiled" and the hashes of all sources of the extensions;
"pure" and why nothing was compiled; or "failed" and the error. The extensions are used if they match the
sources and librt loads. Otherwise a finder makes every module of ivme load from its .py file, ignoring
extensions, with a warning where a compiled kernel was to be expected.

Imported before the kernel.  Cost: hashes the kernel's sources once, about a millisecond.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from importlib.machinery import EXTENSION_SUFFIXES, ModuleSpec, PathFinder
from importlib.util import source_hash, spec_from_file_location
from types import ModuleType

import ivme_spec

RECORD = "_kernel.txt"
HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGES = {
    "ivme": HERE,
    "ivme_spec": os.path.dirname(os.path.abspath(ivme_spec.__file__)),
}


class SourceFinder:
    """Finds our modules as .py files, where Python prefers extensions."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is None or not name.startswith("ivme."):
            return None
        for folder in path:
            source = os.path.join(folder, name.rpartition(".")[2] + ".py")
            if os.path.isfile(source):
                return spec_from_file_location(name, source)
        return None


def read_record(folder: str) -> list[str]:
    """The lines of the record; empty if nothing was built."""
    try:
        with open(os.path.join(folder, RECORD), encoding="utf-8") as record:
            return record.read().splitlines()
    except FileNotFoundError:
        return []


def hash_of(source: str) -> str:
    """The hash of a source file, as in hash-based .pyc files."""
    with open(source, "rb") as file:
        return source_hash(file.read()).hex()


def has_extension(folder: str, module: str) -> bool:
    """Whether the folder has an extension of this name for this interpreter."""
    return any(os.path.isfile(os.path.join(folder, module + suffix)) for suffix in EXTENSION_SUFFIXES)


def misfit(lines: Sequence[str]) -> str:
    """Why the recorded extensions cannot be used; empty if they can."""
    for line in lines:
        kind, digest, name = line.split(" ")
        if kind == "tool":
            continue
        package, _, rest = name.partition("/")
        if package not in PACKAGES:
            return f"{name} was compiled with it, and is not here"
        source = os.path.join(PACKAGES[package], *rest.split("/"))
        if kind == "module" and not has_extension(os.path.dirname(source), os.path.basename(source)[:-3]):
            return f"{name} has no extension for this Python"
        if not os.path.isfile(source) or hash_of(source) != digest:
            return f"{name} changed after it was compiled"
    try:
        import librt.vecs  # noqa: F401
    except Exception as error:
        return f"librt does not load ({error})"
    return ""


def choose() -> tuple[str, str]:
    """The kernel to run, "compiled" or "pure", and the reason for a pure one."""
    if os.environ.get("IVME_PURE", "0") not in ("", "0"):
        return "pure", "IVME_PURE is set"
    if not os.path.isdir(PACKAGES["ivme"]):
        return "pure", "ivme is imported from an archive, and extensions do not load from one"
    first, *rest = read_record(PACKAGES["ivme"]) or ["pure", "nothing was compiled"]
    if first == "pure":
        return "pure", " ".join(rest)
    if first == "failed":
        reason = " ".join(rest)
    elif reason := misfit(rest):
        reason += "; `make kernel` or a new install compiles it"
    else:
        return "compiled", ""
    warnings.warn(f"ivme runs the pure kernel: {reason}", RuntimeWarning, stacklevel=4)
    return "pure", reason


kernel, kernel_reason = choose()
if kernel == "pure":
    # Directly before Python's own finder: those of others keep their precedence.
    sys.meta_path.insert(sys.meta_path.index(PathFinder), SourceFinder)
