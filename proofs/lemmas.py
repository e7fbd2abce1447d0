"""Lemmas about production functions of integers that are not themselves typed for integers.

Each calls the production function and states its contract (PEP 316), which CrossHair confirms
(`proofs.contracts`). The logic being proved is in the function called, not here.
"""

from __future__ import annotations

from ivme.kernel.parts import code
from ivme_spec.algebra import product_rule


def product_rule_is_the_difference(left: int, d_left: int, right: int, d_right: int) -> int:
    """(r + δr)·(s + δs) − r·s, from the products that `delta` adds up.

    post: __return__ == (left + d_left) * (right + d_right) - left * right
    """
    return sum(first * second for first, second in product_rule(left, d_left, right, d_right))


def product_rule_for_one_change(left: int, d_left: int, right: int) -> int:
    """δs = 0: what is left is linear in the change, so the deltas of several tuples add up.

    post: __return__ == d_left * right
    """
    return sum(first * second for first, second in product_rule(left, d_left, right, 0))


def code_can_be_read_back(first: bool, second: bool, row_first: bool, column_second: bool) -> int:
    """The index of a plan's tables tells all four statuses, so no two situations share a table row.

    post: 0 <= __return__ < 16
    post: __return__ // 8 == int(first)
    post: __return__ // 4 % 2 == int(second)
    post: __return__ // 2 % 2 == int(row_first)
    post: __return__ % 2 == int(column_second)
    """
    return code(int(first), int(second), int(row_first), int(column_second))
