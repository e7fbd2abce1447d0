"""Every error that ivme raises, in one family.

All of them derive from `IvmeError`. What a caller did wrong is an `InputError` (also a `ValueError`) whose
message carries the offending input and says what to do; the object that raised it has not changed. A state
that breaks one of the paper's definitions is an `InvariantError`: a bug of the engine, never of its user.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from os import PathLike
from types import MappingProxyType


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
