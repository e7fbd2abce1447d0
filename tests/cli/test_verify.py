"""`ivme verify`: the tables, the verdict, the report, and exit codes. The plan is a tiny one."""

import json
import os
from pathlib import Path

import pytest

from ivme.processes.pool import workers
from ivme.verify.results import read_results
from tests.cli.conftest import Command
from tests.support.broken_views import Raises, WrongAnswer
from tests.support.plans import tiny_plan


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("full_plan", "quick_plan"):
        monkeypatch.setattr(f"ivme.verify.plan.{name}", lambda seed: tiny_plan(seed=seed))


def test_everything_holds(ivme: Command, tmp_path: Path) -> None:
    out = tmp_path / "report"
    done = ivme("verify", "--no-spark", "--jobs", 1, "--out", out, "--seed", 8)
    assert done.code == 0
    assert "uniform" in done.out
    assert "answers equal the naive reference's" in done.out
    assert "everything holds" in done.out
    assert "seed 8" in done.out
    assert done.out.rstrip().endswith(f"report: {out / 'index.html'}")
    assert "Traceback" not in done.err
    results = read_results(out / "results.json")
    assert results.ok
    assert results.seed == 8
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "grow" in page or "zipf" in page
    assert sorted(path.name for path in out.iterdir()) == ["index.html", "results.json"]


def test_a_fault_ends_with_exit_code_1_and_a_trace_that_replays(
    ivme: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ivme.verify.small.TriangleView", WrongAnswer)
    done = ivme("verify", "--no-spark", "--jobs", 1, "--out", tmp_path)
    assert done.code == 1
    assert "everything holds" not in done.out
    assert "problem" in done.out
    assert "[traces/uniform-AB-single-1-over-2.jsonl]" in done.out
    trace = tmp_path / "traces" / "uniform-AB-single-1-over-2.jsonl"
    assert trace.name in (tmp_path / "index.html").read_text(encoding="utf-8")
    assert ivme("replay", trace, "--debug").code == 0  # the engine that replays has no fault
    monkeypatch.setattr("ivme.replay.replay.TriangleView", WrongAnswer)
    assert ivme("replay", trace).code == 1


def test_an_engine_that_raises_is_a_verdict(
    ivme: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ivme.verify.small.TriangleView", Raises)
    done = ivme("verify", "--no-spark", "--jobs", 1, "--out", tmp_path, "--quick")
    assert done.code == 1
    assert "KeyError: 'planted'" in done.out
    assert "Traceback" not in done.err


def test_json_is_all_that_is_printed(ivme: Command, tmp_path: Path) -> None:
    done = ivme("verify", "--no-spark", "--jobs", 1, "--out", tmp_path, "--json")
    assert done.code == 0
    given = json.loads(done.out)
    assert given["ok"] is True
    assert given == json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))


def test_a_folder_that_cannot_be_made_is_bad_input(ivme: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = ivme("verify", "--no-spark", "--jobs", 1, "--out", tmp_path / "file")
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert done.out == ""


def test_a_worker_that_is_killed_is_one_line(
    ivme: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*given: object, **named: object) -> None:
        with workers(1) as pool:
            pool.submit(os._exit, 9).result()

    monkeypatch.setattr("ivme.verify.verify", killed)
    done = ivme("verify", "--out", tmp_path, "--json")
    assert done.code == 2
    assert "a worker was killed" in done.err
    assert len(done.err.splitlines()) == 1


def test_usage(ivme: Command) -> None:
    assert ivme("verify", "--seed", "-1").code == 2
    done = ivme("verify", "--help")
    assert done.code == 0
    assert "Example" in done.out
