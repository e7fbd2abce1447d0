"""Who may use an engine now: one thread at a time, no operation inside another, nothing after a broken one.

An engine's `guard` is READY between two operations, READING while it answers, UPDATING while it changes, and
BROKEN after an update was cut short in the middle. Code of the user runs inside operations: `__eq__` and
`__hash__` of data values, the arithmetic of a ring; and another thread may come in between. Every operation
needs the guard READY, so neither does harm.

The guard is set and reset by plain assignments, the first and the last statement of a `try`: between those
and the jump into a handler the interpreter neither switches threads nor delivers a signal.

>>> refuse(READING)
Traceback (most recent call last):
    ...
ivme_spec.errors.BusyError: it is in the middle of an answer: …
"""

from __future__ import annotations

from typing import Final, NoReturn

from ivme_spec.errors import BrokenError, BusyError

READY: Final = 0
READING: Final = 1
UPDATING: Final = 2
BROKEN: Final = 3


def refuse(guard: int) -> NoReturn:
    """Refuse a use that the guard does not allow: a `BusyError` or a `BrokenError`."""
    if guard == BROKEN:
        raise BrokenError(
            "an update was cut short in the middle, by an exception in a data value's __eq__ or __hash__, in "
            "the ring, or from outside (KeyboardInterrupt, MemoryError): the state is half-changed until "
            "rebuild() restores it as it was before that update, or before its batch"
        )
    doing = "an answer" if guard == READING else "an update"
    raise BusyError(
        f"it is in the middle of {doing}: it belongs to one thread at a time (share it under a lock), and "
        "__eq__, __hash__ and a ring's arithmetic must not use what they are called from"
    )
