"""The eight heads, their rotations and their definition."""

from itertools import permutations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme_spec.algebra import evaluate
from ivme_spec.errors import HeadError
from ivme_spec.queries import CANONICAL_HEADS, HEADS, canonical, head, rotate_variables, triangle_query
from ivme_spec.relations import Relation
from ivme_spec.rings import INTEGERS
from tests.strategies import ALL_HEADS, DOMAIN, databases


def test_there_are_eight_heads() -> None:
    assert HEADS == ("", "A", "B", "C", "AB", "AC", "BC", "ABC")
    assert len({frozenset(free) for free in ALL_HEADS}) == 8


@pytest.mark.parametrize("free", ALL_HEADS)
def test_every_head_is_a_rotation_of_a_canonical_one(free: str) -> None:
    assert head(free) == free
    base, turns = canonical(free)
    assert base in CANONICAL_HEADS
    assert set(rotate_variables(base, turns)) == set(free)
    assert {canonical("".join(order)) for order in permutations(free)} == {(base, turns)}


def test_rotations_have_order_three() -> None:
    assert [rotate_variables("ABC", turns) for turns in range(4)] == ["ABC", "BCA", "CAB", "ABC"]
    assert rotate_variables("AB", -1) == "CA"


@pytest.mark.parametrize("bad", ["D", "AA", "ab", "A B", "ABCA", None, 1, ("A",), ["A"], {"A"}], ids=repr)
def test_bad_heads(bad: Any) -> None:
    for entry in (head, triangle_query, canonical):
        with pytest.raises(HeadError) as caught:
            entry(bad)
        assert repr(bad) in str(caught.value)


@given(databases(INTEGERS), st.sampled_from(ALL_HEADS))
def test_triangle_queries_equal_three_loops(relations: dict[str, Relation[int]], free: str) -> None:
    r, s, t = (relations[name] for name in "RST")
    sums: dict[tuple[object, ...], int] = {}
    for a, b, c in product(DOMAIN, repeat=3):
        row = tuple({"A": a, "B": b, "C": c}[variable] for variable in free)
        sums[row] = sums.get(row, 0) + r((a, b)) * s((b, c)) * t((c, a))
    expected = {row: m for row, m in sums.items() if m}
    assert evaluate(triangle_query(free), relations).entries == expected
