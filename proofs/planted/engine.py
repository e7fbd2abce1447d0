"""Bugs in the engine: its control code, its maintenance steps, its storage and plans."""

from __future__ import annotations

from proofs.planted.mutant import bugs_in

CONTROL = bugs_in(
    "ivme/engine.py",
    ("double-late", "if self.size == self.base:", "if self.size > self.base:", "major-invariant"),
    (
        "halve-early",
        "if self.size < self.base // 4:",
        "if self.size < self.base // 3:",
        "major-gap major-credit",
    ),
    ("light-late", "elif degree >= theta.light:", "elif degree > theta.light:", "minor-invariant"),
    (
        "light-early",
        "elif degree >= theta.light:",
        "elif degree >= theta.strict:",
        "minor-gap slip-base-case",
    ),
    ("heavy-late", "if degree < theta.heavy:", "if degree + 1 < theta.heavy:", "minor-invariant"),
    ("heavy-early", "if degree < theta.heavy:", "if degree < theta.strict:", "minor-gap minor-credit"),
    (
        "wrong-way",
        "self.minor_rebalance(i, column, value, LIGHT)",
        "self.minor_rebalance(i, column, value, HEAVY if column else LIGHT)",
        "minor-same-direction minor-invariant",
    ),
    (
        "bit-stays",
        "in relation.heavy[column] and not relation.degree(column, value):",
        "in relation.heavy[column] and relation.degree(column, value) < 0:",
        "minor-invariant slip-directions",
    ),
    ("zero-forgotten", "if old is None and self.epsilon == 0:", "if old is None and False:", "epsilon-zero"),
    (
        "strict-loosened",
        "relation.degree(column, value) >= self.threshold.strict else LIGHT",
        "relation.degree(column, value) >= self.threshold.heavy else LIGHT",
        "minor-invariant epsilon-one",
    ),
    (
        "second-column-forgotten",
        "((0, x), (1, y)) if relation.double else ((0, x),):\n            degree",
        "((0, x),):\n            degree",
        "minor-invariant closure-count-double closure-count-double-large",
    ),
    (
        "third-relation-forgotten",
        "for i, relation in enumerate(self.relations):",
        "for i, relation in enumerate(self.relations[:2]):",
        "closure-count-single closure-count-single-large closure-unary closure-binary-large",
    ),
    (
        "load-loosely",
        "for v, d in degrees.items() if d >= self.threshold.strict",
        "for v, d in degrees.items() if d >= self.threshold.heavy",
        "initial-state",
    ),
)

MAINTENANCE = (
    *bugs_in(
        "ivme/engine.py",
        (
            "lookup-turned",
            "self.summed[index].get(y, x)",
            "self.summed[index].get(x, y)",
            "step-count-single",
        ),
        (
            "factor-lost",
            "((x, y, None)), multiplicity * total)",
            "((x, y, None)), total)",
            "step-count-single",
        ),
        (
            "row-of-x",
            "row, column = rows[row_second].get(y), columns[column_first].get(x)",
            "row, column = rows[row_second].get(x), columns[column_first].get(x)",
            "step-count-double step-ternary",
        ),
        (
            "known-turned",
            "task.known != (row_first if task.forward else column_second)",
            "task.known != (column_second if task.forward else row_first)",
            "step-count-double step-unary",
        ),
        (
            "triple-turned",
            "(x, y, z) if task.forward else (z, x, y)",
            "(x, y, z)",
            "step-binary step-ternary",
        ),
        (
            "root-stays",
            "                        tree.close_root((y, x))",
            "                        pass",
            "step-unary step-binary step-ternary",
        ),
        (
            "move-adds",
            "(-multiplicity, listed_old, listed_new),",
            "(multiplicity, listed_old, listed_new),",
            "step-unary step-unary-dense",
        ),
        (
            "move-forgets",
            "(multiplicity, 1, enter, leave),",
            "(multiplicity, 1, leave, leave),",
            "step-count-single step-count-double",
        ),
        (
            "only-presence",
            "if old is None else old + multiplicity\n",
            "if old is None else old\n",
            "step-count-single step-ternary-dense",
        ),
    ),
    *bugs_in(
        "ivme/trees.py",
        (
            "row-not-added",
            "new = multiplicity * m if old is None else old + multiplicity * m",
            "new = multiplicity * m",
            "step-count-single-dense step-count-double-dense",
        ),
        ("always-first", "return len(values) == 1", "return True", "step-ternary-dense step-binary-dense"),
    ),
    *bugs_in(
        "ivme/storage.py",
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
        "ivme/plan.py",
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
