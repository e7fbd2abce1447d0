"""A view and the naive reference side by side, compared in every respect after every update.

`Run` takes updates, one at a time or from a generator that inspects the run to choose the next one. After
each update it raises a `Disagreement` unless

    enumeration   has exactly the rows and multiplicities of `Naive`, no row twice, no zero
    lookups       view[row] and `row in view` agree, on all rows of the answer and on some others
    check()       finds no violation of the spec
    events        each minor rebalance was due, and after a major one all partitions are strict
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from fractions import Fraction
from random import Random
from typing import Any

from attrs import evolve

from ivme import Rebalance, TriangleView
from ivme.kernel.enumeration import handle_row, values_of
from ivme_reference import Naive
from ivme_spec.partitions import partition_violations
from ivme_spec.queries import Query
from ivme_spec.relations import RELATIONS, SCHEMAS, RelationName, Row, known_relation, relation
from ivme_spec.rings import INTEGERS, NATURALS, POLYNOMIALS, Polynomial, Ring, modular
from ivme_spec.thresholds import Threshold, threshold
from ivme_spec.views import decomposition_for

Update = tuple[RelationName, Hashable, Hashable, Any]
Database = dict[RelationName, dict[Row, Any]]

EPSILONS = tuple(map(Fraction, ("0", "1/4", "1/3", "1/2", "2/3", "1")))
INNER = tuple(epsilon for epsilon in EPSILONS if 0 < epsilon < 1)
DICTS: Ring[int] = evolve(NATURALS, name="ℕ in dicts")
"""The naturals for tests that inspect the storage: a user-defined ring uses dicts on either kernel."""
RINGS: dict[str, Ring[Any]] = {"N": NATURALS, "Z": INTEGERS, "Z/6": modular(6), "Z[X]": POLYNOMIALS}

OTHER_ORDERS = tuple(map(Query, ("BA", "CA", "CB", "CBA", "BCA")))
ONE_OF_EACH = (Query(""), Query("", "double"), Query("A"), Query("AC"), Query("ABC"))
"""A query for each of the five plans, one of them rotated."""


class Disagreement(AssertionError):
    """The view is wrong: the difference, and the update after which it appeared."""


class Run:
    """A view, the naive reference, and the tuples; `rng` draws multiplicities and absent rows."""

    def __init__(
        self,
        query: Query,
        epsilon: Fraction,
        ring: Ring[Any],
        rng: Random,
        database: Database | None = None,
    ) -> None:
        self.free = query.free
        self.ring, self.rng, self.steps = ring, rng, 0
        self.events: list[Rebalance] = []
        self.new_events: list[Rebalance] = []
        self.tuples: Database = {name: dict((database or {}).get(name, {})) for name in RELATIONS}
        self.view: TriangleView[Any] = TriangleView(
            self.free,
            epsilon,
            partitioning=query.partitioning,
            database=self.tuples,
            ring=ring,
            on_rebalance=self.new_events.append,
        )
        self.naive: Naive[Any] = Naive(self.free, ring, self.tuples)
        self.decomposition = decomposition_for(self.free, query.partitioning)
        self.last: Update | None = None
        self.seen: Counter[str] = Counter()
        self.compare()

    # --- what generators look at --------------------------------------------------------------------------

    @property
    def theta(self) -> Threshold:
        """The thresholds for the view's current N."""
        return threshold(self.view.threshold_base, self.view.epsilon)

    @property
    def size(self) -> int:
        return sum(map(len, self.tuples.values()))

    def degree(self, name: RelationName, column: int, value: Hashable) -> int:
        return len(self.rows_of(name, column, value))

    def rows_of(self, name: RelationName, column: int, value: Hashable) -> list[Row]:
        """The tuples with a value in a column; compared as dicts do, so that NaN equals itself."""
        return [row for row in self.tuples[name] if value in (row[column],)]

    def partitioned(self, name: str) -> tuple[int, ...]:
        """The columns by which a relation is partitioned."""
        return (0, 1) if name in self.decomposition.double else (0,)

    def element(self, name: RelationName, x: Hashable, y: Hashable) -> Any:
        """A multiplicity to insert: small, of either sign where the ring has signs; a variable in ℤ[X]."""
        if self.ring is POLYNOMIALS and self.rng.random() < 0.8:
            return Polynomial.variable(f"{name}{x}{y}")
        return self.ring.lift(self.rng.choice((1, 1, 2, 3, -1, -2) if self.ring.signed else (1, 1, 2)))

    def insert(self, name: RelationName, x: Hashable, y: Hashable) -> Update:
        """An update that makes a tuple present or adds to it; never one that makes it vanish."""
        m = self.element(name, x, y)
        old = self.tuples[name].get((x, y))
        while old is not None and not old + m:
            m = self.element(name, x, y)
        return name, x, y, m

    def delete(self, name: RelationName, x: Hashable, y: Hashable) -> Update:
        """The update that makes a tuple vanish."""
        return name, x, y, -self.tuples[name][x, y]

    # --- updates and comparison ---------------------------------------------------------------------------

    def play(self, updates: Iterable[Update]) -> None:
        """Apply updates, comparing after each."""
        for update in updates:
            self.update(*update)

    def update(self, name: RelationName, x: Hashable, y: Hashable, m: Any) -> None:
        """Apply an update to both sides and compare."""
        self.apply(name, x, y, m)
        self.naive.update(name, x, y, m)
        self.compare()

    def apply(self, name: RelationName, x: Hashable, y: Hashable, m: Any) -> None:
        """Apply an update to the view only, for tests with their own comparison."""
        self.last = (name, x, y, m)
        self.steps += 1
        old = self.tuples[name].get((x, y))
        new = m if old is None else old + m
        if new:
            self.tuples[name][x, y] = new
        else:
            self.tuples[name].pop((x, y), None)
        self.view.update(name, x, y, m)

    def compare(self) -> None:
        """Raise a `Disagreement` if the view is wrong in any respect."""
        expected, listed = dict(self.naive), list(self.view)
        self._require(len(listed) == len({row for row, _ in listed}), f"rows come twice: {listed}")
        self._require(dict(listed) == expected, f"enumerated {dict(listed)}; by definition {expected}")
        self._require(all(m for _, m in listed), f"a row with multiplicity zero: {listed}")
        for row in [*expected, *self._rows_to_try()]:
            wanted = expected.get(row, self.ring.zero)
            self._require(self.view[row] == wanted, f"lookup of {row} is {self.view[row]}, not {wanted}")
            self._require((row in self.view) == (row in expected), f"`{row} in view` is wrong")
        self._require(self.view.size == self.size, f"size is {self.view.size}, not {self.size}")
        if found := self.view.violations():
            self._require(False, "; ".join(map(str, found[:3])))
        self._compare_events()
        self._observe_trees()

    def _rows_to_try(self) -> Iterator[Row]:
        values: list[Hashable] = [value for rows in self.tuples.values() for row in rows for value in row]
        for _ in range(3 if self.free and values else 0):
            yield tuple(self.rng.choice(values) for _ in self.free)

    def _require(self, condition: bool, message: str) -> None:
        if not condition:
            raise Disagreement(f"{self.view!r} after step {self.steps} {self.last}: {message}")

    def _compare_events(self) -> None:
        new, self.new_events[:] = list(self.new_events), ()
        for event in new:
            if event.kind == "major":
                self._require_strict()
                continue
            name = known_relation(event.relation)
            degree = self.degree(name, SCHEMAS[name].index(event.variable), event.value)
            due = degree >= self.theta.light if event.heavy else degree < self.theta.heavy
            self._require(due and degree == event.moved, f"{event} with degree {degree}")
        self.events += new

    def _require_strict(self) -> None:
        parts: Any = self.view.state()["parts"]
        for name in RELATIONS:
            schema = SCHEMAS[name]
            whole = relation(schema, self.ring, self.tuples[name].items())
            split = {part: relation(schema, self.ring, rows.items()) for part, rows in parts[name].items()}
            for violation in partition_violations(name, whole, split, self.theta, strict=True):
                self._require(False, f"after a major rebalance: {violation}")

    def _observe_trees(self) -> None:
        """Count in `seen` what the trees held, so that tests can assert that they were not empty."""
        engine = self.view._engine
        for index, summed in engine.summed.items():
            self.seen[f"summed {index}"] += bool(len(summed))
        for index, kept in engine.kept.items():
            self.seen[f"kept {index}"] += bool(kept.root_pairs())
            first = engine.plan.trees[index].first
            buckets: Counter[tuple[Hashable, ...]] = Counter()
            for bucket in range(kept.bucket_count()):
                rows = set()
                for position in range(kept.pair_count(bucket)):
                    x, z = kept.pair_at(bucket, position)
                    for below in range(kept.value_count(x, z)):
                        row = handle_row(engine, first, x, kept.value_at(x, z, below), z)
                        rows.add(values_of(engine, row))
                buckets.update(rows)
            self.seen[f"overlap {index}"] += any(count > 1 for count in buckets.values())

    # --- what happened ------------------------------------------------------------------------------------

    def count(self, condition: Callable[[Rebalance], bool]) -> int:
        """How many events so far satisfy a condition."""
        return sum(map(condition, self.events))

    def majors(self, grown: bool) -> int:
        return self.count(lambda event: event.kind == "major" and event.grown == grown)

    def minors(self, name: str, column: int, heavy: bool) -> int:
        variable = SCHEMAS[name][column]
        return self.count(
            lambda e: e.kind == "minor" and (e.relation, e.variable, e.heavy) == (name, variable, heavy)
        )
