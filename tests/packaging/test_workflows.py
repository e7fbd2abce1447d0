"""Workflows, hooks and templates fit pyproject.toml, the Makefile and each other."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.packaging.building import PROJECT, ROOT, check_workflow

GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PYTHONS = [
    line.rpartition(" ")[2]
    for line in PROJECT["classifiers"]
    if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", line)
]
each_workflow = pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.stem)


def read(file: Path) -> Any:
    return YAML(typ="safe").load(file.read_text(encoding="utf-8"))


def steps(file: Path) -> Iterator[Any]:
    for job in read(file)["jobs"].values():
        yield from job["steps"]


def commands(file: Path) -> list[list[str]]:
    """The commands of a workflow, split into words."""
    return [shlex.split(line) for step in steps(file) for line in step.get("run", "").splitlines()]


@each_workflow
def test_it_is_a_workflow(file: Path, tmp_path: Path) -> None:
    check_workflow(file)
    wrong = tmp_path / "wrong.yml"
    wrong.write_text(file.read_text(encoding="utf-8").replace("runs-on", "run-on"), encoding="utf-8")
    check_workflow(wrong, code=1)


def test_all_of_them_are_there() -> None:
    assert [file.stem for file in WORKFLOWS] == ["docs", "test", "wheels"]


@each_workflow
def test_actions_are_pinned_by_major_version_and_jobs_end(file: Path) -> None:
    used = [step["uses"] for step in steps(file) if "uses" in step]
    assert [use for use in used if not re.fullmatch(r"actions/[a-z-]+@v\d+", use)] == []
    assert all("timeout-minutes" in job for job in read(file)["jobs"].values())


@each_workflow
def test_what_it_runs_exists(file: Path) -> None:
    for words in commands(file):
        if words[0] == "make":
            assert all(re.search(rf"^{target}:", MAKEFILE, re.MULTILINE) for target in words[1:]), words
        elif words[0].startswith("."):
            assert (ROOT / words[0]).is_file(), words


@each_workflow
def test_what_it_installs_is_what_pyproject_asks_for(file: Path) -> None:
    asked = {asked for extra in PROJECT["optional-dependencies"].values() for asked in extra}
    for words in commands(file):
        if "install" in words:
            for given in words[words.index("install") + 1 :]:
                if extras := re.fullmatch(r"\.\[([a-z,]+)\]", given):
                    assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])
                else:
                    assert given in asked | {"--editable"} or given.startswith("cibuildwheel>="), given


def test_every_python_of_the_classifiers_is_tested_and_gets_a_wheel() -> None:
    jobs = read(GITHUB / "workflows" / "test.yml")["jobs"]
    assert [job["strategy"]["matrix"]["python"] for job in jobs.values()] == [PYTHONS] * len(jobs)
    assert PYTHONS[0] == PROJECT["requires-python"].removeprefix(">=")
    (build,) = (
        step for step in steps(GITHUB / "workflows" / "wheels.yml") if "CIBW_BUILD" in step.get("env", {})
    )
    assert build["env"]["CIBW_BUILD"].split() == [f"cp{version.replace('.', '')}-*" for version in PYTHONS]
    assert build["env"]["CIBW_ENVIRONMENT"] == "IVME_STRICT_BUILD=1"


def test_linux_and_two_other_systems_are_tested() -> None:
    linux, elsewhere = read(GITHUB / "workflows" / "test.yml")["jobs"].values()
    assert linux["runs-on"] == "ubuntu-latest"
    assert elsewhere["strategy"]["matrix"]["system"] == ["macos-latest", "windows-latest"]
    folders = elsewhere["env"]["TESTS"].split()
    assert all(list((ROOT / folder).glob("test_*.py")) for folder in folders)


def test_the_hooks_are_what_make_runs() -> None:
    """They have no versions of their own, but use the tools of .venv."""
    (repo,) = read(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repo["repo"] == "local"
    hooked = {hook["entry"] for hook in repo["hooks"]}
    recipes = re.findall(r"^(?:lint|types):.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
    made = {
        line.replace("$(PY)", ".venv/bin/python").strip()
        for recipe in recipes
        for line in recipe.splitlines()
    }
    assert hooked == {line.removesuffix(" .") for line in made}
    assert all(hook["language"] == "system" for hook in repo["hooks"])


def test_issue_templates_say_what_they_are_for() -> None:
    for file in sorted((GITHUB / "ISSUE_TEMPLATE").glob("*.md")):
        _, front, body = file.read_text(encoding="utf-8").split("---\n", 2)
        assert set(YAML(typ="safe").load(front)) == {"name", "about"}, file.name
        assert body.strip()
