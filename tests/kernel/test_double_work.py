"""What could be done twice is done once: lifting a multiplicity, building an engine, finding triangles."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ivme.view
from ivme import InputError, Ring, TriangleView
from ivme.kernel import enumeration
from ivme.kernel.engine import Engine
from ivme.workloads import delay_binary, delay_unary
from ivme_spec.rings import INTEGERS, integer

# --- multiplicities -----------------------------------------------------------------------------------------


class Lifted:
    """A ring of integers that counts how often a multiplicity is lifted."""

    def __init__(self) -> None:
        self.count = 0
        self.ring: Ring[int] = Ring("counted ℤ", 0, 1, self.lift)

    def lift(self, multiplicity: object) -> int:
        self.count += 1
        return integer(multiplicity)


CALLBACKS: dict[str, dict[str, Any]] = {
    "alone": {},
    "observed": {"on_change": lambda change: None, "on_rebalance": lambda event: None},
    "checked": {"debug": True},
}

CHANGES: dict[str, Callable[[TriangleView[int]], object]] = {
    "insert": lambda view: view.insert("R", 1, 2, 3),
    "delete": lambda view: view.delete("R", 1, 2, 3),
    "update": lambda view: view.update("R", 1, 2, -3),
    "apply": lambda view: view.apply([("R", 1, 2, 3)]),
    "delta": lambda view: view.delta("R", 1, 2, 3),
}


@pytest.mark.parametrize("callbacks", CALLBACKS)
@pytest.mark.parametrize("change", CHANGES)
def test_a_multiplicity_is_lifted_once(change: str, callbacks: str) -> None:
    lifted = Lifted()
    view = TriangleView("A", ring=lifted.ring, **CALLBACKS[callbacks])
    view.apply([("R", 1, 2, 5), ("S", 2, 3), ("T", 3, 1)])
    before = lifted.count
    CHANGES[change](view)
    assert lifted.count == before + 1


# --- engines ------------------------------------------------------------------------------------------------


def engines(monkeypatch: pytest.MonkeyPatch) -> list[Engine[Any]]:
    """The engines that views make from now on."""
    made: list[Engine[Any]] = []

    def counted(*arguments: Any) -> Engine[Any]:
        made.append(Engine(*arguments))
        return made[-1]

    monkeypatch.setattr(ivme.view, "Engine", counted)
    return made


GOOD: dict[str, tuple[dict[str, object], int]] = {
    "plain": ({"R": {(1, 2): 3}, "S": [(2, 3), (2, 3)], "T": {(3, 1)}}, 3),
    "half plain": ({"R": {(1, 2): 3}, "S": [(2, 3)], "T": {(3, 1): -1, (3, 2): 1}}, 4),
    "lists for pairs": ({"R": [(1, 2)], "S": [[2, 3]]}, 2),
    "a generator": ({"R": [(1, 2)], "S": (pair for pair in [(2, 3)])}, 2),
    "nothing": ({}, 0),
}

BAD: dict[str, dict[str, object]] = {
    "an unhashable value, last": {"R": [(1, 2)] * 9, "S": {(2, 3): 1}, "T": [(3, 1), (3, [])]},
    "a triple": {"R": [(1, 2)], "S": [(2, 3), (1, 2, 3)]},
    "a fraction of a tuple": {"R": {(1, 2): 1}, "S": {(2, 3): 0.5}},
    "an unknown relation": {"R": [(1, 2)], "U": [(1, 2)]},
}


@pytest.mark.parametrize("case", GOOD)
def test_a_database_of_any_kind_is_loaded_into_one_engine(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = engines(monkeypatch)
    database, size = GOOD[case]
    view = TriangleView("A", database=database, ring=INTEGERS)
    assert len(made) == 1
    assert made[0].size == view.size == size
    view.check()


@pytest.mark.parametrize("case", BAD)
def test_a_database_that_is_refused_has_cost_one_engine(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = engines(monkeypatch)
    with pytest.raises(InputError):
        TriangleView("A", database=BAD[case])
    assert len(made) == 1


# --- triangles ----------------------------------------------------------------------------------------------


@pytest.mark.pure
@pytest.mark.parametrize("free", ["A", "AB"])
def test_the_triangles_of_a_reported_row_are_found_once(free: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In each tree: a row of the tree, which `next` finds, is not looked for again to sum it up."""
    workload = (delay_unary if free == "A" else delay_binary)(600, "1/3")
    view = TriangleView(free, "1/3", database=workload.database())
    found: Counter[tuple[tuple[Any, ...], int]] = Counter()
    triangles_of = enumeration.triangles_of

    def counted(
        engine: Engine[Any], row: tuple[Any, ...], index: int | None = None
    ) -> Iterator[tuple[Any, Any, Any]]:
        assert index is not None, "the head map has no row here"
        triangles = list(triangles_of(engine, row, index))
        found[row, index] += bool(triangles)
        return iter(triangles)

    monkeypatch.setattr(enumeration, "triangles_of", counted)
    rows = dict(view)
    assert len(rows) > 5
    reported = {enumeration.values_of(view._engine, row): count for (row, _), count in found.items() if count}
    assert reported == dict.fromkeys(rows, 1)
