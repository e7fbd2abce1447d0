"""`TriangleView`: a triangle query kept up to date under inserts and deletes.

Paper: theo:main_result_triangle. The engine does the work; this module is what a user meets: names, bad
input, counters, checks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeAlias, cast, overload

from attrs import fields

from ivme._kernel import kernel
from ivme.debugging import debug_interval
from ivme.events import Change, Costs, Rebalance
from ivme.formats.snapshots import (
    Contents,
    Header,
    SnapshotError,
    read_snapshot,
    read_snapshot_bytes,
    snapshot_bytes,
    write_snapshot,
)
from ivme.kernel.batches import FEWEST, netted
from ivme.kernel.batches import run as run_batch
from ivme.kernel.engine import Engine
from ivme.kernel.enumeration import counted_lookup, counted_rows
from ivme.kernel.guard import BROKEN, READY, refuse
from ivme.kernel.inspection import plain_state, state_violations
from ivme.kernel.intake import Intake
from ivme.kernel.loading import load
from ivme.kernel.operations import reading, retire, salvaged
from ivme.kernel.plan import compile_plan
from ivme.kernel.storage.dicts.storage import DictStorage
from ivme.kernel.storage.interface import Storage
from ivme.tables.answers import arrow_table, columns_of, numpy_columns, pandas_frame, polars_frame
from ivme.tables.updates import database_in, updates_in
from ivme_spec.errors import ArityError, InputError, InvariantError, StaleEnumerationError, shown
from ivme_spec.partitions import Violation
from ivme_spec.queries import Partitioning, Query, canonical
from ivme_spec.relations import (
    RELATIONS,
    SCHEMAS,
    VARIABLES,
    Database,
    RelationName,
    Row,
    data_value,
    known_relation,
)
from ivme_spec.relations import database as contents
from ivme_spec.rings import INTEGERS, NATURALS, P, Ring
from ivme_spec.thresholds import parse_epsilon
from ivme_spec.views import decomposition_for

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

    from ivme.tables.answers import Array
    from ivme.tables.readers import ArrowArray, ArrowStream, Interchange

Update = tuple[RelationName, Hashable, Hashable] | tuple[RelationName, Hashable, Hashable, object]
Updates: TypeAlias = "Iterable[Update] | ArrowStream | ArrowArray | Interchange | Array"

COUNTED = [field.name for field in fields(Costs)]


class TriangleView(Generic[P]):
    """△(free) = Σ R(a,b) · S(b,c) · T(c,a), maintained under single-tuple updates.

    free          letters of A, B and C in the order wanted in result rows; "" counts
    epsilon       ε ∈ [0,1], exact: "1/2", Fraction, int, Decimal, or a float as it prints
    partitioning  "double" saves space in the count query; elsewhere it is what the query needs
    database      {"R": {(a, b): multiplicity}, "S": [(b, c), …], "T": table, …} to start from
    ring          ivme.rings.NATURALS (default), INTEGERS, modular(m), POLYNOMIALS, or a Ring of your own
    on_change     called after an update with a `Change` for each row of the answer that it changed; costs a
                  `delta` for each update
    on_rebalance  called with a `Rebalance` after each rebalancing step, when the state is consistent again
    debug         True: `check()` after every update; n: after every n-th; default: the variable IVME_DEBUG

    With N = Θ(|D|): update O(N^max(ε,1−ε)) amortized; delay and lookup O(1) for "" and "ABC",
    O(N^min(ε,1−ε)) for two letters, O(N^{2·min(ε,1−ε)}) for one; space O(N^{1+min(ε,1−ε)}), and O(N^{3/2})
    for "ABC".

    A view belongs to one thread at a time, and no operation may run inside another: a second one is refused
    with a `BusyError`, so share a view under a lock. An exception in the middle of an update (a data value's
    own __eq__ or __hash__, a ring's arithmetic, Ctrl-C) leaves the view as it was, or broken: then it refuses
    every use with a `BrokenError` until `rebuild()`. Callbacks run between two operations and may use the
    view; what they raise passes to the caller, and the update stays applied.

    Two views are equal if they have the same query, ring and input; like other containers that change, a view
    is not hashable.

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
        partitioning: Partitioning = ...,
        database: Database | None = ...,
        on_change: Callable[[Change[int]], object] | None = ...,
        on_rebalance: Callable[[Rebalance], object] | None = ...,
        debug: bool | int | None = ...,
    ) -> None: ...
    @overload
    def __init__(
        self,
        free: str,
        epsilon: object = ...,
        *,
        partitioning: Partitioning = ...,
        database: Database | None = ...,
        ring: Ring[P],
        on_change: Callable[[Change[P]], object] | None = ...,
        on_rebalance: Callable[[Rebalance], object] | None = ...,
        debug: bool | int | None = ...,
    ) -> None: ...
    def __init__(
        self,
        free: str,
        epsilon: object = Fraction(1, 2),
        *,
        partitioning: Partitioning = "single",
        database: Database | None = None,
        ring: Ring[P] | None = None,
        on_change: Callable[[Change[Any]], object] | None = None,
        on_rebalance: Callable[[Rebalance], object] | None = None,
        debug: bool | int | None = None,
    ) -> None:
        self._query = Query(free, partitioning)
        self._epsilon = parse_epsilon(epsilon)
        if ring is None:
            ring = cast("Ring[P]", NATURALS)
        if not isinstance(ring, Ring):
            raise InputError(
                f"ring {shown(ring)} is not a Ring; use one of ivme.rings or make your own with ivme.Ring"
            )
        for name, callback in (("on_change", on_change), ("on_rebalance", on_rebalance)):
            if callback is not None and not callable(callback):
                raise InputError(f"{name} {shown(callback)} cannot be called")
        self._debug = debug_interval(debug)
        self._decomposition = decomposition_for(self._query.free, self._query.partitioning)
        self._use(self._empty_engine(ring))
        if given := cast("Mapping[str, object] | None", database_in(database, ring)):
            self._load(given, ring)
        self._engine.meter.preprocessing = self._engine.steps if self.size else 0
        self._on_change: Callable[[Change[P]], object] | None = on_change
        self._on_rebalance = on_rebalance
        self._observed = bool(self._debug) or on_change is not None or on_rebalance is not None
        if self._debug and self.size:
            self.check()

    def _load(self, given: Mapping[str, object], ring: Ring[P]) -> None:
        """Fill the engine, which is empty.  Bad input: an `InputError`."""
        try:
            if self._intake.load(given):
                return
        except TypeError:
            contents(given, ring)  # says which value cannot be one, if that is why
            raise
        relations = contents(given, ring)
        load(self._engine, (relations[self._engine.name(i)].entries.items() for i in range(3)))

    def _empty_engine(self, ring: Ring[P]) -> Engine[P]:
        base, turns = canonical(self.free)
        order = tuple((VARIABLES.index(variable) - turns) % 3 for variable in self.free)
        plan = compile_plan(decomposition_for(base, self.partitioning))
        return Engine(plan, order, ring, self._epsilon, storage_for(ring), turns)

    def _use(self, engine: Engine[P]) -> None:
        self._engine = engine
        self._intake = Intake(engine)

    # --- what it is -------------------------------------------------------------------------------------

    @property
    def free(self) -> str:
        """The free variables, in the order of result rows.  Cost: O(1)."""
        return self._query.free

    @property
    def epsilon(self) -> Fraction:
        """ε, exactly.  Cost: O(1)."""
        return self._epsilon

    @property
    def partitioning(self) -> Partitioning:
        """ "single" or "double", as given.  Cost: O(1)."""
        return self._query.partitioning

    @property
    def ring(self) -> Ring[P]:
        """The ring of the multiplicities.  Cost: O(1)."""
        return self._engine.ring

    @property
    def size(self) -> int:
        """|D|, the number of distinct tuples in R, S and T.  Cost: O(1)."""
        return self._whole().size

    @property
    def threshold_base(self) -> int:
        """N: ⌊N/4⌋ ≤ |D| < N (def:ivme_state).  Cost: O(1)."""
        return self._whole().base

    def _whole(self) -> Engine[P]:
        """The engine, unless it is in the middle of something, or broken."""
        if self._engine.guard != READY:
            refuse(self._engine.guard)
        return self._engine

    def __repr__(self) -> str:
        engine = self._engine
        sizes = f"size={engine.size} N={engine.base}"
        if engine.guard != READY:
            sizes = "broken, rebuild() it" if engine.guard == BROKEN else "in the middle of an operation"
        return f"<TriangleView {self.free!r} epsilon={self._epsilon} {sizes}>"

    # --- updates ----------------------------------------------------------------------------------------

    def insert(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Add copies of a tuple.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input, a negative number too: an `InputError`, and nothing has
        changed.
        """
        if self._observed:
            self._report(relation, x, y, self._intake.copies(multiplicity))
        else:
            self._intake.insert(relation, x, y, multiplicity)

    def delete(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: object = 1) -> None:
        """Take copies of a tuple away; in the naturals, no more than there are.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input, a negative number too: an `InputError`, and nothing has
        changed.
        """
        if self._observed:
            self._report(relation, x, y, -self._intake.copies(multiplicity))
        else:
            self._intake.delete(relation, x, y, multiplicity)

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: object) -> None:
        """Add a signed multiplicity to a tuple: an insert if positive, a delete if negative.

        Cost: amortized O(N^max(ε,1−ε)).  Bad input: an `InputError`, and nothing has changed.
        """
        if self._observed:
            self._update_and_report(relation, x, y, multiplicity)
        else:
            self._intake.update(relation, x, y, multiplicity)

    def apply(self, updates: Updates) -> int:
        """Many updates (relation, x, y, multiplicity), in order; how many. (relation, x, y) inserts one copy.

        They may also be a table of the columns relation, x, y and, unless all are 1, multiplicity: of
        PyArrow, polars, DuckDB or pandas, whatever speaks Arrow's or the interchange protocol, or a NumPy
        array with named fields; or a NumPy array of objects with a row for each update.

        A refused one raises its error, with its position (from 0) in the message and in `error.position`;
        those before it stay applied.  Cost: amortized O(N^max(ε,1−ε)) each.
        """
        with updates_in(updates) as found:
            return self._intake.apply(found, self._update_and_report if self._observed else None)

    def apply_batch(self, updates: Updates) -> int:
        """Many updates as one, all or none of them; how many were given.  Input: as for `apply`.

        They are netted first, to a multiplicity for each tuple: the order inside a batch does not matter, a
        delete may come before its insert, and what cancels out costs no more than that. n ≥ 1,000 changes of
        tuples with 2·n ≥ |D| build a new state, as `rebuild` does; others are applied tuple by tuple.

        Each change of a tuple counts as an update. Callbacks are called at the end: `on_change` once for each
        row of the answer that the batch as a whole has changed, and no new state is built then;
        `on_rebalance` for what was rebalanced, nothing for a new state. Debug mode checks once.

        Cost: O(1) for each update given; then amortized O(N^max(ε,1−ε)) for each change, or O(|D|^{3/2}) for
        a new state, and the old one is in memory until it is there.  Bad input: an `InputError` with the
        position (from 0) of the first update that is no update or else, in a ring without signs, of the first
        delete from a tuple whose net falls below zero; nothing has changed. An exception in the middle leaves
        the view as it was, or broken: `rebuild()` then restores it as it was before the batch.

        >>> view = TriangleView("", database={"R": [(1, 2)], "S": [(2, 3)], "T": [(3, 1)]})
        >>> view.apply_batch([("R", 1, 5, -1), ("S", 2, 3, 4), ("R", 1, 5)])
        3
        >>> view[()], view.costs.update_count
        (5, 1)
        """
        self._whole()
        with updates_in(updates) as found:  # which may use the view
            batch = netted(self._intake, found)
        engine, watched = self._engine, self._on_change is not None
        before = engine.version
        outcome = run_batch(engine, batch, lambda: storage_for(engine.ring), watched, FEWEST)
        if self._debug and engine.version // self._debug > before // self._debug:
            self._check(None, f"after update {engine.version}, the last of a batch: ")
        if self._on_change is not None:
            version = engine.version
            for row, old, new in outcome.changes:
                self._on_change(Change(version, row, old, new))
        if self._on_rebalance is not None:
            for event in outcome.events:
                self._on_rebalance(event)
        return batch.given

    def delta(
        self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: object
    ) -> list[Change[P]]:
        """What an update would change in the answer; nothing is applied.

        Cost: as classical IVM evaluates a delta query, O(min(|row of y|, |column of x|)) in the partner
        relations, and a lookup for each row that changes: up to O(N), not within the bounds of an update.
        Bad input, what `update` would refuse too: an `InputError`.
        """
        return self._delta(relation, x, y, self._intake.element(multiplicity))

    def _delta(self, relation: RelationName, x: Hashable, y: Hashable, element: P) -> list[Change[P]]:
        number = self._whole().version + 1
        found = self._intake.delta(relation, x, y, element)
        return [Change(number, row, old, new) for row, old, new in found]

    def _update_and_report(
        self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: object
    ) -> None:
        """`update` in debug mode, and for callbacks."""
        self._report(relation, x, y, self._intake.element(multiplicity))

    def _report(self, relation: RelationName, x: Hashable, y: Hashable, element: P) -> None:
        """As `_update_and_report`, by a ring element."""
        changes = [] if self._on_change is None else self._delta(relation, x, y, element)
        events = self._intake.change(relation, x, y, element)
        if self._debug and self._engine.version % self._debug == 0:
            self._check((relation, x, y, element))
        if self._on_change is not None:
            for change in changes:
                self._on_change(change)
        if self._on_rebalance is not None:
            for event in events:
                self._on_rebalance(event)

    def rebuild(self) -> None:
        """Rebuild the state from the tuples, without the update or the batch that broke the view, if one did.

        N and the parts are those of a new view of this input; the counters go on. Open enumerations raise a
        `StaleEnumerationError`.  Cost: O(|D|^{3/2}).  In the middle of an operation: a `BusyError`.
        """
        old = self._engine
        if old.guard not in (READY, BROKEN):
            refuse(old.guard)
        made = self._empty_engine(old.ring)
        load(made, (relation.items() for relation in salvaged(old)))
        made.meter, made.version = old.meter, old.version + 1
        made.meter.preprocessing += made.steps
        self._use(made)
        retire(old)

    # --- results ----------------------------------------------------------------------------------------

    def __iter__(self) -> Iterator[tuple[Row, P]]:
        """The distinct rows of the result with their multiplicities.

        Delay: as stated for the class. An update while the enumeration is open makes it raise a
        `StaleEnumerationError` at its next step. Any number may be open at once.
        """
        return counted_rows(self._engine, self._whole().version)

    def to_numpy(self, relation: RelationName | None = None) -> dict[str, Array]:
        """The result as arrays: one for each free variable, by its letter, and "multiplicity".

        With a relation, R, S or T: its tuples instead.  Integers of 64 bits have their own type, everything
        else is an array of objects.  Cost: as the whole enumeration; rows of "ABC" are never made in the
        compiled kernel.  Without NumPy: an `InputError`.
        """
        if relation is not None:
            return columns_of(SCHEMAS[known_relation(relation)], self.tuples(relation))
        return numpy_columns(self._whole(), self.free, iter(self))

    def to_arrow(self, relation: RelationName | None = None) -> pyarrow.Table:
        """The result, or a relation, as an Arrow table with the columns of `to_numpy`; None is null.

        Cost: as `to_numpy`.  Bad input: an `InputError` for values of different types in a column and for
        integers beyond 64 bits, multiplicities too: `to_numpy` has them as they are; and without PyArrow.
        """
        return arrow_table(self.to_numpy(relation))

    def to_pandas(self, relation: RelationName | None = None) -> pandas.DataFrame:
        """The result, or a relation, as a data frame of pandas.  Cost and bad input: as `to_arrow`."""
        return pandas_frame(self.to_arrow(relation))

    def to_polars(self, relation: RelationName | None = None) -> polars.DataFrame:
        """The result, or a relation, as a data frame of polars.  Cost and bad input: as `to_arrow`."""
        return polars_frame(self.to_arrow(relation))

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The result for what reads Arrow: polars.DataFrame(view), duckdb.sql("… FROM view").

        Cost and bad input: as `to_arrow`.
        """
        table: ArrowStream = self.to_arrow()
        return table.__arrow_c_stream__(requested_schema)

    def __getitem__(self, row: Row) -> P:
        """The multiplicity of a row, zero if it is not in the result.

        A row is a tuple with a value for each free variable: view[1, 2], view[1,] or view[()].
        Cost: as the delay.  Bad input: an `InputError`.
        """
        if not isinstance(row, tuple) or len(row) != len(self.free):
            raise ArityError(
                f"row {shown(row)} does not fit the free variables {self.free!r}: "
                f"give a tuple of {len(self.free)} values"
            )
        for value in row:
            data_value(value)
        return counted_lookup(self._engine, row)

    def __contains__(self, row: Row) -> bool:
        """Whether a row is in the result.  Cost and bad input: as for a lookup."""
        return bool(self[row])

    def __len__(self) -> NoReturn:
        """Refused with a `TypeError`: the number of rows is not maintained."""
        raise TypeError(
            "the number of rows is not maintained: count them with sum(1 for _ in view); view.size is the "
            "number of tuples in R, S and T"
        )

    def __bool__(self) -> bool:
        """Whether the answer has any row.  Cost: as the delay."""
        return next(iter(self), None) is not None

    def tuples(self, relation: RelationName) -> Iterator[tuple[Row, P]]:
        """The tuples of the input relation R, S or T with their multiplicities, in no particular order.

        Cost: O(|relation|), constant memory. An update while it is open makes it raise a
        `StaleEnumerationError` at its next step.  Bad input: an `UnknownRelationError`.
        """
        return self._tuples(known_relation(relation), self._whole().version)

    def _tuples(self, relation: RelationName, version: int) -> Iterator[tuple[Row, P]]:
        engine = self._engine
        i = (RELATIONS.index(relation) - engine.turns) % 3
        stored, value = engine.relations[i].tuples(), engine.storage.value
        while True:
            if engine.guard != READY:
                refuse(engine.guard)
            if engine.version != version:
                raise StaleEnumerationError("the view was updated during the enumeration; start a new one")
            entry = next(stored, None)
            if entry is None:
                return
            yield (value(entry[0]), value(entry[1])), entry[2]

    # --- files ------------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str], note: Mapping[str, object] | None = None) -> None:
        """Write a snapshot to a file, atomically: it is there as a whole and on the disk, or not at all.

        `note` is a JSON object that is kept with the view, such as a position in a stream; see
        `ivme.formats.snapshots.read_note`.  Cost: O(|D|), constant memory.  Bad input: an `InputError` for a
        ring of your own and for values that JSON lines cannot hold; what was at the path is still there.
        """
        write_snapshot(path, **self._contents(note))

    def _contents(self, note: Mapping[str, object] | None = None) -> Contents:
        """What a snapshot holds; the tuples are read as it is written."""
        version = self._whole().version
        return {
            "free": self.free,
            "epsilon": self._epsilon,
            "partitioning": self.partitioning,
            "ring": self.ring,
            "sizes": {name: sum(1 for _ in self._tuples(name, version)) for name in RELATIONS},
            "tuples": ((name, row, m) for name in RELATIONS for row, m in self._tuples(name, version)),
            "note": note,
        }

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        on_change: Callable[[Change[Any]], object] | None = None,
        on_rebalance: Callable[[Rebalance], object] | None = None,
        debug: bool | int | None = None,
    ) -> TriangleView[Any]:
        """The view of a snapshot: the same query, ε, partitioning, ring, input and answers.

        N is 2·|D| + 1 and the partition is strict, as after loading any database; the counters start from
        zero. The file says which ring it is, so the type of the multiplicities is not known beforehand.

        Cost: O(|D|^{3/2}).  Bad input: a `SnapshotError` (an `InputError`) for a file that is missing, cut
        short, changed, or no snapshot.
        """
        header, tuples = read_snapshot(path)
        return cls._of_snapshot(header, tuples, os.fspath(path), on_change, on_rebalance, debug)

    @classmethod
    def _of_snapshot(
        cls,
        header: Header,
        tuples: Database,
        name: str,
        on_change: Callable[[Change[Any]], object] | None = None,
        on_rebalance: Callable[[Rebalance], object] | None = None,
        debug: bool | int | None = None,
    ) -> TriangleView[Any]:
        try:
            return cls(
                header.free,
                header.epsilon,
                partitioning=cast("Partitioning", header.partitioning),  # the view checks it
                database=tuples,
                ring=header.ring,
                on_change=on_change,
                on_rebalance=on_rebalance,
                debug=debug,
            )
        except InputError as error:
            raise SnapshotError(f"{name}: {error}") from error

    def __reduce__(self) -> tuple[Callable[[bytes, int], TriangleView[Any]], tuple[bytes, int]]:
        """Pickle, as a snapshot in memory: unpickling runs the loader of snapshots and nothing else.

        Cost: O(|D|), and O(|D|^{3/2}) to load it.  Bad input: an `InputError` for what `save` refuses, and
        for callbacks.
        """
        if self._on_change is not None or self._on_rebalance is not None:
            raise InputError("a view with callbacks cannot be pickled: pickle one that is made without them")
        return unpickled, (snapshot_bytes(**self._contents()), self._debug)

    # --- as a container ---------------------------------------------------------------------------------

    def copy(self) -> TriangleView[P]:
        """A view of its own with the same input and callbacks; N and the counters start from zero.

        Cost: O(|D|^{3/2}).
        """
        return TriangleView(
            self.free,
            self._epsilon,
            partitioning=self.partitioning,
            database={name: dict(self.tuples(name)) for name in RELATIONS},
            ring=self.ring,
            on_change=self._on_change,
            on_rebalance=self._on_rebalance,
            debug=self._debug,
        )

    def __copy__(self) -> TriangleView[P]:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, object]) -> TriangleView[P]:
        """As `copy`: data values are keys, and are shared.  Cost: O(|D|^{3/2})."""
        return self.copy()

    def __eq__(self, other: object) -> bool:
        """Whether both are views with the same free variables, ring (by name) and input.  Cost: O(|D|)."""
        if not isinstance(other, TriangleView):
            return NotImplemented
        if (self.free, self.ring.name, self.size) != (other.free, other.ring.name, other.size):
            return False
        return all(dict(self.tuples(name)) == dict(other.tuples(name)) for name in RELATIONS)

    # --- looking inside ---------------------------------------------------------------------------------

    @property
    def costs(self) -> Costs:
        """The steps counted so far.  Cost: O(1)."""
        meter = self._engine.meter
        return Costs(**{name: getattr(meter, name) for name in COUNTED})

    def state(self) -> dict[str, object]:
        """A plain copy of the state, for tools: N, the parts of R, S and T, and the views of the paper.

        {"N": …, "parts": {"R": {"H": {(x, y): m}, "L": …}, …}, "views": {name: {row: m}}}; double-partitioned
        relations have the parts HH, HL, LH and LL.  Cost: O(size of the state).
        """
        return reading(self._engine, lambda: plain_state(self._engine, self._decomposition))

    def violations(self) -> list[Violation]:
        """Every violated condition of the paper, from the spec's predicates.  Cost: recomputes everything."""
        return reading(self._engine, lambda: list(state_violations(self._engine, self._decomposition)))

    def check(self) -> None:
        """Raise an `InvariantError` that names what is violated, if anything.  Cost: recomputes all."""
        self._check(None)

    def _check(self, update: tuple[object, ...] | None, after: str = "") -> None:
        """`check`, which also says after which update, or after what."""
        if found := self.violations():
            after = f"after update {self._engine.version}, {shown(update)}: " if update else after
            more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
            error = InvariantError(after + "; ".join(map(str, found[:5])) + more)
            error.violations = tuple(found)
            error.update = update
            error.position = self._engine.version if update else None
            error.state = self.state()
            raise error


def unpickled(data: bytes, debug: int) -> TriangleView[Any]:
    """The view of a pickled snapshot.  Cost: O(|D|^{3/2}).  Bad input: a `SnapshotError`."""
    return TriangleView._of_snapshot(*read_snapshot_bytes(data), "pickled view", debug=debug)


def storage_for(ring: Ring[P]) -> Storage[P]:
    """The storage for a ring: the compact one for integers in the compiled kernel, else dicts."""
    if kernel == "compiled" and ring in (NATURALS, INTEGERS):
        from ivme.kernel.storage.compact.storage import CompactStorage

        return cast("Storage[P]", CompactStorage())
    return cast("Storage[P]", DictStorage[P]())
