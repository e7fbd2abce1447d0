"""Bugs in control: thresholds and sizes, OnUpdate, AffectedPart, guards, names."""

from __future__ import annotations

from planted.mutant import bugs_in

SIZES = bugs_in(
    "ivme/kernel/rebalancing.py",
    (
        "double-late",
        "if engine.size >= engine.base:",
        "if engine.size > engine.base:",
        "tests/ivme/test_events.py major-invariant",
    ),
    (
        "halve-at-a-fourth",
        "if engine.size < engine.base // 4:",
        "if engine.size <= engine.base // 4:",
        "tests/ivme/test_events.py",
    ),
    (
        "halve-late",
        "if engine.size < engine.base // 4:",
        "if engine.size < engine.base // 5:",
        "tests/ivme/test_events.py",
    ),
    (
        "halve-early",
        "if engine.size < engine.base // 4:",
        "if engine.size < engine.base // 3:",
        "major-gap major-credit",
    ),
    (
        "doubled-and-one",
        "major_rebalance(engine, doubled(engine.base))",
        "major_rebalance(engine, doubled(engine.base) + 1)",
        "tests/ivme/test_events.py",
    ),
    (
        "halved-less",
        "major_rebalance(engine, halved(engine.base))",
        "major_rebalance(engine, engine.base // 2)",
        "tests/ivme/test_events.py",
    ),
    (
        "not-halved",
        "major_rebalance(engine, halved(engine.base))",
        "major_rebalance(engine, engine.base)",
        "agreement",
    ),
)

THRESHOLDS = bugs_in(
    "ivme/kernel/engine.py",
    (
        "light-early",
        "self.light = theta.heavy, theta.light",
        "self.light = theta.heavy, theta.strict",
        "tests/ivme/test_events.py minor-gap slip-base-case",
    ),
    (
        "heavy-early",
        "self.light = theta.heavy, theta.light",
        "self.light = theta.strict, theta.light",
        "minor-gap minor-credit",
    ),
    (
        "old-theta",
        "theta = threshold(base, self.epsilon)",
        "theta = threshold(self.base, self.epsilon)",
        "tests/ivme/test_events.py closure-count-single initial-state",
    ),
    (
        "looked-ahead-for-another-n",
        "if theta.base == base:",
        "if theta.base != base:",
        "tests/ivme/test_events.py",
    ),
)

SETTLING = bugs_in(
    "ivme/kernel/rebalancing.py",
    (
        "wrong-way",
        "minor_rebalance(engine, i, column, value, status)",
        "minor_rebalance(engine, i, column, value, HEAVY if column else status)",
        "minor-same-direction minor-invariant",
    ),
    (
        "never-light-again",
        "return None if status < 0 else minor_rebalance",
        "return None if status <= 0 else minor_rebalance",
        "tests/ivme/test_events.py",
    ),
    (
        "second-column-forgotten",
        "second = settle(engine, i, 1, y) if partitioned == 2 else None",
        "second = None",
        "tests/ivme/test_events.py agreement minor-invariant closure-count-double closure-count-double-large",
    ),
    (
        "every-second-column-partitioned",
        "if partitioned == 2 else None",
        "if partitioned else None",
        "tests/ivme/test_events.py agreement",
    ),
)

ON_UPDATE = bugs_in(
    "ivme/kernel/engine.py",
    (
        "bit-stays",
        "if not relation.degree(column, value):",
        "if relation.degree(column, value) < 0:",
        "tests/ivme/test_events.py agreement minor-invariant slip-directions",
    ),
    ("second-value-never-vanishes", "            self.vanish(i, 1, y)\n", "", "tests/ivme/test_events.py"),
    ("zero-forgotten", "if old is None and self.all_heavy:", "if old is None and False:", "epsilon-zero"),
    (
        "zero-unknown",
        "self.all_heavy = epsilon == 0",
        "self.all_heavy = epsilon < 0",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds epsilon-zero",
    ),
    (
        "zero-in-one-column",
        "                relation.mark(1, y, HEAVY)\n",
        "                pass\n",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "negative-multiplicity-accepted",
        "if not self.signed and cast(int, new) < 0:",
        "if not self.signed and cast(int, new) < -1:",
        "tests/ivme/test_view_bad_input.py",
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
        "tests/ivme/test_events.py",
    ),
    (
        "always-present-anew",
        "presence = (1 if new else 0) - (0 if old is None else 1)",
        "presence = 1 if new else -1",
        "tests/ivme/test_view.py",
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
    (
        "nothing-joined",
        "self.joins = bool(plan.trees) or",
        "self.joins = not plan.trees and",
        "tests/ivme/test_view.py agreement",
    ),
    (
        "deletes-not-in-size",
        "self.size += presence",
        "self.size += max(presence, 0)",
        "tests/ivme/test_view.py agreement",
    ),
    (
        "version-of-new-tuples-only",
        "        self.version += 1\n        if old",
        "        self.version += 1 if old is None else 0\n        if old",
        "tests/ivme/test_enumeration.py",
    ),
    (
        "name-turned",
        "return RELATIONS[(i + self.turns) % 3]",
        "return RELATIONS[(i - self.turns) % 3]",
        "tests/ivme/test_view.py",
    ),
)

GUARDS = bugs_in(
    "ivme/kernel/operations.py",
    (
        "broken-is-ready",
        "        engine.guard = BROKEN\n",
        "        engine.guard = READY\n",
        "tests/ivme/test_faults.py::test_an_exception_of_user_code_leaves_a_view_whole_or_broken",
    ),
    (
        "update-unguarded",
        "        engine.guard = UPDATING\n",
        "        pass\n",
        "tests/ivme/test_faults.py::test_user_code_cannot_use_the_view_that_it_is_called_from",
    ),
    (
        "reading-unguarded",
        "        engine.guard = READING\n",
        "        pass\n",
        "tests/ivme/test_faults.py::test_an_answer_cannot_be_used_to_update",
    ),
    (
        "half-changed-but-ready",
        "if engine.version == version:  # nothing",
        "if not engine.half_changed:  # nothing",
        "tests/ivme/test_interrupts.py::test_ctrl_c_before_rebalancing_does_not_skip_it",
    ),
    (
        "old-multiplicity-forgotten",
        "Interrupted(i, x, y, engine.old)",
        "Interrupted(i, x, y, None)",
        "tests/ivme/test_faults.py::test_an_exception_of_user_code_leaves_a_view_whole_or_broken",
    ),
    (
        "old-multiplicity-not-salvaged",
        "        if cut.old is not None:",
        "        if False:",
        "tests/ivme/test_faults.py::test_an_exception_of_user_code_leaves_a_view_whole_or_broken",
    ),
    (
        "one-minor-counted",
        "engine.meter.count_minor(steps, len(done))",
        "engine.meter.count_minor(steps, 1)",
        "tests/ivme/test_view.py",
    ),
    (
        "major-counted-as-minor",
        'if done[0].kind == "major":',
        'if done[0].kind == "minor":',
        "tests/ivme/test_view.py",
    ),
    (
        "interrupted-half-way-and-ready",
        "elif not engine.half_changed and isinstance(error, KeyboardInterrupt):",
        "elif isinstance(error, KeyboardInterrupt):",
        "tests/ivme/test_interrupts.py::test_ctrl_c_while_n_changes_is_not_stepped_over",
    ),
    (
        "interrupted-and-not-rebalanced",
        "rebalance(engine, i, first, second)  # between",
        "pass  # between",
        "tests/ivme/test_interrupts.py::test_ctrl_c_before_rebalancing_does_not_skip_it",
    ),
    (
        "retired-enumeration-goes-on",
        "    engine.version += 1\n    engine.guard = READY\n",
        "    engine.guard = READY\n",
        "tests/ivme/test_objects.py",
    ),
)

CONTROL = (*SIZES, *THRESHOLDS, *SETTLING, *ON_UPDATE, *GUARDS)
