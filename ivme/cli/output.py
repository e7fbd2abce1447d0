"""What a command prints: results on stdout, remarks and progress on stderr, errors in one line.

A command returns None or 0 on success and 1 if a check failed; bad input is any `InputError` or `OSError`.
`guarded` turns the outcome into an exit code.
"""

from __future__ import annotations

import json
import os
import platform
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import TYPE_CHECKING, TextIO

import typer

from ivme_spec.errors import InputError, InvariantError

if TYPE_CHECKING:
    from rich.table import Table

OK, FAILED, BAD_INPUT, BROKEN, INTERRUPTED = 0, 1, 2, 3, 130

LONGEST = 600
"""Characters of a line on stderr; longer ones lose their middle."""

WIDEST = 10_000
"""Characters of a line of a table that does not go to a terminal."""

VERSIONS = {
    "run": 1,
    "change": 1,
    "oracle": 1,
    "replay": 1,
    "explain": 1,
    "report": 1,
    "written": 1,
    "family": 1,
}
"""Versions of what --json prints; ivme/schemas has a schema for each command. Files have their own."""

STDOUT = "stdout"

tracebacks = False
"""Set by the global option --debug."""

_opening = ""
"""What `open_with` was given and has not been printed yet."""


def single(name: str, command: Callable[..., object]) -> typer.Typer:
    """An app of one command, with plain help and errors."""
    made = plain_app(name)
    made.command()(command)
    return made


def plain_app(name: str) -> typer.Typer:
    """An app with plain help, for `guarded`, without completion."""
    return typer.Typer(
        name=name,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


class Interrupted(Exception):
    """Ctrl-C, with how far the command got; typer drops the text of a KeyboardInterrupt."""


def guarded(command: Callable[[], object]) -> int:
    """Run a command: its exit code, with an error as one line on stderr.  Cost: that of the command."""
    global tracebacks, _opening
    tracebacks, _opening = False, ""
    for stream in (sys.stdout, sys.stderr):
        _lenient(stream)
    try:
        code = command()
        with stdout as stream:
            stream.flush()
    except typer.Exit as stop:
        return stop.exit_code
    except (BrokenPipeError, SystemExit) as stop:
        if isinstance(stop, SystemExit) and not isinstance(stop.__context__, BrokenPipeError):
            raise
        # The reader of our output closed the pipe, as in `ivme … | head`; typer would exit with 1.
        _drop_stdout()
        return OK
    except (KeyboardInterrupt, Interrupted, typer.Abort) as stop:
        return _failed(INTERRUPTED, " ".join(["interrupted", *map(str, stop.args)]))
    except InvariantError as error:
        return _failed(FAILED, f"a check failed: {error}")
    except (InputError, OSError) as error:
        if isinstance(error, OSError) and error.filename is STDOUT:
            _drop_stdout()
        return _failed(BAD_INPUT, _described(error))
    except Exception as error:
        # typer's own copy of click has no public name
        if callable(message := getattr(error, "format_message", None)):
            return _failed(BAD_INPUT, _usage(error, str(message())))
        return _failed(
            BROKEN, f"a bug of ivme: {type(error).__name__}: {error} (--debug shows the traceback)"
        )
    if code == INTERRUPTED:  # what typer makes of a KeyboardInterrupt
        return _failed(INTERRUPTED, "interrupted")
    return code if isinstance(code, int) else OK


def _drop_stdout() -> None:
    """Discard what is still buffered for stdout, so that the interpreter does not flush it again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _failed(code: int, message: str) -> int:
    if tracebacks:
        traceback.print_exc()
    error(message)
    return code


def _described(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    return str(error)


def _usage(error: Exception, message: str) -> str:
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "ivme")
    return f"{message.rstrip('.')}; see {path} --help"


def _lenient(stream: object) -> None:
    """Escape what the terminal cannot show, rather than fail."""
    if callable(reconfigure := getattr(stream, "reconfigure", None)):
        reconfigure(errors="backslashreplace")


# --- printing ---------------------------------------------------------------------------------------


class _Stdout:
    """`with stdout as stream: …` marks errors of stdout, such as a full disk, as such."""

    def __enter__(self) -> TextIO:
        return sys.stdout

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and error.errno is not None and error.filename is None:
            error.filename = STDOUT


stdout = _Stdout()


def open_with(text: str) -> None:
    """A line on stderr before anything else; dropped if the command fails before it prints anything."""
    global _opening
    _opening = text


def kernel_line() -> str:
    """Which kernel runs, on which Python, and why if pure."""
    from ivme import kernel, kernel_reason

    line = f"{kernel} kernel, Python {platform.python_version()}"
    return f"{line}: {kernel_reason}" if kernel_reason else line


def _open() -> None:
    global _opening
    text, _opening = _opening, ""
    if text:
        _aside(text)


def say(text: str = "") -> None:
    """A line of the result, on stdout."""
    _open()
    with stdout as stream:
        stream.write(text + "\n")


def say_json(value: object) -> None:
    """The result as one line of JSON, on stdout."""
    say(json.dumps(value))


def versioned(name: str, facts: Mapping[str, object]) -> dict[str, object]:
    """A self-describing JSON object: {"ivme-…": version, …}."""
    return {f"ivme-{name}": VERSIONS[name], **facts}


def remark(text: str) -> None:
    """A line that is not part of the result, on stderr."""
    _open()
    _aside(text)


def error(text: str) -> None:
    """An error as one line on stderr; commands raise an `InputError` instead of calling this."""
    _aside("error: " + text)


def _aside(text: str) -> None:
    line = " ".join(text.split())
    if len(line) > LONGEST:
        line = f"{line[: LONGEST // 2]} … {line[-LONGEST // 2 :]}"
    print("ivme: " + line, file=sys.stderr, flush=True)


def say_table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> None:
    """A table on stdout, fitted to the terminal; elsewhere as wide as it needs to be."""
    from rich.console import Console

    console = Console(file=sys.stdout)
    if console.is_terminal:
        console.print(_table(columns, rows, title))
        return
    for line in table_lines(columns, rows, title):
        say(line)


def table_lines(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str = "") -> list[str]:
    """A table as lines of text, as wide as it needs to be."""
    from rich.console import Console

    table = _table(columns, rows, title)
    plain = Console(file=StringIO(), width=WIDEST)
    plain.width = plain.measure(table).maximum
    with plain.capture() as captured:
        plain.print(table)
    return [line.rstrip() for line in captured.get().splitlines() if line.strip()]


def _table(columns: Sequence[str], rows: Iterable[Sequence[object]], title: str) -> Table:
    """For tables that fit in memory. Integers are right-aligned; text is taken literally, without markup."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    cells = [list(row) for row in rows]
    table = Table(box=box.SIMPLE_HEAD, title=title or None, title_justify="left", pad_edge=False)
    for place, name in enumerate(columns):
        numeric = all(isinstance(row[place], int) for row in cells)
        table.add_column(Text(name), justify="right" if numeric and cells else "left", overflow="fold")
    for row in cells:
        table.add_row(*(Text(str(cell)) for cell in row))
    return table


@contextmanager
def progress(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A transient bar on stderr, on terminals only.

    Yields a function to be called with the number of steps since its last call.

    with progress("updates", len(updates)) as advance: …; advance(1)
    """
    if not sys.stderr.isatty():
        yield lambda steps: _open()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)

        def advance(steps: int) -> None:
            _open()
            bar.advance(task, steps)

        yield advance
