"""Misprints (section C of spec/ERRATA.md) that change what a definition says, and how we read them."""

from fractions import Fraction

from ivme_spec.algebra import Product, Symbol, schema_of
from ivme_spec.bounds import LINEAR
from ivme_spec.partitions import matching_parts
from ivme_spec.relations import database
from ivme_spec.rings import NATURALS
from ivme_spec.state import initial_state
from ivme_spec.views import BINARY, COUNT_SINGLE, View, define


def test_typo_a_light_part_of_a_double_partitioned_relation_is_two_parts() -> None:
    tree = BINARY.trees[1]
    assert tree.parts == ("ALL", "H", "L")
    assert "T" in BINARY.double
    assert matching_parts("L", double=True) == ("LH", "LL")


def test_typo_the_topmost_view_sums_the_root_below_it() -> None:
    """V̂^{L□(HL)}(c) is printed as Σ_b V^{L□H}(b,c), which would take in T^HH as well."""
    given = {"R": [(0, 0)], "S": [(0, 1)], "T": [(1, 0), (1, 5), (1, 6), (2, 0)]}
    state = initial_state(BINARY, Fraction(1, 4), database(given, NATURALS))
    printed = define(View("v", "C", ("L", "ALL", "H"), LINEAR), BINARY, state.partitions)
    root = state.views["v_l_all_hl"]
    assert state.views["v_hat_l_all_hl"].entries == root.sum_to("C").entries == {}
    assert printed.entries == {(1,): 1}


def test_typo_the_auxiliary_view_of_the_count_sums_over_c() -> None:
    """V_ST(b,a) = S^H(b,c) · T^L(c,a) has three variables on its right."""
    assert schema_of(Product(Symbol("S^H", "BC"), Symbol("T^L", "CA"))) == "BCA"
    view = next(view for view in COUNT_SINGLE.views if view.name == "v_st")
    assert schema_of(view.query(COUNT_SINGLE.double)) == view.head == "BA"
