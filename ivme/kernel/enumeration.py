"""Enumeration with the paper's delay, and point lookups.

Paper: fig:enum_union (UnionNext), fig:hop_iterator, fig:enum_union_with_pointer_new, fig:enum_binary,
fig:enum_unary, prop:delay_full, prop:delay_binary, prop:delay_unary; repaired as in ERRATA E2 to E5.

The result is the head map together with the triangles of the kept trees. Ternary rows of a tree are found by
walking its root and the y-values below: they are disjoint from the rest. Binary and unary rows of a tree
occur in many buckets, one for each value of the root's bound variables; a hop union walks the buckets one
after the other and hops over what was reported, and UnionNext merges the trees with the head map. All
collections are lists without gaps: positions serve as values, the successor of p is p + 1.

A triangle is a triple of ids for the variables 0, 1, 2. Rows are tuples of ids too, and become values when
they are reported.

>>> from fractions import Fraction
>>> from ivme.kernel.plan import compile_plan
>>> from ivme.kernel.storage.dicts.storage import DictStorage
>>> from ivme_spec.rings import NATURALS
>>> from ivme_spec.views import BINARY
>>> engine = Engine(compile_plan(BINARY), (0, 1), NATURALS, Fraction(1, 2), DictStorage())
>>> for i, (x, y) in enumerate([("a", "b"), ("b", "c"), ("c", "a")]):
...     engine.on_update(i, engine.storage.handle(i, x), engine.storage.handle((i + 1) % 3, y), 2)
>>> list(enumerate_rows(engine)), lookup(engine, ("a", "b")), lookup(engine, ("b", "a"))
([(('a', 'b'), 8)], 8, 0)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from ivme.kernel.engine import Engine
from ivme.kernel.guard import READING, READY, refuse
from ivme.kernel.parts import HEAVY, LIGHT, code
from ivme.kernel.plan import TreePlan
from ivme.kernel.storage.interface import Columns
from ivme_spec.errors import StaleEnumerationError
from ivme_spec.relations import Row
from ivme_spec.rings import P

if TYPE_CHECKING:
    from mypy_extensions import i64

Q = TypeVar("Q", bound=Hashable)


class End(Enum):
    """The end of a collection."""

    EOF = "EOF"


EOF = End.EOF


class HopIterator(Generic[Q]):
    """Walks positions and hops over the excluded ones (fig:hop_iterator).

    `skip_to` maps the first position of an excluded range to the one behind the range, `skipped_from` the
    converse. No two ranges touch, so one hop suffices.  Cost: O(1) for each method.
    """

    __slots__ = ("first", "position", "skip_to", "skipped_from", "successor")

    def __init__(self, first: Q | End, successor: Callable[[Q], Q | End]) -> None:
        self.first = first
        self.successor = successor
        self.position: Q | None = None
        self.skip_to: dict[Q, Q | End] = {}
        self.skipped_from: dict[Q | End, Q] = {}

    def hop(self, position: Q | End) -> Q | End:
        """The position itself, or the first one behind the excluded range that starts there."""
        return position if isinstance(position, End) else self.skip_to.get(position, position)

    def next(self) -> Q | End:
        """The next position that is not excluded."""
        found = self.hop(self.first if self.position is None else self.successor(self.position))
        if not isinstance(found, End):
            self.position = found
        return found

    def exclude(self, position: Q) -> None:
        """Exclude a position that is neither excluded nor the current one."""
        to = self.hop(self.successor(position))
        start = self.skipped_from.get(position, position)
        self.skip_to[start] = to
        self.skipped_from[to] = start

    def is_empty(self) -> bool:
        """Whether every position is excluded."""
        return self.hop(self.first) is EOF


class RowIterator(Protocol):
    """What UnionNext merges: rows without repetition, and membership in their set."""

    def next(self) -> tuple[int, ...] | End: ...
    def contains(self, row: tuple[int, ...]) -> bool: ...


def union_next(iterators: list[RowIterator], last: int) -> tuple[int, ...] | End:
    """The next row of the union of iterators 0 … last (fig:enum_union).

    Cost: one `next` and one `contains` of each.
    """
    if last == 0:
        return iterators[0].next()
    row = union_next(iterators, last - 1)
    if isinstance(row, End) or iterators[last].contains(row):
        return iterators[last].next()
    return row


class HeadIterator(Generic[P]):
    """The rows of the head map."""

    def __init__(self, engine: Engine[P]) -> None:
        self.engine = engine
        self.remaining = engine.head.handles()

    def next(self) -> tuple[int, ...] | End:
        """The next row.  Cost: O(1)."""
        self.engine.steps += 1
        row = next(self.remaining, None)
        return EOF if row is None else row

    def contains(self, row: tuple[int, ...]) -> bool:
        """Whether the head map has the row.  Cost: O(1)."""
        self.engine.steps += 1
        return self.engine.head.find(row) is not None


Place = tuple[int, int]
"""A position in a bucket: of a pair (x,z) of the root, and of a y-value under it."""


class HopUnion(Generic[P]):
    """The distinct rows of a kept tree (fig:enum_union_with_pointer_new).

    A bucket is the tree instantiated for some values of the root's bound variables. A row is reported from
    the first bucket that has it and excluded from the others; a bucket that is left without rows is excluded
    from the buckets. Candidates are exact: a row is excluded once from each bucket that has it, and never
    from the bucket that reports it (ERRATA E2, E3). `triangles` are those of the last reported `row`.
    """

    def __init__(self, engine: Engine[P], plan: TreePlan) -> None:
        self.engine = engine
        self.index, self.first, self.closing = plan.index, plan.first, plan.closing
        self.tree = engine.kept[plan.index]
        count = self.tree.bucket_count()
        self.buckets = HopIterator[int](0 if count else EOF, lambda p: p + 1 if p + 1 < count else EOF)
        self.opened: dict[int, HopIterator[Place]] = {}
        self.current = -1
        self.places: HopIterator[Place] | None = None
        self.row: tuple[int, ...] | None = None
        self.triangles: list[tuple[int, int, int]] = []

    def next(self) -> tuple[int, ...] | End:
        """The next distinct row.  Cost: O(the number of buckets that have it)."""
        place: Place | End = EOF if self.places is None else self.places.next()
        self.engine.steps += 1
        if isinstance(place, End):
            bucket = self.buckets.next()
            self.engine.steps += 1
            if isinstance(bucket, End):
                return EOF
            self.current = bucket
            self.places = self.open(bucket)
            place = self.places.next()
            assert not isinstance(place, End), "a bucket without rows is excluded from the buckets"
        self.row = row = self.row_at(place)
        self.triangles = list(triangles_of(self.engine, row, self.index))
        for triple in self.triangles:
            self.exclude(triple)
        return row

    def contains(self, row: tuple[int, ...]) -> bool:
        """Whether any bucket has the row, reported or not (ERRATA E5).  Cost: O(N^min) or O(N^{2min})."""
        return any(True for _ in triangles_of(self.engine, row, self.index))

    def open(self, bucket: int) -> HopIterator[Place]:
        """The hop iterator over a bucket, made when it is first needed (ERRATA E16).  Cost: O(1)."""
        found = self.opened.get(bucket)
        if found is None:
            tree = self.tree

            def successor(place: Place) -> Place | End:
                x, z = tree.pair_at(bucket, place[0])
                if place[1] + 1 < tree.value_count(x, z):
                    return (place[0], place[1] + 1)
                return (place[0] + 1, 0) if place[0] + 1 < tree.pair_count(bucket) else EOF

            found = self.opened[bucket] = HopIterator((0, 0), successor)
        return found

    def row_at(self, place: Place) -> tuple[int, ...]:
        """The row at a place of the current bucket.  Cost: O(1)."""
        x, z = self.tree.pair_at(self.current, place[0])
        return handle_row(self.engine, self.first, x, self.tree.value_at(x, z, place[1]), z)

    def exclude(self, triple: tuple[int, int, int]) -> None:
        """Exclude a triangle's row from the triangle's bucket, unless it is the current one.  Cost: O(1)."""
        x, y, z = triple[self.first], triple[(self.first + 1) % 3], triple[self.closing]
        bucket = self.tree.bucket_position(x, z)
        if bucket == self.current:
            return
        places = self.open(bucket)
        places.exclude(self.tree.place(x, y, z))
        self.engine.steps += 5
        if places.is_empty():
            self.buckets.exclude(bucket)
            self.engine.steps += 2


# --- rows and ids -------------------------------------------------------------------------------------------


def handle_row(engine: Engine[P], first: int, x: i64, y: i64, z: i64) -> tuple[int, ...]:
    """The row of the triangle (x, y, z), where x is of the variable `first`.  Cost: O(1)."""
    return tuple([(x, y, z)[(variable - first) % 3] for variable in engine.order])


def values_of(engine: Engine[P], row: tuple[int, ...]) -> Row:
    """The values of a row.  Cost: O(1)."""
    return tuple([engine.storage.value(handle) for handle in row])


def handles_of(engine: Engine[P], row: Row) -> tuple[int, ...] | None:
    """The ids of a row, None if a value is unknown to its relations.  Cost: O(1)."""
    found: list[int] = []
    for variable, value in zip(engine.order, row, strict=True):
        found.append(engine.storage.find(variable, value))
    return tuple(found) if all(found) else None


# --- lookups ------------------------------------------------------------------------------------------------


def triangles_of(
    engine: Engine[P], row: tuple[int, ...], index: int | None = None
) -> Iterator[tuple[int, int, int]]:
    """The triangles of a binary or unary row that kept trees cover; of one tree, if `index` is given.

    Variable 0 is free, and so is variable 1 in a binary query: the triangles are found from relation 0, the
    bound variables by intersection.  Cost: O(N^min(ε,1−ε)) binary, O(N^{2min(ε,1−ε)}) unary.
    """
    plan, storage, (relation, following, previous) = engine.plan, engine.storage, engine.relations
    x = row[engine.order.index(0)]
    first, column_second = relation.status(0, x), previous.status(1, x)
    for second in (LIGHT, HEAVY):
        if not any(plan.held[0][code(first, second, status, column_second)] for status in (LIGHT, HEAVY)):
            continue
        engine.steps += 1
        if plan.arity == 2:
            given = row[engine.order.index(1)]
            ys = [given] if relation.status(1, given) == second and relation.get(x, given) is not None else []
        else:
            ys = relation.members(0, x, second)
        for y in ys:
            row_first = following.status(0, y)
            engine.steps += 1
            for (row_second, column_first), tree in plan.held[0][
                code(first, second, row_first, column_second)
            ]:
                if index is None or tree == index:
                    partners = int(following.length(0, y, row_second))
                    column = int(previous.length(1, x, column_first))
                    engine.steps += 2
                    if partners and column:
                        engine.steps += min(partners, column)
                        for z in storage.common(0, x, y, row_second, column_first):
                            yield x, y, z


def lookup(engine: Engine[P], row: Row) -> P:
    """The multiplicity of a row.

    Cost: O(1) for the count and the ternary query, O(N^min(ε,1−ε)) binary, O(N^{2min(ε,1−ε)}) unary.
    """
    engine.steps += 1
    found = handles_of(engine, row)
    if found is None:
        return engine.ring.zero
    if len(row) == 3:
        a, b, c = (found[engine.order.index(i)] for i in range(3))
        return product(engine, (a, b, c))
    total = head_sum(engine, found)
    return total + tree_sum(engine, triangles_of(engine, found)) if engine.kept else total


def head_sum(engine: Engine[P], row: tuple[int, ...]) -> P:
    """What the head map has for a row.  Cost: O(1)."""
    found = engine.head.find(row)
    return engine.ring.zero if found is None else found


def tree_sum(engine: Engine[P], triangles: Iterable[tuple[int, int, int]]) -> P:
    """The sum of triangles.  Cost: O(1) for each."""
    total = engine.ring.zero
    for triple in triangles:
        total = total + product(engine, triple)
    return total


def product(engine: Engine[P], triple: tuple[int, int, int]) -> P:
    """R(a,b) · S(b,c) · T(c,a).  Cost: O(1)."""
    result = engine.ring.one
    for i, relation in enumerate(engine.relations):
        engine.steps += 1
        multiplicity = relation.get(triple[i], triple[(i + 1) % 3])
        if multiplicity is None:
            return engine.ring.zero
        result = result * multiplicity
    return result


# --- enumeration --------------------------------------------------------------------------------------------


def enumerate_rows(engine: Engine[P]) -> Iterator[tuple[Row, P]]:
    """The distinct rows of the result with their multiplicities, nonzero ones only.

    Delay: O(1) for the count and the ternary query, O(N^min(ε,1−ε)) binary, O(N^{2min(ε,1−ε)}) unary. In
    rings where sums can cancel, the bound holds for rows with a derivation; those that cancel are skipped.
    """
    if not engine.kept:
        yield from engine.head.rows()
    elif engine.plan.arity == 3:
        yield from engine.head.rows()
        yield from _tree_rows(engine)
    else:
        unions = [HopUnion(engine, engine.plan.trees[index]) for index in engine.kept]
        iterators: list[RowIterator] = [*unions, HeadIterator(engine)]
        while not isinstance(row := union_next(iterators, len(iterators) - 1), End):
            if multiplicity := _reported(engine, row, unions):
                yield values_of(engine, row), multiplicity


def _reported(engine: Engine[P], row: tuple[int, ...], unions: list[HopUnion[P]]) -> P:
    """The multiplicity of a row that a union has just reported, whose triangles are known, or none has.

    Cost: as `lookup`.
    """
    engine.steps += 1
    total = head_sum(engine, row)
    if not any(union.row is row for union in unions):
        return total + tree_sum(engine, triangles_of(engine, row))
    for union in unions:
        known = union.triangles if union.row is row else triangles_of(engine, row, union.index)
        total = total + tree_sum(engine, known)
    return total


def _tree_rows(engine: Engine[P]) -> Iterator[tuple[Row, P]]:
    """The ternary rows of the kept trees: root pairs and the y-values below (prop:delay_full)."""
    for index, tree in engine.kept.items():
        first = engine.plan.trees[index].first
        left, right, third = (engine.relations[(first + turn) % 3] for turn in range(3))
        places, value = [(variable - first) % 3 for variable in engine.order], engine.storage.value
        for position in range(tree.pair_count(0) if tree.bucket_count() else 0):
            x, z = tree.pair_at(0, position)
            closing = third.get(z, x)
            engine.steps += 3
            assert closing is not None, "the closing relation has every pair of the root"
            for below in range(tree.value_count(x, z)):
                engine.steps += 3
                y = tree.value_at(x, z, below)
                one, two = left.get(x, y), right.get(y, z)
                assert one is not None, "a kept value has its tuples"
                assert two is not None, "a kept value has its tuples"
                if multiplicity := one * two * closing:
                    triple = (value(x), value(y), value(z))
                    yield tuple([triple[place] for place in places]), multiplicity


def counted_rows(engine: Engine[P], version: int) -> Iterator[tuple[Row, P]]:
    """`enumerate_rows` with its delays counted; an update in between: `StaleEnumerationError`."""
    meter, rows = engine.meter, enumerate_rows(engine)
    while True:
        if engine.guard != READY:
            refuse(engine.guard)
        if engine.version != version:
            raise StaleEnumerationError("the view was updated during the enumeration; start a new one")
        before = engine.steps
        try:
            engine.guard = READING
            entry = next(rows, None)
        finally:
            engine.guard = READY
        meter.count_delay(engine.steps - before + 1)
        if entry is None:
            return
        yield entry


def counted_lookup(engine: Engine[P], row: Row) -> P:
    """`lookup`, counted."""
    if engine.guard != READY:
        refuse(engine.guard)
    before = engine.steps
    try:
        engine.guard = READING
        multiplicity = lookup(engine, row)
    finally:
        engine.guard = READY
    engine.meter.count_delay(engine.steps - before)
    return multiplicity


def counted_columns(engine: Engine[P]) -> Columns | None:
    """All rows of a ternary query as columns, counted; None if the storage has no ids.

    Cost: O(1) for each row.
    """
    found = engine.storage.columns(engine.plan.trees)
    if found is not None:
        steps = 3 * len(found) + 1
        engine.steps += steps
        engine.meter.enumeration += steps
    return found
