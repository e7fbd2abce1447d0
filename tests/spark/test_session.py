"""Sessions: what they are set to, what is handed through, and what is said without a Java."""

import os
import subprocess
from pathlib import Path

import pytest
from pyspark.errors import ArithmeticException
from pyspark.sql import SparkSession

from ivme.spark import java
from ivme.spark.session import make_session


def test_a_given_session_is_handed_through(spark: SparkSession) -> None:
    before = dict(spark.sparkContext.getConf().getAll())
    assert make_session(spark) is spark
    assert dict(spark.sparkContext.getConf().getAll()) == before


def test_a_local_session_keeps_to_itself(spark: SparkSession) -> None:
    settings = dict(spark.sparkContext.getConf().getAll())
    assert settings["spark.master"] == "local[2]"
    assert settings["spark.driver.host"] == settings["spark.driver.bindAddress"] == "127.0.0.1"
    assert spark.sparkContext.uiWebUrl is None
    assert spark.conf.get("spark.sql.session.timeZone") == "UTC"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"


def test_integers_that_do_not_fit_raise(spark: SparkSession) -> None:
    with pytest.raises(ArithmeticException):
        spark.sql("SELECT 9223372036854775807 + 1").collect()


def fake_java(folder: Path, version: str) -> None:
    """A JAVA_HOME whose java only says its version."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("1.8.0_402", 8), ("21", 21), ("25.0.1", 25)]
)
def test_versions(version: str, major: int, tmp_path: Path) -> None:
    fake_java(tmp_path / "home", version)
    assert java.java_version(tmp_path / "home" / "bin" / "java") == major


def test_a_java_that_does_not_run_has_no_version(tmp_path: Path) -> None:
    assert java.java_version(tmp_path / "none") is None
    assert java.java_version("/bin/false") is None


@pytest.mark.parametrize(
    ("version", "said"),
    [("1.8.0_402", "is version 8"), ("nonsense", "does not run"), (None, "there is none")],
)
def test_without_a_java_one_line_says_what_to_install(
    version: str | None, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(java, "packaged_java", lambda: None)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    if version:
        fake_java(tmp_path / "home", version)
        monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
        monkeypatch.setenv("PATH", os.defpath)
    with pytest.raises(java.NoJavaError, match=said) as caught:
        java.ensure_java()
    assert "\n" not in str(caught.value)
    assert "ivme[jre]" in str(caught.value)


def test_a_suitable_java_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path / "home", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    java.ensure_java()
    assert os.environ["JAVA_HOME"] == str(tmp_path / "home")


def test_the_packaged_java_is_taken_where_there_is_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shim drops the one flag and hands the others through, spaces included."""
    packaged = tmp_path / "with space" / "java"
    packaged.parent.mkdir()
    packaged.write_text('#!/bin/sh\nfor flag do echo "[$flag]"; done\n')
    packaged.chmod(0o755)
    monkeypatch.setattr(java, "packaged_java", lambda: packaged)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    java.ensure_java()
    shim = Path(os.environ["JAVA_HOME"], "bin", "java")
    flags = ["-Da=b c", "--add-modules=jdk.incubator.vector", "-cp", "x", ""]
    said = subprocess.run([shim, *flags], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["[-Da=b c]", "[-cp]", "[x]", "[]"]
