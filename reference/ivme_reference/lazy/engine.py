"""An update under lazy views, and the answers.

Paper: fig:onUpdate, fig:applyUpdate and its sisters. `ivme_reference.lazy` lists the steps of an update.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from fractions import Fraction
from typing import Any, Generic

from ivme_reference.lazy.classes import move_up, rebalance, rise
from ivme_reference.lazy.plan import Mask, bucket, code
from ivme_reference.lazy.relation import Split
from ivme_reference.lazy.rows import (
    add_sum,
    below,
    below_count,
    build,
    drop,
    forget_owner,
    keep,
    middle_fits,
    price_of,
    unkeep,
)
from ivme_reference.lazy.state import Credit, Event, LazyStore, Tree
from ivme_reference.storage import add_to, common
from ivme_spec import lazy
from ivme_spec.errors import ArityError, InputError, RefusedUpdateError, shown
from ivme_spec.partitions import Partition, part_names
from ivme_spec.queries import Partitioning, head
from ivme_spec.relations import (
    RELATIONS,
    SCHEMAS,
    Database,
    Relation,
    Row,
    known_relation,
    pair,
    relation,
)
from ivme_spec.relations import database as read_database
from ivme_spec.rings import NATURALS, P, Ring
from ivme_spec.state import initial_base
from ivme_spec.thresholds import parse_epsilon
from ivme_spec.views import decomposition_for

BUCKETS = [(second, first, bucket(second, first)) for second in (False, True) for first in (False, True)]


class LazyTriangles(Generic[P]):
    """One triangle query, maintained with rows that are bought at `factor` times their price.

    Rows of the result have the variables in the order of the letters of `free`.
    """

    def __init__(
        self,
        free: str,
        epsilon: object = "1/2",
        ring: Ring[Any] = NATURALS,
        partitioning: Partitioning = "single",
        database: Database | None = None,
        factor: Fraction | int = 1,
    ) -> None:
        """The query on a database: classes are strict, no tuple has moved, no row is built.

        Cost: O(N^{3/2}). Bad input: an `InputError` that shows it.
        """
        if factor <= 0:
            raise InputError(f"the price factor {shown(factor)} is not positive")
        self.free = head(free)
        self.ring: Ring[P] = ring
        given = read_database(database, ring)
        self.store: LazyStore[P] = LazyStore(
            decomposition_for(free, partitioning),
            free,
            parse_epsilon(epsilon),
            ring,
            Fraction(factor),
            initial_base(sum(map(len, given.values()))),
        )
        self._load([given[name] for name in RELATIONS])

    def _load(self, given: list[Relation[P]]) -> None:
        store = self.store
        for i, contents in enumerate(given):
            for (x, y), m in contents.entries.items():
                store.relations[i].put(x, y, m)
            store.size += len(contents)
        strict = store.theta.strict
        for relation_ in store.relations:
            for column in range(relation_.partitioned):
                values = relation_.columns if column else relation_.rows
                found = [v for v in values if relation_.degree(column, v) >= strict]
                relation_.heavy[column].update(found)
        for x, y, m in list(store.relations[0].items()):
            rows, columns = store.relations[1].row(y), store.relations[2].column(x)
            every = store.covers[0][0].every
            store.spent["load"] += walk(rows, columns, every)
            for z, product in matches(rows, columns, every):
                add_to(store.head, store.row_of(0, x, y, z), m * product)

    # --- what is observed -----------------------------------------------------------------------------------

    @property
    def steps(self) -> int:
        """All steps of updates so far."""
        return sum(self.store.spent.values()) - self.store.spent["read"] - self.store.spent["load"]

    @property
    def events(self) -> list[Event]:
        """What happened so far."""
        return self.store.events

    def entries(self) -> int:
        """The entries of the head map and of all rows: of kept ones also (x,z) and the root."""
        total = len(self.store.head)
        for tree in self.store.trees:
            total += sum(map(len, tree.sums.values())) + len(tree.root)
            total += sum(1 + len(under) for row in tree.kept.values() for under in row.values())
        return total

    # --- updates --------------------------------------------------------------------------------------------

    def insert(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Update by +multiplicity."""
        self.update(relation, x, y, multiplicity)

    def delete(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Update by −multiplicity."""
        self.update(relation, x, y, -self.ring.nonzero(multiplicity))

    def update(self, relation: str, x: Hashable, y: Hashable, multiplicity: object) -> None:
        """Add to the multiplicity of a tuple.

        Cost: amortized O(N^max(ε,1−ε)) (`ivme_spec.lazy_bounds`). Bad input: an `InputError` that shows it,
        and nothing has changed.
        """
        i, m = RELATIONS.index(known_relation(relation)), self.ring.nonzero(multiplicity)
        pair((x, y))
        store = self.store
        old = store.relations[i].get(x, y)
        new = m if old is None else old + m
        if not self.ring.signed and isinstance(new, int) and new < 0:
            raise RefusedUpdateError(
                f"{relation}{(x, y)!r} has multiplicity {old or 0!r}: it cannot change by {m!r}"
            )
        presence = bool(new) - (old is not None)
        store.step += 1
        store.spent["update"] += 8
        if presence > 0 and store.epsilon == 0:  # AffectedPart, line 4: with ε = 0 everything is heavy
            for column, value in enumerate((x, y)[: store.relations[i].partitioned]):
                if value not in store.relations[i].heavy[column]:
                    rise(store, i, column, value)
        make_ready(store, i, x, y, presence)
        make_room(store, i, x, y, presence)
        due = sum_up(store, i, x, y, m, presence)
        upkeep(store, i, x, y, m, presence)
        store.relations[i].put(x, y, new if new else None)
        store.size += presence
        own = store.trees[i]
        if presence and x in own.accounts:
            store.spent["update"] += 1
            if presence > 0:
                own.owners.setdefault(y, {})[x] = None
            else:
                forget_owner(own, y, x)
        if due:
            consider(store, store.trees[(i + 1) % 3], y)
        rebalance(store, i, x, y)

    # --- answers --------------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[tuple[Row, P]]:
        """The rows of the result: head map and kept rows. Without the kernel's delay."""
        store = self.store
        result = dict(store.head)
        for tree in store.trees:
            for x, z in tree.root:
                for y in tree.kept[x][z]:
                    add_to(result, *self._triangle(tree.shape.first, x, y, z))
        return iter(result.items())

    def _triangle(self, i: int, x: Hashable, y: Hashable, z: Hashable) -> tuple[Row, P]:
        """The row of a triangle, and its multiplicity."""
        product = self.ring.one
        for turn, (one, two) in enumerate(((x, y), (y, z), (z, x))):
            product = product * self._multiplicity((i + turn) % 3, one, two)
            self.store.spent["read"] += 1
        return self.store.row_of(i, x, y, z), product

    def _multiplicity(self, i: int, x: Hashable, y: Hashable) -> P:
        found = self.store.relations[i].get(x, y)
        return self.ring.zero if found is None else found

    def __getitem__(self, row: Row) -> P:
        """The multiplicity of a row.

        Cost: O(1) for no and for three free variables, O(N^min(ε,1−ε)) for two, O(N^{2min(ε,1−ε)}) for one.
        Bad input: an `ArityError`.
        """
        if not isinstance(row, tuple) or len(row) != len(self.free):
            raise ArityError(f"{row!r} is not a row of this query: its variables are {self.free!r}")
        store = self.store
        values = dict(zip(self.free, row, strict=True))
        store.spent["read"] += 1
        if len(row) == 3:
            return self._triangle(0, *(values[variable] for variable in "ABC"))[1]
        total = store.head.get(row, self.ring.zero)
        for tree in store.trees:
            if tree.shape.kept:
                for x, y, z in covered(store, tree, values):
                    total = total + self._triangle(tree.shape.first, x, y, z)[1]
        return total

    def __contains__(self, row: Row) -> bool:
        """Whether a row has a nonzero multiplicity.  Cost and bad input: as a lookup."""
        return bool(self[row])

    # --- as the spec describes it ---------------------------------------------------------------------------

    def database(self) -> dict[str, Relation[P]]:
        """The input relations.  Cost: O(|D|)."""
        return self.state().database()

    def state(self) -> lazy.LazyState[P]:
        """The state.  Cost: O(its size)."""
        store = self.store
        partitions: dict[str, Partition[P]] = {}
        heavy: dict[lazy.Place, set[Hashable]] = {}
        for name, stored in zip(RELATIONS, store.relations, strict=True):
            double = stored.partitioned == 2
            parts: dict[str, dict[Row, P]] = {part: {} for part in part_names(double)}
            for x, y, m in stored.items():
                letters = ("LH"[x in stored.standing[0]], "LH"[y in stored.standing[1]])
                parts["".join(letters if double else letters[:1])][x, y] = m
            partitions[name] = {
                part: relation(SCHEMAS[name], store.ring, rows.items()) for part, rows in parts.items()
            }
            for column in range(stored.partitioned):
                heavy[name, column] = set(stored.heavy[column])
        trees = dict(enumerate(store.trees))
        return lazy.LazyState(
            store.decomposition,
            store.epsilon,
            store.base,
            store.ring,
            partitions,
            heavy,
            {
                i: {x: lazy.Account(a.price, a.limit, a.gap) for x, a in tree.accounts.items()}
                for i, tree in trees.items()
            },
            {
                i: {x: lazy.Credit(c.paid, c.look) for x, c in tree.credits.items()}
                for i, tree in trees.items()
            },
            {i: {x: dict(row) for x, row in tree.sums.items()} for i, tree in trees.items()},
            {
                i: {x: {(y, z) for z, under in row.items() for y in under} for x, row in tree.kept.items()}
                for i, tree in trees.items()
            },
            {i: set(tree.root) for i, tree in trees.items()},
            relation(store.free, store.ring, store.head.items()),
        )


# --- 1. and 2.: before the delta ----------------------------------------------------------------------------


def make_ready(store: LazyStore[P], i: int, x: Hashable, y: Hashable, presence: int) -> None:
    """Move the tuples of heavy values that a built row is about to need, or a row that x is an end of.

    The latter also if it is not built: its price must know the ends that scans are about to pay for.
    """
    own, closed = store.trees[i], store.trees[(i + 1) % 3]
    if presence > 0 and x in own.accounts:
        move_up(store, own.shape.second, 0, y)
        if own.shape.middle:
            move_up(store, i, 1, y)
    if closed.shape.end and y in store.relations[closed.shape.first].heavy[0]:
        move_up(store, closed.shape.second, 1, x)


def make_room(store: LazyStore[P], i: int, x: Hashable, y: Hashable, presence: int) -> None:
    """Drop the rows for which the upkeep of (x,y) would not pay: before its walk, not after."""
    forward, charge = forward_charge(store, i, x, y, presence)
    if charge and not forward.accounts[x].bears(charge):
        drop(store, forward, x)
    backward, owners = backward_owners(store, i, x, y, presence)
    for w in owners:
        if not backward.accounts[w].bears(backward.shape.weight):
            drop(store, backward, w)


def forward_charge(
    store: LazyStore[P], i: int, x: Hashable, y: Hashable, presence: int
) -> tuple[Tree[P], int]:
    """The tree whose first relation is i, and the charge to the row of x: w for each z below y."""
    tree = store.trees[i]
    touched = x in tree.accounts and (presence or not tree.shape.kept) and middle_fits(store, tree.shape, y)
    return tree, tree.shape.weight * below_count(store, tree.shape, y) if touched else 0


def backward_owners(
    store: LazyStore[P], i: int, x: Hashable, y: Hashable, presence: int
) -> tuple[Tree[P], list[Hashable]]:
    """The tree whose second relation is i, and the built rows with x in the middle, to get y at the end."""
    tree = store.trees[(i + 2) % 3]
    ends = not tree.shape.end or y in store.relations[i].standing[1]
    touched = ends and (presence or not tree.shape.kept) and middle_fits(store, tree.shape, x)
    return tree, list(tree.owners.get(x, ())) if touched else []


# --- 3.: the delta ------------------------------------------------------------------------------------------


def walk(rows: Split[P], columns: Split[P], mask: Mask) -> int:
    """The steps of a walk over buckets: of each from its smaller side, or of all at once if that is less."""
    separate, row_seen, column_seen = 0, [0, 0], [0, 0]
    for second, first, bit in BUCKETS:
        if mask & bit:
            row_seen[second], column_seen[first] = len(rows[second]), len(columns[first])
            separate += min(len(rows[second]), len(columns[first]))
    return min(separate, sum(row_seen), sum(column_seen))


def matches(rows: Split[P], columns: Split[P], mask: Mask) -> Iterator[tuple[Hashable, P]]:
    """z ↦ row(z) · column(z) over buckets."""
    for second, first, bit in BUCKETS:
        if mask & bit and rows[second] and columns[first]:
            for z, left, right in common(rows[second], columns[first]):
                yield z, left * right


def sum_up(store: LazyStore[P], i: int, x: Hashable, y: Hashable, m: P, presence: int) -> bool:
    """Add to the head map what (x,y) contributes; whether the credit of y is due.

    What no built row covers is scanned. Where the row of y is built, the rest is a lookup, and the row has
    spared what a scan of it would have taken besides; else the scan pays so much into its credit.
    """
    j, p = (i + 1) % 3, (i + 2) % 3
    relation_, following, previous = store.relations[i], store.relations[j], store.relations[p]
    closed, is_built = store.trees[j], y in store.trees[j].accounts
    rows, columns = following.row(y), previous.column(x)
    known = (
        x in relation_.standing[0],
        y in relation_.standing[1],
        y in following.standing[0],
        x in previous.standing[1],
    )
    covers = store.covers[i][code(*known)]
    x_is_built = x in store.trees[i].accounts
    listed = covers.listed(x_is_built, is_built)
    if_built, if_not = covers.listed(x_is_built, True), covers.listed(x_is_built, False)
    spared = walk(rows, columns, if_not) - walk(rows, columns, if_built)
    store.spent["update"] += (2 if following.partitioned == 2 else 1) + 2 + 2
    store.spent["scan"] += walk(rows, columns, listed)

    bound, total, found, paid = store.bound(i + 2), None, 0, spared
    each = 1 if bound else 2
    built_z = store.trees[p].accounts
    for z, product in matches(rows, columns, listed):
        bit = bucket(z in following.standing[1], z in previous.standing[0])
        if covers.z & bit and z in built_z:
            continue
        found += 1
        paid += each if not if_built & bit else 0
        if bound:
            total = product if total is None else total + product
        else:
            add_to(store.head, store.row_of(i, x, y, z), m * product)
    store.spent["scan"] += each * found

    if is_built:
        if not closed.shape.kept:
            store.spent["lookup"] += 1
            if (sums := closed.sums[y].get(x)) is not None:
                total = sums if total is None else total + sums
        elif presence:
            store.spent["lookup"] += 2
            if x in closed.kept[y]:
                if presence > 0:
                    closed.root[y, x] = None
                else:
                    del closed.root[y, x]
        closed.accounts[y].spare(spared)
    if total is not None:
        store.spent["head"] += 1
        add_to(store.head, store.row_of(i, x, y, None), m * total)
    return not is_built and y in following.heavy[0] and pay(store, closed, y, paid)


def pay(store: LazyStore[P], tree: Tree[P], x: Hashable, paid: int) -> bool:
    """Pay into the credit of a heavy x that is not built; whether it is time to look at the price."""
    if not paid:
        return False
    credit = tree.credits.get(x)
    if credit is None:
        degree = store.relations[tree.shape.first].degree(0, x)
        credit = tree.credits[x] = Credit(store.factor * 2 * degree)
    credit.paid += paid
    return credit.paid >= credit.look


# --- 4.: upkeep ---------------------------------------------------------------------------------------------


def upkeep(store: LazyStore[P], i: int, x: Hashable, y: Hashable, m: P, presence: int) -> None:
    """Propagate a change of (x,y) to the built rows.  Cost: at most the charge, less than their limits."""
    forward, charge = forward_charge(store, i, x, y, presence)
    if charge:
        for z, k in below(store, forward.shape, y).items():
            enter(store, forward, (x, y, z), m * k, presence)
    if x in forward.accounts:
        forward.accounts[x].gap += charge
        forward.accounts[x].price += presence * (2 + charge)
    backward, owners = backward_owners(store, i, x, y, presence)
    for w in owners:
        left = store.relations[backward.shape.first].get(w, x)
        assert left is not None, "an owner has the tuple"
        enter(store, backward, (w, x, y), left * m, presence)
        backward.accounts[w].gap += backward.shape.weight
        backward.accounts[w].price += presence * backward.shape.weight


def enter(
    store: LazyStore[P], tree: Tree[P], entry: tuple[Hashable, Hashable, Hashable], change: P, presence: int
) -> None:
    """Change an entry of a built row; its triangles are in no head map."""
    x, y, z = entry
    if not tree.shape.kept:
        store.spent["upkeep"] += add_sum(tree, x, z, change)
    elif presence > 0:
        store.spent["upkeep"] += keep(store, tree, x, y, z)
    else:
        store.spent["upkeep"] += unkeep(tree, x, y, z)


# --- 6.: buy ------------------------------------------------------------------------------------------------


def consider(store: LazyStore[P], tree: Tree[P], x: Hashable) -> None:
    """Look at the price of a row; build it if its credit has reached it, else say when to look again.

    Cost: the degree of x; and the price, and moves.
    """
    shape, credit = tree.shape, tree.credits[x]
    degree = store.relations[shape.first].degree(0, x)
    price = price_of(store, tree, x)
    store.spent["look"] += degree
    if credit.paid < store.factor * price:
        credit.look = max(store.factor * price, credit.paid + 2 * store.factor * degree)
        return
    for y in store.relations[shape.first].partners(0, x):
        move_up(store, shape.second, 0, y)
        if shape.middle:
            move_up(store, shape.first, 1, y)
    build(store, tree, x)


# --- lookups ------------------------------------------------------------------------------------------------


def covered(
    store: LazyStore[P], tree: Tree[P], values: dict[str, Hashable]
) -> Iterator[tuple[Hashable, Hashable, Hashable]]:
    """The triangles (x,y,z) of a kept tree's built rows with given values of one or two variables.

    The middle is always given, with another value or without: its owners, the built x, take the place of the
    heavy column.  Cost: O(N^min(ε,1−ε)) with two values, O(N^{2min(ε,1−ε)}) with one.
    """
    shape = tree.shape
    first, second, closing = (store.relations[i] for i in (shape.first, shape.second, shape.closing))
    x_variable, y_variable, z_variable = (
        store.variable(i, 0) for i in (shape.first, shape.second, shape.closing)
    )
    y = values[y_variable]
    store.spent["read"] += 1
    if not middle_fits(store, shape, y):
        return
    under = below(store, shape, y)
    if x_variable in values:
        x = values[x_variable]
        if x in tree.accounts and first.get(x, y) is not None:
            light, heavy = closing.column(x)
            store.spent["read"] += min(len(under), len(light) + len(heavy))
            yield from ((x, y, z) for z in under if closing.get(z, x) is not None)
        return
    owners = tree.owners.get(y, {})
    for z in [values[z_variable]] if z_variable in values else under:
        store.spent["read"] += 1
        if second.get(y, z) is not None and z in under:
            store.spent["read"] += min(len(owners), closing.degree(0, z))
            yield from ((x, y, z) for x in owners if closing.get(z, x) is not None)
