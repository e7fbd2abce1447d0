"""The wheel has three typed packages, which import without this checkout, and no test or benchmark code."""

import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import pytest

from tests.packaging.building import ROOT, is_extension, run_python

PACKAGES = {"ivme", "ivme_spec", "ivme_reference"}
# Folders and modules of a checkout alone.
FOLDERS = {"bench", "examples", "planted", "proofs", "support", "tests", "tools"}
MODULES = {"broken", "conftest", "hatch_build", "mutants", "own", "planted", "rivals"}


def test_source_archive_has_what_the_build_needs_and_no_product_of_it(source_archive: Path) -> None:
    with tarfile.open(source_archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert {"pyproject.toml", "hatch_build.py", "ivme/kernel/engine.py", "ivme/_kernel.py"} <= names
    assert {
        "bench/rivals.py",
        "tests/support/broken_engines.py",
        "proofs/__main__.py",
        "tools/test.sh",
    } <= names
    assert {"CONTRIBUTING.md", "RELEASING.md", ".pre-commit-config.yaml"} <= names
    assert ".github/workflows/test.yml" in names
    assert not {name for name in names if is_extension(name) or name.endswith("_kernel.txt")}


def test_wheel_has_the_three_packages_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == PACKAGES
    assert len(top) == len(PACKAGES) + 1
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)


def strays(names: Iterable[str]) -> list[str]:
    """The files of a wheel that belong to a checkout alone: tests, benchmark, proofs, planted bugs."""
    return [
        name
        for name in names
        if (stem := PurePosixPath(name).name.partition(".")[0]) in MODULES
        or stem.startswith("test_")
        or FOLDERS & set(PurePosixPath(name).parent.parts)
    ]


def test_wheel_has_no_code_of_tests_benchmark_proofs_or_planted_bugs(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    assert strays(archive.namelist()) == []
    packed = {archive.read(name) for name in archive.namelist() if name.endswith(".py")}
    outside = [file for folder in FOLDERS for file in (ROOT / folder).rglob("*.py")]
    assert len(outside) > 200
    assert [file for file in outside if file.stat().st_size and file.read_bytes() in packed] == []


@pytest.mark.parametrize(
    "planted",
    [
        "tests/test_view.py",
        "ivme/tests/helpers.py",
        "ivme/test_view.py",
        "ivme/conftest.py",
        "ivme/conformance/broken.py",
        "ivme/conformance/own.py",
        "ivme/rivals.cpython-313-x86_64-linux-gnu.so",
        "ivme/bench/cli.py",
        "bench/rivals.py",
        "proofs/deltas.py",
        "ivme/planted/spec.py",
    ],
)
def test_a_stray_file_is_found(planted: str) -> None:
    good = ["ivme/cli/bench.py", "ivme/schemas/bench.schema.json", "ivme_spec/rings.py", "ivme/py.typed"]
    assert strays(good) == []
    assert strays([*good, planted]) == [planted]


def test_wheel_has_every_file_of_the_packages(wheel: Path) -> None:
    folders = [ROOT / "ivme", ROOT / "spec" / "ivme_spec", ROOT / "reference" / "ivme_reference"]
    wanted = {
        path.relative_to(folder.parent).as_posix()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and not is_extension(path.name)
    }
    assert wanted <= set(zipfile.ZipFile(wheel).namelist())


def test_wheel_needs_attrs_and_what_the_compiled_kernel_needs(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    required = [
        line.removeprefix("Requires-Dist: ")
        for line in archive.read(metadata).decode().splitlines()
        if line.startswith("Requires-Dist:") and "extra ==" not in line
    ]
    cpython = "; platform_python_implementation == 'CPython'"
    assert required == ["attrs>=24", f"librt<0.17,>=0.16{cpython}", f"mypy-extensions>=1{cpython}"]


def test_installed_wheel_imports_without_the_checkout(installed: Path) -> None:
    names = sorted(PACKAGES)
    program = f"import {', '.join(names)}\nfor p in {', '.join(names)}: print(p.__file__)"
    files = run_python(program, installed).stdout.split()
    assert files == [str(installed / name / "__init__.py") for name in names]
