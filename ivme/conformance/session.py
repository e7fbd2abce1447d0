"""One engine beside the naive reference: every step is sent to both and the answers are compared.

Whatever the engine does wrong, exceptions included, becomes a `Finding`, raised as `Found`; the kit itself
does not crash with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import TypeVar

from ivme.conformance.protocol import (
    EVERYTHING,
    Capabilities,
    EngineProblem,
    EngineUnderTest,
    Factory,
    Finding,
)
from ivme.formats.answers import difference
from ivme.formats.traces import Answer, Step, Trace, TraceError, Update
from ivme_reference.naive import Naive
from ivme_spec.errors import RefusedUpdateError
from ivme_spec.relations import Row

T = TypeVar("T")


class Found(Exception):
    """Carries a finding to the caller."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.kind)
        self.finding = finding


class Session:
    """An engine and the reference, starting from the empty database."""

    def __init__(self, factory: Factory, free: str, capabilities: Capabilities) -> None:
        self.free = free
        self.capabilities = capabilities
        self.reference: Naive[int] = Naive(free)
        self.steps: list[Step] = []
        self.count = 0
        """Updates sent, refused ones included."""
        self.applied = 0
        self.engine: EngineUnderTest = self._guard("cannot be made", factory)

    # --- sending ----------------------------------------------------------------------------------------

    def multiplicity(self, update: Update) -> int:
        """The multiplicity of the update's tuple now."""
        relation, x, y, _ = update
        found = self.reference.relations["RST".index(relation)].row(x).get(y)
        return 0 if found is None else found

    def valid(self, update: Update) -> bool:
        """Whether the engine claims to handle the update, in the current database."""
        after, change = self.multiplicity(update) + update[3], update[3]
        if not (self.capabilities.handles(update[1]) and self.capabilities.handles(update[2])):
            return False
        if change == 0 or after < 0 or (change < 0 and not self.capabilities.deletes):
            return False
        if not self.capabilities.multiplicities and not (abs(change) == 1 and after in (0, 1)):
            return False
        return self.capabilities.largest is None or after <= self.capabilities.largest

    def send(self, updates: Sequence[Update], batch: bool = False) -> None:
        """Apply the valid ones of some updates, one by one or as one batch."""
        accepted = []
        for update in updates:
            if self.valid(update):
                self.reference.update(*update)
                accepted.append(update)
        if not accepted:
            return
        self.count += len(accepted)
        self.applied += len(accepted)
        if batch or self.capabilities.batch_only:
            self.steps.append(Step("batch", tuple(accepted)))
            self._guard("refused a valid update", lambda: self._batch(accepted))
        else:
            for update in accepted:
                self.steps.append(Step("update", (update,)))
                self._guard("refused a valid update", partial(self.engine.update, *update))

    def _batch(self, updates: Sequence[Update]) -> None:
        batch = getattr(self.engine, "batch", None)
        if batch is not None:
            batch(list(updates))
        else:
            for update in updates:
                self.engine.update(*update)

    def refuse(self, update: Update) -> None:
        """Send an update that must be refused, if the engine claims to refuse any, and change nothing."""
        if (
            not self.capabilities.refuses
            or self.capabilities.batch_only
            or self.multiplicity(update) + update[3] >= 0
            or not (self.capabilities.handles(update[1]) and self.capabilities.handles(update[2]))
        ):
            return
        self.count += 1
        self.steps.append(Step("refused", (update,)))
        try:
            self.engine.update(*update)
        except EngineProblem as problem:
            raise self._found(problem.kind, str(problem)) from problem
        except Exception:
            return
        except BaseException as error:
            if not _panic(error):
                raise
            raise self._found("crash", f"it panicked: {error}") from error
        raise self._found("accepted an invalid update", f"{update!r} deletes more than there is")

    # --- comparing --------------------------------------------------------------------------------------

    def expected(self) -> Answer:
        """The reference's answer."""
        return dict(self.reference)

    def compare(self) -> None:
        """Compare the whole answer, which has no repeated, zero or malformed rows; lookups; own checks."""
        got = tuple(
            self._guard("cannot answer", lambda: [self._entry(entry) for entry in self.engine.rows()])
        )
        expected, answer = self.expected(), dict(got)
        if len(answer) != len(got):
            repeated = next(row for row in answer if sum(row == other for other, _ in got) > 1)
            raise self._found("duplicate row", f"{repeated!r} is reported more than once", expected, got)
        if zeros := [row for row, multiplicity in got if not multiplicity]:
            raise self._found("zero row", f"{zeros[0]!r} is reported with multiplicity 0", expected, got)
        if answer != expected:
            raise self._found("wrong answer", difference(answer, expected), expected, got)
        self._lookups(expected)
        if (check := getattr(self.engine, "check", None)) is not None:
            self._guard("violates its own invariants", check)

    def _lookups(self, expected: Answer) -> None:
        lookup = getattr(self.engine, "lookup", None)
        if lookup is None:
            return
        absent = tuple(object() for _ in self.free)
        for row in [*expected, absent]:
            got = self._guard("cannot look up a row", partial(lookup, row))
            if got != expected.get(row, 0):
                raise self._found(
                    "wrong lookup", f"{row!r} is {got!r}, expected {expected.get(row, 0)}", expected
                )

    def _entry(self, entry: object) -> tuple[Row, int]:
        if isinstance(entry, tuple | list) and len(entry) == 2:
            row, multiplicity = entry
            if isinstance(row, tuple) and len(row) == len(self.free) and isinstance(multiplicity, int):
                with suppress(TypeError):
                    hash(row)
                    return row, multiplicity
        raise EngineProblem(
            "malformed row", f"{entry!r} is not (tuple of {len(self.free)} hashable values, integer)"
        )

    # --- the end ----------------------------------------------------------------------------------------

    def close(self) -> None:
        """Close the engine; errors are ignored."""
        if (close := getattr(getattr(self, "engine", None), "close", None)) is not None:
            with suppress(Exception):
                close()

    def _guard(self, what: str, action: Callable[[], T]) -> T:
        """Call the engine; what it raises is a finding."""
        try:
            return action()
        except EngineProblem as problem:
            raise self._found(problem.kind, str(problem)) from problem
        except RefusedUpdateError as error:
            raise self._found(what, str(error)) from error
        except Exception as error:
            raise self._found(what, f"it raised {type(error).__name__}: {error}") from error
        except BaseException as error:
            if not _panic(error):
                raise
            raise self._found("crash", f"it panicked: {error}") from error

    def _found(
        self,
        kind: str,
        detail: str,
        expected: Answer | None = None,
        got: tuple[tuple[Row, int], ...] | None = None,
    ) -> Found:
        return Found(Finding(kind, detail, self.count, expected, got))


def _panic(error: BaseException) -> bool:
    """Whether an engine in Rust panicked: pyo3's exception derives from BaseException."""
    return type(error).__name__ == "PanicException"


def replay(trace: Trace, factory: Factory, capabilities: Capabilities = EVERYTHING) -> Finding | None:
    """Run a trace against a fresh engine, comparing after every step; the first finding, or None.

    Updates that the engine does not claim to handle are left out. If none is, the expectations of the trace
    must agree with the reference.  Bad input: a `TraceError` if they do not.
    """
    try:
        session = Session(factory, trace.header.free, capabilities)
    except Found as found:
        return found.finding
    wanted = 0
    try:
        session.compare()
        for step in trace.steps:
            if step.kind == "refused":
                session.refuse(step.updates[0])
            else:
                session.send(step.updates, batch=step.kind == "batch")
                wanted += len(step.updates)
            if step.kind == "expect" and session.applied == wanted and step.answer != session.expected():
                raise TraceError(
                    f"the trace expects {step.answer!r}; by definition it is {session.expected()!r}"
                )
            session.compare()
    except Found as found:
        return found.finding
    finally:
        session.close()
    return None
