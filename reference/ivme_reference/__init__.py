"""The definitions executed: plain implementations that the engine is compared with.

Paper: sec:intro, "Existing Incremental View Maintenance (IVM) Approaches". All of them maintain any of the
eight triangle queries, over any ring of `ivme_spec.rings`, on one small protocol:

    protocol     the protocol, and the input relations with validation
    naive        the definition of the query, evaluated for every answer: the reference
    leapfrog     recomputing with a worst-case optimal join
    classical    first-order IVM: the result, materialized
    recursive    recursive IVM: three views beside the result
    factorized   factorized IVM: one of them
    storage      a relation with an index on each column
    paper        the paper's figures line by line, as printed and as repaired
    lazy         IVM^ε with rows of views that are bought when they pay
    graphs       not on the protocol: the triangles of one edge set, recounted for every answer

>>> count = Naive("", database={"R": [(1, 2)], "S": [(2, 3)]})
>>> count.insert("T", 3, 1, 5)
>>> list(count)
[((), 5)]
"""

from typing import Any

from ivme_reference.classical import Classical
from ivme_reference.factorized import Factorized
from ivme_reference.graphs import NaiveGraph
from ivme_reference.lazy import LazyTriangles
from ivme_reference.leapfrog import Recompute
from ivme_reference.naive import Naive
from ivme_reference.protocol import Approach, TriangleQuery
from ivme_reference.recursive import Recursive

__all__ = [
    "APPROACHES",
    "Approach",
    "Classical",
    "Factorized",
    "LazyTriangles",
    "Naive",
    "NaiveGraph",
    "Recompute",
    "Recursive",
    "TriangleQuery",
]

APPROACHES: tuple[type[Approach[Any]], ...] = (Naive, Recompute, Classical, Recursive, Factorized)
"""Every approach on the protocol, the reference first."""
