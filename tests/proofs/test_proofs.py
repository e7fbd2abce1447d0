"""The quick claims are obtained and refute their planted bugs; proofs/README.md lists every claim."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest

from planted import MUTANTS, Mutant
from planted.mutant import limited
from planted.runner import Trial, trials
from proofs.claims import Claim, Verdict, decide
from proofs.registry import claims, run
from proofs.report import README, markdown_table, seconds_in

CLAIMS = claims()
QUICK = [claim for claim in CLAIMS if claim.quick]
NAMES = {claim.name for claim in CLAIMS}
QUICK_NAMES = {claim.name for claim in QUICK}
QUICK_MUTANTS = limited(MUTANTS, QUICK_NAMES)
ROOT = README.parents[1]


@pytest.mark.pure
@pytest.mark.slow
@pytest.mark.parametrize("claim", QUICK, ids=[claim.name for claim in QUICK])
def test_claim_is_obtained(claim: Claim) -> None:
    outcome = decide(claim)
    assert outcome.verdict is Verdict.OBTAINED, outcome.detail


@pytest.fixture(scope="module")
def refuted() -> Iterator[dict[str, Future[Trial]]]:
    with trials(QUICK_MUTANTS) as started:
        yield started


@pytest.mark.pure
@pytest.mark.slow
@pytest.mark.parametrize("mutant", QUICK_MUTANTS, ids=[mutant.name for mutant in QUICK_MUTANTS])
def test_planted_bug_is_refuted(mutant: Mutant, refuted: dict[str, Future[Trial]]) -> None:
    trial = refuted[mutant.name].result()
    assert not trial.missed, trial.output


@pytest.mark.pure
@pytest.mark.nightly
def test_slow_claims_are_obtained_and_refute_their_mutants() -> None:
    slow = NAMES - QUICK_NAMES
    for outcome in run(slow):
        assert outcome.verdict is Verdict.OBTAINED, outcome
    with trials(limited(MUTANTS, slow)) as started:
        for trial in started.values():
            assert not trial.result().missed, trial.result().output


def test_every_claim_refutes_a_planted_bug_and_every_claim_that_is_named_exists() -> None:
    assert {name for mutant in MUTANTS for name in mutant.claims} == NAMES
    assert len(NAMES) == len(CLAIMS)


def definitions(path: Path) -> Iterator[str]:
    """What a module defines: f, C, CONSTANT; module.f, module.C, module.CONSTANT; C.method."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        else:
            stored = (name for name in ast.walk(node) if isinstance(name, ast.Name))
            names = [name.id for name in stored if isinstance(name.ctx, ast.Store)]
        yield from names
        yield from (f"{path.stem}.{name}" for name in names)
        if isinstance(node, ast.ClassDef):
            methods = (member for member in node.body if isinstance(member, ast.FunctionDef))
            yield from (f"{node.name}.{method.name}" for method in methods)


def test_claims_run_code_that_exists() -> None:
    """A guard that was renamed or removed is noticed."""
    known = set[str]()
    for folder in (ROOT / "ivme", ROOT / "spec" / "ivme_spec", ROOT / "reference" / "ivme_reference"):
        for path in folder.rglob("*.py"):
            known |= {path.relative_to(folder.parent).as_posix(), *definitions(path)}
    missing = {(claim.name, guard) for claim in CLAIMS for guard in claim.guards if guard not in known}
    assert not missing


def test_readme_lists_every_claim() -> None:
    text = README.read_text(encoding="utf-8")
    assert markdown_table(CLAIMS, seconds_in(text)) in text, "run: python -m proofs --write"
