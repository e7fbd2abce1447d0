"""Adversarial workloads: named families of updates, each made to reach one of the paper's bounds.

A workload is three lists of updates (relation, x, y, multiplicity): what is loaded first (inserts, also
available as a `database`), what then prepares the state under attack, and the attack. An update is a pure
function of the parameters, the seed and its sequence number, so any part can be generated anywhere.

`size` tuples are loaded, hence N = 2·size + 1 (def:ivme_state) and the partitions are strict. With
`loose=True` the preparation then drives the state to the limits of a loose partition (def:loose_relation_
partition): light values to degrees just below ³⁄₂θ, heavy ones down to ½θ, and |D| up to just below N. The
exponents are the same, the constants are the worst.

The triangle is a cycle: `relation` is the relation that is attacked, called u(x,y) below; f(y,z) follows it
and p(z,x) precedes it. Small numbers are the values that matter; values from FAR upwards are helpers.
"""

from ivme.workloads.catalogue import CATALOGUE, Definition, Family, between, define
from ivme.workloads.core import Section, Update, Workload
from ivme.workloads.graphs import graph
from ivme.workloads.rebalancing import size_thrash, threshold_thrash
from ivme.workloads.reduction import oumv, oumv_bits
from ivme.workloads.results import agm, delay_binary, delay_unary, wide_views
from ivme.workloads.streams import grow_and_drain, multiplicities, rmat, sliding_window, zipf
from ivme.workloads.tightness import APPROACHED, Approach
from ivme.workloads.updates import hub, intersection, uniform, view_upkeep
from ivme.workloads.worst import worst_major, worst_minor, worst_update

__all__ = [
    "APPROACHED",
    "CATALOGUE",
    "Approach",
    "Definition",
    "Family",
    "Section",
    "Update",
    "Workload",
    "agm",
    "between",
    "define",
    "delay_binary",
    "delay_unary",
    "graph",
    "grow_and_drain",
    "hub",
    "intersection",
    "multiplicities",
    "oumv",
    "oumv_bits",
    "rmat",
    "size_thrash",
    "sliding_window",
    "threshold_thrash",
    "uniform",
    "view_upkeep",
    "wide_views",
    "worst_major",
    "worst_minor",
    "worst_update",
    "zipf",
]
