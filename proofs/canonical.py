"""States of small domains up to renaming of values.

The engine uses values only through equality and hash, so renaming the values of A, of B or of C renames its
whole run. A state is thus determined by N, the tuples and the heavy bits, up to such a renaming: `canonical`
picks one representative.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from copy import copy
from itertools import permutations, product
from typing import Any

from attrs import frozen

from ivme.kernel.parts import HEAVY
from ivme.kernel.storage.dicts.head import DictHead
from ivme.kernel.storage.dicts.storage import DictStorage
from ivme_spec.rings import P
from proofs.engines import DictEngine

Tuple = tuple[int, Any, Any]
"""The number of a relation and two values."""

Key = tuple[object, ...]


@frozen
class Domain:
    """The number of values of A, B and C; different variables have disjoint values."""

    a: int
    b: int
    c: int

    def __str__(self) -> str:
        return f"({self.a},{self.b},{self.c})"

    def values(self, variable: int) -> list[Any]:
        """The values of A (0), B (1) or C (2)."""
        return ["abc"[variable] + str(n) for n in range((self.a, self.b, self.c)[variable])]

    def tuples(self) -> Iterator[Tuple]:
        """Every tuple of every relation."""
        for i in range(3):
            for x, y in product(self.values(i), self.values((i + 1) % 3)):
                yield i, x, y

    def triangles(self) -> Iterator[tuple[str, str, str]]:
        """Every triple of values."""
        yield from product(*(self.values(variable) for variable in range(3)))

    @property
    def largest(self) -> int:
        """The variable with the most values."""
        return max(range(3), key=lambda variable: len(self.values(variable)))


def canonical(engine: DictEngine[P], database: frozenset[Tuple], domain: Domain) -> Key:
    """N, tuples and heavy bits, the same for any two states that differ by a renaming.

    The values of the largest variable are sorted by everything known about them; for the other two, all
    orders are tried.
    """
    v, w, u = (domain.largest + turn for turn in range(3))
    v, w, u = v % 3, w % 3, u % 3
    heavy = [
        [
            {x for x in domain.values((i + column) % 3) if relation.status(column, x) == HEAVY}
            for column in (0, 1)
        ]
        for i, relation in enumerate(engine.relations)
    ]
    best: Key | None = None
    for ws, us in product(permutations(domain.values(w)), permutations(domain.values(u))):
        sorted_values = sorted(
            (
                x in heavy[v][0],
                x in heavy[u][1],
                *((v, x, y) in database for y in ws),
                *((u, z, x) in database for z in us),
            )
            for x in domain.values(v)
        )
        key: Key = (
            engine.base,
            *((y in heavy[w][0], y in heavy[v][1]) for y in ws),
            *((z in heavy[u][0], z in heavy[w][1]) for z in us),
            *((w, y, z) in database for y in ws for z in us),
            *sorted_values,
        )
        if best is None or key < best:
            best = key
    assert best is not None
    return best


@frozen
class Frozen:
    """A copy of an engine's state, from which any number of engines can be made."""

    original: DictEngine[int]
    contents: bytes
    head: bytes

    def engine(self) -> DictEngine[int]:
        """An engine in that state."""
        made = copy(self.original)
        for name, value in pickle.loads(self.contents).items():
            setattr(made, name, value)
        head = copy(dict_head(self.original))
        head.entries = pickle.loads(self.head)
        assert isinstance(made.storage, DictStorage)
        head.relations = made.storage.relations
        made.head = head
        return made


MUTABLE = ("storage", "relations", "summed", "kept", "sides")


def dict_head(engine: DictEngine[P]) -> DictHead[P]:
    """The head map, typed by its storage."""
    assert isinstance(engine.head, DictHead)
    return engine.head


def frozen_state(engine: DictEngine[int]) -> Frozen:
    """A copy of the state; plan, ring and threshold never change and are shared.

    References of the storage and of the sides to relations and trees are copied together with these, so
    identities are kept.
    """
    contents = pickle.dumps({name: getattr(engine, name) for name in MUTABLE}, pickle.HIGHEST_PROTOCOL)
    return Frozen(engine, contents, pickle.dumps(dict_head(engine).entries, pickle.HIGHEST_PROTOCOL))


def brute_force(database: frozenset[Tuple], domain: Domain, head: tuple[int, ...]) -> dict[Key, int]:
    """The query's result by trying all triples of values; every tuple has multiplicity 1."""
    result: dict[Key, int] = {}
    for triple in domain.triangles():
        if all((i, triple[i], triple[(i + 1) % 3]) in database for i in range(3)):
            row = tuple(triple[variable] for variable in head)
            result[row] = result.get(row, 0) + 1
    return result
