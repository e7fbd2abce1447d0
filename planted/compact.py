"""Bugs in the compact storage: compiled before they are tried, a minute each."""

from __future__ import annotations

from planted.mutant import bugs_in

IDS = bugs_in(
    "ivme/kernel/storage/compact/ids.py",
    (
        "gap-closed-wrongly",
        "if ((slot - home) & mask) >= ((slot - gap) & mask):",
        "if slot > home:",
        "tests",
    ),
    (
        "moved-key-one-before",
        "self.index[self.slot_of(self.keys[last])] = i32(position + 1)",
        "self.index[self.slot_of(self.keys[last])] = i32(position)",
        "tests",
    ),
    (
        "payload-not-moved",
        "            self.payloads[position] = self.payloads[last]\n",
        "",
        "tests",
    ),
    ("first-payload", "else self.value_at(self.find(key))", "else self.value_at(0)", "tests"),
    ("every-payload-is-a-word", "-WORD <= value <= WORD", "True", "tests"),
    ("multiple-of-other-sign", "self.is_multiple(row, -factor)", "self.is_multiple(row, factor)", "tests"),
)

LINES = bugs_in(
    "ivme/kernel/storage/compact/lines.py",
    (
        "line-gap-closed-wrongly",
        "if ((slot - home) & mask) >= ((slot - gap) & mask):",
        "if slot > home:",
        "tests",
    ),
    ("line-payload-not-moved", "cells[cell + capacity] = cells[last + capacity]", "pass", "tests"),
    ("line-every-payload-is-a-word", "-WORD <= value <= WORD", "True", "tests"),
    (
        "line-multiple-of-other-sign",
        "self.is_multiple(line, other, -factor)",
        "self.is_multiple(line, other, factor)",
        "tests",
    ),
    (
        "line-block-not-given-back",
        "            self.give(old, size << had)\n",
        "            pass\n",
        "tests",
    ),
)

PRODUCTS = bugs_in(
    "ivme/kernel/storage/compact/product.py",
    ("every-product-is-small", "if one != BEYOND and two != BEYOND:", "if True:", "tests"),
    ("marks-stay", "                self.marks[i64(cells[cell])] = 0\n", "", "tests"),
    (
        "large-payloads-marked",
        "if line == 0 or int(line) in lines.beyond:",
        "if line == 0:",
        "tests",
    ),
    (
        "steps-of-left-side",
        "self.steps = min(few, many) + self.matches",
        "self.steps = few + self.matches",
        "tests",
    ),
)

NODES = bugs_in(
    "ivme/kernel/storage/compact/interning.py",
    ("any-value-is-equal", "if entry > 0 and stored == value:", "if entry > 0:", "tests"),
    (
        "reused-node-not-found",
        "        self.by_value[value] = int(made)\n",
        "        if len(self.ids.free) == 0:\n            self.by_value[value] = int(made)\n",
        "tests",
    ),
    ("every-value-is-atomic", "        self.ids.name(made, value)\n", "        pass\n", "tests"),
    (
        "negative-value-in-direct-index",
        "if len(self.places) > 0 and type(value) is not str:",
        "if False:",
        "tests",
    ),
    ("direct-index-overflows", "or number < self.most()", "or True", "tests"),
    (
        "node-lost-when-index-is-dropped",
        "                self.by_value[int(place)] = int(x)\n",
        "                pass\n",
        "tests",
    ),
    (
        "node-not-in-direct-index",
        "                    self.places[number] = i32(found)\n",
        "                    pass\n",
        "tests",
    ),
    ("place-not-cleared", "            self.places[number - 1] = 0\n", "            pass\n", "tests"),
    ("direct-index-never-dropped", "if i64(len(self.places)) <= 2 * most:", "if True:", "tests"),
)

RELATIONS = bugs_in(
    "ivme/kernel/storage/compact/relation.py",
    (
        "watched-in-compact-always",
        "if least >= self.watch else values.live_ids():",
        "if True else values.live_ids():",
        "tests",
    ),
    (
        "first-watched-forever",
        "        if self.degree_of(0, x) == self.from_degree:\n            self.watched_first.remove",
        "        if False:\n            self.watched_first.remove",
        "tests",
    ),
    (
        "second-never-watched",
        "            self.watched_second.add(y)\n",
        "            pass\n",
        "tests",
    ),
    ("column-degree-stays", "        self.lines.drop(line_of(y, 1, first), x)\n", "", "tests"),
    (
        "first-entry-dropped",
        "        self.lines.drop(line_of(outer, other, old), inner)\n",
        "        self.lines.drop(line_of(outer, other, old), self.members(other, outer, old)[0])\n",
        "tests",
    ),
)

BULK = bugs_in(
    "ivme/kernel/storage/compact/bulk.py",
    (
        "multiplicity-one-loaded",
        "self.beyond_one.append((len(self.xs), multiplicity - 1))",
        "pass",
        "tests",
    ),
    ("column-multiplicity-one", "            lines.change(line_of(y, 1, LIGHT), x, more)\n", "", "tests"),
)

VIEWS = (
    *bugs_in(
        "ivme/kernel/storage/compact/trees.py",
        ("dropped-still-counted", "        self.count -= dropped\n", "", "tests"),
        (
            "compact-product-never-taken-away",
            "row, sign * lines.value_at(line, cell))",
            "row, lines.value_at(line, cell))",
            "tests",
        ),
    ),
    *bugs_in(
        "ivme/kernel/storage/compact/head.py",
        ("turned-back-forgotten", "if turn == 1 or turn == -2:", "if turn == 1:", "tests"),
    ),
    *bugs_in(
        "ivme/kernel/storage/compact/storage.py",
        ("columns-without-head-map", "        found.add_head(self.head)\n", "", "tests"),
        (
            "columns-not-made",
            "-> Columns:\n        found",
            "-> Columns | None:\n        if trees:\n            return None\n        found",
            "tests",
        ),
    ),
    *bugs_in(
        "ivme/kernel/storage/compact/columns.py",
        (
            "other-column",
            "line_of(z, 1, plan.right[0])",
            "line_of(z, 1, 1 - plan.right[0])",
            "tests",
        ),
        (
            "closing-factor-lost-in-columns",
            "lines.value_of(row, y) * lines.value_of(column, y) * closing",
            "lines.value_of(row, y) * lines.value_of(column, y)",
            "tests",
        ),
        (
            "large-multiplicity-as-a-word",
            "self.exact is None and -WORD <= multiplicity <= WORD",
            "self.exact is None",
            "tests",
        ),
    ),
)

COMPACT = (*IDS, *LINES, *PRODUCTS, *NODES, *RELATIONS, *BULK, *VIEWS)
