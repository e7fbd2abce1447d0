"""Answers compared: one wording for all tools that check them."""

from __future__ import annotations

from collections.abc import Mapping

from ivme_spec.errors import shown
from ivme_spec.relations import Row


def difference(got: Mapping[Row, object], expected: Mapping[Row, object]) -> str:
    """The first row that differs between two answers that are not equal, and how many more do.

    >>> difference({(1, 2): 5}, {(1, 2): 7, (3, 4): 1})
    '(1, 2) is 5, expected 7; 1 more row differs'
    """
    row, *others = (row for row in {**expected, **got} if got.get(row) != expected.get(row))
    text = f"{shown(row)} is {_or(got, row, 'missing')}, expected {_or(expected, row, 'no such row')}"
    if not others:
        return text
    return f"{text}; {len(others)} more {'row differs' if len(others) == 1 else 'rows differ'}"


def _or(answer: Mapping[Row, object], row: Row, absent: str) -> str:
    return shown(answer[row]) if row in answer else absent
