"""Values as nodes: interning, with dense ids that are reused.

One lookup finds the node of a value; from there on the engine follows attributes, and the inner loops see
machine integers only (`ids`). A node goes with its last tuple.

>>> nodes = Nodes()
>>> node = nodes.make("ada")
>>> nodes.find("ada") is node, nodes.find("bob"), nodes.number(5)
(True, None, -1)
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final

from librt.vecs import append, pop, vec
from mypy_extensions import i32, i64, mypyc_attr

from ivme.kernel.parts import HEAVY, Status
from ivme.kernel.storage.compact.ids import IdRow
from ivme.kernel.storage.dicts.lines import compacted


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
"""Exclusive limit of the direct index."""


def place_of(value: Hashable) -> i64:
    """The place of a value in a direct index, −1 if it can have none.  Cost: O(1)."""
    if type(value) is int:
        number: int = value  # mypyc unboxes a variable once
        if 0 <= number < FAR:
            return i64(number)
    return -1


LOW: Final = (1 << 31) - 1
"""The mask of the second id of a packed pair."""


def packed(x: Node, y: Node) -> i64:
    """Two ids in one: there are fewer than 2^31 of each.  Cost: O(1)."""
    return x.id << 31 | y.id


class Nodes:
    """The nodes of one variable, by value and by id.

    `places` is a direct index for dense integers: the id of v plus one, which saves a dict lookup. An integer
    with a place is found there, every other value in `by_value`. Values are compared like the keys of a dict:
    1, True and 1.0 are one value.
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
        self.register(node)
        if reused:
            self.free, number = pop(self.free)
            self.by_id[number] = node
        else:
            self.by_id.append(node)
        return node

    def register(self, node: Node) -> None:
        """Register in the direct index, else in the dict.  Cost: O(1)."""
        place = place_of(node.value)
        if 0 <= place < i64(len(self.places)):
            self.places[place] = i32(node.id + 1)
        else:
            self.by_value[node.value] = node

    def most(self) -> int:
        """The largest direct index that is worth its memory.  Cost: O(1)."""
        return 4 * self.count() + 64

    def count(self) -> int:
        """The number of nodes.  Cost: O(1)."""
        return len(self.by_id) - len(self.free)

    def widen(self, place: i64) -> None:
        """Grow the direct index to hold an integer if the integers are dense enough: double it, or leave it.

        Cost: amortized O(1) for each node: the number of nodes has doubled since the last time.
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
        """Truncate the direct index; nodes beyond it move to the dict.  Cost: O(its length)."""
        places, self.places = self.places, self.places[0:length]
        place = length
        while place < i64(len(places)):
            entry: i64 = i64(places[place])
            if entry > 0:
                self.register(self.at(entry - 1))
            place += 1

    def at(self, number: i64) -> Node:
        """The node of an id.  Cost: O(1)."""
        node = self.by_id[number]
        assert node is not None, "ids in rows belong to nodes"
        return node

    def drop(self, node: Node) -> None:
        """Remove a node and free its id.  Cost: O(1)."""
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
        """Release unused capacity.  Cost: O(the capacity)."""
        self.by_value = compacted(self.by_value)
        if len(self.places) > 2 * self.most():
            self.narrow(i64(self.most()))

    def live(self) -> list[Node]:
        """All nodes, in memory order if possible.  Cost: O(their number); before `compact`, O(capacity)."""
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
