"""Workloads as three lists of updates, and the building blocks of the families."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import chain

from attrs import frozen

from ivme_spec.relations import RELATIONS, RelationName
from ivme_spec.state import initial_base
from ivme_spec.thresholds import Threshold, parse_epsilon, threshold

Update = tuple[RelationName, int, int, int]

FAR = 1 << 40
FILLER = 2 << 40
HELPER = 3 << 40


@frozen
class Section:
    """`count` updates; the one at position p is `at(p)`."""

    count: int
    at: Callable[[int], Update]

    def __attrs_post_init__(self) -> None:
        if self.count < 0:
            raise ValueError("the size is too small for these parameters")

    def __iter__(self) -> Iterator[Update]:
        return map(self.at, range(self.count))

    def split(self, count: int) -> tuple[Section, Section]:
        """The first `count` updates, and the others."""
        return Section(count, self.at), Section(self.count - count, lambda p: self.at(count + p))


@frozen
class Workload:
    """A family's updates for given parameters; iterating it yields all of them in order."""

    family: str
    parameters: Mapping[str, object]
    loaded: tuple[Section, ...]
    preparation: tuple[Section, ...] = ()
    attack: tuple[Section, ...] = ()

    def __len__(self) -> int:
        return sum(section.count for section in (*self.loaded, *self.preparation, *self.attack))

    def __getitem__(self, sequence_number: int) -> Update:
        """The update with a sequence number, from 0.  Cost: O(1)."""
        position = sequence_number
        for section in (*self.loaded, *self.preparation, *self.attack):
            if 0 <= position < section.count:
                return section.at(position)
            position -= section.count
        raise IndexError(f"update {sequence_number} of {len(self)}")

    def __iter__(self) -> Iterator[Update]:
        return chain.from_iterable((*self.loaded, *self.preparation, *self.attack))

    def database(self) -> dict[RelationName, list[tuple[int, int]]]:
        """What is loaded, as the `database` of a `TriangleView`."""
        found: dict[RelationName, list[tuple[int, int]]] = {name: [] for name in RELATIONS}
        for relation, x, y, _ in chain.from_iterable(self.loaded):
            found[relation].append((x, y))
        return found

    def prepare(self) -> Iterator[Update]:
        """What leads from the loaded database to the state under attack."""
        return chain.from_iterable(self.preparation)

    def updates(self) -> Iterator[Update]:
        """The attack."""
        return chain.from_iterable(self.attack)


# --- building blocks ------------------------------------------------------------------------------------


def cycle(relation: RelationName) -> tuple[RelationName, RelationName, RelationName]:
    """The attacked relation u(x,y), then f(y,z) and p(z,x)."""
    i = RELATIONS.index(relation)
    return RELATIONS[i], RELATIONS[(i + 1) % 3], RELATIONS[(i + 2) % 3]


def grid(relation: RelationName, rows: int, columns: int, row: int = 0, column: int = 0) -> Section:
    """All pairs of `rows` values starting at `row` and `columns` values starting at `column`."""
    return Section(rows * columns, lambda p: (relation, row + p // columns, column + p % columns, 1))


def toggle(relation: RelationName, count: int) -> Section:
    """Insert and delete the tuple (0, 0) alternately."""
    return Section(count, lambda p: (relation, 0, 0, -1 if p % 2 else 1))


def filler(relation: RelationName, size: int, *sections: Section) -> Section:
    """Tuples that join with nothing, to bring the sections up to `size`."""
    count = size - sum(section.count for section in sections)
    return Section(count, lambda p: (relation, FILLER + p, FILLER + p, 1))


def driven(
    relation: RelationName,
    values: int,
    peak: int,
    final: int,
    pair: Callable[[int, int], tuple[int, int]],
    room: Section,
) -> Section:
    """For each of `values`: insert its partners 0 … peak−1, delete all but `final`.

    `pair(value, partner)` is the tuple. A value thus becomes heavy and remains so with degree ½θ. For each
    tuple that stays, one of `room` is deleted, as long as there are any.
    """
    drops = min(room.count // max(1, values), final)
    spare = 0 if drops == final else room.count - drops * values
    length = 2 * peak - final + drops

    def at(p: int) -> Update:
        if p < spare:
            name, x, y, _ = room.at(p)
            return (name, x, y, -1)
        value, step = divmod(p - spare, length)
        if step < peak:
            return (relation, *pair(value, step), 1)
        if step < 2 * peak - final:
            return (relation, *pair(value, 2 * peak - 1 - step), -1)
        name, x, y, _ = room.at(spare + value * drops + step - (2 * peak - final))
        return (name, x, y, -1)

    return Section(spare + values * length if values else 0, at)


def exchanged(section: Section, room: Section) -> Section:
    """Insert a section, deleting a tuple of `room` for each of its tuples, as long as there are any."""
    pairs = min(section.count, room.count)

    def at(p: int) -> Update:
        if p >= 2 * pairs:
            return section.at(p - pairs)
        if p % 2 == 0:
            return section.at(p // 2)
        name, x, y, _ = room.at(p // 2)
        return (name, x, y, -1)

    return Section(section.count + pairs, at)


def limits(size: int, epsilon: object) -> tuple[Fraction, Threshold]:
    exact = parse_epsilon(epsilon)
    return exact, threshold(initial_base(size), exact)


def mixed(seed: int, sequence_number: int) -> int:
    """64 bits drawn for a sequence number (splitmix64); the same on every machine."""
    z = (seed * 0xD1342543DE82EF95 + (sequence_number + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


_MASK = (1 << 64) - 1
