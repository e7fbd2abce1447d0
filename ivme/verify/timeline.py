"""One run in full: the cost of every update, the rebalancing steps, and which values were heavy when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction

from ivme.events import Rebalance
from ivme.replay.degrees import Degrees, Place, degrees
from ivme.verify.judging import parameters
from ivme.verify.results import Column, Followed, Mark, Moment, Timeline
from ivme.view import TriangleView
from ivme.workloads import Definition
from ivme_spec.thresholds import threshold

MOMENTS = 100
"""How often the state is sampled."""

FOLLOWED = 6
"""How many values are followed: those that changed class most often."""


def timeline(definition: Definition, free: str, epsilon: Fraction) -> Timeline:
    """Run a workload from the empty database.  Cost: `MOMENTS` copies of the state."""
    updates = list(definition.workload())
    events: list[Rebalance] = []
    view = TriangleView(free, epsilon, on_rebalance=events.append)
    steps: list[int] = []
    bases: list[int] = []
    marks: list[Mark] = []
    moments: list[Moment] = []
    seen: list[dict[Place, Degrees]] = []
    every = max(1, len(updates) // MOMENTS)
    before = view.costs
    for number, update in enumerate(updates, 1):
        view.update(*update)
        after = view.costs
        steps.append(after.maintenance - before.maintenance)
        bases.append(view.threshold_base)
        rebalancing = after.minor + after.major - before.minor - before.major
        marks += (_mark(event, number, rebalancing) for event in events)
        events.clear()
        before = after
        if number % every == 0 or number == len(updates):
            seen.append(degrees(view.state()))
            moments.append(_moment(view, number, seen[-1]))
    return Timeline(
        family=definition.family,
        parameters=parameters(definition),
        free=free,
        partitioning="single",
        epsilon=str(epsilon),
        steps=tuple(steps),
        bases=tuple(bases),
        marks=tuple(marks),
        moments=tuple(moments),
        followed=tuple(_followed(marks, moments, seen)),
    )


def _mark(event: Rebalance, number: int, steps: int) -> Mark:
    """An event for results.json, where a major step has the same fields, empty, and `heavy` if N grew."""
    relation, variable, value = "", "", ""
    if event.kind == "minor":
        relation, variable, value = event.relation, event.variable, repr(event.value)
    return Mark(number, event.kind, relation, variable, value, event.up, event.moved, event.base, steps)


def _moment(view: TriangleView[int], number: int, columns: Mapping[Place, Degrees]) -> Moment:
    limits = threshold(view.threshold_base, view.epsilon)
    return Moment(
        update=number,
        size=view.size,
        base=view.threshold_base,
        least_heavy=limits.heavy,
        strict=limits.strict,
        most_light=limits.light,
        columns=tuple(
            Column(relation, variable, len(column.heavy), len(column.light))
            for (relation, variable), column in columns.items()
        ),
    )


def _followed(marks: list[Mark], moments: list[Moment], seen: list[dict[Place, Degrees]]) -> list[Followed]:
    """The values that changed class most often, in minor or major steps."""
    changes: Counter[tuple[Place, str]] = Counter()
    classes: dict[tuple[Place, str], int] = {}
    tracks: dict[tuple[Place, str], dict[int, tuple[int, int]]] = {}
    for number, columns in enumerate(seen):
        for place, column in columns.items():
            for heavy, values in ((1, column.heavy), (0, column.light)):
                for value, degree in values.items():
                    key = (place, repr(value))
                    tracks.setdefault(key, {})[number] = (degree, heavy)
                    changes[key] += classes.get(key, heavy) != heavy
                    classes[key] = heavy
    for mark in marks:
        changes[(mark.relation, mark.variable), mark.value] += mark.kind == "minor"
    chosen = sorted(tracks, key=lambda key: (-changes[key], key))[:FOLLOWED]
    return [
        Followed(
            relation,
            variable,
            value,
            tuple(
                (moment.update, *tracks[(relation, variable), value].get(number, (0, 0)))
                for number, moment in enumerate(moments)
            ),
        )
        for (relation, variable), value in chosen
    ]
