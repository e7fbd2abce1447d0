"""Bugs in the dict storage: relations, watched values, head map, dense sets, view trees."""

from __future__ import annotations

from planted.mutant import bugs_in

CLASSES = bugs_in(
    "ivme/kernel/storage/dicts/relation.py",
    (
        "light-late",
        "return HEAVY if degree >= light else -1",
        "return HEAVY if degree > light else -1",
        "tests/kernel/test_storage_interface.py agreement minor-invariant",
    ),
    (
        "light-one-early",
        "return HEAVY if degree >= light else -1",
        "return HEAVY if degree >= light - 1 else -1",
        "agreement",
    ),
    (
        "heavy-late",
        "return LIGHT if degree < heavy else -1",
        "return LIGHT if degree + 1 < heavy else -1",
        "tests/kernel/test_storage_interface.py agreement minor-invariant",
    ),
    (
        "heavy-one-early",
        "return LIGHT if degree < heavy else -1",
        "return LIGHT if degree <= heavy else -1",
        "tests/kernel/test_storage_interface.py agreement",
    ),
    (
        "strict-late",
        "(self.degree(column, value) >= strict) != (value in heavy)",
        "(self.degree(column, value) > strict) != (value in heavy)",
        "tests/kernel/test_storage_interface.py agreement minor-invariant initial-state",
    ),
    (
        "heavy-stays-heavy-with-n",
        "(self.degree(column, value) >= strict) != (value in heavy)",
        "(self.degree(column, value) >= strict) > (value in heavy)",
        "agreement",
    ),
    (
        "watched-looked-up-always",
        "self.watched[column] if least >= self.watch else",
        "self.watched[column] if True else",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "watched-looked-up-never",
        "self.watched[column] if least >= self.watch else",
        "self.watched[column] if False else",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "watched-one-late",
        "if self.degree(column, value) == self.watch:",
        "if self.degree(column, value) == self.watch + 1:",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "watched-forever",
        "                self.watched[column].remove(value)\n",
        "                pass\n",
        "tests/kernel/test_storage_interface.py",
    ),
)

RELATIONS = bugs_in(
    "ivme/kernel/storage/dicts/relation.py",
    (
        "light-rows-looked-up",
        "self.forward[self.status(1, y)].get(x)",
        "self.forward[LIGHT].get(x)",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "light-degree",
        "return len(light.get(value, ())) + len(heavy.get(value, ()))",
        "return len(light.get(value, ()))",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "columns-not-split",
        "        put_entry(self.backward[first], y, x, multiplicity)\n",
        "        put_entry(self.backward[0], y, x, multiplicity)\n",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "columns-keep-deleted",
        "        remove_entry(self.backward[first], y, x)\n",
        "",
        "tests/kernel/test_storage_interface.py agreement",
    ),
    (
        "shifted-stays",
        "        remove_entry(lines[old], outer, inner)\n",
        "",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "shifted-turned",
        "(self.forward, x, y) if column else (self.backward, y, x)",
        "(self.forward, x, y) if column else (self.backward, x, y)",
        "tests/kernel/test_storage_interface.py",
    ),
)

SALVAGE = bugs_in(
    "ivme/kernel/storage/interface.py",
    (
        "rows-not-salvaged",
        "        yield from self.tuples()\n        for value",
        "        for value",
        "tests/ivme/test_faults.py::test_an_exception_of_user_code_leaves_a_view_whole_or_broken",
    ),
)

HEAD_MAP = bugs_in(
    "ivme/kernel/storage/dicts/head.py",
    (
        "rows-reversed",
        "for variable in order)) for i in range(3)]",
        "for variable in reversed(order))) for i in range(3)]",
        "agreement",
    ),
    (
        "zero-rows-stay",
        "            del self.entries[key]\n",
        "            self.entries[key] = new\n",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "spread-factor-lost",
        "multiplicity * row[z] * column[z])",
        "row[z] * column[z])",
        "tests/kernel/test_storage_interface.py",
    ),
)

LINES = bugs_in(
    "ivme/kernel/storage/dicts/lines.py",
    ("line-lost", "if len(line) == 1:", "if line:", "step-count-single-dense step-unary-dense"),
    (
        "holes-kept",
        "return dict(entries) if capacity > 640 and capacity > 128 * len(entries) else entries",
        "return entries",
        "tests/cost/test_physical.py::test_holes_of_a_shrunk_line_are_not_walked",
    ),
    ("gap-kept", "self.items[position] = last", "self.items.append(item)", "step-binary-dense dense-set"),
    (
        "gap-not-filled",
        "            self.items[position] = last\n",
        "            pass\n",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "stale-position",
        "self.index[last] = position",
        "self.index[last] = len(self.items)",
        "dense-set",
    ),
    (
        "next-position",
        "self.index[last] = position",
        "self.index[last] = position + 1",
        "tests/kernel/test_storage_interface.py agreement",
    ),
)

INNER_PRODUCT = bugs_in(
    "ivme/kernel/storage/dicts/storage.py",
    (
        "last-product-only",
        "total = product if total is None else total + product",
        "total = product",
        "tests/kernel/test_storage_interface.py",
    ),
)

TREES = bugs_in(
    "ivme/kernel/storage/dicts/trees.py",
    (
        "row-not-added",
        "new = multiplicity * m if old is None else old + multiplicity * m",
        "new = multiplicity * m",
        "tests/kernel/test_storage_interface.py step-count-single-dense step-count-double-dense",
    ),
    (
        "column-summed",
        "new = m * multiplicity if old is None else old + m * multiplicity",
        "new = m + multiplicity if old is None else old + m * multiplicity",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "zero-sums-stay",
        "            elif old is not None:\n                del sums[z]\n        if not sums:",
        "        if not sums:",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "product-never-taken-away",
        "self.add_multiple(x, row, m if sign > 0 else -m)",
        "self.add_multiple(x, row, m)",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "bucket-of-z",
        "return (x, z) if self.by_z else x",
        "return (x, z) if self.by_z else z",
        "tests/kernel/test_storage_interface.py",
    ),
    ("always-first", "return len(values) == 1", "return True", "step-ternary-dense step-binary-dense"),
    (
        "first-twice",
        "return len(values) == 1",
        "return len(values) <= 2",
        "tests/kernel/test_storage_interface.py",
    ),
    ("root-opened-by-closing-only", "return len(values) == 1", "return False", "agreement"),
    (
        "values-outlive-their-tuples",
        "values.remove(y)\n        if values:\n",
        "if len(values) > 1:\n            return False\n        values.remove(y)\n        if values:\n",
        "agreement",
    ),
    (
        "pairs-never-leave-root",
        "        pairs.remove((x, z))\n        if not pairs:\n",
        "        if not pairs:\n",
        "agreement",
    ),
    (
        "empty-bucket-stays",
        "            self.buckets.remove(bucket)\n",
        "            pass\n",
        "tests/kernel/test_storage_interface.py",
    ),
    (
        "place-of-first-pair",
        "return root.position((x, z)), self",
        "return 0, self",
        "tests/kernel/test_storage_interface.py",
    ),
)

STORAGE = (*CLASSES, *RELATIONS, *SALVAGE, *HEAD_MAP, *LINES, *INNER_PRODUCT, *TREES)
