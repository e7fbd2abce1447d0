"""Sessions: what they are set to, what is handed through, and what is said without a Java."""

import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest
from pyspark.errors import ArithmeticException
from pyspark.sql import SparkSession

from ivme.spark import java, session
from ivme.spark.session import make_session


def test_a_given_session_is_handed_through(spark: SparkSession) -> None:
    before = dict(spark.sparkContext.getConf().getAll())
    assert make_session(spark) is spark
    assert dict(spark.sparkContext.getConf().getAll()) == before


class Recorder:
    """Stands in for SparkSession and its builder: what a session would be made with, without making one."""

    def __init__(self) -> None:
        self.url, self.name = "", ""
        self.settings: dict[str, str] = {}

    @property
    def builder(self) -> "Recorder":
        return self

    def master(self, url: str) -> "Recorder":
        self.url = url
        return self

    def appName(self, name: str) -> "Recorder":
        self.name = name
        return self

    def config(self, key: str, value: str) -> "Recorder":
        self.settings[key] = value
        return self

    def getOrCreate(self) -> "Recorder":
        return self


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    recorder = Recorder()
    monkeypatch.setattr(session, "SparkSession", recorder)
    monkeypatch.setattr(session, "ensure_java", lambda: None)
    for name in ("SPARK_LOCAL_IP", "PYSPARK_PYTHON"):
        monkeypatch.setenv(name, "")  # so that it is as before afterwards
        monkeypatch.delenv(name)
    return recorder


@pytest.mark.parametrize(
    "url", ["spark://one:7077,two:7077", "yarn", "k8s://https://10.0.0.1:6443", "mesos://host:5050"]
)
def test_a_master_is_handed_through_and_keeps_its_sizes(asked: Recorder, url: str) -> None:
    made: object = make_session(url, name="mine", spark__executor__memory="4g")
    assert made is asked
    assert (asked.url, asked.name) == (url, "mine")
    assert asked.settings == {**session.SETTINGS, "spark.executor.memory": "4g"}
    assert "SPARK_LOCAL_IP" not in os.environ, "a cluster has to reach the driver"
    assert os.environ["PYSPARK_PYTHON"] == sys.executable


@pytest.mark.parametrize(
    ("given", "url"),
    [(None, "local[3]"), ("local[*]", "local[*]"), ("local-cluster[2,1,512]", "local-cluster[2,1,512]")],
)
def test_masters_on_this_machine(asked: Recorder, given: str | None, url: str) -> None:
    make_session(given, cores=3, spark__driver__memory="2g")
    assert asked.url == url
    assert asked.settings == {**session.SETTINGS, **session.LOCAL, "spark.driver.memory": "2g"}
    assert os.environ["SPARK_LOCAL_IP"] == "127.0.0.1"


def test_a_given_session_is_not_even_looked_at(asked: Recorder) -> None:
    given = object()
    made: object = make_session(cast("SparkSession", given), name="mine", spark__driver__memory="2g")
    assert made is given
    assert (asked.url, asked.settings) == ("", {})


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


Capture = pytest.CaptureFixture[str]


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


@pytest.mark.parametrize(("home", "code", "lines"), [("java", 0, 0), ("nowhere", 1, 1)])
def test_the_module_says_whether_there_is_a_java(
    home: str, code: int, lines: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    """For tools/venv.sh."""
    fake_java(tmp_path / "java", "17.0.1")
    monkeypatch.setattr(java, "packaged_java", lambda: None)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / home))
    assert java.main() == code
    assert len(capsys.readouterr().out.splitlines()) == lines


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
