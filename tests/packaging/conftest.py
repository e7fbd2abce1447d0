from pathlib import Path

import pytest

from tests.packaging.building import (
    build_source_archive,
    build_wheel,
    copy_checkout,
    install,
    no_index,
    obstacle,
)
from tests.packaging.clean import EXTRAS, Clean, asked_for, make_clean, make_layer


@pytest.fixture(scope="session")
def no_index_because(tmp_path_factory: pytest.TempPathFactory) -> str:
    return no_index(tmp_path_factory.mktemp("index"))


@pytest.fixture(scope="session")
def index(no_index_because: str) -> None:
    """Skips the test if no package index can be reached: isolated builds need one."""
    if no_index_because:
        pytest.skip(no_index_because)


@pytest.fixture(scope="session")
def source_archive(no_index_because: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, built in isolation if there is an index."""
    folder = tmp_path_factory.mktemp("archive")
    return build_source_archive(copy_checkout(folder / "checkout"), folder / "dist", not no_index_because)


@pytest.fixture(scope="session")
def wheel(no_index_because: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel as `pip install .` builds it; without an index, with the packages installed here."""
    folder = tmp_path_factory.mktemp("wheel")
    source = copy_checkout(folder / "checkout")
    if no_index_because:
        return build_wheel(source, folder / "dist")[0]
    # pip's isolation is not enough: mypy looks into the environment that starts the build
    make_clean(folder / "venv").pip("wheel", "--quiet", "--no-deps", "-w", folder / "dist", source)
    (built,) = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PYTHONPATH with the wheel and its requirements; read-only."""
    return install(wheel, tmp_path_factory.mktemp("installed") / "target")


@pytest.fixture(scope="session")
def compiler() -> None:
    """Skips the test if the kernel cannot be compiled here."""
    if reason := obstacle():
        pytest.skip(f"no compiled kernel here: {reason}")


@pytest.fixture(scope="session")
def clean(index: None, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Clean:
    """A clean environment with the wheel; read-only."""
    return make_clean(tmp_path_factory.mktemp("clean") / "venv", wheel)


@pytest.fixture(scope="session")
def clean_archive(index: None, source_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Clean:
    """A clean environment with ivme installed from the source archive."""
    return make_clean(tmp_path_factory.mktemp("archive") / "venv", source_archive)


@pytest.fixture(scope="session")
def layers(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A folder for each extra, with what it adds."""
    folder = tmp_path_factory.mktemp("layers")
    return {extra: make_layer(folder / extra, asked_for(wheel, extra)) for extra in EXTRAS}
