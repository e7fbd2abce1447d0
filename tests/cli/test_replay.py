"""`ivme replay`: verdicts, damaged traces, and what --debug tells."""

import json
from pathlib import Path

import pytest

from ivme.formats.traces import Header, Step, Update, write_trace
from tests.cli.conftest import Command
from tests.support.broken_views import Violated

TRIANGLE: list[Update] = [("R", 1, 2, 1), ("S", 2, 3, 5), ("T", 3, 1, 1)]


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.jsonl"
    steps = [Step("update", (update,)) for update in TRIANGLE]
    refused = Step("refused", (("S", 2, 3, -6),))
    write_trace(path, Header("AB", "1/3"), [*steps, refused, Step("expect", answer={(1, 2): 5})])
    return path


def test_a_trace_that_holds(ivme: Command, trace: Path) -> None:
    done = ivme("replay", trace)
    assert (done.code, done.err) == (0, "")
    assert "△(a, b), ε = 1/3" in done.out
    assert "4 updates (1 refused as they must be), 1 expected answers" in done.out
    assert done.out.endswith("all is well\n")


def test_debug_tells_every_step(ivme: Command, trace: Path) -> None:
    done = ivme("replay", trace, "--debug")
    assert done.code == 0
    assert "1. R(1, 2) +1, " in done.out
    assert "4. S(2, 3) -6, refused as it must be: ok" in done.out
    assert "every step checked" in done.out


def test_an_answer_that_is_not_the_expected_one(ivme: Command, trace: Path) -> None:
    steps = [Step("update", (update,)) for update in TRIANGLE]
    refused = Step("refused", (("S", 2, 3, -6),))
    write_trace(trace, Header("AB", "1/3"), [*steps, refused, Step("expect", answer={(1, 2): 7})])
    done = ivme("replay", trace)
    assert done.code == 1
    assert "line 6, after 4 updates: the trace expects another answer: (1, 2) is 5, expected 7" in done.out
    given = json.loads(ivme("replay", trace, "--json").out)
    assert (given["ok"], given["line"], given["updates"]) == (False, 6, 4)


def test_the_engine_is_not_blamed_for_a_damaged_trace(ivme: Command, trace: Path) -> None:
    """Another legal answer is expected, and more follows it; the checksum tells."""
    lines = trace.read_bytes().replace(b"[[[1, 2], 5]]", b"[[[1, 2], 7]]").splitlines(keepends=True)
    trace.write_bytes(b"".join(lines))
    done = ivme("replay", trace)
    assert done.code == 2
    assert "line 7: damaged: the lines before it do not have this checksum" in done.err
    assert "expects another answer" not in done.out


def test_run_gives_no_answer_from_a_damaged_trace(ivme: Command, trace: Path) -> None:
    """A flipped bit that leaves every line legal; also where the lines end as on Windows."""
    assert ivme("run", trace).code == 0
    whole = trace.read_bytes()
    trace.write_bytes(whole.replace(b"\n", b"\r\n"))
    assert ivme("run", trace).code == 0
    trace.write_bytes(whole.replace(b'["T", 3, 1, 1]', b'["T", 3, 1, 3]'))
    done = ivme("run", trace)
    assert (done.code, done.out) == (2, "")
    assert "line 7: damaged: the lines before it do not have this checksum" in done.err


def test_an_epsilon_that_takes_forever_is_refused_at_once(ivme: Command, trace: Path) -> None:
    tiny = "1e-10000000"
    trace.write_text(f'{{"ivme-trace": 1, "epsilon": "{tiny}"}}\n')
    for command in (
        ("run", "-", "--epsilon", tiny),
        ("oracle", "--engine", "x:y", "--epsilon", tiny),
        ("workload", "view-upkeep", "size=9", f"epsilon={tiny}", "--out", "-"),
        ("run", trace),
        ("replay", trace),
        ("explain", trace),
    ):
        done = ivme(*command, stdin="R,1,2\n")
        assert (done.code, done.out) == (2, "")
        assert f"epsilon '{tiny}' is too long a number" in done.err


def test_integers_of_any_size_are_told_in_short(ivme: Command, trace: Path) -> None:
    huge = 7**9_000
    steps = [
        Step("update", (("R", huge, 2, huge),)),
        Step("refused", (("R", 1, 2, -1),)),
        Step("expect", answer={(huge, 2): 1}),
    ]
    write_trace(trace, Header("AB", "1/3"), steps)
    done = ivme("replay", trace, "--debug")
    text = f"an integer of {huge.bit_length()} bits"
    assert done.code == 1
    assert f"1. R({text}, 2) +{text}, " in done.out
    assert f"({text}, 2) is missing, expected 1" in done.out
    told = ivme("explain", trace, "--at", 1)
    assert told.code == 0
    assert f"R({text}, 2) +{text} is the last update" in told.out


def test_only_debug_finds_a_violated_invariant(
    ivme: Command, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ivme.replay.replay.TriangleView", Violated)
    steps = [Step("update", (("R", 9, 9, -1 if n % 2 else 1),)) for n in range(40)]
    write_trace(trace, Header("AB"), steps)
    assert ivme("replay", trace).code == 0
    done = ivme("replay", trace, "--debug")
    assert done.code == 1
    assert "after 26 updates: planted" in done.out or "it does not hold" in done.out
    assert ivme("replay", trace, "--debug", "--every", 1000).code == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"\xff\n", "not text"),
        (b'{"update": ["R", 1\n', "not JSON"),
        (b'{"update": ["U", 1, 2, 1]}\n', "'U'"),
    ],
)
def test_a_damaged_line_is_named_and_what_was_applied_is_told(
    ivme: Command, trace: Path, line: bytes, message: str
) -> None:
    lines = trace.read_bytes().splitlines(keepends=True)
    trace.write_bytes(b"".join([*lines[:3], line, *lines[3:]]))
    done = ivme("replay", trace)
    assert done.code == 2
    assert f"{trace}, line 4: " in done.err
    assert message in done.err
    assert "the 2 updates before it were applied" in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a trace"),
        (b"\x00\x01", "line 1"),
        (b"a,b\n", "line 1"),
        (b'{"ivme-trace": 9}\n', "version 9"),
        (b'{"ivme-trace": 1, "epsilon": "3/2"}\n', "outside"),
        (b'{"ivme-trace": 1, "ring": "R"}\n', "ring 'R'"),
        (b'{"ivme-trace": 1, "free": "A", "partitioning": "double"}\n', "partitioning"),
    ],
)
def test_what_is_no_trace_is_one_line(ivme: Command, trace: Path, content: bytes, message: str) -> None:
    trace.write_bytes(content)
    for command in ("replay", "explain"):
        done = ivme(command, trace)
        assert done.code == 2
        assert message in done.err
        assert len(done.err.splitlines()) == 1
        assert done.out == ""


def test_a_missing_file_and_a_folder(ivme: Command, tmp_path: Path) -> None:
    assert ivme("replay", tmp_path / "absent.jsonl").code == 2
    assert ivme("replay", tmp_path).code == 2
