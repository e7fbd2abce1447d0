"""Small graphs to start from.

A preset is a database and the updates that follow it, for ε = ½. Columns may show values without tuples, as
something to click on.
"""

from __future__ import annotations

from attrs import frozen

from ivme_spec.relations import RelationName

Pairs = tuple[tuple[str, str], ...]


@frozen
class Preset:
    """A graph to start from.

    values   what the columns A, B and C show initially
    loaded   the tuples of R, S and T that the view is made from
    updates  relation, x, y, ±1: applied one by one to the view
    about    a sentence or two for the page
    """

    values: dict[str, tuple[str, ...]]
    loaded: dict[str, Pairs]
    updates: tuple[tuple[RelationName, str, str, int], ...] = ()
    about: str = ""


def _column(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{number}" for number in range(1, count + 1))


TRIANGLE = Preset(
    {"A": _column("a", 3), "B": _column("b", 3), "C": _column("c", 3)},
    {"R": (("a1", "b1"),), "S": (("b1", "c1"),), "T": (("c1", "a1"),)},
    about="One triangle, a1 b1 c1. Delete any of its tuples, or build a second triangle beside it.",
)

HUB = Preset(
    {"A": _column("a", 3), "B": _column("b", 8), "C": _column("c", 3)},
    {
        "R": tuple(("a1", b) for b in _column("b", 8)),
        "S": tuple((b, "c1") for b in _column("b", 8)),
        "T": (("c1", "a1"), ("c2", "a2")),
    },
    about="a1 and c1 meet in every b: a1 is heavy in R. Move ε and see from where on it is light.",
)

NEAR = Preset(
    {"A": _column("a", 3), "B": _column("b", 8), "C": _column("c", 6)},
    {
        "R": tuple(("a1", b) for b in _column("b", 4)),
        "S": tuple(("b1", c) for c in _column("c", 5)),
        "T": (("c1", "a1"), ("c2", "a1"), ("c3", "a2")),
    },
    (
        ("R", "a1", "b5", 1),
        ("R", "a1", "b6", 1),
        ("R", "a1", "b7", 1),
        ("S", "b1", "c5", -1),
        ("S", "b1", "c4", -1),
    ),
    about="Made for △() with ε = 1/2: N = 25 and θ = 5. Insert R(a1, b8), and a1 becomes heavy in R "
    "(8 ≥ 7½); delete S(b1, c3), and b1 becomes light in S (2 < 2½).",
)

PRESETS: dict[str, Preset] = {"triangle": TRIANGLE, "hub": HUB, "near-threshold": NEAR}
