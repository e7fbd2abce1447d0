"""Runs a page of the documentation as a reader would: from the top, in an empty folder, each block in turn.

    ```python            with >>> a doctest, else a program; all blocks of a page share one namespace
    ```console           `$ command` is run, and must print what is below it (… and ... match anything); the
                         exit code must be 0, or n if the command ends with `# exit code n`
    ```csv edges.csv     a file, written to the folder under its name
    ```yaml ci.yml       also a file, and each `run: ivme …` in it is run
    ```text              not run

Any other kind of block is an error, so that none is left out by mistake.
"""

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from attrs import field, frozen

BLOCK = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"# exit code (\d+)$")
OPTIONS = doctest.ELLIPSIS


@frozen
class Page:
    """A page, and the folder that it runs in."""

    name: str
    folder: Path
    names: dict[str, object] = field(factory=lambda: {"__name__": "page"})

    def block(self, kind: str, code: str, line: int) -> int:
        """Run the block that starts after a line; returns its number of examples."""
        where = f"{self.name}, line {line + 1}"
        language, _, file = kind.partition(" ")
        if file:
            self.write(file, code)
            return sum(self.command(command, None, where) for command in _steps(language, code))
        if language == "python":
            return self.python(code, line)
        if language == "console":
            return sum(self.command(command, shown, where) for command, shown in _commands(code, where))
        assert language == "text", f"{where}: a block of the kind {kind!r}, which nothing runs"
        return 0

    def write(self, file: str, text: str) -> None:
        target = self.folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def python(self, code: str, line: int) -> int:
        if ">>>" not in code:
            exec(compile("\n" * line + code, self.name, "exec"), self.names)
            return 1
        report: list[str] = []
        runner = doctest.DocTestRunner(optionflags=OPTIONS)
        test = doctest.DocTestParser().get_doctest(code, self.names, self.name, self.name, line)
        test.globs = self.names  # the parser copies it
        runner.run(test, out=report.append, clear_globs=False)
        assert runner.failures == 0, "".join(report)
        return runner.tries

    def command(self, command: str, shown: str | None, where: str) -> int:
        """Run a command; its output on both streams must match what is shown, if anything is."""
        found = CODE.search(command)
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=self.folder,
            env={**os.environ, "PATH": path, "COLUMNS": "100"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        what = f"{where}: $ {command}"
        wanted = int(found[1]) if found else 0
        assert done.returncode == wanted, f"{what}\nexit code {done.returncode}\n{done.stdout}"
        if shown is not None:
            same = doctest.OutputChecker().check_output(
                _plain(shown).replace("…", "..."), _plain(done.stdout), OPTIONS
            )
            assert same, f"{what}\nshown:\n{shown}\ngot:\n{done.stdout}"
        return 1


def _plain(text: str) -> str:
    """Without trailing blanks, and without blank lines at either end."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def _commands(code: str, where: str) -> Iterator[tuple[str, str | None]]:
    """The commands of a console block, each with the output shown, or None."""
    assert code.startswith("$ "), f"{where}: a console block must start with a command, `$ …`"
    for part in re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]:
        first, *rest = part.splitlines()
        command = [first]
        while command[-1].endswith("\\"):
            command.append(rest.pop(0))
        shown = "\n".join(rest)
        yield "\n".join(command), shown if shown.strip() else None


def _steps(language: str, code: str) -> list[str]:
    """The steps of a workflow that run ivme."""
    return re.findall(r"^ *(?:- )?run: (ivme .*)$", code, re.MULTILINE) if language == "yaml" else []


def run_page(path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run all blocks of a page in a folder; returns the number of examples. AssertionError if one fails."""
    return run_text(path.read_text(encoding="utf-8"), path.name, folder, monkeypatch)


def run_text(text: str, name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)  # as for a program in the folder
    page = Page(name, folder)
    assert text.count("\n```") + text.startswith("```") == 2 * len(BLOCK.findall(text)), (
        f"{name}: a fence that is not closed, or is indented"
    )
    try:
        return sum(
            page.block(block[1].strip(), block[2], text.count("\n", 0, block.start(2)))
            for block in BLOCK.finditer(text)
        )
    finally:
        for module, loaded in list(sys.modules.items()):
            if str(getattr(loaded, "__file__", None)).startswith(str(folder)):
                del sys.modules[module]
