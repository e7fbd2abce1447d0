"""Values as nodes, and relations over them: the compact storage of the compiled kernel, first part.

One lookup finds the node of a value; from there on the engine follows attributes, and the inner loops see
machine integers only (`ivme.compact`). Ids are dense and reused; a node goes when its last tuple goes. What
is stored, and its cost, is as in `ivme.storage`, which this module replaces part by part; the views are in
`ivme.interned`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, cast

from librt.vecs import append, pop, vec

from ivme.compact import IdRow, row_for
from ivme.rows import Bulk
from ivme.status import HEAVY, LIGHT, Status
from ivme.storage import Line, RelationIndex, compacted

if TYPE_CHECKING:
    from mypy_extensions import i64, mypyc_attr


@mypyc_attr(acyclic=True)
class Node:
    """A value of variable v, with its rows in relation v and its columns in relation v−1.

    `rows` by the status of the other value, `columns` likewise; `sums` is its row of the summed tree on the
    relations (v, v+1). A row that is there has entries.
    """

    def __init__(self, value: Hashable, number: i64) -> None:
        self.value = value
        self.id: i64 = number
        self.light_row: IdRow | None = None
        self.heavy_row: IdRow | None = None
        self.light_column: IdRow | None = None
        self.heavy_column: IdRow | None = None
        self.sums: IdRow | None = None
        self.first_heavy = False
        self.second_heavy = False

    def is_bare(self) -> bool:
        """Whether no tuple has the value.  Cost: O(1)."""
        return (
            self.light_row is None
            and self.heavy_row is None
            and self.light_column is None
            and self.heavy_column is None
        )

    def get_row(self, second: Status) -> IdRow | None:
        return self.heavy_row if second == HEAVY else self.light_row

    def get_column(self, first: Status) -> IdRow | None:
        return self.heavy_column if first == HEAVY else self.light_column

    def set_row(self, second: Status, row: IdRow | None) -> None:
        if second == HEAVY:
            self.heavy_row = row
        else:
            self.light_row = row

    def set_column(self, first: Status, column: IdRow | None) -> None:
        if first == HEAVY:
            self.heavy_column = column
        else:
            self.light_column = column


class Nodes:
    """The nodes of one variable, by value and by id."""

    def __init__(self) -> None:
        self.by_value: dict[Hashable, Node] = {}
        self.by_id: list[Node | None] = []
        self.free: vec[i64] = vec[i64]()

    def make(self, value: Hashable) -> Node:
        """A node for a value that has none.  Cost: amortized O(1)."""
        if len(self.free) > 0:
            self.free, number = pop(self.free)
            node = Node(value, number)
            self.by_id[number] = node
        else:
            node = Node(value, i64(len(self.by_id)))
            self.by_id.append(node)
        self.by_value[value] = node
        return node

    def at(self, number: i64) -> Node:
        """The node of an id.  Cost: O(1)."""
        node = self.by_id[number]
        assert node is not None, "ids in rows belong to nodes"
        return node

    def drop(self, node: Node) -> None:
        """Take a node away, and give its id to the next.  Cost: O(1)."""
        del self.by_value[node.value]
        if not self.by_value:
            self.by_id, self.free = [], vec[i64]()
            return
        self.by_id[node.id] = None
        self.free = append(self.free, node.id)

    def compact(self) -> None:
        """Drop the holes of the index by value.  Cost: O(its capacity)."""
        self.by_value = compacted(self.by_value)

    def live(self) -> list[Node]:
        """All nodes.  Cost: O(their number)."""
        return list(self.by_value.values())


class InternedRelation(RelationIndex[int]):
    """A relation over the nodes of its two variables."""

    def __init__(self, double: bool, first: Nodes, second: Nodes) -> None:
        super().__init__(double)
        self.first = first
        self.second = second

    def status(self, column: int, value: Hashable) -> Status:
        node = cast(Node, value)
        if column == 0:
            return HEAVY if node.first_heavy else LIGHT
        return HEAVY if node.second_heavy else LIGHT

    def mark(self, column: int, value: Hashable, status: Status) -> None:
        node = cast(Node, value)
        if column == 0:
            node.first_heavy = status == HEAVY
        else:
            node.second_heavy = status == HEAVY

    def row(self, x: Hashable, second: Status) -> Line | None:
        return cast(Node, x).get_row(second)

    def column(self, y: Hashable, first: Status) -> Line | None:
        return cast(Node, y).get_column(first)

    def get(self, x: Hashable, y: Hashable) -> int | None:
        other = cast(Node, y)
        row = cast(Node, x).get_row(HEAVY if other.second_heavy else LIGHT)
        if row is None:
            return None
        position = row.find(other.id)
        return None if position < 0 else row.value_at(position)

    def degree(self, column: int, value: Hashable) -> int:
        node = cast(Node, value)
        light = node.light_column if column else node.light_row
        heavy = node.heavy_column if column else node.heavy_row
        return (0 if light is None else light.size()) + (0 if heavy is None else heavy.size())

    def values(self, column: int) -> list[Hashable]:
        nodes = self.second if column else self.first
        return [node for node in nodes.live() if self.degree(column, node)]

    def due(self, column: int, value: Hashable, least_heavy: int, too_heavy: int) -> int:
        node, degree = cast(Node, value), self.degree(column, value)
        if node.second_heavy if column else node.first_heavy:
            return LIGHT if degree < least_heavy else -1
        return HEAVY if degree >= too_heavy else -1

    def values_due(self, column: int, strict: int) -> list[Hashable]:
        nodes = self.second if column else self.first
        found: list[Hashable] = []
        seen = 0
        for node in nodes.by_value.values():
            degree = self.degree(column, node)
            if degree:
                seen += 1
                if (degree >= strict) != (node.second_heavy if column else node.first_heavy):
                    found.append(node)
        self.seen = seen
        return found

    def tuples_of(self, column: int, value: Hashable) -> list[tuple[Hashable, Hashable, int]]:
        node, others = cast(Node, value), self.first if column else self.second
        found: list[tuple[Hashable, Hashable, int]] = []
        for status in (LIGHT, HEAVY):
            line = node.get_column(status) if column else node.get_row(status)
            if line is not None:
                for position in range(line.size()):
                    other, m = others.at(line.at(position)), line.value_at(position)
                    found.append((other, node, m) if column else (node, other, m))
        return found

    def tuples(self) -> Iterator[tuple[Hashable, Hashable, int]]:
        for node in self.first.live():
            yield from self.tuples_of(0, node)

    def add(self, x: Hashable, y: Hashable, first: Status, second: Status, multiplicity: int) -> None:
        left, right = cast(Node, x), cast(Node, y)
        row = left.get_row(second)
        if row is None:
            row = IdRow()
            left.set_row(second, row)
        row.append_entry(right.id, multiplicity)
        column = right.get_column(first)
        if column is None:
            column = IdRow()
            right.set_column(first, column)
        column.append_entry(left.id, multiplicity)

    def put(self, x: Hashable, y: Hashable, first: Status, second: Status, multiplicity: int) -> None:
        left, right = cast(Node, x), cast(Node, y)
        row, column = left.get_row(second), right.get_column(first)
        assert row is not None, "the tuple is stored"
        assert column is not None, "the tuple is stored"
        row.set_at(row.find(right.id), multiplicity)
        column.set_at(column.find(left.id), multiplicity)

    def remove(self, x: Hashable, y: Hashable, first: Status, second: Status) -> None:
        left, right = cast(Node, x), cast(Node, y)
        row, column = left.get_row(second), right.get_column(first)
        assert row is not None, "the tuple is stored"
        assert column is not None, "the tuple is stored"
        if row.size() == 1:
            left.set_row(second, None)
        else:
            row.drop_at(row.find(right.id))
        if column.size() == 1:
            right.set_column(first, None)
        else:
            column.drop_at(column.find(left.id))

    def compact(self) -> None:
        self.first.compact()

    def damage(self) -> Iterator[str]:
        """As in `ivme.storage`, and that ids and nodes fit together."""
        forward: dict[tuple[Hashable, Hashable], int] = {}
        backward: dict[tuple[Hashable, Hashable], int] = {}
        for column, nodes, found in ((0, self.first, forward), (1, self.second, backward)):
            for node in nodes.live():
                if nodes.by_id[node.id] is not node:
                    yield f"id {node.id} is not that of {node.value!r}"
                if node.is_bare():
                    yield f"{node.value!r} has a node and no tuple"
                if not self.degree(column, node) and self.status(column, node) == HEAVY:
                    yield f"there are bits for values that are gone: {node.value!r}"
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
                            yield f"{row!r} stands in the wrong {'column' if column else 'row'} bucket"
        if forward != backward:
            yield "the rows and the columns differ"


class InternedBulk(Bulk[int]):
    """Finds the nodes first, and then makes each row in one go, as long as it has to be."""

    def __init__(self, relation: InternedRelation, distinct: bool) -> None:
        super().__init__(relation)
        self.first, self.second = relation.first, relation.second
        self.distinct = distinct
        self.xs: vec[i64] = vec[i64]()
        self.ys: vec[i64] = vec[i64]()
        self.multiplicities: list[int] | None = None

    def add(self, x: Hashable, y: Hashable, multiplicity: int) -> None:
        left = self.first.by_value.get(x)
        if left is None:
            left = self.first.make(x)
        right = self.second.by_value.get(y)
        if right is None:
            right = self.second.make(y)
        if multiplicity != 1 and self.multiplicities is None:
            self.multiplicities = [1] * len(self.xs)
        self.xs = append(self.xs, left.id)
        self.ys = append(self.ys, right.id)
        if self.multiplicities is not None:
            self.multiplicities.append(multiplicity)

    def finish(self) -> None:
        nodes = self.first.by_id
        order, ends = grouped(self.xs, len(nodes))
        for node in nodes:
            if node is not None:
                row = self.line(order, ends, node.id, self.ys)
                if row is not None:
                    node.light_row = row
                    self.count += row.size()
        nodes = self.second.by_id
        order, ends = grouped(self.ys, len(nodes))
        for node in nodes:
            if node is not None:
                column = self.line(order, ends, node.id, self.xs)
                if column is not None:
                    node.light_column = column

    def line(self, order: vec[i64], ends: vec[i64], number: i64, others: vec[i64]) -> IdRow | None:
        """The row of an id: what stands beside it.  Cost: O(its length)."""
        at: i64 = ends[number - 1] if number > 0 else 0
        end: i64 = ends[number]
        if at == end:
            return None
        row = row_for(end - at)
        while at < end:
            entry = order[at]
            m = 1 if self.multiplicities is None else self.multiplicities[entry]
            if self.distinct:
                row.push(others[entry], m)
            else:
                row.change(others[entry], m)
            at += 1
        if self.distinct:
            row.build_index(len(row.keys))
        return row


def grouped(ids: vec[i64], most: int) -> tuple[vec[i64], vec[i64]]:
    """The places of all ids, id by id, and where the places of each id end.  Cost: O(their number)."""
    ends = vec[i64]([0] * (most + 1))
    for number in ids:
        ends[number + 1] += 1
    place: i64 = 1
    while place <= most:
        ends[place] += ends[place - 1]
        place += 1
    order = vec[i64]([0] * len(ids))
    place = 0
    while place < i64(len(ids)):
        number = ids[place]
        order[ends[number]] = place
        ends[number] += 1
        place += 1
    return order, ends
