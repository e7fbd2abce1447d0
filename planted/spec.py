"""Bugs in the spec: thresholds, N, delta rules, views, bounds."""

from __future__ import annotations

from planted.mutant import bugs_in

SPEC = (
    *bugs_in(
        "spec/ivme_spec/thresholds.py",
        ("reaches-strictly", "return bool(left >= factor", "return bool(left > factor", "thresholds-exact"),
        ("middle-off", "return (low + high) // 2", "return (low + high) // 2 + 1", "thresholds-bisection"),
        (
            "wrong-half",
            "if middle_reaches else (middle_of(low, high), high)",
            "if not middle_reaches else (middle_of(low, high), high)",
            "thresholds-bisection thresholds-least",
        ),
        ("low-too-high", "low = high // 2", "low = high // 2 + 1", "thresholds-least"),
        ("light-is-theta", "(HALF, ONE, THREE_HALVES)", "(HALF, ONE, ONE)", "thresholds-least"),
    ),
    *bugs_in(
        "spec/ivme_spec/state.py",
        (
            "initial-even",
            "return 2 * size + 1",
            "return 2 * size",
            "after-major major-invariant initial-state",
        ),
        ("doubled-more", "return 2 * base", "return 3 * base", "after-major major-invariant"),
        ("halved-more", "return base // 2 - 1", "return base // 2 - 2", "after-major major-invariant"),
        ("invariant-closed", "base // 4 <= size < base", "base // 4 <= size <= base", "size-invariant"),
        ("gap-off", "size - base // 4 + 1", "size - base // 4 + 2", "after-major"),
    ),
    *bugs_in(
        "spec/ivme_spec/algebra.py",
        (
            "no-second-order",
            "(left, d_right), (d_left, d_right)]",
            "(left, d_right)]",
            "delta-product delta-rules",
        ),
        (
            "plus-one-sided",
            "return plus(delta(left, changed), delta(right, changed))",
            "return delta(left, changed)",
            "delta-rules",
        ),
    ),
    *bugs_in(
        "spec/ivme_spec/views.py",
        (
            "unary-part",
            '_listed(1, ("LL", "ALL", "H"), LINEAR)',
            '_listed(1, ("LH", "ALL", "H"), LINEAR)',
            "cover views-add-up",
        ),
        (
            "binary-tree",
            '("L", "ALL", "HL"),\n            (\n',
            '("H", "ALL", "HL"),\n            (\n',
            "cover views-add-up",
        ),
        ("turned-twice", "parts[(1 - turns) % 3]", "parts[(1 + turns) % 3]", "views-add-up"),
    ),
    *bugs_in(
        "spec/ivme_spec/bounds.py",
        (
            "heavy-values",
            '"def:ivme_state", "2", lambda e: 1 - e',
            '"def:ivme_state", "1", lambda e: 1 - e',
            "space-arithmetic",
        ),
        ("join", "Power(Fraction(1, 2), 2 - e)", "Power(Fraction(1, 3), 2 - e)", "space-arithmetic"),
    ),
)
