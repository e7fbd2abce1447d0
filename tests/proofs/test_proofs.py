"""The quick claims are obtained, the planted bugs die, and proofs/README.md lists what there is."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from attrs import evolve

from proofs.claims import Claim, Verdict, decide
from proofs.mutants import WORKERS, Trial, try_mutant
from proofs.planted import MUTANTS, Mutant
from proofs.registry import claims, run
from proofs.report import README, markdown_table, seconds_in

CLAIMS = claims()
QUICK = [claim for claim in CLAIMS if claim.quick]
NAMES = {claim.name for claim in CLAIMS}
QUICK_NAMES = {claim.name for claim in QUICK}
SLOW_MUTANTS = [mutant for mutant in MUTANTS if not QUICK_NAMES.intersection(mutant.claims)]
"""Those that only slow claims refute."""
QUICK_MUTANTS = [
    evolve(mutant, claims=tuple(name for name in mutant.claims if name in QUICK_NAMES))
    for mutant in MUTANTS
    if mutant not in SLOW_MUTANTS
]


@pytest.mark.pure
@pytest.mark.slow
@pytest.mark.parametrize("claim", QUICK, ids=[claim.name for claim in QUICK])
def test_claim_is_obtained(claim: Claim) -> None:
    outcome = decide(claim)
    assert outcome.verdict is Verdict.OBTAINED, outcome.detail


@pytest.fixture(scope="module")
def trials() -> dict[str, Future[Trial]]:
    """The mutants that quick claims refute, each in a process of its own, two at a time."""
    pool = ThreadPoolExecutor(WORKERS)
    started = {mutant.name: pool.submit(try_mutant, mutant) for mutant in QUICK_MUTANTS}
    pool.shutdown(wait=False)
    return started


@pytest.mark.pure
@pytest.mark.slow
@pytest.mark.parametrize("mutant", QUICK_MUTANTS, ids=[mutant.name for mutant in QUICK_MUTANTS])
def test_planted_bug_is_refuted(mutant: Mutant, trials: dict[str, Future[Trial]]) -> None:
    trial = trials[mutant.name].result()
    assert not trial.survived, trial.output


@pytest.mark.pure
@pytest.mark.nightly
def test_slow_claims_are_obtained_and_refute_their_mutants() -> None:
    slow = {claim.name for claim in CLAIMS if not claim.quick}
    for outcome in run(slow):
        assert outcome.verdict is Verdict.OBTAINED, outcome
    for mutant in MUTANTS:
        if slow.intersection(mutant.claims):
            trial = try_mutant(evolve(mutant, claims=tuple(slow.intersection(mutant.claims))))
            assert not trial.survived, trial.output


def test_every_claim_has_a_mutant_and_every_mutant_a_claim() -> None:
    refuted = {name for mutant in MUTANTS for name in mutant.claims}
    assert refuted == NAMES
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert len(NAMES) == len(CLAIMS)


def test_readme_lists_every_claim() -> None:
    text = README.read_text(encoding="utf-8")
    assert markdown_table(CLAIMS, seconds_in(text)) in text, "run: python -m proofs --write"
