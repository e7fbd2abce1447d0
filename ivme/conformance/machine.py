"""The stateful Hypothesis machine that compares an engine with the reference after every step.

Laid out as: build, update rules, targeted rules, invariants. The targeted rules aim at common mistakes of
incremental engines, and at both kinds of rebalancing of IVM^ε, which uniform inserts rarely reach.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from ivme.conformance.protocol import EVERYTHING, Capabilities, ConformanceFailure, Factory, trace_of
from ivme.conformance.session import Found, Session
from ivme.formats.traces import Update
from ivme_spec.relations import RELATIONS, RelationName

relations = st.sampled_from(RELATIONS)
positions = st.integers(0, 2)
small = st.integers(1, 3)
huge = st.sampled_from([2**31 - 1, 2**32, 2**53 + 1, 2**62, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**65 + 1])
bools = st.booleans()

INTEGERS: tuple[Hashable, ...] = (0, 1, 2, 3, 4)
ANY_VALUES: tuple[Hashable, ...] = (0, 1, 2, "1", "", None, (1, 2), "null", -1)


class ConformanceMachine(RuleBasedStateMachine):
    """Subclasses set the engine under test: see `machine_for`."""

    factory: ClassVar[Factory]
    free: ClassVar[str] = ""
    epsilon: str | None = None
    capabilities: ClassVar[Capabilities] = EVERYTHING

    # --- build ------------------------------------------------------------------------------------------

    def __init__(self) -> None:
        super().__init__()
        self.values = INTEGERS if self.capabilities.values == "integers" else ANY_VALUES
        try:
            self.session = self.make_session()
        except Found as found:
            raise ConformanceFailure(found.finding, trace_of(self.free, ())) from found

    def make_session(self) -> Session:
        """A fresh engine beside a fresh reference."""
        return Session(type(self).factory, self.free, self.capabilities)

    def teardown(self) -> None:
        if hasattr(self, "session"):
            self.session.close()

    def send(self, updates: Sequence[Update], batch: bool = False) -> None:
        """Send the valid updates; a finding fails the test with its trace."""
        try:
            self.session.send(updates, batch)
        except Found as found:
            raise self.failure(found) from found

    def failure(self, found: Found) -> ConformanceFailure:
        """The failure of the present run."""
        trace = trace_of(self.free, self.session.steps, found.finding.expected, epsilon=self.epsilon)
        return ConformanceFailure(found.finding, trace)

    def value(self, number: int) -> Hashable:
        """A data value; the first few are the interesting ones."""
        return self.values[number] if number < len(self.values) else number

    def present(self, relation: RelationName) -> list[Update]:
        """The tuples of a relation now, as updates with their multiplicities."""
        stored = self.session.reference.relations[RELATIONS.index(relation)]
        return [(relation, row[0], row[1], m) for row, m in stored.items()]

    # --- update rules -----------------------------------------------------------------------------------

    @rule(relation=relations, x=st.integers(0, 4), y=st.integers(0, 4), m=small)
    def insert(self, relation: RelationName, x: int, y: int, m: int) -> None:
        """A tuple appears, or its multiplicity grows."""
        self.send([(relation, self.value(x), self.value(y), m if self.capabilities.multiplicities else 1)])

    @rule(relation=relations, pick=st.integers(0, 10**6), all_copies=bools)
    def delete(self, relation: RelationName, pick: int, all_copies: bool) -> None:
        """A tuple vanishes, or its multiplicity shrinks."""
        if tuples := self.present(relation):
            name, x, y, m = tuples[pick % len(tuples)]
            self.send([(name, x, y, -m if all_copies else -1)])

    @rule(relation=relations, pick=st.integers(0, 10**6), excess=small)
    def refused_delete(self, relation: RelationName, pick: int, excess: int) -> None:
        """A delete of more copies than present, of a tuple that is present or not."""
        absent: Update = (relation, self.value(0), self.value(1), 0)
        name, x, y, _ = (
            self.present(relation)[pick % len(tuples)] if (tuples := self.present(relation)) else absent
        )
        missing = self.session.multiplicity((name, x, y, 0)) + excess
        try:
            self.session.refuse((name, x, y, -missing))
        except Found as found:
            raise self.failure(found) from found

    @rule(
        updates=st.lists(
            st.tuples(relations, st.integers(0, 4), st.integers(0, 4), st.integers(-2, 3)), max_size=8
        )
    )
    def batch(self, updates: list[tuple[RelationName, int, int, int]]) -> None:
        """Inserts and deletes of all relations at once."""
        self.send([(r, self.value(x), self.value(y), m) for r, x, y, m in updates], batch=True)

    @rule(a=positions, b=positions, c=positions, batch=bools, m=small)
    def triangle(self, a: int, b: int, c: int, batch: bool, m: int) -> None:
        """All three sides of a triangle."""
        m = m if self.capabilities.multiplicities else 1
        x, y, z = self.value(a), self.value(b), self.value(c)
        self.send([("R", x, y, m), ("S", y, z, 1), ("T", z, x, 1)], batch)

    # --- targeted rules ---------------------------------------------------------------------------------

    @rule(first=st.integers(0, 2), x=positions, y=positions, z=positions, batch=bools, undo=bools)
    def both_sides(self, first: int, x: int, y: int, z: int, batch: bool, undo: bool) -> None:
        """Both relations of a join change, one after the other or in one batch; maybe back again."""
        k, following = RELATIONS[first], RELATIONS[(first + 1) % 3]
        pair: list[Update] = [
            (k, self.value(x), self.value(y), 1),
            (following, self.value(y), self.value(z), 1),
        ]
        self.send(pair, batch)
        if undo:
            self.send([(name, u, v, -m) for name, u, v, m in pair], batch)

    @rule(relation=relations, x=positions, y=positions, batch=bools, m=small)
    def cancelling_pair(self, relation: RelationName, x: int, y: int, batch: bool, m: int) -> None:
        """An insert and the delete that undoes it."""
        m = m if self.capabilities.multiplicities else 1
        update = (relation, self.value(x), self.value(y))
        self.send([(*update, m), (*update, -m)], batch)

    @rule(relation=relations, pick=st.integers(0, 10**6), batch=bools)
    def delete_and_reinsert(self, relation: RelationName, pick: int, batch: bool) -> None:
        """A tuple is deleted and inserted again."""
        if tuples := self.present(relation):
            name, x, y, m = tuples[pick % len(tuples)]
            self.send([(name, x, y, -m), (name, x, y, m)], batch)

    @rule(number=positions, again=bools)
    def vanish_and_return(self, number: int, again: bool) -> None:
        """All tuples of a value are deleted, and maybe inserted again."""
        value = self.value(number)
        gone = [u for name in RELATIONS for u in self.present(name) if value in (u[1], u[2])]
        self.send([(name, x, y, -m) for name, x, y, m in gone])
        if again:
            self.send(gone)

    @precondition(lambda self: self.capabilities.multiplicities)
    @rule(
        first=st.integers(0, 2),
        x=positions,
        y=positions,
        z=positions,
        m=huge,
        sign=st.sampled_from([1, 1, -1]),
    )
    def huge_multiplicity(self, first: int, x: int, y: int, z: int, m: int, sign: int) -> None:
        """Multiplicities around 2^63 and beyond, in a triangle, and their larger products."""
        names = [RELATIONS[(first + turn) % 3] for turn in range(3)]
        a, b, c = self.value(x), self.value(y), self.value(z)
        self.send([(names[0], a, b, sign * m)])
        if sign > 0:
            self.send([(names[1], b, c, 1), (names[2], c, a, 1)])

    @rule(
        relation=relations, column=st.integers(0, 1), number=positions, degree=st.integers(0, 24), batch=bools
    )
    def drive_degree(
        self, relation: RelationName, column: int, number: int, degree: int, batch: bool
    ) -> None:
        """The degree of a value is driven up or down, across any threshold on the way."""
        value, position = self.value(number), 1 + column
        have = [u for u in self.present(relation) if u[position] == value]
        partners = {u[2 - column] for u in have}
        if degree < len(have):
            self.send([(name, x, y, -m) for name, x, y, m in have[degree:]], batch)
        else:
            fresh = [v for v in map(self.value, range(40)) if v not in partners][: degree - len(have)]
            self.send([(relation, v, value, 1) if column else (relation, value, v, 1) for v in fresh], batch)

    @rule(size=st.integers(0, 60), batch=bools)
    def drive_size(self, size: int, batch: bool) -> None:
        """The size of the database is driven up with unrelated tuples, or down."""
        have = [u for name in RELATIONS for u in self.present(name)]
        if size < len(have):
            self.send([(name, x, y, -m) for name, x, y, m in have[size:]], batch)
        else:
            self.send([(RELATIONS[i % 3], 100 + i, 200 + i, 1) for i in range(size - len(have))], batch)

    @rule()
    def drain(self) -> None:
        """Everything is deleted, tuple by tuple."""
        self.send([(name, x, y, -m) for r in RELATIONS for name, x, y, m in self.present(r)])

    # --- invariants -------------------------------------------------------------------------------------

    @invariant()
    def agrees(self) -> None:
        """The answer is the reference's: no row missing, invented, repeated, or with another multiplicity."""
        try:
            self.session.compare()
        except Found as found:
            raise self.failure(found) from found


def machine_for(
    factory: Factory, free: str = "", capabilities: Capabilities = EVERYTHING
) -> type[ConformanceMachine]:
    """The machine for an engine; its `TestCase` is a unittest class that pytest collects.

    >>> TestMine = machine_for(MyEngine, free="AB").TestCase    # doctest: +SKIP
    """
    return type(
        "Conformance",
        (ConformanceMachine,),
        {"factory": staticmethod(factory), "free": free, "capabilities": capabilities},
    )
