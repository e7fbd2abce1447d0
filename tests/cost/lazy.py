"""Lazy, eager and classical engines side by side, and adversaries that know what is built.

An adversary plays on the row of one value, 0, of one tree K_f(x,y)·K_{f+1}(y,z), closed by K_{f+2}(z,x): it
has d partners y. Columns of K_{f+1} of chosen lengths, whose y-values are nobody's partners, make scans of an
update of K_{f+2}(z,0) as expensive as wanted, with no match and without adding to the price. Rows of K_{f+1}
of length L, hung under 0 or not, make upkeep.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from ivme import TriangleView
from ivme.kernel.engine import Engine
from ivme.kernel.plan import Plan
from ivme.kernel.storage.dicts.storage import DictStorage
from ivme_reference.lazy import LazyTriangles
from ivme_reference.lazy.rows import price_of
from ivme_reference.lazy.state import Tree
from ivme_spec.lazy_bounds import FIXED, MORE_THAN_CLASSICAL, against_classical, against_eager
from ivme_spec.queries import Query
from ivme_spec.relations import RELATIONS, VARIABLES
from ivme_spec.rings import INTEGERS

WITHOUT_PARTS = 10
"""The fixed steps of an update of a plan without parts."""


def classical(free: str) -> "Engine[int]":
    """First-order IVM: the kernel's code, with a plan that has neither parts nor trees."""
    plan = Plan(
        partitioned=(0, 0, 0),
        arity=len(free),
        trees=(),
        listed=((((0, 0),), *((),) * 15),) * 3,
        held=(((),) * 16,) * 3,
        upkeep=(((),) * 4,) * 3,
        closed_by=(None,) * 3,
    )
    order = tuple(VARIABLES.index(variable) for variable in free)
    return Engine(plan, order, INTEGERS, Fraction(1), DictStorage())


class Contest:
    """The same updates on all three, counted."""

    def __init__(
        self, query: Query, epsilon: Fraction = Fraction(1, 2), factor: int = 1, eager: bool = True
    ) -> None:
        self.query, self.factor = query, Fraction(factor)
        self.lazy: LazyTriangles[int] = LazyTriangles(
            query.free, epsilon, partitioning=query.partitioning, factor=factor
        )
        self.classical = classical(query.free)
        self.eager = TriangleView(query.free, epsilon, partitioning=query.partitioning) if eager else None
        self.updates = 0
        self.start()

    def update(self, i: int, x: int, y: int, m: int) -> None:
        self.updates += 1
        self.lazy.update(RELATIONS[i], x, y, m)
        self.classical.on_update(i, x, y, m)
        if self.eager is not None:
            self.eager.update(RELATIONS[i], x, y, m)

    # --- counted -------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Measure from here on."""
        self.started = (self.updates, self.lazy.steps, self.classical.steps, self.eager_total)

    @property
    def eager_total(self) -> int:
        if self.eager is None:
            return 0
        meter = self.eager._engine.meter
        return int(meter.updates) + meter.minor + meter.major

    @property
    def count(self) -> int:
        return self.updates - self.started[0]

    @property
    def lazy_steps(self) -> int:
        return self.lazy.steps - self.started[1]

    @property
    def scans(self) -> int:
        """What classical did beside its fixed steps."""
        return self.classical.steps - self.started[2] - WITHOUT_PARTS * self.count

    @property
    def eager_steps(self) -> int:
        return self.eager_total - self.started[3]

    @property
    def over_classical(self) -> float:
        """Lazy steps in classical's scans, both without what is fixed."""
        fixed = FIXED["double" if self.lazy.store.decomposition.double else "single"]
        return (self.lazy_steps - fixed * self.count) / max(1, self.scans)

    @property
    def over_eager(self) -> float:
        return self.lazy_steps / max(1, self.eager_steps)

    def check(self) -> None:
        """Both competitive bounds, from the beginning."""
        steps = self.lazy.steps
        scans = self.classical.steps - WITHOUT_PARTS * self.updates
        assert steps <= against_classical(self.factor) * scans + MORE_THAN_CLASSICAL * self.updates
        if self.eager is not None:
            most = against_eager(self.query.free, self.factor)
            assert steps <= most * (self.eager_total + 8 * self.updates)


# --- adversaries ----------------------------------------------------------------------------------------


class Adversary:
    """Plays on row 0 of the tree with a given first relation; see above. `far` values occur once."""

    def __init__(self, contest: Contest, first: int, partners: int, length: int, rows: int) -> None:
        self.contest, self.first = contest, first
        self.second, self.closing = (first + 1) % 3, (first + 2) % 3
        self.tree: Tree[int] = contest.lazy.store.trees[first]
        self.partners, self.length, self.rows = partners, length, rows
        self.far = 10**6
        for y in range(partners):
            contest.update(first, 0, 10**5 + y, 1)
        self.columns = [1 << n for n in range(partners.bit_length())] + [partners]
        for z, size in enumerate(self.columns):
            for _ in range(size):
                contest.update(self.second, self.next(), z, 1)
        self.ends = [self.next() for _ in range(length)] if self.tree.shape.end else []
        for row in range(rows):
            for n in range(length):
                contest.update(self.second, 10**4 + row, self.ends[n] if self.ends else self.next(), 1)
        self.closed: set[int] = set()
        if self.ends:
            self.move_ends()

    def move_ends(self) -> None:
        """Where only heavy ends count, rows share them; they move when the row of 0 is asked for them."""
        for z in self.ends:
            self.contest.update(self.closing, z, 0, 1)
            self.contest.update(self.closing, z, 0, -1)

    def next(self) -> int:
        self.far += 1
        return self.far

    @property
    def is_built(self) -> bool:
        return 0 in self.tree.accounts

    @property
    def paid(self) -> int:
        return self.tree.credits[0].paid if 0 in self.tree.credits else 0

    @property
    def look(self) -> int:
        if 0 in self.tree.credits:
            return int(self.tree.credits[0].look)
        return int(2 * self.contest.lazy.store.factor) * self.degree

    @property
    def degree(self) -> int:
        return self.contest.lazy.store.relations[self.first].degree(0, 0)

    @property
    def price(self) -> int:
        return int(self.contest.lazy.store.factor) * price_of(self.contest.lazy.store, self.tree, 0)

    def scan(self, most: int) -> None:
        """Toggle a tuple of 0 in the closing relation whose scan pays as much as possible, but no more."""
        z = max(z for z, size in enumerate(self.columns) if size <= max(1, most))
        self.contest.update(self.closing, z, 0, -1 if z in self.closed else 1)
        self.closed ^= {z}

    def open_all(self) -> None:
        for z in sorted(self.closed):
            self.contest.update(self.closing, z, 0, -1)
        self.closed.clear()

    def until_built(self, slowly: bool) -> None:
        """Pay for the row; slowly: just not enough at each look, and too much at the end."""
        start = self.contest.updates
        while not self.is_built:
            assert self.contest.updates < start + 1000, "scans do not buy the row"
            if not slowly or self.paid + 1 >= self.look:
                room = self.price - self.paid - 1
                dodge = slowly and self.look < self.price and self.paid + 1 >= self.look
                self.scan(room if dodge and room > 0 else self.partners)
            else:
                self.scan(min(self.partners, self.look - 1 - self.paid))

    def hang(self, row: int, m: int) -> None:
        """Hang a row under 0, or take it away, or change its multiplicity."""
        self.contest.update(self.first, 0, 10**4 + row, m)

    def grow_until_dropped(self) -> int:
        """Hang rows under 0 until its row is dropped; how many."""
        row = 0
        while self.is_built:
            assert row < self.rows, "a row that grew by its price is still there"
            self.hang(row, 1)
            row += 1
        return row

    def against_classical(self, cycles: int) -> None:
        """Pay exactly the price, let the row grow until it is dropped, and shrink it again."""
        for cycle in range(cycles + 1):
            if cycle == 1:
                self.contest.start()  # all that must move has moved
            self.until_built(slowly=False)
            self.open_all()
            for row in range(self.grow_until_dropped()):
                self.hang(row, -1)

    def against_eager(self, cycles: int, hung: int) -> None:
        """Pay as slowly as possible, then change multiplicities until the row is dropped."""
        for row in range(hung):
            self.hang(row, 1)
        for cycle in range(cycles + 1):
            if cycle == 1:
                self.contest.start()
            self.until_built(slowly=True)
            self.open_all()
            row = 0
            while self.is_built:
                assert row < 1000, "upkeep does not drop the row"
                self.hang(row % hung, 1)
                row += 1


def play_randomly(contest: Contest, rng: Any, length: int, values: int) -> Iterator[None]:
    """Random updates with a hub, mostly inserts, then mostly deletes; one at a time."""
    present: set[tuple[int, int, int]] = set()
    for step in range(length):
        i = rng.randrange(3)
        x, y = (0 if rng.random() < 0.3 else rng.randrange(values) for _ in range(2))
        if present and step % 400 > 250:
            i, x, y = rng.choice(sorted(present))
        place = (i, x, y)
        contest.update(i, x, y, -1 if place in present else 1)
        present ^= {place}
        yield
