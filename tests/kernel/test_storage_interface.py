"""Both storages pass the same test: whatever an engine asks, they answer as a few plain dicts would.

`DictStorage` runs in both kernels, `CompactStorage` in the compiled one only. The engine holds handles only,
and so do these tests.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import pytest

import ivme
from ivme.kernel.engine import Engine
from ivme.kernel.enumeration import enumerate_rows
from ivme.kernel.inspection import plain_state, state_violations
from ivme.kernel.operations import update
from ivme.kernel.parts import HEAVY, LIGHT
from ivme.kernel.plan import compile_plan
from ivme.kernel.storage.dicts.storage import DictStorage
from ivme.kernel.storage.interface import UNWATCHED, KeptTree, Storage, StoredRelation
from ivme_spec.rings import INTEGERS
from ivme_spec.views import DECOMPOSITIONS, Decomposition

VALUES = range(12)
"""More than a row searches linearly: rows get an index, and lose it again."""

AnyStorage = Storage[int]


def dicts() -> AnyStorage:
    storage = DictStorage[int]()
    for i in range(3):  # the tests replace those that they use
        storage.relation(i, 1)
    return storage


def compact() -> AnyStorage:
    if ivme.kernel != "compiled":
        pytest.skip("the compact storage belongs to the compiled kernel")
    from ivme.kernel.storage.compact.storage import CompactStorage

    return CompactStorage()


each_storage = pytest.mark.parametrize("make", [dicts, compact])
Make = Callable[[], AnyStorage]
Tuples = dict[tuple[Hashable, Hashable], int]


def multiplicity(rng: Random) -> int:
    """Mostly 1, sometimes beyond a half word, a word, or two."""
    size = rng.choice((1, 1, 1, 1, 7, 2**31 + 1, 2**61, 2**63, 2**130))
    return rng.choice((1, 1, -1)) * size


class Stored:
    """A relation over handles, and the same as a dict of values."""

    def __init__(self, storage: AnyStorage, i: int, partitioned: int = 1) -> None:
        self.storage, self.i = storage, i
        self.relation: StoredRelation[int] = storage.relation(i, partitioned)
        self.tuples: Tuples = {}
        self.heavy: tuple[set[Hashable], set[Hashable]] = (set(), set())

    def handle(self, column: int, value: Hashable) -> Any:
        return self.storage.handle((self.i + column) % 3, value)

    def change(self, x: Hashable, y: Hashable, m: int) -> None:
        """Add, overwrite or (0) remove a tuple."""
        left, right = self.handle(0, x), self.handle(1, y)
        first, second = self.relation.status(0, left), self.relation.status(1, right)
        if (x, y) not in self.tuples:
            self.relation.add(left, right, first, second, m)
        elif m:
            self.relation.put(left, right, first, second, m)
        else:
            self.relation.remove(left, right, first, second)
            for column, (value, handle) in enumerate(((x, left), (y, right))):
                if not self.relation.degree(column, handle):
                    self.relation.mark(column, handle, LIGHT)
                    self.heavy[column].discard(value)
                    self.storage.forget((self.i + column) % 3, handle)
        self.tuples.pop((x, y), None)
        if m:
            self.tuples[x, y] = m

    def turn(self, column: int, value: Hashable) -> None:
        """Move a value that is there to the other class, as the engine does."""
        handle = self.handle(column, value)
        status = LIGHT if value in self.heavy[column] else HEAVY
        old = self.relation.status(column, handle)
        for x, y, m in self.relation.tuples_of(column, handle):
            self.relation.shift(column, x, y, old, status, m)
        self.relation.mark(column, handle, status)
        self.heavy[column].symmetric_difference_update([value])

    def named(self, entries: Any) -> dict[tuple[Hashable, Hashable], int]:
        """(x, y, m) of handles as a dict of values; no tuple may come twice."""
        found = [((self.storage.value(x), self.storage.value(y)), m) for x, y, m in entries]
        assert len(found) == len({row for row, _ in found})
        return dict(found)

    def require_equal(self) -> None:
        relation, value = self.relation, self.storage.value
        assert list(relation.damage()) == []
        assert self.named(relation.tuples()) == self.tuples
        twice = Counter((value(x), value(y), m) for x, y, m in relation.salvaged())
        assert twice == Counter({(x, y, m): 2 for (x, y), m in self.tuples.items()})
        for column in (0, 1):
            degrees = Counter(row[column] for row in self.tuples)
            present = set(degrees)
            if column < relation.partitioned:
                watched = [degree for degree in degrees.values() if degree >= relation.watch]
                assert relation.watching(column) == len(watched)
            assert Counter(map(value, relation.values(column))) == Counter(present)
            for one in present:
                handle = self.handle(column, one)
                mine = {row: m for row, m in self.tuples.items() if row[column] == one}
                assert relation.degree(column, handle) == len(mine)
                assert relation.status(column, handle) == (HEAVY if one in self.heavy[column] else LIGHT)
                assert self.named(relation.tuples_of(column, handle)) == mine
                for status in (LIGHT, HEAVY):
                    others = {
                        row[1 - column]
                        for row in mine
                        if (HEAVY if row[1 - column] in self.heavy[1 - column] else LIGHT) == status
                    }
                    members = relation.members(column, handle, status)
                    assert Counter(map(value, members)) == Counter(others)
                    assert relation.length(column, handle, status) == len(others)
        for x, y in product(VALUES, VALUES):
            if self.storage.find(self.i, x) and self.storage.find((self.i + 1) % 3, y):
                assert relation.get(self.handle(0, x), self.handle(1, y)) == self.tuples.get((x, y))
            else:
                assert (x, y) not in self.tuples


@each_storage
@pytest.mark.parametrize("partitioned", [0, 1, 2])
def test_a_relation_is_a_dict_of_tuples(make: Make, partitioned: int, rng: Random) -> None:
    stored = Stored(make(), 2, partitioned)
    assert stored.relation.double == (partitioned == 2)
    x: Hashable
    y: Hashable
    for step in range(400):
        x, y = rng.choice(VALUES), rng.choice(VALUES)
        if step % 100 > 70 and stored.tuples:
            x, y = rng.choice(list(stored.tuples))
            stored.change(x, y, 0)
        elif partitioned and (x, y) in stored.tuples and rng.random() < 0.3:
            column = rng.randrange(partitioned)
            stored.turn(column, (x, y)[column])
        else:
            stored.change(x, y, multiplicity(rng))
        if partitioned and step % 7 == 0:
            stored.relation.watch_from(rng.randrange(1, 8))
        if step % 5 == 0:
            stored.relation.compact()
            stored.require_equal()
    for x, y in list(stored.tuples):
        stored.change(x, y, 0)
    stored.require_equal()


@each_storage
@pytest.mark.parametrize("column", [0, 1])
def test_what_is_due(make: Make, column: int) -> None:
    """Degrees 1 … 6, heavy and light: `due` asks the loose bounds, `values_due` the strict one."""
    stored = Stored(make(), 1, partitioned=2)
    for degree, heavy in product(range(1, 7), (False, True)):
        value = f"{degree} {'heavy' if heavy else 'light'}"
        for other in range(degree):
            stored.change(other if column else value, value if column else other, 1)
        if heavy:
            stored.turn(column, value)
    stored.require_equal()
    relation = stored.relation
    for degree in range(1, 7):
        heavy_one = stored.handle(column, f"{degree} heavy")
        light_one = stored.handle(column, f"{degree} light")
        for least_heavy, too_heavy in ((2, 5), (3, 4), (1, 7)):
            assert relation.due(column, heavy_one, least_heavy, too_heavy) == (
                LIGHT if degree < least_heavy else -1
            )
            assert relation.due(column, light_one, least_heavy, too_heavy) == (
                HEAVY if degree >= too_heavy else -1
            )
    for strict in range(1, 8):
        found = [stored.storage.value(value) for value in relation.values_due(column, strict)]
        expected = [f"{degree} {'heavy' if degree < strict else 'light'}" for degree in range(1, 7)]
        assert sorted(map(str, found)) == expected
        assert relation.watching(column) == 12


@each_storage
@pytest.mark.parametrize("column", [0, 1])
def test_only_the_watched_are_looked_at(make: Make, column: int) -> None:
    """Degrees 1 … 6 of six light values, watched from several degrees on, fewer and more."""
    stored = Stored(make(), 1, partitioned=2)
    for degree, other in product(range(1, 7), range(6)):
        if other < degree:
            stored.change(-other if column else degree, degree if column else -other, 1)
    relation, watch = stored.relation, 1
    assert relation.watching(column) == 6
    for least in (3, 5, 4, 4, 1, 6, 7, 2):
        looked = relation.watch_from(least)
        others = 6  # of the other column, where the degrees are 6 … 1
        until_now = 7 - watch
        assert looked == 2 * (until_now if least >= watch else others)
        assert (relation.watch, relation.watching(column)) == (least, 7 - least)
        found = sorted(map(stored.storage.value, relation.values_due(column, 2)))  # type: ignore[type-var]  # ints
        assert found == list(range(max(2, least), 7))
        watch = least
        stored.require_equal()


@each_storage
def test_inner_products(make: Make, rng: Random) -> None:
    """`dot` and `common` of a row and a column over the same variable: those of an update (y, x) of T."""
    for _ in range(60):
        storage = make()
        one, two, _ = (Stored(storage, i) for i in range(3))
        size = rng.choice((1, 3, 30))
        left = {z: multiplicity(rng) for z in rng.sample(range(40), size)}
        right = {z: multiplicity(rng) for z in rng.sample(range(40), rng.choice((1, 8, 30)))}
        for z, m in left.items():
            one.change("x", z, m)
        for z, m in right.items():
            two.change(z, "y", m)
        x, y = one.handle(0, "x"), two.handle(1, "y")
        common = left.keys() & right.keys()
        expected = sum(left[z] * right[z] for z in common) if common else None
        for hinted in (None, y, 0):
            if hinted is not None:
                storage.expect(1, hinted)
            assert storage.dot(2, y, x, LIGHT, LIGHT) == expected
            assert storage.steps == min(len(left), len(right)) + len(common)
            assert {storage.value(z) for z in storage.common(2, y, x, LIGHT, LIGHT)} == common


@each_storage
@pytest.mark.parametrize("order", [(), (0,), (2,), (0, 1), (1, 0), (2, 1), (0, 1, 2), (2, 0, 1)])
def test_a_head_map_is_a_dict_of_rows(make: Make, order: tuple[int, ...], rng: Random) -> None:
    """Triangles of each relation, added and taken away; spread over the common values of two lines."""
    storage = make()
    # tuples in all relations keep the ids of all values
    ring = [Stored(storage, i) for i in range(3)]
    head, model = storage.head_map(order), Counter[tuple[Hashable, ...]]()
    for i, value in product(range(3), range(4)):
        ring[i].change(value, value, 1)
        ring[i].change(0, value, multiplicity(rng))
    for _ in range(300):
        i, values, change = rng.randrange(3), [rng.randrange(4) for _ in range(3)], multiplicity(rng)
        handles = [storage.handle((i + turn) % 3, value) for turn, value in enumerate(values)]
        key = tuple(values[(variable - i) % 3] for variable in order)
        if rng.random() < 0.5:
            change = -model[key]
        if rng.random() < 0.3:
            following, previous = ring[(i + 1) % 3], ring[(i + 2) % 3]
            common = 0
            for z in range(4):
                pair = following.tuples.get((values[1], z)), previous.tuples.get((z, values[0]))
                if pair[0] is not None and pair[1] is not None:
                    common += 1
                    triangle = (values[0], values[1], z)
                    model[tuple(triangle[(v - i) % 3] for v in order)] += 3 * pair[0] * pair[1]
            assert head.spread(i, handles[0], handles[1], LIGHT, LIGHT, 3) == common
        else:
            head.add(i, handles[0], handles[1], handles[2], change)
            model[key] += change
        expected = {row: m for row, m in model.items() if m}
        found = list(head.rows())
        assert dict(found) == expected
        assert len(found) == len(head) == len(expected)
        assert head.get(key) == expected.get(key)
        assert head.get(("absent",) * len(order)) is None or not order
        handle_row = tuple(handles[(variable - i) % 3] for variable in order)
        assert head.find(handle_row) == expected.get(key)
        if 1 <= len(order) <= 2:
            assert Counter(tuple(map(storage.value, row)) for row in head.handles()) == Counter(
                expected.keys()
            )
        assert list(head.damage()) == []


@each_storage
@pytest.mark.parametrize("first", range(3))
def test_a_summed_tree_is_the_sum_over_its_join(make: Make, first: int, rng: Random) -> None:
    """Tuples of both relations come, change and go; each passes its row or column to the tree."""
    storage = make()
    left, right = Stored(storage, first), Stored(storage, (first + 1) % 3)
    tree = storage.summed_tree(first)
    x: Hashable
    y: Hashable
    for step in range(400):
        stored = rng.choice((left, right))
        x, y = rng.randrange(6), rng.randrange(6)
        if step % 100 > 60 and stored.tuples:
            x, y = rng.choice(list(stored.tuples))
        old, new = stored.tuples.get((x, y), 0), 0 if step % 100 > 60 else multiplicity(rng)
        if old == new:
            continue
        if stored is left:
            middle = storage.handle((first + 1) % 3, y)
            if right.relation.length(0, middle, LIGHT):
                tree.add_row(storage.handle(first, x), middle, LIGHT, new - old)
        else:
            middle = storage.handle((first + 1) % 3, x)
            if left.relation.length(1, middle, LIGHT):
                tree.add_column(middle, LIGHT, storage.handle((first + 2) % 3, y), new - old)
        stored.change(x, y, new)
        expected = Counter[tuple[Hashable, Hashable]]()
        for ((a, b), m), ((other, c), n) in product(left.tuples.items(), right.tuples.items()):
            if b == other:
                expected[a, c] += m * n
        sums = {pair: m for pair, m in expected.items() if m}
        found = {(storage.value(a), storage.value(c)): m for a, c, m in tree.entries()}
        assert found == sums
        assert len(tree) == len(sums)
        assert list(tree.damage()) == []
    assert tree.get(storage.handle(first, "absent"), storage.handle((first + 2) % 3, "absent")) is None


@each_storage
@pytest.mark.parametrize("bound", list(product((False, True), repeat=2)), ids=str)
def test_a_kept_tree_has_buckets_of_pairs_with_values(
    make: Make, bound: tuple[bool, bool], rng: Random
) -> None:
    storage = make()
    tree = storage.kept_tree(1, *bound)
    handles = {
        (turn, value): storage.handle((1 + turn) % 3, value) for turn, value in product(range(3), VALUES)
    }
    middle, closing = set[tuple[int, int, int]](), set[tuple[int, int]]()
    for step in range(500):
        few = 2 if step < 250 else len(VALUES)
        x, y, z = rng.randrange(few), rng.choice(VALUES), rng.randrange(few)
        one, two, three = handles[0, x], handles[1, y], handles[2, z]
        values = {v for a, v, b in middle if (a, b) == (x, z)}
        assert tree.holds(one, three) == bool(values)
        if rng.random() < 0.2:
            closing ^= {(x, z)}
            if values:
                (tree.open_root if (x, z) in closing else tree.close_root)(one, three)
        elif (x, y, z) in middle:
            middle.remove((x, y, z))
            assert tree.remove(one, two, three) == (values == {y})
            if values == {y} and (x, z) in closing:
                tree.close_root(one, three)
        else:
            middle.add((x, y, z))
            assert tree.add(one, two, three) == (not values)
            if not values and (x, z) in closing:
                tree.open_root(one, three)
        require_kept(tree, storage, middle, closing, bound)


def require_kept(
    tree: KeptTree,
    storage: AnyStorage,
    middle: set[tuple[int, int, int]],
    closing: set[tuple[int, int]],
    bound: tuple[bool, bool],
) -> None:
    """All that a kept tree says, by positions and as a whole."""
    named = storage.value
    assert Counter(tuple(map(named, entry)) for entry in tree.entries()) == Counter(middle)
    roots = {(x, z) for x, _, z in middle} & closing
    assert Counter((named(x), named(z)) for x, z in tree.root_pairs()) == Counter(roots)
    buckets: list[set[tuple[Any, Any]]] = []
    for bucket in range(tree.bucket_count()):
        buckets.append(set())
        for position in range(tree.pair_count(bucket)):
            pair = tree.pair_at(bucket, position)
            x, z = map(named, pair)
            buckets[-1].add((x, z))
            assert tree.bucket_position(*pair) == bucket
            values = [tree.value_at(*pair, below) for below in range(tree.value_count(*pair))]
            assert Counter(map(named, values)) == Counter(v for a, v, b in middle if (a, b) == (x, z))
            assert [tree.place(pair[0], y, pair[1]) for y in values] == [
                (position, below) for below in range(len(values))
            ]
    expected: dict[object, set[tuple[int, int]]] = {}
    for x, z in roots:
        expected.setdefault((x if bound[0] else None, z if bound[1] else None), set()).add((x, z))
    assert sorted(map(sorted, buckets)) == sorted(map(sorted, expected.values()))
    assert len(tree) == len(middle) + len({(x, z) for x, _, z in middle}) + len(roots)
    assert list(tree.damage()) == []


@each_storage
def test_handles_come_and_go_with_their_values(make: Make) -> None:
    storage = make()
    stored = Stored(storage, 0)
    for turn in range(3):
        stored.change(f"x{turn}", "y", 1)
        assert storage.value(storage.handle(0, f"x{turn}")) == f"x{turn}"
        stored.change(f"x{turn}", "y", 0)
    stored.require_equal()
    assert storage.handle(0, "again") == storage.handle(0, "again")
    storage.forget(0, storage.handle(0, "again"))
    assert list(stored.relation.damage()) == []


@each_storage
def test_products_of_lines_come_and_rows_are_dropped(make: Make, rng: Random) -> None:
    """What a summed tree does for a value that changes class: a whole column times a whole row, at once."""
    storage, model = make(), Counter[tuple[Hashable, Hashable]]()
    left, right = Stored(storage, 0), Stored(storage, 1)
    tree = storage.summed_tree(0)
    for stored, y, other in product((left, right), range(4), VALUES):
        if rng.random() < 0.5:
            stored.change(*((other, y) if stored is left else (y, other)), multiplicity(rng))
    for _ in range(200):
        if rng.random() < 0.3:
            x = rng.choice(VALUES)
            gone = [pair for pair in model if pair[0] == x]
            assert tree.drop(left.handle(0, x)) == len(gone)
            for pair in gone:
                del model[pair]
        else:
            y, sign = rng.randrange(4), rng.choice((1, -1))
            middle = storage.handle(1, y)
            if not left.relation.length(1, middle, LIGHT) or not right.relation.length(0, middle, LIGHT):
                continue
            tree.add_product(middle, LIGHT, LIGHT, sign)
            for ((a, b), m), ((v, c), n) in product(left.tuples.items(), right.tuples.items()):
                if b == v == y:
                    model[a, c] += sign * m * n
        model = Counter({pair: m for pair, m in model.items() if m})
        assert {(storage.value(a), storage.value(c)): m for a, c, m in tree.entries()} == model
        assert len(tree) == len(model)
        assert list(tree.damage()) == []
        for a, c in product(VALUES, VALUES):
            if storage.find(0, a) and storage.find(2, c):
                assert tree.get(storage.handle(0, a), storage.handle(2, c)) == model.get((a, c))


# --- loading ------------------------------------------------------------------------------------------------


@each_storage
@pytest.mark.parametrize("partitioned", [0, 1, 2])
@pytest.mark.parametrize("distinct", [False, True])
def test_a_loaded_relation_is_like_one_that_grew(
    make: Make, partitioned: int, distinct: bool, rng: Random
) -> None:
    """Tuples that come again are added up; nothing is heavy or watched, until something asks for it."""
    storage = make()
    ring = [Stored(storage, i, partitioned) for i in range(3)]
    for i, stored in enumerate(ring):
        given: list[tuple[Hashable, Hashable, int]] = [
            (rng.choice(VALUES), rng.choice((*VALUES, "text")), multiplicity(rng))
            for _ in range(rng.choice((0, 5, 300)))
        ]
        totals = Counter[tuple[Hashable, Hashable]]()
        for x, y, m in given:
            totals[x, y] += m
        stored.tuples = {pair: m for pair, m in totals.items() if m}
        if distinct:
            given = [(x, y, m) for (x, y), m in stored.tuples.items()]
        bulk = storage.bulk(i, distinct)
        for x, y, m in given:
            if (x, y) in stored.tuples:
                bulk.add(x, y, m)
        bulk.finish()
        assert bulk.count == len(stored.tuples)
        assert stored.relation.watch == UNWATCHED
        assert [stored.relation.watching(column) for column in (0, 1)] == [0, 0]
    for stored in ring:
        stored.require_equal()
        if partitioned:
            stored.relation.watch_from(3)
            stored.require_equal()
        for pair in rng.sample(sorted(stored.tuples, key=str), len(stored.tuples) // 2):
            if partitioned and rng.random() < 0.2:
                stored.turn(0, pair[0])
            stored.change(*pair, rng.choice((0, multiplicity(rng))))
        stored.require_equal()


# --- whole engines ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decomposition", DECOMPOSITIONS, ids=lambda d: str(d.label))
@pytest.mark.parametrize("epsilon", ["0", "1/3", "2/3", "1"])
def test_engines_on_both_storages_do_the_same(
    decomposition: Decomposition, epsilon: str, rng: Random
) -> None:
    """The same events, steps, sizes, answers and states, through minor and major rebalancing."""
    plan, order = compile_plan(decomposition), tuple(range(len(decomposition.head)))
    engines: list[Engine[int]] = [
        Engine(plan, order, INTEGERS, Fraction(epsilon), make()) for make in (dicts, compact)
    ]
    held: dict[tuple[int, int, int], int] = {}
    for step in range(400):
        i, x, y, m = rng.randrange(3), *(min(rng.randrange(9), rng.randrange(9)) for _ in "xy"), 1
        if step >= 200 and held:
            i, x, y = rng.choice(list(held))
            m = -held.pop((i, x, y))
        elif (m := multiplicity(rng)) + held.get((i, x, y), 0):
            held[i, x, y] = m + held.get((i, x, y), 0)
        else:
            continue
        first, second = (update(engine, i, x, y, m) for engine in engines)
        assert first == second
        one, two = engines
        assert (one.steps, one.size, one.base) == (two.steps, two.size, two.base)
        assert one.entries() == two.entries()
        if step % 20 == 0:
            assert dict(enumerate_rows(one)) == dict(enumerate_rows(two))
            assert plain_state(one, decomposition) == plain_state(two, decomposition)
            assert list(state_violations(one, decomposition)) == []
            assert list(state_violations(two, decomposition)) == []
            one.steps = two.steps = 0
