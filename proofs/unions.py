"""The hop union, exhaustively, on trees that the engine has filled.

Paper: fig:enum_union_with_pointer_new, lem:enumerate_pointer_new, fig:enum_binary, fig:enum_unary; repaired
as in ERRATA E2, E3 and E5. The production `HopUnion` walks the kept trees of the binary and the unary query.
Heavy bits are forced so that one tree covers everything, and a family of sets becomes its buckets:

    binary-rs   R^H S^{LH}      bucket c,      row k is (aₖ,bₖ), in the bucket iff S(bₖ,c)
    binary-tr   T^{HL} R^L      bucket c,      row k is (aₖ,bₖ), in the bucket iff T(c,aₖ)
    unary-tr    T^{HL} R^{LH}   bucket (c,b),  row k is (aₖ),    in the bucket iff T(c,aₖ)

The C-values are small integers, which Python's sets yield in ascending order: all numberings of the buckets
give all orders in which a row is excluded from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

from attrs import field, frozen

from ivme.kernel.enumeration import EOF, End, HopUnion
from ivme.kernel.parts import HEAVY
from ivme.kernel.plan import Plan, compile_plan
from ivme_spec.relations import Row
from ivme_spec.rings import NATURALS
from ivme_spec.views import BINARY, UNARY, Decomposition
from proofs.claims import Claim, Scope, require
from proofs.engines import DictEngine, empty_engine
from proofs.hops import SETS, VALUES, families, ordered_sets

Family = tuple[tuple[int, ...], ...]


@frozen
class Setting:
    """A kept tree and how to fill it.

    heavy    heavy values: (relation, column, values), "C" for all C-values
    rows     the rows for k = 0, 1, 2: their A- and B-values
    chooses  the relation whose tuples say which rows are in which buckets: S (1) or T (2)
    """

    name: str
    decomposition: Decomposition
    tree: int
    heavy: tuple[tuple[int, int, str], ...]
    rows: tuple[tuple[Any, Any], ...]
    chooses: int
    plan: Plan = field(init=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "plan", compile_plan(self.decomposition))

    def engine(self, family: Family, numbers: Sequence[int]) -> DictEngine[int]:
        """An engine whose tree has one bucket for each set of the family, with these C-values."""
        engine = empty_engine(self.plan, self.decomposition.head, NATURALS, Fraction(1, 2))
        a_values, b_values = (sorted({row[column] for row in self.rows}) for column in (0, 1))
        names: dict[str, Iterable[Any]] = {"A": a_values, "B": b_values, "C": numbers}
        for i, column, variable in self.heavy:
            for value in names[variable]:
                engine.relations[i].mark(column, value, HEAVY)
        for a, b in self.rows:
            engine.on_update(0, a, b, 1)
        for values, c in zip(family, numbers, strict=True):
            if self.chooses == 1:
                for a in a_values:
                    engine.on_update(2, c, a, 1)
                for k in values:
                    engine.on_update(1, self.rows[k][1], c, 1)
            else:
                for b in b_values:
                    engine.on_update(1, b, c, 1)
                for k in values:
                    engine.on_update(2, c, self.rows[k][0], 1)
        return engine

    def row(self, k: int) -> tuple[Any, ...]:
        """Row k of the query."""
        return self.rows[k][: len(self.decomposition.head)]


SETTINGS = (
    Setting(
        "binary-rs", BINARY, 0, ((0, 0, "A"), (1, 1, "C")), (("a0", "b0"), ("a0", "b1"), ("a1", "b2")), 1
    ),
    Setting("binary-tr", BINARY, 2, ((2, 0, "C"),), (("a0", "b0"), ("a1", "b0"), ("a2", "b1")), 2),
    Setting("unary-tr", UNARY, 2, ((0, 1, "B"), (2, 0, "C")), (("a0", "b0"), ("a1", "b0"), ("a2", "b0")), 2),
)
"""In the binary ones two rows share a pair of the root: places have two levels."""


def check_family(setting: Setting, family: Family, numbers: Sequence[int]) -> None:
    """The hop union reports every row once, with its triangles, and stays exhausted; `contains` is right."""
    engine = setting.engine(family, numbers)
    what = f"{setting.name}, {family}, buckets {list(numbers)}"
    total = sum(map(len, family))
    require(sum(1 for _ in engine.kept[setting.tree].entries()) == total, f"{what}: the tree is not filled")
    union, rows = HopUnion(engine, engine.plan.trees[setting.tree]), list[Row]()
    while not isinstance(row := union.next(), End):
        rows.append(row)
        require(len(rows) <= len(VALUES), f"{what}: too many rows, {rows}")
        held = sum(row == setting.row(k) for values in family for k in values)
        known = union.row is row and len(set(union.triangles)) == len(union.triangles) == held
        require(known, f"{what}: {union.triangles} are not the triangles of {row}")
    expected = {setting.row(k) for values in family for k in values}
    require(len(rows) == len(expected) and set(rows) == expected, f"{what}: reported {rows}")
    require(union.next() is EOF, f"{what}: a row after the end")
    for k in VALUES:
        inside = setting.row(k) in expected
        require(union.contains(setting.row(k)) == inside, f"{what}: contains {setting.row(k)}")


def plain_sets() -> list[tuple[int, ...]]:
    """The nonempty sets over the values, in ascending order."""
    return [values for values in ordered_sets() if values and list(values) == sorted(values)]


def in_and_against_order(count: int) -> Iterator[tuple[int, ...]]:
    """Buckets numbered upwards and downwards."""
    yield tuple(range(count))
    yield tuple(reversed(range(count)))


def hop_union_is_right() -> str:
    """Four sets in ascending order, and three in any order; buckets numbered upwards and downwards."""
    count = 0
    for setting in SETTINGS:
        check_family(setting, (), ())
        ordered = [values for values in ordered_sets() if values]
        for sets, most in ((plain_sets(), SETS), (ordered, SETS - 2)):
            for family in families(most, sets):
                for numbers in in_and_against_order(len(family)):
                    check_family(setting, family, numbers)
                    count += 1
    return f"{count} families"


def hop_union_is_right_in_any_order() -> str:
    """Four sets, buckets numbered in all ways; three sets in any order, numbered upwards and downwards."""
    count = 0
    for setting in SETTINGS:
        ordered = [values for values in ordered_sets() if values]
        for sets, most, orders in (
            (plain_sets(), SETS, lambda n: permutations(range(n))),
            (ordered, SETS - 1, in_and_against_order),
        ):
            for family in families(most, sets):
                for numbers in orders(len(family)):
                    check_family(setting, family, numbers)
                    count += 1
    return f"{count} families"


_GUARDS = ("HopUnion", "HopIterator", "triangles_of", "DictKept")
_LABEL = "fig:enum_union_with_pointer_new, lem:enumerate_pointer_new, fig:enum_binary, fig:enum_unary"

CLAIMS = (
    Claim(
        "hop-union",
        "The hop union over a kept tree reports each row once, with its triangles, ends for good, and knows "
        "what it contains.",
        _LABEL,
        "all cases",
        Scope.EXHAUSTIVE,
        f"up to {SETS} sets over {len(VALUES)} values (two sets also in every order), candidates in "
        "ascending and descending order",
        "positions serve as values: DenseSet has no gaps",
        _GUARDS,
        hop_union_is_right,
    ),
    Claim(
        "hop-union-orders",
        "The same with rows excluded from their buckets in every order.",
        _LABEL,
        "all cases",
        Scope.EXHAUSTIVE,
        f"up to {SETS} sets over {len(VALUES)} values with all orders of candidates; three sets also "
        "in every order",
        "as hop-union",
        _GUARDS,
        hop_union_is_right_in_any_order,
        quick=False,
    ),
)
