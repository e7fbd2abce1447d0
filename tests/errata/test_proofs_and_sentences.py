"""E10-E14, E17, E18: what proofs and sentences of the paper say, and what happens."""

from fractions import Fraction

import pytest

from ivme_reference.paper import maintenance
from ivme_reference.paper.engine import PaperEngine
from ivme_reference.paper.state import Minor, Move, PaperState
from ivme_spec.bounds import query_bounds
from ivme_spec.relations import SCHEMAS, VARIABLES, Row, restrict
from ivme_spec.thresholds import HALF, reaches, threshold
from tests.errata.traces import moves, replay

QUARTER = Fraction(1, 4)

# --- E10-E13: the proof of prop:amortized_update_time ------------------------------------------------------


def test_e10_the_first_update_can_make_a_value_heavy() -> None:
    engine = PaperEngine("", QUARTER, database={"R": [(1, 1)]})
    theta = threshold(engine.state().base, QUARTER)
    assert theta.base == 3
    assert theta.strict == theta.light == 2  # the proof has ⌈θ⌉ < ⌈³⁄₂θ⌉
    engine.insert("R", 1, 2)
    assert engine.log[-1] == Move(step=1, relation="R", variable="A", value=1, to="H", tuples=2)
    assert reaches(1, HALF, theta.base, QUARTER)  # one update is more than θ/2, as in case 1


@pytest.mark.parametrize("epsilon", [QUARTER, Fraction(1, 2), Fraction(3, 4)], ids=str)
def test_e10_the_two_bounds_agree_exactly_between_1_and_four_thirds(epsilon: Fraction) -> None:
    for base in range(1, 300):
        theta = threshold(base, epsilon)
        within = base > 1 and reaches(4, Fraction(3), base, epsilon)  # 1 < θ ≤ 4/3
        assert (theta.strict == theta.light) == within


def test_e11_a_value_can_become_heavy_twice_in_a_row() -> None:
    come, go = "+R(0,0) +R(0,1) +R(0,2)", "-R(0,0) -R(0,1) -R(0,2)"
    engine = PaperEngine("", QUARTER, database={"S": [(0, 0), (1, 0), (2, 0), (3, 0)]})
    replay(engine, f"{come} {go} {come}")
    assert moves(engine) == ["H", "H"]
    between = 6
    theta = threshold(engine.state().base, QUARTER)
    assert not any(
        step.step == 6 for step in engine.log if isinstance(step, Move)
    )  # it vanished without a move
    assert not reaches(1, Fraction(1), theta.base, QUARTER)  # 1 < θ
    assert reaches(2, Fraction(1), theta.base, QUARTER)  # θ ≤ 2
    assert reaches(between, Fraction(1), theta.base, QUARTER)  # the inequality of case 2 holds


def test_e12_only_updates_of_the_value_are_charged_to_it() -> None:
    """The chain takes ĉ_i^{R,α} as 2γN^max for all i, but by its definition it is 0 for other updates."""
    engine = PaperEngine("", QUARTER, database={"S": [(0, 0), (1, 0), (2, 0), (3, 0)]})
    updates = [("R", 0, 0), ("S", 9, 9), ("R", 0, 1), ("R", 0, 2)]
    for name, x, y in updates:
        engine.insert(name, x, y)
    assert moves(engine) == ["H"]
    charged = [1 if (name, x) == ("R", 0) else 0 for name, x, _ in updates]  # ĉ_i^{R,0} in units of 2γN^max
    assert sum(charged) == 3 < len(updates)
    assert reaches(sum(charged), HALF, engine.state().base, QUARTER)  # what the next line of the chain needs


def test_e13_the_costs_of_c_values_belong_to_s_and_t() -> None:
    relations_of = {x: {name for name, schema in SCHEMAS.items() if x in schema} for x in VARIABLES}
    assert relations_of == {"A": {"R", "T"}, "B": {"R", "S"}, "C": {"S", "T"}}
    engine = PaperEngine("AB", QUARTER, database={"S": [(1, 1)]})
    engine.insert("S", 2, 1)  # c^{S,c} is not 0, and the sum has no term for it
    assert [(m.relation, m.variable) for m in engine.log if isinstance(m, Move)] == [("S", "C")]


# --- E14: ε = 0 -----------------------------------------------------------------------------------------


def test_e14_without_the_condition_heavy_parts_hold_values_of_degree_1(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def known_heavy(name: str, position: int, row: Row, state: PaperState[int]) -> str:
        return "H" if any(other[0] == row[0] for other in state.parts_of(name)["H"]) else "L"

    monkeypatch.setattr(maintenance, "heavy_or_light", known_heavy)
    engine = replay(PaperEngine("", 0), "+R(0,0)")
    assert engine.part("R", "H") == {(0, 0): 1}
    assert replay(engine, "+S(0,0) +R(1,0)").part("R", "L") == {(1, 0): 1}


def test_e14_minor_rebalancing_is_called_for_epsilon_zero_without_effect() -> None:
    engine = replay(PaperEngine("", 0), "+R(0,0) +S(0,0) -R(0,0)")
    assert engine.log[-1] == Minor(step=3, relation="R", row=(0, 0))
    assert moves(engine) == []


# --- E17, E18: delays -----------------------------------------------------------------------------------


def test_e17_the_candidates_must_be_found_from_the_join() -> None:
    """Each A-value has one (B,C)-value in V_TR, while the root has all g²."""
    g = 6
    cells = [(g * b + c, b, c) for b in range(g) for c in range(g)]
    database = {
        "R": [(a, b) for a, b, _ in cells],
        "S": [(b, c) for _, b, c in cells],
        "T": [(c, a) for a, _, c in cells],
    }
    state = PaperEngine("A", QUARTER, database=database).state()
    join, root = state.views["v_tr"], state.views["v_lh_all_hl"]
    of_one = [row for row in join if restrict(row, "CAB", "A") == (0,)]
    assert len(of_one) == 1
    assert len(root) == g * g
    assert query_bounds("A").delay.powers(QUARTER)[0].exponent == 2 * QUARTER
    assert reaches(len(root), Fraction(2), state.base, 2 * QUARTER)  # walking the root: at least 2·N^{2ε}


@pytest.mark.parametrize(
    ("free", "epsilon", "same"),
    [("A", "1/4", False), ("A", "1/2", True), ("AB", "0", False), ("AB", "1/4", False), ("AB", "3/4", True)],
)
def test_e18_loomis_whitney_delays_are_not_those_of_the_triangle(free: str, epsilon: str, same: bool) -> None:
    n, k, exact = 3, len(free), Fraction(epsilon)
    loomis_whitney = min(Fraction(1), (n - k) * (1 - exact))
    triangle = query_bounds(free).delay.powers(exact)[0].exponent
    assert (loomis_whitney == triangle) == same
