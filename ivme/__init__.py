"""Triangle queries kept up to date under inserts and deletes, worst-case optimally.

The first complete implementation of IVM^ε: Kara, Nikolic, Ngo, Olteanu, Zhang, "Maintaining Triangle Queries
under Updates". Start with `TriangleView`.
"""

from ivme import _kernel, rings  # _kernel first: it decides how the others are loaded
from ivme.events import Change, Costs, GraphChange, Major, Minor, Rebalance
from ivme.graph import By, GraphTriangles, GraphWindow, Repeated, SelfLoops, Track
from ivme.oumv import solve_oumv
from ivme.rings import Ring
from ivme.view import TriangleView, Update
from ivme_spec.errors import (
    ArityError,
    BrokenError,
    BusyError,
    DataValueError,
    EpsilonError,
    HeadError,
    InputError,
    InvariantError,
    IvmeError,
    MultiplicityError,
    NotTrackedError,
    RefusedEdgeError,
    RefusedUpdateError,
    StaleEnumerationError,
    UnknownRelationError,
)
from ivme_spec.queries import Partitioning
from ivme_spec.relations import RelationName

# Behind the imports, which have bound `ivme.kernel` to the package of that name.
kernel: str = _kernel.kernel
kernel_reason: str = _kernel.kernel_reason

__version__ = "0.1.0"

__all__ = [
    "ArityError",
    "BrokenError",
    "BusyError",
    "By",
    "Change",
    "Costs",
    "DataValueError",
    "EpsilonError",
    "GraphChange",
    "GraphTriangles",
    "GraphWindow",
    "HeadError",
    "InputError",
    "InvariantError",
    "IvmeError",
    "Major",
    "Minor",
    "MultiplicityError",
    "NotTrackedError",
    "Partitioning",
    "Rebalance",
    "RefusedEdgeError",
    "RefusedUpdateError",
    "RelationName",
    "Repeated",
    "Ring",
    "SelfLoops",
    "StaleEnumerationError",
    "Track",
    "TriangleView",
    "UnknownRelationError",
    "Update",
    "kernel",
    "kernel_reason",
    "rings",
    "solve_oumv",
]
