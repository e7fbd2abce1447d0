"""The corpus of known failures as it is defined; test_corpus_files.py makes files of it.

A step is an update, a list of updates (one batch), or `refused(update)`.
"""

import math
from itertools import product
from typing import Any

Update = tuple[str, Any, Any, int]
Step = Any


def r(a: Any, b: Any, m: int = 1) -> Update:
    return ("R", a, b, m)


def s(b: Any, c: Any, m: int = 1) -> Update:
    return ("S", b, c, m)


def t(c: Any, a: Any, m: int = 1) -> Update:
    return ("T", c, a, m)


def tri(a: Any, b: Any, c: Any, m: int = 1) -> list[Update]:
    """The three sides of a triangle."""
    return [r(a, b, m), s(b, c, m), t(c, a, m)]


def edge(x: Any, y: Any, m: int = 1) -> list[Update]:
    """An edge of a graph, in all three relations."""
    return [r(x, y, m), s(x, y, m), t(x, y, m)]


def gone(updates: list[Update]) -> list[Update]:
    """The updates that undo these, last first."""
    return [(name, x, y, -m) for name, x, y, m in reversed(updates)]


def refused(update: Update) -> dict[str, Update]:
    return {"refused": update}


RING15 = [u for i in range(15) for u in tri(i, (i + 1) % 15, (i + 2) % 15)]
STAR = [u for b in range(1, 13) for u in (s(b, 0), r(0, b))]
BIG = 2**32
NAN = math.nan

Steps = list[Step]
CORPUS: dict[str, tuple[str, Steps]] = {
    # --- both sides change at once ----------------------------------------------------------------------
    "batch-both-sides": (
        "missing cross term: both sides of a join change in one batch (Hive PR#6722: 106 rows, not 212)",
        [t(3, 1), [r(1, 2), s(2, 3)], r(4, 5), [s(5, 6), t(6, 4)], s(8, 9), [t(9, 7), r(7, 8)]],
    ),
    "batch-three-sides": (
        "missing cross term of third order: all three sides arrive in one batch",
        [tri(1, 2, 3), tri(1, 2, 3), tri(4, 5, 6, 2), [*tri(7, 7, 7), *tri(7, 8, 7)]],
    ),
    "batch-delta-times-delta-once": (
        "ΔL⋈ΔR counted twice when both sides grow (pg-trickle PR#409, PR#479)",
        [*tri(1, 2, 3), [r(1, 2), s(2, 3)], [s(2, 3, 2), t(3, 1, 2)], [r(1, 2, -1), t(3, 1, -1)]],
    ),
    "batch-delete-both-sides": (
        "a row whose two sides are deleted in one batch is retracted twice (SpacetimeDB#954)",
        [tri(1, 2, 3, 2), [r(1, 2, -1), s(2, 3, -1)], [s(2, 3, -1), t(3, 1, -2)], r(1, 2), s(2, 3), t(3, 1)],
    ),
    "batch-delete-left-insert-right": (
        "deletes on one side overlap inserts on the other (Hive PR#4943, PR#5053; SpacetimeDB#954)",
        [*tri(1, 2, 3), t(4, 1), [r(1, 2, -1), s(2, 4)], [r(1, 2), s(2, 3, -1)], [s(2, 4, -1), t(4, 1, -1)]],
    ),
    "batch-moves-edges": (
        "an update is a delete and an insert: rows move from one key to another in one batch "
        "(materialize#4883)",
        [*tri(1, 2, 3), [r(1, 2, -1), r(1, 4), s(2, 3, -1), s(4, 3)], [t(3, 1, -1), t(3, 5), r(5, 4)]],
    ),
    # --- what cancels -----------------------------------------------------------------------------------
    "batch-cancels-to-zero": (
        "add and remove in one batch consolidate to zero and take others with them (differential-dataflow "
        "PR#802)",
        [t(3, 1), s(2, 3), [r(1, 2), r(1, 2, -1)], [r(1, 2), r(9, 2), r(9, 2, -1)], [s(2, 3), s(2, 3, -1)]],
    ),
    "batch-cancels-both-sides": (
        "both sides come and go in one batch; what stays must still join (differential-dataflow PR#802)",
        [t(3, 1), [r(1, 2), s(2, 3), r(1, 2, -1), s(2, 3, -1)], [r(1, 2), s(2, 3)], gone(tri(1, 2, 3))],
    ),
    "batch-delete-and-reinsert": (
        "delete and reinsert of the same key in one batch (turso PR#3601)",
        [*tri(1, 2, 3), [r(1, 2, -1), r(1, 2)], [s(2, 3, -1), s(2, 3, 2)], [t(3, 1), t(3, 1, -2)], t(3, 1)],
    ),
    "batch-repeats-a-tuple": (
        "the same insert several times in one batch counts several times (SpacetimeDB#2397)",
        [[*tri(1, 2, 3), r(1, 2)], [s(2, 3), s(2, 3), s(2, 3)], [s(2, 3, -1), s(2, 3, -1)]],
    ),
    "batch-more-in-than-out": (
        "a batch that deletes what it has just inserted, on top of what was there: order within it matters",
        [*tri(1, 2, 3), [r(1, 2, 2), r(1, 2, -3)], [r(1, 2), r(1, 2, 2), r(1, 2, -1)]],
    ),
    # --- groups -----------------------------------------------------------------------------------------
    "group-returns": (
        "a group never returns after it was emptied row by row (turso#8531)",
        [*tri(1, 2, 3), r(1, 4), s(4, 3), r(1, 2, -1), r(1, 4, -1), r(1, 2), r(1, 4), *gone(tri(1, 2, 3)),
         r(1, 2)],
    ),
    "group-with-two-derivations": (
        "a projected row has two derivations; one goes, the row stays (DISTINCT views of pg_ivm)",
        [*tri(1, 2, 3), *tri(1, 4, 5), s(2, 3, -1), s(2, 3), t(5, 1, -1), t(3, 1, -1), t(5, 1)],
    ),
    "group-empties-with-its-value": (
        "all tuples of a value go and come back",
        [*tri(1, 2, 3), *tri(2, 2, 1), *gone([*tri(1, 2, 3), *tri(2, 2, 1)]), *tri(2, 2, 1), *tri(1, 2, 3)],
    ),
    "empty-and-fill-again": (
        "everything is deleted and inserted anew; the count of nothing is no row (materialize#4883)",
        [*tri(1, 2, 3), *gone(tri(1, 2, 3)), *tri(1, 2, 3), gone(tri(1, 2, 3)), tri(1, 2, 3)],
    ),
    # --- self-joins -------------------------------------------------------------------------------------
    "self-join-retraction": (
        "a self-join retraction emits one −1 instead of one for each use of the edge (wirelog PR#473)",
        [edge(1, 2), edge(2, 3), edge(3, 1), edge(1, 2, -1), edge(1, 2), edge(3, 1, -1)],
    ),
    "self-join-update": (
        "a self-join never retracts on update: the edge moves in one batch (SpacetimeDB#5837, readyset#1160)",
        [[*edge(1, 2), *edge(2, 3), *edge(3, 1)], [*edge(2, 3, -1), *edge(2, 4)], edge(4, 1),
         [*edge(4, 1, -1), *edge(3, 1, -1)]],
    ),
    "self-join-loops": (
        "a loop joins with itself: 1, 8, 27 and back in one batch each (pg_ivm PR#121)",
        [edge(1, 1), edge(1, 1), edge(1, 1), edge(1, 1, -2), edge(1, 1, -1), edge(1, 1)],
    ),
    "self-join-loops-one-by-one": (
        "a loop and the edges at it, updated one relation at a time (pg_ivm PR#121)",
        [*edge(1, 1), *edge(1, 2), *edge(2, 1), *gone(edge(1, 1)), *edge(1, 1), *gone(edge(2, 1))],
    ),
    "self-join-all-at-once": (
        "all edges of a complete graph with loops in one batch: ties broken by a partial order lose rows "
        "(differential-dataflow PR#821)",
        [[u for x, y in product(range(3), repeat=2) for u in edge(x, y)], edge(0, 0, -1), edge(1, 2, -1)],
    ),
    # --- sequences --------------------------------------------------------------------------------------
    "insert-delete-then-other-side": (
        "insert, delete, then insert on the other side: the row is lost (risingwave#2420)",
        [r(1, 2), r(1, 2, -1), r(4, 2), t(3, 4), s(2, 3), r(1, 2), t(3, 1), s(2, 3, -1), s(2, 3)],
    ),
    "delete-and-reinsert": (
        "delete, then reinsert of the same key: the insert is taken for an update (turso PR#3601)",
        [*tri(1, 2, 3), r(1, 2, -1), r(1, 2), s(2, 3, -1), s(2, 3), t(3, 1, -1), t(3, 1, 2), t(3, 1, -2),
         t(3, 1)],
    ),
    "delete-of-absent": (
        "a delete for a key that is not there is refused and changes nothing (risingwave#13021)",
        [refused(r(1, 2, -1)), *tri(1, 2, 3), refused(s(2, 4, -1)), r(1, 2, -1), refused(r(1, 2, -1)),
         r(1, 2)],
    ),
    "delete-of-too-much": (
        "a delete of more copies than there are is refused as a whole (risingwave#13021)",
        [*tri(1, 2, 3, 2), refused(r(1, 2, -3)), refused(t(3, 1, -(2**64))), r(1, 2, -2),
         refused(r(1, 2, -1)), r(1, 2)],
    ),
    "multiplicity-up-and-down": (
        "updates add to a multiplicity, they do not replace it",
        [*tri(1, 2, 3), r(1, 2, 2), s(2, 3, 1), r(1, 2, -1), t(3, 1, 3), r(1, 2, 1), t(3, 1, -4), t(3, 1, 1)],
    ),
    "each-side-comes-last": (
        "the side that completes a triangle, and the one that breaks it, is each of R, S and T in turn",
        [*tri(1, 2, 3), r(1, 2, -1), r(1, 2), s(2, 3, -1), s(2, 3), t(3, 1, -1), t(3, 1), t(3, 1, -1),
         s(2, 3, -1)],
    ),
    # --- bags -------------------------------------------------------------------------------------------
    "bag-not-set": (
        "a bag treated as a set: the second copy is lost, or the first delete takes both (SpacetimeDB#2397)",
        [*tri(1, 2, 3), r(1, 2), r(1, 2, -1), r(1, 2, -1), r(1, 2)],
    ),
    "bag-product": (
        "multiplicities multiply along a join: 2·3·5 (feldera#3154)",
        [r(1, 2, 2), s(2, 3, 3), t(3, 1, 5), s(2, 4, 7), t(4, 1, 2), r(1, 2, -1), s(2, 3, -2)],
    ),
    "bag-rows-once": (
        "a row with several derivations is one row, not one for each (materialize#5774)",
        [*tri(1, 2, 3), *tri(1, 2, 4), r(5, 2), t(3, 5), t(4, 5), s(2, 3, 2)],
    ),
    # --- large multiplicities ---------------------------------------------------------------------------
    "large-sum-beyond-32-bits": (
        "a sum of small products passes 2^31 and 2^32",
        [*tri(1, 2, 3), r(1, 2, 2**31 - 2), r(1, 2), s(2, 4), t(4, 1), r(1, 2, 2**31 - 1), r(1, 2)],
    ),
    "large-not-a-double": (
        "multiplicities past 2^53 are not rounded",
        [*tri(1, 2, 3), r(1, 2, 2**53), s(2, 4), t(4, 1), t(3, 1), r(1, 2, -(2**53) + 1)],
    ),
    "large-63-bits": (
        "a multiplicity passes 2^63 and comes back (materialize#18645)",
        [*tri(1, 2, 3), r(1, 2, 2**63 - 2), r(1, 2), r(1, 2, -1), s(2, 3), s(2, 3, -1),
         r(1, 2, -(2**63) + 2)],
    ),
    "large-product-beyond-64-bits": (
        "small factors, but their product overflows 64 bits: 2^32·2^32 is not 0 (materialize#18645)",
        [t(3, 1), r(1, 2, BIG), s(2, 3, BIG), t(3, 1, BIG - 1), r(1, 2, -BIG + 1), s(2, 3, 1 - BIG),
         t(3, 1, 1 - BIG)],
    ),
    "large-delta-beyond-64-bits": (
        "deltas of more than 64 bits, of either sign; what stays is small (materialize#18645)",
        [*tri(1, 2, 3), r(1, 2, 2**64), r(1, 2, -(2**64)), s(2, 3, 2**65 + 1), [s(2, 3, -(2**65)),
         r(1, 2, 2**64)]],
    ),
    "large-sum-of-rows": (
        "no row overflows, but the sum of two does, and stands for zero in 64 bits",
        [r(1, 2, 2**62), r(1, 4, 2**62), s(2, 3), s(4, 3), t(3, 1), s(2, 3), s(4, 3), s(2, 3, -2)],
    ),
    # --- data values ------------------------------------------------------------------------------------
    "values-integers-and-strings": (
        'keys are compared with their type: 1 is not "1"',
        [r(1, "1"), s(1, 2), t(2, 1), s("1", 2), t("2", 1), t(2, "1"), r("1", 1), s("1", 2, -1)],
    ),
    "values-null": (
        "None is a value like any other and equals itself, unlike NULL in SQL; rows with it are retracted "
        "(pgsql-ivm#31)",
        [*tri(None, None, None), *tri(None, 1, 0), s(None, None, -1), r(None, 1, -1), r(None, 1),
         t(None, None, -1)],
    ),
    "values-null-like": (
        'None, "", "null", "None" and 0 are five values',
        [r(None, None), s("None", 0), s("null", 0), s("", 0), s(0, 0), t(0, None), s(None, 0),
         r(None, ""), r("", 0), t(0, ""), s(None, 0, -1)],
    ),
    "values-tuples": (
        "composite keys are compared part by part, and are not their text",
        [*tri((1, 2), (1, (2, 3)), ()), r((1, 2), "(1, 2)"), s((1, 2), ()), s("(1, 2)", ()),
         s((1, (2, 3)), (), -1)],
    ),
    "values-text": (
        "strings are compared as they are: no case folding, trimming or normalization, no numbers in them",
        [r("a", "e\u0301"), s("\u00e9", "b"), t("b", "a"), s("e\u0301", "B"), t("B ", "a"), t("B", "A"),
         t("B", "a"),
         *tri("01", "1", "1.0"), r("1", "1"), *tri("a\u0000", "\U0001f600", "a\nb"), r("a", "\U0001f600")],
    ),
    "values-large-integers": (
        "data values beyond 2^53 and 2^64 are not rounded and do not wrap",
        [r(1, 2**53 + 1), s(2**53, 3), t(3, 1), s(2**53 + 1, 3), r(1, 2**64), s(0, 3), s(2**64, 3),
         s(2**53 + 1, 3, -1)],
    ),
    "values-that-collide": (
        "−1 and −2 have the same hash in CPython; other pairs collide elsewhere",
        [r(1, -1), s(-2, 3), t(3, 1), s(-1, 3), r(1, -2), s(-1, 3, -1), *tri(-1, -2, -1), t(-1, -2)],
    ),
    "python-bool-and-int": (
        "only for engines that compare as Python does: True == 1 and False == 0, and so are tuples of them",
        [r(True, 1), s(True, False), t(0, 1), r(1, True, -1), r((1, 0), 1), t(0, (True, False)), r(1, 1)],
    ),
    "python-floats": (
        "only for engines that compare as Python does: 1 == 1.0 and 0 == −0.0",
        [r(1.0, -0.0), s(0, 2.5), t(2.5, 1), *tri(math.inf, -math.inf, 0.3), r(1, 0.0, -1), r(1, 0)],
    ),
    "python-nan": (
        "only for engines that compare as Python's dictionaries do: NaN is one value, which equals itself",
        [*tri(NAN, math.inf, 1.5), *tri(NAN, NAN, 0.0), r(NAN, NAN, -1), s(NAN, NAN), r(NAN, NAN)],
    ),
    # --- distribution and skew --------------------------------------------------------------------------
    "shards": (
        "keys 0…14 meet in all residues of 3, 5 and 7: lost when a shard count is not a power of two "
        "(feldera#6753; differential-dataflow#183; materialize#5774)",
        [RING15, [r(i, i) for i in range(15)], [s(i, i) for i in range(15)],
         [t(i, i) for i in range(0, 15, 2)], r(14, 0, -1)],
    ),
    "shards-one-by-one": (
        "as shards, in single updates: each side comes last for some keys (feldera#6753)",
        [*RING15[::2], *RING15[1::2], *gone(RING15[::7])],
    ),
    "skew-up-and-down": (
        "a value grows heavy and light again while triangles at it come and go (graphframes#407, #540)",
        [t(0, 0), *STAR, t(0, 0, -1), t(0, 0), *gone(STAR[2:]), r(0, 3), s(3, 0)],
    ),
    "skew-in-every-relation": (
        "one heavy value in each relation, and the whole input grows and shrinks fast (graphframes#407, "
        "#540)",
        [[r(0, i) for i in range(12)], [s(0, i) for i in range(12)], [t(0, i) for i in range(12)],
         [r(i, 0) for i in range(1, 12)], *gone([s(0, i) for i in range(12)]), s(0, 0),
         [t(0, i, -1) for i in range(1, 12)]],
    ),
}  # fmt: skip
