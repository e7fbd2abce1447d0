"""Every planted bug can be planted, and the agreement battery and the named tests catch theirs.

tests/proofs has the claims. Hundreds of rows name tests: nightly, and only a sample.
"""

from collections.abc import Iterator
from concurrent.futures import Future
from random import Random
from typing import Any

import pytest
from attrs import evolve
from typer.testing import CliRunner

from planted import MUTANTS, Mutant
from planted.__main__ import app
from planted.mutant import AGREEMENT, CONTROL, TESTS, limited, of_kind
from planted.runner import Trial, problem, trials, try_mutant

AGREEING = limited(MUTANTS, {AGREEMENT})
TESTED = of_kind(MUTANTS, TESTS)
PURE = [mutant for mutant in TESTED if not mutant.compact]
COMPACT = [mutant for mutant in TESTED if mutant.compact]


# --- the table ------------------------------------------------------------------------------------------


def test_every_bug_can_be_planted() -> None:
    assert [found for mutant in (CONTROL, *MUTANTS) if (found := problem(mutant))] == []


def test_rows_have_names_of_their_own_change_something_and_are_caught() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert len({(mutant.path, mutant.old, mutant.new) for mutant in MUTANTS}) == len(MUTANTS)
    for mutant in MUTANTS:
        assert mutant.caught_by, mutant.name
        assert mutant.old != mutant.new, mutant.name


def test_only_tests_are_asked_about_the_compact_storage() -> None:
    """Proofs and battery run the pure kernel."""
    assert [mutant.name for mutant in MUTANTS if mutant.compact and mutant.tests != mutant.caught_by] == []


def test_every_row_of_tests_names_them() -> None:
    assert [mutant.name for mutant in MUTANTS if TESTS in mutant.caught_by] == []


def test_instruments_are_told_apart() -> None:
    named = ("tests/kernel", "tests/spec/test_state.py::test_x")
    mutant = evolve(MUTANTS[0], caught_by=(*named, AGREEMENT, "cover"))
    assert (mutant.tests, mutant.claims) == (named, ("cover",))
    assert [mutant.instruments(kind) for kind in (TESTS, AGREEMENT, "claims")] == [
        named,
        (AGREEMENT,),
        ("cover",),
    ]
    assert [row.caught_by for row in of_kind([mutant, CONTROL], TESTS)] == [named, (TESTS,)]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"old": "no such text"}, "occurs 0 times"),
        ({"old": "e"}, "occurs"),
        ({"path": "gone.py"}, "there is no gone.py; once in spec/ivme_spec/thresholds.py"),
        ({"caught_by": ("tests/spec/test_gone.py",)}, "there is no tests/spec/test_gone.py"),
        ({"caught_by": ("tests/spec/test_state.py::test_gone",)}, "there is no tests/spec/test_state.py::"),
    ],
)
def test_what_cannot_be_planted_is_said(change: dict[str, Any], said: str) -> None:
    mutant = evolve(MUTANTS[0], **change)
    assert said in problem(mutant)
    assert try_mutant(mutant).missed == mutant.caught_by


# --- the command ----------------------------------------------------------------------------------------


def command(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, arguments)
    return done.exit_code, done.output


def test_the_command_lists_and_checks() -> None:
    code, text = command("--list")
    assert (code, len(text.splitlines())) == (0, len(MUTANTS) + 1)
    code, text = command("--list", "--only", "agreement")
    assert (code, len(text.splitlines())) == (0, len(AGREEING) + 1)
    assert command("--list", "1") == command("--list", MUTANTS[0].name)
    assert command("--check", "0") == (0, "0 of 1 rows cannot be planted\n")


def test_a_name_that_is_not_there_is_refused() -> None:
    code, text = command("no-such-bug")
    assert code == 2
    assert "there is no no-such-bug" in text


# --- the instruments ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found() -> Iterator[dict[str, Future[Trial]]]:
    with trials(AGREEING) as started:
        yield started


@pytest.mark.pure
@pytest.mark.parametrize("mutant", AGREEING, ids=[mutant.name for mutant in AGREEING])
def test_the_agreement_battery_finds(mutant: Mutant, found: dict[str, Future[Trial]]) -> None:
    trial = found[mutant.name].result()
    assert not trial.missed, trial.output


@pytest.mark.pure
@pytest.mark.slow
def test_a_change_that_is_no_bug_is_missed() -> None:
    (control,) = limited([CONTROL], {AGREEMENT, *CONTROL.claims})
    assert not try_mutant(control).wrong


@pytest.mark.pure
@pytest.mark.slow
def test_a_named_test_catches_by_failing_and_not_by_breaking_off() -> None:
    """A bug; no bug; no Python, so that nothing can be imported."""
    bug = evolve(MUTANTS[0], caught_by=("tests/spec/test_thresholds.py",))
    assert not try_mutant(bug).missed
    for change in (bug.old + " ", "return ("):
        assert try_mutant(evolve(bug, new=change)).missed == bug.caught_by


@pytest.mark.nightly
@pytest.mark.pure
def test_the_named_tests_kill_a_sample(rng: Random) -> None:
    sample = [*limited([CONTROL], {TESTS}), *rng.sample(PURE, 6), *rng.sample(COMPACT, 2)]
    with trials(sample) as started:
        for mutant in sample:
            trial = started[mutant.name].result()
            assert not trial.wrong, (mutant, trial.output)
