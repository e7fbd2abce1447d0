"""Bugs in the graph kernel and in `GraphTriangles`; those of the arena are compiled before they are tried."""

from __future__ import annotations

from planted.mutant import bugs_in

ENGINE = bugs_in(
    "ivme/kernel/graph/engine.py",
    ("graph-doubles-late", "if self.size >= self.base:", "if self.size > self.base:", "tests"),
    ("graph-halves-late", "self.least_base: i64 = base // 4", "self.least_base: i64 = base // 5", "tests"),
    ("graph-halves-once", "    while size < base // 4:\n", "    if size < base // 4:\n", "tests"),
    (
        "graph-threshold-of-other-base",
        "            if theta.base == base:\n",
        "            if theta.base >= base:\n",
        "tests",
    ),
    (
        "degree-without-predecessors",
        "self.storage.length(2 * x) + self.storage.length(2 * x + 1)",
        "2 * self.storage.length(2 * x)",
        "tests",
    ),
    (
        "upkeep-of-inserts-only",
        "            self.maintain(x, y, -1)\n",
        "            pass\n",
        "tests",
    ),
    (
        "upkeep-one-way",
        "        if not self.directed:\n            self.propagate(y, x, sign)\n",
        "",
        "tests",
    ),
    (
        "wedges-of-one-end",
        "self.wedges += int(degree_x + degree_y)",
        "self.wedges += int(degree_x + degree_x)",
        "tests",
    ),
    (
        "second-vertex-not-settled",
        "        self.settle(y, degree_y)\n",
        "",
        "tests",
    ),
    (
        "built-a-as-directed",
        "            elif not self.directed:\n                explicit_b",
        "            else:\n                explicit_b",
        "tests",
    ),
    (
        "light-end-keeps-built-pairs",
        "                explicit_b = found - storage.heavy_matches\n",
        "                pass\n",
        "tests",
    ),
    (
        "light-end-leaves-out-heavy-ones",
        "                explicit_a = found - storage.built_matches\n",
        "                explicit_a = found - storage.heavy_matches\n",
        "tests",
    ),
    (
        "pair-turned",
        "            owner, end = a, b\n        payer: i64 = 0\n",
        "            owner, end = a, a\n        payer: i64 = 0\n",
        "tests",
    ),
    (
        "heavy-common-forgotten",
        "                    found += 1\n                    if self.tracked:\n",
        "                    if self.tracked:\n",
        "tests",
    ),
    (
        "heavy-common-not-bumped",
        "                        storage.bump(w, sign)\n",
        "                        pass\n",
        "tests",
    ),
    (
        "use-does-not-help-a-row",
        "            row.gap = max(0, row.gap - scan)\n        else:",
        "        else:",
        "tests",
    ),
    ("scans-are-free", "        credit.paid += scan\n", "        credit.paid += 0\n", "tests"),
    (
        "price-of-the-row-only",
        "price = 2 * length + 2 * self.storage.light_total(row)",
        "price = 2 * length",
        "tests",
    ),
    ("built-unpaid", "if credit.paid < price:", "if credit.paid < 0:", "tests"),
    ("credit-kept-by-built", "        del self.credits[int(u)]\n", "", "tests"),
    ("built-without-handing-over", "            self.hand_over(u, -1)\n", "            pass\n", "tests"),
    ("dropped-without-handing-over", "            self.hand_over(u, 1)\n", "            pass\n", "tests"),
    (
        "handed-over-twice",
        "if self.directed or not storage.is_built(z):",
        "if True:",
        "tests",
    ),
    (
        "row-with-itself",
        "                    if u != b:\n                        storage.add_pair",
        "                    if True:\n                        storage.add_pair",
        "tests",
    ),
    ("upkeep-is-free", "            self.rows[int(a)].gap += 2 * changed\n", "", "tests"),
    ("dropped-late", "if row.gap + more >= row.price:", "if row.gap + more > 2 * row.price:", "tests"),
    ("vertex-stays", "        if degree == 0:\n            self.storage.forget(x)\n", "", "tests"),
    (
        "watched-for-ever",
        "            self.watched.discard(int(x))\n",
        "            pass\n",
        "tests",
    ),
    (
        "becomes-light-late",
        "        if degree < self.heavy:\n",
        "        if degree < self.heavy - 1:\n",
        "tests",
    ),
    (
        "becomes-heavy-late",
        "elif degree >= self.light and not",
        "elif degree > self.light and not",
        "tests",
    ),
    (
        "heavy-stays-in-the-middle",
        "                self.charge_row(u, storage.join_pairs(u, w, -1))\n",
        "                pass\n",
        "tests",
    ),
    (
        "implicit-triangles-lost",
        "                storage.bump(w, self.implicit(w))\n",
        "                pass\n",
        "tests",
    ),
    ("no-column-of-a-heavy-vertex", "for u in self.fill(w, 1):", "for u in ():", "tests"),
    ("built-and-light", "        if storage.is_built(w):\n            self.drop(w)\n", "", "tests"),
    ("credit-of-a-light-vertex", "        self.credits.pop(int(w), None)\n", "", "tests"),
    ("place-not-moved", "            self.places[last] = place\n", "", "tests"),
    ("fill-through-heavy", "            if storage.is_heavy(x):\n                continue\n", "", "tests"),
    (
        "fill-not-explicit",
        "                storage.bump(x, -sign * closed)\n",
        "                pass\n",
        "tests",
    ),
    (
        "major-keeps-heavy",
        "for x in [x for x in self.heavies if self.degree(x) < strict]:",
        "for x in list[int]():",
        "tests",
    ),
    (
        "major-keeps-light",
        "            if self.degree(x) >= strict and not self.storage.is_heavy(x):",
        "            if self.degree(x) > strict and not self.storage.is_heavy(x):",
        "tests",
    ),
    ("watch-not-renewed", "        self.renew_watch(1)\n", "", "tests"),
    (
        "implicit-counted-twice",
        "twice += 1 if not self.directed and storage.is_built(z) else 2",
        "twice += 2",
        "tests",
    ),
    (
        "light-is-explicit",
        "return int(self.storage.explicit(x) + self.implicit(x))",
        "return int(self.storage.explicit(x))",
        "tests",
    ),
    (
        "loaded-once-too-often",
        "storage.bump(x, -(storage.explicit(x) // 2))",
        "storage.bump(x, -(storage.explicit(x) // 3))",
        "tests",
    ),
    (
        "reads-do-not-pay",
        "        if self.charge(owner, scan) != 0:\n            self.consider(owner)\n",
        "",
        "tests",
    ),
)

SETS = bugs_in(
    "ivme/kernel/graph/sets.py",
    (
        "set-id-reused",
        "self.last = found = self.last + 1",
        "self.last = found = len(self.values) + 1",
        "tests",
    ),
    (
        "set-empty-row-kept",
        "        if len(found) == 1:\n            del self.rows[row]\n",
        "        if False:\n            del self.rows[row]\n",
        "tests",
    ),
    (
        "set-zero-pair-kept",
        "        if total:\n            view[z] = total\n",
        "        if True:\n            view[z] = total\n",
        "tests",
    ),
    ("set-pair-with-itself", "        found.discard(u)\n", "", "tests"),
    (
        "set-pairs-through-heavy",
        "for w in self.rows.get(self.stride * u, NOBODY) - self.heavies:",
        "for w in self.rows.get(self.stride * u, NOBODY):",
        "tests",
    ),
    (
        "set-built-matches-are-heavy",
        "len(self.views.keys() & found)",
        "len(self.heavies & found)",
        "tests",
    ),
)

ARENA = bugs_in(
    "ivme/kernel/graph/arena.py",
    ("arena-neighbour-overwritten", "cells[start + count] = i32(y)", "cells[start] = i32(y)", "tests"),
    (
        "arena-gap-closed-wrongly",
        "if ((slot - home) & mask) >= ((slot - gap) & mask):",
        "if slot > home:",
        "tests",
    ),
    ("arena-block-lost", "        if size > 0:\n            self.give(old, size)\n", "", "tests"),
    ("arena-free-blocks-lost", "self.cells[block] = self.free[kind]", "self.cells[block] = 0", "tests"),
    (
        "arena-bit-stays",
        "cells[word] = i32(i64(cells[word]) & ~(1 << (y & 31)))",
        "cells[word] = i32(i64(cells[word]))",
        "tests",
    ),
    (
        "arena-bitmaps-not-widened",
        "        if x >= 32 * self.words:\n            self.widen_bitmaps()\n",
        "",
        "tests",
    ),
    ("arena-half-a-bitmap", "last = word + self.words\n", "last = word + (self.words >> 1)\n", "tests"),
    ("arena-empty-cell-marked", "        marks[0] = 0\n", "", "tests"),
    (
        "arena-stamp-forgotten",
        "        self.stamp += 1\n",
        "        self.stamp |= 1\n",
        "tests",
    ),
    (
        "arena-built-bit-only",
        "self.bits[u] = i32(HEAVY_BIT | BUILT_BIT)",
        "self.bits[u] = i32(BUILT_BIT)",
        "tests",
    ),
    (
        "arena-arrives-early",
        "            self.arrivals[x] = self.arrived\n            return x\n",
        "            return x\n",
        "tests",
    ),
    (
        "arena-counts-kept",
        "        self.bits, self.arrivals, self.words, self.mapped =",
        "        self.bits, self.arrivals, _, self.mapped =",
        "tests",
    ),
)

FRONT = bugs_in(
    "ivme/kernel/graph/front.py",
    (
        "graph-update-unguarded",
        "            self.guard = UPDATING\n",
        "            pass\n",
        "tests",
    ),
    ("half-changed-graph-is-ready", "            if not self.changing:\n", "            if True:\n", "tests"),
    (
        "refused-vertex-stays",
        "if y != 0 and y != x and engine.degree(y) == 0:",
        "if False:",
        "tests",
    ),
    (
        "ignored-loop-stays",
        "            if self.engine.degree(x) == 0:\n                self.storage.forget(x)\n",
        "",
        "tests",
    ),
    ("loop-inserted", "        if self.ignore_loops:\n", "        if True:\n", "tests"),
    ("copy-not-counted", "self.copies[key] = self.copies.get(key, 1) + 1", "self.copies[key] = 2", "tests"),
    ("last-copy-stays", "            if copies == 2:\n", "            if copies == 3:\n", "tests"),
    ("edge-has-two-keys", "if y < x and not self.engine.directed else", "if False else", "tests"),
    (
        "graph-error-one-later",
        'located = error.at("update", done)',
        'located = error.at("update", done + 1)',
        "tests",
    ),
    ("every-sign-inserts", "if sign != 1 and sign != -1:", "if sign == 0:", "tests"),
    ("repeated-edges-loaded", "elif engine.joined(x, y):", "elif engine.joined(y, x) and False:", "tests"),
    ("guard-not-held", "if not changed or not self.hold:", "if True:", "tests"),
    (
        "order-after-leaving",
        "        self.falling = self.storage.arrival(x) > self.storage.arrival(y)\n        self.changing",
        "        self.changing",
        "tests",
    ),
)

LISTING = bugs_in(
    "ivme/kernel/graph/listing.py",
    (
        "updated-in-between-unnoticed",
        "                if engine.version != version:\n                    raise",
        "                if False:\n                    raise",
        "tests",
    ),
    (
        "updated-in-the-end-unnoticed",
        '        if engine.version != version:\n            raise StaleEnumerationError("the graph',
        '        if False:\n            raise StaleEnumerationError("the graph',
        "tests",
    ),
    (
        "cycles-from-any-vertex",
        "if rank(x) < rank(y) and rank(x) < rank(z):",
        "if rank(x) < rank(y):",
        "tests",
    ),
    ("triangles-not-in-order", "a, b, c = sorted((x, y, z), key=rank)", "a, b, c = x, y, z", "tests"),
    (
        "predecessors-not-salvaged",
        "                found[y, x] = None\n",
        "                pass\n",
        "tests",
    ),
)

GRAPH_API = bugs_in(
    "ivme/graph.py",
    (
        "graph-without-its-views-is-ready",
        "                intake.guard, intake.pending = BROKEN, (u, v, sign)\n",
        "                intake.guard = READY\n",
        "tests",
    ),
    ("interrupted-edge-lost", "            if sign < 0:\n                found[u, v] = None\n", "", "tests"),
    ("interrupted-edge-stays", "                found.pop(edge, None)\n", "                pass\n", "tests"),
    (
        "copies-not-copied",
        "listing.edges(self._engine)), copies, ranks)",
        "listing.edges(self._engine)), {}, ranks)",
        "tests",
    ),
    ("order-not-copied", "key=lambda v: ranks.get(v, last)", "key=lambda v: 0", "tests"),
    ("on-looked-up-as-given", "(v, u) if falling else (u, v)]", "(u, v)]", "tests"),
    (
        "copies-of-strangers",
        "if strangers := {key for key in self._intake.copies if not self._engine.joined(*key)}:",
        "if strangers := set[int]():",
        "tests",
    ),
    (
        "debug-of-graph-one-later",
        "if changed and self._debug and self._engine.version % self._debug == 0:",
        "if changed and self._debug and self._engine.version % self._debug == 1:",
        "tests",
    ),
    (
        "counters-start-anew",
        "        self._engine.meter, self._engine.version = old.meter, old.version + 1\n",
        "",
        "tests",
    ),
    (
        "old-enumerations-go-on",
        "        engine.version += 1  # open",
        "        engine.version += 0  # open",
        "tests",
    ),
)

INTERNING = bugs_in(
    "ivme/kernel/storage/compact/interning.py",
    (
        "true-is-not-one",
        "            return i64(self.by_value.get(value, 0)) if self.by_value else 0\n",
        "            return 0\n",
        "tests",
    ),
)

GRAPH = (*ENGINE, *SETS, *ARENA, *FRONT, *LISTING, *GRAPH_API, *INTERNING)
