"""Values as nodes, and relations over them: the compact storage of the compiled kernel, first part.

One lookup finds the node of a value; from there on the engine follows attributes, and the inner loops see
machine integers only (`ivme.kernel.storage.compact.ids`). Ids are dense and reused; a node goes when its last
tuple goes. What is stored, and its cost, is as in `ivme.kernel.storage.dicts`, which this module replaces
part by part; the views are in `ivme.kernel.storage.compact.views`.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, Final, cast

from librt.vecs import append, pop, vec

from ivme.kernel.status import HEAVY, LIGHT, Status
from ivme.kernel.storage.compact.ids import IdRow, IdSet
from ivme.kernel.storage.dicts import UNWATCHED, Line, RelationIndex, compacted

if TYPE_CHECKING:
    from mypy_extensions import i32, i64, mypyc_attr


@mypyc_attr(acyclic=True)
class Node:
    """A value of variable v, with its rows in relation v and its columns in relation v−1.

    `rows` by the status of the other value, `columns` likewise, with the sum of their lengths; `sums` is its
    row of the summed tree on the relations (v, v+1). A row that is there has entries.
    """

    def __init__(self, value: Hashable, number: i64) -> None:
        self.value = value
        self.id: i64 = number
        self.light_row: IdRow | None = None
        self.heavy_row: IdRow | None = None
        self.light_column: IdRow | None = None
        self.heavy_column: IdRow | None = None
        self.sums: IdRow | None = None
        self.row_degree: i32 = 0
        self.column_degree: i32 = 0
        self.first_heavy = False
        self.second_heavy = False

    def is_bare(self) -> bool:
        """Whether no tuple has the value.  Cost: O(1)."""
        return self.row_degree == 0 and self.column_degree == 0

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


class ObjectNode(Node):
    """A node whose value may refer back to the view: the garbage collector has to see it."""


def is_atomic(value: Hashable) -> bool:
    """Whether a value cannot be part of a reference cycle.  Cost: O(1)."""
    kind = type(value)
    return kind is int or kind is str or kind is float or kind is bytes or value is None


FAR: Final = 1 << 31
"""More places than there can be."""


def place_of(value: Hashable) -> i64:
    """The place that a value could have, −1 for none: its own, if it is an integer.  Cost: O(1)."""
    if type(value) is int:
        number: int = value  # mypyc unboxes a variable once
        if 0 <= number < FAR:
            return i64(number)
    return -1


class Nodes:
    """The nodes of one variable, by value and by id.

    Where integers are dense enough, `places[v]` is the id of v, plus one: that saves a look into the dict and
    at the key there. An integer that has a place stands there, every other value in `by_value`. Values are
    compared like the keys of a dict: 1, True and 1.0 are one value.
    """

    def __init__(self) -> None:
        self.places: vec[i32] = vec[i32]()
        self.by_value: dict[Hashable, Node] = {}
        self.by_id: list[Node | None] = []
        self.free: vec[i64] = vec[i64]()

    def find(self, value: Hashable) -> Node | None:
        """The node of a value, or None.  Cost: O(1)."""
        number = self.number(value)
        return None if number < 0 else self.by_id[number]

    def number(self, value: Hashable) -> i64:
        """The id of a value, or −1.  Cost: O(1)."""
        place = place_of(value)
        if 0 <= place < i64(len(self.places)) and self.places[place] != 0:
            return i64(self.places[place]) - 1
        if self.by_value:
            node = self.by_value.get(value)
            if node is not None:
                return node.id
        if place < 0 and len(self.places) > 0:  # no plain integer, but it may equal one
            place = hash(value)
            if 0 <= place < i64(len(self.places)) and self.places[place] != 0:
                number: i64 = i64(self.places[place]) - 1
                stored: Any = self.at(number).value
                if stored == value:  # of type Any: __eq__ need not return a bool
                    return number
        return -1

    def make(self, value: Hashable) -> Node:
        """A node for a value that has none.  Cost: amortized O(1).

        What can raise, the value's __hash__ and __eq__, comes before any change.
        """
        place = place_of(value)
        if place >= i64(len(self.places)):
            self.widen(place)
        reused = len(self.free) > 0
        number: i64 = self.free[-1] if reused else i64(len(self.by_id))
        node = Node(value, number) if is_atomic(value) else ObjectNode(value, number)
        self.seat(node)
        if reused:
            self.free, number = pop(self.free)
            self.by_id[number] = node
        else:
            self.by_id.append(node)
        return node

    def seat(self, node: Node) -> None:
        """Have a node found at its place, or by its value if it has none.  Cost: O(1)."""
        place = place_of(node.value)
        if 0 <= place < i64(len(self.places)):
            self.places[place] = i32(node.id + 1)
        else:
            self.by_value[node.value] = node

    def most(self) -> int:
        """The number of places that are worth their room.  Cost: O(1)."""
        return 4 * self.count() + 64

    def count(self) -> int:
        """The number of nodes.  Cost: O(1)."""
        return len(self.by_id) - len(self.free)

    def widen(self, place: i64) -> None:
        """Make a place for an integer, if the integers are dense enough; twice as many or none.

        Cost: amortized O(1) for each node, which there are twice as many of as the last time.
        """
        most, length = self.most(), len(self.places)
        if int(place) >= most or 2 * length > most:
            return
        wanted = max(place + 1, i64(2 * length))
        places = vec[i32](capacity=wanted)
        for entry in self.places:
            places = append(places, entry)
        while i64(len(places)) < wanted:
            places = append(places, 0)
        others: dict[Hashable, Node] = {}
        for value, node in self.by_value.items():
            at = place_of(value)
            if 0 <= at < wanted:
                places[at] = i32(node.id + 1)
            else:
                others[value] = node
        self.places, self.by_value = places, others

    def narrow(self, length: i64) -> None:
        """Have only the first places; their nodes stay, the others' go by value.  Cost: O(the places)."""
        places, self.places = self.places, self.places[0:length]
        place = length
        while place < i64(len(places)):
            entry: i64 = i64(places[place])
            if entry > 0:
                self.seat(self.at(entry - 1))
            place += 1

    def at(self, number: i64) -> Node:
        """The node of an id.  Cost: O(1)."""
        node = self.by_id[number]
        assert node is not None, "ids in rows belong to nodes"
        return node

    def drop(self, node: Node) -> None:
        """Take a node away, and give its id to the next.  Cost: O(1)."""
        place = place_of(node.value)
        if 0 <= place < i64(len(self.places)):
            self.places[place] = 0
        else:
            del self.by_value[node.value]
        self.by_id[node.id] = None
        self.free = append(self.free, node.id)
        if not self.count():
            self.places, self.by_value, self.by_id, self.free = vec[i32](), {}, [], vec[i64]()

    def compact(self) -> None:
        """Give room back that too few nodes are left for.  Cost: O(the room)."""
        self.by_value = compacted(self.by_value)
        if len(self.places) > 2 * self.most():
            self.narrow(i64(self.most()))

    def live(self) -> list[Node]:
        """All nodes, as they lie in memory if possible.  Cost: O(their number); before `compact`, O(room)."""
        if len(self.by_id) <= 2 * self.most():
            return [node for node in self.by_id if node is not None]
        found = list(self.by_value.values())
        place: i64 = 0
        while place < i64(len(self.places)):
            entry: i64 = i64(self.places[place])
            if entry > 0:
                found.append(self.at(entry - 1))
            place += 1
        return found


class InternedRelation(RelationIndex[int]):
    """A relation over the nodes of its two variables."""

    def __init__(self, double: bool, first: Nodes, second: Nodes) -> None:
        super().__init__(double)
        self.first = first
        self.second = second
        self.watched_first = IdSet()
        self.watched_second = IdSet()
        self.from_degree: i32 = 1
        """`watch`, for the inner loop."""

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
        return int(node.column_degree if column else node.row_degree)

    def values(self, column: int) -> list[Hashable]:
        nodes = self.second if column else self.first
        return [node for node in nodes.live() if self.degree(column, node)]

    def due(self, column: int, value: Hashable, least_heavy: int, too_heavy: int) -> int:
        node, degree = cast(Node, value), self.degree(column, value)
        if node.second_heavy if column else node.first_heavy:
            return LIGHT if degree < least_heavy else -1
        return HEAVY if degree >= too_heavy else -1

    def values_due(self, column: int, strict: int) -> list[Hashable]:
        limit, found = i32(min(strict, UNWATCHED)), list[Hashable]()
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
        for column in range(2 if self.double else 1):
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
        for node in self.first.by_id:
            if node is not None:
                yield from self.tuples_of(0, node)

    def add(self, x: Hashable, y: Hashable, first: Status, second: Status, multiplicity: int) -> None:
        left, right = cast(Node, x), cast(Node, y)
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
        if self.double and right.column_degree == self.from_degree:
            self.watched_second.add(right.id)

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
        if left.row_degree == self.from_degree:
            self.watched_first.remove_at(self.watched_first.find(left.id))
        if self.double and right.column_degree == self.from_degree:
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

    def shift(
        self, column: int, x: Hashable, y: Hashable, old: Status, new: Status, multiplicity: int
    ) -> None:
        outer, inner = (cast(Node, x), cast(Node, y)) if column else (cast(Node, y), cast(Node, x))
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
        """As in `ivme.kernel.storage.dicts`, and that ids and nodes fit together."""
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
        if int(self.from_degree) != self.watch:
            yield f"degrees are compared with {self.from_degree}, not with {self.watch}"
        for column in range(2 if self.double else 1):
            nodes, watched = (
                (self.second, self.watched_second) if column else (self.first, self.watched_first)
            )
            ids = {watched.at(position) for position in range(watched.size())}
            wanted = {node.id for node in nodes.live() if self.degree(column, node) >= self.watch}
            if ids != wanted or watched.damage():
                yield f"wrongly watched, or not, from degree {self.watch} on: ids {ids ^ wanted}"
