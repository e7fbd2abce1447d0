"""Heavy and light values of a state, with their degrees (def:loose_relation_partition)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping

from attrs import frozen

from ivme_spec.relations import RELATIONS, SCHEMAS, Row

Place = tuple[str, str]
"""A column: relation and variable."""


@frozen
class Degrees:
    """The values of one column with their degrees, heavy and light."""

    heavy: Mapping[Hashable, int]
    light: Mapping[Hashable, int]


def degrees(state: Mapping[str, object]) -> dict[Place, Degrees]:
    """The partitioned columns of a plain state (`TriangleView.state`).  Cost: O(|D|)."""
    parts = state["parts"]
    assert isinstance(parts, dict)
    found: dict[Place, Degrees] = {}
    for relation in RELATIONS:
        of: Mapping[str, Mapping[Row, object]] = parts[relation]
        for place in range(len(next(iter(of)))):
            counted: dict[str, Counter[Hashable]] = {"H": Counter(), "L": Counter()}
            for name, rows in of.items():
                counted[name[place]].update(row[place] for row in rows)
            found[relation, SCHEMAS[relation][place]] = Degrees(counted["H"], counted["L"])
    return found
