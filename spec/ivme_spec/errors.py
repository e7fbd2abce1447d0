"""Every error that ivme raises, in one family.

All of them derive from `IvmeError`. What a caller did wrong is an `InputError` (also a `ValueError`) whose
message carries the offending input and says what to do; the object that raised it has not changed. A state
that breaks one of the paper's definitions is an `InvariantError`: a bug of the engine, never of its user.
"""

from __future__ import annotations


class IvmeError(Exception):
    """Base of all errors of ivme."""


class InputError(IvmeError, ValueError):
    """Something given by the caller is not acceptable; nothing has changed.

    `position` tells which of many updates it was, counted from 0; None where there was only one.
    """

    position: int | None = None


class UnknownRelationError(InputError):
    """A relation name other than R, S and T."""


class ArityError(InputError):
    """A tuple, update or result row with the wrong number of values."""


class DataValueError(InputError):
    """A data value that cannot be used as one: it is not hashable."""


class MultiplicityError(InputError):
    """A multiplicity that is zero or is not an element of the ring in use."""


class RefusedUpdateError(InputError):
    """A delete of more copies than there are (paper: footnote in "Updates and Delta Queries")."""


class EpsilonError(InputError):
    """An ε that is not a rational number in [0, 1] with a usable denominator."""


class HeadError(InputError):
    """Free variables that are not distinct letters of A, B and C."""


class StaleEnumerationError(IvmeError, RuntimeError):
    """An enumeration went on after the view was updated, as when a dict changes during iteration."""


class InvariantError(IvmeError):
    """A state that violates a definition of the paper."""
