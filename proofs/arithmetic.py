"""Exact thresholds, and the arithmetic of the space bounds.

Paper: def:ivme_state (θ = N^ε), ERRATA E8; prop:space_complexity and its sisters. `reaches` of the spec runs
on unknown counts and bases; the unknown t ≥ 0 with t^q = N^p is N^{p/q} itself, so the claim is about real
powers although the code has only integers. The space bounds follow from counts argued in
`ivme_spec.bounds`; what is proved here is the arithmetic between the counts and the constants.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd

import z3  # type: ignore[import-untyped]

from ivme_spec.bounds import HEAVY_JOIN, HEAVY_PAIRS, HEAVY_VALUES, JOIN, Bound
from ivme_spec.thresholds import HALF, ONE, THREE_HALVES, reaches, threshold
from proofs.claims import Claim, Refuted, Scope
from proofs.symbolic import Number, Term, paths, prove

DENOMINATORS = 6
EPSILONS = [Fraction(p, q) for q in range(1, DENOMINATORS + 1) for p in range(q + 1) if gcd(p, q) == 1]
FACTORS = (HALF, ONE, THREE_HALVES)


def reaches_is_exact() -> str:
    """reaches(d, u/v, N, p/q) says d ≥ (u/v)·N^{p/q}."""
    count, base, power, total = z3.Real("d"), z3.Real("N"), z3.Real("t"), 0
    for epsilon in EPSILONS:
        powers = (Number(power) ** epsilon.denominator, Number(base) ** epsilon.numerator)
        given = [count >= 0, base >= 1, power >= 0, powers[0].term == powers[1].term]
        for factor in FACTORS:
            scaled = factor.denominator * count >= factor.numerator * power
            for path in paths(given, lambda f=factor, e=epsilon: _reaches(count, f, base, e)):  # type: ignore[misc]
                known = [*given, *path.conditions]
                total += prove(
                    f"ε = {epsilon}, factor {factor}", known, scaled if path.result else z3.Not(scaled)
                )
    return f"{total} obligations, ε in {len(EPSILONS)} fractions"


def _reaches(count: Term, factor: Fraction, base: Term, epsilon: Fraction) -> bool:
    return reaches(Number(count), factor, Number(base), epsilon)  # type: ignore[arg-type]


LARGEST = 200


def least_reaching_is_least() -> str:
    """`threshold` has the least degrees that reach ½θ, θ and ³⁄₂θ: their predecessors do not."""
    total = 0
    for epsilon in EPSILONS:
        for base in range(1, LARGEST + 1):
            theta = threshold(base, epsilon)
            for factor, least in zip(FACTORS, (theta.heavy, theta.strict, theta.light), strict=True):
                right = reaches(least, factor, base, epsilon) and least >= 1
                if not right or reaches(least - 1, factor, base, epsilon):
                    raise Refuted(f"for {factor}·{base}^{epsilon} the threshold has {least}")
                total += 1
    return f"{total} cases"


def space_arithmetic() -> str:
    """From the counts of `ivme_spec.bounds` to its constants, for all sizes and all θ with 1 ≤ θ ≤ N."""
    x, y, size_n, theta = z3.Real("x"), z3.Real("y"), z3.Real("N"), z3.Real("θ")
    heavy_x, heavy_y, entries = z3.Real("hx"), z3.Real("hy"), z3.Real("entries")
    given = [x >= 0, y >= 0, x + y < size_n, theta >= 1, theta <= size_n, entries >= 0]
    given += [heavy_x >= 0, heavy_y >= 0, heavy_x * theta <= 2 * x, heavy_y * theta <= 2 * y]
    light = [*given, 2 * entries <= 3 * theta * x]  # x tuples, each with fewer than ³⁄₂θ light partners
    heavy = [*given, entries <= y * heavy_x]  # y tuples, each with at most the heavy values of the other
    both = [*given, entries <= heavy_x * heavy_y]  # both free variables are heavy
    total = prove("heavy values", given, heavy_x * theta <= _constant(HEAVY_VALUES, 0, 1, 0) * size_n)
    total += prove("light partners", light, entries <= _constant(JOIN, 0, 1, 2) * size_n * theta)
    total += prove("heavy partners", heavy, entries * theta <= _constant(JOIN, 1, 2, 1) * size_n * size_n)
    square = size_n * size_n
    total += prove("heavy pairs", both, entries * theta * theta <= _constant(HEAVY_JOIN, 2, 2, 0) * square)
    total += prove("heavy pairs", both, entries * theta * theta <= _constant(HEAVY_PAIRS, 1, 2, 0) * square)
    heavies, lights = [z3.Real(f"h{i}") for i in range(3)], [z3.Real(f"l{i}") for i in range(3)]
    sizes = [z3.And(value >= 0) for value in (*heavies, *lights)]
    sizes.append(z3.Sum(heavies) + z3.Sum(lights) < size_n)
    joins = 2 * z3.Sum([heavies[i] * lights[(i + 1) % 3] for i in range(3)])
    total += prove("three joins", [*sizes, size_n >= 1], joins <= size_n * size_n / 2)
    return f"{total} obligations"


def _constant(bound: Bound, index: int, at_zero: int, at_one: int) -> Term:
    """The constant of one of a bound's powers, whose exponent is as given for ε = 0 and ε = 1, and linear."""
    low, middle, high = (bound.powers(Fraction(e, 2))[index] for e in range(3))
    exponents = [low.exponent, middle.exponent, high.exponent]
    if exponents != [at_zero, Fraction(at_zero + at_one, 2), at_one]:
        raise Refuted(f"the exponents of {bound.label}, power {index}, are {list(map(str, exponents))}")
    return z3.RealVal(middle.constant.numerator) / middle.constant.denominator


CLAIMS = (
    Claim(
        "thresholds-exact",
        "reaches(d, u/v, N, p/q) ⟺ d ≥ (u/v)·N^{p/q} for the factors ½, 1 and ³⁄₂: exact, no floating point.",
        "def:ivme_state, ERRATA E8",
        "Z3",
        Scope.PROVED,
        f"all d and N; ε = p/q with q ≤ {DENOMINATORS}",
        "Fraction and int are exact",
        ("reaches",),
        reaches_is_exact,
    ),
    Claim(
        "thresholds-least",
        "The threshold for N and ε has ⌈½N^ε⌉, ⌈N^ε⌉ and ⌈³⁄₂N^ε⌉: they reach, their predecessors do not.",
        "def:ivme_state",
        "all cases",
        Scope.EXHAUSTIVE,
        f"up to N = {LARGEST}, ε = p/q with q ≤ {DENOMINATORS}",
        "for all N by hand: thresholds-bisection is the loop's invariant and variant",
        ("threshold", "least_reaching", "narrowed", "middle_of"),
        least_reaching_is_least,
    ),
    Claim(
        "space-arithmetic",
        "From the numbers of heavy values and light partners follow the constants of the spec's size bounds "
        "JOIN, HEAVY_JOIN, HEAVY_PAIRS and HEAVY_VALUES, and ½N²/θ for three joins together.",
        "prop:space_complexity, prop:space_complexity_binary, prop:space_complexity_unary, "
        "prop:preprocessing_step_space_double_partition",
        "Z3",
        Scope.PROVED,
        "all sizes and all real θ in [1, N]",
        "the counts themselves are argued by hand in ivme_spec/bounds.py",
        ("bounds.JOIN", "bounds.HEAVY_JOIN", "bounds.HEAVY_PAIRS", "bounds.HEAVY_VALUES"),
        space_arithmetic,
    ),
)
