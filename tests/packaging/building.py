"""Building and installing ivme, in copies: the checkout is never changed.

An isolated build has what pyproject.toml asks for, from a package index; any other, what is installed here.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import tomllib
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import attr
import attrs
import librt
import mypy_extensions

ROOT = Path(__file__).resolve().parents[2]
NOT_SOURCE = shutil.ignore_patterns(
    ".git", ".venv", ".*_cache", "__pycache__", "dist", "*.so", "*.pyd", "_kernel.txt"
)
CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONFIG["project"]
KERNEL = ROOT / CONFIG["tool"]["ivme"]["kernel"]["folder"]
MODULES = sorted(
    file.relative_to(ROOT).as_posix() for file in KERNEL.rglob("*.py") if file.name != "__init__.py"
)
HOOK = ROOT / "hatch_build.py"
# A compiler that exists and does not work.
BROKEN = {"CC": shutil.which("false") or "false"}


def environment(**changes: str) -> dict[str, str]:
    """This process's environment, without our switches and with some changes."""
    switches = ("IVME_C_OPT", "IVME_PURE", "IVME_STRICT_BUILD")
    return {name: value for name, value in os.environ.items() if name not in switches} | changes


def run(
    *command: str | Path, cwd: Path, env: dict[str, str] | None = None, code: int = 0
) -> subprocess.CompletedProcess[str]:
    """Runs a command, which must exit with this code."""
    done = subprocess.run(
        command, cwd=cwd, env=env or environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done


def check_workflow(*files: Path, code: int = 0) -> None:
    """Validates workflows against GitHub's schema, which ships with check-jsonschema."""
    schema = ("--builtin-schema", "vendor.github-workflows")
    run(sys.executable, "-m", "check_jsonschema", *schema, *files, cwd=ROOT, code=code)


def obstacle() -> str:
    """Why no kernel can be compiled on this machine; empty if it can."""
    program = "import hatch_build; print(hatch_build.obstacle())"
    return run(sys.executable, "-c", program, cwd=ROOT).stdout.strip()


def copy_checkout(folder: Path) -> Path:
    shutil.copytree(ROOT, folder, ignore=NOT_SOURCE)
    return folder


def no_index(folder: Path) -> str:
    """Why no package index can be reached; empty if one can."""
    download = ["pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "hatchling"]
    done = subprocess.run(
        [sys.executable, "-m", *download], cwd=folder, capture_output=True, text=True, check=False
    )
    return "" if done.returncode == 0 else f"no package index: {(done.stderr.splitlines() or ['?'])[-1]}"


def build_wheel(source: Path, dist: Path, **changes: str) -> tuple[Path, str]:
    """The wheel of a source folder, and what the build wrote to standard error."""
    done = run(
        *(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", dist),
        cwd=source,
        env=environment(**changes),
    )
    (built,) = dist.glob("*.whl")
    return built, done.stderr


def build_source_archive(source: Path, dist: Path, isolated: bool = False) -> Path:
    how = [] if isolated else ["--no-isolation"]
    run(sys.executable, "-m", "build", "--sdist", *how, "-o", dist, cwd=source)
    (archive,) = dist.glob("*.tar.gz")
    return archive


def unpacked(archive: Path, folder: Path) -> Path:
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    return source


def install(wheel: Path, target: Path) -> Path:
    """The wheel and its requirements, in a folder for PYTHONPATH."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    run(*pip, target, wheel, cwd=target.parent)
    for package in (attr, attrs, librt):
        shutil.copytree(package.__path__[0], target / package.__name__)
    shutil.copy(mypy_extensions.__file__, target)
    return target


def run_python(program: str, *paths: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    """Runs a program with these folders on the path, without site-packages, which lead to the checkout."""
    env = environment(PYTHONPATH=os.pathsep.join(map(str, paths)), PYTHONDONTWRITEBYTECODE="1", **changes)
    return run(sys.executable, "-S", "-c", program, cwd=paths[0], env=env)


def is_extension(name: str) -> bool:
    return name.endswith(tuple(EXTENSION_SUFFIXES))
