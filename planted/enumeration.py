"""Bugs in enumeration, lookups and deltas."""

from __future__ import annotations

from planted.mutant import bugs_in

HOPS = bugs_in(
    "ivme/kernel/enumeration.py",
    (
        "no-merge",
        "start = self.skipped_from.get(position, position)",
        "start = position",
        "tests/kernel/test_enumeration_iterators.py agreement hop-iterator hop-union",
    ),
    (
        "no-merge-behind",
        "to = self.hop(self.successor(position))",
        "to = self.successor(position)",
        "tests/kernel/test_enumeration_iterators.py agreement",
    ),
    (
        "contains-ignored",
        "if isinstance(row, End) or iterators[last].contains(row):",
        "if isinstance(row, End):",
        "tests/kernel/test_enumeration_iterators.py union-next",
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
        "tests/kernel/test_enumeration_iterators.py agreement hop-union hop-union-orders",
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
        "tests/kernel/test_enumeration_iterators.py hop-union hop-union-orders",
    ),
    (
        "first-pair-of-bucket-only",
        "return (place[0] + 1, 0) if place[0] + 1 < tree.pair_count(bucket) else EOF",
        "return EOF",
        "tests/kernel/test_enumeration_iterators.py",
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
        "tests/ivme/test_enumeration.py",
    ),
    (
        "triangles-of-every-tree",
        "if index is None or tree == index:",
        "if True:",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
    (
        "given-value-not-looked-up",
        "ys = [given] if relation.status(1, given) == second and relation.get(x, given) is not None else []",
        "ys = [given]",
        "tests/ivme/test_enumeration.py",
    ),
    (
        "triangles-of-another-row",
        "known = union.triangles if union.row is row else triangles_of(engine, row, union.index)",
        "known = union.triangles",
        "agreement",
    ),
    (
        "reported-triangles-forgotten",
        "known = union.triangles if union.row is row else",
        "known = [] if union.row is row else",
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds agreement",
    ),
    (
        "trees-of-head-rows-forgotten",
        "return total + tree_sum(engine, triangles_of(engine, row))\n    for union",
        "return total\n    for union",
        "tests/ivme/test_enumeration.py agreement",
    ),
    (
        "reported-reversed",
        "[engine.storage.value(handle) for handle in row]",
        "[engine.storage.value(handle) for handle in reversed(row)]",
        "tests/ivme/test_view.py agreement",
    ),
    (
        "zero-rows-enumerated",
        "            if multiplicity := _reported(engine, row, unions):\n    ",
        "            multiplicity = _reported(engine, row, unions)\n",
        "tests/ivme/test_rings_in_view.py",
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
        "tests/agreement/test_targeted.py::test_degrees_cross_both_thresholds",
    ),
)

GUARDS = bugs_in(
    "ivme/kernel/enumeration.py",
    (
        "stale-after-one-update",
        "if engine.version != version:",
        "if engine.version > version + 1:",
        "tests/ivme/test_enumeration.py",
    ),
    (
        "enumeration-unguarded",
        "            engine.guard = READING\n            entry",
        "            entry",
        "tests/ivme/test_faults.py::test_an_answer_cannot_be_used_to_update",
    ),
    (
        "lookup-unguarded",
        "        engine.guard = READING\n        multi",
        "        multi",
        "tests/ivme/test_faults.py::test_an_answer_cannot_be_used_to_update",
    ),
)

DELTAS = bugs_in(
    "ivme/kernel/deltas.py",
    (
        "delta-of-light-rows",
        "for row_second in range(2):",
        "for row_second in range(1):",
        "tests/ivme/test_changes.py",
    ),
    (
        "delta-of-light-columns",
        "for column_first in range(2):",
        "for column_first in range(1):",
        "tests/ivme/test_changes.py",
    ),
    (
        "delta-bound-of-count-only",
        "if k not in engine.order:",
        "if not engine.order:",
        "tests/ivme/test_changes.py",
    ),
    ("delta-without-old", "(row, old, old + change)", "(row, old, change)", "tests/ivme/test_changes.py"),
    (
        "delta-in-any-order",
        "[entry for entry in found if not entry[2]] + [entry for entry in found if entry[2]]",
        "found",
        "tests/ivme/test_changes.py",
    ),
    (
        "delta-not-counted",
        "    engine.meter.enumeration += engine.steps - before\n",
        "",
        "tests/ivme/test_changes.py",
    ),
)

ENUMERATION = (*HOPS, *LOOKUPS, *GUARDS, *DELTAS)
