"""E6-E9: refused updates, other rings, thresholds, and moving tuples."""

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import pytest

from ivme_reference.paper.engine import PaperEngine
from ivme_reference.paper.enumeration import AS_STORED, enumerate_result
from ivme_reference.paper.reduction import solve_oumv
from ivme_reference.paper.repairs import ALL, NONE, Repair, Undefined
from ivme_spec.errors import MultiplicityError, RefusedUpdateError
from ivme_spec.relations import Row
from ivme_spec.rings import INTEGERS, Ring, modular
from ivme_spec.thresholds import HALF, ONE, THREE_HALVES, reaches
from tests.errata.traces import by_definition, conditions, replay

# --- E6 -------------------------------------------------------------------------------------------------

ACCEPTS_ALL = ALL - {Repair.REJECTED_UPDATES}


def test_e06_a_delete_of_too_much_gives_a_negative_multiplicity() -> None:
    script = "+R(0,0) +S(0,0) +T(0,0)"
    printed = replay(PaperEngine("ABC", "1/2", repairs=ACCEPTS_ALL), script)
    printed.update("R", 0, 0, -2)
    assert list(printed) == [((0, 0, 0), -1)]
    repaired = replay(PaperEngine("ABC", "1/2"), script)
    before = repaired.state()
    with pytest.raises(RefusedUpdateError, match="-2"):
        repaired.update("R", 0, 0, -2)
    with pytest.raises(MultiplicityError, match="0"):
        repaired.update("R", 0, 0, 0)
    assert repaired.state() == before


class Counting(PaperEngine[int]):
    """Counts the updates by their multiplicities."""

    def update(self, relation: str, x: Hashable, y: Hashable, multiplicity: object) -> None:
        sent[multiplicity] += 1
        super().update(relation, x, y, multiplicity)


sent = Counter[object]()


def test_e06_the_reduction_sends_updates_of_multiplicity_zero() -> None:
    matrix, pairs = [[0, 1], [1, 1]], [((1, 0), (1, 1)), ((1, 0), (1, 0))]
    products = [True, False]
    for repairs, zeros in ((ACCEPTS_ALL, 4), (ALL, 0)):
        sent.clear()
        assert solve_oumv(matrix, pairs, Counting("", "1/2", repairs=repairs), repairs) == products
        assert sent[0] == zeros


# --- E7 -------------------------------------------------------------------------------------------------

BY_MULTIPLICITY = ALL - {Repair.SUPPORT}
Z6 = modular(6)


def two_triangles(ring: Ring[Any], r: tuple[int, int], t: int, **options: Any) -> PaperEngine[Any]:
    """(0,0,0) ↦ r₀·t and (0,1,0) ↦ r₁·t, under one tuple (0,0) of the root V_RS·T."""
    engine = PaperEngine("ABC", "1/4", ring, **options)
    for name, x, y, m in (
        ("R", 0, 0, r[0]),
        ("R", 0, 1, r[1]),
        ("S", 0, 0, 1),
        ("S", 1, 0, 1),
        ("T", 0, 0, t),
    ):
        engine.update(name, x, y, m)
    return engine


@pytest.mark.parametrize(("ring", "r"), [(INTEGERS, (1, -1)), (Z6, (2, 4))], ids=str)
def test_e07_multiplicities_that_cancel_in_a_root_hide_triangles(ring: Ring[Any], r: tuple[int, int]) -> None:
    printed, repaired = two_triangles(ring, r, 1, repairs=BY_MULTIPLICITY), two_triangles(ring, r, 1)
    assert list(printed) == []
    assert dict(repaired) == by_definition(printed) == {(0, 0, 0): r[0], (0, 1, 0): ring.lift(r[1])}


def test_e07_zero_divisors_give_rows_of_multiplicity_zero() -> None:
    assert list(two_triangles(Z6, (2, 1), 3, repairs=BY_MULTIPLICITY)) == [((0, 0, 0), 0), ((0, 1, 0), 3)]
    assert dict(two_triangles(Z6, (2, 1), 3)) == {(0, 1, 0): 3}


def test_e07_rows_of_multiplicity_zero_delay_the_others() -> None:
    """The repair leaves them out, but it has to walk over them."""
    rows = range(51)
    database: dict[str, dict[Row, int]] = {
        "R": {(0, j): 1 if j == 50 else 2 for j in rows},
        "S": {(j, 0): 1 for j in rows},
        "T": {(0, 0): 3},
    }
    printed = PaperEngine("ABC", "1/4", Z6, database=database, repairs=BY_MULTIPLICITY)
    repaired = PaperEngine("ABC", "1/4", Z6, database=database)
    assert [m for _, m in printed] == [0] * 50 + [3]
    assert dict(repaired) == {(0, 50, 0): 3}
    assert len(list(enumerate_result(repaired._state, AS_STORED))) == 51


def test_e07_sums_over_skew_aware_views_cancel_too() -> None:
    """(0,0) is in △₂^{L□(HH)} with 1 and in △₂^{□HL} with -1."""
    database: dict[str, dict[Row, int]] = {
        "R": {(0, 0): 1},
        "S": {(0, 1): 1, (0, 2): 1},
        "T": {(1, 0): 1, (1, 5): 1, (1, 6): 1, (2, 0): -1},
    }
    printed = PaperEngine("AB", "1/4", INTEGERS, database=database, repairs=BY_MULTIPLICITY)
    assert list(printed) == [((0, 0), 0)]
    assert by_definition(printed) == {}
    assert list(PaperEngine("AB", "1/4", INTEGERS, database=database)) == []


# --- E8 -------------------------------------------------------------------------------------------------

FLOATING = ALL - {Repair.EXACT_THRESHOLDS}


def test_e08_floating_point_leaves_a_heavy_value_in_the_light_part() -> None:
    script = " ".join(f"+R(0,{j})" for j in range(24))
    printed, repaired = (replay(PaperEngine("", "4/5", repairs=r), script) for r in (FLOATING, ALL))
    assert printed.state().base == repaired.state().base == 32
    assert len(printed.part("R", "L")) == 24
    assert conditions(printed) == {"light part"}
    assert len(repaired.part("R", "H")) == 24
    assert conditions(repaired) == set()


def flips(epsilon: Fraction, base: int) -> bool:
    """Whether floating point decides some comparison with N^ε otherwise than integers do."""
    theta = base ** float(epsilon)
    return any(
        (d >= float(factor) * theta) != reaches(d, factor, base, epsilon)
        for factor in (HALF, ONE, THREE_HALVES)
        for d in range(int(float(factor) * theta) - 1, int(float(factor) * theta) + 3)
        if d >= 0
    )


@pytest.mark.parametrize(
    ("epsilon", "base"), [("4/5", 32), ("1/5", 3125), ("2/5", 243), ("5/6", 64), ("1/10", 5**10)]
)
def test_e08_other_thresholds_flip_as_well(epsilon: str, base: int) -> None:
    assert flips(Fraction(epsilon), base)


@pytest.mark.parametrize("epsilon", ["1/4", "1/3", "1/2", "2/3", "3/4"])
def test_e08_common_thresholds_do_not_flip_at_exact_powers(epsilon: str) -> None:
    exact = Fraction(epsilon)
    assert not any(flips(exact, m**exact.denominator) for m in range(1, 300))


def test_e08_the_integer_part_of_a_power_is_wrong_even_there() -> None:
    assert int(64 ** (1 / 3)) == 3


# --- E9 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("repairs", [ALL - {Repair.SNAPSHOT}, NONE], ids=["alone", "with all defects"])
def test_e09_the_successor_of_a_deleted_tuple_is_undefined(repairs: frozenset[Repair]) -> None:
    """The first tuple moves, then the iterator stands on a tuple that has gone."""
    printed = PaperEngine("", "1/4", database={"R": [(1, 1)]}, repairs=repairs)
    with pytest.raises(Undefined, match="successor"):
        printed.insert("R", 1, 2)
    assert printed.part("R", "H") == {(1, 1): 1}
    assert printed.part("R", "L") == {(1, 2): 1}
    repaired = PaperEngine("", "1/4", database={"R": [(1, 1)]})
    repaired.insert("R", 1, 2)
    assert repaired.part("R", "H") == {(1, 1): 1, (1, 2): 1}
    assert conditions(repaired) == set()
