"""The wheel, built from the source archive, has three typed packages that import without this checkout."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import attr
import attrs
import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {"ivme", "ivme_spec", "ivme_reference"}
NOT_SOURCE = shutil.ignore_patterns(".git", ".venv", ".*_cache", "__pycache__", "dist")


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds offline, in a copy: the checkout stays as it is."""
    folder = tmp_path_factory.mktemp("wheel")
    checkout, dist = folder / "checkout", folder / "dist"
    shutil.copytree(ROOT, checkout, ignore=NOT_SOURCE)
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", dist, cwd=checkout)
    (archive,) = dist.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "unpacked", filter="data")
    (source,) = (folder / "unpacked").iterdir()
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", dist, cwd=source)
    (built,) = dist.glob("*.whl")
    return built


def test_wheel_has_the_three_packages_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == PACKAGES
    assert len(top) == len(PACKAGES) + 1
    assert {f"{package}/py.typed" for package in PACKAGES} <= set(names)
    assert not [name for name in names if "test_" in name or "conftest" in name or "/tests/" in name]


def test_wheel_has_every_module_of_the_checkout(wheel: Path) -> None:
    folders = [ROOT / "ivme", ROOT / "spec" / "ivme_spec", ROOT / "reference" / "ivme_reference"]
    modules = {
        path.relative_to(folder.parent).as_posix() for folder in folders for path in folder.rglob("*.py")
    }
    assert modules <= set(zipfile.ZipFile(wheel).namelist())


def test_wheel_needs_attrs_alone(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    required = [
        line
        for line in archive.read(metadata).decode().splitlines()
        if line.startswith("Requires-Dist:") and "extra ==" not in line
    ]
    assert required == ["Requires-Dist: attrs>=24"]


def test_installed_wheel_imports_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    run(*pip, target, wheel, cwd=tmp_path)
    for package in (attr, attrs):
        shutil.copytree(package.__path__[0], target / package.__name__)
    # -S leaves out site-packages, and with it the editable install of this checkout.
    names = sorted(PACKAGES)
    program = f"import {', '.join(names)}\nfor p in {', '.join(names)}: print(p.__file__)"
    env = {**os.environ, "PYTHONPATH": str(target)}
    files = run(sys.executable, "-S", "-c", program, cwd=tmp_path, env=env).split()
    assert files == [str(target / name / "__init__.py") for name in names]
