"""Snapshots of graphs: options, vertices and edges in one checked file, as JSON lines.

The format is specified in spec/SNAPSHOTS.md. A header, a line for each vertex in the order of arrival, a line
for each edge, which names its vertices by their numbers from 0, and a footer with the SHA-256 of all bytes
before it:

    {"ivme-graph": 1, "directed": false, "epsilon": "1/2", "track": ["count"], "self_loops": "refuse",
     "repeated": "count", "vertices": 2, "edges": 1, "note": {}}
    ["ada"]
    ["bob"]
    [0, 1, 3]
    {"sha256": "…"}

The edge above has three copies; one without a third entry has one. Classes, pairs and views follow from the
edges, and are rebuilt in O(m^{3/2}). A pickled graph holds the same bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from typing import IO, cast

from attrs import frozen

from ivme.formats.saved import (
    GRAPH,
    Lines,
    SnapshotError,
    checked_note,
    pickled,
    plain_value,
    refusal,
    regular_file,
    verified,
    write_lines,
)
from ivme.formats.sealed import sealed
from ivme.formats.traces import decode_value, encode_value
from ivme_spec.errors import InputError, shown
from ivme_spec.rings import integer

Link = tuple[int, int, int]
"""An edge by the numbers of its vertices, and how many copies it has."""


@frozen
class Options:
    """What a graph was made with."""

    directed: bool
    epsilon: str
    track: tuple[str, ...]
    self_loops: str
    repeated: str


@frozen
class SavedGraph:
    """What goes into a snapshot and comes out of it: vertices in the order of arrival, and each edge once.

    `links` can be read once.
    """

    options: Options
    vertices: Sequence[Hashable]
    links: Iterable[Link]
    edges: int
    """How many links there are."""


# --- writing --------------------------------------------------------------------------------------------


def write_graph(
    path: str | os.PathLike[str], graph: SavedGraph, note: Mapping[str, object] | None = None
) -> None:
    """Write a snapshot atomically.

    Cost: its length, constant memory.  Bad input: a `SnapshotError`, and the path is left as it was.
    """
    write_lines(path, _lines(graph, note))


def graph_bytes(graph: SavedGraph) -> bytes:
    """What `write_graph` writes, in memory.  Cost: its length.  Bad input: a `SnapshotError`."""
    return b"".join(sealed(_lines(graph, None)))


def _lines(graph: SavedGraph, note: Mapping[str, object] | None) -> Iterator[bytes]:
    options = graph.options
    header = {
        "directed": options.directed,
        "epsilon": options.epsilon,
        "track": list(options.track),
        "self_loops": options.self_loops,
        "repeated": options.repeated,
        "vertices": len(graph.vertices),
        "edges": graph.edges,
        "note": checked_note(note),
    }
    yield json.dumps(GRAPH.stamped(header)).encode() + b"\n"
    for v in graph.vertices:
        try:
            line = json.dumps([plain_value(v)])
        except (InputError, RecursionError, ValueError) as error:
            raise refusal("a vertex", error) from error
        yield line.encode() + b"\n"
    for i, j, copies in graph.links:
        yield (
            b"[%d, %d]\n" % (i, j)
            if copies == 1
            else json.dumps([i, j, encode_value(copies)]).encode() + b"\n"
        )


# --- reading --------------------------------------------------------------------------------------------


@contextmanager
def opened_graph(path: str | os.PathLike[str]) -> Iterator[SavedGraph]:
    """The graph of a file, open for the duration of the block: its links are read as they are used.

    Cost: two passes over the file, the first of which verifies the checksum; memory for the vertices.
    Bad input: a `SnapshotError` that names the file, here or by the links.
    """
    with regular_file(path) as (stream, name), _opened(stream, name) as found:
        yield found


@contextmanager
def opened_graph_bytes(data: bytes, name: str = "pickled graph") -> Iterator[SavedGraph]:
    """As `opened_graph`, for the bytes of `graph_bytes`; errors refer to them as `name`."""
    with _opened(BytesIO(pickled(data, name)), name) as found:
        yield found


@contextmanager
def _opened(stream: IO[bytes], name: str) -> Iterator[SavedGraph]:
    with verified(stream, name, GRAPH) as (header, lines):
        try:
            options = _options(header)
            sizes = (header.get("vertices"), header.get("edges"))
            if not all(type(size) is int and size >= 0 for size in sizes):
                raise SnapshotError(f"vertices and edges {shown(sizes)} must be natural numbers")
        except InputError as error:
            raise SnapshotError(f"{name}, line 1: {error}") from error
        n, m = cast("tuple[int, int]", sizes)
        vertices = _vertices(lines, n, name)
        yield SavedGraph(options, vertices, _links(lines, n, m, options.repeated, name), m)


def _options(header: Mapping[str, object]) -> Options:
    directed, track = header.get("directed"), header.get("track")
    epsilon, self_loops, repeated = (header.get(key) for key in ("epsilon", "self_loops", "repeated"))
    if not isinstance(directed, bool):
        raise SnapshotError(f"directed {shown(directed)} must be true or false")
    if not isinstance(track, list) or not all(isinstance(name, str) for name in track):
        raise SnapshotError(f"track {shown(track)} must be a list of names")
    if not isinstance(epsilon, str) or not isinstance(self_loops, str) or not isinstance(repeated, str):
        raise SnapshotError("epsilon, self_loops and repeated must be text")
    return Options(directed, epsilon, tuple(track), self_loops, repeated)


def _vertices(lines: Lines, n: int, name: str) -> list[Hashable]:
    found: dict[Hashable, None] = {}
    while len(found) < n:
        number, given = next(lines, (0, None))
        if not number:
            raise SnapshotError(f"{name} has {len(found)} vertices, and its header says {n}")
        try:
            if not isinstance(given, list) or len(given) != 1:
                raise SnapshotError(f"{shown(given)} is not [vertex]")
            v = decode_value(given[0])
            if v in found:
                raise SnapshotError(f"vertex {shown(v)} is repeated")
            found[v] = None
        except (InputError, TypeError, ValueError, RecursionError) as error:
            raise SnapshotError(f"{name}, line {number}: {error}") from error
    return list(found)


def _links(lines: Lines, n: int, m: int, repeated: str, name: str) -> Iterator[Link]:
    """The edges, checked one by one; at the end, that all are there, and that each vertex has one."""
    done, met = 0, bytearray(n)
    for number, given in lines:
        try:
            link = _link(given, n, repeated)
        except InputError as error:
            raise SnapshotError(f"{name}, line {number}: {error}") from error
        done += 1
        met[link[0]] = met[link[1]] = 1
        yield link
    if done != m:
        raise SnapshotError(f"{name} has {done} edges, and its header says {m}")
    if (alone := met.find(0)) >= 0:
        raise SnapshotError(f"{name}, line {alone + 2}: the vertex has no edge, so it is in no graph")


def _link(given: object, n: int, repeated: str) -> Link:
    if not isinstance(given, list) or not 2 <= len(given) <= 3:
        raise SnapshotError(f"{shown(given)} is not [vertex, vertex] or [vertex, vertex, copies]")
    i, j = given[:2]
    if type(i) is not int or type(j) is not int or not 0 <= i < n or not 0 <= j < n:
        raise SnapshotError(f"{shown(given)} does not name two of the vertices 0 to {n - 1}")
    if i == j:
        raise SnapshotError(f"{shown(given)} is a self-loop")
    copies = integer(decode_value(given[2])) if len(given) == 3 else 1
    if copies < 1:
        raise SnapshotError(f"{shown(given)} has {shown(copies)} copies, not at least one")
    if copies > 1 and repeated != "count":
        raise SnapshotError(f"{shown(given)} has copies in a graph that does not count them")
    return i, j, copies
