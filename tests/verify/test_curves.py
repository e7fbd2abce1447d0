"""Exponents and the run that is told in full, against counts made here."""

from collections import Counter
from fractions import Fraction

import pytest

from ivme import TriangleView
from ivme.verify.exponents import COST_NAMES, exponent
from ivme.verify.judging import COSTS
from ivme.verify.timeline import FOLLOWED, timeline
from ivme.workloads import define
from ivme_spec.bounds import query_bounds
from ivme_spec.queries import QUERIES, Query
from ivme_spec.relations import SCHEMAS
from tests.support.broken_views import Slow, TooLarge
from tests.support.plans import HALF


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.slug)
@pytest.mark.parametrize("name", COST_NAMES)
def test_every_query_has_its_exponent(name: str, query: Query) -> None:
    """At ε = ½ within 0.12 of the claim, for sizes that are small; all counts within their bounds."""
    found = exponent(name, query, HALF, (300, 600, 1_200))
    assert found.problems == ()
    bound = getattr(query_bounds(query.free, query.partitioning), name)
    assert Fraction(found.claimed) == bound.powers(HALF)[0].exponent
    assert abs(found.measured - float(Fraction(found.claimed))) <= 0.12
    assert [n for n, _ in found.points] == sorted({n for n, _ in found.points})


@pytest.mark.parametrize("epsilon", ["0", "1"])
def test_space_is_linear_at_the_ends(epsilon: str) -> None:
    found = exponent("space", Query(""), Fraction(epsilon), (300, 600))
    assert found.claimed == "1"
    assert found.measured == pytest.approx(1, abs=0.01)


def test_a_count_beyond_its_bound_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ivme.verify.exponents.TriangleView", TooLarge)
    found = exponent("space", Query("A"), HALF, (300, 600))
    assert {problem.check for problem in found.problems} == {COSTS}
    assert found.family == "wide-views"
    assert found.problems[0].text.startswith("size 300: space: 200000 where N = ")


def test_an_engine_that_fails_is_a_problem_and_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*given: object, **named: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr("ivme.verify.exponents.TriangleView", failing)
    found = exponent("delay", Query("A"), HALF, (300, 600))
    assert found.points == ()
    assert "KeyError" in found.problems[0].text


def test_faults_of_other_costs_do_not_matter_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ivme.verify.exponents.TriangleView", Slow)
    assert exponent("space", Query("A"), HALF, (300,)).problems == ()


# --- the run that is told in full -----------------------------------------------------------------------

DEFINITION = define("grow-and-drain", peak=450, rounds=2)
THIRD = Fraction(1, 3)


def test_the_timeline_tells_what_a_view_counts() -> None:
    told = timeline(DEFINITION, "AB", THIRD)
    view = TriangleView("AB", THIRD)
    bases = []
    for update in DEFINITION.workload():
        view.update(*update)
        bases.append(view.threshold_base)
    assert sum(told.steps) == view.costs.maintenance
    assert len(told.steps) == view.costs.update_count
    assert list(told.bases) == bases
    kinds = Counter(mark.kind for mark in told.marks)
    assert kinds == {"minor": view.costs.minor_count, "major": view.costs.major_count}
    assert kinds["minor"] > 0
    assert {(mark.kind, mark.heavy) for mark in told.marks} == {
        (kind, heavy) for kind in ("minor", "major") for heavy in (True, False)
    }
    changed = [n for n in range(2, len(bases) + 1) if bases[n - 1] != bases[n - 2]]
    assert [mark.update for mark in told.marks if mark.kind == "major"][-len(changed) :] == changed


def test_moments_count_the_values_of_each_column() -> None:
    """Distinct values and degrees, counted from the updates; heavy ones are at least ½θ, light below ³⁄₂θ."""
    told = timeline(DEFINITION, "AB", THIRD)
    held: Counter[tuple[str, int, int]] = Counter()
    updates = iter(DEFINITION.workload())
    done = 0
    for number, moment in enumerate(told.moments):
        while done < moment.update:
            relation, x, y, m = next(updates)
            held[relation, x, y] += m
            done += 1
        present = [key for key, m in held.items() if m]
        assert moment.size == len(present)
        assert moment.least_heavy <= moment.strict <= moment.most_light
        for column in moment.columns:
            place = SCHEMAS[column.relation].index(column.variable) + 1
            degrees = Counter(key[place] for key in present if key[0] == column.relation)
            assert column.heavy + column.light == len(degrees)
            assert column.heavy >= sum(degree >= moment.most_light for degree in degrees.values())
            assert column.light >= sum(degree < moment.least_heavy for degree in degrees.values())
        for followed in told.followed:
            place = SCHEMAS[followed.relation].index(followed.variable) + 1
            own = sum(key[0] == followed.relation and key[place] == int(followed.value) for key in present)
            assert followed.points[number][:2] == (moment.update, own)
    assert 0 < len(told.followed) <= FOLLOWED
    assert any(heavy for followed in told.followed for _, _, heavy in followed.points)
