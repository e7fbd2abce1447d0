"""Bugs in the compact storage: compiled before they are tried, a minute each."""

from __future__ import annotations

from planted.mutant import bugs_in

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

PRODUCTS = bugs_in(
    "ivme/kernel/storage/compact/product.py",
    (
        "every-product-is-small",
        "if small(one) and small(two):",
        "if True:",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "marks-stay",
        "                self.marks[marked.keys[position]] = 0\n",
        "",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "large-payloads-marked",
        "            if not small(row.payloads[position]):\n                return\n",
        "",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "steps-of-left-side",
        "self.steps = min(len(left.keys), len(right.keys)) + int(matches)",
        "self.steps = len(left.keys) + int(matches)",
        "tests/kernel/test_storage_interface.py",
    ),
)

NODES = bugs_in(
    "ivme/kernel/storage/compact/nodes.py",
    ("any-value-is-equal", "if stored == value:", "if True:", "tests/kernel/test_nodes.py"),
    (
        "reused-node-not-found",
        "        self.register(node)\n        if reused:",
        "        if reused:",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "every-value-is-atomic",
        "if is_atomic(value) else ObjectNode(value, number)",
        "",
        "tests/ivme/test_objects.py",
    ),
    (
        "negative-value-in-direct-index",
        "if place < 0 and len(self.places) > 0:",
        "if False:",
        "tests/kernel/test_nodes.py",
    ),
    (
        "direct-index-overflows",
        "if int(place) >= most or 2 * length > most:",
        "if 2 * length > most:",
        "tests/kernel/test_nodes.py",
    ),
    (
        "node-lost-when-index-is-dropped",
        "                self.register(self.at(entry - 1))\n",
        "                pass\n",
        "tests/kernel/test_nodes.py",
    ),
    (
        "node-not-in-direct-index",
        "                places[at] = i32(node.id + 1)\n",
        "                others[value] = node\n",
        "tests/kernel/test_nodes.py",
    ),
    (
        "place-not-cleared",
        "            self.places[place] = 0\n",
        "            pass\n",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "direct-index-never-dropped",
        "if len(self.places) > 2 * self.most():",
        "if False:",
        "tests/kernel/test_nodes.py",
    ),
)

RELATIONS = bugs_in(
    "ivme/kernel/storage/compact/relation.py",
    (
        "watched-in-compact-always",
        "if least >= self.watch else nodes.live():",
        "if True else nodes.live():",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "first-watched-forever",
        "        if left.row_degree == self.from_degree:\n            self.watched_first.remove",
        "        if False:\n            self.watched_first.remove",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "second-never-watched",
        "            self.watched_second.add(right.id)\n",
        "            pass\n",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "column-degree-stays",
        "        right.column_degree -= 1\n",
        "",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "first-entry-dropped",
        "            line.drop_at(line.find(inner.id))\n",
        "            line.drop_at(0)\n",
        "tests/kernel/test_storage_interface.py",
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
    (
        "column-multiplicity-one",
        "            column.change(left.id, more)\n",
        "",
        "tests/kernel/test_storage_interface.py",
    ),
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
            "row, sign * column.value_at(position))",
            "row, column.value_at(position))",
            "tests/kernel/test_storage_interface.py",
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
            "right.column(z, plan.right[0])",
            "right.column(z, 1 - plan.right[0])",
            "tests/ivme/test_arrays.py",
        ),
        (
            "closing-factor-lost-in-columns",
            "row.value_of(y) * column.value_of(y) * closing",
            "row.value_of(y) * column.value_of(y)",
            "tests/ivme/test_arrays.py",
        ),
        (
            "large-multiplicity-as-a-word",
            "self.exact is None and -WORD <= multiplicity <= WORD",
            "self.exact is None",
            "tests/ivme/test_arrays.py",
        ),
    ),
)

COMPACT = (*IDS, *PRODUCTS, *NODES, *RELATIONS, *BULK, *VIEWS)
