"""Relations over nodes: the rows and columns of a value are attributes of its node.

>>> from ivme.kernel.parts import LIGHT
>>> xs, ys = Nodes(), Nodes()
>>> relation = CompactRelation(1, xs, ys)
>>> x, y = xs.make("x"), ys.make("y")
>>> relation.add(x, y, LIGHT, LIGHT, 5)
>>> relation.get(x, y), x.row_degree, relation.watching(0)
(5, 1, 1)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from mypy_extensions import i32

from ivme.kernel.parts import HEAVY, LIGHT, Status
from ivme.kernel.storage.compact.ids import IdRow, IdSet
from ivme.kernel.storage.compact.nodes import Node, Nodes
from ivme.kernel.storage.interface import UNWATCHED, StoredRelation


class CompactRelation(StoredRelation[Node, IdRow, int]):
    """A relation over the nodes of its two variables."""

    def __init__(self, partitioned: int, first: Nodes, second: Nodes) -> None:
        super().__init__(partitioned)
        self.first = first
        self.second = second
        self.watched_first = IdSet()
        self.watched_second = IdSet()
        self.from_degree: i32 = i32(self.watch)
        """`watch` as a machine integer."""

    def status(self, column: int, node: Node) -> Status:
        if column == 0:
            return HEAVY if node.first_heavy else LIGHT
        return HEAVY if node.second_heavy else LIGHT

    def mark(self, column: int, node: Node, status: Status) -> None:
        if column == 0:
            node.first_heavy = status == HEAVY
        else:
            node.second_heavy = status == HEAVY

    def row(self, x: Node, second: Status) -> IdRow | None:
        return x.get_row(second)

    def column(self, y: Node, first: Status) -> IdRow | None:
        return y.get_column(first)

    def get(self, x: Node, y: Node) -> int | None:
        row = x.get_row(HEAVY if y.second_heavy else LIGHT)
        if row is None:
            return None
        position = row.find(y.id)
        return None if position < 0 else row.value_at(position)

    def degree(self, column: int, node: Node) -> int:
        return int(node.column_degree if column else node.row_degree)

    def values(self, column: int) -> list[Node]:
        nodes = self.second if column else self.first
        return [node for node in nodes.live() if self.degree(column, node)]

    def due(self, column: int, node: Node, heavy: int, light: int) -> int:
        degree = int(node.column_degree if column else node.row_degree)
        if node.second_heavy if column else node.first_heavy:
            return LIGHT if degree < heavy else -1
        return HEAVY if degree >= light else -1

    def values_due(self, column: int, strict: int) -> list[Node]:
        limit, found = i32(min(strict, UNWATCHED)), list[Node]()
        for node in self.watched_nodes(column):
            degree = node.column_degree if column else node.row_degree
            if (degree >= limit) != (node.second_heavy if column else node.first_heavy):
                found.append(node)
        return found

    def watched_nodes(self, column: int) -> list[Node]:
        """The watched values.  Cost: O(their number)."""
        nodes, watched = (self.second, self.watched_second) if column else (self.first, self.watched_first)
        return [nodes.at(watched.at(position)) for position in range(watched.size())]

    def watching(self, column: int) -> int:
        return (self.watched_second if column else self.watched_first).size()

    def watch_from(self, least: int) -> int:
        looked, limit = 0, i32(min(least, UNWATCHED))
        for column in range(self.partitioned):
            nodes, found = self.second if column else self.first, IdSet()
            for node in self.watched_nodes(column) if least >= self.watch else nodes.live():
                degree = node.column_degree if column else node.row_degree
                if degree > 0:  # else it is a value of the neighbouring relation alone
                    looked += 1
                if degree >= limit:
                    found.add(node.id)
            if column:
                self.watched_second = found
            else:
                self.watched_first = found
        self.watch, self.from_degree = least, limit
        return looked

    def tuples_of(self, column: int, node: Node) -> list[tuple[Node, Node, int]]:
        others = self.first if column else self.second
        found: list[tuple[Node, Node, int]] = []
        for status in (LIGHT, HEAVY):
            line = node.get_column(status) if column else node.get_row(status)
            if line is not None:
                for position in range(line.size()):
                    other, m = others.at(line.at(position)), line.value_at(position)
                    found.append((other, node, m) if column else (node, other, m))
        return found

    def tuples(self) -> Iterator[tuple[Node, Node, int]]:
        for node in self.first.by_id:
            if node is not None:
                yield from self.tuples_of(0, node)

    def add(self, left: Node, right: Node, first: Status, second: Status, multiplicity: int) -> None:
        row = left.get_row(second)
        if row is None:
            row = IdRow()
            left.set_row(second, row)
        row.append_entry(right.id, multiplicity)
        left.row_degree += 1
        if left.row_degree == self.from_degree:
            self.watched_first.add(left.id)
        column = right.get_column(first)
        if column is None:
            column = IdRow()
            right.set_column(first, column)
        column.append_entry(left.id, multiplicity)
        right.column_degree += 1
        if self.partitioned == 2 and right.column_degree == self.from_degree:
            self.watched_second.add(right.id)

    def put(self, left: Node, right: Node, first: Status, second: Status, multiplicity: int) -> None:
        row, column = left.get_row(second), right.get_column(first)
        assert row is not None, "the tuple is stored"
        assert column is not None, "the tuple is stored"
        row.set_at(row.find(right.id), multiplicity)
        column.set_at(column.find(left.id), multiplicity)

    def remove(self, left: Node, right: Node, first: Status, second: Status) -> None:
        row, column = left.get_row(second), right.get_column(first)
        assert row is not None, "the tuple is stored"
        assert column is not None, "the tuple is stored"
        if left.row_degree == self.from_degree:
            self.watched_first.remove_at(self.watched_first.find(left.id))
        if self.partitioned == 2 and right.column_degree == self.from_degree:
            self.watched_second.remove_at(self.watched_second.find(right.id))
        left.row_degree -= 1
        right.column_degree -= 1
        if row.size() == 1:
            left.set_row(second, None)
        else:
            row.drop_at(row.find(right.id))
        if column.size() == 1:
            right.set_column(first, None)
        else:
            column.drop_at(column.find(left.id))

    def shift(self, column: int, x: Node, y: Node, old: Status, new: Status, multiplicity: int) -> None:
        outer, inner = (x, y) if column else (y, x)
        line = outer.get_row(old) if column else outer.get_column(old)
        assert line is not None, "the tuple is stored"
        if line.size() == 1:
            outer.set_row(old, None) if column else outer.set_column(old, None)
        else:
            line.drop_at(line.find(inner.id))
        line = outer.get_row(new) if column else outer.get_column(new)
        if line is None:
            line = IdRow()
            outer.set_row(new, line) if column else outer.set_column(new, line)
        line.append_entry(inner.id, multiplicity)

    def compact(self) -> None:
        self.first.compact()

    def damage(self) -> Iterator[str]:
        """As the interface says, and ids belong to their nodes."""
        forward: dict[tuple[Hashable, Hashable], int] = {}
        backward: dict[tuple[Hashable, Hashable], int] = {}
        for column, nodes, found in ((0, self.first, forward), (1, self.second, backward)):
            for node in nodes.live():
                if nodes.by_id[node.id] is not node:
                    yield f"id {node.id} is not that of {node.value!r}"
                lines = (node.light_column, node.heavy_column) if column else (node.light_row, node.heavy_row)
                if sum([line.size() for line in lines if line is not None]) != self.degree(column, node):
                    yield f"{node.value!r} has a wrong degree"
                if node.is_bare():
                    yield f"{node.value!r} has a node and no tuple"
                if not self.degree(column, node) and self.status(column, node) == HEAVY:
                    yield f"stale bits of values without tuples: {node.value!r}"
                for status in (LIGHT, HEAVY):
                    line = node.get_column(status) if column else node.get_row(status)
                    if line is None:
                        continue
                    if not line.size():
                        yield "there is an empty row"
                    if wrong := line.damage():
                        yield wrong
                    others = self.first if column else self.second
                    for position in range(line.size()):
                        other = others.at(line.at(position))
                        row = (other.value, node.value) if column else (node.value, other.value)
                        found[row] = line.value_at(position)
                        if status != self.status(1 - column, other):
                            yield f"{row!r} is in the wrong {'column' if column else 'row'} bucket"
        if forward != backward:
            yield "the rows and the columns differ"
        if int(self.from_degree) != self.watch:
            yield f"degrees are compared with {self.from_degree}, not with {self.watch}"
        for column in range(self.partitioned):
            nodes, watched = (
                (self.second, self.watched_second) if column else (self.first, self.watched_first)
            )
            ids = {watched.at(position) for position in range(watched.size())}
            wanted = {node.id for node in nodes.live() if self.degree(column, node) >= self.watch}
            if ids != wanted or watched.damage():
                yield f"wrongly watched, or not, from degree {self.watch} on: ids {ids ^ wanted}"
