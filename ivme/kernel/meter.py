"""Counted steps, as the engine keeps them; `ivme.Costs` is the copy that users get.

>>> meter = Meter()
>>> meter.count_update(8)
>>> meter.updates, meter.update_count, meter.largest_update
(8, 1, 8)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mypy_extensions import i64


class Meter:
    """The fields of `Costs`; see there."""

    def __init__(self) -> None:
        self.updates: i64 = 0
        self.minor = 0
        self.major = 0
        self.preprocessing = 0
        self.enumeration = 0
        self.largest_update: i64 = 0
        self.largest_minor = 0
        self.largest_major = 0
        self.largest_delay = 0
        self.update_count: i64 = 0
        self.minor_count = 0
        self.major_count = 0

    def count_update(self, steps: i64) -> None:
        """One ApplyUpdate.  Cost: O(1)."""
        self.updates += steps
        self.update_count += 1
        if steps > self.largest_update:
            self.largest_update = steps

    def count_minor(self, steps: int, count: int) -> None:
        """The minor rebalancing after one update, of one value or of two.  Cost: O(1)."""
        self.minor += steps
        self.minor_count += count
        if steps > self.largest_minor:
            self.largest_minor = steps

    def count_major(self, steps: int) -> None:
        """One major rebalancing.  Cost: O(1)."""
        self.major += steps
        self.major_count += 1
        if steps > self.largest_major:
            self.largest_major = steps

    def count_delay(self, steps: int) -> None:
        """One gap of an enumeration, or one lookup.  Cost: O(1)."""
        self.enumeration += steps
        if steps > self.largest_delay:
            self.largest_delay = steps
