"""Bugs in ApplyUpdate: what an update adds to the head map and to the view trees."""

from __future__ import annotations

from planted.mutant import bugs_in

HEAD = bugs_in(
    "ivme/kernel/engine.py",
    (
        "lookup-turned",
        "found = summed.get(y, x)",
        "found = summed.get(x, y)",
        "tests/agreement/test_random.py agreement step-count-single",
    ),
    (
        "tree-replaces-listed",
        "                total = found if total is None else total + found\n        if total",
        "                total = found\n        if total",
        "tests/agreement/test_random.py",
    ),
    (
        "factor-lost",
        "multiplicity * total)\n\n    def spread",
        "total)\n\n    def spread",
        "tests/agreement/test_random.py step-count-single",
    ),
    (
        "last-combination-only",
        "                        total = found if total is None else total + found\n                else:",
        "                        total = found\n                else:",
        "tests/agreement/test_random.py",
    ),
    (
        "row-of-x",
        "row = side.following.length(0, y, second)",
        "row = side.following.length(0, x, second)",
        "tests/agreement/test_random.py step-count-double step-ternary",
    ),
    (
        "light-columns-only",
        "column = side.previous.length(1, x, first)",
        "column = side.previous.length(1, x, 0)",
        "tests/agreement/test_random.py",
    ),
    (
        "other-columns",
        "if not columns & first + 1:",
        "if not columns & 2 - first:",
        "tests/agreement/test_random.py",
    ),
)

TREES = bugs_in(
    "ivme/kernel/engine.py",
    (
        "upkeep-of-light-second-values-only",
        "if tasks := side.enter[part(first, second)]:",
        "if tasks := side.enter[part(first, 0)]:",
        "tests/agreement/test_random.py",
    ),
    (
        "vanished-tuple-stays-in-trees",
        "if tasks := side.enter[part(first, second)]:",
        "if presence >= 0 and (tasks := side.enter[part(first, second)]):",
        "agreement",
    ),
    ("root-turned", "if kept.holds(y, x):", "if kept.holds(x, y):", "tests/agreement/test_random.py"),
    (
        "root-opens-on-delete",
        "                if presence > 0:\n                    kept.open_root(y, x)",
        "                if presence < 0:\n                    kept.open_root(y, x)",
        "tests/agreement/test_random.py",
    ),
    (
        "root-stays",
        "                    kept.close_root(y, x)",
        "                    pass",
        "step-unary step-binary step-ternary",
    ),
    (
        "every-partner-reached",
        "if not task.any_status and not side.reaches(task, middle):",
        "if False:",
        "tests/agreement/test_random.py",
    ),
    (
        "first-bucket-only",
        "for bucket in task.buckets:\n                partners =",
        "for bucket in task.buckets[:1]:\n                partners =",
        "tests/agreement/test_random.py",
    ),
    (
        "row-added-to-y",
        "summed.add_row(x, y, bucket, multiplicity)",
        "summed.add_row(y, y, bucket, multiplicity)",
        "tests/agreement/test_random.py",
    ),
    (
        "column-added-to-x",
        "summed.add_column(x, bucket, y, multiplicity)",
        "summed.add_column(x, bucket, x, multiplicity)",
        "tests/agreement/test_random.py",
    ),
    (
        "triple-turned",
        "(x, y, z) if task.forward else (z, x, y)",
        "(x, y, z)",
        "step-binary step-ternary",
    ),
    (
        "triple-swapped",
        "triple = (x, y, z) if task.forward else (z, x, y)",
        "triple = (x, y, z) if task.forward else (z, y, x)",
        "tests/agreement/test_random.py",
    ),
    (
        "root-pair-swapped",
        "tree.open_root(triple[0], triple[2])",
        "tree.open_root(triple[2], triple[0])",
        "tests/agreement/test_random.py",
    ),
    (
        "last-value-leaves-root-open",
        "tree.close_root(triple[0], triple[2])",
        "pass",
        "tests/agreement/test_random.py",
    ),
)

PROPAGATION = (*HEAD, *TREES)
