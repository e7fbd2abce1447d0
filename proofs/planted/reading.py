"""Bugs in enumeration and lookup, in the view, and in the paper's enumeration as the reference has it."""

from __future__ import annotations

from proofs.planted.mutant import bugs_in

READING = (
    *bugs_in(
        "ivme/kernel/enumeration.py",
        (
            "no-merge",
            "start = self.skipped_from.get(position, position)",
            "start = position",
            "hop-iterator hop-union",
        ),
        (
            "contains-ignored",
            "if isinstance(row, End) or iterators[last].contains(row):",
            "if isinstance(row, End):",
            "union-next",
        ),
        (
            "current-excluded",
            "if bucket == self.current:",
            "if bucket is None:",
            "hop-union hop-union-orders",
        ),
        (
            "empty-bucket-kept",
            "if rows.is_empty():",
            "if rows is None:",
            "hop-union hop-union-orders",
        ),
        ("trees-forgotten", "    if engine.kept:", "    if False:", "closure-unary closure-binary"),
        (
            "only-last-triangle",
            "total = total + product(engine, triple)",
            "total = product(engine, triple)",
            "closure-unary-large",
        ),
        (
            "closing-turned",
            "closing = third.get(z, x)",
            "closing = third.get(x, z)",
            "closure-ternary closure-ternary-large",
        ),
    ),
    *bugs_in(
        "ivme/view.py",
        (
            "order-turned",
            "(VARIABLES.index(variable) - turns) % 3 for variable in self._free",
            "(VARIABLES.index(variable) + turns) % 3 for variable in self._free",
            "heads",
        ),
    ),
    *bugs_in(
        "reference/ivme_reference/paper/unions.py",
        (
            "always-repaired-E2",
            "if i == self.current and Repair.CURRENT_BUCKET in self.repairs:",
            "if i == self.current:",
            "printed-E2",
        ),
        (
            "never-repaired-E2",
            "if i == self.current and Repair.CURRENT_BUCKET in self.repairs:",
            "if False:",
            "printed-repaired",
        ),
        (
            "always-repaired-E3",
            "if not removed and Repair.EMPTY_BUCKETS in self.repairs:",
            "if not removed:",
            "printed-E3",
        ),
        (
            "always-repaired",
            "self.repairs = repairs\n",
            "self.repairs = ALL\n",
            "printed-E2 printed-E3 printed-E4",
        ),
        (
            "contains-nothing",
            "return any(self.sets[i].contains(t) for i in self.candidate_buckets(t))",
            "return False",
            "printed-E5",
        ),
    ),
)
