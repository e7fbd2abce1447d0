"""Bugs in enumeration, lookups and deltas."""

from __future__ import annotations

from planted.mutant import bugs_in

HOPS = bugs_in(
    "ivme/kernel/enumeration.py",
    (
        "no-merge",
        "start = self.skipped_from.get(position, position)",
        "start = position",
        "tests agreement hop-iterator hop-union",
    ),
    (
        "no-merge-behind",
        "to = self.hop(self.successor(position))",
        "to = self.successor(position)",
        "tests agreement",
    ),
    (
        "contains-ignored",
        "if isinstance(row, End) or iterators[last].contains(row):",
        "if isinstance(row, End):",
        "tests union-next",
    ),
    (
        "head-map-contains-nothing",
        "return self.engine.head.find(row) is not None",
        "return False",
        "agreement",
    ),
    ("union-of-one", "    if last == 0:\n", "    if last >= 0:\n", "agreement"),
    (
        "current-excluded",  # ERRATA E2, as printed
        "if bucket == self.current:",
        "if bucket is None:",
        "tests agreement hop-union hop-union-orders",
    ),
    (
        "nothing-excluded",
        "            self.exclude(triple)\n",
        "            pass\n",
        "agreement",
    ),
    (
        "empty-bucket-kept",
        "if places.is_empty():",
        "if places is None:",
        "tests hop-union hop-union-orders",
    ),
    (
        "first-pair-of-bucket-only",
        "return (place[0] + 1, 0) if place[0] + 1 < tree.pair_count(bucket) else EOF",
        "return EOF",
        "tests",
    ),
    (
        "tree-rows-reversed",
        "(variable - first) % 3] for variable in engine.order]",
        "(variable - first) % 3] for variable in reversed(engine.order)]",
        "agreement",
    ),
)

LOOKUPS = bugs_in(
    "ivme/kernel/enumeration.py",
    (
        "trees-forgotten",
        "return total + tree_sum(engine, triangles_of(engine, found)) if engine.kept else total",
        "return total",
        "closure-unary closure-binary",
    ),
    (
        "head-map-forgotten",
        "return engine.ring.zero if found is None else found\n",
        "return engine.ring.zero if found is None or engine.kept else found\n",
        "agreement",
    ),
    (
        "only-last-triangle",
        "total = total + product(engine, triple)",
        "total = product(engine, triple)",
        "tests closure-unary-large",
    ),
    ("triangles-of-every-tree", "if index is None or tree == index:", "if True:", "tests"),
    (
        "given-value-not-looked-up",
        "ys = [given] if relation.status(1, given) == second and relation.get(x, given) is not None else []",
        "ys = [given]",
        "tests",
    ),
    (
        "triangles-of-another-row",
        "known = union.triangles if union.row is row else triangles_of(engine, row, union.index)",
        "known = union.triangles",
        "tests agreement",
    ),
    (
        "reported-triangles-forgotten",
        "known = union.triangles if union.row is row else",
        "known = [] if union.row is row else",
        "tests agreement",
    ),
    (
        "trees-of-head-rows-forgotten",
        "return total + tree_sum(engine, triangles_of(engine, row))\n    for union",
        "return total\n    for union",
        "tests agreement",
    ),
    (
        "reported-reversed",
        "[engine.storage.value(handle) for handle in row]",
        "[engine.storage.value(handle) for handle in reversed(row)]",
        "tests agreement",
    ),
    (
        "zero-rows-enumerated",
        "            if multiplicity := _reported(engine, row, unions):\n    ",
        "            multiplicity = _reported(engine, row, unions)\n",
        "tests",
    ),
    (
        "closing-turned",
        "closing = third.get(z, x)",
        "closing = third.get(x, z)",
        "closure-ternary closure-ternary-large",
    ),
    (
        "closing-factor-lost",
        "if multiplicity := one * two * closing:",
        "if multiplicity := one * two:",
        "tests",
    ),
)

GUARDS = bugs_in(
    "ivme/kernel/enumeration.py",
    (
        "stale-after-one-update",
        "if engine.version != version:",
        "if engine.version > version + 1:",
        "tests",
    ),
    (
        "enumeration-unguarded",
        "            engine.guard = READING\n            entry",
        "            entry",
        "tests",
    ),
    ("lookup-unguarded", "        engine.guard = READING\n        multi", "        multi", "tests"),
)

DELTAS = bugs_in(
    "ivme/kernel/deltas.py",
    (
        "delta-of-light-rows",
        "for row_second in range(2):",
        "for row_second in range(1):",
        "tests",
    ),
    (
        "delta-of-light-columns",
        "for column_first in range(2):",
        "for column_first in range(1):",
        "tests",
    ),
    ("delta-bound-of-count-only", "if k not in engine.order:", "if not engine.order:", "tests"),
    ("delta-without-old", "(row, old, old + change)", "(row, old, change)", "tests"),
    (
        "delta-in-any-order",
        "[entry for entry in found if not entry[2]] + [entry for entry in found if entry[2]]",
        "found",
        "tests",
    ),
    ("delta-not-counted", "    engine.meter.enumeration += engine.steps - before\n", "", "tests"),
)

ENUMERATION = (*HOPS, *LOOKUPS, *GUARDS, *DELTAS)
