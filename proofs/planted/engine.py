"""Bugs in the engine: its control code, its maintenance steps, its storage and plans."""

from __future__ import annotations

from proofs.planted.mutant import bugs_in

CONTROL = bugs_in(
    "ivme/kernel/engine.py",
    ("double-late", "if self.size >= self.base:", "if self.size > self.base:", "major-invariant"),
    (
        "halve-early",
        "if self.size < self.base // 4:",
        "if self.size < self.base // 3:",
        "major-gap major-credit",
    ),
    (
        "light-early",
        "self._too_heavy = theta.heavy, theta.light",
        "self._too_heavy = theta.heavy, theta.strict",
        "minor-gap slip-base-case",
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
        "closure-count-single initial-state",
    ),
    (
        "wrong-way",
        "self.minor_rebalance(i, column, value, status)",
        "self.minor_rebalance(i, column, value, HEAVY if column else status)",
        "minor-same-direction minor-invariant",
    ),
    (
        "bit-stays",
        "if not relation.degree(column, value):",
        "if relation.degree(column, value) < 0:",
        "minor-invariant slip-directions",
    ),
    ("zero-forgotten", "if old is None and self.all_heavy:", "if old is None and False:", "epsilon-zero"),
    ("zero-unknown", "self.all_heavy = epsilon == 0", "self.all_heavy = epsilon < 0", "epsilon-zero"),
    (
        "strict-loosened",
        "strict = self.threshold.strict\n",
        "strict = self.threshold.heavy\n",
        "minor-invariant epsilon-one",
    ),
    (
        "second-column-forgotten",
        "second = self.settle(i, 1, y) if self.relations[i].double else None",
        "second = None",
        "minor-invariant closure-count-double closure-count-double-large",
    ),
    (
        "third-relation-forgotten",
        "for i, relation in enumerate(self.relations):\n            relation.compact()",
        "for i, relation in enumerate(self.relations[:2]):\n            relation.compact()",
        "closure-count-single closure-count-single-large closure-unary closure-binary-large",
    ),
    (
        "watched-late",
        "relation.watch <= max(1, heavy - 1):",
        "relation.watch <= heavy:",
        "minor-invariant",
    ),
    (
        "watched-too-few",
        "self.watch(relation, 1)\n            for column in (0",
        "self.watch(relation, self.threshold.heavy // 8)\n            for column in (0",
        "minor-invariant",
    ),
    (
        "load-loosely",
        "relation.values_due(column, self.threshold.strict)",
        "relation.values_due(column, self.threshold.heavy)",
        "initial-state",
    ),
    ("load-twice", "for task in part if task.forward == forward]", "for task in part]", "initial-state"),
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
        "initial-state",
    ),
)

DUE = bugs_in(
    "ivme/kernel/storage/dicts.py",
    ("light-late", "HEAVY if degree >= too_heavy", "HEAVY if degree > too_heavy", "minor-invariant"),
    ("heavy-late", "LIGHT if degree < least_heavy", "LIGHT if degree + 1 < least_heavy", "minor-invariant"),
    (
        "strict-late",
        "(self.degree(column, value) >= strict) != ",
        "(self.degree(column, value) > strict) != ",
        "minor-invariant initial-state",
    ),
)

MAINTENANCE = (
    *bugs_in(
        "ivme/kernel/sides.py",
        (
            "table-turned",
            "enumerate(table[new]) if upkeep not in table[old]]",
            "enumerate(table[new]) if upkeep in table[old]]",
            "step-count-single step-ternary",
        ),
        (
            "bits-turned",
            "1 << (second * 2 + first) for second, first in buckets",
            "1 << (first * 2 + second) for second, first in buckets",
            "step-unary step-unary-dense",
        ),
    ),
    *bugs_in(
        "ivme/kernel/engine.py",
        (
            "lookup-turned",
            "summed.get(y, x)",
            "summed.get(x, y)",
            "step-count-single",
        ),
        (
            "factor-lost",
            "multiplicity * total)\n\n    def spread",
            "total)\n\n    def spread",
            "step-count-single",
        ),
        (
            "row-of-x",
            "row = side.following.row(y, second)",
            "row = side.following.row(x, second)",
            "step-count-double step-ternary",
        ),
        (
            "triple-turned",
            "(x, y, z) if task.forward else (z, x, y)",
            "(x, y, z)",
            "step-binary step-ternary",
        ),
        (
            "root-stays",
            "                    kept.close_root((y, x))",
            "                    pass",
            "step-unary step-binary step-ternary",
        ),
        (
            "move-adds",
            "self.relist(i, x, y, -multiplicity, was & ~becomes)",
            "self.relist(i, x, y, multiplicity, was & ~becomes)",
            "step-unary step-unary-dense",
        ),
        (
            "move-forgets",
            "move = side.moves[old * 4 + new]",
            "move = side.moves[old * 4 + old]",
            "step-unary step-ternary",
        ),
        (
            "move-at-once-forgets",
            "moves[parts[0] * 4 + parts[1]]",
            "moves[parts[0] * 4 + parts[0]]",
            "step-count-single step-count-double",
        ),
        (
            "move-leaves-more",
            "move.leave_at_once, -1)",
            "move.leave_at_once, 1)",
            "step-count-single step-count-double",
        ),
        (
            "sums-stay",
            "1 + self.summed[task.tree].drop(value)",
            "1",
            "step-count-single step-count-double",
        ),
        (
            "product-turned",
            "(line, partners) if task.forward else (partners, line)",
            "(partners, line) if task.forward else (line, partners)",
            "step-count-single step-count-double",
        ),
        (
            "move-relists-all",
            "self.relist(i, x, y, multiplicity, becomes & ~was)",
            "self.relist(i, x, y, multiplicity, becomes)",
            "step-count-single step-unary",
        ),
        (
            "only-presence",
            "if old is None else old + multiplicity\n",
            "if old is None else old\n",
            "step-count-single step-ternary-dense",
        ),
    ),
    *bugs_in(
        "ivme/kernel/sides.py",
        (
            "known-turned",
            "self.following.status(0, middle) if task.forward else",
            "self.following.status(0, middle) if not task.forward else",
            "step-count-double step-unary",
        ),
    ),
    *bugs_in(
        "ivme/kernel/storage/trees.py",
        (
            "row-not-added",
            "new = multiplicity * m if old is None else old + multiplicity * m",
            "new = multiplicity * m",
            "step-count-single-dense step-count-double-dense",
        ),
        ("always-first", "return len(values) == 1", "return True", "step-ternary-dense step-binary-dense"),
    ),
    *bugs_in(
        "ivme/kernel/storage/dicts.py",
        ("line-lost", "if len(line) == 1:", "if line:", "step-count-single-dense step-unary-dense"),
        ("gap-kept", "self.items[position] = last", "self.items.append(item)", "step-binary-dense dense-set"),
        (
            "stale-position",
            "self.index[last] = position",
            "self.index[last] = len(self.items)",
            "dense-set",
        ),
    ),
    *bugs_in(
        "ivme/kernel/plan.py",
        ("code-clash", "first * 8 + second * 4", "first * 4 + second * 4", "plan-code plan-tables"),
        ("closing-listed", "elif tree is None or tree.closing != i:", "elif tree is None:", "plan-tables"),
        (
            "wrong-bucket",
            "False, tree.left[1], (tree.left[0],)",
            "False, tree.left[1], (tree.right[0],)",
            "plan-upkeep",
        ),
    ),
)
