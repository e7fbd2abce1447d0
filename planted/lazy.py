"""Bugs in the lazy reference, and in what its spec says of it."""

from __future__ import annotations

from planted.mutant import bugs_in

TESTS = "tests/spec/test_lazy.py tests/reference/test_lazy.py tests/cost/test_lazy.py"
"""The tests of lazy views."""

PLAN = bugs_in(
    "reference/ivme_reference/lazy/plan.py",
    (
        "lazy-summed-rows-hide-tuples-of-z",
        "        if of_z.kept and fits(of_z, column_second, first, second):\n",
        "        if fits(of_z, column_second, first, second):\n",
        TESTS,
    ),
    (
        "lazy-middle-of-any-class",
        "not middle_first and not (shape.middle and middle_second)",
        "not middle_first",
        TESTS,
    ),
    ("lazy-end-of-any-class", "and (end_second or not shape.end)", "", TESTS),
)

ROWS = bugs_in(
    "reference/ivme_reference/lazy/rows.py",
    (
        "lazy-price-with-heavy-middles",
        "for y in row if y not in heavy and y not in middle)",
        "for y in row)",
        TESTS,
    ),
    (
        "lazy-drop-after-the-charge",
        "    if charge and not account.bears(charge):\n        drop(store, tree, x)\n        return\n",
        "",
        TESTS,
    ),
    (
        "lazy-drop-lists-nothing",
        "                    store.list_triangle(shape.first, x, y, z, 1)\n",
        "                    pass\n",
        TESTS,
    ),
    (
        "lazy-build-leaves-the-head-map",
        "            store.list_triangle(shape.first, x, y, z, -sign)\n",
        "",
        TESTS,
    ),
    (
        "lazy-root-without-closing",
        "        tree.root[x, z] = None\n    return 4\n",
        "        pass\n    return 4\n",
        TESTS,
    ),
    (
        "lazy-move-forgets-the-price",
        "    account.price += sign * charge\n",
        "",
        TESTS,
    ),
    (
        "lazy-drop-leaves-owners",
        "    for y in row:\n        forget_owner(tree, y, x)\n",
        "",
        TESTS,
    ),
    ("lazy-build-keeps-its-credit", "    tree.credits.pop(x, None)\n", "", TESTS),
)

CLASSES = bugs_in(
    "reference/ivme_reference/lazy/classes.py",
    (
        "lazy-light-row-stays-built",
        "            drop(store, tree, value, light=True)\n",
        "            pass\n",
        TESTS,
    ),
    (
        "lazy-needed-only-in-the-first-column",
        "    return store.trees[i].shape.middle and value in store.trees[i].owners\n",
        "    return False\n",
        TESTS,
    ),
    (
        "lazy-never-needed",
        "        return value in store.trees[(i + 2) % 3].owners\n",
        "        return False\n",
        TESTS,
    ),
    (
        "lazy-light-stands-heavy",
        "if value in relation.standing[column] else 0\n",
        "if False else 0\n",
        TESTS,
    ),
    (
        "lazy-ends-do-not-enter",
        "                        move_entries(store, before, x, y, [value], 1 if up else -1)\n",
        "                        pass\n",
        TESTS,
    ),
    ("lazy-classes-on-demand", "degree >= store.theta.light:", "degree >= 2 * store.theta.light:", TESTS),
    (
        "lazy-major-keeps-light-ones-heavy",
        "relation.degree(column, v) < strict]:",
        "relation.degree(column, v) < store.theta.heavy]:",
        TESTS,
    ),
)

ENGINE = bugs_in(
    "reference/ivme_reference/lazy/engine.py",
    (
        "lazy-insert-over-an-unmoved-middle",
        "        move_up(store, own.shape.second, 0, y)\n",
        "        pass\n",
        TESTS,
    ),
    (
        "lazy-build-over-unmoved-middles",
        "        move_up(store, shape.second, 0, y)\n",
        "        pass\n",
        TESTS,
    ),
    (
        "lazy-ends-move-for-built-rows-only",
        "if closed.shape.end and y in store.relations[closed.shape.first].heavy[0]:",
        "if closed.shape.end and y in closed.accounts:",
        TESTS,
    ),
    (
        "lazy-upkeep-without-room",
        "    if charge and not forward.accounts[x].bears(charge):\n        drop(store, forward, x)\n",
        "",
        TESTS,
    ),
    (
        "lazy-owners-without-room",
        "        if not backward.accounts[w].bears(backward.shape.weight):\n",
        "        if False:\n",
        TESTS,
    ),
    (
        "lazy-walks-buckets-separately",
        "    return min(separate, sum(row_seen), sum(column_seen))\n",
        "    return separate\n",
        TESTS,
    ),
    (
        "lazy-scan-of-built-z",
        "        if covers.z & bit and z in built_z:\n            continue\n",
        "",
        TESTS,
    ),
    (
        "lazy-root-survives-a-delete",
        "                else:\n                    del closed.root[y, x]\n",
        "",
        TESTS,
    ),
    ("lazy-row-is-never-of-use", "        closed.accounts[y].spare(spared)\n", "", TESTS),
    (
        "lazy-light-values-pay",
        "return not is_built and y in following.heavy[0] and pay(",
        "return not is_built and pay(",
        TESTS,
    ),
    (
        "lazy-buys-at-half-price",
        "    if credit.paid < store.factor * price:\n",
        "    if 2 * credit.paid < store.factor * price:\n",
        TESTS,
    ),
    (
        "lazy-looks-every-time",
        "        credit.look = max(store.factor * price, credit.paid + 2 * store.factor * degree)\n",
        "        credit.look = Fraction(credit.paid + 1)\n",
        TESTS,
    ),
    (
        "lazy-lookup-ignores-rows",
        "        if x in tree.accounts and first.get(x, y) is not None:\n",
        "        if False:\n",
        TESTS,
    ),
    (
        "lazy-upkeep-forgets-the-gap",
        "        forward.accounts[x].gap += charge\n",
        "",
        TESTS,
    ),
)

STATE = bugs_in(
    "reference/ivme_reference/lazy/state.py",
    (
        "lazy-gap-below-zero",
        "            self.gap = 0\n            self.limit",
        "            self.limit",
        TESTS,
    ),
    ("lazy-limit-of-the-build", "            self.limit = self.price\n", "", TESTS),
)

LAZY = (*PLAN, *ROWS, *CLASSES, *ENGINE, *STATE)
