"""Bugs in preprocessing: the initial state of a database."""

from __future__ import annotations

from planted.mutant import bugs_in

LOADING = bugs_in(
    "ivme/kernel/engine.py",
    (
        "load-with-small-n",
        "self.set_base(initial_base(self.size))",
        "self.set_base(self.size + 1)",
        "tests",
    ),
    (
        "load-strictly-late",
        "relation.values_due(column, self.threshold.strict)",
        "relation.values_due(column, self.threshold.strict + 1)",
        "tests",
    ),
    (
        "load-loosely",
        "relation.values_due(column, self.threshold.strict)",
        "relation.values_due(column, self.threshold.heavy)",
        "tests initial-state",
    ),
    (
        "load-twice",
        "for task in part if task.forward == forward]",
        "for task in part]",
        "tests initial-state",
    ),
    (
        "load-in-other-part",
        "second * 4 + side.following.status(0, y) * 2",
        "second * 4",
        "initial-state",
    ),
    (
        "load-in-other-row",
        "relation.shift(column, x, y, LIGHT, HEAVY, multiplicity)",
        "relation.shift(0, x, y, LIGHT, HEAVY, multiplicity)",
        "tests initial-state",
    ),
)
