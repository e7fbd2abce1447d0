"""Importing one of our packages loads only attrs and what the compiled kernel needs."""

import json
import subprocess
import sys

import pytest

LOADED_BY = """
import json, sys
before = set(sys.modules)
__import__(sys.argv[1])
print(json.dumps(sorted({name.partition(".")[0] for name in set(sys.modules) - before})))
"""

KERNEL = {"librt", "mypy_extensions"}
HEAVY = {
    "pyspark",
    "pandas",
    "polars",
    "numpy",
    "pyarrow",
    "hypothesis",
    "matplotlib",
    "networkx",
    "crosshair",
    "z3",
}


def loaded_by(package: str) -> set[str]:
    """The top-level modules, except the standard library's, that importing a package loads."""
    run = subprocess.run(
        [sys.executable, "-c", LOADED_BY, package], capture_output=True, text=True, check=True
    )
    return set(json.loads(run.stdout)) - sys.stdlib_module_names


@pytest.mark.parametrize(
    ("package", "ours"),
    [
        ("ivme_spec", {"ivme_spec"}),
        ("ivme_reference", {"ivme_reference", "ivme_spec"}),
        ("ivme", {"ivme", "ivme_spec", *KERNEL}),
    ],
)
def test_import_loads_only_attrs(package: str, ours: set[str]) -> None:
    loaded = loaded_by(package)
    assert package in loaded
    assert not loaded & HEAVY
    assert loaded <= ours | {"attr", "attrs"}


def test_the_command_loads_no_benchmark() -> None:
    """It is imported only by `ivme bench`."""
    assert "bench" not in loaded_by("ivme.cli.app") | loaded_by("ivme.cli.bench")


def test_the_pure_kernel_needs_only_attrs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("IVME_PURE", "1")
    assert loaded_by("ivme") == {"ivme", "ivme_spec", "attr", "attrs"}


def test_a_heavy_import_would_be_seen() -> None:
    assert "hypothesis" in loaded_by("hypothesis")
