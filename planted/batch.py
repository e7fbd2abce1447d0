"""Bugs in batches: netting, refusal, the choice of the way, both ways, what is undone."""

from __future__ import annotations

from planted.mutant import bugs_in

TESTS = "tests/ivme/test_batches.py tests/ivme/test_batch_faults.py"
"""The tests of batches."""

NETTING = bugs_in(
    "ivme/kernel/batches.py",
    ("net-of-the-last", "element if net is None else net + element", "element", TESTS),
    (
        "batch-position-one-later",
        'error.at("update", batch.given)',
        'error.at("update", batch.given + 1)',
        TESTS,
    ),
    ("batch-all-inserted", "given[3] if len(given) == 4 else 1", "1", TESTS),
    ("batch-not-settled", "[y for y, net in row.items() if not net]", "list[Hashable]()", TESTS),
    ("batch-refuses-nothing", "bad = bad or missing(", "bad = bad and missing(", TESTS),
    (
        "batch-last-refusal-named",
        'error.at("update", position)',
        'error.at("update", batch.given - 1)',
        TESTS,
    ),
    ("batch-deletes-unchecked-against-held", "net if old is None else old + net) < 0", "net) < 0", TESTS),
)

WAYS = bugs_in(
    "ivme/kernel/batches.py",
    ("batch-rebuilds-late", "SHARE * changes >= size", "SHARE * changes > size", TESTS),
    ("batch-rebuilds-small", "changes >= fewest and", "changes > fewest and", TESTS),
    ("batch-rebuilt-though-watched", "if not watched and rebuilds(", "if rebuilds(", TESTS),
    (
        "batch-not-rebalanced",
        "done = rebalance(engine, i, first, second)",
        "done = list[Rebalance]()",
        TESTS,
    ),
    ("batch-changes-of-the-last", "change if old is None else old + change", "change", TESTS),
    ("batch-changes-that-cancel", "in sums.items() if change for new", "in sums.items() for new", TESTS),
    ("new-state-without-the-old-multiplicity", "new = old + net\n", "new = net\n", TESTS),
    ("new-state-with-zeros", "                    if not new:\n", "                    if False:\n", TESTS),
    ("new-state-not-stale", "engine.version += changes", "engine.version += 0", TESTS),
    (
        "new-state-with-the-old-theta",
        "made.threshold, made.heavy, made.light",
        "engine.threshold, engine.heavy, engine.light",
        TESTS,
    ),
    (
        "new-state-not-counted",
        "engine.meter.preprocessing += made.steps",
        "engine.meter.preprocessing += 0",
        TESTS,
    ),
)

CUT_SHORT = (
    *bugs_in(
        "ivme/kernel/batches.py",
        ("batch-half-undone", "engine.applied = begun", "engine.applied = begun[1:]", TESTS),
        (
            "batch-undone-from-elsewhere",
            "batch.first(engine.version - version)",
            "batch.first(engine.version - version + 1)",
            TESTS,
        ),
        ("batch-never-broken", "if by_tuple and engine.version > version:", "if False:", TESTS),
        (
            "netting-not-counted",
            "engine.meter.updates += 2 * batch.given",
            "engine.meter.updates += 0",
            TESTS,
        ),
    ),
    *bugs_in(
        "ivme/kernel/operations.py",
        (
            "batch-undone-twice",
            "-net if held is None else held + -net",
            "-net if held is None else held + -net + -net",
            TESTS,
        ),
    ),
    *bugs_in(
        "ivme/view.py",
        (
            "batch-returns-its-net",
            "        return batch.given\n",
            "        return self._engine.version - before\n",
            TESTS,
        ),
        (
            "batch-not-checked",
            "engine.version // self._debug > before // self._debug",
            "engine.version % self._debug == 0",
            TESTS,
        ),
    ),
)

BATCH = (*NETTING, *WAYS, *CUT_SHORT)
