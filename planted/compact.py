"""Bugs in the compact storage: compiled before they are tried, a minute each."""

from __future__ import annotations

from planted.mutant import bugs_in

TESTS = "tests/kernel/test_storage_interface.py tests/kernel tests/ivme"
"""For bugs whose test is not known better."""

IDS = bugs_in(
    "ivme/kernel/storage/compact/ids.py",
    (
        "gap-closed-wrongly",
        "if ((slot - home) & mask) >= ((slot - gap) & mask):",
        "if slot > home:",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "moved-key-one-before",
        "self.index[self.slot_of(self.keys[last])] = i32(position + 1)",
        "self.index[self.slot_of(self.keys[last])] = i32(position)",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "payload-not-moved",
        "            self.payloads[position] = self.payloads[last]\n",
        "",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "first-payload",
        "else self.value_at(self.find(key))",
        "else self.value_at(0)",
        "tests/ivme/test_arrays.py",
    ),
    ("every-payload-is-a-word", "-WORD <= value <= WORD", "True", "tests/kernel/test_storage_interface.py"),
    (
        "multiple-of-other-sign",
        "self.is_multiple(row, -factor)",
        "self.is_multiple(row, factor)",
        "tests/kernel/test_storage_interface.py",
    ),
)

LINES = bugs_in(
    "ivme/kernel/storage/compact/lines.py",
    (
        "line-gap-closed-wrongly",
        "if ((slot - home) & mask) >= ((slot - gap) & mask):",
        "if slot > home:",
        TESTS,
    ),
    ("line-payload-not-moved", "cells[cell + capacity] = cells[last + capacity]", "pass", TESTS),
    ("line-every-payload-is-a-word", "-WORD <= value <= WORD", "True", TESTS),
    (
        "line-multiple-of-other-sign",
        "self.is_multiple(line, other, -factor)",
        "self.is_multiple(line, other, factor)",
        TESTS,
    ),
    (
        "line-block-not-given-back",
        "            self.give(old, size << had)\n",
        "            pass\n",
        TESTS,
    ),
)

PRODUCTS = bugs_in(
    "ivme/kernel/storage/compact/product.py",
    ("every-product-is-small", "if one != BEYOND and two != BEYOND:", "if True:", TESTS),
    ("marks-stay", "                self.marks[i64(cells[cell])] = 0\n", "", TESTS),
    (
        "large-payloads-marked",
        "if line == 0 or int(line) in lines.beyond:",
        "if line == 0:",
        TESTS,
    ),
    (
        "steps-of-left-side",
        "self.steps = min(few, many) + self.matches",
        "self.steps = few + self.matches",
        TESTS,
    ),
)

NODES = bugs_in(
    "ivme/kernel/storage/compact/interning.py",
    ("any-value-is-equal", "if entry > 0 and stored == value:", "if entry > 0:", TESTS),
    (
        "reused-node-not-found",
        "        self.by_value[value] = int(made)\n",
        "        if len(self.ids.free) == 0:\n            self.by_value[value] = int(made)\n",
        TESTS,
    ),
    ("every-value-is-atomic", "        self.ids.name(made, value)\n", "        pass\n", TESTS),
    (
        "negative-value-in-direct-index",
        "if len(self.places) > 0 and type(value) is not str:",
        "if False:",
        TESTS,
    ),
    ("direct-index-overflows", "or number < self.most()", "or True", TESTS),
    (
        "node-lost-when-index-is-dropped",
        "                self.by_value[int(place)] = int(x)\n",
        "                pass\n",
        TESTS,
    ),
    (
        "node-not-in-direct-index",
        "                    self.places[number] = i32(found)\n",
        "                    pass\n",
        TESTS,
    ),
    ("place-not-cleared", "            self.places[number - 1] = 0\n", "            pass\n", TESTS),
    ("direct-index-never-dropped", "if i64(len(self.places)) <= 2 * most:", "if True:", TESTS),
)

RELATIONS = bugs_in(
    "ivme/kernel/storage/compact/relation.py",
    (
        "watched-in-compact-always",
        "if least >= self.watch else values.live_ids():",
        "if True else values.live_ids():",
        TESTS,
    ),
    (
        "first-watched-forever",
        "        if self.degree_of(0, x) == self.from_degree:\n            self.watched_first.remove",
        "        if False:\n            self.watched_first.remove",
        TESTS,
    ),
    (
        "second-never-watched",
        "            self.watched_second.add(y)\n",
        "            pass\n",
        TESTS,
    ),
    ("column-degree-stays", "        self.lines.drop(line_of(y, 1, first), x)\n", "", TESTS),
    (
        "first-entry-dropped",
        "        self.lines.drop(line_of(outer, other, old), inner)\n",
        "        self.lines.drop(line_of(outer, other, old), self.members(other, outer, old)[0])\n",
        TESTS,
    ),
)

BULK = bugs_in(
    "ivme/kernel/storage/compact/bulk.py",
    (
        "multiplicity-one-loaded",
        "self.beyond_one.append((len(self.xs), multiplicity - 1))",
        "pass",
        "tests/kernel/test_storage_interface.py",
    ),
    ("column-multiplicity-one", "            lines.change(line_of(y, 1, LIGHT), x, more)\n", "", TESTS),
)

VIEWS = (
    *bugs_in(
        "ivme/kernel/storage/compact/trees.py",
        (
            "dropped-still-counted",
            "        self.count -= dropped\n",
            "",
            "tests/kernel/test_storage_interface.py",
        ),
        (
            "compact-product-never-taken-away",
            "row, sign * lines.value_at(line, cell))",
            "row, lines.value_at(line, cell))",
            TESTS,
        ),
    ),
    *bugs_in(
        "ivme/kernel/storage/compact/head.py",
        (
            "turned-back-forgotten",
            "if turn == 1 or turn == -2:",
            "if turn == 1:",
            "tests/kernel/test_storage_interface.py",
        ),
    ),
    *bugs_in(
        "ivme/kernel/storage/compact/storage.py",
        ("columns-without-head-map", "        found.add_head(self.head)\n", "", "tests/ivme/test_arrays.py"),
        (
            "columns-not-made",
            "-> Columns:\n        found",
            "-> Columns | None:\n        if trees:\n            return None\n        found",
            "tests/ivme/test_arrays.py",
        ),
    ),
    *bugs_in(
        "ivme/kernel/storage/compact/columns.py",
        (
            "other-column",
            "line_of(z, 1, plan.right[0])",
            "line_of(z, 1, 1 - plan.right[0])",
            TESTS,
        ),
        (
            "closing-factor-lost-in-columns",
            "lines.value_of(row, y) * lines.value_of(column, y) * closing",
            "lines.value_of(row, y) * lines.value_of(column, y)",
            TESTS,
        ),
        (
            "large-multiplicity-as-a-word",
            "self.exact is None and -WORD <= multiplicity <= WORD",
            "self.exact is None",
            "tests/ivme/test_arrays.py",
        ),
    ),
)

COMPACT = (*IDS, *LINES, *PRODUCTS, *NODES, *RELATIONS, *BULK, *VIEWS)
