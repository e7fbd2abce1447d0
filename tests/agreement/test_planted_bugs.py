"""The harness finds bugs: it passes on the engine as it is, and fails with each bug planted into it."""

from fractions import Fraction
from random import Random

import pytest

from ivme_spec.relations import RELATIONS
from tests.agreement.harness import ONE_OF_EACH, RINGS, Run
from tests.agreement.planted import Bug
from tests.agreement.planted_enumeration import BUGS
from tests.agreement.sequences import (
    SPREAD_EPSILON,
    core_database,
    drive,
    hub,
    multiplicities_only,
    random_updates,
    shake,
    spread_database,
    touch_all_parts,
    up_and_down,
)

FOUND = (AssertionError, IndexError)
"""A Disagreement, an assertion of the broken engine, or a position of its own that it does not have."""


def battery() -> None:
    """A little of everything, always the same."""
    rng, ring = Random(2), RINGS["N"]
    for epsilon in map(Fraction, ("1/4", "1/2")):
        for query in ONE_OF_EACH:
            run = Run(query, epsilon, ring, rng)
            run.play(up_and_down(run, 9))
            run.play(random_updates(run, 20))
            run.play(multiplicities_only(run, 3))
            run = Run(query, epsilon, ring, rng, core_database(rng, 14, ring))
            for name in RELATIONS:
                run.play(drive(run, name, run.partitioned(name)[-1], 1))
            for first in range(3 if epsilon < Fraction(1, 2) else 0):
                for shape in ((1, 4), (4, 1)):
                    run = Run(query, epsilon, ring, rng, hub(first, *shape, epsilon, ring))
                    run.play(shake(run, first, 10))
    for query in ONE_OF_EACH:
        run = Run(query, SPREAD_EPSILON, ring, rng, spread_database(ring))
        run.play(touch_all_parts(run))


def test_the_engine_passes() -> None:
    battery()


@pytest.mark.pure
@pytest.mark.parametrize("plant", BUGS.values(), ids=BUGS)
def test_the_harness_finds(plant: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    with pytest.raises(FOUND):
        battery()
