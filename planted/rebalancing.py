"""Bugs in rebalancing: MinorRebalance, MoveTuples, MajorRebalance, and which values are watched."""

from __future__ import annotations

from planted.mutant import bugs_in

MAJOR = bugs_in(
    "ivme/kernel/engine.py",
    (
        "strict-loosened",
        "strict = self.threshold.strict\n",
        "strict = self.threshold.heavy\n",
        "minor-invariant epsilon-one",
    ),
    (
        "third-relation-forgotten",
        "for i, relation in enumerate(self.relations):\n            relation.compact()",
        "for i, relation in enumerate(self.relations[:2]):\n            relation.compact()",
        "closure-count-single closure-count-single-large closure-unary closure-binary-large",
    ),
    (
        "nothing-moves-with-n",
        "moved += self.move_tuples(i, column, value, status)",
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
        "tests",
    ),
    (
        "watched-too-few",
        "self.watch(relation, 1)\n            for column in (0",
        "self.watch(relation, self.threshold.heavy // 8)\n            for column in (0",
        "minor-invariant",
    ),
    (
        "watched-degree-never-grows",
        "            self.watch(relation, self.threshold.heavy // 8)\n",
        "",
        "tests",
    ),
    (
        "watched-values-not-counted",
        "                self.steps += 2 * relation.watching(column)\n",
        "",
        "tests",
    ),
    (
        "watching-not-counted",
        "self.steps += 2 * relation.watch_from",
        "self.steps += 0 * relation.watch_from",
        "tests",
    ),
)

MOVES = bugs_in(
    "ivme/kernel/engine.py",
    (
        "both-statuses-change",
        "new_first, new_second = (first, status) if column else (status, second)",
        "new_first, new_second = (first, status) if column else (status, status)",
        "tests",
    ),
    (
        "views-not-moved",
        "            self.move(i, x, y, first * 2 + second, new_first * 2 + new_second, multiplicity)\n",
        "",
        "tests",
    ),
    (
        "always-first-column-shifted",
        "relation.shift(column, x, y, old, status, multiplicity)",
        "relation.shift(0, x, y, old, status, multiplicity)",
        "tests",
    ),
    (
        "always-first-column-marked",
        "        relation.mark(column, value, status)\n",
        "        relation.mark(0, value, status)\n",
        "tests",
    ),
    (
        "heavy-bit-not-flipped",
        "        relation.mark(column, value, status)\n",
        "        pass\n",
        "agreement",
    ),
    (
        "variable-not-turned",
        "variable = VARIABLES[(i + column + self.turns) % 3]",
        "variable = VARIABLES[(i + column) % 3]",
        "tests",
    ),
    (
        "move-adds",
        "self.relist(i, x, y, -multiplicity, was & ~becomes)",
        "self.relist(i, x, y, multiplicity, was & ~becomes)",
        "tests step-unary step-unary-dense",
    ),
    (
        "move-relists-all",
        "self.relist(i, x, y, multiplicity, becomes & ~was)",
        "self.relist(i, x, y, multiplicity, becomes)",
        "tests step-count-single step-unary",
    ),
    (
        "move-lists-nothing-new",
        "self.relist(i, x, y, multiplicity, becomes & ~was)",
        "pass",
        "agreement",
    ),
    (
        "move-leaves-head-map",
        "        if listed:\n            total",
        "        if False:\n            total",
        "agreement",
    ),
    (
        "move-forgets",
        "move = side.moves[old * 4 + new]",
        "move = side.moves[old * 4 + old]",
        "tests step-unary step-ternary",
    ),
    (
        "move-leaves-as-if-it-came",
        "self.upkeep(i, x, y, -multiplicity, -1, move.leave)",
        "self.upkeep(i, x, y, -multiplicity, 1, move.leave)",
        "tests",
    ),
)

AT_ONCE = bugs_in(
    "ivme/kernel/engine.py",
    (
        "move-at-once-forgets",
        "moves[parts[0] * 4 + parts[1]]",
        "moves[parts[0] * 4 + parts[0]]",
        "step-count-single step-count-double",
    ),
    ("move-at-once-back", "moves[parts[0] * 4 + parts[1]]", "moves[parts[1] * 4 + parts[0]]", "tests"),
    (
        "move-leaves-more",
        "line, move.leave_at_once, -1)",
        "line, move.leave_at_once, 1)",
        "tests step-count-single step-count-double",
    ),
    (
        "sums-stay",
        "1 + self.summed[task.tree].drop(value)",
        "1",
        "tests step-count-single step-count-double",
    ),
    ("every-tree-reached-at-once", "if not side.reaches(task, value):", "if False:", "tests"),
    (
        "product-turned",
        "(line, partners) if task.forward else (partners, line)",
        "(partners, line) if task.forward else (line, partners)",
        "step-count-single step-count-double",
    ),
    (
        "product-always-backward",
        "(line, partners) if task.forward else (partners, line)",
        "(partners, line)",
        "tests",
    ),
)

REBALANCING = (*MAJOR, *MOVES, *AT_ONCE)
