"""Partitions: the strict one satisfies every condition; every condition has a violation that is reported."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme_spec.partitions import (
    DOUBLE,
    SINGLE,
    Partition,
    matching_parts,
    part_names,
    partition_violations,
    strict_partition,
    union_of,
)
from ivme_spec.relations import Relation, relation
from ivme_spec.rings import INTEGERS, NATURALS
from ivme_spec.thresholds import threshold
from tests.strategies import EPSILONS, relations, rings, splits

bases = st.integers(1, 40)
epsilons = st.sampled_from(EPSILONS)


def ab(*rows: tuple[Any, Any]) -> Relation[int]:
    return relation("AB", NATURALS, [(row, 1) for row in rows])


def conditions(whole: Relation[int], parts: Partition[int], base: int, *, strict: bool = False) -> list[str]:
    """The names of the violated conditions for ε = 1/2."""
    theta = threshold(base, Fraction(1, 2))
    return [found.condition for found in partition_violations("R", whole, parts, theta, strict=strict)]


@given(st.data(), bases, epsilons, st.booleans())
def test_the_strict_partition_is_strict_and_loose(
    data: st.DataObject, base: int, epsilon: Fraction, double: bool
) -> None:
    whole, theta = data.draw(relations("BC", data.draw(rings()))), threshold(base, epsilon)
    parts = strict_partition(whole, theta, double=double)
    assert list(partition_violations("S", whole, parts, theta, strict=True)) == []
    assert list(partition_violations("S", whole, parts, theta)) == []
    assert union_of(parts, "BC") == whole


@given(st.data(), bases, epsilons, st.booleans())
def test_the_strict_partition_is_unique(
    data: st.DataObject, base: int, epsilon: Fraction, double: bool
) -> None:
    whole, theta = data.draw(relations("BC", INTEGERS)), threshold(base, epsilon)
    parts = data.draw(splits(whole, double))
    is_strict = not list(partition_violations("S", whole, parts, theta, strict=True))
    assert is_strict == (parts == strict_partition(whole, theta, double=double))


@given(st.data(), bases, epsilons, st.booleans())
def test_violations_equal_the_conditions_written_out(
    data: st.DataObject, base: int, epsilon: Fraction, double: bool
) -> None:
    """def:loose_relation_partition and its double twin, with the threshold in fractions."""
    whole = data.draw(relations("BC", NATURALS, domain=tuple(range(4))))
    parts = data.draw(splits(whole, double))

    def reaches_times_theta(count: int, factor: Fraction) -> bool:
        left = (Fraction(count) / factor) ** epsilon.denominator
        return left >= Fraction(base) ** epsilon.numerator

    expected = set()
    for position, variable in enumerate("BC" if double else "B"):
        heavy = {row[position] for name, part in parts.items() if name[position] == "H" for row in part}
        light = {row[position] for name, part in parts.items() if name[position] == "L" for row in part}
        degree = whole.degrees(variable)
        if heavy & light:
            expected.add((variable, "domain partition"))
        if any(not reaches_times_theta(degree[value], Fraction(1, 2)) for value in heavy):
            expected.add((variable, "heavy part"))
        if any(reaches_times_theta(degree[value], Fraction(3, 2)) for value in light):
            expected.add((variable, "light part"))
    violations = partition_violations("S", whole, parts, threshold(base, epsilon))
    assert {(found.detail[0], found.condition) for found in violations} == expected


def test_the_parts_that_a_superscript_stands_for() -> None:
    assert (part_names(False), part_names(True)) == (SINGLE, DOUBLE)
    assert matching_parts("ALL", True) == DOUBLE
    assert matching_parts("H", False) == ("H",)
    assert matching_parts("L", True) == ("LH", "LL")
    assert matching_parts("LH", True) == ("LH",)


# --- planted violations: N = 16, so θ = 4, heavy from 2 on, light below 6 ---------------------------------

ROW = [(0, y) for y in range(3)]
LONG = [(0, y) for y in range(6)]
COLUMN = [(x, 0) for x in range(6)]


def test_both_sides_of_the_loose_thresholds_hold() -> None:
    assert conditions(ab(*ROW), {"H": ab(*ROW), "L": ab()}, 16) == []
    assert conditions(ab(*ROW), {"H": ab(), "L": ab(*ROW)}, 16) == []
    assert conditions(ab(*ROW[:2]), {"H": ab(*ROW[:2]), "L": ab()}, 16) == []
    assert conditions(ab(*LONG[:5]), {"H": ab(), "L": ab(*LONG[:5])}, 16) == []


PLANTED: list[tuple[str, Relation[int], Partition[int], bool]] = [
    ("parts", ab(), {"H": ab()}, False),
    ("parts", ab(), {"HH": ab(), "LL": ab()}, False),
    ("union", ab((1, 1)), {"H": ab(), "L": ab()}, False),
    ("union", ab(), {"H": ab(), "L": ab((1, 1))}, False),
    ("domain partition", ab(*ROW), {"H": ab(ROW[0]), "L": ab(*ROW[1:])}, False),
    ("heavy part", ab((0, 0)), {"H": ab((0, 0)), "L": ab()}, False),
    ("light part", ab(*LONG), {"H": ab(), "L": ab(*LONG)}, False),
    ("strict heavy part", ab(*ROW), {"H": ab(*ROW), "L": ab()}, True),
    ("strict light part", ab(*LONG[:4]), {"H": ab(), "L": ab(*LONG[:4])}, True),
    ("heavy part", ab((0, 0)), dict.fromkeys(DOUBLE, ab()) | {"HL": ab((0, 0))}, False),
    ("heavy part", ab((0, 0)), dict.fromkeys(DOUBLE, ab()) | {"LH": ab((0, 0))}, False),
    ("light part", ab(*LONG), dict.fromkeys(DOUBLE, ab()) | {"LL": ab(*LONG)}, False),
    ("light part", ab(*COLUMN), dict.fromkeys(DOUBLE, ab()) | {"LL": ab(*COLUMN)}, False),
    (
        "domain partition",
        ab(*ROW),
        dict.fromkeys(DOUBLE, ab()) | {"HL": ab(ROW[0]), "LL": ab(*ROW[1:])},
        False,
    ),
    (
        "domain partition",
        ab(*COLUMN[:3]),
        dict.fromkeys(DOUBLE, ab()) | {"LH": ab(COLUMN[0]), "LL": ab(*COLUMN[1:3])},
        False,
    ),
]


@pytest.mark.parametrize("number", range(len(PLANTED)))
def test_a_planted_violation_is_reported_by_name(number: int) -> None:
    condition, whole, parts, strict = PLANTED[number]
    assert set(conditions(whole, parts, 16, strict=strict)) == {condition}


def test_violations_name_the_paper_the_value_and_the_numbers() -> None:
    theta = threshold(16, Fraction(1, 2))
    parts = {"H": ab(), "L": ab(*LONG)}
    (found,) = partition_violations("R", ab(*LONG), parts, theta)
    assert str(found) == (
        "light part (def:loose_relation_partition): "
        "A-value 0 is light in R with degree 6 ≥ 6 (N = 16, ε = 1/2)"
    )
    double = dict.fromkeys(DOUBLE, ab()) | {"LL": ab(*COLUMN)}
    (found,) = partition_violations("R", ab(*COLUMN), double, theta)
    assert found.label == "def:loose_double_relation_partition"
    assert "B-value 0" in found.detail


def test_the_states_of_errata_e1_are_reported() -> None:
    """A new tuple of a heavy value in LL: heavy and light at once."""
    whole = ab((1, 1), (1, 0))
    parts = dict.fromkeys(DOUBLE, ab()) | {"HL": ab((1, 0)), "LL": ab((1, 1))}
    found = list(partition_violations("R", whole, parts, threshold(4, Fraction(1, 4))))
    assert [violation.condition for violation in found] == ["domain partition"]
