"""The table of exit codes in docs/ci.md is true: every command is in it, and each cell is seen to happen."""

import re
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from attrs import evolve

from bench import results as bench_results
from ivme import verify
from ivme.cli import running
from ivme.cli.app import app
from ivme.formats.traces import Header, Step, write_trace
from ivme.play import PlayServer
from ivme.verify import plan
from ivme.verify.results import Check, write_results
from tests.cli.conftest import Command
from tests.report.sample import EMPTY

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
Prepare = Callable[[pytest.MonkeyPatch], object]


def table() -> dict[str, set[int]]:
    """For each command the exit codes that its row explains."""
    rows = re.findall(r"^\| `ivme (\w+)` \|(.*)\|$", PAGE, re.MULTILINE)
    return {
        command: {code for code, cell in enumerate(cells.split("|")) if cell.strip()}
        for command, cells in rows
    }


# --- what happens ---


def files(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("edges.csv").write_text("1,2\n2,3\n3,1\n")
    update = Step("update", (("R", 1, 2, 1),))
    write_trace("good.jsonl", Header(""), [update])
    write_trace("wrong.jsonl", Header(""), [update, Step("expect", answer={(): 7})])
    Path("damaged.jsonl").write_text("{")
    write_results(Path("results.json"), EMPTY)
    Path("my_engine.py").write_text("from tests.cli.oracle_engines import Fine, ForgetsDeletes\n")


def verified(problems: int) -> Prepare:
    """A verification of nothing, which finds problems."""

    found = evolve(EMPTY, checks=(Check("something", 1, problems),))

    def prepare(monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(plan, "quick_plan", lambda seed: evolve(FULL, small=(), large=(), exponents=()))
        monkeypatch.setattr(verify, "verify", lambda *given, **options: found)

    return prepare


FULL = plan.quick_plan()


def measured(*problems: str) -> Prepare:
    """Results of the benchmark with problems."""

    def prepare(monkeypatch: pytest.MonkeyPatch) -> None:
        found = bench_results.read(Path(__file__).resolve().parents[2] / "docs" / "bench.json")
        bench_results.write(Path("bench.json"), evolve(found, problems=problems))

    return prepare


def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    def serve(server: PlayServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(PlayServer, "serve_forever", serve)


ORACLE = ["--free", "A", "--seed", "1", "--no-corpus", "--examples", "40"]
CASES: dict[tuple[str, int], tuple[list[str], Prepare]] = {
    ("run", 0): (["--graph", "edges.csv"], files),
    ("run", 2): (["edges.csv"], files),
    ("verify", 0): (["--quick"], verified(0)),
    ("verify", 1): (["--quick"], verified(1)),
    ("verify", 2): (["--quick", "--jobs", "-1"], files),
    ("oracle", 0): (["--engine", "my_engine:Fine", *ORACLE], files),
    ("oracle", 1): (["--engine", "my_engine:ForgetsDeletes", *ORACLE], files),
    ("oracle", 2): (["--engine", "my_engine:Nothing", *ORACLE], files),
    ("replay", 0): (["good.jsonl"], files),
    ("replay", 1): (["wrong.jsonl"], files),
    ("replay", 2): (["damaged.jsonl"], files),
    ("explain", 0): (["good.jsonl"], files),
    ("explain", 2): (["damaged.jsonl"], files),
    ("report", 0): (["--results", "results.json"], files),
    ("report", 2): (["--results", "damaged.jsonl"], files),
    ("play", 0): (["--no-browser"], stopped),
    ("play", 2): (["--no-browser", "--port", "PORT"], stopped),
    ("workload", 0): (["hub", "--size", "9", "--out", "hub.csv"], files),
    ("workload", 2): (["hub", "--size", "9", "--out", "hub.csv", "more=1"], files),
    ("bench", 0): (["--results", "bench.json"], measured()),
    ("bench", 1): (["--results", "bench.json"], measured("b failed")),
    ("bench", 2): (["--results", "damaged.jsonl"], files),
}


def test_the_table_has_every_command_and_every_cell_a_case() -> None:
    assert set(table()) == {command.name for command in app.registered_commands}
    assert {(command, code) for command, codes in table().items() for code in codes} == set(CASES)


@pytest.mark.parametrize(("command", "code"), CASES)
def test_each_cell_happens(
    ivme: Command, command: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_engine", raising=False)
    arguments, prepare = CASES[command, code]
    prepare(monkeypatch)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = ivme(command, *(port if argument == "PORT" else argument for argument in arguments))
    assert done.code == code, done.err


@pytest.mark.parametrize("command", sorted(table()))
def test_what_is_said_of_every_command(ivme: Command, command: str) -> None:
    assert ivme(command, "--no-such-option").code == 2


@pytest.mark.parametrize(
    ("error", "code"), [(OSError("x"), 2), (RuntimeError("x"), 3), (KeyboardInterrupt(), 130)]
)
def test_errors_bugs_and_interrupts(
    ivme: Command, monkeypatch: pytest.MonkeyPatch, error: BaseException, code: int
) -> None:
    def perform(job: object) -> None:
        raise error

    monkeypatch.setattr(running, "perform", perform)
    assert ivme("run", "edges.csv").code == code
    assert re.search(rf"\b{code} is ", PAGE)
