"""The paper's bounds with explicit constants, in one place for tests, reports and debug mode.

Paper: theo:main_result_triangle, prop:tighter-upper-bound-space-nullary and the propositions named below. N
is the threshold base and a step is one of the RAM model (sec:computational_model): a lookup, the insert or
delete of an entry, or one step of an iterator. A bound is a conjunction of powers c · N^e: a count is within
it when it is at most each of them, compared exactly.

The paper gives exponents. The constants of the size bounds are proved (below, tighter than the paper's
where a line of arithmetic allows it); the constants of the time bounds are those that the repaired
algorithm needs on adversarial instances, asserted by the cost tests and not looser than measured there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from attrs import frozen

from ivme_spec.queries import canonical
from ivme_spec.thresholds import ONE, reaches


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
        """About c · base^e, for reports; nothing is decided by it."""
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

    def estimate(self, base: int, epsilon: Fraction) -> float:
        """About the bound's value, for reports; nothing is decided by it."""
        return min(power.estimate(base) for power in self.powers(epsilon))

    def describe(self, epsilon: Fraction) -> str:
        """The bound for one ε, as text."""
        return " and ".join(map(str, self.powers(epsilon)))


def _bound(label: str, constant: str, exponent: Callable[[Fraction], Fraction]) -> Bound:
    return Bound(label, lambda epsilon: (Power(Fraction(constant), exponent(epsilon)),))


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


def query_bounds(free: str, partitioning: str = "single") -> QueryBounds:
    """The bounds for a head; `partitioning` matters for the count query alone."""
    arity = len(canonical(free)[0])
    names = {0: "", 1: "_unary", 2: "_binary", 3: "_full"}
    suffix = "_double_partition" if arity == 0 and partitioning == "double" else names[arity]
    single_step = _bound(f"prop:single_step_time{suffix}", "13", _max)
    preprocessing_label = f"prop:preprocessing_step{suffix}".replace("step_double", "step_space_double")
    return QueryBounds(
        update=single_step,
        minor=_bound("prop:minor_cost", "39", lambda e: e + _max(e)),
        major=_bound("prop:major_cost", "13", lambda e: Fraction(3, 2)),
        amortized=_bound("prop:amortized_update_time", "19", _max),
        preprocessing=_bound(preprocessing_label, "13/10", lambda e: Fraction(3, 2)),
        space=_space(arity, partitioning),
        delay=_delay(arity),
    )


def _space(arity: int, partitioning: str) -> Bound:
    """All materialized views together (table:complexities_triangle): the sums of the sizes above.

    The joins of the three trees together are below ½N²/θ: with h and l the sums of the sizes of the heavy and
    of the light parts, h + l < N and Σ 2xy/θ ≤ 2hl/θ. Roots and listed views over fewer than three variables
    add a linear term for each.
    """
    if arity == 3:
        # the results (at most N^{3/2} in all the disjoint skew-aware views) and, for each tree, V, V̂ and root
        return _bound("prop:space_complexity_full", "5", lambda e: Fraction(3, 2))
    if arity == 0 and partitioning == "double":
        label = "prop:tighter-upper-bound-space-nullary"
        return _bound(label, "4", lambda e: max(ONE, min(1 + e, 2 - 2 * e)))
    labels = {0: "prop:space_complexity", 1: "prop:space_complexity_unary", 2: "prop:space_complexity_binary"}
    return _bound(labels[arity], "10", lambda e: 1 + _min(e))


def _delay(arity: int) -> Bound:
    if arity in (0, 3):
        label = "prop:delay_full" if arity else "theo:main_result_triangle"
        return _bound(label, "13", lambda e: Fraction(0))
    if arity == 2:
        return _bound("prop:delay_binary", "49", _min)
    return _bound("prop:delay_unary", "61", lambda e: 2 * _min(e))
