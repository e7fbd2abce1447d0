"""Heavy and light, as numbers that index tables."""

from __future__ import annotations

from typing import Final

LIGHT: Final = 0
HEAVY: Final = 1

Status = int
Bucket = tuple[Status, Status]
"""The second status of the row and the first status of the column."""
