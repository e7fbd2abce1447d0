"""The corpus of known failures against all of our engines; what an engine does not claim is not asked."""

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Any

import pytest

from ivme.conformance import Capabilities
from ivme.conformance.corpus import load, names, project, run_corpus
from ivme.formats.traces import Header, Trace, TraceError, Update
from ivme_reference import APPROACHES
from ivme_reference.paper.engine import PaperEngine
from ivme_spec.errors import HeadError
from ivme_spec.queries import HEADS
from ivme_spec.relations import RelationName, Row
from tests.support.broken_engines import CrashesOnReinsert, Right
from tests.support.own_engine import ViewEngine

ALL = Capabilities(refuses=True, values="python")
EPSILONS = ("0", "1/2", "1")


class Plain:
    """Anything with `update`, iteration and lookup behind the kit's protocol."""

    def __init__(self, view: Any) -> None:
        self.view = view

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        self.view.update(relation, x, y, multiplicity)

    def rows(self) -> Iterable[tuple[Row, int]]:
        return list(self.view)

    def lookup(self, row: Row) -> int:
        found: int = self.view[row]
        return found


def engines() -> dict[str, Callable[[str], Plain | ViewEngine]]:
    made: dict[str, Callable[[str], Plain | ViewEngine]] = {}
    for approach in APPROACHES:
        made[approach.__name__] = lambda free, a=approach: Plain(a(free))  # type: ignore[misc]
    for epsilon in EPSILONS:
        made[f"TriangleView-{epsilon}"] = lambda free, e=epsilon: ViewEngine(free, e)  # type: ignore[misc]
    made["PaperEngine-1/3"] = lambda free: Plain(PaperEngine(free, "1/3"))
    return made


ENGINES = engines()


NOT_CLAIMED = {"PaperEngine": {"python-nan"}}
"""The paper's procedures, line by line, select with `==`, and NaN != NaN."""


def check(engine: str, free: str) -> None:
    found = run_corpus(partial(ENGINES[engine], free), free, capabilities=ALL)
    assert set(found) == NOT_CLAIMED.get(engine.partition("-")[0], set()), found


OFTEN = [(engine, "") for engine in ENGINES]
OFTEN += [(engine, "AB") for engine in (*(a.__name__ for a in APPROACHES), "TriangleView-1/2")]
OFTEN += [("TriangleView-1/2", "A"), ("PaperEngine-1/3", "ABC")]
RARELY = [
    (engine, free) for engine in ENGINES for free in (*HEADS, "BA", "CAB") if (engine, free) not in OFTEN
]


@pytest.mark.parametrize(("engine", "free"), OFTEN)
def test_our_engines_pass(engine: str, free: str) -> None:
    check(engine, free)


@pytest.mark.nightly
@pytest.mark.parametrize(("engine", "free"), RARELY)
def test_our_engines_pass_with_the_other_heads(engine: str, free: str) -> None:
    check(engine, free)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_our_engine_passes_with_double_partitioning(epsilon: str) -> None:
    assert run_corpus(partial(ViewEngine, "", epsilon, "double"), capabilities=ALL) == {}


# --- what is not claimed is not asked -------------------------------------------------------------------


class Recorder(Right):
    """A right engine that keeps what it was sent."""

    def __init__(self, sent: list[Update]) -> None:
        super().__init__("A")
        self.sent = sent

    def update(self, relation: RelationName, x: Hashable, y: Hashable, multiplicity: int) -> None:
        self.sent.append((relation, x, y, multiplicity))
        super().update(relation, x, y, multiplicity)


def sent(capabilities: Capabilities) -> list[Update]:
    updates: list[Update] = []
    assert run_corpus(partial(Recorder, updates), "A", capabilities=capabilities) == {}
    return updates


def test_an_engine_is_sent_only_what_it_claims() -> None:
    assert all(type(value) is int for _, x, y, _ in sent(Capabilities()) for value in (x, y))
    assert all(m > 0 for *_, m in sent(Capabilities(deletes=False)))
    assert all(abs(m) == 1 for *_, m in sent(Capabilities(multiplicities=False)))
    assert all(abs(m) <= 3 for *_, m in sent(Capabilities(largest=3)))
    texts = [value for _, x, y, _ in sent(Capabilities(values="any")) for value in (x, y)]
    assert None in texts
    assert "1" in texts
    assert not any(isinstance(value, bool | float) for value in texts)
    assert any(isinstance(value, float) for _, x, y, _ in sent(ALL) for value in (x, y))


def test_nothing_is_left_out_of_what_is_claimed() -> None:
    assert len(sent(ALL)) == sum(len(load(name).updates) for name in names())


# --- loading --------------------------------------------------------------------------------------------


def test_findings_come_by_name() -> None:
    found = run_corpus(partial(CrashesOnReinsert, "AB"), "AB")
    assert found["delete-and-reinsert"].kind == "refused a valid update"
    assert "bag-product" not in found


def test_every_trace_has_a_note_and_every_head() -> None:
    assert len(names()) >= 40
    for name in names():
        assert load(name).header.note
        assert load(name, "CA").header.free == "CA"


def test_bad_names_and_heads_are_refused() -> None:
    with pytest.raises(TraceError, match="no trace 'nonsense' in the corpus"):
        load("nonsense")
    with pytest.raises(TraceError):
        load("../corpus/shards")
    with pytest.raises(HeadError):
        load("shards", "AA")
    with pytest.raises(TraceError, match="does not determine"):
        project(Trace(Header("AB"), ()), "A")
