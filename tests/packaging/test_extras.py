"""A missing extra is one line that names what to type, wherever ivme is entered.

With `[cli]`, `[conformance]` and `[spark]` each alone, and with none.
"""

import re
import subprocess
from pathlib import Path

import pytest

from ivme import extras
from ivme_spec.errors import InputError
from tests.packaging.building import PROJECT, ROOT, environment
from tests.packaging.clean import EXTRAS, Clean

pytestmark = pytest.mark.slow
KNOWN = PROJECT["optional-dependencies"]
ALONE = ["", *EXTRAS]


@pytest.fixture(scope="session")
def files(clean: Clean) -> Path:
    """What the commands are given, in the folder where they run."""
    there = clean.elsewhere
    (there / "edges.csv").write_text("1,2\n2,3\n3,1\n")
    (there / "edges.parquet").write_bytes(b"PAR1")
    clean.run("-c", WRITE)
    return there


WRITE = """
from pathlib import Path
from ivme.formats.traces import Header, Step, write_trace
from ivme.verify.results import Results, write_results
write_trace("trace.jsonl", Header(""), [Step("update", (("R", 1, 2, 1),))])
write_results(Path("results.json"), Results("0.0", "3.11", "", "", 0.0, 0, (), (), (), (), None))
"""

# --- the command ---

# What each command says with [cli] alone: the extra that it misses, or none.
COMMANDS = {
    "run --graph edges.csv": "",
    "run --graph edges.csv --output a.csv": "",
    "run --graph edges.parquet": "parquet",
    "run --graph edges.csv --output a.parquet": "parquet",
    "workload --list": "",
    "workload hub --size 9 --out a.csv": "",
    "workload hub --size 9 --out a.parquet": "parquet",
    "oracle --engine nowhere:Engine": "conformance",
    "replay trace.jsonl --debug": "",
    "explain trace.jsonl": "",
    "report --results results.json --out page.html": "report",
    "--version": "",
    "--help": "",
}


@pytest.mark.parametrize("alone", ALONE)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_works_or_names_the_extra(
    clean: Clean, files: Path, layers: dict[str, Path], command: str, alone: str
) -> None:
    missing = COMMANDS[command] if alone == "cli" else "cli"
    before = set(files.iterdir())
    given = [layers[alone]] if alone else []
    done = clean.run("-m", "ivme", *command.split(), layers=given, code=2 if missing else 0)
    if missing:
        assert re.fullmatch(rf"ivme: error: .* needs .*: pip install 'ivme\[{missing}\]'\n", done.stderr)
        assert (done.stdout, set(files.iterdir())) == ("", before)
    else:
        assert done.stdout + done.stderr
        assert "Traceback" not in done.stderr


# A tenth of a second of `ivme verify`; all that it can do without is missing.
VERIFY = """
import sys
from attrs import evolve
from ivme.cli import main
from ivme.verify import plan
from ivme.workloads import define

full = plan.quick_plan()
small = define("hub", size=20, updates=5, everywhere=True)
plan.quick_plan = lambda seed: evolve(
    full, small=full.small[:1], exponents=(), large=(evolve(full.large[0], definition=small, prefixes=(5,)),)
)
sys.exit(main(["verify", "--quick", "--jobs", "1", "--out", "report"]))
"""


def test_verify_goes_on_without_what_it_can_do_without_and_says_so(
    clean: Clean, layers: dict[str, Path]
) -> None:
    done = clean.run("-c", VERIFY, layers=[layers["cli"]])
    assert "pip install 'ivme[report]'" in done.stderr
    assert "pip install 'ivme[spark]'" in done.stdout
    assert "report: report/results.json" in done.stdout.splitlines()


def test_play_needs_the_command_line_alone(clean: Clean, layers: dict[str, Path]) -> None:
    with subprocess.Popen(
        [clean.python, "-P", "-m", "ivme", "play", "--no-browser"],
        cwd=clean.elsewhere,
        env=environment(PYTHONPATH=str(layers["cli"])),
        stdout=subprocess.PIPE,
        text=True,
    ) as started:
        assert started.stdout is not None
        assert started.stdout.readline().startswith("http://127.0.0.1:")
        started.terminate()


def test_bench_says_that_it_needs_a_checkout(clean: Clean, layers: dict[str, Path]) -> None:
    done = clean.run("-m", "ivme", "bench", "--quick", layers=[layers["cli"]], code=2)
    assert re.fullmatch(r"ivme: error: .*: clone the repository and run `make bench` there\n", done.stderr)
    assert done.stdout == ""


# --- the library ---

VIEW = "import ivme; view = ivme.TriangleView('A', database={'R': [(1, 2)], 'S': [(2, 3)], 'T': [(3, 1)]}); "
# What is done, the extra that it asks for, and where it works.
LIBRARY = [
    ("import ivme.conformance", "conformance", "conformance"),
    ("from ivme.conformance.engines import Named", "conformance", "conformance"),
    ("import ivme.spark", "spark", "spark"),
    ("from ivme.spark import datasets, hypercube, ingest, oracle, session, streaming", "spark", "spark"),
    (f"{VIEW}view.to_numpy()", "arrays", "spark"),
    (f"{VIEW}view.to_arrow()", "arrays", "spark"),
]


@pytest.mark.parametrize("alone", ALONE)
@pytest.mark.parametrize(("program", "extra", "works"), LIBRARY)
def test_the_library_works_or_names_the_extra(
    clean: Clean, layers: dict[str, Path], program: str, extra: str, works: str, alone: str
) -> None:
    given = [layers[alone]] if alone else []
    done = clean.run("-c", program, layers=given, code=0 if alone == works else 1)
    if alone != works:
        last = done.stderr.splitlines()[-1]
        assert re.fullmatch(
            rf"ivme\.extras\.MissingExtraError: .* needs .*: pip install 'ivme\[{extra}\]'", last
        )


# Imported by what has looked before: `ivme.cli.main`.
GUARDED = r"ivme\.cli\..*"
EVERY_MODULE = f"""
import importlib, pkgutil, re, sys
import ivme, ivme_reference, ivme_spec
from ivme.extras import MissingExtraError

for package in (ivme, ivme_reference, ivme_spec):
    for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".", onerror=lambda name: None):
        if re.fullmatch({GUARDED!r}, found.name) or found.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(found.name)
        except MissingExtraError:
            pass
        except ModuleNotFoundError as error:
            print(found.name, error)
"""


@pytest.mark.parametrize("alone", ALONE)
def test_no_module_ends_in_a_bare_error(clean: Clean, layers: dict[str, Path], alone: str) -> None:
    assert clean.run("-c", EVERY_MODULE, layers=[layers[alone]] if alone else []).stdout == ""


# --- the line ---


def test_the_error_is_bad_input_and_a_missing_module(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError) as caught:
        extras.needed("this", "arrays", "no_such_package")
    assert str(caught.value) == "this needs no_such_package: pip install 'ivme[arrays]'"
    assert isinstance(caught.value, ModuleNotFoundError)
    assert caught.value.name == "no_such_package"
    with pytest.raises(
        extras.MissingExtraError, match=r"needs no_such and nor_this: pip install 'ivme\[spark\]'"
    ):
        extras.require("this", "spark", "no_such", "attrs", "nor_this")
    assert extras.needed("this", "arrays", "attrs").__name__ == "attrs"


def test_what_is_to_be_typed_works(clean_archive: Clean) -> None:
    """It is on no index, but where ivme is installed pip only adds what the extra asks for."""
    said = clean_archive.run("-m", "ivme", "--version", code=2).stderr
    (command,) = re.findall(r"pip (install) '(ivme\[cli\])'$", said.strip())
    clean_archive.pip(*command)
    assert clean_archive.run("-m", "ivme", "--version").stdout.startswith("ivme ")


def test_every_extra_that_is_named_exists() -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "ivme").rglob("*.py"))
    named = set(
        re.findall(r"""(?:needed|require)\([^()]*?"[^"]*", "(\w+)"|(?<!\.)command\(['"](\w+)['"]\)""", text)
    )
    assert {name for pair in named for name in pair if name} <= set(KNOWN)
    assert "pip install 'ivme[" not in text.replace(extras.command("{extra}"), "")
