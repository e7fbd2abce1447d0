"""Compiles the kernel with mypyc, for the wheel and in place for the editable install.

Where there is no C compiler the pure version is installed, and one line says so, on standard error (pip shows
it with -v) and later in `ivme.kernel_reason`. A kernel that does not compile is a fault: the pure version is
installed too, but a banner says what went wrong, and so does a warning at every import. The environment at
build time:

    IVME_PURE=1           do not compile
    IVME_STRICT_BUILD=1   a kernel that does not compile is an error; no C compiler, or none wanted, is not

`python hatch_build.py` compiles in place, strictly, if a source or a tool changed since the last time.
The compiler runs in a process of its own: mypyc ends its process on type errors.
"""

from __future__ import annotations

import ast
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.metadata import PackageNotFoundError, version
from importlib.util import source_hash
from pathlib import Path
from typing import Any

from hatchling.builders.config import BuilderConfig
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
FOLDERS = {"ivme": ROOT / "ivme", "ivme_spec": ROOT / "spec" / "ivme_spec", "bench": ROOT / "bench"}
GROUP = "ivme._compiled"
RECORD = "ivme/_kernel.txt"
"""What `ivme._kernel` reads: "compiled" and a line for each source and tool; "pure" or "failed" and why."""

CONFIG = """
[mypy]
strict = true
explicit_package_bases = true
mypy_path = spec

# The package's __init__ collects names, and so leads to modules that import optional packages.
[mypy-ivme]
follow_imports = skip
"""
"""mypy's options for the kernel: it reads what `sources` lists, whatever else is installed."""

NO_MSVC = "Microsoft Visual C++ 14.0 or greater is required"
"""What setuptools says where it finds no compiler on Windows."""

BANNER = """
======================================================================================
ivme: THE KERNEL DID NOT COMPILE. The pure version is installed: several times slower.
ivme: {reason}
ivme: Please report it. IVME_STRICT_BUILD=1 makes this an error; IVME_PURE=1 asks for it.
======================================================================================
"""


class NotCompiledError(Exception):
    """The kernel does not compile; the message is one line, the output has the rest."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


# --- what to compile ---


def kernel_modules(checkout: bool) -> list[str]:
    """The modules of the kernel, as paths from the root; those of the checkout alone, if wanted, too."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ivme"]["kernel"]
    files = (ROOT / config["folder"]).rglob("*.py")
    modules = [file.relative_to(ROOT).as_posix() for file in files if file.name != "__init__.py"]
    return sorted([*modules, *(config["checkout"] if checkout else [])])


def file_of(module: str) -> Path | None:
    """The source of a module of ours that the kernel may be compiled against; None for any other."""
    package, *rest = module.split(".")
    if package not in FOLDERS:
        return None
    path = FOLDERS[package].joinpath(*rest)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def imported_by(file: Path) -> Iterator[Path]:
    """Our files that a file imports by absolute name, `from package import module` included."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (found for name in names if (found := file_of(name)))


def sources(modules: Iterable[str]) -> dict[str, str]:
    """All sources that the kernel depends on, by their names in the wheel, with their hashes.

    Not its own alone: mypyc takes types and constants from what they import. The packages' __init__ files
    only collect names.
    """
    seen: set[Path] = set()
    waiting = [ROOT / module for module in modules]
    while waiting:
        file = waiting.pop()
        if file not in seen and file.name != "__init__.py":
            seen.add(file)
            waiting += imported_by(file)
    return {installed_name(file): source_hash(file.read_bytes()).hex() for file in sorted(seen)}


def installed_name(file: Path) -> str:
    (name,) = (
        f"{package}/{file.relative_to(folder).as_posix()}"
        for package, folder in FOLDERS.items()
        if file.is_relative_to(folder)
    )
    return name


def compiled_record(modules: list[str]) -> str:
    """The record of a compiled kernel."""
    lines = [
        f"{'module' if name in modules else 'import'} {digest} {name}"
        for name, digest in sources(modules).items()
    ]
    try:
        mypy = version("mypy")
    except PackageNotFoundError:
        mypy = "no"  # run_mypyc will say so
    tools = [f"tool {mypy} mypy", f"tool {source_hash(Path(__file__).read_bytes()).hex()} build"]
    return "\n".join(["compiled", *lines, *tools, ""])


def reason_record(kind: str, reason: str) -> str:
    """The record where nothing is compiled: "pure" if it could not or should not be, else "failed"."""
    return f"{kind}\n{reason}\n"


# --- whether and how to compile it ---


def obstacle() -> str:
    """Why this machine cannot compile or shall not; empty if it can. Compiles a file of one line."""
    if is_set("IVME_PURE"):
        return "IVME_PURE was set at build time; `make kernel` or a new install compiles it"
    if sys.implementation.name != "cpython":
        return f"mypyc does not support {sys.implementation.name}"
    if os.name != "posix":
        return ""  # setuptools looks for the compiler, and says NO_MSVC
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if not shutil.which(command[0]):
        return f"no C compiler was found ({command[0]})"
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe.c")
        probe.write_text("#include <Python.h>\n", encoding="utf-8")
        headers = [f"-I{sysconfig.get_path(name)}" for name in ("include", "platinclude")]
        run = subprocess.run(
            [*command, *headers, "-c", probe, "-o", probe.with_suffix(".o")], capture_output=True, check=False
        )
    return "" if run.returncode == 0 else f"the C compiler or Python's headers do not work ({command[0]})"


def compile_kernel(modules: list[str], into: Path) -> list[Path]:
    """The extensions, compiled into a folder; NotCompiledError if that fails."""
    run = subprocess.run(
        [sys.executable, __file__, "compile", into, *modules],
        cwd=ROOT,
        env={**os.environ, "MYPY_FORCE_COLOR": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    extensions = sorted(path for path in into.rglob("*") if path.name.endswith(tuple(EXTENSION_SUFFIXES)))
    if run.returncode or len(extensions) != len(modules) + 1:
        errors = [line for line in run.stdout.splitlines() if "error:" in line.lower()]
        first = (errors or run.stdout.splitlines() or ["no output"])[0].strip()
        raise NotCompiledError(f"the kernel does not compile: {first}", run.stdout)
    return extensions


def run_mypyc(into: str, modules: list[str]) -> None:
    """In the process of its own: mypyc and the C compiler; SystemExit on errors."""
    from mypyc.build import mypycify
    from setuptools import Distribution

    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "mypy.ini")
        config.write_text(CONFIG, encoding="utf-8")
        extensions = mypycify(
            ["--config-file", str(config), "--cache-dir", str(Path(folder, "cache")), *modules],
            opt_level="3",
            debug_level="0",
            target_dir=folder,
            group_name=GROUP,
        )
        build = Distribution({"name": "ivme", "ext_modules": extensions}).get_command_obj("build_ext")
        build.build_lib, build.build_temp = into, folder
        build.ensure_finalized()
        build.run()


def build(into: Path, checkout: bool) -> tuple[list[Path], str]:
    """The extensions, compiled into a folder, and the record; no extensions for the pure version."""
    modules = kernel_modules(checkout)
    reason = obstacle()
    if not reason:
        record = compiled_record(modules)  # before: what is edited meanwhile is then known as changed
        try:
            return compile_kernel(modules, into), record
        except NotCompiledError as error:
            if NO_MSVC in error.output:
                reason = f"no C compiler was found ({NO_MSVC})"
            else:
                print(error.output.rstrip(), file=sys.stderr)
                if is_set("IVME_STRICT_BUILD"):
                    raise SystemExit(f"ivme: {error}") from None
                print(BANNER.format(reason=error), file=sys.stderr)
                return [], reason_record("failed", str(error))
    print(f"ivme: building the pure version: {reason}", file=sys.stderr)
    return [], reason_record("pure", reason)


def is_set(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


def build_in_place() -> None:
    """Put extensions and record beside the sources. What was there before goes first, the record last."""
    with tempfile.TemporaryDirectory() as folder:
        extensions, record = build(Path(folder), checkout=True)
        (ROOT / RECORD).unlink(missing_ok=True)
        for suffix in EXTENSION_SUFFIXES:
            for folder_of_ours in ("ivme", "bench"):
                for old in (ROOT / folder_of_ours).rglob(f"*{suffix}"):
                    old.unlink()
        for extension in extensions:
            shutil.copy(extension, ROOT / extension.relative_to(folder))
        (ROOT / RECORD).write_text(record, encoding="utf-8")


def up_to_date() -> bool:
    """Whether what stands beside the sources is what `build_in_place` would put there."""
    modules = kernel_modules(checkout=True)
    reason = obstacle()
    wanted = reason_record("pure", reason) if reason else compiled_record(modules)
    names = [] if reason else [f"{GROUP.replace('.', '/')}__mypyc", *(m.removesuffix(".py") for m in modules)]
    return (
        (ROOT / RECORD).is_file()
        and (ROOT / RECORD).read_text(encoding="utf-8") == wanted
        and all((ROOT / (name + EXTENSION_SUFFIXES[0])).is_file() for name in names)
    )


class KernelHook(BuildHookInterface[BuilderConfig]):
    """hatchling's build hook for the wheel and the editable install."""

    folder: tempfile.TemporaryDirectory[str]

    def dependencies(self) -> list[str]:
        """What compiling needs, beside what running needs; nothing where it cannot be done."""
        core = self.metadata.core
        return [] if obstacle() else [*core.dependencies, *core.optional_dependencies["build"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            if not up_to_date():
                build_in_place()
            return
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        extensions, record = build(folder, checkout=False)
        (folder / "record").write_text(record, encoding="utf-8")
        build_data["force_include"][str(folder / "record")] = RECORD
        for extension in extensions:
            build_data["force_include"][str(extension)] = extension.relative_to(folder).as_posix()
        build_data["pure_python"] = not extensions
        build_data["infer_tag"] = bool(extensions)

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self.folder.cleanup()


def main(arguments: list[str]) -> None:
    match arguments:
        case ["compile", into, *modules]:
            run_mypyc(into, modules)
        case []:
            if not is_set("IVME_PURE") and not up_to_date():
                print("ivme: compiling the kernel")
                os.environ["IVME_STRICT_BUILD"] = "1"
                build_in_place()
        case _:
            raise SystemExit("usage: python hatch_build.py")


if __name__ == "__main__":
    main(sys.argv[1:])
