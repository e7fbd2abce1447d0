"""Any hashable value and any multiplicity: nothing is compared, ordered, converted or cut to 64 bits."""

from collections.abc import Hashable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

from ivme import TriangleView
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import RELATIONS
from ivme_spec.rings import INTEGERS, NATURALS
from tests.agreement.harness import ONE_OF_EACH, Run

NAN = float("nan")
VALUES: tuple[Hashable, ...] = (
    None,
    "1",
    1,
    (),
    (1, (2, None)),
    frozenset({1, 2}),
    float("nan"),
    b"1",
    Fraction(1, 2),
    int,
    ...,
    "",
)


@pytest.mark.parametrize("epsilon", ["0", "1/4", "1"])
@pytest.mark.parametrize("query", QUERIES)
def test_any_hashable_is_a_value(query: Query, epsilon: str, rng: Random) -> None:
    """Of types that do not compare, all of them in each of A, B and C."""
    run = Run(query, Fraction(epsilon), NATURALS, rng)
    values = [NAN, *rng.sample(VALUES, 3)]
    for _ in range(30):
        name, x, y = rng.choice(RELATIONS), rng.choice(values), rng.choice(values)
        present = (x, y) in run.tuples[name]
        run.update(*(run.delete if present else run.insert)(name, x, y))


def test_equal_values_are_one_value_as_in_dicts() -> None:
    view = TriangleView("AB")
    view.insert("R", 1, True)
    view.insert("R", True, 1.0)
    view.insert("S", 1.0, -0.0)
    view.insert("T", 0, 1)
    assert view.size == 3
    assert dict(view) == {(1, 1): 2}
    assert view[True, 1.0] == 2
    view.delete("R", 1.0, 1, 2)
    assert dict(view) == {}
    view.check()


def test_a_string_is_not_the_number_that_it_spells() -> None:
    view = TriangleView("A", database={"R": [("1", 2)], "S": [(2, 3)], "T": [(3, 1)]})
    assert dict(view) == {}
    view.insert("T", 3, "1")
    assert dict(view) == {("1",): 1}
    assert (1,) not in view


def test_nan_is_the_object_that_it_is() -> None:
    other = float("nan")
    view = TriangleView("ABC", database={name: [(NAN, NAN)] for name in RELATIONS})
    assert view[NAN, NAN, NAN] == 1
    assert view[NAN, NAN, other] == 0
    view.insert("R", NAN, other)
    assert view.size == 4
    view.delete("R", NAN, NAN)
    assert list(view) == []
    view.check()


def test_nan_may_be_a_bucket() -> None:
    """A heavy C-value of △(a,b) that is not equal to itself: it is still the bucket that is being walked."""
    c, d = float("nan"), float("nan")
    database = {
        "R": [(0, 1), (0, 2), (0, 90)],
        "S": [(21, c), (2, c), (20, c), (22, d), (2, d), (23, d)],
        "T": [(c, 0), (d, 0)],
    }
    view = TriangleView("AB", "1/4", database=database)
    assert view._engine.kept[0].bucket_count() == 2
    assert list(view) == [((0, 2), 2)]
    view.check()


# --- multiplicities -----------------------------------------------------------------------------------------

HUGE = (2**31, 2**63 - 1, 2**63, 2**64, 2**64 + 1, 2**200)


@pytest.mark.parametrize("epsilon", ["0", "1/2", "1"])
@pytest.mark.parametrize("query", QUERIES)
def test_multiplicities_are_exact_beyond_64_bits(query: Query, epsilon: str, rng: Random) -> None:
    """Also where they cancel but for one, and where sums of products do."""
    signs = (1, -1)
    run = Run(query, Fraction(epsilon), INTEGERS, rng)
    for name, x, y in product(RELATIONS, range(2), range(2)):
        run.update(name, x, y, rng.choice(HUGE) * rng.choice(signs))
    for _ in range(8):
        name, x, y = rng.choice(RELATIONS), rng.randrange(2), rng.randrange(2)
        m = run.tuples[name].get((x, y), 0)
        run.update(name, x, y, 1 - m if m not in (0, 1) else rng.choice(HUGE))


@pytest.mark.parametrize("query", ONE_OF_EACH)
@pytest.mark.parametrize("huge", HUGE)
def test_in_the_naturals_too(query: Query, huge: int) -> None:
    view = TriangleView(query.free, partitioning=query.partitioning)
    row = (7,) * len(query.free)
    for name in RELATIONS:
        view.insert(name, 7, 7, huge)
    assert dict(view) == {row: huge**3}
    view.delete("R", 7, 7, huge - 1)
    assert view[row] == huge**2
    view.delete("R", 7, 7)
    assert row not in view
    assert view.size == 2
    view.check()


def test_integers_of_other_libraries_become_integers() -> None:
    class Index:
        def __index__(self) -> int:
            return 3

    view = TriangleView("", database={"R": {(1, 1): Index()}, "S": [(1, 1)], "T": [(1, 1)]})
    view.insert("R", 1, 1, Index())
    found: Any = view[()]
    assert (found, type(found)) == (6, int)
