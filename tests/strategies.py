"""What tests draw from: rings, heads, values, relations, databases, partitions and queries."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

from hypothesis import strategies as st

from ivme_spec.algebra import Expression, Plus, Product, SumTo, Symbol
from ivme_spec.partitions import part_names
from ivme_spec.relations import RELATIONS, SCHEMAS, VARIABLES, Relation, relation
from ivme_spec.rings import INTEGERS, NATURALS, Ring, modular

RINGS: Mapping[str, Ring[Any]] = {"N": NATURALS, "Z": INTEGERS, "Z/6": modular(6)}

ALL_HEADS = tuple("".join(letters) for arity in range(4) for letters in permutations(VARIABLES, arity))
"""The eight heads, with their letters in every order: sixteen in all."""

DOMAIN = (0, "one", (2, None))
"""Few values, so that triangles happen and deletes hit; of types that do not compare."""

EPSILONS = tuple(Fraction(*e) for e in ((0, 1), (1, 4), (1, 3), (1, 2), (3, 5), (1, 1)))


def rings() -> st.SearchStrategy[Ring[Any]]:
    return st.sampled_from(list(RINGS.values()))


def multiplicities(ring: Ring[Any]) -> st.SearchStrategy[Any]:
    """Nonzero elements: small, positive in ℕ, of either sign elsewhere."""
    return st.integers(-5 if ring.signed else 1, 5).filter(bool).map(ring.lift)


@st.composite
def relations(draw: st.DrawFn, schema: str, ring: Ring[Any], domain: Sequence[Any] = DOMAIN) -> Relation[Any]:
    rows = st.tuples(*(st.sampled_from(domain) for _ in schema))
    return relation(schema, ring, draw(st.dictionaries(rows, multiplicities(ring), max_size=9)).items())


def databases(ring: Ring[Any], domain: Sequence[Any] = DOMAIN) -> st.SearchStrategy[dict[str, Relation[Any]]]:
    return st.fixed_dictionaries({name: relations(SCHEMAS[name], ring, domain) for name in RELATIONS})


@st.composite
def splits(draw: st.DrawFn, whole: Relation[Any], double: bool) -> dict[str, Relation[Any]]:
    """The tuples of a relation dealt to its parts in any way; a partition by degree only by chance."""
    names = part_names(double)
    dealt = [draw(st.sampled_from(names)) for _ in whole]
    return {
        name: relation(
            whole.schema,
            whole.ring,
            (entry for entry, to in zip(whole.entries.items(), dealt, strict=True) if to == name),
        )
        for name in names
    }


ARITIES = {"Z": 0, "U": 1, "R": 2, "S": 2, "W": 3}
"""The relation symbols of random queries; the same symbol occurs many times over, so self-joins abound."""


@st.composite
def queries(draw: st.DrawFn, schema: str, depth: int = 2) -> Expression:
    """A query over exactly these free variables."""
    kind = draw(st.sampled_from(["symbol"] if depth == 0 else ["symbol", "product", "sum", "plus"]))
    if kind == "product":
        sides = [draw(st.sampled_from(["left", "right", "both"])) for _ in schema]
        left = "".join(v for v, side in zip(schema, sides, strict=True) if side != "right")
        right = "".join(v for v, side in zip(schema, sides, strict=True) if side != "left")
        return Product(draw(queries(left, depth - 1)), draw(queries(right, depth - 1)))
    if kind == "sum":
        inner = [v for v in VARIABLES if v in schema or draw(st.booleans())]
        return SumTo(draw(queries("".join(draw(st.permutations(inner))), depth - 1)), schema)
    if kind == "plus":
        other = "".join(draw(st.permutations(schema)))
        return Plus(draw(queries(schema, depth - 1)), draw(queries(other, depth - 1)))
    return Symbol(draw(st.sampled_from([n for n, arity in ARITIES.items() if arity == len(schema)])), schema)
