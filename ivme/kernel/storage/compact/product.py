"""Inner products of lines.

>>> lines, left, right = Lines(), line_of(1, 0, LIGHT), line_of(1, 1, LIGHT)
>>> lines.reserve(1)
>>> lines.add(left, 7, 2)
>>> lines.add(right, 7, 5)
>>> product = Product(lines)
>>> product.of(left, right)
>>> product.total, product.matches, product.steps
(10, 1, 2)
"""

from __future__ import annotations

from typing import Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from ivme.kernel.parts import LIGHT as LIGHT
from ivme.kernel.storage.compact.ids import GOLDEN
from ivme.kernel.storage.compact.lines import BEYOND, LINEAR, Lines
from ivme.kernel.storage.compact.lines import line_of as line_of

FLUSH: Final = 1 << 61
"""A partial sum beyond it is moved to Python's integers."""


@final
class Product:
    """The last inner product: its sum, the number of ids that both lines have, and the steps taken.

    A line that many others are multiplied with can be marked: its payloads then stand at their ids, and the
    others are walked, unless they are much longer.
    """

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.total = 0
        self.matches: i64 = 0
        self.steps: i64 = 0
        self.marked: i64 = 0
        self.marks: vec[i32] = vec[i32]()

    def mark(self, line: i64, most: int) -> None:
        """Mark a line, whose ids are less than `most`, and no other; 0: none.

        Cost: O(the lengths of both lines).
        """
        lines, marked = self.lines, self.marked
        cells = lines.cells
        self.marked = 0
        if marked > 0:
            cell, end = lines.start_of(marked), lines.end_of(marked)
            while cell < end:
                self.marks[i64(cells[cell])] = 0
                cell += 1
        if line == 0 or int(line) in lines.beyond:
            return
        if len(self.marks) < most:
            self.marks = vec[i32]([0] * most)
        payloads: i64 = i64(lines.records[line + 1])
        cell, end = lines.start_of(line), lines.end_of(line)
        while cell < end:
            key: i64 = i64(cells[cell])
            if key != 0:
                if payloads & 1 == 1:
                    self.marks[key] = cells[cell + payloads - 1]
                else:
                    self.marks[key] = 1
            cell += 1
        self.marked = line

    def of(self, left: i64, right: i64) -> None:
        """Σ left[key] · right[key].  Cost: O(the shorter length)."""
        lines = self.lines
        records = lines.records
        few: i64 = i64(records[left + 2])
        many: i64 = i64(records[right + 2])
        if self.marked > 0 and right == self.marked and few <= 4 * many:
            self.of_marked(left)
            self.steps = min(few, many) + self.matches
            return
        if few > many:
            left, right = right, left
            few, many = many, few
        self.total = 0
        self.matches = 0
        if (records[left + 1] | records[right + 1]) & 1 == 0:
            self.matches = self.count(left, right)
            self.total = int(self.matches)
        else:
            self.sum(left, right)
        self.steps = few + self.matches

    def count(self, left: i64, right: i64) -> i64:
        """How many keys both lines have; the left one is walked.  Cost: O(its length)."""
        lines = self.lines
        records = lines.records
        cells = lines.cells
        cell: i64 = i64(records[left]) * 4
        end: i64 = lines.end_of(left)
        start: i64 = i64(records[right]) * 4
        last: i64 = start + i64(records[right + 2])
        capacity: i64 = i64(records[right + 1])
        mask: i64 = capacity - 1
        matches: i64 = 0
        if capacity <= LINEAR:
            while cell < end:
                sought: i32 = cells[cell]
                at: i64 = start
                while at < last:
                    if cells[at] == sought:
                        matches += 1
                        break
                    at += 1
                cell += 1
            return matches
        while cell < end:
            key: i32 = cells[cell]
            if key != 0:
                slot: i64 = ((i64(key) * GOLDEN) >> 32) & mask
                while True:
                    found: i32 = cells[start + slot]
                    if found == key:
                        matches += 1
                        break
                    if found == 0:
                        break
                    slot = (slot + 1) & mask
            cell += 1
        return matches

    def sum(self, left: i64, right: i64) -> None:
        """`of` where there are payloads; the left line is walked.  Cost: O(its length)."""
        lines = self.lines
        cells = lines.cells
        cell, end = lines.start_of(left), lines.end_of(left)
        first: i64 = i64(lines.records[left + 1])
        second: i64 = i64(lines.records[right + 1])
        matches: i64 = 0
        part: i64 = 0
        total = 0
        while cell < end:
            key: i64 = i64(cells[cell])
            if key != 0:
                at = lines.find(right, key)
                if at >= 0:
                    matches += 1
                    one: i64 = 1
                    two: i64 = 1
                    if first & 1 == 1:
                        one = i64(cells[cell + first - 1])
                    if second & 1 == 1:
                        two = i64(cells[at + second - 1])
                    if one != BEYOND and two != BEYOND:
                        part += one * two
                        if part > FLUSH or part < -FLUSH:
                            total += int(part)
                            part = 0
                    else:
                        total += lines.value_at(left, cell) * lines.value_at(right, at)
            cell += 1
        self.total = total + int(part)
        self.matches = matches

    def of_marked(self, left: i64) -> None:
        """The product with the marked line.  Cost: O(the length of the left one)."""
        lines, marks = self.lines, self.marks
        cells = lines.cells
        cell, end = lines.start_of(left), lines.end_of(left)
        first: i64 = i64(lines.records[left + 1])
        matches: i64 = 0
        part: i64 = 0
        total = 0
        while cell < end:
            two: i64 = i64(marks[i64(cells[cell])])  # 0 for an empty cell: no value has the id 0
            if two != 0:
                matches += 1
                one: i64 = 1
                if first & 1 == 1:
                    one = i64(cells[cell + first - 1])
                if one != BEYOND:
                    part += one * two
                    if part > FLUSH or part < -FLUSH:
                        total += int(part)
                        part = 0
                else:
                    total += lines.value_at(left, cell) * int(two)
            cell += 1
        self.total = total + int(part)
        self.matches = matches
