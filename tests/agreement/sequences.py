"""Update sequences for states that uniform updates rarely reach: generators that inspect a live run."""

from collections.abc import Hashable, Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from ivme_spec.relations import RELATIONS, RelationName, Row
from ivme_spec.rings import Ring
from ivme_spec.state import initial_base
from ivme_spec.thresholds import threshold
from tests.agreement.harness import Database, Run, Update

CORE = 4
"""The values 0 … 3 occur in every column, so that driven values are part of triangles."""


def random_updates(run: Run, length: int, domain: int = CORE) -> Iterator[Update]:
    """Inserts, multiplicity changes and deletes of tuples over few values."""
    for _ in range(length):
        name, x, y = run.rng.choice(RELATIONS), run.rng.randrange(domain), run.rng.randrange(domain)
        present = (x, y) in run.tuples[name]
        yield (run.delete if present and run.rng.random() < 0.6 else run.insert)(name, x, y)


def core_database(rng: Random, size: int, ring: Ring[Any]) -> Database:
    """A random database over the core values, of a given number of tuples."""
    places = rng.sample(list(product(RELATIONS, range(CORE), range(CORE))), size)
    database: Database = {name: {} for name in RELATIONS}
    for name, x, y in places:
        database[name][x, y] = ring.one
    return database


# --- degrees ------------------------------------------------------------------------------------------------


def drive_up(run: Run, name: RelationName, column: int, value: Hashable, most: int = 40) -> Iterator[Update]:
    """Insert tuples of a value until its degree reaches ³⁄₂θ; first with core values, then with new ones."""
    others = iter(range(most))
    while run.degree(name, column, value) < min(run.theta.light, most):
        other = next(others)
        row = (value, other) if column == 0 else (other, value)
        if row not in run.tuples[name]:
            yield run.insert(name, *row)


def drive_down(run: Run, name: RelationName, column: int, value: Hashable) -> Iterator[Update]:
    """Delete tuples of a value until its degree is below ½θ, the newest first: the core ones stay longest."""
    while run.degree(name, column, value) >= run.theta.heavy:
        yield run.delete(name, *run.rows_of(name, column, value)[-1])


def drive(run: Run, name: RelationName, column: int, value: Hashable) -> Iterator[Update]:
    """From below ½θ to ³⁄₂θ and back below ½θ, without changing N.

    Other tuples are deleted or inserted first, to make room for it in [⌊N/4⌋, N). With ε = 1 no degree
    reaches θ: a few steps suffice.
    """
    if run.view.epsilon == 1:
        yield from drive_up(run, name, column, value, most=8)
        return
    yield from drive_down(run, name, column, value)
    place = (name, column, value)
    room = run.view.threshold_base - 1 - run.theta.light + run.degree(*place)
    yield from drain(run, room, avoid=place)
    yield from fill(run, min(room, run.view.threshold_base // 2), avoid=place)
    yield from drive_up(run, name, column, value)
    yield from drive_down(run, name, column, value)


# --- sizes --------------------------------------------------------------------------------------------------


Place = tuple[RelationName, int, Hashable]
"""A value in a column of a relation."""


def fill(run: Run, size: int, avoid: Place | None = None) -> Iterator[Update]:
    """Insert core tuples, in random order, until |D| has a given size; none with the value to avoid."""
    places = list(product(RELATIONS, range(CORE), range(CORE)))
    run.rng.shuffle(places)
    for name, x, y in places:
        if run.size >= size:
            return
        if not _avoided(avoid, name, (x, y)) and (x, y) not in run.tuples[name]:
            yield run.insert(name, x, y)


def drain(run: Run, size: int = 0, avoid: Place | None = None) -> Iterator[Update]:
    """Delete tuples, in random order, until |D| has a given size; none with the value to avoid."""
    places = [(name, x, y) for name, rows in run.tuples.items() for x, y in rows]
    run.rng.shuffle(places)
    for name, x, y in places:
        if run.size <= size:
            return
        if not _avoided(avoid, name, (x, y)):
            yield run.delete(name, x, y)


def _avoided(avoid: Place | None, name: RelationName, row: Row) -> bool:
    return avoid is not None and name == avoid[0] and row[avoid[1]] == avoid[2]


def up_and_down(run: Run, *sizes: int) -> Iterator[Update]:
    """Grow to each of the sizes, past N, and shrink to empty, below ⌊N/4⌋."""
    for size in sizes:
        yield from fill(run, size)
        yield from drain(run)


# --- single tuples and values -------------------------------------------------------------------------------


def vanish_and_return(run: Run, name: RelationName, column: int, value: Hashable) -> Iterator[Update]:
    """Delete all tuples of a value, and insert them again in another order."""
    rows = run.rows_of(name, column, value)
    for row in rows:
        yield run.delete(name, *row)
    for row in reversed(rows):
        yield run.insert(name, *row)


def delete_and_reinsert(run: Run, count: int) -> Iterator[Update]:
    """Tuples deleted and immediately reinserted with the same multiplicity."""
    for name, x, y in _some_places(run, count):
        m = run.tuples[name][x, y]
        yield name, x, y, -m
        yield name, x, y, m


def multiplicities_only(run: Run, count: int) -> Iterator[Update]:
    """Tuples whose multiplicity changes and changes back; none appears or vanishes."""
    for name, x, y in _some_places(run, count):
        update = run.insert(name, x, y)
        yield update
        yield name, x, y, -update[3]


def joined_pairs(run: Run, count: int) -> Iterator[Update]:
    """Both relations of a join changed in a row, at the value that they share; then both changed back."""
    for _ in range(count):
        i, y = run.rng.randrange(3), run.rng.randrange(CORE)
        left, right = RELATIONS[i], RELATIONS[(i + 1) % 3]
        x, z = 50 + run.rng.randrange(2), run.rng.randrange(CORE)
        yield run.insert(left, x, y)
        yield run.insert(right, y, z)
        yield run.insert(RELATIONS[(i + 2) % 3], z, x)
        yield run.delete(left, x, y)
        yield run.delete(right, y, z)


def _some_places(run: Run, count: int) -> list[tuple[RelationName, Hashable, Hashable]]:
    places = [(name, x, y) for name, rows in run.tuples.items() for x, y in rows]
    return run.rng.sample(places, min(count, len(places)))


# --- hubs ---------------------------------------------------------------------------------------------------


def hub(first: int, xs: int, zs: int, epsilon: Fraction, ring: Ring[Any]) -> Database:
    """Heavy x, light y, heavy z: K(x,y) and K'(y,z) of a tree on relations first, first+1 meet in many y.

    Every y has as many partners x and z as keep it light; K''(z,x) closes all of them. The number of y-values
    is the least for which x and z reach θ in the initial state.
    """
    width = 2
    while True:
        width += 1
        theta = threshold(initial_base(width * (xs + zs) + xs * zs), epsilon)
        per_x, per_z = min(xs, theta.strict - 1), min(zs, theta.strict - 1)
        if per_x and per_z and min(width * per_x // xs, width * per_z // zs) >= theta.strict:
            break
    left, right, closing = (RELATIONS[(first + turn) % 3] for turn in range(3))
    return {
        left: {((y + j) % xs, 10 + y): ring.one for y in range(width) for j in range(per_x)},
        right: {(10 + y, (y + j) % zs): ring.one for y in range(width) for j in range(per_z)},
        closing: {(z, x): ring.one for z in range(zs) for x in range(xs)},
    }


def shake(run: Run, first: int, length: int) -> Iterator[Update]:
    """Delete and reinsert tuples of a hub at random, mostly closing ones, to vary the buckets.

    At least half of the tuples of each relation stay.
    """
    names = [RELATIONS[(first + turn) % 3] for turn in (0, 1, 2, 2, 2)]
    pool = {name: list(run.tuples[name]) for name in names}
    for _ in range(length):
        name = run.rng.choice(names)
        missing = [row for row in pool[name] if row not in run.tuples[name]]
        row = run.rng.choice(missing if 2 * len(missing) >= len(pool[name]) else pool[name])
        yield run.delete(name, *row) if row in run.tuples[name] else run.insert(name, *row)


# --- every combination of parts -----------------------------------------------------------------------------

SPREAD_EPSILON = Fraction(1, 3)


def spread_database(ring: Ring[Any]) -> Database:
    """A database where every combination of parts has a triangle, at ε = ⅓ and N = 145.

    There are four values of A, B and C each, one for each pair of statuses in its two relations: the first
    bit of a value is its status in the first column, the second bit in the second. All of them are joined
    with each other, which gives light values degree 4; partners of degree 1 raise heavy ones to 6. θ = 5.25:
    no value moves while its degree stays between 3 and 7.
    """
    database: Database = {name: {} for name in RELATIONS}
    for i, name in enumerate(RELATIONS):
        for x, y in product(range(4), range(4)):
            database[name][x, y] = ring.one
        for value, pad in product((2, 3), range(2)):
            database[name][value, 100 * (i + 1) + 10 * value + pad] = ring.one
        for value, pad in product((1, 3), range(2)):
            database[name][500 + 100 * (i + 1) + 10 * value + pad, value] = ring.one
    return database


def touch_all_parts(run: Run) -> Iterator[Update]:
    """Delete and reinsert every tuple between the sixteen times three core values."""
    for name, x, y in product(RELATIONS, range(4), range(4)):
        yield run.delete(name, x, y)
        yield run.insert(name, x, y)


def move_value(run: Run, name: RelationName, column: int, value: int) -> Iterator[Update]:
    """Move a core value to the other class and back; it becomes heavy with all of its core tuples."""
    rows, heavy = run.rows_of(name, column, value), run.degree(name, column, value) >= run.theta.strict
    core = [row for row in rows if set(row) <= set(range(4))]
    pads = [row for row in rows if row not in core]
    new = [(value, 900 + n) if column == 0 else (900 + n, value) for n in range(8 - len(rows))]
    up = [*core[:2], *pads, *new]
    for row in [*pads, *core[:2]] if heavy else new:
        yield run.delete(name, *row) if heavy else run.insert(name, *row)
    for row in up if heavy else [*new, *core[:2]]:
        yield run.insert(name, *row) if heavy else run.delete(name, *row)
    for row in new if heavy else core[:2]:
        yield run.delete(name, *row) if heavy else run.insert(name, *row)
