"""Summed and kept trees equal their equations after every change."""

from collections import Counter
from collections.abc import Callable, Hashable
from itertools import product
from random import Random
from typing import Any

import pytest

from ivme.kernel.parts import LIGHT
from ivme.kernel.storage.dicts.relation import DictRelation
from ivme.kernel.storage.dicts.trees import DictKept, DictSums
from ivme_spec.rings import INTEGERS, NATURALS, Ring, modular

Tuples = dict[tuple[int, int], Any]
VALUES = range(3)


def joined(left: Tuples, right: Tuples) -> Tuples:
    """V̂(x,z) = Σ_y K(x,y) · K'(y,z) by definition, without zeros."""
    sums: Tuples = {}
    for ((x, y), m), ((other, z), n) in product(left.items(), right.items()):
        if y == other:
            sums[x, z] = sums[x, z] + m * n if (x, z) in sums else m * n
    return {pair: m for pair, m in sums.items() if m}


def store(relation: DictRelation[Any], row: tuple[int, int], old: Any, new: Any) -> None:
    """Change a tuple's multiplicity."""
    if old is None:
        relation.add(*row, LIGHT, LIGHT, new)
    elif new:
        relation.put(*row, LIGHT, LIGHT, new)
    else:
        relation.remove(*row, LIGHT, LIGHT)


@pytest.mark.parametrize("ring", [NATURALS, INTEGERS, modular(6)], ids=str)
def test_a_summed_tree_equals_its_equation(ring: Ring[Any], rng: Random) -> None:
    relations = DictRelation[Any](1), DictRelation[Any](1)
    tree, left, right = DictSums[Any](*relations), Tuples(), Tuples()
    for _ in range(200):
        y, other = rng.choice(VALUES), rng.choice(VALUES)
        relation, row = (left, (other, y)) if rng.random() < 0.5 else (right, (y, other))
        m = ring.lift(rng.choice((1, 2, 3)))
        if row in relation and rng.random() < 0.6:
            m = -relation[row]
        if relation is left:
            if relations[1].length(0, y, LIGHT):
                tree.add_row(other, y, LIGHT, m)
        elif relations[0].length(1, y, LIGHT):
            tree.add_column(y, LIGHT, other, m)
        total = relation[row] + m if row in relation else m
        store(relations[relation is right], row, relation.pop(row, None), total)
        if total:
            relation[row] = total
        expected = joined(left, right)
        assert {(x, z): m for x, z, m in tree.entries()} == expected
        assert all(row and all(row.values()) for row in tree.sums.values())
        for pair in product(VALUES, VALUES):
            assert tree.get(*pair) == expected.get(pair)


def test_products_of_zero_divisors_are_not_stored() -> None:
    ring, left, right = modular(6), DictRelation[Any](1), DictRelation[Any](1)
    tree = DictSums[Any](left, right)
    left.add(1, 0, LIGHT, LIGHT, ring.lift(2))
    right.add(0, 2, LIGHT, LIGHT, ring.lift(2))
    tree.add_row(1, 0, LIGHT, ring.lift(3))
    tree.add_column(0, LIGHT, 2, ring.lift(3))
    assert tree.sums == {}
    right.add(0, 3, LIGHT, LIGHT, ring.lift(1))
    tree.add_row(1, 0, LIGHT, ring.lift(3))
    assert tree.sums == {1: {3: 3}}
    tree.add_column(0, LIGHT, 4, ring.lift(3))
    assert tree.sums == {1: {3: 3}}


BUCKETS: dict[tuple[bool, bool], Callable[[int, int], Hashable]] = {
    (False, False): lambda x, z: (),
    (True, False): lambda x, z: x,
    (False, True): lambda x, z: z,
    (True, True): lambda x, z: (x, z),
}


@pytest.mark.parametrize("bound", BUCKETS, ids=str)
def test_a_kept_tree_knows_its_values_and_its_buckets(bound: tuple[bool, bool], rng: Random) -> None:
    """Presence of K·K' in `middle`; the closed pairs in `root`, each in the bucket of its bound variables."""
    tree = DictKept(by_x=bound[0], by_z=bound[1])
    middle, closing = set[tuple[int, int, int]](), set[tuple[int, int]]()
    for _ in range(300):
        x, y, z = (rng.choice(VALUES) for _ in range(3))
        values = {v for a, v, b in middle if (a, b) == (x, z)}
        if rng.random() < 0.3:
            closing ^= {(x, z)}
            if values:
                (tree.open_root if (x, z) in closing else tree.close_root)(x, z)
        elif (x, y, z) in middle:
            middle.remove((x, y, z))
            assert tree.remove(x, y, z) == (values == {y})
            if values == {y} and (x, z) in closing:
                tree.close_root(x, z)
        else:
            middle.add((x, y, z))
            assert tree.add(x, y, z) == (not values)
            if not values and (x, z) in closing:
                tree.open_root(x, z)
        assert Counter(tree.entries()) == Counter(middle)
        roots = {(x, z) for x, _, z in middle} & closing
        expected: dict[Hashable, set[tuple[int, int]]] = {}
        for pair in roots:
            expected.setdefault(BUCKETS[bound](*pair), set()).add(pair)
        assert {bucket: set(pairs) for bucket, pairs in tree.root.items()} == expected
        assert sorted(map(str, tree.buckets)) == sorted(map(str, expected))


def test_a_pair_without_values_has_none() -> None:
    tree = DictKept(by_x=False, by_z=True)
    assert tree.values(1, 2) is None
    tree.add(1, 5, 3)
    assert tree.values(1, 2) is None
    assert list(tree.values(1, 3) or ()) == [5]
