"""What people install: ivme built in isolation and installed outside the checkout has the compiled kernel.

Skipped if no package index can be reached; then .ci/run fails, since nothing writes IVME_REPORT.
"""

import os
import shutil
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.packaging.building import NOT_SOURCE, ROOT, copy_checkout, obstacle
from tests.packaging.clean import Clean, make_clean, make_layer

KERNEL = "import ivme; print(ivme.kernel, ivme.kernel_reason, ivme.__file__, sep='|')"
README = """
import sys
from pathlib import Path
from tests.packaging.test_readme import run_examples
print(run_examples(Path(sys.argv[1]).read_text(encoding="utf-8"), "README.md"))
"""
# Quick tests that look into the kernel and need only pytest and Hypothesis.
SLICE = [
    *(f"ivme/test_{name}.py" for name in ("enumeration", "view", "view_bad_input")),
    *(f"kernel/test_{name}.py" for name in ("dicts", "dict_trees", "nodes", "storage_interface")),
    "kernel/test_word_boundaries.py",
]


@pytest.fixture(scope="session")
def tests(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tests in a folder without ivme, with what runs them."""
    folder = make_layer(
        tmp_path_factory.mktemp("tests") / "layer", [Requirement("pytest"), Requirement("hypothesis")]
    )
    return copy_tests(folder)


def copy_tests(folder: Path) -> Path:
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=NOT_SOURCE)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def run_slice(environment: Clean, folder: Path) -> None:
    """The SLICE of the tests in a folder must pass with the compiled kernel, and none be skipped."""
    files = [folder / "tests" / name for name in SLICE]
    done = environment.run("-m", "pytest", "-p", "no:cacheprovider", *files, layers=[folder])
    lines = done.stdout.splitlines()
    assert "kernel: compiled" in lines
    assert " passed" in lines[-1]
    assert "skipped" not in lines[-1]


def kernel(environment: Clean) -> list[str]:
    """The kernel of the installed ivme, and the reason."""
    *found, file = environment.run("-c", KERNEL).stdout.strip("\n").split("|")
    assert Path(file).is_relative_to(environment.folder)
    return found


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_the_wheel_has_the_compiled_kernel(clean: Clean) -> None:
    assert kernel(clean) == ["compiled", ""]


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_the_source_archive_gives_the_compiled_kernel_and_the_same_files(
    clean: Clean, clean_archive: Clean
) -> None:
    assert kernel(clean_archive) == ["compiled", ""]
    wheel, archive = (sorted(modules(found)) for found in (clean, clean_archive))
    assert wheel == archive


def modules(environment: Clean) -> set[str]:
    (packages,) = environment.folder.glob("[Ll]ib/**/site-packages")
    return {
        file.relative_to(packages).as_posix()
        for package in ("ivme", "ivme_spec", "ivme_reference")
        for file in (packages / package).rglob("*")
        if "__pycache__" not in file.parts
    }


@pytest.mark.slow
@pytest.mark.usefixtures("compiler")
def test_the_readme_and_a_slice_of_the_tests_run_against_the_wheel(clean: Clean, tests: Path) -> None:
    examples = clean.run("-c", README, ROOT / "README.md", layers=[tests])
    assert int(examples.stdout) > 20
    run_slice(clean, tests)


@pytest.mark.slow
@pytest.mark.usefixtures("index")
@pytest.mark.skipif(sys.platform == "win32", reason="CC does not choose the compiler there")
def test_without_a_compiler_the_pure_kernel_is_installed_and_says_why(tmp_path: Path) -> None:
    made = make_clean(tmp_path / "venv")
    made.type("pip install '.[cli]'", copy_checkout(tmp_path / "checkout"), CC="gone-cc")
    assert kernel(made) == ["pure", "no C compiler was found (gone-cc)"]
    said = made.run("-W", "error", "-m", "ivme", "--version")
    assert said.stdout.endswith(": no C compiler was found (gone-cc))\n")
    assert said.stderr == ""


@pytest.mark.slow
def test_the_wheel_runs_from_a_zip_on_the_path(clean: Clean, wheel: Path, tests: Path) -> None:
    """The environment has the requirements; ivme itself is imported from the archive."""
    done = clean.run("-W", "error", "-c", KERNEL, layers=[wheel])
    found, why, file = done.stdout.strip("\n").split("|")
    assert (found, why) == ("pure", "ivme is imported from an archive, and extensions do not load from one")
    assert file == str(wheel / "ivme" / "__init__.py")
    assert int(clean.run("-c", README, ROOT / "README.md", layers=[wheel, tests]).stdout) > 20


@pytest.mark.slow
def test_the_command_says_which_kernel_runs(clean: Clean, layers: dict[str, Path]) -> None:
    """And .ci/run prints it."""
    line = clean.run("-m", "ivme", "--version", layers=[layers["cli"]]).stdout
    assert f"({'pure' if obstacle() else 'compiled'} kernel, Python " in line
    if report := os.environ.get("IVME_REPORT"):
        Path(report).write_text(line, encoding="utf-8")


def pythons() -> list[str]:
    """Interpreters of other versions: on the path, or beside this one, as with pyenv."""
    others = [f"3.{minor}" for minor in range(11, 15) if minor != sys.version_info.minor]
    beside = Path(sys.base_prefix).parent
    found = [
        min(map(str, beside.glob(f"{name}*/bin/python{name}")), default=shutil.which(f"python{name}") or "")
        for name in others
    ]
    return [python for python in found if python]


@pytest.mark.nightly
@pytest.mark.usefixtures("compiler", "index")
@pytest.mark.parametrize("python", pythons())
def test_other_pythons_get_the_compiled_kernel(python: str, tmp_path: Path) -> None:
    source = copy_checkout(tmp_path / "checkout")
    made = make_clean(tmp_path / "venv", f"ivme[conformance] @ {source.as_uri()}", "pytest", python=python)
    assert kernel(made) == ["compiled", ""]
    run_slice(made, copy_tests(tmp_path / "tests"))
