"""Bugs in rebalancing: MinorRebalance, MoveTuples, MajorRebalance, and which values are watched."""

from __future__ import annotations

from planted.mutant import bugs_in

MAJOR = bugs_in(
    "ivme/kernel/rebalancing.py",
    (
        "strict-loosened",
        "strict = engine.threshold.strict\n",
        "strict = engine.threshold.heavy\n",
        "minor-invariant epsilon-one",
    ),
    (
        "third-relation-forgotten",
        "for i, relation in enumerate(engine.relations):\n        relation.compact()",
        "for i, relation in enumerate(engine.relations[:2]):\n        relation.compact()",
        "closure-count-single closure-count-single-large closure-unary"
        " closure-unary-large closure-binary-large",
    ),
    (
        "first-column-made-strict-only",
        "for column in range(relation.partitioned):",
        "for column in range(1):",
        "tests/agreement/test_targeted.py::test_sizes_cross_both_ends agreement",
    ),
    (
        "nothing-moves-with-n",
        "moved += move_tuples(engine, i, column, value, status)",
        "moved += 0",
        "agreement",
    ),
    (
        "watched-late",
        "relation.watch <= max(1, heavy - 1):",
        "relation.watch <= heavy:",
        "minor-invariant",
    ),
    (
        "watched-later",
        "relation.watch <= max(1, heavy - 1):",
        "relation.watch <= max(1, heavy + 1):",
        "tests/agreement/test_targeted.py::test_sizes_cross_both_ends",
    ),
    (
        "watched-too-few",
        "watch(engine, relation, 1)\n        for column",
        "watch(engine, relation, engine.threshold.heavy // 8)\n        for column",
        "minor-invariant",
    ),
    (
        "watched-degree-never-grows",
        "        watch(engine, relation, engine.threshold.heavy // 8)\n",
        "",
        "tests/cost/test_rebalancing.py::test_major_rebalancing_does_not_look_at_what_stays_light",
    ),
    (
        "watched-values-not-counted",
        "            engine.steps += 2 * relation.watching(column)\n",
        "",
        "tests/cost/test_rebalancing.py::test_major_rebalancing_does_not_look_at_what_stays_light",
    ),
    (
        "watching-not-counted",
        "engine.steps += 2 * relation.watch_from",
        "engine.steps += 0 * relation.watch_from",
        "tests/cost/test_rebalancing.py::test_major_rebalancing_does_not_look_at_what_stays_light",
    ),
)

MOVES = bugs_in(
    "ivme/kernel/rebalancing.py",
    (
        "both-statuses-change",
        "        becomes = side.listed[code(new, other, row_first, column_second)]\n"
        "        moved = side.moves[transition(part(old, other), part(new, other))]\n",
        "        becomes = side.listed[code(new, new, row_first, column_second)]\n"
        "        moved = side.moves[transition(part(old, other), part(new, new))]\n",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "views-not-moved",
        "        move(engine, i, column, x, y, other, old, status, multiplicity)\n",
        "",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "always-first-column-shifted",
        "relation.shift(column, x, y, old, status, multiplicity)",
        "relation.shift(0, x, y, old, status, multiplicity)",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "always-first-column-marked",
        "    relation.mark(column, value, status)\n",
        "    relation.mark(0, value, status)\n",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "heavy-bit-not-flipped",
        "    relation.mark(column, value, status)\n",
        "    pass\n",
        "agreement",
    ),
    (
        "variable-not-turned",
        "variable = VARIABLES[(i + column + engine.turns) % 3]",
        "variable = VARIABLES[(i + column) % 3]",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "move-adds",
        "relist(engine, i, x, y, -multiplicity, was & ~becomes)",
        "relist(engine, i, x, y, multiplicity, was & ~becomes)",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds step-unary step-unary-dense",
    ),
    (
        "move-relists-all",
        "relist(engine, i, x, y, multiplicity, becomes & ~was)",
        "relist(engine, i, x, y, multiplicity, becomes)",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds step-count-single step-unary",
    ),
    (
        "move-lists-nothing-new",
        "relist(engine, i, x, y, multiplicity, becomes & ~was)",
        "pass",
        "agreement",
    ),
    (
        "move-leaves-head-map",
        "    if listed:\n        total",
        "    if False:\n        total",
        "agreement",
    ),
    (
        "move-forgets",
        "    if moved.leave:\n",
        "    moved = side.moves[0]  # from LL to LL\n    if moved.leave:\n",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds step-unary step-ternary",
    ),
    (
        "move-leaves-as-if-it-came",
        "engine.upkeep(i, x, y, -multiplicity, -1, moved.leave)",
        "engine.upkeep(i, x, y, -multiplicity, 1, moved.leave)",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
)

AT_ONCE = bugs_in(
    "ivme/kernel/rebalancing.py",
    (
        "move-at-once-forgets",
        "moves[transition(before, after)]",
        "moves[transition(before, before)]",
        "step-count-single step-count-double",
    ),
    (
        "move-at-once-back",
        "moves[transition(before, after)]",
        "moves[transition(after, before)]",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "move-leaves-more",
        "length, move.leave_at_once, -1)",
        "length, move.leave_at_once, 1)",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds"
        " step-count-single step-count-double",
    ),
    (
        "sums-stay",
        "1 + task.summed.drop(value)",
        "1",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds"
        " step-count-single step-count-double",
    ),
    (
        "every-tree-reached-at-once",
        "if task.summed is None or not side.reaches(task, value):",
        "if task.summed is None:",
        "step-count-double",
    ),
    (
        "product-turned",
        "if task.forward:\n                    task.summed.add_product",
        "if not task.forward:\n                    task.summed.add_product",
        "step-count-single",
    ),
    (
        "forward-product-subtracted",
        "task.summed.add_product(value, other, bucket, sign)",
        "task.summed.add_product(value, other, bucket, -sign)",
        "step-count-double",
    ),
)

REBALANCING = (*MAJOR, *MOVES, *AT_ONCE)
