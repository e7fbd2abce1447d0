"""Bugs in the engine's control: thresholds and sizes, OnUpdate, AffectedPart, guards, names."""

from __future__ import annotations

from planted.mutant import bugs_in

SIZES = bugs_in(
    "ivme/kernel/engine.py",
    ("double-late", "if self.size >= self.base:", "if self.size > self.base:", "tests major-invariant"),
    ("halve-at-a-fourth", "if self.size < self.base // 4:", "if self.size <= self.base // 4:", "tests"),
    ("halve-late", "if self.size < self.base // 4:", "if self.size < self.base // 5:", "tests"),
    (
        "halve-early",
        "if self.size < self.base // 4:",
        "if self.size < self.base // 3:",
        "major-gap major-credit",
    ),
    (
        "doubled-and-one",
        "self.major_rebalance(doubled(self.base))",
        "self.major_rebalance(doubled(self.base) + 1)",
        "tests",
    ),
    (
        "halved-less",
        "self.major_rebalance(halved(self.base))",
        "self.major_rebalance(self.base // 2)",
        "tests",
    ),
    (
        "not-halved",
        "self.major_rebalance(halved(self.base))",
        "self.major_rebalance(self.base)",
        "agreement",
    ),
    (
        "light-early",
        "self._too_heavy = theta.heavy, theta.light",
        "self._too_heavy = theta.heavy, theta.strict",
        "tests minor-gap slip-base-case",
    ),
    (
        "heavy-early",
        "self._too_heavy = theta.heavy, theta.light",
        "self._too_heavy = theta.strict, theta.light",
        "minor-gap minor-credit",
    ),
    (
        "old-theta",
        "theta = threshold(base, self.epsilon)",
        "theta = threshold(self.base, self.epsilon)",
        "tests closure-count-single initial-state",
    ),
    ("looked-ahead-for-another-n", "if theta.base == base:", "if theta.base != base:", "tests"),
)

ON_UPDATE = bugs_in(
    "ivme/kernel/engine.py",
    (
        "wrong-way",
        "self.minor_rebalance(i, column, value, status)",
        "self.minor_rebalance(i, column, value, HEAVY if column else status)",
        "minor-same-direction minor-invariant",
    ),
    (
        "never-light-again",
        "return None if status < 0 else self.minor_rebalance",
        "return None if status <= 0 else self.minor_rebalance",
        "tests",
    ),
    (
        "second-column-forgotten",
        "second = self.settle(i, 1, y) if self.relations[i].double else None",
        "second = None",
        "tests agreement minor-invariant closure-count-double closure-count-double-large",
    ),
    (
        "bit-stays",
        "if not relation.degree(column, value):",
        "if relation.degree(column, value) < 0:",
        "tests agreement minor-invariant slip-directions",
    ),
    ("second-value-never-vanishes", "            self.vanish(i, 1, y)\n", "", "tests"),
    ("zero-forgotten", "if old is None and self.all_heavy:", "if old is None and False:", "epsilon-zero"),
    ("zero-unknown", "self.all_heavy = epsilon == 0", "self.all_heavy = epsilon < 0", "tests epsilon-zero"),
    (
        "zero-in-one-column",
        "                relation.mark(1, y, HEAVY)\n",
        "                pass\n",
        "tests",
    ),
    (
        "negative-multiplicity-accepted",
        "if not self.signed and cast(int, new) < 0:",
        "if not self.signed and cast(int, new) < -1:",
        "tests",
    ),
    (
        "new-tuple-of-heavy-value-is-light",  # ERRATA E1, as printed
        "first = relation.status(0, x)  #",
        "first = LIGHT if old is None else relation.status(0, x)  #",
        "agreement",
    ),
    (
        "second-status-ignored",
        "second = relation.status(1, y)\n        presence",
        "second = LIGHT\n        presence",
        "tests",
    ),
    (
        "always-present-anew",
        "presence = (1 if new else 0) - (0 if old is None else 1)",
        "presence = 1 if new else -1",
        "tests",
    ),
    (
        "kept-trees-follow-multiplicities",
        "self.apply_update(i, x, y, first, second, multiplicity, presence)",
        "self.apply_update(i, x, y, first, second, multiplicity, presence or 1)",
        "agreement",
    ),
    (
        "only-presence",
        "if old is None else old + multiplicity\n",
        "if old is None else old\n",
        "step-count-single step-ternary-dense",
    ),
    ("deletes-not-in-size", "self.size += presence", "self.size += max(presence, 0)", "tests agreement"),
    (
        "version-of-new-tuples-only",
        "        self.version += 1\n        if old",
        "        self.version += 1 if old is None else 0\n        if old",
        "tests",
    ),
    (
        "name-turned",
        "return RELATIONS[(i + self.turns) % 3]",
        "return RELATIONS[(i - self.turns) % 3]",
        "tests",
    ),
)

GUARDS = bugs_in(
    "ivme/kernel/engine.py",
    ("broken-is-ready", "            self.guard = BROKEN\n", "            self.guard = READY\n", "tests"),
    ("update-unguarded", "            self.guard = UPDATING\n", "            pass\n", "tests"),
    ("reading-unguarded", "            self.guard = READING\n", "            pass\n", "tests"),
    (
        "half-changed-but-ready",
        "if self.version == version:  # nothing",
        "if not self.half_changed:  # nothing",
        "tests",
    ),
    (
        "old-multiplicity-forgotten",
        "Interrupted(i, x, y, self.old)",
        "Interrupted(i, x, y, None)",
        "tests",
    ),
    (
        "old-multiplicity-not-salvaged",
        "            if cut.old is not None:",
        "            if False:",
        "tests",
    ),
    (
        "one-minor-counted",
        "self.meter.count_minor(steps, len(done))",
        "self.meter.count_minor(steps, 1)",
        "tests",
    ),
)

CONTROL = (*SIZES, *ON_UPDATE, *GUARDS)
