"""Snapshots: a view comes back with the same answers, and a damaged file is refused as a whole."""

import hashlib
import json
import math
import os
import random
import re
import subprocess
import sys
import tracemalloc
from collections.abc import Hashable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ivme import Ring, StaleEnumerationError, TriangleView, UnknownRelationError
from ivme.formats.snapshots import (
    SnapshotError,
    read_note,
    read_snapshot,
    read_snapshot_bytes,
    snapshot_bytes,
)
from ivme.rings import INTEGERS, NATURALS, POLYNOMIALS, Polynomial, modular
from ivme_reference.naive import Naive
from ivme_spec.queries import Partitioning
from ivme_spec.relations import RELATIONS, RelationName

PAGE = Path(__file__).resolve().parents[2] / "spec" / "SNAPSHOTS.md"
VIEWS = [
    ("", "1/2", "single"),
    ("", "1/3", "double"),
    ("A", "0", "single"),
    ("CB", "2/5", "single"),
    ("BAC", "1", "single"),
]

atoms = st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False) | st.just(math.nan)
values = st.recursive(atoms, lambda parts: st.lists(parts, max_size=3).map(tuple), max_leaves=5)
databases = st.fixed_dictionaries(
    {
        name: st.dictionaries(st.tuples(values, values), st.integers(1, 2**70), max_size=5)
        for name in ("R", "S", "T")
    }
)


def tuples_of(view: TriangleView[Any]) -> dict[str, dict[Any, Any]]:
    return {name: dict(view.tuples(name)) for name in ("R", "S", "T")}


def reseal(path: Path, *lines: str) -> None:
    """Write lines with a footer that fits them."""
    body = "".join(line + "\n" for line in lines).encode(errors="surrogateescape")
    path.write_bytes(body + f'{{"sha256": "{hashlib.sha256(body).hexdigest()}"}}\n'.encode())


def random_updates(seed: int, count: int, size: int = 8) -> list[tuple[RelationName, int, int, int]]:
    """Updates that the naturals accept, a third of them deletes."""
    print(f"seed {seed}")
    draw, held, found = random.Random(seed), dict[tuple[RelationName, int, int], int](), []
    for _ in range(count):
        key = (draw.choice(RELATIONS), draw.randrange(size), draw.randrange(size))
        have = held.get(key, 0)
        m = -draw.randint(1, have) if have and draw.random() < 0.5 else draw.randint(1, 3)
        held[key] = have + m
        found.append((*key, m))
    return found


# --- there and back -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("free", "epsilon", "partitioning"), VIEWS)
def test_a_view_comes_back_and_goes_on(
    free: str, epsilon: str, partitioning: Partitioning, tmp_path: Path
) -> None:
    """The loaded view and a naive one, which saw all updates, give the same answers from then on."""
    updates = random_updates(11, 400)
    view = TriangleView(free, epsilon, partitioning=partitioning)
    naive: Naive[int] = Naive(free)
    for update in updates[:300]:
        view.update(*update)
        naive.update(*update)
    view.save(tmp_path / "view")
    loaded = TriangleView.load(tmp_path / "view", debug=10)
    assert (loaded.free, loaded.epsilon, loaded.partitioning) == (free, Fraction(epsilon), partitioning)
    assert loaded.ring is NATURALS
    assert tuples_of(loaded) == tuples_of(view)
    assert loaded.threshold_base == 2 * view.size + 1
    assert dict(loaded) == dict(naive)
    loaded.check()
    for update in updates[300:]:
        loaded.update(*update)
        naive.update(*update)
        assert dict(loaded) == dict(naive)
    assert dict(naive)


@given(databases)
def test_all_values_of_traces_come_back(
    tmp_path_factory: pytest.TempPathFactory, database: dict[str, dict[tuple[Hashable, Hashable], int]]
) -> None:
    path = tmp_path_factory.mktemp("snapshots") / "view"
    view = TriangleView("ABC", database=database)
    view.save(path)
    loaded = TriangleView.load(path)
    assert tuples_of(loaded) == database
    assert dict(loaded) == dict(view)


def test_integers_of_any_size_come_back(tmp_path: Path) -> None:
    """Also those with more digits than Python reads as decimals."""
    huge = -(7**9_000)
    database = {"R": {(huge, 2): 3**20_000}, "S": {(2, (huge,)): 1}, "T": {((huge,), huge): 2**14_280}}
    TriangleView("A", database=database).save(tmp_path / "view")
    loaded = TriangleView.load(tmp_path / "view")
    assert tuples_of(loaded) == database
    assert loaded[huge,] == 3**20_000 * 2**14_280


def test_an_empty_view_comes_back(tmp_path: Path) -> None:
    TriangleView("A").save(tmp_path / "view")
    loaded = TriangleView.load(tmp_path / "view")
    assert (loaded.size, dict(loaded), loaded.threshold_base) == (0, {}, 1)


x, y = Polynomial.variable("x"), Polynomial.variable("y")
RINGS: dict[str, tuple[Ring[Any], list[Any]]] = {
    "ℤ": (INTEGERS, [-3, 2**80, 5]),
    "ℤ/6": (modular(6), [2, 3, 5]),
    "ℤ[X]": (POLYNOMIALS, [x * x + y + Polynomial.constant(-4), y, x]),
}


@pytest.mark.parametrize("name", RINGS)
def test_rings_come_back(name: str, tmp_path: Path) -> None:
    ring, (r, s, t) = RINGS[name]
    view = TriangleView("AB", ring=ring, database={"R": {(1, 2): r}, "S": {(2, 3): s}, "T": {(3, 1): t}})
    view.save(tmp_path / "view")
    loaded = TriangleView.load(tmp_path / "view")
    assert loaded.ring.name == name
    assert tuples_of(loaded) == tuples_of(view)
    assert loaded[1, 2] == ring.lift(r) * ring.lift(s) * ring.lift(t)
    loaded.update("R", 1, 2, -loaded.ring.lift(r))
    assert dict(loaded) == {}


def test_notes_come_back(tmp_path: Path) -> None:
    note = {"offset": 2**70, "of": ["täg", None, {"x": 1.5}]}
    TriangleView("").save(tmp_path / "with", note)
    TriangleView("").save(tmp_path / "without")
    assert (read_note(tmp_path / "with"), read_note(tmp_path / "without")) == (note, {})


def test_the_events_of_a_loaded_view_are_told(tmp_path: Path) -> None:
    TriangleView("A", database={"S": [(b, b) for b in range(13)]}).save(tmp_path / "view")
    told: list[Any] = []
    loaded = TriangleView.load(tmp_path / "view", on_rebalance=told.append)
    for b in range(9):
        loaded.insert("R", 0, b)
    assert [event.kind for event in told] == ["minor"]


def test_the_page_shows_a_snapshot(tmp_path: Path) -> None:
    example, _ = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "view").write_text(example, encoding="utf-8")
    loaded = TriangleView.load(tmp_path / "view")
    assert (dict(loaded), read_note(tmp_path / "view")) == ({(1, 2): 6}, {"batch": 7})
    loaded.save(tmp_path / "again", {"batch": 7})
    again = [json.loads(line) for line in (tmp_path / "again").read_text().splitlines()]
    assert again[:-1] == [json.loads(line) for line in example.splitlines()[:-1]]


# --- tuples ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("free", ["", "A", "B", "C", "CA", "ABC"])
def test_tuples_have_the_names_that_the_user_gave(free: str) -> None:
    database = {"R": {(1, 2): 1}, "S": {(3, 4): 2, (3, 5): 7}, "T": {(6, 1): 3}}
    view = TriangleView(free, database=database)
    assert tuples_of(view) == database


def test_an_update_makes_open_tuples_raise() -> None:
    view = TriangleView("", database={"R": [(1, 2), (1, 3), (2, 3)]})
    unstarted, started = view.tuples("R"), view.tuples("R")
    next(started)
    view.insert("S", 1, 1)
    for stale in (unstarted, started):
        with pytest.raises(StaleEnumerationError, match="updated during the enumeration"):
            next(stale)


def test_an_unknown_relation_is_refused_at_once() -> None:
    with pytest.raises(UnknownRelationError, match="no relation 'r'"):
        TriangleView("").tuples("r")  # type: ignore[arg-type]  # bad on purpose


# --- damage ---------------------------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "view"
    database = {"R": {(1, "é"): 12}, "S": {("é", None): 1}, "T": {(None, 1): 10**30}}
    TriangleView("AB", "1/3", database=database).save(path, {"n": 1})
    return path


def refusal(path: Path) -> str:
    """The message with which both readers refuse a file."""
    with pytest.raises(SnapshotError) as loading:
        TriangleView.load(path)
    with pytest.raises(SnapshotError) as noting:
        read_note(path)
    assert str(loading.value) == str(noting.value)
    message = str(loading.value)
    assert str(path) in message
    assert "\n" not in message
    return message


def test_a_file_cut_short_anywhere_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    seen = set()
    for length in range(len(whole)):
        saved.write_bytes(whole[:length])
        seen.add(refusal(saved).removeprefix(str(saved))[:16])
    assert seen == {", line 1: not a ", " is damaged: its"}


def test_any_changed_byte_is_refused(saved: Path) -> None:
    """Every byte of header, tuples and footer: one bit, and the one that tells upper from lower case."""
    whole = saved.read_bytes()
    for place in range(len(whole)):
        for bits in (1 << place % 8, 0x20):
            changed = bytearray(whole)
            changed[place] ^= bits
            saved.write_bytes(changed)
            refusal(saved)


def test_lines_lost_doubled_swapped_or_added_are_refused(saved: Path) -> None:
    header, r, s, t, footer = saved.read_bytes().splitlines(keepends=True)
    for lines in (
        [header, r, t, footer],
        [header, r, r, s, t, footer],
        [header, s, r, t, footer],
        [header, r, s, t, footer, footer],
        [header, r, s, t, footer, b"\n"],
        [footer],
        [header, footer],
    ):
        saved.write_bytes(b"".join(lines))
        refusal(saved)


@pytest.mark.parametrize(
    "contents",
    [b"", b"\n", b"\x00\xff" * 500, b"[]\n", b'{"ivme-trace": 1}\n', b"hello", b"[" * 100_000],
    ids=["empty", "line", "binary", "list", "trace", "text", "deep"],
)
def test_what_is_no_snapshot_is_refused(contents: bytes, saved: Path) -> None:
    saved.write_bytes(contents)
    assert "line 1: not a snapshot" in refusal(saved)


@pytest.mark.parametrize("version", ["2", "0", "true", '"1"', "null", "1.5", "1.0", "1e0"])
def test_other_versions_are_refused(version: str, saved: Path) -> None:
    lines = saved.read_text().splitlines()[:-1]
    reseal(saved, lines[0].replace('"ivme-snapshot": 1', f'"ivme-snapshot": {version}'), *lines[1:])
    assert "this ivme reads version 1" in refusal(saved)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    assert "cannot be read: No such file" in refusal(tmp_path / "missing")
    assert "is not a file" in refusal(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    assert "is not a file" in refusal(tmp_path / "pipe")


HEADER: dict[str, object] = {
    "ivme-snapshot": 1,
    "free": "A",
    "epsilon": "1/2",
    "partitioning": "single",
    "ring": "ℕ",
    "sizes": {"R": 1, "S": 0, "T": 0},
    "note": {},
}
WRONG: dict[str, tuple[dict[str, object], list[object], str]] = {
    "head": ({"free": "AX"}, ["R", 1, 2, 1], "free variables 'AX'"),
    "no head": ({"free": None}, ["R", 1, 2, 1], "must be text"),
    "epsilon": ({"epsilon": "3/2"}, ["R", 1, 2, 1], "3/2"),
    "partitioning": ({"partitioning": "double"}, ["R", 1, 2, 1], "partitioning 'double'"),
    "ring": ({"ring": "ℤ[i]"}, ["R", 1, 2, 1], "ring 'ℤ\\[i\\]' is not known"),
    "no modulus": ({"ring": "ℤ/1"}, ["R", 1, 2, 1], "ring 'ℤ/1' is not known"),
    "sizes": ({"sizes": {"R": 2, "S": 0, "T": 0}}, ["R", 1, 2, 1], "has .* tuples, and its header says"),
    "no sizes": ({"sizes": [1]}, ["R", 1, 2, 1], "sizes \\[1\\]"),
    "a bool of sizes": ({"sizes": {"R": True, "S": False, "T": 0}}, ["R", 1, 2, 1], "sizes .* an integer"),
    "a float of sizes": ({"sizes": {"R": 1.0, "S": 0, "T": 0}}, ["R", 1, 2, 1], "sizes .* an integer"),
    "a tiny epsilon": ({"epsilon": "1e-10000000"}, ["R", 1, 2, 1], "epsilon '1e-10000000' is too long"),
    "a long modulus": ({"ring": "ℤ/" + "9" * 5000}, ["R", 1, 2, 1], "ring 'ℤ/999.* is not known"),
    "note": ({"note": 1}, ["R", 1, 2, 1], "note 1"),
    "relation": ({}, ["X", 1, 2, 1], "line 2: there is no relation 'X'"),
    "arity": ({}, ["R", 1, 2], "line 2: .* is not \\[relation, x, y, multiplicity\\]"),
    "value": ({}, ["R", [1], 2, 1], "line 2: \\[1\\] is not a data value"),
    "hexadecimal": ({}, ["R", {"int": "12"}, 2, 1], "line 2: {'int': '12'} is not a data value"),
    "zero": ({}, ["R", 1, 2, 0], "line 2: multiplicity 0 is zero"),
    "negative": ({}, ["R", 1, 2, -1], "R\\(1, 2\\) has multiplicity -1"),
    "float": ({}, ["R", 1, 2, 1.0], "line 2: multiplicity 1.0 is a float"),
    "text": ({}, ["R", 1, 2, "1"], "line 2: multiplicity '1' is a str"),
    "polynomial": ({"ring": "ℤ[X]"}, ["R", 1, 2, 5], "line 2: "),
    "monomial": ({"ring": "ℤ[X]"}, ["R", 1, 2, [[["y", "x"], 1]]], "line 2: .* is not a monomial"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_contents_that_cannot_be_are_refused_with_any_checksum(kind: str, tmp_path: Path) -> None:
    changes, line, message = WRONG[kind]
    path = tmp_path / "view"
    reseal(path, json.dumps(HEADER), '["R", 1, 2, 1]')
    assert tuples_of(TriangleView.load(path))["R"] == {(1, 2): 1}
    reseal(path, json.dumps(HEADER | changes), json.dumps(line))
    with pytest.raises(SnapshotError, match=message):
        TriangleView.load(path)


SEALED = '{"sha256": "' + "0" * 64 + '"}'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["{}", '["S", 1, 2, 1]'], "line 3: {} is not \\[relation"),
        ([SEALED, '["S", 1, 2, 1]'], "line 3: damaged"),
        (['["R", 1, 2'], "line 3: not JSON"),
        (["[" * 100_000], "line 3: not JSON"),
        ([""], "line 3: not JSON"),
        (['["R", 1, 2, ' + "9" * 10**6 + "]"], "line 3: an integer with more decimals"),
        (['["R", 1, "' + "9" * 10**6 + '"]'], "line 3: .* is not \\[relation"),
        (['["R", "\udcff", 2, 1]'], "line 3: not text in UTF-8"),
    ],
    ids=["an object", "a footer", "not JSON", "deep", "empty", "digits", "long", "not text"],
)
def test_lines_that_cannot_be_are_refused_with_any_checksum(
    lines: list[str], message: str, tmp_path: Path
) -> None:
    """As a `SnapshotError` with the line; nothing after an object is passed over."""
    path = tmp_path / "view"
    reseal(path, json.dumps(HEADER), '["R", 1, 2, 1]', *lines)
    with pytest.raises(SnapshotError, match=f"^{re.escape(str(path))}, {message}") as caught:
        TriangleView.load(path)
    assert len(str(caught.value)) < 500


def test_a_flipped_bit_is_refused(saved: Path) -> None:
    whole, seed = saved.read_bytes(), 4
    print(f"seed {seed}")
    for place in random.Random(seed).sample(range(8 * len(whole)), 1000):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        saved.write_bytes(changed)
        with pytest.raises(SnapshotError):
            TriangleView.load(saved)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a\0b", r"'a\\x00b' has a character that no name of a file can have"),
        ("\ud800", "has a character"),
        (7, "path 7 is a int: give text or a Path"),
        (b"x", "path b'x' is a bytes"),
    ],
)
def test_paths_that_cannot_be_are_refused(path: Any, message: str) -> None:
    for use in (TriangleView.load, read_note, TriangleView("").save):
        with pytest.raises(SnapshotError, match=message):
            use(path)


def test_what_cannot_be_opened_is_refused_with_its_path(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (saved / "x", saved.with_name("x" * 300)):
        assert "cannot be read" in refusal(path)
    with pytest.raises(SnapshotError, match="xxx cannot be written: File name too long"):
        TriangleView("").save(saved.with_name("x" * 240))
    before = saved.read_bytes()

    def forbidden(*given: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr("builtins.open", forbidden)
        assert "cannot be read: Permission denied" in refusal(saved)
        with pytest.raises(SnapshotError, match="view cannot be written: Permission denied"):
            TriangleView("").save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


# --- in memory ------------------------------------------------------------------------------------------


def in_memory(view: TriangleView[Any], **changes: Any) -> bytes:
    return snapshot_bytes(
        **{
            "free": view.free,
            "epsilon": view.epsilon,
            "partitioning": view.partitioning,
            "ring": view.ring,
            "sizes": {name: len(rows) for name, rows in tuples_of(view).items()},
            "tuples": [(name, row, m) for name in RELATIONS for row, m in view.tuples(name)],
            **changes,
        }
    )


def test_a_snapshot_in_memory_is_that_of_the_file(saved: Path) -> None:
    view = TriangleView.load(saved)
    data = in_memory(view, note={"n": 1})
    assert data == saved.read_bytes()
    header, tuples = read_snapshot_bytes(data)
    assert (header, tuples) == read_snapshot(saved)
    assert tuples == tuples_of(view)
    assert read_snapshot_bytes(in_memory(view))[0].note == {}


def test_damage_in_memory_is_refused_by_the_name_of_the_bytes(saved: Path) -> None:
    data = saved.read_bytes()
    for changed, message in (
        (data[:-1], "pickled view is damaged"),
        (data.replace(b"12", b"13"), "pickled view is damaged"),
        (b"", "pickled view, line 1: not a snapshot"),
        ("text", "pickled view: 'text' is a str, not the bytes of a snapshot"),
    ):
        with pytest.raises(SnapshotError, match=message):
            read_snapshot_bytes(changed)  # type: ignore[arg-type]  # one is no bytes
    with pytest.raises(SnapshotError, match=r"^mine is damaged"):
        read_snapshot_bytes(data[:-5], "mine")


def test_what_cannot_be_saved_cannot_be_had_in_memory_either() -> None:
    with pytest.raises(SnapshotError, match=r"a tuple of R cannot be saved: .*bytes"):
        in_memory(TriangleView("A", database={"R": [(1, b"x")]}))
    with pytest.raises(SnapshotError, match="of your own cannot be saved"):
        in_memory(TriangleView("A", ring=Ring("mine", 0, 1, lambda m: int(str(m)))))
    with pytest.raises(SnapshotError, match="is not a JSON object"):
        in_memory(TriangleView("A"), note={1: 2})


def test_a_tuple_that_stands_there_twice_is_refused(tmp_path: Path) -> None:
    """Also where two forms are one value in Python."""
    sizes = {"sizes": {"R": 2, "S": 0, "T": 0}}
    reseal(tmp_path / "view", json.dumps(HEADER | sizes), '["R", 1, 2, 1]', '["R", 1.0, 2, 1]')
    with pytest.raises(SnapshotError, match=r"line 3: R\(1.0, 2\) is repeated"):
        TriangleView.load(tmp_path / "view")


# --- what cannot be saved -------------------------------------------------------------------------------


def deep() -> Hashable:
    value: Hashable = ()
    for _ in range(3_000):
        value = (value,)
    return value


NOT_SAVED: dict[str, tuple[Any, str]] = {
    "deep": (deep(), "values nested too deeply"),
    "bytes": (b"x", "value b'x' of type bytes cannot be written"),
    "a set": ((1, frozenset()), "of type frozenset cannot be written"),
    "another NaN": (float("nan"), "a NaN other than math.nan"),
    "a NaN within": ((1, (float("nan"),)), "a NaN other than math.nan"),
}


@pytest.mark.parametrize("kind", NOT_SAVED)
def test_values_that_cannot_be_read_back_are_refused(kind: str, saved: Path) -> None:
    value, message = NOT_SAVED[kind]
    before = saved.read_bytes()
    with pytest.raises(SnapshotError, match=f"a tuple of S cannot be saved: .*{message}"):
        TriangleView("A", database={"R": [(1, 2)], "S": [(1, value)]}).save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_rings_of_your_own_are_refused(saved: Path) -> None:
    """Also one that has the name and the elements of another."""
    before = saved.read_bytes()
    for own in (Ring("ℕ", 0, 1, lambda m: int(str(m))), Ring("ℤ/7", 0, 1, lambda m: int(str(m)) % 7)):
        with pytest.raises(SnapshotError, match="of your own cannot be saved"):
            TriangleView("A", ring=own).save(saved)
    assert saved.read_bytes() == before


@pytest.mark.parametrize("note", [1, [1], {1: 2}, {"x": (1,)}, {"x": math.nan}, {"x": b""}, {"x": object()}])
def test_notes_that_are_no_json_are_refused(note: Any, saved: Path) -> None:
    before = saved.read_bytes()
    with pytest.raises(SnapshotError, match="is not a JSON object"):
        TriangleView("A").save(saved, note)
    assert saved.read_bytes() == before


def test_folders_are_refused_as_targets(tmp_path: Path) -> None:
    view = TriangleView("")
    with pytest.raises(SnapshotError, match="is a folder: give the path of a file"):
        view.save(tmp_path)
    with pytest.raises(SnapshotError, match="there is no folder"):
        view.save(tmp_path / "missing" / "view")
    assert list(tmp_path.iterdir()) == []


# --- atomic, and of any size ----------------------------------------------------------------------------


def test_a_snapshot_is_there_as_a_whole_or_not_at_all(saved: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What fails, fails before the rename; the file is synced before it, and the folder after."""
    before, done = saved.read_bytes(), list[str]()
    view = TriangleView("A", database={"R": [(1, 2)]})
    fsync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        done.append("folder" if os.path.isdir(f"/proc/self/fd/{handle}") else "file")
        fsync(handle)

    def replaced(source: Any, target: Any) -> None:
        done.append("rename")
        replace(source, target)

    def failing(source: Any, target: Any) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="disk is gone"):
        view.save(saved)
    assert saved.read_bytes() == before
    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    view.save(saved)
    assert done == ["file", "rename", "folder"]
    assert tuples_of(TriangleView.load(saved))["R"] == {(1, 2): 1}
    assert list(saved.parent.iterdir()) == [saved]


SAVER = """
import sys
from ivme import TriangleView
view = TriangleView("", database={"R": [(n, n) for n in range(3000)]})
for number in range(10**9):
    view.save(sys.argv[1], {"number": number})
    print(number, flush=True)
"""


def test_a_killed_process_leaves_the_last_whole_snapshot(tmp_path: Path) -> None:
    path, seed = tmp_path / "view", 5
    print(f"seed {seed}")
    draw = random.Random(seed)
    for _ in range(4):
        with subprocess.Popen([sys.executable, "-c", SAVER, path], stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            for _ in range(draw.randint(1, 4)):
                said = int(process.stdout.readline())
            process.kill()
        assert read_note(path)["number"] in range(said, said + 1000)
        assert TriangleView.load(path).size == 3000


def test_saving_takes_constant_memory(tmp_path: Path) -> None:
    view = TriangleView("", database={"R": [(n, n) for n in range(20_000)]})

    def saved(path: Path) -> int:
        tracemalloc.start()
        view.save(path)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return peak

    assert saved(tmp_path / "view") < 300_000
    assert (tmp_path / "view").stat().st_size > 300_000


@pytest.mark.parametrize("relation", ["R", "T"])
def test_an_update_while_saving_leaves_the_old_snapshot(relation: RelationName, saved: Path) -> None:
    before = saved.read_bytes()

    class Meddling(tuple[int, ...]):
        """A value that updates the view when it is written."""

        def __iter__(self) -> Iterator[int]:
            view.insert("S", 9, 9)
            return super().__iter__()

    view = TriangleView("A", database={relation: {(1, Meddling((2,))): 1}})
    with pytest.raises(StaleEnumerationError):
        view.save(saved)
    assert saved.read_bytes() == before


def test_an_update_before_saving_is_over_leaves_the_old_snapshot(saved: Path) -> None:
    """Between counting the tuples and writing them."""
    before = saved.read_bytes()
    view = TriangleView("A", database={"R": [(1, 2)]})

    class Meddling(dict[str, object]):
        def keys(self) -> Any:
            view.insert("S", 9, 9)
            return super().keys()

        def __iter__(self) -> Iterator[str]:  # so that dict() asks for the keys
            return super().__iter__()

    with pytest.raises(StaleEnumerationError):
        view.save(saved, Meddling(x=1))
    assert saved.read_bytes() == before
