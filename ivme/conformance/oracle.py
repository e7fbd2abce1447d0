"""Judge an engine by name: random runs and the corpus for each head, as cases with a verdict and a trace.

Engines in Python run in a worker process. If the engine kills it, the head is judged again with the engine in
a process of its own, where each crash is a finding like any other, and can be shrunk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from time import monotonic
from xml.etree import ElementTree

from attrs import frozen

from ivme.conformance import ConformanceFailure, Session, run, shrunk
from ivme.conformance.corpus import claimed, load, names
from ivme.conformance.engines import Named
from ivme.conformance.protocol import Capabilities, Factory, Finding
from ivme.conformance.session import Found, replay
from ivme.formats.traces import Trace
from ivme.processes.pool import workers
from ivme_spec.errors import InputError
from ivme_spec.queries import Query

RANDOM = "random runs"
NOT_STARTED = ("cannot be started", "cannot be made")


class NotStartedError(InputError):
    """An engine that does not start."""


@frozen
class Case:
    """One check of one head: the random runs, or a trace of the corpus."""

    free: str
    name: str
    seconds: float
    finding: Finding | None = None
    trace: Trace | None = None
    """The shrunk trace."""

    @property
    def ok(self) -> bool:
        """Whether the engine agreed."""
        return self.finding is None

    @property
    def failure(self) -> str:
        """The failure as text of one screen."""
        if self.finding is None or self.trace is None:
            return ""
        return str(ConformanceFailure(self.finding, self.trace))


@frozen
class Question:
    """What is asked of an engine."""

    engine: Named
    capabilities: Capabilities
    examples: int
    steps: int
    seed: int
    corpus: bool


def judged(question: Question, heads: Sequence[str]) -> Iterator[Case]:
    """The cases of all heads, as they are decided.

    Bad input: a `NotStartedError` if the engine does not start, an `EngineNameError` if there is none.
    """
    for free in heads:
        if question.engine.in_python:
            yield from _in_worker(question, free)
        else:
            yield from judge_head(question, free)


def _in_worker(question: Question, free: str) -> list[Case]:
    with workers(1) as pool:
        try:
            return pool.submit(judge_head, question, free).result()
        except BrokenProcessPool:
            return judge_head(question, free, separate=True)


def judge_head(question: Question, free: str, separate: bool = False) -> list[Case]:
    """The cases of one head, in this process.  Bad input: as `judged`."""
    factory = question.engine.separate(free) if separate else question.engine.factory(free)
    _must_start(factory, free, question.capabilities)
    cases = [_random(question, free, factory)]
    if question.corpus:
        cases += (_known(name, question, free, factory) for name in names())
    return cases


def _must_start(factory: Factory, free: str, capabilities: Capabilities) -> None:
    try:
        Session(factory, free, capabilities).close()
    except Found as found:
        if found.finding.kind in NOT_STARTED:
            raise NotStartedError(
                f"the engine for {Query(free)} {found.finding.kind}: {found.finding.detail}"
            ) from found


def _random(question: Question, free: str, factory: Factory) -> Case:
    started = monotonic()
    try:
        run(
            factory,
            free,
            capabilities=question.capabilities,
            examples=question.examples,
            steps=question.steps,
            seed=question.seed,
            folder=None,
        )
    except ConformanceFailure as failure:
        return Case(free, RANDOM, monotonic() - started, failure.finding, failure.trace)
    return Case(free, RANDOM, monotonic() - started)


def _known(name: str, question: Question, free: str, factory: Factory) -> Case:
    """A trace of the corpus; passes if the engine does not claim to handle it."""
    started, trace = monotonic(), load(name, free)
    finding = replay(trace, factory, question.capabilities) if claimed(trace, question.capabilities) else None
    if finding is None:
        return Case(free, f"corpus: {name}", monotonic() - started)
    short = shrunk(ConformanceFailure(finding, trace), factory, question.capabilities)
    return Case(free, f"corpus: {name}", monotonic() - started, short.finding, short.trace)


def junit(cases: Sequence[Case], engine: str, seed: int) -> bytes:
    """The cases as JUnit XML: a suite for each head.  Cost: their length."""
    root = ElementTree.Element("testsuites", name=_clean(f"ivme oracle: {engine}"))
    heads = dict.fromkeys(case.free for case in cases)
    for free in heads:
        own = [case for case in cases if case.free == free]
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=str(Query(free)),
            tests=str(len(own)),
            failures=str(sum(not case.ok for case in own)),
            errors="0",
            skipped="0",
            time=f"{sum(case.seconds for case in own):.3f}",
        )
        properties = ElementTree.SubElement(suite, "properties")
        ElementTree.SubElement(properties, "property", name="seed", value=str(seed))
        for case in own:
            element = ElementTree.SubElement(
                suite,
                "testcase",
                classname=f"ivme.oracle.{Query(free).slug}",
                name=case.name,
                time=f"{case.seconds:.3f}",
            )
            if case.finding is not None:
                message = _clean(f"{case.finding.kind}: {case.finding.detail}".splitlines()[0])
                failure = ElementTree.SubElement(element, "failure", message=message, type=case.finding.kind)
                failure.text = _clean(case.failure)
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def _clean(text: str) -> str:
    """Text with escapes for the characters that XML 1.0 cannot hold."""
    return "".join(
        c
        if c in "\t\n\r" or " " <= c <= "\ud7ff" or "\ue000" <= c <= "\ufffd" or c >= "\U00010000"
        else f"\\x{ord(c):02x}"
        for c in text
    )
