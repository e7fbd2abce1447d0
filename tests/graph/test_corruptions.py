"""`check()` reports every kind of corruption planted in a graph: each conjunct of the invariant can fail."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from ivme import GraphTriangles, InvariantError
from ivme.kernel.graph import listing
from ivme.kernel.graph.engine import Credit, GraphEngine
from tests.cost.graphs import each_direction

LEAVES = 60


def hubs(directed: bool) -> GraphTriangles:
    """Hubs 0 and 1 over the same leaves, adjacent; the row of one of them is built."""
    edges = [edge for leaf in range(2, LEAVES + 2) for edge in ((0, leaf), (leaf, 1))]
    graph = GraphTriangles(directed, Fraction(1, 2), ("count", "at"), edges=[*edges, (1, 0)])
    for _ in range(100):  # a few reads pay for a row
        if not graph._engine.rows:
            graph.count_on(1, 0)
    assert graph._engine.rows
    graph.check()
    return graph


def built(engine: GraphEngine) -> int:
    return next(iter(engine.rows))


def other(engine: GraphEngine) -> int:
    return next(x for x in engine.heavies if x not in engine.rows)


def leaf(engine: GraphEngine) -> int:
    return int(engine.storage.find(LEAVES))


def light_hub(engine: GraphEngine) -> None:
    engine.heavies.remove(other(engine))
    engine.storage.set_heavy(engine.storage.find(1 - int(str(engine.storage.value(built(engine))))), False)


def heavy_leaf(engine: GraphEngine) -> None:
    engine.storage.set_heavy(leaf(engine), True)


def light_and_built(engine: GraphEngine) -> None:
    engine.storage.open_pairs(leaf(engine))


def half_an_edge(engine: GraphEngine) -> None:
    engine.storage.add(leaf(engine) * engine.stride, leaf(engine) - 1)


CORRUPTIONS: dict[str, tuple[Callable[[GraphEngine], object], str]] = {
    "N": (lambda engine: setattr(engine, "base", int(engine.size)), "size invariant"),
    "light hub": (light_hub, "at least ³⁄₂θ"),
    "heavy leaf": (heavy_leaf, "less than ½θ"),
    "built and light": (light_and_built, "are built and not heavy|less than ½θ"),  # the arena: both bits
    "pair": (lambda engine: engine.storage.add_pair(built(engine), other(engine), 1), "V\\("),
    "count": (lambda engine: setattr(engine, "triangles", engine.triangles + 1), "triangles are counted"),
    "wedges": (lambda engine: setattr(engine, "wedges", engine.wedges + 1), "wedges"),
    "explicit, light": (lambda engine: engine.storage.bump(leaf(engine), 1), "explicit triangles"),
    "explicit, heavy": (lambda engine: engine.storage.bump(other(engine), -1), "explicit triangles"),
    "list of heavy": (lambda engine: engine.heavies.reverse(), "list of heavy vertices"),
    "places": (lambda engine: engine.places.update({leaf(engine): 2}), "list of heavy vertices"),
    "tier": (lambda engine: engine.tiers[0].add(leaf(engine)), "tiers"),
    "no tier": (lambda engine: engine.tiers[0].pop(), "tiers"),
    "no account": (lambda engine: engine.rows.clear(), "not those with an account"),
    "gap": (
        lambda engine: setattr(engine.rows[built(engine)], "gap", engine.rows[built(engine)].price),
        "gap",
    ),
    "negative gap": (lambda engine: setattr(engine.rows[built(engine)], "gap", -1), "gap"),
    "credit of a light one": (
        lambda engine: engine.credits.update({leaf(engine): next(iter(engine.credits.values()))}),
        "light or built",
    ),
    "credit of a built one": (
        lambda engine: engine.credits.update({built(engine): next(iter(engine.credits.values()))}),
        "light or built",
    ),
    "credit": (
        lambda engine: setattr(next(iter(engine.credits.values())), "look", 0),
        "a look at a price that was not taken",
    ),
    "negative credit": (
        lambda engine: setattr(next(iter(engine.credits.values())), "paid", -1),
        "a look at a price that was not taken",
    ),
    "half an edge": (half_an_edge, "wedges|successors and predecessors differ"),
}


@each_direction
@pytest.mark.parametrize("name", CORRUPTIONS)
def test_check_reports_it(directed: bool, name: str) -> None:
    graph = hubs(directed)
    engine = graph._engine
    engine.credits[other(engine)] = Credit(4)
    graph.check()
    corrupt, message = CORRUPTIONS[name]
    corrupt(engine)
    with pytest.raises(InvariantError, match=message):
        graph.check()


@each_direction
def test_an_edge_in_one_of_its_two_rows_is_salvaged(directed: bool) -> None:
    """Whichever row an update that was cut short has written, or has not yet emptied."""
    for second in (False, True):
        engine = hubs(directed)._engine
        x, y, stride = leaf(engine), leaf(engine) - 1, int(engine.stride)
        whole = set(listing.salvaged(engine))
        if second:
            engine.storage.add(y * stride + stride - 1, x)
        else:
            engine.storage.add(x * stride, y)
        assert set(listing.salvaged(engine)) - whole == {(x, y) if directed else (y, x)}
