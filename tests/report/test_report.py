"""The report page: whole, escaped, true to the results, and never better than them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from attrs import evolve

from ivme.report import write_report
from ivme.report.tables import bound_rows
from ivme.verify.results import Check, Problem, Results
from ivme.verify.summary import families
from ivme_spec.errors import InputError
from tests.report.page import Element, parse
from tests.report.sample import EMPTY, EPSILONS, QUERIES, exponents, results, run


def written(folder: Path, found: Results, **options: Path) -> Element:
    page = folder / "index.html"
    write_report(found, page, **options)
    return parse(page.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def good() -> Results:
    return results()


@pytest.fixture(scope="module")
def page(good: Results, tmp_path_factory: pytest.TempPathFactory) -> Element:
    return written(tmp_path_factory.mktemp("report"), good)


def test_it_needs_no_network_and_no_script(page: Element) -> None:
    assert page.all("script") == []
    for element in page.all(""):
        for name in ("src", "href", "action", "data", "srcset", "xlink:href"):
            target = element.attributes.get(name, "#")
            assert target.startswith(("#", "data:,", "./")), target
        assert not [name for name in element.attributes if name.startswith("on")]
    (style,) = page.all("style")
    assert "url(" not in style.text
    assert "@import" not in style.text
    assert "prefers-color-scheme: dark" in style.text


def test_every_chart_has_a_title_a_description_and_units(page: Element) -> None:
    ids = [element.attributes["id"] for element in page.all("") if "id" in element.attributes]
    assert len(set(ids)) == len(ids)
    charts = page.all("svg")
    assert len(charts) == len(QUERIES) + 2 + 2 + 3 + 1  # two are drawn for wide and for narrow screens
    for chart in charts:
        title, description = (
            page.by_id(chart.attributes[name]) for name in ("aria-labelledby", "aria-describedby")
        )
        assert (title.tag, description.tag) == ("title", "desc")
        assert title.text
        assert description.text
        assert chart.attributes["role"] == "img"
        assert len(chart.all("text", "name")) == 2


def test_every_figure_has_its_data(page: Element) -> None:
    for section in ("tradeoff", "run"):
        figures = page.by_id(section).all("figure")
        assert len(figures) > 4
    for figure in page.by_id("tradeoff").all("figure"):
        assert figure.all("details")[0].all("table")
    moments = page.by_id("moments-table")
    assert [head.text for head in moments.all("thead")[0].all("th")][6:8] == ["A in R: heavy", "light"]


def test_text_from_results_is_text(tmp_path: Path) -> None:
    page = written(tmp_path, results(broken=True))
    assert page.all("b") == []
    assert "<test & co>" in page.all("header")[0].text
    assert "There was no <Spark>." in page.all("p", "note")[0].text
    assert "the answer differs: <b>3</b> & not 4" in page.by_id("problems").text
    assert "Degree of 0 <hub> of A in R" in [title.text for title in page.all("h4")]
    assert "intersection <3" in page.all("table", "exponents")[0].text


def test_exponents_in_the_tables_are_those_of_the_results(good: Results, page: Element) -> None:
    tables = page.by_id("tradeoff").all("table", "exponents")
    shown = [row[:4] for table in tables for row in table.rows()]
    assert sorted(shown) == sorted(
        [found.cost, found.epsilon, found.claimed, f"{found.measured:.3f}"] for found in good.exponents
    )


def test_steps_and_marks_in_the_tables_are_those_of_the_results(good: Results, page: Element) -> None:
    timeline = good.timeline
    assert timeline is not None
    rows = [[int(cell.replace(",", "")) for cell in row[:3]] for row in page.by_id("steps-table").rows()]
    assert [row[0] for row in rows] == [1, *(row[1] + 1 for row in rows[:-1])]
    assert rows[-1][1] == len(timeline.steps)
    assert all(largest == max(timeline.steps[first - 1 : last]) for first, last, largest in rows)
    assert len(page.by_id("marks-table").rows()) == len(timeline.marks)
    assert {mark.kind for mark in timeline.marks} == {"minor", "major"}
    shown = [row[1:] for row in page.by_id("followed-table").rows()]
    (value,) = timeline.followed
    assert shown == [[str(u), str(d), "heavy" if heavy else "light"] for u, d, heavy in value.points]


def test_major_rebalancing_is_marked_in_the_chart(good: Results, page: Element) -> None:
    timeline = good.timeline
    assert timeline is not None
    major = [mark for mark in timeline.marks if mark.kind == "major"]
    minor = [mark for mark in timeline.marks if mark.kind == "minor"]
    (chart,) = page.by_id("run").all("figure")[0].all("div", "wide")
    assert len(chart.all("path", "event")) == len(major) > 0
    said = [title.text for mark in chart.all("path", "mark") for title in mark.all("title")]
    for mark in [*major, *minor]:
        assert any(text.startswith(f"update {mark.update}: {mark.kind}") for text in said)


def polyline(path: str) -> list[tuple[float, float]]:
    return [tuple(map(float, pair.split())) for pair in path[1:].split("L")]  # type: ignore[misc]  # pairs


def height_on(line: list[tuple[float, float]], x: float) -> float:
    for (x1, y1), (x2, y2) in pairwise(line):
        if x1 <= x <= x2:
            return y1 + (y2 - y1) * (x - x1) / (x2 - x1)
    raise AssertionError(f"{x} is not on the line")


@pytest.mark.parametrize("shift", [0.0, 0.25])
def test_exact_measurements_lie_on_the_lines_of_the_paper(tmp_path: Path, shift: float) -> None:
    """The sample's exponents are the paper's, written by hand; the lines come from the spec."""
    exact = [evolve(found, measured=float(Fraction(found.claimed)) + shift) for found in exponents()]
    page = written(tmp_path, evolve(EMPTY, exponents=tuple(exact)))
    figures = page.by_id("tradeoff").all("figure")
    assert len(figures) == len(QUERIES)
    for figure in figures:
        ticks = {
            text.text: float(text.attributes["y"])
            for text in figure.all("text", "tick")
            if text.text in ("1", "½") and text.attributes["text-anchor"] == "end"
        }
        unit = 2 * (ticks["½"] - ticks["1"])
        circles = [circle for circle in figure.all("circle") if circle.all("title")]
        assert len(circles) == len(EPSILONS)
        line = polyline(figure.all("path", "c1")[0].attributes["d"])
        for circle in circles:
            x, y = float(circle.attributes["cx"]), float(circle.attributes["cy"])
            assert height_on(line, x) - y == pytest.approx(shift * unit, abs=0.3)
        for kind in ("c2", "c3"):
            line, *marks = (polyline(path.attributes["d"].rstrip("Z")) for path in figure.all("path", kind))
            centres = [outline_centre(mark) for mark in marks if len(mark) > 2]
            for x, y in centres[: len(EPSILONS)]:
                assert height_on(line, x) - y == pytest.approx(shift * unit, abs=0.5)


def outline_centre(corners: list[tuple[float, float]]) -> tuple[float, float]:
    """Of a square the middle; of a triangle as drawn, two fifths up from its base."""
    ys = [y for _, y in corners]
    x = (min(x for x, _ in corners) + max(x for x, _ in corners)) / 2
    return x, max(ys) - (max(ys) - min(ys)) * (0.5 if len(corners) == 4 else 0.4)


# --- verdicts -------------------------------------------------------------------------------------------


def test_a_good_verdict_is_said(page: Element) -> None:
    assert page.by_id("verdict").text == "✓ Everything holds"
    assert [row[3] for row in page.by_id("checks-table").rows()] == ["✓ holds"] * 2
    assert "✗" not in page.text


def test_a_bad_verdict_is_seen_everywhere(tmp_path: Path) -> None:
    page = written(tmp_path, results(broken=True))
    assert page.by_id("verdict").text == "✗ 2 problems"
    assert [row[3] for row in page.by_id("checks-table").rows()] == ["✗ fails"] * 2
    broken = [row for row in page.by_id("bounds-table").rows() if row[8] == "✗ fails"]
    assert [row[:2] for row in broken] == [["△()", "one update"]]
    assert page.by_id("workloads-table").rows()[0][-1] == "2"
    assert page.all("title")[0].text.endswith("problems found")


def problem() -> tuple[Problem, ...]:
    return (Problem("a check", "x"),)


def with_broken_bound(found: Results) -> Results:
    first = found.runs[0]
    return evolve(found, runs=(evolve(first, costs=(evolve(first.costs[0], holds=False),)),))


SPOILED: dict[str, Callable[[Results], Results]] = {
    "no checks": lambda found: evolve(found, checks=()),
    "a check not made": lambda found: evolve(found, checks=(*found.checks, Check("not made", 0, 0))),
    "an uncounted problem": lambda found: evolve(found, runs=(evolve(found.runs[0], problems=problem()),)),
    "a broken bound": with_broken_bound,
    "an exponent's problem": lambda found: evolve(
        found, exponents=(evolve(found.exponents[0], problems=problem()),)
    ),
}


@pytest.mark.parametrize("how", SPOILED)
def test_the_verdict_is_not_better_than_any_part(good: Results, tmp_path: Path, how: str) -> None:
    page = written(tmp_path, SPOILED[how](good))
    assert page.by_id("verdict").text.startswith("✗")
    assert "Everything holds" not in page.text


def test_empty_results_are_shown_as_no_success(tmp_path: Path) -> None:
    page = written(tmp_path, EMPTY)
    assert page.by_id("verdict").text == "✗ Not everything was checked"
    assert len(page.all("p", "empty")) == 5
    assert page.all("svg") == []


# --- links ----------------------------------------------------------------------------------------------


def links(page: Element) -> list[str]:
    return [link.attributes["href"] for link in page.by_id("problems").all("a")]


def test_traces_are_linked_where_they_are(tmp_path: Path) -> None:
    folder, other = tmp_path / "results", tmp_path / "page"
    (folder / "traces").mkdir(parents=True)
    other.mkdir()
    assert "(the file is missing)" in written(folder, results(broken=True)).by_id("problems").text
    (folder / "traces" / "hub & spokes #1.jsonl").write_text("{}")
    page = written(folder, results(broken=True))
    assert links(page) == ["./traces/hub%20%26%20spokes%20%231.jsonl"]
    assert "missing" not in page.by_id("problems").text
    page = written(other, results(broken=True), traces=folder)
    assert links(page) == ["./../results/traces/hub%20%26%20spokes%20%231.jsonl"]


@pytest.mark.parametrize("trace", ["javascript:alert(1)", "//evil.example/x", "https://evil.example/x"])
def test_a_trace_cannot_lead_elsewhere(tmp_path: Path, trace: str) -> None:
    bad = run("", "single", problems=(Problem("a check", "x", trace),))
    (link,) = links(written(tmp_path, evolve(EMPTY, runs=(bad,))))
    assert link.startswith("./")
    assert ":" not in link


# --- tables ---------------------------------------------------------------------------------------------


def test_bounds_show_the_run_that_came_closest() -> None:
    first = run("AB", "single")
    closer = evolve(first, family="closer", costs=(evolve(first.costs[0], steps=228, ratio=0.8),))
    constant = evolve(
        first, family="constant", costs=(evolve(first.costs[0], ratio=0.99, grows=False),), epsilon="1"
    )
    (update, _) = bound_rows([first, closer, constant])
    assert (update.query, update.cost, update.family, update.share) == (
        "△(a, b)",
        "one update",
        "closer",
        0.8,
    )
    assert update.counted == pytest.approx(228 / 1001**0.5)
    assert update.claimed == "13"
    broken = evolve(first, family="broken", costs=(evolve(first.costs[0], ratio=0.1, holds=False),))
    (update, _) = bound_rows([first, broken, closer])
    assert (update.family, update.holds) == ("broken", False)


def test_families_are_summed() -> None:
    first = run("A", "single")
    (row,) = families([first, run("B", "single")])
    assert (row.runs, row.updates, row.answers, row.states, row.minor, row.major, row.problems) == (
        2,
        2480,
        8,
        8,
        6,
        2,
        0,
    )
    assert row.share == 0.4
    assert len(families([first, evolve(first, kind="large", witness="spark")])) == 2


# --- bad input ------------------------------------------------------------------------------------------


def test_without_the_extra_one_line_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(InputError, match=r"pip install 'ivme\[report\]'"):
        write_report(EMPTY, tmp_path / "index.html")
    assert os.listdir(tmp_path) == []


def test_results_that_cannot_be_shown_leave_the_old_page(good: Results, tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text("old")
    first = good.exponents[0]
    for bad in (
        evolve(first, epsilon="half"),
        evolve(first, epsilon="1/0"),
        evolve(first, measured=float("nan")),
        evolve(first, cost="colour"),
        evolve(first, free="Q"),
    ):
        with pytest.raises(InputError) as caught:
            write_report(evolve(EMPTY, exponents=(bad,)), page)
        assert "\n" not in str(caught.value)
    assert os.listdir(tmp_path) == ["index.html"]
    assert page.read_text() == "old"


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="the report cannot be written"):
        write_report(EMPTY, tmp_path / "file" / "index.html")
