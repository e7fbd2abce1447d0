"""`ivme bench`: it runs the benchmark of a checkout, and without one it says where to get it."""

import subprocess
import sys
from pathlib import Path

import pytest

import ivme as package
from tests.cli.conftest import Command

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An ivme that is not in a checkout, in an empty current folder."""
    monkeypatch.setattr(package, "__file__", str(tmp_path / "site-packages" / "ivme" / "__init__.py"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("options", [[], ["--quick"], ["--help"], ["--no-such-option"]])
def test_without_a_checkout_one_line_says_how_to_get_one(
    ivme: Command, installed: Path, options: list[str]
) -> None:
    (installed / "bench").mkdir()  # someone else's
    (installed / "bench" / "cli.py").write_text("raise AssertionError")
    before = sys.path[:]
    done = ivme("bench", *options)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "ivme: error: the benchmark is not part of an installed ivme: "
        "clone the repository and run `make bench` there\n"
    )
    assert sys.path == before
    assert [path.name for path in installed.iterdir()] == ["bench"]


def test_the_current_folder_may_be_the_checkout(
    ivme: Command, installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    done = ivme("bench", "--results", "docs/bench.json")
    assert (done.code, done.err) == (0, "")
    assert "hub: classical IVM's time, on our storage, against ours" in done.out


def test_a_checkout_is_found_from_anywhere(
    ivme: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ivme("bench", "--results", ROOT / "docs" / "bench.json").code == 0


def test_python_m_bench_is_the_same_command(ivme: Command) -> None:
    command = [sys.executable, "-m", "bench", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == ivme("bench", "--help").out
