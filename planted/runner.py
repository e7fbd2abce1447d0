"""The runner: copy the checkout, plant, run the instruments in processes of their own, judge.

The copy has no compiled kernel, so the pure one runs, bug and all; a bug in the compact storage or the arena
is compiled first, quickly instead of well. The copy's packages come first on the path.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from planted.mutant import AGREEMENT, CONTROL, TESTS, Mutant

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("ivme", "spec", "reference", "proofs", "planted", "tests", "bench", "examples", "docs")
FILES = ("pyproject.toml", "README.md", "hatch_build.py")
COMPILED = shutil.ignore_patterns("*.so", "*.pyd", "_kernel.txt")
"""Built from the sources without the bug."""
WORKERS = 2
SECONDS = 1500
"""An instrument that takes longer has not caught anything."""
FAILED = re.compile(r"^(FAILED|ERROR) tests/\S+::", re.MULTILINE)
"""A test that failed, or whose fixture did: a file that cannot be imported is no test."""

FAST_TESTS = (
    "tests/kernel",
    "tests/ivme",
    "tests/graph",
    "tests/agreement/test_random.py",
    "tests/agreement/test_targeted.py",
    "tests/agreement",
    "tests/conformance/test_own_machines.py",
    "tests/cost",
)


@frozen
class Trial:
    """What became of a mutant: the instruments that missed it, and what they printed."""

    mutant: Mutant
    missed: tuple[str, ...]
    output: str

    @property
    def wrong(self) -> tuple[str, ...]:
        """The instruments that missed a bug, or caught the control."""
        if self.mutant.name != CONTROL.name:
            return self.missed
        return tuple(name for name in self.mutant.caught_by if name not in self.missed)


def problem(mutant: Mutant, root: Path = ROOT) -> str:
    """Why a bug cannot be planted, or which of its tests is not there, or nothing."""
    if absent := [name for name in mutant.tests if not _is_there(name, root)]:
        return f"{mutant.name}: there is no {', '.join(absent)}"
    path = root / mutant.path
    count = path.read_text(encoding="utf-8").count(mutant.old) if path.exists() else 0
    if count == 1:
        return ""
    said = f"occurs {count} times in {mutant.path}" if path.exists() else f"there is no {mutant.path}"
    others = [
        str(other.relative_to(root))
        for folder in ("ivme", "spec", "reference")
        for other in sorted((root / folder).rglob("*.py"))
        if other != path and other.read_text(encoding="utf-8").count(mutant.old) == 1
    ]
    hint = f"; once in {', '.join(others)}" if len(others) in (1, 2) else ""
    return f"{mutant.name}: {mutant.old!r} {said}{hint}"


def _is_there(test: str, root: Path) -> bool:
    """Whether a test that is named as `path` or `path::name`, or `tests`, exists."""
    path, *names = test.split("::")
    if not (root / path).exists():
        return False
    text = (root / path).read_text(encoding="utf-8") if names else ""
    return all(re.search(rf"\b{name}\b", text) for name in names)


def try_mutant(mutant: Mutant) -> Trial:
    """Plant one bug and run the instruments that it names."""
    if found := problem(mutant):
        return Trial(mutant, mutant.caught_by, found)
    with TemporaryDirectory(prefix="planted-") as folder:
        root = Path(folder)
        copy_checkout(root)
        plant(mutant, root)
        if mutant.compact:
            built = _run(root, [str(root / "hatch_build.py")], compiled=True)
            if built.returncode:
                return Trial(mutant, mutant.caught_by, f"does not compile\n{built.stdout}{built.stderr}")
        caught: set[str] = set()
        output = ""
        for find in (_by_claims, _by_agreement, _by_tests):
            found_by, printed = find(mutant, root)
            caught |= found_by
            output += printed
    return Trial(mutant, tuple(name for name in mutant.caught_by if name not in caught), output)


def copy_checkout(root: Path) -> None:
    """Copy all that the instruments need."""
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, root / folder, ignore=COMPILED)
    for name in FILES:
        shutil.copy(ROOT / name, root / name)


def plant(mutant: Mutant, root: Path) -> None:
    """Change one file of a copy."""
    path = root / mutant.path
    path.write_text(path.read_text(encoding="utf-8").replace(mutant.old, mutant.new), encoding="utf-8")
    for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        stale.unlink()


@contextmanager
def trials(mutants: Iterable[Mutant]) -> Iterator[dict[str, Future[Trial]]]:
    """Try mutants, two at a time; what has not started when the context ends is not tried."""
    pool = ThreadPoolExecutor(WORKERS)
    try:
        yield {mutant.name: pool.submit(try_mutant, mutant) for mutant in mutants}
    finally:
        pool.shutdown(cancel_futures=True)


# --- the instruments: the names in `caught_by` that caught the bug, and what was printed ----------------


def _by_claims(mutant: Mutant, root: Path) -> tuple[set[str], str]:
    if not mutant.claims:
        return set(), ""
    done = _run(root, ["-m", "proofs", *mutant.claims])
    verdicts = [line.split() for line in done.stdout.splitlines() if line.startswith("REFUTED ")]
    return {words[3] for words in verdicts if len(words) > 3}, done.stdout + done.stderr


def _by_agreement(mutant: Mutant, root: Path) -> tuple[set[str], str]:
    if AGREEMENT not in mutant.caught_by:
        return set(), ""
    done = _run(root, ["-m", "tests.agreement.battery"])
    found = done.returncode == 1 and done.stdout.startswith("found: ")
    return {AGREEMENT} if found else set(), done.stdout + done.stderr


def _by_tests(mutant: Mutant, root: Path) -> tuple[set[str], str]:
    if not mutant.tests:
        return set(), ""
    chosen = FAST_TESTS if TESTS in mutant.tests else mutant.tests
    done = _run(root, ["-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *chosen], mutant.compact)
    found = done.returncode == 1 and FAILED.search(done.stdout)
    return set(mutant.tests) if found else set(), done.stdout + done.stderr


def _run(root: Path, arguments: list[str], compiled: bool = False) -> subprocess.CompletedProcess[str]:
    """Run Python in a copy; its exit code is −1 if it takes too long."""
    places = [str(root), str(root / "spec"), str(root / "reference")]
    switches = {"IVME_PURE": "" if compiled else "1", "IVME_C_OPT": "0"}
    environment = {**os.environ, **switches, "PYTHONPATH": os.pathsep.join(places)}
    command = [sys.executable, *arguments]
    try:
        return subprocess.run(
            command,
            cwd=root,
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, -1, "", f"not decided in {SECONDS} s\n")
