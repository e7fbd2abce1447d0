"""Bugs in preprocessing: the initial state of a database."""

from __future__ import annotations

from planted.mutant import bugs_in

LOADING = bugs_in(
    "ivme/kernel/loading.py",
    (
        "load-with-small-n",
        "engine.set_base(initial_base(engine.size))",
        "engine.set_base(engine.size + 1)",
        "tests/agreement/test_initial_database.py",
    ),
    (
        "size-of-last-relation",
        "engine.size += bulk.count",
        "engine.size = bulk.count",
        "tests/agreement/test_initial_database.py agreement",
    ),
    (
        "load-one-column-strictly",
        "for column in range(relation.partitioned):",
        "for column in range(1):",
        "tests/agreement/test_initial_database.py agreement",
    ),
    (
        "load-sums-light-rows",
        "            for second in range(2):\n",
        "            for second in range(1):\n",
        "tests/agreement/test_initial_database.py agreement",
    ),
    (
        "load-strictly-late",
        "relation.values_due(column, engine.threshold.strict)",
        "relation.values_due(column, engine.threshold.strict + 1)",
        "tests/agreement/test_initial_database.py",
    ),
    (
        "load-loosely",
        "relation.values_due(column, engine.threshold.strict)",
        "relation.values_due(column, engine.threshold.heavy)",
        "tests/agreement/test_initial_database.py initial-state",
    ),
    (
        "load-twice",
        "for task in tasks if task.forward == forward]",
        "for task in tasks]",
        "tests/agreement/test_initial_database.py initial-state",
    ),
    (
        "load-in-other-part",
        "second, side.following.status(0, y), column",
        "second, LIGHT, column",
        "initial-state",
    ),
    (
        "load-in-other-row",
        "relation.shift(column, x, y, LIGHT, HEAVY, multiplicity)",
        "relation.shift(0, x, y, LIGHT, HEAVY, multiplicity)",
        "tests/agreement/test_initial_database.py initial-state",
    ),
)
