"""The bounds of a graph (`ivme_spec.graphs`) with explicit constants: worst cases, and the amortized one.

Paper: sec:extensions; the exponents are those of theo:main_result_triangle and, for the space,
prop:tighter-upper-bound-space-nullary. A step is a lookup, a write or a step along a row. All are argued by
hand, for directed and undirected graphs, tracked or not; the cost tests count under attack and say which
share of each they reach. No constant was fitted.

Notation: S = Σ degrees < N, θ = N^ε, K = N^{1−ε}, M = N^max(ε,1−ε); a light vertex has degree < ³⁄₂θ, there
are at most 2K heavy ones; d is the degree of the vertex that is spoken of, and products such as |In|·|Out|
are taken as d·d, the undirected case. B(u) = 2|Out(u)| + 2Σ_{w light} |Out(w)| is the price of the row of u,
P its price when it was built, g < P its upkeep since it was last of use (the gap), c what the scans of an
unbuilt one have paid (the credit).

update   Without builds, drops, class changes and scans of unbuilt heavy pairs. 8 are fixed. Light and heavy:
         the row of the light end is walked four times for the rows of pairs and once for the delta, which
         finds at most d; 2 for each of at most d changed pairs, twice: 10d < 15θ. Two light: 2d. Two heavy
         and built: 1 + 2·2K.
scan     Of an unbuilt heavy pair: min(d) ≤ ½S, and once more for what it finds.
credit   c ≤ ⁵⁄₂·m, m the largest B(u) since the row was last built, dropped or heavy: c was below `look`
         before the last scan, which is at most |Out(u)| ≤ ½m, and `look` is at most 2|Out| ≤ m, or after a
         look with c < B(u) at most max(B(u), c + 2|Out|) ≤ 2m.
build    The look |Out| ≤ ½S, the price ≤ 2S, and half of it to hand triangles over: ⁷⁄₂N.
drop     1 + 2K, and half the price to hand them over: 1 + 2K + N.
lookup   Of the triangles of a vertex: with k = min(³⁄₂θ, 2K) heavy neighbours, (1 + k)².
pairs    V(u,z) has a light w between them: fewer than ³⁄₂θ·min(Σ_{light} d, Σ_{heavy} d) ≤ ¾θN; and fewer
         than (2K)².
load     Directed: Σ over the arcs of the shorter row; each vertex has at most S/d neighbours of no less
         degree than its own d, thus at most min(d, 2S/d) ≤ √(2S) arcs to them: √2·S^{3/2} in all, and 3N
         for vertices, with N = 2S + 1. Listing walks the same rows, when S may be N − 1. Undirected: each
         edge points to the larger degree, ½S arcs with at most √S successors each: ½S^{3/2} + S, less.
major    Every vertex changes its class once at most, as in `class-up` below. N grows: degrees are below
         ³⁄₂θ, S ≤ ½N + 1, 3θN in all; it shrinks: below 4θ (N was up to 2N + 3), 8θN. Or at most 2K vertices
         take part: 7KN. Each row is dropped once at most: ½ΣB ≤ 2θN + ½N and ≤ KN, and (2K)² + 2K. What is
         linear in S: 6N.

amortized: n updates and reads `count_on` of a graph that starts empty take at most n·(260·M + 340) steps, for
the largest N so far. The potential follows the prices; with α = 8¼, a vertex u has

    light      α·B(u)
    unbuilt    α·m(u) − what its scans, looks and its build have taken since m(u) began
    built      α·max(0, B(u) − P + g)
    and for each light w of a directed graph 2α·|In(w)|²

    unbuilt    Nothing is taken twice: scans take 2c (what they find, too), looks ½c and one step for each
               arc that came to u meanwhile, the build ³⁄₂P: with c ≤ ⁵⁄₂m and P ≤ m, 7¾m. Then B = P, g = 0.
    drop       For its upkeep: g and the charge at hand reach P, so that α·B is there, and half a price for
               the drop, since 7¾ suffices from then on. Its 1 + 2K are paid by the update or read that
               built the row: there is one build each.
    insert     Of two light ends: ΣB rises by 2 + 2 for the arcs and by 4d + 2 for each end as a middle:
               8 + 12θ. Light and heavy: 6 + 4d, and 4d of charges. Directed: at most 4 + 9θ. 99θ + 66.
    delete     Prices fall by at least what the gaps rise: 2 + 2|Out(w)| against 2 for each heavy in Out(w),
               and 2 against 2. Nothing.
    class-up   The vertex w has d = ⌈³⁄₂θ⌉. B(u) falls by 2d for each neighbour u: no less than the charge of
               a built one, 2 for each heavy neighbour of w, and if u is light than the charges through it, 2
               for each built neighbour of u. Nothing. Steps: 2 + 4d, then for each heavy neighbour at most
               4d, for each light one thrice its row: 9θ² + 18θ + 10, after more than ½θ inserts at w:
               18θ + 56 each.
    class-down d < ½θ. B(u) rises by 2d for each neighbour, charges are 2d for a heavy one and 3θ for a light
               one: 2θ²; and w itself has now α·B(w) ≤ α·(³⁄₂θ² + θ). Steps: ⁹⁄₄θ² + 2θ + 2, and its own drop
               ¾θ² + ½θ. After more than ½θ deletes at w: 63¾θ + 26 each.
    major      Thereafter the potential is at most α·ΣB, B − P + g < B: 2αS(1 + θ), as light degrees are below
               θ. Steps as above, but for (2K)². When N grows, 24θ + 30 for each of S ≤ ½N + 1, after N/8
               inserts: 120θ + 150 for each. When it shrinks, 36½θ + 30, after ¼(N − 1) deletes: 92θ + 75.

    two light ends      insert: 3θ + 8, 99θ + 66, 2 looks, 2·(18θ + 56), 120θ + 150    258θ + 338
    light and heavy     insert: 15θ + 8, 99θ + 50, 2, 18θ + 56, 120θ + 150             252θ + 266
    light and heavy     delete: 15θ + 8, 63¾θ + 26, 92θ + 75                           171θ + 109
    two heavy ends      insert: 4K + 9, or 2K + 1 and the scan; 33, 2, 120θ + 150      120θ + 4K + 194
    two heavy ends      delete: 4K + 9, 2·(63¾θ + 26), 92θ + 75                        220θ + 4K + 136
    read                4K + 1, or ³⁄₂θ, or 2K + 1 and the scan

deferred: of k updates in one array that is counted at its end, in a graph that has at most ⁷⁄₃k edges before
and thus ¹⁰⁄₃k after: S ≤ ²⁰⁄₃k, N = 2S + 1. Each takes 8, the load √2·S^{3/2} + 6S, the potential thereafter
is 2αS(1 + θ), and before it 1 + 2K for a row, ¹⁴⁄₃k for the vertices: 124M + 170 each.

A graph that starts from edges has the potential 2αS(1 + θ) ≤ α·(N + N^{1+ε}) at once: `LOADED` more. Loose:
the terms are not large at once, and an attack that makes prices rise does not make rows fall.
"""

from __future__ import annotations

from fractions import Fraction

from attrs import frozen

from ivme_spec.bounds import Bound, Power
from ivme_spec.thresholds import ONE, THREE_HALVES

LABEL = "sec:extensions"


def _most(epsilon: Fraction) -> Fraction:
    return max(epsilon, 1 - epsilon)


def _bound(*powers: tuple[str, str]) -> Bound:
    """Powers (constant, exponent), the exponent by name."""

    def made(epsilon: Fraction) -> tuple[Power, ...]:
        least, most = min(epsilon, 1 - epsilon), _most(epsilon)
        exponents = {
            "max": most,
            "1": ONE,
            "3/2": THREE_HALVES,
            "1+ε": 1 + epsilon,
            "2ε": 2 * epsilon,
            "2−2ε": 2 - 2 * epsilon,
            "major": max(1 + least, 2 - 2 * epsilon),
        }
        return tuple(Power(Fraction(constant), exponents[name]) for constant, name in powers)

    return Bound(LABEL, made)


@frozen
class Total:
    """n·(c·N^e + fixed) for n operations, where the bound is c·N^e."""

    bound: Bound
    fixed: int

    def allows(self, steps: int, operations: int, base: int, epsilon: Fraction) -> bool:
        """Whether the steps of all operations together are within the bound, exactly."""
        rest = max(0, steps - self.fixed * operations)
        return all(
            Power(power.constant * operations, power.exponent).allows(rest, base)
            for power in self.bound.powers(epsilon)
        )

    def share(self, steps: int, operations: int, base: int, epsilon: Fraction) -> float:
        """The share of the bound that is reached, for reports only."""
        return steps / operations / (self.bound.estimate(base, epsilon) + self.fixed)


UPDATE = Total(_bound(("15", "max")), 9)
SCAN = Total(_bound(("1", "1")), 8)
CREDIT = Fraction(5, 2)
"""What scans have paid, in largest prices."""
PHASE = Fraction(31, 4)
"""What a row takes until it is built, in largest prices: scans, looks and the build."""
BUILD = _bound(("7/2", "1"))
DROP = Total(_bound(("3", "1")), 1)
LOOKUP = _bound(("25/4", "2ε"), ("9", "2−2ε"))
PAIRS = _bound(("3/4", "1+ε"), ("4", "2−2ε"))
LOAD = Bound(LABEL, lambda epsilon: (Power(Fraction(3, 5), THREE_HALVES),))
"""For N ≥ `ivme_spec.bounds.SMALLEST`: ½N^{3/2} + 3N."""
LISTING = _bound(("3/2", "3/2"))
MAJOR = _bound(("23", "major"))
AMORTIZED = Total(_bound(("260", "max")), 340)
LOADED = _bound(("33/2", "1+ε"))
"""The steps more, once, of a graph that starts from edges."""
