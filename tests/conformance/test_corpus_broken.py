"""Every trace of the corpus catches an engine that is broken in the way that the trace is about.

The engines of `tests.support.broken_engines` are held against the corpus too.
"""

import math
import unicodedata
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from ivme.conformance import Capabilities
from ivme.conformance.corpus import names, run_corpus
from tests.conformance.test_corpus_engines import (
    Sound,
    against_new,
    against_old,
    as_set,
    clamps,
    deletes_first,
    digits,
    drops_cancelled,
    forgets,
    goes_below_zero,
    keeps_nulls,
    light_only,
    loses_other_side,
    never_retracts_on_update,
    on_text,
    one_derivation,
    one_retraction,
    one_row_each,
    reinsert_deletes,
    sharded,
    spoiled,
    upserts,
    without_repetitions,
    wraps,
)
from tests.support.broken_engines import BROKEN, NeverReturns

TABLE: dict[type[Any], set[str]] = {
    NeverReturns: {"group-returns", "empty-and-fill-again"},
    spoiled("AgainstOld", many=against_old): {
        "batch-both-sides", "batch-three-sides", "batch-delete-both-sides", "batch-delete-left-insert-right",
        "batch-moves-edges", "self-join-all-at-once", "batch-cancels-both-sides",
    },
    spoiled("AgainstNew", many=against_new): {"batch-delta-times-delta-once", "batch-delete-both-sides"},
    spoiled("OneRetraction", many=one_retraction): {"self-join-retraction", "self-join-loops"},
    spoiled("DropsCancelled", many=drops_cancelled): {"batch-cancels-to-zero"},
    spoiled("WithoutRepetitions", many=without_repetitions): {"batch-repeats-a-tuple"},
    spoiled("DeletesFirst", many=deletes_first): {"batch-more-in-than-out", "batch-delete-and-reinsert"},
    spoiled("NeverRetracts", many=never_retracts_on_update): {"self-join-update", "batch-moves-edges"},
    spoiled("LosesOtherSide", one=loses_other_side): {"insert-delete-then-other-side"},
    spoiled("ReinsertDeletes", one=reinsert_deletes): {
        "delete-and-reinsert", "empty-and-fill-again", "group-empties-with-its-value", "each-side-comes-last",
    },
    spoiled("Upserts", one=upserts): {"multiplicity-up-and-down", "bag-not-set"},
    spoiled("Clamps", one=clamps): {"delete-of-absent", "delete-of-too-much"},
    spoiled("GoesBelowZero", one=goes_below_zero): {"delete-of-absent", "delete-of-too-much"},
    spoiled("AsSet", one=as_set): {"bag-not-set", "bag-product", "batch-repeats-a-tuple"},
    spoiled("OneDerivation", rows=one_derivation): {"bag-product", "group-with-two-derivations"},
    spoiled("OneRowEach", rows=one_row_each): {"bag-rows-once", "group-with-two-derivations"},
    spoiled("Min", product=lambda self, r, s, t: math.copysign(1, r * s * t) * min(map(abs, (r, s, t)))): {
        "bag-product"
    },
    spoiled("ForgetsR", one=forgets("R")): {"each-side-comes-last", "group-returns"},
    spoiled("ForgetsS", one=forgets("S")): {"each-side-comes-last"},
    spoiled("ForgetsT", one=forgets("T")): {"each-side-comes-last", "self-join-loops-one-by-one"},
    spoiled("LightOnly", one=light_only): {"skew-up-and-down", "skew-in-every-relation"},
    spoiled("Bits32", number=wraps(32)): {"large-sum-beyond-32-bits"},
    spoiled("Bits64", number=wraps(64)): {
        "large-63-bits", "large-product-beyond-64-bits", "large-delta-beyond-64-bits", "large-sum-of-rows",
    },
    spoiled("Doubles", number=lambda self, m: int(float(m))): {"large-not-a-double", "large-63-bits"},
    spoiled("Saturates", number=lambda self, m: max(-(2**63), min(m, 2**63 - 1))): {"large-63-bits"},
    spoiled("ByText", key=lambda self, value: str(value)): {
        "values-integers-and-strings", "values-null-like", "values-tuples",
    },
    spoiled("ReadsDigits", key=on_text(digits)): {"values-text", "values-integers-and-strings"},
    spoiled("FoldsCase", key=on_text(str.casefold)): {"values-text"},
    spoiled("Trims", key=on_text(str.strip)): {"values-text"},
    spoiled("Normalizes", key=on_text(lambda text: unicodedata.normalize("NFC", text))): {"values-text"},
    spoiled("EmptyIsNull", key=on_text(lambda text: text or None)): {"values-null-like"},
    spoiled("NullNeverJoins", joins=lambda self, *row: None not in row): {"values-null"},
    spoiled("KeepsNulls", one=keeps_nulls): {"values-null"},
    spoiled("ByHash", key=lambda self, value: hash(value)): {"values-that-collide"},
    spoiled("DoubleKeys", key=lambda self, v: float(v) if type(v) is int else v): {"values-large-integers"},
    spoiled("ByType", key=lambda self, value: (type(value), value)): {"python-bool-and-int", "python-floats"},
    spoiled("NanIsNew", key=lambda self, v: object() if v is math.nan else v): {"python-nan"},
    **{spoiled(f"Shards{n}", joins=sharded(n)): {"shards", "shards-one-by-one"} for n in (3, 5, 7)},
}  # fmt: skip
"""Broken engine -> traces that must catch it, whatever the head."""

HEAD_MATTERS = {"OneRowEach": "A", "OneDerivation": "A"}
CAPABILITIES = Capabilities(refuses=True, values="python")


def caught(engine: Any, free: str) -> set[str]:
    return set(run_corpus(partial(engine, free), free, capabilities=CAPABILITIES))


@pytest.mark.parametrize("free", ["", "A", "AB", "ABC"])
def test_the_engine_that_is_not_spoiled_passes(free: str) -> None:
    assert caught(Sound, free) == set()


@pytest.mark.parametrize("free", ["", "AB"])
@pytest.mark.parametrize("broken", TABLE, ids=lambda broken: broken.__name__)
def test_the_traces_catch_what_they_are_about(broken: type[Any], free: str) -> None:
    free = HEAD_MATTERS.get(broken.__name__, free)
    assert caught(broken, free) >= TABLE[broken]


def test_every_trace_catches_something() -> None:
    assert set().union(*TABLE.values()) == set(names())


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_the_gallery_of_the_kit_is_caught(broken: Callable[[str], Any]) -> None:
    assert caught(broken, "AB"), f"no trace catches {broken}"
