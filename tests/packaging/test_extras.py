"""A missing extra is reported in one line, with the command that installs it, at every entry point.

Tried with no extra, and with each of `[cli]`, `[conformance]` and `[spark]` alone.
"""

import re
import subprocess
from pathlib import Path

import pytest

from ivme import extras
from ivme_spec.errors import InputError
from tests.packaging.building import PROJECT, ROOT, copy_checkout, environment
from tests.packaging.clean import EXTRAS, Clean

pytestmark = pytest.mark.slow
KNOWN = PROJECT["optional-dependencies"]
ALONE = ["", *EXTRAS]


@pytest.fixture(scope="session")
def files(clean: Clean) -> Path:
    """Input for the commands, in the folder where they run."""
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

# The extra that each command asks for with [cli] alone, or none.
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


# A tenth of a second of `ivme verify`, without any optional package.
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


def test_verify_runs_without_optional_packages_and_names_them(clean: Clean, layers: dict[str, Path]) -> None:
    done = clean.run("-c", VERIFY, layers=[layers["cli"]])
    assert "pip install 'ivme[report]'" in done.stderr
    assert "pip install 'ivme[spark]'" in done.stdout
    assert "report: report/results.json" in done.stdout.splitlines()


def test_play_needs_only_the_command_line(clean: Clean, layers: dict[str, Path]) -> None:
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


# --- the benchmark, which only a checkout has ---


def test_an_installed_ivme_has_no_benchmark_and_says_where_it_is(
    clean: Clean, layers: dict[str, Path]
) -> None:
    done = clean.run("-m", "ivme", "bench", "--quick", layers=[layers["cli"]], code=2)
    assert re.fullmatch(r"ivme: error: the benchmark is not part of .*`make bench`.*\n", done.stderr)
    assert done.stdout == ""


@pytest.fixture(scope="session")
def checkout(layers: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """A checkout that comes before the wheel on the path, and the extra `cli`."""
    copy = copy_checkout(tmp_path_factory.mktemp("checkout") / "copy")
    return [copy, copy / "spec", copy / "reference", layers["cli"]]


def test_bench_runs_without_its_extra(clean: Clean, checkout: list[Path]) -> None:
    command = "bench --quick --only sparse floor --rounds 1 --minutes 0.01"
    done = clean.run("-m", *command.split(), layers=checkout)
    assert done.stdout
    assert "Traceback" not in done.stderr


def test_bench_names_the_contenders_that_it_skips(clean: Clean, checkout: list[Path]) -> None:
    command = "bench --quick --only snapshots join scipy --rounds 1 --minutes 0.01"
    done = clean.run("-m", *command.split(), layers=checkout)
    assert "skipped scipy: scipy is not installed: pip install 'ivme[bench]'" in done.stdout.splitlines()


# --- the library ---

VIEW = "import ivme; view = ivme.TriangleView('A', database={'R': [(1, 2)], 'S': [(2, 3)], 'T': [(3, 1)]}); "
GRAPH = "import ivme; graph = ivme.GraphTriangles(track=('at',), edges=[(1, 2)]); "
# A program, the extra that it asks for, and the one that it works with.
LIBRARY = [
    ("import ivme.conformance", "conformance", "conformance"),
    ("from ivme.conformance.engines import Named", "conformance", "conformance"),
    ("import ivme.spark", "spark", "spark"),
    ("from ivme.spark import datasets, hypercube, ingest, oracle, session, streaming", "spark", "spark"),
    (f"{VIEW}view.to_numpy()", "arrays", "spark"),
    (f"{VIEW}view.to_arrow()", "arrays", "spark"),
    (f"{GRAPH}graph.to_arrow()", "arrays", "spark"),
    (f"{GRAPH}graph.to_networkx()", "networkx", "networkx"),
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


# Imported by `ivme.cli.main`, which checks first.
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
def test_no_module_raises_a_bare_import_error(clean: Clean, layers: dict[str, Path], alone: str) -> None:
    assert clean.run("-c", EVERY_MODULE, layers=[layers[alone]] if alone else []).stdout == ""


# --- the message ---


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


def test_the_command_in_the_message_works(clean_archive: Clean) -> None:
    """Although ivme is on no index: where it is installed, pip only adds what the extra asks for."""
    said = clean_archive.run("-m", "ivme", "--version", code=2).stderr
    (command,) = re.findall(r"pip (install) '(ivme\[cli\])'$", said.strip())
    clean_archive.pip(*command)
    assert clean_archive.run("-m", "ivme", "--version").stdout.startswith("ivme ")


def test_every_extra_that_is_named_exists() -> None:
    files = [file for folder in ("ivme", "bench") for file in (ROOT / folder).rglob("*.py")]
    text = "".join(file.read_text(encoding="utf-8") for file in files)
    named = set(
        re.findall(r"""(?:needed|require)\([^()]*?"[^"]*", "(\w+)"|(?<!\.)command\(['"](\w+)['"]\)""", text)
    )
    assert {name for pair in named for name in pair if name} <= set(KNOWN)
    assert "pip install 'ivme[" not in text.replace(extras.command("{extra}"), "")
