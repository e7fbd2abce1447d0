"""The pieces of the charts."""

from __future__ import annotations

import random
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from ivme.report.svg import (
    LINE,
    Beside,
    Canvas,
    Scale,
    counting_ticks,
    labels_beside,
    power_ticks,
    room_beside,
)
from ivme.report.timeline import groups, stairs


def test_scales() -> None:
    linear = Scale(0, 10, 100, 0)
    assert [linear(value) for value in (0, 5, 10, -3, 12)] == [100, 50, 0, 100, 0]
    logarithmic = Scale(1, 1000, 0, 30, logarithmic=True)
    assert [logarithmic(value) for value in (1, 10, 1000, 0)] == pytest.approx([0, 10, 30, 0])
    assert Scale(5, 5, 0, 10)(5) == 5


@pytest.mark.parametrize("high", [1, 3, 7, 10, 24, 99, 100, 101, 12_345, 10**9])
def test_counting_ticks_are_few_round_and_even(high: int) -> None:
    ticks = [round(tick.value) for tick in counting_ticks(high, 6)]
    assert ticks[0] == 0
    assert 2 <= len(ticks) <= 7
    assert ticks[-1] <= high < ticks[-1] + ticks[1]
    assert str(ticks[1]).rstrip("0") in ("1", "2", "5")
    assert ticks == [ticks[1] * number for number in range(len(ticks))]
    assert counting_ticks(12_345, 6)[1].text == "5,000"


def test_power_ticks() -> None:
    assert [tick.value for tick in power_ticks(1, 1000)] == [1, 10, 100, 1000]
    assert [tick.text for tick in power_ticks(10, 1500)] == ["10", "100", "1,000"]
    assert len(power_ticks(1, 10**20, 6)) <= 7


def test_labels_do_not_overlap_and_keep_their_order(rng: random.Random) -> None:
    for _ in range(50):
        wanted = [rng.uniform(20, 200) for _ in range(rng.randrange(1, 8))]
        canvas = Canvas("x", 300, 220, "", "")
        labels_beside(canvas, 200, [Beside(y, f"{y}", "c1") for y in wanted], 20, 200)
        found = {text.text: float(text.get("y", "")) - 4 for text in canvas.root.iter("text")}
        heights = [found[f"{y}"] for y in sorted(wanted)]
        assert all(below - above >= LINE - 0.2 for above, below in pairwise(heights))
        assert min(heights) >= 20 - 0.1
        assert max(heights) <= 200 + 0.1


def test_text_is_escaped() -> None:
    canvas = Canvas("x", 10, 10, "<t> & co", 'a "description"')
    canvas.text(1, 1, "<script>alert(1)</script>")
    canvas.mark("circle", 1, 1, "c1", "</title><b>")
    root = ElementTree.fromstring(canvas.write())
    assert [element.text for element in root.iter("text")] == ["<script>alert(1)</script>"]
    assert [element.text for element in root.iter("title")] == ["<t> & co", "</title><b>"]
    assert list(root.iter("script")) == []


def test_room_grows_with_the_longest_label() -> None:
    assert room_beside(["ab", "abcdef"]) > room_beside(["ab"]) > room_beside([])


def test_groups_hold_every_update(rng: random.Random) -> None:
    for count in (1, 5, 320, 321, 1000):
        steps = [rng.randrange(100) for _ in range(count)]
        found = groups(steps, 320)
        assert len(found) <= 320
        assert found[0].first == 1
        assert found[-1].last == count
        for group in found:
            part = steps[group.first - 1 : group.last]
            assert (group.largest, group.mean) == (max(part), sum(part) / len(part))
    assert groups([]) == []


def test_stairs_turn_where_the_value_changes() -> None:
    assert stairs([7]) == [(1, 7), (1, 7)]
    assert stairs([7, 7, 14, 14, 3]) == [(1, 7), (3, 7), (3, 14), (5, 14), (5, 3), (5, 3)]
