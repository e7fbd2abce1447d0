"""The paper's bounds with explicit constants, in one place for tests, reports and debug mode.

Paper: theo:main_result_triangle, prop:tighter-upper-bound-space-nullary and the propositions named below. N
is the threshold base and a step is one of the RAM model (sec:computational_model): a lookup, the insert or
delete of an entry, or one step of an iterator. A bound is a conjunction of powers c · N^e: a count is within
it when it is at most each of them, compared exactly.

The paper gives exponents. The constants of the size bounds are proved (below, tighter than the paper's
where a line of arithmetic allows it). Those of the time bounds count the steps of `ivme` and are not machine-
checked: `Constants` says for each whether it is derived, as the optimum of linear programs, or argued by
hand, and how close the costliest known states come to it (`ivme.workloads.worst`); the cost tests check the
code against both. They are claimed for N ≥ SMALLEST: below that, the fixed steps of an update outweigh
N^max(ε,1−ε).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from attrs import frozen

from ivme_spec.queries import Partitioning, canonical
from ivme_spec.thresholds import HALF, ONE, reaches


@frozen
class Power:
    """c · N^e."""

    constant: Fraction
    exponent: Fraction

    def allows(self, count: int, base: int) -> bool:
        """count ≤ c · base^e, exactly."""
        return not reaches(count, self.constant, base, self.exponent) or self.meets(count, base)

    def meets(self, count: int, base: int) -> bool:
        """count = c · base^e, exactly."""
        q = self.exponent.denominator
        left = (self.constant.denominator * count) ** q
        return bool(left == self.constant.numerator**q * base**self.exponent.numerator)

    def estimate(self, base: int) -> float:
        """An approximation of c · base^e, for reports only."""
        return float(self.constant) * math.pow(base, self.exponent)

    def __str__(self) -> str:
        return f"{self.constant}·N^{self.exponent}"


@frozen
class Bound:
    """A bound for a given ε, with the label of the paper that states it."""

    label: str
    powers: Callable[[Fraction], tuple[Power, ...]]

    def allows(self, count: int, base: int, epsilon: Fraction) -> bool:
        """Whether a count is within the bound."""
        return all(power.allows(count, base) for power in self.powers(epsilon))

    def grows(self, epsilon: Fraction) -> bool:
        """Whether the bound grows with N."""
        return all(power.exponent > 0 for power in self.powers(epsilon))

    def estimate(self, base: int, epsilon: Fraction) -> float:
        """An approximation of the bound, for reports only."""
        return min(power.estimate(base) for power in self.powers(epsilon))

    def describe(self, epsilon: Fraction) -> str:
        """The bound for one ε, as text."""
        return " and ".join(map(str, self.powers(epsilon)))


def _bound(label: str, constant: str, exponent: Callable[[Fraction], Fraction]) -> Bound:
    return Bound(label, lambda epsilon: (Power(Fraction(constant), exponent(epsilon)),))


SMALLEST = 1000
"""The least N for which the constants of the time bounds are claimed."""


# --- sizes of views -------------------------------------------------------------------------------------
#
# Let x and y be the sizes of the two relations that a view joins; x + y ≤ |D| < N, so x·y < N²/4. The number
# of heavy values of a relation of size x is at most x / (½θ) = 2x/θ, and a light value has fewer than ³⁄₂θ
# partners (def:loose_relation_partition, def:loose_double_relation_partition). Hence

CONSTANT = _bound("prop:space_complexity", "1", lambda e: Fraction(0))
LINEAR = _bound("prop:space_complexity_full", "1", lambda e: ONE)
TRIANGLES = _bound("prop:space_complexity_full", "1", lambda e: Fraction(3, 2))
HEAVY_VALUES = _bound("def:ivme_state", "2", lambda e: 1 - e)

JOIN = Bound(
    # x tuples with fewer than ³⁄₂θ partners each; or y tuples with at most 2x/θ partners: 2xy/θ < ½N²/θ
    "prop:space_complexity",
    lambda e: (Power(Fraction(3, 2), 1 + e), Power(Fraction(1, 2), 2 - e)),
)
HEAVY_JOIN = Bound(
    # moreover both free variables are heavy: (2x/θ) · (2y/θ) < N²/θ²
    "prop:preprocessing_step_space_double_partition",
    lambda e: (*JOIN.powers(e), Power(ONE, 2 - 2 * e)),
)
HEAVY_PAIRS = Bound(
    "prop:space_complexity_unary",
    lambda e: (Power(ONE, ONE), Power(ONE, 2 - 2 * e)),
)


# --- costs of a query -----------------------------------------------------------------------------------


def _max(epsilon: Fraction) -> Fraction:
    return max(epsilon, 1 - epsilon)


def _min(epsilon: Fraction) -> Fraction:
    return min(epsilon, 1 - epsilon)


@frozen
class QueryBounds:
    """What the paper promises for one query.

    update         one ApplyUpdate, without rebalancing
    minor, major   one rebalancing step
    amortized      all steps of a sequence of updates, divided by their number
    preprocessing  building the initial state
    space          entries of all materialized views together
    delay          to the first tuple, between two, and to the end; also one lookup
    """

    update: Bound
    minor: Bound
    major: Bound
    amortized: Bound
    preprocessing: Bound
    space: Bound
    delay: Bound


@frozen
class Constants:
    """The constants of the time bounds of one query.

    Numbers are listed in the order count single, count double, unary, binary, ternary; "found" is the maximum
    that `ivme.workloads` reaches for N from 1,001 to 4,097 at any ε; no constant was fitted to it.

    The arguments use, for a column of a relation of size n that is partitioned with θ = N^ε: a light value
    has fewer than ³⁄₂θ tuples; there are at most 2n/θ heavy values; and ⌈³⁄₂θ⌉ ≤ 3·⌈½θ⌉, so that ⌈³⁄₂θ⌉ moved
    tuples times the number of heavy values is at most 3n. An entry of a view tree costs w = 2 steps, 4 if
    kept. Relations are called u(x,y), f(y,z), p(z,x) as in `ivme.workloads`; so are their sizes.

    update         Derived. Σ over the listed combinations of parts of min(|row|, |column|), one step for each
                   common z and one more if it goes to a row of the result of its own, and w for each z that a
                   tree joins: linear in the lengths of lines, which the facts above bound linearly, with
                   θ and N/θ at most N^max(ε,1−ε) and u + f + p < N. The largest optima over all relations,
                   parts and kinds of update are 8½, 6½, 10, 12½, 12½, all at ε = ½; 15, 19, 19, 15, 13 steps
                   more are fixed: at N = 1,000, 8.98, 7.11, 10.61, 12.98, 12.92. Found 8.5, 6.6, 10.1, 12.1,
                   12.1.
    minor          Argued. Moved tuples of x times heavy z, and once more every tuple of other lines. Single
                   partitions: 6p + 2f and, kept and listed anew, 12p + 7f, at most 6N and 12N. Otherwise x
                   and y may move at once; the worst relations give 6·min(u,p) + 6·min(u,f) + 2p + 2f ≤ 5⅓N,
                   12·min(u,f) + 5f + 8p ≤ 8½N, and 18p + 5f ≤ 18N. A moved tuple, part of u, has 13 steps of
                   its own at most: ½N more for the unary query. Found 5.9, 4.1, 7.6, 13.2, 11.9; 14.8 for
                   the binary query at N = 24,001. For ε > ½ this is O(N), less than the paper's N^{2ε}.
    major          Argued. Each condition on an entry of a tree changes once at most, so that it enters once
                   and leaves once. A tree on relations of sizes m and n has at most ³⁄₂θm and at most 2mn/θ
                   entries, hence √3·m·√n, and the three trees of |D| ≤ ½N tuples (½N)^{3/2} (Cauchy-Schwarz):
                   1.42, 1.42, 2.05, 2.44, 2.83, as w is. What moves is listed anew: 0, 0, 12, 19, 9 times
                   Σ min(|row|, |column|) ≤ (|D|/3)^{3/2}, which is 0.07. Linear terms are at most 6, 12, 17,
                   17, 10 times N, 0.2 to 0.55 at N = 1,000. Found 0.7, 0.9, 1.0, 1.7, 1.8.
    amortized      Argued: update + 2·m + 4·major. Before a value moves it had ½θ updates of its own, before N
                   changes there are ¼N (claims minor-gap and major-gap of `proofs`); m is the sum of the
                   minor costs of a relation's partitioned columns, 6, 3+3, 6+6, 12+6, 12, and ½ more.
                   Loose: the three are not large at once. Found 8.5, 6.6, 10.1, 12.1, 12.1, a toggled tuple.
    preprocessing  Argued, as major with strict partitions: θm and mn/θ, hence m·√n entries, each made once:
                   0.41, 0.41, 0.6, 0.71, 0.82; three steps for each of Σ min(|row|, |column|): 0.21; and at
                   most 12 for a tuple: 0.2. Found 0.5, 0.6, 0.6, 0.6, 0.7.
    delay          Argued. One step for the count, seven for a ternary row. Otherwise a candidate triangle of
                   a row is one step to look for; if it exists, at most 7 to exclude the row from its bucket,
                   which the current bucket is spared, and 3 to multiply. With k < ³⁄₂θ, a row of a tree has
                   up to k triangles if binary, looked for in two lines, and k² if unary, 3 steps for each of
                   k lines: 12k + 8 and 11k² + 3k − 1. If the head map has the row too, another row of the
                   head map is reported in its place and looked for besides; both have a tuple that no tree
                   covers, hence at most k − 1, and (k − 1)k, triangles in trees: 14k − 1 and 12k² − 6k + 1.
                   All are below 24θ and 27⁹⁄₁₆θ²; the former two approach it for k = 2 and θ just above 4/3.
                   For ε > ½, h heavy values bound the triangles, by h and ¼h²: 12h + 13 and 3h² + 6h + 1 at
                   most. h < 2N/θ − 2, as one had ³⁄₂θ tuples when it became heavy and the others ½θ, or all
                   became heavy when |D| was ½N, with θ each. Found 24.0 and 27.6.
    """

    update: str
    minor: str
    major: str
    amortized: str
    preprocessing: str
    delay: str


_COUNT_SINGLE = Constants("9", "7", "7/4", "29", "1", "1")
_COUNT_DOUBLE = Constants("29/4", "6", "2", "57/2", "1", "1")
_UNARY = Constants("43/4", "19/2", "7/2", "50", "5/4", "28")
_BINARY = Constants("13", "19", "9/2", "68", "5/4", "24")
_TERNARY = Constants("13", "13", "4", "54", "5/4", "7")


def query_bounds(free: str, partitioning: Partitioning = "single") -> QueryBounds:
    """The bounds for a head; `partitioning` matters for the count query alone."""
    arity = len(canonical(free)[0])
    double = arity == 0 and partitioning == "double"
    suffix = "_double_partition" if double else ("", "_unary", "_binary", "_full")[arity]
    constants = _COUNT_DOUBLE if double else (_COUNT_SINGLE, _UNARY, _BINARY, _TERNARY)[arity]
    preprocessing_label = f"prop:preprocessing_step{suffix}".replace("step_double", "step_space_double")
    return QueryBounds(
        update=_bound(f"prop:single_step_time{suffix}", constants.update, _max),
        minor=_bound("prop:minor_cost", constants.minor, lambda e: e + _max(e)),
        major=_bound("prop:major_cost", constants.major, lambda e: Fraction(3, 2)),
        amortized=_bound("prop:amortized_update_time", constants.amortized, _max),
        preprocessing=_bound(preprocessing_label, constants.preprocessing, lambda e: Fraction(3, 2)),
        space=_space(arity, double),
        delay=_delay(arity, constants.delay),
    )


def _space(arity: int, double: bool) -> Bound:
    """All materialized views together (table:complexities_triangle): the sums of the sizes above.

    With h and l the sums of the sizes of the heavy and of the light parts, h + l < N, the joins V of the
    three trees together are at most ³⁄₂θ·h < ³⁄₂N^{1+ε} and Σ 2xy/θ ≤ 2hl/θ < ½N^{2−ε}. The trees that are
    kept have V̂ besides V. In V(c,a,b) of the unary query and in all of the count query with double partitions
    the middle variable is light on both sides: ³⁄₂θ·min(h,l) < ¾N^{1+ε}; and both ends are heavy, so V̂ has
    fewer than 4hl/θ² < N^{2−2ε} pairs. Roots and listed views over fewer than three variables have at most an
    entry for each tuple; triangles are at most (N/3)^{3/2}.
    """
    if arity == 3:
        # 2V; ³⁄₂θ·h with h ≤ N − ¾θ² is at most ⅔N^{3/2}
        return _bound("prop:space_complexity_full", "3/2", lambda e: Fraction(3, 2))
    if double:
        label = "prop:tighter-upper-bound-space-nullary"
        return _bound(label, "1", lambda e: max(ONE, min(1 + e, 2 - 2 * e)))
    label, below, above = (
        ("prop:space_complexity", "3/2", "1/2"),
        ("prop:space_complexity_unary", "2", "2/3"),
        ("prop:space_complexity_binary", "7/2", "5/4"),
    )[arity]
    return Bound(label, lambda e: (Power(Fraction(below if e < HALF else above), 1 + _min(e)),))


def _delay(arity: int, constant: str) -> Bound:
    if arity in (0, 3):
        return _bound(
            "prop:delay_full" if arity else "theo:main_result_triangle", constant, lambda e: Fraction(0)
        )
    if arity == 2:
        return _bound("prop:delay_binary", constant, _min)
    return _bound("prop:delay_unary", constant, lambda e: 2 * _min(e))
