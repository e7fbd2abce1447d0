"""Triangle queries kept up to date under inserts and deletes, worst-case optimally.

The first complete implementation of IVM^ε: Kara, Nikolic, Ngo, Olteanu, Zhang, "Maintaining Triangle Queries
under Updates". Start with `TriangleView`.
"""

from ivme import rings
from ivme.events import Costs, Rebalance
from ivme.rings import Ring
from ivme.view import TriangleView
from ivme_spec.errors import (
    ArityError,
    DataValueError,
    EpsilonError,
    HeadError,
    InputError,
    InvariantError,
    IvmeError,
    MultiplicityError,
    RefusedUpdateError,
    StaleEnumerationError,
    UnknownRelationError,
)

__version__ = "0.1.0"

__all__ = [
    "ArityError",
    "Costs",
    "DataValueError",
    "EpsilonError",
    "HeadError",
    "InputError",
    "InvariantError",
    "IvmeError",
    "MultiplicityError",
    "Rebalance",
    "RefusedUpdateError",
    "Ring",
    "StaleEnumerationError",
    "TriangleView",
    "UnknownRelationError",
    "rings",
]
