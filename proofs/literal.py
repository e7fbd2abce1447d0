"""The paper's enumeration as printed, which fails; and repaired, which does not.

Paper: fig:enum_union_with_pointer_new, fig:hop_iterator, lem:enum_delay; ERRATA E2, E3, E4 and E5. The code
is the reference's line-by-line version with its switches. That the printed versions fail shows that the
claims about the repaired ones have content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from attrs import frozen

from ivme_reference.paper.iterators import End, Listing, TupleIterator, union_next
from ivme_reference.paper.repairs import ALL, Repair, Repairs, Undefined
from ivme_reference.paper.unions import UnionIterator
from proofs.claims import Claim, Refuted, Scope, require
from proofs.hops import SETS, VALUES, families, ordered_sets

Family = tuple[tuple[int, ...], ...]


def candidate_orders(family: Family) -> Iterator[Callable[[int | End], list[int]]]:
    """The candidate buckets of an element: all, or those that hold it, upwards or downwards."""
    numbers = range(len(family))
    for exact in (False, True):
        for backwards in (False, True):

            def candidates(t: int | End, exact: bool = exact, backwards: bool = backwards) -> list[int]:
                found = [n for n in numbers if not exact or t in family[n]]
                return found[::-1] if backwards else found

            yield candidates


def outcomes(repairs: Repairs) -> Iterator[tuple[Family, str]]:
    """Every family with what goes wrong with it, empty if nothing does."""
    sets = [values for values in ordered_sets() if values and list(values) == sorted(values)]
    for family in ((), *families(SETS, sets)):
        for candidates in candidate_orders(family):
            yield family, problem(family, candidates, repairs)


def problem(family: Family, candidates: Callable[[int | End], list[int]], repairs: Repairs) -> str:
    """What goes wrong when the union iterator runs on a family."""
    expected = sorted({value for values in family for value in values})
    try:
        found = UnionIterator({n: Listing(values) for n, values in enumerate(family)}, candidates, repairs)
        rows: list[int] = []
        while not isinstance(t := found.next(), End) and len(rows) <= len(VALUES):
            rows.append(t)
        if not isinstance(found.next(), End):
            return f"{rows} and then more"
    except Undefined as error:
        return str(error)
    return "" if sorted(rows) == expected else f"only {rows}"


def repaired_never_fails() -> str:
    """With all repairs the figure is right for every family."""
    count = 0
    for family, wrong in outcomes(ALL):
        require(not wrong, f"{family}: {wrong}")
        count += 1
    return f"{count} families"


def printed_fails(repair: Repair) -> str:
    """Without one of the repairs some family goes wrong."""
    failing = [(family, wrong) for family, wrong in outcomes(ALL - {repair}) if wrong]
    if not failing:
        raise Refuted(f"without {repair.name} ({repair.value}) nothing goes wrong")
    family, wrong = min(failing, key=lambda case: (len(case[0]), sum(map(len, case[0]))))
    return f"{len(failing)} families fail, the smallest: {[set(s) for s in family]}: {wrong}"


@frozen
class _StillToCome:
    """An iterator whose Contains is read as "not reported yet"."""

    union: UnionIterator[int, str]
    reported: set[str]

    def next(self) -> str | End:
        t = self.union.next()
        if not isinstance(t, End):
            self.reported.add(t)
        return t

    def contains(self, t: str) -> bool:
        return self.union.contains(t) and t not in self.reported


def contains_matters() -> str:
    """{x,y} and {y,x} by UnionNext: each once if Contains means membership, y twice if "not excluded"."""

    def unions() -> list[UnionIterator[int, str]]:
        return [UnionIterator({0: Listing("xy")}), UnionIterator({0: Listing("yx")})]

    def walked(iterators: list[TupleIterator[str]]) -> list[str]:
        rows = []
        while not isinstance(t := union_next(iterators), End):
            rows.append(t)
        return rows

    right, wrong = walked([*unions()]), walked([_StillToCome(union, set()) for union in unions()])
    require(sorted(right) == ["x", "y"], f"with membership: {right}")
    require(sorted(wrong) != ["x", "y"], "reading Contains as “not excluded” does no harm")
    return f"with membership {right}, with “not excluded” {wrong}"


_EXTENT = f"up to {SETS} sets over {len(VALUES)} values, four kinds of candidates"


def _printed(repair: Repair, what: str, label: str) -> Claim:
    return Claim(
        f"printed-{repair.value}",
        f"As printed, {what}.",
        f"{label}, ERRATA {repair.value}",
        "all cases",
        Scope.SHOWN,
        _EXTENT,
        "—",
        ("ivme_reference/paper/unions.py", "ivme_reference/paper/iterators.py"),
        partial(printed_fails, repair),
    )


CLAIMS = (
    Claim(
        "printed-repaired",
        "With all repairs the printed hop union is right.",
        "fig:enum_union_with_pointer_new",
        "all cases",
        Scope.EXHAUSTIVE,
        _EXTENT,
        "—",
        ("ivme_reference/paper/unions.py", "ivme_reference/paper/iterators.py"),
        repaired_never_fails,
    ),
    _printed(
        Repair.CURRENT_BUCKET,
        "the hop union loses elements because it excludes the bucket that it stands on",
        "fig:enum_union_with_pointer_new",
    ),
    _printed(
        Repair.EMPTY_BUCKETS,
        "the hop union loses elements because it excludes empty buckets again",
        "fig:enum_union_with_pointer_new",
    ),
    _printed(
        Repair.END_OF_ITERATION,
        "the hop union has no next step on no sets and after its end",
        "fig:hop_iterator",
    ),
    Claim(
        "printed-E5",
        "UnionNext repeats elements when Contains means “not yet excluded”; with membership it does not.",
        "lem:enum_delay, ERRATA E5",
        "a run",
        Scope.SHOWN,
        "one pair of sets",
        "—",
        ("ivme_reference/paper/unions.py", "ivme_reference/paper/iterators.py"),
        contains_matters,
    ),
)
