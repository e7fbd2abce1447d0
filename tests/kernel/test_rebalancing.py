"""A moved tuple touches only what its new part changes (`rebalancing.move`)."""

from typing import NoReturn

import pytest

from ivme import TriangleView
from ivme.kernel.parts import HEAVY, LIGHT
from ivme.kernel.rebalancing import move_tuples
from ivme.workloads import agm
from tests.support.inside import dict_engine


def forbidden(*arguments: object) -> NoReturn:
    raise AssertionError("the head map does not depend on the parts here")


@pytest.mark.pure
def test_the_count_stays_as_it_is_while_tuples_move(monkeypatch: pytest.MonkeyPatch) -> None:
    """All combinations of parts are summed in the head map of the count query, whatever the parts."""
    view = TriangleView("", "2/3", database=agm(75).database())
    engine = dict_engine(view)
    assert engine.relations[0].status(0, 1) == LIGHT
    before, steps = view[()], engine.steps
    monkeypatch.setattr(engine, "add_to_head", forbidden)
    monkeypatch.setattr(engine, "spread", forbidden)
    moved = move_tuples(engine, 0, 0, 1, HEAVY)
    assert moved == engine.relations[0].degree(0, 1)
    assert engine.steps > steps
    assert view[()] == before
    assert {violation.condition for violation in view.violations()} <= {"heavy part"}
