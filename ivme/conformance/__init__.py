"""The conformance kit: test any engine for triangle queries against the reference.

    from ivme.conformance import run

    def test_my_engine():
        run(MyEngine, free="AB")

An engine has `update(relation, x, y, multiplicity)` and `rows()`, which yields (tuple, multiplicity) pairs;
`MyEngine()` starts from the empty database. A failure is shrunk, printed as a numbered list of updates with
expected against got, and saved as a trace that replays. Read in this order: protocol, session, machine,
shrink.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from ivme.extras import require

require("ivme.conformance", "conformance", "hypothesis")

from hypothesis import HealthCheck, Phase, settings
from hypothesis import seed as hypothesis_seed
from hypothesis.stateful import run_state_machine_as_test

from ivme.conformance.corpus import run_corpus
from ivme.conformance.machine import ConformanceMachine, machine_for
from ivme.conformance.process import ProcessEngine
from ivme.conformance.protocol import (
    EVERYTHING,
    Capabilities,
    ConformanceFailure,
    EngineProblem,
    EngineUnderTest,
    Factory,
    Finding,
    trace_of,
)
from ivme.conformance.session import Session, replay
from ivme.conformance.shrink import shrink
from ivme.formats.traces import Step, Trace, write_trace
from ivme_spec.queries import Query, head

__all__ = [
    "Capabilities",
    "ConformanceFailure",
    "ConformanceMachine",
    "EngineProblem",
    "EngineUnderTest",
    "Finding",
    "ProcessEngine",
    "Session",
    "machine_for",
    "replay",
    "run",
    "run_corpus",
]

SAVED = ".ivme-traces"
"""The default folder for traces of failures."""


def run(
    factory: Factory,
    free: str = "",
    *,
    capabilities: Capabilities = EVERYTHING,
    examples: int = 100,
    steps: int = 30,
    seed: int | None = None,
    folder: str | os.PathLike[str] | None = SAVED,
) -> None:
    """Test an engine: `examples` random runs of up to `steps` rules each, compared after every rule.

    Raises a `ConformanceFailure` with the shrunk trace, which is also saved in `folder` (None: nowhere). If
    the trace is still long, a few other failing runs are tried for a shorter one.
    """
    free = head(free)
    failure = _failure(factory, free, capabilities, examples, steps, seed)
    if failure is None:
        return
    best = shrunk(failure, factory, capabilities)
    for attempt in range(1, RETRIES + 1):
        if len(best.trace.updates) <= SHORT:
            break
        other = _failure(factory, free, capabilities, examples, steps, (seed or 0) + attempt)
        if other is not None:
            best = min(best, shrunk(other, factory, capabilities), key=lambda found: len(found.trace.updates))
    raise _saved(best.finding, best.trace, folder, *getattr(best, "__notes__", ())) from None


SHORT, RETRIES = 12, 5
"""For a trace of more than SHORT updates, up to RETRIES other runs are tried."""


def _failure(
    factory: Factory, free: str, capabilities: Capabilities, examples: int, steps: int, seed: int | None
) -> ConformanceFailure | None:
    """The first failure of random runs, not shrunk."""
    machine = machine_for(factory, free, capabilities)
    chosen = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        print_blob=False,
        report_multiple_bugs=False,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    wrapped = machine if seed is None else hypothesis_seed(seed)(machine)
    try:
        run_state_machine_as_test(wrapped, settings=chosen)
    except ConformanceFailure as failure:
        return failure
    return None


def shrunk(
    failure: ConformanceFailure,
    factory: Factory,
    capabilities: Capabilities,
    folder: str | os.PathLike[str] | None = None,
) -> ConformanceFailure:
    """The failure with a short trace, saved in a folder if one is given."""
    free = failure.trace.header.free

    def again(steps: object) -> Finding | None:
        assert isinstance(steps, list | tuple)
        return replay(trace_of(free, steps), factory, capabilities)

    sent: list[Step] = [step for step in failure.trace.steps if step.kind != "expect"]
    finding = again(sent)
    if finding is None:
        return _saved(failure.finding, failure.trace, folder, "did not fail again when replayed")
    steps, finding = shrink(sent, finding, again)
    return _saved(finding, trace_of(free, steps, finding.expected, note=finding.kind), folder)


def _saved(
    finding: Finding, trace: Trace, folder: str | os.PathLike[str] | None, remark: str = ""
) -> ConformanceFailure:
    path = None
    if folder is not None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        kind = re.sub(r"[^a-z0-9]+", "-", finding.kind.lower()).strip("-")
        name = f"{Query(trace.header.free).slug}-{kind}.jsonl"
        path = str(Path(folder) / name)
        write_trace(path, trace.header, trace.steps)
    failure = ConformanceFailure(finding, trace, path)
    if remark:
        failure.add_note(remark)
    return failure
