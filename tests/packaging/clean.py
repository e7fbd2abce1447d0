"""Clean environments: a venv outside the checkout with a built ivme and its requirements, and nothing else.

An extra is a folder for PYTHONPATH with the packages that the wheel requires for it, linked from this
environment one by one. So they are real and there are no others; that pip would choose the same is not shown.
"""

import os
import sys
import zipfile
from collections.abc import Iterable
from email.parser import Parser
from importlib.metadata import distribution
from pathlib import Path
from subprocess import CompletedProcess

from attrs import frozen
from packaging.requirements import Requirement

from tests.packaging.building import environment, run

EXTRAS = ("cli", "conformance", "spark")


@frozen
class Clean:
    """A venv in a folder, with a folder to run in."""

    folder: Path

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    @property
    def elsewhere(self) -> Path:
        return self.folder / "elsewhere"

    def pip(self, *arguments: str | Path, **changes: str) -> str:
        """Run pip on this venv, which has none of its own, and return its output."""
        pip = [sys.executable, "-m", "pip", "--python", str(self.python)]
        env = environment(PIP_NO_COMPILE="1", **changes)
        return run(*pip, *arguments, cwd=self.elsewhere, env=env).stdout

    def type(self, command: str, folder: Path, **changes: str) -> None:
        """Run a pip command line in a folder."""
        pip = f'pip() {{ "{sys.executable}" -m pip --python "{self.python}" --quiet "$@"; }}'
        env = environment(PIP_NO_COMPILE="1", **changes)
        run("sh", "-c", f"{pip}\n{command}", cwd=folder, env=env)

    def run(
        self, *arguments: str | Path, layers: Iterable[Path] = (), code: int = 0, **changes: str
    ) -> CompletedProcess[str]:
        """Run Python, without the current folder on its path."""
        env = environment(PYTHONPATH=os.pathsep.join(map(str, layers)), **changes)
        return run(self.python, "-P", *arguments, cwd=self.elsewhere, env=env, code=code)


def make_clean(
    folder: Path, *requirements: str | Path, python: str = sys.executable, **changes: str
) -> Clean:
    """A venv with requirements, which pip installs from an index, with isolated builds."""
    run(python, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    made = Clean(folder)
    made.elsewhere.mkdir()
    if requirements:
        made.pip("install", "--quiet", *requirements, **changes)
    return made


def asked_for(wheel: Path, extra: str) -> list[Requirement]:
    """The requirements that an extra of a wheel adds."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
    lines = Parser().parsestr(archive.read(name).decode()).get_all("Requires-Dist", [])
    return [
        requirement
        for requirement in map(Requirement, lines)
        if requirement.marker is not None
        and requirement.marker.evaluate({"extra": extra})
        and not requirement.marker.evaluate({"extra": ""})
    ]


def make_layer(folder: Path, requirements: Iterable[Requirement]) -> Path:
    """A folder for PYTHONPATH with requirements, recursively."""
    folder.mkdir()
    waiting = list(requirements)
    seen: set[tuple[str, ...]] = set()
    while waiting:
        requirement = waiting.pop()
        key = (requirement.name.lower(), *sorted(requirement.extras))
        if key in seen:
            continue
        seen.add(key)
        found = distribution(requirement.name)
        assert requirement.specifier.contains(found.version), f"{requirement}, but {found.version} is here"
        for top in {file.parts[0] for file in found.files or ()} - {"..", "__pycache__"}:
            if not (folder / top).exists():
                (folder / top).symlink_to(Path(str(found.locate_file(top))))
        waiting += [
            needed
            for needed in map(Requirement, found.requires or ())
            if needed.marker is None
            or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras))
        ]
    return folder
