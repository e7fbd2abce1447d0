"""Engines that store everything in dicts: these are the ones that the claims run."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from ivme.kernel.engine import Engine
from ivme.kernel.plan import Plan
from ivme.kernel.storage.dicts.lines import DictLine
from ivme.kernel.storage.dicts.storage import DictStorage
from ivme_spec.relations import VARIABLES
from ivme_spec.rings import P, Ring

DictEngine = Engine[Hashable, DictLine[P], P]
"""An engine whose handles are the values themselves, and whose lines are dicts."""


def empty_engine(plan: Plan, head: str, ring: Ring[P], epsilon: Fraction) -> DictEngine[P]:
    """An engine without tuples for a canonical head."""
    order = tuple(VARIABLES.index(variable) for variable in head)
    return Engine(plan, order, ring, epsilon, DictStorage())
