"""One sound engine, first-order IVM over batches, and functions that each spoil a single step of it."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

from ivme.formats.traces import Update
from ivme_spec.relations import RelationName, Row


class Cell:
    """A data value inside an engine: equal to itself alone."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Sound:
    """△(a,b,c) from deltas, one update after the other; other heads are summed up."""

    def __init__(self, free: str) -> None:
        self.free = free
        self.cells: dict[Any, Cell] = {}
        self.tuples: dict[str, dict[tuple[Any, Any], int]] = {"R": {}, "S": {}, "T": {}}
        self.triples: Counter[tuple[Cell, Cell, Cell]] = Counter()
        self.deleted: set[tuple[str, Any, Any]] = set()

    # what the broken ones replace

    def key(self, value: Any) -> Any:
        return value

    def number(self, m: int) -> int:
        return m

    def product(self, r: int, s: int, t: int) -> int:
        return self.number(r * s * t)

    def joins(self, a: Any, b: Any, c: Any) -> bool:
        return True

    def many(self, updates: Sequence[Update]) -> None:
        for update in updates:
            self.one(*update)

    def one(self, relation: RelationName, x: Any, y: Any, m: int) -> None:
        if self.tuples[relation].get((x, y), 0) + m < 0:
            raise ValueError("not there")
        self.emit(relation, x, y, m)
        self.store(relation, x, y, m)

    # what they share

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        self.batch([(relation, x, y, multiplicity)])

    def batch(self, updates: Sequence[Update]) -> None:
        self.many([(relation, self.cell(x), self.cell(y), m) for relation, x, y, m in updates])

    def cell(self, value: Any) -> Cell:
        return self.cells.setdefault(self.key(value), Cell(value))

    def store(self, relation: RelationName, x: Any, y: Any, m: int) -> None:
        stored = self.tuples[relation]
        stored[x, y] = self.number(stored.get((x, y), 0) + m)
        if not stored[x, y]:
            self.deleted.add((relation, x, y))
            del stored[x, y]

    def emit(self, relation: RelationName, x: Any, y: Any, m: int) -> None:
        """Add δK joined with the other two as they are now."""
        turn = "RST".index(relation)
        following, previous = (self.tuples["RST"[(turn + i) % 3]] for i in (1, 2))
        for (y2, z), n in following.items():
            if y is y2 and (o := previous.get((z, x), 0)):
                a, b, c = [(x, y, z), (z, x, y), (y, z, x)][turn]
                if self.joins(a.value, b.value, c.value):
                    self.triples[a, b, c] = self.number(self.triples[a, b, c] + self.product(m, n, o))

    def rows(self) -> Iterable[tuple[Row, int]]:
        sums: Counter[tuple[Cell, ...]] = Counter()
        for (a, b, c), m in self.triples.items():
            row = tuple({"A": a, "B": b, "C": c}[variable] for variable in self.free)
            sums[row] = self.number(sums[row] + m)
        return [(tuple(cell.value for cell in row), m) for row, m in sums.items() if m]


def spoiled(name: str, **methods: Any) -> type[Sound]:
    return type(name, (Sound,), methods)


# --- batches --------------------------------------------------------------------------------------------


def against_old(self: Sound, updates: Sequence[Update]) -> None:
    for update in updates:
        self.emit(*update)
    for update in updates:
        self.store(*update)


def against_new(self: Sound, updates: Sequence[Update]) -> None:
    for update in updates:
        self.store(*update)
    for update in updates:
        self.emit(*update)


def one_retraction(self: Sound, updates: Sequence[Update]) -> None:
    done = set()
    for relation, x, y, m in updates:
        if m > 0 or (x, y) not in done:
            self.emit(relation, x, y, m)
        self.store(relation, x, y, m)
        done.add((x, y))


def drops_cancelled(self: Sound, updates: Sequence[Update]) -> None:
    cancelled = {u[:3] for u in updates if (*u[:3], -u[3]) in updates}
    for update in updates:
        if not cancelled:
            self.emit(*update)
        self.store(*update)


def without_repetitions(self: Sound, updates: Sequence[Update]) -> None:
    for update in dict.fromkeys(updates):
        self.one(*update)


def deletes_first(self: Sound, updates: Sequence[Update]) -> None:
    for update in sorted(updates, key=lambda u: u[3] > 0):
        self.one(*update)


def never_retracts_on_update(self: Sound, updates: Sequence[Update]) -> None:
    inserted = {u[0] for u in updates if u[3] > 0}
    for update in updates:
        if update[3] > 0 or update[0] not in inserted:
            self.emit(*update)
        self.store(*update)


# --- single updates -------------------------------------------------------------------------------------


def loses_other_side(self: Sound, relation: RelationName, x: Any, y: Any, m: int) -> None:
    previous = "RST"["RST".index(relation) - 1]
    lost = [entry for entry in self.deleted if entry[0] == previous and entry[2] == x]
    self.deleted -= set(lost)
    if not lost or m < 0:
        Sound.one(self, relation, x, y, m)
    else:
        self.store(relation, x, y, m)


def reinsert_deletes(self: Sound, relation: RelationName, x: Any, y: Any, m: int) -> None:
    again = (relation, x, y) in self.deleted and m > 0
    self.emit(relation, x, y, m - again)
    self.store(relation, x, y, m)


def upserts(self: Sound, relation: RelationName, x: Any, y: Any, m: int) -> None:
    Sound.one(self, relation, x, y, m - self.tuples[relation].get((x, y), 0) if m > 0 else m)


def clamps(self: Sound, relation: RelationName, x: Any, y: Any, m: int) -> None:
    Sound.one(self, relation, x, y, max(m, -self.tuples[relation].get((x, y), 0)))


def goes_below_zero(self: Sound, relation: RelationName, x: Any, y: Any, m: int) -> None:
    self.emit(relation, x, y, m)
    self.store(relation, x, y, m)


def as_set(self: Sound, relation: RelationName, x: Any, y: Any, m: int) -> None:
    there = (x, y) in self.tuples[relation]
    if there != (m > 0):
        Sound.one(self, relation, x, y, 1 if m > 0 else -1)


def keeps_nulls(self: Sound, relation: RelationName, x: Any, y: Any, m: int) -> None:
    if m > 0 or None not in (x.value, y.value):
        Sound.one(self, relation, x, y, m)


def forgets(name: str) -> Callable[..., None]:
    def one(self: Sound, relation: RelationName, x: Any, y: Any, m: int) -> None:
        if m < 0 and relation == name:
            self.store(relation, x, y, m)
        else:
            Sound.one(self, relation, x, y, m)

    return one


def light_only(self: Sound, relation: RelationName, x: Any, y: Any, m: int) -> None:
    if sum(row[0] == x for row in self.tuples[relation]) < 8:
        self.emit(relation, x, y, m)
    self.store(relation, x, y, m)


def one_derivation(self: Sound) -> Iterable[tuple[Row, int]]:
    return [(row, 1) for row, m in Sound.rows(self) if m > 0]


def one_row_each(self: Sound) -> Iterable[tuple[Row, int]]:
    for (a, b, c), m in self.triples.items():
        if m:
            yield tuple({"A": a, "B": b, "C": c}[variable].value for variable in self.free), m


# --- keys and numbers -----------------------------------------------------------------------------------


def on_text(change: Callable[[str], Any]) -> Callable[..., Any]:
    return lambda self, value: change(value) if isinstance(value, str) else value


def digits(text: str) -> Any:
    try:
        return int(text)
    except ValueError:
        return text


def sharded(shards: int) -> Callable[..., bool]:
    """Sent by the remainder, looked for by the mask."""
    return lambda self, a, b, c: not isinstance(b, int) or b % shards == (b & 15) % 8 % shards


def wraps(bits: int) -> Callable[..., int]:
    return lambda self, m: (m + 2 ** (bits - 1)) % 2**bits - 2 ** (bits - 1)
