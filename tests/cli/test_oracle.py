"""`ivme oracle`: engines that agree, disagree, hang, die and do not start, each with its verdict."""

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from ivme.conformance import replay
from ivme.conformance.engines import EngineNameError, Named
from ivme.conformance.oracle import Case, Question, judge_head, junit
from ivme.conformance.protocol import Capabilities, EngineProblem, Finding, trace_of
from ivme.formats.traces import Step, read_trace
from tests.cli import oracle_engines
from tests.cli.conftest import Command

ROOT = Path(__file__).resolve().parents[2]
MINIMAL = f"{sys.executable} {ROOT / 'examples' / 'engines' / 'minimal.py'}"
FEW = ("--examples", 6, "--seed", 1, "--no-corpus")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Engines are found in the current folder, also by worker processes."""
    monkeypatch.chdir(Path(__file__).parent)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def question(name: str, timeout: float = 10.0, corpus: bool = False, epsilon: str | None = None) -> Question:
    return Question(Named(name, epsilon, timeout), Capabilities(), 15, 12, 1, corpus)


# --- by the command -------------------------------------------------------------------------------------


def test_an_engine_that_agrees(ivme: Command, tmp_path: Path) -> None:
    report, trace = tmp_path / "o.xml", tmp_path / "t.jsonl"
    done = ivme("oracle", "--engine", MINIMAL, "--free", "AB", *FEW, "--junit", report, "--trace", trace)
    assert done.code == 0
    assert "the engine agrees with the reference" in done.out
    assert done.err == "ivme: seed 1\n"
    assert not trace.exists()
    suite = ElementTree.parse(report).getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")


def test_an_engine_that_disagrees(ivme: Command, tmp_path: Path) -> None:
    report, trace = tmp_path / "o.xml", tmp_path / "t.jsonl"
    engine = "oracle_engines:ForgetsDeletes"
    options = ("--examples", 40, "--seed", 1, "--no-corpus", "--junit", report, "--trace", trace)
    done = ivme("oracle", "--engine", engine, "--free", "A", *options)
    assert done.code == 1
    assert "wrong answer" in done.out
    assert "the engine disagrees: 1 of 1 checks failed" in done.out
    saved = read_trace(trace)
    assert saved.header.seed == 1
    assert len(saved.updates) <= 6
    assert replay(saved, lambda: oracle_engines.Fine("A")) is None
    again = replay(saved, lambda: oracle_engines.ForgetsDeletes("A"))
    assert again is not None
    assert again.kind == "wrong answer"
    failure = ElementTree.parse(report).getroot().find(".//failure")
    assert failure is not None
    assert failure.get("type") == "wrong answer"
    assert "after these updates" in (failure.text or "")


def test_json(ivme: Command) -> None:
    done = ivme("oracle", "--engine", "oracle_engines:Fine", "--free", "", "--free", "CA", *FEW, "--json")
    given = json.loads(done.out)
    assert (done.code, given["ok"], given["seed"], done.err) == (0, True, 1, "")
    assert [case["free"] for case in given["cases"]] == ["", "CA"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--engine", "no-such-command-at-all"], "cannot be started: no-such-command-at-all"),
        (["--engine", "oracle_engines:Absent"], "has no attribute 'Absent'"),
        (["--engine", "absent_module:Engine"], "No module named 'absent_module'"),
        (["--engine", "oracle_engines:NOT_CALLABLE"], "cannot be called"),
        (["--engine", "oracle_engines:OnlyCounts"], "△(a) cannot be made: it raised ValueError: counts only"),
        (["--engine", "oracle_engines:Fine", "--epsilon", "1/2"], "has no parameter epsilon"),
        (["--engine", MINIMAL, "--epsilon", "1/2"], "write {epsilon} in it"),
        (["--engine", MINIMAL, "--epsilon", "7"], "outside [0, 1]"),
        (["--engine", MINIMAL, "--free", "AX"], "free variables 'AX'"),
        (["--engine", "'unclosed"], "cannot be split"),
        (["--engine", MINIMAL, "--junit", "absent/folder/o.xml"], "there is no folder"),
        (["--engine", ""], "the empty command"),
        ([], "--engine"),
    ],
)
def test_what_cannot_be_started_is_one_line(ivme: Command, arguments: list[str], message: str) -> None:
    done = ivme("oracle", *arguments, "--examples", 1, "--no-corpus", "--seed", 1)
    assert done.code == 2
    assert message in done.err
    assert len([line for line in done.err.splitlines() if "error" in line]) == 1
    assert "Traceback" not in done.err
    assert done.out == ""


# --- what engines do ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("oracle_engines:ForgetsDeletes", "wrong answer"),
        ("oracle_engines:Hangs", "hang"),
        ("oracle_engines:Exits", "crash"),
    ],
)
def test_what_an_engine_in_python_does_is_a_finding(name: str, kind: str) -> None:
    (case,) = judge_head(question(name, timeout=0.2 if kind == "hang" else 60), "")
    assert case.finding is not None
    assert case.finding.kind == kind
    assert case.trace is not None


def test_an_engine_that_ends_the_process_is_found_and_its_trace_is_short(
    ivme: Command, tmp_path: Path
) -> None:
    """The worker dies with exit code 0; the engine is then run on its own, and what kills it is shrunk."""
    trace = tmp_path / "t.jsonl"
    done = ivme("oracle", "--engine", "oracle_engines:Dies", "--free", "", *FEW, "--trace", trace)
    assert done.code == 1
    assert "crash: it ended with exit code 0" in done.out
    assert [update[0] for update in read_trace(trace).updates] == ["S"]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("import time; time.sleep(60)", "hang"),
        ("raise SystemExit(3)", "crash"),
        ("print('hello')", "garbage"),
        ("import os; os.kill(os.getpid(), 11)", "crash"),
    ],
)
def test_a_process_that_misbehaves_from_the_start_is_a_finding(code: str, kind: str) -> None:
    timeout = 0.5 if kind == "hang" else 60
    (case,) = judge_head(question(f'{sys.executable} -c "{code}"', timeout), "")
    assert case.finding is not None
    assert case.finding.kind == kind


def test_the_corpus_is_replayed_and_names_what_fails() -> None:
    fine = judge_head(question("oracle_engines:Fine", corpus=True), "AB")
    assert len(fine) > 20
    assert all(case.ok for case in fine)
    wrong = judge_head(question("oracle_engines:ForgetsDeletes", corpus=True), "AB")
    failed = [case for case in wrong if not case.ok]
    assert {case.name.partition(":")[0] for case in failed} == {"random runs", "corpus"}
    assert all(case.trace is not None and len(case.trace.updates) <= 8 for case in failed)


def test_epsilon_reaches_the_engine() -> None:
    assert judge_head(question("oracle_engines:WithEpsilon", epsilon="1/3"), "A")[0].ok
    separate = Named("oracle_engines:WithEpsilon", "1/3").separate("A")()
    separate.update("R", 1, 2, 1)
    assert list(separate.rows()) == []
    separate.close()  # type: ignore[attr-defined]  # a ProcessEngine has it
    command = Named("engine --epsilon {epsilon} --head={free}", "1/3")
    with pytest.raises(EngineProblem, match="engine --epsilon 1/3 --head=AB"):
        command.factory("AB")()
    with pytest.raises(EngineNameError):
        Named("oracle_engines:Fine", "1/3").factory("A")


def test_junit_can_hold_anything() -> None:
    finding = Finding("wrong answer", "\x00 & <tag> \ud800 ✓", 1)
    trace = trace_of("A", [Step("update", (("R", "\x01", "</failure>", 1),))])
    text = junit([Case("A", "random runs", 0.5, finding, trace), Case("", "random runs", 1.0)], "a & b", 3)
    root = ElementTree.fromstring(text)
    assert [suite.get("failures") for suite in root] == ["1", "0"]
    failure = root.find(".//failure")
    assert failure is not None
    assert "\\x00 & <tag>" in (failure.get("message") or "")
    assert "</failure>" in (failure.text or "")
