"""Our own engine behind the conformance kit's protocol, and its state machine.

Beyond the answers, the machine checks what only a `TriangleView` offers: the state is valid after every step
(`check`), counted costs are within the spec's bounds, and enumerations may be concurrent, abandoned, or
invalidated by updates. It starts from a random database and ε; Hypothesis `event`s report the rebalances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import ClassVar

from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, rule

from ivme.conformance.machine import ConformanceMachine, relations
from ivme.conformance.protocol import Capabilities
from ivme.conformance.session import Session
from ivme.events import Rebalance
from ivme.formats.traces import Step, Update
from ivme.view import TriangleView
from ivme_spec.bounds import SMALLEST, query_bounds
from ivme_spec.errors import StaleEnumerationError
from ivme_spec.queries import Partitioning
from ivme_spec.relations import RELATIONS, RelationName, Row

epsilons = st.sampled_from(["0", "1/4", "1/3", "1/2", "2/3", "3/4", "1"])
databases = st.fixed_dictionaries(
    {
        name: st.dictionaries(st.tuples(st.integers(0, 4), st.integers(0, 4)), st.integers(1, 3), max_size=12)
        for name in RELATIONS
    }
)


class ViewEngine:
    """A `TriangleView` behind the kit's protocol."""

    def __init__(
        self,
        free: str,
        epsilon: str = "1/2",
        partitioning: Partitioning = "single",
        database: dict[RelationName, dict[tuple[int, int], int]] | None = None,
    ) -> None:
        self.rebalances: list[Rebalance] = []
        self.view = TriangleView(
            free,
            epsilon,
            partitioning=partitioning,
            database=database,
            on_rebalance=self.rebalances.append,
        )

    def update(self, relation: RelationName, x: object, y: object, multiplicity: int) -> None:
        """Cost: amortized O(N^max(ε,1−ε))."""
        self.view.update(relation, x, y, multiplicity)

    def batch(self, updates: Iterable[Update]) -> None:
        """Cost: amortized O(N^max(ε,1−ε)) each."""
        self.view.apply(updates)

    def rows(self) -> Iterable[tuple[Row, int]]:
        """Delay: the paper's."""
        return self.view

    def lookup(self, row: Row) -> int:
        """Cost: that of the delay."""
        return self.view[row]

    def check(self) -> None:
        """Every invariant, from the spec's predicates."""
        self.view.check()

    def cost(self) -> int:
        """The steps of all updates so far."""
        return self.view.costs.maintenance


class ViewMachine(ConformanceMachine):
    """The machine for our own engine; subclasses set `free` and `partitioning`."""

    partitioning: Partitioning = "single"
    reached: ClassVar[Counter[str]] = Counter()
    """The rebalances of all runs of the machine, by kind and direction."""
    capabilities = Capabilities(refuses=True, values="any")

    def make_session(self) -> Session:
        return Session(
            lambda: ViewEngine(self.free, partitioning=self.partitioning), self.free, self.capabilities
        )

    @property
    def engine(self) -> ViewEngine:
        """The engine under test."""
        assert isinstance(self.session.engine, ViewEngine)
        return self.session.engine

    @initialize(epsilon=epsilons, database=databases)
    def build(self, epsilon: str, database: dict[RelationName, dict[tuple[int, int], int]]) -> None:
        """A view and a reference over the same random database."""
        self.session.engine = ViewEngine(self.free, epsilon, self.partitioning, database)
        self.epsilon = epsilon
        initial: list[Update] = [(r, x, y, m) for r, rows in database.items() for (x, y), m in rows.items()]
        for update in initial:
            self.session.reference.update(*update)
        if initial:
            self.session.steps.append(Step("batch", tuple(initial)))

    # --- observation rules ------------------------------------------------------------------------------

    @rule(count=st.integers(0, 5))
    def abandon(self, count: int) -> None:
        """An enumeration is abandoned."""
        list(islice(iter(self.engine.view), count))

    @rule()
    def enumerate_twice(self) -> None:
        """Two enumerations, interleaved, give the same rows."""
        pairs = list(zip(self.engine.view, self.engine.view, strict=True))
        assert all(first == second for first, second in pairs)

    @rule(relation=relations, count=st.integers(0, 2))
    def update_during_enumeration(self, relation: RelationName, count: int) -> None:
        """An update makes an open enumeration raise, and nothing else."""
        rows = iter(self.engine.view)
        ended = len(list(islice(rows, count))) < count
        self.send([(relation, 0, 0, 1)])
        try:
            found = next(rows, None)
        except StaleEnumerationError:
            assert not ended, "an enumeration that had ended became stale"
        else:
            assert ended, "an enumeration went on after an update"
            assert found is None

    # --- invariants -------------------------------------------------------------------------------------

    @invariant()
    def costs_are_within_bounds(self) -> None:
        """Single updates, rebalancing and delays, against the largest N of the run."""
        view, bounds = self.engine.view, query_bounds(self.free, self.partitioning)
        self.largest = max(getattr(self, "largest", SMALLEST), view.threshold_base)
        costs, epsilon = view.costs, view.epsilon
        for name, steps, bound in (
            ("update", costs.largest_update, bounds.update),
            ("minor", costs.largest_minor, bounds.minor),
            ("major", costs.largest_major, bounds.major),
            ("delay", costs.largest_delay, bounds.delay),
        ):
            assert bound.allows(steps, self.largest, epsilon), (
                name,
                steps,
                self.largest,
                bound.describe(epsilon),
            )

    def teardown(self) -> None:
        for done in self.engine.rebalances:
            name = f"{done.kind} rebalancing, {'up' if done.up else 'down'}"
            event(name)
            self.reached[name] += 1
        super().teardown()


def view_machine(free: str, partitioning: Partitioning = "single") -> type[ViewMachine]:
    """The machine for a head of our own engine."""
    return type(
        f"View_{free or 'count'}_{partitioning}",
        (ViewMachine,),
        {"free": free, "partitioning": partitioning, "reached": Counter()},
    )
