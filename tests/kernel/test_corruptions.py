"""`check()` reports every kind of corruption planted in the engine, with the paper's label."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from attrs import evolve, frozen

from ivme import InvariantError, TriangleView
from ivme.kernel.engine import Engine
from ivme.kernel.parts import HEAVY, LIGHT
from ivme.kernel.storage.dicts.lines import DenseSet
from ivme.kernel.storage.dicts.trees import DictKept
from ivme_spec.queries import Partitioning
from tests.agreement.harness import DICTS, RINGS
from tests.agreement.sequences import SPREAD_EPSILON, hub, spread_database
from tests.support.inside import dict_engine, dict_head, dict_kept, dict_relations, dict_sums, engine_of

NEW = 987_654
"""No id of any value."""

INDEX, STATE = "sec:computational_model", "def:ivme_state"
SINGLE, DOUBLE = "def:loose_relation_partition", "def:loose_double_relation_partition"


@frozen
class Corruption:
    """What is done to the engine of a view, and what `check()` must say: condition, label, and a detail."""

    free: str
    do: Callable[[Engine[Any]], object]
    condition: str
    label: str
    detail: str = ""
    partitioning: Partitioning = "single"


def first_kept(engine: Engine[Any]) -> DictKept:
    return next(tree for tree in dict_kept(engine) if tree.root)


def first_dense(engine: Engine[Any]) -> DenseSet[Any]:
    """A set of y-values with an index."""
    sets = (values for tree in dict_kept(engine) for row in tree.middle.values() for values in row.values())
    dense = next(values for values in sets if len(values) > 1)
    dense.index = {item: position for position, item in enumerate(dense.items)}
    return dense


def change_head(engine: Engine[Any]) -> None:
    entries = dict_head(engine).entries
    entries[next(iter(entries))] += 1


def drop_head(engine: Engine[Any]) -> None:
    del dict_head(engine).entries[next(iter(dict_head(engine).entries))]


def invent_head(engine: Engine[Any]) -> None:
    dict_head(engine).entries[(NEW,) * engine.plan.arity] = 1


def zero_head(engine: Engine[Any]) -> None:
    dict_head(engine).entries[(NEW,) * engine.plan.arity] = 0


def drop_sum(engine: Engine[Any]) -> None:
    sums = next(tree.sums for tree in dict_sums(engine) if tree.sums)
    sums.pop(next(iter(sums)))


def change_sum(engine: Engine[Any]) -> None:
    row = next(iter(next(tree.sums for tree in dict_sums(engine) if tree.sums).values()))
    row[next(iter(row))] += 1


def zero_sum(engine: Engine[Any]) -> None:
    dict_sums(engine)[0].sums.setdefault(NEW, {})[NEW] = 0


def empty_sums(engine: Engine[Any]) -> None:
    dict_sums(engine)[0].sums[NEW] = {}


def drop_kept_value(engine: Engine[Any]) -> None:
    tree = first_kept(engine)
    tree.remove(*next(tree.entries()))


def invent_kept_value(engine: Engine[Any]) -> None:
    first_kept(engine).add(NEW, NEW, NEW)


def empty_kept_row(engine: Engine[Any]) -> None:
    first_kept(engine).middle[NEW] = {}


def drop_root_pair(engine: Engine[Any]) -> None:
    tree = first_kept(engine)
    tree.close_root(*next(iter(next(iter(tree.root.values())))))


def invent_root_pair(engine: Engine[Any]) -> None:
    first_kept(engine).open_root(NEW, NEW)


def misplace_root_pair(engine: Engine[Any]) -> None:
    tree = first_kept(engine)
    bucket, other = list(tree.root)[:2]
    pair = tree.root[bucket].items.pop()
    tree.root[bucket].index = tree.root[other].index = None
    tree.root[other].items.append(pair)


def drop_bucket(engine: Engine[Any]) -> None:
    tree = first_kept(engine)
    tree.buckets.remove(next(iter(tree.buckets)))


def set_heavy(engine: Engine[Any]) -> None:
    """A value of degree 1: also its tuple then stands in the wrong bucket."""
    relation = dict_relations(engine)[0]
    value = next(v for v in relation.values(0) if relation.degree(0, v) == 1)
    relation.heavy[0].add(value)


def clear_heavy(engine: Engine[Any]) -> None:
    """Values of degree 6 may be light by θ, but are in the wrong buckets."""
    dict_relations(engine)[0].heavy[0].clear()


def clear_heavy_second(engine: Engine[Any]) -> None:
    dict_relations(engine)[1].heavy[1].clear()


def light_hub(engine: Engine[Any]) -> None:
    """A value far over the threshold, as if it had never been moved."""
    for y in range(1000, 1010):
        handle = engine.storage.handle
        engine.on_update(0, handle(0, 0), handle(1, y), 1)


def stale_bit(engine: Engine[Any]) -> None:
    dict_relations(engine)[1].heavy[0].add(NEW)


def drop_backward(engine: Engine[Any]) -> None:
    columns = dict_relations(engine)[2].backward[LIGHT]
    columns.pop(next(iter(columns)))


def change_backward(engine: Engine[Any]) -> None:
    column = next(iter(dict_relations(engine)[2].backward[LIGHT].values()))
    column[next(iter(column))] += 1


def empty_row(engine: Engine[Any]) -> None:
    dict_relations(engine)[2].forward[LIGHT][NEW] = {}


def swap_positions(engine: Engine[Any]) -> None:
    dense = first_dense(engine)
    assert dense.index is not None
    dense.index[dense.items[0]], dense.index[dense.items[1]] = 1, 0


def repeat_element(engine: Engine[Any]) -> None:
    dense = first_dense(engine)
    dense.items.append(dense.items[0])


def change_size(engine: Engine[Any]) -> None:
    engine.size += 1


def change_base(engine: Engine[Any]) -> None:
    engine.base *= 8


def change_threshold(engine: Engine[Any]) -> None:
    engine.threshold = evolve(engine.threshold, light=engine.threshold.light + 1)


CORRUPTIONS = [
    Corruption("", change_head, "view", "fig:view_definitions", "tri0"),
    Corruption("A", change_head, "view", "fig:view_definitions_unary", "tri1"),
    Corruption("AC", change_head, "view", "fig:view_definitions_binary", "tri2"),
    Corruption("ABC", drop_head, "view", "fig:view_definitions_full", "tri3_h_h_h"),
    Corruption("CBA", invent_head, "view", "fig:view_definitions_full", f"({NEW}, {NEW}, {NEW})"),
    Corruption("B", zero_head, "zero", INDEX, str(NEW)),
    Corruption("", drop_sum, "view", "fig:view_definitions", "v_"),
    Corruption("", change_sum, "view", "fig:view_definitions_double_partitioning", "v_", "double"),
    Corruption("A", change_sum, "view", "fig:view_definitions_unary", "v_"),
    Corruption("AB", drop_sum, "view", "fig:view_definitions_binary", "v_st"),
    Corruption("A", zero_sum, "zero", INDEX, str(NEW)),
    Corruption("", empty_sums, "zero", INDEX, str(NEW)),
    *(
        Corruption(free, do, "view", f"fig:view_definitions_{name}", "v_")
        for free, name in (("C", "unary"), ("BA", "binary"), ("ABC", "full"))
        for do in (drop_kept_value, invent_kept_value, drop_root_pair)
    ),
    Corruption("ABC", empty_kept_row, "root", INDEX, str(NEW)),
    Corruption("AB", invent_root_pair, "root", INDEX, f"({NEW}, {NEW})"),
    Corruption("A", misplace_root_pair, "root", INDEX, "bucket"),
    Corruption("AB", drop_bucket, "buckets", INDEX, "not the buckets"),
    Corruption("A", drop_bucket, "buckets", INDEX, "not the buckets"),
    Corruption("", set_heavy, "heavy part", SINGLE, "degree 1 < 3 (N = 145, ε = 1/3)"),
    Corruption("", set_heavy, "heavy part", DOUBLE, "degree 1 < 3", "double"),
    Corruption("", light_hub, "light part", SINGLE, "degree 14 ≥ 8 (N = 145, ε = 1/3)"),
    Corruption("A", light_hub, "light part", DOUBLE, "A-value 0 is light in R with degree 14"),
    Corruption("C", light_hub, "light part", DOUBLE, "C-value 0 is light in T with degree 14"),
    Corruption("ABC", clear_heavy, "index", INDEX, "wrong column bucket"),
    Corruption("AB", clear_heavy_second, "index", INDEX, "S: (0, 1) is in the wrong row bucket"),
    Corruption("BC", stale_bit, "index", INDEX, "T: stale bits of values without tuples: " + str({NEW})),
    Corruption("", drop_backward, "index", INDEX, "T: the rows and the columns differ"),
    Corruption("A", change_backward, "index", INDEX, "T: the rows and the columns differ"),
    Corruption("B", empty_row, "index", INDEX, "R: there is an empty row"),
    Corruption("AB", swap_positions, "dense set", INDEX, "positions"),
    Corruption("ABC", repeat_element, "dense set", INDEX, "positions"),
    Corruption("A", change_size, "size", STATE, "counted as 73; there are 72"),
    Corruption("AB", change_base, "size invariant", STATE, "⌊1160/4⌋ ≤ 72 < 1160 is false"),
    Corruption("ABC", change_threshold, "threshold", STATE, "145"),
]


@pytest.mark.parametrize(
    "corruption", CORRUPTIONS, ids=lambda c: f"{c.free}-{c.partitioning}-{c.do.__name__}"
)
def test_check_reports(corruption: Corruption) -> None:
    view = TriangleView(
        corruption.free,
        SPREAD_EPSILON,
        partitioning=corruption.partitioning,
        database=spread_database(RINGS["N"]),
        ring=DICTS,
    )
    view.check()
    corruption.do(dict_engine(view))
    found = [
        str(v)
        for v in view.violations()
        if (v.condition, v.label) == (corruption.condition, corruption.label)
    ]
    assert any(corruption.detail in text for text in found), [*map(str, view.violations())]
    with pytest.raises(InvariantError, match=r"\(\w+:\w+\): "):
        view.check()


# --- through the methods that every storage has ---------------------------------------------------------


def some_triangle(engine: Engine[Any]) -> tuple[Any, Any, Any]:
    """Handles of the three variables."""
    x, y, _ = next(iter(engine.relations[0].tuples()))
    _, z, _ = next(iter(engine.relations[1].tuples()))
    return x, y, z


def add_to_head(engine: Engine[Any]) -> None:
    engine.head.add(0, *some_triangle(engine), 5)


def add_to_sums(engine: Engine[Any]) -> None:
    """The row of one y is added for an x once too often."""
    index, tree = next(iter(engine.summed.items()))
    first = engine.plan.trees[index].first
    x, _, _ = next(iter(engine.relations[first].tuples()))
    following = engine.relations[(first + 1) % 3]
    y, z, _ = next(iter(following.tuples()))
    tree.add_row(x, y, following.status(1, z), 1)


def remove_kept_value(engine: Engine[Any]) -> None:
    tree = next(tree for tree in engine.kept.values() if tree.root_pairs())
    tree.remove(*next(iter(tree.entries())))


def close_root_pair(engine: Engine[Any]) -> None:
    tree = next(tree for tree in engine.kept.values() if tree.root_pairs())
    tree.close_root(*tree.root_pairs()[0])


def mark_heavy(engine: Engine[Any]) -> None:
    relation = engine.relations[0]
    relation.mark(0, next(v for v in relation.values(0) if relation.degree(0, v) == 1), HEAVY)


def mark_light(engine: Engine[Any]) -> None:
    relation = engine.relations[0]
    relation.mark(0, next(v for v in relation.values(0) if relation.status(0, v) == HEAVY), LIGHT)


def remove_tuple(engine: Engine[Any]) -> None:
    relation = engine.relations[2]
    x, y, _ = next(iter(relation.tuples()))
    relation.remove(x, y, relation.status(0, x), relation.status(1, y))


def put_multiplicity(engine: Engine[Any]) -> None:
    relation = engine.relations[1]
    x, y, m = next(iter(relation.tuples()))
    relation.put(x, y, relation.status(0, x), relation.status(1, y), m + 1)


def watch_late(engine: Engine[Any]) -> None:
    engine.relations[0].watch_from(engine.threshold.heavy + 1)


def watch_fewer(engine: Engine[Any]) -> None:
    engine.relations[0].watch += 1


IN_ANY_STORAGE = [
    *((free, watch_late, "watch") for free in ("", "AC")),
    *((free, watch_fewer, "index") for free in ("", "AC")),
    *((free, add_to_head, "view") for free in ("", "A", "AC", "ABC")),
    *((free, add_to_sums, "view") for free in ("", "A", "AB")),
    *((free, do, "view") for free in ("A", "AB", "ABC") for do in (remove_kept_value, close_root_pair)),
    ("", mark_heavy, "heavy part"),
    ("AB", mark_heavy, "index"),
    ("ABC", mark_light, "index"),
    *((free, remove_tuple, "size") for free in ("", "A", "AB", "ABC")),
    *((free, put_multiplicity, "view") for free in ("", "A", "AB", "ABC")),
    ("A", change_size, "size"),
    ("AB", change_base, "size invariant"),
    ("ABC", change_threshold, "threshold"),
]


@pytest.mark.parametrize(("free", "do", "condition"), IN_ANY_STORAGE)
def test_check_reports_in_any_storage(free: str, do: Callable[[Engine[Any]], object], condition: str) -> None:
    """The same for whichever storage plain integers use."""
    view = TriangleView(free, SPREAD_EPSILON, database=spread_database(RINGS["N"]))
    view.check()
    do(engine_of(view))
    assert condition in {violation.condition for violation in view.violations()}


def test_a_view_that_is_too_large_is_reported() -> None:
    """The bounds are proved from the other conditions, so this takes a wrong N as well."""
    view = TriangleView("AB", "1/4", database=hub(0, 1, 4, Fraction(1, 4), RINGS["N"]))
    view._engine.base = 2
    assert "space" in {violation.condition for violation in view.violations()}
