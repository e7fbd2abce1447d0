"""The values of a variable: their ids, and where their records say what.

>>> ids, lines = Ids(), Lines()
>>> first, second = Variable(ids, lines), Variable(ids, lines)
>>> ada, bob = first.handle("ada"), second.handle("bob")
>>> first.find("ada") == ada, first.find("bob"), second.live_ids() == [bob], ids.value(bob)
(True, 0, True, 'bob')
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import final

from librt.vecs import append, pop, vec
from mypy_extensions import i32, i64

from ivme.kernel.storage.compact.interning import Ids as Ids
from ivme.kernel.storage.compact.interning import Interner
from ivme.kernel.storage.compact.lines import LAST, RECORD, Lines


@final
class Variable:
    """Ids by value. The last cell of a record has two bits, whether the value is heavy in the first column of
    its own relation and in the second one of the previous, and above them its seat: its place in `live`.
    """

    def __init__(self, ids: Ids, lines: Lines) -> None:
        self.ids = ids
        self.lines = lines
        self.interner = Interner(ids, sparse=4, spare=64)
        self.live: vec[i32] = vec[i32]()
        """All ids, so that they are found in O(their number) where most are free."""

    def find(self, value: Hashable) -> i64:
        """The id of a value, 0 if it has none.  Cost: O(1)."""
        return self.interner.find(value)

    def handle(self, value: Hashable) -> i64:
        """The id of a value, made if it has none.  Cost: amortized O(1)."""
        found = self.interner.find(value)
        return found if found > 0 else self.arrive(value)

    def arrive(self, value: Hashable) -> i64:
        """An id and a record for a value that has none.  Cost: amortized O(1)."""
        x = self.interner.make(value)
        self.lines.reserve(x)
        self.lines.records[RECORD * x + LAST] = i32(len(self.live) * 4)
        self.live = append(self.live, i32(x))
        return x

    def drop(self, x: i64) -> None:
        """Free an id without tuples.  Cost: amortized O(1)."""
        self.interner.drop(x)
        records = self.lines.records
        seat: i64 = i64(records[RECORD * x + LAST]) >> 2
        records[RECORD * x + LAST] = 0
        self.live, last = pop(self.live)
        moved: i64 = i64(last)
        if moved != x:
            self.live[seat] = last
            bits: i64 = i64(records[RECORD * moved + LAST]) & 3
            records[RECORD * moved + LAST] = i32(4 * seat + bits)

    def live_ids(self) -> list[int]:
        """All ids.  Cost: O(their number)."""
        return [int(x) for x in self.live]

    def is_heavy(self, column: i64, x: i64) -> bool:
        """Whether a value is heavy in a column.  Cost: O(1)."""
        return (i64(self.lines.records[RECORD * x + LAST]) >> column) & 1 == 1
