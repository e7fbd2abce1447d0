"""Engines that are processes: they pass the kit, and whatever they do wrong is a finding, in time."""

import gc
import os
import shutil
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from ivme.conformance import Capabilities, ConformanceFailure, EngineProblem, replay, run
from ivme.conformance.corpus import run_corpus
from ivme.conformance.process import ProcessEngine
from ivme.conformance.protocol import trace_of
from ivme.formats.traces import Step, Update
from ivme.processes.lines import KEPT
from ivme_spec.errors import HeadError, RefusedUpdateError

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "engines"
MINIMAL = [sys.executable, str(EXAMPLES / "minimal.py")]
NODE = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

START = """
import json, os, signal, subprocess, sys, time
def say(text): sys.stdout.write(text); sys.stdout.flush()
def ok(lines=1): say('{"ok": true}\\n' * lines)
sys.stdin.readline(); ok()
"""


def child(program: str, timeout: float = 30.0, free: str = "AB") -> ProcessEngine:
    """An engine that opens as it should and then does this."""
    return ProcessEngine([sys.executable, "-c", START + program], free, timeout)


def gone(engine: ProcessEngine) -> bool:
    """Whether the process was reaped and its group has nobody left (a dead orphan may linger a moment)."""
    for _ in range(100):
        try:
            os.killpg(engine._child.process.pid, 0)
        except ProcessLookupError:
            return engine._child.process.returncode is not None
        time.sleep(0.05)
    return False


# --- engines that work ----------------------------------------------------------------------------------


@pytest.mark.parametrize("free", ["", "CA"])
def test_the_minimal_engine_passes(free: str, seed: int) -> None:
    capabilities = Capabilities(refuses=True, values="any")
    factory = partial(ProcessEngine, MINIMAL, free)
    run(factory, free, capabilities=capabilities, examples=8, seed=seed, folder=None)


def test_the_minimal_engine_passes_the_corpus() -> None:
    capabilities = Capabilities(refuses=True, values="any")
    assert run_corpus(partial(ProcessEngine, MINIMAL, "AB"), "AB", capabilities=capabilities) == {}


@NODE
def test_the_minimal_engine_in_javascript_passes(seed: int) -> None:
    factory = partial(ProcessEngine, f"node {EXAMPLES / 'minimal.js'}", "BC")
    run(factory, "BC", capabilities=Capabilities(refuses=True), examples=8, seed=seed, folder=None)


def test_values_and_large_integers_arrive_as_they_are() -> None:
    engine = ProcessEngine(MINIMAL, "ABC")
    a, b, c = None, ("x", (1, "\U0001f600 \u00e9\n")), 2**100
    engine.batch([("R", a, b, 2**64), ("S", b, c, 2**65)])
    engine.update("T", c, a, 1)
    assert engine.rows() == [((a, b, c), 2**129)]
    engine.close()
    assert gone(engine)


def test_a_refusal_is_an_error_of_its_own_and_not_the_end() -> None:
    engine = ProcessEngine(MINIMAL, "")
    with pytest.raises(RefusedUpdateError, match="fewer copies"):
        engine.update("R", 1, 2, -1)
    assert engine.rows() == []
    engine.close()
    with pytest.raises(EngineProblem, match="it was closed"):
        engine.rows()


# --- engines that do not --------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["/no/such/engine", [], "", ["a\0b"], [str(EXAMPLES)]])
def test_a_command_that_does_not_start_is_a_finding(command: str | list[str]) -> None:
    with pytest.raises(EngineProblem) as caught:
        ProcessEngine(command, "A")
    assert caught.value.kind == "cannot be started"


def test_a_head_that_is_none_is_an_input_error() -> None:
    with pytest.raises(HeadError):
        ProcessEngine(MINIMAL, "AA")


def test_an_engine_may_refuse_to_open() -> None:
    program = """import sys; sys.stdin.readline(); print('{"refused": "no such head"}', flush=True)"""
    with pytest.raises(EngineProblem, match="refused to open 'AB': no such head") as caught:
        ProcessEngine([sys.executable, "-c", program], "AB")
    assert caught.value.kind == "cannot be started"


PROBLEMS = {
    "exit code": ("sys.stderr.write('why\\n'); sys.exit(3)", "crash", r"(?s)exit code 3.*output:\n +why"),
    "exception": ("sys.stdin.readline(); 1 / 0", "crash", "ZeroDivisionError"),
    "signal": ("os.kill(os.getpid(), signal.SIGSEGV)", "crash", r"signal 11 \(segmentation fault\)"),
    "half a line": ("sys.stdin.readline(); say('{\"ok\": tr')", "crash", "after the unfinished line"),
    "orphan": ("subprocess.Popen(['sleep', '600']); sys.exit(4)", "crash", "exit code 4"),
    "not JSON": ("sys.stdin.readline(); say('debug: got it\\n'); ok()", "garbage", "not JSON: debug: got it"),
    "not text": ("sys.stdin.readline(); os.write(1, b'\\xff\\xfe\\n')", "garbage", "not JSON"),
    "not an object": ("sys.stdin.readline(); say('[1]\\n')", "garbage", r"not a JSON object: \[1\]"),
    "not ok": ("sys.stdin.readline(); say('{\"ok\": false}\\n')", "garbage", 'answered {"ok": false}'),
    "nested": ("sys.stdin.readline(); say('[' * 100000 + '\\n')", "garbage", "not JSON"),
    "two lines": ("sys.stdin.readline(); ok(2)", "garbage", "more than one line"),
    "endless lines": ("sys.stdin.readline()\nwhile True: ok(9)", "garbage", "more than one line"),
    "closed output": ("os.close(1); time.sleep(600)", "garbage", "closed its output and stayed"),
}  # fmt: skip


@pytest.mark.parametrize("problem", PROBLEMS)
def test_what_goes_wrong_has_a_kind_and_a_reason(problem: str) -> None:
    program, kind, reason = PROBLEMS[problem]
    engine = child(program)
    with pytest.raises(EngineProblem, match=reason) as caught:
        engine.update("R", 1, 2, 1)
    assert caught.value.kind == kind  # and not "hang", as its time limit alone would say
    assert gone(engine)
    with pytest.raises(EngineProblem, match=reason):
        engine.rows()
    engine.close()


def test_a_second_line_that_comes_late_is_found_by_the_next_query() -> None:
    engine = child("sys.stdin.readline(); ok(); sys.stdin.readline(); ok(); say('{\"rows\": []}\\n')")
    engine.update("R", 1, 2, 1)
    with pytest.raises(EngineProblem) as caught:
        engine.rows()
    assert caught.value.kind == "garbage"
    assert gone(engine)


HANGS = {
    "asleep": "time.sleep(600)",
    "deaf": "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)",
    "mute": "while sys.stdin.readline(): pass",
    "half": "sys.stdin.readline(); say('{\"ok\"'); time.sleep(600)",
    "loud": "while True: sys.stderr.write('x' * 9999)",
    "forked": "subprocess.run(['sleep', '600'])",
}


@pytest.mark.parametrize("hang", HANGS)
def test_a_hang_ends_at_the_time_limit_with_all_its_processes(hang: str) -> None:
    engine = child(HANGS[hang])
    engine.timeout = 0.3
    with pytest.raises(EngineProblem, match=r'no answer to {"update": \["R", 1, 2, 1\]} in 0\.3 s') as caught:
        engine.update("R", 1, 2, 1)
    assert caught.value.kind == "hang"
    assert len(engine._child.error_tail()) <= KEPT
    assert gone(engine)


def test_an_engine_that_does_not_read_is_no_deadlock() -> None:
    engine = child("time.sleep(600)")
    engine.timeout = 0.3
    with pytest.raises(EngineProblem, match="no answer") as caught:
        engine.batch([("R", i, i, 1) for i in range(100_000)])
    assert caught.value.kind == "hang"
    assert len(str(caught.value)) < 1000


def test_long_requests_and_answers_pass_in_both_directions() -> None:
    engine = ProcessEngine(MINIMAL, "A", timeout=60)
    updates: list[Update] = []
    for x in range(20_000):
        updates += [("R", x, 0, 1), ("T", 0, x, 1)]
    engine.batch(updates)
    engine.update("S", 0, 0, 1)
    assert len(engine.rows()) == 20_000
    engine.close()


def test_loud_engines_are_heard_out() -> None:
    engine = child(
        "while sys.stdin.readline(): sys.stderr.write('x' * 500_000 + '\\n'); sys.stderr.flush(); ok()"
    )
    for _ in range(5):
        engine.update("R", 1, 2, 1)
    assert len(engine._child.error_tail()) <= KEPT
    engine.close()
    assert gone(engine)


def test_an_endless_line_is_garbage(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ivme.processes.lines.LONGEST", 1_000_000)
    engine = child("sys.stdin.readline()\nwhile True: say('x' * 99_999)")
    with pytest.raises(EngineProblem, match="with an endless line") as caught:
        engine.update("R", 1, 2, 1)
    assert caught.value.kind == "garbage"
    assert len(engine._child.pending()) < 2_000_000


def test_an_engine_that_does_not_close_is_closed() -> None:
    engine = child("signal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(600)")
    engine.close()
    engine.close()
    assert gone(engine)


def test_an_engine_that_is_forgotten_is_closed() -> None:
    engine = child("time.sleep(600)")
    process, end = engine._child.process, engine._child.finalizer
    del engine
    gc.collect()
    assert not end.alive
    assert process.returncode is not None


# --- what the kit makes of it ---------------------------------------------------------------------------

CRASHES = """
for line in sys.stdin:
    request = json.loads(line)
    if "T" in line and request.get("update", [0, 0, 0, 0])[1] == 2: sys.exit("cannot handle 2")
    say('{"rows": []}\\n' if "query" in request else '{"ok": true}\\n')
"""


def test_the_kit_reports_a_crash_with_a_short_trace(seed: int, tmp_path: Path) -> None:
    factory = partial(child, CRASHES, free="ABC")
    with pytest.raises(ConformanceFailure) as caught:
        run(factory, "ABC", seed=seed, folder=tmp_path, capabilities=Capabilities(multiplicities=False))
    failure = caught.value
    assert failure.finding.kind in ("crash", "wrong answer")
    assert len(failure.trace.updates) <= 3
    steps = [Step("update", (("T", 2, 0, 1),))]
    finding = replay(trace_of("ABC", steps), factory, Capabilities())
    assert finding is not None
    assert finding.kind == "crash"
    assert "cannot handle 2" in finding.detail


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ('{"rows": [[[1], 1]]}', "malformed row"),
        ('{"rows": [[[1, 2], 1.5]]}', "garbage"),
        ('{"rows": [[[1, 2], "1"]]}', "garbage"),
        ('{"rows": [[[1, [2]], 1]]}', "garbage"),
        ('{"rows": {}}', "garbage"),
        ('{"ok": true}', "garbage"),
        ('{"refused": "no"}', "garbage"),
        ('{"rows": [[[1, 2], 0]]}', "zero row"),
        ('{"rows": [[[1, 2], 1], [[1, 2], 1]]}', "duplicate row"),
        ('{"rows": [[[1, 2], 1]]}', "wrong answer"),
    ],
)
def test_rows_that_are_no_rows_are_findings(answer: str, kind: str) -> None:
    finding = replay(
        trace_of("AB", ()), partial(child, f"sys.stdin.readline(); say('{answer}\\n')"), Capabilities()
    )
    assert finding is not None
    assert finding.kind == kind


def test_an_engine_that_refuses_what_is_valid_is_found() -> None:
    program = """
for line in sys.stdin: say('{"rows": []}\\n' if "query" in line else '{"refused": "not today"}\\n')
"""
    trace = trace_of("AB", [Step("update", (("R", 1, 2, 1),))])
    finding = replay(trace, partial(child, program), Capabilities())
    assert finding is not None
    assert (finding.kind, finding.detail) == ("refused a valid update", "not today")
