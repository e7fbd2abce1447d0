"""What an engine under test has to offer, and what the kit can find.

An engine needs two methods, `update` and `rows`. `Capabilities` declare what else it can do; further methods
are used if they exist:

    batch(updates)     several updates at once (needed with Capabilities(batch_only=True))
    lookup(row)        the multiplicity of one row
    check()            the engine's own invariants; raises if one is violated
    close()            called when the engine is no longer needed
    cost()             steps counted so far, for `check_complexity`
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Protocol

from attrs import field, frozen
from attrs.validators import in_

from ivme.formats.traces import Answer, Header, Step, Trace, encode_step
from ivme_spec.errors import IvmeError
from ivme_spec.queries import Query
from ivme_spec.relations import RelationName, Row


class EngineUnderTest(Protocol):
    """Maintains one triangle query over R(A,B), S(B,C), T(C,A), starting from the empty database."""

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int, /) -> object:
        """Add a signed multiplicity to a tuple; raise anything to refuse it."""

    def rows(self) -> Iterable[tuple[Row, int]]:
        """The whole answer: rows (tuples, in the order of the free variables) with multiplicities."""


Factory = Callable[[], EngineUnderTest]
"""Makes an engine over the empty database."""


@frozen
class Capabilities:
    """What an engine claims to support; the kit asks no more of it.

    multiplicities  False: sets; a present tuple is never inserted again, and all multiplicities are 1
    deletes         False: inserts only
    batch_only      True: updates are sent through `batch(updates)` alone
    refuses         True: deletes of more copies than present are sent too, and must raise and change nothing
    largest         no multiplicity of a tuple exceeds this; None: no limit
    values          "integers": data values are integers below 2^31; "any": also larger ones, strings, None,
                    tuples; "python": also bools and floats, equal as in Python: 1 == True == 1.0, 0 == -0.0
    """

    multiplicities: bool = True
    deletes: bool = True
    batch_only: bool = False
    refuses: bool = False
    largest: int | None = None
    values: str = field(default="integers", validator=in_(("integers", "any", "python")))

    def handles(self, value: Hashable) -> bool:
        """Whether an engine with these capabilities supports this data value."""
        if isinstance(value, bool | float):
            return self.values == "python"
        if isinstance(value, tuple):
            return self.values != "integers" and all(map(self.handles, value))
        return self.values != "integers" or (isinstance(value, int) and abs(value) < 2**31)


EVERYTHING = Capabilities()
"""An engine that declares nothing: multiplicities, deletes, single updates and batches."""


class EngineProblem(IvmeError):
    """Raised by drivers of foreign engines; its `kind` is "crash", "hang", "garbage" or another one."""

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind


@frozen
class Finding:
    """One way in which an engine failed: its kind, the detail, and after how many updates."""

    kind: str
    detail: str
    position: int
    expected: Answer | None = None
    got: tuple[tuple[Row, int], ...] | None = None


class ConformanceFailure(AssertionError):
    """An engine disagrees with the reference. `trace` replays it; the message shows it in one screen."""

    def __init__(self, finding: Finding, trace: Trace, path: str | None = None) -> None:
        self.finding = finding
        self.trace = trace
        self.path = path
        super().__init__(render(finding, trace, path))


LINES = 40
"""The most lines of anything that a report shows."""


def render(finding: Finding, trace: Trace, path: str | None) -> str:
    """A failure as text: the numbered updates, expected against got, the path of the trace."""
    query = Query(trace.header.free)
    lines = [
        f"{finding.kind}: {finding.detail}",
        "",
        f"{query} after these updates, from the empty database:",
    ]
    number = batches = 0
    for step in trace.steps:
        batches += step.kind == "batch"
        for update in step.updates:
            number += 1
            relation, x, y, multiplicity = update
            note = {"batch": f"  (batch {batches})", "refused": "  (must be refused)"}.get(step.kind, "")
            lines.append(f"  {number:3}. {relation}({x!r}, {y!r})  {multiplicity:+d}{note}")
    if finding.expected is not None and finding.got is not None:
        lines += ["", *_compare(finding.expected, finding.got)]
    if path is not None:
        lines += ["", f"The trace is in {path}"]
    if len(lines) > 3 * LINES:
        lines = [*lines[: 2 * LINES], f"  … {len(lines) - 3 * LINES} lines left out …", *lines[-LINES:]]
    return "\n".join(lines)


def _compare(expected: Answer, got: tuple[tuple[Row, int], ...]) -> list[str]:
    lines, rows = ["  row: expected, got"], {row: [m for r, m in got if r == row] for row, _ in got}
    different = [
        row
        for row in {**expected, **rows}
        if rows.get(row, []) != ([expected[row]] if row in expected else [])
    ]
    for row in different[:LINES]:
        shown = " and ".join(map(str, rows.get(row, []))) or "missing"
        lines.append(f"  {row!r}: {expected.get(row, 'not in the answer')}, {shown}")
    if len(different) > LINES:
        lines.append(f"  … and {len(different) - LINES} more rows differ")
    return lines


def trace_of(
    free: str, steps: Iterable[Step], answer: Answer | None = None, note: str = "", epsilon: str | None = None
) -> Trace:
    """A trace of these steps, and of the expected answer if it is given."""
    ending = () if answer is None else (Step("expect", answer=answer),)
    return Trace(Header(free, epsilon, note=note), (*steps, *ending))


def lines_of(trace: Trace) -> list[str]:
    """The steps of a trace as lines."""
    return [encode_step(step) for step in trace.steps]
