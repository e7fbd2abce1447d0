"""The definition of the triangle queries as three loops over all values, and what is compared with it.

Independent of ivme_spec on purpose: multiplicities are plain integers, and ℤ/m is taken at the very end.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from operator import index
from random import Random
from typing import Any

from attrs import define, field

from ivme_reference import Approach

Update = tuple[str, Any, Any, int]
Tuples = dict[tuple[Any, Any], int]


@define
class Model:
    """R, S and T as dictionaries of integers; `modulus` 0 stands for ℤ and ℕ, `signed` tells them apart."""

    modulus: int = 0
    signed: bool = False
    tuples: dict[str, Tuples] = field(factory=lambda: {"R": {}, "S": {}, "T": {}})

    def present(self, name: str, x: Hashable, y: Hashable) -> int:
        m = self.tuples[name].get((x, y), 0)
        return m % self.modulus if self.modulus else m

    def apply(self, update: Update) -> None:
        name, x, y, m = update
        self.tuples[name][x, y] = self.present(name, x, y) + m

    def values(self) -> set[Hashable]:
        return {value for tuples in self.tuples.values() for row in tuples for value in row}

    def result(self, free: str) -> dict[tuple[Hashable, ...], int]:
        """△(free) by definition: Σ R(a,b)·S(b,c)·T(c,a), grouped by the free variables in the order given."""
        r, s, t = self.tuples["R"], self.tuples["S"], self.tuples["T"]
        sums: Counter[tuple[Hashable, ...]] = Counter()
        for a, b, c in product(self.values(), repeat=3):
            row = tuple({"A": a, "B": b, "C": c}[variable] for variable in free)
            sums[row] += r.get((a, b), 0) * s.get((b, c), 0) * t.get((c, a), 0)
        reduced = {row: m % self.modulus if self.modulus else m for row, m in sums.items()}
        return {row: m for row, m in reduced.items() if m}


def model_of(ring_name: str) -> Model:
    return {"N": Model(), "Z": Model(signed=True), "Z/6": Model(6, signed=True)}[ring_name]


def differences(model: Model, approach: Approach[Any], domain: Sequence[Hashable]) -> list[str]:
    """Where an approach differs from the definition: in iteration or in lookups."""
    expected, listed = model.result(approach.free), list(approach)
    reports = []
    if len(listed) != len(dict(listed)):
        reports.append(f"rows come twice: {listed}")
    if {row: index(m) for row, m in listed} != expected:
        reports.append(f"iteration gives {dict(listed)}; by definition it is {expected}")
    for row in product(domain, repeat=len(approach.free)):
        if index(found := approach[row]) != (wanted := expected.get(row, 0)):
            reports.append(f"lookup of {row} gives {found}; by definition it is {wanted}")
    return reports


def first_difference(
    make: Callable[[], Approach[Any]], model: Model, updates: Iterable[Update], domain: Sequence[Hashable]
) -> str | None:
    """Run the updates on an approach and on the model; report the first step after which they differ."""
    approach = make()
    for step, update in enumerate([None, *updates]):
        if update is not None:
            approach.update(*update)
            model.apply(update)
        if found := differences(model, approach, domain):
            return f"step {step}, {update}: {found[0]}"
    return None


def random_updates(rng: Random, model: Model, domain: Sequence[Hashable], length: int) -> list[Update]:
    """Inserts with multiplicities up to 3, and deletes of tuples that are there, in part or whole."""
    scratch = Model(model.modulus, model.signed, {name: dict(rows) for name, rows in model.tuples.items()})
    updates: list[Update] = []
    while len(updates) < length:
        name, x, y = rng.choice("RST"), rng.choice(domain), rng.choice(domain)
        there = scratch.present(name, x, y)
        m = rng.choice((1, 1, 2, 3))
        if there and rng.random() < 0.5:
            m = -rng.randint(1, abs(there)) if there > 0 else -there
        elif model.signed and rng.random() < 0.3:
            m = -m
        scratch.apply((name, x, y, m))
        updates.append((name, x, y, m))
    return updates


def as_database(model: Model) -> Mapping[str, Tuples]:
    return {
        name: {row: m for row, m in rows.items() if model.present(name, *row)}
        for name, rows in model.tuples.items()
    }
