"""Goals, tables and the picture of graphs, from figures that were made up; partial runs are told."""

from pathlib import Path

import pytest
from attrs import evolve

from bench import cli, page, plot, sections
from bench.graph_cases import HUBS, SIX, SQUARE_ROOT
from bench.graph_table import graph_part, hub_part
from bench.graph_targets import GRAPH_TARGETS
from bench.results import Results, decode, encode, read
from bench.rounds import Bench
from bench.sections import Section, run
from bench.table import BEGIN, END, HUB_BEGIN, HUB_END, readme_part, report
from bench.targets import verdicts
from bench.tenlines import TEN
from tests.bench.fakes import SMALL, results

Entry = tuple[str, int, str, str, str, list[float]]
M = 1_000_000
ROUNDS = 5


def verdict_of(name: str, given: Results) -> tuple[str, str]:
    (found,) = [verdict for verdict in verdicts(given) if verdict.name == name]
    return found.found, found.verdict


def on_six(free: str, quantity: str, base: str, gains: list[float], rounds: int = ROUNDS) -> list[Entry]:
    """The ten lines take `gain` times as long as ours, 1 µs, on each graph; one round is an outlier."""
    found: list[Entry] = []
    for name, gain in zip(SIX, gains, strict=True):
        ours, theirs = [1e-6] * rounds, [gain * 1e-6] * rounds
        theirs[0] = 1.0
        found.append((f"graph:{name}", 1000, free, TEN, base, theirs))
        found.append((f"graph:{name}", 1000, free, "ivme", quantity, ours))
    return found


WAYS = [
    ("count, a call an edge", "", "edge", "edge", 2.7, 3.7),
    ("count and per vertex, a call an edge", "A", "edge", "edge", 3, 4),
    ("count, array", "", "array", "edge", 4.5, 7),
    ("count and per vertex, array", "A", "array", "edge", 6, None),
    ("count, string vertices", "", "string edge", "string edge", 2, None),
]


@pytest.mark.parametrize(("what", "free", "quantity", "base", "each", "mean"), WAYS)
def test_goals_on_the_six_graphs(
    what: str, free: str, quantity: str, base: str, each: float, mean: float | None
) -> None:
    worst, average = (
        f"graphs, {what}: the ten lines' time against ours, {which}"
        for which in ("worst of six", "geometric mean")
    )
    for factor, expected in ((1.01, "met"), (0.99, "missed")):
        gains = [100.0] * 5 + [each * factor]
        given = results(*on_six(free, quantity, base, gains))
        told, verdict = verdict_of(worst, given)
        assert verdict == expected
        assert told.endswith(f", {SIX[-1]}")
        if mean is not None:
            assert verdict_of(average, given)[1] == "met"
            at_mean = [mean * factor * 2] * 3 + [mean * factor / 2] * 3
            assert verdict_of(average, results(*on_six(free, quantity, base, at_mean)))[1] == expected
    enough = on_six(free, quantity, base, [100.0] * 6)
    assert verdict_of(worst, results(*enough))[1] == "met"
    few = on_six(free, quantity, base, [100.0] * 6, rounds=ROUNDS - 1)
    for short in (results(*few), results(*enough[2:]), results(*enough, kernel="pure")):
        assert verdict_of(worst, short)[1] == "not measured"


def hubs(size: int, free: str, quantity: str, gain: float, rounds: int = ROUNDS) -> Results:
    return results(
        (HUBS, size, free, TEN, quantity, [gain] * rounds),
        (HUBS, size, free, "ivme", quantity, [1.0] * rounds),
    )


@pytest.mark.parametrize(
    ("what", "free", "quantity", "limit"),
    [
        ("count, first 400 toggles", "", "first toggle", 100),
        ("count, once built", "", "toggle", 1000),
        ("count and per vertex, first 400 toggles", "A", "first toggle", 20),
        ("count and per vertex, once built", "A", "toggle", 20),
    ],
)
def test_goals_at_hubs(what: str, free: str, quantity: str, limit: float) -> None:
    name = f"hub, {what}: the ten lines' time against ours"
    assert verdict_of(name, hubs(20_000, free, quantity, limit)) == (
        f"{limit:,}, 20k common neighbours",
        "met",
    )
    assert verdict_of(name, hubs(20_000, free, quantity, limit * 0.99))[1] == "missed"
    assert verdict_of(name, hubs(10_000, free, quantity, limit))[1] == "not measured"
    assert verdict_of(name, hubs(20_000, free, quantity, limit, ROUNDS - 1))[1] == "not measured"


def test_goals_of_memory_and_of_the_largest_update() -> None:
    for name, case, free, quantity, limit in (
        ("email-Enron, count: bytes an edge", "graph:email-Enron", "", "bytes", 45),
        ("email-Enron, count and per vertex: bytes an edge", "graph:email-Enron", "A", "bytes", 55),
        ("wiki-Vote: steps of the largest update", "graph:wiki-Vote", "", "largest steps", 3000),
    ):
        for value, expected in ((limit, "met"), (limit + 1, "missed")):
            given = results((case, 1000, free, "ivme", quantity, [float(value)]))
            assert verdict_of(name, given)[1] == expected
        others = results(
            (case, 1000, free, TEN, quantity, [1.0]), ("graph:x", 1000, free, "ivme", quantity, [1.0])
        )
        assert verdict_of(name, others)[1] == "not measured"


def test_the_goal_of_a_large_stream() -> None:
    name = "R-MAT: MB of the whole process"
    for megabytes, expected in ((500, "met"), (501, "missed")):
        given = results(("rmat", 10 * M, "", "ivme", "peak", [megabytes * 1e6]))
        assert verdict_of(name, given) == (f"{megabytes}, 10M edges", expected)
    assert verdict_of(name, results(("rmat", M, "", "ivme", "peak", [1.0])))[1] == "not measured"


def grown(case: str, power: float, last: int = M) -> list[Entry]:
    return [(case, size, "", "ivme", "steps", [7 * size**power]) for size in (10_000, 100_000, last)]


def test_goals_of_growth() -> None:
    toggles, attacks = (
        f"graphs, {what}: exponent of counted steps" for what in ("toggles at hubs", "√N attacks")
    )
    for power, expected in ((0.0, "met"), (0.04, "met"), (0.06, "missed")):
        assert verdict_of(toggles, results(*grown("hub-toggles", power)))[1] == expected
    assert verdict_of(toggles, results(*grown("hub-toggles", 0.0, 200_000)))[1] == "not measured"
    first, *others = SQUARE_ROOT
    for power, expected in ((0.54, "met"), (0.56, "missed")):
        given = [*grown(first, power), *(entry for case in others for entry in grown(case, 0.1))]
        assert verdict_of(attacks, results(*given)) == (f"{power}, {first}, 10k to 1M", expected)
        assert verdict_of(attacks, results(*given[3:]))[1] == "not measured"  # all of them count


# --- the README and the page ---


def some(gain: float = 4.0) -> Results:
    entries = [
        entry for _, free, quantity, base, *_ in WAYS for entry in on_six(free, quantity, base, [gain] * 6)
    ]
    entries += [("graph:ca-GrQc", 1000, "", "networkx", "edge", [9e-6])]
    entries += [("graph:CollegeMsg-temporal", 1000, "", "igraph", "recount", [0.002])]
    entries += [("graph:CollegeMsg-temporal", 1000, "", "networkit", "recount", [0.005])]
    for size in (10, 20_000):
        for free in ("", "A"):
            entries += [
                (HUBS, size, free, TEN, "toggle", [size * 1e-6]),
                (HUBS, size, free, "ivme", "toggle", [5e-6]),
            ]
            entries += [(HUBS, size, free, who, "first toggle", [size * 2e-6]) for who in (TEN, "ivme")]
    for who, free, value in ((TEN, "", 200.0), ("ivme", "", 40.0), ("ivme", "A", 44.0)):
        entries.append(("graph:wiki-Vote", 1000, free, who, "bytes", [value]))
    entries += grown("light-end", 0.5)
    entries += [("rmat", M, "", "ivme", "peak", [3e8]), ("rmat", M, "", "ivme", "seconds", [12.0])]
    return results(*entries)


def test_when_to_use_it_and_when_not() -> None:
    text = graph_part(some())
    assert (
        "a call of `insert` or `delete` 1 µs (4 times faster); an edge of an array 1 µs (4 times faster)"
        in text
    )
    assert "Between two hubs with 20,000 common neighbours, it is 1 times faster over the first 400" in text
    assert "and 4,000 times later." in text
    recount = "a recount of CollegeMsg-temporal by igraph takes 2 ms, as long as 2,000 updates"
    assert f"**Do not when** the count is asked for seldom: {recount}; asked less often, it wins" in text
    assert "the ten lines are faster" not in text
    assert "| wiki-Vote | 1,000 | 4 | 1 (4×) | 1 (4×) | 4 | 1 (4×) | 1 (4×) | 200 | 40 | 44 |" in text
    assert readme_part(some()).startswith(text)
    assert graph_part(results()) == ""


def test_where_the_ten_lines_win_is_told() -> None:
    text = graph_part(some(0.5))
    assert "count: the ten lines are faster on ca-GrQc (2 times), email-Eu-core (2 times)" in text
    assert "count, strings: the ten lines are faster on" in text
    times = [(HUBS, 10, "", who, "toggle", [seconds]) for who, seconds in ((TEN, 1.0), ("ivme", 3.0))]
    slow = results(*on_six("", "edge", "edge", [2.0] * 6), *times)
    assert "**Do not when** hubs have 10 common neighbours (3 times slower)." in graph_part(slow)
    assert "Do not when" not in graph_part(results(*on_six("", "edge", "edge", [2.0] * 6)))


def test_the_picture_of_hubs_has_a_sentence() -> None:
    text = hub_part(some())
    assert "](docs/hub.svg)\n" in text
    assert (
        "10 to 20,000 common neighbours: with a dict of sets 10 to 20,000 µs; with `GraphTriangles` 5 µs"
        in text
    )
    assert "and on average 20 to 40,000 µs over the first 400" in text
    assert hub_part(results()) == hub_part(hubs(10, "", "toggle", 3.0)) == ""


def test_the_page_and_the_report_have_everything() -> None:
    text, told = page.page(some()), " ".join(report(some()).split())
    for line in (
        "| ca-GrQc | 9 | – | – |",
        "| CollegeMsg-temporal | – | 2, 2,000 | 5, 5,000 |",
        "| 20,000 | 20,000 | 40,000 | 5 | 20,000 | 40,000 | 5 |",
        "| light-end | 700 | 2,214 | 7,000 | N^0.50 |",
        "| 1,000,000 | 300 | 12 |",
        "| graphs, count, array: the ten lines' time against ours, worst of six | ≥ 4.5 |",
        "- a: b",
    ):
        assert line in text
    assert "light-end 700 2,214 7,000 N^0.50" in told
    assert all(target.name in told and target.name in text for target in GRAPH_TARGETS)
    assert "```" not in text


@pytest.mark.filterwarnings("ignore")  # of matplotlib
def test_the_picture(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pip install 'ivme[bench]'")
    for name in ("one", "two"):
        assert plot.hubs(some(), tmp_path / f"{name}.svg")
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert text == (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert text.count("<!-- ivme") == 4
    assert text.count("<!-- dict of sets") == 2
    assert "fill: #ffffff" in text  # a ground of its own, on a dark page too
    assert not plot.hubs(results(), tmp_path / "three.svg")
    assert not (tmp_path / "three.svg").exists()


@pytest.mark.filterwarnings("ignore")  # of matplotlib
def test_publishing_graphs(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pip install 'ivme[bench]'")
    readme = tmp_path / "README.md"
    readme.write_text(f"a\n{HUB_BEGIN}\n{HUB_END}\nb\n{BEGIN}\n{END}\nc\n", encoding="utf-8")
    given, views = some(), results(("hub", 10, "", "ivme", "update", [1.0]))
    both = evolve(given, measurements=given.measurements + views.measurements)
    cli.publish(both, tmp_path)
    text = readme.read_text(encoding="utf-8")
    assert (
        text.index("docs/hub.svg")
        < text.index("\nb\n")
        < text.index("### Graphs")
        < text.index("| hub | 10 |")
    )
    assert (tmp_path / "docs" / "bench.md").read_text(encoding="utf-8") == page.page(both)
    assert {path.name for path in (tmp_path / "docs").iterdir()} == {
        "bench.json",
        "bench.md",
        "bench.svg",
        "hub.svg",
    }
    cli.publish(views, tmp_path)
    assert "docs/hub.svg" not in readme.read_text(encoding="utf-8")  # nothing that this run has not measured


# --- partial runs ---


def test_partial_runs() -> None:
    whole = results()
    assert whole.partial == []
    late = evolve(whole, skipped=("hub, 10: 3 of the 35 minutes were over", "x on y: about 99 s"))
    assert late.partial == ["cells out of time: 1"]
    chosen = evolve(whole, settings={"only": ["hubs", "ivme"], "folder": False})
    assert chosen.partial == ["only hubs, ivme", "no edge lists"]
    assert decode(encode(chosen)).partial == chosen.partial
    for text in (readme_part(chosen), page.page(chosen), report(chosen)):
        assert "A partial run: only hubs, ivme; no edge lists" in text
    assert "partial" not in readme_part(whole) + page.page(whole) + report(whole)


def test_an_interrupted_run_keeps_what_it_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def measures(bench: Bench) -> None:
        bench.record(bench.job("ivme", "x", 1), "steps", [1.0])

    def stops(bench: Bench) -> None:
        measures(bench)
        raise KeyboardInterrupt

    shares = {"first": Section(measures, 1), "second": Section(stops, 1), "third": Section(measures, 1)}
    monkeypatch.setattr(sections, "SECTIONS", shares)
    found = run(Bench(evolve(SMALL, folder=str(tmp_path)), [], [], say=str))
    assert len(found.measurements) == 2
    assert found.partial == ["the rest of second, and what follows: interrupted"]
    monkeypatch.setattr(cli, "QUICK", SMALL)
    monkeypatch.setattr(cli, "limit_memory", lambda: None)
    monkeypatch.chdir(tmp_path)
    readme = tmp_path / "README.md"
    readme.write_text("", encoding="utf-8")
    assert cli.main(["--quick"]) == 130
    assert "the results are partial" in capsys.readouterr().err
    assert read(tmp_path / "bench-results" / "quick.json").interrupted
