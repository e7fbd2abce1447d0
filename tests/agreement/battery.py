"""A fixed selection of the agreement tests: an instrument for planted bugs.

`python -m tests.agreement.battery` exits with 1 and prints what it found, or exits with 0. Any other failure,
for example of the harness itself, is a traceback and not a finding.
"""

import sys
from fractions import Fraction
from random import Random

from ivme_spec.relations import RELATIONS
from tests.agreement.harness import ONE_OF_EACH, RINGS, Run
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
"""A Disagreement, a failed assertion inside the engine, or a position that its own collections lack."""


def battery() -> None:
    """Raise one of FOUND if the engine is wrong."""
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
        quarter = Fraction(1, 4)  # with nine pairs in a root: a dense set needs its index
        run = Run(query, quarter, ring, rng, hub(2, 3, 3, quarter, ring))
        run.play(shake(run, 2, 20))


def main() -> int:
    """1 if something was found."""
    try:
        battery()
    except FOUND as error:
        print(f"found: {type(error).__name__}: {error}")
        return 1
    print("nothing found")
    return 0


if __name__ == "__main__":
    sys.exit(main())
