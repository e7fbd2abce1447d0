"""Make a failing trace small: fewer steps, smaller batches, plainer values, smaller multiplicities.

Delta debugging on whole traces: a candidate is replayed against a fresh engine, and accepted if it gives a
finding of the same kind. Hypothesis' own shrinking cannot look inside a rule that sends many updates, and
traces may come from elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations
from time import monotonic

from attrs import evolve

from ivme.conformance.protocol import Finding
from ivme.formats.traces import Step, Update

Steps = Sequence[Step]
Replay = Callable[[Steps], Finding | None]

REPLAYS = 2000
"""The most candidates that are tried."""

FEW = 25
"""Up to this many steps, all pairs are tried."""

SECONDS = 60.0
"""The time limit: engines that are processes, or hang, are slow to replay."""


def shrink(
    steps: Steps, finding: Finding, replay: Replay, replays: int = REPLAYS, seconds: float = SECONDS
) -> tuple[Steps, Finding]:
    """A short failing trace and its finding.  Cost: at most `replays` replays, and `seconds`."""
    left, end = replays, monotonic() + seconds
    improved = True
    while improved and left > 0:
        improved = False
        for candidates in (_shorter, _smaller_batches, _single_updates, _without_pairs, _plainer):
            again = True
            while again and left > 0:
                again = False
                for candidate in candidates(steps):
                    if left <= 0 or monotonic() >= end:
                        left = 0
                        break
                    left -= 1
                    found = replay(candidate)
                    if found is not None and found.kind == finding.kind:
                        steps, finding, improved, again = candidate, found, True, True
                        break
    return steps, finding


def _shorter(steps: Steps) -> Iterator[Steps]:
    """Without a run of steps; long runs first."""
    length = len(steps)
    while length >= 1:
        for start in range(0, len(steps), length):
            yield [*steps[:start], *steps[start + length :]]
        length //= 2


def _without_pairs(steps: Steps) -> Iterator[Steps]:
    """Without two steps, for example an insert and its delete, if there are few."""
    if len(steps) <= FEW:
        for first, second in combinations(range(len(steps)), 2):
            yield [step for number, step in enumerate(steps) if number not in (first, second)]


def _smaller_batches(steps: Steps) -> Iterator[Steps]:
    """Without a run of updates inside a batch."""
    for position, step in enumerate(steps):
        if len(step.updates) > 1:
            for shorter in _shorter([Step("update", (update,)) for update in step.updates]):
                if shorter:
                    smaller = evolve(step, updates=tuple(s.updates[0] for s in shorter))
                    yield [*steps[:position], smaller, *steps[position + 1 :]]


def _single_updates(steps: Steps) -> Iterator[Steps]:
    """A batch as single updates."""
    for position, step in enumerate(steps):
        if step.kind == "batch":
            singles = [Step("update", (update,)) for update in step.updates]
            yield [*steps[:position], *singles, *steps[position + 1 :]]


def _plainer(steps: Steps) -> Iterator[Steps]:
    """With a multiplicity, or all occurrences of a value, replaced by a plainer one."""
    for position, step in enumerate(steps):
        for number, update in enumerate(step.updates):
            for multiplicity in _smaller_numbers(update[3]):
                changed = (*update[:3], multiplicity)
                updates = (*step.updates[:number], changed, *step.updates[number + 1 :])
                yield [*steps[:position], evolve(step, updates=updates), *steps[position + 1 :]]
    values = sorted({v for s in steps for u in s.updates for v in u[1:3]}, key=repr, reverse=True)
    for value in values:
        for plain in (0, 1, 2):
            if value != plain and not (isinstance(value, int) and value < plain):
                yield [evolve(s, updates=tuple(_replace(u, value, plain) for u in s.updates)) for s in steps]


def _smaller_numbers(number: int) -> Iterator[int]:
    """Small numbers first, then limits of machine integers and the power of two below."""
    sign, size = (1 if number > 0 else -1), abs(number)
    below = 1 << (size.bit_length() - 1)
    for smaller in (1, 2, 3, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64, below, size // 2):
        if 0 < smaller < size:
            yield sign * smaller


def _replace(update: Update, value: Hashable, plain: Hashable) -> Update:
    relation, x, y, multiplicity = update
    return relation, plain if x == value else x, plain if y == value else y, multiplicity
