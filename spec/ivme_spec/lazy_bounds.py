"""The bounds of lazy views (`ivme_spec.lazy`) with explicit constants, and the argument for them.

Paper: prop:amortized_update_time, with views that are bought row by row (ski rental); the competitive bounds
are ours. A step is one of the kernel's model (`ivme_reference.lazy.state`). For a row x of a tree: d is its
degree, P its price, w the weight of an entry; α is the price factor. *Classical* is first-order IVM on the
same relations, with 10 steps for an update and a *scan*, min(|row|, |column|) and 1 or 2 for each match;
*eager* is the engine that materializes all of the paper's views. Sequences start from nothing.

facts      build ≤ P. Drop ≤ 1 + ½P. Upkeep ≤ its charge, w for each changed (y,z). A look at the price:
           d, and P ≥ 2d. What a scan pays, p, is part of it, and at most 2d, or 3d where matches take 2
           steps. It has two parts: p₁, through middles that are heavy and have not moved, which eager
           walks too, and p₂ ≤ ½P: d for the walk and 1 or 2 for each of the row's (y,z) that is closed, 2
           or 6 in P: an end that must be heavy has moved before a scan pays for it.

classical  Steps ≤ c(α)·(classical's scans) + 116 for each update, c(α) = max(3, 1 + 7/(2α)): 4½ for α =
           1, 3 for α ≥ 7/4. Proved on paper here, and tight: adversaries reach 4.50 for α = 1 and 2.75
           for α = 2, at least 3.8 and 2.4 on rows of every tree of every head.
    scans      One walk for all that is listed: never more than classical's. Let C be what a row's scans pay
               before it is built at price P_b ≤ C/α, and s what it spares while it is built.
    looks      At 2αd and then at least 2αd further on, d steps each: C/(2α), and 1 for each insert.
    upkeep     Whenever the gap is 0, charges so far are at most the scans spared, s_b; then P₀ ≤ P_b + s_b is
               the limit. Charges since then, less the scans s_l spared since then, are below P₀.
    drop       The price has grown by charges only: ½(P₀ + P₀ + s_l). Upkeep and drop: 3s_b + ³⁄₂s_l + 2P_b.
    in all     C + C/(2α) + P_b + 2P_b + 3s ≤ (1 + 7/(2α))·C + 3s, where classical takes C + s.
    updates    17 fixed: 8, at most 4 lines, 2 looks, a lookup and an owner. An insert 6: a look, and prices
               grow by 2 for each tuple of the row, without a charge. A drop 1. Moves 4 a tuple, for each of
               at most two columns: 12 an insert, if a value moves up after ½θ inserts or more, beside the
               tuples that it had at the last change of N: these twice, 64, as |D| ≤ N and N changes after ¼N
               updates or more; so do the 2 steps for each heavy value: 16. All loose: while nothing is built
               or moved it is 13 or 14, and 10 for classical.

eager      Steps ≤ e·(eager's steps) + 8e for each update, e = 2k + 2 with k = (2α + ½)(1 + 1/(2α)) + 1:
           11½ for α = 1, 15¼ for α = 2; thrice that where rows are kept, in heads with free variables:
           there w = 6, and eager writes an entry in 2 steps or more. Argued. For cycles that come to
           their end it is k + 2, 6¾ and 8⅝, of which adversaries reach 5.77 and 7.67; whether 2k + 2 can
           be reached is open.
    phase      A credit is below 2αP before the last scan: a look sets the next at αP or 2αd ≤ αP above a
               credit that is below αP. So C ≤ (2α + ½)P + p₁, and with looks and build kP.
    cycle      A built row is dropped when charges reach its limit P₀. To lower the price from P_b to P₀ took
               charges too, so eager has paid E ≥ P_b beside 2 for each delete: build and scans k·E, upkeep E,
               and the drop ½(P₀ + E) ≤ E. A row that becomes light began with a price that eager had paid
               when the value became heavy, and grew by what eager paid since; so did one that is never
               dropped, whose k·P_b ≤ k·ΣE comes on top once: 2k + 2.

amortized  Argued, as for graphs (`ivme_spec.graph_bounds`), for all ε: n updates take at most n·(c·M + f)
           steps, M = N^max(ε,1−ε) for the largest N so far; for α = 1, c is 231, 403, 1320, 1320, 756 for
           count single and double, unary, binary, ternary. With β = (2α + r)(1 + 1/(2α)) + 1 and γ = β +
           ½, r = 1 for the count and ³⁄₂ for other heads, a heavy value has the potential

               unbuilt   β·(the largest P since it was dropped or became heavy) − what was taken since
               built     γ·max(0, P − limit + gap)

    unbuilt    Scans take C ≤ (2α + r)·P, looks C/(2α), the build P: nothing is taken twice.
    drop       Gap and charge reach the limit: γP is there, β for the next phase and ½ for the drop.
    scan       What pays into no credit: a light row, or heavy values in the column, and in the row for double
               partitions: 2M or 4M, and once or twice as much for matches.
    insert     As first tuple: P and gap rise by w·³⁄₂θ. As second: both by w for at most 2K heavy values.
    class-up   After ½θ inserts or more. As owner: β·P, P ≤ 3θ + ⁹⁄₄wθ². As middle, P falls by what the gap
               rises; steps w·³⁄₂θ·2K. As end of d tuples: P and gap rise by w·d·2K, d is at most thrice the
               inserts.
    delete     P falls by no less than the gap rises. Class-down after ½θ deletes or more, as middle: P and
               gap rise by w·½θ·2K; less than what an insert is charged with.
    major      Thereafter γ·ΣP ≤ γ·|D|·(2 + wθ); every entry leaves or enters once, each row is dropped once
               at most: ¹³⁄₄wθ + 1 for each tuple; |D| ≤ N, after ¼N updates or more.
               Loose: the terms are not large at once. Cycles of builds and drops reach 4.1·√N for the
               count and 10.2·√N for the ternary query at N = 131,072, with the exponent ½.

space      Every built row is a row of the eager state: the paper's bounds hold for the rows, the head map
           has fewer than N rows, or as many as there are triangles, as before. Besides, an owner for each
           tuple of a built row, fewer than N, and two numbers for each heavy value. Proved, given the
           state.
delay      What is kept is part of what eager keeps, so a row of the result occurs in no more buckets and
           the paper's delay holds; a lookup walks the owners of a middle instead of its heavy column.
           Proved, given the state; the procedures of the enumeration do not change.
one update Is not bounded by O(M): a scan of an unbuilt row takes up to ³⁄₂N, a build up to its price,
           2d + w·³⁄₂θ·d. That is the price of laziness.
"""

from __future__ import annotations

from fractions import Fraction

from ivme_spec.bounds import Bound, Power
from ivme_spec.graph_bounds import Total
from ivme_spec.lazy import KEPT_WEIGHT, SUMMED_WEIGHT
from ivme_spec.queries import Partitioning, canonical
from ivme_spec.thresholds import HALF, ONE, THREE_HALVES

LABEL = "prop:amortized_update_time"

MORE_THAN_CLASSICAL = 116
"""Steps for each update, beside the multiple of the scans."""

FIXED = {"single": 13, "double": 14}
"""The steps of an update that scans nothing, while nothing is built or moved; at most."""


def against_classical(factor: Fraction = ONE) -> Fraction:
    """c(α): the steps of any sequence are at most c(α)·(classical's scans), and a constant for each update.

    >>> against_classical(), against_classical(Fraction(2))
    (Fraction(9, 2), Fraction(3, 1))
    """
    return max(Fraction(3), 1 + Fraction(7, 2) / factor)


def phase(factor: Fraction, over: Fraction) -> Fraction:
    """What scans, looks and a build take, in prices, if the last scan pays at most `over` prices."""
    return (2 * factor + over) * (1 + 1 / (2 * factor)) + 1


def against_eager(free: str, factor: Fraction = ONE) -> Fraction:
    """e: the steps of any sequence are at most e·(eager's), and 8e for each update.

    >>> against_eager(""), against_eager("ABC")
    (Fraction(23, 2), Fraction(69, 2))
    """
    return (2 * phase(factor, HALF) + 2) * (3 if canonical(free)[0] else 1)


def amortized(free: str, partitioning: Partitioning = "single", factor: Fraction = ONE) -> Total:
    """The steps of n updates: at most n·(c·N^max(ε,1−ε) + f)."""
    base = canonical(free)[0]
    double = partitioning == "double" or base in ("A", "AB")
    weight = KEPT_WEIGHT if base else SUMMED_WEIGHT
    beta = phase(factor, THREE_HALVES if base else ONE)
    gamma = beta + HALF
    scan = (3 if base else 2) * (4 if double else 2)
    insert = (3 * gamma + THREE_HALVES) + (4 * gamma + 2)
    class_up = Fraction(9, 2) * beta + 6 + (12 * gamma + 12 if double else 0)
    major = 4 * gamma + 13
    constant = scan + weight * (insert + class_up + major)
    fixed = MORE_THAN_CLASSICAL + 2 * gamma + 6 * beta + 8 * gamma + 4

    def powers(epsilon: Fraction) -> tuple[Power, ...]:
        return (Power(constant, max(epsilon, 1 - epsilon)),)

    return Total(Bound(LABEL, powers), -int(-fixed // 1))
