"""One local session for all tests of `ivme.spark`; they are skipped where pyspark or Java is absent."""

import warnings
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MISSING = [name for name in ("pyspark", "pandas", "pyarrow") if find_spec(name) is None]


class _Skipped(pytest.Module):
    """A test file that is not even imported."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        reason = f"{', '.join(MISSING)} not installed (pip install 'ivme[spark]')"
        pytest.skip(reason, allow_module_level=True)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    return _Skipped.from_parent(parent, path=module_path) if MISSING else None


@pytest.fixture(scope="session")
def spark() -> Iterator["SparkSession"]:
    """The session that all tests share."""
    from ivme.spark.java import NoJavaError
    from ivme.spark.session import make_session

    try:
        # pyspark leaves sockets and processes to the end of the interpreter
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            session = make_session(
                name="ivme tests",
                # compiling a plan takes longer than running it on a few rows
                spark__sql__codegen__wholeStage="false",
                spark__sql__codegen__factoryMode="NO_CODEGEN",
            )
    except NoJavaError as error:
        pytest.skip(str(error))
    yield session
    session.stop()


@pytest.fixture
def compiled(spark: "SparkSession") -> Iterator["SparkSession"]:
    """The same session with compiled plans, for tests with many rows."""
    settings = {"spark.sql.codegen.wholeStage": "true", "spark.sql.codegen.factoryMode": "FALLBACK"}
    before = {key: spark.conf.get(key) for key in settings}
    for key, value in settings.items():
        spark.conf.set(key, value)
    yield spark
    for key, old in before.items():
        spark.conf.set(key, str(old))
