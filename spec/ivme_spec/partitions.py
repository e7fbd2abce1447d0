"""Partitions of a relation by the degrees of its values, as predicates.

Paper: def:loose_relation_partition (single), def:loose_double_relation_partition (double). A partition is a
mapping from part names to relations: H and L for a single one on the first variable of the schema; HH, HL,
LH and LL for a double one on both, the first letter for the first variable. Every predicate yields its
violations, each with the paper's label and the numbers involved; it holds if it yields none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from attrs import frozen

from ivme_spec.relations import Relation, relation
from ivme_spec.rings import P
from ivme_spec.thresholds import Threshold

SINGLE = ("H", "L")
DOUBLE = ("HH", "HL", "LH", "LL")

Partition = Mapping[str, Relation[P]]


@frozen
class Violation:
    """One violated condition: the label of the paper, the condition's name there, and what is wrong."""

    label: str
    condition: str
    detail: str

    def __str__(self) -> str:
        return f"{self.condition} ({self.label}): {self.detail}"


def part_names(double: bool) -> tuple[str, ...]:
    """The names of the parts of a relation."""
    return DOUBLE if double else SINGLE


def matching_parts(pattern: str, double: bool) -> tuple[str, ...]:
    """The parts that a component of a view's superscript stands for.

    "ALL" is the box of the paper; "H" on a double-partitioned relation stands for HH and HL, as in T^{Ht}.

    >>> matching_parts("H", double=True)
    ('HH', 'HL')
    """
    return tuple(name for name in part_names(double) if pattern == "ALL" or name.startswith(pattern))


def union_of(parts: Partition[P], schema: str, pattern: str = "ALL") -> Relation[P]:
    """The sum of the parts that match a pattern; by default K itself (condition "union")."""
    chosen = [parts[name] for name in matching_parts(pattern, "HH" in parts)]
    ring = next(iter(parts.values())).ring
    return relation(schema, ring, (entry for part in chosen for entry in part.entries.items()))


def partition_violations(
    name: str, whole: Relation[P], parts: Partition[P], threshold: Threshold, *, strict: bool = False
) -> Iterator[Violation]:
    """The conditions of a single or double partition of `whole` with the given threshold, loose or strict."""
    double = "HH" in parts
    label = "def:loose_double_relation_partition" if double else "def:loose_relation_partition"
    if set(parts) != set(part_names(double)):
        yield Violation(label, "parts", f"{name} has the parts {sorted(parts)}")
        return
    if union_of(parts, whole.schema).entries != whole.entries:
        yield Violation(label, "union", f"the parts of {name} do not add up to {name}")
    for position, variable in enumerate(whole.schema if double else whole.schema[0]):
        yield from _conditions(label, name, variable, position, whole, parts, threshold, strict)


def _conditions(
    label: str,
    name: str,
    variable: str,
    position: int,
    whole: Relation[P],
    parts: Partition[P],
    threshold: Threshold,
    strict: bool,
) -> Iterator[Violation]:
    """Domain partition, heavy part and light part on one variable."""
    lowest_heavy = threshold.strict if strict else threshold.heavy
    lowest_not_light = threshold.strict if strict else threshold.light
    kind = "strict " if strict else ""
    degrees = whole.degrees(variable)
    heavy, light = (
        {
            value
            for part, rel in parts.items()
            if part[position] == letter
            for (value,) in rel.project(variable)
        }
        for letter in "HL"
    )
    theta = f"N = {threshold.base}, ε = {threshold.epsilon}"
    for value in heavy & light:
        yield Violation(
            label, "domain partition", f"{variable}-value {value!r} is both heavy and light in {name}"
        )
    for value in heavy:
        if (degree := degrees.get(value, 0)) < lowest_heavy:
            detail = f"{variable}-value {value!r} is heavy in {name} with degree {degree} < {lowest_heavy}"
            yield Violation(label, f"{kind}heavy part", f"{detail} ({theta})")
    for value in light:
        if (degree := degrees.get(value, 0)) >= lowest_not_light:
            detail = (
                f"{variable}-value {value!r} is light in {name} with degree {degree} ≥ {lowest_not_light}"
            )
            yield Violation(label, f"{kind}light part", f"{detail} ({theta})")


def strict_partition(whole: Relation[P], threshold: Threshold, *, double: bool) -> dict[str, Relation[P]]:
    """The strict partition: a value is heavy iff its degree is at least θ. It is unique."""
    degrees = [whole.degrees(variable) for variable in (whole.schema if double else whole.schema[0])]
    rows: dict[str, dict[tuple[object, ...], P]] = {name: {} for name in part_names(double)}
    for row, m in whole.entries.items():
        name = "".join(
            "H" if d[value] >= threshold.strict else "L" for d, value in zip(degrees, row, strict=False)
        )
        rows[name][row] = m
    return {name: relation(whole.schema, whole.ring, entries.items()) for name, entries in rows.items()}
