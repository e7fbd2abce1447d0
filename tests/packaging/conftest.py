from pathlib import Path

import pytest

from tests.packaging.building import (
    build_source_archive,
    build_wheel,
    copy_checkout,
    install,
    obstacle,
    unpacked,
)


@pytest.fixture(scope="session")
def source_archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("archive")
    return build_source_archive(copy_checkout(folder / "checkout"), folder / "dist")


@pytest.fixture(scope="session")
def wheel(source_archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the source archive: with the compiled kernel where there is a C compiler."""
    folder = tmp_path_factory.mktemp("wheel")
    built, _ = build_wheel(
        unpacked(source_archive, folder / "unpacked"), folder / "dist", IVME_STRICT_BUILD="1"
    )
    return built


@pytest.fixture(scope="session")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PYTHONPATH with the wheel and what it needs; not to be changed."""
    return install(wheel, tmp_path_factory.mktemp("installed") / "target")


@pytest.fixture(scope="session")
def compiler() -> None:
    """Skips the test where no kernel can be compiled."""
    if reason := obstacle():
        pytest.skip(f"no compiled kernel here: {reason}")
