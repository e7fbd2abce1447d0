"""E1: AffectedPart sends a new tuple of a heavy value to LL."""

import pytest

from ivme_reference.paper.engine import PaperEngine
from ivme_reference.paper.repairs import ALL, Repair
from ivme_spec.bounds import HEAVY_VALUES
from ivme_spec.rings import NATURALS
from tests.errata.traces import by_definition, conditions, replay

AS_PRINTED = ALL - {Repair.AFFECTED_PART}


@pytest.mark.parametrize(
    ("free", "epsilon", "script"),
    [
        ("", "1/4", "+R(1,1) +R(1,0) -R(1,1) +R(1,1)"),
        ("", "1/2", "+R(1,0) +R(0,0) -R(0,0) +R(0,0)"),
        ("A", "1/3", "+R(1,1) +R(1,0) -R(1,1) +R(1,1)"),
        ("AB", "1/4", "+S(1,1) +S(1,0) -S(1,1) +S(1,1)"),
    ],
)
def test_e01_a_value_is_heavy_and_light_at_once(free: str, epsilon: str, script: str) -> None:
    printed = replay(PaperEngine(free, epsilon, NATURALS, "double", repairs=AS_PRINTED), script)
    assert conditions(printed) == {"domain partition"}
    assert conditions(replay(PaperEngine(free, epsilon, NATURALS, "double"), script)) == set()


def test_e01_a_heavy_value_falls_below_half_the_threshold_unnoticed() -> None:
    script = "+R(0,0) +R(0,1) +R(0,2) +S(0,0) -R(0,2) +R(0,3) -R(0,1) -R(0,3)"
    printed = replay(PaperEngine("A", "1/2", repairs=AS_PRINTED), script)
    assert printed.part("R", "HL") == {(0, 0): 1}
    assert printed.state().base == 8
    assert conditions(printed) == {"heavy part"}
    repaired = replay(PaperEngine("A", "1/2"), script)
    assert repaired.part("R", "LL") == {(0, 0): 1}
    assert conditions(repaired) == set()


def leave_behind(engine: PaperEngine[int], a: int, first: int, half: int, light: int) -> None:
    """Make the A-value a heavy in T, exchange its tuples but T(0,a) for new ones, and delete the new ones."""
    old = range(first, first + light - 1)
    new = range(first + light, first + light + half)
    for c in (0, *old):
        engine.insert("T", c, a)
    for c in old[half:]:
        engine.delete("T", c, a)
    for c in new:
        engine.insert("T", c, a)
    for c in (*old[:half], *new):
        engine.delete("T", c, a)


@pytest.mark.parametrize(("size", "values"), [(32, 18), (48, 27)])
def test_e01_updates_then_take_linear_time(size: int, values: int) -> None:
    """An update of S(b,0) in the binary query walks the A-values of 0 in T^HH, at most 2N^(1-ε) of them."""
    fillers = {"T": [(0, 1000 + i) for i in range(size)]}
    for repairs, left in ((AS_PRINTED, values), (ALL, 0)):
        engine = PaperEngine("AB", "1/2", database=fillers, repairs=repairs)
        theta = engine._state.threshold()
        for a in range(values):
            leave_behind(engine, a, first=1 + 100 * a, half=theta.heavy, light=theta.light)
        state = engine.state()
        degrees = state.database()["T"].degrees("A")
        walked = [a for c, a in engine.part("T", "HH") if c == 0]
        assert state.base == 2 * size + 1
        assert len(walked) == left
        assert all(degrees[a] == 1 for a in walked)
        assert HEAVY_VALUES.allows(len(walked), state.base, state.epsilon) == (repairs == ALL)
        assert dict(engine) == by_definition(engine)
