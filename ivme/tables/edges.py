"""Edges out of arrays, tables, matrices and graphs of other libraries, in blocks.

Columns of integers come as they are, with no Python object for each edge. No column is ignored, and null and
NaN are refused.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Protocol

from attrs import frozen

from ivme.tables.readers import BATCH, ArrowArray, ArrowStream, Interchange, is_table, opened
from ivme.tables.updates import blocks, repeated
from ivme_spec.errors import ArityError, InputError, shown

ENDS = (("u", "v"), ("source", "target"), ("src", "dst"))
"""Names that a table may have for the two ends of an edge."""
SIGN = "sign"


@frozen
class Numbers:
    """Edges whose ends are 64-bit integers, as buffers or sequences of these; None for the signs means 1."""

    us: Sequence[int]
    vs: Sequence[int]
    signs: Sequence[int] | None

    def updates(self) -> Iterator[tuple[int, int, int]]:
        """One by one."""
        signs = repeat(1, len(self.us)) if self.signs is None else self.signs
        return zip(self.us, self.vs, signs, strict=True)


class Matrix(Protocol):
    """A sparse matrix."""

    def tocoo(self, copy: bool = ...) -> object: ...


Edges = Iterable[Any] | ArrowStream | ArrowArray | Interchange | Matrix
"""Edges or updates as users have them: tuples, tables, arrays, matrices, graphs of networkx."""

Block = Numbers | Iterable[object]
"""Edges as numbers, or as tuples (u, v) or (u, v, sign)."""


def edge_blocks(given: object, what: str, directed: bool, signed: bool) -> Iterator[Block]:
    """The edges of a table, an array, a sparse matrix, a graph of networkx or an iterable.

    A table, or an array with named fields, has the columns u and v (or source and target, or src and dst) and
    with `signed`, unless all are 1, sign; two columns of other names are taken in order, like those of an
    array without names. Nothing is read before the first block is asked for.
    """
    if is_table(given):
        yield from table_blocks(given, signed)
    elif is_sparse(given):
        yield from sparse_blocks(given, directed)
    elif is_networkx(given):
        yield networkx_edges(given, directed)
    elif isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ArityError(f"{what} {shown(given)} is not an iterable of edges, nor a table of them")
    else:
        yield given


def table_blocks(given: object, signed: bool) -> Iterator[Block]:
    """The edges of a table, in the order of its rows."""
    with opened(given, ("u", "v", SIGN) if signed else ("u", "v"), numbers=True) as table:
        fields = edge_columns(table.names, signed)
        for block in blocks(table, fields, "update" if signed else "edge"):
            views = [column for column in block if isinstance(column, memoryview)]
            if len(views) == len(block):
                yield Numbers(views[0], views[1], views[2] if len(views) == 3 else None)
            else:
                yield zip(*block, strict=True)


def edge_columns(names: Sequence[str], signed: bool) -> list[str]:
    """The columns of the two ends and, if it is there, of the sign."""
    ends = [name for name in names if name != SIGN or not signed]
    sign = [SIGN] if len(ends) < len(names) else []
    for known in ENDS:
        if sorted(ends) == sorted(known):
            return [*known, *sign]
    if len(ends) != 2 or repeated(names):
        third = ", and a third named sign unless all are 1" if signed else ""
        raise ArityError(
            f"columns {', '.join(names)}: edges have two columns{third}; u and v, source and target, or src "
            "and dst are known by name, two of other names are taken in order"
        )
    return [*ends, *sign]


def is_sparse(given: object) -> bool:
    """Whether it is a sparse matrix or array of scipy."""
    scipy = sys.modules.get("scipy.sparse")
    return scipy is not None and bool(scipy.issparse(given))


def sparse_blocks(given: Any, directed: bool) -> Iterator[Block]:
    """The edges of an adjacency matrix: row → column. An undirected one is symmetric, and read once."""
    matrix = given.tocoo(copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ArityError(f"an adjacency matrix is square; this one: {matrix.shape}")
    if not bool((matrix.data == 1).all()):
        raise InputError(
            "an adjacency matrix has entries 0 and 1, and this one has others: edges have no weights; "
            "for its pattern alone give matrix != 0"
        )
    if not directed:
        if (matrix != matrix.T).nnz:
            raise InputError(
                "the adjacency matrix of an undirected graph is symmetric, and this one is not: give "
                "matrix + matrix.T != 0, or directed=True"
            )
        import scipy.sparse

        matrix = scipy.sparse.triu(matrix, format="coo")
    for start in range(0, matrix.nnz, BATCH):
        part = slice(start, start + BATCH)
        us, vs = matrix.row[part].astype("int64"), matrix.col[part].astype("int64")
        yield Numbers(memoryview(us), memoryview(vs), None)


def is_networkx(given: object) -> bool:
    """Whether it is a graph of networkx or a view of its edges."""
    kind = type(given)
    ours = any(base.__module__.partition(".")[0] == "networkx" for base in kind.__mro__)
    return ours and (hasattr(given, "is_directed") or "Edge" in kind.__name__)


def networkx_edges(given: Any, directed: bool) -> Iterator[object]:
    """The edges of a graph of networkx, or of a view of them, without keys and attributes."""
    if hasattr(given, "is_directed"):
        if given.is_directed() != directed:
            kind, way = (
                ("directed", "to_undirected") if given.is_directed() else ("undirected", "to_directed")
            )
            raise InputError(
                f"the graph of networkx is {kind}, and directed={directed} was asked for: give "
                f"directed={not directed}, or its .{way}()"
            )
        return iter(given.edges())
    return (edge[:2] if isinstance(edge, tuple) else edge for edge in given)
