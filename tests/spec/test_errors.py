"""What messages show of an input: all of it if it is short, and never much."""

from fractions import Fraction
from typing import Any

import pytest

from ivme_spec.errors import LONGEST_SHOWN, InputError, shown
from ivme_spec.queries import head
from ivme_spec.relations import database, known_relation
from ivme_spec.rings import NATURALS, integer, modular

HUGE = 10**1_000_000


def test_what_is_short_is_shown_as_it_is() -> None:
    for value in (1, -7, 2**600, "x", "it's", 1.5, None, True, (1, ("x",)), [1], {"a": 1}, b"x"):
        assert shown(value) == repr(value)


def deep() -> Any:
    value: Any = ()
    for _ in range(100_000):
        value = (value,)
    return value


class Silent:
    def __repr__(self) -> str:
        raise KeyError


@pytest.mark.parametrize(
    "value",
    [HUGE, -HUGE, (HUGE, "x"), Fraction(1, HUGE), "x" * 10**7, [0] * 10**7, deep(), {"k": HUGE}, Silent()],
    ids=range(9),
)
def test_anything_is_shown_shortly(value: Any) -> None:
    assert len(shown(value)) <= LONGEST_SHOWN + 3


@pytest.mark.parametrize(
    "use",
    [
        lambda: head(str(2**999) * 1000),
        lambda: known_relation(HUGE),
        lambda: integer((HUGE,)),
        lambda: modular(-HUGE),
        lambda: modular(6).lift(modular(7).lift(3)),
        lambda: NATURALS.nonzero([HUGE]),
        lambda: database({"R": [(HUGE,)]}, NATURALS),
        lambda: database({"R": {(HUGE, 1): -HUGE}}, NATURALS),
        lambda: database({"R": [(1, [HUGE])]}, NATURALS),
    ],
    ids=range(9),
)
def test_integers_of_any_size_in_an_input_do_not_spoil_the_error(use: Any) -> None:
    with pytest.raises(InputError) as caught:
        use()
    assert len(str(caught.value)) < 500
