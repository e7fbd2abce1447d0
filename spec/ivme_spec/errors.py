"""Every error that ivme raises, in one family.

All of them derive from `IvmeError`. What a caller did wrong is an `InputError` (also a `ValueError`) whose
message carries the offending input and says what to do; the object that raised it has not changed. A use at
the wrong moment is also a `RuntimeError`: `StaleEnumerationError`, `BusyError` or `BrokenError`. A state that
breaks one of the paper's definitions is an `InvariantError`: a bug of the engine, never of its user.
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping
from fractions import Fraction
from os import PathLike
from types import MappingProxyType

LONGEST_INTEGER = 1000
"""Bits; of a longer integer a message gives the number of bits: writing it takes long, or Python refuses."""

LONGEST_SHOWN = 200
"""Characters of an input in a message; of a longer one, the middle is left out."""


class IvmeError(Exception):
    """Base of all errors of ivme."""


class InputError(IvmeError, ValueError):
    """Something given by the caller is not acceptable; nothing has changed.

    `position` tells which of many updates it was, counted from 0; None where there was only one.
    """

    position: int | None = None

    def at(self, what: str, position: int) -> InputError:
        """The same error, which says of which of many it speaks.  Cost: O(1)."""
        located = type(self)(f"{what} at position {position}: {self}")
        located.position = position
        return located


class UnknownRelationError(InputError):
    """A relation name other than R, S and T."""


class ArityError(InputError):
    """A tuple, update or result row with the wrong number of values."""


class DataValueError(InputError):
    """A data value that cannot be used as one: it is not hashable, or null or NaN in a table."""


class MultiplicityError(InputError):
    """A multiplicity that is zero or is not an element of the ring in use."""


class RefusedUpdateError(InputError):
    """A delete of more copies than there are (paper: footnote in "Updates and Delta Queries")."""


class RefusedEdgeError(RefusedUpdateError):
    """An edge that a graph's policy refuses: a self-loop, one that is there already, one that is not."""


class NotTrackedError(InputError):
    """A question that a graph cannot answer because it does not maintain what is asked for."""


class EpsilonError(InputError):
    """An ε that is not a rational number in [0, 1] with a usable denominator."""


class HeadError(InputError):
    """Free variables that are not distinct letters of A, B and C."""


class StaleEnumerationError(IvmeError, RuntimeError):
    """An enumeration went on after the view was updated, as when a dict changes during iteration."""


class BusyError(IvmeError, RuntimeError):
    """A view or graph was used in the middle of one of its own operations, or by two threads at once."""


class BrokenError(IvmeError, RuntimeError):
    """An update was cut short in the middle: the state is half-changed until it is rebuilt."""


class InvariantError(IvmeError):
    """A state that violates a definition of the paper.

    violations  what is violated, each with the paper's label
    update      the update after which it was seen, if it was seen after one: relation, x, y, multiplicity
    position    the number of that update, from 1
    state       a plain copy of the whole state; `dump(path)` writes it as JSON
    """

    violations: tuple[object, ...] = ()
    update: tuple[object, ...] | None = None
    position: int | None = None
    state: Mapping[str, object] = MappingProxyType({})

    def dump(self, path: str | PathLike[str]) -> None:
        """Write everything that is known as JSON, for tools.  Cost: O(size of the state)."""
        known = {
            "violations": [str(violation) for violation in self.violations],
            "update": self.update,
            "position": self.position,
            **self.state,
        }
        with open(path, "w", encoding="utf-8") as stream:
            json.dump(_plain(known), stream, ensure_ascii=False, indent=1)


def _plain(value: object) -> object:
    """What JSON can hold: mappings with other keys than strings become lists of pairs."""
    if isinstance(value, Mapping):
        if value and all(isinstance(key, str) for key in value):
            return {key: _plain(entry) for key, entry in value.items()}
        return [[_plain(key), _plain(entry)] for key, entry in value.items()]
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value if value is None or isinstance(value, bool | int | str) else repr(value)


class _Shortened(reprlib.Repr):
    """Like `repr`, but quick and short whatever it is given."""

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
    """A value as a message shows it: `repr`, shortened.

    Cost: O(LONGEST_SHOWN), and the value's own `repr` if it is of no built-in type.

    >>> shown((1, "x", 10**5000))
    "(1, 'x', an integer of 16610 bits)"
    """
    text = _Shortened().repr(value)
    half = LONGEST_SHOWN // 2
    return text if len(text) <= LONGEST_SHOWN else f"{text[:half]} … {text[-half:]}"
