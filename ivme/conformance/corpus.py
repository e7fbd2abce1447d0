"""A corpus of known failures of incremental engines, as traces that any engine can replay.

The files are in the folder beside this module, in the format of spec/TRACES.md, one for each kind of failure;
the note in the header names it, and the public bug report that it is modelled on. Each holds the expected
answer of △(a,b,c) after every step; the answers of the other heads are sums of it. Files that begin with
`python-` rely on Python's equality (True == 1, 0 == -0.0) and are replayed with Capabilities(values="python")
only.

>>> trace = load("group-returns", "A")
>>> trace.header.note
'a group never returns after it was emptied row by row (turso#8531)'
"""

from __future__ import annotations

from importlib.resources import as_file, files

from attrs import evolve

from ivme.conformance.protocol import EVERYTHING, Capabilities, Factory, Finding
from ivme.conformance.session import replay
from ivme.formats.traces import Answer, Step, Trace, TraceError, read_trace
from ivme_spec.queries import head
from ivme_spec.relations import VARIABLES, restrict

FOLDER = files("ivme.conformance") / "corpus"


def names() -> tuple[str, ...]:
    """The names of all traces, in alphabetical order."""
    return tuple(sorted(path.name[:-6] for path in FOLDER.iterdir() if path.name.endswith(".jsonl")))


def load(name: str, free: str = VARIABLES) -> Trace:
    """A trace of the corpus, for any head.  Bad input: a `TraceError` for an unknown name."""
    if name not in names():
        raise TraceError(f"there is no trace {name!r} in the corpus; it has {', '.join(names())}")
    with as_file(FOLDER / f"{name}.jsonl") as path:
        return project(read_trace(path), free)


def project(trace: Trace, free: str) -> Trace:
    """A trace of △(a,b,c) as a trace of another head: the expected answers are summed up.

    Bad input: a `HeadError`, and a `TraceError` for a trace that lacks variables.
    """
    given = trace.header.free
    if set(given) != set(VARIABLES):
        raise TraceError(f"a trace of the head {given!r} does not determine the answers of others")

    def summed(step: Step) -> Step:
        answer: Answer = {}
        for row, m in step.answer.items():
            short = restrict(row, given, free)
            answer[short] = answer.get(short, 0) + m
        return evolve(step, answer=answer)

    return Trace(evolve(trace.header, free=head(free)), tuple(map(summed, trace.steps)))


def claimed(trace: Trace, capabilities: Capabilities) -> bool:
    """Whether an engine claims to handle all data values of a trace; otherwise it is not replayed.

    Single updates that it does not claim to handle, for example deletes, are left out.
    """
    return all(capabilities.handles(value) for update in trace.updates for value in update[1:3])


def run_corpus(
    factory: Factory, free: str = "", *, capabilities: Capabilities = EVERYTHING
) -> dict[str, Finding]:
    """Replay the corpus against an engine: the findings, by the name of the trace.

    Cost: some 40 traces of up to 60 steps.
    """
    found = {}
    for name in names():
        trace = load(name, free)
        if claimed(trace, capabilities) and (finding := replay(trace, factory, capabilities)) is not None:
            found[name] = finding
    return found
