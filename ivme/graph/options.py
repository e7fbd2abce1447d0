"""What a graph is made with: its options, checked, and the storage for them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Literal

from ivme._kernel import kernel
from ivme.events import Triangle as Triangle
from ivme.kernel.graph.front import COUNT, IGNORE, REFUSE
from ivme.kernel.graph.interface import GraphStorage
from ivme.kernel.graph.sets import SetGraph
from ivme_spec.errors import InputError, shown

Edge = tuple[Hashable, Hashable]

Track = Literal["count", "at", "on", "triangles"]
SelfLoops = Literal["refuse", "ignore"]
Repeated = Literal["refuse", "ignore", "count"]

TRACKS: tuple[Track, ...] = ("count", "at", "on", "triangles")
SELF_LOOPS: tuple[SelfLoops, ...] = ("refuse", "ignore")
REPEATED: Mapping[Repeated, int] = {"refuse": REFUSE, "ignore": IGNORE, "count": COUNT}
"""The policies for edges that are there, and what the kernel calls them."""


def check_policies(directed: object, self_loops: object, repeated: object) -> None:
    """Refuse what is no option, with an `InputError`."""
    if not isinstance(directed, bool):
        raise InputError(f"directed {shown(directed)}: give True or False")
    if self_loops not in SELF_LOOPS:
        raise InputError(f"self_loops {shown(self_loops)}: give one of {', '.join(map(repr, SELF_LOOPS))}")
    if not isinstance(repeated, str) or repeated not in REPEATED:
        raise InputError(f"repeated {shown(repeated)}: give one of {', '.join(map(repr, REPEATED))}")


def known_tracks(track: object) -> tuple[Track, ...]:
    """What to track, in the order of TRACKS, each once.  Bad input: an `InputError`."""
    if isinstance(track, str) or not isinstance(track, Iterable):
        raise InputError(f'track {shown(track)}: give a tuple of names, such as ("count", "at")')
    names = list(track)
    for name in names:
        if not isinstance(name, str) or name not in TRACKS:
            raise InputError(f"track has {shown(name)}: choose from {', '.join(map(repr, TRACKS))}")
    return tuple(name for name in TRACKS if name in names)


def storage_for(directed: bool, tracked: bool) -> GraphStorage:
    """The storage of a graph: an arena in the compiled kernel, else sets."""
    if kernel == "compiled":
        from ivme.kernel.graph.arena import ArenaGraph

        return ArenaGraph(directed, tracked)
    return SetGraph(directed, tracked)
