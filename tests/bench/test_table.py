"""Tables and verdicts of results that were made up; and the README has what docs/bench.json gives."""

from pathlib import Path

import pytest
from attrs import evolve

from bench import plot
from bench.figures import Figures
from bench.latency import latency
from bench.page import page
from bench.results import Results, read, write
from bench.table import BEGIN, END, HUB_BEGIN, HUB_END, main, put, readme_part, report, with_parts
from bench.targets import TARGETS, verdicts
from ivme_spec.errors import InputError
from ivme_spec.queries import HEADS
from tests.bench.fakes import results

ROOT = Path(__file__).resolve().parents[2]
M = 1_000_000
HUBS = f"{HUB_BEGIN}\n"


def some() -> Results:
    return results(
        *(("sparse", size, "", "ivme", "update", [1.0, 2.0, 9.0]) for size in (10_000, M)),
        ("sparse", 10_000, "", "ivme-pure", "update", [6.0]),
        ("sparse", M, "", "floor", "update", [0.5, 1.0, 1.5]),
        *(("hub", size, "", "ivme", "update", [2.0]) for size in (1000, 10_000, M)),
        *(("hub", size, "", "classical", "update", [2.0 * size]) for size in (1000, 10_000, M)),
        ("graph:x", 0, "", "ivme", "update", [4.0]),
        ("sparse", 10_000, "", "pathway", "update", [40.0]),
        ("sparse", M, "", "join", "snapshot", [20_000.0]),
        ("sparse", M, "", "scipy", "snapshot", [50_000.0]),
        ("sparse", M, "", "ivme", "bulk", [1.0, 2.0, 2.0]),
        ("sparse", M, "", "ivme", "insert", [7.0, 8.0, 9.0]),
        ("sparse", M, "", "ivme", "apply", [5.0, 6.0, 7.0]),
        ("dense", M, "ABC", "ivme", "bulk", [2.0]),
        ("dense", M, "ABC", "ivme", "insert", [1.0]),
        ("sparse", M, "", "ivme", "largest update", [0.03]),
        ("sparse", M, "", "ivme", "mean update", [5e-6]),
        ("sparse", M, "ABC", "ivme", "largest update", [0.002]),
        ("sparse", M, "ABC", "ivme", "mean update", [1e-6]),
        ("zipf", M, "", "ivme", "largest update", [0.002]),
        ("zipf", M, "", "ivme", "mean update", [4e-6]),
    )


PART = """\
To recompute the count once at 1M tuples takes the time of this many updates: scipy 25,000; \
join, on our storage 10,000.

| workload | tuples | pathway | ivme-pure | floor, on our storage | classical, on our storage \
| growth of ours |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| sparse | 1M | 40 (10k) | 6 (10k) | **0.5** | – |  |
| hub | 1M | – | – | – | 1,000,000 | N^0.00 |
| graph:x |  | – | – | – | – |  |

CPU time of an update of △(), that of ivme (compiled) = 1: above 1 ivme is faster, **below 1** it is slower. \
Medians; at the size given, or the largest that both were measured at. 2026-01-31, Abacus, CPython 3.11.

floor, on our storage, which answers nothing, is faster than ivme on sparse (2 times).

1M tuples one by one, a call of `insert` each, take this many times the time of loading them: sparse △() 4, \
dense △(a, b, c) 0.5.

1M tuples one by one, one call of `apply` for all, take this many times the time of loading them: \
sparse △() 3.

The largest update of sparse at 1M tuples, timed one by one: △() 30 ms, 6,000 times the mean of 5 µs; \
△(a, b, c) 2 ms, 2,000 times the mean of 1 µs.

The largest update of zipf at 1M tuples, timed one by one: △() 2 ms, 500 times the mean of 4 µs.
"""


def test_the_readme_part() -> None:
    assert readme_part(some()) == PART


def test_what_both_figures_of_scipy_include_is_told() -> None:
    given = some()
    more = results(("sparse", M, "", "scipy-product", "snapshot", [20_000.0]))
    both = evolve(given, measurements=given.measurements + more.measurements)
    told = "; join, on our storage 10,000. scipy makes its matrices from the tuples; "
    assert "updates: scipy 25,000; scipy-product 10,000; join" in readme_part(both)
    assert told in readme_part(both)
    assert told in report(both)
    assert "matrices" not in readme_part(given)


def test_the_readme_has_the_table_of_the_committed_results() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    committed = ROOT / "docs" / "bench.json"
    assert (BEGIN in text) == committed.exists(), "a table without results, or results without a table"
    if committed.exists():
        assert with_parts(text, read(committed)) == text, "run: python -m bench.table --write"
        described = ROOT / "docs" / "bench.md"
        assert not described.exists() or described.read_text(encoding="utf-8") == page(read(committed))
        assert ("docs/hub.svg" in text) <= (ROOT / "docs" / "hub.svg").exists()
        assert (ROOT / "docs" / "bench.svg").exists()
        assert not read(committed).problems


def test_the_table_is_put_between_the_markers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    readme, given = tmp_path / "README.md", tmp_path / "bench.json"
    write(given, some())
    readme.write_text(f"# x\n{HUBS}old\n{HUB_END}\n{BEGIN}\nold\n{END}\nmore\n", encoding="utf-8")
    expected = f"# x\n{HUBS}{HUB_END}\n{BEGIN}\n{PART}{END}\nmore\n"
    assert main([str(given), "--write", "--readme", str(readme)]) == 0
    assert readme.read_text(encoding="utf-8") == expected
    assert main([str(given), "--write", "--readme", str(readme)]) == 0
    assert readme.read_text(encoding="utf-8") == expected
    assert main([str(given)]) == 0
    assert capsys.readouterr().out == PART
    assert main([str(given), "--all"]) == 0
    assert capsys.readouterr().out == report(some())
    assert main([str(tmp_path / "none.json")]) == 2
    assert "make bench" in capsys.readouterr().err


def test_no_place_for_the_table_is_refused() -> None:
    for text in ("", BEGIN, END, f"{END}{BEGIN}"):
        with pytest.raises(InputError, match="no place for the table"):
            put(text, "x")


def verdict_of(name: str, given: Results) -> tuple[str, str]:
    (found,) = [verdict for verdict in verdicts(given) if verdict.name == name]
    return found.found, found.verdict


def test_nothing_measured_meets_nothing() -> None:
    assert {verdict.verdict for verdict in verdicts(results())} == {"not measured"}
    assert len({target.name for target in TARGETS}) == len(TARGETS) == 42


@pytest.mark.parametrize(
    ("name", "case", "contender", "limit", "inverse"),
    [
        ("sparse: compiled against pure", "sparse", "ivme-pure", 3, False),
        ("thrash: compiled against pure", "thrash", "ivme-pure", 3, False),
        ("intersection: compiled against pure", "intersection", "ivme-pure", 10, False),
        ("sparse: time against the floor", "sparse", "floor", 1.6, True),
        ("zipf: time against classical IVM, on our storage", "zipf", "classical", 1.3, True),
        ("hub: classical IVM's time, on our storage, against ours", "hub", "classical", 1000, False),
        ("sparse: Pathway's time against ours", "sparse", "pathway", 40, False),
    ],
)
def test_goals_of_ratios(name: str, case: str, contender: str, limit: float, inverse: bool) -> None:
    for factor, expected in ((0.99, "missed"), (1.01, "met")):
        times = [limit / factor, 1.0] if inverse else [1.0, limit * factor]
        given = results(
            (case, M, "", "ivme", "update", [times[0]]),
            (case, M, "", contender, "update", [times[1]]),
            (case, M // 10, "", "ivme", "update", [1.0]),
            (case, M // 10, "", contender, "update", [1.0]),
        )
        assert verdict_of(name, given)[1] == expected
    smaller = results((case, 10, "", "ivme", "update", [1.0]), (case, 10, "", contender, "update", [1e9]))
    assert verdict_of(name, smaller)[1] == ("not measured" if case == "hub" else "met")  # a million is wanted


def test_the_worst_head_decides() -> None:
    def given(heads: tuple[str, ...], worst: float) -> Results:
        return results(
            *(("zipf", 10, free, "ivme", "update", [1.0]) for free in heads),
            *(("zipf", 10, free, "ivme-pure", "update", [worst if free == "AC" else 9.0]) for free in heads),
        )

    name = "zipf: compiled against pure, worst of the other heads"
    assert verdict_of(name, given(HEADS[1:], 2.4)) == ("2.4, △(a, c) at 10", "missed")
    assert verdict_of(name, given(HEADS[1:], 2.6)) == ("2.6, △(a, c) at 10", "met")
    assert verdict_of(name, given(HEADS[2:], 2.6))[1] == "not measured"


def test_goals_of_exponents() -> None:
    for power, expected in ((0.5, "met"), (0.6, "missed")):
        sizes = (1000, 10_000, 100_000)
        given = results(
            *(("upkeep", size, "", "ivme", "update", [size**power]) for size in sizes),
            *(("upkeep", size, "", "ivme", "steps", [size**0.5]) for size in sizes),
        )
        assert verdict_of("upkeep: exponent of time", given) == (f"{power}, 1k to 100k", expected)
        assert verdict_of("upkeep: exponent of counted steps", given)[1] == "met"
        assert verdict_of("hub: exponent of time", given)[1] == "not measured"


def test_goals_of_snapshots_memory_and_rows() -> None:
    given = results(
        ("sparse", 300_000, "", "ivme", "update", [1.0, 2.0, 3.0]),
        ("sparse", 300_000, "", "scipy", "snapshot", [30_000.0]),
        ("sparse", 300_000, "", "duckdb", "snapshot", [10_000.0]),
        ("sparse", 1000, "", "ivme", "bytes", [149.0]),
        ("dense", 1000, "ABC", "ivme", "to_numpy", [4e6]),
        ("dense", 1000, "ABC", "ivme", "to_arrow", [6e6]),
        ("dense", 1000, "ABC", "ivme", "iterator", [1.9e6]),
    )
    snapshot = "sparse: updates for the time of a snapshot, "
    assert verdict_of(snapshot + "scipy", given) == ("15,000 [10,000 … 30,000], at 300k", "met")
    assert verdict_of(snapshot + "duckdb", given)[1] == "missed"
    assert verdict_of("sparse: bytes a tuple", given) == ("149, bytes at 1k", "met")
    assert verdict_of("dense: △(a, b, c), rows a second as columns", given)[1] == "met"
    assert verdict_of("dense: △(a, b, c), rows a second one by one", given)[1] == "missed"


def test_the_goal_of_loading() -> None:
    name = "sparse: inserts one by one against a bulk load"
    assert verdict_of(name, some()) == ("4 [4 … 7], at 1M", "met")
    slow = results(
        ("sparse", 10, "", "ivme", "bulk", [1.0]),
        ("sparse", 10, "", "ivme", "insert", [9.0]),
        ("sparse", 20, "", "ivme", "bulk", [1.0]),
        ("sparse", 20, "", "ivme", "insert", [2.9]),
    )
    assert verdict_of(name, slow) == ("2.9, at 20", "missed")


def test_latency_has_columns_for_each_configuration() -> None:
    def timed(case: str, name: str, *values: float) -> list[tuple[str, int, str, str, str, list[float]]]:
        quantities = ("median update", "p99 update", "largest update", "clock")
        return [(case, M, "", name, what, [v]) for what, v in zip(quantities, values, strict=True)]

    given = results(
        *timed("sparse", "other", 3e-6, 4e-6, 5e-3, 3e-7),
        *timed("sparse", "ivme", 1.5e-6, 2e-5, 0.00412, 4e-7),
        *timed("zipf", "ivme", 1e-6, 2e-6, 3e-6, 4e-7),
        ("zipf", M, "ABC", "ivme", "largest update", [1.0]),
    )
    assert latency(Figures(given)) == [
        [
            *("workload", "query", "tuples", "ivme: p50", "ivme: p99", "ivme: largest"),
            *("other: p50", "other: p99", "other: largest", "of that the clock"),
        ],
        ["sparse", "△()", "1M", "1.5", "20", "4,120", "3", "4", "5,000", "0.4"],
        ["zipf", "△()", "1M", "1", "2", "3", "–", "–", "–", "0.4"],
    ]
    assert "## Latency: CPU µs of a single update" in page(given)
    assert "Latency" not in page(results())


def test_the_report_has_everything() -> None:
    text = "\n".join(" ".join(line.split()) for line in report(some()).splitlines())
    for line in (
        "skipped a: b",
        "classical, on our storage N^1.00",
        "scipy 25,000",
        "zipf △() 1M ivme 500 2 ms 4 µs",
        "hub: classical IVM's time, on our storage, against ours",
    ):
        assert line in text
    assert report(results()).count("not measured") == len(TARGETS)


def test_lines_of_the_plot() -> None:
    given = plot.lines(some(), "hub")
    assert given["ivme"] == [(1000, 1.0), (10_000, 1.0), (M, 1.0)]
    assert given["classical"] == [(1000, 1000.0), (10_000, 10_000.0), (M, 1e6)]
    assert plot.lines(some(), "zipf") == {}
    grows = results(
        *(("zipf", size, "", "ivme", "update", [float(size)]) for size in (100, 10)),
        ("zipf", 100, "", "slow", "update", [1.0, 30.0, 900.0]),
    )
    assert plot.lines(grows, "zipf") == {"ivme": [(10, 1.0), (100, 10.0)], "slow": [(100, 3.0)]}


@pytest.mark.filterwarnings("ignore")  # of matplotlib
def test_the_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pip install 'ivme[bench]'")
    for name in ("one", "two"):
        plot.draw(some(), tmp_path / f"{name}.svg")
    text = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert text == (tmp_path / "two.svg").read_text(encoding="utf-8")
    assert "<svg" in text
    with pytest.raises(InputError, match="nothing to plot"):
        plot.draw(results(), tmp_path / "three.svg")
