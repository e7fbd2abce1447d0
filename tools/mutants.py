"""Plant single-line bugs in `ivme/`, one at a time, and see that the fast tests kill each of them.

    python tools/mutants.py            all of them, two at a time; prints which survive
    python tools/mutants.py 3 17       only these
    python tools/mutants.py --list     the list

Each mutant is an exact piece of text that occurs exactly once in its file, and what replaces it. The tests
run on a copy of the checkout, against the copy's packages. A mutant that is listed in EQUIVALENT cannot be
killed, for the reason given there. The exit code is 0 if every other one dies.
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

Mutant = tuple[str, str, str]

MUTANTS: list[Mutant] = [
    # --- thresholds and sizes (fig:onUpdate) ---
    ("ivme/engine.py", "if self.size == self.base:", "if self.size == self.base + 1:"),
    ("ivme/engine.py", "if self.size < self.base // 4:", "if self.size <= self.base // 4:"),
    ("ivme/engine.py", "if self.size < self.base // 4:", "if self.size < self.base // 5:"),
    (
        "ivme/engine.py",
        "self.major_rebalance(doubled(self.base))",
        "self.major_rebalance(doubled(self.base) + 1)",
    ),
    ("ivme/engine.py", "self.major_rebalance(halved(self.base))", "self.major_rebalance(self.base // 2)"),
    ("ivme/engine.py", "if degree < theta.heavy:", "if degree <= theta.heavy:"),
    ("ivme/engine.py", "if degree < theta.heavy:", "if degree < theta.heavy - 1:"),
    ("ivme/engine.py", "elif degree >= theta.light:", "elif degree > theta.light:"),
    ("ivme/engine.py", "elif degree >= theta.light:", "elif degree >= theta.strict:"),
    (
        "ivme/engine.py",
        "degree(column, value) >= self.threshold.strict",
        "degree(column, value) > self.threshold.strict",
    ),
    ("ivme/engine.py", "if d >= self.threshold.strict)", "if d > self.threshold.strict)"),
    ("ivme/engine.py", "if d >= self.threshold.strict)", "if d >= self.threshold.heavy)"),
    (
        "ivme/engine.py",
        "for column, value in ((0, x), (1, y)) if relation.double",
        "for column, value in ((0, x),) if relation.double",
    ),
    ("ivme/engine.py", "self.base = initial_base(size)", "self.base = size + 1"),
    # --- OnUpdate ---
    (
        "ivme/engine.py",
        "if not self.ring.signed and cast(int, new) < 0:",
        "if not self.ring.signed and cast(int, new) < -1:",
    ),
    ("ivme/engine.py", "if old is None and self.epsilon == 0:", "if old is None and self.epsilon == 2:"),
    ("ivme/engine.py", "                relation.heavy[1].add(y)\n", "                pass\n"),
    (
        "ivme/engine.py",
        "second = HEAVY if y in relation.heavy[1] else LIGHT\n        presence",
        "second = LIGHT\n        presence",
    ),
    (
        "ivme/engine.py",
        "presence = (1 if new else 0) - (0 if old is None else 1)",
        "presence = 1 if new else -1",
    ),
    ("ivme/engine.py", "not relation.degree(column, value):", "relation.degree(column, value) > 99:"),
    ("ivme/engine.py", "self.size += presence", "self.size += max(presence, 0)"),
    ("ivme/engine.py", "        self.version += 1\n", "        self.version += 1 if old is None else 0\n"),
    # --- ApplyUpdate ---
    ("ivme/engine.py", "found = self.summed[index].get(y, x)", "found = self.summed[index].get(x, y)"),
    ("ivme/engine.py", "total = found if total is None else total + found", "total = found"),
    (
        "ivme/engine.py",
        "self.add_to_head(self._key[i]((x, y, None)), multiplicity * total)\n        if upkeep",
        "self.add_to_head(self._key[i]((x, y, None)), total)\n        if upkeep",
    ),
    (
        "ivme/engine.py",
        "if upkeep := self.plan.upkeep[i][first * 2 + second]:",
        "if upkeep := self.plan.upkeep[i][first * 2]:",
    ),
    ("ivme/engine.py", "if tree.values((y, x)) is not None:", "if tree.values((x, y)) is not None:"),
    (
        "ivme/engine.py",
        "                    if presence > 0:\n                        tree.open_root((y, x))",
        "                    if presence < 0:\n                        tree.open_root((y, x))",
    ),
    ("ivme/engine.py", "total = product if total is None else total + product", "total = product"),
    ("ivme/engine.py", "multiplicity * row[z] * column[z])", "row[z] * column[z])"),
    (
        "ivme/engine.py",
        "row, column = rows[row_second].get(y), columns[column_first].get(x)",
        "row, column = rows[row_second].get(x), columns[column_first].get(y)",
    ),
    (
        "ivme/engine.py",
        "for row_second, column_first in buckets:",
        "for row_second, column_first in buckets[:1]:",
    ),
    ("ivme/engine.py", "            del self.head[key]\n", "            self.head[key] = new\n"),
    (
        "ivme/engine.py",
        "if task.known is not None and task.known != (row_first if task.forward else column_second):",
        "if task.known is not None and task.known != row_first:",
    ),
    (
        "ivme/engine.py",
        "if task.known is not None and task.known !=",
        "if task.known is not None and False and task.known !=",
    ),
    ("ivme/engine.py", "for bucket in task.buckets:", "for bucket in task.buckets[:1]:"),
    (
        "ivme/engine.py",
        "self.summed[task.tree].add_row(x, line, multiplicity)",
        "self.summed[task.tree].add_row(y, line, multiplicity)",
    ),
    (
        "ivme/engine.py",
        "self.summed[task.tree].add_column(line, y, multiplicity)",
        "self.summed[task.tree].add_column(line, x, multiplicity)",
    ),
    (
        "ivme/engine.py",
        "triple = (x, y, z) if task.forward else (z, x, y)",
        "triple = (x, y, z) if task.forward else (z, y, x)",
    ),
    (
        "ivme/engine.py",
        "tree.open_root((triple[0], triple[2]))",
        "tree.open_root((triple[2], triple[0]))",
    ),
    ("ivme/engine.py", "tree.close_root((triple[0], triple[2]))", "pass"),
    # --- rebalancing ---
    (
        "ivme/engine.py",
        "new = (old[0], status) if column else (status, old[1])",
        "new = (old[0], status) if column else (status, status)",
    ),
    ("ivme/engine.py", "            self.move(i, x, y, old, new, multiplicity)\n", ""),
    (
        "ivme/engine.py",
        "            relation.remove(x, y, *old)\n            relation.put",
        "            relation.put",
    ),
    (
        "ivme/engine.py",
        "relation.heavy[column].add(value)\n        else",
        "relation.heavy[0].add(value)\n        else",
    ),
    (
        "ivme/engine.py",
        "if buckets := tuple(bucket for bucket in mine if bucket not in other):",
        "if buckets := mine:",
    ),
    ("ivme/engine.py", "(-multiplicity, listed_old, listed_new),", "(multiplicity, listed_old, listed_new),"),
    (
        "ivme/engine.py",
        "if tasks := [task for task in mine_ if task not in other_]:",
        "if tasks := [task for task in mine_ if task in other_]:",
    ),
    ("ivme/engine.py", "(-multiplicity, -1, leave, enter)", "(-multiplicity, 1, leave, enter)"),
    (
        "ivme/engine.py",
        "variable = VARIABLES[(i + column + self.turns) % 3]",
        "variable = VARIABLES[(i + column) % 3]",
    ),
    # --- plans ---
    (
        "ivme/plan.py",
        "return pattern[0] == part[0] and pattern[1] in (None, part[1])",
        "return pattern[0] == part[0]",
    ),
    ("ivme/plan.py", "elif tree is None or tree.closing != i:", "else:"),
    (
        "ivme/plan.py",
        'first = (tree.parts.index("ALL") + 1) % 3',
        'first = (tree.parts.index("ALL") + 2) % 3',
    ),
    (
        "ivme/plan.py",
        "found.append(Upkeep(tree.index, False, tree.left[1], (tree.left[0],)))",
        "found.append(Upkeep(tree.index, False, None, (tree.left[0],)))",
    ),
    (
        "ivme/plan.py",
        "buckets = _statuses(double[(i + 1) % 3]) if open_status is None else (open_status,)",
        "buckets = (LIGHT,)",
    ),
    # --- storage and trees ---
    (
        "ivme/storage.py",
        "        put_entry(self.backward[first], y, x, multiplicity)\n",
        "        put_entry(self.backward[0], y, x, multiplicity)\n",
    ),
    ("ivme/storage.py", "        remove_entry(self.backward[first], y, x)\n", ""),
    (
        "ivme/storage.py",
        "return len(light.get(value, ())) + len(heavy.get(value, ()))",
        "return len(light.get(value, ()))",
    ),
    (
        "ivme/storage.py",
        "return dict(entries) if capacity > 640 and capacity > 128 * len(entries) else entries",
        "return entries",
    ),
    ("ivme/storage.py", "self.index[last] = position", "self.index[last] = position + 1"),
    ("ivme/storage.py", "            self.items[position] = last\n", "            pass\n"),
    (
        "ivme/trees.py",
        "new = multiplicity * m if old is None else old + multiplicity * m",
        "new = multiplicity * m",
    ),
    (
        "ivme/trees.py",
        "new = m * multiplicity if old is None else old + m * multiplicity",
        "new = m + multiplicity if old is None else old + m * multiplicity",
    ),
    (
        "ivme/trees.py",
        "            elif old is not None:\n                del sums[z]\n        if not sums:",
        "        if not sums:",
    ),
    ("ivme/trees.py", "return pair if self.by_z else pair[0]", "return pair if self.by_z else pair[1]"),
    ("ivme/trees.py", "            self.buckets.remove(bucket)\n", "            pass\n"),
    ("ivme/trees.py", "return len(values) == 1", "return len(values) <= 2"),
    # --- enumeration ---
    ("ivme/enumeration.py", "to = self.hop(self.successor(position))", "to = self.successor(position)"),
    ("ivme/enumeration.py", "start = self.skipped_from.get(position, position)", "start = position"),
    ("ivme/enumeration.py", "if bucket is self.current or bucket == self.current:", "if bucket == ():"),
    ("ivme/enumeration.py", "        if rows.is_empty():\n", "        if False:\n"),
    (
        "ivme/enumeration.py",
        "if isinstance(row, End) or iterators[last].contains(row):",
        "if isinstance(row, End):",
    ),
    ("ivme/enumeration.py", "return (place[0] + 1, 0) if place[0] + 1 < len(pairs) else EOF", "return EOF"),
    ("ivme/enumeration.py", "if index is None or tree == index:", "if True:"),
    ("ivme/enumeration.py", "ys: list[Hashable] = [y] if y in line else []", "ys: list[Hashable] = [y]"),
    ("ivme/enumeration.py", "total = total + product(engine, triple)", "total = product(engine, triple)"),
    (
        "ivme/enumeration.py",
        "if multiplicity := lookup(engine, row):\n                yield row, multiplicity",
        "yield row, lookup(engine, row)",
    ),
    ("ivme/enumeration.py", "if multiplicity := left * right * closing:", "if multiplicity := left * right:"),
    # --- the public face ---
    (
        "ivme/view.py",
        "order = tuple((VARIABLES.index(variable) - turns) % 3 for variable in self._free)",
        "order = tuple(sorted((VARIABLES.index(variable) - turns) % 3 for variable in self._free))",
    ),
    (
        "ivme/view.py",
        "i = (RELATIONS.index(known_relation(relation)) - self._turns) % 3",
        "i = (RELATIONS.index(known_relation(relation)) + self._turns) % 3",
    ),
    ("ivme/view.py", "if engine.version != version:", "if engine.version > version + 1:"),
    (
        "ivme/view.py",
        "self._update(relation, x, y, -self._engine.ring.nonzero(multiplicity))",
        "self._update(relation, x, y, self._engine.ring.nonzero(multiplicity))",
    ),
    (
        "ivme/view.py",
        'raise error.at("update", done) from error',
        'raise error.at("update", done + 1) from error',
    ),
    (
        "ivme/view.py",
        "if self._debug and engine.version % self._debug == 0:",
        "if self._debug and engine.version % self._debug == 1:",
    ),
    ("ivme/events.py", "if steps > self.largest_delay:", "if steps < self.largest_delay:"),
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
                shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("pyproject.toml", "README.md"):
            shutil.copy(ROOT / name, copy / name)
        plant(MUTANTS[number], copy)
        paths = [str(copy), str(copy / "spec"), str(copy / "reference")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
        existing = [test for test in TESTS if (copy / test).exists()]
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
    dead = len(numbers) - len(survivors) - sum(number in EQUIVALENT for number in numbers)
    print(f"{len(numbers)} mutants: {dead} killed, {len(survivors)} survive: {survivors}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
