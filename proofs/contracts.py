"""Contracts on the production functions, confirmed by CrossHair for all integers.

The contracts are in the functions' docstrings (PEP 316: lines `pre:` and `post:`). CrossHair runs the
function itself on symbolic integers, along all paths. A claim needs exactly one CONFIRMED verdict for each
`post:`, and as many of them as are listed here, so that a misspelt `posts:`, which CrossHair would silently
skip, does not pass for a proof.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from crosshair.core_and_libs import analyze_function, run_checkables
from crosshair.options import AnalysisKind, AnalysisOptionSet
from crosshair.statespace import MessageType

from ivme_spec import state, thresholds
from proofs import lemmas
from proofs.claims import Claim, NotObtained, Refuted, Scope

REFUTING = {MessageType.POST_FAIL, MessageType.EXEC_ERR, MessageType.POST_ERR}
"""Verdicts that come with a counterexample; POST_ERR: the contract itself raises for some input."""

OPTIONS = AnalysisOptionSet(
    analysis_kind=(AnalysisKind.PEP316,),
    report_all=True,
    per_condition_timeout=60.0,
    per_path_timeout=20.0,
)

Contracts = dict[Callable[..., object], int]
"""Functions, and how many `post:` lines each has."""


def confirmed(contracts: Contracts) -> str:
    """CrossHair confirms every contract of every function."""
    for function, expected in contracts.items():
        verdicts = list(run_checkables(analyze_function(function, OPTIONS)))
        for verdict in verdicts:
            if verdict.state in REFUTING:
                raise Refuted(f"{function.__name__}, line {verdict.line}: {verdict.message}")
        states = [verdict.state for verdict in verdicts]
        if states != [MessageType.CONFIRMED] * expected:
            found = [f"{verdict.state.name}: {verdict.message}" for verdict in verdicts]
            raise NotObtained(f"{function.__name__}: {expected} × CONFIRMED expected, found {found}")
    return f"{sum(contracts.values())} contracts of {len(contracts)} functions"


def _claim(name: str, statement: str, label: str, contracts: Contracts, *guards: str) -> Claim:
    return Claim(
        name,
        statement,
        label,
        "CrossHair",
        Scope.PROVED,
        "all integers",
        "—",
        guards or tuple(function.__name__ for function in contracts),
        partial(confirmed, contracts),
    )


CLAIMS = (
    _claim(
        "size-invariant",
        "⌊N/4⌋ ≤ |D| < N says the same as |D| < N < 4·(|D|+1), so N = Θ(|D|).",
        "def:ivme_state, prop:amortized_update_time",
        {state.size_invariant: 1},
    ),
    _claim(
        "after-major",
        "Setting N restores the size invariant with |D| = ½N (doubling), ½N − ½ or ½N − 1 (halving), ½N − ½ "
        "(initial state), and at least ¼N updates pass until it breaks.",
        "sec:rebalancing (major rebalancing)",
        {state.initial_base: 3, state.doubled: 3, state.halved: 3, state.updates_before_major: 3},
    ),
    _claim(
        "thresholds-bisection",
        "A step of the bisection for ⌈factor·θ⌉ keeps “low does not reach, high does” and shrinks it.",
        "def:ivme_state, ERRATA E8",
        {thresholds.middle_of: 1, thresholds.narrowed: 3},
    ),
    _claim(
        "delta-product",
        "The three products of the delta rule add up to (r+δr)(s+δs) − rs, and to δr·s for one change.",
        "sec:data_model (delta queries)",
        {lemmas.product_rule_is_the_difference: 1, lemmas.product_rule_for_one_change: 1},
        "product_rule",
    ),
    _claim(
        "plan-code",
        "The index of a plan's tables determines the statuses that it stands for.",
        "fig:applyUpdate",
        {lemmas.code_can_be_read_back: 5},
        "parts.code",
    ),
)
