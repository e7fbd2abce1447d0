"""The known defects of the paper's procedures, each with a switch between "as printed" and "repaired".

spec/ERRATA.md describes them under the numbers given here. Callers pass the set of repairs to use;
`ALL - {Repair.X}` isolates one defect. Some defects are missing steps rather than wrong ones: where the
printed procedure does not say how to continue, it raises `Undefined`.
"""

from __future__ import annotations

from enum import Enum

from ivme_spec.errors import IvmeError


class Repair(Enum):
    """One repair; its value is the number of the erratum."""

    AFFECTED_PART = "E1"
    """AffectedPart for double partitions asks for the values of a tuple, not for the tuple."""
    CURRENT_BUCKET = "E2"
    """The union iterator does not exclude from its current bucket."""
    EMPTY_BUCKETS = "E3"
    """The union iterator excludes a bucket once: when its last element is excluded."""
    END_OF_ITERATION = "E4"
    """An exhausted iterator stays exhausted, and an empty set is no bucket."""
    CONTAINS = "E5"
    """A hop-based iterator contains what its union contains, reported or not."""
    REJECTED_UPDATES = "E6"
    """Zero updates and deletes of more than is there are refused before anything changes."""
    SUPPORT = "E7"
    """Presence is decided by the number of derivations, not by the multiplicity."""
    EXACT_THRESHOLDS = "E8"
    """Degrees are compared with N^ε in integers."""
    SNAPSHOT = "E9"
    """MoveTuples takes a snapshot of the tuples before it moves the first."""


Repairs = frozenset[Repair]

ALL: Repairs = frozenset(Repair)
NONE: Repairs = frozenset()
"""Everything as printed."""


class Undefined(IvmeError):
    """The procedure, as printed, does not define the next step."""
