"""Single bugs planted into the enumeration; see `planted`."""

from typing import Any

import pytest

from ivme.kernel import enumeration
from ivme.kernel.engine import Engine
from ivme.kernel.enumeration import EOF, End, HopIterator, HopUnion, RowIterator
from ivme.kernel.storage import dicts
from ivme.kernel.storage.dicts import HeadMap
from ivme_spec.relations import Row
from tests.agreement.planted import BUGS, bug

__all__ = ["BUGS"]


@bug
def the_current_bucket_is_excluded_too(patch: pytest.MonkeyPatch) -> None:
    """ERRATA E2, as printed."""
    original = HopUnion.exclude

    def exclude(self: HopUnion[Any], triple: Any) -> None:
        current, self.current = self.current, -1
        original(self, triple)
        self.current = current

    patch.setattr(HopUnion, "exclude", exclude)


@bug
def nothing_is_excluded(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(HopUnion, "exclude", lambda self, triple: None)


@bug
def excluded_ranges_are_not_joined(patch: pytest.MonkeyPatch) -> None:
    def exclude(self: HopIterator[Any], position: Any) -> None:
        self.skip_to[position] = self.successor(position)

    patch.setattr(HopIterator, "exclude", exclude)


@bug
def the_union_does_not_ask_what_a_tree_contains(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(enumeration.HeadIterator, "contains", lambda self, row: False)


@bug
def the_union_stops_with_its_first_member(patch: pytest.MonkeyPatch) -> None:
    def union_next(iterators: list[RowIterator], last: int) -> Row | End:
        row = iterators[0].next()
        return EOF if isinstance(row, End) else row

    patch.setattr(enumeration, "union_next", union_next)


@bug
def rows_of_trees_lack_the_head_map(patch: pytest.MonkeyPatch) -> None:
    original = enumeration.lookup

    def lookup(engine: Engine[Any], row: Row) -> Any:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(engine, "head", HeadMap(engine.order) if engine.kept else engine.head)
            return original(engine, row)

    patch.setattr(enumeration, "lookup", lookup)


@bug
def result_rows_have_their_values_in_the_wrong_order(patch: pytest.MonkeyPatch) -> None:
    original = dicts.key_builder
    patch.setattr(dicts, "key_builder", lambda positions: original(tuple(reversed(positions))))


@bug
def rows_of_trees_have_their_values_in_the_wrong_order(patch: pytest.MonkeyPatch) -> None:
    original = enumeration.result_row
    patch.setattr(enumeration, "result_row", lambda *args: original(*args)[::-1])
