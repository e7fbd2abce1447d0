"""`CompactStorage`: nodes and rows of ids.

>>> storage = CompactStorage()
>>> node = storage.handle(0, "ada")
>>> storage.value(node), storage.knows(0, "ada"), storage.knows(1, "ada")
('ada', True, False)
"""

from __future__ import annotations

from collections.abc import Hashable

from mypy_extensions import i64

from ivme.kernel.plan import TreePlan
from ivme.kernel.storage.compact.bulk import CompactBulk
from ivme.kernel.storage.compact.columns import CompactColumns
from ivme.kernel.storage.compact.head import CompactHead
from ivme.kernel.storage.compact.ids import IdRow
from ivme.kernel.storage.compact.nodes import Node, Nodes
from ivme.kernel.storage.compact.product import Product
from ivme.kernel.storage.compact.relation import CompactRelation
from ivme.kernel.storage.compact.trees import CompactKept, CompactSums
from ivme.kernel.storage.interface import Bulk, Columns, Storage


class CompactStorage(Storage[Node, IdRow, int]):
    """Storage in rows of ids, for integers."""

    def __init__(self) -> None:
        super().__init__()
        self.nodes = [Nodes(), Nodes(), Nodes()]
        self.relations: dict[int, CompactRelation] = {}
        self.head = CompactHead((), self.nodes)
        self.kept: dict[int, CompactKept] = {}
        self.product = Product()
        self.prefetched: i64 = 0

    def relation(self, i: int, partitioned: int) -> CompactRelation:
        made = CompactRelation(partitioned, self.nodes[i], self.nodes[(i + 1) % 3])
        self.relations[i] = made
        return made

    def bulk(self, i: int, distinct: bool) -> Bulk[int]:
        return CompactBulk(self.relations[i], distinct)

    def head_map(self, order: tuple[int, ...]) -> CompactHead:
        self.head = CompactHead(order, self.nodes)
        return self.head

    def summed_tree(self, first: int) -> CompactSums:
        return CompactSums(self.nodes[first], self.nodes[(first + 2) % 3])

    def kept_tree(self, first: int, by_x: bool, by_z: bool) -> CompactKept:
        made = CompactKept(by_x, by_z, [self.nodes[(first + turn) % 3] for turn in range(3)])
        self.kept[first] = made
        return made

    def columns(self, trees: tuple[TreePlan, ...]) -> Columns:
        found = CompactColumns(self.nodes)
        found.add_head(self.head)
        for plan in trees:
            turns = [self.relations[(plan.first + turn) % 3] for turn in range(3)]
            found.add_tree(plan, self.kept[plan.first], turns)
        return found

    def handle(self, variable: int, value: Hashable) -> Node:
        nodes = self.nodes[variable]
        node = nodes.find(value)
        return nodes.make(value) if node is None else node

    def knows(self, variable: int, value: Hashable) -> bool:
        return self.nodes[variable].number(value) >= 0

    def forget(self, variable: int, node: Node) -> None:
        if node.is_bare():
            nodes = self.nodes[variable]
            if node.id < i64(len(nodes.by_id)) and nodes.by_id[node.id] is node:
                nodes.drop(node)

    def value(self, node: Node) -> Hashable:
        return node.value

    def prefetch(self, x: Node, y: Node, partners: bool) -> None:
        """Load a word of each line but the one used first, so that the cache misses overlap."""
        seen: i64 = 0
        if partners:
            line = x.light_column
            if line is not None:
                seen += line.keys[0]
            line = y.light_row
            if line is not None:
                seen += line.keys[0]
        line = y.light_column
        if line is not None:
            seen += line.keys[0]
        self.prefetched = seen

    def length(self, line: IdRow) -> int:
        return line.size()

    def members(self, variable: int, line: IdRow) -> list[Node]:
        nodes = self.nodes[variable]
        return [nodes.at(line.at(position)) for position in range(line.size())]

    def common(self, variable: int, row: IdRow, column: IdRow) -> list[Node]:
        left, right = (column, row) if row.size() > column.size() else (row, column)
        nodes, found = self.nodes[variable], list[Node]()
        for position in range(left.size()):
            key = left.at(position)
            if right.find(key) >= 0:
                found.append(nodes.at(key))
        return found

    def has(self, line: IdRow, node: Node) -> bool:
        return line.find(node.id) >= 0

    def expect(self, variable: int, column: IdRow | None) -> None:
        self.product.mark(column, len(self.nodes[variable].by_id))

    def dot(self, row: IdRow, column: IdRow) -> int | None:
        product = self.product
        product.of(row, column)
        self.steps = product.steps
        return product.total if product.matches else None
