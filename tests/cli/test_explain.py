"""`ivme explain`: the state as text, at any update, as wide as the terminal."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ivme.formats.traces import Header, Step, Update, write_trace
from tests.cli.conftest import Command


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """0 becomes heavy with update 21, as in the README."""
    path = tmp_path / "trace.jsonl"
    updates: list[Update] = [*(("S", b, b, 1) for b in range(13)), *(("R", 0, b, 1) for b in range(9))]
    updates.append(("T", 3, 0, 2))
    write_trace(path, Header("A", "1/2", loaded=13), [Step("update", (update,)) for update in updates])
    return path


def test_the_last_update_is_explained(ivme: Command, trace: Path) -> None:
    done = ivme("explain", trace)
    assert (done.code, done.err) == (0, "")
    assert "after 23 updates: |D| = 23 tuples, N = 27" in done.out
    assert "answer: 1 row: (0) ↦ 2" in done.out
    assert "T(3, 0) +2 is the last update" in done.out
    for title in ("Relations", "Values", "Views", "Changed by the last update"):
        assert title in done.out


def test_any_update_can_be_asked_for(ivme: Command, trace: Path) -> None:
    done = ivme("explain", trace, "--at", 21)
    assert "minor rebalancing: 0 became heavy in A of R" in done.out
    assert "answer: no rows" in done.out
    assert "minor" not in ivme("explain", trace, "--at", 20).out
    assert "loaded 13 tuples" in ivme("explain", trace, "--at", 13).out


def test_json_has_the_same(ivme: Command, trace: Path) -> None:
    given = json.loads(ivme("explain", trace, "--json").out)
    assert [table["title"] for table in given["tables"]][:3] == ["Relations", "Values", "Views"]
    assert "answer: 1 row: (0) ↦ 2" in given["closing"]


@pytest.mark.parametrize(("at", "message"), [(24, "the trace has 23 updates"), (12, "give at least 13")])
def test_an_update_that_there_is_not(ivme: Command, trace: Path, at: int, message: str) -> None:
    done = ivme("explain", trace, "--at", at)
    assert done.code == 2
    assert message in done.err
    assert done.out == ""


def test_a_damaged_trace_can_be_explained_up_to_the_damage(ivme: Command, trace: Path) -> None:
    lines = trace.read_bytes().splitlines(keepends=True)
    trace.write_bytes(b"".join([*lines[:20], b"{\n", *lines[21:]]))
    before = ivme("explain", trace, "--at", 19)
    assert before.code == 0
    assert "the trace is damaged" in before.err
    assert "line 21: not JSON" in before.err
    done = ivme("explain", trace, "--at", 20)
    assert done.code == 2
    assert "line 21: not JSON" in done.err
    assert "the 19 updates before it were applied" in done.err


def test_no_line_is_wider_than_a_narrow_terminal(trace: Path) -> None:
    """60 columns, as the environment tells it; off a terminal tables are as wide as they need."""
    code = "import sys; from ivme.cli import main; sys.stdout.isatty = lambda: True; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, "explain", str(trace)],
        env={**os.environ, "COLUMNS": "60", "TERM": "xterm", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=120,
    )
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout)
    tables = text[text.index("Relations") : text.index("answer:")]
    assert max(map(len, tables.splitlines())) <= 60
