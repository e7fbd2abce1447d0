"""Planted bugs: each claim must refute those that name it.

A mutant replaces one piece of text, which must occur exactly once, in a copy of the packages; then the named
claims run on the copy, in a process of their own, and each must come out REFUTED: with a counterexample, or
because the production code itself raised. "Not obtained" is not enough. The list is in `planted`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from attrs import frozen

from proofs.claims import Verdict
from proofs.planted import MUTANTS, Mutant

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("ivme", "spec/ivme_spec", "reference/ivme_reference", "proofs")
COMPILED = shutil.ignore_patterns("*.so", "*.pyd", "_kernel.txt")
"""What was compiled is left out of the copy: it comes from the sources without the bug."""
WORKERS = 2


@frozen
class Trial:
    """What became of a mutant: the claims that did not refute it, and what was printed."""

    mutant: Mutant
    survived: tuple[str, ...]
    output: str


def plant(mutant: Mutant, root: Path) -> None:
    """Copy the packages below `root` and put the bug in."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, root / package, ignore=COMPILED)
    path = root / mutant.path
    text = path.read_text(encoding="utf-8")
    if text.count(mutant.old) != 1:
        raise ValueError(
            f"{mutant.name}: {mutant.old!r} occurs {text.count(mutant.old)} times in {mutant.path}"
        )
    path.write_text(text.replace(mutant.old, mutant.new), encoding="utf-8")
    for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
        stale.unlink()


def try_mutant(mutant: Mutant) -> Trial:
    """Run the claims that a mutant names on a copy with the bug."""
    with TemporaryDirectory(prefix="mutant-") as folder:
        root = Path(folder)
        try:
            plant(mutant, root)
        except ValueError as error:
            return Trial(mutant, mutant.claims, str(error))
        places = [str(root), str(root / "spec"), str(root / "reference")]
        done = subprocess.run(
            [sys.executable, "-m", "proofs", "--only", *mutant.claims],
            cwd=root,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
            capture_output=True,
            text=True,
            check=False,
        )
    refuted = {
        line.split()[3]
        for line in done.stdout.splitlines()
        if line.startswith(Verdict.REFUTED.value) and len(line.split()) > 3
    }
    survived = tuple(claim for claim in mutant.claims if claim not in refuted)
    return Trial(mutant, survived, done.stdout + done.stderr)


def run_mutants(names: Collection[str] = ()) -> int:
    """Plant all mutants, or those named; 0 if every named claim refutes its mutants."""
    chosen = [mutant for mutant in MUTANTS if not names or mutant.name in names]
    alive = 0
    with ThreadPoolExecutor(WORKERS) as pool:
        for trial in pool.map(try_mutant, chosen):
            alive += bool(trial.survived)
            verdict = f"SURVIVED {', '.join(trial.survived)}" if trial.survived else "died"
            print(
                f"{verdict:<12} {trial.mutant.name} ({trial.mutant.path}): {', '.join(trial.mutant.claims)}"
            )
            if trial.survived:
                print(trial.output)
    print(f"{len(chosen) - alive} of {len(chosen)} mutants died")
    return 1 if alive or not chosen else 0
