"""The state of a triangle query whose view rows are bought when they pay: what must hold between two updates.

Paper: def:ivme_state, with views that are materialized row by row. Relations are numbered 0, 1, 2 and Kᵢ has
the schema (Xᵢ, Xᵢ₊₁), indices modulo 3. A tree of the decomposition joins K_f(x,y) with K_{f+1}(y,z) and is
closed by K_{f+2}(z,x); its superscript asks that x is heavy in K_f and y light in K_{f+1} and, in some trees,
that the *middle* y is light in the second column of K_f and that the *end* z is heavy in that of K_{f+1}.

    class     of a value of a partitioned column: heavy or light, exactly as in an eager IVM^ε state
    stands    where its tuples are stored: heavy only if the class is; a heavy value may stand light as long
              as no built row needs it, so that a class change need not move tuples
    built     a row x of a tree is materialized; only if x is heavy in K_f. For each y of K_f(x,·), the
              classes of the middle are where its tuples stand
    covered   a triangle (x,y,z) by a built row x of a tree, if y and z stand in the parts of its superscript;
              where x itself stands does not matter. No two rows cover the same triangle
    summed    V̂(x,z) = Σ_y K_f(x,y)·K_{f+1}(y,z) over what a built x covers, for each z
    kept      the (y,z) of K_f(x,y)·K_{f+1}(y,z) that a built x covers, by presence; the root has the (x,z)
              that K_{f+2} closes
    head map  Σ over all triangles that no built row of a kept tree covers: unbuilt rows are listed
    price     of a row: 2·|K_f(x,·)| + w·|{(y,z)}| over what x covers or would cover, y by its class; w is 2
              for a summed tree and 6 for a kept one: a build takes at most the price, a drop half of it and 1
    account   of a built row: its price; the gap, its upkeep since it was last of use, w for each changed
              (y,z); and the limit, the price when the gap was last 0: 0 ≤ gap < limit
    credit    of a heavy x that is not built: what scans have paid that its row would have spared, and when to
              look at the price: 0 < paid < look. Whoever has none has paid nothing

So a row *may* be built if x is heavy, and *must* be if its credit reaches its price times `factor` when it is
looked at. Every built row is part of what the eager state materializes: space and delay are no worse.

>>> from ivme_spec.views import BINARY
>>> [(shape.first, shape.middle, shape.end, shape.kept) for shape in shapes(BINARY)]
[(0, False, True, True), (1, False, False, False), (2, True, False, True)]
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Set
from fractions import Fraction
from typing import Generic

from attrs import frozen

from ivme_spec.partitions import Partition, Violation, part_names, union_of
from ivme_spec.relations import RELATIONS, SCHEMAS, VARIABLES, Relation, Row, relation
from ivme_spec.rings import P, Ring
from ivme_spec.state import size_invariant
from ivme_spec.thresholds import Threshold, threshold
from ivme_spec.views import Decomposition

STATE = "def:ivme_state"
SINGLE = "def:loose_relation_partition"
DOUBLE = "def:loose_double_relation_partition"

SUMMED_WEIGHT = 2
"""Steps for an entry of a summed row: to find it, and to write it."""
KEPT_WEIGHT = 6
"""At most two each: to store y under (x,z); the first time, to look whether it is closed and to open the
root; and to move a triangle between the row and the head map."""

Place = tuple[str, int]
"""A column of a relation."""


@frozen
class Shape:
    """A view tree: its relations, what its superscript asks of middle and end, and whether it is kept."""

    first: int
    middle: bool
    end: bool
    kept: bool

    @property
    def second(self) -> int:
        return (self.first + 1) % 3

    @property
    def closing(self) -> int:
        return (self.first + 2) % 3

    @property
    def weight(self) -> int:
        """w: the steps for an entry, at most."""
        return KEPT_WEIGHT if self.kept else SUMMED_WEIGHT


def shapes(decomposition: Decomposition) -> tuple[Shape, Shape, Shape]:
    """The trees of a decomposition, by their first relation."""
    found: dict[int, Shape] = {}
    for tree in decomposition.trees:
        first = (tree.parts.index("ALL") + 1) % 3
        left, right = tree.parts[first], tree.parts[(first + 1) % 3]
        assert left in ("H", "HL"), "the first value of a tree is heavy, and its middle may have to be light"
        assert right in ("L", "LH"), "the middle of a tree is light, and its end may have to be heavy"
        found[first] = Shape(first, left == "HL", right == "LH", kept=len(tree.views[0].head) == 3)
    return found[0], found[1], found[2]


@frozen
class Account:
    """What a built row costs, and what it has cost since it was last of use."""

    price: int
    limit: int
    gap: int


@frozen
class Credit:
    """What scans have paid for a row that is not built, and when to look at its price."""

    paid: int
    look: Fraction


@frozen
class LazyState(Generic[P]):
    """What an engine with lazy views holds. Trees are keyed by their first relation, 0, 1 or 2.

    partitions   the tuples of each relation, in the parts in which they stand
    heavy        the classes: the heavy values of each partitioned column
    accounts     the built rows of each tree
    credits      of rows that are not built
    summed       x ↦ z ↦ V̂(x,z), for summed trees
    kept         x ↦ {(y,z)}, for kept trees
    roots        {(x,z)}, for kept trees
    head         the head map, over the variables of the decomposition's head in any order
    """

    decomposition: Decomposition
    epsilon: Fraction
    base: int
    ring: Ring[P]
    partitions: Mapping[str, Partition[P]]
    heavy: Mapping[Place, Set[Hashable]]
    accounts: Mapping[int, Mapping[Hashable, Account]]
    credits: Mapping[int, Mapping[Hashable, Credit]]
    summed: Mapping[int, Mapping[Hashable, Mapping[Hashable, P]]]
    kept: Mapping[int, Mapping[Hashable, Set[tuple[Hashable, Hashable]]]]
    roots: Mapping[int, Set[tuple[Hashable, Hashable]]]
    head: Relation[P]

    @property
    def size(self) -> int:
        """|D|."""
        return sum(len(part) for parts in self.partitions.values() for part in parts.values())

    def database(self) -> dict[str, Relation[P]]:
        """The relations that the parts add up to."""
        return {name: union_of(self.partitions[name], SCHEMAS[name]) for name in RELATIONS}

    def places(self) -> Iterator[Place]:
        """The partitioned columns."""
        for name in RELATIONS:
            yield name, 0
            if name in self.decomposition.double:
                yield name, 1


# --- the definitions ------------------------------------------------------------------------------------


@frozen
class Reading(Generic[P]):
    """A state, read once: rows and columns as maps, and where each value stands."""

    state: LazyState[P]
    rows: tuple[dict[Hashable, dict[Hashable, P]], ...]
    standing: Mapping[Place, Set[Hashable]]

    def stands(self, i: int, column: int, value: Hashable) -> bool:
        """Whether a value of Kᵢ stands heavy."""
        return value in self.standing.get((RELATIONS[i], column), ())

    def is_heavy(self, i: int, column: int, value: Hashable) -> bool:
        """The class of a value of Kᵢ."""
        return value in self.state.heavy.get((RELATIONS[i], column), ())

    def below(self, shape: Shape, y: Hashable) -> list[Hashable]:
        """The z-values of a middle that stand where the tree's superscript asks."""
        row = self.rows[shape.second].get(y, {})
        return [z for z in row if not shape.end or self.stands(shape.second, 1, z)]

    def price(self, shape: Shape, x: Hashable) -> int:
        """The price of a row, built or not."""
        row = self.rows[shape.first].get(x, {})
        fits = [
            y
            for y in row
            if not self.is_heavy(shape.second, 0, y)
            if not (shape.middle and self.is_heavy(shape.first, 1, y))
        ]
        return 2 * len(row) + shape.weight * sum(len(self.below(shape, y)) for y in fits)

    def pairs(self, shape: Shape, x: Hashable) -> list[tuple[Hashable, Hashable]]:
        """The (y,z) that the row of x has if it is built, by where tuples stand."""
        return [
            (y, z)
            for y in self.rows[shape.first].get(x, {})
            if not self.stands(shape.second, 0, y)
            if not (shape.middle and self.stands(shape.first, 1, y))
            for z in self.below(shape, y)
        ]

    def triangles(self) -> Iterator[tuple[tuple[Hashable, Hashable, Hashable], P]]:
        """Every triangle (a,b,c) with its multiplicity."""
        r, s, t = self.rows
        for a, bs in r.items():
            for b, left in bs.items():
                for c, middle in s.get(b, {}).items():
                    if a in t.get(c, {}):
                        yield (a, b, c), left * middle * t[c][a]

    def covering(self, triangle: tuple[Hashable, Hashable, Hashable]) -> list[Shape]:
        """The trees of which a built row covers a triangle; at most one."""
        found = []
        for shape in shapes(self.state.decomposition):
            x, y, z = (triangle[i] for i in (shape.first, shape.second, shape.closing))
            if (
                x in self.state.accounts[shape.first]
                and not self.stands(shape.second, 0, y)
                and not (shape.middle and self.stands(shape.first, 1, y))
                and (not shape.end or self.stands(shape.second, 1, z))
            ):
                found.append(shape)
        return found

    def head_map(self) -> Relation[P]:
        """The head map by its definition."""
        schema = self.state.head.schema
        places = [VARIABLES.index(variable) for variable in schema]
        listed: list[tuple[Row, P]] = [
            (tuple(triangle[place] for place in places), m)
            for triangle, m in self.triangles()
            if not any(shape.kept for shape in self.covering(triangle))
        ]
        return relation(schema, self.state.ring, listed)


def read(state: LazyState[P]) -> Reading[P]:
    """The state as maps.  Cost: O(|D|)."""
    rows: list[dict[Hashable, dict[Hashable, P]]] = [{}, {}, {}]
    standing: dict[Place, set[Hashable]] = {place: set() for place in state.places()}
    for i, name in enumerate(RELATIONS):
        for part, contents in state.partitions[name].items():
            for (x, y), m in contents.entries.items():
                rows[i].setdefault(x, {})[y] = m
                for column, letter in enumerate(part):
                    if letter == "H":
                        standing[name, column].add((x, y)[column])
    return Reading(state, tuple(rows), standing)


# --- violations -----------------------------------------------------------------------------------------


def lazy_violations(
    state: LazyState[P], database: Mapping[str, Relation[P]] | None = None
) -> Iterator[Violation]:
    """Every condition above that does not hold; with `database`, also that the state belongs to it.

    Cost: recomputes everything.
    """
    for name in RELATIONS:
        if set(state.partitions[name]) != set(part_names(name in state.decomposition.double)):
            yield Violation(STATE, "parts", f"{name} has the parts {sorted(state.partitions[name])}")
            return
    relations = state.database()
    for name in RELATIONS:
        if database is not None and relations[name].entries != database[name].entries:
            yield Violation(STATE, "database", f"the parts of {name} do not hold the tuples of {name}")
    if not size_invariant(state.base, state.size):
        yield Violation(STATE, "size invariant", f"⌊{state.base}/4⌋ ≤ {state.size} < {state.base} is false")
    theta, reading = threshold(state.base, state.epsilon), read(state)
    for place in state.places():
        yield from _class_violations(reading, place, relations[place[0]], theta)
    for shape in shapes(state.decomposition):
        yield from _row_violations(reading, shape)
        yield from _account_violations(reading, shape)
        yield from _space_violations(state, shape)
    yield from _head_violations(reading)


def _class_violations(
    reading: Reading[P], place: Place, whole: Relation[P], theta: Threshold
) -> Iterator[Violation]:
    """Classes are loose; a value stands in one part, and heavy only if its class is."""
    name, column = place
    state, label = reading.state, DOUBLE if name in reading.state.decomposition.double else SINGLE
    degrees, heavy = whole.degrees(whole.schema[column]), state.heavy[place]
    light_rows = {
        row[column]
        for part, contents in state.partitions[name].items()
        if part[column] == "L"
        for row in contents
    }
    for value in heavy:
        if degrees.get(value, 0) < theta.heavy:
            detail = f"{value!r} is heavy in {place} with degree {degrees.get(value, 0)} < {theta.heavy}"
            yield Violation(label, "heavy part", detail)
    for value, degree in degrees.items():
        if value not in heavy and degree >= theta.light:
            detail = f"{value!r} is light in {place} with degree {degree} ≥ {theta.light}"
            yield Violation(label, "light part", detail)
    for value in reading.standing[place]:
        if value in light_rows:
            yield Violation(label, "domain partition", f"{value!r} of {place} stands in both parts")
        if value not in heavy:
            yield Violation(label, "stands", f"{value!r} of {place} is light and stands heavy")


def _row_violations(reading: Reading[P], shape: Shape) -> Iterator[Violation]:
    """Built rows: of heavy values, with classes moved as they need, equal to their definition."""
    state, label, tree = reading.state, reading.state.decomposition.label, shape.first
    for x in state.accounts[tree]:
        if not reading.is_heavy(tree, 0, x):
            yield Violation(label, "built", f"{x!r} is built in tree {tree} and light")
        for y in reading.rows[tree].get(x, {}):
            columns = [(shape.second, 0), (shape.first, 1)] if shape.middle else [(shape.second, 0)]
            for i, column in columns:
                if reading.is_heavy(i, column, y) and not reading.stands(i, column, y):
                    detail = f"{y!r} is heavy in {RELATIONS[i]} and stands light; row {x!r} needs it"
                    yield Violation(label, "moved", detail)
    if shape.kept:
        yield from _kept_violations(reading, shape)
    else:
        yield from _summed_violations(reading, shape)


def _summed_violations(reading: Reading[P], shape: Shape) -> Iterator[Violation]:
    state, tree, zero = reading.state, shape.first, reading.state.ring.zero
    label, stored = state.decomposition.label, reading.state.summed[shape.first]
    if strangers := set(stored) - set(state.accounts[tree]):
        yield Violation(label, "rows", f"{strangers!r} have sums in tree {tree} and are not built")
    for x in state.accounts[tree]:
        expected: dict[Hashable, P] = {}
        for y, z in reading.pairs(shape, x):
            product = reading.rows[tree][x][y] * reading.rows[shape.second][y][z]
            expected[z] = expected[z] + product if z in expected else product
        actual = stored.get(x, {})
        for z in expected.keys() | actual.keys():
            if expected.get(z, zero) + -actual.get(z, zero):  # a ring need not have ==
                detail = f"V̂({x!r},{z!r}) of tree {tree} is {actual.get(z)!r}, not {expected.get(z)!r}"
                yield Violation(label, "rows", detail)
        if not all(actual.values()):
            yield Violation(label, "rows", f"row {x!r} of tree {tree} stores a zero")


def _kept_violations(reading: Reading[P], shape: Shape) -> Iterator[Violation]:
    state, tree = reading.state, shape.first
    label, closed = state.decomposition.label, set[tuple[Hashable, Hashable]]()
    if strangers := set(state.kept[tree]) - set(state.accounts[tree]):
        yield Violation(label, "rows", f"{strangers!r} are kept in tree {tree} and are not built")
    for x in state.accounts[tree]:
        expected = set(reading.pairs(shape, x))
        if expected != (actual := state.kept[tree].get(x, set())):
            yield Violation(label, "rows", f"row {x!r} of tree {tree} has {actual!r}, not {expected!r}")
        closed |= {(x, z) for _, z in expected if x in reading.rows[shape.closing].get(z, {})}
    if closed != state.roots[tree]:
        yield Violation(label, "root", f"the root of tree {tree} is {state.roots[tree]!r}, not {closed!r}")


def _account_violations(reading: Reading[P], shape: Shape) -> Iterator[Violation]:
    """Prices, gaps and credits."""
    state, label, tree = reading.state, reading.state.decomposition.label, shape.first
    for x, account in state.accounts[tree].items():
        if account.price != (price := reading.price(shape, x)):
            yield Violation(
                label, "price", f"row {x!r} of tree {tree} has price {account.price}, not {price}"
            )
        if not 0 <= account.gap < account.limit:
            detail = f"row {x!r} of tree {tree}: 0 ≤ {account.gap} < {account.limit} is false"
            yield Violation(label, "gap", detail)
    for x, credit in state.credits[tree].items():
        if not reading.is_heavy(tree, 0, x) or x in state.accounts[tree]:
            yield Violation(label, "credit", f"{x!r} has a credit in tree {tree} and is light, or built")
        if not 0 < credit.paid < credit.look:
            detail = f"{x!r} in tree {tree}: 0 < {credit.paid} < {credit.look} is false"
            yield Violation(label, "credit", detail)


def _space_violations(state: LazyState[P], shape: Shape) -> Iterator[Violation]:
    """The join of a tree, and V̂, are within the paper's bounds."""
    tree = next(t for t in state.decomposition.trees if t.parts.index("ALL") == shape.closing)
    rows = state.kept[shape.first] if shape.kept else state.summed[shape.first]
    count = sum(map(len, rows.values()))
    if not tree.views[0].space.allows(count, state.base, state.epsilon):
        bound = tree.views[0].space.describe(state.epsilon)
        detail = f"tree {shape.first} has {count} entries; the bound for N = {state.base} is {bound}"
        yield Violation(tree.views[0].space.label, "space", detail)


def _head_violations(reading: Reading[P]) -> Iterator[Violation]:
    """Triangles are covered once at most, and the head map has those that no kept row covers."""
    state, label = reading.state, reading.state.decomposition.label
    for triangle, _ in reading.triangles():
        if len(covering := reading.covering(triangle)) > 1:
            trees = [shape.first for shape in covering]
            yield Violation(label, "covered", f"{triangle!r} is covered by the trees {trees}")
    expected, actual = reading.head_map(), state.head
    for row in expected.entries.keys() | actual.entries.keys():
        if expected(row) + -actual(row):
            yield Violation(label, "head map", f"{row!r} has {actual(row)!r}, not {expected(row)!r}")
