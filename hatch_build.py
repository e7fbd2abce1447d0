"""Compiles the kernel with mypyc: into the wheel, and in place for an editable install.

Without a C compiler the pure version is installed. One line on standard error says so (pip shows it with
-v), and `ivme.kernel_reason` repeats it. If there is a compiler and the kernel does not compile, the pure
version is installed too, with a banner, and every import warns. At build time:

    IVME_PURE=1           do not compile
    IVME_STRICT_BUILD=1   fail if the kernel does not compile; a missing compiler is still no error
    IVME_C_OPT=0          the C compiler's optimisation, 0 to 3, which is usual: for kernels that are compiled
                          to be tried once, as `planted` does; a build in place does not see that it changed

`python hatch_build.py` compiles in place, strictly, if a source or a tool has changed since the last build.
mypyc runs in a subprocess, since it exits on type errors.
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
FOLDERS = {"ivme": ROOT / "ivme", "ivme_spec": ROOT / "spec" / "ivme_spec"}
GROUP = "ivme._compiled"
RECORD = "ivme/_kernel.txt"
"""Read by `ivme._kernel`: "compiled" and a line per source and tool, or "pure" or "failed" and the reason."""

CONFIG = """
[mypy]
strict = true
explicit_package_bases = true
mypy_path = spec

# ivme/__init__.py re-exports modules that import optional packages.
[mypy-ivme]
follow_imports = skip
"""
"""mypy's options for the kernel: the result depends on `sources` alone, not on what else is installed."""

NO_MSVC = "Microsoft Visual C++ 14.0 or greater is required"
"""setuptools' message when there is no compiler on Windows."""

BANNER = """
======================================================================================
ivme: THE KERNEL DID NOT COMPILE. The pure version is installed: several times slower.
ivme: {reason}
ivme: Please report it. IVME_STRICT_BUILD=1 makes this an error; IVME_PURE=1 asks for it.
======================================================================================
"""


class NotCompiledError(Exception):
    """The kernel does not compile; the message is one line, `output` is all that the compiler printed."""

    def __init__(self, message: str, output: str) -> None:
        super().__init__(message)
        self.output = output


# --- what to compile ---


def kernel_modules() -> list[str]:
    """The modules to compile, as paths from the root."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ivme"]["kernel"]
    files = (ROOT / config["folder"]).rglob("*.py")
    modules = [file.relative_to(ROOT).as_posix() for file in files if file.name != "__init__.py"]
    return sorted(modules)


def file_of(module: str) -> Path | None:
    """The source of a module in FOLDERS; None for any other."""
    package, *rest = module.split(".")
    if package not in FOLDERS:
        return None
    path = FOLDERS[package].joinpath(*rest)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def imported_by(file: Path) -> Iterator[Path]:
    """The files in FOLDERS that a file imports by absolute name, `from package import module` included."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        yield from (found for name in names if (found := file_of(name)))


def sources(modules: Iterable[str]) -> dict[str, str]:
    """The hashes of all sources that the kernel depends on, by their names in the wheel.

    This includes what the kernel imports, since mypyc compiles types and constants of imported modules in,
    but no __init__.py: those only re-export.
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
    """The name of a source as a wheel has it: `ivme_spec/rings.py` for `spec/ivme_spec/rings.py`."""
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
        mypy = "no"  # run_mypyc will report it
    tools = [f"tool {mypy} mypy", f"tool {source_hash(Path(__file__).read_bytes()).hex()} build"]
    return "\n".join(["compiled", *lines, *tools, ""])


def reason_record(kind: str, reason: str) -> str:
    """The record of a kernel that is not compiled: "pure" if it could not or should not be, else "failed"."""
    return f"{kind}\n{reason}\n"


# --- whether and how to compile it ---


def obstacle() -> str:
    """Why the kernel cannot or should not be compiled here; empty if it can. Compiles a one-line probe."""
    if is_set("IVME_PURE"):
        return "IVME_PURE was set at build time; `make kernel` or a new install compiles it"
    if sys.implementation.name != "cpython":
        return f"mypyc does not support {sys.implementation.name}"
    if os.name != "posix":
        return ""  # setuptools looks for the compiler, and reports NO_MSVC
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
    """Compile the kernel into a folder and return the extensions; NotCompiledError on failure."""
    run = subprocess.run(
        [sys.executable, __file__, "compile", into, *modules],
        cwd=ROOT,
        env={**os.environ, "MYPY_FORCE_COLOR": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    extensions = sorted(filter(is_extension, into.rglob("*")))
    if run.returncode or len(extensions) != len(modules) + 1:
        errors = [line for line in run.stdout.splitlines() if "error:" in line.lower()]
        first = (errors or run.stdout.splitlines() or ["no output"])[0].strip()
        raise NotCompiledError(f"the kernel does not compile: {first}", run.stdout)
    return extensions


def run_mypyc(into: str, modules: list[str]) -> None:
    """In the subprocess: run mypyc and the C compiler; SystemExit on errors."""
    from mypyc.build import mypycify
    from setuptools import Distribution

    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "mypy.ini")
        config.write_text(CONFIG, encoding="utf-8")
        extensions = mypycify(
            ["--config-file", str(config), "--cache-dir", str(Path(folder, "cache")), *modules],
            opt_level=os.environ.get("IVME_C_OPT") or "3",
            debug_level="0",
            target_dir=folder,
            group_name=GROUP,
        )
        if (
            os.name == "posix"
        ):  # calls inside the group need not go through the symbol table: 8 % of an update
            for extension in extensions:
                extension.extra_compile_args.append("-fno-semantic-interposition")
        build = Distribution({"name": "ivme", "ext_modules": extensions}).get_command_obj("build_ext")
        build.build_lib, build.build_temp = into, folder
        build.ensure_finalized()
        build.run()


def build(into: Path) -> tuple[list[Path], str]:
    """The extensions, compiled into a folder, and the record; the pure version has no extensions."""
    modules = kernel_modules()
    reason = obstacle()
    if not reason:
        record = compiled_record(modules)  # first: an edit during the build must count as a change
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


def is_extension(file: Path) -> bool:
    return file.name.endswith(tuple(EXTENSION_SUFFIXES))


def build_in_place() -> None:
    """Put extensions and record beside the sources: remove old ones first, write the record last."""
    with tempfile.TemporaryDirectory() as folder:
        extensions, record = build(Path(folder))
        (ROOT / RECORD).unlink(missing_ok=True)
        for package in FOLDERS.values():
            for old in package.rglob("*"):
                if is_extension(old):
                    old.unlink()
        for extension in extensions:
            shutil.copy(extension, ROOT / extension.relative_to(folder))
        (ROOT / RECORD).write_text(record, encoding="utf-8")


def up_to_date() -> bool:
    """Whether `build_in_place` would change nothing."""
    modules = kernel_modules()
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
        """What compiling needs, run-time dependencies included; nothing where the kernel is not compiled."""
        core = self.metadata.core
        return [] if obstacle() else [*core.dependencies, *core.optional_dependencies["build"]]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            if not up_to_date():
                build_in_place()
            return
        self.folder = tempfile.TemporaryDirectory()
        folder = Path(self.folder.name)
        extensions, record = build(folder)
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
