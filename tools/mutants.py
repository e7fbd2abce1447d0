"""Plant single-line bugs in `ivme/`, one at a time, and see that the fast tests kill each of them.

    python tools/mutants.py            all of them, two at a time; prints which survive
    python tools/mutants.py 3 17       only these
    python tools/mutants.py --list     the list

Each mutant is an exact piece of text that occurs exactly once in its file, and what replaces it. The tests
run on a copy of the checkout, against the copy's packages. A mutant that is listed in EQUIVALENT cannot be
killed, for the reason given there. The exit code is 0 if every other one dies. Mutants of the compact storage
are compiled, which takes a minute each.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("ivme", "spec", "reference", "tests", "examples", "docs")
TESTS = (
    "tests/ivme",
    "tests/agreement/test_random.py",
    "tests/agreement/test_targeted.py",
    "tests/agreement",
    "tests/conformance/test_own_machines.py",
    "tests/cost",
)
SECONDS = 1500
LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.so", "*.pyd", "_kernel.txt")
"""Also what was compiled: it would run instead of the mutant."""

COMPACT = (
    "ivme/kernel/storage/compact/bulk.py",
    "ivme/kernel/storage/compact/columns.py",
    "ivme/kernel/storage/compact/ids.py",
    "ivme/kernel/storage/compact/views.py",
    "ivme/kernel/storage/compact/nodes.py",
)
"""What only the compiled kernel runs."""

COMPACT_TESTS = ("tests/ivme/test_rows.py", "tests/ivme/test_nodes.py", "tests/ivme")
"""The first that look at it."""

Mutant = tuple[str, str, str]

MUTANTS: list[Mutant] = [
    # --- thresholds and sizes (fig:onUpdate) ---
    ("ivme/kernel/engine.py", "if self.size >= self.base:", "if self.size >= self.base + 1:"),
    ("ivme/kernel/engine.py", "if self.size < self.base // 4:", "if self.size <= self.base // 4:"),
    ("ivme/kernel/engine.py", "if self.size < self.base // 4:", "if self.size < self.base // 5:"),
    (
        "ivme/kernel/engine.py",
        "self.major_rebalance(doubled(self.base))",
        "self.major_rebalance(doubled(self.base) + 1)",
    ),
    (
        "ivme/kernel/engine.py",
        "self.major_rebalance(halved(self.base))",
        "self.major_rebalance(self.base // 2)",
    ),
    (
        "ivme/kernel/storage/dicts.py",
        "return LIGHT if degree < least_heavy else -1",
        "return LIGHT if degree <= least_heavy else -1",
    ),
    (
        "ivme/kernel/storage/dicts.py",
        "return LIGHT if degree < least_heavy else -1",
        "return LIGHT if degree < least_heavy - 1 else -1",
    ),
    (
        "ivme/kernel/storage/dicts.py",
        "return HEAVY if degree >= too_heavy else -1",
        "return HEAVY if degree > too_heavy else -1",
    ),
    (
        "ivme/kernel/engine.py",
        "self._too_heavy = theta.heavy, theta.light",
        "self._too_heavy = theta.heavy, theta.strict",
    ),
    (
        "ivme/kernel/storage/dicts.py",
        "(self.degree(column, value) >= strict) != (value in heavy)",
        "(self.degree(column, value) > strict) != (value in heavy)",
    ),
    (
        "ivme/kernel/engine.py",
        "relation.values_due(column, self.threshold.strict)",
        "relation.values_due(column, self.threshold.strict + 1)",
    ),
    (
        "ivme/kernel/engine.py",
        "relation.values_due(column, self.threshold.strict)",
        "relation.values_due(column, self.threshold.heavy)",
    ),
    (
        "ivme/kernel/engine.py",
        "second = self.settle(i, 1, y) if self.relations[i].double else None",
        "second = None",
    ),
    ("ivme/kernel/engine.py", "self.set_base(initial_base(self.size))", "self.set_base(self.size + 1)"),
    # --- OnUpdate ---
    (
        "ivme/kernel/engine.py",
        "if not self.signed and cast(int, new) < 0:",
        "if not self.signed and cast(int, new) < -1:",
    ),
    ("ivme/kernel/engine.py", "self.all_heavy = epsilon == 0", "self.all_heavy = epsilon == 2"),
    ("ivme/kernel/engine.py", "                relation.mark(1, y, HEAVY)\n", "                pass\n"),
    (
        "ivme/kernel/engine.py",
        "second = relation.status(1, y)\n        presence",
        "second = LIGHT\n        presence",
    ),
    (
        "ivme/kernel/engine.py",
        "presence = (1 if new else 0) - (0 if old is None else 1)",
        "presence = 1 if new else -1",
    ),
    (
        "ivme/kernel/engine.py",
        "if not relation.degree(column, value):",
        "if relation.degree(column, value) > 99:",
    ),
    ("ivme/kernel/engine.py", "self.size += presence", "self.size += max(presence, 0)"),
    (
        "ivme/kernel/engine.py",
        "        self.version += 1\n",
        "        self.version += 1 if old is None else 0\n",
    ),
    # --- ApplyUpdate ---
    ("ivme/kernel/engine.py", "found = summed.get(y, x)", "found = summed.get(x, y)"),
    (
        "ivme/kernel/engine.py",
        "                total = found if total is None else total + found\n        if total",
        "                total = found\n        if total",
    ),
    (
        "ivme/kernel/engine.py",
        "multiplicity * total)\n\n    def spread",
        "total)\n\n    def spread",
    ),
    (
        "ivme/kernel/engine.py",
        "if tasks := side.enter[first * 2 + second]:",
        "if tasks := side.enter[first * 2]:",
    ),
    ("ivme/kernel/engine.py", "if kept.holds((y, x)):", "if kept.holds((x, y)):"),
    (
        "ivme/kernel/engine.py",
        "                if presence > 0:\n                    kept.open_root((y, x))",
        "                if presence < 0:\n                    kept.open_root((y, x))",
    ),
    (
        "ivme/kernel/engine.py",
        "                        total = found if total is None else total + found\n                else:",
        "                        total = found\n                else:",
    ),
    (
        "ivme/kernel/storage/interface.py",
        "total = product if total is None else total + product",
        "total = product",
    ),
    ("ivme/kernel/storage/dicts.py", "multiplicity * left[z] * right[z])", "left[z] * right[z])"),
    (
        "ivme/kernel/engine.py",
        "row = side.following.row(y, second)",
        "row = side.following.row(x, second)",
    ),
    (
        "ivme/kernel/engine.py",
        "column = side.previous.column(x, first)",
        "column = side.previous.column(x, 0)",
    ),
    (
        "ivme/kernel/engine.py",
        "if not columns & first + 1:",
        "if not columns & 2 - first:",
    ),
    (
        "ivme/kernel/storage/dicts.py",
        "            del self.entries[key]\n",
        "            self.entries[key] = new\n",
    ),
    (
        "ivme/kernel/sides.py",
        "if task.forward else self.previous.status(1, middle)",
        "if task.forward else self.following.status(0, middle)",
    ),
    (
        "ivme/kernel/engine.py",
        "if task.known >= 0 and not side.reaches(task, middle):",
        "if False:",
    ),
    (
        "ivme/kernel/engine.py",
        "for bucket in task.buckets:\n                line =",
        "for bucket in task.buckets[:1]:\n                line =",
    ),
    (
        "ivme/kernel/engine.py",
        "summed.add_row(x, line, multiplicity)",
        "summed.add_row(y, line, multiplicity)",
    ),
    (
        "ivme/kernel/engine.py",
        "summed.add_column(line, y, multiplicity)",
        "summed.add_column(line, x, multiplicity)",
    ),
    (
        "ivme/kernel/engine.py",
        "triple = (x, y, z) if task.forward else (z, x, y)",
        "triple = (x, y, z) if task.forward else (z, y, x)",
    ),
    (
        "ivme/kernel/engine.py",
        "tree.open_root((triple[0], triple[2]))",
        "tree.open_root((triple[2], triple[0]))",
    ),
    ("ivme/kernel/engine.py", "tree.close_root((triple[0], triple[2]))", "pass"),
    # --- rebalancing ---
    (
        "ivme/kernel/engine.py",
        "new_first, new_second = (first, status) if column else (status, second)",
        "new_first, new_second = (first, status) if column else (status, status)",
    ),
    (
        "ivme/kernel/engine.py",
        "            self.move(i, x, y, first * 2 + second, new_first * 2 + new_second, multiplicity)\n",
        "",
    ),
    ("ivme/kernel/storage/dicts.py", "        remove_entry(lines[old], outer, inner)\n", ""),
    (
        "ivme/kernel/storage/dicts.py",
        "(self.forward, x, y) if column else (self.backward, y, x)",
        "(self.forward, x, y) if column else (self.backward, x, y)",
    ),
    (
        "ivme/kernel/engine.py",
        "        relation.mark(column, value, status)\n",
        "        relation.mark(0, value, status)\n",
    ),
    (
        "ivme/kernel/engine.py",
        "self.relist(i, x, y, multiplicity, becomes & ~was)",
        "self.relist(i, x, y, multiplicity, becomes)",
    ),
    (
        "ivme/kernel/engine.py",
        "self.relist(i, x, y, -multiplicity, was & ~becomes)",
        "self.relist(i, x, y, multiplicity, was & ~becomes)",
    ),
    (
        "ivme/kernel/sides.py",
        "enumerate(table[new]) if upkeep not in table[old]]",
        "enumerate(table[new]) if upkeep in table[old]]",
    ),
    (
        "ivme/kernel/engine.py",
        "self.upkeep(i, x, y, -multiplicity, -1, move.leave)",
        "self.upkeep(i, x, y, -multiplicity, 1, move.leave)",
    ),
    (
        "ivme/kernel/engine.py",
        "variable = VARIABLES[(i + column + self.turns) % 3]",
        "variable = VARIABLES[(i + column) % 3]",
    ),
    # --- plans ---
    (
        "ivme/kernel/plan.py",
        "return pattern[0] == part[0] and pattern[1] in (None, part[1])",
        "return pattern[0] == part[0]",
    ),
    ("ivme/kernel/plan.py", "elif tree is None or tree.closing != i:", "else:"),
    (
        "ivme/kernel/plan.py",
        'first = (tree.parts.index("ALL") + 1) % 3',
        'first = (tree.parts.index("ALL") + 2) % 3',
    ),
    (
        "ivme/kernel/plan.py",
        "found.append(Upkeep(tree.index, False, tree.left[1], (tree.left[0],)))",
        "found.append(Upkeep(tree.index, False, None, (tree.left[0],)))",
    ),
    (
        "ivme/kernel/plan.py",
        "buckets = _statuses(double[(i + 1) % 3]) if open_status is None else (open_status,)",
        "buckets = (LIGHT,)",
    ),
    # --- storage and trees ---
    (
        "ivme/kernel/storage/dicts.py",
        "        put_entry(self.backward[first], y, x, multiplicity)\n",
        "        put_entry(self.backward[0], y, x, multiplicity)\n",
    ),
    ("ivme/kernel/storage/dicts.py", "        remove_entry(self.backward[first], y, x)\n", ""),
    (
        "ivme/kernel/storage/dicts.py",
        "return len(light.get(value, ())) + len(heavy.get(value, ()))",
        "return len(light.get(value, ()))",
    ),
    (
        "ivme/kernel/storage/dicts.py",
        "return dict(entries) if capacity > 640 and capacity > 128 * len(entries) else entries",
        "return entries",
    ),
    ("ivme/kernel/storage/dicts.py", "self.index[last] = position", "self.index[last] = position + 1"),
    ("ivme/kernel/storage/dicts.py", "            self.items[position] = last\n", "            pass\n"),
    (
        "ivme/kernel/storage/trees.py",
        "new = multiplicity * m if old is None else old + multiplicity * m",
        "new = multiplicity * m",
    ),
    (
        "ivme/kernel/storage/trees.py",
        "new = m * multiplicity if old is None else old + m * multiplicity",
        "new = m + multiplicity if old is None else old + m * multiplicity",
    ),
    (
        "ivme/kernel/storage/trees.py",
        "            elif old is not None:\n                del sums[z]\n        if not sums:",
        "        if not sums:",
    ),
    (
        "ivme/kernel/storage/trees.py",
        "return pair if self.by_z else pair[0]",
        "return pair if self.by_z else pair[1]",
    ),
    ("ivme/kernel/storage/trees.py", "            self.buckets.remove(bucket)\n", "            pass\n"),
    ("ivme/kernel/storage/trees.py", "return len(values) == 1", "return len(values) <= 2"),
    # --- enumeration ---
    (
        "ivme/kernel/enumeration.py",
        "to = self.hop(self.successor(position))",
        "to = self.successor(position)",
    ),
    ("ivme/kernel/enumeration.py", "start = self.skipped_from.get(position, position)", "start = position"),
    ("ivme/kernel/enumeration.py", "if bucket == self.current:", "if bucket == -2:"),
    ("ivme/kernel/enumeration.py", "        if rows.is_empty():\n", "        if False:\n"),
    (
        "ivme/kernel/enumeration.py",
        "if isinstance(row, End) or iterators[last].contains(row):",
        "if isinstance(row, End):",
    ),
    (
        "ivme/kernel/enumeration.py",
        "return (place[0] + 1, 0) if place[0] + 1 < tree.pair_count(bucket) else EOF",
        "return EOF",
    ),
    ("ivme/kernel/enumeration.py", "if index is None or tree == index:", "if True:"),
    ("ivme/kernel/enumeration.py", "ys = [given] if rows.has(line, given) else []", "ys = [given]"),
    (
        "ivme/kernel/enumeration.py",
        "total = total + product(engine, triple)",
        "total = product(engine, triple)",
    ),
    (
        "ivme/kernel/enumeration.py",
        "if multiplicity := lookup(engine, row):\n                yield row, multiplicity",
        "yield row, lookup(engine, row)",
    ),
    (
        "ivme/kernel/enumeration.py",
        "if multiplicity := one * two * closing:",
        "if multiplicity := one * two:",
    ),
    # --- the public face ---
    (
        "ivme/view.py",
        "order = tuple((VARIABLES.index(variable) - turns) % 3 for variable in self._free)",
        "order = tuple(sorted((VARIABLES.index(variable) - turns) % 3 for variable in self._free))",
    ),
    (
        "ivme/kernel/engine.py",
        "return RELATIONS[(i + self.turns) % 3]",
        "return RELATIONS[(i - self.turns) % 3]",
    ),
    ("ivme/kernel/enumeration.py", "if engine.version != version:", "if engine.version > version + 1:"),
    (
        "ivme/view.py",
        "self.update(relation, x, y, -self._intake.copies(multiplicity))",
        "self.update(relation, x, y, self._intake.copies(multiplicity))",
    ),
    (
        "ivme/kernel/intake.py",
        'located = error.at("update", done)',
        'located = error.at("update", done + 1)',
    ),
    (
        "ivme/view.py",
        "if self._debug and self._engine.version % self._debug == 0:",
        "if self._debug and self._engine.version % self._debug == 1:",
    ),
    ("ivme/kernel/meter.py", "if steps > self.largest_delay:", "if steps < self.largest_delay:"),
    # --- handles, tables and intake ---
    (
        "ivme/kernel/engine.py",
        "move = side.moves[old * 4 + new]",
        "move = side.moves[old * 4 + old]",
    ),
    (
        "ivme/kernel/sides.py",
        "1 << (second * 2 + first) for second, first in buckets",
        "1 << (first * 2 + second) for second, first in buckets",
    ),
    (
        "ivme/kernel/sides.py",
        "self.bound_z = (i + 2) % 3 not in order",
        "self.bound_z = (i + 1) % 3 not in order",
    ),
    (
        "ivme/kernel/engine.py",
        "theta = threshold(base, self.epsilon)",
        "theta = threshold(self.base, self.epsilon)",
    ),
    ("ivme/kernel/engine.py", "if theta.base == base:", "if theta.base != base:"),
    # --- half-changed states, deltas ---
    ("ivme/kernel/engine.py", "            self.guard = BROKEN\n", "            self.guard = READY\n"),
    ("ivme/kernel/engine.py", "            self.guard = UPDATING\n", "            pass\n"),
    ("ivme/kernel/engine.py", "            self.guard = READING\n", "            pass\n"),
    (
        "ivme/kernel/engine.py",
        "if self.version == version:  # nothing",
        "if not self.half_changed:  # nothing",
    ),
    (
        "ivme/kernel/enumeration.py",
        "            engine.guard = READING\n            entry",
        "            entry",
    ),
    ("ivme/kernel/engine.py", "Interrupted(i, x, y, self.old)", "Interrupted(i, x, y, None)"),
    ("ivme/kernel/engine.py", "            if cut.old is not None:", "            if False:"),
    (
        "ivme/kernel/storage/dicts.py",
        "        yield from self.tuples()\n        for value",
        "        for value",
    ),
    ("ivme/kernel/enumeration.py", "        engine.guard = READING\n        multi", "        multi"),
    ("ivme/kernel/deltas.py", "for row_second in range(2):", "for row_second in range(1):"),
    ("ivme/kernel/deltas.py", "for column_first in range(2):", "for column_first in range(1):"),
    ("ivme/kernel/deltas.py", "if k not in engine.order:", "if not engine.order:"),
    ("ivme/kernel/deltas.py", "(row, old, old + change)", "(row, old, change)"),
    (
        "ivme/kernel/deltas.py",
        "[entry for entry in found if not entry[2]] + [entry for entry in found if entry[2]]",
        "found",
    ),
    ("ivme/kernel/deltas.py", "    engine.meter.enumeration += engine.steps - before\n", ""),
    ("ivme/kernel/intake.py", "if isinstance(given, int) and given < 0:", "if False:"),
    ("ivme/graph.py", "READY if self._changing is None else BROKEN", "READY"),
    ("ivme/graph.py", "            if copies:\n                edges[edge] = copies\n", ""),
    (
        "ivme/kernel/engine.py",
        "return None if status < 0 else self.minor_rebalance",
        "return None if status <= 0 else self.minor_rebalance",
    ),
    ("ivme/kernel/engine.py", "            self.vanish(i, 1, y)\n", ""),
    (
        "ivme/kernel/engine.py",
        "relation.shift(column, x, y, LIGHT, HEAVY, multiplicity)",
        "relation.shift(0, x, y, LIGHT, HEAVY, multiplicity)",
    ),
    (
        "ivme/kernel/engine.py",
        "relation.shift(column, x, y, old, status, multiplicity)",
        "relation.shift(0, x, y, old, status, multiplicity)",
    ),
    # --- tuples that move at once ---
    ("ivme/kernel/engine.py", "moves[parts[0] * 4 + parts[1]]", "moves[parts[1] * 4 + parts[0]]"),
    ("ivme/kernel/engine.py", "line, move.leave_at_once, -1)", "line, move.leave_at_once, 1)"),
    ("ivme/kernel/engine.py", "1 + self.summed[task.tree].drop(value)", "1"),
    (
        "ivme/kernel/engine.py",
        "if not side.reaches(task, value):",
        "if False:",
    ),
    (
        "ivme/kernel/engine.py",
        "(line, partners) if task.forward else (partners, line)",
        "(partners, line)",
    ),
    (
        "ivme/kernel/storage/trees.py",
        "self.add_row(x, row, m if sign > 0 else -m)",
        "self.add_row(x, row, m)",
    ),
    ("ivme/kernel/sides.py", "first_column = old // 2 != new // 2", "first_column = old % 2 != new % 2"),
    (
        "ivme/kernel/sides.py",
        "self.drop = [task for task in gone if not task.kept and first_column and task.forward]",
        "self.drop = [task for task in gone if not task.kept and first_column]",
    ),
    ("ivme/kernel/engine.py", "for task in part if task.forward == forward]", "for task in part]"),
    ("ivme/kernel/engine.py", "self.meter.count_minor(steps, len(done))", "self.meter.count_minor(steps, 1)"),
    # --- watching ---
    (
        "ivme/kernel/storage/dicts.py",
        "self.watched[column] if least >= self.watch else",
        "self.watched[column] if True else",
    ),
    (
        "ivme/kernel/storage/dicts.py",
        "self.watched[column] if least >= self.watch else",
        "self.watched[column] if False else",
    ),
    (
        "ivme/kernel/storage/dicts.py",
        "if self.degree(column, value) == self.watch:",
        "if self.degree(column, value) == self.watch + 1:",
    ),
    (
        "ivme/kernel/storage/dicts.py",
        "                self.watched[column].remove(value)\n",
        "                pass\n",
    ),
    ("ivme/kernel/engine.py", "relation.watch <= max(1, heavy - 1):", "relation.watch <= max(1, heavy + 1):"),
    ("ivme/kernel/engine.py", "            self.watch(relation, self.threshold.heavy // 8)\n", ""),
    ("ivme/kernel/engine.py", "                self.steps += 2 * relation.watching(column)\n", ""),
    (
        "ivme/kernel/engine.py",
        "self.steps += 2 * relation.watch_from",
        "self.steps += 0 * relation.watch_from",
    ),
    (
        "ivme/kernel/storage/compact/nodes.py",
        "if least >= self.watch else nodes.live():",
        "if True else nodes.live():",
    ),
    (
        "ivme/kernel/storage/compact/nodes.py",
        "        if left.row_degree == self.from_degree:\n            self.watched_first.remove",
        "        if False:\n            self.watched_first.remove",
    ),
    (
        "ivme/kernel/storage/compact/nodes.py",
        "            self.watched_second.add(right.id)\n",
        "            pass\n",
    ),
    ("ivme/kernel/storage/dicts.py", "self.forward[self.status(1, y)].get(x)", "self.forward[LIGHT].get(x)"),
    ("ivme/kernel/storage/trees.py", "return root.position(pair), self", "return 0, self"),
    (
        "ivme/kernel/intake.py",
        "type(multiplicity) is int and multiplicity != 0:",
        "type(multiplicity) is int:",
    ),
    (
        "ivme/kernel/intake.py",
        "type(multiplicity) is not int or multiplicity <= 0:",
        "type(multiplicity) is not int:",
    ),
    ("ivme/kernel/intake.py", "            done += 1\n", "            done = 1\n"),
    # --- compact rows ---
    (
        "ivme/kernel/storage/compact/ids.py",
        "if ((slot - home) & mask) >= ((slot - gap) & mask):",
        "if slot > home:",
    ),
    (
        "ivme/kernel/storage/compact/ids.py",
        "self.index[self.slot_of(self.keys[last])] = i32(position + 1)",
        "self.index[self.slot_of(self.keys[last])] = i32(position)",
    ),
    ("ivme/kernel/storage/compact/ids.py", "            self.payloads[position] = self.payloads[last]\n", ""),
    ("ivme/kernel/storage/compact/ids.py", "else self.value_at(self.find(key))", "else self.value_at(0)"),
    ("ivme/kernel/storage/compact/ids.py", "-WORD <= value <= WORD", "True"),
    (
        "ivme/kernel/storage/compact/ids.py",
        "self.is_multiple(row, -factor)",
        "self.is_multiple(row, factor)",
    ),
    ("ivme/kernel/storage/compact/ids.py", "if small(one) and small(two):", "if True:"),
    ("ivme/kernel/storage/compact/ids.py", "                self.marks[marked.keys[position]] = 0\n", ""),
    (
        "ivme/kernel/storage/compact/ids.py",
        "            if not small(row.payloads[position]):\n                return\n",
        "",
    ),
    (
        "ivme/kernel/storage/compact/ids.py",
        "self.steps = min(len(left.keys), len(right.keys)) + int(matches)",
        "self.steps = len(left.keys) + int(matches)",
    ),
    # --- nodes ---
    ("ivme/kernel/storage/compact/nodes.py", "if stored == value:", "if True:"),
    (
        "ivme/kernel/storage/compact/nodes.py",
        "        self.seat(node)\n        if reused:",
        "        if reused:",
    ),
    ("ivme/kernel/storage/compact/nodes.py", "if is_atomic(value) else ObjectNode(value, number)", ""),
    ("ivme/kernel/storage/compact/nodes.py", "if place < 0 and len(self.places) > 0:", "if False:"),
    (
        "ivme/kernel/storage/compact/nodes.py",
        "if int(place) >= most or 2 * length > most:",
        "if 2 * length > most:",
    ),
    (
        "ivme/kernel/storage/compact/nodes.py",
        "                self.seat(self.at(entry - 1))\n",
        "                pass\n",
    ),
    (
        "ivme/kernel/storage/compact/nodes.py",
        "                places[at] = i32(node.id + 1)\n",
        "                others[value] = node\n",
    ),
    ("ivme/kernel/storage/compact/nodes.py", "            self.places[place] = 0\n", "            pass\n"),
    ("ivme/kernel/storage/compact/nodes.py", "if len(self.places) > 2 * self.most():", "if False:"),
    ("ivme/kernel/storage/compact/nodes.py", "        right.column_degree -= 1\n", ""),
    (
        "ivme/kernel/storage/compact/bulk.py",
        "self.beyond_one.append((len(self.xs), multiplicity - 1))",
        "pass",
    ),
    ("ivme/kernel/storage/compact/bulk.py", "            column.change(left.id, more)\n", ""),
    (
        "ivme/kernel/storage/compact/nodes.py",
        "            line.drop_at(line.find(inner.id))\n",
        "            line.drop_at(0)\n",
    ),
    # --- compact views ---
    ("ivme/kernel/storage/compact/views.py", "        self.count -= dropped\n", ""),
    (
        "ivme/kernel/storage/compact/views.py",
        "row, sign * left.value_at(position))",
        "row, left.value_at(position))",
    ),
    ("ivme/kernel/storage/compact/views.py", "if turn == 1 or turn == -2 else", "if turn == 1 else"),
    (
        "ivme/kernel/storage/compact/columns.py",
        "right.column(z, plan.right[0])",
        "right.column(z, 1 - plan.right[0])",
    ),
    (
        "ivme/kernel/storage/compact/columns.py",
        "one.value_of(y) * two.value_of(y) * closing",
        "one.value_of(y) * two.value_of(y)",
    ),
    (
        "ivme/kernel/storage/compact/columns.py",
        "self.exact is None and -WORD <= multiplicity <= WORD",
        "self.exact is None",
    ),
]

EQUIVALENT: dict[int, str] = {}
"""Numbers of mutants that change nothing that can be seen, with the reason."""


def plant(mutant: Mutant, root: Path) -> None:
    """Change one file of a copy."""
    name, old, new = mutant
    text = (root / name).read_text(encoding="utf-8")
    if text.count(old) != 1:
        raise SystemExit(f"{name}: {old!r} occurs {text.count(old)} times, not once")
    (root / name).write_text(text.replace(old, new), encoding="utf-8")


def killed(number: int) -> tuple[int, bool, str]:
    """Run the fast tests against one mutant: number, whether a test failed, and the first that did."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder)
        for name in FOLDERS:
            if (ROOT / name).exists():
                shutil.copytree(ROOT / name, copy / name, ignore=LEFT_OUT)
        for name in ("pyproject.toml", "README.md", "hatch_build.py"):
            shutil.copy(ROOT / name, copy / name)
        plant(MUTANTS[number], copy)
        compact = MUTANTS[number][0] in COMPACT
        if (
            compact
            and subprocess.run([sys.executable, copy / "hatch_build.py"], capture_output=True).returncode
        ):
            return number, False, "does not compile"
        paths = [str(copy), str(copy / "spec"), str(copy / "reference")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
        existing = [test for test in COMPACT_TESTS if compact] or [
            test for test in TESTS if (copy / test).exists()
        ]
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *existing]
        try:
            done = subprocess.run(
                command,
                cwd=copy,
                env=environment,
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return number, False, f"not decided in {SECONDS} s"
        lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        return number, done.returncode == 1, lines[0][:100] if lines else ""


def main(arguments: list[str]) -> int:
    """Run the mutants that are asked for; the exit code."""
    if any(not argument.isdecimal() and argument != "--list" for argument in arguments):
        print(__doc__)
        return 2
    numbers = [int(argument) for argument in arguments if argument.isdecimal()] or list(range(len(MUTANTS)))
    if "--list" in arguments:
        for number in numbers:
            name, old, new = MUTANTS[number]
            print(f"{number:3} {name}: {old.strip()!r} -> {new.strip()!r}")
        return 0
    survivors = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        for number, dead, how in pool.map(killed, numbers):
            state = "killed" if dead else "equivalent" if number in EQUIVALENT else "SURVIVES"
            if state == "SURVIVES":
                survivors.append(number)
            print(
                f"{number:3} {state:10} {MUTANTS[number][0]}: {MUTANTS[number][1].strip()[:60]!r}  {how}",
                flush=True,
            )
    deaths = len(numbers) - len(survivors) - sum(number in EQUIVALENT for number in numbers)
    print(f"{len(numbers)} mutants: {deaths} killed, {len(survivors)} survive: {survivors}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
