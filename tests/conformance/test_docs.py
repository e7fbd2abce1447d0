"""docs/test-your-engine.md is followed to the letter: its files go to a folder, and pytest runs there.

The protocol's page is held against the driver: what it shows is what the minimal engine answers.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ivme.conformance import ConformanceFailure, replay
from ivme.formats.traces import read_trace

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "test-your-engine.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```python\n# (\w+\.py)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
PLAIN = re.findall(r"^```\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def follow(folder: Path, *tests: str) -> subprocess.CompletedProcess[str]:
    """Do as the page says, in a folder of one's own."""
    for name, text in FILES.items():
        # `python` may be no command, or another one
        (folder / name).write_text(text.replace('"python minimal.py"', f'"{sys.executable} minimal.py"'))
    shutil.copy(ROOT / "examples" / "engines" / "minimal.py", folder)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", *tests]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_every_python_block_is_a_file() -> None:
    assert len(FILES) == PAGE.count("```python\n") >= 7


def test_a_stranger_gets_what_the_page_promises(tmp_path: Path) -> None:
    failing = follow(tmp_path, "test_missing_cross_term.py")
    assert "1 failed" in failing.stdout, failing.stdout + failing.stderr
    assert "wrong answer: " in failing.stdout
    assert "△(a, b) after these updates, from the empty database:" in failing.stdout
    assert "The trace is in .ivme-traces/AB-wrong-answer.jsonl" in failing.stdout
    assert len(read_trace(tmp_path / ".ivme-traces" / "AB-wrong-answer.jsonl").updates) <= 6
    tests = sorted({name for name in FILES if name.startswith("test_")} - {"test_missing_cross_term.py"})
    passing = follow(tmp_path, *tests)
    assert f"{len(tests)} passed" in passing.stdout, passing.stdout + passing.stderr


def test_the_failure_that_the_page_shows_is_that_of_its_trace(tmp_path: Path) -> None:
    (report,) = (block for block in PLAIN if block.startswith("wrong answer"))
    (lines,) = (block for block in PLAIN if block.startswith('{"ivme-trace"'))
    (tmp_path / "trace.jsonl").write_text(lines, encoding="utf-8")
    trace = read_trace(tmp_path / "trace.jsonl")
    namespace: dict[str, Any] = {}
    exec(FILES["missing_cross_term.py"], namespace)
    finding = replay(trace, namespace["MissingCrossTerm"])
    assert finding is not None
    assert str(ConformanceFailure(finding, trace, ".ivme-traces/AB-wrong-answer.jsonl")) == report.rstrip()


def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    (block,) = (block for block in PLAIN if block.startswith("ivme oracle"))
    (tmp_path / "my_engine.py").write_text(FILES["my_engine.py"])
    shutil.copy(ROOT / "examples" / "engines" / "minimal.py", tmp_path)
    for line in block.splitlines():
        words = shlex.split(line.replace('"python ', f'"{sys.executable} '))
        command = [sys.executable, "-m", *words, "--examples", "2", "--no-corpus", "--seed", "1"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "the engine agrees with the reference" in done.stdout
    assert (tmp_path / "oracle.xml").is_file()


def test_the_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", PAGE):
        assert (ROOT / "docs" / target).exists(), target


@pytest.mark.parametrize("page", ["docs/test-your-engine.md", "spec/PROTOCOL.md"])
def test_the_minimal_engine_answers_as_the_pages_show(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    if page.startswith("spec"):
        shown = re.findall(r"^\| `({.*?})` \| (?:`({.*?})`|the same)", text, re.MULTILINE)
        pairs = [(request, answer or '{"ok": true}') for request, answer in shown]
        assert len(pairs) == 4
        pairs[2] = ('{"batch": [["R", 1, 2, 3], ["S", 2, 5, 1]]}', pairs[2][1])
        pairs[3] = (pairs[3][0], '{"rows": []}')
    else:
        pairs = re.findall(r"^→ ({.*?}) +← ({.*})$", text, re.MULTILINE)
        assert len(pairs) == 3
    sent = "".join(request + "\n" for request, _ in pairs) + '{"close": true}\n'
    command = [sys.executable, str(ROOT / "examples" / "engines" / "minimal.py")]
    done = subprocess.run(command, input=sent, capture_output=True, text=True, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [json.loads(a) for _, a in pairs]
