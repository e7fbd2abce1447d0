"""A moved tuple touches only what its new part changes (`Engine.move`)."""

from typing import NoReturn

import pytest

from ivme import TriangleView
from ivme.kernel.plan import HEAVY, LIGHT
from ivme.workloads import agm


def forbidden(*arguments: object) -> NoReturn:
    raise AssertionError("the head map does not depend on the parts here")


@pytest.mark.pure
def test_the_count_stays_as_it_is_while_tuples_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """All combinations of parts are summed in the head map of the count query, whatever the parts."""
    view = TriangleView("", "2/3", database=agm(75).database())
    engine = view._engine
    assert engine.relations[0].status(0, 1) == LIGHT
    before, steps = view[()], engine.steps
    monkeypatch.setattr(engine, "add_to_head", forbidden)
    monkeypatch.setattr(engine, "spread", forbidden)
    moved = engine.move_tuples(0, 0, 1, HEAVY)
    assert moved == engine.relations[0].degree(0, 1)
    assert engine.steps > steps
    assert view[()] == before
    assert {violation.condition for violation in view.violations()} <= {"heavy part"}
