"""The eight triangle queries: every subset of {A, B, C} as free variables.

Paper: sec:intro. △(F) = Σ over the variables not in F of R(a,b) · S(b,c) · T(c,a). The paper treats △₀(),
△₁(a), △₂(a,b) and △₃(a,b,c); the others are these up to rotation A → B → C → A, R → S → T → R.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal

from attrs import field, frozen

from ivme_spec.algebra import Expression, Product, SumTo, Symbol
from ivme_spec.errors import HeadError, InputError, shown
from ivme_spec.relations import RELATIONS, SCHEMAS, VARIABLES

HEADS: tuple[str, ...] = tuple("".join(free) for arity in range(4) for free in combinations(VARIABLES, arity))
"""The eight heads, in alphabetical order of their letters: "", A, B, C, AB, AC, BC, ABC."""

CANONICAL_HEADS = ("", "A", "AB", "ABC")
"""The heads that the paper treats."""

Partitioning = Literal["single", "double"]
"""By one variable of each relation or, for the count query alone, by both."""


def head(free: object) -> str:
    """Validate free variables: distinct letters of A, B and C, in any order; else a `HeadError`."""
    if isinstance(free, str) and len(set(free)) == len(free) and set(free) <= set(VARIABLES):
        return free
    raise HeadError(
        f'free variables {shown(free)}: give distinct letters of "ABC", for example "AB", or "" to count'
    )


@frozen(order=True)
class Query:
    """△(free) and the partitioning of its relations: what a view maintains and bounds refer to.

    `free` are distinct letters, in the order of the result rows. Only the count query offers a choice of
    partitioning.  Bad input: an `InputError`.

    >>> print(Query("AB"), "and", Query("", "double"))
    △(a, b) and △(), double partitions
    """

    free: str = field(converter=head)
    partitioning: Partitioning = field(default="single")

    @partitioning.validator
    def _fits(self, _: object, given: object) -> None:
        if given != "single" and (given != "double" or self.free):
            raise InputError(
                f"partitioning {shown(given)} with free variables {self.free!r}: "
                'it is "single", or "double" for the count query ""; other queries are partitioned as needed'
            )

    def __str__(self) -> str:
        double = ", double partitions" if self.partitioning == "double" else ""
        return f"△({', '.join(self.free.lower())}){double}"

    @property
    def slug(self) -> str:
        """The query in names of files and of tests: "AB", "count" or "count-double"."""
        return (self.free or "count") + ("-double" if self.partitioning == "double" else "")


QUERIES: tuple[Query, ...] = (*map(Query, HEADS), Query("", "double"))
"""The eight heads, and the count with double partitions."""


def triangle_query(free: str) -> Expression:
    """△(free) by its definition (sec:intro)."""
    r, s, t = (Symbol(name, SCHEMAS[name]) for name in RELATIONS)
    return SumTo(Product(Product(r, s), t), head(free))


def rotate_variables(variables: str, turns: int) -> str:
    """A → B → C → A, `turns` times.

    >>> rotate_variables("CA", 1)
    'AB'
    """
    return "".join(VARIABLES[(VARIABLES.index(variable) + turns) % 3] for variable in variables)


def canonical(free: str) -> tuple[str, int]:
    """The canonical head and the number of turns that lead from it to the set of variables of `free`.

    >>> canonical("AC")       # △(c,a) is △(a,b) turned twice
    ('AB', 2)
    """
    for base in CANONICAL_HEADS:
        for turns in range(3):
            if set(rotate_variables(base, turns)) == set(head(free)):
                return base, turns
    raise AssertionError("every subset of {A, B, C} is a rotation of a canonical head")
