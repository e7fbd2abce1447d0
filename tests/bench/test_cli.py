"""The whole benchmark, with sizes of nothing: it runs, and its results are complete."""

from pathlib import Path

import pytest
from attrs import evolve

from bench import cli, measure, rounds
from bench.contenders import ENGINES, OURS, PURE
from bench.figures import Figures
from bench.results import read
from bench.settings import Settings
from bench.table import BEGIN, END, HUB_BEGIN, HUB_END
from ivme_spec.queries import HEADS
from tests.bench.fakes import SMALL, Clock, fake

EMPTY = f"{HUB_BEGIN}\n{HUB_END}\n{BEGIN}\n{END}\n"


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(cli, "QUICK", SMALL)
    monkeypatch.setattr(cli, "limit_memory", lambda: None)  # the tests go on in this process
    monkeypatch.setattr(measure, "ENUMERATION_SECONDS", 0.001)
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore")  # of matplotlib
def test_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "streams attacks heads snapshots loading enumeration slowest ivme floor join"
    assert cli.main(["--quick", "--rounds", "2", "--only", *words.split()]) == 0, capsys.readouterr().out
    found = read(tmp_path / "bench-results" / "quick.json")
    figures = Figures(found)
    assert not found.problems
    assert figures.cases == ["sparse", "dense", "zipf", "window", "hub", "upkeep", "intersection", "thrash"]
    for case in figures.cases:
        for contender in (OURS, "floor"):
            sizes = SMALL.sizes if case in ("sparse", "dense", "zipf", "window") else SMALL.attacks
            assert figures.sizes(contender, case) == list(sizes)
            assert all(len(figures.values(contender, case, size)) == 2 for size in sizes)
    for free in HEADS:
        for case in ("sparse", "zipf"):
            assert figures.values(OURS, case, SMALL.heads, free)
        for quantity in ("iterator", "rows", "delay", "delay steps"):
            rounds = 2 if free == "ABC" else 1  # a goal is about the triangles
            assert len(figures.values(OURS, "dense", SMALL.dense, free, quantity)) == rounds
    assert figures.values("join", "sparse", SMALL.snapshot, quantity="snapshot")
    for free in ("", "ABC"):
        for quantity in ("largest update", "mean update", "median update", "p99 update", "clock"):
            assert figures.values(OURS, "zipf", max(SMALL.sizes), free, quantity)
    for case in ("sparse", "dense"):
        assert figures.gain(case, SMALL.loading) is not None
        assert figures.gain(case, SMALL.loading, "ABC") is not None
    told = capsys.readouterr().out
    assert "intersection: exponent of counted steps" in told
    assert "two-hubs" not in told  # of another section
    assert "A partial run: only streams, attacks" in told


@pytest.mark.filterwarnings("ignore")  # of matplotlib
def test_the_pure_kernel_takes_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = "streams attacks sparse hub ivme ivme-pure"
    assert cli.main(["--quick", "--rounds", "2", "--only", *words.split()]) == 0, capsys.readouterr().out
    figures = Figures(read(tmp_path / "bench-results" / "quick.json"))
    for case, size in (("sparse", max(SMALL.sizes)), ("hub", max(SMALL.attacks))):
        assert figures.common(OURS, PURE, case) == size
        assert figures.ratio(PURE, OURS, case, size) is not None


def test_memory(tmp_path: Path) -> None:
    assert cli.main(["--quick", "--only", "memory", "floor", "--out", "other"]) == 0
    (entry,) = read(tmp_path / "other" / "quick.json").measurements
    assert (entry.case, entry.free, entry.contender, entry.quantity) == ("sparse", "", "floor", "bytes")
    assert len(entry.values) == 1


def test_exit_codes(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--only", "nothing"]) == 2
    assert "'nothing' names nothing" in capsys.readouterr().err
    assert cli.main(["--data", "no-such-folder"]) == 2
    assert "is not a folder" in capsys.readouterr().err
    assert cli.main(["--rounds", "0"]) == 2
    assert "give a positive number" in capsys.readouterr().err
    assert cli.main(["sparse"]) == 2
    assert "follow --only" in capsys.readouterr().err
    assert cli.main(["--no-such-option"]) == 2
    assert "see ivme bench --help" in capsys.readouterr().err
    assert cli.main(["--help"]) == 0
    assert "ivme bench --quick" in capsys.readouterr().out
    clock = Clock()
    engines = [fake(clock, "ivme", lambda size: 1e-3), fake(clock, "b", lambda size: 1e-3, wrong=True)]
    monkeypatch.setattr(rounds, "ENGINES", engines)
    clock.install(monkeypatch)
    assert cli.main(["--quick", "--only", "hub", "attacks"]) == 1
    assert "the answers differ" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore")  # of matplotlib
def test_publishing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib", reason="pip install 'ivme[bench]'")
    clock = Clock()
    monkeypatch.setattr(rounds, "ENGINES", [fake(clock, "ivme", lambda size: 1e-3)])
    clock.install(monkeypatch)
    arguments = ["--quick", "--only", "hub", "attacks", "--publish"]
    readme = tmp_path / "README.md"
    readme.write_text("no markers", encoding="utf-8")
    assert cli.main(arguments) == 2
    assert not list(tmp_path.glob("*/*"))
    assert not clock.log  # refused before anything was measured
    readme.write_text(EMPTY, encoding="utf-8")
    assert cli.main(arguments) == 0
    assert "| hub | 400 |" in readme.read_text(encoding="utf-8")
    assert (tmp_path / "docs" / "bench.svg").exists()
    assert read(tmp_path / "docs" / "bench.json") == read(tmp_path / "bench-results" / "quick.json")
    text = readme.read_text(encoding="utf-8")
    (tmp_path / "docs" / "bench.json").unlink()
    readme.write_text(EMPTY, encoding="utf-8")
    runs = len(clock.log)
    assert cli.main(["--results", "bench-results/quick.json", "--publish"]) == 0
    assert (tmp_path / "docs" / "bench.json").exists()
    assert readme.read_text(encoding="utf-8") == text
    assert len(clock.log) == runs
    readme.unlink()
    assert cli.main(["--results", "bench-results/quick.json", "--publish"]) == 2


def test_settings() -> None:
    made = cli.settings(Settings(), None, 3.0)
    assert made == evolve(Settings(), minutes=3.0)
    assert cli.settings(made, 2, None) == evolve(made, rounds=2)
    assert {1_000_000} < set(made.sizes)
    assert [entry.name for entry in ENGINES][:2] == [OURS, PURE]
