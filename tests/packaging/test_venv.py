"""tools/venv.sh: what it installs, and when. A fake Python records what it is asked to do."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from attrs import frozen

ROOT = Path(__file__).resolve().parents[2]

# `-m venv` makes .venv from itself; `-m pip` notes what is installed, and refuses what refused.txt lists;
# `-m ivme.spark.java` finds a Java if java.txt says so, or if the extra jre has been installed.
PYTHON = r"""#!/bin/sh
case "$*" in
-I*base_prefix*) echo same ;;
-I*) ;;
-V) echo "Python 3.11.0" ;;
"-m venv .venv")
    mkdir -p .venv/bin
    cp "$0" .venv/bin/python
    ;;
"-m pip install"*)
    for last do :; done
    echo "pip $last" >>calls.txt
    if grep -qxF -e "$last" refused.txt 2>/dev/null; then exit 1; fi
    echo "$last" >>installed.txt
    ;;
"-m ivme.spark.java")
    echo "java" >>calls.txt
    if [ -e java.txt ] || grep -qF jre installed.txt; then exit 0; fi
    echo "Spark needs Java 17 or later, and there is none: install this, or run: that"
    exit 1
    ;;
*) exit 9 ;;
esac
"""


@frozen
class Checkout:
    """A folder with the script, a pyproject.toml and a fake Python."""

    folder: Path

    def run(self, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the script; forgets earlier calls."""
        (self.folder / "calls.txt").unlink(missing_ok=True)
        env = {"PATH": os.defpath, "PYTHON": str(self.folder / "python"), **environment}
        script = self.folder / "tools" / "venv.sh"
        return subprocess.run(["sh", script], env=env, capture_output=True, text=True, check=False)

    def calls(self) -> list[str]:
        path = self.folder / "calls.txt"
        return path.read_text().splitlines() if path.exists() else []

    def write(self, name: str, text: str = "") -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(tmp_path)
    made.write("python", PYTHON)
    made.write("pyproject.toml", "[project]\n")
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "venv.sh", tmp_path / "tools")
    return made


def test_with_a_java_the_extra_is_not_installed(checkout: Checkout) -> None:
    checkout.write("java.txt")
    done = checkout.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert checkout.calls() == ["pip .[dev]", "java"]
    assert "Java" not in done.stdout


def test_without_a_java_the_extra_is_installed_and_a_line_says_so(checkout: Checkout) -> None:
    done = checkout.run()
    assert (done.returncode, done.stderr) == (0, "")
    assert checkout.calls() == ["pip .[dev]", "java", "pip .[jre]", "java"]
    assert [line for line in done.stdout.splitlines() if "Java" in line] == [
        "ivme: no Java 17 or newer: installing one into .venv (the extra jre)"
    ]


@pytest.mark.parametrize("java", [True, False], ids=["own", "packaged"])
def test_nothing_is_done_a_second_time(checkout: Checkout, java: bool) -> None:
    if java:
        checkout.write("java.txt")
    checkout.run()
    done = checkout.run()
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert checkout.calls() == []


def test_where_there_is_no_packaged_java_a_line_says_what_to_install_and_the_rest_goes_on(
    checkout: Checkout,
) -> None:
    checkout.write("refused.txt", ".[jre]\n")
    for again in (False, True):
        done = checkout.run()
        assert done.returncode == 0
        assert done.stderr.splitlines() == [
            "ivme: the tests of Spark will be skipped: "
            "Spark needs Java 17 or later, and there is none: install this"
        ]
        assert checkout.calls() == [*["pip .[dev]"][again:], "java", "pip .[jre]"]
    checkout.write("java.txt")
    done = checkout.run()
    assert (done.stderr, checkout.calls()) == ("", ["java"])


def test_a_java_that_went_away_or_came_is_noticed(checkout: Checkout, tmp_path: Path) -> None:
    """By its path and JAVA_HOME; the environment itself is not reinstalled."""
    java = checkout.write("java.txt")
    path = checkout.write("bin/java", "#!/bin/sh\n").parent
    with_java = f"{path}:{os.defpath}"
    checkout.run(PATH=with_java)
    java.unlink()
    checkout.run(PATH=with_java)
    assert checkout.calls() == []
    checkout.run()
    assert checkout.calls() == ["java", "pip .[jre]", "java"]
    checkout.run(JAVA_HOME="/nowhere")
    assert checkout.calls() == ["java"]


def test_changed_requirements_are_installed_again(checkout: Checkout) -> None:
    checkout.write("java.txt")
    checkout.run()
    checkout.write("pyproject.toml", "[project]\nname = 'other'\n")
    done = checkout.run()
    assert checkout.calls() == ["pip .[dev]", "java"]
    assert "making .venv" not in done.stdout


def test_without_the_development_tools_it_fails(checkout: Checkout) -> None:
    checkout.write("refused.txt", ".[dev]\n")
    for _ in range(2):
        done = checkout.run()
        assert done.returncode == 1
        assert "pip could not install the development tools" in done.stderr
        assert checkout.calls() == ["pip .[dev]"]


def test_a_python_that_is_too_old_is_refused(checkout: Checkout) -> None:
    old = checkout.write("old", "#!/bin/sh\nexit 1\n")
    done = checkout.run(PYTHON=str(old))
    assert done.returncode == 1
    assert done.stderr == f"ivme: PYTHON={old} is not a Python 3.11 or newer\n"
