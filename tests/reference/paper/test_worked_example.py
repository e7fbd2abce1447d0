"""The worked example of the paper's union iterator (fig:example_pointer_enum, in sec:skip_pointers)."""

from ivme_reference.paper.iterators import EOF, End, Listing
from ivme_reference.paper.unions import UnionIterator

V = {
    "a1": ("b1", "b2", "b3"),
    "a2": ("b4", "b1", "b5"),
    "a3": ("b2", "b5", "b3"),
    "a4": ("b6", "b4"),
}
"""The B-values of each A-value, in the order of the drawing."""


def paired(t: str | End) -> list[str]:
    return [a for a, values in V.items() if t in values]


def test_the_three_stages() -> None:
    iterator = UnionIterator({a: Listing(values) for a, values in V.items()}, paired)

    assert [iterator.next() for _ in range(3)] == ["b1", "b2", "b3"]  # stage 1
    assert iterator.bucket("a1").skip_to == {}
    assert iterator.bucket("a2").skip_to == {"b1": "b5"}
    assert iterator.bucket("a2").skipped_from == {"b5": "b1"}
    assert iterator.bucket("a3").skip_to == {"b2": "b5", "b3": EOF}
    assert iterator.bucket("a3").skipped_from == {"b5": "b2", EOF: "b3"}
    assert iterator.i_buckets.skip_to == {}

    assert [iterator.next() for _ in range(2)] == ["b4", "b5"]  # stage 2
    assert iterator.bucket("a2").skip_to == {"b1": "b5"}
    assert iterator.bucket("a3").hop("b2") is EOF
    assert iterator.bucket("a3").hop_back(EOF) == "b2"
    assert iterator.bucket("a3").is_empty()
    assert iterator.bucket("a4").skip_to == {"b4": EOF}
    assert iterator.i_buckets.skip_to == {"a3": "a4"}
    assert iterator.i_buckets.skipped_from == {"a4": "a3"}

    assert iterator.next() == "b6"  # stage 3: a3 is skipped, and no hop is added
    assert iterator.bucket("a4").skip_to == {"b4": EOF}
    assert iterator.i_buckets.skip_to == {"a3": "a4"}
    assert iterator.next() is EOF
