"""What --json prints has its schema, which notices every key that goes, changes its name or its type."""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import typer
from jsonschema import Draft202012Validator

from bench import results as bench
from ivme.cli.app import app
from ivme.cli.output import VERSIONS
from ivme.formats.traces import Header, Step, write_trace
from ivme.verify import results as verification
from tests.bench.fakes import results as bench_results
from tests.cli.conftest import Command
from tests.support.broken_views import WrongAnswer
from tests.support.plans import tiny_plan

SCHEMAS = {
    entry.name.removesuffix(".schema.json"): json.loads(entry.read_text(encoding="utf-8"))
    for entry in (files("ivme") / "schemas").iterdir()
}
DOCS = Path(__file__).resolve().parents[2] / "docs"
FREE_KEYS = {"parameters", "machine", "settings"}
"""Objects whose keys are not fixed."""

TRIANGLE = "R,1,x\nS,x,3,5\nT,3,1,2\nR,1,x,-1\nR,1,x,1\n"
VALUES = (
    '["R", {"tuple": [1, {"tuple": []}, "x"]}, "é", 2]\n["S", "é", true, 1]\n'
    '["T", true, {"tuple": [1, {"tuple": []}, "x"]}, 3]\n["R", {"float": "inf"}, "é"]\n'
    '["T", true, {"float": "inf"}]\n["R", 1.5, "é"]\n["T", true, 1.5]\n'
)


# --- schemas --------------------------------------------------------------------------------------------


def spoilt(document: Any, free: bool = False) -> Iterator[tuple[str, Any]]:
    """A document with one key more, less or renamed, or one value of another type; of a list, the first."""
    if isinstance(document, dict):
        if not free:
            yield "one more", {**document, "one_more": 1}
        for key, value in document.items():
            if not free:
                yield f"without {key}", {k: v for k, v in document.items() if k != key}
                yield f"{key} renamed", {k + "_" * (k == key): v for k, v in document.items()}
            for what, changed in spoilt(value, key in FREE_KEYS):
                yield f"{key}: {what}", {**document, key: changed}
    elif isinstance(document, list) and document:
        for what, changed in spoilt(document[0]):
            yield f"[0]: {what}", [changed, *document[1:]]
    if not isinstance(document, dict):
        yield "another type", {"another": "type"}


def shortened(document: Any) -> Any:
    """Of long lists, the first entries: the others would only take time."""
    if isinstance(document, dict):
        return {key: shortened(value) for key, value in document.items()}
    return list(map(shortened, document[:6])) if isinstance(document, list) else document


def check(command: str, document: Any) -> None:
    """A document is valid, and nothing that `spoilt` makes of it is."""
    validator = Draft202012Validator(SCHEMAS[command])
    validator.validate(document)
    short = shortened(document)
    validator.validate(short)
    found = list(spoilt(short))
    assert len(found) > 3
    assert not [what for what, changed in found if validator.is_valid(changed)]


@pytest.mark.parametrize("command", SCHEMAS)
def test_the_schemas_are_schemas(command: str) -> None:
    Draft202012Validator.check_schema(SCHEMAS[command])
    assert SCHEMAS[command]["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_every_command_with_json_has_a_schema() -> None:
    commands: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]  # a group
    having = {name for name, c in commands.items() if any("--json" in option.opts for option in c.params)}
    assert having | {"bench"} == set(SCHEMAS)  # which writes its results to a file


def versions(schema: Any) -> Iterator[tuple[str, object]]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key.startswith("ivme-"):
                yield key, value["const"]
            yield from versions(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from versions(value)


def test_the_schemas_have_the_versions_of_the_outputs() -> None:
    found = set(versions(list(SCHEMAS.values())))
    written = {f"ivme-{name}": version for name, version in VERSIONS.items()}
    assert found == {
        *written.items(),
        ("ivme-results", verification.VERSION),
        ("ivme-bench", bench.VERSION),
    }


def test_the_page_names_every_schema() -> None:
    page = (DOCS / "json.md").read_text(encoding="utf-8")
    for command in SCHEMAS:
        assert f"(../ivme/schemas/{command}.schema.json)" in page


# --- what the commands print ----------------------------------------------------------------------------


@pytest.mark.parametrize("free", ["", "B", "CA", "ABC"])
def test_run(ivme: Command, free: str, tmp_path: Path) -> None:
    done = ivme("run", "-", "--free", free, "--json", stdin=TRIANGLE)
    document = json.loads(done.out)
    assert (done.code, document["tuples"], len(document["rows"])) == (0, 3, 1)
    check("run", document)
    assert ivme("run", "-", "--free", free, "--output", tmp_path / "a.json", stdin=TRIANGLE).code == 0
    assert (tmp_path / "a.json").read_text() == done.out


def test_run_with_values_of_all_kinds(ivme: Command) -> None:
    document = json.loads(ivme("run", "-", "--format", "jsonl", "--free", "AC", "--json", stdin=VALUES).out)
    assert len(document["rows"]) == 3
    check("run", document)


@pytest.mark.parametrize("track", ["count", "at", "on", "triangles"])
def test_run_graph(ivme: Command, track: str) -> None:
    edges = "u,v\n1,x\nx,3\n3,1\n3,4\n"
    document = json.loads(ivme("run", "--graph", "-", "--track", track, "--json", stdin=edges).out)
    assert document["rows"]
    check("run", document)


@pytest.mark.parametrize("window", ["4", "1h"])
def test_run_window(ivme: Command, window: str) -> None:
    edges = "u,v,time\n7,8,0\n1,x,5\nx,3,5\n3,1,7\n3,4,3600\n"
    document = json.loads(ivme("run", "--graph", "-", "--window", window, "--json", stdin=edges).out)
    assert (document["kept"], document["expired"], document["rows"]) == (4, 1, [[1]])
    check("run", document)


def test_run_watch(ivme: Command) -> None:
    lines = ivme("run", "-", "--watch", "--free", "A", "--json", stdin=TRIANGLE).out.splitlines()
    assert len(lines) == 3
    for line in lines:
        check("run", json.loads(line))


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.jsonl"
    steps = [Step("update", (("R", 1, "x", 1),)), Step("refused", (("R", 1, "x", -2),))]
    write_trace(path, Header("AB"), [*steps, Step("expect", answer={})])
    return path


def test_replay(ivme: Command, trace: Path) -> None:
    done = ivme("replay", trace, "--json")
    assert done.code == 0
    check("replay", json.loads(done.out))
    write_trace(trace, Header("AB"), [Step("expect", answer={(1, 2): 3})])
    done = ivme("replay", trace, "--json")
    assert done.code == 1
    check("replay", json.loads(done.out))


def test_explain(ivme: Command, trace: Path) -> None:
    check("explain", json.loads(ivme("explain", trace, "--json").out))
    check("explain", json.loads(ivme("explain", trace, "--at", 1, "--json").out))


@pytest.mark.parametrize(("engine", "code"), [("Right", 0), ("Wrong", 1)])
def test_oracle(
    ivme: Command, engine: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    named = {"Right": "oracle_engines:Fine", "Wrong": "oracle_engines:ForgetsDeletes"}[engine]
    options = ("--examples", 30, "--seed", 1, "--no-corpus", "--trace", tmp_path / "t.jsonl", "--json")
    done = ivme("oracle", "--engine", named, "--free", "A", *options)
    assert done.code == code
    check("oracle", json.loads(done.out))


@pytest.mark.parametrize("broken", [False, True])
def test_verify_and_report(
    ivme: Command, broken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ivme.verify.plan.quick_plan", lambda seed: tiny_plan(seed=seed))
    if broken:
        monkeypatch.setattr("ivme.verify.small.TriangleView", WrongAnswer)
    done = ivme("verify", "--quick", "--no-spark", "--jobs", 1, "--out", tmp_path, "--json")
    assert done.code == broken
    check("verify", json.loads(done.out))
    done = ivme("report", "--results", tmp_path / "results.json", "--json")
    assert done.code == 0
    check("report", json.loads(done.out))


def test_workload(ivme: Command, tmp_path: Path) -> None:
    for family, *given in (("hub", "size=30", "everywhere=true"), ("view-upkeep", "size=60", "epsilon=1/2")):
        done = ivme("workload", family, *given, "--out", tmp_path / "w.csv", "--json")
        assert done.code == 0, done.err
        check("workload", json.loads(done.out))
    check("workload", json.loads(ivme("workload", "--list", "--json").out))


def test_bench() -> None:
    measured = bench_results(("sparse", 1000, "AB", "ivme", "update", [1e-6, 2e-6]))
    check("bench", json.loads(bench.encode(measured)))
    published = json.loads((DOCS / "bench.json").read_text(encoding="utf-8"))
    Draft202012Validator(SCHEMAS["bench"]).validate(published)
