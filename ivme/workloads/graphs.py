"""`graph`: an edge list as a stream of updates."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from ivme.workloads.core import Section, Update, Workload
from ivme_spec.errors import InputError
from ivme_spec.relations import RELATIONS

Line = tuple[int, int, int]
"""Two vertices and a time, 0 if untimed."""


class EdgeListError(InputError):
    """An edge list that cannot be read; the message names the line."""


def read_text(path: str | os.PathLike[str], timed: bool) -> Iterator[Line]:
    """The edges of a text or CSV file, also compressed (.gz), in the order of its lines.

    A line has two integers, or three if edges are timed, separated by spaces, tabs, commas or semicolons;
    anything further is ignored. Empty lines, lines that start with # or %, and a first line that does not
    start with a digit (a heading) are skipped.  Cost: constant memory.  Bad input: an `EdgeListError`.
    """
    path = Path(path)
    unpack = gzip.open if path.suffix == ".gz" else open
    with unpack(path, "rt", encoding="utf-8") as stream:
        for number, line in enumerate(stream, start=1):
            text = line.strip()
            if not text or text[0] in "#%" or (number == 1 and not text[0].isdigit() and text[0] != "-"):
                continue
            try:
                u, v, *rest = re.split(r"\s*[,;]\s*|\s+", text)
                yield int(u), int(v), int(rest[0]) if timed else 0
            except (ValueError, IndexError) as error:
                wanted = "two integers and a time" if timed else "two integers"
                raise EdgeListError(
                    f"{path}, line {number}: {text[:80]!r} does not start with {wanted}"
                ) from error


def graph(
    path: str | os.PathLike[str],
    directed: bool = False,
    timed: bool = False,
    simple: bool = True,
    read: Callable[[str | os.PathLike[str], bool], Iterable[Line]] = read_text,
) -> Workload:
    """The edges of a file, inserted into R, S and T alike: 3 updates for a directed edge, 6 for another.

    directed  False: both (u,v) and (v,u) are inserted, and the count is 6 times the number of triangles.
              True: (u,v) only, and the count is 3 times the number of cycles u → v → w → u
    timed     the third column is an integer time: edges are sorted by it, stably
    simple    self-loops and repeated edges are dropped; else they are inserted like any other, and a repeated
              edge has a multiplicity

    Attacks: nothing; this is the intended use. On a graph with a constant share of all edges the update
    time N^½ is tight, for ε = ½ and every head.  Cost: the edges are held in memory.
    """
    lines = list(read(path, timed))
    if timed:
        lines.sort(key=lambda line: line[2])
    edges = [(u, v) for u, v, _ in lines]
    if simple:
        named = ((u, v) if directed or u < v else (v, u) for u, v in edges if u != v)
        edges = list(dict.fromkeys(named))
    ways = 1 if directed else 2

    def at(p: int) -> Update:
        number, place = divmod(p, 3 * ways)
        u, v = edges[number]
        return (RELATIONS[place % 3], u, v, 1) if place < 3 else (RELATIONS[place % 3], v, u, 1)

    parameters = {"path": os.fspath(path), "directed": directed, "timed": timed, "simple": simple}
    return Workload("graph", parameters, (), attack=(Section(3 * ways * len(edges), at),))
