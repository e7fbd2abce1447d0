"""What a claim is, and what it means to have obtained it.

A claim is a sentence, its place in the paper, and a function that tries to refute it. The function returns
what it covered, or raises: `Refuted` with a counterexample; any other exception, a solver's "unknown"
included, means that the claim was not obtained, which is a failure too.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from enum import Enum

from attrs import frozen


class Refuted(Exception):
    """There is a counterexample, or an expected witness does not exist."""


class NotObtained(Exception):
    """The instrument gave no answer: unknown, timeout, unsatisfiable hypotheses."""


class Scope(Enum):
    """How much a claim covers; README.md defines each word."""

    PROVED = "proved"
    EXHAUSTIVE = "exhaustive"
    SHOWN = "shown"


class Verdict(Enum):
    """The result for a claim in one run."""

    OBTAINED = "obtained"
    REFUTED = "REFUTED"
    NOT_OBTAINED = "NOT OBTAINED"


@frozen
class Claim:
    """One claim.

    name         short, unique; planted bugs refer to it
    statement    what is claimed
    label        where the paper says it (a TeX label), or the erratum
    instrument   CrossHair, Z3, polynomials, enumeration of all cases, closure
    scope        with `extent`: proved; exhaustive, up to …; shown (a counterexample to what is printed)
    assumes      assumptions beyond the trusted base (CPython, Z3, CrossHair)
    guards       the production code that it runs: names, with class or module where they need one, or files
    quick        whether `make test` runs it
    check        tries to refute it; returns what it covered
    """

    name: str
    statement: str
    label: str
    instrument: str
    scope: Scope
    extent: str
    assumes: str
    guards: tuple[str, ...]
    check: Callable[[], str]
    quick: bool = True


@frozen
class Outcome:
    """The verdict on one claim, what was covered or what went wrong, and the CPU seconds."""

    claim: str
    verdict: Verdict
    detail: str
    seconds: float


def decide(claim: Claim) -> Outcome:
    """Run a claim's check."""
    start = time.process_time()
    try:
        verdict, detail = Verdict.OBTAINED, claim.check()
    except Refuted as counterexample:
        verdict, detail = Verdict.REFUTED, str(counterexample)
    except Exception as error:  # a crash of the code under proof is a counterexample only if it is ours
        verdict, detail = _crash(error)
    return Outcome(claim.name, verdict, detail, time.process_time() - start)


def _crash(error: Exception) -> tuple[Verdict, str]:
    """Production code that raises refutes the claim; an instrument that raises leaves it open."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "/proofs/" in frame.filename or "/ivme" in frame.filename]
    last = ours[-1] if ours else frames[-1]
    where = f"{last.filename.rsplit('/', 1)[-1]}:{last.lineno}"
    inside = "/proofs/" not in last.filename and not isinstance(error, NotObtained)
    verdict = Verdict.REFUTED if inside and ours else Verdict.NOT_OBTAINED
    return verdict, f"{type(error).__name__} at {where}: {error}"


def require(condition: bool, counterexample: str) -> None:
    """Raise `Refuted` unless the condition holds."""
    if not condition:
        raise Refuted(counterexample)
