"""The ids of the compact storage are found like the keys of a dict, wherever they are kept."""

from collections.abc import Hashable
from fractions import Fraction
from random import Random
from typing import Any

import pytest

import ivme
from ivme.view import TriangleView

pytestmark = pytest.mark.skipif(
    ivme.kernel != "compiled", reason="the compact storage belongs to the compiled kernel"
)


class Like:
    """Equal to an integer, and hashed like it; or only hashed like it."""

    def __init__(self, number: int, equal: bool) -> None:
        self.number, self.equal = number, equal

    def __hash__(self) -> int:
        return hash(self.number)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Like):
            return (self.number, self.equal) == (other.number, other.equal)
        return self.equal and self.number == other


class Odd(int):
    """An integer that equals no other."""

    def __hash__(self) -> int:
        return 3

    def __eq__(self, other: object) -> bool:
        return self is other


def interner() -> Any:
    """As the variables of a view have it, with its ids shared."""
    from ivme.kernel.storage.compact.interning import Ids, Interner

    ids = Ids()
    Interner(ids, sparse=4, spare=64).make("of another variable")
    return Interner(ids, sparse=4, spare=64)


def value(rng: Random, most: int) -> Hashable:
    """Mostly an integer; also what equals one, or has the hash of one."""
    number = rng.choice((rng.randrange(most), rng.randrange(most), rng.randrange(-9, 9), rng.getrandbits(70)))
    kinds = rng.choices(("int", "float", "fraction", "text", "like", "other"), weights=(20, 1, 1, 1, 1, 1))
    match kinds[0]:
        case "float":
            return float(number % most)
        case "fraction":
            return Fraction(number)
        case "text":
            return str(number)
        case "like":
            return Like(number, equal=True)
        case "other":
            return Like(number, equal=False)
    return bool(number) if number in (0, 1) and rng.random() < 0.3 else number


@pytest.mark.parametrize("most", [5, 300, 5000])
@pytest.mark.parametrize("seed", range(4))
def test_values_are_found_like_the_keys_of_a_dict(most: int, seed: int) -> None:
    """Random values come and go, many at first and few at last, so that places are made and given back."""
    rng, found, twin = Random(seed), interner(), dict[Hashable, Any]()
    for step in range(8000):
        one = value(rng, most)
        assert found.find(one) == twin.get(one, 0), one
        grow = 0.8 if step < 4000 else 0.2
        if one not in twin and rng.random() < grow:
            twin[one] = found.make(one)
        elif one in twin and rng.random() > grow:
            found.drop(twin.pop(one))
        if step % 500 == 499:
            found.compact()
            assert len(set(twin.values())) == found.count() == len(twin)
            assert len(found.places) <= 2 * (4 * (len(twin) + 1) + 64)
    for one, x in twin.items():
        assert found.find(one) == x
        assert found.value(x) == one


def test_integers_in_any_order_end_in_places() -> None:
    """What came too early for a place goes there later, and the dict is left empty."""
    found, numbers = interner(), list(range(3000))
    Random(5).shuffle(numbers)
    for number in numbers:
        found.make(number)
    assert not found.by_value
    assert [found.value(found.find(number)) for number in range(3000)] == list(range(3000))


def test_places_take_no_more_room_than_the_integers_are_worth() -> None:
    """Far apart, they stay in the dict."""
    found = interner()
    for number in range(1000):
        found.make(number * 1000)
    assert len(found.places) <= 2 * (4 * 1001 + 64)
    assert all(found.value(found.find(number * 1000)) == number * 1000 for number in range(1000))
    assert found.find(1) == 0


def test_an_integer_that_equals_no_other_has_an_id_of_its_own() -> None:
    """A subclass of int decides for itself what it equals."""
    view = TriangleView("A")
    odd = Odd(3)
    for a in (3, odd):
        view.insert("R", a, 1)
        view.insert("T", 1, a)
    view.insert("S", 1, 1)
    assert [m for _, m in view] == [1, 1]
    assert view[3,] == view[odd,] == 1
    view.check()


def test_places_that_are_left_go_back() -> None:
    """Few values are left of many: `compact` keeps room for a few, and all are found."""
    found = interner()
    made = [found.make(number) for number in range(3000)]
    for number, x in enumerate(made):
        if number % 300:
            found.drop(x)
    found.compact()
    assert len(found.places) <= 4 * 11 + 64
    assert [found.find(number) for number in range(0, 3000, 300)] == made[::300]
    assert found.find(1) == 0
    assert [found.value(x) for x in made[::300]] == list(range(0, 3000, 300))
    for number in range(0, 3000, 300):
        found.drop(found.find(number))
    assert found.find(0) == 0
    assert found.count() == len(found.places) == 0
