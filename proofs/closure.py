"""Closures: every state that any sequence of updates can reach on a small domain.

Paper: fig:onUpdate, fig:major_minor, def:ivme_state. The real engine, breadth first from the empty database:
from every state, every tuple is inserted if it is absent and deleted if it is present. When no new state
appears, every update sequence of any length on that domain has been covered. In each state everything is
checked: the invariants and views by the spec's predicates, the tuples against a set kept beside the engine,
the enumerated result and the lookups against brute force, and that changing a multiplicity changes nothing
else. Both directions of both kinds of rebalancing must occur.
"""

from __future__ import annotations

from collections import Counter, deque
from fractions import Fraction
from functools import partial

from attrs import define, field, frozen

from ivme.kernel.enumeration import enumerate_rows, lookup
from ivme.kernel.inspection import state_violations
from ivme.kernel.plan import compile_plan
from ivme.kernel.rebalancing import rebalance
from ivme_spec.relations import RELATIONS
from ivme_spec.rings import NATURALS
from ivme_spec.views import Decomposition
from proofs.canonical import Domain, Frozen, Key, Tuple, brute_force, canonical, frozen_state
from proofs.claims import Claim, NotObtained, Refuted, Scope, require
from proofs.engines import DictEngine, empty_engine
from proofs.payloads import NAMES, PLANS

LARGEST_GRAPH = 100_000


@define
class Explorer:
    """The state graph of one plan, one ε and one domain."""

    decomposition: Decomposition
    epsilon: Fraction
    domain: Domain
    events: Counter[str] = field(factory=Counter)
    seen: set[Key] = field(factory=set)
    steps: int = 0
    _queue: deque[tuple[Frozen, frozenset[Tuple]]] = field(factory=deque)

    def close(self) -> None:
        """Explore until no new state appears."""
        plan, head = compile_plan(self.decomposition), self.decomposition.head
        engine = empty_engine(plan, head, NATURALS, self.epsilon)
        self._visit(engine, frozenset())
        while self._queue:
            state, database = self._queue.popleft()
            for at in self.domain.tuples():
                self._visit(*self._updated(state, database, at))
            if len(self.seen) > LARGEST_GRAPH:
                raise NotObtained(f"the graph has more than {LARGEST_GRAPH} states")

    def _updated(
        self, state: Frozen, database: frozenset[Tuple], at: Tuple
    ) -> tuple[DictEngine[int], frozenset[Tuple]]:
        engine, (i, x, y) = state.engine(), at
        engine.on_update(i, x, y, -1 if at in database else 1)
        for event in rebalance(engine, i, x, y):
            direction = "up" if event.up else "down"
            self.events[event.kind + " " + direction] += 1
            if event.kind == "minor":
                self.events[f"{event.relation}{event.variable} {direction}"] += 1
        self.steps += 1
        return engine, database ^ {at}

    def _visit(self, engine: DictEngine[int], database: frozenset[Tuple]) -> None:
        key = canonical(engine, database, self.domain)
        if key not in self.seen:
            self.seen.add(key)
            self._check(engine, database)
            state = frozen_state(engine)
            self._check_multiplicities(state, database, key)
            self._queue.append((state, database))

    def _check(self, engine: DictEngine[int], database: frozenset[Tuple]) -> None:
        what = f"ε = {self.epsilon}, {sorted(database)}, N = {engine.base}"
        stored = {(i, x, y): m for i, rel in enumerate(engine.relations) for x, y, m in rel.tuples()}
        require(stored == dict.fromkeys(database, 1), f"{what}: the engine holds {stored}")
        for violation in state_violations(engine, self.decomposition):
            raise Refuted(f"{what}: {violation}")
        expected = brute_force(database, self.domain, engine.order)
        rows = list(enumerate_rows(engine))
        require(len(rows) == len(expected) and dict(rows) == expected, f"{what}: enumerated {rows}")
        for triple in self.domain.triangles():
            row = tuple(triple[variable] for variable in engine.order)
            require(lookup(engine, row) == expected.get(row, 0), f"{what}: lookup of {row}")

    def _check_multiplicities(self, state: Frozen, database: frozenset[Tuple], key: Key) -> None:
        """One more copy of a tuple, and one less, leave N and all parts unchanged."""
        engine = state.engine()
        for i, x, y in database:
            for change in (1, -1):
                engine.on_update(i, x, y, change)
                require(not rebalance(engine, i, x, y), f"a multiplicity of {RELATIONS[i]}{x, y} rebalanced")
        require(
            canonical(engine, database, self.domain) == key, f"a multiplicity moved something: {database}"
        )


@frozen
class Run:
    """A closure to compute: the domain, ε, and the directions of minor rebalancing that must occur."""

    domain: Domain
    epsilon: str
    minor: bool = True


def closed(plan: str, runs: tuple[Run, ...]) -> str:
    """All runs close, and all required events occur."""
    states, steps, events = 0, 0, Counter[str]()
    for run in runs:
        explorer = Explorer(PLANS[plan], Fraction(run.epsilon), run.domain)
        explorer.close()
        expected = {"major up", "major down"} | ({"minor up", "minor down"} if run.minor else set())
        missing = {name for name in expected if not explorer.events[name]}
        require(not missing, f"{plan}, {run}: {missing} never happens")
        states, steps, events = states + len(explorer.seen), steps + explorer.steps, events + explorer.events
    return f"{states} states, {steps} updates, {dict(sorted(events.items()))}"


def _turned(a: int, b: int, c: int, epsilon: str, minor: bool = True) -> tuple[Run, ...]:
    """The domain in its three rotations: every relation and column has its turn with the large degrees."""
    return tuple(Run(Domain(*sizes), epsilon, minor) for sizes in ((a, b, c), (c, a, b), (b, c, a)))


SMALL = _turned(1, 3, 1, "1/3")
LARGE = (
    *_turned(1, 4, 1, "1/2"),
    Run(Domain(2, 3, 1), "1/3"),
    *_turned(1, 3, 1, "0", minor=False),
    *_turned(1, 3, 1, "1", minor=False),
    Run(Domain(1, 3, 1), "1/4", minor=False),
)

_GUARDS = ("Engine", "rebalancing.rebalance", "DictRelation", "enumerate_rows", "lookup", "state.violations")
_LABELS = "def:ivme_state, fig:onUpdate, fig:major_minor"


def _claim(plan: str, runs: tuple[Run, ...], name: str, extent: str, quick: bool) -> Claim:
    return Claim(
        name,
        f"{plan}: every reachable state is an IVM^ε state of the right database, with the right result and "
        "lookups; both rebalancings happen in both directions.",
        _LABELS,
        "closure",
        Scope.EXHAUSTIVE,
        extent,
        "values are used only through equality and hash; dict and set orders do not matter",
        _GUARDS,
        partial(closed, plan, runs),
        quick=quick,
    )


CLAIMS = (
    *(
        _claim(p, SMALL, f"closure-{p}", "any sequence; (1,3,1) in three rotations, ε = 1/3", True)
        for p in NAMES
    ),
    *(
        _claim(
            p,
            LARGE,
            f"closure-{p}-large",
            "any sequence; (1,4,1) in three rotations, ε = 1/2; (2,3,1), ε = 1/3; (1,3,1) in three "
            "rotations, ε = 0 and 1 (no minor ones); (1,3,1), ε = 1/4 (none down)",
            False,
        )
        for p in NAMES
    ),
)
