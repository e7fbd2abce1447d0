"""Bugs in the graph kernel and in `GraphTriangles`; those of the arena are compiled before they are tried."""

from __future__ import annotations

from planted.mutant import bugs_in

ENGINE = bugs_in(
    "ivme/kernel/graph/engine.py",
    (
        "refused-insert-changes",
        "        if storage.look(x, y):\n            return False\n        self.changing = True\n",
        "        self.changing = True\n        if storage.look(x, y):\n            return False\n",
        "tests/ivme/test_interrupts.py::test_ctrl_c_at_every_call_leaves_the_graph_before_or_after_an_update",
    ),
    (
        "graph-doubles-late",
        "if self.size >= self.base:",
        "if self.size > self.base:",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "graph-halves-late",
        "self.least_base: i64 = base // 4",
        "self.least_base: i64 = base // 5",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "graph-halves-once",
        "    while size < base // 4:\n",
        "    if size < base // 4:\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "graph-threshold-of-other-base",
        "            if theta.base == base:\n",
        "            if theta.base >= base:\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "degree-without-predecessors",
        "self.storage.length(2 * x) + self.storage.length(2 * x + 1)",
        "2 * self.storage.length(2 * x)",
        "tests/graph/test_corruptions.py",
    ),
    (
        "upkeep-of-inserts-only",
        "            self.maintain(a, b, sign)\n",
        "            if sign > 0:\n                self.maintain(a, b, sign)\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "upkeep-one-way",
        "        if not self.directed:\n            self.propagate(y, x, sign)\n",
        "",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "wedges-of-one-end",
        "self.wedges += degree_x + degree_y",
        "self.wedges += degree_x + degree_x",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "second-vertex-not-settled",
        "        if degree_y + 1 == self.heavy and storage.is_heavy(y):\n            self.become_light(y)\n",
        "",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "built-a-as-directed",
        "                    elif not self.directed:\n                        explicit_b",
        "                    else:\n                        explicit_b",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "light-end-keeps-built-pairs",
        "                explicit_b = found - storage.heavy_matches\n",
        "                pass\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "light-end-leaves-out-heavy-ones",
        "                explicit_a = found - storage.built_matches\n",
        "                explicit_a = found - storage.heavy_matches\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "pair-turned",
        "            owner, end = a, b\n        payer: i64 = 0\n",
        "            owner, end = a, a\n        payer: i64 = 0\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "heavy-common-forgotten",
        "                    found += 1\n                    if self.tracked:\n",
        "                    if self.tracked:\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "heavy-common-not-bumped",
        "                        storage.bump(w, sign)\n",
        "                        pass\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "use-does-not-help-a-row",
        "            row.spare(scan)\n        else:",
        "        else:",
        "tests/graph/test_drivers.py::test_a_row_that_is_used_is_kept",
    ),
    (
        "scans-are-free",
        "        credit.paid += scan\n",
        "        credit.paid += 0\n",
        "tests/graph/test_corruptions.py",
    ),
    (
        "price-of-the-row-only",
        "price = 2 * length + 2 * self.storage.light_total(row)",
        "price = 2 * length",
        "tests/graph/test_drivers.py::test_a_row_is_built_when_its_scans_have_paid_for_it",
    ),
    (
        "built-unpaid",
        "if credit.paid < price:",
        "if credit.paid < 0:",
        "tests/graph/test_drivers.py::test_a_row_is_built_when_its_scans_have_paid_for_it",
    ),
    ("credit-kept-by-built", "        del self.credits[int(u)]\n", "", "tests/graph/test_corruptions.py"),
    (
        "built-without-handing-over",
        "            self.hand_over(u, -1)\n",
        "            pass\n",
        "tests/graph/test_corruptions.py",
    ),
    (
        "dropped-without-handing-over",
        "            self.hand_over(u, 1)\n",
        "            pass\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "handed-over-twice",
        "if self.directed or not storage.is_built(z):",
        "if True:",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "row-with-itself",
        "                    if u != b:\n                        storage.add_pair",
        "                    if True:\n                        storage.add_pair",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "upkeep-is-free",
        "            self.rows[int(a)].gap += 2 * changed\n",
        "",
        "tests/graph/test_drivers.py"
        "::test_a_row_that_is_not_used_is_dropped_before_its_upkeep_exceeds_its_price",
    ),
    (
        "dropped-late",
        "if row.gap + more >= row.price:",
        "if row.gap + more > 2 * row.price:",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "vertex-stays",
        "        if degree_x == 0:\n            storage.forget(x)\n",
        "",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "becomes-light-late",
        "if degree_x + 1 == self.heavy and",
        "if degree_x + 2 == self.heavy and",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "becomes-heavy-late",
        "if degree_x + 1 == self.light and",
        "if degree_x == self.light and",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "in-two-tiers",
        "                self.tiers[other].discard(x)\n",
        "                pass\n",
        "tests/graph/test_networkx.py::test_agrees_while_vertices_become_heavy_and_light",
    ),
    (
        "tier-not-left",
        "            self.retier(int(y), int(degree_y))\n",
        "            pass\n",
        "tests/graph/test_networkx.py::test_agrees_while_vertices_become_heavy_and_light",
    ),
    (
        "linked-twice",
        "        if storage.look(x, y):\n            return False\n",
        "        storage.look(x, y)\n",
        "tests/graph/test_networkx.py::test_starting_from_edges_is_inserting_them",
    ),
    (
        "heavy-stays-in-the-middle",
        "            self.join_middle(w, -1)\n",
        "            pass\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "implicit-triangles-lost",
        "                storage.bump(w, self.implicit(w))\n",
        "                pass\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "no-column-of-a-heavy-vertex",
        "for u in self.fill(w, 1):",
        "for u in ():",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "built-and-light",
        "        if storage.is_built(w):\n            self.drop(w)\n",
        "",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "credit-of-a-light-vertex",
        "        self.credits.pop(int(w), None)\n",
        "",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "place-not-moved",
        "            self.places[last] = place\n",
        "",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "fill-through-heavy",
        "            if storage.is_heavy(x):\n                continue\n",
        "",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "fill-not-explicit",
        "                storage.bump(x, -sign * closed)\n",
        "                pass\n",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "major-keeps-heavy",
        "for x in [x for x in self.heavies if self.degree(x) < strict]:",
        "for x in list[int]():",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "major-keeps-light",
        "            if self.degree(x) >= strict and not self.storage.is_heavy(x):",
        "            if self.degree(x) > strict and not self.storage.is_heavy(x):",
        "tests/graph/test_closure.py::test_every_reachable_state_is_right",
    ),
    (
        "tier-forgotten",
        "tier in self.tiers[lowest:]",
        "tier in self.tiers[lowest + 1 :]",
        "tests/cost/test_graph_attacks.py::test_vertices_of_large_degree_change_their_class_with_n",
    ),
    (
        "implicit-counted-twice",
        "twice += 1 if not self.directed and storage.is_built(z) else 2",
        "twice += 2",
        "tests/graph/test_closure.py::test_every_reachable_state_is_right",
    ),
    (
        "light-is-explicit",
        "return int(self.storage.explicit(x) + self.implicit(x))",
        "return int(self.storage.explicit(x))",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "loaded-once-too-often",
        "storage.bump(x, -(storage.explicit(x) // 2))",
        "storage.bump(x, -(storage.explicit(x) // 3))",
        "tests/graph/test_corruptions.py",
    ),
    (
        "reads-do-not-pay",
        "        if self.charge(owner, scan) != 0:\n            self.consider(owner)\n",
        "",
        "tests/graph/test_corruptions.py",
    ),
)

COSTS = bugs_in(
    "ivme/kernel/graph/engine.py",
    (
        "lookup-walks-the-row",
        "        if len(self.heavies) < length:\n",
        "        if False:\n",
        "tests/cost/test_graph_worst.py"
        "::test_lookups_of_vertices_are_within_their_bound_and_have_its_exponent",
    ),
    (
        "build-not-counted",
        "        self.steps += price\n",
        "",
        "tests/cost/test_graph_worst.py::test_a_row_takes_a_few_prices_until_it_is_built",
    ),
    (
        "hand-over-not-counted",
        "                self.steps += storage.length(w * self.stride)\n                storage.bump",
        "                storage.bump",
        "tests/cost/test_graph_worst.py::test_a_row_takes_a_few_prices_until_it_is_built",
    ),
    (
        "scans-pay-twice",
        "        credit.paid += scan\n",
        "        credit.paid += 2 * scan\n",
        "tests/cost/test_graph_worst.py::test_a_row_takes_a_few_prices_until_it_is_built",
    ),
    (
        "found-not-counted",
        "                self.steps += found\n            else:",
        "            else:",
        "tests/cost/test_graph_worst.py::test_a_scan_of_an_unbuilt_pair_is_within_its_bound",
    ),
    (
        "looks-at-every-scan",
        "credit.look = max(price, credit.paid + 2 * length)",
        "credit.look = credit.paid + 1",
        "tests/cost/test_graph_worst.py::test_a_credit_reaches_three_quarters_of_its_bound",
    ),
    (
        "looks-late",
        "        return u if credit.paid >= credit.look else 0\n",
        "        return 0\n",
        "tests/cost/test_graph_worst.py::test_an_update_that_rebalances_nothing_is_within_its_bound",
    ),
    (
        "major-looks-at-all",
        "        if lowest < 0:\n",
        "        if True:\n",
        "tests/cost/test_graph_worst.py::test_a_major_rebalancing_looks_at_few_vertices",
    ),
    (
        "read-does-not-help-a-row",
        "            row.spare(scan)\n            self.steps += 1 + 2 * len(self.heavies)\n",
        "            self.steps += 1 + 2 * len(self.heavies)\n",
        "tests/graph/test_drivers.py::test_a_row_that_is_used_is_kept",
    ),
    (
        "gap-below-zero",
        "        if self.gap < 0:\n            self.gap = 0\n",
        "",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "row-for-nothing",
        "Credit(max(2, 2 *",
        "Credit(max(0, 2 *",
        "tests/cost/test_graph_worst.py::test_a_vertex_without_successors_buys_no_row",
    ),
    (
        "class-changes-are-free",
        "        self.steps += 2 * changed\n        self.rows[int(u)].gap += 2 * changed\n\n    def fill",
        "        self.steps += 2 * changed\n\n    def fill",
        "tests/graph/test_drivers.py::test_a_class_change_is_charged_to_the_rows_that_it_changes",
    ),
)

SETS = bugs_in(
    "ivme/kernel/graph/sets.py",
    (
        "set-id-reused",
        "self.last = found = self.last + 1",
        "self.last = found = len(self.values) + 1",
        "tests/graph/test_storages.py",
    ),
    (
        "set-empty-row-kept",
        "        if len(found) == 1:\n            del self.rows[row]\n",
        "        if False:\n            del self.rows[row]\n",
        "tests/graph/test_storages.py",
    ),
    (
        "set-zero-pair-kept",
        "        if total:\n            view[z] = total\n",
        "        if True:\n            view[z] = total\n",
        "tests/graph/test_storages.py",
    ),
    ("set-pair-with-itself", "        found.discard(u)\n", "", "tests/graph/test_storages.py"),
    (
        "set-pairs-through-heavy",
        "for w in self.rows.get(self.stride * u, NOBODY) - self.heavies:",
        "for w in self.rows.get(self.stride * u, NOBODY):",
        "tests/graph/test_drivers.py::test_answers_and_invariant_hold_whatever_happens",
    ),
    (
        "set-built-matches-are-heavy",
        "len(self.views.keys() & found)",
        "len(self.heavies & found)",
        "tests/graph/test_storages.py",
    ),
)

ARENA = bugs_in(
    "ivme/kernel/graph/arena.py",
    (
        "arena-neighbour-overwritten",
        "cells[i64(rows[field]) * 4 + count] = i32(y)",
        "cells[i64(rows[field]) * 4] = i32(y)",
        "tests/graph/test_storages.py",
    ),
    (
        "arena-gap-closed-wrongly",
        "if ((slot - home) & mask) >= ((slot - gap) & mask):",
        "if slot > home:",
        "tests/graph/test_storages.py",
    ),
    ("arena-block-lost", "            self.give(old, size)\n", "", "tests/graph/test_storages.py"),
    (
        "arena-marks-of-a-changed-row",
        "    def add(self, row: i64, y: i64) -> None:\n        self.marked = -1\n",
        "    def add(self, row: i64, y: i64) -> None:\n",
        "tests/graph/test_storages.py",
    ),
    (
        "arena-negative-numbers",
        "        if 0 <= v < i64(len(places)):",
        "        if v < i64(len(places)):",
        "tests/graph/test_ways_in.py",
    ),
    (
        "arena-signs-ignored",
        "        return self.signs[at]\n",
        "        return 1\n",
        "tests/graph/test_ways_in.py",
    ),
    (
        "arena-looks-for-itself",
        "self.cell_of(long // FIELDS, sought) >= 0",
        "self.cell_of(long // FIELDS, x + y - sought) >= 0",
        "tests/graph/test_networkx.py::test_agrees_while_vertices_become_heavy_and_light",
    ),
    (
        "arena-free-blocks-lost",
        "self.cells[block] = self.free[kind]",
        "self.cells[block] = 0",
        "tests/graph/test_storages.py",
    ),
    (
        "arena-bit-stays",
        "cells[word] = i32(i64(cells[word]) & ~(1 << (y & 31)))",
        "cells[word] = i32(i64(cells[word]))",
        "tests/graph/test_storages.py",
    ),
    (
        "arena-bitmaps-not-widened",
        "        if x >= 32 * self.words:\n            self.widen_bitmaps()\n",
        "",
        "tests/graph/test_storages.py",
    ),
    (
        "arena-half-a-bitmap",
        "last = word + self.words\n",
        "last = word + (self.words >> 1)\n",
        "tests/graph/test_storages.py",
    ),
    ("arena-empty-cell-marked", "        marks[0] = 0\n", "", "tests/graph/test_storages.py"),
    (
        "arena-stamp-forgotten",
        "        self.stamp += 1\n",
        "        self.stamp |= 1\n",
        "tests/graph/test_storages.py",
    ),
    (
        "arena-built-bit-only",
        "self.bits[u] = i32(HEAVY_BIT | BUILT_BIT)",
        "self.bits[u] = i32(BUILT_BIT)",
        "tests/graph/test_storages.py",
    ),
    (
        "arena-arrives-early",
        "        self.arrivals[x] = self.arrived\n",
        "",
        "tests/graph/test_storages.py",
    ),
    (
        "arena-free-blocks-kept",
        "        self.free, self.marks, self.stamp, self.marked =",
        "        _, self.marks, self.stamp, self.marked =",
        "tests/graph/test_storages.py",
    ),
)

FRONT = bugs_in(
    "ivme/kernel/graph/front.py",
    (
        "graph-update-unguarded",
        "            self.guard = UPDATING\n            x = ",
        "            x = ",
        "tests/ivme/test_faults.py::test_an_exception_of_user_code_leaves_a_graph_whole_or_broken",
    ),
    (
        "half-changed-graph-is-ready",
        "        if engine.changing:  # the ids",
        "        if False:  # the ids",
        "tests/ivme/test_interrupts.py"
        "::test_ctrl_c_after_the_last_edge_of_a_vertex_breaks_the_graph_and_rebuild_mends_it",
    ),
    (
        "refused-vertex-stays",
        "if y != 0 and y != x and engine.degree(y) == 0:",
        "if False:",
        "tests/graph/test_graph.py",
    ),
    (
        "ignored-loop-stays",
        "            if self.engine.degree(x) == 0:\n                self.storage.forget(x)\n",
        "",
        "tests/graph/test_graph.py",
    ),
    ("loop-inserted", "        if self.ignore_loops:\n", "        if True:\n", "tests/graph/test_graph.py"),
    (
        "copy-not-counted",
        "self.copies[key] = self.copies.get(key, 1) + 1",
        "self.copies[key] = 2",
        "tests/graph/test_graph.py",
    ),
    (
        "last-copy-stays",
        "        elif copies == 2:\n",
        "        elif copies == 3:\n",
        "tests/graph/test_graph.py",
    ),
    (
        "edge-has-two-keys",
        "if y < x and not self.engine.directed else",
        "if False else",
        "tests/graph/test_graph.py",
    ),
    (
        "graph-error-one-later",
        'raise located(error, "update", position)',
        'raise located(error, "update", position + 1)',
        "tests/graph/test_graph.py",
    ),
    (
        "every-sign-inserts",
        '                if sign != 1 and sign != -1:\n                    raise MultiplicityError(f"{shown',
        '                if sign == 0:\n                    raise MultiplicityError(f"{shown',
        "tests/graph/test_graph.py",
    ),
    (
        "broken-by-an-id",
        "self.pending = (u, v, sign)",
        "self.pending = (storage.value(x), v, sign)",
        "tests/ivme/test_interrupts.py"
        "::test_ctrl_c_after_the_last_edge_of_a_vertex_breaks_the_graph_and_rebuild_mends_it",
    ),
    (
        "block-forgets-again",
        "                storage.tail = storage.head = 0  # free, maybe\n",
        "",
        "tests/ivme/test_interrupts.py::test_ctrl_c_between_two_edges_of_a_block_leaves_those_before",
    ),
    (
        "every-sign-of-a-block",
        '                if sign != 1 and sign != -1:\n                    raise MultiplicityError(f"a sign',
        '                if sign == 0:\n                    raise MultiplicityError(f"a sign',
        "tests/graph/test_ways_in.py",
    ),
    (
        "block-error-at-its-start",
        "first + int(at))  # noqa: B904\n            raise\n",
        "first)  # noqa: B904\n            raise\n",
        "tests/graph/test_ways_in.py",
    ),
    (
        "repeated-edges-loaded",
        "elif self.engine.joined(x, y):",
        "elif self.engine.joined(y, x) and False:",
        "tests/graph/test_graph.py",
    ),
    (
        "guard-not-held",
        "if not changed or not self.hold:",
        "if True:",
        "tests/ivme/test_interrupts.py::test_ctrl_c_at_every_call_leaves_the_graph_before_or_after_an_update",
    ),
    (
        "order-after-leaving",
        "self.falling = self.storage.arrival(x) > self.storage.arrival(y)\n        if not self.engine.cut",
        "pass\n        if not self.engine.cut",
        "tests/graph/test_on_change.py",
    ),
    (
        "ctrl-c-after-linking-unnoticed",
        "        changed = self.engine.link(x, y)\n",
        "        changed = self.engine.link(x, y)\n        self.key(x, y)\n",
        "tests/ivme/test_interrupts.py::test_ctrl_c_at_every_call_leaves_the_graph_before_or_after_an_update",
    ),
    (
        "ctrl-c-while-failing-unnoticed",
        "            self.guard = BROKEN  # until `fail` has done its work\n",
        "",
        "tests/ivme/test_interrupts.py"
        "::test_ctrl_c_after_the_last_edge_of_a_vertex_breaks_the_graph_and_rebuild_mends_it",
    ),
)

DEFERRED = (
    *bugs_in(
        "ivme/kernel/graph/engine.py",
        ("counted-on-top", "        self.triangles, self.wedges = 0, 0\n", "", "tests/graph/test_ways_in.py"),
        (
            "old-classes-stay",
            "            storage.set_heavy(w, False)\n        self.steps",
            "            pass\n        self.steps",
            "tests/graph/test_ways_in.py",
        ),
        (
            "old-counts-stay",
            "                storage.bump(x, -storage.explicit(x))\n            self.steps",
            "                pass\n            self.steps",
            "tests/graph/test_ways_in.py",
        ),
        (
            "old-pairs-stay",
            "        for u in self.rows:\n            storage.close_pairs(u)\n",
            "",
            "tests/graph/test_ways_in.py",
        ),
        (
            "deferred-for-ever",
            "        self.deferred = False\n\n    def count_cycles",
            "\n    def count_cycles",
            "tests/graph/test_ways_in.py",
        ),
        (
            "attached-twice",
            "        if self.joined(x, y):\n            return False\n        self.changing",
            "        self.changing",
            "tests/graph/test_ways_in.py",
        ),
        (
            "detached-and-not-forgotten",
            "        if self.degree(y) == 0:\n            storage.forget(y)\n        self.changing",
            "        self.changing",
            "tests/graph/test_ways_in.py",
        ),
        (
            "wedges-not-counted",
            "self.wedges += degree * (degree - 1) >> 1",
            "self.wedges += degree * degree >> 1",
            "tests/graph/test_ways_in.py",
        ),
    ),
    *bugs_in(
        "ivme/kernel/graph/sets.py",
        (
            "equal-degrees-point-both-ways",
            "if (len(rows[y]), y) > (len(row), x)}",
            "if len(rows[y]) >= len(row)}",
            "tests/graph/test_ways_in.py",
        ),
        (
            "last-vertex-not-counted",
            "                        for z in common:\n                            self.bump(z, 1)\n",
            "",
            "tests/graph/test_ways_in.py",
        ),
    ),
    *bugs_in(
        "ivme/kernel/graph/front.py",
        (
            "ready-while-deferred",
            "self.guard = UPDATING if engine.deferred else READY",
            "self.guard = READY",
            "tests/graph/test_ways_in.py",
        ),
    ),
    *bugs_in(
        "ivme/graph/maintained.py",
        (
            "never-settled",
            "                intake.settle()\n",
            "                intake.guard = READY\n",
            "tests/graph/test_ways_in.py",
        ),
        (
            "ctrl-c-before-settling-unnoticed",
            "                intake.guard = BROKEN  # until it is settled\n",
            "",
            "tests/graph/test_ways_in.py",
        ),
        (
            "always-deferred",
            "return 3 * edges <= 4 * left * len(sample)",
            "return True",
            "tests/graph/test_ways_in.py",
        ),
    ),
    *bugs_in(
        "ivme/kernel/graph/arena.py",
        (
            "arena-equal-degrees-not-counted",
            "(degree == other and x < y):",
            "False:",
            "tests/graph/test_ways_in.py",
        ),
        (
            "arena-tracked-one-short",
            "                    counts[y] += here\n",
            "",
            "tests/graph/test_ways_in.py",
        ),
    ),
)

LISTING = bugs_in(
    "ivme/kernel/graph/listing.py",
    (
        "updated-in-between-unnoticed",
        "                if engine.version != version:\n                    raise",
        "                if False:\n                    raise",
        "tests/graph/test_graph.py",
    ),
    (
        "updated-in-the-end-unnoticed",
        '        if engine.version != version:\n            raise StaleEnumerationError("the graph',
        '        if False:\n            raise StaleEnumerationError("the graph',
        "tests/graph/test_graph.py",
    ),
    (
        "cycles-from-any-vertex",
        "if rank(x) < rank(y) and rank(x) < rank(z):",
        "if rank(x) < rank(y):",
        "tests/graph/test_graph.py",
    ),
    (
        "triangles-not-in-order",
        "c = sorted((x, y, z), key=rank)\n                    yield",
        "c = x, y, z\n                    yield",
        "tests/graph/test_graph.py",
    ),
    (
        "cycle-from-the-edge",
        "(x, y, z) if first == x else (y, z, x) if first == y else (z, x, y)",
        "(x, y, z)",
        "tests/graph/test_on_change.py",
    ),
    (
        "told-triangles-not-in-order",
        "            a, b, c = sorted((x, y, z), key=rank)\n            found.append",
        "            a, b, c = x, y, z\n            found.append",
        "tests/graph/test_on_change.py",
    ),
    (
        "predecessors-not-salvaged",
        "                found[y, x] = None\n",
        "                pass\n",
        "tests/graph/test_corruptions.py",
    ),
)

GRAPH_API = bugs_in(
    "ivme/graph/maintained.py",
    (
        "graph-without-its-views-is-ready",
        "                intake.guard, intake.pending = BROKEN, (u, v, sign)\n",
        "                intake.guard = READY\n",
        "tests/ivme/test_faults.py::test_an_exception_of_user_code_leaves_a_graph_whole_or_broken",
    ),
    (
        "interrupted-edge-lost",
        "            if sign < 0:\n                found[u, v] = 1\n",
        "",
        "tests/ivme/test_faults.py::test_an_exception_of_user_code_leaves_a_graph_whole_or_broken",
    ),
    (
        "interrupted-edge-stays",
        "                found.pop(edge, None)\n",
        "                pass\n",
        "tests/ivme/test_faults.py::test_an_exception_of_user_code_leaves_a_graph_whole_or_broken",
    ),
    ("order-not-restored", "dict.fromkeys([*known, *ends])", "ends", "tests/graph/test_graph.py"),
    (
        "copies-of-strangers",
        "if strangers := {key for key in self._intake.copies if not self._engine.joined(*key)}:",
        "if strangers := set[int]():",
        "tests/graph/test_networkx.py::test_check_finds_what_is_broken",
    ),
    (
        "debug-of-graph-one-later",
        "if changed and self._debug and self._engine.version % self._debug == 0:",
        "if changed and self._debug and self._engine.version % self._debug == 1:",
        "tests/graph/test_graph.py",
    ),
    (
        "counters-start-anew",
        "        self._engine.meter, self._engine.version = old.meter, old.version + 1\n",
        "",
        "tests/graph/test_graph.py",
    ),
    (
        "old-enumerations-go-on",
        "        engine.version += 1  # open",
        "        engine.version += 0  # open",
        "tests/graph/test_graph.py",
    ),
    (
        "copies-not-restored",
        "            if copies > 1:\n",
        "            if copies > 2:\n",
        "tests/graph/test_saved.py",
    ),
    (
        "saved-while-updated",
        "            if engine.version != version:\n",
        "            if False:\n",
        "tests/graph/test_saved.py",
    ),
    (
        "repeated-edge-restored",
        "            if made.joined(x, y):\n",
        "            if False:\n",
        "tests/graph/test_saved.py",
    ),
    (
        "order-is-that-of-ids",
        "key=self._storage.arrival)",
        "key=lambda x: -x)",
        "tests/graph/test_structure.py",
    ),
)

GRAPH_ANSWERS = bugs_in(
    "ivme/graph/answers.py",
    (
        "on-looked-up-as-given",
        "(v, u) if falling else (u, v)]",
        "(u, v)]",
        "tests/graph/test_networkx.py::test_agrees_after_every_step",
    ),
    (
        "view-enumerated-after-rebuild",
        "            if engine.version != version:\n",
        "            if False:\n",
        "tests/graph/test_graph.py",
    ),
    ("ties-by-id", "int(storage.arrival(x)), x) for x", "-x, x) for x", "tests/graph/test_tables.py"),
    (
        "top-includes-one-more",
        "nsmallest(k, counted)",
        "nsmallest(k + 1, counted)",
        "tests/graph/test_tables.py",
    ),
    ("any-k", "if type(k) is not int or k < 0:", "if k < 0:", "tests/graph/test_tables.py"),
)

GRAPH_STRUCTURE = bugs_in(
    "ivme/graph/structure.py",
    (
        "neighbors-backward",
        "row = 2 * x + backward if",
        "row = 2 * x + 1 - backward if",
        "tests/graph/test_structure.py",
    ),
    (
        "predecessors-stay",
        "            edges += [(w, v) for w in self.predecessors(v)]\n",
        "            pass\n",
        "tests/graph/test_structure.py",
    ),
    (
        "one-copy-removed",
        "for _ in range(self.multiplicity(*edge)):",
        "for _ in range(1):",
        "tests/graph/test_structure.py",
    ),
    (
        "absent-node-removed",
        "        if not self.has_node(v):\n",
        "        if False:\n",
        "tests/graph/test_structure.py",
    ),
    (
        "copies-of-absent-edges",
        "self._copies_of(x, y) if x and y and self._engine.joined(x, y) else 0",
        "self._copies_of(x, y)",
        "tests/graph/test_structure.py",
    ),
)

GRAPH_COPIES = bugs_in(
    "ivme/graph/triangles.py",
    (
        "equal-whatever-the-copies",
        "other.multiplicity(u, v) == copies for",
        "other.has_edge(u, v) for",
        "tests/graph/test_saved.py",
    ),
    (
        "equal-to-a-larger-one",
        "((graph.directed, graph.number_of_edges()) for",
        "((graph.directed,) for",
        "tests/graph/test_saved.py",
    ),
    (
        "saved-without-the-order",
        "        ids = self._ids_in_order()\n",
        "        ids = self._storage.vertices()[::-1]\n",
        "tests/graph/test_saved.py",
    ),
    (
        "loaded-without-copies",
        "(vertices[i], vertices[j], copies) for",
        "(vertices[i], vertices[j], 1) for",
        "tests/graph/test_saved.py",
    ),
    (
        "networkx-is-undirected",
        "networkx.DiGraph() if self.directed",
        "networkx.DiGraph() if False",
        "tests/graph/test_structure.py",
    ),
)

GRAPH_FILES = bugs_in(
    "ivme/formats/graphs.py",
    (
        "isolated-vertices-loaded",
        "if (alone := met.find(0)) >= 0:",
        "if (alone := met.find(0)) >= n:",
        "tests/graph/test_saved.py",
    ),
    ("loops-loaded", "    if i == j:\n", "    if False:\n", "tests/graph/test_saved.py"),
    (
        "vertex-loaded-twice",
        "            if v in found:\n",
        "            if False:\n",
        "tests/graph/test_saved.py",
    ),
    ("edges-not-counted", "    if done != m:\n", "    if done < m:\n", "tests/graph/test_saved.py"),
    (
        "copies-in-a-simple-graph",
        'if copies > 1 and repeated != "count":',
        "if copies < 0:",
        "tests/graph/test_saved.py",
    ),
    (
        "last-vertex-from-the-front",
        "not 0 <= i < n or not 0 <= j < n",
        "not -n <= i < n or not -n <= j < n",
        "tests/graph/test_saved.py",
    ),
)

GRAPH_TABLE = bugs_in(
    "ivme/tables/answers.py",
    (
        "clustering-by-degree",
        "2 * t / (d * (d - 1)) if t",
        "2 * t / (d * d) if t",
        "tests/graph/test_tables.py",
    ),
)

CHANGES = bugs_in(
    "ivme/graph/changes.py",
    (
        "copies-change-the-graph",
        "        if sign < 0 and intake.key(x, y) in intake.copies:\n            return ()\n",
        "",
        "tests/graph/test_on_change.py",
    ),
    ("listed-unguarded", "        intake.guard = READING", "        pass", "tests/graph/test_on_change.py"),
)

TOLD = bugs_in(
    "ivme/graph/maintained.py",
    (
        "ignored-edges-are-told",
        "        if changed and self._on_change is not None:\n",
        "        if self._on_change is not None:\n",
        "tests/graph/test_on_change.py",
    ),
    (
        "told-of-the-update-before",
        "GraphChange(self._engine.version,",
        "GraphChange(self._engine.version - 1,",
        "tests/graph/test_on_change.py",
    ),
    (
        "every-change-is-an-insert",
        "1 if sign > 0 else -1, triangles",
        "1, triangles",
        "tests/graph/test_on_change.py",
    ),
    (
        "told-no-more-after-rebuild",
        "bool(self._debug) or self._on_change is not None\n",
        "bool(self._debug)\n",
        "tests/graph/test_on_change.py",
    ),
)

WINDOW = bugs_in(
    "ivme/graph/window.py",
    (
        "window-one-too-many",
        "return len(self._record) + room > cast",
        "return len(self._record) > cast",
        "tests/graph/test_window.py",
    ),
    (
        "span-is-closed",
        "self._time) - then >= self._window)",
        "self._time) - then > self._window)",
        "tests/graph/test_window.py",
    ),
    ("comes-before-it-expires", "room=0 if loop else 1)", "room=0)", "tests/graph/test_window.py"),
    (
        "loop-takes-a-place",
        "            self._expire(room=0 if loop else 1)\n",
        "            self._expire(room=1)\n",
        "tests/graph/test_window.py",
    ),
    (
        "youngest-expires",
        "                record.popleft()\n",
        "                record.pop()\n",
        "tests/graph/test_window.py",
    ),
    ("times-go-backwards", 'if cast("Any", now) < last:', "if False:", "tests/graph/test_window.py"),
    (
        "zones-mixed",
        "if dated and _has_zone(now) != _has_zone(last):",
        "if False:",
        "tests/graph/test_window.py",
    ),
    (
        "refused-loop-lets-time-pass",
        "            if loop:\n                self._graph.insert(u, v)",
        "            self._time = now\n            if loop:\n                self._graph.insert(u, v)",
        "tests/graph/test_window.py",
    ),
    (
        "told-edge-expires-twice",
        "                if not self._in_step(edge):\n                    record.appendleft(edge)",
        "                if True:\n                    record.appendleft(edge)",
        "tests/graph/test_window.py",
    ),
    (
        "failed-edge-stays-recorded",
        "            if not self._in_step(edge):\n                self._record.pop()\n",
        "",
        "tests/graph/test_window.py",
    ),
    (
        "callback-changes-the-window",
        "            self._busy = True\n            if loop:",
        "            if loop:",
        "tests/graph/test_window.py",
    ),
    (
        "one-direction-counted",
        "same = {(u, v)} if graph.directed else {(u, v), (v, u)}",
        "same = {(u, v)}",
        "tests/graph/test_window.py",
    ),
    (
        "copy-shares-its-record",
        "_record=self._record.copy())",
        "_record=self._record)",
        "tests/graph/test_window.py",
    ),
    (
        "strangers-unnoticed",
        "if len(counted) != graph.number_of_edges():",
        "if False:",
        "tests/graph/test_window.py",
    ),
    (
        "window-error-one-later",
        'raise error.at("edge", done)',
        'raise error.at("edge", done + 1)',
        "tests/graph/test_window.py",
    ),
)

SPANS = bugs_in(
    "ivme/graph/spans.py",
    (
        "float-times-rounded",
        "    return _plain(Fraction(value))\n",
        "    return _plain(Fraction(str(value)))\n",
        "tests/graph/test_window.py",
    ),
    (
        "wall-clock-hours",
        "if value.utcoffset() is None else value.astimezone(UTC)",
        "",
        "tests/graph/test_window.py",
    ),
    (
        "true-is-a-time",
        "    if isinstance(value, bool):\n        return None\n",
        "",
        "tests/graph/test_window.py",
    ),
    ("infinite-decimals", "if not value.is_finite() or abs(", "if abs(", "tests/graph/test_window.py"),
    (
        "microseconds-cut",
        "    if exact.denominator > 1:\n",
        "    if exact < 0:\n",
        "tests/graph/test_window.py",
    ),
)

INTERNING = bugs_in(
    "ivme/kernel/storage/compact/interning.py",
    (
        "true-is-not-one",
        "            return i64(self.by_value.get(value, 0)) if self.by_value else 0\n",
        "            return 0\n",
        "tests/graph/test_storages.py",
    ),
)

GRAPH = (
    *ENGINE,
    *COSTS,
    *SETS,
    *ARENA,
    *FRONT,
    *DEFERRED,
    *LISTING,
    *GRAPH_API,
    *GRAPH_ANSWERS,
    *CHANGES,
    *TOLD,
    *WINDOW,
    *SPANS,
    *GRAPH_STRUCTURE,
    *GRAPH_COPIES,
    *GRAPH_FILES,
    *GRAPH_TABLE,
    *INTERNING,
)
