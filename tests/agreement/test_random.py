"""After every step of random updates the view is right: every head, every ε, every ring."""

from fractions import Fraction
from random import Random

import pytest

from ivme_spec.queries import QUERIES, Query
from tests.agreement.harness import EPSILONS, OTHER_ORDERS, RINGS, Run
from tests.agreement.sequences import random_updates

LENGTHS = {"N": 20, "Z": 16, "Z/6": 16, "Z[X]": 10}


@pytest.mark.parametrize("ring", RINGS)
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("query", QUERIES)
def test_every_head_epsilon_and_ring(query: Query, epsilon: Fraction, ring: str, rng: Random) -> None:
    run = Run(query, epsilon, RINGS[ring], rng)
    run.play(random_updates(run, LENGTHS[ring], domain=3))


@pytest.mark.parametrize("ring", ["N", "Z/6"])
@pytest.mark.parametrize("query", OTHER_ORDERS)
def test_other_orders_of_the_letters(query: Query, ring: str, rng: Random) -> None:
    for epsilon in EPSILONS:
        run = Run(query, epsilon, RINGS[ring], rng)
        run.play(random_updates(run, 16, domain=3))


@pytest.mark.nightly
@pytest.mark.parametrize("ring", RINGS)
@pytest.mark.parametrize("epsilon", EPSILONS, ids=str)
@pytest.mark.parametrize("query", [*QUERIES, *OTHER_ORDERS])
def test_long_random_sequences(query: Query, epsilon: Fraction, ring: str, rng: Random) -> None:
    run = Run(query, epsilon, RINGS[ring], rng)
    run.play(random_updates(run, 60 if ring == "Z[X]" else 300, domain=5))
