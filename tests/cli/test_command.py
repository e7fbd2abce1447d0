"""The command line as such: help, errors in one line, exit codes, streams."""

import os
import platform
import pty
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

import ivme as package
from ivme.cli import main, output, running
from ivme.cli.app import app
from ivme_spec.errors import InputError, InvariantError

Ivme = Callable[..., tuple[int, str, str]]


def shell(
    *arguments: str, code: str = "import sys; from ivme.cli import main; sys.exit(main())", **options: object
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def names() -> list[str]:
    return [str(command.name) for command in app.registered_commands]


def test_run_and_workload_are_there() -> None:
    assert {"run", "workload"} <= set(names())


@pytest.mark.parametrize("name", names())
def test_every_command_teaches_by_an_example(ivme: Ivme, name: str) -> None:
    code, out, err = ivme(name, "--help")
    assert code == 0
    assert err == ""
    assert f"  ivme {name}" in out.partition("Example")[2]


def test_nothing_given_shows_the_help(ivme: Ivme) -> None:
    assert ivme() == ivme("--help")
    code, out, err = ivme()
    assert (code, err) == (0, "")
    assert all(name in out for name in names())


KERNELS = [
    ("compiled", "", f"compiled kernel, Python {platform.python_version()}"),
    ("pure", "no cc", f"pure kernel, Python {platform.python_version()}: no cc"),
]


@pytest.mark.parametrize(("kernel", "reason", "line"), KERNELS)
def test_the_version_and_the_first_line_of_run_say_which_kernel_runs(
    ivme: Ivme, monkeypatch: pytest.MonkeyPatch, kernel: str, reason: str, line: str
) -> None:
    monkeypatch.setattr(package, "kernel", kernel)
    monkeypatch.setattr(package, "kernel_reason", reason)
    assert ivme("--version") == (0, f"ivme {package.__version__} ({line})\n", "")
    for options in ([], ["--watch"], ["--json"], ["--refused", "skip"]):
        code, _, err = ivme("run", "-", *options, stdin="R,1,2\nS,2,3\nT,3,1\n")
        assert (code, err.splitlines()[0], err.count("kernel")) == (0, f"ivme: {line}", 1)


def test_a_run_says_its_kernel_with_its_first_progress_and_bad_input_is_one_line(ivme: Ivme) -> None:
    """Off a terminal there is no bar, but a long run is not silent about its kernel until the end."""
    many = "".join(f"R,{i},{i}\n" for i in range(running.STRIDE))
    code, _, err = ivme("run", "-", stdin=many + "R,1\n")
    assert (code, [line.partition(",")[0] for line in err.splitlines()]) == (
        2,
        [f"ivme: {package.kernel} kernel", "ivme: error: stdin"],
    )
    code, _, err = ivme("run", "-", stdin="R,1,2\nR,1\n")
    assert (code, err.count("\n")) == (2, 1)
    assert ivme("explain", "nowhere.jsonl")[2].count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "ivme: error: No such command 'nonsense'; see ivme --help\n"),
        (["run"], "ivme: error: Missing argument 'UPDATES'; see ivme run --help\n"),
        (["run", "x.csv", "--nonsense"], "ivme: error: No such option: --nonsense; see ivme run --help\n"),
        (["run", "gone.csv"], "ivme: error: gone.csv: No such file or directory\n"),
    ],
)
def test_bad_usage_is_one_line_and_code_2(
    ivme: Ivme, arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ivme(*arguments) == (2, "", said)


def test_debug_shows_the_traceback_and_the_line(ivme: Ivme) -> None:
    plain, debug = ivme("run", "gone.csv"), ivme("--debug", "run", "gone.csv")
    assert plain[2].count("\n") == 1
    assert debug[0] == 2
    assert debug[2].startswith("Traceback")
    assert debug[2].endswith(plain[2])
    assert ivme("run", "gone.csv") == plain, "the option holds for one command only"


class Strange(Exception):
    """Not one of ours."""


@pytest.mark.parametrize(
    ("what", "code", "said"),
    [
        (None, 0, ""),
        (0, 0, ""),
        (1, 1, ""),
        (InputError("a\nb  c"), 2, "ivme: error: a b c\n"),
        (FileNotFoundError(2, "No such file", "x"), 2, "ivme: error: x: No such file\n"),
        (OSError(28, "No space left on device"), 2, "ivme: error: No space left on device\n"),
        (InvariantError("N is 7"), 1, "ivme: error: a check failed: N is 7\n"),
        (KeyboardInterrupt(), 130, "ivme: error: interrupted\n"),
        (typer.Exit(1), 1, ""),
        (Strange("x"), 3, "ivme: error: a bug of ivme: Strange: x (--debug shows the traceback)\n"),
    ],
)
def test_what_happens_becomes_an_exit_code(
    what: object, code: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def command() -> object:
        if isinstance(what, BaseException):
            raise what
        return what

    assert output.guarded(command) == code
    assert capsys.readouterr() == ("", said)


def test_without_the_extra_one_line_says_how_to_get_it() -> None:
    for missing in ("typer", "rich"):
        code = f"import sys; sys.modules[{missing!r}] = None; from ivme.cli import main; sys.exit(main())"
        done = shell("run", "x.csv", code=code)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr == f"ivme: error: the command line needs {missing}: pip install 'ivme[cli]'\n"


def test_python_m_ivme_is_the_command(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("1,2\n2,3\n3,1\n")
    command = [sys.executable, "-m", "ivme", "run", "--graph", "edges.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "triangles\n        1\n"
    assert done.stderr.count("\n") == 2


def test_a_reader_that_has_enough_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("".join(f"{a},{b}\n" for a in range(60) for b in range(a)))
    program = f"{sys.executable} -m ivme run --graph edges.csv --track triangles | head -n 1"
    done = subprocess.run(
        ["bash", "-c", f"{program}; echo ${{PIPESTATUS[0]}}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    first, code = done.stdout.splitlines()
    assert first.split() == ["u", "v", "w"]
    assert code == "0"
    assert "rror" not in done.stderr


def test_progress_is_there_on_a_terminal_only_and_vanishes(capfd: pytest.CaptureFixture[str]) -> None:
    with output.progress("work", 3) as advance:
        advance(3)
    assert capfd.readouterr() == ("", "")
    code = (
        "from ivme.cli import output\n"
        "with output.progress('work', 3) as advance: advance(3)\n"
        "output.say('result')"
    )
    master, slave = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=slave,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        check=True,
    )
    os.close(slave)
    shown = b""
    try:
        while chunk := os.read(master, 4096):
            shown += chunk
    except OSError:  # the end of a terminal
        pass
    os.close(master)
    assert done.stdout == b"result\n"
    assert b"work" in shown
    assert b"3/3" in shown
    assert shown.rstrip().endswith(b"\x1b[2K"), "the last thing is to erase the line"


def test_tables_off_a_terminal_are_as_wide_as_they_need_to_be(capsys: pytest.CaptureFixture[str]) -> None:
    output.say_table(("name", "count"), [("[bold]x[/bold]" * 20, 5), ("y", 123)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert lines[2].split() == ["[bold]x[/bold]" * 20, "5"]
    assert len(lines[2]) == len(lines[3]), "numbers are right-aligned"


def test_main_takes_its_arguments_from_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["ivme", "nonsense"])
    assert main() == 2
