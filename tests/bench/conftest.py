"""Graphs in files."""

import gzip
from itertools import combinations
from pathlib import Path

import pytest


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Two graphs with triangles; one has a loop, and edges twice."""
    for name, size in (("large", 9), ("small", 5)):
        lines = ["# a comment", "1 1", "2 1", *(f"{u} {v}" for u, v in combinations(range(size), 2))]
        with gzip.open(tmp_path / f"{name}.txt.gz", "wt", encoding="utf-8") as stream:
            stream.write("\n".join(lines))
    return str(tmp_path)
