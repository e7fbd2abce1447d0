"""The compiled kernel: the wheel has it, IVME_PURE=1 bypasses it, and it never runs with other sources.

Without a C compiler, the tests that need one are skipped.
"""

import re
import shutil
import sys
import zipfile
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

from tests.packaging.building import (
    BROKEN,
    HOOK,
    MODULES,
    ROOT,
    build_wheel,
    copy_checkout,
    environment,
    install,
    is_extension,
    run,
    run_python,
)

NAMES = [Path(module).with_suffix("").as_posix().replace("/", ".") for module in MODULES]
# The kernel, how many of its modules are extensions, the answer of a view with one triangle, and the reason.
PROBE = f"""
import importlib, sys, ivme
names = {NAMES}
if ivme.kernel == "pure":  # which does not load the compact storage
    names = [name for name in names if name in sys.modules]
files = [importlib.import_module(name).__file__ for name in names]
view = ivme.TriangleView("ABC", database={{"R": [(1, 2)], "S": [(2, 3)], "T": [(3, 1)]}})
print(ivme.kernel, sum(not file.endswith(".py") for file in files), dict(view), ivme.kernel_reason, sep="|")
"""
ONE = str({(1, 2, 3): 1})
COMPILED = ["compiled", str(len(NAMES)), ONE, ""]


def probe(*paths: Path, **changes: str) -> list[str]:
    """What PROBE prints, field by field."""
    return run_python(PROBE, *paths, **changes).stdout.strip("\n").split("|")


def pure(reason: str) -> list[str]:
    return ["pure", "0", ONE, reason]


def compiled_in(wheel: Path) -> set[str]:
    """The extensions of a wheel, without their suffixes."""
    return {name.partition(".")[0] for name in zipfile.ZipFile(wheel).namelist() if is_extension(name)}


# --- the wheel ---


@pytest.mark.usefixtures("compiler")
def test_wheel_has_the_extensions_and_is_for_this_platform(wheel: Path) -> None:
    modules = {module.removesuffix(".py") for module in MODULES}
    assert compiled_in(wheel) == modules | {"ivme/_compiled__mypyc"}
    assert not wheel.name.endswith("-none-any.whl")
    (metadata,) = (name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".dist-info/WHEEL"))
    assert "Root-Is-Purelib: false" in zipfile.ZipFile(wheel).read(metadata).decode()


@pytest.mark.usefixtures("compiler")
def test_the_installed_wheel_runs_compiled_and_pure(installed: Path) -> None:
    assert probe(installed) == COMPILED
    assert probe(installed, IVME_PURE="0") == COMPILED
    assert probe(installed, IVME_PURE="1") == pure("IVME_PURE is set")


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize(("switch", "kernel"), [("0", "compiled"), ("1", "pure")])
def test_processes_that_are_spawned_run_the_same_kernel(installed: Path, switch: str, kernel: str) -> None:
    program = """
import multiprocessing, ivme
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        file = pool.apply(eval, ("__import__('ivme.kernel.engine', fromlist=['Engine']).__file__",))
        print(pool.apply(eval, ("__import__('ivme').kernel",)), file.rpartition(".")[2])
"""
    suffix = EXTENSION_SUFFIXES[0].rpartition(".")[2] if kernel == "compiled" else "py"
    assert run_python(program, installed, IVME_PURE=switch).stdout.split() == [kernel, suffix]


# --- extensions that do not match ---


@pytest.fixture
def spoiled(installed: Path, tmp_path: Path) -> Path:
    """A copy of the installed wheel, to be modified."""
    return shutil.copytree(installed, tmp_path / "target")


def assert_falls_back(target: Path, reason: str) -> None:
    done = run_python(PROBE, target)
    *found, why = done.stdout.strip("\n").split("|")
    assert found == ["pure", "0", ONE]
    assert why.startswith(reason)
    assert f"RuntimeWarning: ivme runs the pure kernel: {reason}" in done.stderr


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("source", ["ivme/kernel/engine.py", "ivme/kernel/plan.py", "ivme_spec/rings.py"])
def test_a_source_that_changed_is_not_ignored(spoiled: Path, source: str) -> None:
    with (spoiled / source).open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert_falls_back(spoiled, f"{source} changed after it was compiled")


@pytest.mark.usefixtures("compiler")
def test_a_source_outside_the_kernel_may_change(spoiled: Path) -> None:
    with (spoiled / "ivme/view.py").open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    assert probe(spoiled) == COMPILED


@pytest.mark.usefixtures("compiler")
def test_an_extension_for_another_python_is_not_used(spoiled: Path) -> None:
    for extension in filter(lambda path: is_extension(path.name), list((spoiled / "ivme").rglob("*"))):
        extension.rename(extension.with_name(extension.name.partition(".")[0] + ".cpython-39-elsewhere.so"))
    assert_falls_back(spoiled, f"{min(MODULES)} has no extension for this Python")


@pytest.mark.usefixtures("compiler")
@pytest.mark.parametrize("missing", ["librt", "mypy_extensions.py"])
def test_the_pure_kernel_runs_where_the_run_time_package_is_missing(spoiled: Path, missing: str) -> None:
    path = spoiled / missing
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    assert_falls_back(spoiled, "librt does not load (No module named ")


@pytest.mark.usefixtures("compiler")
def test_extensions_without_a_record_are_not_used(spoiled: Path) -> None:
    (spoiled / "ivme" / "_kernel.txt").unlink()
    assert probe(spoiled) == pure("nothing was compiled")


# --- no compiled kernel ---


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return copy_checkout(tmp_path / "checkout")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (BROKEN, f"the C compiler or Python's headers do not work ({BROKEN['CC']})"),
        ({"CC": "gone-cc"}, "no C compiler was found (gone-cc)"),
        ({"CC": "", "PATH": "/nowhere"}, "no C compiler was found ("),
        ({"IVME_PURE": "1"}, "IVME_PURE was set at build time; `make kernel` or a new install compiles it"),
    ],
    ids=["broken", "named", "path", "pure"],
)
@pytest.mark.skipif(sys.platform == "win32", reason="CC and PATH do not choose the compiler there")
def test_without_a_compiler_the_pure_version_is_built_and_says_so(
    checkout: Path, tmp_path: Path, changes: dict[str, str], reason: str
) -> None:
    # Nothing is wrong with the sources, so strictness makes no difference.
    built, said = build_wheel(checkout, tmp_path / "dist", IVME_STRICT_BUILD="1", **changes)
    assert built.name.endswith("-py3-none-any.whl")
    assert compiled_in(built) == set()
    (line,) = (line for line in said.splitlines() if line.startswith("ivme: "))
    assert line.startswith(f"ivme: building the pure version: {reason}")
    target = install(built, tmp_path / "target")
    done = run_python(PROBE, target)
    assert done.stdout.strip("\n").split("|") == pure(line.removeprefix("ivme: building the pure version: "))
    assert done.stderr == ""


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_a_type_error_gives_the_pure_version_or_none(checkout: Path, tmp_path: Path) -> None:
    module = MODULES[0]
    with (checkout / module).open("a", encoding="utf-8") as file:
        file.write('WRONG: int = "text"\n')
    built, said = build_wheel(checkout, tmp_path / "dist")
    assert built.name.endswith("-py3-none-any.whl")
    loud, line, _ = (line for line in said.splitlines() if line.startswith("ivme: "))
    assert loud.startswith("ivme: THE KERNEL DID NOT COMPILE. The pure version is installed")
    reason = line.removeprefix("ivme: ")
    assert reason.startswith(f"the kernel does not compile: {module}:")
    assert "error: Incompatible types in assignment" in reason
    assert zipfile.ZipFile(built).read("ivme/_kernel.txt").decode() == f"failed\n{reason}\n"

    target = install(built, tmp_path / "target")
    done = run_python(PROBE, target)
    assert done.stdout.strip("\n").split("|") == pure(reason)
    assert [line for line in done.stderr.splitlines() if "Warning" in line] == [
        f"<string>:2: RuntimeWarning: ivme runs the pure kernel: {reason}"
    ]

    failed = run(
        *(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "none"),
        cwd=checkout,
        env=environment(IVME_STRICT_BUILD="1"),
        code=1,
    )
    assert failed.stderr.splitlines()[-1].startswith(f"ivme: the kernel does not compile: {module}:")
    assert not list((tmp_path / "none").glob("*.whl"))


# As on Windows, where a missing compiler shows only when compiling.
NO_MSVC = """
import sys, hatch_build
from pathlib import Path

def compile_kernel(modules, into):
    raise hatch_build.NotCompiledError("no", f"error: {hatch_build.NO_MSVC}. Get it with ...")

hatch_build.obstacle, hatch_build.compile_kernel = lambda: "", compile_kernel
print(hatch_build.build(Path(sys.argv[1]))[1].splitlines())
"""


def test_no_compiler_on_windows_is_no_failure(tmp_path: Path) -> None:
    done = run(
        sys.executable, "-c", NO_MSVC, tmp_path, cwd=ROOT, env=environment(IVME_STRICT_BUILD="1")
    ).stdout
    assert done == "['pure', 'no C compiler was found (Microsoft Visual C++ 14.0 or greater is required)']\n"


# --- the editable install ---


@pytest.fixture
def small(checkout: Path) -> Path:
    """A copy of the checkout with a kernel that is quick to compile: one module."""
    config = checkout / "pyproject.toml"
    text, changed = re.subn(
        r"\[tool\.ivme\.kernel\]\n(?:[^\[].*\n|\n)*folder = .*\n",
        '[tool.ivme.kernel]\nfolder = "ivme/small"\n',
        config.read_text(encoding="utf-8"),
    )
    assert changed == 1
    config.write_text(text, encoding="utf-8")
    (checkout / "ivme" / "small" / "deep").mkdir(parents=True)
    for package in ("small", "small/deep"):
        (checkout / "ivme" / package / "__init__.py").touch()
    (checkout / MODULE).write_text("MARK: int = 0\n", encoding="utf-8")
    return checkout


MODULE = "ivme/small/deep/module.py"
COMPILED_SMALL = {"ivme/_compiled__mypyc", "ivme/small/deep/module"}
MARK = """
import ivme
from ivme.small.deep import module
print(ivme.kernel, module.__file__.endswith(".py"), module.MARK)
"""


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_the_editable_install_compiles_in_place(small: Path, tmp_path: Path, installed: Path) -> None:
    needed = tmp_path / "needed"
    shutil.copytree(installed, needed, ignore=shutil.ignore_patterns("ivme*"))
    paths = [small, small / "spec", small / "reference", needed]

    def mark(**changes: str) -> str:
        return run_python(MARK, *paths, **changes).stdout.strip()

    def extensions() -> dict[str, int]:
        return {
            path.relative_to(small).as_posix().partition(".")[0]: path.stat().st_mtime_ns
            for path in (small / "ivme").rglob("*")
            if is_extension(path.name)
        }

    # What pip calls; the wheel has no code, only a path to this folder.
    build = "import sys, hatchling.build as build; print(build.build_editable(sys.argv[1]))"
    name = run(sys.executable, "-c", build, tmp_path, cwd=small).stdout.split()[-1]
    names = zipfile.ZipFile(tmp_path / name).namelist()
    assert not [name for name in names if is_extension(name) or name.endswith(".py")]
    first = extensions()
    assert set(first) == COMPILED_SMALL
    assert mark() == "compiled False 0"
    assert mark(IVME_PURE="1") == "pure True 0"

    # Directly after the install there is nothing to do.
    again = [sys.executable, HOOK.name]
    assert run(*again, cwd=small).stdout == ""
    assert extensions() == first

    # After an edit the source runs, until it is compiled again.
    with (small / MODULE).open("a", encoding="utf-8") as file:
        file.write("MARK = 1\n")
    assert mark() == "pure True 1"
    assert run(*again, cwd=small, env=environment(IVME_PURE="1")).stdout == ""
    assert run(*again, cwd=small).stdout == "ivme: compiling the kernel\n"
    assert mark() == "compiled False 1"

    # Extensions beside the sources get into no wheel: a pure one has none, any other compiles its own.
    built, _ = build_wheel(small, tmp_path / "pure", IVME_PURE="1")
    assert compiled_in(built) == set()
    built, _ = build_wheel(small, tmp_path / "compiled")
    assert compiled_in(built) == COMPILED_SMALL

    # An error in the sources removes nothing, and nothing stale is used.
    good = (small / MODULE).read_text(encoding="utf-8")
    (small / MODULE).write_text(good + "MARK = 'two'\n", encoding="utf-8")
    failed = run(*again, cwd=small, code=1)
    assert failed.stderr.splitlines()[-1].startswith(f"ivme: the kernel does not compile: {MODULE}:")
    assert mark() == "pure True two"

    # Without a compiler the extensions are removed.
    run(*again, cwd=small, env=environment(**BROKEN))
    assert extensions() == {}
    assert mark() == "pure True two"
