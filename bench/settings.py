"""How much is measured: a full run, or a quick one."""

from __future__ import annotations

from attrs import frozen

M = 1_000_000


@frozen
class Settings:
    """How much is measured; by default a full run, some 30 minutes on two cores.

    sizes         of streams, and of attacks
    heads         the size for the queries other than the count
    dense         the size for enumerations
    memory        the size for bytes per tuple
    snapshot      the size for recomputation
    loading       the size for bulk loads
    hubs          the common neighbours of two hubs of a graph
    rmat          the edges of the largest graph
    rounds        the most rounds of each contender
    cell          seconds of a stream after which a contender starts no more than its guaranteed rounds
    milliseconds  the least time of an attack in a round
    longest       the most seconds of a run, as predicted from smaller sizes
    minutes       after which nothing more is started; each section has a share
    """

    sizes: tuple[int, ...] = (10_000, 100_000, M)
    attacks: tuple[int, ...] = (10_000, 30_000, 100_000, 300_000, M)
    heads: int = 100_000
    dense: int = 100_000
    memory: int = 100_000
    snapshot: int = 300_000
    loading: int = 300_000
    hubs: tuple[int, ...] = (10, 100, 1_000, 10_000, 20_000, 100_000)
    rmat: int = 10 * M
    rounds: int = 5
    cell: float = 5.0
    milliseconds: int = 100
    longest: float = 40.0
    minutes: float = 35.0
    seed: int = 1
    folder: str = ""
    only: tuple[str, ...] = ()


QUICK = Settings(
    sizes=(1_000, 3_000, 10_000),
    attacks=(1_000, 3_000, 10_000),
    heads=3_000,
    dense=10_000,
    memory=20_000,
    snapshot=20_000,
    loading=20_000,
    hubs=(10, 100, 1_000),
    rmat=100_000,
    rounds=3,
    cell=0.5,
    milliseconds=20,
    longest=10.0,
    minutes=2.0,
)
