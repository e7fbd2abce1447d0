"""Traces: what is written is read, damage is named by its line, and nothing is ever half there."""

import json
import math
import random
import re
import tracemalloc
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme.conformance import corpus
from ivme.formats.traces import (
    FIELDS,
    Header,
    Step,
    Trace,
    TraceError,
    decode_answer,
    decode_step,
    decode_value,
    encode_step,
    encode_value,
    open_trace,
    read_trace,
    write_trace,
)

PAGE = Path(__file__).resolve().parents[2] / "spec" / "TRACES.md"
HEADER = '{"ivme-trace": 1, "free": "AB"}\n'

atoms = st.none() | st.booleans() | st.integers() | st.text() | st.floats() | st.just(2**100)
values = st.recursive(atoms, lambda parts: st.lists(parts, max_size=3).map(tuple), max_leaves=6)
multiplicities = st.integers() | st.sampled_from([2**63, -(2**64) - 1, 10**60])
updates = st.tuples(st.sampled_from("RST"), values, values, multiplicities)
answers = st.dictionaries(st.tuples(st.integers(), st.text()), multiplicities, max_size=4)
steps = (
    st.builds(lambda u: Step("update", (u,)), updates)
    | st.builds(lambda u: Step("refused", (u,)), updates)
    | st.builds(lambda us: Step("batch", tuple(us)), st.lists(updates, max_size=3))
    | st.builds(lambda answer: Step("expect", answer=answer), answers)
)
headers = st.builds(
    Header,
    st.sampled_from(["", "A", "CB", "CAB"]),
    st.none() | st.just("1/3"),
    st.just("ℕ"),
    st.none() | st.integers(),
    st.text(),
    st.sampled_from(["single", "double"]),
    st.integers(0, 10**6),
)


def same(left: Any, right: Any) -> bool:
    """Equality that tells types and signs apart, and takes NaN for itself."""
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    return type(left) is type(right) and repr(left) == repr(right)


# --- there and back -------------------------------------------------------------------------------------


@given(values)
def test_values_come_back_as_they_were(value: Any) -> None:
    written = json.dumps(encode_value(value))
    assert same(decode_value(json.loads(written)), value)


def test_nan_is_one_value() -> None:
    first, second = (decode_value(json.loads(text)) for text in ('{"float": "nan"}', "NaN"))
    assert first is second is math.nan
    assert {first: 1}[second] == 1


@given(steps)
def test_steps_come_back_and_are_one_line_of_ascii(step: Step) -> None:
    line = encode_step(step)
    assert line.isascii()
    assert "\n" not in line
    found = decode_step(json.loads(line))
    assert found.kind == step.kind
    assert same(found.updates, step.updates)
    assert found.answer == step.answer


@given(headers, st.lists(steps, max_size=6))
def test_files_come_back(tmp_path_factory: pytest.TempPathFactory, header: Header, given: list[Step]) -> None:
    path = tmp_path_factory.mktemp("traces") / "trace.jsonl"
    write_trace(path, header, given)
    trace = read_trace(path)
    assert trace.header == header
    assert [encode_step(step) for step in trace.steps] == [encode_step(step) for step in given]
    assert len(trace.updates) == sum(len(step.updates) for step in given)


def test_multiplicities_of_any_size_come_back(tmp_path: Path) -> None:
    """Also those with more digits than Python reads as decimals."""
    huge = 3**20_000
    steps = [Step("update", (("R", 1, 2, -huge),)), Step("expect", answer={(1,): huge})]
    write_trace(tmp_path / "huge.jsonl", Header("A"), steps)
    assert read_trace(tmp_path / "huge.jsonl").steps == tuple(steps)


def test_a_string_that_is_no_unicode_can_be_written(tmp_path: Path) -> None:
    step = Step("update", (("R", "\ud800", "\u00e9\u2028", 1),))
    write_trace(tmp_path / "odd.jsonl", Header("A"), [step])
    assert read_trace(tmp_path / "odd.jsonl").steps == (step,)


@pytest.mark.parametrize("value", [object(), b"bytes", frozenset(), 1j, (1, b"x")])
def test_what_has_no_json_form_is_refused(value: Any) -> None:
    with pytest.raises(TraceError, match="cannot be written to a trace"):
        encode_value(value)


def test_the_page_shows_a_trace_and_names_every_field(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    header, found = open_trace(StringIO(example))
    assert (header.free, header.epsilon, header.seed) == ("AB", "1/2", 7)
    shown = tuple(found)
    assert {step.kind for step in shown} == {"update", "batch", "refused", "expect"}
    write_trace(tmp_path / "again", header, shown)
    assert (tmp_path / "again").read_text(encoding="utf-8") == example
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == {
        *FIELDS,
        "update",
        "batch",
        "refused",
        "expect",
    }


# --- damage ---------------------------------------------------------------------------------------------

GOOD = b'{"update": ["R", 1, 2, 1]}\n'
DAMAGE = {
    "not text": (b'{"update": ["R", "\xff", 2, 1]}\n', "not text in UTF-8"),
    "not JSON": (b'{"update": ["R", 1, 2\n', "not JSON"),
    "an empty line": (b"\n", "not JSON"),
    "not an object": (b"[1]\n", "not an update"),
    "two keys": (b'{"update": ["R", 1, 2, 1], "x": 1}\n', "not an update"),
    "another step": (b'{"upsert": ["R", 1, 2, 1]}\n', "not an update"),
    "three fields": (b'{"update": ["R", 1, 2]}\n', "not \\[relation, x, y, multiplicity\\]"),
    "a relation": (b'{"refused": ["U", 1, 2, 1]}\n', "no relation 'U'"),
    "a float": (b'{"update": ["R", 1, 2, 1.0]}\n', "must be an integer"),
    "a bool": (b'{"update": ["R", 1, 2, true]}\n', "must be an integer"),
    "a list": (b'{"update": ["R", [1], 2, 1]}\n', "not a data value"),
    "an object": (b'{"update": ["R", {"set": [1]}, 2, 1]}\n', "not a data value"),
    "deep": (
        b'{"update": ["R", ' + b'{"tuple": [' * 5000 + b"]}" * 5000 + b", 2, 1]}\n",
        "(not JSON|nested too deeply)",
    ),
    "too deep": (b"[" * 100_000 + b"\n", "not JSON"),
    "a million digits": (
        b'{"update": ["R", 1, 2, %s]}\n' % (b"9" * 10**6),
        "more decimals than Python reads",
    ),
    "many digits as text": (b'{"update": ["R", 1, 2, "%s"]}\n' % (b"9" * 10**6), "must be an integer"),
    "another text": (b'{"%s": 1}\n' % (b"9" * 10**6), "not an update"),
    "a checksum": (b'{"sha256": "%s"}\n' % (b"0" * 64), "not an update"),
    "a batch": (b'{"batch": {}}\n', "not an update"),
    "an answer": (b'{"expect": {}}\n', "not a list"),
    "a row": (b'{"expect": [[1, 2]]}\n', "not \\[row, multiplicity\\]"),
    "a row twice": (b'{"expect": [[[1], 2], [[1], 3]]}\n', "expected twice"),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_line_is_named_and_nothing_before_it_is_lost(kind: str, tmp_path: Path) -> None:
    line, message = DAMAGE[kind]
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(HEADER.encode() + 3 * GOOD + line + GOOD)
    delivered: list[Step] = []

    def read() -> None:
        with open(path, encoding="utf-8", errors="surrogateescape") as stream:
            _, found = open_trace(stream, "damaged.jsonl")
            delivered.extend([next(found), next(found), next(found)])
            delivered.extend(found)

    with pytest.raises(TraceError, match=rf"^damaged\.jsonl, line 5: .*{message}") as caught:
        read()
    assert len(delivered) == 3
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "not a trace"),
        ("[]\n", "not a trace"),
        ('{"free": "AB"}\n', "not a trace"),
        ('{"ivme-trace": 3}\n', "version 3; this ivme reads the versions 1 and 2"),
        ('{"ivme-trace": 1.0}\n', "version 1.0"),
        ('{"ivme-trace": 2.0}\n', "version 2.0"),
        ('{"ivme-trace": true}\n', "version True"),
        ('{"ivme-trace": 1, "free": "AX"}\n', "free variables 'AX'"),
        ('{"ivme-trace": 1, "free": 3}\n', "free 3"),
        ('{"ivme-trace": 1, "seed": "x"}\n', "seed 'x'"),
        ('{"ivme-trace": 1, "seed": true}\n', "seed True"),
        ('{"ivme-trace": 1, "epsilon": 0.5}\n', "epsilon 0.5"),
        ('{"ivme-trace": 1, "loaded": -1}\n', "loaded -1"),
        ('{"ivme-trace": 1, "loaded": true}\n', "loaded True"),
        ('{"ivme-trace": 1, "partitioning": 2}\n', "partitioning 2"),
    ],
)
def test_a_header_that_is_none_is_refused(line: str, message: str) -> None:
    with pytest.raises(TraceError, match=f"line 1: .*{message}"):
        open_trace(StringIO(line))


def test_fields_that_are_not_known_are_ignored() -> None:
    assert open_trace(StringIO('{"ivme-trace": 1, "free": "B", "author": "me"}\n'))[0] == Header("B")


def test_a_line_that_never_ends_is_not_read_into_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ivme.formats.sealed.LONGEST_LINE", 1000)
    _, found = open_trace(StringIO(HEADER + '{"update": ["R", "' + "x" * 5000))
    with pytest.raises(TraceError, match="line 2: longer than 1000 characters"):
        list(found)


@pytest.mark.parametrize("given", [1, None, [1], [[1, 2]], [[[1], 2, 3]], [[[1], "2"]]])
def test_what_is_no_answer_is_refused(given: object) -> None:
    with pytest.raises(ValueError, match=r"is not|must be"):
        decode_answer(given)


# --- the checksum ---------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A trace with a step of every kind, and values of every kind."""
    path = tmp_path / "trace.jsonl"
    given = [
        Step("update", (("R", 1, "é", 12),)),
        Step("batch", (("S", "é", None, 2), ("T", None, 1, 10**30))),
        Step("refused", (("R", (1, 2.5), True, -5),)),
        Step("expect", answer={(1, "é"): 24 * 10**30}),
    ]
    write_trace(path, Header("AB", "1/3", seed=7, note="täg"), given)
    return path


def test_a_flipped_bit_is_refused_or_changes_nothing(saved: Path) -> None:
    whole, trace, seed = saved.read_bytes(), read_trace(saved), 3
    print(f"seed {seed}")
    places = random.Random(seed).sample(range(8 * len(whole)), 1500)
    refused = 0
    for place in places:
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        saved.write_bytes(changed)
        try:
            found = read_trace(saved)
        except TraceError:
            refused += 1
        else:
            assert found == trace, (place, bytes(changed))
    assert refused > 1000


def test_a_trace_cut_short_anywhere_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for length in range(len(whole) - 1):  # without the last newline all is there
        saved.write_bytes(whole[:length])
        with pytest.raises(TraceError, match=r"cut short|line \d"):
            read_trace(saved)


def test_lines_lost_doubled_swapped_or_added_are_refused_in_a_trace(saved: Path) -> None:
    header, *steps, footer = saved.read_bytes().splitlines(keepends=True)
    for lines, message in (
        ([header, *steps[1:], footer], "line 5: damaged"),
        ([header, steps[0], *steps, footer], "line 7: damaged"),
        ([header, *reversed(steps), footer], "line 6: damaged"),
        ([header, *steps], "cut short after line 5"),
        ([header, *steps, footer, footer], "line 6: damaged: there is more"),
        ([header, *steps, footer, *steps], "line 6: damaged: there is more"),
        ([header, *steps[:2], footer, *steps[2:], footer], "line 4: damaged"),
        ([header, footer], "line 2: damaged"),
    ):
        saved.write_bytes(b"".join(lines))
        with pytest.raises(TraceError, match=message):
            read_trace(saved)


def test_line_ends_that_were_converted_are_no_damage(saved: Path) -> None:
    trace, whole = read_trace(saved), saved.read_bytes()
    saved.write_bytes(whole.replace(b"\n", b"\r\n"))
    assert read_trace(saved) == trace
    saved.write_bytes(whole.rstrip(b"\n"))
    assert read_trace(saved) == trace


def test_version_1_is_written_by_hand_without_a_checksum(saved: Path) -> None:
    saved.write_bytes(HEADER.encode() + GOOD)
    assert read_trace(saved) == Trace(Header("AB"), (Step("update", (("R", 1, 2, 1),)),))


# --- paths ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a\0b", r"'a\\x00b' has a character that no name of a file can have"),
        ("\ud800", "has a character"),
        (7, "path 7 is a int: give text or a Path"),
        (b"x", "path b'x' is a bytes"),
        (None, "path None is a NoneType"),
    ],
)
def test_paths_that_cannot_be_are_refused(path: Any, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        read_trace(path)
    with pytest.raises(TraceError, match=message):
        write_trace(path, Header("A"), [])


def test_what_cannot_be_opened_is_refused_with_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    for path, said in (
        (tmp_path, "Is a directory"),
        (tmp_path / "missing", "No such file"),
        (tmp_path / "file" / "x", "Not a directory"),
        (tmp_path / ("x" * 300), "File name too long"),
    ):
        with pytest.raises(TraceError, match=re.escape(f"{path} cannot be read: {said}")):
            read_trace(path)
    for path, said in (
        (tmp_path, "is a folder"),
        (tmp_path / "missing" / "x", "there is no folder"),
        (tmp_path / "file" / "x", "there is no folder"),
        (tmp_path / ("x" * 240), "cannot be written: File name too long"),
    ):
        with pytest.raises(TraceError, match=re.escape(str(path)) + f".*{said}"):
            write_trace(path, Header("A"), [])
    assert [path.name for path in tmp_path.iterdir()] == ["file"]

    def forbidden(*given: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", forbidden)
    with pytest.raises(TraceError, match="file cannot be read: Permission denied"):
        read_trace(tmp_path / "file")
    with pytest.raises(TraceError, match="file cannot be written: Permission denied"):
        write_trace(tmp_path / "file", Header("A"), [])


# --- size and safety ------------------------------------------------------------------------------------


def many(count: int) -> Iterator[Step]:
    for number in range(count):
        yield Step("update", (("R", number, number, 1),))


def test_long_traces_stream_in_constant_memory(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    tracemalloc.start()
    write_trace(path, Header("A"), many(20_000))
    with open(path, encoding="utf-8", errors="surrogateescape") as stream:
        _, found = open_trace(stream)
        assert sum(1 for _ in found) == 20_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000


def test_a_trace_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    write_trace(path, Header("A"), many(3))
    before = path.read_bytes()

    def failing() -> Iterator[Step]:
        yield from many(2)
        raise OSError("the disk is full")

    with pytest.raises(OSError, match="disk is full"):
        write_trace(path, Header("A"), failing())
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_the_corpus_is_read_and_written_alike(tmp_path: Path) -> None:
    for name in corpus.names():
        trace: Trace = corpus.load(name)
        write_trace(tmp_path / name, trace.header, trace.steps)
        assert read_trace(tmp_path / name) == trace
