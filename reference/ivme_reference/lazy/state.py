"""Everything that an engine with lazy views maintains; its steps and events.

Steps are those of the kernel's model: 8 for an update, 1 for each line that is looked at, for the account of
y and for the owners of x; 1 for each step of a walk and 1 for each match, 2 where it goes to a row of the
result of its own; at most w for an entry of a row (`ivme_spec.lazy.Shape`); 4 for a tuple that is moved.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from fractions import Fraction
from typing import Generic

from attrs import define, field, frozen

from ivme_reference.lazy.plan import Covers, covers_of
from ivme_reference.lazy.relation import PartedRelation
from ivme_reference.storage import add_to
from ivme_spec.lazy import Shape, shapes
from ivme_spec.relations import RELATIONS, SCHEMAS, VARIABLES, Row
from ivme_spec.rings import P, Ring
from ivme_spec.thresholds import Threshold, threshold
from ivme_spec.views import Decomposition


@frozen
class Build:
    """The row of a value of a relation's first column was built, at its price; `step` counts updates."""

    step: int
    relation: str
    value: object
    price: int


@frozen
class Drop:
    """A row was dropped: for its upkeep, or because its value became light."""

    step: int
    relation: str
    value: object
    price: int
    light: bool


@frozen
class Minor:
    """A value changed its class; `moved` counts the tuples that moved at once."""

    step: int
    relation: str
    variable: str
    value: object
    heavy: bool
    moved: int


@frozen
class Major:
    """N changed."""

    step: int
    grown: bool
    base: int


Event = Build | Drop | Minor | Major


@define
class Account:
    """Of a built row; see `ivme_spec.lazy`."""

    price: int
    limit: int
    gap: int = 0

    def spare(self, scan: int) -> None:
        """The row was of use.  Cost: O(1)."""
        self.gap -= scan
        if self.gap <= 0:
            self.gap = 0
            self.limit = self.price

    def bears(self, charge: int) -> bool:
        """Whether the row pays in spite of more upkeep.  Cost: O(1)."""
        return self.gap + charge < self.limit


@define
class Credit:
    """Of a heavy value without a row."""

    look: Fraction
    paid: int = 0


@define
class Tree(Generic[P]):
    """A view tree: its shape, the accounts of its built rows, and the rows.

    `owners` maps each y to the built x with K_f(x,y): it takes the place of the heavy column in upkeep.
    """

    shape: Shape
    accounts: dict[Hashable, Account] = field(factory=dict)
    credits: dict[Hashable, Credit] = field(factory=dict)
    owners: dict[Hashable, dict[Hashable, None]] = field(factory=dict)
    sums: dict[Hashable, dict[Hashable, P]] = field(factory=dict)
    kept: dict[Hashable, dict[Hashable, dict[Hashable, None]]] = field(factory=dict)
    """x ↦ z ↦ the y-values between them."""
    root: dict[tuple[Hashable, Hashable], None] = field(factory=dict)


class LazyStore(Generic[P]):
    """(ε, N), the relations with their classes, the trees and the head map."""

    def __init__(
        self,
        decomposition: Decomposition,
        free: str,
        epsilon: Fraction,
        ring: Ring[P],
        factor: Fraction,
        base: int,
    ) -> None:
        self.decomposition = decomposition
        self.free = free
        self.epsilon = epsilon
        self.ring = ring
        self.factor = factor
        """A row is built when its credit reaches its price times this."""
        self.relations: tuple[PartedRelation[P], ...] = tuple(
            PartedRelation(2 if name in decomposition.double else 1) for name in RELATIONS
        )
        self.covers: tuple[tuple[Covers, ...], ...] = covers_of(decomposition)
        self.trees: tuple[Tree[P], ...] = tuple(Tree(shape) for shape in shapes(decomposition))
        self.head: dict[Row, P] = {}
        self.size = 0
        self.step = 0
        self.spent: Counter[str] = Counter()
        """By purpose: update, scan, head, lookup, look, build, drop, upkeep, move, major, read, load."""
        self.events: list[Event] = []
        self.set_base(base)

    def set_base(self, base: int) -> None:
        """Change N, and nothing else."""
        self.base = base
        self.theta: Threshold = threshold(base, self.epsilon)

    def row_of(self, i: int, x: Hashable, y: Hashable, z: Hashable) -> Row:
        """The row of the result for Xᵢ = x, Xᵢ₊₁ = y and Xᵢ₊₂ = z."""
        return tuple((x, y, z)[(VARIABLES.index(variable) - i) % 3] for variable in self.free)

    def bound(self, i: int) -> bool:
        """Whether the variable Xᵢ is bound."""
        return VARIABLES[i % 3] not in self.free

    def variable(self, i: int, column: int) -> str:
        """The variable of a column of relation i."""
        return SCHEMAS[RELATIONS[i]][column]

    def list_triangle(self, i: int, x: Hashable, y: Hashable, z: Hashable, sign: int) -> None:
        """Add the stored triangle to the head map, or subtract it.  Cost: O(1)."""
        product: P | None = None
        for turn, (one, two) in enumerate(((x, y), (y, z), (z, x))):
            m = self.relations[(i + turn) % 3].get(one, two)
            assert m is not None, "the triangle is there"
            product = m if product is None else product * m
        assert product is not None, "there are three relations"
        add_to(self.head, self.row_of(i, x, y, z), product if sign > 0 else -product)
