"""tools/test.sh: both kernels are tested, each failure counts, and no test that uses ivme is left out."""

import os
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.packaging.building import ROOT, environment, run
from tests.packaging.test_layers import Source, imports_of

SCRIPT = ROOT / "tools" / "test.sh"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs sh")

# A fake interpreter: prints the kernel, or what it is asked to test, and exits with the given code.
STAND_IN = """#!/bin/sh
case "$*" in
    *import*) [ -z "$KERNEL" ] && exit 1; echo "$KERNEL" ;;
    *pytest*)
        echo "tests of ${IVME_PURE:-compiled}: $*"
        [ -z "${IVME_PURE:-}" ] && exit "$FIRST"
        exit "$SECOND"
        ;;
esac
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """The script in a checkout with a fake Python."""
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(STAND_IN, encoding="utf-8")
    python.chmod(0o755)
    (tmp_path / "tools").mkdir()
    return Path(shutil.copy(SCRIPT, tmp_path / "tools"))


def outcome(script: Path, kernel: str, first: int, second: int, code: int) -> list[str]:
    env = environment(KERNEL=kernel, FIRST=str(first), SECOND=str(second), TMPDIR=str(script.parent))
    lines = run("sh", script, "-k", "name", cwd=script.parent, env=env, code=code).stdout.splitlines()
    assert os.listdir(script.parent) == [script.name], "the log is left behind"
    return lines


@pytest.mark.parametrize(("first", "second", "code"), [(0, 0, 0), (1, 0, 1), (0, 1, 1), (2, 5, 1)])
def test_both_kernels_are_tested_and_each_failure_counts(
    script: Path, first: int, second: int, code: int
) -> None:
    lines = outcome(script, "compiled", first, second, code)
    assert [line.partition(": ")[0] for line in lines if line.startswith("tests of")] == [
        "tests of compiled",
        "tests of 1",
    ]
    assert all(line.endswith(" -k name") for line in lines if line.startswith("tests of"))
    assert f"ivme: the tests of the compiled kernel failed (pytest: {first})" in lines or not first
    assert f"ivme: the tests of the pure kernel failed (pytest: {second})" in lines or not second


def test_the_pure_kernel_alone_is_tested_once(script: Path) -> None:
    assert outcome(script, "pure", 3, 0, 3)[1:] == ["tests of compiled: -m pytest -k name"]


def test_an_ivme_that_does_not_import_fails(script: Path) -> None:
    assert outcome(script, "", 0, 0, 1) == []


def left_out(text: str) -> list[str]:
    """The folders that the pure run leaves out because they do not import ivme."""
    (folders,) = re.findall(r'^same="([a-z ]+)"$', text, re.MULTILINE)
    assert isinstance(folders, str)
    return folders.split()


def test_what_is_left_out_does_not_import_ivme() -> None:
    folders = left_out(SCRIPT.read_text(encoding="utf-8"))
    files = [file for folder in folders for file in (ROOT / "tests" / folder).rglob("*.py")]
    assert {file.relative_to(ROOT / "tests").parts[0] for file in files} == set(folders)
    for file in files:
        for line, target in imports_of(Source("tests", file.read_text(encoding="utf-8"))):
            assert target.partition(".")[0] not in ("ivme", "proofs"), f"{file}:{line}"
            assert not re.match(r"tests\.(?!spec|reference|laws|errata|strategies)", target), f"{file}:{line}"


MARKED = """
import pytest

@pytest.mark.pure
def test_inside(): pass

def test_outside(): pass
"""


@pytest.mark.parametrize(("kernel", "names"), [("compiled", ["outside"]), ("pure", ["inside", "outside"])])
def test_tests_marked_pure_are_left_to_the_pure_kernel(tmp_path: Path, kernel: str, names: list[str]) -> None:
    (tmp_path / "ivme.py").write_text(f"kernel, kernel_reason = {kernel!r}, 'it says so'\n", encoding="utf-8")
    (tmp_path / "test_marked.py").write_text(MARKED, encoding="utf-8")
    env = environment(PYTHONPATH=os.pathsep.join(map(str, (tmp_path, ROOT))))
    pytest_options = [
        "-p",
        "tests.conftest",
        "-p",
        "no:cacheprovider",
        "-c",
        str(ROOT / "pyproject.toml"),
        "-v",
    ]
    done = run(sys.executable, "-m", "pytest", *pytest_options, "test_marked.py", cwd=tmp_path, env=env)
    assert re.findall(r"::test_(\w+) PASSED", done.stdout) == names
    assert f"kernel: {kernel} (it says so)" in done.stdout.splitlines()
