"""The storage of a graph in sets of ids: for the pure kernel.

>>> storage = SetGraph(directed=True, tracked=True)
>>> x, y = storage.vertex("x"), storage.vertex("y")
>>> storage.add(2 * x, y)
>>> storage.add(2 * y + 1, x)
>>> storage.members(2 * x) == [y], storage.length(2 * x + 1)
(True, 0)
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, cast

from ivme.kernel.graph.interface import GraphStorage
from ivme.kernel.storage.dicts.lines import compacted

if TYPE_CHECKING:
    from mypy_extensions import i64

NOBODY: set[int] = set()
"""The row of a vertex without neighbours; never changed."""


class SetGraph(GraphStorage):
    """Rows as sets; a row without neighbours is not stored."""

    def __init__(self, directed: bool, tracked: bool) -> None:
        super().__init__(directed, tracked)
        self.ids: dict[Hashable, int] = {}
        self.values: dict[int, Hashable] = {}
        self.last = 0
        self.rows: dict[int, set[int]] = {}
        self.heavies: set[int] = set()
        self.views: dict[int, dict[int, int]] = {}
        self.triangles: dict[int, int] = {}
        self.block: tuple[Sequence[int], Sequence[int], Sequence[int] | None] = ((), (), None)

    def find(self, value: Hashable) -> i64:
        return self.ids.get(value, 0)

    def vertex(self, value: Hashable) -> i64:
        found = self.ids.get(value)
        if found is None:
            self.last = found = self.last + 1
            self.ids[value] = found
            self.values[found] = value
        return found

    def forget(self, x: i64) -> None:
        del self.ids[self.values.pop(x)]
        self.ids, self.values = compacted(self.ids), compacted(self.values)

    def value(self, x: i64) -> Hashable:
        return self.values[x]

    def arrival(self, x: i64) -> i64:
        return x

    def vertex_count(self) -> int:
        return len(self.values)

    def vertices(self) -> list[int]:
        return list(self.values)

    def take_block(self, us: object, vs: object, signs: object) -> i64:
        tails, heads = cast("Sequence[int]", us), cast("Sequence[int]", vs)
        self.block = tails, heads, cast("Sequence[int] | None", signs)
        return len(tails)

    def block_edge(self, at: i64) -> i64:
        us, vs, signs = self.block
        self.tail, self.head = 0, 0
        self.tail = self.vertex(us[at])
        self.head = self.vertex(vs[at])
        return 1 if signs is None else signs[at]

    def length(self, row: i64) -> i64:
        return len(self.rows.get(row, NOBODY))

    def has(self, row: i64, y: i64) -> bool:
        return y in self.rows.get(row, NOBODY)

    def look(self, x: i64, y: i64) -> bool:
        rows, heavies = self.rows, self.heavies
        if self.stride == 1:
            one, other = rows.get(x, NOBODY), rows.get(y, NOBODY)
            self.degree_x, self.degree_y = len(one), len(other)
            there = y in one
        else:
            out, one, other = rows.get(2 * x, NOBODY), rows.get(2 * y, NOBODY), rows.get(2 * x + 1, NOBODY)
            self.degree_x = len(out) + len(other)
            self.degree_y = len(one) + len(rows.get(2 * y + 1, NOBODY))
            there = y in out
        self.scan = min(len(one), len(other))
        self.both_heavy = x in heavies and y in heavies
        return there

    def add(self, row: i64, y: i64) -> None:
        found = self.rows.get(row)
        if found is None:
            self.rows[row] = {y}
        else:
            found.add(y)

    def remove(self, row: i64, y: i64) -> None:
        found = self.rows[row]
        if len(found) == 1:
            del self.rows[row]
            self.rows = compacted(self.rows)
            return
        found.remove(y)
        if len(found) * 128 < found.__sizeof__() - 640:
            self.rows[row] = set(found)  # a set does not shrink, and walking one costs its capacity

    def members(self, row: i64) -> list[int]:
        return list(self.rows.get(row, NOBODY))

    def built_members(self, row: i64) -> list[int]:
        return list(self.views.keys() & self.rows.get(row, NOBODY))

    def heavy_in(self, row: i64) -> i64:
        return len(self.heavies & self.rows.get(row, NOBODY))

    def light_total(self, row: i64) -> i64:
        stride = self.stride
        light = self.rows.get(row, NOBODY) - self.heavies
        return sum(len(self.rows.get(stride * w, NOBODY)) for w in light)

    def common(self, one: i64, other: i64) -> i64:
        return len(self.rows.get(one, NOBODY) & self.rows.get(other, NOBODY))

    def matches(self, one: i64, other: i64) -> list[int]:
        return list(self.rows.get(one, NOBODY) & self.rows.get(other, NOBODY))

    def bump_common(self, one: i64, other: i64, sign: i64) -> i64:
        found = self.rows.get(one, NOBODY) & self.rows.get(other, NOBODY)
        triangles = self.triangles
        for w in found:
            total = triangles.get(w, 0) + sign
            if total:
                triangles[w] = total
            else:
                del triangles[w]
        self.heavy_matches = len(found & self.heavies) if self.heavies else 0
        self.built_matches = len(self.views.keys() & found) if self.views else 0
        return len(found)

    def count_up(self) -> i64:
        rows, found, self.scan = self.rows, 0, 0
        after = {
            x: {y for y in row if (len(rows[y]), y) > (len(row), x)}  # the larger degrees
            for x, row in rows.items()
        }
        for x, near in after.items():
            for y in near:
                far = after[y]
                self.scan += len(far)
                if common := near & far:
                    found += len(common)
                    if self.tracked:
                        self.bump(x, len(common))
                        self.bump(y, len(common))
                        for z in common:
                            self.bump(z, 1)
        return found

    def is_heavy(self, x: i64) -> bool:
        return x in self.heavies

    def is_built(self, x: i64) -> bool:
        return x in self.views

    def set_heavy(self, x: i64, heavy: bool) -> None:
        if heavy:
            self.heavies.add(x)
        else:
            self.heavies.remove(x)

    def explicit(self, x: i64) -> i64:
        return self.triangles.get(x, 0)

    def bump(self, x: i64, by: i64) -> None:
        if by:
            total = self.triangles.get(x, 0) + by
            if total:
                self.triangles[x] = total
            else:
                del self.triangles[x]
                self.triangles = compacted(self.triangles)

    def open_pairs(self, u: i64) -> None:
        self.views[u] = {}
        for w in self.rows.get(self.stride * u, NOBODY) - self.heavies:
            self.join_pairs(u, w, 1)

    def close_pairs(self, u: i64) -> None:
        del self.views[u]

    def pair(self, u: i64, z: i64) -> i64:
        return self.views[u].get(z, 0)

    def add_pair(self, u: i64, z: i64, sign: i64) -> None:
        view = self.views[u]
        total = view.get(z, 0) + sign
        if total:
            view[z] = total
        else:
            del view[z]
            self.views[u] = compacted(view)

    def join_pairs(self, u: i64, w: i64, sign: i64) -> i64:
        found = self.heavies & self.rows.get(self.stride * w, NOBODY)
        found.discard(u)
        for z in found:
            self.add_pair(u, z, sign)
        return len(found)

    def pairs(self, u: i64) -> dict[int, int]:
        return dict(self.views[u])

    def damage(self) -> str:
        if any(not row for row in self.rows.values()):
            return "there is an empty row"
        if {value: x for x, value in self.values.items()} != self.ids:
            return "ids and values differ"
        if not all(self.triangles.values()):
            return "a zero is stored"
        return ""
