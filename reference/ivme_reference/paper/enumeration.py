"""Enumeration of the result from a state, and lookup in it.

Paper: fig:enum_binary and fig:enum_unary (comments give their lines), prop:delay_full for the ternary query.
The decomposition determines the iterators: a view over the head is scanned; a view tree with another root is
a union of buckets, one for each tuple of its topmost view.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache

from attrs import frozen

from ivme_reference.paper.iterators import Collection, End, Listing, TupleIterator, ViewIterator, union_next
from ivme_reference.paper.state import PaperState
from ivme_reference.paper.unions import UnionIterator
from ivme_spec.algebra import Expression, evaluate
from ivme_spec.bounds import LINEAR
from ivme_spec.relations import Row, restrict
from ivme_spec.rings import P
from ivme_spec.views import Pattern, View, ViewTree

Arrange = Callable[[Iterable[Row]], list[Row]]


@frozen
class Order:
    """The orders that the paper leaves open: of the buckets, and of the candidates for an exclusion."""

    buckets: Arrange = list
    candidates: Arrange = list


AS_STORED = Order()


def enumerate_result(state: PaperState[P], order: Order) -> Iterator[tuple[Row, P]]:
    """The tuples of the query result over the decomposition's head, with their multiplicities."""
    match len(state.decomposition.head):
        case 0:
            if count := multiplicity((), state):
                yield (), count
        case 3:
            yield from enumerate_ternary(state)
        case _:
            yield from enumerate_union(state, order)


def enumerate_ternary(state: PaperState[P]) -> Iterator[tuple[Row, P]]:
    """The disjoint skew-aware views, one after the other (prop:delay_full)."""
    decomposition = state.decomposition
    for view in decomposition.listed:
        yield from list(state.views[view.name].items())
    for tree in decomposition.trees:
        for bucket in buckets_of(tree, tree.root, state).values():
            for row in bucket:
                yield row, tree_multiplicity(tree.parts, row, state)


def enumerate_union(state: PaperState[P], order: Order) -> Iterator[tuple[Row, P]]:
    """EnumerateBinary(Z) and EnumerateUnary(Z)."""
    iterators: list[TupleIterator[Row]] = [
        ViewIterator(over_head(view, state))
        for view in materialized(state)  # 2
    ]
    for tree in hop_based(state):  # 3
        iterators.append(hop_based_iterator(tree, state, order))
    while not isinstance(row := union_next(iterators), End):  # 4
        yield row, multiplicity(row, state)  # 5-8 (binary), 5-7 (unary)


def materialized(state: PaperState[P]) -> list[View]:
    """The skew-aware views that are materialized over the head: the listed ones and roots over the head."""
    decomposition = state.decomposition
    roots = [tree.root for tree in decomposition.trees if tree not in hop_based(state)]
    return [*decomposition.listed, *roots]


def hop_based(state: PaperState[P]) -> list[ViewTree]:
    """The view trees whose root is not over the head."""
    head = set(state.decomposition.head)
    return [tree for tree in state.decomposition.trees if set(tree.root.head) != head]


def over_head(view: View, state: PaperState[P]) -> list[Row]:
    """The tuples of a view, with the variables in the order of the head."""
    return [restrict(row, view.head, state.decomposition.head) for row in state.views[view.name]]


def hop_based_iterator(tree: ViewTree, state: PaperState[P], order: Order) -> UnionIterator[Row, Row]:
    """△.iter(CandidateBuckets): the union of the view trees instantiated for the topmost view's tuples."""
    join, top = tree.views[0], tree.views[-1]
    contents = buckets_of(tree, top, state)
    sets: dict[Row, Collection[Row]] = {key: Listing(contents[key]) for key in order.buckets(contents)}

    def candidate_buckets(t: Row | End) -> list[Row]:
        """The keys paired with t in the join that are in the topmost view."""
        keys = (
            restrict(row, join.head, top.head)
            for row in state.views[join.name]
            if restrict(row, join.head, state.decomposition.head) == t
        )
        return order.candidates(key for key in keys if key in state.views[top.name])

    return UnionIterator(sets, candidate_buckets, state.repairs)


def buckets_of(tree: ViewTree, top: View, state: PaperState[P]) -> dict[Row, list[Row]]:
    """For each tuple of `top` the tuples over the head in the tree instantiated for it.

    They are the tuples of the join whose restriction is in the root.
    """
    join, root, head = tree.views[0], tree.root, state.decomposition.head
    buckets: dict[Row, list[Row]] = {key: [] for key in state.views[top.name]}
    for row in state.views[join.name]:
        key = restrict(row, join.head, top.head)
        if restrict(row, join.head, root.head) in state.views[root.name] and key in buckets:
            buckets[key].append(restrict(row, join.head, head))
    return buckets


def multiplicity(row: Row, state: PaperState[P]) -> P:
    """The multiplicity of a tuple over the head (fig:enum_binary, lines 5-8; fig:enum_unary, lines 5-7)."""
    total, head = state.ring.zero, state.decomposition.head
    for view in materialized(state):  # m_1
        total = total + state.views[view.name].get(restrict(row, head, view.head), state.ring.zero)
    for tree in hop_based(state) if head else ():  # m_2, m_3
        total = total + tree_multiplicity(tree.parts, row, state)
    return total


def tree_multiplicity(parts: Pattern, row: Row, state: PaperState[P]) -> P:
    """The multiplicity of a tuple in a skew-aware view that is not materialized, from the relation parts."""
    head = state.decomposition.head
    relations = state.agreeing(row, head)
    return evaluate(skew_aware_view(head, parts, state.decomposition.double), relations)(row)


@cache
def skew_aware_view(head: str, parts: Pattern, double: frozenset[str]) -> Expression:
    """△^{rst} over the head."""
    return View("△", head, parts, LINEAR).query(double)
