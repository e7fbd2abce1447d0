"""All families by name: what each attacks, and which answers are known in advance.

A workload is determined by the name of its family and plain parameters (`define`), which is what a file or a
worker on another machine receives. Expected answers are those of the count query after a number of updates,
or, for oumv, whether there is a result; only where there is a closed form.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isqrt

from attrs import frozen

from ivme.workloads.core import Update, Workload
from ivme.workloads.graphs import graph
from ivme.workloads.rebalancing import size_thrash, threshold_thrash
from ivme.workloads.reduction import oumv, oumv_bits
from ivme.workloads.results import agm, delay_binary, delay_unary, wide_views
from ivme.workloads.streams import grow_and_drain, multiplicities, rmat, sliding_window, zipf
from ivme.workloads.tightness import APPROACHED, Approach
from ivme.workloads.updates import hub, intersection, uniform, view_upkeep
from ivme.workloads.worst import worst_major, worst_minor, worst_update
from ivme_spec.errors import InputError

Answers = Mapping[int, int]
"""The number of updates, and the expected answer after them."""


class UnknownFamilyError(InputError):
    """An unknown family, or parameters that it does not take."""


@frozen
class Family:
    """A named family: how its workloads are made, and their purpose."""

    name: str
    make: Callable[..., Workload]
    bound: str
    """The bound under attack."""
    tight: str
    """The queries and ε for which the counted cost approaches it."""
    counts: Callable[[Workload], Answers] = lambda workload: {}
    """The count query, where known in closed form."""
    bits: Callable[[Workload], Answers] = lambda workload: {}
    """Whether there is a result."""

    @property
    def approached(self) -> tuple[Approach, ...]:
        """Where counted cost stays above a stated constant times the bound's power of N."""
        return APPROACHED.get(self.name, ())


def _prepared(workload: Workload) -> int:
    """The number of updates before the attack."""
    return sum(section.count for section in (*workload.loaded, *workload.preparation))


def _nothing(workload: Workload) -> Answers:
    return {_prepared(workload): 0, len(workload): 0}


def _toggled(workload: Workload) -> Answers:
    """hub: the toggled tuple closes a triangle with each arm of the first star."""
    start, end, arms = _prepared(workload), len(workload), workload.loaded[0].count
    return {start: 0, min(start + 1, end): arms if end > start else 0, end: (end - start) % 2 * arms}


def _blocks(workload: Workload) -> Answers:
    """The first three sections are complete; with sides k, l and m, klm = √(kl · lm · mk) triangles."""
    if workload.parameters.get("loose"):
        return {}
    r, s, t = (section.count for section in workload.loaded[:3])
    count = isqrt(r * s * t)
    return {_prepared(workload): count, len(workload): count}


def _squares(workload: Workload) -> Answers:
    """At the peak and at the end of each round."""
    rounds = _integer(workload, "rounds")
    length = len(workload) // max(1, 2 * rounds)
    side = isqrt(length // 3)
    return {length * (k + 1): side**3 * (1 - k % 2) for k in range(2 * rounds)}


def _multiplicities(workload: Workload) -> Answers:
    side, large = _integer(workload, "side"), 1 << _integer(workload, "bits")
    values = (large**3, (large + 1) ** 3, 1, 0)
    return {3 * side**2 * (k + 1): side**3 * value for k, value in enumerate(values)}


def _bits(workload: Workload) -> Answers:
    n, rounds, seed = (_integer(workload, name) for name in ("n", "rounds", "seed"))
    return dict(oumv_bits(n, rounds, seed))


def _integer(workload: Workload, name: str) -> int:
    value = workload.parameters[name]
    assert isinstance(value, int)
    return value


_ONE_UPDATE = "update time N^max(ε,1−ε)"
_DENSE = "update time N^½ where dense"

CATALOGUE: Mapping[str, Family] = {
    family.name: family
    for family in (
        Family("oumv", oumv, "the lower bound N^½ for an update", "every head, ε = ½", bits=_bits),
        Family(
            "hub",
            hub,
            "classical IVM: linear update time, also here for ε = 0 and 1; constant for 0 < ε < 1",
            "every head, ε = 0 and 1",
            _toggled,
        ),
        Family(
            "view-upkeep",
            view_upkeep,
            f"{_ONE_UPDATE}, through δV",
            'side="row": ε ≥ ½, side="column": ε ≤ ½; every head, but not the count with double partitions',
            _nothing,
        ),
        Family(
            "intersection",
            intersection,
            f"{_ONE_UPDATE}, through δV and listed views",
            'side="row": ε ≥ ½, side="column" or "split": ε ≤ ½; every head',
        ),
        Family(
            "threshold-thrash",
            threshold_thrash,
            "minor rebalancing: N^{ε+max(ε,1−ε)} for one, amortized N^max(ε,1−ε)",
            'every head, ε ≤ ½; columns="both" for double partitions',
        ),
        Family(
            "size-thrash",
            size_thrash,
            "major rebalancing: N^{3/2} for one, amortized N^½",
            "every head, ε = ½",
        ),
        Family(
            "worst-update",
            worst_update,
            f"{_ONE_UPDATE}, and its constant: listed views and view trees at once",
            "every head, which is a parameter, and every 0 < ε < 1",
        ),
        Family(
            "worst-minor",
            worst_minor,
            "minor rebalancing N^{ε+max(ε,1−ε)}, and its constant",
            "every head, which is a parameter, ε ≤ ½",
        ),
        Family(
            "worst-major",
            worst_major,
            "major rebalancing N^{3/2}, and its constant",
            "every head, which is a parameter, ε = ½",
        ),
        Family("agm", agm, "preprocessing N^{3/2}; space of the ternary query", "every head and ε", _blocks),
        Family(
            "wide-views",
            wide_views,
            "space N^{1+min(ε,1−ε)}",
            'kind="light": every ε and every head but the count with double partitions; kind="heavy" '
            '(binary) and "double" (count with double partitions): ε ≤ ⅓',
            _nothing,
        ),
        Family("delay-binary", delay_binary, "delay N^min(ε,1−ε)", "two free variables, every ε", _blocks),
        Family("delay-unary", delay_unary, "delay N^{2min(ε,1−ε)}", "one free variable, every ε", _blocks),
        Family(
            "uniform",
            uniform,
            f"nothing by design: what a user meets first; {_DENSE}",
            "every head, ε = ½, where updates ≥ values²",
            lambda workload: {len(workload): 0},
        ),
        Family(
            "zipf",
            zipf,
            f"nothing by design: degrees of every size side by side; {_DENSE}",
            "every head, ε = ½, where updates ≥ values²",
        ),
        Family(
            "rmat",
            rmat,
            f"nothing by design: the degrees of real graphs (Graph500); {_DENSE}",
            "every head, ε = ½, where edge_factor ≥ 2^scale",
        ),
        Family(
            "sliding-window",
            sliding_window,
            f"space that grows with the stream; {_DENSE}",
            "every head, ε = ½, where window ≥ values²",
        ),
        Family(
            "grow-and-drain",
            grow_and_drain,
            "update time N^½ at every size, while N doubles and halves",
            "every head, ε = ½",
            _squares,
        ),
        Family(
            "multiplicities",
            multiplicities,
            "arithmetic beyond 64 bits; update time N^½",
            "every head, ε = ½",
            _multiplicities,
        ),
        Family(
            "graph",
            graph,
            f"nothing by design: an edge list of yours; {_DENSE}",
            "every head, ε = ½, where the graph has a constant share of all edges",
        ),
    )
}


@frozen
class Definition:
    """A workload by name; `parameters` are plain values, as JSON can hold them."""

    family: str
    parameters: Mapping[str, object]

    def workload(self) -> Workload:
        """The workload itself.  Cost: O(1); graph reads its file, the worst-… ones are O(their length)."""
        return CATALOGUE[self.family].make(**self.parameters)


def define(family: str, **parameters: object) -> Definition:
    """A workload by its family's name and parameters (a Fraction is kept as text).

    Bad input: an `UnknownFamilyError`.

    >>> len(define("agm", size=300, updates=10).workload())
    310
    """
    if family not in CATALOGUE:
        raise UnknownFamilyError(f"there is no family {family!r}: the families are {', '.join(CATALOGUE)}")
    plain = {
        name: value if value is None or isinstance(value, bool | int | str) else str(value)
        for name, value in parameters.items()
    }
    made = Definition(family, plain)
    try:
        made.workload()
    except TypeError as error:
        raise UnknownFamilyError(f"family {family!r} with {parameters!r}: {error}") from error
    return made


def between(workload: Workload, start: int, stop: int) -> Iterator[Update]:
    """The updates with sequence numbers from `start` to before `stop`.  Cost: O(1) for each."""
    for section in (*workload.loaded, *workload.preparation, *workload.attack):
        yield from map(section.at, range(max(0, start), min(section.count, stop)))
        start, stop = start - section.count, stop - section.count
