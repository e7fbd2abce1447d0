"""Replaying traces: what is expected is compared, damage loses nothing before it, memory stays constant."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from ivme.formats.traces import Header, Step, TraceError, Update, write_trace
from ivme.replay.explain import explain, first_rows
from ivme.replay.replay import Change, Replay, count_updates, open_replay
from ivme_spec.errors import InputError
from tests.support.broken_views import RowTwice, Violated, WrongAnswer

TRIANGLE: list[Update] = [("R", 1, 2, 1), ("S", 2, 3, 5), ("T", 3, 1, 1)]


def written(path: Path, steps: list[Step], **header: object) -> Path:
    write_trace(path, Header("AB", **header), steps)  # type: ignore[arg-type]  # fields by name
    return path


def updates(*given: Update) -> list[Step]:
    return [Step("update", (update,)) for update in given]


def changes(path: Path, debug: bool = False) -> list[Change]:
    with open_replay(path, debug) as replay:
        return list(replay)


def test_every_kind_of_step(tmp_path: Path) -> None:
    steps = [
        *updates(*TRIANGLE[:2]),
        Step("expect", answer={}),
        Step("batch", (TRIANGLE[2], ("S", 2, 3, -2))),
        Step("refused", (("S", 2, 3, -4),)),
        Step("expect", answer={(1, 2): 3}),
    ]
    found = changes(written(tmp_path / "t.jsonl", steps), debug=True)
    assert [(c.line, c.number, c.kind) for c in found] == [
        (2, 1, "update"),
        (3, 2, "update"),
        (4, 2, "expect"),
        (5, 3, "update"),
        (5, 4, "update"),
        (6, 5, "refused"),
        (7, 5, "expect"),
    ]
    assert not any(c.problem for c in found)
    assert all(c.steps > 0 for c in found if c.kind == "update")


@pytest.mark.parametrize(
    ("step", "problem"),
    [
        (Step("expect", answer={(1, 2): 6}), "another answer: (1, 2) is 5, expected 6"),
        (Step("expect", answer={}), "(1, 2) is 5, expected no such row"),
        (Step("refused", (("R", 1, 2, -1),)), "must be refused, and was accepted"),
        (Step("update", (("R", 1, 2, -2),)), "refused: R(1, 2) has multiplicity 1"),
    ],
)
def test_what_does_not_come_out_is_a_problem(step: Step, problem: str, tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", [*updates(*TRIANGLE), step])
    *before, last = changes(path)
    assert not any(c.problem for c in before)
    assert problem in last.problem


@pytest.mark.parametrize(
    ("engine", "problem"),
    [(WrongAnswer, "wrong answer"), (RowTwice, "twice"), (Violated, "it does not hold")],
)
def test_debug_finds_a_planted_fault_at_its_update(
    engine: type, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    toggled: list[Update] = [("R", 9, 9, 1), ("R", 9, 9, -1)] * 20
    path = written(tmp_path / "t.jsonl", updates(*TRIANGLE, *toggled))
    monkeypatch.setattr("ivme.replay.replay.TriangleView", engine)
    assert not any(c.problem for c in changes(path))
    first = next(c for c in changes(path, debug=True) if c.problem)
    assert first.number == 26
    assert problem in first.problem


def test_an_engine_that_raises_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(self: object, *update: object) -> None:
        raise KeyError("planted")

    monkeypatch.setattr("ivme.view.TriangleView.update", failing)
    first, *_ = changes(written(tmp_path / "t.jsonl", updates(*TRIANGLE)))
    assert first.problem == "the engine raised KeyError: 'planted'"


def test_a_database_is_loaded_at_once(tmp_path: Path) -> None:
    steps = [*updates(*TRIANGLE), Step("expect", answer={(1, 2): 5})]
    path = written(tmp_path / "t.jsonl", steps, loaded=3)
    with open_replay(path, debug=True) as replay:
        first, second = replay
        assert (first.kind, first.number, second.kind) == ("loaded", 3, "expect")
        assert not first.problem + second.problem
        assert replay.view.costs.update_count == 0
        assert replay.view.threshold_base == 7  # 2·|D| + 1: loaded, not inserted


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (updates(*TRIANGLE), "line 1: 4 updates are to be loaded; there are 3"),
        ([*updates(*TRIANGLE), Step("expect")], "line 5: an answer is expected before all is loaded"),
    ],
)
def test_a_trace_with_less_than_it_loads_is_refused(steps: list[Step], message: str, tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=message):
        changes(written(tmp_path / "t.jsonl", steps, loaded=4))


def test_rings_are_known_by_name(tmp_path: Path) -> None:
    for name in ("ℕ", "ℤ", "ℤ[X]", "ℤ/6"):
        assert Replay(Header("", ring=name), iter(())).view.ring.name == name
    for name in ("ℤ/1", "ℤ/x", "ℝ", "", "ℤ/" + "9" * 5000):
        with pytest.raises(TraceError, match="ring"):
            Replay(Header("", ring=name), iter(()))
    negative = [*updates(("R", 1, 2, -1), *TRIANGLE[1:]), Step("expect", answer={(1, 2): -5})]
    assert not any(c.problem for c in changes(written(tmp_path / "t.jsonl", negative, ring="ℤ"), True))
    six = [*updates(("R", 1, 2, 2), ("S", 2, 3, 3), ("T", 3, 1, 1)), Step("expect", answer={})]
    assert not any(c.problem for c in changes(written(tmp_path / "m.jsonl", six, ring="ℤ/6"), True))


def test_nothing_before_a_damaged_line_is_lost(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", updates(*TRIANGLE, ("R", 7, 7, 1)))
    lines = path.read_bytes().splitlines(keepends=True)
    for place in range(1, len(lines)):
        path.write_bytes(b"".join([*lines[:place], b'{"update": ["R", 1\n', *lines[place + 1 :]]))
        seen: list[Change] = []
        with open_replay(path) as replay:
            with pytest.raises(TraceError, match=rf"line {place + 1}: not JSON"):
                seen.extend(replay)
            assert replay.number == place - 1
            assert replay.view.costs.update_count == place - 1


def toggles(count: int) -> Iterator[Step]:
    for number in range(count):
        yield Step("update", (("R", 1, 2, -1 if number % 2 else 1),))


def test_long_traces_replay_in_constant_memory(tmp_path: Path) -> None:
    """Ten times as many updates take no more memory, and little of it."""
    peaks = []
    for count in (2_000, 20_000):
        path = tmp_path / f"{count}.jsonl"
        write_trace(path, Header("AB"), toggles(count))
        tracemalloc.start()
        with open_replay(path) as replay:
            assert sum(1 for _ in replay) == count
        assert count_updates(path) == count
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 500_000
    assert peaks[1] < 2 * peaks[0]


# --- explaining -----------------------------------------------------------------------------------------


def explained(path: Path, at: int) -> str:
    with open_replay(path) as replay:
        told = explain(replay, at)
    cells = (f"{table.title} {row}" for table in told.tables for row in table.rows)
    return "\n".join((*told.opening, *cells, *told.closing))


def test_a_rebalancing_is_explained(tmp_path: Path) -> None:
    """The README's example: 0 becomes heavy when its degree reaches ³⁄₂·√27."""
    steps = updates(*(("S", b, b, 1) for b in range(13)), *(("R", 0, b, 1) for b in range(9)))
    path = written(tmp_path / "t.jsonl", steps, loaded=13, epsilon="1/2")
    text = explained(path, 21)
    assert "|D| = 21 tuples, N = 27" in text
    assert "heavy at degree 8 (³⁄₂θ), a heavy one light below 3 (½θ)" in text
    assert "minor rebalancing: 0 became heavy in A of R, 8 tuples moved" in text
    assert "('A in R', 1, 0, '0 (8)')" in text
    assert "Changed by the last update ('R, part L', 0, 7, 0" in text
    assert "R(0, 7) +1 is the last update; the tuple is in part H with multiplicity 1" in text
    before = explained(path, 20)
    assert "rebalancing" not in before
    assert "('A in R', 0, 1, '')" in before
    assert "loaded 13 tuples at once" in explained(path, 13)


def test_what_an_update_touched_is_told(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", updates(*TRIANGLE, ("S", 2, 3, -5)))
    assert "answer: 1 row: (1, 2) ↦ 5" in explained(path, 3)
    assert "answer: no rows" in explained(path, 4)
    assert "S(2, 3) -5 is the last update; the tuple is not there" in explained(path, 4)
    empty = explained(path, 0)
    assert "after 0 updates: |D| = 0 tuples" in empty


def test_there_is_no_state_beyond_the_end(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", updates(*TRIANGLE))
    with pytest.raises(InputError, match="update 4: the trace has 3 updates"):
        explained(path, 4)
    loaded = written(tmp_path / "l.jsonl", updates(*TRIANGLE), loaded=3)
    with pytest.raises(InputError, match="give at least 3"):
        explained(loaded, 2)


def test_big_states_are_abbreviated_with_counts(tmp_path: Path) -> None:
    path = written(tmp_path / "t.jsonl", updates(*(("R", 0, b, 1) for b in range(500))))
    text = explained(path, 500)
    assert "… 496 more" in text
    assert len(text) < 4_000
    assert first_rows({(1,): 2}) == "(1) ↦ 2"
    assert len(first_rows({("x" * 10_000,): 10**100})) < 120
