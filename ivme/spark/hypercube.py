"""HyperCube: a triangle query maintained in the cells of a cube, each by an ordinary `TriangleView`.

With shares (ka, kb, kc) there are ka · kb · kc cells, and the triangle (a,b,c) belongs to the cell
(h(a), h(b), h(c)). A tuple of R goes to the kc cells that can need it, one of S to ka, one of T to kb:

    R(a,b) → (h(a), h(b), *)        S(b,c) → (*, h(b), h(c))        T(c,a) → (h(a), *, h(c))

Invariant: every cell sees all updates of the tuples that it holds, in order, and every triangle is found in
exactly one cell. So the answer is the sum over the cells, a disjoint union for "ABC"; and a refused update is
refused by all its cells, for the same reason; the first of them reports it.

`ivme.spark.streaming` runs the same cells over a stream.

On one machine a single view is faster: this is for data that do not fit, and for several machines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import groupby, product
from typing import NamedTuple, cast

import pyarrow as pa
from attrs import field, frozen
from pyspark.sql import DataFrame
from pyspark.sql import functions as f

from ivme.spark.datasets import COLUMNS
from ivme.spark.oracle import Answer
from ivme.view import TriangleView
from ivme_spec.errors import InputError
from ivme_spec.queries import HEADS, head
from ivme_spec.relations import SCHEMAS, VARIABLES, RelationName

NOWHERE = -1
"""The pseudo-cell for malformed updates: unknown relations and missing values, to be refused."""

ROUTED = f"cell int, first boolean, {COLUMNS}"
FOUND = (
    "kind string, cell int, head string, a long, b long, c long, total decimal(38,0), reason string, "
    + COLUMNS
)
BATCH = 1 << 14


@frozen
class Shares:
    """The number of parts of each variable.  Bad input: an `InputError`."""

    a: int
    b: int
    c: int

    def __attrs_post_init__(self) -> None:
        if min(self.a, self.b, self.c) < 1:
            raise InputError(f"shares {(self.a, self.b, self.c)}: each is at least 1")

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.a * self.b * self.c

    def of(self, relation: str | None, x: int | None, y: int | None) -> list[int]:
        """The cells that an update goes to.  Cost: O(1) for each."""
        if relation is None or relation not in SCHEMAS or x is None or y is None:
            return [NOWHERE]
        known = dict(zip(SCHEMAS[relation], (x, y), strict=True))
        sizes = dict(zip(VARIABLES, (self.a, self.b, self.c), strict=True))
        places = [
            (routing_hash(k, known[v]) % sizes[v],) if v in known else range(sizes[v])
            for k, v in enumerate(VARIABLES)
        ]
        return [(i * self.b + j) * self.c + k for i, j, k in product(*places)]


def routing_hash(variable: int, value: int) -> int:
    """64 bits of a value, by a hash function for each variable (splitmix64).

    The same on every machine, unlike Python's hash; and it never changes: committed streams depend on it.
    """
    z = (variable * 0xD1342543DE82EF95 + (value + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


_MASK = (1 << 64) - 1


class Routed(NamedTuple):
    """An update on its way to a cell; `first` if that is the first of its cells."""

    cell: int
    first: bool
    seq: int | None
    relation: str | None
    x: int | None
    y: int | None
    multiplicity: int | None


@frozen
class Refusal:
    """An update that was not applied, and why."""

    seq: int | None
    update: tuple[str | None, int | None, int | None, int | None]
    reason: str


@frozen
class Balance:
    """How evenly the work is spread over the cells."""

    shares: Shares
    updates: int
    loads: Mapping[int, int] = field(repr=False)
    """The number of updates of each cell that has any."""

    @property
    def replication(self) -> float:
        """The average number of cells of an update."""
        return sum(self.loads.values()) / max(1, self.updates)

    @property
    def skew(self) -> float:
        """The largest load divided by the average load: 1 is best."""
        return max(self.loads.values(), default=0) * self.shares.cells / max(1, sum(self.loads.values()))

    @property
    def largest(self) -> float:
        """The largest load as a fraction of all updates."""
        return max(self.loads.values(), default=0) / max(1, self.updates)


@frozen
class Run(Balance):
    """The result of a run over all cells."""

    answers: dict[str, Answer] = field(repr=False)
    refused: list[Refusal] = field(repr=False)


def route(updates: DataFrame, shares: Shares) -> DataFrame:
    """Every update once for each of its cells."""

    def routed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            columns = {name: batch.column(name).to_pylist() for name in ("relation", "x", "y")}
            cells = [shares.of(*row) for row in zip(*columns.values(), strict=True)]
            places = pa.array([p for p, row in enumerate(cells) for _ in row], pa.int64())
            taken = batch.take(places)
            flat = pa.array([cell for row in cells for cell in row], pa.int32())
            first = pa.array([cell == row[0] for row in cells for cell in row], pa.bool_())
            names = ["cell", "first", *batch.schema.names]
            yield pa.record_batch([flat, first, *taken.columns], names=names)

    ordered = updates.select("seq", "relation", "x", "y", "multiplicity")
    return ordered.mapInArrow(routed, ROUTED)


def placed(updates: DataFrame, shares: Shares) -> DataFrame:
    """Every update in its cells: a partition for each cell, and one for NOWHERE, in the order of `seq`.

    Updates with the same `seq` are ordered too, alike in all cells: otherwise cells could disagree on what is
    refused. Inserts come before deletes.
    """
    apart = route(updates, shares).repartitionById(shares.cells + 1, f.col("cell") + 1)
    return apart.sortWithinPartitions("cell", "seq", f.desc("multiplicity"), "relation", "x", "y")


def maintain(
    updates: DataFrame, shares: Shares, heads: Sequence[str] = HEADS, epsilon: object = "1/2"
) -> DataFrame:
    """Run the views of all cells over a workload; one table with all results.

    kind = "answer": a row of a head's answer in a cell; "refused": an update and the reason; "load": the
    number of updates of a cell.  Cost: in each cell that of its updates, in the memory of its views.
    """
    wanted = tuple(head(free) for free in heads)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        found: list[dict[str, object]] = []
        for cell, routed in by_cell(batches):
            for entry in _cell(cell, routed, wanted, epsilon):
                found.append(entry)
                if len(found) == BATCH:
                    yield pa.RecordBatch.from_pylist(found, schema)
                    found = []
        yield pa.RecordBatch.from_pylist(found, schema)

    schema = arrow_schema(FOUND)
    return placed(updates, shares).mapInArrow(run, FOUND)


def arrow_schema(columns: str) -> pa.Schema:
    """The Arrow schema of a column list in Spark's notation."""
    kinds: dict[str, pa.DataType] = {
        "string": pa.string(),
        "int": pa.int32(),
        "long": pa.int64(),
        "decimal(38,0)": pa.decimal128(38, 0),
    }
    fields = (entry.split(" ") for entry in columns.split(", "))
    return pa.schema({name: kinds[kind] for name, kind in fields})


def by_cell(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[int, Iterator[Routed]]]:
    """The cells of a partition of `placed`, each with its updates in order."""
    return groupby(_rows(batches), key=lambda row: row.cell)


def _rows(batches: Iterator[pa.RecordBatch]) -> Iterator[Routed]:
    for batch in batches:
        columns = [cast("list[int]", column.to_pylist()) for column in batch.columns]
        yield from map(Routed._make, zip(*columns, strict=True))


def apply(row: Routed, views: Iterable[TriangleView[int]]) -> str | None:
    """Apply an update to the views of a cell; the reason if it is refused, which changes nothing."""
    _, _, seq, relation, x, y, m = row
    try:
        if seq is None or relation is None or x is None or y is None or m is None:
            raise InputError(f"update {seq}, {relation}({x}, {y}) ↦ {m}: a value is missing")
        for view in views:  # the first one refuses it, or none does
            view.update(cast("RelationName", relation), x, y, m)  # the view checks it
    except InputError as error:
        return str(error)
    return None


def _cell(
    cell: int, routed: Iterator[Routed], heads: tuple[str, ...], epsilon: object
) -> Iterator[dict[str, object]]:
    """Apply the updates of a cell in order; yields refusals, the load and the answers."""
    views = [TriangleView(free, epsilon) for free in heads]
    count = 0
    for row in routed:
        count += 1
        reason = apply(row, views)
        if reason is not None and row.first:
            entry = row._asdict()
            del entry["first"]
            yield {"kind": "refused", **entry, "reason": reason}
    if cell != NOWHERE:
        yield {"kind": "load", "cell": cell, "total": Decimal(count)}
    for view in views:
        names = view.free.lower()
        for values, total in view:
            bound = dict(zip(names, values, strict=True))
            yield {"kind": "answer", "cell": cell, "head": view.free, **bound, "total": Decimal(total)}


def run(updates: DataFrame, shares: Shares, heads: Sequence[str] = HEADS, epsilon: object = "1/2") -> Run:
    """Maintain the queries in all cells and sum up their answers.

    Cost: as `maintain`; the rows of the answers are collected in the driver.
    """
    found = maintain(updates, shares, heads, epsilon).persist()
    try:
        answers: dict[str, Answer] = {free: {} for free in heads}
        summed = (
            found.where("kind = 'answer'").groupBy("head", "a", "b", "c").agg(f.sum("total").alias("total"))
        )
        for row in summed.toArrow().to_pylist():
            answers[row["head"]][tuple(row[letter] for letter in row["head"].lower())] = int(row["total"])
        rows = found.where("kind = 'refused'").orderBy("seq").toArrow().to_pylist()
        refused = [
            Refusal(row["seq"], (row["relation"], row["x"], row["y"], row["multiplicity"]), row["reason"])
            for row in rows
        ]
        loads = found.where("kind = 'load'").select("cell", "total").toArrow().to_pylist()
        counts = {row["cell"]: int(row["total"]) for row in loads}
    finally:
        found.unpersist()
    return Run(shares, updates.count(), counts, answers, refused)
