"""The triangles of a graph under inserts and deletes of edges: count, and triangles of each vertex.

Paper: IVM^ε for triangle queries with repeating relation symbols (sec:extensions), on one edge relation E
that is stored once, with views that are bought only when they pay. Spec: `ivme_spec.graphs`.

A triangle is a cycle u → v → w → u; an undirected edge is two arcs, and an undirected triangle is counted
once. N bounds Σ degrees, θ = N^ε. A vertex is heavy or light by its degree, with the paper's hysteresis: it
becomes heavy at ³⁄₂θ and light below ½θ, and all classes are strict after a major rebalancing. An arc a → b
closes as many cycles as there are w with b → w → a:

    a or b light   intersect the successors of b with the predecessors of a: less than ³⁄₂θ on one side both
    heavy     heavy w: probe the at most 2N^{1−ε} heavy vertices. Light w: V(b,a), if the row of b is built
    (undirected: of either), where V(u,z) = #{w light: u → w → z} for heavy u and z ≠ u; if not, intersect as
    above, at a cost of up to N, and pay it into the credit of b

When the credit of u reaches the price of its row, 2·|Out(u)| + 2·Σ_{w light} |Out(w)|, the row is built (ski
rental). Its upkeep is O(θ) an update: an arc u → w to a light w joins the heavy successors of w, an arc w → z
from a light w to a heavy z the built predecessors of w. A row whose upkeep since it was last of use has
reached its price is dropped, and so is that of a vertex that becomes light. Rows are built and dropped only
before an update is propagated or after it is stored.

Triangles of a vertex: explicit for a heavy one. For a light w they leave out those with a built pair, u → w →
z → u with u built (undirected: u or z) and z heavy, so that an update of such an arc z → u need not visit all
w; a lookup adds them.

The bounds, with their constants and the potential behind the amortized one: `ivme_spec.graph_bounds`.

>>> from ivme.kernel.graph.sets import SetGraph
>>> graph = GraphEngine(SetGraph(False, True), Fraction(1, 2), directed=False)
>>> for u, v in (("a", "b"), ("b", "c"), ("c", "a")):
...     assert graph.link(graph.storage.vertex(u), graph.storage.vertex(v))
>>> graph.triangles, graph.triangles_at(graph.storage.find("a"))
(1, 1)
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ivme.kernel.graph.events import Build, Drop, GraphEvent, GraphMajor, GraphMinor
from ivme.kernel.graph.interface import GraphStorage
from ivme.kernel.meter import Meter
from ivme_spec.state import doubled, halved, initial_base
from ivme_spec.thresholds import Threshold, threshold

if TYPE_CHECKING:
    from mypy_extensions import i64


threshold_of = lru_cache(maxsize=512)(threshold)
"""N takes few values, and all graphs of one ε share them."""

NEVER: Final = 1 << 60
"""An N that no size reaches."""

LEAST_BASE: Final = 3
"""N of an empty graph: an edge adds 2 to Σ degrees, and must not reach 2N."""


def next_lower(base: int, size: int) -> int:
    """The next N below, such that the size invariant holds."""
    while size < base // 4:
        base = max(LEAST_BASE, halved(base))
    return base


class PairRow:
    """The account of a built row: its price when it was built, and its upkeep since it was last of use."""

    def __init__(self, price: i64) -> None:
        self.price: i64 = price
        self.gap: i64 = 0

    def spare(self, scan: i64) -> None:
        """The row was of use: it has spared a scan.  Cost: O(1)."""
        self.gap -= scan
        if self.gap < 0:
            self.gap = 0


class Credit:
    """What the scans of an unbuilt row have cost so far, and when to look at its price again."""

    def __init__(self, look: i64) -> None:
        self.paid: i64 = 0
        self.look: i64 = look


class GraphEngine:
    """The state, and the procedures that maintain it. Vertices are ids of the storage.

    Cost of each method: as stated; a step is a lookup, a write, or a step along a row.
    """

    def __init__(self, storage: GraphStorage, epsilon: Fraction, directed: bool) -> None:
        self.storage = storage
        self.epsilon = epsilon
        self.directed = directed
        self.stride: i64 = 2 if directed else 1
        self.tracked = storage.tracked
        self.size: i64 = 0
        """Σ degrees: twice the number of edges."""
        self.triangles: i64 = 0
        self.wedges: i64 = 0
        self.heavies: list[int] = []
        self.places: dict[int, int] = {}
        """Where a heavy vertex stands in `heavies`."""
        self.rows: dict[int, PairRow] = {}
        self.credits: dict[int, Credit] = {}
        self.tiers: list[set[int]] = []
        """The vertices of degree 32 to 63, 64 to 127, and so on."""
        self.ahead: list[Threshold] = []
        self.events: list[GraphEvent] = []
        """What happened since somebody looked; only with `listening`."""
        self.listening = False
        self.version: i64 = 0
        self.steps: i64 = 0
        self.changing = False
        """True while an update is writing; one that is refused writes nothing."""
        self.deferred = False
        """True between `defer` and `count_all`: edges are stored, and nothing else is maintained."""
        self.meter = Meter()
        self.set_base(LEAST_BASE)

    def set_base(self, base: int) -> None:
        """Change N and with it θ; the classes are not touched.  Cost: O(log N) comparisons."""
        for theta in self.ahead:
            if theta.base == base:
                break
        else:
            theta = threshold_of(base, self.epsilon)
        self.threshold = theta
        self.base: i64 = base
        self.least_base: i64 = base // 4
        self.heavy: i64 = theta.heavy
        self.light: i64 = theta.light

    def look_ahead(self) -> None:
        """Compute the thresholds that a major rebalancing needs, before anything changes.

        Cost: O(log N) comparisons.
        """
        base = int(self.base)
        bases = [doubled(base), next_lower(base, max(0, int(self.size) - 2))]
        if [theta.base for theta in self.ahead] != bases:
            self.ahead = [threshold_of(each, self.epsilon) for each in bases]

    def degree(self, x: i64) -> i64:
        """The number of edges at a vertex, in and out.  Cost: O(1)."""
        if self.directed:
            return self.storage.length(2 * x) + self.storage.length(2 * x + 1)
        return self.storage.length(x)

    def joined(self, x: i64, y: i64) -> bool:
        """Whether x → y is an arc.  Cost: O(1)."""
        if not self.directed and self.storage.length(x) > self.storage.length(y):
            return self.storage.has(y, x)
        return self.storage.has(x * self.stride, y)

    # --- updates --------------------------------------------------------------------------------------------

    def link(self, x: i64, y: i64) -> bool:
        """Insert the arc x → y, or the edge; False if it is there.

        Cost: amortized O(N^max(ε,1−ε)), and O(1) if it is there.
        """
        storage, stride = self.storage, self.stride
        if self.deferred:
            return self.attach(x, y)
        if storage.look(x, y):
            return False
        self.changing = True
        degree_x, degree_y = storage.degree_x, storage.degree_y
        before = self.steps
        payer = self.close(x, y, 1)
        self.wedges += degree_x + degree_y
        storage.add(x * stride, y)
        storage.add(y * stride + stride - 1, x)
        self.size += 2
        middle = self.steps
        self.meter.count_update(middle - before)
        if payer != 0:
            self.consider(payer)
        if degree_x >= 31 and degree_x & (degree_x + 1) == 0:
            self.retier(int(x), int(degree_x + 1))
        if degree_y >= 31 and degree_y & (degree_y + 1) == 0:
            self.retier(int(y), int(degree_y + 1))
        if degree_x + 1 == self.light and not storage.is_heavy(x):
            self.become_heavy(x)
        if degree_y + 1 == self.light and not storage.is_heavy(y):
            self.become_heavy(y)
        if self.size >= self.base:
            self.major(doubled(int(self.base)))
        elif self.steps != middle:
            self.count_rest(middle)
        self.changing = False
        return True

    def cut(self, x: i64, y: i64) -> bool:
        """Delete the arc x → y, or the edge; False if it is not there.

        Cost: amortized O(N^max(ε,1−ε)), and O(1) if it is not there.
        """
        storage, stride = self.storage, self.stride
        if self.deferred:
            return self.detach(x, y)
        if not storage.look(x, y):
            return False
        self.changing = True
        degree_x, degree_y = storage.degree_x - 1, storage.degree_y - 1
        before = self.steps
        payer = self.close(x, y, -1)
        self.wedges -= degree_x + degree_y
        storage.remove(x * stride, y)
        storage.remove(y * stride + stride - 1, x)
        self.size -= 2
        middle = self.steps
        self.meter.count_update(middle - before)
        if payer != 0:
            self.consider(payer)
        if degree_x >= 31 and degree_x & (degree_x + 1) == 0:
            self.retier(int(x), int(degree_x))
        if degree_y >= 31 and degree_y & (degree_y + 1) == 0:
            self.retier(int(y), int(degree_y))
        if degree_x + 1 == self.heavy and storage.is_heavy(x):
            self.become_light(x)
        if degree_y + 1 == self.heavy and storage.is_heavy(y):
            self.become_light(y)
        if degree_x == 0:
            storage.forget(x)
        if degree_y == 0:
            storage.forget(y)
        if self.size < self.least_base:
            self.major(next_lower(int(self.base), int(self.size)))
        elif self.steps != middle:
            self.count_rest(middle)
        self.changing = False
        return True

    def count_rest(self, middle: i64) -> None:
        """Count the steps of builds, drops and rebalancing after an update.  Cost: O(1)."""
        self.meter.count_minor(int(self.steps - middle), 1)

    def close(self, a: i64, b: i64, sign: i64) -> i64:
        """Count the triangles that a → b closes, stored or not; whose row is to be considered for building.

        The built rows are maintained first.  Cost: O(θ), or O(N^{1−ε}) if the row of a heavy pair is built,
        else O(N).
        """
        storage, stride = self.storage, self.stride
        scan, both_heavy = storage.scan, storage.both_heavy
        self.steps += 8
        self.version += 1
        if self.rows and not both_heavy:  # rows count light vertices in the middle
            self.maintain(a, b, sign)
        one, other = b * stride, a * stride + stride - 1
        if both_heavy:
            return self.close_heavy(a, b, one, other, scan, sign)
        if scan == 0:
            return 0
        self.steps += scan
        if not self.tracked:
            self.triangles += sign * storage.common(one, other)
            return 0
        found = storage.bump_common(one, other, sign)
        if found != 0:
            self.steps += found
            self.triangles += sign * found
            explicit_a, explicit_b = found, found
            if self.rows:
                if storage.is_heavy(a):  # b leaves out what is with a built pair of a and a heavy w
                    if storage.is_built(a):
                        explicit_b = found - storage.heavy_matches
                    elif not self.directed:
                        explicit_b = found - storage.built_matches
                elif storage.is_heavy(b):
                    if not self.directed and storage.is_built(b):
                        explicit_a = found - storage.heavy_matches
                    else:
                        explicit_a = found - storage.built_matches
            storage.bump(a, sign * explicit_a)
            storage.bump(b, sign * explicit_b)
        return 0

    def close_heavy(self, a: i64, b: i64, one: i64, other: i64, scan: i64, sign: i64) -> i64:
        """`close` for heavy a and b."""
        storage = self.storage
        owner, end = b, a
        if not self.directed and not storage.is_built(b):
            owner, end = a, b
        payer: i64 = 0
        if storage.is_built(owner):
            found = storage.pair(owner, end)
            self.steps += 1 + 2 * len(self.heavies)
            for w in self.heavies:
                if storage.has(one, w) and storage.has(other, w):
                    found += 1
                    if self.tracked:
                        storage.bump(w, sign)
            row = self.rows[int(owner)]
            row.spare(scan)
        else:
            self.steps += scan
            if self.tracked:
                found = storage.bump_common(one, other, sign)
                self.steps += found
            else:
                found = storage.common(one, other)
            if not self.directed and self.degree(a) <= self.degree(b):
                payer = self.charge(a, scan)
            else:
                payer = self.charge(b, scan)
        self.triangles += sign * found
        if self.tracked:
            storage.bump(a, sign * found)
            storage.bump(b, sign * found)
        return payer

    # --- loading --------------------------------------------------------------------------------------------

    def store(self, x: i64, y: i64) -> None:
        """Store an arc, or an edge, that is not there; `count_all` does the rest.  Cost: amortized O(1)."""
        self.storage.add(x * self.stride, y)
        self.storage.add(y * self.stride + self.stride - 1, x)
        self.size += 2

    def count_all(self) -> None:
        """Make N, strict classes and all counts from the stored edges; no row is built.  Cost: O(N^{3/2})."""
        storage, before = self.storage, self.steps
        self.set_base(max(LEAST_BASE, initial_base(int(self.size))))
        vertices = storage.vertices()
        strict: i64 = self.threshold.strict
        for x in vertices:
            degree = self.degree(x)
            self.wedges += degree * (degree - 1) >> 1
            if degree >= 32:
                self.retier(x, int(degree))
            if degree >= strict:
                self.become_heavy(x)
        if self.directed:
            self.count_cycles(vertices)
        else:
            self.triangles = storage.count_up()
            self.steps += self.size + storage.scan
        self.steps += 4 * len(vertices)
        self.meter.preprocessing += int(self.steps - before)
        self.deferred = False

    def count_cycles(self, vertices: list[int]) -> None:
        """Count directed triangles, each at its three arcs, at a vertex at two.  Cost: O(N^{3/2})."""
        storage, found = self.storage, 0
        for x in vertices:
            for y in storage.members(2 * x):
                self.steps += min(storage.length(2 * y), storage.length(2 * x + 1))
                closed = storage.common(2 * y, 2 * x + 1)
                found += int(closed)
                if self.tracked and closed != 0:
                    storage.bump(x, closed)
                    storage.bump(y, closed)
        self.triangles = found // 3
        if self.tracked:
            for x in vertices:
                storage.bump(x, -(storage.explicit(x) // 2))

    # --- many updates at once -------------------------------------------------------------------------------

    def defer(self) -> None:
        """Forget N, the classes, the rows of pairs and all counts: updates store edges until `count_all`.

        Cost: O(vertices), and that of the rows.
        """
        storage, before = self.storage, self.steps
        for u in self.rows:
            storage.close_pairs(u)
        for w in self.heavies:
            storage.set_heavy(w, False)
        self.steps += (1 + len(self.rows)) * (1 + len(self.heavies))
        if self.tracked:
            for x in storage.vertices():
                storage.bump(x, -storage.explicit(x))
            self.steps += storage.vertex_count()
        self.meter.preprocessing += int(self.steps - before)
        self.rows, self.credits, self.heavies, self.places, self.tiers = {}, {}, [], {}, []
        self.triangles, self.wedges = 0, 0
        self.base, self.least_base = NEVER, 0
        self.deferred = True

    def attach(self, x: i64, y: i64) -> bool:
        """`link` without counting.  Cost: amortized O(1)."""
        if self.joined(x, y):
            return False
        self.changing = True
        self.version += 1
        self.steps += 8
        self.meter.count_update(8)
        self.store(x, y)
        self.changing = False
        return True

    def detach(self, x: i64, y: i64) -> bool:
        """`cut` without counting.  Cost: amortized O(1)."""
        storage, stride = self.storage, self.stride
        if not self.joined(x, y):
            return False
        self.changing = True
        self.version += 1
        self.steps += 8
        self.meter.count_update(8)
        storage.remove(x * stride, y)
        storage.remove(y * stride + stride - 1, x)
        self.size -= 2
        if self.degree(x) == 0:
            storage.forget(x)
        if self.degree(y) == 0:
            storage.forget(y)
        self.changing = False
        return True

    # --- rows of pairs --------------------------------------------------------------------------------------

    def charge(self, u: i64, scan: i64) -> i64:
        """Pay a scan into the credit of an unbuilt row; the vertex if it is time to look at the price.

        Cost: O(1).
        """
        credit = self.credits.get(int(u))
        if credit is None:
            credit = self.credits[int(u)] = Credit(max(2, 2 * self.storage.length(u * self.stride)))
        credit.paid += scan
        return u if credit.paid >= credit.look else 0

    def consider(self, u: i64) -> None:
        """Build the row of u if its credit has reached the price.  Cost: O(|Out(u)|), and the price."""
        credit, row = self.credits[int(u)], u * self.stride
        length = self.storage.length(row)
        self.steps += length
        price = 2 * length + 2 * self.storage.light_total(row)
        if credit.paid < price:
            credit.look = max(price, credit.paid + 2 * length)
        else:
            self.build(u, price)

    def build(self, u: i64, price: i64) -> None:
        """Build the row of u.  Cost: O(its price)."""
        del self.credits[int(u)]
        if self.tracked:
            self.hand_over(u, -1)
        self.storage.open_pairs(u)
        self.rows[int(u)] = PairRow(price)
        self.steps += price
        if self.listening:
            self.events.append(Build(self.storage.value(u), int(price), int(self.version)))

    def drop(self, u: i64) -> None:
        """Drop the row of u.  Cost: O(the number of its pairs), and O(its price) if triangles are tracked."""
        row = self.rows.pop(int(u))
        self.steps += 1 + len(self.heavies)
        self.storage.close_pairs(u)
        if self.tracked:
            self.hand_over(u, 1)
        if self.listening:
            self.events.append(Drop(self.storage.value(u), int(row.price), int(self.version)))

    def hand_over(self, u: i64, sign: i64) -> None:
        """Make the triangles of light w with a pair (u,z) explicit (1) or implicit (−1); u is not built.

        Undirected, those with a built z stay implicit.  Cost: O(|Out(u)| + Σ_{w light} |Out(w)|).
        """
        storage = self.storage
        for w in storage.members(u * self.stride):
            self.steps += 1
            if not storage.is_heavy(w):
                self.steps += storage.length(w * self.stride)
                storage.bump(w, sign * self.closed_pairs(u, w))

    def closed_pairs(self, u: i64, w: i64) -> i64:
        """#{z heavy: u → w → z → u}, undirected without built z.  Cost: O(|Out(w)|)."""
        storage, found = self.storage, 0
        into = u * self.stride + self.stride - 1
        for z in storage.members(w * self.stride):
            if z == u or not storage.is_heavy(z) or not storage.has(into, z):
                continue
            if self.directed or not storage.is_built(z):
                found += 1
        return found

    def maintain(self, x: i64, y: i64, sign: i64) -> None:
        """Propagate an edge to the built rows, before it is stored or removed; first drop what will not pay.

        Cost: O(θ).
        """
        self.make_room(x, y)
        if not self.directed:
            self.make_room(y, x)
        self.propagate(x, y, sign)
        if not self.directed:
            self.propagate(y, x, sign)

    def make_room(self, a: i64, b: i64) -> None:
        """Drop the rows whose upkeep for a → b would not pay.  Cost: O(θ), and that of the drops."""
        storage = self.storage
        if storage.is_heavy(b):
            if not storage.is_heavy(a):
                row = a * self.stride + self.stride - 1
                self.steps += storage.length(row)
                for u in storage.built_members(row):
                    if u != b:
                        self.drop_if(u, 2)
        elif storage.is_built(a):
            row = b * self.stride
            self.steps += storage.length(row)
            self.drop_if(a, 2 * storage.heavy_in(row))

    def drop_if(self, u: i64, more: i64) -> None:
        """Drop the row of u if more upkeep would bring it to its price.  Cost: O(1), or as `drop`."""
        row = self.rows[int(u)]
        if row.gap + more >= row.price:
            self.drop(u)

    def propagate(self, a: i64, b: i64, sign: i64) -> None:
        """Add a → b to the built rows, or subtract it.  Cost: O(θ)."""
        storage = self.storage
        if storage.is_heavy(b):
            if not storage.is_heavy(a):
                row = a * self.stride + self.stride - 1
                self.steps += storage.length(row)
                for u in storage.built_members(row):
                    if u != b:
                        storage.add_pair(u, b, sign)
                        self.steps += 2
                        self.rows[u].gap += 2
        elif storage.is_built(a):
            changed = storage.join_pairs(a, b, sign)
            self.steps += storage.length(b * self.stride) + 2 * changed
            self.rows[int(a)].gap += 2 * changed

    # --- classes --------------------------------------------------------------------------------------------

    def become_heavy(self, w: i64) -> None:
        """Move a light vertex to the heavy class.  Cost: O(1), and O(θ·min(θ,N^{1−ε})) with built rows."""
        storage = self.storage
        self.steps += 2
        if self.rows:
            self.leave_middle(w)
            if self.tracked:
                storage.bump(w, self.implicit(w))
            self.join_middle(w, -1)
        storage.set_heavy(w, True)
        self.places[int(w)] = len(self.heavies)
        self.heavies.append(int(w))
        if self.rows:
            for u in self.fill(w, 1):
                self.drop_if(u, 0)
        if self.listening:
            self.events.append(GraphMinor(storage.value(w), True, int(self.base), int(self.version)))

    def become_light(self, w: i64) -> None:
        """Move a heavy vertex to the light class.  Cost: as `become_heavy`, and the drop of its row."""
        storage = self.storage
        due: set[int] = set()
        self.steps += 2
        if storage.is_built(w):
            self.drop(w)
        self.credits.pop(int(w), None)
        if self.rows:
            self.leave_middle(w)
            due = self.fill(w, -1)
        storage.set_heavy(w, False)
        place, last = self.places.pop(int(w)), self.heavies.pop()
        if last != w:
            self.heavies[place] = last
            self.places[last] = place
        if self.rows:
            self.join_middle(w, 1)
            if self.tracked:
                storage.bump(w, -self.implicit(w))
            for u in due:
                self.drop_if(u, 0)  # not before: w must be in one class for all
        if self.listening:
            self.events.append(GraphMinor(storage.value(w), False, int(self.base), int(self.version)))

    def leave_middle(self, w: i64) -> None:
        """Drop the rows that a class change of w would not pay for, before it.  Cost: O(θ), and the drops."""
        storage = self.storage
        self.steps += 2 * self.degree(w)
        more = 2 * storage.heavy_in(w * self.stride)
        for u in storage.built_members(w * self.stride + self.stride - 1):
            self.drop_if(u, more)

    def join_middle(self, w: i64, sign: i64) -> None:
        """Add the light w to the built rows, or subtract it.  Cost: O(|Out(w)|) for each of them."""
        storage = self.storage
        for u in storage.built_members(w * self.stride + self.stride - 1):
            self.steps += storage.length(w * self.stride)
            self.charge_row(u, storage.join_pairs(u, w, sign))

    def charge_row(self, u: i64, changed: i64) -> None:
        """Charge a row with changed pairs.  Cost: O(1)."""
        self.steps += 2 * changed
        self.rows[int(u)].gap += 2 * changed

    def fill(self, w: i64, sign: i64) -> set[int]:
        """w is heavy, from now on (1) or no longer (−1): its column in the built rows, V(u,w) over light x.

        The rows that were charged.  Cost: O(θ·min(θ,N^{1−ε})).
        """
        storage = self.storage
        due: set[int] = set()
        for x in storage.members(w * self.stride + self.stride - 1):
            if storage.is_heavy(x):
                continue
            row = x * self.stride + self.stride - 1
            self.steps += storage.length(row)
            closed: i64 = 0
            for u in storage.built_members(row):
                if u != w:
                    storage.add_pair(u, w, sign)
                    self.charge_row(u, 1)
                    due.add(u)
                    if self.tracked and storage.has(w * self.stride, u):
                        closed += 1
            if self.tracked:
                storage.bump(x, -sign * closed)
        return due

    def major(self, base: int) -> None:
        """Change N and make all classes strict.  Cost: amortized O(N^max(ε,1−ε))."""
        grown, before = base > self.base, self.steps
        self.set_base(base)
        strict = self.threshold.strict
        for x in [x for x in self.heavies if self.degree(x) < strict]:
            self.become_light(x)
        found = self.above(strict)
        self.steps += 2 * len(found)
        for x in found:
            if self.degree(x) >= strict and not self.storage.is_heavy(x):
                self.become_heavy(x)
        self.meter.count_major(int(self.steps - before))
        if self.listening:
            self.events.append(GraphMajor(grown, int(self.base), int(self.version)))

    def retier(self, x: int, degree: int) -> None:
        """Move a vertex whose degree has changed by one to its tier, from a neighbouring one.  Cost: O(1)."""
        own = degree.bit_length() - 6
        while len(self.tiers) < own + 2:
            self.tiers.append(set())
        for other in (own - 1, own + 1):
            if other >= 0:
                self.tiers[other].discard(x)
        if own >= 0:
            self.tiers[own].add(x)

    def above(self, degree: int) -> list[int]:
        """All vertices of at least this degree, and others, of more than half of it if it is 32 or more.

        Cost: O(their number).
        """
        lowest = degree.bit_length() - 6
        if lowest < 0:
            return self.storage.vertices()
        return [x for tier in self.tiers[lowest:] for x in tier]

    # --- reads ----------------------------------------------------------------------------------------------

    def implicit(self, w: i64) -> i64:
        """The triangles of a light w with a built pair.

        Cost: (1 + k)² for k = min(³⁄₂θ, 2N^{1−ε}): O(N^{2·min(ε,1−ε)}).
        """
        if not self.rows:
            return 0
        storage, twice = self.storage, 0
        built = [u for u in self.heavy_members(w * self.stride + self.stride - 1) if storage.is_built(u)]
        if not built:
            return 0
        ends = self.heavy_members(w * self.stride)
        for u in built:
            into = u * self.stride + self.stride - 1
            self.steps += len(ends)
            for z in ends:
                if z != u and storage.has(into, z):
                    twice += 1 if not self.directed and storage.is_built(z) else 2
        return twice // 2

    def heavy_members(self, row: i64) -> list[int]:
        """The heavy vertices of a row.  Cost: O(the row), or O(N^{1−ε}) if that is less."""
        storage = self.storage
        length = storage.length(row)
        if len(self.heavies) < length:
            self.steps += len(self.heavies)
            return [z for z in self.heavies if storage.has(row, z)]
        self.steps += length
        return [z for z in storage.members(row) if storage.is_heavy(z)]

    def triangles_at(self, x: i64) -> int:
        """The triangles of a vertex, which are tracked.  Cost: O(1), and as `implicit` for a light one."""
        self.steps += 1
        if self.storage.is_heavy(x):
            return int(self.storage.explicit(x))
        return int(self.storage.explicit(x) + self.implicit(x))

    def triangles_on(self, a: i64, b: i64) -> int:
        """The triangles that a → b closes; it pays for a row of pairs as an update does.

        Cost: O(N^max(ε,1−ε)), amortized over updates and reads.
        """
        storage = self.storage
        one, other = b * self.stride, a * self.stride + self.stride - 1
        scan = min(storage.length(one), storage.length(other))
        if not storage.is_heavy(a) or not storage.is_heavy(b):
            self.steps += scan
            return int(storage.common(one, other))
        owner, end = b, a
        if not self.directed and not storage.is_built(b):
            owner, end = a, b
        if storage.is_built(owner):
            row = self.rows[int(owner)]
            row.spare(scan)
            self.steps += 1 + 2 * len(self.heavies)
            heavy = [w for w in self.heavies if storage.has(one, w) and storage.has(other, w)]
            return int(storage.pair(owner, end)) + len(heavy)
        self.steps += scan
        found = int(storage.common(one, other))
        if not self.directed and self.degree(a) <= self.degree(b):
            owner = a
        else:
            owner = b
        if self.charge(owner, scan) != 0:
            self.consider(owner)
        return found
