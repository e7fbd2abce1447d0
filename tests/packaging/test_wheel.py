"""The wheel has three typed packages that import without this checkout."""

import tarfile
import zipfile
from pathlib import Path

from tests.packaging.building import ROOT, is_extension, run_python

PACKAGES = {"ivme", "ivme_spec", "ivme_reference"}


def test_source_archive_has_what_the_build_needs_and_no_product_of_it(source_archive: Path) -> None:
    with tarfile.open(source_archive) as tar:
        names = {name.partition("/")[2] for name in tar.getnames()}
    assert {"pyproject.toml", "hatch_build.py", "ivme/kernel/engine.py", "ivme/_kernel.py"} <= names
    assert {
        "CONTRIBUTING.md",
        "RELEASING.md",
        ".pre-commit-config.yaml",
        ".github/workflows/test.yml",
    } <= names
    assert not {name for name in names if is_extension(name) or name.endswith("_kernel.txt")}


def test_wheel_has_the_three_packages_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == PACKAGES
    assert len(top) == len(PACKAGES) + 1
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)
    assert not [name for name in names if "test_" in name or "conftest" in name or "/tests/" in name]


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
