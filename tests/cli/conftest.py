"""`ivme`: run the command line inside this process, through its real entry point."""

import io
import sys
from collections.abc import Callable
from typing import NamedTuple

import pytest

from ivme.cli import main


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def ivme(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Command:
    """ivme("run", "-", stdin="R,1,2\\n") gives the exit code, stdout and stderr."""

    def command(*arguments: object, stdin: str | bytes = b"") -> Done:
        given = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return command
