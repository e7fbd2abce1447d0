"""Our own engine under the shipped machine: every head, every ε, and both rebalances in both directions."""

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from ivme_spec.queries import HEADS, Partitioning
from tests.support.own_engine import view_machine

CASES = [*((free, "single") for free in HEADS), ("", "double"), ("BA", "single"), ("CAB", "single")]
RUNS = {"dev": 25, "ci": 60}
"""Examples for each head; the nightly profile runs as many as it says."""


@pytest.mark.parametrize(("free", "partitioning"), CASES)
def test_machine_agrees_with_the_reference_and_reaches_every_rebalance(
    free: str, partitioning: Partitioning
) -> None:
    machine = view_machine(free, partitioning)
    profile = settings.get_current_profile_name()
    examples = RUNS.get(profile, settings().max_examples)
    wanted = {f"{kind} rebalancing, {way}" for kind in ("minor", "major") for way in ("up", "down")}
    for steps in (30, 60, 120, 240):  # an unlucky seed needs longer runs to get everywhere
        run_state_machine_as_test(
            machine, settings=settings(max_examples=examples, stateful_step_count=steps)
        )
        if wanted <= set(machine.reached):
            break
    assert wanted <= set(machine.reached), machine.reached
