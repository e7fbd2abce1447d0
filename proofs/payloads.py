"""Engines with polynomial payloads and forced parts, and what they must hold.

The engine is generic in its ring. With a variable of its own as the multiplicity of every tuple, one run
computes the result for every choice of multiplicities, and equality of polynomials is equality for all of
them. Every coefficient in every view is asserted to be positive: so an entry that is nonzero here is nonzero
for all positive multiplicities, and the engine takes the same branches for them as it does here.

A, B and C have disjoint values: an index read from the wrong side finds nothing.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

from attrs import define as attrs_define
from attrs import field, frozen

from ivme.kernel.parts import HEAVY, LIGHT, Status
from ivme.kernel.plan import Plan, compile_plan
from ivme.kernel.storage.dicts.relation import DictRelation
from ivme.kernel.storage.dicts.trees import DictKept, DictSums
from ivme_spec.partitions import part_names
from ivme_spec.relations import RELATIONS, SCHEMAS, VARIABLES, Relation, relation
from ivme_spec.rings import POLYNOMIALS, Polynomial
from ivme_spec.views import DECOMPOSITIONS, Decomposition, define
from proofs.claims import Refuted
from proofs.engines import DictEngine, empty_engine

VALUES: Mapping[str, tuple[str, str]] = {"A": ("a0", "a1"), "B": ("b0", "b1"), "C": ("c0", "c1")}

Tuple = tuple[int, Any, Any]
"""A tuple of a relation: the relation's number and the two values."""

Bits = dict[tuple[int, int, str], Status]
"""The status of a value in a column of a relation."""

NAMES = ("count-single", "count-double", "unary", "binary", "ternary")
PLANS: dict[str, Decomposition] = dict(zip(NAMES, DECOMPOSITIONS, strict=True))


def variable(at: Tuple, mark: str = "") -> Polynomial:
    """The multiplicity of a tuple; with a mark, of a further change to it."""
    return Polynomial.variable(f"{RELATIONS[at[0]]}({at[1]},{at[2]}){mark}")


def values_of(i: int, column: int) -> tuple[str, str]:
    """The two values of a column."""
    return VALUES[SCHEMAS[RELATIONS[i]][column]]


@frozen
class Contents:
    """What the engine must store for given parts, in its own terms."""

    head: dict[Any, Polynomial]
    summed: dict[int, dict[Any, dict[Any, Polynomial]]]
    kept: dict[int, set[tuple[Hashable, ...]]]
    roots: dict[int, set[tuple[Hashable, ...]]]


@attrs_define
class Workbench:
    """Engines for one plan; what the definitions give is cached."""

    decomposition: Decomposition
    plan: Plan = field(init=False)
    checks: int = 0
    _memory: dict[object, Contents] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.plan = compile_plan(self.decomposition)

    def engine(self, tuples: Iterable[Tuple], bits: Bits) -> DictEngine[Polynomial]:
        """An engine with these tuples in the parts given by the bits, filled by `on_update`."""
        engine = empty_engine(self.plan, self.decomposition.head, POLYNOMIALS, Fraction(1, 2))
        for at in tuples:
            self.update(engine, at, variable(at), bits)
        return engine

    def update(self, engine: DictEngine[Polynomial], at: Tuple, change: Polynomial, bits: Bits) -> None:
        """`on_update`, after the part of the tuple has been forced."""
        i, *row = at
        for column, value in enumerate(row):
            if bits.get((i, column, value)) == HEAVY:
                engine.relations[i].mark(column, value, HEAVY)
        engine.on_update(i, row[0], row[1], change)

    def columns(self, i: int) -> tuple[int, ...]:
        """The partitioned columns of a relation."""
        return tuple(range(self.plan.partitioned[i]))

    def check(self, engine: DictEngine[Polynomial], what: str) -> None:
        """Everything that the engine stores equals the definitions on its parts."""
        self.checks += 1
        stored = frozenset(
            (i, x, y, rel.status(0, x), rel.status(1, y), frozenset(m.terms.items()))
            for i, rel in enumerate(engine.relations)
            for x, y, m in rel.tuples()
        )
        expected = self._memory.get(stored)
        if expected is None:
            expected = self._memory[stored] = self.contents(engine)
        found = _found(engine)
        if found != expected:
            raise Refuted(f"{self.decomposition.label}, {what}: {_difference(found, expected)}")
        self._check_indexes(engine, what)

    def contents(self, engine: DictEngine[Polynomial]) -> Contents:
        """The definitions of the spec, evaluated on the parts."""
        parts: dict[str, dict[str, list[tuple[tuple[Hashable, ...], Polynomial]]]] = {
            name: {part: [] for part in part_names(name in self.decomposition.double)} for name in RELATIONS
        }
        for i, stored in enumerate(engine.relations):
            for x, y, m in stored.tuples():
                letters = "LH"[stored.status(0, x)] + "LH"[stored.status(1, y)]
                parts[RELATIONS[i]][letters if stored.double else letters[0]].append(((x, y), m))
        partitions = {
            name: {part: relation(SCHEMAS[name], POLYNOMIALS, rows) for part, rows in found.items()}
            for name, found in parts.items()
        }
        views = {v.name: define(v, self.decomposition, partitions) for v in self.decomposition.views}
        head = relation(self.decomposition.head, POLYNOMIALS)
        for view in self.decomposition.listed:
            head = head + views[view.name]
        contents = Contents({}, {}, {}, {})
        for index, tree in enumerate(self.decomposition.trees):
            first = self.plan.trees[index].first
            one, two, three = (VARIABLES[(first + turn) % 3] for turn in range(3))
            if self.plan.trees[index].is_kept:
                contents.kept[index] = views[tree.views[0].name].project(one + two + three)
                contents.roots[index] = views[tree.root.name].project(one + three)
            else:
                contents.summed[index] = _rows(views[tree.views[0].name].sum_to(one + three))
                for view in tree.views[1:]:
                    head = head + views[view.name]
        contents.head.update(head.entries)
        for contained in views.values():
            _check_shape(contained)
        return contents

    def _check_indexes(self, engine: DictEngine[Polynomial], what: str) -> None:
        """Rows and columns agree, and stand where the statuses say."""
        for i, rel in enumerate(engine.relations):
            assert isinstance(rel, DictRelation)
            found = {(x, y, rel.status(0, x), rel.status(1, y)): m for x, y, m in rel.tuples()}
            rows = {
                (x, y, first, second): rel.backward[first][y][x]
                for y, first in product(rel.values(1), (LIGHT, HEAVY))
                for x in rel.members(1, y, first)
                for second in (LIGHT, HEAVY)
                if y in rel.members(0, x, second)
            }
            if rows != found or len(found) != sum(1 for _ in rel.tuples()):
                raise Refuted(f"{what}: the indexes of {RELATIONS[i]} disagree: {rows} and {found}")


def _rows(pairs: Relation[Polynomial]) -> dict[Any, dict[Any, Polynomial]]:
    rows: dict[Any, dict[Any, Polynomial]] = {}
    for (x, z), m in pairs.entries.items():
        rows.setdefault(x, {})[z] = m
    return rows


def _found(engine: DictEngine[Polynomial]) -> Contents:
    """What an engine stores."""
    kept: dict[int, set[tuple[Hashable, ...]]] = {}
    roots: dict[int, set[tuple[Hashable, ...]]] = {}
    sums: dict[int, dict[Any, dict[Any, Polynomial]]] = {}
    for index, tree in engine.kept.items():
        assert isinstance(tree, DictKept)
        entries, pairs = list(tree.entries()), [pair for bucket in tree.root.values() for pair in bucket]
        kept[index], roots[index] = set(entries), set(pairs)
        if len(entries) != len(kept[index]) or len(pairs) != len(roots[index]):
            raise Refuted(f"a kept tree has duplicates: {entries}, {pairs}")
        if set(tree.buckets) != set(tree.root) or any(
            tree.bucket_of(*pair) != bucket for bucket, found in tree.root.items() for pair in found
        ):
            raise Refuted(f"a root has wrong buckets: {list(tree.buckets)}, {list(tree.root)}")
    for index, summed in engine.summed.items():
        assert isinstance(summed, DictSums)
        sums[index] = summed.sums
    return Contents(dict(engine.head.rows()), sums, kept, roots)


def _difference(found: Contents, expected: Contents) -> str:
    for name in ("head", "summed", "kept", "roots"):
        if getattr(found, name) != getattr(expected, name):
            return f"{name} is {getattr(found, name)}; by definition {getattr(expected, name)}"
    return "no difference"


def _check_shape(view: Relation[Polynomial]) -> None:
    """Coefficients are positive, and a monomial has at most one variable of each relation."""
    for row, polynomial in view.entries.items():
        for monomial, coefficient in polynomial.terms.items():
            if coefficient <= 0:
                raise Refuted(f"negative coefficient {coefficient} of {monomial} at {row}")
            if len({name[0] for name in monomial}) != len(monomial):
                raise Refuted(f"{monomial} at {row} is not multilinear")
