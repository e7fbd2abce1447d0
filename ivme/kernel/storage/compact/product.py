"""Inner products of rows of ids.

>>> from ivme.kernel.storage.compact.ids import IdRow
>>> left, right, product = IdRow(), IdRow(), Product()
>>> left.append_entry(7, 2)
>>> right.append_entry(7, 5)
>>> product.of(left, right)
>>> product.total, product.matches, product.steps
(10, 1, 2)
"""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64

from ivme.kernel.storage.compact.ids import FLUSH, IdRow, small


class Product:
    """The last inner product: its sum, the number of ids that both rows have, and the steps taken.

    A row that many others are multiplied with can be marked: its payloads then stand at their ids, and the
    others are walked, unless they are much longer.
    """

    def __init__(self) -> None:
        self.total = 0
        self.matches = 0
        self.steps = 0
        self.marked: IdRow | None = None
        self.marks: vec[i64] = vec[i64]()

    def mark(self, row: IdRow | None, most: int) -> None:
        """Mark a row, whose ids are less than `most`, and no other.  Cost: O(the sizes of both rows)."""
        marked, self.marked = self.marked, None
        position: i64 = 0
        if marked is not None:
            while position < i64(len(marked.keys)):
                self.marks[marked.keys[position]] = 0
                position += 1
        if row is None:
            return
        position = 0
        while position < i64(len(row.payloads)):
            if not small(row.payloads[position]):
                return
            position += 1
        if len(self.marks) < most:
            self.marks = vec[i64]([0] * most)
        position = 0
        while position < i64(len(row.keys)):
            self.marks[row.keys[position]] = 1 if len(row.payloads) == 0 else row.payloads[position]
            position += 1
        self.marked = row

    def of(self, left: IdRow, right: IdRow) -> None:
        """Σ left[key] · right[key].  Cost: O(the smaller size)."""
        if right is self.marked and len(left.keys) <= 4 * len(right.keys):
            self.of_marked(left, right)
            return
        if len(left.keys) > len(right.keys):
            left, right = right, left
        position: i64 = 0
        count: i64 = len(left.keys)
        matches: i64 = 0
        part: i64 = 0
        if len(left.payloads) == 0 and len(right.payloads) == 0:
            while position < count:
                if right.find(left.keys[position]) >= 0:
                    matches += 1
                position += 1
            self.total = int(matches)
        else:
            total = 0
            while position < count:
                other = right.find(left.keys[position])
                if other >= 0:
                    matches += 1
                    one: i64 = left.payloads[position] if len(left.payloads) > 0 else 1
                    two: i64 = right.payloads[other] if len(right.payloads) > 0 else 1
                    if small(one) and small(two):
                        part += one * two
                        if part > FLUSH or part < -FLUSH:
                            total += int(part)
                            part = 0
                    else:
                        total += left.value_at(position) * right.value_at(other)
                position += 1
            self.total = total + int(part)
        self.matches = int(matches)
        self.steps = int(count + matches)

    def of_marked(self, left: IdRow, right: IdRow) -> None:
        """`of`, where the right row is marked.  Cost: O(the left size)."""
        position: i64 = 0
        matches: i64 = 0
        part: i64 = 0
        total = 0
        while position < i64(len(left.keys)):
            two: i64 = self.marks[left.keys[position]]
            if two != 0:
                matches += 1
                one: i64 = left.payloads[position] if len(left.payloads) > 0 else 1
                if small(one):
                    part += one * two
                    if part > FLUSH or part < -FLUSH:
                        total += int(part)
                        part = 0
                else:
                    total += left.value_at(position) * int(two)
            position += 1
        self.total = total + int(part)
        self.matches = int(matches)
        self.steps = min(len(left.keys), len(right.keys)) + int(matches)
