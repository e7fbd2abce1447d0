"""What of the benchmark was selected, by the words of --only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol, TypeVar

from bench import graph_cases
from bench.cases import ATTACKS, STREAMS, graphs
from bench.contenders import OURS, PURE, Contender
from bench.rounds import Bench
from bench.snapshots import RECOUNTS
from bench.tenlines import STORES


class Entry(Protocol):
    """A contender of some kind."""

    @property
    def name(self) -> str:
        """Its name in the results."""
        ...

    @property
    def missing(self) -> str:
        """Why it cannot take part; "" if it can."""
        ...


E = TypeVar("E", bound=Entry)


def vocabulary(bench: Bench, sections: Iterable[str]) -> dict[str, list[str]]:
    """The words of --only, by what they name."""
    files = graphs(bench.settings.folder) if bench.settings.folder else []
    others = [graph_cases.HUBS, *graph_cases.ATTACKS, graph_cases.RMAT]
    entries: list[Entry] = [*bench.engines, *bench.snapshots, *STORES, *RECOUNTS]
    return {
        "section": list(sections),
        "case": [*STREAMS, *ATTACKS, *others, *files],
        "contender": list(dict.fromkeys(entry.name for entry in entries)),
    }


def wanted(bench: Bench, kind: str, sections: Iterable[str] = ()) -> Callable[[str], bool]:
    """Whether a name of a kind is selected: all are, unless some of the kind were named."""
    named = set(bench.settings.only) & set(vocabulary(bench, sections)[kind])
    return lambda name: not named or name in named


def present(bench: Bench, entries: Sequence[E]) -> list[E]:
    """The contenders that are selected and installed."""
    found, selected = [], wanted(bench, "contender")
    for entry in entries:
        if not selected(entry.name):
            continue
        if entry.missing:
            bench.skip(entry.name, entry.missing)
        else:
            found.append(entry)
    return found


def engines(bench: Bench) -> list[Contender]:
    """The engines that are selected and installed."""
    return present(bench, bench.engines)


def only_ours(bench: Bench) -> list[Contender]:
    """Ours, with the kernel of this process."""
    return [entry for entry in engines(bench) if entry.name == OURS]


def ours(bench: Bench) -> list[Contender]:
    """Ours, with both kernels."""
    return [entry for entry in engines(bench) if entry.name in (OURS, PURE)]


def rounds(bench: Bench, goal: bool) -> int:
    """How often something is measured outside of streams and attacks: three times if a goal reads it."""
    return min(3, bench.settings.rounds) if goal else 1
