"""Multiplicities around the size of a machine word, in both signs: nothing wraps and nothing is lost."""

from itertools import product
from random import Random

import pytest

from ivme import TriangleView, rings
from ivme_reference.naive import Naive
from ivme_spec.queries import HEADS
from ivme_spec.relations import RELATIONS

EDGES = sorted(
    sign * (2**power + shift)
    for power in (0, 30, 31, 32, 60, 61, 62, 63, 64, 65, 128)
    for shift in (-1, 0, 1)
    for sign in (-1, 1)
    if 2**power + shift
)
"""Where a product of two, a sum of two, or one alone stops fitting into 31, 32, 62, 63 or 64 bits."""

GRID = [(x, y) for x in range(12) for y in range(2)]


@pytest.mark.parametrize("free", HEADS)
@pytest.mark.parametrize("epsilon", ["0", "1/2", "1"])
def test_sums_and_products_of_all_edges(free: str, epsilon: str, rng: Random) -> None:
    """Every value of the list meets many others; rows are long enough to have an index."""
    view = TriangleView(free, epsilon, ring=rings.INTEGERS)
    reference: Naive[int] = Naive(free, ring=rings.INTEGERS)
    updates = [
        (relation, *(pair if relation != "S" else pair[::-1]), rng.choice(EDGES))
        for relation, pair in product(RELATIONS, GRID)
        for _ in range(3)
    ]
    rng.shuffle(updates)
    for number, update in enumerate(updates):
        view.update(*update)
        reference.update(*update)
        if number % 20 == 0:
            assert dict(view) == dict(reference)
    assert dict(view) == dict(reference)
    view.check()
    for relation, x, y, m in updates:
        view.update(relation, x, y, -m)
    assert (dict(view), view.size) == ({}, 0)


@pytest.mark.parametrize("edge", EDGES)
def test_one_tuple_goes_over_the_edge_and_back(edge: int) -> None:
    view = TriangleView("A", ring=rings.INTEGERS, database={"S": {(2, 3): edge}, "T": {(3, 1): -1}})
    for step in (edge, 1, -1, -edge, edge):
        before = view[1,]
        view.update("R", 1, 2, step)
        assert view[1,] == before - step * edge
    assert dict(view.tuples("R")) == {(1, 2): edge}
    assert dict(view) == {(1,): -edge * edge}
    view.check()


def test_the_naturals_refuse_what_is_just_too_much() -> None:
    for edge in (m for m in EDGES if m > 0):
        view = TriangleView("", database={"R": {(1, 2): edge}, "S": {(2, 3): edge}, "T": {(3, 1): edge}})
        with pytest.raises(ValueError, match="cannot be deleted"):
            view.delete("R", 1, 2, edge + 1)
        assert view[()] == edge**3
        view.delete("R", 1, 2, edge)
        assert (view[()], view.size) == (0, 2)
