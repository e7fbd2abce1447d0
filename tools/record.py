"""Record what the engine does on fixed streams, and compare: for refactorings.

    python tools/record.py write FILE      at the commit before the change
    python tools/record.py compare FILE    after it: prints what differs, exit code 1 if anything does

Every query, six ε and three rings; each stream builds hubs, thrashes at thresholds, drains and grows again. A
record holds digests of the answers, rebalancing events, counters and snapshots, separately, for the kernel
that runs; run it again with IVME_PURE=1 for the other one.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from random import Random

import ivme
from ivme import Rebalance, RelationName, TriangleView, rings
from ivme.formats.snapshots import snapshot_bytes
from ivme_spec.queries import Query
from ivme_spec.relations import RELATIONS

QUERIES = [
    *map(Query, ("", "A", "B", "C", "AB", "BC", "CA", "ABC", "CBA")),
    Query("", "double"),
]
MODULUS = 7
"""A prime that divides no multiplicity below."""
EPSILONS = ("0", "1/4", "1/3", "1/2", "2/3", "1")
RINGS = {"N": rings.NATURALS, "Z": rings.INTEGERS, f"Z/{MODULUS}": rings.modular(MODULUS)}
UPDATES = 1_120
"""Per stream: 201,600 in all."""
LOOKS = 8
"""How often a stream is interrupted to record."""

Update = tuple[RelationName, int, int, int]


def stream(rng: Random, ring: str) -> list[Update]:
    """Inserts and deletes of few values with hubs, in four phases: grow, thrash, drain, grow again."""
    held: dict[tuple[RelationName, int, int], int] = {}
    made: list[Update] = []
    signed = ring != "N"

    def change(name: RelationName, x: int, y: int, m: int) -> None:
        made.append((name, x, y, m))
        total = held.get((name, x, y), 0) + m
        if total if ring in ("N", "Z") else total % MODULUS:
            held[name, x, y] = total
        else:
            del held[name, x, y]

    for number in range(UPDATES):
        phase, name = number * 4 // UPDATES, rng.choice(RELATIONS)
        hub = 0 if rng.random() < 0.4 else rng.randrange(25)
        x, y = (hub, rng.randrange(60)) if rng.random() < 0.5 else (rng.randrange(60), hub)
        if held and rng.random() < (0.1, 0.5, 0.9, 0.1)[phase]:
            name, x, y = rng.choice(list(held))
            change(name, x, y, -held[name, x, y] if rng.random() < 0.8 or signed else -1)
        else:
            copies = rng.choice((1, 1, 1, 2, 1 << 40, 1 << 90))
            change(name, x, y, -copies if signed and rng.random() < 0.3 else copies)
    return made


def event_text(event: Rebalance) -> str:
    """An event as the records spell it, whatever its class."""
    if event.kind == "minor":
        where = f"relation={event.relation!r}, variable={event.variable!r}, value={event.value!r}"
        heavy = event.heavy
    else:
        where, heavy = "relation='', variable='', value=None", event.grown
    return (
        f"Rebalance(kind={event.kind!r}, {where}, heavy={heavy}, moved={event.moved}, base={event.base}, "
        f"update={event.update})"
    )


def recorded(query: Query, epsilon: str, ring: str) -> dict[str, str]:
    """Digests of what one stream does."""
    digests = {what: hashlib.sha256() for what in ("answers", "events", "counters", "snapshots")}
    view = TriangleView(
        query.free,
        epsilon,
        partitioning=query.partitioning,
        ring=RINGS[ring],
        on_rebalance=lambda event: digests["events"].update(event_text(event).encode()),
    )
    updates = stream(Random(f"{query.free} {query.partitioning} {epsilon} {ring}"), ring)
    for start in range(0, UPDATES, UPDATES // LOOKS):
        view.apply(updates[start : start + UPDATES // LOOKS])
        digests["answers"].update(repr(sorted(view)).encode())
        digests["counters"].update(repr(view.costs).encode())
        contents = view._contents()
        contents["tuples"] = sorted(contents["tuples"])  # in no particular order
        digests["snapshots"].update(snapshot_bytes(**contents))
    view.check()
    return {what: digest.hexdigest() for what, digest in digests.items()}


def main(arguments: list[str]) -> int:
    """Write a record or compare with one; the exit code."""
    match arguments:
        case ["write" | "compare" as action, name]:
            path = Path(name)
        case _:
            print(__doc__)
            return 2
    kept = json.loads(path.read_text()) if path.exists() else {}
    now = {
        f"{query.free or 'count'} {query.partitioning} {epsilon} {ring}": recorded(query, epsilon, ring)
        for query in QUERIES
        for epsilon in EPSILONS
        for ring in RINGS
    }
    if action == "write":
        path.write_text(json.dumps({**kept, ivme.kernel: now}, indent=1))
        print(f"{len(now)} streams of {UPDATES} updates recorded on the {ivme.kernel} kernel")
        return 0
    if ivme.kernel not in kept:
        print(f"{path} has no record of the {ivme.kernel} kernel")
        return 2
    before = kept[ivme.kernel]
    differing = [(key, what) for key in now for what in now[key] if now[key][what] != before[key][what]]
    for key, what in differing:
        print(f"{key}: other {what}")
    print(f"{ivme.kernel} kernel: {len(now)} streams, {len(differing)} differences")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
