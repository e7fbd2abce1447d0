"""Bugs in batches: netting, refusal, the choice of the way, both ways, what is undone."""

from __future__ import annotations

from planted.mutant import bugs_in

NETTING = bugs_in(
    "ivme/kernel/batches.py",
    ("net-of-the-last", "element if net is None else net + element", "element", "tests"),
    (
        "batch-position-one-later",
        'error.at("update", batch.given)',
        'error.at("update", batch.given + 1)',
        "tests",
    ),
    ("batch-all-inserted", "given[3] if len(given) == 4 else 1", "1", "tests"),
    ("batch-not-settled", "[y for y, net in row.items() if not net]", "list[Hashable]()", "tests"),
    ("batch-refuses-nothing", "bad = bad or missing(", "bad = bad and missing(", "tests"),
    (
        "batch-last-refusal-named",
        'error.at("update", position)',
        'error.at("update", batch.given - 1)',
        "tests",
    ),
    ("batch-deletes-unchecked-against-held", "net if old is None else old + net) < 0", "net) < 0", "tests"),
)

WAYS = bugs_in(
    "ivme/kernel/batches.py",
    ("batch-rebuilds-late", "SHARE * changes >= size", "SHARE * changes > size", "tests"),
    ("batch-rebuilds-small", "changes >= fewest and", "changes > fewest and", "tests"),
    ("batch-rebuilt-though-watched", "if not watched and rebuilds(", "if rebuilds(", "tests"),
    (
        "batch-not-rebalanced",
        "done = rebalance(engine, i, first, second)",
        "done = list[Rebalance]()",
        "tests",
    ),
    ("batch-changes-of-the-last", "change if old is None else old + change", "change", "tests"),
    ("batch-changes-that-cancel", "in sums.items() if change for new", "in sums.items() for new", "tests"),
    ("new-state-without-the-old-multiplicity", "new = old + net\n", "new = net\n", "tests"),
    ("new-state-with-zeros", "                    if not new:\n", "                    if False:\n", "tests"),
    ("new-state-not-stale", "engine.version += changes", "engine.version += 0", "tests"),
    (
        "new-state-with-the-old-theta",
        "made.threshold, made.heavy, made.light",
        "engine.threshold, engine.heavy, engine.light",
        "tests",
    ),
    (
        "new-state-not-counted",
        "engine.meter.preprocessing += made.steps",
        "engine.meter.preprocessing += 0",
        "tests",
    ),
)

CUT_SHORT = (
    *bugs_in(
        "ivme/kernel/batches.py",
        ("batch-half-undone", "engine.applied = begun", "engine.applied = begun[1:]", "tests"),
        (
            "batch-undone-from-elsewhere",
            "batch.first(engine.version - version)",
            "batch.first(engine.version - version + 1)",
            "tests",
        ),
        ("batch-never-broken", "if by_tuple and engine.version > version:", "if False:", "tests"),
        (
            "netting-not-counted",
            "engine.meter.updates += 2 * batch.given",
            "engine.meter.updates += 0",
            "tests",
        ),
    ),
    *bugs_in(
        "ivme/kernel/operations.py",
        (
            "batch-undone-twice",
            "-net if held is None else held + -net",
            "-net if held is None else held + -net + -net",
            "tests",
        ),
    ),
    *bugs_in(
        "ivme/view.py",
        (
            "batch-returns-its-net",
            "        return batch.given\n",
            "        return self._engine.version - before\n",
            "tests",
        ),
        (
            "batch-not-checked",
            "engine.version // self._debug > before // self._debug",
            "engine.version % self._debug == 0",
            "tests",
        ),
    ),
)

BATCH = (*NETTING, *WAYS, *CUT_SHORT)
