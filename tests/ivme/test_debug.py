"""Debug mode: `check()` after every update, after every n-th, or never."""

from random import Random
from typing import Any

import pytest
from attrs import evolve

import ivme.view
from ivme import InvariantError, TriangleView
from ivme.kernel.plan import Plan, compile_plan
from ivme_spec.queries import HEADS
from ivme_spec.relations import RELATIONS
from ivme_spec.views import Decomposition
from tests.agreement.harness import RINGS
from tests.agreement.sequences import SPREAD_EPSILON, spread_database


def spread_view(free: str, debug: bool | int) -> TriangleView[int]:
    """A view with triangles in every combination of parts: every tree and every index holds something."""
    return TriangleView(free, SPREAD_EPSILON, database=spread_database(RINGS["N"]), debug=debug)


@pytest.mark.parametrize("free", HEADS)
def test_debug_names_the_violation_and_the_update(free: str) -> None:
    view = spread_view(free, debug=True)
    view.insert("R", 700, 700)
    view._engine.size += 1
    with pytest.raises(InvariantError, match=r"after update 2.*'S', 'x', 7, 3.*size \(def:ivme_state\)"):
        view.insert("S", "x", 7, 3)


def checks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the updates after which views look for violations."""
    seen: list[int] = []
    original = TriangleView.violations

    def violations(self: TriangleView[Any]) -> Any:
        seen.append(self._engine.version)
        return original(self)

    monkeypatch.setattr(TriangleView, "violations", violations)
    return seen


@pytest.mark.parametrize(
    ("debug", "environment", "expected"),
    [
        (True, None, [1, 2, 3, 4, 5, 6, 7]),
        (1, None, [1, 2, 3, 4, 5, 6, 7]),
        (3, None, [3, 6]),
        (100, None, []),
        (False, None, []),
        (0, None, []),
        (None, None, []),
        (None, "", []),
        (None, "0", []),
        (None, "1", [1, 2, 3, 4, 5, 6, 7]),
        (None, "2", [2, 4, 6]),
        (False, "1", []),
        (4, "1", [4]),
    ],
)
def test_debug_checks_as_often_as_asked(
    debug: Any, environment: str | None, expected: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The argument goes before IVME_DEBUG."""
    if environment is None:
        monkeypatch.delenv("IVME_DEBUG", raising=False)
    else:
        monkeypatch.setenv("IVME_DEBUG", environment)
    seen = checks(monkeypatch)
    view = TriangleView("A", debug=debug)
    for x in range(7):
        view.insert("R", x, x)
    assert seen == expected


def lists_nothing(decomposition: Decomposition) -> Plan:
    """A plan that sums no triangle into the head map."""
    return evolve(compile_plan(decomposition), listed=((((),) * 16),) * 3)


def test_a_given_database_is_checked_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = checks(monkeypatch)
    spread_view("AB", debug=True)
    assert seen == [0]
    monkeypatch.setattr(ivme.view, "compile_plan", lists_nothing)
    with pytest.raises(InvariantError, match="fig:view_definitions"):
        spread_view("AB", debug=5)
    spread_view("AB", debug=False)


@pytest.mark.parametrize("free", HEADS)
def test_debug_finds_nothing_in_a_good_run(free: str, rng: Random) -> None:
    view = TriangleView(free, "1/4", debug=True)
    for _ in range(40):
        view.insert(rng.choice(RELATIONS), rng.randrange(4), rng.randrange(4))
