"""The state behind `ivme play`: live from a view, right, and unchanged by what is refused."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from typing import Any

import pytest

from ivme.play.demo import EPSILONS, LONGEST_VALUE, MOST_VALUES, QUERIES, Demo
from ivme.play.presets import PRESETS
from ivme_reference.naive import Naive
from ivme_spec.errors import InputError
from ivme_spec.queries import Query

Request = dict[str, Any]


def act(demo: Demo, request: object) -> dict[str, Any]:
    return demo.act(request)


def tuples(state: dict[str, Any]) -> dict[tuple[str, str, str], int]:
    return {(entry["relation"], entry["x"], entry["y"]): entry["copies"] for entry in state["tuples"]}


def answer(state: dict[str, Any]) -> dict[tuple[str, ...], int]:
    return {tuple(row): m for row, m in state["answer"]["rows"]}


def expected(free: str, held: dict[tuple[str, str, str], int]) -> dict[tuple[object, ...], int]:
    reference: Naive[int] = Naive(free)
    for (relation, x, y), copies in held.items():
        reference.update(relation, x, y, copies)
    return dict(reference)


def heavy(state: dict[str, Any]) -> set[tuple[str, str, str]]:
    return {
        (entry["relation"], entry["column"], entry["value"]) for entry in state["status"] if entry["heavy"]
    }


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: query.slug)
def test_answers_are_those_of_the_reference(query: Query, rng: random.Random) -> None:
    demo = Demo()
    held = {("R", "a1", "b1"): 1, ("S", "b1", "c1"): 1, ("T", "c1", "a1"): 1}
    state = act(demo, {"do": "configure", "free": query.free, "partitioning": query.partitioning})
    refused = 0
    for number in range(90):
        if number % 20 == 19:
            state = act(demo, {"do": "configure", "epsilon": rng.choice(EPSILONS)})
        relation = rng.choice("RST")
        x, y = (f"{letter}{rng.randrange(1, 4)}" for letter in {"R": "ab", "S": "bc", "T": "ca"}[relation])
        what, copies = rng.choice(["insert", "insert", "delete"]), rng.randrange(1, 3)
        request = {"do": what, "relation": relation, "x": x, "y": y, "copies": copies}
        left = held.get((relation, x, y), 0) + (copies if what == "insert" else -copies)
        if left < 0:
            refused += 1
            with pytest.raises(InputError, match="cannot be deleted"):
                act(demo, request)
            assert act(demo, {"do": "look"}) == state
            continue
        state = act(demo, request)
        held[relation, x, y] = left
        assert tuples(state) == {key: m for key, m in held.items() if m}
        assert answer(state) == expected(query.free, tuples(state))
        assert state["total"] == sum(expected(query.free, tuples(state)).values())
    assert refused > 0
    json.dumps(state)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_classes_follow_from_degrees(epsilon: str) -> None:
    """After a load a value is heavy exactly if its degree is at least N^ε; N is 2·|D| + 1."""
    demo = Demo()
    act(demo, {"do": "preset", "name": "hub"})
    state = act(demo, {"do": "configure", "epsilon": epsilon})
    assert state["N"] == 2 * 18 + 1
    exact = Fraction(epsilon)
    degrees: dict[tuple[str, str, str], int] = {}
    for relation, x, _ in tuples(state):
        key = (relation, {"R": "A", "S": "B", "T": "C"}[relation], x)
        degrees[key] = degrees.get(key, 0) + 1
    assert {(s["relation"], s["column"], s["value"]): s["degree"] for s in state["status"]} == degrees
    wanted = {key for key, d in degrees.items() if d**exact.denominator >= state["N"] ** exact.numerator}
    assert heavy(state) == wanted


def test_a_double_partition_has_classes_in_both_columns() -> None:
    demo = Demo()
    act(demo, {"do": "preset", "name": "hub"})
    state = act(demo, {"do": "configure", "free": "", "partitioning": "double"})
    assert heavy(state) == {("R", "A", "a1"), ("S", "C", "c1")}


def test_near_threshold_is_near_it() -> None:
    demo = Demo()
    state = act(demo, {"do": "preset", "name": "near-threshold"})
    assert (state["N"], state["limits"]) == (25, {"heavy": 3, "strict": 5, "light": 8})
    assert heavy(state) == {("S", "B", "b1")}
    assert [entry["kind"] for entry in state["log"]] == ["made"]
    state = act(demo, {"do": "insert", "relation": "R", "x": "a1", "y": "b8"})
    assert heavy(state) == {("S", "B", "b1"), ("R", "A", "a1")}
    assert state["last"]["steps"]["minor"] > 0
    state = act(demo, {"do": "delete", "relation": "S", "x": "b1", "y": "c3"})
    assert heavy(state) == {("R", "A", "a1")}
    assert [entry["text"].partition(";")[0] for entry in state["log"][:2]] == [
        "minor rebalancing: b1 of B became light in S",
        "minor rebalancing: a1 of A became heavy in R",
    ]
    assert state["costs"]["minor_count"] == 2


def test_growth_is_told_as_major_rebalancing() -> None:
    demo = Demo()
    state = act(demo, {"do": "look"})
    assert state["N"] == 7
    for value in "1234":
        state = act(demo, {"do": "insert", "relation": "R", "x": value, "y": value})
    assert state["size"] == 7
    assert state["N"] == 14
    assert state["log"][0]["text"].startswith("major rebalancing: N grew to 14")
    assert state["last"]["steps"]["major"] == state["costs"]["major"] > 0


def test_steps_of_the_last_update_add_up() -> None:
    demo = Demo()
    total = 0
    for name in PRESETS:
        state = act(demo, {"do": "preset", "name": name})
        total = state["maintenance"]
        for value in ("b1", "b2", "b3"):
            state = act(demo, {"do": "insert", "relation": "R", "x": "a2", "y": value})
            total += sum(state["last"]["steps"].values())
            assert state["maintenance"] == total


def test_new_values_join_their_columns() -> None:
    demo = Demo()
    state = act(demo, {"do": "insert", "relation": "T", "x": " ü ", "y": "<b>"})
    assert state["columns"]["C"][-1] == "ü"
    assert state["columns"]["A"][-1] == "<b>"
    state = act(demo, {"do": "delete", "relation": "T", "x": "ü", "y": "<b>"})
    assert state["columns"]["C"][-1] == "ü"


INSERT: Request = {"do": "insert", "relation": "R", "x": "a1", "y": "b2"}

BAD: list[tuple[object, str]] = [
    (None, "not a JSON object"),
    ([], "not a JSON object"),
    ({}, "do None"),
    ({"do": ["insert"]}, "do ["),
    ({"do": "drop"}, "insert, delete, configure, preset, look"),
    ({**INSERT, "relation": "Q"}, "it is R, S or T"),
    ({**INSERT, "relation": {}}, "it is R, S or T"),
    ({**INSERT, "x": ""}, f"1 to {LONGEST_VALUE} printable"),
    ({**INSERT, "x": "  "}, f"1 to {LONGEST_VALUE} printable"),
    ({**INSERT, "y": "b" * (LONGEST_VALUE + 1)}, f"1 to {LONGEST_VALUE} printable"),
    ({**INSERT, "y": "b\n2"}, "printable"),
    ({**INSERT, "y": "\ud800"}, "printable"),
    ({**INSERT, "y": 2}, "printable"),
    ({**INSERT, "copies": 0}, "whole number"),
    ({**INSERT, "copies": -1}, "whole number"),
    ({**INSERT, "copies": 1000}, "whole number"),
    ({**INSERT, "copies": 1.0}, "whole number"),
    ({**INSERT, "copies": True}, "whole number"),
    ({**INSERT, "do": "delete", "y": "b8"}, "cannot be deleted"),
    ({"do": "configure", "epsilon": "2/5"}, "it is one of 0, 1/4"),
    ({"do": "configure", "epsilon": ["1/2"]}, "it is one of 0, 1/4"),
    ({"do": "configure", "free": "AA"}, "not offered"),
    ({"do": "configure", "free": 1}, "texts"),
    ({"do": "configure", "free": "AB", "partitioning": "double"}, "not offered"),
    ({"do": "preset", "name": "moon"}, "triangle, hub, near-threshold"),
    ({"do": "preset", "name": []}, "triangle, hub, near-threshold"),
]


@pytest.mark.parametrize(("request_", "said"), BAD, ids=range(len(BAD)))
def test_bad_requests_change_nothing(request_: object, said: str) -> None:
    demo = Demo()
    act(demo, {"do": "preset", "name": "near-threshold"})
    before = act(demo, {"do": "look"})
    with pytest.raises(InputError) as caught:
        act(demo, request_)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
    assert act(demo, {"do": "look"}) == before


def test_a_column_has_room_for_so_many_values() -> None:
    demo = Demo()
    state = act(demo, {"do": "look"})
    for number in range(4, MOST_VALUES + 1):
        state = act(demo, {"do": "insert", "relation": "R", "x": f"a{number}", "y": "b1"})
    with pytest.raises(InputError, match="has room for 16 values"):
        act(demo, {"do": "insert", "relation": "R", "x": "one more", "y": "b1"})
    assert act(demo, {"do": "look"}) == state
