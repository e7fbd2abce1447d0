"""Bugs in the paper's enumeration as the reference has it: printed and repaired."""

from __future__ import annotations

from planted.mutant import bugs_in

REFERENCE = bugs_in(
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
)
