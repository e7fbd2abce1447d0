"""Bugs in the plan's tables, and in how the engine's inner loops have them."""

from __future__ import annotations

from planted.mutant import bugs_in

PARTS = bugs_in(
    "ivme/kernel/parts.py",
    ("code-clash", "first * 8 + second * 4", "first * 4 + second * 4", "plan-code plan-tables"),
)

PLAN = bugs_in(
    "ivme/kernel/plan.py",
    (
        "second-letter-ignored",
        "return pattern[0] == part[0] and pattern[1] in (None, part[1])",
        "return pattern[0] == part[0]",
        "tests/kernel/test_plan.py",
    ),
    ("closing-listed", "elif tree is None or tree.closing != i:", "elif tree is None:", "plan-tables"),
    ("everything-listed", "elif tree is None or tree.closing != i:", "else:", "tests/kernel/test_plan.py"),
    (
        "kept-combination-listed-too",
        "elif tree is None or tree.closing != i:",
        "if tree is None or tree.closing != i:",
        "agreement",
    ),
    (
        "listed-combination-dropped",
        "listed[i][at] += (bucket,)",
        "listed[i][at] += () if i == 0 and at == 10 and bucket[1] else (bucket,)",
        "agreement",
    ),
    (
        "tree-one-turn-on",
        'first = (tree.parts.index("ALL") + 1) % 3',
        'first = (tree.parts.index("ALL") + 2) % 3',
        "tests/kernel/test_plan.py",
    ),
    (
        "second-relation-without-upkeep",
        "elif i == (tree.first + 1) % 3 and _fits(tree.right, part):",
        "elif False:",
        "agreement",
    ),
    (
        "wrong-bucket",
        "False, tree.left[1], (tree.left[0],)",
        "False, tree.left[1], (tree.right[0],)",
        "plan-upkeep",
    ),
    (
        "any-left-part",
        "found.append(Upkeep(tree.index, False, tree.left[1], (tree.left[0],)))",
        "found.append(Upkeep(tree.index, False, None, (tree.left[0],)))",
        "tests/kernel/test_plan.py",
    ),
    (
        "light-buckets-only",
        "buckets = _statuses(double[(i + 1) % 3]) if open_status is None else (open_status,)",
        "buckets = (LIGHT,)",
        "tests/kernel/test_plan.py",
    ),
)

SIDES = bugs_in(
    "ivme/kernel/sides.py",
    (
        "table-turned",
        "enumerate(table[new]) if upkeep not in table[old]]",
        "enumerate(table[new]) if upkeep in table[old]]",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds step-count-single step-ternary",
    ),
    (
        "bits-turned",
        "bucket_bit(second, first) for second, first in buckets",
        "bucket_bit(first, second) for second, first in buckets",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds step-unary step-unary-dense",
    ),
    (
        "bound-variable-turned",
        "self.bound_z = (i + 2) % 3 not in order",
        "self.bound_z = (i + 1) % 3 not in order",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "summed-tree-not-closed",
        "= None if closed is None else summed.get(closed)",
        "= None",
        "agreement",
    ),
    ("kept-tree-not-closed", "= None if closed is None else kept.get(closed)", "= None", "agreement"),
    (
        "known-turned",
        "self.following.status(0, middle) if task.forward else",
        "self.following.status(0, middle) if not task.forward else",
        "step-count-double step-unary",
    ),
    (
        "known-of-following-only",
        "if task.forward else self.previous.status(1, middle)",
        "if task.forward else self.following.status(0, middle)",
        "tests/agreement/test_targeted.py::test_sizes_cross_both_ends",
    ),
    (
        "column-turned",
        "first_column = old // 2 != new // 2",
        "first_column = old % 2 != new % 2",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "sums-of-both-dropped",
        "self.drop = [task for task in gone if task.kept is None and first_column and task.forward]",
        "self.drop = [task for task in gone if task.kept is None and first_column]",
        "tests/agreement/test_targeted.py::test_sizes_cross_both_ends",
    ),
)

PLANS = (*PARTS, *PLAN, *SIDES)
