"""All exceptions that ivme raises, in one hierarchy.

All of them derive from `IvmeError`. What a caller did wrong is an `InputError` (also a `ValueError`) whose
message shows the offending input and the remedy; the object that raised it has not changed. Use at
the wrong time is also a `RuntimeError`: `StaleEnumerationError`, `BusyError` or `BrokenError`. A state that
breaks one of the paper's definitions is an `InvariantError`: a bug in the engine, never in its caller.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from fractions import Fraction
from os import PathLike
from types import MappingProxyType

LONGEST_INTEGER = 1000
"""Bits. Messages give the bit length of longer integers: printing them is slow, or Python refuses."""

LONGEST_SHOWN = 200
"""Characters of an input in a message; longer ones are cut in the middle."""


class IvmeError(Exception):
    """Base of all errors of ivme."""


class InputError(IvmeError, ValueError):
    """The caller passed something unacceptable; nothing has changed.

    `position` is the index of the offending update in a batch, from 0; None for a single update.
    """

    position: int | None = None

    def at(self, what: str, position: int) -> InputError:
        """The same error, located in a batch.  Cost: O(1)."""
        located = type(self)(f"{what} at position {position}: {self}")
        located.position = position
        return located


class UnknownRelationError(InputError):
    """A relation name other than R, S and T."""


class ArityError(InputError):
    """A tuple, update or result row with the wrong number of values."""


class DataValueError(InputError):
    """A value that cannot be a data value: unhashable, or null or NaN in a table."""


class MultiplicityError(InputError):
    """A multiplicity that is zero or is not an element of the ring in use."""


class RefusedUpdateError(InputError):
    """A delete of more copies than there are (paper: footnote in "Updates and Delta Queries")."""


class RefusedEdgeError(RefusedUpdateError):
    """An edge that a graph's policy refuses: a self-loop, a repeated insert, a delete of a missing edge."""


class NotTrackedError(InputError):
    """A query for a quantity that the graph does not track."""


class EpsilonError(InputError):
    """An ε that is not a rational number in [0, 1] with a usable denominator."""


class HeadError(InputError):
    """Free variables that are not distinct letters of A, B and C."""


class StaleEnumerationError(IvmeError, RuntimeError):
    """An enumeration was resumed after an update of the view, as when a dict changes during iteration."""


class BusyError(IvmeError, RuntimeError):
    """Reentrant use of a view or graph: from within one of its operations, or from two threads at once."""


class BrokenError(IvmeError, RuntimeError):
    """An update was interrupted: the state is inconsistent until it is rebuilt."""


class InvariantError(IvmeError):
    """A state that violates a definition of the paper.

    violations  the violated conditions, each with the paper's label
    update      the update after which they were detected, if any: relation, x, y, multiplicity
    position    the number of that update, from 1
    state       a plain copy of the whole state; `dump(path)` writes it as JSON
    """

    violations: tuple[object, ...] = ()
    update: tuple[object, ...] | None = None
    position: int | None = None
    state: Mapping[str, object] = MappingProxyType({})

    def dump(self, path: str | PathLike[str]) -> None:
        """Write all of this as JSON, for tools.  Cost: O(size of the state)."""
        known = {
            "violations": [str(violation) for violation in self.violations],
            "update": self.update,
            "position": self.position,
            **self.state,
        }
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(_plain(known), stream, ensure_ascii=False, indent=1)


def _plain(value: object) -> object:
    """Convert to JSON types: mappings with keys other than strings become lists of pairs."""
    if isinstance(value, Mapping):
        if value and all(isinstance(key, str) for key in value):
            return {key: _plain(entry) for key, entry in value.items()}
        return [[_plain(key), _plain(entry)] for key, entry in value.items()]
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, bool | int | str) else repr(value)


class _Shortened(reprlib.Repr):
    """Like `repr`, but fast and short for any input."""

    def __init__(self) -> None:
        super().__init__()
        self.maxstring = self.maxother = LONGEST_SHOWN
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = self.maxfrozenset = 20

    def repr_int(self, x: int, level: int) -> str:
        if x.bit_length() <= LONGEST_INTEGER:
            return repr(x)
        return f"{'an' if x > 0 else 'a negative'} integer of {x.bit_length()} bits"

    def repr_Fraction(self, x: Fraction, level: int) -> str:
        return f"Fraction({self.repr1(x.numerator, level)}, {self.repr1(x.denominator, level)})"


def shown(value: object) -> str:
    """A value as messages show it: its `repr`, shortened.

    Cost: O(LONGEST_SHOWN), plus the value's own `repr` unless it is of a built-in type.

    >>> shown((1, "x", 10**5000))
    "(1, 'x', an integer of 16610 bits)"
    """
    text = _Shortened().repr(value)
    half = LONGEST_SHOWN // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[:half]} … {text[-half:]}"
