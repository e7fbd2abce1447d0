"""`TriangleView`: a triangle query kept up to date under inserts and deletes.

Paper: theo:main_result_triangle. The engine does the work; this module is what a user meets: names, bad
input, counters, checks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Generic, cast, overload

from attrs import evolve

from ivme.engine import Engine
from ivme.enumeration import enumerate_rows, lookup
from ivme.events import Costs, Rebalance
from ivme.inspection import plain_state, state_violations
from ivme.plan import compile_plan
from ivme_spec.errors import ArityError, InputError, InvariantError, StaleEnumerationError
from ivme_spec.partitions import Violation
from ivme_spec.queries import canonical, head
from ivme_spec.relations import RELATIONS, VARIABLES, Row, data_value, database, known_relation
from ivme_spec.rings import NATURALS, P, Ring
from ivme_spec.thresholds import parse_epsilon
from ivme_spec.views import decomposition_for

PARTITIONINGS = ("single", "double")


class TriangleView(Generic[P]):
    """△(free) = Σ R(a,b) · S(b,c) · T(c,a), maintained under single-tuple updates.

    free          letters of A, B and C in the order wanted in result rows; "" counts
    epsilon       ε ∈ [0,1], exact: "1/2", Fraction, int, Decimal, or a float as it prints
    partitioning  "double" saves space in the count query; elsewhere it is what the query needs
    database      {"R": {(a, b): multiplicity}, "S": [(b, c), …], …} to start from
    ring          ivme.rings.NATURALS (default), INTEGERS, modular(m), POLYNOMIALS, or a Ring of your own
    on_rebalance  called with a `Rebalance` after each rebalancing step, when the state is consistent again
    debug         True: `check()` after every update; n: after every n-th; default: the variable IVME_DEBUG

    With N = Θ(|D|): update O(N^max(ε,1−ε)) amortized; delay and lookup O(1) for "" and "ABC",
    O(N^min(ε,1−ε)) for two letters, O(N^{2·min(ε,1−ε)}) for one; space O(N^{1+min(ε,1−ε)}), and O(N^{3/2})
    for "ABC".

    Cost of making one: O(|D|^{3/2}).  Bad input: an `InputError` that shows it.

    >>> view = TriangleView("A", database={"R": [(1, 2)], "S": [(2, 3)], "T": [(3, 1)]})
    >>> dict(view)
    {(1,): 1}
    """

    @overload
    def __init__(
        self: TriangleView[int],
        free: str,
        epsilon: object = ...,
        *,
        partitioning: str = ...,
        database: Mapping[str, object] | None = ...,
        on_rebalance: Callable[[Rebalance], object] | None = ...,
        debug: bool | int | None = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        free: str,
        epsilon: object = ...,
        *,
        partitioning: str = ...,
        database: Mapping[str, object] | None = ...,
        ring: Ring[P],
        on_rebalance: Callable[[Rebalance], object] | None = ...,
        debug: bool | int | None = ...,
    ) -> None: ...
    def __init__(
        self,
        free: str,
        epsilon: object = Fraction(1, 2),
        *,
        partitioning: str = "single",
        database: Mapping[str, object] | None = None,
        ring: Ring[P] | None = None,
        on_rebalance: Callable[[Rebalance], object] | None = None,
        debug: bool | int | None = None,
    ) -> None:
        self._free = head(free)
        self._epsilon = parse_epsilon(epsilon)
        if ring is None:
            ring = cast("Ring[P]", NATURALS)
        if not isinstance(ring, Ring):
            raise InputError(
                f"ring {ring!r} is not a Ring; use one of ivme.rings or make your own with ivme.Ring"
            )
        if partitioning not in PARTITIONINGS or (partitioning == "double" and self._free):
            raise InputError(
                f"partitioning {partitioning!r} with free variables {self._free!r}: "
                'it is "single", or "double" for the count query ""; other queries are partitioned as needed'
            )
        if on_rebalance is not None and not callable(on_rebalance):
            raise InputError(f"on_rebalance {on_rebalance!r} cannot be called")
        self._debug = _debug_interval(debug)
        base, turns = canonical(self._free)
        self._turns = turns
        self._decomposition = decomposition_for(self._free, partitioning)
        order = tuple((VARIABLES.index(variable) - turns) % 3 for variable in self._free)
        plan = compile_plan(decomposition_for(base, partitioning))
        self._engine: Engine[P] = Engine(plan, order, ring, self._epsilon, turns)
        self._on_rebalance = on_rebalance
        self._costs = Costs()
        self._load(database)

    def _load(self, given: Mapping[str, object] | None) -> None:
        engine = self._engine
        relations = database(given, engine.ring)
        if size := sum(map(len, relations.values())):
            engine.load(tuple(relations[engine.name(i)].entries.items() for i in range(3)), size)
            self._costs.preprocessing = engine.steps
            engine.version = 0
            if self._debug:
                self.check()

    # --- what it is -------------------------------------------------------------------------------------

    @property
    def free(self) -> str:
        """The free variables, in the order of result rows.  Cost: O(1)."""
        return self._free

    @property
    def epsilon(self) -> Fraction:
        """ε, exactly.  Cost: O(1)."""
        return self._epsilon

    @property
    def ring(self) -> Ring[P]:
        """The ring of the multiplicities.  Cost: O(1)."""
        return self._engine.ring

    @property
    def size(self) -> int:
        """|D|, the number of distinct tuples in R, S and T.  Cost: O(1)."""
        return self._engine.size

    @property
    def threshold_base(self) -> int:
        """N: ⌊N/4⌋ ≤ |D| < N (def:ivme_state).  Cost: O(1)."""
        return self._engine.base

    def __repr__(self) -> str:
        return (
            f"<TriangleView {self._free!r} epsilon={self._epsilon} size={self.size} N={self.threshold_base}>"
        )

    # --- updates ----------------------------------------------------------------------------------------

    def insert(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Add copies of a tuple.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input: an `InputError`, and nothing has changed.
        """
        self._update(relation, x, y, self._engine.ring.nonzero(multiplicity))

    def delete(self, relation: str, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Take copies of a tuple away; in the naturals, no more than there are.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input: an `InputError`, and nothing has changed.
        """
        self._update(relation, x, y, -self._engine.ring.nonzero(multiplicity))

    def update(self, relation: str, x: Hashable, y: Hashable, multiplicity: object) -> None:
        """Add a signed multiplicity to a tuple: an insert if positive, a delete if negative.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input: an `InputError`, and nothing has changed.
        """
        self._update(relation, x, y, self._engine.ring.nonzero(multiplicity))

    def apply(self, updates: Iterable[tuple[str, Hashable, Hashable, object]]) -> int:
        """Many updates (relation, x, y, multiplicity), in order; how many.

        A refused one raises its error, with its position (from 0) in the message and in `error.position`;
        those before it stay applied.  Cost: amortized O(N^max(ε,1−ε)) each.
        """
        if not isinstance(updates, Iterable):
            raise ArityError(f"{updates!r} is not an iterable of updates (relation, x, y, multiplicity)")
        done = 0
        for entry in updates:
            try:
                if not isinstance(entry, tuple | list) or len(entry) != 4:
                    raise ArityError(f"{entry!r} is not (relation, x, y, multiplicity)")
                self.update(*entry)
            except InputError as error:
                raise error.at("update", done) from error
            done += 1
        return done

    def _update(self, relation: str, x: Hashable, y: Hashable, multiplicity: P) -> None:
        engine, costs = self._engine, self._costs
        i = (RELATIONS.index(known_relation(relation)) - self._turns) % 3
        data_value(x), data_value(y)
        before = engine.steps
        engine.on_update(i, x, y, multiplicity)
        middle = engine.steps
        costs.count_update(middle - before)
        done = engine.rebalance(i, x, y)
        if done:
            costs.count_rebalance(done, engine.steps - middle)
        if self._debug and engine.version % self._debug == 0:
            self._check((relation, x, y, multiplicity))
        if done and self._on_rebalance is not None:
            for event in done:
                self._on_rebalance(event)

    # --- results ----------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[tuple[Row, P]]:
        """The distinct rows of the result with their multiplicities.

        Delay: as stated for the class. An update while the enumeration is open makes it raise a
        `StaleEnumerationError` at its next step. Any number may be open at once.
        """
        return self._enumerate(self._engine.version)

    def _enumerate(self, version: int) -> Iterator[tuple[Row, P]]:
        engine, costs = self._engine, self._costs
        rows = enumerate_rows(engine)
        while True:
            if engine.version != version:
                raise StaleEnumerationError("the view was updated during the enumeration; start it anew")
            before = engine.steps
            entry = next(rows, None)
            costs.count_delay(engine.steps - before + 1)
            if entry is None:
                return
            yield entry

    def __getitem__(self, row: Row) -> P:
        """The multiplicity of a row, zero if it is not in the result.

        A row is a tuple with a value for each free variable: view[1, 2], view[1,] or view[()].
        Cost: as the delay.  Bad input: an `InputError`.
        """
        if not isinstance(row, tuple) or len(row) != len(self._free):
            raise ArityError(
                f"row {row!r} does not fit the free variables {self._free!r}: "
                f"give a tuple of {len(self._free)} values"
            )
        for value in row:
            data_value(value)
        before = self._engine.steps
        multiplicity = lookup(self._engine, row)
        self._costs.count_delay(self._engine.steps - before)
        return multiplicity

    def __contains__(self, row: Row) -> bool:
        """Whether a row is in the result.  Cost and bad input: as for a lookup."""
        return bool(self[row])

    # --- looking inside ---------------------------------------------------------------------------------

    @property
    def costs(self) -> Costs:
        """The steps counted so far.  Cost: O(1)."""
        return evolve(self._costs)

    def state(self) -> dict[str, object]:
        """A plain copy of the state, for tools: N, the parts of R, S and T, and the views of the paper.

        {"N": …, "parts": {"R": {"H": {(x, y): m}, "L": …}, …}, "views": {name: {row: m}}}; double-partitioned
        relations have the parts HH, HL, LH and LL.  Cost: O(size of the state).
        """
        return plain_state(self._engine, self._decomposition)

    def violations(self) -> list[Violation]:
        """Every violated condition of the paper, from the spec's predicates.  Cost: recomputes everything."""
        return list(state_violations(self._engine, self._decomposition))

    def check(self) -> None:
        """Raise an `InvariantError` that names what is violated, if anything.  Cost: recomputes all."""
        self._check(None)

    def _check(self, update: tuple[str, Hashable, Hashable, P] | None) -> None:
        """`check`, which also says after which update."""
        if found := self.violations():
            after = f"after update {self._engine.version}, {update!r}: " if update else ""
            more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
            error = InvariantError(after + "; ".join(map(str, found[:5])) + more)
            error.violations = tuple(found)
            error.update = update
            error.position = self._engine.version if update else None
            error.state = self.state()
            raise error


def _debug_interval(debug: object) -> int:
    """How many updates lie between two checks; 0 for none."""
    if debug is None:
        debug = os.environ.get("IVME_DEBUG", "0") or "0"
        if not debug.isdecimal():
            raise InputError(
                f"IVME_DEBUG={debug!r}: give 1 to check after every update, n for every n-th, 0 for none"
            )
        return int(debug)
    if isinstance(debug, bool):
        return int(debug)
    if not isinstance(debug, int) or debug < 0:
        raise InputError(f"debug {debug!r}: give True, False, or a number n to check after every n-th update")
    return debug
