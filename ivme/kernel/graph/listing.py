"""Edges, triangles and the state of a graph engine, read from its storage.

>>> from fractions import Fraction
>>> from ivme.kernel.graph.sets import SetGraph
>>> graph = GraphEngine(SetGraph(False, False), Fraction(1, 2), directed=False)
>>> for u, v in (("a", "b"), ("b", "c"), ("c", "a")):
...     assert graph.link(graph.storage.vertex(u), graph.storage.vertex(v))
>>> sorted(edges(graph)), [sorted(triangle) for triangle in triangles(graph)]
([(1, 2), (1, 3), (2, 3)], [[1, 2, 3]])
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from ivme.kernel.graph.engine import GraphEngine
from ivme_spec.errors import StaleEnumerationError
from ivme_spec.graphs import GraphState, graph_violations
from ivme_spec.partitions import Violation

Ids = tuple[int, int, int]


def edges(engine: GraphEngine) -> Iterator[tuple[int, int]]:
    """Each edge once, undirected from the vertex that arrived first.  Cost: O(m)."""
    storage, stride = engine.storage, int(engine.stride)
    for x in storage.vertices():
        for y in storage.members(x * stride):
            if engine.directed or storage.arrival(x) < storage.arrival(y):
                yield x, y


def salvaged(engine: GraphEngine) -> dict[tuple[int, int], None]:
    """The edges that stand in either of their two rows; of a broken engine too.  Cost: O(m)."""
    storage, stride, found = engine.storage, int(engine.stride), dict[tuple[int, int], None]()
    for x in storage.vertices():
        for y in storage.members(x * stride):
            found[x, y] = None
        if engine.directed:
            for y in storage.members(x * stride + 1):
                found[y, x] = None
    if not engine.directed:
        found = {(min(edge), max(edge)): None for edge in found}
    return found


def triangles(engine: GraphEngine) -> Iterator[Ids]:
    """Each triangle once, from the vertex that arrived first, undirected in the order of arrival.

    Cost: O(m^{3/2}) in all, which is worst-case optimal; an update in between: `StaleEnumerationError`.
    """
    storage, stride, version = engine.storage, int(engine.stride), engine.version
    rank = storage.arrival
    for x in storage.vertices():
        for y in storage.members(x * stride):
            if not engine.directed and not _before(engine, x, y):
                continue
            engine.steps += int(min(storage.length(y * stride), storage.length(x * stride + stride - 1)))
            for z in storage.matches(y * stride, x * stride + stride - 1):
                if engine.version != version:
                    raise StaleEnumerationError(
                        "the graph was updated during the enumeration; start a new one"
                    )
                if engine.directed:
                    if rank(x) < rank(y) and rank(x) < rank(z):
                        yield x, y, z
                elif _before(engine, y, z):
                    a, b, c = sorted((x, y, z), key=rank)
                    yield a, b, c
        if engine.version != version:
            raise StaleEnumerationError("the graph was updated during the enumeration; start a new one")


def triangles_with(engine: GraphEngine, x: int, y: int) -> list[Ids]:
    """The triangles that have the edge (x, y), or would have it, each as in `triangles`.

    Cost: O(the shorter row).
    """
    storage, stride, rank = engine.storage, int(engine.stride), engine.storage.arrival
    one, other = y * stride, x * stride + stride - 1
    engine.steps += int(min(storage.length(one), storage.length(other)))
    found = list[Ids]()
    for z in storage.matches(one, other):
        if engine.directed:
            first = min(x, y, z, key=rank)
            found.append((x, y, z) if first == x else (y, z, x) if first == y else (z, x, y))
        else:
            a, b, c = sorted((x, y, z), key=rank)
            found.append((a, b, c))
    return found


def _before(engine: GraphEngine, x: int, y: int) -> bool:
    """The order by degree, in which Σ over the edges of the shorter row is O(m^{3/2})."""
    return (int(engine.degree(x)), x) < (int(engine.degree(y)), y)


def spec_state(engine: GraphEngine) -> GraphState:
    """The state of the spec.  Cost: O(its size)."""
    storage, stride = engine.storage, int(engine.stride)
    names: dict[int, Hashable] = {x: storage.value(x) for x in storage.vertices()}
    explicit = {names[x]: int(storage.explicit(x)) for x in names} if engine.tracked else None
    return GraphState(
        engine.directed,
        engine.epsilon,
        int(engine.base),
        frozenset((names[x], names[y]) for x in names for y in storage.members(x * stride)),
        frozenset(names[x] for x in names if storage.is_heavy(x)),
        {names[u]: {names[z]: m for z, m in storage.pairs(u).items()} for u in names if storage.is_built(u)},
        explicit,
        engine.triangles,
        engine.wedges,
    )


def violations(engine: GraphEngine) -> Iterator[Violation]:
    """Everything that is not as the spec says, or inconsistent.  Cost: recomputes everything."""
    yield from graph_violations(spec_state(engine))
    storage = engine.storage
    found = {x for x in storage.vertices() if storage.is_heavy(x)}
    if set(engine.heavies) != found or engine.places != {x: at for at, x in enumerate(engine.heavies)}:
        yield Violation("index", "heavy", "the list of heavy vertices is not that of the bits")
    tiers: dict[int, set[int]] = {at: set() for at in range(len(engine.tiers))}
    for x in storage.vertices():
        if engine.degree(x) >= 32:
            tiers.setdefault(int(engine.degree(x)).bit_length() - 6, set()).add(x)
    if dict(enumerate(engine.tiers)) != tiers:
        yield Violation("index", "tiers", "the tiers are not those of the degrees")
    if {x for x in storage.vertices() if storage.is_built(x)} != set(engine.rows):
        yield Violation("index", "rows", "the built vertices are not those with an account")
    if set(engine.credits) - found or set(engine.credits) & set(engine.rows):
        yield Violation("index", "credits", "there is a credit of a vertex that is light or built")
    if any(not 0 <= row.gap < row.price for row in engine.rows.values()):
        yield Violation("account", "gap", "a row has been kept although its upkeep has reached its price")
    if any(not 0 <= credit.paid < credit.look for credit in engine.credits.values()):
        yield Violation("account", "credit", "scans have paid for a look at a price that was not taken")
    stride = int(engine.stride)
    backward = {(y, x) for x in storage.vertices() for y in storage.members(x * stride + stride - 1)}
    if backward != {(x, y) for x in storage.vertices() for y in storage.members(x * stride)}:
        yield Violation("index", "rows", "successors and predecessors differ")
    if wrong := storage.damage():
        yield Violation("index", "rows", wrong)
