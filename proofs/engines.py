"""Engines that store everything in dicts: these are the ones that the claims run.

Values are their own ids here: the pure kernel, which is what runs, only hashes and compares them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ivme.kernel.engine import Engine
from ivme.kernel.plan import Plan
from ivme.kernel.storage.dicts.names import Names
from ivme.kernel.storage.dicts.storage import DictStorage
from ivme_spec.relations import VARIABLES
from ivme_spec.rings import P, Ring

DictEngine = Engine[P]
"""An engine whose ids are the values themselves, and whose lines are dicts."""


class OwnNames(Names):
    """Every value is its own id."""

    def find(self, variable: int, value: Any) -> Any:
        return value

    def value(self, x: Any) -> Any:
        return x


class OwnStorage(DictStorage[P]):
    """Storage in dicts of values."""

    def __init__(self) -> None:
        super().__init__()
        self.names = OwnNames()

    def handle(self, variable: int, value: Any) -> Any:
        return value


def empty_engine(plan: Plan, head: str, ring: Ring[P], epsilon: Fraction) -> DictEngine[P]:
    """An engine without tuples for a canonical head."""
    order = tuple(VARIABLES.index(variable) for variable in head)
    return Engine(plan, order, ring, epsilon, OwnStorage())
