"""Legal updates that lead to a given state: its tuples, and its heavy values with degrees down to ½θ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from attrs import define, field

from ivme.workloads.core import HELPER, Section, Update, filler
from ivme_spec.relations import RelationName
from ivme_spec.thresholds import Threshold

Tuple = tuple[RelationName, int, int]
Place = tuple[RelationName, int, int]
"""A relation, the number of a column, and a value in it."""


def reached(
    size: int, theta: Threshold, tuples: Iterable[Tuple], heavy: Sequence[Place]
) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """What is loaded, and what then leads to `tuples` where the values of `heavy` are heavy.

    Loaded are `size` tuples that join with nothing; they are deleted as the others arrive, as far as
    |D| ≥ ⌊N/4⌋ permits. A value of `heavy` has at least ½θ tuples; helpers take it up to ³⁄₂θ and are deleted
    again. Other values must have fewer than ³⁄₂θ.  Cost: O(the number of updates), at once.
    """
    room = filler("R", size)
    way = _Way(theta, list(room), theta.base // 4 + (theta.light if heavy else 0))
    wanted = list(dict.fromkeys(tuples))
    of: dict[Place, list[Tuple]] = {}
    for one in wanted:
        for place in _places(one):
            of.setdefault(place, []).append(one)
    for place in heavy:
        if len(of.get(place, ())) < theta.heavy:
            raise ValueError(f"{place!r} has too few tuples to be heavy")
        for one in of[place]:
            way.insert(one)
        way.lift(place)
    for one in wanted:
        way.insert(one)
    while way.make_room():
        pass
    return (room,), (listed(way.updates),)


def listed(updates: Sequence[Update]) -> Section:
    """A section of given updates."""
    return Section(len(updates), updates.__getitem__)


def _places(one: Tuple) -> tuple[Place, Place]:
    relation, x, y = one
    return (relation, 0, x), (relation, 1, y)


@define
class _Way:
    """The updates so far, and the resulting state."""

    theta: Threshold
    room: list[Update]
    least: int
    """The smallest |D| for which helpers may still be deleted."""
    size: int = field(init=False)
    updates: list[Update] = field(factory=list)
    present: set[Tuple] = field(factory=set)
    degrees: Counter[Place] = field(factory=Counter)

    def __attrs_post_init__(self) -> None:
        self.size = len(self.room)

    def insert(self, one: Tuple) -> None:
        """Insert a tuple unless it is present, in exchange for a loaded one."""
        if one in self.present:
            return
        self.make_room()
        self.present.add(one)
        self.degrees.update(_places(one))
        self.updates.append((*one, 1))
        self.size += 1
        if self.size >= self.theta.base:
            raise ValueError("the size is too small for these parameters")

    def lift(self, place: Place) -> None:
        """Make a value heavy with helpers, and delete these again."""
        relation, column, value = place
        lacking = self.theta.light - self.degrees[place]
        helpers = [HELPER + number for number in range(lacking)]
        pairs = [(helper, value) if column else (value, helper) for helper in helpers]
        for pair in pairs:
            self.insert((relation, *pair))
        for pair in pairs:
            self.present.remove((relation, *pair))
            self.updates.append((relation, *pair, -1))
            self.degrees.subtract(_places((relation, *pair)))
            self.size -= 1

    def make_room(self) -> bool:
        """Delete a loaded tuple, if |D| stays large enough even without helpers."""
        if not self.room or self.size <= self.least:
            return False
        relation, x, y, _ = self.room.pop()
        self.updates.append((relation, x, y, -1))
        self.size -= 1
        return True
